# SPDX-License-Identifier: Apache-2.0
"""The rivals at their best: NumPy and torch on OpenBLAS, with the threads that a row asks for. Imported before NumPy,
because which BLAS it gets is decided while it loads."""
import ctypes
import glob
import os
import sys

from slowing import unset_slowing

if "numpy" in sys.modules:
    raise ImportError("NumPy was imported before its surroundings: it has chosen its BLAS already")



def loaded(*words):
    """Files of this process's memory map whose name holds one of the words."""
    with open("/proc/self/maps") as maps:
        paths = {line.split(None, 5)[5].strip() for line in maps if line.count("/")}
    return sorted(path for path in paths if any(word in os.path.basename(path).lower() for word in words))


def prefer_openblas():
    """Debian's NumPy and torch take whatever libblas.so.3 is, on a fresh machine the slow reference. A library of that
    name that is loaded already goes first, so OpenBLAS's is loaded here; a NumPy with its own BLAS does not care."""
    for path in sorted(glob.glob("/usr/lib/*/openblas-pthread/libblas.so.3") + glob.glob("/usr/lib64/libopenblas.so.0")):
        try:
            ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
            return
        except OSError:
            continue


class Blas:
    """The BLAS under NumPy (and torch): what it is, and how it is told its threads."""

    def __init__(self):
        self._setters = []
        names = []
        for path in loaded("openblas"):
            dll = ctypes.CDLL(path)
            for prefix in ("", "scipy_"):
                for suffix in ("", "64_"):
                    if hasattr(dll, f"{prefix}openblas_set_num_threads{suffix}"):
                        self._setters.append(getattr(dll, f"{prefix}openblas_set_num_threads{suffix}"))
                        text = [getattr(dll, f"{prefix}openblas_get_{what}{suffix}") for what in ("config", "corename")]
                        for each in text:
                            each.restype = ctypes.c_char_p
                        config, core = (each().decode().strip() for each in text)
                        names.append(f"{config}, runs core {core} ({path})")
        # Debian's liblapack brings OpenBLAS along even where libblas.so.3, whose calls NumPy makes, is another.
        others = [path for path in loaded("blas", "mkl", "blis") if "openblas" not in path]
        self.name = "; ".join(names) if names and not others else (
            "NOT OpenBLAS but " + (", ".join(others) or "one of unknown name") +
            ": NumPy's figures are those of that BLAS; Debian: libopenblas0-pthread")

    def set_threads(self, threads):
        for setter in self._setters:
            setter(threads)


for _line in unset_slowing():
    print(_line, flush=True)
prefer_openblas()
