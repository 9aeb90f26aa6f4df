#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/test_guards: for each guard a copy of the sources without it, and its test, which must fail."""
import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys

# Its steps are these, too.
sys.path.append(os.path.join(os.path.dirname(__file__), "..", "verify_everywhere"))
from build import SOURCE as ROOT, Failed, run_logged
from guards import GUARDS
from run import unrestricted

FOLDER = os.path.join(ROOT, "build", "guards")
SOURCE, BUILD, LOG = (os.path.join(FOLDER, name) for name in ("source", "build", "log"))
LIMIT = 120  # seconds; a test that hangs without its guard has failed, too


def arguments():
    parser = argparse.ArgumentParser(prog="tools/test_guards", add_help=False, allow_abbrev=False,
                                     usage="tools/test_guards [--filter RE] [--list] [--jobs N]")
    parser.add_argument("--filter", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    chosen = parser.parse_args()
    try:
        re.compile(chosen.filter)
    except re.error as error:
        parser.error(f"--filter: {error}")
    if chosen.jobs < 1:
        parser.error("--jobs: at least 1")
    return chosen


def copy_sources():
    """As the working tree is. Only what differs is written, so that little is built again; a guard that an interrupted
    run left out is put back as a new file."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"], check=True,
                            capture_output=True, text=True).stdout
    for path in filter(None, listed.split("\0")):
        source, target = os.path.join(ROOT, path), os.path.join(SOURCE, path)
        if os.path.exists(source) and not (os.path.exists(target) and filecmp.cmp(source, target, shallow=False)):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)


def configure():
    if run_logged(["cmake", "-S", SOURCE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                   "-DBUILD_SHARED_LIBS=ON", "-DBITSTEP_BUILD_TESTS=ON", "-DBITSTEP_BUILD_TOOLS=OFF",
                   "-DBITSTEP_BUILD_BENCH=OFF", "-DBITSTEP_WERROR=OFF"], LOG) != 0:
        raise Failed(f"CMake failed, see {LOG}")


def build(tests, jobs):
    if run_logged(["cmake", "--build", BUILD, "--parallel", str(jobs), "--target", *sorted(tests)], LOG) != 0:
        raise Failed(f"the build failed, see {LOG}")


def executable(test):
    found = [os.path.join(folder, test) for folder in (f"{BUILD}/tests", f"{BUILD}/tests/c_api")
             if os.path.exists(os.path.join(folder, test))]
    if not found:
        raise Failed(f"{test} was not built")
    return found[0]


def run(guard):
    """Empty where the test passed, else what happened."""
    try:
        done = subprocess.run([executable(guard.test), f"--gtest_filter={guard.filter}"],
                              env=unrestricted(guard.environment), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"did not end within {LIMIT} s"
    with open(LOG, "a", encoding="utf-8") as out:
        out.write(f"$ {guard.test} --gtest_filter={guard.filter}\n{done.stdout}{done.stderr}\n")
    if done.returncode < 0:
        return f"died of signal {-done.returncode}"
    passed = re.findall(r"^\[  PASSED  \] (\d+) tests?", done.stdout, re.MULTILINE)
    if passed == ["0"] and done.returncode == 0:
        raise Failed(f"{guard.test} has no case {guard.filter}")
    failed = sorted(set(re.findall(r"^\[  FAILED  \] (\S+?\.\w+)", done.stdout, re.MULTILINE)))
    return "" if done.returncode == 0 else f"{len(failed)} cases fail, such as {(failed or ['?'])[0]}"


def processor_lacks(guard):
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpu:
        return guard.needs != "" and not re.search(rf"\b{guard.needs}\b", cpu.read())


def without(guard, jobs):
    """What the test said without the guard."""
    path = os.path.join(SOURCE, guard.file)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(guard.guarded) != 1:
        raise Failed(f"{guard.file} does not hold once: {guard.guarded}")
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(guard.guarded, guard.without))
        build({guard.test}, jobs)
        return run(guard)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def all_pass(guards):
    for test, cases, environment in sorted({(one.test, one.filter, one.environment) for one in guards}):
        said = run(next(one for one in guards if (one.test, one.filter, one.environment) == (test, cases, environment)))
        if said:
            raise Failed(f"with every guard in its place {test} --gtest_filter={cases} does not pass: {said}")


def take_out_each(guards, jobs):
    """How many tests still passed, or could not be asked."""
    bad = 0
    for count, guard in enumerate(guards, 1):
        try:
            said = without(guard, jobs)
        except Failed as failed:
            said, caught = str(failed), False
        else:
            caught = said != ""
        bad += not caught
        print(f"[{count}/{len(guards)}] {guard.name}: {guard.test} {'fails' if caught else 'DOES NOT FAIL'}"
              + (f" ({said})" if said else ""), flush=True)
    return bad


def main():
    chosen = arguments()
    guards = [one for one in GUARDS if re.search(chosen.filter, one.name)]
    if not guards:
        print(f"tools/test_guards: no guard is named like {chosen.filter} (see --list)", file=sys.stderr)
        return 2
    if chosen.list:
        print("\n".join(f"{one.name:<60} {one.file:<34} {one.test}" for one in guards))
        return 0
    lacking = [one for one in guards if processor_lacks(one)]
    guards = [one for one in guards if one not in lacking]
    os.makedirs(FOLDER, exist_ok=True)
    if os.path.exists(LOG):
        os.remove(LOG)
    try:
        copy_sources()
        configure()
        print("building the tests ...", flush=True)
        build({one.test for one in guards}, chosen.jobs)
        all_pass(guards)
        print("all tests pass with every guard in its place", flush=True)
    except Failed as failed:
        print(f"tools/test_guards: {failed}", file=sys.stderr)
        return 1
    bad = take_out_each(guards, chosen.jobs)
    for one in lacking:
        print(f"left out: {one.name}: this processor has no {one.needs}")
    print(f"{len(guards)} guards taken out one at a time; for {len(guards) - bad} of them the test failed, as it must")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
