# SPDX-License-Identifier: Apache-2.0
"""How gnuplot draws panels: two in a row, all with the same y axis, so that heights compare."""
import re
import subprocess

# Told apart by every kind of eye (Okabe and Ito); bitstep is blue, the limit black.
COLOURS = {"limit": "#000000", "bitstep": "#0072b2", "openblas": "#d55e00", "blis": "#009e73", "eigen": "#cc79a7",
           "naive": "#999999", "mkl": "#e69f00", "numpy": "#d55e00", "torch": "#009e73", "torch_stack": "#cc79a7",
           "jax": "#e69f00", "running_sum": "#56b4e9", "eigen_folded": "#999999", "d = 16": "#d55e00", "d = 64": "#009e73", "d = 1024": "#0072b2"}
SPARE = "#56b4e9"
TICKS = 7  # on a size axis; more of them collide
LEGEND = 56  # letters in a row of it
RATIOS = ", ".join(f"{digit * 10 ** power:g}" for power in range(-2, 4) for digit in (1, 2, 5))


def size_name(number):
    """256k, 1M: k is 1024 where the number is a multiple of it."""
    for unit, names in ((1024, "kM"), (1000, "kM")):
        for power, letter in ((2, "M"), (1, "k")):
            if number >= unit ** power and number % unit ** power == 0:
                return f"{number // unit ** power}{letter}"
    return str(number)


def size_ticks(low, high, base):
    """Powers of 2 or 10 within the axis, evenly skipped."""
    powers = [base ** power for power in range(64) if low <= base ** power <= high]
    step = -(-len(powers) // TICKS) or 1
    return "(" + ", ".join(f"'{size_name(power)}' {power}" for power in powers[::step]) + ")"


def y_range(panels):
    """Of all panels of a picture: (low, high, on a log scale or not)."""
    ys = [y for panel in panels for points in panel.lines.values() for _, y in points]
    # Ratios over a wide range are read on a log scale; bandwidth starts at 0.
    if all(panel.at_one for panel in panels) and max(ys) / min(ys) > 8:
        return min(min(ys) / 1.2, 0.9), max(max(ys), 1) * 1.2, True
    return 0, max(ys + [1]) * 1.08, False


def axes(panel, ys):
    xs = [x for points in panel.lines.values() for x, _ in points]
    low, high, log = ys
    left, right = min(xs) / 1.3, max(xs) * 1.3
    return [f"set title '{panel.title}'", f"set xlabel '{panel.x_name}'", f"set ylabel '{panel.y_name}'",
            f"set logscale x {panel.base}", f"set xtics {size_ticks(left, right, panel.base)}",
            f"set logscale y\nset ytics ({RATIOS})" if log else "unset logscale y", "set format y '%g'",
            f"set xrange [{left}:{right}]", f"set yrange [{low}:{high}]"]


def title_of(name):
    return {"limit": "limit of the machine"}.get(name, name)


def curves(panel, number):
    found = []
    for index, (name, points) in enumerate(panel.lines.items()):
        own = name in ("limit", "bitstep")
        # Two points are two measurements and no course.
        few = len({x for x, _ in points}) <= 2
        kind = ("points pointtype 4 pointsize 1" if name == "limit" else "points pointtype 7 pointsize 0.8") if few else (
            "lines dashtype (6,4)" if name == "limit" else "linespoints pointtype 7 pointsize 0.5")
        found.append(f"$p{number}_{index} using 1:2 with {kind} linewidth {2.4 if own else 1.4} "
                     f"linecolor rgb '{COLOURS.get(name, SPARE)}' title '{title_of(name)}'")
    if panel.at_one:
        found.append("1 with lines linewidth 1 dashtype (2,3) linecolor rgb '#000000' title 'equal'")
    return found


def legend_rows(panel):
    """As many entries side by side as fit, as gnuplot does it."""
    names = list(map(title_of, panel.lines)) + ["equal"] * panel.at_one
    across = max(1, LEGEND // (max(map(len, names)) + 6))
    return -(-len(names) // across)


def script(panels, path):
    across = min(2, len(panels))
    down = -(-len(panels) // across)
    legend = max(map(legend_rows, panels))
    lines = [f"set terminal svg size {520 * across},{400 * down} font 'sans-serif,13' noenhanced background rgb 'white'",
             f"set output '{path}'", "set encoding utf8", "set border 3 linecolor rgb '#666666'",
             "set tics nomirror textcolor rgb '#333333'",
             "set grid xtics ytics linetype 1 linewidth 1 linecolor rgb '#e4e4e4'",
             "set key outside below center horizontal samplen 2 maxrows 3",
             f"set bmargin {3.8 + legend}", f"set multiplot layout {down},{across}"]
    ys = y_range(panels)
    for number, panel in enumerate(panels):
        for index, points in enumerate(panel.lines.values()):
            lines += [f"$p{number}_{index} << END", *(f"{x} {y}" for x, y in sorted(points)), "END"]
        lines += axes(panel, ys)
        lines.append("plot " + ", ".join(curves(panel, number)))
    return "\n".join(lines + ["unset multiplot", "set output", ""])


def draw(panels, path, title):
    """gnuplot calls every SVG "Gnuplot"; a reader of the page is told what it is."""
    subprocess.run(["gnuplot"], input=script(panels, path), text=True, check=True, capture_output=True)
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"<title>gnuplot_plot_\w+</title>", "", file.read())
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("<title>Gnuplot</title>", f"<title>{title}</title>", 1))
