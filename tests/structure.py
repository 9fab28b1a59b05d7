#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rules of the layout: structure.py LIBRARY COMPILER.

Layers include downwards only, foreign headers stay behind one file, files are short and lines too, public headers compile alone, the library exports what they declare.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
# A folder's files include its own layer's folders and those of lower layers.
LAYERS = {
    "lib/base": 0,
    "lib/formats": 1,
    "lib/backends": 2,
    "lib/inputs": 2,
    "lib/join": 3,
    "lib/compare": 3,
    "plugin/output": 4,
    "plugin/views": 4,
    "plugin/tensorboard": 5,
    "plugin/dot": 5,
    "plugin/tables": 5,
    "plugin/trace": 5,
    "plugin/report": 5,
    "plugin/command": 6,
}
PUBLIC = {"etrecord": 0, "etrecord_compare": 0, "etrecord_tb": 4}
HEADERS = ("lib/etrecord.h", "lib/etrecord_compare.h", "plugin/etrecord_tb.h")
ONLY_IN = {"zip.h": {"archive"}, "graphviz/cgraph.h": {"dot"}, "zlib.h": {"gzip"}}
LONGEST_FILE = 600
LONGEST_LINE = 150


def sources():
    return sorted(p for folder in ("lib", "plugin") for p in (ROOT / folder).rglob("*.[ch]"))


LAYER_OF = {path.stem: LAYERS.get(path.parent.relative_to(ROOT).as_posix()) for path in sources() if path.stem not in PUBLIC}


def include_faults():
    for path in sources():
        text = path.read_text()
        layer = LAYER_OF.get(path.stem, PUBLIC.get(path.stem))
        if layer is None:
            yield f"{path.relative_to(ROOT)} is in no layer's folder"
            continue
        for included in re.findall(r'#include "([\w./-]+)\.h"', text):
            if included == "tensorboard.pb-c":
                if not path.stem.startswith("tb_") and path.stem != "pieces":
                    yield f"{path.name} includes protobuf messages"
                continue
            other = LAYER_OF.get(included, PUBLIC.get(included, 99))
            if other > layer:
                yield f"{path.name} (layer {layer}) includes {included}.h (layer {other})"
            if layer == 6 and other not in (6, *PUBLIC.values()) or layer == 6 and other < 6 and included not in PUBLIC:
                yield f"{path.name}: the command includes {included}.h, which is not public"
        for foreign, allowed in ONLY_IN.items():
            if f"<{foreign}>" in text and path.stem not in allowed:
                yield f"{path.name} includes <{foreign}>"
        if text.count("\n") > LONGEST_FILE:
            yield f"{path.name} has {text.count(chr(10))} lines"
        yield from (f"{path.name}:{number} has {len(line)} columns" for number, line in enumerate(text.splitlines(), 1) if len(line) > LONGEST_LINE)


def declared():
    return {name for header in HEADERS for name in re.findall(r"ETR_API (?!__)[^;(]*?(\w+)\(", (ROOT / header).read_text())}


def export_faults(library):
    exported = {line.split()[-1] for line in subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()}
    exported -= {name for name in exported if name.startswith("__")}  # a sanitizer's own
    yield from (f"{name} is declared and not exported" for name in sorted(declared() - exported))
    yield from (f"{name} is exported and not declared" for name in sorted(exported - declared()))


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


def main():
    rules = {"includes": include_faults(), "exports": export_faults(sys.argv[1]), "headers": header_faults(sys.argv[2])}
    faults = {rule: list(found) for rule, found in rules.items()}
    for rule, found in faults.items():
        print(f"{'OFF' if found else 'ok '} {rule}", *found, sep="\n  ")
    bad = sum(bool(found) for found in faults.values())
    print(f"{len(faults) - bad} passed, {bad} failed")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
