# SPDX-License-Identifier: Apache-2.0
"""What all tests share: the kinds of arrays that are installed here, the usual numbers, and arguments to spoil."""
import subprocess
import sys

import numpy as np
import pytest

try:
    import torch
except ImportError:
    torch = None
try:
    import jax
    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = None

needs_torch = pytest.mark.skipif(torch is None, reason="torch is not installed")

HYPER = dict(lr=0.01, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.99, t=3)


class Kind:
    """One library of arrays: from and to NumPy."""

    def __init__(self, name, make, array_type):
        self.name, self.make, self.array_type = name, make, array_type

    def back(self, array):
        assert isinstance(array, self.array_type), f"{type(array)} came back where {self.name} went in"
        return np.array(array)

    def __repr__(self):
        return self.name


def kinds():
    yield pytest.param(Kind("numpy", np.array, np.ndarray), id="numpy")
    skip = pytest.mark.skipif
    yield pytest.param(
        Kind("torch", lambda a: torch.from_numpy(np.array(a)), getattr(torch, "Tensor", None)), id="torch",
        marks=skip(torch is None, reason="torch is not installed"))
    yield pytest.param(
        Kind("jax", lambda a: jax.numpy.asarray(a), getattr(jax, "Array", None)), id="jax",
        marks=skip(jax is None, reason="JAX is not installed in this environment"))


@pytest.fixture(params=list(kinds()))
def kind(request):
    return request.param


@pytest.fixture(params=["float32", "float64"])
def dtype(request):
    return request.param


def problem(W=3, A=2, B=5, d=37, dtype="float32", seed=1):
    """worker_xs, worker_ys, weights, ema_weights, m, v."""
    make = np.random.RandomState(seed)
    draw = lambda *shape: make.standard_normal(shape).astype(dtype)
    return [draw(W, A, B, d), draw(W, A, B), draw(d), draw(d), draw(d), abs(draw(d))]


def bits(array):
    return np.ascontiguousarray(array).tobytes()


START = """
import resource, sys, threading
if "TORCH":
    import torch
import numpy as np
import bitstep
HYPER = dict(lr=0.01, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.99, t=3)
"""


def run(code, with_torch=False):
    """What `code` prints in a process of its own."""
    start = START.replace('"TORCH"', str(with_torch))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", start + code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    return done.stdout.strip()
