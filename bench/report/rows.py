# SPDX-License-Identifier: Apache-2.0
"""1 Reading: from the JSON of Google Benchmark, and of ../python, to rows. Whatever columns a program adds arrive here by
their kind: `x_NAME` is rival's time / bitstep's, `of_NAME` a share of what is possible, the rest are figures of a row."""
import json
import re

UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
NO_COLUMNS = {"name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations", "real_time",
              "cpu_time", "time_unit", "family_index", "per_family_instance_index", "error_occurred", "error_message"}
OWN = {"x_one_thread", "x_free_order", "x_free_order_fma"}  # bitstep's own code in another form
FORMS = {"x_two_gemv", "x_blocked"}
NOISY = 15  # per cent, interquartile range over median


class Row:
    """name: without Google Benchmark's own endings. family: up to the first "/", such as `gradient<float>`. fields:
    `d:1024` gives {"d": 1024}, and `nd` is the product of W, A, B and d. us: microseconds of one call."""

    def __init__(self, entry):
        self.name = re.sub(r"/(iterations:\d+|manual_time|real_time|process_time)", "", entry["name"])
        self.family, _, self.rest = self.name.partition("/")
        self.error = entry.get("error_message") if entry.get("error_occurred") else None
        self.us = entry.get("real_time", 0) * UNITS[entry.get("time_unit", "ns")]
        self.columns = {key: value for key, value in entry.items() if key not in NO_COLUMNS}
        self.fields = {key: int(value) for key, value in re.findall(r"(\w+):(\d+)", self.name)}
        if {"W", "A", "B", "d"} <= self.fields.keys():
            self.fields["nd"] = self.fields["W"] * self.fields["A"] * self.fields["B"] * self.fields["d"]

    def number(self, column):
        """None where the row has no such column, or no number in it."""
        value = (self.us or None) if column == "us" else self.columns.get(column)
        return value if isinstance(value, (int, float)) and value == value else None

    def ratios(self):
        """Columns that hold bitstep's speed over another's; `x_allowed` is a limit."""
        return [column for column in self.columns if column.startswith("x_") and column != "x_allowed"]

    def rivals(self):
        """Those of somebody else's code."""
        return [column for column in self.ratios() if column not in OWN]

    def best_rival(self):
        """(its column, the ratio): the lowest. Both forms of OpenBLAS are in `x_openblas` already."""
        found = [(value, column) for column in self.rivals() if column not in FORMS or "x_openblas" not in self.columns
                 if (value := self.number(column)) is not None]
        value, column = min(found, default=(None, None))
        return column, value

    def spread(self):
        return max(self.number("spread_%") or 0, self.number("rivals_spread_%") or 0)

    def noisy(self):
        return self.error is None and self.spread() > NOISY

    def measured(self):
        """The library's size is no time, and a figure all the same."""
        return self.error is None and (self.us > 0 or self.number("MB") is not None)

    def bytes(self):
        """What one call moves: from the columns, as programs do not write it."""
        return (self.number("GB/s") or 0) * 1e3 * self.us


def rows_of(report):
    """The rows of one program's JSON; aggregates (mean, stddev of repetitions) are left out."""
    return [Row(entry) for entry in report.get("benchmarks", []) if entry.get("run_type", "iteration") == "iteration"]


def load(path):
    """One program's JSON, or None where it was stopped before it had written any."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, json.JSONDecodeError):
        return None
