# SPDX-License-Identifier: Apache-2.0
"""Where a run was made: what a reader needs to judge its figures or to repeat them."""
import os
import platform
import re
import subprocess
import time

PACKAGES = ("libopenblas0-pthread", "libblis4-pthread", "libeigen3-dev", "python3-numpy", "python3-torch", "libxsimd-dev")


BUSY = 0.5  # load above which others are in the figures


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return ""


def first_line(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().strip()
    except OSError:
        return ""


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        return found[0] if found else platform.machine()
    except OSError:
        return platform.machine()


def caches():
    """"L1d 32K, L2 1024K, L3 32768K" of the first CPU, as the kernel says."""
    found = []
    for index in range(8):
        at = f"/sys/devices/system/cpu/cpu0/cache/index{index}/"
        level, kind, size = (first_line(at + name) for name in ("level", "type", "size"))
        if size and kind != "Instruction":
            found.append(f"L{level}{'d' if kind == 'Data' else ''} {size}")
    return ", ".join(found) or "unknown"


def last_level(caches_of_benchmarks, of_kernel):
    """The two may differ: a virtual machine's kernel is told a share of a cache that the CPU itself tells whole."""
    found = re.search(r"L3 (\d+)K", of_kernel)
    used = re.search(r"(\d+)K$", caches_of_benchmarks)
    if not found or not used or found.group(1) == used.group(1):
        return caches_of_benchmarks
    return (f"{caches_of_benchmarks} (L1d / L2 / last level: the kernel's /sys says {found.group(1)}K, the C library's sysconf "
            f"{used.group(1)}K; the benchmarks take the larger one)")


def load_of(text):
    """Means of 1, 5 and 15 minutes as /proc/loadavg has them; None where it is not there."""
    found = re.match(r"(\d+\.\d+) (\d+\.\d+) (\d+\.\d+)", text or first_line("/proc/loadavg"))
    return tuple(map(float, found.groups())) if found else None


def load_note(text):
    """Said before a run, on a machine that is not idle."""
    load = load_of(text)
    return f"load {load[0]:.1f}: other programs are running; figures will be noisy" if load and load[0] > BUSY else None


def load_words(text):
    load = load_of(text)
    if load is None:
        return "unknown"
    return (f"{load[0]:.1f} programs running in the minute before the run, {load[1]:.1f} in 5 minutes, {load[2]:.1f} in 15: " +
            ("busy, figures may be noisy" if load[0] > BUSY else "idle"))


def memory_gb():
    return round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9, 1)


def packages():
    lines = output_of("dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Version}\n", *PACKAGES).splitlines()
    return ", ".join(line.split(" ", 1)[1] for line in lines if line.startswith("installed "))


def describe(command, name_filter, load, removed):
    """load: /proc/loadavg of before the build, or None for now; removed: what was taken out of the environment for the run."""
    found = {
        "command": command,
        "date": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "revision": output_of("git", "describe", "--always", "--dirty") or "unknown",
        "cpu": f"{cpu_name()}, {len(os.sched_getaffinity(0))} usable of {os.cpu_count()}",
        "caches": caches(),
        "memory_GB": memory_gb(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "packages": packages() or "unknown (no dpkg)",
        "load_before": load or first_line("/proc/loadavg"),
        "huge_pages": first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
    }
    if name_filter:
        found["filter"] = name_filter
    if removed:
        found["environment"] = "; ".join(removed)
    return found


# Said by the programs: the same in all, or the first one's.
SAID = {"bitstep": "bitstep", "compiler of the benchmarks": "compiler", "caches (L1d / L2 / last)": "caches_of_benchmarks",
        "threads": "threads", "numpy": "numpy", "torch": "torch", "jax": "jax", "python": "python", "openblas": "openblas",
        "blis": "blis", "mkl": "mkl", "eigen": "eigen"}


def add_contexts(found, contexts):
    for context in contexts:
        for key, name in SAID.items():
            if key in context:
                found.setdefault(name, context[key])
    return found


def head(found):
    """The lines of a report's head, in words where a value does not speak for itself."""
    shown = {key: value for key, value in found.items() if isinstance(value, (str, int, float))}
    if "load_before" in shown:
        shown["load_before"] = load_words(shown["load_before"])
    if "caches_of_benchmarks" in shown:
        shown["caches_of_benchmarks"] = last_level(shown["caches_of_benchmarks"], str(shown.get("caches", "")))
    return [f"{key}: {value}" for key, value in shown.items()]
