#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Nothing may grow faster than its input: run.py PATH/TO/etrecord-tb [NAME...].

For each dimension of inputs.py: four times the size may cost at most MOST times the instructions (counted by valgrind's cachegrind), MOST times the bytes
that are written (to standard output and to files) and, of inputs that are larger, MOST times the resident memory (of the process without valgrind, as the
kernel accounts for it). What a start with an input of size 1 costs is taken off. Nothing depends on time, and no figure is compared with an older one.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import inputs

MOST = 4.4
BULK = 8  # memory is looked at with so many times the size, unless inputs.BULK has another number: pages are coarse
FEW = 4096  # bytes of output by which a growth is not judged: numbers get longer
PAGES = 4 << 20  # bytes by which peaks differ anyhow: buffers and tables grow in steps, and the system deals pages in large pieces
SKIPPED = 77

# Starts a program from a process that is small itself: a child's peak memory counts that of the process it was forked from.
LAUNCHER = """
import os, sys
child = os.fork()
if child == 0:
    nowhere = os.open('/dev/null', os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024)
"""


def arguments(program, command, folder):
    out = os.path.join(folder, 'out')
    shutil.rmtree(out, ignore_errors=True)
    if os.path.isfile(out):
        os.remove(out)
    return [program] + [{'RECORD': os.path.join(folder, 'in'), 'OUT': out}.get(word, word) for word in command]


def written_below(path):
    files = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    return sum(map(os.path.getsize, files if os.path.isdir(path) else filter(os.path.isfile, [path])))


def count_instructions(words, out):
    """The instructions, and the bytes of what is written."""
    tool = ['valgrind', '--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null']
    done = subprocess.run(tool + words, capture_output=True)
    said = done.stderr.decode(errors='replace')
    if done.returncode:
        raise RuntimeError('exit status %d\n%s' % (done.returncode, said[-800:]))
    # Of all processes: some commands read in one and write in another.
    instructions = sum(int(count.replace(',', '')) for count in re.findall(r'I +refs: +([\d,]+)', said))
    return instructions, len(done.stdout) + written_below(out)


def measure_once(words):
    done = subprocess.run([sys.executable, '-I', '-S', '-c', LAUNCHER, *words], capture_output=True, text=True, check=True)
    status, size = map(int, done.stdout.split())
    if status:
        raise RuntimeError('exit status %d' % status)
    return size


def measure_memory(words, _):
    """The least of some runs: where the system puts large pages differs from run to run."""
    return min(measure_once(words) for _ in range(3))


def measure(program, make, command, size, how, root):
    folder = tempfile.mkdtemp(dir=root)
    os.mkdir(os.path.join(folder, 'in'))
    make(os.path.join(folder, 'in'), size)
    try:
        return how(arguments(program, command, folder), os.path.join(folder, 'out'))
    finally:
        shutil.rmtree(folder)


def growth(program, make, command, size, root):
    """By how much instructions, output and memory grow."""
    one, few, many = (measure(program, make, command, n, count_instructions, root) for n in (1, size, 4 * size))
    bulk = inputs.BULK.get(make, BULK)
    least, less, more = (measure(program, make, command, n, measure_memory, root) for n in (1, bulk * size, 4 * bulk * size))
    return (many[0] - one[0]) / (few[0] - one[0]), (many[1] - one[1]) / max(FEW, few[1] - one[1]), max(0, more - least - PAGES) / max(PAGES, less - least)


def check(program, make, command, size, root):
    title = '%s, %s' % (make.__name__, ' '.join(word for word in command if word not in ('RECORD', 'OUT', '-o', '--logdir')))
    try:
        instructions, output, memory = growth(program, make, command, size, root)
    except RuntimeError as error:
        return False, '%s: %s' % (title, error)
    line = '%-50s %5.2f times the instructions, %5.2f times the output, %5.2f times the memory' % (title, instructions, output, memory)
    good = max(instructions, output, memory) <= MOST
    return good, '%-4s %s' % ('ok' if good else 'FAIL', line)


def main():
    program, *wanted = sys.argv[1:]
    if not shutil.which('valgrind'):
        if os.environ.get('CI'):
            sys.exit('valgrind is missing')
        print('skipped: valgrind is missing')
        sys.exit(SKIPPED)
    cases = [(make, command, size) for make, (size, *commands) in inputs.DIMENSIONS.items() for command in commands]
    good = True
    with tempfile.TemporaryDirectory() as root:
        for case in cases:
            if wanted and case[0].__name__ not in wanted:
                continue
            passed, line = check(os.path.abspath(program), *case, root)
            good &= passed
            print(line, flush=True)
    sys.exit(not good)


if __name__ == '__main__':
    main()
