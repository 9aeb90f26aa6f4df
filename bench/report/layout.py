# SPDX-License-Identifier: Apache-2.0
"""Figures and tables as text: Markdown, and a terminal of 110 columns."""
import re
import textwrap

WIDTH = 110


def figure(value):
    """Three digits, without an exponent."""
    if value is None:
        return ""
    if value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}" if abs(value) < 0.1 else f"{value:.2f}"


def plain_table(head, body, left, gap=2):
    widths = [max(len(line[i]) for line in [head] + body) for i in range(len(head))]

    def put(line):
        cells = (text.ljust(width) if i in left else text.rjust(width) for i, (text, width) in enumerate(zip(line, widths)))
        return (" " * gap).join(cells).rstrip()

    return [put(head), "-" * min(WIDTH, sum(widths) + gap * (len(widths) - 1))] + [put(line) for line in body]


def narrow_table(head, body, left, least):
    """Without the columns of `least`, one after another, until it fits, with little space between the columns if need be."""
    least = [name for name in least if name in head]
    while True:
        for gap in (2, 1):
            table = plain_table(head, body, left, gap)
            if max(map(len, table)) <= WIDTH or (gap == 1 and not least):
                return table
        at = head.index(least.pop(0))
        head, body = head[:at] + head[at + 1:], [line[:at] + line[at + 1:] for line in body]


def folded(text, indent=""):
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False) or [""]


def markdown_table(head, body, left):
    put = lambda line: "| " + " | ".join(re.sub(r"\|", r"\\|", text) for text in line) + " |"
    return [put(head), "|" + "|".join("---" if i in left else "---:" for i in range(len(head))) + "|"] + [
        put(line) for line in body]
