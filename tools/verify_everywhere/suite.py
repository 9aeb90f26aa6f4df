# SPDX-License-Identifier: Apache-2.0
"""The test suite, cross-built for AArch64 and run by emulation: the preset `aarch64`. CTest counts a skipped test as
passed and does not know of one that was not built; both are told here."""
import dataclasses
import os
import re

from build import SOURCE, run_logged

NAME = "aarch64_test_suite"
PROCESSOR = "AArch64, the emulator's best"
COMMAND = ["tools/test", "--preset", "aarch64", "--no-setup"]


@dataclasses.dataclass
class Outcome:
    complaint: str = ""  # empty where tools/test was content
    counted: str = "no test ran"  # CTest's closing line
    skipped: list = dataclasses.field(default_factory=list)  # names of CTest's tests, counted as passed
    reasons: list = dataclasses.field(default_factory=list)  # "195 skipped: ...": so many tests say so, of a part
    left_out: list = dataclasses.field(default_factory=list)  # what CMake did not build here


def read_log(text):
    """What tools/test wrote, without the complaint."""
    made = Outcome()
    counted = re.findall(r"^\d+% tests passed, .*$", text, re.MULTILINE)
    made.counted = counted[-1] if counted else made.counted
    made.skipped = re.findall(r"^\s*\d+ - (\S+).* \((?:Skipped|Disabled)\)$", text, re.MULTILINE)
    made.left_out = re.findall(r"^-- bitstep: (.*left out.*)$", text, re.MULTILINE)
    _, _, summary = text.partition("\nnot tested on this machine")
    made.reasons = [line.strip() for line in re.findall(r"^ *\d+ skipped: .*$", summary, re.MULTILINE)]
    return made


def lines(outcome):
    """For the report."""
    return ([f"test suite for AArch64, by emulation: {outcome.counted}; {len(outcome.skipped)} of these were skipped"]
            + [f"  skipped: {name}" for name in outcome.skipped]
            + [f"  not tested, with the number of tests that say so: {reason}" for reason in outcome.reasons]
            + [f"  not built: {what}" for what in outcome.left_out])


def run_suite(folder):
    log = os.path.join(folder, f"{NAME}.log")
    if os.path.exists(log):
        os.remove(log)
    code = run_logged(COMMAND, log, cwd=SOURCE)
    with open(log, encoding="utf-8", errors="replace") as out:
        made = read_log(out.read())
    made.complaint = "" if code == 0 else f"{' '.join(COMMAND)}: exit code {code}, see {log}"
    return made
