# SPDX-License-Identifier: BSD-3-Clause
"""Beside the limit: etrecord-tb and what reading, passing over and writing the bytes takes at least (limit.cpp, read_json.c)."""

import os
import shutil
import subprocess

from measure import FIXTURES, HERE, ROOT, Skipped, measure


def beside_limit(bench):
    """write and summary beside what reading, passing over and writing the bytes takes at least; our JSON reader beside simdjson."""
    limit, reader = os.path.join(bench.folder, 'limit'), os.path.join(bench.folder, 'read_json')
    build_limit(bench.program, limit, reader)
    print('%-28s %9s %9s %9s %9s %9s' % ('CPU ms, MB/s', 'limit', 'write', 'times', 'summary', 'times'))
    lines = []
    for fixture in FIXTURES:
        path, documents = bench.inputs(fixture)
        ours, summary = bench.write(path)[0], bench.run('summary', path)[0]
        out = os.path.join(bench.folder, 'out')
        written = sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(out) for name in names)
        least = [
            measure([limit, 'all', 'written', os.path.join(path, 'etdump.etdp'), str(size), *documents], bench.repeat, bench.folder)[0]
            for size in (written, 0)
        ]
        print(
            '%-28s %9.1f %9.1f %9.2f %9.1f %9.2f'
            % (fixture, 1000 * least[0], 1000 * ours, ours / least[0], 1000 * summary, summary / least[1]),
            flush=True,
        )
        megabytes = sum(map(os.path.getsize, documents)) / 1e6
        for what, kind in (('every value', 'walk'), ('what write wants', 'pick')):
            speeds = [megabytes / float(subprocess.check_output([program, kind, *documents])) for program in (limit, reader)]
            lines.append('%-32s %9.0f %9.0f %9.2f' % ('%s, %s' % (fixture, what), *speeds, speeds[1] / speeds[0]))
        shutil.rmtree(path)
        shutil.rmtree(out)
    print('\n%-32s %9s %9s %9s' % ('JSON, MB/s', 'simdjson', 'ours', 'ratio'))
    print('\n'.join(lines))


def build_limit(program, limit, reader):
    """Builds limit.cpp and read_json.c, with the library that the tests of the program's build are linked with."""
    library = os.path.join(os.path.dirname(program), 'libetrecord_tb_static.a')
    if not os.path.exists(library):
        raise Skipped('%s: build the tests first' % library)
    folders = ['-I' + os.path.join(ROOT, 'lib')]
    flags = ['-O3', '-D_XOPEN_SOURCE=700', '-D_FILE_OFFSET_BITS=64']
    packages = ['-lzip', '-lz', '-lprotobuf-c', '-lcgraph', '-lm']
    steps = (
        ['c++', '-O3', '-std=c++17', os.path.join(HERE, 'limit.cpp'), library, '-lsimdjson', *packages, '-o', limit],
        ['cc', *flags, '-std=c11', '-flto=auto', *folders, os.path.join(HERE, 'read_json.c'), library, *packages, '-o', reader],
    )
    for words in steps:
        if not shutil.which(words[0]):
            raise Skipped('there is no %s' % words[0])
        built = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if built.returncode and b'simdjson.h' in built.stderr:
            raise Skipped('simdjson is not installed (libsimdjson-dev)')
        if built.returncode:
            raise Skipped('%s: %s' % (words[0], built.stderr.decode().split('\n')[0]))
