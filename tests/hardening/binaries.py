#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What an optimized build is protected with: binaries.py COMMAND LIBRARY COMPILER. Looks at the two files with readelf, objdump and nm.

What a compiler may lack is asked of the compiler here, not of the build: a check that the build forgets to make is found.
"""

import os
import platform
import re
import shutil
import subprocess
import sys


def output_of(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


class Binary:
    def __init__(self, path):
        self.path = path
        self.header = output_of('readelf', '-Wh', path)
        self.segments = output_of('readelf', '-Wl', path)
        self.dynamic = output_of('readelf', '-Wd', path)
        self.notes = output_of('readelf', '-Wn', path)
        self.imports = output_of('nm', '-D', '--undefined-only', path)
        with open(path, 'rb') as file:
            self.bytes = file.read()


def is_x86(binary):
    return 'X86-64' in binary.header


def relro(binary):
    return 'GNU_RELRO' in binary.segments


def bind_now(binary):
    return re.search(r'\(FLAGS_1\).*\bNOW\b', binary.dynamic)


def position_independent(binary):
    return re.search(r'Type:\s+DYN', binary.header)


def stack_not_executable(binary):
    return re.search(r'GNU_STACK.* RW ', binary.segments)


def no_segment_writable_and_executable(binary):
    return not re.search(r'LOAD.* RWE ', binary.segments)


def stack_protector(binary):
    return '__stack_chk_fail' in binary.imports


def fortify(binary):
    return re.search(r'\b__\w+_chk@', binary.imports.replace('__stack_chk', ''))


def shadow_stack(binary):
    return re.search(r'x86 feature:.*\bSHSTK\b', binary.notes)


def branch_targets(binary):
    """Whatever can be called through a pointer from outside starts with a landing pad."""
    exported = {int(line.split()[0], 16) for line in output_of('nm', '-D', '--defined-only', binary.path).splitlines() if ' T ' in line}
    code = output_of('objdump', '-d', '--no-show-raw-insn', binary.path)
    pads = {int(at, 16) for at in re.findall(r'^\s*([0-9a-f]+):\s+endbr64', code, re.MULTILINE)}
    return pads and exported <= pads


def run_path_moves_along(binary):
    """Every part of the run path is below $ORIGIN; an empty one would be the folder that one stands in."""
    parts = [part for path in re.findall(r'R(?:UN)?PATH\).*\[(.*)\]', binary.dynamic) for part in path.split(':')]
    return all(part == '$ORIGIN' or part.startswith('$ORIGIN/') for part in parts)


def no_path_of_this_machine(binary):
    return not any(os.fsencode(folder) in binary.bytes for folder in FOLDERS)


FOLDERS = (os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + '/',)
EVERYWHERE = (relro, bind_now, position_independent, stack_not_executable, no_segment_writable_and_executable, stack_protector, fortify,
              run_path_moves_along, no_path_of_this_machine)
ON_X86 = (shadow_stack, branch_targets)


def compiles_with(compiler, flag):
    return subprocess.run([compiler, flag, '-Werror', '-x', 'c', '-c', '-o', os.devnull, os.devnull], capture_output=True).returncode == 0


def main():
    command, library, compiler = sys.argv[1:]
    missing = [tool for tool in ('readelf', 'objdump', 'nm') if not shutil.which(tool)]
    if missing or platform.system() != 'Linux':
        print('skipped:', f'{missing[0]} is not installed' if missing else 'these are no ELF files')
        sys.exit(1 if os.environ.get('CI') == 'true' else 77)
    failed = passed = 0
    for binary in map(Binary, (command, library)):
        checks = EVERYWHERE + (ON_X86 if is_x86(binary) and compiles_with(compiler, '-fcf-protection=full') else ())
        faults = [check.__name__.replace('_', ' ') for check in checks if not check(binary)]
        print(f"{'OFF' if faults else 'ok '} {os.path.basename(binary.path)}", *faults, sep='\n  ')
        failed += len(faults)
        passed += len(checks) - len(faults)
    print(f'{passed} passed, {failed} failed')
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
