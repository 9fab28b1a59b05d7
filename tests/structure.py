#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rules of the layout: structure.py LIBRARY COMPILER.

Layers include downwards only, lib's folders those before them in its order; the plugin sees the profile and not what it is made from; an include names
its folder; no files include or call each other in a circle; foreign headers stay behind one file; files, functions and lines are short; a statement says one thing; public headers compile alone;
the library exports what they declare, and keeps nothing that threads write without a guard; tables that are searched are sorted; no file names the host of a package registry; scripts are executable; examples are whole.
"""
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Of lib's folders each includes those before it.
LIBRARY = ("windows", "base", "formats", "backends", "inputs", "records", "runs", "join", "memory", "accuracy", "profile", "compare")
# A folder's files include its own layer's folders and those of lower layers.
LAYERS = {
    **dict.fromkeys(("windows", "base"), 0),
    "formats": 1,
    **dict.fromkeys(("backends", "inputs"), 2),
    **dict.fromkeys(LIBRARY[5:], 3),
    "output": 4,
    "views": 4,
    "tensorboard": 5,
    "dot": 5,
    "tables": 5,
    "trace": 5,
    "report": 5,
    "command": 6,
    "bench": 6,  # a part of the command
}
PUBLIC = {"etrecord": 0, "etrecord_compare": 0, "etrecord_accuracy": 0, "etrecord_file": 0, "etrecord_tb": 4, "etrecord_arrow": 4}
HEADERS = ("lib/etrecord.h", "lib/etrecord_compare.h", "lib/etrecord_accuracy.h", "lib/etrecord_file.h", "plugin/etrecord_tb.h", "plugin/etrecord_arrow.h")
ONLY_IN = {"zip.h": {"archive"}, "graphviz/cgraph.h": {"dot"}, "zlib.h": {"gzip", "gunzip", "archive_writer"}}
SYSTEM_HEADERS = ROOT / "lib/windows/include"  # stand for those that Windows lacks
LONGEST_LINE = 100
LONGEST_FUNCTION = 72  # read without scrolling
MOST_PARAMETERS = 6  # more have a struct with a name
# What the library keeps beside its handles: set before there are threads, atomic, behind a lock, or never written.
KEPT = {"hash_seed", "hash_multiplier", "is_locked", "files", "cgraph_lock", "lists", "answer", "font", "no_choice"}
# What the command has of the library beside its public headers.
OF_COMMAND = {"base/system", "base/json_writer", "base/utf8", "formats/json"}
# Say nothing of what is added to what.
VAGUE_NAMES = {"add", "put", "at", "walk"}
# Headers with one user: an algorithm with its table, a noun of its own, what a folder shows of itself, what hides a foreign library, what the build makes, a view that one table shows,
# a struct that one file fills and another reads, one step of a profile.
SINGLE_USERS = {"base/shortest", "join/links", "output/gzip", "report/web_files", "views/headline", "profile/opened_record", "profile/shared_times", "profile/throughput"}


@functools.cache
def sources():
    return sorted(p for folder in ("lib", "plugin") for p in (ROOT / folder).rglob("*.[ch]"))


def unit(path):
    """What includes call a file: folder/name, or the name alone of a public header."""
    return path.stem if path.stem in PUBLIC else f"{path.parent.name}/{path.stem}"


@functools.cache
def includes(path):
    return re.findall(r'#include "([\w./-]+)\.h"', path.read_text())


def layer_of(name):
    return PUBLIC[name] if name in PUBLIC else LAYERS.get(name.split("/")[0])


def allowed(path, included):
    """Why a file may not include a header; None where it may."""
    folder = path.parent.name
    if included == "tensorboard.pb-c":
        return None if folder == "tensorboard" else "protobuf messages are tensorboard's"
    layer = layer_of(included)
    if layer is None or included not in PUBLIC and "/" not in included:
        return "no folder is named"
    if layer > layer_of(unit(path)):
        return f"it is of layer {layer}, above {layer_of(unit(path))}"
    if included in PUBLIC or included.split("/")[0] == folder:
        return None
    other = included.split("/")[0]
    if folder in LIBRARY and other in LIBRARY and LIBRARY.index(other) > LIBRARY.index(folder):
        return f"of lib's folders, {other} comes after {folder}"
    if folder in ("command", "bench"):
        return None if included.split("/")[0] == "command" or included in OF_COMMAND else "the command knows the library by its public headers"
    if "plugin" in path.relative_to(ROOT).parts and 0 < layer < LAYERS["output"]:
        return "the plugin knows the profile by its public headers"
    return None


def include_faults():
    for path in sources():
        if SYSTEM_HEADERS in path.parents:
            continue
        if layer_of(unit(path)) is None:
            yield f"{path.relative_to(ROOT)} is in no layer's folder"
            continue
        for included in includes(path):
            if why := allowed(path, included):
                yield f"{unit(path)} includes {included}.h: {why}"
        for foreign, only in ONLY_IN.items():
            if f"<{foreign}>" in path.read_text() and path.stem not in only:
                yield f"{unit(path)} includes <{foreign}>"


def backend_faults():
    """Only the file that reads a backend knows its name."""
    named = {path: re.findall(r'\.id = "(\w+)"', path.read_text()) for path in (ROOT / "lib/backends").glob("*.c")}
    for path in sources():
        code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        for owner, names in named.items():
            yield from (f"{unit(path)} names {name}, which is {owner.stem}'s" for name in names if name in code and path != owner)


def circles(graph):
    """Depth first; a unit that is met again on the way to itself closes a circle."""
    done = set()

    def visit(name, way):
        if name in way:
            yield " -> ".join((*way[way.index(name):], name))
        elif name not in done:
            for other in sorted(graph.get(name, ())):
                yield from visit(other, (*way, name))
            done.add(name)

    for name in sorted(graph):
        yield from visit(name, ())


def circle_faults():
    graph = {}
    for path in sources():
        graph.setdefault(unit(path), set()).update(set(includes(path)) - {unit(path)})
    yield from circles(graph)


@functools.cache
def bare(path):
    """A file's text without strings and comments, on the same lines."""
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/', lambda m: "\n" * m[0].count("\n"), path.read_text(), flags=re.S)


def words(text):
    return set(re.findall(r"\w+", text))


def ring_faults():
    """Files call each other in one direction: what two files need of each other belongs to one of them, or to a third one."""
    files = {(unit(path), path.suffix): path for path in sources()}
    texts = {name: bare(path) for (name, suffix), path in files.items() if suffix == ".c"}
    head = r"^(?!static\b)\w[^;{}#=()]*?\b(\w+)(?:\([^;{}]*\) |(?:\[\])? = )\{"
    defined = {name: of for of, text in texts.items() for name in re.findall(head, text, re.M)}
    declared = {name: set(re.findall(r"^[^ ].*?\b(\w+)(?:\(|(?:\[\])?;)", bare(path), re.M)) & defined.keys()
                for (name, suffix), path in files.items() if suffix == ".h"}

    def visible(path, seen):
        """What the headers of a file declare, with those that they include."""
        for name in set(includes(path)) & declared.keys() - seen:
            seen.add(name)
            visible(files[name, ".h"], seen)
        return set().union(*(declared[name] for name in seen))

    yield from circles({of: {defined[word] for word in words(text) & visible(files[of, ".c"], set())} - {of} for of, text in texts.items()})


def functions(text):
    """Name, parameters and lines of each function of a C file, from its head to the brace that closes it."""
    for match in re.finditer(r"^[a-z][^;{}#=]*?\b(\w+)\(([^;{}]*)\) \{(?: [^\n]*\}$|\n.*?^\})", text, re.M | re.S):
        parameters = re.sub(r"\([^()]*\)", "", match[2]).split(",")
        yield match[1], sum(parameter.strip() != "..." for parameter in parameters), match[0].count("\n") + 1


def function_faults():
    """A function is read without scrolling, says what it does, and takes what can be told apart."""
    for path in sources():
        for name, parameters, length in functions(path.read_text()) if path.suffix == ".c" else ():
            if length > LONGEST_FUNCTION:
                yield f"{unit(path)}: {name}() has {length} lines"
            if parameters > MOST_PARAMETERS:
                yield f"{unit(path)}: {name}() takes {parameters} parameters"
            if name in VAGUE_NAMES:
                yield f"{unit(path)}: {name}() does not say what it does"


def header_user_faults():
    """A header has two users beside its own file, or is a part of that."""
    text = {path: path.read_text() for folder in ("lib", "plugin", "tests") for path in (ROOT / folder).rglob("*.[ch]")}
    for header in (path for path in sources() if path.suffix == ".h" and SYSTEM_HEADERS not in path.parents):
        name = unit(header)
        users = [path for path in text if f'"{name}.h"' in text[path] and unit(path) != name]
        if len(users) < 2 and name not in PUBLIC and name not in SINGLE_USERS:
            yield f"{name}.h has no user but {', '.join(unit(path) for path in users)}"


def length_faults():
    """Lines fit a screen. A file is about one noun, whatever its length."""
    for path in sources():
        lines = path.read_text().splitlines()
        yield from (f"{unit(path)}{path.suffix}:{number} has {len(line)} columns" for number, line in enumerate(lines, 1) if len(line) > LONGEST_LINE)


def expression_faults():
    """At most one ?: in an expression."""
    for path in sources():
        yield from (f"{unit(path)}{path.suffix}:{line} nests ?:" for line in nested_conditions(bare(path)))


CONTROL = re.compile(r"(?:else\s+)?(if|while|for|switch)\s*\(")
NO_STATEMENT = re.compile(r"\b(?:else|do)\b(?!\s+if)|(?:case\b[^:;{}?]*|default|\w+)\s*:")
DECLARATION = re.compile(r"(?:const|static|struct|enum|union|unsigned)\b|(?!return\b|goto\b)\w+(?:\([^()]*\))?[\s*]+\w")
BRACKET = re.compile(r"[][(){}]")
GAP = re.compile(r"[ \n;{}]*")
STOP = re.compile(r"[\[(;{}]|\Z")  # where a statement ends, or something in brackets begins
ASSIGNMENT = re.compile(r"(?<![=!<>])(?:[-+*/%&|^]|<<|>>)?=(?!=)")


def closing(text, start):
    """The bracket that closes the one at start."""
    depth = 0
    for bracket in BRACKET.finditer(text, start):
        depth += 1 if bracket[0] in "([{" else -1
        if depth == 0:
            return bracket.start()
    return len(text) - 1


def without(brackets, text):
    """The text without what is inside these brackets."""
    shorter = re.sub(brackets, "", text)
    return text if shorter == text else without(brackets, shorter)


def double_statements(text):
    """Lines of statements that do two things: a comma between expressions, an assignment in a return or in the condition of an if or switch. Loops may step in their condition."""
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m[0].count("\n"), text, flags=re.M)
    at = 0
    while at < len(text):
        at = start = GAP.match(text, at).end()
        control, nothing = CONTROL.match(text, at), NO_STATEMENT.match(text, at)
        if control:
            at = closing(text, control.end() - 1) + 1
            if control[1] in ("if", "switch") and ASSIGNMENT.search(without(r"\{[^{}]*\}", text[control.end() : at])):
                yield text.count("\n", 0, start) + 1
        elif nothing:
            at = nothing.end()
        else:
            while at < len(text) and text[at] not in ";{}":
                at = closing(text, at) + 1 if text[at] in "([" else STOP.search(text, at + 1).start()
                head = text[start:at]
                if text[at : at + 1] == "{" and ("=" in head or re.match(r"return\b", head)):  # an initializer
                    at = closing(text, at) + 1
            statement = text[start:at]
            is_return, is_whole = re.match(r"return\b", statement), text[at : at + 1] == ";"
            assigns = is_return and ASSIGNMENT.search(without(r"\{[^{}]*\}", statement))
            lists = re.sub(r"\(void\)\w+,", "", statement) if is_return else statement  # of a callback's parameters some are not used
            commas = "," in without(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}", lists) and (is_return or not DECLARATION.match(statement))
            if is_whole and (assigns or commas):
                yield text.count("\n", 0, start) + 1


PLANTED = """static int f(int a, int b) {
  int c = 0, d[] = {1, 2};
  for (int i = 0, k = 1; i < a; i++, k++)
    c = a, d[0] = b;
  if ((c = a))
    return a;
  while ((c = next(a, b)) > 0)
    d[1] = c;
  switch (c += 1) {
  case 1:
    g(a, b), g(b, a);
  }
  if (b)
    return g(a, b), c;
  return c = a;
}
"""


def statement_faults():
    """A statement does one thing."""
    found = list(double_statements(PLANTED))
    if found != [4, 5, 9, 11, 14, 15]:
        yield f"of the planted statements only those in lines {found} were found"
    tests = (path for folder in ("tests/unit", "tests/fault", "tests/threads", "tests/fuzz", "examples", "schema") for path in sorted((ROOT / folder).rglob("*.[ch]")))
    for path in (*sources(), *tests):
        yield from (f"{path.relative_to(ROOT)}:{line} does two things in one statement" for line in double_statements(bare(path)))


def order_faults():
    """Tables in which etr_operator_row() searches are sorted by name."""
    for path in sources():
        text = path.read_text()
        for table in sorted(set(re.findall(r"etr_operator_row\(\w+, (\w+), ETR_COUNT", text))):
            rows = re.search(rf"^static const .*\b{table}\[\] = {{(.*?)}};", text, re.M | re.S)[1]
            names = re.findall(r'^ *{"(\w+)"', rows, re.M) or re.findall(r'"(\w+)"', rows)
            yield from (f"{unit(path)}: {after} comes after {name} in {table}" for name, after in zip(names, names[1:]) if name >= after)


def nested_conditions(text):
    """Lines where a ?: is an operand of another one: no comma or semicolon of their own ends the first."""
    depth, line, open_at = 0, 1, set()
    for character in re.findall(r"[][(){},;?\n]", text):
        if character == "\n":
            line += 1
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            open_at.discard(depth)
            depth -= 1
        elif character in ",;":
            open_at.discard(depth)
        elif character == "?":
            if open_at:
                yield line
            open_at.add(depth)


def declared():
    return {name for header in HEADERS for name in re.findall(r"ETR_API (?!__)[^;(]*?(\w+)\(", (ROOT / header).read_text())}


def export_faults(library):
    exported = {line.split()[-1] for line in subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()}
    exported -= {name for name in exported if name.startswith("__")}  # a sanitizer's own
    yield from (f"{name} is declared and not exported" for name in sorted(declared() - exported))
    yield from (f"{name} is exported and not declared" for name in sorted(exported - declared()))


def kept_faults(library):
    """Handles are independent: the library has no variables but those that are known to be safe. Constants with addresses in them are in sections of their own."""
    symbols = [line.split() for line in subprocess.run(["objdump", "-t", library], capture_output=True, text=True, check=True).stdout.splitlines() if " O " in line]
    names = {fields[-1] for fields in symbols}
    variables = {re.sub(r"\.\d+$", "", fields[-1]) for fields in symbols if {".data", ".bss", ".tdata", ".tbss"} & set(fields)}
    variables -= {name for name in variables if name.startswith("__")} | {"completed"}  # the compiler's own
    if not variables & KEPT:
        yield f"of {len(names)} objects none is a variable that is known"
    yield from (f"{name} is a variable that threads share" for name in sorted(variables - KEPT))


def header_faults(compiler):
    with tempfile.TemporaryDirectory() as folder:
        for header in (pathlib.PurePath(path).name for path in HEADERS):
            for language, name in (("c11", "c"), ("c++17", "c++")):
                source = pathlib.Path(folder) / "alone.c"
                source.write_text(f"#include <{header}>\nint main(void) {{ return 0; }}\n")
                done = subprocess.run([compiler, "-x", name, f"-std={language}", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", f"-I{ROOT / 'lib'}",
                                       f"-I{ROOT / 'plugin'}", source], capture_output=True, text=True)
                if done.returncode:
                    yield f"{header} alone as {language}: {done.stderr}"


def own_files():
    """The files of this project, without what builds and runs leave and without recorded data."""
    left = {"build", "runs", "node_modules", "__pycache__", ".git"}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in left and pathlib.Path(folder, name) != ROOT / "tests/fixtures"]
        yield from (pathlib.Path(folder, name) for name in files)


def host_faults():
    """Whoever builds this gets packages from where their own machine is set up to get them: no file names a registry's host."""
    registries = re.compile(rb"\b(pypi|pythonhosted|npmjs|yarnpkg|crates|anaconda|(deb|ftp|security|snapshot)\.debian|(archive|ports|security)\.ubuntu|maven(\.apache)?|golang|"
                            rb"g(h)?cr|docker|rubygems|quay|formulae\.brew)\.(org|io|com|sh)\b")
    for path in sorted(own_files()):
        content = path.read_bytes()
        found = None if b"\0" in content else registries.search(content.lower())  # three times as fast as with re.I
        if found:
            yield f"{path.relative_to(ROOT)} names {found[0].decode()}"


def home_faults():
    """A reader who has one address of this project has all: no file has another than packaging/README.md says, and that names each file."""
    told = (ROOT / "packaging/README.md").read_text()
    address = re.compile(r"https?://(?!example\.org/etrecord-tb)[^\s\"'`)>]*(?:/|\b)etrecord[-_]tb\b", re.I)
    for path in sorted(own_files()):
        content = path.read_bytes()
        if b"\0" in content or b"etrecord" not in content or path.name == "CHANGELOG.md":
            continue
        text = content.decode("utf-8", "replace")
        for found in address.findall(text):
            yield f"{path.relative_to(ROOT)}: {found}"
        inside = str(path.relative_to(ROOT))
        where = ["schemas" if inside.startswith("schema/") else inside.removeprefix("packaging/"), path.parent.name]
        if "example.org/etrecord-tb" in text and inside != "packaging/README.md" and not any(name in told for name in where if name):
            yield f"packaging/README.md does not say that {inside} has the address"


def script_faults():
    """Scripts run as they are named: what begins with the program that runs it is executable."""
    for path in sorted(own_files()):
        with path.open("rb") as file:
            if file.read(2) == b"#!" and not os.access(path, os.X_OK):
                yield f"{path.relative_to(ROOT)} is not executable: chmod +x"


def example_faults():
    """Examples are whole wherever they are copied to, also on Windows: no link leads out of them. What is also a fixture is the same there."""
    yield from (f"{path.relative_to(ROOT)} is a link" for path in sorted((ROOT / "examples").rglob("*")) if path.is_symlink())
    fixture = ROOT / "tests/fixtures/mv2_xnnpack"
    for path in sorted((ROOT / "examples/mobilenet_v2").iterdir()):
        if path.read_bytes() != (fixture / path.name).read_bytes():
            yield f"{path.relative_to(ROOT)} is not that of {fixture.relative_to(ROOT)}"


def main():
    rules = {"includes": include_faults(), "circles": circle_faults(), "rings": ring_faults(), "backends": backend_faults(), "lengths": length_faults(), "functions": function_faults(), "users": header_user_faults(), "expressions": expression_faults(), "statements": statement_faults(), "order": order_faults(), "exports": export_faults(sys.argv[1]), "kept": kept_faults(sys.argv[1]), "headers": header_faults(sys.argv[2]), "hosts": host_faults(), "home": home_faults(), "scripts": script_faults(), "examples": example_faults()}
    faults = {rule: list(found) for rule, found in rules.items()}
    for rule, found in faults.items():
        print(f"{'OFF' if found else 'ok '} {rule}", *found, sep="\n  ")
    bad = sum(bool(found) for found in faults.values())
    print(f"{len(faults) - bad} passed, {bad} failed")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
