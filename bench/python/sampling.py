# SPDX-License-Identifier: Apache-2.0
"""support/samples.cpp in Python: A, B, C, then B, C, A, ...; ratios of medians of one such run. Same rounds, same
length of samples, and the same wait for idle threads before each sample."""
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


def settle():
    """Until the threads of this process have stopped spinning: OpenBLAS's wait actively for 26 ms after a call."""
    for _ in range(300):
        busy, start = time.process_time(), time.perf_counter()
        time.sleep(1e-3)
        if time.process_time() - busy < 0.2 * (time.perf_counter() - start):
            return


def calls_per_sample(who):
    """The first call pays for page faults and sleeping threads, so short ones are counted by a second go."""
    settle()
    once = who.seconds(1)
    if once >= 10 * SAMPLE_SECONDS:
        return 1
    once = max(who.seconds(3), 1e-9)
    return int(min(max(-(-SAMPLE_SECONDS // once), 1), 1e6))


def quantile(ordered, q):
    place = q * (len(ordered) - 1)
    below = int(place)
    above = min(below + (place > below), len(ordered) - 1)
    return 0.5 * (ordered[below] + ordered[above])


def sample_in_turn(contenders):
    """A list of (median, spread), in their order."""
    calls = [calls_per_sample(who) for who in contenders]
    samples = [[] for _ in contenders]
    start = time.perf_counter()
    for turn in range(ROUNDS):
        if turn >= ROUNDS_AT_LEAST and time.perf_counter() - start > SECONDS:
            break
        for place in range(len(contenders)):
            who = (place + turn) % len(contenders)
            settle()
            if calls[who] > 1:
                contenders[who].seconds(1)  # wakes the team and brings the data back into cache
            samples[who].append(contenders[who].seconds(calls[who]))
    return [summarise(sorted(each)) for each in samples]


def summarise(ordered):
    median = quantile(ordered, 0.5)
    return median, (quantile(ordered, 0.75) - quantile(ordered, 0.25)) / median
