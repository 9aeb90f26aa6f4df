# SPDX-License-Identifier: Apache-2.0
"""2 Against the best of all rivals: per group of rows, each row counts with the lowest of its ratios, whoever holds it."""
import collections
import re
import statistics
from dataclasses import dataclass

TIE = (0.98, 1.02)  # nobody wins within these


def wins(ratio):
    """A rival does, in the two digits that a table shows."""
    return round(ratio, 2) < TIE[0]


@dataclass
class Group:
    name: str
    rows: int
    noisy: int
    lost: int  # rows that a rival wins
    worst: float
    worst_rival: str
    worst_row: str
    median: float
    rival: str  # the best one in most rows


def group_of(row):
    """What stands before the first key:value, such as `gradient<float>/native/memory`."""
    return re.split(r"/\w+:\d", row.name)[0]


def group(name, found):
    """found: (ratio, column, row)"""
    worst, column, row = min(found, key=lambda each: each[0])
    most = collections.Counter(column for _, column, _ in found).most_common(1)[0][0]
    return Group(name, len(found), sum(row.noisy() for _, _, row in found), sum(wins(ratio) for ratio, _, _ in found),
                 worst, column[2:], row.name, statistics.median(ratio for ratio, _, _ in found), most[2:])


def best_rivals(rows):
    groups = {}
    for row in rows:
        column, ratio = row.best_rival()
        if column is not None and row.error is None:
            groups.setdefault(group_of(row), []).append((ratio, column, row))
    return [group(name, found) for name, found in groups.items()]
