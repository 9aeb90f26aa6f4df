# SPDX-License-Identifier: Apache-2.0
"""0 What was asked for, checked before anything is built or measured: a wrong value is one line that names the option, the
rule and the value, and exit code 2."""
import argparse
import os
import re
import sys
import tempfile

from docs import parts_of
from stored import Refused, is_filtered, read_result


def arguments(words=None):
    parser = argparse.ArgumentParser(description="The report of tools/bench; that command has the help.")
    parser.add_argument("--build", help="build folder with the benchmarks")
    parser.add_argument("--from", dest="source", help="an earlier bench.json: judge and draw again, run nothing")
    parser.add_argument("--check", action="store_true", help="look at the options, then end")
    parser.add_argument("--out", required=True)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--filter")
    parser.add_argument("--docs", help="Markdown file whose part between the marks gets the table; pictures go to images/")
    parser.add_argument("--python", help="interpreter that has the Python module, whose rows are left out without one")
    parser.add_argument("--no-module", help="why there is none")
    parser.add_argument("--command", default="", help="what the user typed")
    parser.add_argument("--load", help="/proc/loadavg before the build, which is itself a load")
    options = parser.parse_args(words)
    if not options.build and not options.source and not options.check:
        parser.error("one of --build, --from and --check")
    return options


def check_filter(text):
    if text is None:
        return
    if not text:
        raise Refused("--filter: a regular expression that is not empty, not ''")
    try:
        re.compile(text)
    except re.error as error:
        raise Refused(f"--filter: a regular expression, not '{text}' ({error})") from None


def check_out(folder):
    """By trying: permissions alone do not tell of a file system that is read-only. What was made is removed again."""
    rule = "--out: a folder that can be written, or that can be made"
    if not folder:
        raise Refused(f"{rule}, not ''")
    made, path = [], os.path.abspath(folder)
    while not os.path.lexists(path):
        made.append(path)
        path = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise Refused(f"{rule}, not '{folder}' ({error.strerror})") from None
    finally:
        for path in made:
            if os.path.isdir(path):
                os.rmdir(path)


def check(options):
    """The earlier result where one was named."""
    if options.source is not None and (options.filter is not None or options.full):
        other = "--filter" if options.filter is not None else "--full"
        raise Refused(f"--from: measures nothing, so not together with {other}")
    check_filter(options.filter)
    if options.docs and options.filter is not None:
        raise Refused("--docs: the page holds all rows, so not together with --filter")
    if options.docs:
        parts_of(options.docs)
    result = read_result(options.source) if options.source is not None else None
    if options.docs and result and is_filtered(result):
        raise Refused(f"--docs: the page holds all rows, and '{options.source}' was measured with --filter")
    check_out(options.out)
    return result


def checked(options):
    """The same; a refusal ends the program."""
    try:
        return check(options)
    except Refused as error:
        print(f"tools/bench: {error}", file=sys.stderr)
        sys.exit(2)
