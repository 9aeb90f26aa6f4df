# SPDX-License-Identifier: Apache-2.0
"""The rivals at their best: NumPy and torch on OpenBLAS, with the threads that a row asks for. Imported before NumPy,
because which BLAS it gets is decided while it loads."""
import ctypes
import glob
import os

# What slows a rival (or bitstep) when it is set, and changes no result that a benchmark is about.
SLOWING = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_NUM_THREADS", "OPENBLAS_MAIN_FREE", "GOTO_NUM_THREADS",
           "BLIS_ARCH_TYPE", "BLIS_NUM_THREADS", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OMP_DYNAMIC", "OMP_WAIT_POLICY",
           "OMP_PROC_BIND", "OMP_PLACES", "OMP_SCHEDULE", "GOMP_CPU_AFFINITY", "GOMP_SPINCOUNT", "KMP_AFFINITY",
           "KMP_BLOCKTIME", "ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "NPY_DISABLE_CPU_FEATURES", "BITSTEP_ARCH",
           "BITSTEP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS")


def slowing(environment):
    """Names that are set there and go away for the run; MKL_* (threads, CNR modes) as a whole."""
    return sorted(name for name in environment if name in SLOWING or name.startswith("MKL_"))


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
        others = [path for path in loaded("blas", "mkl", "blis") if "openblas" not in path]
        self.name = "; ".join(names) if names else (
            "NOT OpenBLAS but " + (", ".join(others) or "one of unknown name") +
            ": NumPy's figures are those of a slow BLAS; Debian: libopenblas0-pthread")

    def set_threads(self, threads):
        for setter in self._setters:
            setter(threads)


for _name in slowing(os.environ):
    print(f"note: {_name}={os.environ[_name]} is left out of this run")
    os.environ.pop(_name)
prefer_openblas()
