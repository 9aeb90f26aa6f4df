# SPDX-License-Identifier: Apache-2.0
"""Runs what build.py built: `verify` on each processor of a Variant, and the proof that races are seen. Next: table.py."""
import dataclasses
import os
import signal
import subprocess
import time

from build import Failed
from variants import THREADS

LIMIT = 900  # seconds, for a sanitizer on a busy machine


@dataclasses.dataclass
class Combination:
    """One line of the full table."""
    target: str
    compiler: str
    flags: str
    arch: str
    threads: int
    digest: str
    verdict: str  # "equal", or what is wrong
    seconds: float  # of the whole run that it is part of: all archs and thread counts


def environment_of(variant):
    """Without what would restrict bitstep or OpenMP; waiting threads of 16 sleep on few cores."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("BITSTEP_", "OMP_", "KMP_", "GOMP_"))}
    return {**kept, "OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0", **dict(variant.environment)}


def call(command, variant, log):
    """Exit code and standard output; everything into the log."""
    try:
        done = subprocess.run(command, env=environment_of(variant), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired as slow:
        raise Failed(f"no answer within {LIMIT} s") from slow
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from error
    with open(log, "a", encoding="utf-8") as out:
        out.write(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}exit code {done.returncode}\n")
    return done.returncode, done.stdout


def unrandomized(variant):
    """Where the system spreads addresses over more bits than these compilers' sanitizers know, they end at once."""
    try:
        with open("/proc/sys/vm/mmap_rnd_bits", encoding="ascii") as bits:
            return ["setarch", "-R"] if "-fsanitize" in variant.flags and int(bits.read()) > 28 else []
    except OSError:
        return []


def check_races(variant, programs, log):
    """The sanitizer must report a race that is there, and none that is not."""
    race = [*unrandomized(variant), os.path.join(programs, "bitstep_seeded_race")]
    if call([*race, "race"], variant, log)[0] != 66:
        raise Failed(f"the sanitizer did not report a seeded race, see {log}")
    if call([*race, "ordered"], variant, log)[0] != 0:
        raise Failed(f"the sanitizer reported a race where there is none, see {log}")


def verdict_of(arch, threads, team, numbers, differences, digest, frozen):
    if int(numbers) == 0:
        return "compared nothing"
    if int(differences) != 0 or digest != frozen:
        return "DIFFERENT"
    if arch != "reference" and int(team) != int(threads):
        return f"only {team} threads ran"
    return "equal"


def check_archs(processor, ran, lacking, active):
    """Nothing may be left out in silence; what emulated processors lack is known before."""
    if set(processor.archs) != (set(ran) if processor.emulator else set(ran) | set(lacking)):
        raise Failed(f"ran {' '.join(ran) or 'nothing'}, not {' '.join(processor.archs)}")
    best = [arch for arch in processor.archs if arch in ran][-1]
    if active != best:
        raise Failed(f"chose {active}, not {best}")


def verify(variant, processor, programs, log):
    """The Combinations of one processor, and the archs that it lacks."""
    command = [*unrandomized(variant), *processor.emulator, os.path.join(programs, "bitstep_verify_lines"),
               *map(str, THREADS)]
    start = time.monotonic()
    code, out = call(command, variant, log)
    seconds = round(time.monotonic() - start, 1)
    said = [line.split() for line in out.splitlines()]
    named = {words[0]: words[1] for words in said if len(words) == 2}
    if not {"frozen", "active", "digest"} <= set(named):
        ended = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        raise Failed(f"verify ended early ({ended}), see {log}")
    target = variant.target + (f", {processor.name}" if processor.name else "")
    made = []
    for arch, threads, team, numbers, differences, digest in (words[1:] for words in said if words[0] == "run"):
        verdict = verdict_of(arch, threads, team, numbers, differences, digest, named["frozen"])
        made.append(Combination(target, variant.compiler, variant.flags, arch, int(threads), digest, verdict, seconds))
    if named["digest"] != named["frozen"]:
        raise Failed(f"the comparison's digest is {named['digest']}")
    lacking = [words[1] for words in said if words[0] == "lacks"]
    check_archs(processor, list(dict.fromkeys(one.arch for one in made)), lacking, named["active"])
    if code != 0 and all(one.verdict == "equal" for one in made):
        raise Failed(f"verify ended with exit code {code}, see {log}")
    return made, [] if processor.emulator else lacking


def run_all(variant, programs):
    """As verify, over all processors."""
    log = os.path.join(os.path.dirname(os.path.dirname(programs)), "run.log")
    if os.path.exists(log):
        os.remove(log)
    if variant.checks_races:
        check_races(variant, programs, log)
    combinations, lacks = [], []
    for processor in variant.processors:
        made, lacking = verify(variant, processor, programs, log)
        combinations += made
        lacks += lacking
    return combinations, lacks
