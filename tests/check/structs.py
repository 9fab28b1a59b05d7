#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The structs that the Python package gives the library have the members of the headers, in their order: structs.py PACKAGE.

A member that only the header has would make the library read or write behind the struct.
"""

import ctypes
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = [path.read_text(encoding="utf-8") for path in (*ROOT.glob("lib/etrecord*.h"), *ROOT.glob("plugin/etrecord_*.h"))]


def struct_name(name):
    return "etr_" + re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def members(struct):
    """The names of a struct's members, or None if there is no such struct."""
    found = [body for text in HEADERS for body in re.findall(rf"typedef struct {struct} {{(.*?)^}} {struct};", text, re.M | re.S)]
    if not found:
        return None
    declarations = re.sub(r"/\*.*?\*/", "", found[0], flags=re.S).split(";")
    functions = [re.search(r"\(\*(\w+)\)", declaration) for declaration in declarations]
    names = []
    for declaration, function in zip(declarations[:-1], functions):
        names += [function[1]] if function else [re.search(r"(\w+)\s*(\[[^]]*\])?$", part.strip())[1] for part in declaration.split(",")]
    return names


def main():
    sys.path.insert(0, sys.argv[1])
    from etrecord_tb import _library

    structs = {name: value for name, value in vars(_library).items() if isinstance(value, type) and issubclass(value, ctypes.Structure)}
    failed = 0
    for name, struct in structs.items():
        wanted, got = members(struct_name(name)), [field for field, _type in struct._fields_]
        if got != wanted:
            failed += 1
            print(f"FAILED {name}: has {got}, and {struct_name(name)} has {wanted}")
    print(f"{len(structs) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
