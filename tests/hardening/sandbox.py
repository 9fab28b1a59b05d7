#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What code that a hostile file got into the command could still do: sandbox.py COMMAND INTRUDER, which is intruder.c as a library to preload.

What it is refused once inputs are read it must have been allowed at the start; otherwise it would not be the command that refuses it.
Started by root, it tries everything as root and as an ordinary user.
"""

import ctypes
import errno
import os
import platform
import shutil
import subprocess
import sys
import tempfile

FIXTURES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'fixtures')
CREATE_RULESET, ASK_VERSION = 444, 1
PR_SET_SECCOMP, MODE_FILTER = 22, 2
TEMPORARY = '/tmp'  # where `dot` may write: the test needs a folder elsewhere

NOBODY = 65534

BY_LANDLOCK = {'read_secret', 'write_secret', 'write_input', 'make_elsewhere', 'make_in_output', 'make_in_current', 'make_in_input', 'make_folder', 'remove_secret',
               'rename_over'}
BY_SECCOMP = {'split_process', 'start_thread_newly', 'make_socket', 'read_process', 'mount_folder', 'type_into_terminal', 'call_of_the_future',
              'change_mode', 'change_mode_open', 'change_mode_newly', 'change_owner', 'change_owner_open', 'change_attribute', 'change_attribute_open',
              'change_attribute_newly', 'change_times', 'change_user', 'signal_other_queue', 'signal_other_newly', 'signal_other_by_file',
              'limit_other', 'slow_other', 'schedule_other', 'move_other', 'slow_disk_of_other', 'trace_other'}
BY_EITHER = {'run_program', 'link_elsewhere'}
SINCE_VERSION_6 = {'signal_other', 'signal_other_thread'}  # of Landlock; or by seccomp
NOT_THERE_YET = {'make_in_new'}  # in a folder that the command makes
BY_CONTAINERS = {'mount_folder', 'move_other', 'trace_other', 'read_process', 'start_thread_newly'}  # may be refused from the start

# What Graphviz may need, or later kernels offer it.
FOR_GRAPHVIZ = {'run_program', 'split_process', 'start_thread_newly', 'type_into_terminal', 'call_of_the_future', 'change_mode_newly', 'change_attribute_newly',
                'change_times', 'signal_other_by_file'}

# Name, arguments, what stays allowed.
CASES = (
    ('reads', ('summary', 'record'), set()),
    ('reads two', ('diff', 'record', 'record'), set()),
    ('reads single files', ('info', '--etrecord', 'record/etrecord.bin', '--etdump', 'record/etdump.etdp'), set()),
    ('reads sources', ('source', 'record'), {'read_secret'}),
    ('reads what a list names', ('nodes', 'record', '--each-from', 'list', '--format', 'csv'), {'read_secret'}),
    ('writes a folder', ('write', 'record', '--logdir', 'out'), {'make_in_output'}),
    ('makes a folder', ('write', 'record', '--logdir', 'out/new/er'), {'make_in_new'}),
    ('writes a file', ('report', 'record', '-o', 'out/report.html'), set()),
    ('writes a file, with a secret and the input below its folder', ('report', 'record', '-o', 'report.html'), set()),
    ('writes a file beside the input', ('report', 'record', '-o', 'record/report.html'), set()),
    ('replaces a file behind a link', ('report', 'record', '-o', 'link.html'), set()),
    ('writes one answer after the other', ('nodes', 'record', '--each', '-o', 'nodes.csv', '--problems', 'problems.jsonl'), set()),
    ('writes to a device', ('report', 'record', '-o', '/dev/null'), set()),
    ('draws itself', ('dot', 'record', '-o', 'out/a.dot'), set()),
    ('runs a program first', ('bench', '--record', 'record', '--logdir', 'out', '--repeat', '1', '--', 'env', '-u', 'LD_PRELOAD', 'cp', 'record/etdump.etdp', 'new.etdp'), {'make_in_output'}),
    ('runs two programs first, in turns', ('bench', '--record', 'record', '--logdir', 'out', '--repeat', '1', '--against-record', 'record', '--against', 'env -u LD_PRELOAD cp record/etdump.etdp base.etdp', '--', 'env', '-u', 'LD_PRELOAD', 'cp', 'record/etdump.etdp', 'new.etdp'), {'make_in_output'}),
    ('starts dot', ('dot', 'record', '-o', 'out/a.svg'), {'read_secret'} | FOR_GRAPHVIZ),
)


class Failure(Exception):
    pass


def landlock_version():
    libc = ctypes.CDLL(None, use_errno=True)
    return 0 if platform.machine() == 'alpha' else max(libc.syscall(CREATE_RULESET, None, 0, ASK_VERSION), 0)


def has_seccomp():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_SECCOMP, MODE_FILTER, None)
    return ctypes.get_errno() == errno.EFAULT


class Trial:
    """A run of the command with the intruder in it, in a folder of its own."""

    def __init__(self, command, intruder, folder, arguments, user, **environment):
        self.folder = folder
        ids = {} if user is None else {'user': user, 'group': user, 'extra_groups': []}
        os.makedirs(self.path('out'))
        os.makedirs(self.path('elsewhere'))
        os.makedirs(self.path('below'))
        shutil.copytree(os.path.join(FIXTURES, 'add_mul'), self.path('record'))
        for name in ('secret', 'out/old.html', 'below/doomed', 'below/precious'):
            with open(self.path(name), 'w', encoding='utf-8') as file:
                file.write('secret')
        with open(self.path('list'), 'w', encoding='utf-8') as file:
            file.write('record/etdump.etdp\n')
        os.symlink('out/old.html', self.path('link.html'))
        if ids:
            for parent, folders, files in os.walk(folder):
                for name in ('.', *folders, *files):
                    os.chown(os.path.join(parent, name), user, user, follow_symlinks=False)
        victim = subprocess.Popen(['sleep', '120'], **ids)
        environment = {**os.environ, 'HOME': folder, 'INTRUDER_VICTIM': str(victim.pid), 'LD_PRELOAD': intruder, 'INTRUDER_REPORT': self.path('attempts'), 'INTRUDER_SECRET': self.path('secret'),
                       'INTRUDER_INPUT': self.path('record/etrecord.bin'), 'INTRUDER_ELSEWHERE': self.path('elsewhere/file'),
                       'INTRUDER_CURRENT': self.path('file'), 'INTRUDER_BESIDE_INPUT': self.path('record/file'),
                       'INTRUDER_DOOMED': self.path('below/doomed'), 'INTRUDER_RENAMED': self.path('below/precious'),
                       'INTRUDER_OUTPUT': self.path('out/file'), 'INTRUDER_NEW': self.path('out/new/er/file'), **environment}
        try:
            self.done = subprocess.run([command, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                                       **ids)
            self.ended = victim.poll()
        finally:
            victim.kill()
            victim.wait()
        with open(self.path('attempts'), encoding='utf-8') as file:
            self.attempts = [line.split() for line in file]

    def path(self, name):
        return os.path.join(self.folder, name)

    def allowed(self, when):
        return {name for at, name, answer in self.attempts if at == when and answer == 'allowed'}

    def tried(self, when):
        return {name for at, name, _ in self.attempts if at == when}


def refusable(version, seccomp):
    """What this kernel can refuse."""
    by_landlock = BY_LANDLOCK | BY_EITHER | (SINCE_VERSION_6 if version >= 6 else set())
    return (by_landlock if version else set()) | (BY_SECCOMP | BY_EITHER | SINCE_VERSION_6 if seccomp else set())


def check(trial, kept, version, seccomp):
    if trial.done.returncode != 0 or trial.done.stderr:
        raise Failure(f'exit {trial.done.returncode}: {trial.done.stderr.decode()}')
    if not trial.tried('read'):
        raise Failure('the intruder never got to work')
    if trial.ended is not None:
        raise Failure('another process ended')
    held_up = trial.tried('start') - trial.allowed('start') - NOT_THERE_YET
    if held_up - BY_CONTAINERS:
        raise Failure(f'refused before the command gave anything up: {sorted(held_up)}')
    if FOR_GRAPHVIZ <= kept and version < 6:
        kept = kept | SINCE_VERSION_6
    expected = trial.tried('read') - (refusable(version, seccomp) - kept) - (NOT_THERE_YET - kept) - held_up
    if trial.allowed('read') != expected:
        raise Failure(f"allowed {sorted(trial.allowed('read') - expected)}, refused {sorted(expected - trial.allowed('read'))}")


def check_old_kernel(command, intruder, folder, user):
    """Nothing is given up, nothing is said, and the answer is the same."""
    old = Trial(command, intruder, os.path.join(folder, 'old'), ('summary', 'record'), user, INTRUDER_KERNEL='old')
    check(old, set(), 0, False)
    new = subprocess.run([command, 'summary', 'record'], cwd=old.folder, capture_output=True)
    if new.stdout != old.done.stdout:
        raise Failure('another answer than with a sandbox')


def check_failed_write(command, _, folder, __):
    """The folders that were made for what then was not written are gone; those that were there are not."""
    os.makedirs(os.path.join(folder, 'there'))
    for logdir in ('some/where/new', 'there/new/', 'there', os.path.join(folder, 'whole//path')):
        done = subprocess.run([command, 'write', 'nothing', '--logdir', logdir], cwd=folder, capture_output=True, text=True)
        if done.stderr != 'etrecord-tb: nothing: cannot open: No such file or directory\n':
            raise Failure(f'{logdir}: {done.stderr}')
        if os.listdir(folder) != ['there'] or os.listdir(os.path.join(folder, 'there')):
            raise Failure(f'{logdir} left {os.listdir(folder)}')


def work_folder(beside):
    return '/var/tmp' if os.path.realpath(beside).startswith(TEMPORARY + '/') else os.path.dirname(beside)


def users_for(command):
    """None is the user who runs the test. Says which of root and an ordinary user cannot be tried."""
    if os.geteuid() != 0:
        print('skipped: only root can try what root could do')
        return (None,)
    try:
        subprocess.run([command, '--version'], user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        print('skipped: ordinary users may not run', command)
        return (None,)
    return None, NOBODY


def main():
    command, intruder = map(os.path.abspath, sys.argv[1:])
    version, seccomp = landlock_version(), has_seccomp()
    cases = [(name, lambda c, i, folder, user, a=arguments, k=kept: check(Trial(c, i, folder, a, user), k, version, seccomp))
             for name, arguments, kept in CASES]
    cases += [('old kernel', check_old_kernel), ('fails', check_failed_write)]
    tried = [(name, run, user) for user in users_for(command) for name, run in cases]
    failed = 0
    for name, run, user in tried:
        with tempfile.TemporaryDirectory(dir=work_folder(intruder)) as scratch:
            os.chmod(scratch, 0o755)
            try:
                run(command, intruder, os.path.join(scratch, 'case'), user)
            except Failure as failure:
                failed += 1
                print(f"OFF {name}{'' if user is None else ' (an ordinary user)'}: {failure}")
    print(f'{len(tried) - failed} passed, {failed} failed', *([] if version else ['skipped: this kernel has no Landlock']),
          *([] if seccomp else ['skipped: this kernel has no seccomp']), sep='\n')
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
