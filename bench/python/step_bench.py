#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole distributed step beside NumPy and torch: gradient, Adam, EMA, the mathematics of section "what is computed".
bitstep is called as from C++ with a workspace. The rivals update their state in place, which saves them the copies of
the functional form, and each column is the best of several ways to write the step."""
import surroundings  # before NumPy, whose BLAS it decides

import numpy as np

from rivals_jax import jax_step
from rivals_numpy import numpy_steps
from rivals_torch import torch_steps
from sampling import Contender
from table import TYPES, USABLE, Hyper, Table, close

KIB = 1024

# (W, A, B, d): tiny, within L2, memory (rows from bytes). The limit of tiny d is 512 in float, 128 in double.
TINY = [(1, 1, 1, 1), (2, 2, 4, 16), (4, 2, 8, 64), (2, 2, 8, 128), (4, 2, 1, 512)]


def shapes(element, full):
    """(where, shape): rows in memory are W A B with as many B as make 640 MB."""
    found = [("tiny", shape) for shape in TINY if shape[3] <= 2048 // element]
    for d in (64, 1024, 4096) if full else (64, 1024):
        found.append(("L2", (4, 2, 512 * KIB // (8 * d * element), d)))
        found.append(("memory", (8, 4, 640_000_000 // (32 * d * element) + 1, d)))
    return found


class Problem:
    """One X for all cases of a size: filling hundreds of megabytes takes longer than sampling them."""
    _key, _x = None, None

    def __init__(self, shape, dtype):
        workers, micro_batches, examples, d = shape
        rows = workers * micro_batches * examples
        if Problem._key != (rows * d, dtype):
            Problem._x = None  # first give back, then ask
            Problem._x = np.random.default_rng(7).standard_normal(rows * d, dtype=dtype)
            Problem._key = rows * d, dtype
        random = np.random.default_rng(8)
        self.shape, self.rows, self.d = shape, rows, d
        self.x = Problem._x.reshape(rows, d)
        self.y = random.standard_normal(rows, dtype=dtype)
        self.state = [random.standard_normal(d, dtype=dtype) / dtype(d**0.5) for _ in range(4)]  # w, ema, m, v
        self.state[3] = np.abs(self.state[3])
        self.out = np.empty(4 * d, dtype)


def run(table, shape, dtype, threads):
    data = Problem(shape, dtype)
    own = table.library.step([data.x, data.y, *data.state, data.out], shape, Hyper, threads)
    rivals = numpy_steps(data, Hyper) + torch_steps(data, Hyper) + jax_step(data, Hyper, threads, USABLE)
    own()
    # Sums of float in another order differ by some 1e-7 times the root of their length; a wrong t or lr by 1e-3 and more.
    tolerance = max(10, data.rows**0.5) * (1e-6 if dtype is np.float32 else 1e-14)
    for rival in rivals:
        close(rival.name, rival.first_result(), data.out.reshape(4, -1), tolerance)
    return Contender("bitstep", own, repeats_itself=True), data.x.nbytes, rivals


def main():
    table = Table(__doc__)
    for name, dtype in TYPES.items():
        for where, shape in shapes(dtype().itemsize, table.options.full):
            for threads in sorted({1, USABLE}):
                extents = "/".join(f"{letter}:{extent}" for letter, extent in zip("WABd", shape))
                table.case(f"python_step<{name}>/{where}/{extents}/threads:{threads}", threads,
                           lambda: run(table, shape, dtype, threads))
    table.write()


if __name__ == "__main__":
    main()
