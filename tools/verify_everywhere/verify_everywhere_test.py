#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/verify-everywhere must be able to fail: programs that stand in for `verify` give what a fault would give."""
import os
import stat
import tempfile
import unittest

import run
import table
from build import Failed
from variants import HERE, THREADS, Processor, Variant, all_variants

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
        self.assertEqual(self.verdicts(lines()), ["equal"] * 4 * len(THREADS))

    def test_another_digest_is_different(self):
        for rest in (f"2 100 0 {OTHER}", f"2 100 1 {FROZEN}"):
            self.assertEqual(self.verdicts(lines(avx2_2=rest), "exit 1").count("DIFFERENT"), 1)

    def test_nothing_compared_and_too_few_threads_prove_nothing(self):
        self.assertIn("compared nothing", self.verdicts(lines(avx2_2=f"2 0 0 {FROZEN}")))
        self.assertIn("only 1 threads ran", self.verdicts(lines(avx2_7=f"1 100 0 {FROZEN}")))

    def test_what_ends_early_or_badly_fails(self):
        for said, code in ((lines()[:-1], "exit 0"), (lines(), "exit 1"), ([], "kill -ILL $$"), (lines(digest=OTHER), "exit 0")):
            with self.assertRaises(Failed):
                self.verify(said, code)

    def test_no_arch_is_left_out_in_silence(self):
        made, lacking = self.verify(lines(HERE.archs[:3], lacks=["avx512"]))
        self.assertEqual((len(made), lacking), (3 * len(THREADS), ["avx512"]))
        for said in (lines(HERE.archs[:3]), [f"frozen {FROZEN}", "active reference", f"digest {FROZEN}"]):
            with self.assertRaisesRegex(Failed, "^ran "):
                self.verify(said)
        old = Processor("Old", ("env",), ("reference", "baseline"))  # emulated: known before, so it can lack nothing
        made, lacking = self.verify(lines(old.archs, lacks=["avx2", "avx512"]), processor=old)
        self.assertEqual((len(made), lacking), (2 * len(THREADS), []))
        with self.assertRaisesRegex(Failed, "^ran "):
            self.verify(lines(("reference",), lacks=["baseline"]), processor=old)

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
        made[3].digest, made[3].verdict = OTHER, "DIFFERENT"
        self.assertIn(("x86_64", "g++", "-O2", "avx2", "2", OTHER, "DIFFERENT"), table.rows_of(made))
        self.assertIn("3 equal, 1 not; 2 digests", table.summary(made))

    def test_names_are_folders_of_their_own(self):
        names = [variant.name for variant in all_variants()]
        self.assertEqual(len(set(names)), len(names))
        self.assertFalse([name for name in names if "/" in name or " " in name])


if __name__ == "__main__":
    unittest.main()
