# SPDX-License-Identifier: Apache-2.0
"""The step and the update in torch: torch.optim.Adam in every form that this version has, plus EMA by lerp_, and the
same operations written by hand without the optimizer's bookkeeping."""
import numpy as np

from rivals_numpy import Rival, row_blocks
from table import torch


def version():
    return tuple(int(part) for part in torch.__version__.split(".")[:2] if part.isdigit())


def optimizer_forms():
    """name -> arguments. A fused CPU form came with 2.4."""
    forms = {"adam": {"foreach": False}, "adam_foreach": {"foreach": True}}
    if version() >= (2, 4):
        forms["adam_fused"] = {"fused": True}
    return forms


class AdamEmaByHand:
    """torch.optim's own sequence of operations; the root goes to a scratch tensor."""

    def __init__(self, g, state, hyper):
        self._g, self._state, self._hyper = g, state, hyper
        self._scratch = torch.empty_like(g)
        self._root = (1 - hyper.beta2**hyper.t) ** 0.5
        self._step = hyper.lr / (1 - hyper.beta1**hyper.t)

    def __call__(self):
        g, hyper = self._g, self._hyper
        w, ema, m, v = self._state
        m.mul_(hyper.beta1).add_(g, alpha=1 - hyper.beta1)
        v.mul_(hyper.beta2).addcmul_(g, g, value=1 - hyper.beta2)
        torch.sqrt(v, out=self._scratch)
        self._scratch.div_(self._root).add_(hyper.eps)
        w.addcdiv_(m, self._scratch, value=-self._step)
        ema.lerp_(w, 1 - hyper.decay)


class AdamEmaByOptimizer:
    """The optimizer's step on a parameter that shares the state's memory, then EMA."""

    def __init__(self, g, state, hyper, arguments):
        w, self._ema, m, v = state
        self._w = torch.nn.Parameter(w, requires_grad=True)
        self._w.grad = g
        self._decay = hyper.decay
        self._optimizer = torch.optim.Adam([self._w], lr=hyper.lr, betas=(hyper.beta1, hyper.beta2), eps=hyper.eps,
                                           **arguments)
        self._optimizer.state[self._w] = {"step": torch.tensor(0.0), "exp_avg": m, "exp_avg_sq": v}

    def __call__(self):
        self._optimizer.step()
        self._ema.lerp_(self._w.detach(), 1 - self._decay)


def updates(g, start, hyper):
    """column, name, update, its state; each on a state of its own."""
    found = []
    for name, arguments in {"by_hand": None, **optimizer_forms()}.items():
        state = [each.copy() for each in start]
        tensors = [torch.from_numpy(each) for each in state]
        update = (AdamEmaByHand(g, tensors, hyper) if arguments is None else
                  AdamEmaByOptimizer(g, tensors, hyper, arguments))
        found.append(("x_torch_fused" if name == "adam_fused" else "x_torch", name, update, state))
    return found


def guarded(run):
    def without_graph():
        with torch.no_grad():
            run()
    return without_graph


def adam_ema_rivals(g, start, hyper):
    if torch is None:
        return []
    return [Rival(column, name, guarded(update), state)
            for column, name, update, state in updates(torch.from_numpy(g), start, hyper)]


def torch_steps(data, hyper):
    if torch is None:
        return []
    found = []
    for length in row_blocks(data):
        g = torch.from_numpy(np.empty_like(data.state[0]))
        for _, name, update, state in updates(g, data.state, hyper):
            if name in ("by_hand", "adam"):
                run = _gradient_then(data, length, g, torch.from_numpy(state[0]), update)
                found.append(Rival("x_torch", f"{name}_{length}_rows", guarded(run), state))
    return found


def _gradient_then(data, length, g, w, update):
    x, y, rows = torch.from_numpy(data.x), torch.from_numpy(data.y), data.rows
    blocks = [(x[i:i + length], x[i:i + length].t(), y[i:i + length]) for i in range(0, rows, length)]
    r = torch.empty(length, dtype=x.dtype)

    def run():
        g.zero_()
        for block, transposed, targets in blocks:
            residual = r if targets.shape[0] == length else r[:targets.shape[0]]
            torch.addmv(targets, block, w, beta=-1, out=residual)
            g.addmv_(transposed, residual, alpha=2 / rows)
        update()

    return run
