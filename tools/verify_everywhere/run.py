# SPDX-License-Identifier: Apache-2.0
"""Runs what build.py built: `verify` on each processor of a Variant, and what looks for races. Next: table.py."""
import dataclasses
import os
import resource
import signal
import subprocess
import time

from build import Failed
from variants import CALLERS, CALLERS_FILTER, THREADS, optimised

LIMIT = 900  # seconds, for a sanitizer on a busy machine
# Seconds for an optimised `verify`, all archs and thread counts, beside other builds; emulated, and not.
EMULATED_LIMIT, NATIVE_LIMIT = 90, 30


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
    caller: str = ""  # "flushed": one that flushes denormal numbers and rounds upward


def unrestricted(environment):
    """This one's environment and that, without what would restrict bitstep or OpenMP; waiting threads of 16 sleep on
    few cores."""
    kept = {key: value for key, value in os.environ.items()
            if not key.startswith(("BITSTEP_", "OMP_", "KMP_", "GOMP_"))}
    return {**kept, "OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0", **dict(environment)}


def call(command, variant, log):
    """Exit code and standard output; everything into the log."""
    try:
        done = subprocess.run(command, env=unrestricted(variant.environment), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=LIMIT, check=False)
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


def check_callers(variant, tests, log):
    """`verify` makes one call at a time; here eight threads call at once, each with a team of its own."""
    command = [*unrandomized(variant), os.path.join(tests, "openmp_test"), CALLERS_FILTER]
    code, out = call(command, variant, log)
    if code != 0:
        raise Failed(f"eight callers at once: exit code {code} (66: a data race), see {log}")
    if f"[  PASSED  ] {CALLERS} tests." not in out:
        raise Failed(f"eight callers at once: not {CALLERS} tests passed, see {log}")


def too_slow(variant, processor, seconds, busy):
    """A complaint, or nothing. `busy`: of processor time, to which a machine with much else to do adds little, while
    the clock has shown there 119 s for what took 27 s another day. So a run must be beyond the limit by both."""
    limit = EMULATED_LIMIT if processor.emulator else NATIVE_LIMIT
    if not optimised(variant.flags) or min(seconds, busy) <= limit:
        return ""
    where = processor.name or "this processor"
    return f"verify on {where} took {seconds:.0f} s, {busy:.0f} s of processor time; {limit} s are allowed"


def children_busy():
    """Seconds of processor time of the processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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
    """The Combinations of one processor, the archs that it lacks, and a complaint if it was slow."""
    command = [*unrandomized(variant), *processor.emulator, os.path.join(programs, "bitstep_verify_lines"),
               *map(str, THREADS)]
    start, busy = time.monotonic(), children_busy()
    code, out = call(command, variant, log)
    seconds, busy = round(time.monotonic() - start, 1), children_busy() - busy
    said = [line.split() for line in out.splitlines()]
    named = {words[0]: words[1] for words in said if len(words) == 2}
    if not {"frozen", "active", "digest"} <= set(named):
        ended = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        raise Failed(f"verify ended early ({ended}), see {log}")
    target = variant.target + (f", {processor.name}" if processor.name else "")
    made = []
    for caller, words in ((caller, words[1:]) for caller in ("run", "flushed") for words in said if words[0] == caller):
        arch, threads, team, numbers, differences, digest = words
        verdict = verdict_of(arch, threads, team, numbers, differences, digest, named["frozen"])
        made.append(Combination(target, variant.compiler, variant.flags, arch, int(threads), digest, verdict, seconds,
                                "" if caller == "run" else caller))
    if named["digest"] != named["frozen"]:
        raise Failed(f"the comparison's digest is {named['digest']}")
    lacking = [words[1] for words in said if words[0] == "lacks"]
    for flushed in ("", "flushed"):
        check_archs(processor, list(dict.fromkeys(one.arch for one in made if one.caller == flushed)), lacking,
                    named["active"])
    if code != 0 and all(one.verdict == "equal" for one in made):
        raise Failed(f"verify ended with exit code {code}, see {log}")
    return made, [] if processor.emulator else lacking, too_slow(variant, processor, seconds, busy)


def run_all(variant, programs):
    """As verify, over all processors; a list of complaints."""
    made_in = os.path.dirname(os.path.dirname(programs))
    log = os.path.join(made_in, "run.log")
    if os.path.exists(log):
        os.remove(log)
    if variant.checks_races:
        check_races(variant, programs, log)
        check_callers(variant, os.path.join(made_in, "tests"), log)
    combinations, lacks, complaints = [], [], []
    for processor in variant.processors:
        made, lacking, slow = verify(variant, processor, programs, log)
        combinations += made
        lacks += lacking
        complaints += [slow] * bool(slow)
    return combinations, lacks, complaints
