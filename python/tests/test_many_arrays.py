# SPDX-License-Identifier: Apache-2.0
"""Dictionaries of many arrays: the quick ways into an array take and refuse what the slow ones do, in whatever order names
come, and results are arrays of their own."""
import io
import sys

import numpy as np
import pytest

import bitstep
from conftest import bits, needs_torch, torch


def models(kind, dtype, workers=3, names=50):
    """A list over workers of {name: array}; names are made anew for each worker, as named_parameters() does."""
    make = np.random.RandomState(0)
    shapes = [(1 + k % 7,) * (k % 4) for k in range(names)]
    return [{f"layer{k}.weight": kind.make(make.standard_normal(s).astype(dtype)) for k, s in enumerate(shapes)}
            for _ in range(workers)]


def mean_bits(kind, workers, **options):
    return [(name, bits(kind.back(a))) for name, a in bitstep.ddp_allreduce_average_grads(workers, **options).items()]


def test_the_order_of_names_changes_nothing(kind, dtype):
    workers = models(kind, dtype)
    expected = mean_bits(kind, workers)
    backwards = [workers[0]] + [dict(reversed(each.items())) for each in workers[1:]]
    assert mean_bits(kind, backwards) == expected
    # One name out of order, then all as expected again.
    late = dict(list(workers[1].items())[1:])
    late["layer0.weight"] = workers[1]["layer0.weight"]
    assert mean_bits(kind, [workers[0], late, workers[2]]) == expected


class Name(str):
    """A name of a type of its own, as some frameworks have."""


def test_names_of_a_subclass(kind):
    workers = models(kind, "float32")
    named = [{Name(name): a for name, a in each.items()} for each in workers]
    assert mean_bits(kind, named) == mean_bits(kind, workers)
    assert mean_bits(kind, [workers[0], *named[1:]]) == mean_bits(kind, workers)


def storage_bytes(a):
    return (a.untyped_storage() if hasattr(a, "untyped_storage") else a.storage()).nbytes()


def test_results_are_arrays_of_their_own(kind):
    """No result shares memory with another: who keeps or saves one of them does not keep all."""
    workers = models(kind, "float32")
    means = bitstep.ddp_allreduce_average_grads(workers)
    if kind.name == "torch":
        for a in means.values():
            assert a.is_contiguous() and not a.requires_grad and a.is_leaf
            assert a.storage_offset() == 0 and storage_bytes(a) == a.numel() * 4
        saved = io.BytesIO()
        torch.save(next(iter(means.values())), saved)
        assert saved.tell() < 4096
    elif kind.name == "numpy":
        assert all(a.base is None and a.flags.owndata and a.flags.writeable for a in means.values())


ODD_NUMPY = {
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "unaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
    "fortran": np.asfortranarray,
    "broadcast": lambda a: np.broadcast_to(a, a.shape),
    "a dtype object of its own": lambda a: np.frombuffer(a.tobytes(), np.dtype("=f4", copy=True)).reshape(a.shape),
    "with metadata": lambda a: a.view(np.dtype("float32", metadata={"unit": "m"})),
    "memmap": None,
}


@pytest.mark.parametrize("how", ODD_NUMPY)
def test_odd_numpy_arrays(how, tmp_path):
    plain = [np.random.RandomState(i).standard_normal((3, 4)).astype("float32") for i in range(3)]
    odd = ODD_NUMPY[how]
    if odd is None:
        odd = lambda a: np.memmap(tmp_path / "file", a.dtype, "w+", shape=a.shape)
        mapped = odd(plain[1])
        mapped[:] = plain[1]
        odd = lambda a: mapped
    expected = bits(bitstep.ddp_allreduce_average_grads([{"w": a} for a in plain])["w"])
    got = bitstep.ddp_allreduce_average_grads([{"w": plain[0]}, {"w": odd(plain[1])}, {"w": plain[2]}])["w"]
    assert bits(got) == expected and type(got) is np.ndarray


def test_an_array_that_only_says_it_is_writable():
    """NumPy marks the result of broadcast_arrays so; its buffer is read-only."""
    state = [np.ones(4) for _ in range(4)]
    state[1] = np.broadcast_arrays(np.ones((1, 4)), np.ones((2, 4)))[0][0]
    if not memoryview(state[1]).readonly:
        pytest.skip("this NumPy does not mark it")
    with pytest.raises(ValueError, match="^ema_weights .*writable"):
        bitstep.adam_ema_update(np.ones(4), *state, 0.1, 0.9, 0.99, 1e-8, 0.9, 1)


def tensor():
    return torch.arange(1, 7, dtype=torch.float32)


def quantized():
    return torch.quantize_per_tensor(tensor(), 0.1, 0, torch.qint8)


REFUSED = {
    "float16": lambda: tensor().half(),
    "bfloat16": lambda: tensor().bfloat16(),
    "integers": lambda: tensor().int(),
    "complex": lambda: torch.complex(tensor(), tensor()),
    "conjugate": lambda: torch.complex(tensor(), tensor()).conj(),
    "quantized": quantized,
    "meta": lambda: tensor().to("meta"),
    "sparse": lambda: tensor().to_sparse(),
    "compressed": lambda: tensor().reshape(2, 3).to_sparse_csr(),
    "mkldnn": lambda: tensor().to_mkldnn() if torch.backends.mkldnn.is_available() else tensor().half(),
    "double": lambda: tensor().double(),
    "another shape": lambda: tensor().reshape(2, 3),
    "a parameter of another shape": lambda: torch.nn.Parameter(tensor().reshape(2, 3)),
    "numpy": lambda: tensor().numpy(),
    "zeros without memory": lambda: torch._efficientzerotensor(6),
}


@needs_torch
@pytest.mark.parametrize("worker", [0, 1])
@pytest.mark.parametrize("how", REFUSED)
def test_refused_tensors(how, worker):
    workers = [{"a": tensor(), "b": tensor()} for _ in range(3)]
    workers[worker]["b"] = REFUSED[how]()
    before = tensor()
    with pytest.raises((TypeError, ValueError), match=r"^worker_grads\[[01]\]\['b'\] must .*got "):
        bitstep.ddp_allreduce_average_grads(workers)
    assert torch.equal(workers[2]["a"], before)


class Tagged(torch.Tensor if torch is not None else object):
    pass


TAKEN = {
    "requires grad": lambda t: t.clone().requires_grad_(),
    "a parameter": lambda t: torch.nn.Parameter(t.clone()),
    "inside a graph": lambda t: t.clone().requires_grad_() * 1,
    "a subclass": lambda t: t.clone().as_subclass(Tagged),
    "strided": lambda t: torch.stack([t, t], 1)[:, 0],
    "a part": lambda t: torch.cat([t, t])[6:],
    "negated view": lambda t: torch._neg_view(-t),
    "imaginary part": lambda t: torch.complex(t, -t).conj().imag,
    "expanded": lambda t: t.reshape(1, 6).expand(2, 6)[1],
}


@needs_torch
@pytest.mark.parametrize("worker", [0, 1])
@pytest.mark.parametrize("how", TAKEN)
def test_tensors_that_are_values(how, worker):
    workers = [{"w": tensor() * i} for i in (1, 2, 4)]
    expected = bits(bitstep.ddp_allreduce_average_grads(workers)["w"])
    workers[worker]["w"] = TAKEN[how](workers[worker]["w"])
    got = bitstep.ddp_allreduce_average_grads(workers)["w"]
    assert bits(got.numpy()) == expected and type(got) is torch.Tensor and not got.requires_grad


@needs_torch
def test_a_default_device_changes_nothing():
    if not hasattr(torch, "set_default_device"):
        pytest.skip("this torch has no default device")
    torch.set_default_device("meta")
    try:
        means = bitstep.ddp_allreduce_average_grads([{"w": torch.ones(3, device="cpu")}] * 2)
    finally:
        torch.set_default_device(None)
    assert means["w"].tolist() == [1, 1, 1]


def leaves_nothing_behind(workers):
    """A call that succeeds and one that is refused at its last array."""
    counts = lambda: [sys.getrefcount(t) for each in workers for t in each.values()]
    before = counts()
    bitstep.ddp_allreduce_average_grads(workers)
    with pytest.raises(TypeError):
        bitstep.ddp_allreduce_average_grads([*workers, dict(workers[0], **{list(workers[0])[-1]: None})])
    assert counts() == before


@needs_torch
def test_many_tensors_leave_nothing_behind():
    leaves_nothing_behind([{"a": tensor(), "b": tensor().reshape(2, 3).t()} for _ in range(2)])


def test_many_numpy_arrays_leave_nothing_behind(tmp_path):
    """Of a memmap, and of a dtype object of its own, a buffer is held; of a transposed array a copy is made."""
    make = lambda: np.ones((2, 3), "float32")
    leaves_nothing_behind([{
        "plain": make(), "transposed": make().T, "metadata": ODD_NUMPY["with metadata"](make()),
        "memmap": np.memmap(tmp_path / str(worker), "float32", "w+", shape=(2, 3)), "last": make(),
    } for worker in range(2)])
