# SPDX-License-Identifier: Apache-2.0
"""Results against plain NumPy and torch, within bounds; one layout, kind and thread count against another, bit for bit."""
import os
import subprocess
import sys

import numpy as np
import pytest

import bitstep
from conftest import HYPER, Kind, bits, problem

SHAPES = [(1, 1, 1, 1), (1, 1, 4, 16), (3, 2, 5, 37), (2, 3, 70, 129), (3, 2, 5, 1000), (1, 1, 3, 1500)]


def plain_update(g, w, e, m, v, lr, beta1, beta2, eps, decay, t):
    """As one would write it with NumPy."""
    T = w.dtype.type
    m = T(beta1) * m + T(1 - beta1) * g
    v = T(beta2) * v + T(1 - beta2) * g * g
    w = w - T(lr) * (m / T(1 - beta1**t)) / (np.sqrt(v / T(1 - beta2**t)) + T(eps))
    return np.concatenate([w, T(decay) * e + T(1 - decay) * w, m, v])


@pytest.mark.parametrize("shape", SHAPES)
def test_the_step_is_the_gradient_and_a_plain_update_bit_for_bit(kind, dtype, shape):
    """The gradient itself: the next test."""
    xs, ys, *state = inputs = problem(*shape, dtype=dtype)
    before = [bits(a) for a in inputs]
    out = kind.back(bitstep.distributed_step(*map(kind.make, inputs), **HYPER))
    g, _ = bitstep.gradient(xs.reshape(-1, xs.shape[-1]), ys.reshape(-1), state[0])
    parts = zip(["weights", "ema_weights", "m", "v"], np.split(out, 4), np.split(plain_update(g, *state, **HYPER), 4), state)
    for name, got, expected, old in parts:
        assert bits(got) == bits(expected) != bits(old), name
    assert [bits(a) for a in inputs] == before


@pytest.mark.parametrize("shape", SHAPES)
def test_the_gradient_within_the_documented_bound(kind, dtype, shape):
    xs, ys, w = problem(*shape, dtype=dtype)[:3]
    X, y = xs.reshape(-1, xs.shape[-1]), ys.reshape(-1)
    g, mse = bitstep.gradient(kind.make(X), kind.make(y), kind.make(w))
    wide = np.longdouble
    X, y, w = X.astype(wide), y.astype(wide), w.astype(wide)
    r = X @ w - y
    N, d = X.shape
    lanes = 16 if dtype == "float32" else 8
    # docs/numerics.md, section 7
    c = 64 + np.log2(max(1, N / 64)) + 1024 / lanes + np.log2(lanes) + np.log2(max(1, d / 1024)) + 6
    bound = c * (np.finfo(dtype).eps / 2) * 2 / N * (abs(X).T @ (abs(r) + abs(X) @ abs(w) + abs(y)))
    assert (abs(kind.back(g) - 2 / wide(N) * (X.T @ r)) <= bound).all()
    assert type(mse) is float
    np.testing.assert_allclose(mse, float((r * r).mean()), rtol=1e-4 if dtype == "float32" else 1e-12)


def test_residual_equals_predict_minus_y(kind, dtype):
    xs, ys, w = problem(dtype=dtype)[:3]
    X, y, w = kind.make(xs.reshape(-1, 37)), kind.make(ys.reshape(-1)), kind.make(w)
    p, r = kind.back(bitstep.predict(X, w)), kind.back(bitstep.residual(X, y, w))
    assert p.dtype == r.dtype == dtype and bits(r) == bits(p - np.array(y))
    np.testing.assert_allclose(p, np.array(X) @ np.array(w), rtol=1e-3, atol=1e-4)


def test_the_mean_over_workers(kind, dtype):
    shapes = {"a": (3, 4), "scalar": (), "empty": (0, 5), "b": (7,), "deep": (2, 1, 3, 2, 2)}
    make = np.random.RandomState(0)
    plain = [{k: np.array(make.standard_normal(s), dtype) for k, s in shapes.items()} for _ in range(5)]
    mean = bitstep.ddp_allreduce_average_grads([{k: kind.make(g) for k, g in one.items()} for one in plain])
    assert list(mean) == list(shapes)
    for name, shape in shapes.items():
        got = kind.back(mean[name])
        assert got.shape == shape and got.dtype == dtype
        np.testing.assert_allclose(got, np.mean([one[name] for one in plain], axis=0), rtol=1e-4, atol=1e-6)
    plain_bits = bits(mean["a"])
    assert plain_bits == bits(bitstep.ddp_allreduce_average_grads(plain, counts=[7] * 5)["a"])


def test_names_may_have_dtypes_of_their_own():
    grads = [{"single": np.ones(2, "float32") * i, "double": np.ones(3) * i} for i in range(3)]
    mean = bitstep.ddp_allreduce_average_grads(grads)
    assert {k: a.dtype.name for k, a in mean.items()} == {"single": "float32", "double": "float64"}
    assert {k: a.tolist() for k, a in mean.items()} == {"single": [1, 1], "double": [1, 1, 1]}


def plain_ring(vectors, mean):
    """The ring, round by round."""
    N = len(vectors)
    chunks = [np.array_split(v.copy(), N) for v in vectors]
    for phase in range(2):
        for s in range(N - 1):
            sent = [(i, (i + phase - s) % N, chunks[i][(i + phase - s) % N].copy()) for i in range(N)]
            for i, c, data in sent:
                to = (i + 1) % N
                chunks[to][c] = data if phase else chunks[to][c] + data
        if phase == 0 and mean:
            for i in range(N):
                chunks[i][(i + 1) % N] = chunks[i][(i + 1) % N] / vectors[0].dtype.type(N)
    return [np.concatenate(c) for c in chunks]


@pytest.mark.parametrize("workers, size", [(1, 3), (2, 5), (3, 2), (4, 11)])
def test_the_ring(kind, dtype, workers, size):
    make = np.random.RandomState(0)
    vectors = [make.standard_normal(size).astype(dtype) for _ in range(workers)]
    for op in ("mean", "sum"):
        finals = bitstep.simulate_ring_allreduce([kind.make(v) for v in vectors], op=op)
        assert [bits(kind.back(f)) for f in finals] == [bits(f) for f in plain_ring(vectors, op == "mean")]
    finals, messages = bitstep.simulate_ring_allreduce([kind.make(v) for v in vectors], trace=True)
    assert len(finals) == workers and len(messages) == 2 * workers * (workers - 1)
    assert all(receiver == (sender + 1) % workers for _, _, sender, receiver, _ in messages)


def test_a_ring_of_empty_vectors(kind, dtype):
    finals, messages = bitstep.simulate_ring_allreduce([kind.make(np.zeros(0, dtype))] * 3, trace=True)
    assert [kind.back(f).shape for f in finals] == [(0,)] * 3 and len(messages) == 12


def test_jax_without_float64():
    """Where JAX has float64 switched off, float32 works, and a float64 result is refused rather than rounded."""
    pytest.importorskip("jax")
    code = """
import jax, jax.numpy as jnp, bitstep
X, w = jnp.ones((2, 3), "float32"), jnp.ones(3, "float32")
out = bitstep.predict(X, w)
assert out.dtype == "float32" and out.tolist() == [3, 3], out
jax.config.update("jax_enable_x64", True)
X, w = X.astype("float64"), w.astype("float64")
assert bitstep.predict(X, w).dtype == "float64"
jax.config.update("jax_enable_x64", False)
try:
    bitstep.predict(X, w)
except RuntimeError as error:
    assert "jax_enable_x64" in str(error), error
else:
    raise AssertionError
"""
    environment = {k: v for k, v in os.environ.items() if k != "JAX_ENABLE_X64"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("accumulate", ["native", "wide"])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_kind_gives_the_bits_of_numpy(kind, dtype, shape, accumulate):
    inputs = problem(*shape, dtype=dtype)
    expected = bitstep.distributed_step(*inputs, **HYPER, accumulate=accumulate)
    got = bitstep.distributed_step(*map(kind.make, inputs), **HYPER, accumulate=accumulate)
    assert bits(kind.back(got)) == bits(expected)


def test_how_rows_are_split_changes_no_bit(dtype):
    xs, ys, *state = problem(2, 3, 8, 20, dtype)
    results = {bits(bitstep.distributed_step(xs.reshape(*s, 20), ys.reshape(s), *state, **HYPER))
               for s in [(2, 3, 8), (1, 1, 48), (48, 1, 1), (4, 4, 3)]}
    assert len(results) == 1


def test_threads_change_no_bit(dtype):
    inputs = problem(2, 2, 300, 700, dtype)
    results = {bits(bitstep.distributed_step(*inputs, **HYPER, threads=n)) for n in (None, 1, 2, 5)}
    X, y, w = inputs[0].reshape(-1, 700), inputs[1].reshape(-1), inputs[2]
    assert len(results) == 1
    assert len({bits(bitstep.predict(X, w, threads=n)) for n in (1, 2)}) == 1
    assert len({bits(bitstep.gradient(X, y, w, threads=n)[0]) for n in (1, 2)}) == 1
    grads = [{"w": X}, {"w": X[::-1]}]
    assert len({bits(bitstep.ddp_allreduce_average_grads(grads, threads=n)["w"]) for n in (1, 2)}) == 1


def test_the_version_of_the_package():
    """CMakeLists.txt alone says it."""
    metadata = pytest.importorskip("importlib.metadata")
    try:
        installed = metadata.version("bitstep")
    except metadata.PackageNotFoundError:
        pytest.skip("not installed as a package")
    assert installed == bitstep.info()["version"] == bitstep.__version__


def test_info():
    facts = bitstep.info()
    assert facts["version"] == bitstep.__version__ and facts["threads"] >= 1
    assert [a["name"] for a in facts["archs"] if a["active"]] == [facts["active_arch"]]
    panels = facts["numerics_panels"]
    assert (panels["float_lanes"], panels["double_lanes"]) == (16, 8)
    # From one element more than a panel on, a dot product is a sum of two.
    lanes, n = panels["float_lanes"], panels["column_panel"]
    assert n % lanes == 0 and 1 <= panels["row_panel"] <= 64
    x = np.random.RandomState(0).standard_normal((1, 2 * n)).astype("float32")
    one = np.ones(n, "float32")
    halves = bitstep.predict(x[:, :n], one) + bitstep.predict(x[:, n:], one)
    assert bits(bitstep.predict(x, np.ones(2 * n, "float32"))) == bits(halves)
