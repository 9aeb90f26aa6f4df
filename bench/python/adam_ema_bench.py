#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adam and EMA in place beside torch's Adam plus lerp_ and NumPy, from a thousand parameters to fifty million."""
import surroundings  # before NumPy, whose BLAS it decides

import numpy as np

import rivals_numpy
import rivals_torch
from sampling import Contender
from table import TYPES, USABLE, Hyper, Table, close

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
ONLY_FULL = 50_000_000


def run(table, size, dtype, threads):
    random = np.random.default_rng(5)
    # g > 0 and v >= 0 stay so however often everybody updates: no NaN, no denormal numbers.
    g = np.abs(random.standard_normal(size, dtype=dtype)) * dtype(0.01) + dtype(1e-4)
    state = [random.standard_normal(size, dtype=dtype) * dtype(0.01) for _ in range(4)]
    state[3] = np.abs(state[3])
    rivals = rivals_numpy.adam_ema_rivals(g, state, Hyper) + rivals_torch.adam_ema_rivals(g, state, Hyper)
    own = table.library.adam_ema([g, *state], Hyper, threads)
    own()
    for rival in rivals:
        close(rival.name, rival.first_result(), state, 1e-6 if dtype is np.float32 else 1e-14)
    return Contender("bitstep", own, repeats_itself=True), 9 * g.nbytes, rivals


def main():
    table = Table(__doc__)
    for name, dtype in TYPES.items():
        for size in SIZES + ((ONLY_FULL,) if table.options.full else ()):
            for threads in sorted({1, USABLE}):
                table.case(f"python_adam_ema_update<{name}>/n:{size}/threads:{threads}", threads,
                           lambda: run(table, size, dtype, threads))
    table.write()


if __name__ == "__main__":
    main()
