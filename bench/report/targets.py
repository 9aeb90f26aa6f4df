# SPDX-License-Identifier: Apache-2.0
"""2 Judging: a row per target (targets.json), from every measured row that it speaks of. A target is met where its worst
row meets it; a target without a row is "not measured", never met."""
import json
import os
import re
import statistics
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))


def load_targets(path=os.path.join(HERE, "targets.json")):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["targets"]


@dataclass
class Verdict:
    what: str
    target: str
    worst: float = None
    median: float = None
    worst_row: str = ""
    met_rows: int = 0
    rows: int = 0
    noisy: int = 0
    note: str = ""

    def met(self):
        if self.rows == 0:
            return "not measured"
        noisy = f" ({self.noisy} noisy)" if self.noisy else ""
        if self.met_rows < self.rows:
            return f"NOT met: {self.met_rows} of {self.rows} rows reach it{noisy}"
        return ("met: its only row" if self.rows == 1 else f"met: all {self.rows} rows") + noisy


def speaks_of(target, row):
    """A regular expression on the name; fields within [low, high], where the row has to have the field."""
    if row.error or not re.search(target["rows"], row.name):
        return False
    ranges = target.get("fields", {})
    return all(name in row.fields and low <= row.fields[name] <= high for name, (low, high) in ranges.items())


def value_of(target, row):
    """Several columns: the smallest, so that it is against the best of these rivals. `over`: a limit that is the row's own."""
    found = [value for value in map(row.number, target["columns"]) if value is not None]
    limit = row.number(target["over"]) if "over" in target else 1.0
    return min(found) / limit if found and limit else None


def values(target, rows):
    """(value, row) of the rows that a target speaks of."""
    pairs = ((value_of(target, row), row) for row in rows if speaks_of(target, row))
    return [(value, row) for value, row in pairs if value is not None]


def judge(target, rows):
    verdict = Verdict(target["what"], target["target"], note=target.get("note", ""))
    found = values(target, rows)
    if not found:
        return verdict
    at_least = "at_least" in target
    limit = target["at_least"] if at_least else target["at_most"]
    verdict.worst, verdict.worst_row = (min if at_least else max)((value, row.name) for value, row in found)
    verdict.noisy = sum(row.noisy() for _, row in found)
    verdict.median = statistics.median(value for value, _ in found)
    verdict.rows = len(found)
    verdict.met_rows = sum(value >= limit if at_least else value <= limit for value, _ in found)
    return verdict


def judge_all(rows, targets=None):
    return [judge(target, rows) for target in (load_targets() if targets is None else targets)]
