# SPDX-License-Identifier: Apache-2.0
"""Arguments whose own code runs in the middle of a call, sizes that wrap, and interrupts: an exception at the most, never
a crash. Where a fault would end the process or hang it, the call is made in another one."""
import collections
import subprocess
import sys

import numpy as np
import pytest

import bitstep
from conftest import HYPER, bits, needs_torch, problem, run, torch

TOO_LARGE = {
    "X": "bitstep.predict(zero(1, 2**62), zero(2**62))",
    "w": "bitstep.predict(torch.zeros(1, 1), zero(2**62))",
    "y": "bitstep.residual(torch.zeros(1, 1), zero(2**62), torch.zeros(1))",
    "worker_xs": "bitstep.distributed_step(zero(1, 1, 1, 2**60), zero(1, 1, 1), *[zero(2**60)] * 4, **HYPER)",
    "grad": "bitstep.adam_ema_update(*[zero(2**62)] * 5, **HYPER)",
    "worker_grads[0]['a']": "bitstep.ddp_allreduce_average_grads([dict(a=zero(2**31, 2**31))])",
    "worker_grads[1]['a']": "bitstep.ddp_allreduce_average_grads([dict(a=zero(1)), dict(a=zero(2**62))])",
    "worker_vectors[0]": "bitstep.simulate_ring_allreduce([zero(2**62)])",
}


def messages(calls, error, start, with_torch=False):
    """Of each (argument, call) in one process, which prints what the error says."""
    tried = "\n".join(f"try: {call}\nexcept {error} as error: print(error)" for _, call in calls)
    out = run(start + tried, with_torch).splitlines()
    assert [line.split(" ")[0] for line in out] == [name for name, _ in calls], out
    return out


@needs_torch
def test_sizes_that_wrap():
    start = "zero = lambda *shape: torch.zeros([1] * len(shape)).expand(*shape)\n"
    for line in messages(TOO_LARGE.items(), "ValueError", start, True):
        assert "2^63 bytes, got the shape (" in line


@needs_torch
def test_empty_axes_hide_no_size():
    """The extents beside an empty axis may have any product."""
    call = "bitstep.ddp_allreduce_average_grads([dict(a=torch.zeros(0, 1, 1).expand(0, 2**40, 2**40))])"
    messages([("worker_grads[0]['a']", call)], "ValueError", "", True)


NO_MEMORY = [
    ("X", "bitstep.predict(zero(2**10, 2**26), zero(2**26))"),
    ("worker_xs", "bitstep.distributed_step(zero(2**20, 2**20, 1, 1), zero(2**20, 2**20, 1), *[zero(1)] * 4, **HYPER)"),
    # More micro-batches than a list in C++ may have.
    ("worker_xs", "bitstep.distributed_step(zero(2**30, 2**30, 1, 1), zero(2**30, 2**30, 1), *[zero(1)] * 4, **HYPER)"),
    ("worker_vectors", "bitstep.simulate_ring_allreduce([zero(1)] * 30000, trace=True)"),
]


def test_no_memory_for_a_copy():
    start = """
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
zero = lambda *shape: np.broadcast_to(np.zeros(1, "float32"), shape)
"""
    messages(NO_MEMORY, "MemoryError", start)


@needs_torch
def test_no_memory_for_a_result_of_torch():
    """Torch says it by a RuntimeError. A result of a shape, and one that is made like a tensor."""
    start = """
large = torch.empty(1 << 28)  # 1 GB that nobody touches
size = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize"))
resource.setrlimit(resource.RLIMIT_AS, (size + (512 << 20), -1))
"""
    calls = ["bitstep.predict(torch.ones(1, 1).expand(1 << 28, 1), torch.ones(1))",
             "bitstep.ddp_allreduce_average_grads([dict(a=large)])"]
    tried = "".join(f"try: {call}\nexcept MemoryError as error: print(error)\n" for call in calls)
    out = run(start + tried, with_torch=True).splitlines()
    assert len(out) == 2 and all(line.startswith("the result could not be made: ") for line in out), out


@needs_torch
def test_what_else_torch_raises_for_a_result():
    mode = getattr(torch.overrides, "TorchFunctionMode", None)
    if mode is None:
        pytest.skip("this torch has no modes")

    class Refuses(mode):
        def __torch_function__(self, function, types, arguments=(), keywords=None):
            if function in (torch.empty, torch.empty_like):
                raise RuntimeError("no results today")
            return function(*arguments, **(keywords or {}))

    one = torch.ones(1)
    for call in (lambda: bitstep.predict(one[None], one), lambda: bitstep.ddp_allreduce_average_grads([dict(a=one)])):
        with Refuses(), pytest.raises(RuntimeError, match="^no results today"):
            call()


def test_first_calls_in_many_threads():
    """Nothing is imported inside a call: threads that waited for an import with the GIL would hang."""
    code = """
import threading, bitstep
def call():
    try:
        bitstep.predict([[1.0]], [1.0])
    except TypeError:
        said.append("TypeError")
said = []
threads = [threading.Thread(target=call, daemon=True) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(*said)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert done.stdout.split() == ["TypeError"] * 4, done.stderr


def test_numpy_is_imported_with_the_module():
    code = "import sys, bitstep; assert 'numpy' in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_torch_that_is_still_being_imported():
    run("""
import types
half = sys.modules["torch"] = types.ModuleType("torch")
half.Tensor, half.nn = type("Tensor", (), {}), types.SimpleNamespace(Parameter=type("Parameter", (), {}))
for argument in (half.Tensor(), [1.0]):
    try:
        bitstep.predict(argument, argument)
    except TypeError as error:
        assert str(error).startswith("X must be "), error
    else:
        raise AssertionError
""")


SHRINKING = """
import gc
items = []
class Shrinks(torch.Tensor):
    def is_neg(self):
        for one in items:
            if isinstance(one, dict): one.clear()
        items.clear()
        gc.collect()
        return False
tensor = lambda: torch.ones(3).as_subclass(Shrinks)
"""


@needs_torch
def test_a_list_that_shrinks_in_the_ring():
    assert run(SHRINKING + """
items.extend(tensor() for _ in range(200))
print(len(bitstep.simulate_ring_allreduce(items)))
""", with_torch=True) == "200"


@needs_torch
def test_a_list_and_dicts_that_shrink_in_the_mean():
    out = run(SHRINKING + """
items.extend({"a": tensor(), "b": torch.ones(3)} for _ in range(50))
try:
    bitstep.ddp_allreduce_average_grads(items)
except ValueError as error:
    print(error)
""", with_torch=True)
    assert out.startswith("worker_grads[1] must have the names of worker_grads[0]")


FREEING = [
    "bitstep.adam_ema_update(*a, **{**HYPER, 't': Frees()})",
    "bitstep.adam_ema_update(*a, **HYPER, threads=Frees())",
    "bitstep.distributed_step(xs, ys, *a[1:], **{**HYPER, 't': Frees()})",
    "bitstep.predict(X, a[0], threads=Frees())",
    "bitstep.ddp_allreduce_average_grads([dict(a=X), dict(a=X)], counts=[1, Frees()])",
]


@needs_torch
def test_numbers_that_free_the_memory_of_arrays():
    start = """
def make(d):
    return torch.ones(1, 1, 1, d), torch.ones(1, 1, 1), torch.ones(1, d), *[torch.ones(d) for _ in range(5)]
class Frees:
    def __index__(self):
        for x, small in zip((xs, ys, X, *a), make(3)): x.set_(small)
        return 3
"""
    run(start + "\n".join(f"xs, ys, X, *a = make(1 << 20)\n{call}\nassert len(a[1]) == 3" for call in FREEING), True)


# The call, and the method of a tensor, or of a name, that frees the memory of arrays that were taken before.
FREEING_WHEN_TAKEN = {
    "predict": ("bitstep.predict(X, frees(a[0]))", "is_neg"),
    "predict with a last word": ("bitstep.predict(X, frees(a[0]))", "data_ptr"),
    "residual": ("bitstep.residual(X, torch.ones(1), frees(a[0]))", "is_neg"),
    "gradient": ("bitstep.gradient(X, frees(torch.ones(1)), torch.ones(1 << 20))", "is_neg"),
    "step": ("bitstep.distributed_step(xs, ys, *a[1:4], frees(a[4]), **HYPER)", "is_neg"),
    "update": ("bitstep.adam_ema_update(*a[:4], frees(a[4]), **HYPER)", "is_neg"),
    "the mark of an update": ("bitstep.adam_ema_update(*a[:4], frees(a[4]), **HYPER)", "MARK"),
    "the gradient of an update": ("bitstep.adam_ema_update(a[0], *a[1:4], frees(torch.ones(1 << 20)), **HYPER)", "is_neg"),
    "mean": ("bitstep.ddp_allreduce_average_grads([dict(a=X, b=ys), dict(a=X, b=frees(ys))])", "is_neg"),
    "mean of copies": ("bitstep.ddp_allreduce_average_grads([dict(a=odd, b=frees(ys))])", "is_neg"),
    "mean of NumPy": ("bitstep.ddp_allreduce_average_grads([dict(a=n, b=frees(ys))])", "is_neg"),
    "mean by names": ("bitstep.ddp_allreduce_average_grads(armed([{'a': x, name('b'): ys} for x in (X, X.clone())]))", ""),
    "ring": ("bitstep.simulate_ring_allreduce([a[0], frees(a[1])])", "is_neg"),
}


@needs_torch
@pytest.mark.parametrize("how", FREEING_WHEN_TAKEN)
def test_arrays_that_free_the_memory_of_others(how):
    call, method = FREEING_WHEN_TAKEN[how]
    start = """
def make(d):
    return torch.ones(1, 1, 1, d), torch.ones(1, 1, 1), torch.ones(1, d), *[torch.ones(d) for _ in range(5)]
xs, ys, X, *a = make(1 << 20)
n = np.ones(1 << 20, "float32")
odd = torch.ones(1 << 21)[::2]
def free():
    for x, small in zip((xs, X, *a[:4]), (make(3)[i] for i in (0, 2, 3, 4, 5, 6))): torch.Tensor.set_(x, small)
    odd.set_(torch.ones(3))
    n.resize(3, refcheck=False)
method = "METHOD"
if method == "MARK": method = "is_inference" if hasattr(torch.autograd.graph, "increment_version") else "detach"
def hostile(self, *arguments):
    free()
    return getattr(torch.Tensor, method)(self)
def frees(t): return t.as_subclass(type("Frees", (torch.Tensor,), {method: hostile}))
class name(str):
    def __hash__(self):
        if calm is None: free()
        return hash(str(self))
calm = True
def armed(argument):
    global calm
    calm = None
    return argument
"""
    out = run(start.replace("METHOD", method) + f"""
try:
    {call}
except ValueError as error:
    print(error)
assert a[0].numel() == 3
""", True)
    assert " must stay where it is while the arguments are read" in out, out


class Raises:
    def __init__(self, error):
        self.error = error

    def __index__(self):
        raise self.error

    def __getattr__(self, name):
        raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SystemExit])
def test_what_is_not_about_the_argument_goes_through(error):
    one, raises = np.ones(1), Raises(error)
    for arguments in [dict(X=raises, w=one), dict(X=np.ones((1, 1)), w=raises), dict(X=np.ones((1, 1)), w=one, threads=raises)]:
        with pytest.raises(error):
            bitstep.predict(**arguments)
    with pytest.raises(error):
        bitstep.ddp_allreduce_average_grads([{"a": one}], counts=[raises])
    with pytest.raises(error):
        bitstep.adam_ema_update(*[np.ones(1) for _ in range(5)], **dict(HYPER, lr=raises))


@needs_torch
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_a_tensor_raises_that_is_not_about_it(error):
    class Interrupted(torch.Tensor):
        def is_neg(self):
            raise error

    with pytest.raises(error):
        bitstep.predict(torch.ones(1, 1), torch.ones(1).as_subclass(Interrupted))


class Meta(type):
    @property
    def __module__(cls):
        raise KeyError("module")


class Hostile(metaclass=Meta):
    ndim = 0

    @property
    def __class__(self):
        raise KeyError("class")

    def item(self):
        raise KeyError("item")


def test_attributes_that_raise():
    """Whatever an argument raises while it is looked at, the error is about the argument."""
    one = np.ones(1)
    state = [np.ones(1) for _ in range(5)]
    for argument in (Hostile(), Raises(KeyError("x"))):
        with pytest.raises(TypeError, match="^X must be "):
            bitstep.predict(argument, one)
        with pytest.raises(TypeError, match="^lr must be a real number"):
            bitstep.adam_ema_update(*state, **dict(HYPER, lr=argument))
        with pytest.raises(TypeError, match="^t must be an integer"):
            bitstep.adam_ema_update(*state, **dict(HYPER, t=argument))
        with pytest.raises(TypeError, match=r"^worker_grads\[0\]\['a'\] must be"):
            bitstep.ddp_allreduce_average_grads([{"a": argument}])
    assert all(bits(a) == bits(one) for a in state)


def test_a_name_whose_hash_raises():
    class Name(str):
        calm = True

        def __hash__(self):
            if not self.calm:
                raise KeyError("hash")
            return hash(str(self))

    name = Name("b")
    workers = [{"a": np.ones(1)}, {"a": np.ones(1), name: np.ones(1)}]
    name.calm = False
    with pytest.raises(KeyError, match="hash"):
        bitstep.ddp_allreduce_average_grads(workers)


def test_names_in_the_order_of_the_dictionary():
    """An OrderedDict keeps an order of its own beside the one of its memory."""
    first = collections.OrderedDict(a=np.ones(1), b=np.full(1, 2.0), c=np.full(1, 3.0))
    first.move_to_end("a")
    mean = bitstep.ddp_allreduce_average_grads([first, dict(a=np.ones(1), b=np.full(1, 2.0), c=np.full(1, 3.0))])
    assert {name: float(g[0]) for name, g in mean.items()} == {"b": 2, "c": 3, "a": 1} and list(mean) == ["b", "c", "a"]


@needs_torch
@pytest.mark.parametrize("method, changed", [("detach", False), ("zero_", True)])
def test_a_tensor_that_cannot_be_marked_as_written(method, changed, monkeypatch):
    """What fails before the update raises, and nothing has changed; what fails after it cannot take it back."""
    if hasattr(torch.autograd.graph, "increment_version"):
        pytest.skip("torch marks with one function of its own")

    def fail(self):
        raise RuntimeError(method)

    weights = torch.ones(3).as_subclass(type("Stubborn", (torch.Tensor,), {method: fail}))
    state = [torch.ones(3) for _ in range(4)]
    if changed:
        told = []
        monkeypatch.setattr(sys, "unraisablehook", lambda what: told.append(str(what.exc_value)))
        bitstep.adam_ema_update(state[0], weights, *state[1:], **HYPER)
        assert told == [method]
    else:
        with pytest.raises(RuntimeError, match=method):
            bitstep.adam_ema_update(state[0], weights, *state[1:], **HYPER)
    assert [bool((s != 1).any()) for s in (weights.as_subclass(torch.Tensor), state[1])] == [changed] * 2


@needs_torch
def test_a_mode_that_makes_results_without_memory():
    fake = pytest.importorskip("torch._subclasses.fake_tensor")
    X, w = torch.ones(2, 3), torch.ones(3)
    with fake.FakeTensorMode():
        with pytest.raises(TypeError, match="^the result must be a tensor with memory"):
            bitstep.predict(X, w)


def test_references_after_errors():
    """A refused call keeps nothing."""
    xs, ys, *state = problem(1, 1, 6, 4)
    X, y, w = xs.reshape(6, 4), ys.reshape(6), state[0]
    XT = X.T
    kept = [X, XT, y, w, None, "native", *state]
    failing = [
        (bitstep.predict, X, y), (bitstep.predict, [1], w), (bitstep.residual, X, y, y), (bitstep.gradient, X * np.nan, y, w),
        (bitstep.adam_ema_update, w, w, *state[1:], 0.1, 0.9, 0.9, 1e-8, 0.9, 1),
        (bitstep.adam_ema_update, w, *state, "x", 0.9, 0.9, 1e-8, 0.9, 1),
        (bitstep.ddp_allreduce_average_grads, [{"a": w, "b": XT}, {"a": y, "b": XT}]),
        (bitstep.ddp_allreduce_average_grads, [{"a": w}, {"b": w}]),
        (bitstep.simulate_ring_allreduce, [w, y]), (bitstep.simulate_ring_allreduce, [w], "max"),
    ]

    def counts():
        return [sys.getrefcount(a) for a in kept]

    for function, *arguments in failing:
        before = counts()
        for _ in range(50):
            with pytest.raises((TypeError, ValueError)):
                function(*arguments)
        assert max(b - a for a, b in zip(before, counts())) < 25, function.__name__


@pytest.mark.parametrize("base", [int, float])
def test_a_number_whose_float_raises(base):
    class Number(base):
        def __float__(self):
            raise KeyError("float")

    state = [np.ones(1) for _ in range(5)]
    if base is int:  # of a float C reads the value
        with pytest.raises(KeyError, match="float"):
            bitstep.adam_ema_update(*state, **dict(HYPER, lr=Number(0)))
        assert all(bits(a) == bits(np.ones(1)) for a in state)
    else:
        bitstep.adam_ema_update(*state, **dict(HYPER, lr=Number(0)))
    with pytest.raises(ValueError, match="^lr must be in the range of double, got 1000"):
        bitstep.adam_ema_update(*state, **dict(HYPER, lr=10**400))
