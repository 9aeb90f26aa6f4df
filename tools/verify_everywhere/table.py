# SPDX-License-Identifier: Apache-2.0
"""The table that people read: combinations that differ in nothing but arch and threads share a row."""

from variants import optimised

HEADS = ("target", "compiler", "flags", "arch", "threads", "digest", "verdict")


def in_order(values):
    return list(dict.fromkeys(values))


def joined_by_threads(combinations):
    """{(target, compiler, flags, arch, digest, verdict): [threads]}"""
    rows = {}
    for one in combinations:
        key = (one.target, one.compiler, one.flags, one.arch, one.digest, one.verdict)
        rows.setdefault(key, []).append(str(one.threads) + "*" * bool(one.caller))
    return rows


def rows_of(combinations):
    rows = {}
    for (target, compiler, flags, arch, digest, verdict), threads in joined_by_threads(combinations).items():
        rows.setdefault((target, compiler, flags, tuple(threads), digest, verdict), []).append(arch)
    return [(target, compiler, flags, " ".join(archs), " ".join(threads), digest, verdict)
            for (target, compiler, flags, threads, digest, verdict), archs in rows.items()]


def text(combinations):
    rows = [HEADS] + rows_of(combinations)
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join(lines + ["* called with denormal numbers flushed and rounding upward"])


def slowest(combinations):
    """{target: seconds}, over the flags that optimise and no sanitizer."""
    times = {}
    for one in combinations:
        if optimised(one.flags):
            times[one.target] = max(times.get(one.target, 0), one.seconds)
    return times


def summary(combinations):
    """The last line."""
    if not combinations:
        return "no combination ran"
    equal = [one for one in combinations if one.verdict == "equal"]
    digests = in_order(one.digest for one in combinations)
    again = sum(one.arch == "reference" and one.threads > 1 and not one.caller for one in combinations)
    return (f"{len(combinations)} combinations of target, compiler, flags, arch, threads and caller ({again} of them "
            f"the scalar reference again, which takes one thread whatever it is asked): {len(equal)} equal, "
            f"{len(combinations) - len(equal)} not; "
            + (f"one digest: {digests[0]}" if len(digests) == 1 else f"{len(digests)} digests: {' '.join(digests)}"))
