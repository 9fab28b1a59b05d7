#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Signals in the middle of writing, and writers beside others: signals.py PATH/TO/etrecord-tb

The command is stopped where temporary files are there by what it has to wait for: a second ETDump that is a pipe, a `dot` that waits for one.
"""

import fcntl
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, 'cli'))
import command  # noqa: E402

RECORD = os.path.join(command.FIXTURES, 'add_mul', 'etrecord.bin')
DUMP = os.path.join(command.FIXTURES, 'add_mul', 'etdump.etdp')
ENDING = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGXCPU]
SECONDS = 60  # that a case waits for what it started last
KILLS = 100
WAITED = 'nothing happened for %d seconds' % SECONDS
started = []  # processes of a case


def start_process(*arguments, **more):
    started.append(subprocess.Popen(*arguments, stderr=subprocess.PIPE, **more))
    signal.alarm(SECONDS)
    return started[-1]


def start(program, folder, *arguments, **more):
    return start_process([program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **more)


def give_up(number, frame):
    """Ends a wait that has no limit of its own, such as that for who opens a pipe."""
    for process in started:
        process.kill()
    raise TimeoutError(WAITED)


def end(process):
    """The exit status, and what was said."""
    said = process.communicate(timeout=SECONDS)[1].decode()
    return process.returncode, said


def files(folder):
    return sorted(os.path.relpath(os.path.join(root, name), folder) for root, _, names in os.walk(folder) for name in names)


def temporaries(folder):
    return [name for name in files(folder) if os.path.basename(name).startswith('.etrecord-tb.')]


def live_events(folder):
    return [name for name in files(folder) if 'events.out' in name and os.path.getsize(os.path.join(folder, name))]


class Waiting:
    """A writer of run folders that has written those of its first ETDump, and waits for the second."""

    def __init__(self, program, folder):
        self.pipe = os.path.join(folder, 'pipe.etdp')
        os.mkfifo(self.pipe)
        self.process = start(program, folder, 'write', RECORD, '--name', 'n', '--etdump', DUMP, '--etdump', self.pipe)
        self.feed = open(self.pipe, 'wb')  # once the command opens it, too

    def go_on(self):
        with self.feed, open(DUMP, 'rb') as dump:
            shutil.copyfileobj(dump, self.feed)
        return end(self.process)

    def stop(self, number):
        self.process.send_signal(number)
        outcome = end(self.process)
        self.feed.close()
        os.unlink(self.pipe)
        return outcome


class Drawing:
    """Its program `dot` waits for a pipe, and draws what comes out of it."""

    def __init__(self, folder, tools='bin'):
        self.folder, self.pipe, tools = folder, os.path.join(folder, tools + '.pipe'), os.path.join(folder, tools)
        self.environment = {**os.environ, 'PATH': tools + ':' + os.environ['PATH']}
        os.mkfifo(self.pipe)
        os.mkdir(tools)
        with open(os.path.join(tools, 'dot'), 'w', encoding='utf-8') as file:
            file.write('#!/bin/sh\nexec cat %s\n' % self.pipe)
        os.chmod(file.name, 0o755)

    def start(self, program, **more):
        return start(program, self.folder, 'dot', RECORD, '--format', 'svg', '-o', 'a.svg', env=self.environment, **more)


# ---- Cases: what is wrong, or None ----


def signal_ends_writer(program, folder, number):
    writer = Waiting(program, folder)
    if not temporaries(folder):
        return 'there was nothing to be removed'
    status, said = writer.stop(number)
    if status != -number or said:
        return 'exit %d: %s' % (status, said)
    return 'left: %s' % os.listdir(folder) if os.listdir(folder) else None


def signal_between_answers(program, folder, number):
    """The answers before it are complete, although the command waits for the next line of its list."""
    command_line = [program, 'nodes', RECORD, '--each-from', '-', '--format', 'csv', '--columns', 'node']
    process = start_process(command_line, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(DUMP.encode() + b'\n')
    process.stdin.flush()
    first = process.stdout.readline()
    process.send_signal(number)
    rows, said = process.stdout.read(), process.stderr.read()
    process.wait(timeout=SECONDS)
    process.stdin.close()
    if process.returncode != -number or said != b'etrecord-tb: stopped by a signal; 1 answer is complete\n':
        return 'exit %d: %s' % (process.returncode, said.decode())
    return None if first == b'record,run,etdump,name\r\n' and rows.count(b'\n') == 33 else 'rows are %s' % rows.decode()


def signal_that_is_ignored(program, folder):
    """As `nohup` has it."""
    os.mkfifo(os.path.join(folder, 'pipe'))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        writer = Waiting(program, folder)
    finally:
        signal.signal(signal.SIGHUP, before)
    writer.process.send_signal(signal.SIGHUP)
    status, said = writer.go_on()
    return None if status == 0 else 'exit %d: %s' % (status, said)


def signal_ends_drawing(program, folder):
    """Its `dot`, too: the pipe that this waits for has no reader any more."""
    drawing = Drawing(folder)
    process = drawing.start(program)
    with open(drawing.pipe, 'wb', buffering=0) as feed:
        if not temporaries(folder):
            return 'there was nothing to be removed'
        process.send_signal(signal.SIGTERM)
        status, said = end(process)
        try:
            for _ in range(256):  # more than a pipe holds
                feed.write(bytes(65536))
            return 'dot is alive'
        except BrokenPipeError:
            pass
    if status != -signal.SIGTERM or said:
        return 'exit %d: %s' % (status, said)
    return 'left: %s' % files(folder) if files(folder) != ['bin.pipe', 'bin/dot'] else None


def file_may_not_grow(program, folder):
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # noqa: E731
    for arguments in (['write', RECORD, '--name', 'n'], ['report', RECORD, '-o', 'a.html']):
        status, said = end(start(program, folder, *arguments, preexec_fn=limit))
        if status != 1 or not said.endswith(': cannot write this file: File too large\n') or said.count('\n') != 1:
            return 'exit %d: %s' % (status, said)
    return 'left: %s' % os.listdir(folder) if os.listdir(folder) else None


def killed_writers(program, folder):
    for _ in range(KILLS):
        Waiting(program, folder).stop(signal.SIGKILL)
        if not temporaries(folder):
            return 'there was nothing to be removed'
    status, said = end(start(program, folder, 'write', RECORD, '--name', 'n'))
    if status or said:
        return 'exit %d: %s' % (status, said)
    return 'left: %s' % temporaries(folder) if temporaries(folder) else None


def killed_writer_of_a_file(program, folder):
    """The process that puts the file in place removes it. Its lock on the file ends behind that."""
    drawing = Drawing(folder)
    process = drawing.start(program)
    with open(drawing.pipe, 'wb', buffering=0):
        [name] = temporaries(folder)
        with open(os.path.join(folder, name), 'rb') as file:
            process.kill()
            end(process)
            if not keeps_beside(program):
                return None
            fcntl.flock(file, fcntl.LOCK_EX)
    return 'left: %s' % files(folder) if files(folder) != ['bin.pipe', 'bin/dot'] else None


def keeps_beside(program):
    """Whether the command gives up rights, and so has another process put its outputs in place."""
    with open(program, 'rb') as file:
        return sys.platform == 'linux' and b'cannot start a process' in file.read()


def killed_writers_of_a_file(program, folder):
    """Of one that is dead with all its processes the temporary file goes later, that of one that lives stays."""
    first, second = Drawing(folder, 'first'), Drawing(folder, 'second')
    killed = first.start(program, start_new_session=True)
    with open(first.pipe, 'wb', buffering=0):
        dead = temporaries(folder)
        with open(os.path.join(folder, dead[0]), 'rb') as file:
            os.killpg(killed.pid, signal.SIGKILL)
            end(killed)
            fcntl.flock(file, fcntl.LOCK_EX)  # until the other process is dead, too
    living = second.start(program)
    with open(second.pipe, 'wb', buffering=0) as feed:
        both = temporaries(folder)
        status, said = end(start(program, folder, 'dot', RECORD, '-o', 'b.dot'))
        if status or len(dead) != 1 or len(both) != 1 or both == dead or temporaries(folder) != both:
            return 'exit %d: %s: %s, %s, %s' % (status, said, dead, both, temporaries(folder))
        feed.write(b'<svg/>')
    status, said = end(living)
    if status or set(os.listdir(folder)) - {'first', 'first.pipe', 'second', 'second.pipe'} != {'a.svg', 'b.dot'}:
        return 'exit %d: %s: %s' % (status, said, files(folder))
    return None


def second_writer_waits(program, folder):
    first = Waiting(program, folder)
    second = start(program, folder, 'write', RECORD, '--name', 'n')
    other = end(start(program, folder, 'write', RECORD, '--name', 'other'))
    outcomes = [other, first.go_on(), end(second)]
    if any(status or said for status, said in outcomes):
        return str(outcomes)
    runs = [name for name in live_events(folder) if name.startswith('runs/n/')]
    return None if len(runs) in (1, 2) and not temporaries(folder) else 'files are %s' % files(folder)


def second_writer_of_a_writer_that_ends(program, folder):
    """It made the folder that the second waits for, and takes it away."""
    first = Waiting(program, folder)
    second = start(program, folder, 'write', RECORD, '--name', 'n')
    first.stop(signal.SIGTERM)
    outcome = end(second)
    return None if outcome == (0, '') and len(live_events(folder)) == 1 and not temporaries(folder) else '%s, files are %s' % (outcome, files(folder))


CASES = [(case, number) for case in (signal_ends_writer, signal_between_answers) for number in ENDING] + [
    (signal_that_is_ignored,),
    (signal_ends_drawing,),
    (file_may_not_grow,),
    (killed_writers,),
    (killed_writer_of_a_file,),
    (killed_writers_of_a_file,),
    (second_writer_waits,),
    (second_writer_of_a_writer_that_ends,),
]


def fault_of(case, *arguments):
    try:
        return case(*arguments)
    except (OSError, subprocess.TimeoutExpired) as fault:
        return str(fault)
    finally:
        signal.alarm(0)
        for process in started:
            process.kill()
        started.clear()


def main():
    program = os.path.abspath(sys.argv[1])
    passed, failed = 0, 0
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)  # `nohup` ignores SIGHUP, and so would the command
    signal.signal(signal.SIGALRM, give_up)
    for case, *arguments in CASES:
        with tempfile.TemporaryDirectory() as folder:
            wrong = fault_of(case, program, folder, *arguments)
        passed += not wrong
        if wrong:
            failed += 1
            print('FAILED %s: %s' % (' '.join([case.__name__, *[number.name for number in arguments]]), wrong))
        if wrong and wrong.startswith(WAITED):
            break  # the others would wait, too
    print('%d passed, %d failed' % (passed, failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
