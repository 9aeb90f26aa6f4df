# SPDX-License-Identifier: Apache-2.0
"""Runs one benchmark program after another and says where it is. A program that fails or is not there is named, and the
others go on."""
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field

from rows import load

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.join(os.path.dirname(HERE), "python")
CPP = ("gradient", "step", "adam_ema", "mean", "price", "threads")
PY = ("step", "adam_ema", "mean")
MODULE = "import bitstep, numpy"
GUESS = 2.0  # seconds a row, until one was seen


@dataclass
class Program:
    """list_command prints the names of its rows; run_command(path) writes JSON there."""
    name: str
    list_command: list
    run_command: list
    json_option: str
    name_filter: str = None  # where the program's own regular expressions are others than Python's
    rows: list = field(default_factory=list)


def runs(python, program):
    return os.path.exists(python) and subprocess.run([python, "-c", program], capture_output=True).returncode == 0


def python_with_numpy():
    """The first interpreter that can import NumPy: another one may come first on the PATH."""
    return next((python for python in (sys.executable, "/usr/bin/python3") if runs(python, "import numpy")), None)


def of_the_module(python, reason, choice):
    """([its program], []), or ([], [why there is none]). python: an interpreter that has the module, or none for a reason."""
    if python is None or not runs(python, MODULE):
        why = reason or ("none was built" if python is None else f"'{python}' cannot import it")
        return [], [f"no Python module ({why}): rows python_api_* are left out"]
    command = [python, os.path.join(PYTHON, "api_bench.py"), *choice]
    return [Program("python/api_bench.py", [*command, "--list"], command, "--out=")], []


def programs(build, full, name_filter, module_python=None, no_module=None):
    """(those that are there, a line for each that is not)."""
    found, missing = [], []
    for what in CPP:
        path = os.path.join(build, "bench", f"bitstep_{what}_bench")
        if os.access(path, os.X_OK):
            found.append(Program(f"bitstep_{what}_bench", [path, "--benchmark_list_tests=true"],
                                 [path, "--benchmark_out_format=json"], "--benchmark_out=", name_filter))
        else:
            missing.append(f"bitstep_{what}_bench is not built: its rows are left out")
    choice = [*([f"--filter={name_filter}"] if name_filter else []), *(["--full"] if full else [])]
    of_module, no_rows = of_the_module(module_python, no_module, choice)
    missing += no_rows
    python = python_with_numpy()
    library = os.path.join(build, "bench", "python", "libbitstep_bench_python.so")
    if python is None:
        missing.append("no NumPy: the rivals in Python are left out (Debian: python3-numpy, python3-torch)")
        return found + of_module, missing
    for what in PY:
        command = [python, os.path.join(PYTHON, f"{what}_bench.py"), "--library", library, *choice]
        found.append(Program(f"python/{what}_bench.py", [*command, "--list"], command, "--out="))
    return found + of_module, missing


def list_rows(program):
    """(names, a line of complaint or None). Google Benchmark answers 0 where the filter leaves nothing."""
    done = subprocess.run(program.list_command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
        return [], f"{program.name} cannot list its rows ({done.returncode}): {last[0]}"
    names = [line.split("/iterations:")[0] for line in done.stdout.splitlines() if "/" in line and " " not in line]
    return [name for name in names if re.search(program.name_filter or "", name)], None


def exactly(names):
    """A filter that every kind of regular expression reads alike: Google Benchmark's is POSIX's or C++'s."""
    escaped = (re.sub(r"([][.*^$+?(){}|\\])", r"\\\1", name) for name in names)
    return f"--benchmark_filter=^({'|'.join(escaped)})/iterations:"


class Progress:
    """One line that is written over in a terminal; elsewhere a line now and then."""

    def __init__(self, total):
        self._total, self._done, self._start = total, 0, time.monotonic()
        self._live = sys.stderr.isatty()
        self._last = 0.0

    def show(self, text, force=False):
        now = time.monotonic()
        seconds = (now - self._start) / self._done if self._done > 3 else GUESS
        left = seconds * (self._total - self._done)
        line = f"{self._done:4d}/{self._total} rows, about {int(left // 60)} min {int(left % 60):02d} s left: {text}"
        if self._live:
            print(f"\r{line[:108]:<108}", end="", file=sys.stderr, flush=True)
        elif force or now - self._last > 20:
            print(line[:108], file=sys.stderr, flush=True)
            self._last = now

    def row(self, text):
        self._done += 1
        self.show(text)

    def end(self):
        if self._live:
            print(file=sys.stderr)


def run_program(program, path, progress):
    """Its JSON (None where it wrote none), and a line of complaint or None."""
    names = set(program.rows)
    only = [exactly(program.rows)] if program.name_filter else []
    log = path + ".log"
    with open(log, "w", encoding="utf-8") as errors, subprocess.Popen(
            [*program.run_command, *only, program.json_option + path], stdout=subprocess.PIPE, stderr=errors, text=True) as job:
        try:
            for line in job.stdout:
                name = line.split("/iterations:")[0].split(" ")[0]
                if name in names:
                    progress.row(f"{program.name} {name}")
        except BaseException:
            job.terminate()
            raise
    report = load(path)
    if job.returncode == 0 and report is not None:
        return report, None
    with open(log, encoding="utf-8") as errors:
        last = errors.read().strip().splitlines()[-1:] or ["no message"]
    return report, f"{program.name} failed with {job.returncode}: {last[0]}"


def run_all(found, folder):
    """name -> its JSON, and complaints."""
    complaints, reports = [], {}
    for program in found:
        program.rows, complaint = list_rows(program)
        complaints += [complaint] if complaint else []
    progress = Progress(sum(len(program.rows) for program in found))
    for number, program in enumerate(found, 1):
        if not program.rows:
            continue
        progress.show(f"program {number} of {len(found)}: {program.name}, {len(program.rows)} rows", force=True)
        path = os.path.join(folder, program.name.replace("/", "_").replace(".py", "") + ".json")
        report, complaint = run_program(program, path, progress)
        if report is not None:
            reports[program.name] = report
        if complaint:
            complaints.append(complaint)
    progress.end()
    return reports, complaints
