# SPDX-License-Identifier: Apache-2.0
"""Every layout of an input gives the bits of the contiguous one; memory is used where it lies."""
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


def status_bytes(field):
    with open("/proc/self/status", encoding="ascii") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith(field + ":"))


def peak_rise(call):
    """Bytes by which the process's memory was larger at most during a call. The kernel's peak is of the whole life: it is
    reset first, else one test that takes much would hide what all later ones take."""
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:
        pytest.skip("the kernel lets nobody reset the peak of memory")
    before = status_bytes("VmRSS")
    result = call()
    peak = status_bytes("VmHWM")
    del result
    return peak - before


ROWS, COLUMNS = 2048, 8192  # 64 MB
COPIED = 60e6


def large_calls(X, y, w):
    xs, ys = X[None, None], y[None, None]  # views, but JAX makes copies here, in a thread of its own
    for a in (xs, ys):
        getattr(a, "block_until_ready", lambda: None)()
    state = [w, w, w, w * w]
    return {
        "predict": lambda: bitstep.predict(X, w, threads=1),
        "residual": lambda: bitstep.residual(X, y, w, threads=1),
        "gradient": lambda: bitstep.gradient(X, y, w, threads=1),
        "step": lambda: bitstep.distributed_step(xs, ys, *state, **HYPER, threads=1),
    }


@pytest.mark.parametrize("name", ["predict", "residual", "gradient", "step"])
def test_large_inputs_are_not_copied(kind, name):
    X = kind.make(np.ones((ROWS, COLUMNS), "float32"))
    views = [X] if kind.name == "jax" else [X, X[:, :-16], X[::2, :-16]]  # a slice of a JAX array is a new array
    for view in views:
        y, w = (kind.make(np.ones(n, "float32")) for n in view.shape)
        call = large_calls(view, y, w)[name]
        call()  # the first call of all makes threads and tables
        assert peak_rise(call) < 16e6


@pytest.mark.parametrize("name", ["predict", "residual", "gradient", "step"])
def test_other_layouts_are_copied_once(name):
    """That peak_rise sees a copy, and that there is one of them."""
    X = np.ones((COLUMNS, ROWS), "float32").T
    call = large_calls(X, np.ones(ROWS, "float32"), np.ones(COLUMNS, "float32"))[name]
    assert COPIED < peak_rise(call) < 1.5 * COPIED


def test_large_gradients_are_not_copied(kind):
    grads = [{"w": kind.make(np.ones((ROWS, COLUMNS), "float32"))} for _ in range(2)]
    call = lambda: bitstep.ddp_allreduce_average_grads(grads, threads=1)
    call()
    rise = peak_rise(call)
    assert COPIED < rise < (2.5 if kind.name == "jax" else 1.5) * COPIED  # the mean itself; JAX may take a copy of it


@pytest.mark.parametrize("axes", [(1, 0), (2, 0, 1), (1, 2, 0), (0, 2, 1), (3, 1, 0, 2)])
@pytest.mark.parametrize("step", [1, -1, 2])
def test_copies_of_every_layout(axes, step, dtype):
    """Tiles and their edges, against NumPy's copy."""
    shape = [35, 33, 2, 3][:len(axes)]
    a = np.arange(np.prod(shape), dtype=dtype).reshape(shape).transpose(axes)[::step, ..., ::step]
    mean = bitstep.ddp_allreduce_average_grads([{"a": a}, {"a": unaligned(a)}])["a"]
    assert mean.shape == a.shape and bits(mean) == bits(a)
    wide = np.broadcast_to(a[..., None], a.shape + (3,))
    assert bits(bitstep.ddp_allreduce_average_grads([{"a": wide}])["a"]) == bits(wide)


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
