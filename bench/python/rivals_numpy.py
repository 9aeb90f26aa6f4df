# SPDX-License-Identifier: Apache-2.0
"""The step and the update in NumPy, each as one would write it and with every temporary taken away (`out=`)."""
import numpy as np

from sampling import Contender

BLOCKS = (1 << 19, 1 << 23)  # bytes of X: within L2, and long enough for OpenBLAS to share out (460,800 elements)


class Rival(Contender):
    """A way to update `state` (four NumPy arrays) in place."""

    def __init__(self, column, name, run, state):
        super().__init__(name, run)
        self.column, self._state = column, state

    def first_result(self):
        before = [each.copy() for each in self._state]
        self.seconds(1)
        result = [each.copy() for each in self._state]
        for each, old in zip(self._state, before):
            each[:] = old
        return result


def adam_ema_plain(g, state, hyper):
    """New arrays for everything, then copied over the state."""
    w, ema, m, v = state
    new_m = hyper.beta1 * m + (1 - hyper.beta1) * g
    new_v = hyper.beta2 * v + (1 - hyper.beta2) * g * g
    m_hat = new_m / (1 - hyper.beta1**hyper.t)
    v_hat = new_v / (1 - hyper.beta2**hyper.t)
    new_w = w - hyper.lr * m_hat / (np.sqrt(v_hat) + hyper.eps)
    new_ema = hyper.decay * ema + (1 - hyper.decay) * new_w
    for old, new in zip(state, (new_w, new_ema, new_m, new_v)):
        old[:] = new


class AdamEmaInPlace:
    """Two scratch arrays, no allocation; bias corrections folded into scalars, as torch does."""

    def __init__(self, g, state, hyper):
        self._g, self._state, self._hyper = g, state, hyper
        self._a, self._b = np.empty_like(g), np.empty_like(g)
        self._root = (1 - hyper.beta2**hyper.t) ** 0.5
        self._step = hyper.lr / (1 - hyper.beta1**hyper.t)

    def __call__(self):
        g, a, b, hyper = self._g, self._a, self._b, self._hyper
        w, ema, m, v = self._state
        np.multiply(m, hyper.beta1, out=m)
        np.multiply(g, 1 - hyper.beta1, out=a)
        np.add(m, a, out=m)
        np.multiply(g, g, out=a)
        np.multiply(a, 1 - hyper.beta2, out=a)
        np.multiply(v, hyper.beta2, out=v)
        np.add(v, a, out=v)
        np.sqrt(v, out=a)
        np.divide(a, self._root, out=a)
        np.add(a, hyper.eps, out=a)
        np.multiply(m, self._step, out=b)
        np.divide(b, a, out=b)
        np.subtract(w, b, out=w)
        np.multiply(ema, hyper.decay, out=ema)
        np.multiply(w, 1 - hyper.decay, out=a)
        np.add(ema, a, out=ema)


def adam_ema_rivals(g, start, hyper):
    """Both ways, each on a state of its own; `start` is left alone. The blocked one keeps its temporaries in L2."""
    states = [[each.copy() for each in start] for _ in range(2)]
    found = [Rival("x_numpy", "plain", lambda: adam_ema_plain(g, states[0], hyper), states[0])]
    block = (1 << 18) // g.itemsize // 4
    pieces = [AdamEmaInPlace(g[i:i + block], [each[i:i + block] for each in states[1]], hyper)
              for i in range(0, g.size, block)]

    def in_place():
        for piece in pieces:
            piece()

    found.append(Rival("x_numpy", "in_place_blocked", in_place, states[1]))
    return found


def row_blocks(data):
    """Cuts of the rows: the whole; per micro-batch; where X is large, blocks that stay in a cache."""
    rows = data.rows
    lengths = {rows, data.shape[2]}
    if data.x.nbytes > BLOCKS[1]:
        lengths = {rows, *(max(1, size // (data.d * data.x.itemsize)) for size in BLOCKS)}
    return sorted(lengths)


def numpy_steps(data, hyper):
    found = []
    for length in row_blocks(data):
        for plain in (True, False):
            found.append(_one(data, hyper, length, plain))
    return found


def _one(data, hyper, length, plain):
    x, y, rows = data.x, data.y, data.rows
    state = [each.copy() for each in data.state]
    g = np.empty_like(state[0])
    update = AdamEmaInPlace(g, state, hyper)
    r, part = np.empty(length, x.dtype), np.empty_like(g)

    def whole_plain():
        adam_ema_plain((2 / rows) * ((x @ state[0] - y) @ x), state, hyper)

    def blocks_in_place():
        for begin in range(0, rows, length):
            block = x[begin:begin + length]
            residual = r[:block.shape[0]]
            np.dot(block, state[0], out=residual)
            np.subtract(residual, y[begin:begin + length], out=residual)
            if begin == 0:
                np.dot(residual, block, out=g)
            else:
                np.dot(residual, block, out=part)
                np.add(g, part, out=g)
        np.multiply(g, 2 / rows, out=g)
        update()

    def blocks_plain():
        total = np.zeros_like(g)
        for begin in range(0, rows, length):
            block = x[begin:begin + length]
            total += (block @ state[0] - y[begin:begin + length]) @ block
        adam_ema_plain(total * (2 / rows), state, hyper)

    ways = {True: whole_plain if length == rows else blocks_plain, False: blocks_in_place}
    return Rival("x_numpy", f"{'plain' if plain else 'in_place'}_{length}_rows", ways[plain], state)
