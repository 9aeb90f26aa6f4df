#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mean of eight workers' gradients over a list of tensors, beside torch and NumPy. A worker's tensors, and the means,
lie one after another, as in a flat model. bitstep is called as from C++, its list of pointers made before; the price of a
Python caller's list comes with the Python module."""
import surroundings  # before NumPy, whose BLAS it decides

import numpy as np

from rivals_numpy import Rival
from sampling import Contender
from table import TYPES, USABLE, Table, close, torch

WORKERS = 8
LISTS = ((1, 16_000_000), (1000, 1000), (1000, 64))


class Mean(Rival):
    def first_result(self):
        self.seconds(1)
        return [np.asarray(each) for each in self._state]


def numpy_means(grads, means):
    lists = [list(each) for each in zip(*grads)]
    stacked = np.empty((WORKERS, means[0].size), means[0].dtype)

    def stack():
        for tensors, mean in zip(lists, means):
            np.stack(tensors, out=stacked)
            np.mean(stacked, axis=0, out=mean)

    def running():
        for tensors, mean in zip(lists, means):
            np.add(tensors[0], tensors[1], out=mean)
            for tensor in tensors[2:]:
                np.add(mean, tensor, out=mean)
            np.divide(mean, WORKERS, out=mean)

    # One tensor of many elements: in pieces that stay in L1 while the workers are added.
    piece = 4096
    pieces = [([tensor[i:i + piece] for tensor in lists[0]], means[0][i:i + piece])
              for i in range(0, means[0].size, piece)]

    def running_blocked():
        for tensors, mean in pieces:
            np.add(tensors[0], tensors[1], out=mean)
            for tensor in tensors[2:]:
                np.add(mean, tensor, out=mean)
            np.divide(mean, WORKERS, out=mean)

    found = [Mean("x_numpy", "stack_mean", stack, means), Mean("x_numpy", "running_sum", running, means)]
    if len(means) == 1:
        found.append(Mean("x_numpy", "running_sum_blocked", running_blocked, means))
    return found


def torch_means(grads, means):
    """x_torch_stack is what everybody writes; x_torch the fastest of all."""
    if torch is None:
        return []
    workers = [[torch.from_numpy(each) for each in worker] for worker in grads]
    lists = [list(each) for each in zip(*workers)]
    outs = [torch.from_numpy(each) for each in means]
    results = list(means)

    def stack():
        results[:] = [torch.stack(tensors).mean(0) for tensors in lists]

    scratch = torch.empty((WORKERS, means[0].size), dtype=outs[0].dtype)

    def stack_out():
        for tensors, out in zip(lists, outs):
            torch.mean(torch.stack(tensors, out=scratch), 0, out=out)

    def running():
        for tensors, out in zip(lists, outs):
            torch.add(tensors[0], tensors[1], out=out)
            for tensor in tensors[2:]:
                out.add_(tensor)
            out.div_(WORKERS)

    def foreach():
        torch._foreach_zero_(outs)
        for worker in workers:
            torch._foreach_add_(outs, worker)
        torch._foreach_div_(outs, WORKERS)

    found = [Mean("x_torch_stack", "stack_mean", stack, results), Mean("x_torch", "stack_mean", stack, results),
             Mean("x_torch", "stack_mean_out", stack_out, means), Mean("x_torch", "running_sum", running, means)]
    if hasattr(torch, "_foreach_add_") and hasattr(torch, "_foreach_zero_"):
        found.append(Mean("x_torch", "foreach", foreach, means))
    return found


def run(table, count, size, dtype, threads):
    random = np.random.default_rng(20)
    flat = [random.standard_normal(count * size, dtype=dtype) for _ in range(WORKERS)]
    grads = [[each[i * size:(i + 1) * size] for i in range(count)] for each in flat]
    means, theirs = ([each[i * size:(i + 1) * size] for i in range(count)]
                     for each in (np.empty(count * size, dtype), np.empty(count * size, dtype)))
    own = table.library.mean(grads, means, threads)
    own()
    rivals = numpy_means(grads, theirs) + torch_means(grads, theirs)
    for rival in rivals:
        close(rival.name, rival.first_result(), means, 1e-6 if dtype is np.float32 else 1e-14)
    moved = (WORKERS + 1) * count * size * means[0].itemsize
    return Contender("bitstep", own, repeats_itself=True), moved, rivals


def main():
    table = Table(__doc__)
    for name, dtype in TYPES.items():
        for count, size in LISTS:
            for threads in sorted({1, USABLE}):
                table.case(f"python_allreduce_mean<{name}>/tensors:{count}/elements:{size}/threads:{threads}", threads,
                           lambda: run(table, count, size, dtype, threads))
    table.write()


if __name__ == "__main__":
    main()
