# SPDX-License-Identifier: Apache-2.0
"""3 Writing: the same two tables as Markdown and for a terminal of 110 columns: verdicts, then every row. A figure below 1
against a rival is bold in Markdown and marked "<" in the terminal: rows that a rival wins stay where they are."""
import re

WIDTH = 110
FIRST = ["us", "GB/s", "spread_%"]
# What a narrow terminal does without, in this order; Markdown keeps all.
LEAST = ["team", "rivals_spread_%", "stream_GB/s", "roof_GB/s", "x_blocked", "x_two_gemv", "spread_%", "x_running_sum", "x_naive",
         "x_free_order", "x_free_order_fma"]


def figure(value):
    """Three digits, without an exponent."""
    if value is None:
        return ""
    if value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}" if abs(value) < 0.1 else f"{value:.2f}"


def verdict_lines(verdicts, markdown):
    head = ["what", "target", "worst", "median", "verdict", "worst row"]
    lines = []
    for each in verdicts:
        row = [each.what, each.target, figure(each.worst), figure(each.median), each.met(),
               each.worst_row if each.rows else ""]
        if markdown:
            row = [row[0] + (f" ({each.note})" if each.note else "")] + row[1:5] + [f"`{row[5]}`" if row[5] else ""]
        lines.append(row)
    if markdown:
        return markdown_table(head, lines, left=(0, 1, 4, 5))
    # The worst row's name is long: it stands on a line of its own, where something is not met.
    text = plain_table(head[:5], [line[:5] for line in lines], left=(0, 1, 4))
    result = text[:2]
    for line, each in zip(text[2:], verdicts):
        result.append(line)
        if each.rows and each.met_rows < each.rows:
            result.append(f"    worst: {each.worst_row}"[:WIDTH])
    return result


def groups(rows):
    """family -> rows, in the order of the run."""
    found = {}
    for row in rows:
        found.setdefault(row.family, []).append(row)
    return found


def columns_of(rows):
    """Time and speed first, then shares of the roofs, then rivals, then what is left; texts are left out."""
    names = []
    for row in rows:
        names += [name for name in row.columns if name not in names and row.number(name) is not None]
    rank = lambda name: 0 if name.startswith("of_") else 1 if name.startswith("x_") else 2
    return ["us"] + [name for name in FIRST[1:] if name in names] + sorted(
        (name for name in names if name not in FIRST), key=lambda name: (rank(name), names.index(name)))


def cell(row, column, markdown):
    value = row.number(column)
    text = figure(value) if column != "team" or value is None else f"{value:.0f}"
    if value is not None and column in row.rivals() and value < 1:
        return f"**{text}**" if markdown else f"<{text}"
    return text


def group_lines(rows, markdown):
    columns = columns_of(rows)
    # A row that failed says so in the place of its name, and has no figures.
    names = [row.rest or row.name for row in rows]
    if markdown:
        body = [[f"`{name}`" + (f" FAILED: {row.error}" if row.error else "")] +
                ["" if row.error else cell(row, column, True) for column in columns] for name, row in zip(names, rows)]
        return markdown_table(["row"] + columns, body, left=(0,))
    body = [[name + (f" FAILED: {row.error}" if row.error else "")] +
            ["" if row.error else cell(row, column, False) for column in columns] for name, row in zip(names, rows)]
    head = ["row"] + columns
    for least in LEAST:
        table = plain_table(head, body, left=(0,))
        if len(table[0]) <= WIDTH:
            break
        if least in head:
            at = head.index(least)
            head, body = head[:at] + head[at + 1:], [line[:at] + line[at + 1:] for line in body]
    return plain_table(head, body, left=(0,))


def plain_table(head, body, left):
    widths = [max(len(line[i]) for line in [head] + body) for i in range(len(head))]

    def put(line):
        cells = (text.ljust(width) if i in left else text.rjust(width) for i, (text, width) in enumerate(zip(line, widths)))
        return "  ".join(cells).rstrip()

    return [put(head), "-" * min(WIDTH, sum(widths) + 2 * (len(widths) - 1))] + [put(line) for line in body]


def markdown_table(head, body, left):
    put = lambda line: "| " + " | ".join(re.sub(r"\|", r"\\|", text) for text in line) + " |"
    return [put(head), "|" + "|".join("---" if i in left else "---:" for i in range(len(head))) + "|"] + [
        put(line) for line in body]


def machine_lines(machine):
    return [f"{key}: {value}" for key, value in machine.items() if isinstance(value, (str, int, float))]


def terminal(machine, verdicts, rows):
    lines = machine_lines(machine) + ["", "Targets"] + verdict_lines(verdicts, markdown=False)
    for family, members in groups(rows).items():
        lines += ["", family] + group_lines(members, markdown=False)
    return "\n".join(lines + ["", "x_NAME: rival's time / bitstep's; < 1: the rival wins. of_NAME: share of the possible."])


def markdown(machine, verdicts, rows):
    lines = ["### Where and how", ""] + [f"- {line}" for line in machine_lines(machine)]
    lines += ["", "### Targets", ""] + verdict_lines(verdicts, markdown=True)
    lines += ["", "### All rows", "", "`us`: median time of a call. `x_NAME`: time of the rival / time of bitstep; bold where "
              "the rival wins. `of_NAME`: share of the possible speed. Columns: `bench/README.md`."]
    for family, members in groups(rows).items():
        lines += ["", f"#### `{family}`", ""] + group_lines(members, markdown=True)
    return "\n".join(lines) + "\n"
