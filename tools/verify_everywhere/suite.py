# SPDX-License-Identifier: Apache-2.0
"""The whole test suite, cross-built for AArch64 and run by emulation: the preset `aarch64`."""
import os
import re

from build import SOURCE, run_logged

NAME = "aarch64_test_suite"
PROCESSOR = "AArch64, the emulator's best"
COMMAND = ["tools/test", "--preset", "aarch64", "--no-setup"]


def run_suite(folder):
    """(complaint, what CTest counted)"""
    log = os.path.join(folder, f"{NAME}.log")
    if os.path.exists(log):
        os.remove(log)
    code = run_logged(COMMAND, log, cwd=SOURCE)
    with open(log, encoding="utf-8", errors="replace") as out:
        counted = re.findall(r"^\d+% tests passed, .*$", out.read(), re.MULTILINE)
    words = counted[-1] if counted else "no test ran"
    return ("" if code == 0 else f"{' '.join(COMMAND)}: exit code {code}, see {log}"), words
