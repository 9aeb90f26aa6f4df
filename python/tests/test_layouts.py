# SPDX-License-Identifier: Apache-2.0
"""Every layout of an input gives the bits of the contiguous one; memory is used where it lies."""
import tracemalloc

import numpy as np
import pytest

import bitstep
from conftest import HYPER, bits, problem


def padded(a):
    """Rows with a stride; the gap holds NaN, which must not be read."""
    wide = np.full(a.shape[:-1] + (a.shape[-1] + 3,), np.nan, a.dtype)
    wide[..., :-3] = a
    return wide[..., :-3]


def every_second(a):
    wide = np.full(a.shape[:-1] + (2 * a.shape[-1],), np.nan, a.dtype)
    wide[..., ::2] = a
    return wide[..., ::2]


def unaligned(a):
    raw = np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:]
    return raw.view(a.dtype).reshape(a.shape)


def outer_gap(a):
    wide = np.full((2 * a.shape[0],) + a.shape[1:], np.nan, a.dtype)
    wide[::2] = a
    return wide[::2]


LAYOUTS = {
    "padded rows": padded,
    "every second": every_second,
    "every second of the first axis": outer_gap,
    "fortran": lambda a: np.array(a, order="F"),
    "backwards": lambda a: a[::-1].copy()[::-1],
    "columns backwards": lambda a: a[..., ::-1].copy()[..., ::-1],
    "unaligned": unaligned,
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
}
BY_NAME = pytest.mark.parametrize("layout", LAYOUTS)


def torch_of(a):
    """The same layout, where torch has it."""
    torch = pytest.importorskip("torch")
    if not a.flags.writeable or not a.flags.aligned or min(a.strides) < 0:
        pytest.skip("torch has no such layout")
    return torch.from_numpy(a)


@BY_NAME
@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 2, 3, 1), (3, 1, 1, 4)])
def test_the_step(layout, library, dtype, shape):
    inputs = problem(*shape, dtype=dtype)
    expected = bits(bitstep.distributed_step(*inputs, **HYPER))
    strange = [LAYOUTS[layout](a) for a in inputs]
    if library == "torch":
        strange = [torch_of(a) for a in strange]
    assert bits(np.array(bitstep.distributed_step(*strange, **HYPER))) == expected
    plain = inputs if library == "numpy" else [torch_of(a) for a in inputs]
    for i in range(6):  # one at a time: X strided with y dense, and the other way round
        mixed = plain[:i] + [strange[i]] + plain[i + 1:]
        assert bits(np.array(bitstep.distributed_step(*mixed, **HYPER))) == expected, i


@BY_NAME
def test_the_stages(layout, dtype):
    xs, ys, w = problem(dtype=dtype)[:3]
    X, y = xs.reshape(-1, 37), ys.reshape(-1)
    strange = [LAYOUTS[layout](a) for a in (X, y, w)]
    assert bits(bitstep.predict(strange[0], strange[2])) == bits(bitstep.predict(X, w))
    assert bits(bitstep.residual(*strange)) == bits(bitstep.residual(X, y, w))
    assert bits(bitstep.gradient(*strange)[0]) == bits(bitstep.gradient(X, y, w)[0])
    assert bits(bitstep.ddp_allreduce_average_grads([{"g": strange[0]}, {"g": X}])["g"]) == bits(X)
    assert bits(bitstep.simulate_ring_allreduce([strange[1], y])[0]) == bits(y)


def test_a_broadcast_worker_axis():
    xs, ys, *state = problem(1, 2, 3, 4)
    many = np.broadcast_to(xs, (5, 2, 3, 4)), np.broadcast_to(ys, (5, 2, 3))
    full = [np.array(a, order="C") for a in many]
    assert bits(bitstep.distributed_step(*many, *state, **HYPER)) == bits(bitstep.distributed_step(*full, *state, **HYPER))


def test_one_column_of_many():
    many = np.arange(12, dtype="float64").reshape(4, 3)
    assert bits(bitstep.predict(many[:, 1:2], np.array([2.0]))) == bits(many[:, 1] * 2)


def peak_rise(call):
    """Bytes that a call took at most, of memory that NumPy and Python know of and of the process's own peak."""
    import resource
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak + 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)


def test_large_inputs_are_not_copied():
    X = np.ones((4096, 8192), "float32")  # 128 MB
    w = np.ones(8192 - 16, "float32")
    for view in (X[:, :-16], X[::2, :-16]):
        assert peak_rise(lambda: bitstep.predict(view, w, threads=1)) < 16e6


def test_a_negated_view():
    torch = pytest.importorskip("torch")
    w = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
    assert w.is_neg()
    assert bitstep.predict(torch.eye(2), w).tolist() == [-2, 4]


def test_memory_mapped_input(tmp_path):
    X = np.arange(6, dtype="float32").reshape(3, 2)
    X.tofile(tmp_path / "x")
    mapped = np.memmap(tmp_path / "x", "float32", "r", shape=(3, 2))
    out = bitstep.predict(mapped, np.ones(2, "float32"))
    assert type(out) is np.ndarray and out.tolist() == [1, 5, 9]
