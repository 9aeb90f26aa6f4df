# SPDX-License-Identifier: Apache-2.0
"""Rows in the form of Google Benchmark's JSON (`name`, `real_time`, columns), so that one reader reads all programs."""
import argparse
import json
import os
import re
import sys
import time

import surroundings

import numpy as np

from library import Library
from sampling import sample_in_turn

try:
    import torch
except ImportError:
    torch = None
try:
    import jax
    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = None

USABLE = len(os.sched_getaffinity(0))
TYPES = {"float": np.float32, "double": np.float64}


class Hyper:
    lr, beta1, beta2, eps, decay, t = 1e-3, 0.9, 0.999, 1e-8, 0.999, 1


class Table:
    def __init__(self, what, module=None):
        """module: says what it is, where bitstep is not called through the build's library."""
        parser = argparse.ArgumentParser(description=what)
        if module is None:
            parser.add_argument("--library", required=True, help="libbitstep_bench_python.so of the build")
        parser.add_argument("--filter", default="", help="regular expression; rows whose name it finds in")
        parser.add_argument("--full", action="store_true", help="all sizes")
        parser.add_argument("--list", action="store_true", help="names of the rows, and nothing else")
        parser.add_argument("--out", help="JSON file")
        self.options = parser.parse_args()
        self.library = Library(self.options.library) if module is None else module()
        self.blas = surroundings.Blas()
        self._rows = []
        if not self.options.list:
            for key, value in self._context().items():
                print(f"{key}: {value}", flush=True)

    def _context(self):
        about = {"executable": sys.argv[0], "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
                 "bitstep": self.library.about(), "python": sys.version.split()[0],
                 "numpy": f"{np.__version__}, BLAS: {self.blas.name}", "threads": f"{USABLE} usable"}
        about["torch"] = "not found (Debian: python3-torch); its columns are left out"
        if torch is not None:
            used = re.search(r"CPU capability usage: (\S+)", torch.__config__.show())
            about["torch"] = f"{torch.__version__}, kernels {used.group(1) if used else 'unknown'}"
        about["jax"] = "not found (PyPI: jax); its columns are left out" if jax is None else jax.__version__
        return about

    def case(self, name, threads, body):
        """body() gives (contender of bitstep, bytes it moves, rivals); the best of a column's rivals counts."""
        if not re.search(self.options.filter, name):
            return
        if self.options.list:
            print(name)
            return
        self.blas.set_threads(threads)
        if torch is not None:
            torch.set_num_threads(threads)
        own, size, rivals = body()
        times = sample_in_turn([own] + rivals)
        median, spread = times[0]
        row = {"name": name, "run_type": "iteration", "iterations": 1, "real_time": median * 1e6, "time_unit": "us",
               "GB/s": size / median * 1e-9, "spread_%": 100 * spread}
        best = {}
        for rival, (time_of_it, _) in zip(rivals, times[1:]):
            if time_of_it < best.get(rival.column, (float("inf"),))[0]:
                best[rival.column] = time_of_it, rival.name
        for column, (time_of_it, way) in best.items():
            row[column] = time_of_it / median
            row[f"best_{column[2:]}"] = way
        self._rows.append(row)
        self._print(row)
        self.write()

    @staticmethod
    def _print(row):
        fields = [f"{key}={value:.3g}" if isinstance(value, float) else f"{key}={value}" for key, value in row.items()
                  if key not in ("name", "run_type", "iterations", "time_unit", "real_time")]
        print(f"{row['name']} {row['real_time']:.4g} us {' '.join(fields)}", flush=True)

    def write(self):
        if self.options.out and not self.options.list:
            with open(self.options.out, "w") as file:
                json.dump({"context": self._context(), "benchmarks": self._rows}, file, indent=1)


def close(name, got, expected, tolerance):
    """Nobody is timed who computes something else. Arrays in pairs; the tolerance is a share of an array's largest."""
    for i, (ours, theirs) in enumerate(zip(expected, got)):
        reference = np.asarray(ours, dtype=np.float64)
        worst = np.max(np.abs(np.asarray(theirs, dtype=np.float64) - reference)) / np.max(np.abs(reference))
        if not worst <= tolerance:
            raise SystemExit(f"{name} computes something else: array {i}, difference {worst:.3g} of its largest element, "
                             f"allowed {tolerance:.3g}")
