# SPDX-License-Identifier: Apache-2.0
"""The step in the form that bitstep's Python function has: inputs stay as they are, one new array of 4 d comes back. Written
as the formulas stand (`x_..._formulas`), and with every temporary taken away that this form allows, scalars of a fixed t
made before (`x_..._same_form`)."""
import numpy as np

from sampling import Contender
from table import torch


class Step(Contender):
    """run() returns the new array."""

    def __init__(self, column, name, run):
        super().__init__(name, run)
        self.column, self._result = column, run

    def first_result(self):
        return np.asarray(self._result()).reshape(4, -1)


def as_written(x, y, w, ema, m, v, hyper, sqrt, join):
    """The formulas as they stand, in the operators that NumPy's arrays and torch's tensors share."""
    h, factor = hyper, 2 / len(y)

    def formulas():
        g = factor * ((x @ w - y) @ x)
        new_m = h.beta1 * m + (1 - h.beta1) * g
        new_v = h.beta2 * v + (1 - h.beta2) * g * g
        new_w = w - h.lr * (new_m / (1 - h.beta1**h.t)) / (sqrt(new_v / (1 - h.beta2**h.t)) + h.eps)
        return join((new_w, h.decay * ema + (1 - h.decay) * new_w, new_m, new_v))

    return formulas


def numpy_functional(x, y, w, ema, m, v, hyper):
    h, factor, root = hyper, 2 / len(y), (1 - hyper.beta2**hyper.t) ** 0.5
    rate = h.lr / (1 - h.beta1**h.t)
    formulas = as_written(x, y, w, ema, m, v, h, np.sqrt, np.concatenate)

    def on_a_copy():
        out = np.concatenate((w, ema, m, v))
        new_w, new_ema, new_m, new_v = out.reshape(4, -1)
        r = x @ w
        r -= y
        g = r @ x
        g *= factor
        new_m *= h.beta1
        new_m += (1 - h.beta1) * g
        new_v *= h.beta2
        g *= g
        g *= 1 - h.beta2
        new_v += g
        np.sqrt(new_v, out=g)
        g /= root
        g += h.eps
        np.divide(new_m, g, out=g)
        g *= rate
        new_w -= g
        new_ema *= h.decay
        new_ema += (1 - h.decay) * new_w
        return out

    return [Step("x_numpy_formulas", "formulas", formulas), Step("x_numpy_same_form", "on_a_copy", on_a_copy)]


def torch_functional(x, y, w, ema, m, v, hyper):
    h, factor, root = hyper, 2 / len(y), (1 - hyper.beta2**hyper.t) ** 0.5
    rate, transposed = h.lr / (1 - h.beta1**h.t), x.t()
    formulas = as_written(x, y, w, ema, m, v, h, torch.sqrt, torch.cat)

    def on_a_copy():
        out = torch.cat((w, ema, m, v))
        new_w, new_ema, new_m, new_v = out.chunk(4)
        r = torch.addmv(y, x, w, beta=-1)
        g = torch.mv(transposed, r).mul_(factor)
        new_m.lerp_(g, 1 - h.beta1)
        new_v.mul_(h.beta2).addcmul_(g, g, value=1 - h.beta2)
        new_w.addcdiv_(new_m, new_v.sqrt().div_(root).add_(h.eps), value=-rate)
        new_ema.lerp_(new_w, 1 - h.decay)
        return out

    return [Step("x_torch_formulas", "formulas", formulas), Step("x_torch_same_form", "on_a_copy", on_a_copy)]
