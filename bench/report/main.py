#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report of tools/bench: runs the programs of a build folder, then writes OUT/bench.json (everything), OUT/table.md and
pictures, and prints the table. Stages: run, rows, targets, tables, pictures; one file each."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import machine
import pictures
import run
import tables
from rows import load, rows_of
from targets import judge_all

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(1, run.PYTHON)
from slowing import unset_slowing

BEGIN, END = "<!-- tools/bench: begin -->", "<!-- tools/bench: end -->"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", help="build folder with the benchmarks")
    parser.add_argument("--from", dest="source", help="an earlier bench.json: judge and draw again, run nothing")
    parser.add_argument("--out", required=True)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--filter", default="")
    parser.add_argument("--docs", help="Markdown file whose part between the marks gets the table; pictures go to images/")
    parser.add_argument("--command", default="", help="what the user typed")
    options = parser.parse_args()
    if not options.build and not options.source:
        parser.error("one of --build and --from")
    return options


def library_row(build):
    """Size of the whole library as a shared one, stripped. (The archive has its symbols once per file.)"""
    archive = os.path.join(build, "src", "libbitstep.a")
    with tempfile.NamedTemporaryFile(suffix=".so") as shared:
        link = ["c++", "-shared", "-s", "-o", shared.name, "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive"]
        if not os.path.exists(archive) or subprocess.run(link, capture_output=True, check=False).returncode != 0:
            return []
        return [{"name": "library/stripped", "real_time": 0, "time_unit": "us", "MB": os.path.getsize(shared.name) / 1e6}]


def measure(options):
    """Everything in one object, as it goes to bench.json."""
    removed = unset_slowing()
    if options.full:
        os.environ["BITSTEP_BENCH_FULL"] = "1"
    else:
        os.environ.pop("BITSTEP_BENCH_FULL", None)
    about = machine.describe(options.command or " ".join(sys.argv), removed)
    found, missing = run.programs(options.build, options.full, options.filter)
    for line in removed + missing:
        print(f"note: {line}", flush=True)
    parts = os.path.join(options.out, "programs")
    os.makedirs(parts, exist_ok=True)
    reports, complaints = run.run_all(found, parts)
    machine.add_contexts(about, [report.get("context", {}) for report in reports.values()])
    size = {"context": {}, "benchmarks": library_row(options.build)}
    if not options.filter or re.search(options.filter, "library/stripped"):
        reports["library"] = size
    return {"machine": about, "missing": missing, "complaints": complaints, "programs": reports}


def put_into_docs(path, text, drawn, folder):
    """Between the marks of the page stands what this wrote last time."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path} has no {BEGIN} ... {END}")
    images = os.path.join(os.path.dirname(path), "images")
    os.makedirs(images, exist_ok=True)
    for name in drawn:
        shutil.copy(os.path.join(folder, name), os.path.join(images, name))
    shown = "".join(f"![{name[:-4].replace('_', ' ')}](images/{name})\n\n" for name in drawn)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n\n{shown}{text}\n{END}{after}")


def main():
    options = arguments()
    os.makedirs(options.out, exist_ok=True)
    everything = load(options.source) if options.source else measure(options)
    if everything is None:
        print(f"{options.source}: no JSON", file=sys.stderr)
        return 2
    with open(os.path.join(options.out, "bench.json"), "w", encoding="utf-8") as file:
        json.dump(everything, file, indent=1)
    rows = [row for report in everything["programs"].values() for row in rows_of(report)]
    if not [row for row in rows if row.us > 0]:
        for line in everything["complaints"]:
            print(f"FAILED: {line}", file=sys.stderr)
        print("no row was measured" + (f"; the filter is {options.filter}" if options.filter else ""), file=sys.stderr)
        return 1
    verdicts = judge_all(rows)
    text = tables.markdown(everything["machine"], verdicts, rows)
    with open(os.path.join(options.out, "table.md"), "w", encoding="utf-8") as file:
        file.write(text)
    print(tables.terminal(everything["machine"], verdicts, rows))
    drawn, left_out = pictures.draw(rows, options.out)
    if options.docs:
        put_into_docs(options.docs, text, drawn, options.out)
    print(f"\nwritten: {options.out}/bench.json, {options.out}/table.md" + "".join(f", {options.out}/{name}" for name in drawn))
    failed = [f"{row.name}: {row.error}" for row in rows if row.error]
    for line in everything["missing"] + left_out + [f"FAILED: {line}" for line in everything["complaints"] + failed]:
        print(line)
    return 1 if everything["complaints"] or failed else 0


if __name__ == "__main__":
    sys.exit(main())
