# SPDX-License-Identifier: Apache-2.0
"""Calls from several Python threads."""
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import bitstep
from conftest import HYPER, bits, problem


def large_X():
    return np.ones((2000, 10000), "float32")  # 80 MB


y, w = np.ones(2000, "float32"), np.ones(10000, "float32")
WIDE = dict(threads=1, accumulate="wide")
# What makes the arrays, and a call of them that takes tens of milliseconds; the copies of odd layouts, too, are made without
# the GIL.
LONG = {
    "predict": lambda: partial(bitstep.predict, large_X(), w, **WIDE),
    "residual": lambda: partial(bitstep.residual, large_X(), y, w, **WIDE),
    "gradient": lambda: partial(bitstep.gradient, large_X(), y, w, **WIDE),
    "a copied X": lambda: partial(bitstep.predict, large_X().T, y, threads=1),
    "step": lambda: partial(bitstep.distributed_step, large_X()[None, None], y[None, None], w, w, w, w, **HYPER, threads=1),
    "update": lambda: partial(bitstep.adam_ema_update, *[np.ones(4_000_000) for _ in range(5)], **HYPER, threads=1),
    "mean": lambda: partial(bitstep.ddp_allreduce_average_grads, [{"w": large_X()}] * 4, threads=1),
    "a mean of copies": lambda: partial(bitstep.ddp_allreduce_average_grads, [{"w": large_X().T}], threads=1),
    "ring": lambda: partial(bitstep.simulate_ring_allreduce, [large_X().reshape(-1)] * 2),
}


@pytest.mark.parametrize("name", LONG)
def test_the_gil_is_released(name):
    """Another thread runs Python while one call computes."""
    call = LONG[name]()
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        for _ in range(20):
            start = time.perf_counter()
            call()
            end = time.perf_counter()
            # In the middle of the call: not just before or after it.
            inside = sum(start + (end - start) * 0.25 < at < start + (end - start) * 0.75 for at in ticks)
            if inside >= 3:
                return
    finally:
        stop.set()
        thread.join()
    raise AssertionError(f"{inside} ticks within the last call of {end - start} s")


def test_calls_at_the_same_time_give_the_same_bits():
    inputs = problem(2, 2, 100, 200)
    grads = [{"a": inputs[0]}, {"a": inputs[0][::-1]}]
    expected = bits(bitstep.distributed_step(*inputs, **HYPER)), bits(bitstep.ddp_allreduce_average_grads(grads)["a"])

    def one(i):
        state = [a.copy() for a in inputs[2:]]
        for _ in range(20):
            bitstep.adam_ema_update(inputs[2], *state, **HYPER)
        return (bits(bitstep.distributed_step(*inputs, **HYPER, threads=1 + i % 2)),
                bits(bitstep.ddp_allreduce_average_grads(grads)["a"])), bits(np.concatenate(state))

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(one, range(40)))
    assert {r[0] for r in results} == {expected} and len({r[1] for r in results}) == 1


FORKED = """
import multiprocessing, sys
import numpy as np
if "torch" in sys.argv[1]: import torch
if sys.argv[1] == "torch first": torch.ones(1000, 1000).exp().sum()
import bitstep
X, y, w = np.ones((600, 5000), "float32"), np.arange(600, dtype="float32"), np.ones(5000, "float32")
call = lambda threads: bitstep.gradient(X, y, w, threads=threads)[0].tobytes()
parent = call(2)  # the OpenMP runtime has threads now, which no child has
if sys.argv[1] == "torch last": torch.ones(1000, 1000).exp().sum()
context = multiprocessing.get_context("fork")
queue = context.SimpleQueue()
child = context.Process(target=lambda: queue.put(call(2)), daemon=True)
child.start()
child.join(30)
assert child.exitcode == 0, "the child hangs" if child.exitcode is None else child.exitcode
assert queue.get() == parent == call(2) == call(1)
"""


@pytest.mark.parametrize("who", ["alone", "torch first", "torch last"])
def test_a_child_of_a_fork_does_not_hang(who):
    """libgomp's team does not live in a child; torch's libgomp may be this module's or another one."""
    if "torch" in who:
        pytest.importorskip("torch")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED, who], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


LEAVING = """
import threading, time
import numpy as np
import bitstep
X, w = np.ones((1000, 1000)), np.ones(1000)
def go():
    while True: CALL
for _ in range(3): threading.Thread(target=go, daemon=True).start()
end = time.monotonic() + 0.2
while BUSY and time.monotonic() < end: pass
if not BUSY: time.sleep(0.2)
"""


@pytest.mark.parametrize("busy", [False, True])
@pytest.mark.parametrize("call", ["bitstep.gradient(X, w, w, threads=1)", "bitstep.simulate_ring_allreduce([w])"])
def test_leaving_while_a_daemon_thread_is_in_a_call(call, busy):
    """Before Python 3.14 the interpreter ends a thread that wants the GIL back, or that waits for it already (busy), by
    unwinding its frames."""
    code = LEAVING.replace("CALL", call).replace("BUSY", str(busy))
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
