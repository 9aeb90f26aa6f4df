# SPDX-License-Identifier: Apache-2.0
"""A whole run in a file (bench.json), and the folder of its files. Nothing in there is half written: new files are made in a
folder of their own and moved when all are there."""
import contextlib
import json
import os
import shutil
import tempfile

from rows import UNITS


class Refused(Exception):
    """Something that the user gave cannot be used; the text is one line."""


def is_row(entry):
    return (isinstance(entry, dict) and isinstance(entry.get("name"), str) and
            isinstance(entry.get("real_time", 0), (int, float)) and entry.get("time_unit", "ns") in UNITS)


def is_result(found):
    """The form that `measure` in main.py gives it."""
    kinds = {"machine": dict, "missing": list, "complaints": list, "programs": dict}
    if not isinstance(found, dict) or any(not isinstance(found.get(key), kind) for key, kind in kinds.items()):
        return False
    lists = [report.get("benchmarks") if isinstance(report, dict) else None for report in found["programs"].values()]
    return all(isinstance(rows, list) and all(map(is_row, rows)) for rows in lists)


def read_result(path):
    rule = "--from: a bench.json that tools/bench wrote"
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise Refused(f"{rule}, not '{path}' ({error.strerror})") from None
    except ValueError as error:
        raise Refused(f"{rule}, not '{path}' (no JSON: {error})") from None
    if not is_result(found):
        raise Refused(f"{rule}, not '{path}' (machine, missing, complaints and programs are not all there)")
    return found


def is_filtered(result):
    """Files of before the filter was stored have it in the command."""
    return bool(result["machine"].get("filter")) or "--filter" in str(result["machine"].get("command", ""))


@contextlib.contextmanager
def new_folder(out):
    """A folder within out for files that are not complete yet; gone at the end, whatever happens. Where out was made for it
    and stays empty, it goes, too."""
    made = not os.path.isdir(out)
    os.makedirs(out, exist_ok=True)
    folder = tempfile.mkdtemp(prefix=".new-", dir=out)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if made and not os.listdir(out):
            os.rmdir(out)


def publish(folder, out, of_earlier):
    """Moves everything; of_earlier: names that an earlier run may have left and that this one does not have."""
    names = os.listdir(folder)
    for name in names:
        target = os.path.join(out, name)
        if os.path.isdir(target):
            shutil.rmtree(target)
        os.replace(os.path.join(folder, name), target)
    for name in of_earlier:
        if name not in names and os.path.exists(os.path.join(out, name)):
            os.remove(os.path.join(out, name))


def write_page(path, text):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)
