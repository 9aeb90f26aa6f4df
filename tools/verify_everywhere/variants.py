# SPDX-License-Identifier: Apache-2.0
"""What is built and where it runs: one Variant for each compiler and set of flags. Next: build.py."""
import dataclasses

THREADS = (1, 2, 3, 7, 16)
CALLERS = 4  # tests of openmp_test that CALLERS_FILTER finds: two, in float and double
CALLERS_FILTER = "--gtest_filter=*.eight_callers_*"
GCC_11, GCC_12, CLANG_14, CLANG_16 = "g++-11", "g++-12", "clang++-14", "clang++-16"
COMPILERS = (GCC_11, GCC_12, CLANG_14, CLANG_16)
CROSS = "aarch64-linux-gnu-g++"
ARCHER = "/usr/lib/llvm-14/lib/libarcher.so"  # in Debian's libomp-14-dev


@dataclasses.dataclass(frozen=True)
class Processor:
    """Where a build runs, and the archs that it must run there, from plainest to best: it must choose the last by
    itself. Of this machine's own processor nobody knows before; what it lacks is said."""
    name: str
    emulator: tuple
    archs: tuple


HERE = Processor("", (), ("reference", "baseline", "avx2", "avx512"))
NEHALEM = Processor("Nehalem", ("qemu-x86_64-static", "-cpu", "Nehalem"), ("reference", "baseline"))  # no AVX, no FMA
# Less what the emulator warns of, once for each thread.
HASWELL = Processor("Haswell", ("qemu-x86_64-static", "-cpu", "Haswell,-pcid,-x2apic,-tsc-deadline,-hle,-invpcid,-rtm"),
                    ("reference", "baseline", "avx2"))
CORTEX = Processor("Cortex-A53", ("qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu", "-cpu", "cortex-a53"),
                   ("reference", "neon64"))


@dataclasses.dataclass(frozen=True)
class Variant:
    compiler: str
    flags: str  # of every source; the kernels' own -m flags come behind them
    target: str = "x86_64"
    processors: tuple = (HERE,)
    environment: tuple = ()
    checks_races: bool = False  # also builds tests/openmp_test
    quick: bool = False

    @property
    def name(self):
        """Of its folder."""
        return "_".join([self.target, self.compiler] + [word.strip("-").replace("=", "-").replace(",", "-")
                                                       for word in self.flags.split()])


def optimised(flags):
    """Whether the time of `verify` says anything about the code that people run."""
    return "-O0" not in flags and "-fsanitize" not in flags


def all_variants():
    """The costly ones first, so that no core is idle at the end."""
    quick = ((GCC_11, "-O2 -flto"), (GCC_12, "-O3"), (CLANG_16, "-O2"))
    made = [
        Variant(GCC_12, "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all"),
        # Archer tells the sanitizer of OpenMP's locks and barriers; the runtime itself is not instrumented.
        Variant(CLANG_14, "-O1 -fsanitize=thread", checks_races=True, environment=(
            ("OMP_TOOL_LIBRARIES", ARCHER),
            ("TSAN_OPTIONS", "ignore_noninstrumented_modules=1:exitcode=66:halt_on_error=1"))),
    ]
    for flags in ("-O3", "-O2 -flto", "-O2 -march=native", "-O2", "-O1", "-O0"):
        for compiler in COMPILERS:
            emulated = (NEHALEM, HASWELL) if (compiler, flags) == (GCC_12, "-O3") else ()
            made.append(Variant(compiler, flags, processors=(HERE,) + emulated, quick=(compiler, flags) in quick))
    for flags in ("-O3", "-O2", "-O0"):
        made.append(Variant(CROSS, flags, target="aarch64", processors=(CORTEX,), quick=flags == "-O2"))
    return made
