#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/verify-everywhere must be able to fail: programs that stand in for `verify` give what a fault would give."""
import os
import stat
import subprocess
import tempfile
import unittest

import run
import suite
import table
from build import SOURCE, Failed
from variants import CALLERS, HERE, NEHALEM, THREADS, Processor, Variant, all_variants

FROZEN = "0123456789abcdef0123456789abcdef"
OTHER = "f" * 32


def lines(archs=HERE.archs, **changed):
    """What a faultless `verify` prints; changed: {arch_threads: the rest of that line}, or lacks, active, digest."""
    out = [f"frozen {FROZEN}", f"active {changed.get('active', archs[-1])}"]
    out += [f"lacks {arch}" for arch in changed.get("lacks", ())]
    for arch in archs:
        for threads in THREADS:
            team = 1 if arch == "reference" else threads
            out.append(f"run {arch} {threads} " + changed.get(f"{arch}_{threads}", f"{team} 100 0 {FROZEN}"))
    for arch in archs[:changed.get("flushed", len(archs))]:
        team = 1 if arch == "reference" else 3
        out.append(f"flushed {arch} 3 " + changed.get(f"{arch}_flushed", f"{team} 100 0 {FROZEN}"))
    return out + [f"digest {changed.get('digest', FROZEN)}"]


class VerifyTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def stand_in(self, name, said, code=0):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\ncat <<'END'\n" + "\n".join(said) + f"\nEND\n{code}\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def verify(self, said, code="exit 0", processor=HERE):
        self.stand_in("bitstep_verify_lines", said, code)
        return run.verify(Variant("g++", "-O2"), processor, self.folder.name, os.path.join(self.folder.name, "log"))

    def verdicts(self, said, code="exit 0"):
        return [one.verdict for one in self.verify(said, code)[0]]

    def test_equal(self):
        self.assertEqual(self.verdicts(lines()), ["equal"] * 4 * (len(THREADS) + 1))

    def test_another_digest_is_different(self):
        for rest in (f"2 100 0 {OTHER}", f"2 100 1 {FROZEN}"):
            self.assertEqual(self.verdicts(lines(avx2_2=rest), "exit 1").count("DIFFERENT"), 1)

    def test_nothing_compared_and_too_few_threads_prove_nothing(self):
        self.assertIn("compared nothing", self.verdicts(lines(avx2_2=f"2 0 0 {FROZEN}")))
        self.assertIn("only 1 threads ran", self.verdicts(lines(avx2_7=f"1 100 0 {FROZEN}")))

    def test_what_ends_early_or_badly_fails(self):
        for said, code in ((lines()[:-1], "exit 0"), (lines(), "exit 1"), ([], "kill -ILL $$"),
                           (lines(digest=OTHER), "exit 0")):
            with self.assertRaises(Failed):
                self.verify(said, code)

    def test_no_arch_is_left_out_in_silence(self):
        made, lacking, _ = self.verify(lines(HERE.archs[:3], lacks=["avx512"]))
        self.assertEqual((len(made), lacking), (3 * (len(THREADS) + 1), ["avx512"]))
        for said in (lines(HERE.archs[:3]), [f"frozen {FROZEN}", "active reference", f"digest {FROZEN}"]):
            with self.assertRaisesRegex(Failed, "^ran "):
                self.verify(said)
        old = Processor("Old", ("env",), ("reference", "baseline"))  # emulated: known before, so it can lack nothing
        made, lacking, _ = self.verify(lines(old.archs, lacks=["avx2", "avx512"]), processor=old)
        self.assertEqual((len(made), lacking), (2 * (len(THREADS) + 1), []))
        with self.assertRaisesRegex(Failed, "^ran "):
            self.verify(lines(("reference",), lacks=["baseline"]), processor=old)

    def test_a_caller_that_flushes_is_not_forgotten(self):
        self.assertEqual(self.verdicts(lines(avx2_flushed=f"3 100 1 {OTHER}"), "exit 1").count("DIFFERENT"), 1)
        for callers in (0, 3):
            with self.assertRaisesRegex(Failed, "^ran "):
                self.verify(lines(flushed=callers))

    def test_the_best_arch_must_be_chosen(self):
        with self.assertRaisesRegex(Failed, "chose avx2, not avx512"):
            self.verify(lines(active="avx2"))

    def test_a_blind_or_a_blinded_sanitizer_fails(self):
        races = Variant("clang++", "-fsanitize=thread", checks_races=True)
        log = os.path.join(self.folder.name, "log")
        self.stand_in("bitstep_seeded_race", [], '[ "$1" = ordered ] || exit 66')
        run.check_races(races, self.folder.name, log)
        for code in ("exit 0", "exit 66"):
            self.stand_in("bitstep_seeded_race", [], code)
            with self.assertRaises(Failed):
                run.check_races(races, self.folder.name, log)

    def test_callers_that_race_or_that_were_not_there_fail(self):
        races = Variant("clang++", "-fsanitize=thread", checks_races=True)
        log = os.path.join(self.folder.name, "log")
        passed = [f"[  PASSED  ] {CALLERS} tests."]
        self.stand_in("openmp_test", passed, '[ "$1" = "--gtest_filter=*.eight_callers_*" ] || exit 1')
        run.check_callers(races, self.folder.name, log)
        for said, code in ((passed, "exit 66"), (["[  PASSED  ] 0 tests."], "exit 0"), ([], "exit 0")):
            self.stand_in("openmp_test", said, code)
            with self.assertRaisesRegex(Failed, "^eight callers at once"):
                run.check_callers(races, self.folder.name, log)

    def test_slow_is_a_complaint_unless_the_machine_is_busy(self):
        plain = Variant("g++", "-O2 -flto")
        slow = run.too_slow(plain, NEHALEM, 95.2, 91.0)
        self.assertEqual(slow, "verify on Nehalem took 95 s, 91 s of processor time; 90 s are allowed")
        self.assertIn("30 s are allowed", run.too_slow(plain, HERE, 31, 33))
        for variant, processor, seconds, busy in (
                (plain, NEHALEM, 90, 170), (plain, NEHALEM, 119, 40), (plain, HERE, 30, 50), (plain, HERE, 60, 20),
                (Variant("g++", "-O0"), NEHALEM, 300, 300), (Variant("g++", "-O1 -fsanitize=thread"), HERE, 300, 300)):
            self.assertEqual(run.too_slow(variant, processor, seconds, busy), "")

    def test_the_time_of_verify_is_looked_at(self):
        limit, run.NATIVE_LIMIT = run.NATIVE_LIMIT, 0.2
        self.addCleanup(setattr, run, "NATIVE_LIMIT", limit)
        working = "i=0; while [ $i -lt 3000000 ]; do i=$((i + 1)); done; exit 0"
        self.assertIn("verify on this processor took", self.verify(lines(), working)[2])
        self.assertEqual(self.verify(lines(), "sleep 1; exit 0")[2], "")  # others worked


class SuiteTest(unittest.TestCase):
    LOG = """-- bitstep: properties_test left out: RapidCheck not found
1/3 Test #1: a_test/a.b/avx2  # GetParam() = avx2 ...***Skipped   0.01 sec

100% tests passed, 0 tests failed out of 3

The following tests did not run:
\t  1 - a_test/a.b/avx2  # GetParam() = avx2 (Skipped)
\t 29 - instruction_counts (Skipped)

== tools/test: summary (aarch64: built after 266 s, tested after 453 s)
100% tests passed, 0 tests failed out of 3
not tested on this machine, with the number of tests that say so:
    195 skipped: arch avx2, not compiled
      1 skipped: instruction counts: on x86-64 alone
bitstep      0.1.0
passed
"""

    def test_what_is_skipped_or_not_built_is_told(self):
        made = suite.read_log(self.LOG)
        self.assertEqual(made.counted, "100% tests passed, 0 tests failed out of 3")
        self.assertEqual(made.skipped, ["a_test/a.b/avx2", "instruction_counts"])
        self.assertEqual(made.reasons, ["195 skipped: arch avx2, not compiled",
                                        "1 skipped: instruction counts: on x86-64 alone"])
        self.assertEqual(made.left_out, ["properties_test left out: RapidCheck not found"])
        told = "\n".join(suite.lines(made))
        for words in ("out of 3; 2 of these were skipped", "skipped: instruction_counts", "arch avx2", "RapidCheck"):
            self.assertIn(words, told)

    def test_nothing_is_invented(self):
        self.assertEqual(suite.read_log("cmake: not found"), suite.Outcome())
        made = suite.read_log("100% tests passed, 0 tests failed out of 3\nnothing was skipped\n")
        self.assertEqual((made.skipped, made.reasons, made.left_out), ([], [], []))


class WrapperTest(unittest.TestCase):
    """tools/verify-everywhere itself, as far as it goes before it installs anything."""

    def call(self, machine, *options):
        with tempfile.TemporaryDirectory() as folder:
            # Should a guard be missing, nothing is installed all the same.
            for name, does in (("uname", f"echo {machine}"), ("apt-get", "exit 100"), ("sudo", "exit 100")):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as out:
                    out.write(f"#!/bin/sh\n{does}\n")
                os.chmod(path, 0o755)
            done = subprocess.run([os.path.join(SOURCE, "tools", "verify-everywhere"), *options], check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  env={**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]})
            return done.returncode, done.stdout, done.stderr

    def test_another_machine_is_told_before_anything_is_installed(self):
        for options in ([], ["--no-setup"]):
            code, out, error = self.call("aarch64", "--filter", "no such build", *options)
            self.assertEqual((code, out), (2, ""))
            self.assertIn("from x86-64 alone", error)
        self.assertEqual(self.call("aarch64", "--list")[0], 0)

    def test_wrong_options_are_told_before_anything_is_installed(self):
        code, out, error = self.call("x86_64", "--filter", "no such build")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("no build is named like", error)


class TableTest(unittest.TestCase):
    def combinations(self):
        made = [run.Combination("x86_64", "g++", "-O2", arch, threads, FROZEN, "equal", 1.0)
                for arch in ("reference", "avx2") for threads in (1, 2)]
        return made

    def test_equal_combinations_share_a_row(self):
        self.assertEqual(table.rows_of(self.combinations()),
                         [("x86_64", "g++", "-O2", "reference avx2", "1 2", FROZEN, "equal")])
        self.assertIn("4 equal, 0 not; one digest: " + FROZEN, table.summary(self.combinations()))

    def test_a_different_one_has_its_own(self):
        made = self.combinations()
        made[3].caller = "flushed"
        self.assertIn(("x86_64", "g++", "-O2", "avx2", "1 2*", FROZEN, "equal"), table.rows_of(made))
        made[3].caller = ""
        made[3].digest, made[3].verdict = OTHER, "DIFFERENT"
        self.assertIn(("x86_64", "g++", "-O2", "avx2", "2", OTHER, "DIFFERENT"), table.rows_of(made))
        self.assertIn("3 equal, 1 not; 2 digests", table.summary(made))

    def test_names_are_folders_of_their_own(self):
        names = [variant.name for variant in all_variants()]
        self.assertEqual(len(set(names)), len(names))
        self.assertFalse([name for name in names if "/" in name or " " in name])


if __name__ == "__main__":
    unittest.main()
