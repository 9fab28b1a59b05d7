#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `etrecord-tb write` costs: bench.py [PATH/TO/etrecord-tb] [--repeat N] [--keep] [--executorch]. README.md tells what the columns are.

Nothing here is a test: no figure makes it fail.
"""

import argparse
import contextlib
import io
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEFAULT = os.path.join(ROOT, 'build', 'release', 'plugin', 'etrecord-tb')

# Starts a program from a process that is small itself: a child's peak memory counts that of the process it was forked from.
LAUNCHER = """
import os, sys
child = os.fork()
if child == 0:
    nowhere = os.open('/dev/null', os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""

READ_WITH_PYTHON = """
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    for name in sys.argv[2:]:
        json.loads(archive.read(name))
"""


READ_WITH_EXECUTORCH = """
import sys
from executorch.devtools import Inspector
Inspector(etdump_path=sys.argv[2], etrecord=sys.argv[1]).to_dataframe()
"""

FIXTURES = ('llama_portable', 'vit_xnnpack')


def measure(arguments, repeat, cwd):
    """Best CPU seconds and largest peak MB of so many runs."""
    seconds, peak = math.inf, 0
    for _ in range(repeat):
        words = subprocess.run(
            [sys.executable, '-I', '-S', '-c', LAUNCHER, *arguments], cwd=cwd, stdout=subprocess.PIPE, check=True
        ).stdout.split()
        if int(words[2]) != 0:
            sys.exit('%s: exit status %s' % (' '.join(arguments), words[2].decode()))
        seconds, peak = min(seconds, float(words[0])), max(peak, int(words[1]) / 1024)
    return seconds, peak


def make(folder, *arguments):
    """Makes inputs in a process of its own, so that this one stays small."""
    out = subprocess.run(
        [sys.executable, os.path.join(HERE, 'make_inputs.py'), folder, *map(str, arguments)], stdout=subprocess.PIPE, check=True
    ).stdout
    return out.decode().split('\n')[:-1]


class Bench:
    def __init__(self, program, repeat, folder):
        self.program, self.repeat, self.folder = os.path.abspath(program), repeat, folder
        self.empty = measure([self.program, '--version'], repeat, folder)[0]
        self.empty_python = measure([sys.executable, '-c', 'import json, zipfile'], repeat, folder)[0]

    def write(self, inputs):
        return measure([self.program, 'write', inputs, '--logdir', 'out', '--name', 'bench'], self.repeat, self.folder)

    def beside_python(self):
        print(
            '%-44s %9s %9s %9s %9s %7s %7s' % ('record, entries stored', 'write ms', 'peak MB', 'Python ms', 'peak MB', 'ratio', 'ratio*')
        )
        for fixture in FIXTURES:
            for weights, what in ((0, ''), (1, ' + 8 GB of weights')):
                path = os.path.join(self.folder, 'record')
                programs = make(path, 'fixture', fixture, weights)
                record = os.path.join(path, 'etrecord.bin')
                python = measure([sys.executable, '-c', READ_WITH_PYTHON, record, *programs], self.repeat, self.folder)
                for inputs, more in (
                    (record, ''),
                    (path, ', ETDump, .pte' if os.path.exists(os.path.join(path, 'model.pte')) else ', ETDump'),
                ):
                    ours = self.write(inputs)
                    net = (ours[0] - self.empty) / (python[0] - self.empty_python)
                    print(
                        '%-44s %9.1f %9.1f %9.1f %9.1f %7.3f %7.3f'
                        % (fixture + more + what, 1000 * ours[0], ours[1], 1000 * python[0], python[1], ours[0] / python[0], net),
                        flush=True,
                    )
                shutil.rmtree(path)
        print(
            'ratio*: both without the time to start the program (%.1f ms, Python %.1f ms)\n' % (1000 * self.empty, 1000 * self.empty_python)
        )

    def inputs(self, fixture):
        """Makes a fixture's inputs: their folder, and the programs' texts as files."""
        path = os.path.join(self.folder, 'record')
        names = make(path, 'fixture', fixture, 0)
        documents = []
        with zipfile.ZipFile(os.path.join(path, 'etrecord.bin')) as archive:
            for number, name in enumerate(names):
                documents.append(os.path.join(self.folder, 'program%d.json' % number))
                with open(documents[-1], 'wb') as file:
                    file.write(archive.read(name))
        return path, documents

    def beside_limit(self):
        """write and summary beside what reading, passing over and writing the bytes takes at least; our JSON reader beside simdjson."""
        limit, reader = os.path.join(self.folder, 'limit'), os.path.join(self.folder, 'read_json')
        why = build_limit(limit, reader)
        if why:
            print('beside simdjson: skipped, %s\n' % why)
            return
        print('%-28s %9s %9s %9s %9s %9s' % ('CPU ms, MB/s', 'limit', 'write', 'times', 'summary', 'times'))
        lines = []
        for fixture in FIXTURES:
            path, documents = self.inputs(fixture)
            ours, summary = self.write(path)[0], measure([self.program, 'summary', path], self.repeat, self.folder)[0]
            out = os.path.join(self.folder, 'out')
            written = sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(out) for name in names)
            least = [
                measure([limit, 'all', 'written', os.path.join(path, 'etdump.etdp'), str(size), *documents], self.repeat, self.folder)[0]
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
                lines.append('%-28s %9.0f %9.0f %9.2f' % ('%s, %s' % (fixture, what), *speeds, speeds[1] / speeds[0]))
            shutil.rmtree(path)
            shutil.rmtree(out)
        print('\n%-28s %9s %9s %9s' % ('JSON, MB/s', 'simdjson', 'ours', 'ratio'))
        print('\n'.join(lines) + '\n', flush=True)

    def instructions(self):
        if not shutil.which('valgrind'):
            print('instructions: skipped, there is no valgrind\n')
            return
        print('%-28s %9s %9s %9s' % ('million instructions', 'record', 'all', 'summary'))
        for fixture in FIXTURES:
            path, _ = self.inputs(fixture)
            write = ['write', '--logdir', 'out', '--name', 'bench']
            counts = [
                self.count([*write, os.path.join(path, 'etrecord.bin')]),
                self.count([*write, path]),
                self.count(['summary', path]),
            ]
            print('%-28s %9.1f %9.1f %9.1f' % (fixture, *counts), flush=True)
            shutil.rmtree(path)
        print('without arguments but --version: %.1f\n' % self.count(['--version']))

    def count(self, arguments):
        words = ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', self.program, *arguments]
        told = subprocess.run(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True).stderr.decode()
        return int(re.search(r'refs:\s*([\d,]+)', told)[1].replace(',', '')) / 1e6

    def beside_executorch(self):
        """ExecuTorch's own Inspector on the same inputs, in a virtual environment that is kept in build/."""
        python = os.path.join(ROOT, 'build', 'bench-executorch', 'bin', 'python')
        if not os.path.exists(python):
            subprocess.run([sys.executable, '-m', 'venv', os.path.dirname(os.path.dirname(python))], check=True)
            subprocess.run([python, '-m', 'pip', 'install', '--quiet', 'executorch', 'torch'], check=True)
        versions = subprocess.check_output([python, '-m', 'pip', 'list', '--format=freeze']).decode()
        print('beside %s' % ', '.join(re.findall(r'^(?:executorch|torch)==.*$', versions, re.M)))
        print('%-28s %9s %9s %9s %9s' % ('', 'write s', 'peak MB', 'theirs s', 'peak MB'))
        for fixture in FIXTURES:
            path, _ = self.inputs(fixture)
            words = [python, '-c', READ_WITH_EXECUTORCH, os.path.join(path, 'etrecord.bin'), os.path.join(path, 'etdump.etdp')]
            print('%-28s %9.3f %9.1f %9.3f %9.1f' % (fixture, *self.write(path), *measure(words, 1, self.folder)), flush=True)
            shutil.rmtree(path)
        print()

    def growth(self, title, kind, sizes):
        print('%-44s %9s %9s %12s %12s' % (title, 'write ms', 'peak MB', 'us for each', 'times more'))
        points, last = [], None
        for size in sizes:
            path = os.path.join(self.folder, 'record')
            make(path, kind, size)
            seconds, peak = self.write(path)
            net = seconds - self.empty
            step = '' if last is None else '%.2f of %.2f' % (net / last[1], size / last[0])
            print('%-44d %9.1f %9.1f %12.2f %12s' % (size, 1000 * seconds, peak, 1e6 * net / size, step), flush=True)
            points.append((size, net))
            last = (size, net)
            shutil.rmtree(path)
        print('exponent %.2f (1: linear) over the last three sizes, without what the first costs' % exponent(points), flush=True)
        if shutil.which('valgrind'):
            print('exponent %.2f in instructions, over %s' % (exponent(self.counts(kind, sizes[:4])), ', '.join(map(str, sizes[1:4]))), flush=True)
        print()

    def counts(self, kind, sizes):
        """Million instructions of each size."""
        counts = []
        for size in sizes:
            path = os.path.join(self.folder, 'record')
            make(path, kind, size)
            counts.append((size, self.count(['write', path, '--logdir', 'out', '--name', 'bench'])))
            shutil.rmtree(path)
        return counts


def find(name):
    """A source file's path, wherever it lies in lib/ or plugin/."""
    return next(os.path.join(root, name) for top in ('lib', 'plugin') for root, _, names in os.walk(os.path.join(ROOT, top)) if name in names)


def build_limit(limit, reader):
    """Builds limit.cpp and read_json.c; why not, or None."""
    sources = [find(name) for name in ('json.c', 'json_text.c', 'base.c', 'file.c')]
    folders = ['-I' + folder for folder in sorted({os.path.dirname(find(name)) for name in ('json.h', 'base.h', 'file.h', 'etrecord.h')})]
    crc = limit + '_crc.o'
    flags = ['-O3', '-D_XOPEN_SOURCE=700', '-D_FILE_OFFSET_BITS=64']
    steps = (
        ['cc', *flags, '-std=c11', '-c', find('crc32c.c'), '-o', crc],
        ['c++', '-O3', '-std=c++17', os.path.join(HERE, 'limit.cpp'), crc, '-lsimdjson', '-o', limit],
        ['cc', *flags, '-std=c11', '-flto', *folders, os.path.join(HERE, 'read_json.c'), *sources, '-lm', '-o', reader],
    )
    for words in steps:
        if not shutil.which(words[0]):
            return 'there is no %s' % words[0]
        built = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if built.returncode and b'simdjson.h' in built.stderr:
            return 'simdjson is not installed (libsimdjson-dev)'
        if built.returncode:
            return '%s: %s' % (words[0], built.stderr.decode().split('\n')[0])
    return None


def machine():
    """One line on what this ran on."""
    model = 'processor'
    with contextlib.suppress(OSError), open('/proc/cpuinfo') as file:
        found = re.search(r'^model name\s*:\s*(.*)$', file.read(), re.M)
        model = found[1] if found else model
    compiler = subprocess.run(['cc', '--version'], stdout=subprocess.PIPE, check=False).stdout.decode().split('\n')[0]
    return '%d x %s, %s %s, %s, Python %s' % (
        os.cpu_count(),
        model,
        platform.system(),
        platform.machine(),
        compiler,
        platform.python_version(),
    )


class Tee(io.StringIO):
    """Standard output, and what was written to it."""

    def write(self, text):
        sys.__stdout__.write(text)
        sys.__stdout__.flush()
        return super().write(text)


def keep(text):
    """Puts the figures into README.md, between its last two fences."""
    path = os.path.join(HERE, 'README.md')
    with open(path) as file:
        before, _, after = file.read().rsplit('```', 2)
    with open(path, 'w') as file:
        file.write('%s```\n%s\n```%s' % (before, text.strip(), after))


def exponent(points):
    """Slope of the least-squares line through the logarithms. The first point is taken off the others, it holds what every size costs; the last three count."""
    (first, least), *points = points
    logs = [(math.log(size - first), math.log(max(seconds - least, 1e-6))) for size, seconds in points[-3:]]
    mean_x, mean_y = sum(x for x, _ in logs) / len(logs), sum(y for _, y in logs) / len(logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program', nargs='?', default=DEFAULT)
    parser.add_argument('--repeat', type=int, default=5, help='runs of each measurement (default: 5)')
    parser.add_argument('--keep', action='store_true', help='put the figures into README.md')
    parser.add_argument('--executorch', action='store_true', help="beside ExecuTorch's Inspector, too: installs executorch and torch (6 GB)")
    arguments = parser.parse_args()
    if not os.access(arguments.program, os.X_OK):
        sys.exit('%s: build it first: cmake --preset release -G Ninja && ninja -C build/release' % arguments.program)
    tee = Tee()
    with contextlib.redirect_stdout(tee), tempfile.TemporaryDirectory() as folder:
        print(machine() + '\n')
        bench = Bench(arguments.program, arguments.repeat, folder)
        bench.beside_python()
        bench.beside_limit()
        bench.instructions()
        bench.growth('nodes, each with one kernel event', 'nodes', [1000, 3000, 10000, 30000, 100000])
        bench.growth('events, in runs of 67', 'runs', [1000, 10000, 30000, 100000, 300000, 1000000])
        bench.growth('events, in one run that loops', 'loop', [1000, 10000, 30000, 100000, 300000, 1000000])
        if arguments.executorch:
            bench.beside_executorch()
    if arguments.keep:
        keep(tee.getvalue())


if __name__ == '__main__':
    main()
