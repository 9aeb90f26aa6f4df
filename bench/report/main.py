#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report of tools/bench: runs the programs of a build folder, then writes OUT/bench.json (everything), OUT/table.md and
pictures, and prints the table. Stages: options, run, rows, targets, tables, pictures; one file each."""
import json
import os
import re
import subprocess
import sys
import tempfile

import docs
import machine
import pictures
import run
import tables
from options import arguments, checked
from rows import rows_of
from stored import new_folder, publish
from targets import judge_all

sys.path.insert(1, run.PYTHON)
from slowing import unset_slowing


def library_row(build):
    """Size of the library as a plain build gives it, a shared one, stripped."""
    library = os.path.join(build, "src", "libbitstep.so")
    with tempfile.NamedTemporaryFile(suffix=".so") as stripped:
        strip = ["strip", "-o", stripped.name, library]
        if not os.path.exists(library) or subprocess.run(strip, capture_output=True, check=False).returncode != 0:
            return []
        return [{"name": "library/stripped", "MB": os.path.getsize(stripped.name) / 1e6}]


def measure(options, parts):
    """Everything in one object, as it goes to bench.json. parts: folder for the JSON and the log of each program."""
    removed = unset_slowing()
    if options.full:
        os.environ["BITSTEP_BENCH_FULL"] = "1"
    else:
        os.environ.pop("BITSTEP_BENCH_FULL", None)
    about = machine.describe(options.command or " ".join(sys.argv), options.filter, options.load, removed)
    found, missing = run.programs(options.build, options.full, options.filter, options.python, options.no_module)
    for line in removed + missing:
        print(f"note: {line}", flush=True)
    os.makedirs(parts)
    reports, complaints = run.run_all(found, parts)
    machine.add_contexts(about, [report.get("context", {}) for report in reports.values()])
    size = {"context": {}, "benchmarks": library_row(options.build)}
    if not options.filter or re.search(options.filter, "library/stripped"):
        reports["library"] = size
    return {"machine": about, "missing": missing, "complaints": complaints, "programs": reports}


def no_row(everything):
    for line in everything["complaints"]:
        print(f"FAILED: {line}", file=sys.stderr)
    wanted = everything["machine"].get("filter")
    print("no row was measured, nothing is written" + (f"; the filter is {wanted}" if wanted else ""), file=sys.stderr)
    return 1


def write(options, everything, rows, folder):
    """The files of the run in a folder; the text of the table, the names of the pictures, a line for each not drawn."""
    with open(os.path.join(folder, "bench.json"), "w", encoding="utf-8") as file:
        json.dump(everything, file, indent=1)
    drawn, left_out = pictures.draw(rows, folder)
    verdicts = judge_all(rows)
    text = tables.markdown(everything["machine"], verdicts, rows)
    with open(os.path.join(folder, "table.md"), "w", encoding="utf-8") as file:
        file.write(docs.shown(drawn, "") + text)
    print(tables.terminal(everything["machine"], verdicts, rows))
    if options.docs:
        docs.put(options.docs, text, drawn, folder, pictures.FILES)
    return [picture.file for picture in drawn], left_out


def main():
    options = arguments()
    earlier = checked(options)
    note = None if earlier else machine.load_note(options.load)
    if options.check:
        if note:
            print(f"note: {note}")
        return 0
    with new_folder(options.out) as folder:
        everything = earlier or measure(options, os.path.join(folder, "programs"))
        rows = [row for report in everything["programs"].values() for row in rows_of(report)]
        if not any(row.measured() for row in rows):
            return no_row(everything)
        drawn, left_out = write(options, everything, rows, folder)
        publish(folder, options.out, pictures.FILES)
    print("\nwritten: " + ", ".join(f"{options.out}/{name}" for name in ["bench.json", "table.md", *drawn]))
    failed = [f"{row.name}: {row.error}" for row in rows if row.error]
    for line in everything["missing"] + left_out + [f"FAILED: {line}" for line in everything["complaints"] + failed]:
        print(line)
    return 1 if everything["complaints"] or failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted; earlier results are as they were", file=sys.stderr)
        sys.exit(130)
