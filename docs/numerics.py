# SPDX-License-Identifier: Apache-2.0
"""numerics.md as plain NumPy: every bit of a bitstep result for valid arguments, in that page's order, with its names.

A specification that runs, written from the page alone. Every +, -, *, / and sqrt is one IEEE-754 operation per element;
what one line does for many elements (rows, columns, lanes) is independent of each other. Nothing of NumPy that has an
order of its own (sum, dot, einsum, power), no BLAS, no bitstep. Run by itself it prints the lines of section 9.
"""
import hashlib
import math
import sys

import numpy as np

# 1. Sums --------------------------------------------------------------------------------------------------------------
C, R = 1024, 64  # column panel, row panel

class Sums:
    """How sums of T are kept: the table of section 1. S is the machine type, of both halves where sums are pairs."""
    def __init__(self, dtype, accumulate):
        self.S = np.float64 if accumulate == "wide" else np.dtype(dtype).type
        self.pairs = accumulate == "wide" and dtype == np.float64
        self.L = 16 if self.S is np.float32 else 8

    def number(self, a):
        return Pair(a, np.zeros_like(a)) if self.pairs else a

    def zeros(self, *shape):
        return self.number(np.zeros(shape, self.S))

    def product(self, a, b):
        return two_product(a, b) if self.pairs else a * b

def rounded(a, T):
    return (a.hi + a.lo if isinstance(a, Pair) else a).astype(T)

def once(integer, S):  # Python's own conversion to float32 goes through double: two roundings
    return np.array(integer, np.uint64).astype(S)[()]

def tree(s):
    h = 1 << ((len(s) - 1).bit_length() - 1) if len(s) > 1 else 0  # the largest power of two below n
    return tree(s[:h]) + tree(s[h:]) if h else s[0]

# 2. Dot product -------------------------------------------------------------------------------------------------------
def lanes(a, sums):
    """The last axis cut into vectors of L, the last one filled up with +0."""
    filled = np.pad(a.astype(sums.S), [(0, 0)] * (a.ndim - 1) + [(0, -a.shape[-1] % sums.L)])
    return filled.reshape(a.shape[:-1] + (-1, sums.L))

def dot(X, w, sums):
    """x·w in S, for all rows x of X at once."""
    panels = []
    for c in range(0, len(w), C):
        x, v = lanes(X[:, c:c + C], sums), lanes(w[c:c + C], sums)
        lane = sums.zeros(len(X), sums.L)
        for k in range(len(v)):
            lane = lane + sums.product(x[:, k], v[k])
        h = sums.L // 2
        while h:
            lane, h = lane[:, :h] + lane[:, h:2 * h], h // 2
        panels.append(lane[:, 0])
    return tree(panels)

def dot_minus_y(X, y, w, sums):
    return dot(X, w, sums) + sums.number(-y) if sums.pairs else dot(X, w, sums) - y.astype(sums.S)

@np.errstate(all="ignore")
def predict(X, w, accumulate="native"):
    return rounded(dot(X, w, Sums(X.dtype, accumulate)), X.dtype)

@np.errstate(all="ignore")
def residual(X, y, w, accumulate="native"):
    return rounded(dot_minus_y(X, y, w, Sums(X.dtype, accumulate)), X.dtype)

# 3. Gradient of the mean squared error --------------------------------------------------------------------------------
@np.errstate(all="ignore")
def gradient(X, y, w, accumulate="native"):
    sums = Sums(X.dtype, accumulate)
    N, d = X.shape
    x, r = X.astype(sums.S), dot_minus_y(X, y, w, sums)
    e, zero = r if sums.pairs else r.astype(np.float64), np.float64(0)
    panels, squares = [], []
    for p in range(0, N, R):
        P, q = sums.zeros(d), Pair(zero, zero) if sums.pairs else zero
        for i in range(p, min(p + R, N)):
            P = P + r[i] * x[i]
            q = q + e[i] * e[i]
        panels.append(P)
        squares.append(q)
    S = tree(panels)
    g = rounded((Pair(2 * S.hi, 2 * S.lo) if sums.pairs else 2 * S) / once(N, sums.S), X.dtype)
    if not np.isfinite(g).all():
        raise ValueError("gradient_overflow" if all(np.isfinite(a).all() for a in (X, y, w)) else "non_finite")
    return g, X.dtype.type(tree(squares) / once(N, np.float64))

# 4. Mean over workers -------------------------------------------------------------------------------------------------
@np.errstate(all="ignore")
def allreduce_mean(grads, counts=None, accumulate="native"):
    sums = Sums(grads[0].dtype, accumulate)
    c = [1] * len(grads) if counts is None else [k // math.gcd(*counts) for k in counts]  # 1 * g: the plain mean
    leaves = [sums.zeros(*g.shape) + sums.product(g.astype(sums.S), once(k, sums.S)) for g, k in zip(grads, c)]
    return rounded(tree(leaves) / once(sum(c), sums.S), grads[0].dtype)

@np.errstate(all="ignore")
def simulate_ring_allreduce(vectors, op="mean"):
    N, n, own = len(vectors), len(vectors[0]), [v.copy() for v in vectors]
    chunk = [slice(k * (n // N) + min(k, n % N), (k + 1) * (n // N) + min(k + 1, n % N)) for k in range(N)]
    for s in range(N - 1):
        sent = [own[i][chunk[(i - s) % N]].copy() for i in range(N)]
        for i in range(N):
            own[(i + 1) % N][chunk[(i - s) % N]] += sent[i]
    for i in range(N if op == "mean" else 0):
        own[i][chunk[(i + 1) % N]] /= once(N, own[i].dtype)
    for s in range(N - 1):
        sent = [own[i][chunk[(i + 1 - s) % N]].copy() for i in range(N)]
        for i in range(N):
            own[(i + 1) % N][chunk[(i + 1 - s) % N]] = sent[i]
    return own

# 5. Adam and EMA ------------------------------------------------------------------------------------------------------
@np.errstate(all="ignore")
def power(beta, t):
    p = Pair(np.float64(beta), np.float64(0))
    for bit in bin(t)[3:]:  # those below the highest one
        p = p * p
        p = p * np.float64(beta) if bit == "1" else p
    return p.hi + p.lo

@np.errstate(all="ignore")
def adam_ema_update(g, w, e, m, v, lr, beta1, beta2, eps, decay, t):
    T = w.dtype.type
    c1, c2, power1, power2 = T(1.0 - beta1), T(1.0 - beta2), T(1.0 - power(beta1, t)), T(1.0 - power(beta2, t))
    rest, lr, beta1, beta2, eps, decay = T(1.0 - decay), T(lr), T(beta1), T(beta2), T(eps), T(decay)
    m = beta1 * m + c1 * g
    v = beta2 * v + (c2 * g) * g
    w = w - (lr * (m / power1)) / (np.sqrt(v / power2) + eps)
    e = decay * e + rest * w
    return w, e, m, v

def distributed_step(xs, ys, w, e, m, v, lr, beta1, beta2, eps, decay, t, accumulate="native"):
    g, _ = gradient(xs.reshape(-1, len(w)), ys.reshape(-1), w, accumulate)
    return np.concatenate(adam_ema_update(g, w, e, m, v, lr, beta1, beta2, eps, decay, t))

# 6. Double-double -----------------------------------------------------------------------------------------------------
def z(e):
    return np.where(e - e == 0, e, 0.0)[()]

def two_sum(a, b):
    s = a + b
    t = s - a
    u = s - t
    return s, z((a - u) + (b - t))

def fast_two_sum(a, b):
    s = a + b
    return Pair(s, z(b - (s - a)))

def split(a):
    c = 134217729.0 * a
    hi = c - (c - a)
    return hi, a - hi

def two_product(a, b):
    p, (x, x_), (y, y_) = a * b, split(a), split(b)
    return Pair(p, z((((x * y - p) + x * y_) + x_ * y) + x_ * y_))

class Pair:
    def __init__(self, hi, lo):
        self.hi, self.lo = hi, lo

    def __getitem__(self, at):
        return Pair(self.hi[at], self.lo[at])

    def __add__(a, b):
        s, e = two_sum(a.hi, b.hi)
        return fast_two_sum(s, e + (a.lo + b.lo))

    def __mul__(a, b):  # pair x number, or pair x pair
        p = two_product(a.hi, b.hi if isinstance(b, Pair) else b)
        return fast_two_sum(p.hi, z(p.lo + (a.hi * b.lo + a.lo * b.hi)) if isinstance(b, Pair) else p.lo + a.lo * b)

    def __truediv__(a, n):  # pair / number is a number
        q = a.hi / n
        p = two_product(q, n)
        return q + z((((a.hi - p.hi) - p.lo) + a.lo) / n)

# 9. Worked example ----------------------------------------------------------------------------------------------------
def example(calls):
    """The lines of section 9 from whatever has distributed_step and gradient: this file, or bitstep itself."""
    k, shape = np.arange(130 * 1100 + 130 + 4 * 1100), (2, 5, 13, 1100)
    for T in (np.float32, np.float64):
        a = (7919 * k % 1009 - 504).astype(T) / T(97)
        xs, ys, (w, e, m, v) = a[:143000].reshape(shape), a[143000:143130].reshape(shape[:3]), a[143130:].reshape(4, 1100)
        for accumulate in ("native", "wide"):
            step = calls.distributed_step(xs, ys, w, e, m, abs(v), 0.01, 0.9, 0.999, 1e-8, 0.99, 77, accumulate=accumulate)
            mse = calls.gradient(xs.reshape(130, 1100), ys.reshape(130), w, accumulate=accumulate)[1]
            yield f"{T.__name__} {accumulate:6} {float(mse).hex()} {hashlib.sha256(step.tobytes()).hexdigest()[:32]}"

if __name__ == "__main__":
    print("\n".join(example(sys.modules[__name__])))
