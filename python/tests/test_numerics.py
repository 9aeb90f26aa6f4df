# SPDX-License-Identifier: Apache-2.0
"""The contract is enough by itself: docs/numerics.py, written from docs/numerics.md alone, gives the library's bits.

Equal means every bit but those of NaN, whose positions count. A test that compared nothing fails.
"""
import importlib.util
import itertools
import pathlib
import re

import numpy as np
import pytest

import bitstep

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
spec = importlib.util.spec_from_file_location("numerics", DOCS / "numerics.py")
numerics = importlib.util.module_from_spec(spec)
spec.loader.exec_module(numerics)

# (W, A, B, d), and what each group would catch.
SHAPES = [(1, 1, 3, d) for d in (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 48, 49, 63, 64, 65)]  # lanes
SHAPES += [(1, 2, 2, d) for d in (1007, 1009, 1015, 1017, 1023, 1024, 1025, 1031, 1033, 1039, 1041, 2047, 2048, 2049, 3071,
                                  3073, 4096, 4097, 5000)]  # column panels, and their tree of 1 to 5
SHAPES += [(1, 1, N, 5) for N in (1, 2, 62, 63, 64, 65, 66, 127, 128, 129, 191, 192, 193, 256, 257, 320, 449)]  # row panels
SHAPES += [(2, 3, 5, 33), (3, 2, 5, 33), (30, 1, 1, 33), (1, 30, 1, 33), (1, 1, 30, 33)]  # one sequence of 30 rows
SHAPES += [(7, 5, 13, 40), (3, 43, 1, 19), (13, 1, 5, 9), (2, 64, 1, 8), (64, 1, 3, 16)]  # workers that end inside a panel
SHAPES += [(1, 1, 65, 1025), (2, 2, 17, 1100), (1, 3, 43, 2050)]  # both panels
SHAPES += [(1, 1, 5000, 1), (5, 8, 125, 3), (1, 1, 2500, 17)]  # many row panels

HYPER = [  # lr, beta1, beta2, eps, decay, t
    (0.01, 0.9, 0.999, 1e-8, 0.99, 1), (0.1, 0.0, 0.0, 2.0, 0.5, 2), (1e-3, 0.9, 0.999999, 1e-8, 0.999, 77),
    (3e-4, 0.999999, 0.9999999, 1e-30, 0.0, 10**6), (0.0, 0.9, 0.0, 0.1, 1.0, 2**40), (1e3, 0.0, 0.95, 1e-8, 0.1, 2**53 + 1),
    (0.7, 1 - 2.0**-53, 1 - 2.0**-40, 1e-40, 1 - 2.0**-30, 2**40), (1e-45, 1e-300, 5e-324, 1.0, 1e-46, 2**63 - 1),
]


def scaled(low, high):
    """Normal numbers times 2^low to 2^high, each its own power."""
    return lambda make, shape: make.standard_normal(shape) * 2.0 ** make.randint(low, high + 1, shape)


def of(*values):
    return lambda make, shape: make.choice(values, shape)


def data(T):
    """name -> makers of X, w, y, and of the state."""
    top, tiny = (127, -149) if T is np.float32 else (1023, -1074)
    wide = top // 8
    plain, zeros = scaled(0, 0), of(0.0, -0.0, 1.0, -1.0, 2.0**tiny)
    return {
        "plain": (plain, plain, plain, plain),
        "spread": (scaled(-wide, wide),) * 4,
        "subnormal": (scaled(tiny // 2 - 4, tiny // 2 + 4),) * 2 + (scaled(tiny, tiny + 8),) * 2,
        "zeros": (zeros,) * 4,
        "small integers": (of(*range(-4, 5)),) * 4,  # exact sums: a difference is an index, not an order
        "huge": (scaled(-8, 8), scaled(top - 32, top - 24), scaled(top - 32, top - 20), scaled(top - 9, top - 2)),
        "overflow": (scaled(0, top // 2), scaled(0, top // 2), plain, plain),
        "not finite": (of(1.0, 2.0, -3.0, 0.0, np.inf, -np.inf, np.nan), of(1.0, -2.0, 0.0), plain, plain),
    }


def drawn(makers, shapes, T, seed):
    make = np.random.RandomState(seed)
    with np.errstate(all="ignore"):
        return [np.asarray(maker(make, shape)).astype(T) for maker, shape in zip(makers, shapes)]


def same(what, mine, theirs):
    """The number of elements that were compared."""
    if isinstance(mine, str) or isinstance(theirs, str):
        assert mine == theirs, what  # both refused
        return 1
    assert mine.dtype == theirs.dtype and mine.shape == theirs.shape, what
    nan = np.isnan(mine)
    assert (nan == np.isnan(theirs)).all(), what
    word = np.dtype(f"u{mine.dtype.itemsize}")
    different = np.flatnonzero((mine.view(word) != theirs.view(word)) & ~nan)
    assert not different.size, f"{what}: {different.size} of {mine.size}, first {different[0]}: " \
        f"{float(mine[different[0]]).hex()} in NumPy, {float(theirs[different[0]]).hex()} in bitstep"
    return mine.size


def outcome(call, *arguments, **options):
    """The result, or the name of the refusal."""
    try:
        return call(*arguments, **options)
    except ValueError as error:
        if str(error) in ("gradient_overflow", "non_finite"):  # numerics.py's own
            return str(error)
        if re.fullmatch("gradient must be finite, got an overflow of (float|double) from finite data", str(error)):
            return "gradient_overflow"
        if re.fullmatch(r"(X\[\d+, \d+\]|y\[\d+\]|w) must be finite, got -?(inf|nan)( at element \d+)?", str(error)):
            return "non_finite"
        raise  # refused for another reason


@pytest.fixture(params=[np.float32, np.float64], ids=["float32", "float64"])
def T(request):
    return request.param


@pytest.fixture(params=["native", "wide"])
def accumulate(request):
    return request.param


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_linear(T, accumulate, shape):
    (*groups, d), N, compared, options = shape, int(np.prod(shape[:3])), 0, dict(accumulate=accumulate)
    # In the wide mode of double a row costs NumPy half a millisecond.
    kinds = [*data(T).items()][:8 if N < 1000 and N * d <= 20000 else 3]
    for seed, (kind, makers) in itertools.product((1, 2) if N < 100 and d < 200 else (1,), kinds):
        X, w, y, *state = drawn(makers + makers[3:] * 2, ((N, d), d, N, d, d, d), T, seed)
        state[2] = abs(state[2])
        what = f"{kind}, seed {seed}"
        if seed == 1:  # a target that cancels leaves what the order of the dot product decided
            y[::3] = numerics.predict(X, w, accumulate)[::3]
        padded = np.full((N, d + seed), np.nan, T)[:, :d]  # a row stride
        padded[...] = X
        for name, arguments in (("predict", [w]), ("residual", [y, w])):
            compared += same(f"{name}, {what}", getattr(numerics, name)(X, *arguments, accumulate),
                             getattr(bitstep, name)(padded, *arguments, **options))
        mine, theirs = outcome(numerics.gradient, X, y, w, accumulate), outcome(bitstep.gradient, padded, y, w, **options)
        if isinstance(mine, str):
            compared += same("gradient, " + what, mine, theirs)
            continue
        compared += same("gradient, " + what, mine[0], theirs[0])
        compared += same("mse, " + what, np.array([mine[1]]), np.array([theirs[1]], T))
        for hyper in HYPER if seed == 2 else HYPER[:2]:
            step = np.concatenate(numerics.adam_ema_update(mine[0], w, *state, *hyper))
            compared += same(f"step, {what}, {hyper}", step, bitstep.distributed_step(
                X.reshape(shape), y.reshape(groups), w, *state, *hyper, **options))
    assert compared >= len(kinds) * 2 * N + 5 * d  # at least predict and residual of each kind, and one gradient and step


@pytest.mark.parametrize("W", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65])
def test_mean(T, accumulate, W):
    large = np.random.RandomState(W).randint(2**52, 2**55, W)  # more bits than a double has, a total below 2^63
    counts = [None, [1] * W, [6] * W, list(range(1, W + 1)), [0] * (W - 1) + [7], [4 * i for i in range(W, 0, -1)],
              [int(c) | 1 for c in large], [(2**54 + 2**30 + 1) * (i % 3 + 1) for i in range(W)], [int(2**62 // W)] * W,
              [2**62 + 2**38 + 1, 2**61 + 12345, 0, 0][:W] + [0] * (W - 4)]  # another float32 by way of float64
    compared = 0
    for kind, makers in data(T).items():
        for n, c in itertools.product((1, 33), counts):
            grads = drawn([maker for maker in makers[:3] for _ in range(W)][::3], (n,) * W, T, n)
            theirs = bitstep.ddp_allreduce_average_grads([{"g": g} for g in grads], counts=c, accumulate=accumulate)["g"]
            compared += same(f"{kind}, {c}", numerics.allreduce_mean(grads, c, accumulate), theirs)
    assert compared == len(data(T)) * (1 + 33) * len(counts)


@pytest.mark.parametrize("N", [1, 2, 3, 4, 5, 8, 9])
def test_ring(T, N):
    compared = 0
    for (kind, makers), n, op in itertools.product(data(T).items(), (1, 2, 3, 8, 9, 50), ("mean", "sum")):
        vectors = drawn(makers[:1] * N, (n,) * N, T, n)
        for mine, theirs in zip(numerics.simulate_ring_allreduce(vectors, op), bitstep.simulate_ring_allreduce(vectors, op)):
            compared += same(f"{kind}, {op}, {n}", mine, theirs)
    assert compared == len(data(T)) * (1 + 2 + 3 + 8 + 9 + 50) * 2 * N


def test_adam(T):
    """Every set of hyper-parameters, and 500 drawn ones for the power; the state may be anything without check_state.

    At t near 2^52 glibc's pow differs from the library's power about once in 300."""
    make, compared = np.random.RandomState(1), 0
    hypers = [(1e3, 1 - 10.0 ** -make.uniform(0, 9), 1 - k * 2.0**-53, 1e-8, 0.9, int(2.0**53 / k * make.uniform(0.01, 3)))
              for k in make.randint(1, 9, 500)]
    for (kind, makers), n in itertools.product(data(T).items(), (1, 7, 16, 100)):
        for hyper in HYPER + (hypers if kind == "plain" and n == 7 else []):
            mine = drawn((makers[3], makers[2], makers[0], makers[1], makers[0]), (n,) * 5, T, n)
            theirs = [a.copy() for a in mine]
            bitstep.adam_ema_update(*theirs, *hyper)
            for name, a, b in zip("w' e' m' v'".split(), numerics.adam_ema_update(*mine, *hyper), theirs[1:]):
                compared += same(f"{name}, {kind}, {hyper}", a, b)
    assert compared == 4 * (len(data(T)) * len(HYPER) * (1 + 7 + 16 + 100) + 500 * 7)


def test_worked_example_stands_in_the_document():
    lines = list(numerics.example(numerics))
    assert len(lines) == 4 and lines == list(numerics.example(bitstep))
    text = (DOCS / "numerics.md").read_text(encoding="utf-8")
    for line in lines:
        assert line in text
