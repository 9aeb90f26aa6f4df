#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reader, verdicts, tables and pictures on sample.json, whose answers can be seen by eye."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import docs
import gnuplot
import layout
import machine
import pictures
import run
import tables
from rows import Row, load, rows_of
from slowing import unset_slowing
from summary import best_rivals
from targets import judge, judge_all, load_targets
from options_test import *  # noqa: its tests run with these

SAMPLE = load(os.path.join(HERE, "sample.json"))


def sample_rows():
    return [row for report in SAMPLE["programs"].values() for row in rows_of(report)]


class Reading(unittest.TestCase):
    def test_rows(self):
        rows = sample_rows()
        self.assertEqual(len(rows), 10)  # the aggregate is none
        self.assertEqual(rows[0].name, "gradient<float>/native/memory/d:256/threads:1")
        self.assertEqual(rows[0].family, "gradient<float>")
        self.assertEqual(rows[0].us, 40000)
        self.assertEqual(rows[0].fields, {"d": 256, "threads": 1})
        self.assertAlmostEqual(rows[0].bytes(), 640e6)
        self.assertEqual(rows[0].rivals(), ["x_two_gemv", "x_openblas", "x_new_rival"])
        self.assertEqual(rows[3].error, "out of memory")
        self.assertEqual(rows[8].fields["nd"], 256)
        self.assertAlmostEqual(rows[8].us, 0.4)
        self.assertIsNone(rows[5].number("x_torch_stack"))  # NaN

    def test_a_cut_file_is_none(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"benchmarks": [')
            file.flush()
            self.assertIsNone(load(file.name))


class Judging(unittest.TestCase):
    def verdict(self, what, target=None):
        found = [each for each in judge_all(sample_rows()) if each.what.startswith(what)]
        return found[0] if target is None else [each for each in found if each.target == target][0]

    def test_the_worst_row_decides(self):
        found = self.verdict("gradient from memory, d 256")
        self.assertEqual((found.rows, found.met_rows, found.worst), (3, 2, 0.90))
        self.assertEqual(found.median, 0.96)
        self.assertEqual(found.worst_row, "gradient<float>/native/memory/d:1024/threads:1")
        self.assertEqual(found.met(), "NOT met: 2 of 3 rows reach it")

    def test_met(self):
        found = self.verdict("tiny step, d <= 512, float")
        self.assertEqual((found.rows, found.met()), (1, "met: its only row"))  # the step within L2 is not tiny

    def test_the_best_rival_counts(self):
        found = self.verdict("1000 tensors of 64 floats, C++")
        self.assertEqual((found.worst, found.met()), (9.0, "NOT met: 1 of 2 rows reach it"))

    def test_a_failed_row_proves_nothing(self):
        target = {"what": "", "target": "", "rows": "memory/d:64/", "columns": ["us"], "at_most": 1}  # its time reads 0
        self.assertEqual(judge(target, sample_rows()).met(), "not measured")

    def test_a_limit_of_the_rows_own(self):
        found = self.verdict("all threads")
        self.assertEqual((found.rows, found.met_rows), (2, 1))
        self.assertAlmostEqual(found.worst, 0.9 / 0.95)

    def test_noisy_rows_are_counted(self):
        rows = sample_rows()
        rows[0].columns["rivals_spread_%"] = 15.1
        rows[1].columns["spread_%"] = 15.0  # not above
        target = {"what": "", "target": "", "rows": "d:(256|1024)/threads:1", "columns": ["of_roof"], "at_least": 0.5}
        self.assertEqual(judge(target, rows).met(), "met: all 2 rows (1 noisy)")
        self.assertEqual(judge({**target, "at_least": 1}, rows).met(), "NOT met: 0 of 2 rows reach it (1 noisy)")
        self.assertIn("~ `native/memory/d:256/threads:1`", "\n".join(tables.group_lines(rows[:2], markdown=True)))
        self.assertIn("\n~ native/memory/d:256/threads:1 ", "\n".join(tables.group_lines(rows[:2], markdown=False)))

    def test_each_target_says_its_own_sentence(self):
        names = [target["what"] for target in load_targets()]
        self.assertEqual(len(set(names)), len(names))
        for target in load_targets():
            self.assertNotIn("the same", target["what"])
            if target["columns"] == ["x_two_gemv"]:
                self.assertIn("two OpenBLAS GEMV calls over the whole of X", target["what"])

    def test_the_best_rivals_best_form(self):
        found = {each.name: each for each in best_rivals(sample_rows())}
        memory = found["gradient<float>/native/memory"]
        self.assertEqual((memory.rows, memory.worst, memory.worst_rival, memory.median, memory.lost),
                         (3, 0.75, "openblas", 1.7, 1))
        self.assertNotIn("threads/gradient<float>", found)  # nobody else's code
        self.assertEqual(found["python_allreduce_mean<float>"].worst_rival, "torch")

    def test_every_target_can_be_met_and_missed(self):
        for target in load_targets():
            self.assertTrue(("at_least" in target) != ("at_most" in target), target["what"])
            self.assertTrue(target["columns"], target["what"])
        rows = sample_rows()
        target = {"what": "", "target": "", "rows": "d:256", "columns": ["of_roof"]}
        self.assertEqual(judge({**target, "at_least": 0.96}, rows).met(), "met: its only row")
        self.assertEqual(judge({**target, "at_least": 0.961}, rows).met(), "NOT met: 0 of 1 rows reach it")
        self.assertEqual(judge({**target, "at_most": 0.959}, rows).met(), "NOT met: 0 of 1 rows reach it")


class Writing(unittest.TestCase):
    def test_figures(self):
        values = [None, 0.0162, 0.5, 1.234, 56.78, 123.4, 0]
        self.assertEqual([layout.figure(value) for value in values], ["", "0.0162", "0.50", "1.23", "56.78", "123", "0"])

    def test_terminal_is_narrow_and_complete(self):
        rows = sample_rows()
        text = tables.terminal(SAMPLE["machine"], judge_all(rows), rows)
        self.assertLessEqual(max(map(len, text.splitlines())), layout.WIDTH)
        for row in rows:
            self.assertIn(row.rest, text)
        self.assertIn("<0.75", text)
        self.assertIn("FAILED: out of memory", text)

    def test_a_wide_group_loses_columns_in_the_terminal_only(self):
        entry = {"name": "price/gradient<float>/memory/d:16384/threads:2", "real_time": 1.0, "time_unit": "us", "GB/s": 1.0,
                 "of_roof": 1.0, "x_free_order": 0.9, "x_free_order_fma": 0.9, "price_fixed_order": 1.1, "price_no_fma": 1.0}
        rows = rows_of({"benchmarks": [entry]})
        text = tables.group_lines(rows, markdown=False)
        self.assertLessEqual(max(map(len, text)), layout.WIDTH)
        self.assertIn("price_fixed_order", text[0])
        self.assertIn("x_free_order ", tables.group_lines(rows, markdown=True)[0])

    def test_markdown(self):
        rows = sample_rows()
        text = tables.markdown(SAMPLE["machine"], judge_all(rows), rows)
        self.assertIn("| **0.75** |", text)
        self.assertTrue(any(line.endswith("| 1 |") for line in text.splitlines()))  # a team is a whole number
        self.assertIn("x_new_rival", text)  # a column that nobody knew of
        for line in text.splitlines():
            if line.startswith("| `native/memory/d:1024/threads:2`"):
                self.assertIn("0.97", line)
        widths = {line.count("|") for line in text.splitlines() if line.startswith("| `native/")}
        self.assertEqual(len(widths), 1)

    def test_pictures(self):
        found = {picture.file: picture.panels for picture in pictures.pictures(sample_rows())}
        panel = found["speedup_gradient.svg"][0]
        self.assertEqual(panel.lines, {"openblas": [(1024, 1.7)]})  # two threads; parts of a rival are not drawn
        self.assertFalse(panel.drawable())
        panel.add("openblas", 64, 2.0)
        self.assertTrue(panel.drawable())
        self.assertIn("64 2.0\n1024 1.7\nEND", gnuplot.script([panel], "x.svg"))
        limit = found["bandwidth_gradient.svg"][0].lines["limit"]
        self.assertAlmostEqual(limit[0][1], 15.6 / 0.90)

    def test_a_tie_is_nobodys(self):
        row = lambda ratio, name="a/b:1": Row({"name": name, "real_time": 1, "x_eigen": ratio, "x_one_thread": ratio})
        cells = [tables.cell(row(ratio), "x_eigen", True) for ratio in (0.97, 0.974, 0.976, 0.98, 1.02)]
        self.assertEqual(cells, ["**0.97**", "**0.97**", "0.98", "0.98", "1.02"])
        self.assertEqual(tables.cell(row(0.5), "x_one_thread", True), "0.50")

    def test_tables_of_their_own_columns(self):
        entries = [{"name": "gradient<float>/native/L2/d:8", "real_time": 1, "x_openblas": 1.0, "x_blocked": 1.0,
                    "of_roof": 0.5, "spread_%": 1, "roof_GB/s": 20},
                   {"name": "gradient<float>/wide/L2/d:8", "real_time": 1, "of_native": 0.9},
                   {"name": "library/stripped", "real_time": 0, "MB": 0.9}]
        found = tables.groups(rows_of({"benchmarks": entries}))
        self.assertEqual([tables.columns_of(rows) for rows in found.values()],
                         [["us", "spread_%", "of_roof", "roof_GB/s", "x_openblas"], ["us", "of_native"], ["MB"]])
        self.assertIn("gradient<float>, wide", found)

    def test_head_in_words(self):
        lines = machine.head({"caches": "L1d 32K, L2 1024K, L3 32768K", "caches_of_benchmarks": "32K / 1024K / 327680K",
                              "load_before": "1.95 1.84 1.96 1/78 24893"})
        self.assertIn("sysconf 327680K; the benchmarks take the larger one", lines[1])
        self.assertEqual(lines[2], "load_before: 1.9 programs running in the minute before the run, 1.8 in 5 minutes, 2.0 in "
                                   "15: busy, figures may be noisy")

    def test_a_line_per_d(self):
        rows = rows_of({"benchmarks": [{"name": f"threads/gradient<float>/bytes:{size}/d:{d}/threads:2", "real_time": 1,
                                        "x_one_thread": 1.5} for d in (16, 64) for size in (4096, 262144, 1048576)]})
        panel = pictures.against_one_thread(rows, "gradient", "gradient")
        self.assertEqual({name: len(points) for name, points in panel.lines.items()}, {"d = 16": 3, "d = 64": 3})
        text = gnuplot.script([panel], "x.svg")
        self.assertIn("'256k' 262144", text)
        self.assertIn("with linespoints", text)
        panel.lines = {"d = 16": [(16, 1), (64, 2)]}
        self.assertNotIn("with linespoints", gnuplot.script([panel], "x.svg"))

    def test_panels_of_a_picture_have_one_y_axis(self):
        panels = [pictures.Panel("", "", "", {"eigen": [(1, 1.0), (2, top)]}, at_one=True) for top in (2.0, 30.0)]
        text = gnuplot.script(panels, "x.svg")
        self.assertEqual(text.count("set logscale y"), 2)
        self.assertEqual(len({line for line in text.splitlines() if line.startswith("set yrange")}), 1)

    def test_sizes_as_names(self):
        self.assertEqual([gnuplot.size_name(size) for size in (1, 512, 1024, 262144, 1048576, 1000, 10 ** 7)],
                         ["1", "512", "1k", "256k", "1M", "1k", "10M"])

    def test_whole_command(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as file:
                file.write(f"before\n{docs.BEGIN}\nof last time\n{docs.END}\nafter\n")
            os.mkdir(os.path.join(folder, "images"))
            stale = os.path.join(folder, "images", "speedup_python.svg")
            open(stale, "w", encoding="utf-8").close()
            done = subprocess.run([sys.executable, os.path.join(HERE, "main.py"), "--from", os.path.join(HERE, "sample.json"),
                                   "--out", folder, "--docs", page], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)  # a row failed
            self.assertIn("FAILED: gradient<float>/native/memory/d:64/threads:1: out of memory", done.stdout)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
            self.assertIn("### Targets", text)
            self.assertNotIn("of last time", text)
            self.assertFalse(os.path.exists(stale))
            with open(os.path.join(folder, "bench.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["machine"], SAMPLE["machine"])


class Running(unittest.TestCase):
    def test_a_program_that_fails_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "bench"))
            path = os.path.join(folder, "bench", "bitstep_mean_bench")
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\ncase $* in *list_tests*) echo 'a/b:1/iterations:1/manual_time';; "
                           "*) echo 'no memory' >&2; exit 3;; esac\n")
            os.chmod(path, 0o755)
            done = subprocess.run([sys.executable, os.path.join(HERE, "main.py"), "--build", folder, "--out", folder,
                                   "--filter", "a/b"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("bitstep_mean_bench failed with 3: no memory", done.stderr)
            self.assertIn("note: bitstep_gradient_bench is not built", done.stdout)


    def test_why_there_is_no_python_module(self):
        self.assertEqual(run.of_the_module(None, "no index", []),
                         ([], ["no Python module (no index): rows python_api_* are left out"]))
        found, missing = run.of_the_module("/no/python", None, [])
        self.assertEqual((found, missing), ([], ["no Python module ('/no/python' cannot import it): rows python_api_* are left out"]))

    def test_the_python_module_brings_its_program(self):
        with tempfile.TemporaryDirectory() as folder:
            python = os.path.join(folder, "python")
            with open(python, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n[ \"$2\" = '{run.MODULE}' ] || exit 1\n")
            os.chmod(python, 0o755)
            (program,), missing = run.of_the_module(python, None, ["--filter=a"])
        self.assertEqual(missing, [])
        self.assertEqual(program.run_command, [python, os.path.join(run.PYTHON, "api_bench.py"), "--filter=a"])
        self.assertEqual(program.list_command, [*program.run_command, "--list"])


class Surroundings(unittest.TestCase):
    def test_what_slows_is_taken_out_and_said(self):
        environment = {"OPENBLAS_CORETYPE": "Prescott", "MKL_CBWR": "COMPATIBLE", "PATH": "/bin",
                       "BITSTEP_BENCH_OPENBLAS": "/x"}
        lines = unset_slowing(environment)
        self.assertEqual(environment, {"PATH": "/bin", "BITSTEP_BENCH_OPENBLAS": "/x"})
        self.assertEqual(len(lines), 2)
        self.assertIn("OPENBLAS_CORETYPE=Prescott", lines[1])


if __name__ == "__main__":
    unittest.main()
