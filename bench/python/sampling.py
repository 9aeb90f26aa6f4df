# SPDX-License-Identifier: Apache-2.0
"""support/samples.cpp in Python: A, B, C, then B, C, A, ...; ratios of medians of one such run; fewer
rounds than there, because Python's contenders are slower."""
import os
import threading
import time

ROUNDS, ROUNDS_AT_LEAST = 9, 3
SECONDS, SAMPLE_SECONDS = 1.0, 2e-3


class Contender:
    """`run(repeats)` for what repeats by itself; otherwise `run()` and a loop here, as its user would write it."""

    def __init__(self, name, run, repeats_itself=False):
        self.name = name
        self.column = name
        self._run, self._repeats_itself = run, repeats_itself

    def seconds(self, calls):
        run = self._run
        if self._repeats_itself:
            start = time.perf_counter()
            run(calls)
        else:
            start = time.perf_counter()
            for _ in range(calls):
                run()
        return (time.perf_counter() - start) / calls


def others_running():
    """Threads of this process that run (spin) beside this one. Their CPU time would not do: the kernel books a thread that
    spins in user mode, as libgomp's do for 4 to 8 ms, at clock ticks only, and a window of 1 ms reads 0."""
    me, count = str(threading.get_native_id()), 0
    for thread in os.listdir("/proc/self/task"):
        if thread != me:
            try:
                with open(f"/proc/self/task/{thread}/stat") as file:
                    count += file.read().rsplit(")", 1)[1].split()[0] == "R"
            except OSError:  # it has ended
                pass
    return count


def settle():
    """Until the threads of this process have stopped spinning: OpenBLAS's wait actively for 26 to 103 ms after a call."""
    for _ in range(300):
        time.sleep(1e-3)
        if others_running() == 0:
            return


def warm_up(who, enough, seconds):
    """Calls until one is as fast as `enough`, at the longest for `seconds`. The first calls after a pause may take 8 ms
    each where 15 us are usual: the team's second thread wakes up on the CPU where the first one waits for it."""
    best, start = float("inf"), time.perf_counter()
    while best > enough and time.perf_counter() - start < seconds:
        best = min(best, who.seconds(1))
    return best


def calls_per_sample(who):
    """(calls, seconds of a fast one)"""
    settle()
    once = who.seconds(1)  # pays for page faults and sleeping threads
    if once < 10 * SAMPLE_SECONDS:
        once = warm_up(who, 0, 10 * SAMPLE_SECONDS)
    return int(min(max(-(-SAMPLE_SECONDS // max(once, 1e-9)), 1), 1e6)), once


def quantile(ordered, q):
    place = q * (len(ordered) - 1)
    below = int(place)
    above = min(below + (place > below), len(ordered) - 1)
    return 0.5 * (ordered[below] + ordered[above])


def sample_in_turn(contenders):
    """A list of (median, spread), in their order."""
    plan = [calls_per_sample(who) for who in contenders]
    samples = [[] for _ in contenders]
    start = time.perf_counter()
    for turn in range(ROUNDS):
        if turn >= ROUNDS_AT_LEAST and time.perf_counter() - start > SECONDS:
            break
        for place in range(len(contenders)):
            who = (place + turn) % len(contenders)
            calls, fast = plan[who]
            settle()
            if calls > 1:  # wakes the team and brings the data back into cache
                warm_up(contenders[who], 1.5 * fast, 10 * SAMPLE_SECONDS)
            samples[who].append(contenders[who].seconds(calls))
    return [summarise(sorted(each)) for each in samples]


def summarise(ordered):
    median = quantile(ordered, 0.5)
    return median, (quantile(ordered, 0.75) - quantile(ordered, 0.25)) / median
