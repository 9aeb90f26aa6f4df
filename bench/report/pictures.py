# SPDX-License-Identifier: Apache-2.0
"""4 Drawing, by gnuplot: bandwidth against size with the machine's own limit as the top line, and the speed over each
rival against d. A picture without two points on any line is not drawn."""
import math
import re
import subprocess
from dataclasses import dataclass, field

# Told apart by every kind of eye (Okabe and Ito); bitstep is blue, the limit black.
COLOURS = {"limit": "#000000", "bitstep": "#0072b2", "openblas": "#d55e00", "blis": "#009e73", "eigen": "#cc79a7",
           "naive": "#999999", "mkl": "#e69f00", "numpy": "#d55e00", "torch": "#009e73", "torch_stack": "#cc79a7",
           "jax": "#e69f00", "running_sum": "#56b4e9"}
SPARE = "#56b4e9"
NOT_DRAWN = {"two_gemv", "blocked", "eigen_folded"}  # parts of another rival's figure


@dataclass
class Panel:
    title: str
    x_name: str
    y_name: str
    lines: dict = field(default_factory=dict)  # name -> [(x, y)]
    at_one: bool = False  # a line at 1: equal to the rival

    def add(self, name, x, y):
        if y is not None and x > 0 and math.isfinite(y) and y > 0:
            self.lines.setdefault(name, []).append((x, y))

    def drawable(self):
        return any(len({x for x, _ in points}) > 1 for points in self.lines.values())


def short(column):
    return column[2:]


def threads_of(rows):
    return sorted({row.fields.get("threads", 1) for row in rows})


def against_size(rows, pattern, limit, x_of, x_name, title):
    """One panel per number of threads: the limit, bitstep, and each rival at the speed that its ratio gives."""
    chosen = [row for row in rows if re.search(pattern, row.name) and not row.error and row.number("GB/s")]
    panels = []
    for threads in threads_of(chosen):
        panel = Panel(f"{title}, {threads} thread{'s' * (threads > 1)}", x_name, "GB/s")
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


def against_rivals(rows, pattern, x_field, x_name, title):
    """bitstep's speed over each rival's, with all threads."""
    chosen = [row for row in rows if re.search(pattern, row.name) and not row.error and x_field in row.fields]
    most = max(threads_of(chosen), default=0)
    panel = Panel(f"{title}, {most} thread{'s' * (most > 1)}", x_name, "times as fast as the rival", at_one=True)
    for row in chosen:
        if row.fields.get("threads", 1) == most:
            for column in row.rivals():
                if short(column) not in NOT_DRAWN:
                    panel.add(short(column), row.fields[x_field], row.number(column))
    return panel


def pictures(rows):
    """file name -> panels"""
    speedup = [against_rivals(rows, f"^gradient<{kind}>/native/{where}/", "d", "d, features", f"gradient, {kind}, {text}")
               for where, text in (("memory", "from memory"), ("L2", "X within L2")) for kind in ("float", "double")]
    return {
        "bandwidth_gradient.svg": against_size(
            rows, r"^gradient<float>/native/(L1|L2|past_L2|memory)/d:1024/", "of_roof", lambda row: row.bytes(),
            "bytes of X", "gradient, float, d = 1024"),
        "bandwidth_adam_ema.svg": against_size(
            rows, r"^adam_ema_update<float>/(?!.*(functional|check_on))", "of_stream", lambda row: row.fields["n"],
            "parameters", "Adam and EMA in place, float"),
        "speedup_gradient.svg": speedup,
        "speedup_threads.svg": [
            against_rivals(rows, f"^threads/{what}<float>/", "bytes", "bytes", f"{name}, float")
            for what, name in (("gradient", "gradient"), ("adam_ema_update", "Adam and EMA"))],
        "speedup_python.svg": [
            against_rivals(rows, f"^python_adam_ema_update<{kind}>/", "n", "parameters", f"Adam and EMA, {kind}")
            for kind in ("float", "double")]}


def script(panels, path, terminal="svg"):
    """Panels side by side, two in a row."""
    across = min(2, len(panels))
    down = -(-len(panels) // across)
    size = f"size {520 * across},{400 * down}"
    font = "svg {} font 'sans-serif,13'" if terminal == "svg" else "pngcairo {} font 'Sans,10'"
    lines = [f"set terminal {font.format(size)} noenhanced background rgb 'white'", f"set output '{path}'",
             "set encoding utf8", "set border 3 linecolor rgb '#666666'", "set tics nomirror textcolor rgb '#333333'",
             "set grid xtics ytics linetype 1 linewidth 1 linecolor rgb '#e4e4e4'", "set logscale x",
             "set key outside below center horizontal samplen 2 maxrows 3", "set bmargin 7.5",
             f"set multiplot layout {down},{across}"]
    for number, panel in enumerate(panels):
        for index, points in enumerate(panel.lines.values()):
            lines += [f"$p{number}_{index} << END", *(f"{x} {y}" for x, y in sorted(points)), "END"]
        lines += axes(panel)
        lines.append("plot " + ", ".join(curves(panel, number)))
    return "\n".join(lines + ["unset multiplot", "set output", ""])


def axes(panel):
    points = [point for line in panel.lines.values() for point in line]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    # Ratios over a wide range are read on a log scale; bandwidth starts at 0, so that heights compare.
    log = panel.at_one and max(ys) / min(ys) > 8
    low = min(ys) / 1.2 if log else 0
    kind = "binary" if panel.x_name.startswith("d,") else "decimal"
    format_x = {"binary": "set logscale x 2\nset format x '%.0f'", "decimal": "set logscale x 10\nset format x '%.0s%c'"}
    return [f"set title '{panel.title}'", f"set xlabel '{panel.x_name}'", f"set ylabel '{panel.y_name}'", format_x[kind],
            "set logscale y" if log else "unset logscale y", "set format y '%g'",
            f"set xrange [{min(xs) / 1.3}:{max(xs) * 1.3}]", f"set yrange [{min(low, 0.9) if log else low}:{max(ys) * 1.08}]"]


def curves(panel, number):
    found = []
    for index, name in enumerate(panel.lines):
        own = name in ("limit", "bitstep")
        marks = "with lines dashtype (6,4)" if name == "limit" else "with linespoints pointtype 7 pointsize 0.5"
        title = {"limit": "limit of the machine"}.get(name, name)
        found.append(f"$p{number}_{index} using 1:2 {marks} linewidth {2.4 if own else 1.4} "
                     f"linecolor rgb '{COLOURS.get(name, SPARE)}' title '{title}'")
    if panel.at_one:
        found.append("1 with lines linewidth 1 dashtype (2,3) linecolor rgb '#000000' title 'equal'")
    return found


def draw(rows, folder):
    """Names of the files that were drawn, and a line for what was not."""
    drawn, left_out = [], []
    for name, panels in pictures(rows).items():
        panels = [panel for panel in panels if panel.drawable()]
        if not panels:
            left_out.append(f"{name}: no line of two points among the rows of this run")
            continue
        try:
            subprocess.run(["gnuplot"], input=script(panels, f"{folder}/{name}"), text=True, check=True,
                           capture_output=True)
            drawn.append(name)
        except FileNotFoundError:
            return drawn, ["no pictures: gnuplot is not there (Debian: gnuplot-nox)"]
        except subprocess.CalledProcessError as error:
            left_out.append(f"{name}: gnuplot failed: {error.stderr.strip()[-300:]}")
    return drawn, left_out
