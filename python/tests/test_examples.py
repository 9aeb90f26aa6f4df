# SPDX-License-Identifier: Apache-2.0
"""The worked examples, whose numbers are known by hand, and the examples of the documentation."""
import ast
import doctest
import inspect
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import bitstep


def test_the_step_on_one_number(kind, dtype):
    one = lambda value, *shape: kind.make(np.full(shape or (1,), value, dtype))
    out = bitstep.distributed_step(one(1, 1, 1, 1, 1), one(1, 1, 1, 1), one(0), one(1), one(0), one(0), 0.2, 0, 0, 2, 0.5, 1)
    out = kind.back(out)
    assert out.dtype == dtype and out.shape == (4,)
    # lr rounds to the dtype, so w' is its own 0.2 * 2 / 4.
    np.testing.assert_array_equal(out, np.array([0.1, 0.55, -2, 4], dtype))


def test_the_mean_of_two_workers(kind, dtype):
    grads = [{"w": kind.make(np.array(values, dtype))} for values in ([1, 2], [3, 4])]
    mean = bitstep.ddp_allreduce_average_grads(grads)
    assert list(mean) == ["w"]
    mean = kind.back(mean["w"])
    assert mean.dtype == dtype
    np.testing.assert_array_equal(mean, [2, 3])


def test_the_mean_by_examples(kind, dtype):
    grads = [{"w": kind.make(np.array([value], dtype))} for value in (2, 6)]
    assert kind.back(bitstep.ddp_allreduce_average_grads(grads, counts=[1, 3])["w"]) == [5]


@pytest.mark.parametrize("name", [*bitstep.__all__])
def test_the_example_of_a_docstring(name):
    function = getattr(bitstep, name)
    test = doctest.DocTestParser().get_doctest(function.__doc__, vars(bitstep).copy(), name, None, 0)
    assert test.examples, "every docstring has an example"
    found = []
    doctest.DocTestRunner(verbose=False).run(test, out=found.append)
    assert not found, "".join(found)


def test_stubs_name_every_function_and_argument():
    stub = (pathlib.Path(bitstep.__file__).parent / "__init__.pyi").read_text(encoding="utf-8")
    found = {}
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef):
            arguments = node.args.args + node.args.kwonlyargs
            found.setdefault(node.name, []).append([a.arg for a in arguments])
    for name in bitstep.__all__:
        expected = list(inspect.signature(getattr(bitstep, name)).parameters)
        assert found[name] and all(arguments == expected for arguments in found[name]), name
    assert (pathlib.Path(bitstep.__file__).parent / "py.typed").exists()


EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name, needs", [("numpy_loop.py", "numpy"), ("torch_loop.py", "torch")])
def test_an_example_runs(name, needs):
    pytest.importorskip(needs)
    done = subprocess.run([sys.executable, str(EXAMPLES / name)], capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, PYTHONWARNINGS="error"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("w[0] = "), done.stdout
