# SPDX-License-Identifier: Apache-2.0
"""torch's modes run code of the caller's in whatever is asked of torch, plain tensors or not: also when a result is made. Each
call in another process: a fault would end it."""
import pytest

from conftest import needs_torch, run, torch

MODES = """
from torch.overrides import TorchFunctionMode
class Mode(TorchFunctionMode):
    def __torch_function__(self, function, types, arguments=(), keywords=None):
        keywords = keywords or {}
        if function not in FUNCTIONS: return function(*arguments, **keywords)
        return change(function, arguments, keywords)
FUNCTIONS = torch.empty, torch.empty_like
large = lambda: torch.ones(1 << 20)
X = torch.ones(1 << 20, 2)
a = [large() for _ in range(5)]
made = []
def shrinks_what_was_made(f, a, k):
    for one in made: one.set_(torch.ones(3))
    made.append(f(*a, **k))
    return made[-1]
def frees(f, a, k):
    X.set_(torch.ones(1, 1))
    for one in globals()["a"]: one.set_(torch.ones(3))
    return f(*a, **k)
predict = lambda: bitstep.predict(X, torch.ones(2))
mean = lambda: bitstep.ddp_allreduce_average_grads([dict(a=large(), b=large())] * 2)
ring = lambda: bitstep.simulate_ring_allreduce([large(), large()])
step = lambda: bitstep.distributed_step(torch.ones(1, 1, 1, 1 << 20), torch.ones(1, 1, 1), *a[:4], **HYPER)
update = lambda: bitstep.adam_ema_update(*a, **HYPER)
def call(function, error):
    try:
        with Mode(): function()
    except error as caught: print(caught)
    else: print(function, "went through")
"""
needs_modes = pytest.mark.skipif(not hasattr(getattr(torch, "overrides", None), "TorchFunctionMode"), reason="no torch with modes")

WRONG_RESULTS = {
    "half": "f(*a, **{**k, 'dtype': torch.float16})",
    "double": "f(*a, **{**k, 'dtype': torch.float64})",
    "small": "torch.ones(3)",
    "shape": "torch.ones(1 << 10, 1 << 10)",
    "expanded": "torch.ones(1).expand(1 << 20)",
    "strided": "torch.ones(1 << 21)[::2]",
    "negated": "torch.ones(1 << 20, dtype=torch.complex64).conj().imag",
    "meta": "f(*a, **{**k, 'device': 'meta'})",
    "sparse": "large().to_sparse()",
    "NumPy's": "np.ones(1 << 20, 'float32')",
    "nothing": "None",
}


@needs_modes
@pytest.mark.parametrize("how", WRONG_RESULTS)
def test_results_are_what_was_asked_for(how):
    """The heap would be overrun. Also where torch.empty is somebody else's before bitstep has seen torch."""
    change = f"change = lambda f, a, k: {WRONG_RESULTS[how]}\n"
    calls = "for one in (predict, mean, ring, step): call(one, TypeError)\n"
    patched = """
empty, empty_like = torch.empty, torch.empty_like
torch.empty, torch.empty_like = [lambda *a, f=f, **k: change(f, a, k) for f in FUNCTIONS]
FUNCTIONS = ()
"""
    for start in ("", patched):
        out = run(MODES + change + start + calls, True).splitlines()
        assert len(out) == 4 and all(line.startswith("the result must be a tensor with memory") for line in out), out


@needs_modes
def test_modes_that_change_nothing():
    change = "change = lambda f, a, k: f(*a, **k)\n"
    code = "with Mode(): assert bool((predict() == 2).all()) and bool((mean()['b'] == 1).all()) and update() is None"
    assert run(MODES + change + code, True) == ""


@needs_modes
@pytest.mark.parametrize("functions", ["torch.empty, torch.empty_like", "torch.Tensor.data_ptr,",
                                       "torch.Tensor.detach, getattr(torch.Tensor, 'is_inference', None)"])
def test_modes_that_free_the_memory_of_arrays(functions):
    """Each call of torch's goes through a function mode, also of plain tensors."""
    calls = "for one in CALLS: X, a = torch.ones(1 << 20, 2), [large() for _ in range(5)]; call(one, ValueError)\n"
    which = "predict, step" if "empty" in functions else "predict," if "data_ptr" in functions else "update,"
    start = f"change = frees\nFUNCTIONS = {functions}\n"
    out = run(MODES + start + calls.replace("CALLS", f"({which})"), True).splitlines()
    assert out and all(" must stay where it is while the arguments are read" in line for line in out), out


@needs_modes
def test_a_mode_that_frees_earlier_results():
    out = run(MODES + "change = shrinks_what_was_made\nfor one in (mean, ring): call(one, ValueError)\n", True).splitlines()
    assert len(out) == 2 and all(line.startswith("the result must stay where it is") for line in out), out


@needs_torch
def test_a_dispatch_mode_that_frees_the_memory_of_arrays():
    dispatch = pytest.importorskip("torch.utils._python_dispatch")
    if not hasattr(dispatch, "TorchDispatchMode"):
        pytest.skip("this torch has no modes")
    out = run("""
from torch.utils._python_dispatch import TorchDispatchMode
X = torch.ones(1 << 20, 2)
class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        if "empty" in str(function): X.set_(torch.ones(1, 1))
        return function(*arguments, **(keywords or {}))
try:
    with Mode(): bitstep.predict(X, torch.ones(2))
except ValueError as error:
    print(error)
""", True)
    assert out.startswith("X must stay where it is"), out
