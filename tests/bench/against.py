# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of this version beside those of an earlier commit, which is built in a worktree of its own."""

import contextlib
import os
import shutil
import subprocess
import tempfile

from measure import ROOT, Skipped

RECORDS = ('mv2_xnnpack', 'llama_portable', 'llama_xnnpack')
COMMANDS = {
    'events': (),
    'summary': (),
    'write': ('--logdir', 'out', '--name', 'bench'),
    'report': ('-o', 'out.html'),
    'trace': ('-o', 'out.json'),  # mostly numbers as text
    'nodes': ('--format', 'jsonl', '--each'),
    'delegation': ('--format', 'jsonl', '--each'),
}
DUMPS = 50  # of --each
BUILD = ('-DCMAKE_BUILD_TYPE=Release', '-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON', '-DBUILD_TESTING=OFF')


def run(*words):
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)


@contextlib.contextmanager
def built(commit):
    """The program of a commit, built as the release preset builds it."""
    with tempfile.TemporaryDirectory() as folder:
        tree, build = os.path.join(folder, 'tree'), os.path.join(folder, 'build')
        run('git', '-C', ROOT, 'worktree', 'add', '--detach', tree, commit)
        try:
            ccache = ('-DCMAKE_C_COMPILER_LAUNCHER=ccache',) if shutil.which('ccache') else ()
            run('cmake', '-G', 'Ninja', '-S', tree, '-B', build, *BUILD, *ccache)
            run('ninja', '-C', build, 'etrecord-tb')
            yield os.path.join(build, 'plugin', 'etrecord-tb')
        finally:
            run('git', '-C', ROOT, 'worktree', 'remove', '--force', tree)


def copy_record(source, to, with_program):
    os.makedirs(to)
    for name in os.listdir(source):
        if not name.startswith('truth') and (with_program or not name.endswith('.pte')):
            shutil.copy(os.path.join(source, name), to)


def records(folder):
    """Each record's name and folder, with its program and without; those of full size where they were made."""
    sources = [(name, os.path.join(ROOT, 'tests', 'fixtures', name)) for name in RECORDS]
    models = os.path.join(ROOT, 'build', 'bench-models')
    if os.path.isdir(models):
        sources += [(name + ', full size', os.path.join(models, name)) for name in sorted(os.listdir(models))]
    for name, source in sources:
        if not os.path.isdir(source):
            continue
        has_program = any(file.endswith('.pte') for file in os.listdir(source))
        for with_program in (True, False) if has_program else (False,):
            path = os.path.join(folder, 'against')
            copy_record(source, path, with_program)
            yield name + (', .pte' if with_program else ''), path
            shutil.rmtree(path)


def beside_commit(bench):
    if not bench.against:
        raise Skipped('--against COMMIT tells which commit to compare with')
    if not shutil.which('valgrind'):
        raise Skipped('there is no valgrind')
    with built(bench.against) as earlier:
        print('%-36s %9s %9s %7s' % ('million instructions', bench.against[:9], 'now', 'ratio'))
        for name, path in records(bench.folder):
            for command, options in COMMANDS.items():
                dumps = [os.path.join(path, file) for file in os.listdir(path) if file.endswith('.etdp')] * DUMPS if '--each' in options else []
                before, now = (bench.count(command, path, *options, *dumps, program=program) for program in (earlier, bench.program))
                title = '%s%s %s' % (command, ' --each' if dumps else '', name)
                print('%-36s %9.1f %9.1f %7.2f' % (title, before, now, now / before), flush=True)
