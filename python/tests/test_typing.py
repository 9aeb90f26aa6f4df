# SPDX-License-Identifier: Apache-2.0
"""The type stubs, as a type checker sees them."""
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("mypy", reason="mypy is not installed")

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def checked(tmp_path, *arguments):
    # In another folder, so that nothing but the installed package is found.
    done = subprocess.run([sys.executable, "-m", *map(str, arguments)], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_are_the_module(tmp_path):
    checked(tmp_path, "mypy.stubtest", "bitstep")


def test_a_users_code(tmp_path):
    checked(tmp_path, "mypy", "--strict", HERE / "typed_user.py")


def test_the_numpy_example(tmp_path):
    """torch's takes mypy 10 to 40 s, and of torch 1.13 it says that torch.testing exports nothing."""
    checked(tmp_path, "mypy", "--strict", EXAMPLES / "numpy_loop.py")
