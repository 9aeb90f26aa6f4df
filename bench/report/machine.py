# SPDX-License-Identifier: Apache-2.0
"""Where a run was made: what a reader needs to judge its figures or to repeat them."""
import os
import platform
import subprocess
import time

PACKAGES = ("libopenblas0-pthread", "libblis4-pthread", "libeigen3-dev", "python3-numpy", "python3-torch", "libxsimd-dev")


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


def memory_gb():
    return round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9, 1)


def packages():
    lines = output_of("dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Version}\n", *PACKAGES).splitlines()
    return ", ".join(line.split(" ", 1)[1] for line in lines if line.startswith("installed "))


def describe(command, removed):
    """removed: what was taken out of the environment for the run."""
    found = {
        "command": command,
        "date": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "revision": output_of("git", "describe", "--always", "--dirty") or "unknown",
        "cpu": f"{cpu_name()}, {len(os.sched_getaffinity(0))} usable of {os.cpu_count()}",
        "caches": caches(),
        "memory_GB": memory_gb(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "packages": packages() or "unknown (no dpkg)",
        "load_before": first_line("/proc/loadavg"),
        "huge_pages": first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
    }
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
