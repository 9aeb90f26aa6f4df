# SPDX-License-Identifier: Apache-2.0
"""Every function refuses what is not meant: TypeError or ValueError that begins with the argument's name (or holds it),
and nothing has been changed."""
import decimal
import fractions
import inspect
import os
import subprocess
import sys

import numpy as np
import pytest

import bitstep
from conftest import HYPER, bits, problem, torch


def step_arguments():
    names = ["worker_xs", "worker_ys", "weights", "ema_weights", "m", "v"]
    return dict(zip(names, problem(2, 2, 3, 4)), **HYPER)


def linear_arguments(*names):
    xs, ys, w = problem(1, 1, 6, 4)[:3]
    return {k: a for k, a in dict(X=xs.reshape(6, 4), y=ys.reshape(6), w=w).items() if k in names}


def update_arguments():
    arguments = step_arguments()
    del arguments["worker_xs"], arguments["worker_ys"]
    return dict(grad=np.ones(4, "float32"), **arguments)


def calls():
    return {
        "distributed_step": step_arguments(),
        "adam_ema_update": update_arguments(),
        "predict": linear_arguments("X", "w"),
        "residual": linear_arguments("X", "y", "w"),
        "gradient": linear_arguments("X", "y", "w"),
    }


def in_torch(a, dtype=None):
    return torch.tensor(np.array(a), dtype=dtype)


# What to make of an array, and the error.
SPOILED = {
    "a list": (lambda a: a.tolist(), TypeError),
    "None": (lambda a: None, TypeError),
    "text": (lambda a: "text", TypeError),
    "a number": (lambda a: 1.0, TypeError),
    "bytes": (lambda a: a.tobytes(), TypeError),
    "memoryview": (memoryview, TypeError),
    "float16": (lambda a: a.astype("float16"), TypeError),
    "long double": (lambda a: a.astype("longdouble"), TypeError),
    "integers": (lambda a: a.astype("int32"), TypeError),
    "bools": (lambda a: a > 0, TypeError),
    "complex": (lambda a: a.astype("complex64"), TypeError),
    "other byte order": (lambda a: a.astype(a.dtype.newbyteorder()), TypeError),
    "objects": (lambda a: a.astype(object), TypeError),
    "dates": (lambda a: a.astype("datetime64[s]"), TypeError),
    "records": (lambda a: a.view([("x", a.dtype)]), TypeError),
    "masked": (np.ma.masked_array, TypeError),
    "one axis more": (lambda a: a[None], ValueError),
    "one axis less": (lambda a: np.array(a[0]), ValueError),
    "longer": (lambda a: np.concatenate([a, a], axis=-1), ValueError),
    "empty": (lambda a: a[..., :0], ValueError),
    "empty in the first axis": (lambda a: a[:0], ValueError),
}
if torch is not None:
    SPOILED.update({
        "bfloat16": (lambda a: in_torch(a, torch.bfloat16), TypeError),
        "half": (lambda a: in_torch(a, torch.float16), TypeError),
        "device": (lambda a: in_torch(a).to("meta"), TypeError),
        "sparse": (lambda a: in_torch(a).to_sparse(), TypeError),
        "mkldnn": (lambda a: in_torch(a).to_mkldnn() if torch.backends.mkldnn.is_available() else None, TypeError),
    })
# These are wrong only beside the other arguments.
MIXED = {"float64": lambda a: a.astype("float64")}
if torch is not None:
    MIXED["torch"] = in_torch


def is_plain(a):
    return isinstance(a, np.ndarray) and a.dtype != object


def fails(function, arguments, error, *words):
    before = {name: bits(a) for name, a in arguments.items() if is_plain(a)}
    with pytest.raises(error) as raised:
        getattr(bitstep, function)(**arguments)
    for word in words:
        assert word in str(raised.value), raised.value
    assert before == {name: bits(a) for name, a in arguments.items() if is_plain(a)}
    return str(raised.value)


ARRAYS = [(function, name) for function, arguments in calls().items() for name, a in arguments.items()
          if isinstance(a, np.ndarray)]


@pytest.mark.parametrize("how", SPOILED)
@pytest.mark.parametrize("function, name", ARRAYS)
def test_one_array(function, name, how):
    arguments = calls()[function]
    spoil, error = SPOILED[how]
    arguments[name] = spoil(arguments[name])
    first = next(iter(arguments))
    if error is ValueError and name == first and how in ("longer",):
        # A longer first array is what the others do not fit.
        assert " must " in fails(function, arguments, ValueError)
        return
    message = fails(function, arguments, error, " must ", ", got ")
    assert message.startswith(name + " "), message


@pytest.mark.parametrize("how", MIXED)
@pytest.mark.parametrize("function, name", ARRAYS)
def test_mixed_dtypes_and_kinds(function, name, how):
    arguments = calls()[function]
    first, second = list(arguments)[:2]
    arguments[name] = MIXED[how](arguments[name])
    wrong = second if name == first else name
    assert fails(function, arguments, TypeError, f"as {first} is", ", got ").startswith(wrong + " ")


class PrintsLike(str):
    """Another word than the one it prints."""

    def __new__(cls, word):
        made = super().__new__(cls, "junk")
        made.word = word
        return made

    def __str__(self):
        return self.word


NUMBERS = {
    "lr": [-1, float("nan"), float("inf"), 1e300, "0.1", None, True, 1j, [0.1], np.array([0.1]), np.array(True),
           np.timedelta64(1, "ns"), np.datetime64("2020-01-01", "ns"), np.array(0.1, object), 10**400,
           decimal.Decimal("0.1"), fractions.Fraction(1, 10)],
    "beta1": [-0.1, 1, 1.5, float("nan"), "0.9", None, False],
    "beta2": [-0.1, 1, 1.5, float("nan"), "0.9", None, np.bool_(True)],
    "eps": [0, -1, 1e-300, float("inf"), "1", None],
    "decay": [-0.1, 1.1, float("nan"), None, np.complex64(0.5)],
    "t": [0, -3, 1.0, "1", None, True, 2**63, np.float32(1), np.bool_(True), np.array(True), np.array([3]),
          np.timedelta64(3, "ns")],
    "threads": [0, -1, 1025, 2**70, 1.0, "1", True, np.bool_(True), np.array([2])],
    "accumulate": ["", "Native", "double", None, 1, b"native", PrintsLike("wide"), "wide\0"],
    "check_state": [None, 1, "yes"],
}


if torch is not None:
    NUMBERS["lr"] += [torch.tensor([0.1]), torch.tensor(True), torch.tensor(0.1, device="meta"), torch.tensor(1j)]
    NUMBERS["t"] += [torch.tensor([3]), torch.tensor(True), torch.tensor(3.0)]
    NUMBERS["threads"] += [torch.tensor(True)]

NUMBERS_OF_CALLS = [(function, name, value) for function in calls() for name, values in NUMBERS.items() for value in values
                    if name in inspect.signature(getattr(bitstep, function)).parameters]


@pytest.mark.parametrize("function, name, value", NUMBERS_OF_CALLS)
def test_numbers(function, name, value):
    message = fails(function, dict(calls()[function], **{name: value}), (TypeError, ValueError), " must be ", ", got ")
    assert message.startswith(name + " ")


class Word(str):
    def __str__(self):
        return "with a\0 NUL"

    __repr__ = __str__


def test_a_message_does_not_end_at_a_nul():
    one = np.ones(1)
    for word in ("wide\0", Word("wide\0")):
        with pytest.raises(ValueError, match=r'^accumulate must be "native" or "wide", got \'wide\\x00\'$'):
            bitstep.predict(one[None], one, accumulate=word)
    with pytest.raises(TypeError, match=r"^worker_grads\[0\]\[with a\\x00 NUL\] must be .*, got None"):
        bitstep.ddp_allreduce_average_grads([{Word("w"): None}])


def test_every_number_is_tried():
    assert {name for _, name, _ in NUMBERS_OF_CALLS} == set(NUMBERS)


@pytest.mark.parametrize("value", [0.25, np.float32(0.25), np.float64(0.25), np.array(0.25), 0])
def test_numbers_that_are_meant(value):
    for name in ("lr", "beta1", "decay"):
        arguments = dict(step_arguments(), **{name: value})
        plain = dict(step_arguments(), **{name: float(value)})
        assert bits(bitstep.distributed_step(**arguments)) == bits(bitstep.distributed_step(**plain))
    arguments = dict(step_arguments(), t=np.int64(3))
    assert bits(bitstep.distributed_step(**arguments)) == bits(bitstep.distributed_step(**step_arguments()))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["worker_xs", "worker_ys", "weights", "ema_weights", "m", "v"])
def test_what_is_not_finite(name, bad):
    arguments = step_arguments()
    arguments[name].flat[-1] = bad
    where = {"worker_xs": "[1, 1, 2, 3] must be finite", "worker_ys": "[1, 1, 2] must be finite"}.get(name, " must be ")
    message = fails("distributed_step", arguments, ValueError, f"got {bad}")
    assert message.startswith(name + where)
    # The index is the caller's, however the rows lie.
    xs = arguments["worker_xs"]
    for layout in (np.concatenate([xs, xs], axis=-1)[..., :4], np.array(xs, order="F")):
        assert fails("distributed_step", dict(arguments, worker_xs=layout), ValueError) == message


@pytest.mark.parametrize("name", ["X", "y", "w"])
def test_what_is_not_finite_in_a_gradient(name):
    arguments = linear_arguments("X", "y", "w")
    arguments[name].flat[2] = np.nan
    where = {"X": "[0, 2] must be finite, got nan", "y": "[2] must be finite, got nan"}.get(name, " must be finite, got nan")
    message = fails("gradient", arguments, ValueError)
    assert message.startswith(name + where)
    assert fails("gradient", dict(arguments, X=arguments["X"][::-1].copy()[::-1]), ValueError) == message
    assert np.isnan(bitstep.residual(**arguments)).any()


def test_a_negative_v_and_an_overflow():
    arguments = step_arguments()
    arguments["v"][1] = -1
    assert fails("distributed_step", arguments, ValueError).startswith("v must be >= 0, got -1 at element 1")
    arguments = linear_arguments("X", "y", "w")
    arguments["X"] *= 1e30
    arguments["w"] *= 1e30
    assert "overflow" in fails("gradient", arguments, ValueError)


def good():
    return {"w": np.ones((2, 3), "float32"), "b": np.ones(3, "float32")}


MEANS = {
    "no list": (good(), TypeError, "worker_grads must be a list"),
    "None": (None, TypeError, "worker_grads"),
    "an array": (np.ones((2, 2)), TypeError, "worker_grads"),
    "no worker": ([], ValueError, "worker_grads"),
    "no dict": ([good(), [1]], TypeError, "worker_grads[1] must be a dict"),
    "a name that is missing": ([good(), {"w": good()["w"]}], ValueError, "worker_grads[1]"),
    "a name too many": ([{"w": good()["w"]}, good()], ValueError, "worker_grads[1]"),
    "another name": ([good(), {"w": good()["w"], "c": good()["b"]}], ValueError, "worker_grads[1]"),
    "a name that is no text": ([{1: good()["w"]}], TypeError, "the names in worker_grads[0]"),
    "None for a tensor": ([good(), dict(good(), b=None)], TypeError, "worker_grads[1]['b']"),
    "a list for a tensor": ([good(), dict(good(), b=[1.0] * 3)], TypeError, "worker_grads[1]['b']"),
    "another shape": ([good(), dict(good(), w=np.ones((3, 2), "float32"))], ValueError, "worker_grads[1]['w']"),
    "another rank": ([good(), dict(good(), w=np.ones(6, "float32"))], ValueError, "worker_grads[1]['w']"),
    "another dtype": ([good(), dict(good(), w=np.ones((2, 3)))], TypeError, "worker_grads[1]['w']"),
    "integers": ([dict(good(), w=np.ones((2, 3), int))] * 2, TypeError, "worker_grads[0]['w']"),
    "a name with surrogates": ([{"\ud800": None}], TypeError, r"worker_grads[0]['\ud800']"),
}


@pytest.mark.parametrize("case", MEANS)
def test_means(case):
    workers, error, start = MEANS[case]
    assert fails("ddp_allreduce_average_grads", dict(worker_grads=workers), error).startswith(start + " ")


@pytest.mark.parametrize("counts", [[1], [1, 2, 3], [0, 0], [1, -1], [1.0, 2], ["1", 2], 3, "12", {0: 1, 1: 2},
                                    [True, 1], [2**62, 2**62], [2**64, 1], b"\x01\x03", bytearray(2), memoryview(b"12"),
                                    np.array([True, True]), np.array(3), np.array([[1], [3]]), np.array([1.0, 3.0])])
def test_counts(counts):
    fails("ddp_allreduce_average_grads", dict(worker_grads=[good(), good()], counts=counts), (TypeError, ValueError), "counts")


@pytest.mark.parametrize("vectors, error", [
    (None, TypeError), (np.ones((2, 3)), TypeError), ([], ValueError), ([np.ones(2), None], TypeError),
    ([np.ones(2), np.ones(3)], ValueError), ([np.ones(2), np.ones(2, "float32")], TypeError),
    ([np.ones((2, 2))], ValueError), ([np.ones(())], ValueError), ([[1.0]], TypeError)])
def test_rings(vectors, error):
    fails("simulate_ring_allreduce", dict(worker_vectors=vectors), error, "worker_vectors")


@pytest.mark.parametrize("arguments", [dict(op="max"), dict(op=None), dict(op=0), dict(trace=1), dict(trace=None)])
def test_ring_options(arguments):
    fails("simulate_ring_allreduce", dict(worker_vectors=[np.ones(2)], **arguments), (TypeError, ValueError), *arguments)


def one_of_each_kind():
    kinds = [np.ones(2, "float32")]
    if torch is not None:
        kinds.append(torch.ones(2))
    try:
        import jax
        kinds.append(jax.numpy.ones(2, "float32"))
    except ImportError:
        pass
    return kinds


def test_mixed_kinds_in_means_and_rings():
    kinds = one_of_each_kind()
    if len(kinds) < 2:
        pytest.skip("NumPy alone is installed")
    for i, first in enumerate(kinds):
        for j, second in enumerate(kinds):
            if i == j:
                continue
            message = fails("ddp_allreduce_average_grads", dict(worker_grads=[{"a": first}, {"a": second}]), TypeError)
            assert message.startswith("worker_grads[1]['a'] must be a ") and "as worker_grads[0]['a'] is" in message
            message = fails("simulate_ring_allreduce", dict(worker_vectors=[first, second]), TypeError)
            assert message.startswith("worker_vectors[1] must be a ") and "as worker_vectors[0] is" in message
    # Names have kinds of their own.
    mean = bitstep.ddp_allreduce_average_grads([dict(enumerate_names(kinds))] * 2)
    assert [type(mean[str(i)]) for i in range(len(kinds))] == [type(a) for a in kinds]


def enumerate_names(arrays):
    return ((str(i), a) for i, a in enumerate(arrays))


def test_axes():
    many = np.ones((1,) * 17)
    assert "at most 16 axes, got 17" in fails("ddp_allreduce_average_grads", dict(worker_grads=[{"a": many}]), ValueError)
    assert bitstep.ddp_allreduce_average_grads([{"a": many[0]}])["a"].shape == (1,) * 16
    if torch is not None:
        fails("predict", dict(X=torch.ones((1,) * 17), w=torch.ones(1)), ValueError, "X must have at most 16 axes, got 17")


def test_too_few_and_too_many_arguments():
    with pytest.raises(TypeError, match="missing.*'w'"):
        bitstep.predict(np.ones((2, 2)))
    with pytest.raises(TypeError, match="positional"):
        bitstep.predict(np.ones((2, 2)), np.ones(2), 1)


def test_environment():
    """The library reads its variables once, so another process has to."""
    call = "import bitstep, numpy as np; bitstep.predict(np.ones((2, 2)), np.ones(2))"
    for name, value, error in [("BITSTEP_ARCH", "pentium", "RuntimeError"), ("BITSTEP_NUM_THREADS", "x", "ValueError")]:
        done = subprocess.run([sys.executable, "-c", call], env={**os.environ, name: value}, capture_output=True, text=True)
        assert error in done.stderr and name in done.stderr and value in done.stderr


@pytest.mark.skipif(torch is None, reason="torch is not installed")
def test_a_vmapped_tensor():
    functorch = pytest.importorskip("functorch")
    with pytest.raises(TypeError, match="^w must be"):
        functorch.vmap(lambda w: bitstep.predict(torch.ones(2, 2), w))(torch.ones(3, 2))


def test_jax_tracers_and_dtypes():
    jax = pytest.importorskip("jax")
    X = jax.numpy.ones((2, 2), "float32")
    with pytest.raises(TypeError, match="^w must be"):
        jax.jit(lambda w: bitstep.predict(X, w))(X[0])
    with pytest.raises(TypeError, match="^w must be.*bfloat16"):
        bitstep.predict(X, X[0].astype("bfloat16"))


def test_jax_numbers():
    """Values are numbers, what jit traces has none yet."""
    jax = pytest.importorskip("jax")
    state = [np.ones(2) for _ in range(5)]
    for name in ("lr", "t"):
        with pytest.raises(TypeError, match=f"^{name} must be an? (real number|integer), got "):
            jax.jit(lambda x: bitstep.adam_ema_update(*state, **dict(HYPER, **{name: x})))(3)
    with pytest.raises(TypeError, match="^t must be an integer"):
        bitstep.adam_ema_update(*state, **dict(HYPER, t=jax.numpy.array(True)))
    assert all((a == 1).all() for a in state)
    bitstep.adam_ema_update(*state, **dict(HYPER, lr=jax.numpy.float32(0.25), t=jax.numpy.int32(3)))
    plain = [np.ones(2) for _ in range(5)]
    bitstep.adam_ema_update(*plain, **dict(HYPER, lr=0.25))
    assert [bits(a) for a in state] == [bits(a) for a in plain]
