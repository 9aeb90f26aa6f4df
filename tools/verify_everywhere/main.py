#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/verify-everywhere without the packages: builds every Variant, runs it, prints one table. Stages:
variants, build, run, suite, table; one file each."""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import re
import shutil
import sys
import time

import build
import run
import suite
import table
from variants import CLANG_16, all_variants

FOLDER = os.path.join(build.SOURCE, "build", "verify-everywhere")


def arguments():
    parser = argparse.ArgumentParser(
        prog="tools/verify-everywhere", add_help=False, allow_abbrev=False,
        usage="tools/verify-everywhere [--quick] [--filter RE] [--json FILE] [--jobs N] [--list] [--no-setup]")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--filter", default="")
    parser.add_argument("--json", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")  # the wrapper's: only says what is wrong with the options
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    chosen = parser.parse_args()
    if chosen.jobs < 1:
        parser.error("--jobs: at least 1")
    try:
        re.compile(chosen.filter)
    except re.error as error:
        parser.error(f"--filter: {error}")
    if chosen.json:
        try:
            with open(chosen.json, "a", encoding="utf-8"):
                pass
        except OSError as error:
            parser.error(f"--json: {chosen.json}: {error.strerror}")
    return chosen


def one_variant(variant):
    """(combinations, archs that this machine lacks, complaints, what to say meanwhile)"""
    start = time.monotonic()
    try:
        programs = build.build(variant, FOLDER)
        built = time.monotonic()
        made, lacks, complaints = run.run_all(variant, programs)
    except build.Failed as error:
        return [], [], [str(error)], f"FAILED: {error}"
    wrong = sum(one.verdict != "equal" for one in made)
    words = f"{len(made)} combinations equal" if wrong == 0 else f"{wrong} of {len(made)} NOT equal"
    return made, lacks, complaints, "; ".join(
        [f"built in {built - start:.0f} s, ran in {time.monotonic() - built:.0f} s: {words}"]
        + [f"FAILED: {complaint}" for complaint in complaints])


def missing_tools(variants):
    needed = {"cmake", "ninja"}
    for variant in variants:
        needed.add(variant.compiler)
        needed.update(processor.emulator[0] for processor in variant.processors if processor.emulator)
    return sorted(tool for tool in needed if shutil.which(tool) is None)


def do_all(variants, jobs):
    """In the order of `variants`, as many at a time as there are jobs, each in a process of its own: so its children's
    processor time can be told."""
    combinations, complaints, lacking = {}, [], set()
    if any(variant.compiler == CLANG_16 for variant in variants):
        try:
            build.fetch_libomp_16(FOLDER)
        except build.Failed as error:
            complaints.append(str(error))
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        waiting = {pool.submit(one_variant, variant): variant for variant in variants}
        for count, done in enumerate(concurrent.futures.as_completed(waiting), 1):
            variant = waiting[done]
            combinations[variant], lacks, wrong, words = done.result()
            lacking.update(lacks)
            complaints += [f"{variant.name}: {complaint}" for complaint in wrong]
            print(f"[{count}/{len(variants)}] {variant.target} {variant.compiler} {variant.flags}: {words}", flush=True)
    return [one for variant in variants for one in combinations[variant]], sorted(lacking), complaints


def report(combinations, lacking, suite_lines, complaints):
    print(f"\n{table.text(combinations)}\n")
    for line in suite_lines:
        print(line)
    if lacking:
        print(f"not run, because this machine's processor cannot: {' '.join(lacking)}")
    for line in complaints:
        print(f"FAILED: {line}")
    times = ", ".join(f"{target} {seconds:.0f} s" for target, seconds in table.slowest(combinations).items())
    if times:
        print(f"slowest optimised verify, all archs and thread counts, beside other builds: {times}")


def main():
    chosen = arguments()
    variants = [one for one in all_variants() if re.search(chosen.filter, one.name) and (one.quick or not chosen.quick)]
    with_suite = bool(re.search(chosen.filter, suite.NAME)) and not chosen.quick
    if not variants and not with_suite:
        print(f"tools/verify-everywhere: no build{' of --quick' if chosen.quick else ''} is named like {chosen.filter} "
              "(see --list)", file=sys.stderr)
        return 2
    if chosen.check:
        return 0
    if chosen.list:
        for one in variants:
            print(f"{one.name:<58} {', '.join(processor.name or 'here' for processor in one.processors)}")
        if with_suite:
            print(f"{suite.NAME:<58} {suite.PROCESSOR}")
        return 0
    missing = missing_tools(variants)
    if missing:
        print(f"tools/verify-everywhere: not here: {' '.join(missing)} (tools/setup --all installs them)",
              file=sys.stderr)
        return 2
    os.makedirs(FOLDER, exist_ok=True)
    start = time.monotonic()
    combinations, lacking, complaints = do_all(variants, chosen.jobs)
    tested = None
    if with_suite:
        print("the test suite for AArch64, by emulation ...", flush=True)
        tested = suite.run_suite(FOLDER)
        complaints += [tested.complaint] * bool(tested.complaint)
    report(combinations, lacking, suite.lines(tested) if tested else [], complaints)
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as out:
            json.dump({"combinations": [dataclasses.asdict(one) for one in combinations],
                       "test_suite": dataclasses.asdict(tested) if tested else None, "failed": complaints},
                      out, indent=1)
    print(f"{len(variants)} builds after {time.monotonic() - start:.0f} s, logs in {FOLDER}")
    print(table.summary(combinations))
    return 0 if not complaints and all(one.verdict == "equal" for one in combinations) else 1


if __name__ == "__main__":
    sys.exit(main())
