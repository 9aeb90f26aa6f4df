# SPDX-License-Identifier: Apache-2.0
"""The mean over workers of a dictionary of gradients, dictionaries in and a new one out, in NumPy and torch: tensor by tensor
as everybody writes it (`x_numpy_each`, `x_torch_each`), and with the tensors packed into one array, of which the result's are
then views. The best of all is `x_numpy` and `x_torch`."""
import numpy as np

from sampling import Contender
from table import torch


class Mean(Contender):
    def __init__(self, column, name, run):
        super().__init__(name, run)
        self.column, self.result = column, run


def forms(name, each, packed):
    """A form tensor by tensor stands in both columns, and is sampled twice."""
    return [Mean(f"x_{name}_each", form.__name__, form) for form in each] + [
        Mean(f"x_{name}", form.__name__, form) for form in (*each, *packed)]


def numpy_means(grads):
    workers, keys = len(grads), list(grads[0])
    ends = np.cumsum([each.size for each in grads[0].values()])[:-1].tolist()

    def stack_mean():
        return {key: np.mean(np.stack([worker[key] for worker in grads]), axis=0) for key in keys}

    def running_sum():
        found = {}
        for key, first in grads[0].items():
            total = first + grads[1][key]
            for worker in grads[2:]:
                total += worker[key]
            total /= workers
            found[key] = total
        return found

    def packed():
        total = np.concatenate(list(grads[0].values()))
        for worker in grads[1:]:
            total += np.concatenate(list(worker.values()))
        total /= workers
        found, at = {}, 0
        for key, first in grads[0].items():
            found[key] = total[at:at + first.size]
            at += first.size
        return found

    def packed_at_once():
        every = np.concatenate([each for worker in grads for each in worker.values()])
        total = every.reshape(workers, -1).mean(0)
        return {key: total[begin:end] for key, begin, end in zip(keys, [0, *ends], [*ends, total.size])}

    return forms("numpy", (stack_mean, running_sum), (packed, packed_at_once))


def torch_means(grads):
    workers, keys = len(grads), list(grads[0])
    sizes = [each.numel() for each in grads[0].values()]

    def stack_mean():
        return {key: torch.stack([worker[key] for worker in grads]).mean(0) for key in keys}

    def running_sum():
        found = {}
        for key, first in grads[0].items():
            total = first + grads[1][key]
            for worker in grads[2:]:
                total.add_(worker[key])
            found[key] = total.div_(workers)
        return found

    def foreach():
        totals = torch._foreach_add(list(grads[0].values()), list(grads[1].values()))
        for worker in grads[2:]:
            torch._foreach_add_(totals, list(worker.values()))
        torch._foreach_div_(totals, workers)
        return dict(zip(keys, totals))

    def packed():
        total = torch.cat(list(grads[0].values()))
        for worker in grads[1:]:
            total.add_(torch.cat(list(worker.values())))
        return dict(zip(keys, total.div_(workers).split(sizes)))

    def packed_at_once():
        every = torch.cat([each for worker in grads for each in worker.values()])
        return dict(zip(keys, every.view(workers, -1).mean(0).split(sizes)))

    each = (stack_mean, running_sum, *([foreach] if hasattr(torch, "_foreach_add") else []))
    return forms("torch", each, (packed, packed_at_once))
