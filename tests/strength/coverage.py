#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much of lib the tests have run, of what gcov counts and with nothing left out: coverage.py BUILD... [FILE...]

Lines and branches of each file, and of all, added up over the builds; 1 if less than LINES or BRANCHES percent of either. With FILEs, what of them
never ran.
"""

import collections
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINES, BRANCHES = 98, 93


def reports(build):
    """What gcov says of each object of lib."""
    objects = os.path.join(build, 'lib', 'CMakeFiles', 'etrecord.dir')
    notes = [os.path.join(folder, name) for folder, _, names in os.walk(objects) for name in names if name.endswith('.gcno')]
    for note in sorted(notes):
        done = subprocess.run(['gcov', '--json-format', '--branch-probabilities', '--stdout', note], cwd=objects, capture_output=True, check=True)
        yield json.loads(done.stdout)


def counts(builds):
    """{file: {line: (times run, times of each branch)}}; inline functions of headers are in many objects."""
    files = collections.defaultdict(dict)
    for report in (report for build in builds for report in reports(os.path.abspath(build))):
        for file in report['files']:
            path = os.path.relpath(os.path.join(ROOT, file['file']), ROOT)  # the build leaves the folder of the sources out
            if not path.startswith('lib' + os.sep):
                continue
            lines = files[path]
            for line in file['lines']:
                number, branches = line['line_number'], [branch['count'] for branch in line['branches']]
                key = (number, line.get('function_name'))
                before, old = lines.get(key, (0, [0] * len(branches)))
                more = [a + b for a, b in zip(old, branches)] if len(old) == len(branches) else branches + old
                lines[key] = (before + line['count'], more)
    return files


def percent(part, whole):
    return 100 * part / whole if whole else 100


def row(title, ran, lines, taken, branches):
    print('%-34s lines %5d of %5d  %5.1f %%   branches %5d of %5d  %5.1f %%' % (title, ran, lines, percent(ran, lines), taken, branches, percent(taken, branches)))


def sums(lines):
    ran = sum(count > 0 for count, _ in lines.values())
    branches = [count for _, list in lines.values() for count in list]
    return ran, len(lines), sum(count > 0 for count in branches), len(branches)


def show(path, lines):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        text = file.read().splitlines()
    for (number, _), (count, branches) in sorted(lines.items(), key=lambda item: item[0][0]):
        missed = ','.join(str(i) for i, times in enumerate(branches) if times == 0)
        if count == 0 or missed:
            print('%s:%d: %-9s %s' % (path, number, 'never' if count == 0 else 'not ' + missed, text[number - 1]))


def main():
    wanted = [path for path in sys.argv[1:] if path.endswith(('.c', '.h'))]
    files = counts([build for build in sys.argv[1:] if build not in wanted])
    for path in wanted:
        show(path, files[path])
    if wanted:
        return 0
    total = [0] * 4
    for path, lines in sorted(files.items()):
        row(path, *sums(lines))
        total = [a + b for a, b in zip(total, sums(lines))]
    row('lib', *total)
    return percent(*total[:2]) < LINES or percent(*total[2:]) < BRANCHES


if __name__ == '__main__':
    sys.exit(main())
