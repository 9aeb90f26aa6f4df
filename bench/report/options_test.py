# SPDX-License-Identifier: Apache-2.0
"""What is refused before anything is built, and what a run leaves of an earlier one. Run by report_test.py."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import run

SAMPLE_FILE = os.path.join(HERE, "sample.json")
TOOL = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools", "bench")


def tool(*words):
    return subprocess.run([TOOL, *words], capture_output=True, text=True)


def report(*words, **environment):
    return subprocess.run([sys.executable, os.path.join(HERE, "main.py"), *words], capture_output=True, text=True,
                          env={**os.environ, **environment})


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()


class Refusals(Folder):
    def refused(self, done, *parts):
        """One line, no traceback, nothing installed, built or measured."""
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for part in ("tools/bench: ", *parts):
            self.assertIn(part, done.stderr)

    def test_out(self):
        for value in (self.file("a_file", ""), self.path("a_file/below"), "/proc/no_such", ""):
            with self.subTest(value):
                self.refused(tool("--no-setup", f"--out={value}"), "--out", "folder that can be written", f"'{value}'")
        self.assertEqual(os.listdir(self.folder), ["a_file"])

    def test_filter(self):
        for value in ("(", "a[", "*", ""):
            with self.subTest(value):
                self.refused(tool("--no-setup", "--filter", value, "--out", self.path("new")), "--filter", f"'{value}'")
        self.assertFalse(os.path.exists(self.path("new")))

    def test_from(self):
        whole = {"machine": {}, "missing": [], "complaints": [], "programs": {"a": {"benchmarks": [{"name": "a/b"}]}}}
        wrong = [{}, [1, 2], {**whole, "programs": {"a": 1}}, {**whole, "programs": {"a": {"benchmarks": [{}]}}}]
        for text in ["{}"[:1], "", "\x00", *map(json.dumps, wrong)]:
            with self.subTest(text):
                path = self.file("wrong.json", text)
                self.refused(tool("--from", path, "--out", self.path("new")), "--from", "that tools/bench wrote", f"'{path}'")
        self.refused(tool("--from", self.path("none")), "--from", "No such file", self.path("none"))
        self.refused(tool("--from", self.folder), "--from", self.folder)

    def test_what_does_not_go_together(self):
        for more in (["--filter", "a"], ["--full"], ["--no-setup"], ["--no-python"]):
            self.refused(tool("--from", SAMPLE_FILE, "--out", self.folder, *more), "--from", more[0])
        self.refused(tool("--no-setup", "--docs", "--filter", "a"), "--docs", "--filter")
        with open(SAMPLE_FILE, encoding="utf-8") as file:
            sample = json.load(file)
        for about in ({"filter": "a"}, {"command": "tools/bench --filter a"}):
            path = self.file("filtered.json", json.dumps({**sample, "machine": about}))
            self.refused(tool("--from", path, "--docs", "--out", self.folder), "--docs", path)

    def test_unknown(self):
        for word in ("--nope", "nope", "--full=1"):
            done = tool(word)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"unknown {'option' if word[0] == '-' else 'argument'} {word}", done.stderr.splitlines()[0])
            self.assertIn("--help", done.stderr.splitlines()[1])
        self.refused(tool("--out"), "--out: needs a value")

    def test_load_is_said(self):
        busy = report("--check", "--out", self.folder, "--load", "2.70 1.00 0.50 1/78 1")
        self.assertEqual(busy.stdout, "note: load 2.7: other programs are running; figures will be noisy\n")
        self.assertEqual(report("--check", "--out", self.folder, "--load", "0.50 1.00 0.50 1/78 1").stdout, "")


class Results(Folder):
    def program(self, text):
        """A build folder with one program that lists one row and writes this."""
        os.makedirs(self.path("build/bench"), exist_ok=True)
        path = self.file("build/bench/bitstep_mean_bench",
                         "#!/bin/sh\nfor i; do case $i in *list_tests*) echo a/b:1/iterations:1; exit;; "
                         f"--benchmark_out=*) echo '{text}' >${{i#--benchmark_out=}};; esac; done\n")
        os.chmod(path, 0o755)
        return self.path("build")

    def measured(self, text, name_filter):
        """Without the rivals in Python: loading them takes seconds."""
        os.mkdir(self.path("build"))
        self.file("build/numpy.py", "raise ImportError\n")
        return report("--build", self.program(text), "--out", self.folder, "--filter", name_filter,
                      PYTHONPATH=self.path("build"))

    def test_a_filter_means_the_same_everywhere(self):
        names = ["a<float>/d:1/threads:1", "a<float>/d:1/threads:12", "a<float>/d:2/threads:1"]
        listing = ["sh", "-c", "printf '%s/iterations:1/manual_time\\n' " + " ".join(f"'{name}'" for name in names)]
        program = run.Program("a", listing, [], "", r"(?<=d:)\d/threads:1$")
        program.rows, _ = run.list_rows(program)
        self.assertEqual(program.rows, [names[0], names[2]])
        chosen = run.exactly(program.rows).split("=", 1)[1]
        done = subprocess.run(["sh", "-c", listing[2] + f" | grep -E '{chosen}'"], capture_output=True, text=True)
        self.assertEqual(done.stdout.splitlines(), [f"{name}/iterations:1/manual_time" for name in program.rows])
        self.assertEqual(run.exactly(["a.b+"]).split("=", 1)[1], r"^(a\.b\+)/iterations:")

    def test_nothing_is_lost_where_nothing_was_measured(self):
        self.file("bench.json", "earlier")
        self.file("speedup_gradient.svg", "earlier")
        done = self.measured('{"benchmarks": []}', "zzz")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no row was measured", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["bench.json", "build", "speedup_gradient.svg"])
        self.assertEqual(self.text("bench.json"), "earlier")

    def test_an_empty_result_is_a_failure(self):
        path = self.file("empty.json", '{"machine": {}, "missing": [], "complaints": [], "programs": {}}')
        done = tool(f"--from={path}", f"--out={self.path('new')}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertFalse(os.path.exists(self.path("new")))

    def test_a_run_replaces_an_earlier_one(self):
        self.file("bench.json", "earlier")
        self.file("bandwidth_gradient.svg", "earlier")  # the new run has no such rows
        self.file("mine.svg", "not ours")
        row = '{"benchmarks": [{"name": "a/b:1", "real_time": 1.0, "time_unit": "us"}]}'
        done = self.measured(row, "a/b")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["bench.json", "build", "mine.svg", "programs", "table.md"])
        self.assertEqual(json.loads(self.text("bench.json"))["machine"]["filter"], "a/b")

    def test_pictures_have_titles_and_sentences(self):
        entries = [{"name": f"gradient<float>/native/memory/d:{d}/threads:2", "real_time": 1.0, "x_openblas": 1.5}
                   for d in (64, 256, 1024)]
        path = self.file("in.json", json.dumps({"machine": {}, "missing": [], "complaints": [],
                                                "programs": {"a": {"benchmarks": entries}}}))
        done = tool("--from", path, "--out", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        if "gnuplot is not there" in done.stdout:
            self.skipTest("no gnuplot")
        self.assertIn("above 1: bitstep is faster.\n", self.text("table.md"))
        self.assertIn("<title>Gradient: speed over each rival</title>", self.text("speedup_gradient.svg"))
        self.assertNotIn("nuplot_plot_1</title>", self.text("speedup_gradient.svg"))
