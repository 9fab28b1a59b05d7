#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What etrecord-tb costs: bench.py [PATH/TO/etrecord-tb] [--repeat N] [--only PART] [--executorch] [--against COMMIT] [--keep]. README.md tells what the columns are.

Nothing here is a test: no figure makes it fail.
"""

import argparse
import contextlib
import io
import math
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from against import beside_commit
from inspector import beside_executorch
from limit import beside_limit
from measure import FIXTURES, HERE, ROOT, WRITE, Bench, Skipped, make, measure

sys.path.insert(0, os.path.join(ROOT, 'tests', 'corpus'))
import one_handle  # noqa: E402

DEFAULT = os.path.join(ROOT, 'build', 'release', 'plugin', 'etrecord-tb')


def beside_python(bench):
    start = measure([sys.executable, '-c', 'import json, zipfile'], bench.repeat, bench.folder)[0]
    print('%-44s %9s %9s %9s %9s %7s %7s' % ('record, entries stored', 'write ms', 'peak MB', 'Python ms', 'peak MB', 'ratio', 'ratio*'))
    for fixture in FIXTURES:
        for weights, what in ((0, ''), (1, ' + 8 GB of weights')):
            path = os.path.join(bench.folder, 'record')
            programs = make(path, 'fixture', fixture, weights)
            record = os.path.join(path, 'etrecord.bin')
            python = bench.read_with_python(record, programs)
            for inputs, more in (
                (record, ''),
                (path, ', ETDump, .pte' if os.path.exists(os.path.join(path, 'model.pte')) else ', ETDump'),
            ):
                ours = bench.write(inputs)
                net = (ours[0] - bench.empty) / (python[0] - start)
                print(
                    '%-44s %9.1f %9.1f %9.1f %9.1f %7.3f %7.3f'
                    % (fixture + more + what, 1000 * ours[0], ours[1], 1000 * python[0], python[1], ours[0] / python[0], net),
                    flush=True,
                )
            shutil.rmtree(path)
    print('ratio*: both without the time to start the program (%.1f ms, Python %.1f ms)' % (1000 * bench.empty, 1000 * start))


def instructions(bench):
    if not shutil.which('valgrind'):
        raise Skipped('there is no valgrind')
    print('%-28s %9s %9s %9s' % ('million instructions', 'record', 'all', 'summary'))
    for fixture in FIXTURES:
        path, _ = bench.inputs(fixture)
        counts = (
            bench.count(*WRITE, os.path.join(path, 'etrecord.bin')),
            bench.count(*WRITE, path),
            bench.count('summary', path),
        )
        print('%-28s %9.1f %9.1f %9.1f' % (fixture, *counts), flush=True)
        shutil.rmtree(path)
    print('without arguments but --version: %.1f' % bench.count('--version'))


def growth(bench):
    events = (1000, 10000, 30000, 100000, 300000, 1000000)
    growth_of(bench, 'nodes, each with one kernel event', 'nodes', (1000, 3000, 10000, 30000, 100000))
    print()
    growth_of(bench, 'events, in runs of 67', 'runs', events)
    print()
    growth_of(bench, 'events, in one run that loops', 'loop', events)
    if shutil.which('valgrind'):
        print()
        growth_of_handles(bench, (4000, 16000))


def growth_of_handles(bench, sizes):
    """Nodes of one debug handle, as many as the sizes say."""
    print('%-48s %9d %9d %12s' % (('nodes of one handle, million instructions',) + sizes + ('times more',)))
    for case in one_handle.CASES:
        counts = []
        for size in sizes:
            path = os.path.join(bench.folder, 'record')
            make(path, 'handle', case, size)
            counts.append(bench.count('events', path))
            shutil.rmtree(path)
        print('%-48s %9.1f %9.1f %12.2f' % (case, *counts, counts[1] / counts[0]), flush=True)


def growth_of(bench, title, kind, sizes):
    print('%-44s %9s %9s %12s %12s' % (title, 'write ms', 'peak MB', 'us for each', 'times more'))
    points, last = [], None
    for size in sizes:
        path = os.path.join(bench.folder, 'record')
        make(path, kind, size)
        seconds, peak = bench.write(path)
        net = seconds - bench.empty
        step = '' if last is None else '%.2f of %.2f' % (net / last[1], size / last[0])
        print(('%-44d %9.1f %9.1f %12.2f %12s' % (size, 1000 * seconds, peak, 1e6 * net / size, step)).rstrip(), flush=True)
        points.append((size, net))
        last = (size, net)
        shutil.rmtree(path)
    print('exponent %.2f (1: linear) over the last three sizes, without what the first costs' % exponent(points), flush=True)
    if shutil.which('valgrind'):
        print(
            'exponent %.2f in instructions, over %s' % (exponent(counts(bench, kind, sizes[:4])), ', '.join(map(str, sizes[1:4]))),
            flush=True,
        )


def counts(bench, kind, sizes):
    """Each size with its million instructions."""
    points = []
    for size in sizes:
        path = os.path.join(bench.folder, 'record')
        make(path, kind, size)
        points.append((size, bench.count(*WRITE, path)))
        shutil.rmtree(path)
    return points


def exponent(points):
    """Slope of the least-squares line through the logarithms. The first point is taken off the others, it holds what every size costs; the last three count."""
    (first, least), *points = points
    logs = [(math.log(size - first), math.log(max(seconds - least, 1e-6))) for size, seconds in points[-3:]]
    mean_x, mean_y = sum(x for x, _ in logs) / len(logs), sum(y for _, y in logs) / len(logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def machine():
    """One line on what this ran on."""
    model = 'processor'
    with contextlib.suppress(OSError), open('/proc/cpuinfo') as file:
        found = re.search(r'^model name\s*:\s*(.*)$', file.read(), re.MULTILINE)
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


def busy_seconds():
    """CPU seconds of the whole machine and of what this process started, or None where the kernel does not tell."""
    with contextlib.suppress(OSError), open('/proc/stat') as file:
        user, nice, system, _, _, *interrupts = map(int, file.readline().split()[1:8])
        whole = (user + nice + system + sum(interrupts)) / os.sysconf('SC_CLK_TCK')
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return whole, sum(usage.ru_utime + usage.ru_stime for usage in usages)
    return None


@contextlib.contextmanager
def others_told():
    """Prints how busy other programs kept the machine meanwhile."""
    before, start = busy_seconds(), time.monotonic()
    yield
    after = busy_seconds()
    if before and after:
        others = (after[0] - before[0] - (after[1] - before[1])) / (time.monotonic() - start)
        print('\nother programs, meanwhile: %.1f of %d cores' % (max(others, 0), os.cpu_count()))


class Tee(io.StringIO):
    """Standard output, and what was written to it."""

    def write(self, text):
        sys.__stdout__.write(text)
        sys.__stdout__.flush()
        return super().write(text)


PARTS = {
    'python': ('Beside Python', beside_python),
    'limit': ('Beside the limit', beside_limit),
    'instructions': ('Instructions', instructions),
    'against': ('Beside an earlier version', beside_commit),
    'growth': ('Growth', growth),
    'executorch': ('Beside ExecuTorch', beside_executorch),
}


def keep(path, title, figures):
    """Puts figures into a page: into the block below the title."""
    with open(path) as file:
        page = file.read()
    block = re.compile(r'(^#+ %s\n.*?^```\n).*?(?=^```$)' % re.escape(title), re.DOTALL | re.MULTILINE)
    page, found = block.subn(lambda match: match[1] + figures.strip('\n') + '\n', page)
    if found != 1:
        sys.exit('%s: %d blocks are called %s' % (path, found, title))
    with open(path, 'w') as file:
        file.write(page)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program', nargs='?', default=DEFAULT)
    parser.add_argument('--repeat', type=int, default=10, help='runs of each measurement (default: 10)')
    parser.add_argument('--only', action='append', choices=PARTS, help='this part only; may be given again')
    parser.add_argument(
        '--executorch', action='store_true', help='the part executorch, too: installs executorch and torch, makes models (8 GB)'
    )
    parser.add_argument('--python', help='a Python that has executorch, torch and torchvision, instead of one that is made')
    parser.add_argument('--against', metavar='COMMIT', help='count the instructions of this commit, too, which is built for that')
    parser.add_argument('--keep', action='store_true', help='put the figures of the parts that ran into README.md')
    return parser.parse_args()


def main():
    arguments = parse()
    if not os.access(arguments.program, os.X_OK):
        sys.exit('%s: build it first: cmake --preset release && ninja -C build/release' % arguments.program)
    optional = {'executorch': arguments.executorch, 'against': arguments.against}
    chosen = arguments.only or [part for part in PARTS if optional.get(part, True)]
    print(machine())
    for part, (title, run) in PARTS.items():
        if part in chosen:
            run_part(arguments, title, run)


def run_part(arguments, title, run):
    """Prints a part's figures; keeps them where that is asked for. What is skipped leaves those that are kept as they are."""
    print('\n%s\n' % title, flush=True)
    tee = Tee()
    try:
        with contextlib.redirect_stdout(tee), tempfile.TemporaryDirectory() as folder, others_told():
            short = run(Bench(arguments, folder))
    except Skipped as why:
        print('skipped: %s' % why)
        return
    if arguments.keep:
        keep(os.path.join(HERE, 'README.md'), title, '%s\n\n%s' % (machine(), tee.getvalue().strip('\n')))
        if short:
            keep(os.path.join(ROOT, 'README.md'), title, short)


if __name__ == '__main__':
    main()
