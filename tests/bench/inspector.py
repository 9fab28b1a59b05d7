# SPDX-License-Identifier: BSD-3-Clause
"""Beside ExecuTorch: etrecord-tb and ExecuTorch's own inspector_cli and parse_etrecord, on models of real size."""

import os
import shutil
import subprocess
import sys
import zipfile

from make_inputs import is_program
from measure import HERE, ROOT, Skipped, measure

ENVIRONMENT = os.path.join(ROOT, 'build', 'bench-executorch')
MODELS = os.path.join(ROOT, 'build', 'bench-models')
PACKAGES = ('executorch', 'torch', 'torchvision')
VERSIONS = "import sys; from importlib.metadata import version; print(', '.join('%s %s' % (name, version(name)) for name in sys.argv[1:]))"

INSPECTOR_CLI = 'executorch.devtools.inspector.inspector_cli'
PARSE_ETRECORD = 'import sys; from executorch.devtools.etrecord import parse_etrecord; parse_etrecord(sys.argv[1])'

# Of theirs, which take seconds. More than one: the first reads from the disk what later ones find in memory.
RUNS = 3

# How many times less CPU than inspector_cli, and memory, is aimed at.
AIMS = {'mobilenet_v2': 3000, 'vit_b_16': 1500, 'llama': 700}
AIM_MEMORY = 50


def versions(python):
    """The packages as that interpreter has them, or nothing where one is missing."""
    done = subprocess.run([python, '-c', VERSIONS, *PACKAGES], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode().strip()


def prepare(what, *arguments):
    """Runs what the comparison needs and what is no part of it."""
    print('%s ...' % what, file=sys.stderr, flush=True)
    done = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        sys.stderr.write(done.stderr.decode(errors='replace'))
        raise Skipped('%s ended with %d' % (what, done.returncode))


def make_environment():
    """A Python of the benchmark's own that has the packages; what an interrupted run left is completed."""
    python = os.path.join(ENVIRONMENT, 'bin', 'python')
    if not os.path.exists(python):
        prepare('making ' + ENVIRONMENT, sys.executable, '-m', 'venv', ENVIRONMENT)
    if not versions(python):
        prepare('installing ' + ', '.join(PACKAGES), python, '-m', 'pip', 'install', '--quiet', *PACKAGES)
    return python


def given_environment(python):
    path = shutil.which(python)
    if not path or not versions(path):
        raise Skipped('%s is no Python that has %s' % (python, ', '.join(PACKAGES)))
    return os.path.abspath(path)


def make_model(python, name):
    """A model's folder. It has that name once it is complete."""
    path = os.path.join(MODELS, name)
    if not os.path.exists(path):
        prepare('exporting ' + name, python, os.path.join(HERE, 'full_size.py'), path + '.part', name)
        os.rename(path + '.part', path)
    return path


def beside_executorch(bench):
    """A table for each model. Returns a short one of them all."""
    python = given_environment(bench.python) if bench.python else make_environment()
    paths = {name: make_model(python, name) for name in AIMS}
    print(versions(python))
    short = ['%-14s %15s %14s %9s %6s %12s %6s' % ('', 'inspector_cli s', 'events ms', 'less CPU', 'aim', 'less memory', 'aim')]
    for name, path in paths.items():
        theirs, ours = beside_inspector(bench, python, name, path)
        ratios = (theirs[0] / ours[0], AIMS[name], theirs[1] / ours[1], AIM_MEMORY)
        short.append('%-14s %15.1f %14.1f %9.0f %6d %12.0f %6d' % (name, theirs[0], 1000 * ours[0], *ratios))
    imports = measure([python, '-c', 'import ' + INSPECTOR_CLI], RUNS, bench.folder)
    print('\nof inspector_cli, importing its modules: %.0f ms, %.0f MB' % (1000 * imports[0], imports[1]))
    print('of etrecord-tb, starting the program: %.1f ms' % (1000 * bench.empty))
    return '\n'.join(short)


def beside_inspector(bench, python, name, path):
    """Prints a model's table. Returns what inspector_cli and `events` took."""
    record, dump, _ = files = [os.path.join(path, file) for file in ('etrecord.bin', 'etdump.etdp', 'model.pte')]
    with zipfile.ZipFile(record) as archive:
        programs = list(filter(is_program, archive.namelist()))
    theirs = {
        'inspector_cli': measure([python, '-m', INSPECTOR_CLI, '--etdump_path', dump, '--etrecord_path', record], RUNS, bench.folder),
        'parse_etrecord': measure([python, '-c', PARSE_ETRECORD, record], RUNS, bench.folder),
        'zipfile + json': bench.read_with_python(record, programs),
        'of Edge alone': bench.read_with_python(record, [program for program in programs if program.startswith('edge')]),
    }
    floors = {'events': 'of Edge alone', 'summary': 'of Edge alone', 'write': 'zipfile + json'}
    ours = {'events': bench.run('events', path), 'summary': bench.run('summary', path), 'write': bench.write(path)}
    print('\n%-34s %36s %22s' % ('', 'times less CPU than', 'times less memory than'))
    print('%-16s %8s %8s %14s %14s %14s %14s' % (name, 'CPU ms', 'peak MB', *list(theirs)[:3], 'inspector_cli'))
    for what, (seconds, peak) in {**theirs, **ours}.items():
        line = '%-16s %8.1f %8.1f' % (what, 1000 * seconds, peak)
        if what in ours:
            line += ' %14.0f %14.0f %14.1f' % tuple(
                theirs[other][0] / seconds for other in ('inspector_cli', 'parse_etrecord', floors[what])
            )
            line += ' %14.0f' % (theirs['inspector_cli'][1] / peak)
        print(line)
    print('%-34s %14d %14s %14s %14d' % ('aim', AIMS[name], '', '', AIM_MEMORY))
    print_missed(name, theirs['inspector_cli'], ours)
    print('ETRecord %.1f MB, ETDump %.1f MB, .pte %.1f MB' % tuple(os.path.getsize(file) / 1e6 for file in files), flush=True)
    return theirs['inspector_cli'], ours['events']


def print_missed(name, theirs, ours):
    """Names the aims that are not reached."""
    for resource, at, aim in (('CPU', 0, AIMS[name]), ('memory', 1, AIM_MEMORY)):
        missed = [what for what, figures in ours.items() if theirs[at] < aim * figures[at]]
        if missed:
            print('aim not reached, %s: %s' % (resource, ', '.join(missed)))
