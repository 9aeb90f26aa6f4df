# SPDX-License-Identifier: Apache-2.0
"""bitstep through ctypes (calls.cpp), as from C++; the Python module and its price are in api_bench.py. ctypes lets go of the
GIL while a call runs."""
import ctypes
import os


class Library:
    def __init__(self, path):
        self._dll = ctypes.CDLL(os.path.abspath(path))
        for name in ("bench_step", "bench_adam_ema", "bench_mean"):
            function = getattr(self._dll, name)
            function.restype = ctypes.c_void_p
            function.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
        self._dll.bench_run.restype = ctypes.c_char_p
        self._dll.bench_run.argtypes = [ctypes.c_void_p, ctypes.c_long]
        self._dll.bench_free.argtypes = [ctypes.c_void_p]
        self._dll.bench_about.restype = ctypes.c_char_p

    def about(self):
        return self._dll.bench_about().decode()

    def step(self, arrays, shape, hyper, threads):
        """arrays: X, y, weights, ema_weights, m, v, out (4 d). shape: (W, A, B, d)."""
        return self._prepare("bench_step", arrays, shape, hyper, threads)

    def adam_ema(self, arrays, hyper, threads):
        """arrays: grad, weights, ema_weights, m, v."""
        return self._prepare("bench_adam_ema", arrays, (arrays[0].size,), hyper, threads)

    def mean(self, grads, means, threads):
        """grads[worker][tensor] and means[tensor], all of one size."""
        arrays = [each for i, mean in enumerate(means) for each in [worker[i] for worker in grads] + [mean]]
        return self._prepare("bench_mean", arrays, (len(means), len(grads), means[0].size), None, threads)

    def _prepare(self, name, arrays, extents, hyper, threads):
        pointers = (ctypes.c_void_p * len(arrays))(*(each.ctypes.data for each in arrays))
        sizes = (ctypes.c_size_t * len(extents))(*extents)
        scalars = None if hyper is None else (ctypes.c_double * 5)(
            hyper.lr, hyper.beta1, hyper.beta2, hyper.eps, hyper.decay)
        call = getattr(self._dll, name)(arrays[0].itemsize, pointers, sizes, scalars, threads)
        if not call:
            raise RuntimeError(f"{name} refused {extents}")
        return Prepared(self._dll, call, arrays)


class Prepared:
    """Called with a count: runs that often, in C."""

    def __init__(self, dll, call, arrays):
        self._dll, self._call, self._arrays = dll, call, arrays  # the arrays live as long as the call

    def __call__(self, repeats=1):
        error = self._dll.bench_run(self._call, repeats)
        if error:
            raise RuntimeError(error.decode())

    def __del__(self):
        self._dll.bench_free(self._call)
