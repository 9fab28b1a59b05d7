#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `etrecord-tb write` costs: bench.py [PATH/TO/etrecord-tb] [--repeat N]. README.md tells what the columns are.

Nothing here is a test: no figure makes it fail.
"""

import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile

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
        for fixture in ('llama_portable', 'vit_xnnpack'):
            for weights, what in ((0, ''), (1, ' + 4 GB of weights')):
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
        print('exponent %.2f (1: linear) over the last three sizes, without what the first costs\n' % exponent(points), flush=True)


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
    arguments = parser.parse_args()
    if not os.access(arguments.program, os.X_OK):
        sys.exit('%s: build it first: cmake --preset release -G Ninja && ninja -C build/release' % arguments.program)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.program, arguments.repeat, folder)
        bench.beside_python()
        bench.growth('nodes, each with one kernel event', 'nodes', [1000, 3000, 10000, 30000, 100000])
        bench.growth('events, in runs of 67', 'runs', [1000, 3000, 10000, 30000, 100000, 300000])
        bench.growth('events, in one run that loops', 'loop', [1000, 3000, 10000, 30000, 100000, 300000])


if __name__ == '__main__':
    main()
