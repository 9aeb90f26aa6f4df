#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_quick_reference.py ROOT: docs/quick_reference.md holds every public call of C++, C and Python with its parameters,
every public type and C enumerator, every environment variable; and names nothing that does not exist.

The calls are read from the headers and bitstep/__init__.py, and once more as names from tests/exported_symbols.txt: what a
pattern here fails to see in a header is missed there.
"""
import ast
import builtins
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
faults = []


def read(path):
    return (root / path).read_text(encoding="utf-8")


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def as_pair(name):
    """_f32 and _f64 are written once, as _*."""
    return re.sub(r"_f(32|64)\b", "_*", name)


def parameters(text):
    """Names of a C or C++ parameter list, without types and defaults."""
    text = re.sub(r"<[^<>]*>", "", text)
    names = [re.sub(r"=.*", "", one, flags=re.S).split() for one in text.split(",")]
    return ", ".join(re.sub(r"\W", "", one[-1]) for one in names if one and one != ["void"])


cpp = "".join(without_comments(path.read_text(encoding="utf-8")) for path in sorted((root / "include/bitstep").glob("*.hpp")))
c = without_comments(read("include/bitstep/bitstep.h"))
python = ast.parse(read("python/bitstep/__init__.py"))
page = read("docs/quick_reference.md")
spans = re.findall(r"`([^`]+)`", page)

# 1. Calls: the same set here and there, parameter by parameter.
declared = re.compile(r"BITSTEP_EXPORT\s[^();]*?(\w+)\(([^()]*)\)")
calls = {f"{name}({parameters(rest)})" for name, rest in declared.findall(cpp)}
calls |= {f"{as_pair(name)}({parameters(rest)})" for name, rest in declared.findall(c)}
calls |= {f"status::{name}()" for name in re.findall(r"(\w+)\(\) const noexcept", cpp)}
public = next(ast.literal_eval(node.value) for node in python.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
functions = {node.name: node for node in python.body if isinstance(node, ast.FunctionDef)}
for name in public:
    calls.add(f"{name}({ast.unparse(functions[name].args)})".replace("'", '"'))
written = {span for span in spans if re.fullmatch(r"[\w:]+\*?\(.*\)", span)}
faults += [f"missing: {call}" for call in sorted(calls - written)]
faults += [f"no such call: {call}" for call in sorted(written - calls)]

# 2. Names of what the library exports.
names = {call.split("(")[0] for call in written}
for line in read("tests/exported_symbols.txt").splitlines():
    symbol = re.match(r"(?:bitstep::status )?bitstep::(\w+)[<(]|(bitstep_\w+)$", line)
    if symbol is None and not line.startswith("#"):
        faults.append(f"not understood in exported_symbols.txt: {line}")
    elif symbol and as_pair(symbol[1] or symbol[2]) not in names:
        faults.append(f"exported, but missing: {line}")

# 3. Types, enumerators, initialisers, environment variables.
words = set(re.findall(r"[A-Za-z_]\w*\*?", " ".join(spans)))
wanted = set(re.findall(r"^(?:struct|class|enum class) (\w+)", cpp, flags=re.M)) | set(re.findall(r"^using (\w+) =", cpp, flags=re.M))
wanted |= {as_pair(name) for name in re.findall(r"^} (\w+);|^typedef .*?} (\w+);|typedef void \(\*(\w+)\)", c, flags=re.M) for name in name if name}
wanted |= set(re.findall(r"(\w+) = \d", re.search(r"enum class status_code.*?}", cpp, flags=re.S)[0]))
wanted |= set(re.findall(r"\b(BITSTEP_\w+) = \d", c)) | set(re.findall(r"#define (BITSTEP_\w+_INIT)", c))
for path in sorted((root / "src").rglob("*.cpp")):
    wanted |= set(re.findall(r'getenv\("(\w+)"\)', path.read_text(encoding="utf-8")))
faults += [f"missing: {name}" for name in sorted(wanted - words)]

# 4. Every other word in code exists: in a header, in the module, in Python, or is one of the few that name something else.
known = {as_pair(word) for word in re.findall(r"[A-Za-z_]\w*", cpp + c)} | wanted | set(dir(builtins)) | set(re.findall(r"\w+", ast.unparse(python)))
known |= {"include", "hpp", "h", "import", "_*", "_f32", "_f64"}
for span in spans:
    faults += [f"no such name: {word} in `{span}`" for word in re.findall(r"[A-Za-z_]\w*\*?", span) if word not in known]

if len(calls) < 40 or not wanted:
    faults.append(f"only {len(calls)} calls were found in the sources")
for fault in faults:
    print(fault)
print(f"{len(calls)} calls, {len(wanted)} other names, {len(spans)} pieces of code, {len(faults)} faults")
sys.exit(1 if faults else 0)
