# SPDX-License-Identifier: Apache-2.0
"""4 Which rows are drawn: bandwidth against size with the machine's own limit as the top line, and the speed over each rival
against d. A picture without two points on any line is not drawn."""
import math
import re
import subprocess
from dataclasses import dataclass, field

import gnuplot

NOT_DRAWN = {"two_gemv", "blocked"}  # parts of another rival's figure


@dataclass
class Panel:
    title: str
    x_name: str
    y_name: str
    lines: dict = field(default_factory=dict)  # name -> [(x, y)]
    at_one: bool = False  # a line at 1: equal to the rival
    base: int = 10  # of the size axis

    def add(self, name, x, y):
        if y is not None and x > 0 and math.isfinite(y) and y > 0:
            self.lines.setdefault(name, []).append((x, y))

    def drawable(self):
        return any(len({x for x, _ in points}) > 1 for points in self.lines.values())


@dataclass
class Picture:
    file: str
    title: str
    sentence: str
    panels: list


def short(column):
    return column[2:]


def chosen_of(rows, pattern):
    return [row for row in rows if re.search(pattern, row.name) and not row.error]


def threads_of(rows):
    return sorted({row.fields.get("threads", 1) for row in rows})


def with_threads(title, threads):
    return f"{title}, {threads} thread{'s' * (threads > 1)}"


def against_size(rows, pattern, limit, x_of, x_name, title):
    """One panel per number of threads: the limit, bitstep, and each rival at the speed that its ratio gives."""
    chosen = [row for row in chosen_of(rows, pattern) if row.number("GB/s")]
    panels = []
    for threads in threads_of(chosen):
        panel = Panel(with_threads(title, threads), x_name, "GB/s")
        for row in chosen:
            if row.fields.get("threads", 1) != threads:
                continue
            x, speed = x_of(row), row.number("GB/s")
            share = row.number(limit)
            panel.add("limit", x, speed / share if share else None)
            panel.add("bitstep", x, speed)
            for column in row.rivals():
                if short(column) not in NOT_DRAWN and row.number(column):
                    panel.add(short(column), x, speed / row.number(column))
        panels.append(panel)
    return panels


def against_rivals(rows, pattern, x_field, x_name, title, base):
    """bitstep's speed over each rival's, with all threads."""
    chosen = [row for row in chosen_of(rows, pattern) if x_field in row.fields]
    most = max(threads_of(chosen), default=0)
    panel = Panel(with_threads(title, most), x_name, "times as fast as the rival", at_one=True, base=base)
    for row in chosen:
        if row.fields.get("threads", 1) == most:
            for column in row.rivals():
                if short(column) not in NOT_DRAWN:
                    panel.add(short(column), row.fields[x_field], row.number(column))
    return panel


def against_one_thread(rows, what, title):
    """A line per d, as rows of other lengths are other work."""
    panel = Panel(title, "bytes (k = 1024)", "speed with all threads / with one", at_one=True, base=2)
    for row in chosen_of(rows, f"^threads/{what}<float>/"):
        d = row.fields.get("d")
        panel.add(f"d = {d}" if d else "bitstep", row.fields.get("bytes", 0), row.number("x_one_thread"))
    return panel


def pictures(rows):
    """All that can be; "above 1: bitstep is faster" where somebody else is in it."""
    speedup = [against_rivals(rows, f"^gradient<{kind}>/native/{where}/", "d", "d, features (k = 1024)",
                              f"gradient, {kind}, {text}", 2)
               for where, text in (("memory", "from memory"), ("L2", "X within L2")) for kind in ("float", "double")]
    return [
        Picture("bandwidth_gradient.svg", "Bandwidth of the gradient",
                "Speed against the size of X, and the machine's read roof, in the rows `gradient<float>/native` of d = 1024; a "
                "rival below bitstep's line is slower.",
                against_size(rows, r"^gradient<float>/native/(L1|L2|past_L2|memory)/d:1024/", "of_roof",
                             lambda row: row.bytes(), "bytes of X", "gradient, float, d = 1024")),
        Picture("bandwidth_adam_ema.svg", "Bandwidth of Adam and EMA",
                "Speed against the number of parameters, and that of a loop with the same reads and writes, in the rows "
                "`adam_ema_update<float>/in_place/check_off`; a rival below bitstep's line is slower.",
                against_size(rows, r"^adam_ema_update<float>/(?!.*(functional|check_on))", "of_stream",
                             lambda row: row.fields["n"], "parameters", "Adam and EMA in place, float")),
        Picture("speedup_gradient.svg", "Gradient: speed over each rival",
                "Rival's time / bitstep's against d, all threads, in the rows `native/memory` and `native/L2`; "
                "above 1: bitstep is faster.", speedup),
        Picture("speedup_threads.svg", "Speed with all threads over one",
                "Time on one thread / with all against the bytes of a call, in the rows `threads/`, a line for each d; above 1: "
                "all threads are faster.",
                [against_one_thread(rows, what, f"{name}, float")
                 for what, name in (("gradient", "gradient"), ("adam_ema_update", "Adam and EMA"),
                                    ("allreduce_mean", "mean of 8 workers"))]),
        Picture("speedup_python.svg", "Adam and EMA: speed over NumPy and torch",
                "Rival's time / bitstep's against the number of parameters, all threads, in the rows `python_adam_ema_update`; "
                "above 1: bitstep is faster.",
                [against_rivals(rows, f"^python_adam_ema_update<{kind}>/", "n", "parameters", f"Adam and EMA, {kind}", 10)
                 for kind in ("float", "double")])]


FILES = [picture.file for picture in pictures([])]


def draw(rows, folder):
    """Those that were drawn, and a line for what was not."""
    drawn, left_out = [], []
    for picture in pictures(rows):
        panels = [panel for panel in picture.panels if panel.drawable()]
        if not panels:
            left_out.append(f"{picture.file}: no line of two points among the rows of this run")
            continue
        try:
            gnuplot.draw(panels, f"{folder}/{picture.file}", picture.title)
            drawn.append(picture)
        except FileNotFoundError:
            return drawn, ["no pictures: gnuplot is not there (Debian: gnuplot-nox)"]
        except subprocess.CalledProcessError as error:
            left_out.append(f"{picture.file}: gnuplot failed: {error.stderr.strip()[-300:]}")
    return drawn, left_out
