# SPDX-License-Identifier: Apache-2.0
"""adam_ema_update writes into the arrays it was given, or refuses and writes nothing."""
import subprocess
import sys

import numpy as np
import pytest

import bitstep
from conftest import HYPER, bits, problem
from test_values import plain_update


def state(dtype="float32", d=100):
    xs, ys, *arrays = problem(d=d, dtype=dtype)
    return np.random.RandomState(7).standard_normal(d).astype(dtype), arrays


def test_numpy(dtype):
    g, arrays = state(dtype)
    expected = plain_update(g, *arrays, **HYPER)
    before, addresses = bits(g), [a.ctypes.data for a in arrays]
    assert bitstep.adam_ema_update(g, *arrays, **HYPER) is None
    assert bits(np.concatenate(arrays)) == bits(expected)
    assert bits(g) == before and [a.ctypes.data for a in arrays] == addresses


def test_torch_and_what_autograd_sees(dtype):
    torch = pytest.importorskip("torch")
    g, arrays = state(dtype)
    tensors = [torch.from_numpy(a.copy()) for a in arrays]
    weights = tensors[0] = torch.nn.Parameter(tensors[0])
    loss = (weights * weights).sum()
    versions = [t._version for t in tensors]
    bitstep.adam_ema_update(torch.from_numpy(g), *tensors, **HYPER)
    bitstep.adam_ema_update(g, *arrays, **HYPER)
    assert [bits(t.detach().numpy()) for t in tensors] == [bits(a) for a in arrays]
    assert all(t._version > v for t, v in zip(tensors, versions))
    assert weights.requires_grad and weights.is_leaf and weights.grad is None
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_inference_tensors():
    """They have no version; tensors that have one keep it in inference mode."""
    torch = pytest.importorskip("torch")
    g, arrays = state()
    ordinary = [torch.from_numpy(a.copy()) for a in arrays]
    with torch.inference_mode():
        tensors = [torch.tensor(a) for a in arrays]
        assert tensors[0].is_inference()
        bitstep.adam_ema_update(torch.tensor(g), *tensors, **HYPER)
        bitstep.adam_ema_update(torch.tensor(g), *ordinary, **HYPER)
    bitstep.adam_ema_update(torch.from_numpy(g), *tensors, **HYPER)
    for _ in range(2):
        bitstep.adam_ema_update(g, *arrays, **HYPER)
    assert [bits(t.numpy()) for t in tensors] == [bits(a) for a in arrays]
    assert ordinary[0]._version > 0


def test_the_mark_of_newer_torch():
    """From torch 2.1 on one function of torch's marks: it is called once for each tensor, after the update."""
    pytest.importorskip("torch")
    code = """
import torch, bitstep
state = [torch.ones(3) for _ in range(5)]
marked = []
torch.autograd.graph.increment_version = lambda tensor: marked.append((tensor, state[1].tolist()))
bitstep.adam_ema_update(*state, lr=0.1, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.9, t=1)
assert [id(tensor) for tensor, _ in marked] == [id(tensor) for tensor in state[1:]], marked
assert all(weights != [1, 1, 1] for _, weights in marked), marked
try:
    bitstep.adam_ema_update(*state, lr=0.1, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.9, t=0)
except ValueError:
    assert len(marked) == 4
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_update_of_a_part_of_an_array():
    g, arrays = state(d=10)
    whole = [np.concatenate([a, a, a]) for a in arrays]
    bitstep.adam_ema_update(g, *[a[10:20] for a in whole], **HYPER)
    bitstep.adam_ema_update(g, *arrays, **HYPER)
    for part, a in zip(whole, arrays):
        assert bits(part[10:20]) == bits(a) and bits(part[:10]) == bits(part[20:])


def read_only(a):
    a.flags.writeable = False
    return a


SPOILED = {
    "read-only": (read_only, "writable"),
    "strided": (lambda a: np.repeat(a, 2)[::2], "contiguous"),
    "backwards": (lambda a: a[::-1].copy()[::-1], "contiguous"),
    "unaligned": (lambda a: np.concatenate([[0], a.view("u1"), [0] * 3]).astype("u1")[1:-3].view(a.dtype), "aligned"),
    "a broadcast": (lambda a: np.lib.stride_tricks.as_strided(a, strides=(0,)), "contiguous"),
}


@pytest.mark.parametrize("how", SPOILED)
@pytest.mark.parametrize("which", range(4))
def test_what_would_lose_the_update_is_refused(how, which):
    g, arrays = state()
    spoil, word = SPOILED[how]
    arrays[which] = spoil(arrays[which])
    before = [bits(a) for a in arrays]
    name = ["weights", "ema_weights", "m", "v"][which]
    with pytest.raises(ValueError, match=f"^{name} .*{word}"):
        bitstep.adam_ema_update(g, *arrays, **HYPER)
    assert [bits(a) for a in arrays] == before


def test_a_strided_tensor_is_refused():
    torch = pytest.importorskip("torch")
    g, arrays = state()
    tensors = [torch.from_numpy(a) for a in arrays]
    tensors[2] = torch.stack([tensors[2]] * 2, 1)[:, 0]
    with pytest.raises(ValueError, match="^m .*contiguous"):
        bitstep.adam_ema_update(torch.from_numpy(g), *tensors, **HYPER)


def test_jax_is_refused():
    jax = pytest.importorskip("jax")
    g, arrays = state()
    with pytest.raises(TypeError, match="^weights .*in place"):
        bitstep.adam_ema_update(*map(jax.numpy.asarray, [g, *arrays]), **HYPER)


def test_arrays_that_overlap():
    g, (w, e, m, v) = state()
    before = bits(w)
    with pytest.raises(ValueError, match="overlap"):
        bitstep.adam_ema_update(g, w, w, m, v, **HYPER)
    with pytest.raises(ValueError, match="overlap"):
        bitstep.adam_ema_update(w, w, e, m, v, **HYPER)
    assert bits(w) == before


def test_check_state():
    g, (w, e, m, v) = state()
    v[3] = -1
    before = bits(w)
    with pytest.raises(ValueError, match="^v must be >= 0"):
        bitstep.adam_ema_update(g, w, e, m, v, **HYPER, check_state=True)
    assert bits(w) == before
    bitstep.adam_ema_update(g, w, e, m, v, **HYPER)
    assert np.isnan(w[3])
