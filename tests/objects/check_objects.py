#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the compiled objects against the rules of src/kernels/README.md, with nm, objdump and the assembler.

    check_objects.py [--nm NM] [--objdump OBJDUMP] [--assembler AS] --machine x86_64|aarch64 --archs A,B,... OBJECTS.txt

OBJECTS.txt has a line per object: "library PATH" or "program PATH". An object is a kernel set's if it is arch_NAME.cpp's.
  1. A kernel set defines one global symbol, its table, and none that the linker may merge with another object's (weak,
     unique, common): an inline function compiled with wide instructions could be the copy that is kept for all.
  2. It calls nothing of a library that could decide a bit, or be compiled twice.
  3. Every object holds the instructions of its own set only: of the target's baseline, except avx2's and avx512's. The
     assembler is asked, which knows what belongs where better than any list of names.
  4. Nowhere in the library: estimates of a quotient or a root, and fused multiply-adds but those of avx512's quotients by
     a constant, of whole vectors: for each vfmsub one vfnmadd, or vfmadd where Clang keeps the reciprocal negated. A
     contracted sum of products, m', v' or e', is one vfmadd too many.
Exit codes: 0 all rules hold; 1 not, with a line for each thing found; 2 the check saw nothing and proves nothing.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

# gas's names. generic64 is x86-64 as it began: SSE2. avx512f brings FMA in its own registers, not -mfma's instructions.
ASSEMBLER_SET = {
    "baseline": "generic64",
    "avx2": "generic64+avx2",
    "avx512": "generic64+avx2+avx512f+avx512cd+avx512dq+avx512bw+avx512vl",
}
# Copying and filling; the pointer for unwinding, which a function that is noexcept may need and which holds no code.
MAY_NEED = {"memcpy", "memset", "memmove", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "__gxx_personality_v0"}
MAY_DEFINE = {"DW.ref.__gxx_personality_v0"}
ESTIMATE = {"x86_64": r"v?r(cp|sqrt)(14|28)?[ps][sd]", "aarch64": r"frecp|frsqrt|urecpe|ursqrte"}
FUSED = {"x86_64": r"vfn?m(add|sub)", "aarch64": r"f(n?m(add|sub|la|ls)|cmla)|fml[as]l"}
MAY_FUSE = re.compile(r"adam_ema<|fused_quotient<")  # of avx512 alone, see src/kernels/quotient.hpp
OF_QUOTIENT = re.compile(r"vf(msub|n?madd)[123]{3}p[sd] .*%zmm")
# Not asked about: jumps, whose targets are no text to assemble, fillers, and what old processors take for something equal
# (tzcnt for bsf, where the compiler knows the operand not to be zero; endbr64 for nothing).
EVERYWHERE = re.compile(r"tzcnt|endbr64|(data16 |cs )*nopw|(notrack |bnd )?(j[a-z]+|call)")


def run(*command, text=None):
    untranslated = dict(os.environ, LC_ALL="C")  # messages are matched
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False, env=untranslated)


def output_of(*command):
    done = run(*command)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def symbol_faults(nm, path, arch):
    """Rules 1 and 2."""
    table = f"bitstep::internal::{arch}_kernels"
    tables = 0
    for line in output_of(nm, "--demangle", path).splitlines():
        kind, name = re.match(r"[0-9a-f ]{16} (\S) (.+)$", line).groups()
        if kind in "Uw" and line.startswith(" "):
            if name not in MAY_NEED:
                yield f"needs {name}"
        elif name == table and kind in "DR":
            tables += 1
        elif (kind.isupper() or kind in "uvw") and kind not in "N" and name not in MAY_DEFINE:
            yield f"defines {name} (nm: {kind})"
    if tables != 1:
        yield f"does not define {table}"


def instructions_of(objdump, path):
    """{instruction: {function that holds it: how often}}"""
    found, function = collections.defaultdict(collections.Counter), "?"
    for line in output_of(objdump, "-d", "-w", "--demangle", "--no-show-raw-insn", path).splitlines():
        if heading := re.match(r"[0-9a-f]+ <(.+)>:$", line):
            function = heading.group(1)
        elif body := re.match(r" *[0-9a-f]+:\s+(.+)$", line):
            found[re.sub(r"\s*(<.*>|#.*|//.*)$", "", body.group(1)).strip()][function] += 1
    return found


def foreign_instructions(assembler, allowed, instructions):
    """Those that the assembler refuses for this set (rule 3), with its reason."""
    lines = [i for i in instructions if not EVERYWHERE.match(i)]
    done = run(assembler, "--64", f"-march={allowed}", "-o", "/dev/null", "-", text="\n".join(lines) + "\n")
    refused = re.findall(r"\{standard input\}:(\d+): Error: (.*)", done.stderr)
    if done.returncode != 0 and not refused:
        sys.exit(f"{assembler}: {done.stderr}")
    return {lines[int(number) - 1]: reason for number, reason in refused}


def shown(instruction, functions, reason=""):
    more = f" and {len(functions) - 1} more" if len(functions) > 1 else ""
    return f"{instruction}   {reason}   in {min(functions)[:120]}{more}"


def inexact_instructions(machine, arch, instructions):
    """Rule 4."""
    quotients = collections.defaultdict(collections.Counter)
    for instruction, functions in instructions.items():
        if re.match(ESTIMATE[machine], instruction):
            yield shown(instruction, functions, "an estimate")
        elif re.match(FUSED[machine], instruction):
            wrong = set(functions)
            if arch == "avx512" and (operation := OF_QUOTIENT.match(instruction)):
                wrong = {f for f in functions if not MAY_FUSE.search(f)}
                for function in functions.keys() - wrong:
                    quotients[function][operation.group(1)[-3:]] += functions[function]
            if wrong:
                yield shown(instruction, wrong, "fused")
    for function, counts in quotients.items():
        if counts["sub"] != counts["add"]:
            yield shown(f"{counts['sub']} vfmsub, {counts['add']} vf[n]madd", [function], "not the pairs of quotients")


def instruction_faults(given, path, arch, part):
    """Rules 3 and 4, and how many instructions were looked at."""
    instructions = instructions_of(given.objdump, path)
    faults = list(inexact_instructions(given.machine, arch, instructions)) if part == "library" else []
    if given.machine == "x86_64":
        allowed = ASSEMBLER_SET[arch or "baseline"]
        for instruction, reason in foreign_instructions(given.assembler, allowed, instructions).items():
            faults.append(shown(instruction, instructions[instruction], reason))
        wide = allowed != ASSEMBLER_SET["baseline"]
        if wide and not foreign_instructions(given.assembler, ASSEMBLER_SET["baseline"], instructions):
            sys.exit(f"{path}: no wide instruction seen where there must be some; the check is blind")
    return faults, len(instructions)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("--assembler", default="as")
    parser.add_argument("--machine", required=True, choices=FUSED)
    parser.add_argument("--archs", required=True)
    parser.add_argument("objects")
    given = parser.parse_args()

    archs, objects, bad = set(given.archs.split(",")), 0, 0
    with open(given.objects, encoding="utf-8") as listed:
        for part, path in (line.rstrip("\n").split(" ", 1) for line in listed if line.strip()):
            named = re.search(r"/arch_(\w+)\.cpp\.\w+$", path)
            arch = named.group(1) if named else None
            faults, count = instruction_faults(given, path, arch, part)
            faults += symbol_faults(given.nm, path, arch) if arch else []
            objects, bad = objects + (count > 0), bad + len(faults)
            archs.discard(arch)
            for fault in faults[:20]:
                print(f"{path}: {fault}")
            if len(faults) > 20:
                print(f"{path}: and {len(faults) - 20} more")
    if objects < 10 or archs:
        print(f"only {objects} objects with instructions; kernel sets not seen: {archs or 'none'}")
        return 2
    print(f"{objects} objects: {bad} things against the rules")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
