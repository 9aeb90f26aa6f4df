# SPDX-License-Identifier: Apache-2.0
"""The step as one jitted JAX function. XLA's threads cannot be set per call, so it stands in rows of all threads only."""
from sampling import Contender
from table import jax


class JaxStep(Contender):
    def __init__(self, data, hyper):
        arguments = [jax.numpy.asarray(each) for each in (data.x, data.y, *data.state)]
        step = jax.jit(lambda x, y, w, ema, m, v: _step(x, y, w, ema, m, v, hyper))
        super().__init__("jit", lambda: jax.block_until_ready(step(*arguments)))
        self.column = "x_jax"
        self._step, self._arguments = step, arguments

    def first_result(self):
        return self._step(*self._arguments)


def _step(x, y, w, ema, m, v, hyper):
    g = (2 / x.shape[0]) * ((x @ w - y) @ x)
    m = hyper.beta1 * m + (1 - hyper.beta1) * g
    v = hyper.beta2 * v + (1 - hyper.beta2) * g * g
    root = jax.numpy.sqrt(v / (1 - hyper.beta2**hyper.t))
    w = w - hyper.lr * (m / (1 - hyper.beta1**hyper.t)) / (root + hyper.eps)
    return w, hyper.decay * ema + (1 - hyper.decay) * w, m, v


def jax_step(data, hyper, threads, usable):
    return [JaxStep(data, hyper)] if jax is not None and threads == usable else []
