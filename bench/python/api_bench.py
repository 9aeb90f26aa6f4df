#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a Python caller of bitstep pays: `import bitstep` as a user has it, arguments checked, result allocated. Tiny steps
on NumPy arrays beside NumPy, on torch tensors beside torch: the rivals' best form updates the state in place and allocates
nothing, `same_form` returns a new array as bitstep does. Means of 1000 small tensors, dictionaries in and a new one out."""
import surroundings  # before NumPy, whose BLAS it decides

import bitstep
import numpy as np

import rivals_functional
import rivals_means
from rivals_numpy import numpy_steps
from rivals_torch import torch_steps
from sampling import Contender
from step_bench import TINY, Problem
from table import TYPES, USABLE, Hyper, Table, close, torch

WORKERS = 8
ELEMENTS = (1000, 64)
KINDS = {"numpy": lambda array: array, **({} if torch is None else {"torch": torch.from_numpy})}


class Module:
    """The place of library.Library: the module says what it is."""

    @staticmethod
    def about():
        facts = bitstep.info()
        return f"{facts['version']} as the Python module, kernels {facts['active_arch']}"


def step(kind, shape, dtype):
    data = Problem(shape, dtype)
    arrays = [KINDS[kind](each) for each in (data.x.reshape(shape), data.y.reshape(shape[:3]), *data.state)]
    h = Hyper

    def own():
        return bitstep.distributed_step(*arrays, h.lr, h.beta1, h.beta2, h.eps, h.decay, h.t, threads=1)

    rows = [arrays[0].reshape(data.rows, data.d), arrays[1].reshape(data.rows), *arrays[2:], Hyper]
    if kind == "numpy":
        rivals = numpy_steps(data, Hyper) + rivals_functional.numpy_functional(*rows)
    else:
        rivals = torch_steps(data, Hyper) + rivals_functional.torch_functional(*rows)
    expected = np.asarray(own()).reshape(4, -1)
    for rival in rivals:
        close(rival.name, rival.first_result(), expected, 1e-5 if dtype is np.float32 else 1e-13)
    return Contender("bitstep", own), data.x.nbytes, rivals


def mean(kind, size, threads):
    random = np.random.default_rng(20)
    plain = [{f"layer.{i}": random.standard_normal(size, dtype=np.float32) for i in range(1000)} for _ in range(WORKERS)]
    grads = [{key: KINDS[kind](each) for key, each in worker.items()} for worker in plain]

    def own():
        return bitstep.ddp_allreduce_average_grads(grads, threads=threads)

    rivals = {"numpy": rivals_means.numpy_means, "torch": rivals_means.torch_means}[kind](grads)
    expected = own()
    for rival in rivals:
        result = rival.result()
        if list(result) != list(expected):
            raise SystemExit(f"{rival.name} gives other names")
        close(rival.name, result.values(), expected.values(), 1e-6)
    return Contender("bitstep", own), (WORKERS + 1) * 1000 * size * 4, rivals


def main():
    table = Table(__doc__, Module)
    for name, dtype in TYPES.items():
        for shape in (shape for shape in TINY if shape[3] <= 2048 // dtype().itemsize):
            for kind in KINDS:
                extents = "/".join(f"{letter}:{extent}" for letter, extent in zip("WABd", shape))
                table.case(f"python_api_step<{name}>/{kind}/{extents}/threads:1", 1, lambda: step(kind, shape, dtype))
    for size in ELEMENTS:
        for kind in KINDS:
            for threads in sorted({1, USABLE}):
                table.case(f"python_api_mean<float>/tensors:1000/elements:{size}/{kind}/threads:{threads}", threads,
                           lambda: mean(kind, size, threads))
    table.write()


if __name__ == "__main__":
    main()
