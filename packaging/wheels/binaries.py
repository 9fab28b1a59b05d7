# SPDX-License-Identifier: BSD-3-Clause
"""binaries.py WHEEL ROOT: looks at the command and the library of a wheel without running them. Are they for the processor and the
system that the wheel's name promises, export what the headers declare and no more, and need nothing but the C library? Is a Mac's code signature right,
without which its system ends the program? Prints one line; exit status 1 and a line for each fault."""

from __future__ import annotations

import hashlib
import pathlib
import re
import struct
import sys
import zipfile

import lief

HEADERS = ("lib/etrecord.h", "lib/etrecord_compare.h", "lib/etrecord_accuracy.h", "lib/etrecord_file.h", "plugin/etrecord_tb.h", "plugin/etrecord_arrow.h")
STARTS_COMMAND = "etr_command_main"
PROCESSORS = {"x86_64": ("X86_64", "X86_64"), "aarch64": ("AARCH64", "ARM64"), "arm64": ("AARCH64", "ARM64"), "amd64": ("AMD64",)}
GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
LINKERS_OWN = {"__dso_handle", "_mh_dylib_header", "_mh_execute_header"}  # of every file for macOS
SYSTEM_LIBRARIES = {"manylinux": GLIBC, "musllinux": {"libc.so"}, "macosx": {"/usr/lib/libSystem.B.dylib"},
                    "win": {"kernel32.dll", "ntdll.dll", "advapi32.dll", "the C library"}}


def declared(root: pathlib.Path) -> set[str]:
    text = "".join((root / header).read_text(encoding="utf-8") for header in HEADERS)
    return set(re.findall(r"ETR_API (?!__)[^;(]*?(\w+)\(", text))


def signature_faults(data: bytes, offset: int, size: int) -> list[str]:
    """Whether the pages of a program have the hashes that its signature says (a code directory in a "super blob"; both are big-endian)."""
    blob = data[offset : offset + size]
    magic, _, count = struct.unpack_from(">III", blob)
    slots = dict(struct.unpack_from(">II", blob, 12 + 8 * i) for i in range(count)) if magic == 0xFADE0CC0 else {}
    if 0 not in slots:
        return ["its code signature has no code directory"]
    directory = blob[slots[0] :]
    _, _, _, _, hashes, _, _, pages, limit, hash_size, kind, _, page_bits = struct.unpack_from(">IIIIIIIIIBBBB", directory)
    if kind != 2 or limit != offset:
        return [f"its code signature is of kind {kind} over {limit} of {offset} bytes"]
    page = 1 << page_bits
    wrong = [i for i in range(pages)
             if hashlib.sha256(data[i * page : min((i + 1) * page, limit)]).digest() != directory[hashes + i * hash_size : hashes + (i + 1) * hash_size]]
    return [f"its code signature does not fit pages {wrong}"] if wrong or pages != -(-limit // page) else []


def mach_o(data: bytes, version: tuple[int, ...]) -> tuple[set[str], set[str], str, list[str]]:
    """What it exports and needs, its processor, and faults."""
    parsed = lief.MachO.parse(data).at(0)
    least = tuple(parsed.build_version.minos if parsed.has_build_version else parsed.version_min.version)[:2]
    faults = [] if least == version else [f"is for macOS {least}, not {version}"]
    if parsed.has_code_signature:
        faults += signature_faults(data, parsed.code_signature.data_offset, parsed.code_signature.data_size)
    elif parsed.header.cpu_type.name == "ARM64":
        faults.append("has no code signature, without which macOS does not run it")
    faults += [f"takes {symbol.name} from anywhere" for symbol in parsed.imported_symbols if symbol.has_binding_info and not symbol.binding_info.library]
    exported = {str(symbol.name).removeprefix("_") for symbol in parsed.symbols if symbol.has_export_info} - LINKERS_OWN
    return exported, {library.name for library in parsed.libraries if library.command.name != "ID_DYLIB"}, parsed.header.cpu_type.name, faults


def elf(data: bytes, version: tuple[int, ...], is_glibc: bool) -> tuple[set[str], set[str], str, list[str]]:
    parsed = lief.ELF.parse(list(data))
    wanted = {auxiliary.name for requirement in parsed.symbols_version_requirement for auxiliary in requirement.get_auxiliary_symbols()}
    newer = [name for name in wanted if tuple(map(int, re.findall(r"\d+", name)))[:2] > version] if is_glibc else []
    faults = [f"wants {name}" for name in newer]
    faults += [f"takes {symbol.name} from anywhere" for symbol in parsed.imported_symbols
               if is_glibc and symbol.binding.name == "GLOBAL" and not (symbol.symbol_version and symbol.symbol_version.has_auxiliary_version)]
    return {str(symbol.name) for symbol in parsed.exported_symbols} - {"_init", "_fini"}, set(parsed.libraries), parsed.header.machine_type.name, faults


def pe(data: bytes) -> tuple[set[str], set[str], str, list[str]]:
    parsed = lief.PE.parse(list(data))
    needed = {re.sub(r"^api-ms-win-crt-.*", "the C library", library.lower()) for library in parsed.libraries}
    exported = {str(entry.name) for entry in parsed.get_export().entries} if parsed.has_exports else set()
    return exported, needed, parsed.header.machine.name, []


READERS = {"macosx": mach_o, "manylinux": lambda data, version: elf(data, version, True), "musllinux": lambda data, version: elf(data, version, False),
           "win": lambda data, _version: pe(data)}


def main() -> None:
    wheel, root = map(pathlib.Path, sys.argv[1:])
    system, first, second, processor = re.search(r"-(manylinux|musllinux|macosx|win)_(?:(\d+)_(\d+)_)?(x86_64|aarch64|arm64|amd64)[.]", wheel.name).groups()
    version, libraries, faults = (int(first or 0), int(second or 0)), set(), []
    promised = declared(root) | {"etr_command_wmain" if system == "win" else STARTS_COMMAND}
    with zipfile.ZipFile(wheel) as files:
        binaries = [name for name in files.namelist() if re.search(r"/lib/(lib)?etrecord_tb|/scripts/etrecord-tb", name)]
        if len(binaries) != 2:
            faults.append(f"has {binaries}, not one command and one library")
        for name in binaries:
            data = files.read(name)
            exported, needed, machine, found = READERS[system](data, version)
            libraries |= needed
            if machine not in PROCESSORS[processor]:
                found.append(f"is for {machine}")
            if more := needed - SYSTEM_LIBRARIES[system]:
                found.append(f"needs {sorted(more)}")
            if "/lib/" in name and exported != promised:
                found.append(f"exports {sorted(exported - promised)} beside the headers, and lacks {sorted(promised - exported)}")
            faults += [f"{name.rsplit('/', 1)[-1]} {fault}" for fault in found]
    for fault in faults:
        print(f"{wheel.name}: {fault}", file=sys.stderr)
    if faults:
        sys.exit(1)
    print(f"{wheel.name}: {len(promised)} functions, nothing needed but {', '.join(sorted(libraries))}")


if __name__ == "__main__":
    main()
