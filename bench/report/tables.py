# SPDX-License-Identifier: Apache-2.0
"""3 Writing: the same tables as Markdown and for a terminal: verdicts, the best rivals, then every row. A figure that a rival
wins is bold in Markdown and marked "<" in the terminal: such rows stay where they are."""
from layout import WIDTH, figure, folded, markdown_table, narrow_table
from machine import head
from rows import NOISY
from summary import TIE, best_rivals, wins

FIRST = ["us", "GB/s", "spread_%"]
BESIDE = {"roof_GB/s": "of_roof", "stream_GB/s": "of_stream"}  # a share says nothing without its whole
APART = {"wide", "check_on"}
NOT_SHOWN = {"x_blocked"}  # in x_openblas already, and mostly the same
# What a narrow terminal does without, in this order; Markdown keeps all.
LEAST = ["team", "rivals_spread_%", "spread_%", "x_free_order", "x_free_order_fma", "GB/s", "x_two_gemv"]

ABOUT_ROOFS = ("Shares of a roof compare within their row only: a shared machine's bandwidth changes by a factor of two within "
               "minutes, so each row has its own roof beside it (roof_GB/s, stream_GB/s).")
ABOUT_RATIOS = f"x_NAME: rival's time / bitstep's; above 1 bitstep is faster, {TIE[0]} to {TIE[1]} is a tie"
ABOUT_NOISE = (f"~ before a name: a noisy row, whose spread_% or rivals_spread_% is above {NOISY}; another run may well give it "
               "another verdict.")
ABOUT_BEST = ("Each row counts with its best rival in that rival's best form: the lowest x_ column. Worst and median are over "
              "the rows of a group; lost: rows that a rival wins. In distributed_step rows BLAS and naive compute the gradient only, "
              "bitstep and Eigen the whole step.")
# Tables without a rival say what is good in them.
NO_RIVAL = {
    "price": "Nobody else's code is here. price_fixed_order: bitstep's time / its own kernel's in free order; lower is better, 1 "
             "is no price. price_no_fma: what leaving out fused multiply-add costs; lower is better, too.",
    "threads": "Nobody else's code is here. x_one_thread: time on one thread / with all; higher is better, and x_allowed is the "
               "least that the target allows.",
    "library": "The whole library as a shared one, without symbols."}


def verdict_lines(verdicts, markdown):
    names = ["what", "target", "worst", "median", "verdict", "worst row"]
    if markdown:
        return markdown_table(names, [
            [each.what + (f" ({each.note})" if each.note else ""), each.target, figure(each.worst), figure(each.median),
             each.met(), f"`{each.worst_row}`" if each.rows else ""] for each in verdicts], left=(0, 1, 4, 5))
    # Sentences and names are long: each has a line of its own, the figures the next one.
    lines = []
    for each in verdicts:
        lines.append(each.what)
        figures = f"; worst {figure(each.worst)}, median {figure(each.median)}" if each.rows else ""
        lines.append(f"    {each.target}: {each.met()}{figures}")
        if each.rows and each.met_rows < each.rows:
            lines.append(f"    worst: {each.worst_row}"[:WIDTH])
    return lines


def best_lines(rows, markdown):
    names = ["rows of", "rows", "noisy", "lost", "worst", "against", "median", "most often"]
    body = [[each.name, str(each.rows), str(each.noisy), str(each.lost), figure(each.worst), each.worst_rival,
             figure(each.median), each.rival] for each in best_rivals(rows)]
    if not markdown:
        return narrow_table(names, body, (0, 5, 7), [])
    return markdown_table(names, [[f"`{line[0]}`", *line[1:]] for line in body], left=(0, 5, 7))


def groups(rows):
    """Title -> rows, in the order of the run. Rows with columns of their own have a table of their own."""
    found = {}
    for row in rows:
        apart = [part for part in row.rest.split("/") if part in APART]
        found.setdefault(", ".join([row.family, *apart]), []).append(row)
    return found


def columns_of(rows):
    """Time and speed first, then shares, each with its roof, then ratios, then what is left. A column without a number in all
    of these rows is left out, and so are texts."""
    names = ["us"] if any(row.number("us") for row in rows) else []
    for row in rows:
        names += [name for name in row.columns if name not in names and row.number(name) is not None]
    names = [name for name in names if name not in NOT_SHOWN or "x_openblas" not in names]
    rank = lambda name: 0 if name.startswith("of_") else 1 if name.startswith("x_") else 2
    place = lambda name: (rank(BESIDE.get(name, name)), names.index(BESIDE.get(name, name)) if BESIDE.get(name) in names
                          else names.index(name), name in BESIDE)
    return [name for name in FIRST if name in names] + sorted((name for name in names if name not in FIRST), key=place)


def cell(row, column, markdown):
    value = row.number(column)
    text = figure(value) if column != "team" or value is None else f"{value:.0f}"
    if value is not None and column in row.rivals() and wins(value):
        return f"**{text}**" if markdown else f"<{text}"
    return text


def group_lines(rows, markdown):
    columns = columns_of(rows)
    body = []
    for row in rows:
        name = row.rest or row.name
        # A row that failed says so in the place of its name, and has no figures.
        name = ("~ " if row.noisy() else "") + (f"`{name}`" if markdown else name) + (
            f" FAILED: {row.error}" if row.error else "")
        body.append([name] + ["" if row.error else cell(row, column, markdown) for column in columns])
    if markdown:
        return markdown_table(["row"] + columns, body, left=(0,))
    return narrow_table(["row"] + columns, body, (0,), LEAST)


def terminal(machine, verdicts, rows):
    lines = [part for line in head(machine) for part in folded(line, "    ")] + ["", "Targets"] + verdict_lines(verdicts, markdown=False)
    best = best_lines(rows, markdown=False)
    if len(best) > 2:
        lines += ["", "Against the best of all rivals"] + best + folded(ABOUT_BEST)
    for title, members in groups(rows).items():
        lines += ["", title] + group_lines(members, markdown=False)
    lines += ["", f"{ABOUT_RATIOS};", "< before a figure: the rival wins. of_NAME: share of the possible."]
    return "\n".join(lines + folded(ABOUT_NOISE) + folded(ABOUT_ROOFS))


def markdown(machine, verdicts, rows):
    lines = ["### Where and how", ""] + [f"- {line}" for line in head(machine)]
    lines += ["", "### Targets", "", ABOUT_ROOFS, ""] + verdict_lines(verdicts, markdown=True)
    best = best_lines(rows, markdown=True)
    if len(best) > 2:
        lines += ["", "### Against the best of all rivals", "", ABOUT_BEST, ""] + best
    lines += ["", "### All rows", "", f"us: median time of a call. {ABOUT_RATIOS}, and bold where the rival wins. of_NAME: share "
              f"of the possible speed. {ABOUT_NOISE} Columns: `bench/README.md`."]
    for title, members in groups(rows).items():
        about = [NO_RIVAL[title], ""] if title in NO_RIVAL else []
        lines += ["", f"#### `{title}`", "", *about] + group_lines(members, markdown=True)
    return "\n".join(lines) + "\n"
