#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Damaged and hostile inputs through the command: run.py PATH/TO/etrecord-tb [--all] [PATTERN...].

The files of tests/fixtures/hostile against their verdicts, then the cases of crafted.py. A verdict is

  refuse     exit 1, one line that names the file, and nothing written
  degraded   exit 0 with a warning
  read       exit 0 with the nodes of the undamaged record
  accept     exit 0
  survive    exit 0, or refuse

or several of them joined by " or ". Whatever the verdict, no run may crash, hang, take much memory or print control characters. Where one command is
enough, each case has the next one, in a build with sanitizers another than in one of which memory is measured. Where no sanitizers watch,
it is every third of the cases that are small; those which might take long or much memory all run. Leaks are looked for by fuzz.*, of the hostile files and
others. With --all each case has all commands, no case is left out, and leaks are looked for.
"""

import fnmatch
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'cli'))
import command  # noqa: E402
import crafted  # noqa: E402
import references  # noqa: E402

HOSTILE = os.path.join(command.FIXTURES, 'hostile')
GOOD = os.path.join(command.FIXTURES, 'dynamic_xnnpack', 'etrecord.bin')
SECONDS = 10
MEMORY = 256 * command.MEGABYTE
LARGE = 100000  # bytes
LEFT_OUT = 'left out'
COMMANDS = ('write', 'info', 'nodes')
NOTHING_COMPARED = 4  # an exit status


class Wrong(Exception):
    pass


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(root, name), folder) for root, _, names in os.walk(folder) for name in names)


def run(program, folder, arguments, stdin=None, memory=MEMORY):
    outcome = program.run(arguments, folder, stdin=stdin, seconds=SECONDS)
    problems = outcome.problems(None if program.sanitized else memory)
    if problems:
        raise Wrong('%s: %s' % (' '.join(arguments), '; '.join(problems)))
    return outcome


def check_refused(outcome, arguments, file):
    lines = outcome.stderr.decode('utf-8').splitlines()
    errors = [line for line in lines if not line.startswith('etrecord-tb: warning: ')]
    if outcome.status != 1 or len(errors) != 1:
        raise Wrong(
            '%s: exit %d, %d lines of error instead of exit 1 with one line\n%s'
            % (' '.join(arguments), outcome.status, len(errors), outcome.stderr.decode())
        )
    if not re.match(r'etrecord-tb: %s: ([^ ].*)' % re.escape(file), errors[0]):
        raise Wrong('%s: the message does not name the file %s: %s' % (' '.join(arguments), file, errors[0]))


def names(nodes_json):
    """Nodes of each graph as far as they do not depend on times and maps."""
    return {
        (graph['module'], graph['method']): [(node['name'], node['target'], node['inputs']) for node in graph['nodes']]
        for graph in json.loads(nodes_json)['graphs']
    }


def check_read(program, folder, nodes, outcome, expected):
    if outcome.status != 0:
        raise Wrong('%s: exit %d: %s' % (' '.join(nodes), outcome.status, outcome.stderr.decode()))
    got, whole = names(outcome.stdout), names(run(program, folder, expected).stdout)
    for key in set(got) & set(whole):
        if got[key] != whole[key]:
            raise Wrong('%s: the nodes of %s/%s differ from those of the undamaged record' % (' '.join(nodes), *key))


def check(program, case, folder):
    """Runs the case's commands and compares what they do with the verdict."""
    inputs = os.path.join(folder, 'inputs')
    work = os.path.join(folder, 'work')
    os.mkdir(work)
    verdicts = case.verdict.split(' or ')
    outcomes = {}
    for name in case.commands:
        arguments = [name, *case.arguments(inputs)] + {'nodes': ['--format', 'json', '--force'], 'write': ['--force']}.get(name, [])
        outcome = run(program, work, arguments, memory=case.memory)
        if name == 'accuracy' and outcome.status == NOTHING_COMPARED:  # an answer, too
            outcome.status = 0
        outcomes[name] = outcome
        if case.says not in outcome.stderr.decode():
            raise Wrong('%s: does not say "%s": %s' % (' '.join(arguments), case.says, outcome.stderr.decode()))
        if outcome.status != 0:
            if 'refuse' not in verdicts and 'survive' not in verdicts:
                raise Wrong('%s: refused: %s' % (' '.join(arguments), outcome.stderr.decode()))
            check_refused(outcome, arguments, case.culprit(inputs))
            if files_below(work):
                raise Wrong('%s: refused, but left %s' % (' '.join(arguments), files_below(work)))
        elif verdicts == ['refuse']:
            raise Wrong('%s: not refused' % ' '.join(arguments))
        elif set(verdicts) <= {'degraded', 'refuse'} and b'etrecord-tb: warning: ' not in outcome.stderr:
            raise Wrong('%s: no warning' % ' '.join(arguments))
    if len({outcome.status for outcome in outcomes.values()}) != 1:
        raise Wrong('%s do not agree whether to refuse' % ', '.join(case.commands))
    if 'read' in verdicts and not ('refuse' in verdicts and outcome.status):
        check_read(program, work, arguments, outcomes['nodes'], ['nodes', *case.undamaged(), '--format', 'json', '--force'])
    if case.look:
        complaint = case.look(outcomes['nodes'], files_below(work), files_below(folder))
        if complaint:
            raise Wrong(complaint)


def with_one_command(case, number):
    """The case with one of its commands, in turn; as it is where what several commands say and leave is looked at."""
    if not case.look and 'read' not in case.verdict.split(' or '):
        case.commands = case.commands[number % len(case.commands) :][:1]
    return case


class FixtureCase:
    """A file of tests/fixtures/hostile. A dump goes with the record it was recorded for."""

    memory, look, says, commands = MEMORY, None, '', COMMANDS

    def __init__(self, name, verdict):
        self.name, self.verdict, self.path = name, verdict, os.path.join(HOSTILE, name)
        self.is_dump = name.endswith('.etdp')

    def make(self, folder):
        pass

    def arguments(self, folder):
        return [GOOD, '--etdump', self.path] if self.is_dump else [self.path]

    def undamaged(self):
        return [GOOD]

    def culprit(self, folder):
        return self.path


def all_cases():
    with open(os.path.join(HOSTILE, 'verdicts.json'), encoding='utf-8') as file:
        verdicts = json.load(file)
    missing = set(os.listdir(HOSTILE)) ^ set(verdicts) ^ {'verdicts.json'}
    if missing:
        sys.exit('files without verdict, or verdicts without file: %s' % sorted(missing))
    return [FixtureCase(name, about['expected']) for name, about in sorted(verdicts.items())] + crafted.cases() + references.cases()


def is_small(case, inputs):
    """Whether the input is small, and the case may take as much memory as most others."""
    return case.memory >= MEMORY and sum(os.path.getsize(os.path.join(inputs, name)) for name in files_below(inputs)) < LARGE


def run_case(program, case, is_for_small=True):
    """What is wrong, or None; LEFT_OUT if the case is small and small ones are not wanted."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = os.path.join(folder, 'inputs')
        os.mkdir(inputs)
        case.make(inputs)
        if not is_for_small and is_small(case, inputs):
            return LEFT_OUT
        try:
            check(program, case, folder)
        except Wrong as wrong:
            return str(wrong)
    return None


def main():
    program = command.program()
    crafted.fewer = 20 if program.sanitized else 1
    wanted = [word for word in sys.argv[1:] if word != '--all']
    cases = [case for case in all_cases() if not wanted or any(fnmatch.fnmatch(case.name, pattern) for pattern in wanted)]
    if '--all' not in sys.argv:
        cases = [with_one_command(case, number) for number, case in enumerate(cases, 1 if program.sanitized else 0)]
        program.finds_leaks = False
    takes_all = program.sanitized or wanted or '--all' in sys.argv
    failed, left_out = 0, 0
    for number, case in enumerate(cases):
        wrong = run_case(program, case, takes_all or number % 3 == 0)
        if wrong == LEFT_OUT:
            left_out += 1
        elif wrong:
            failed += 1
            print('FAILED %s: %s' % (case.name, wrong), flush=True)
    print('%d passed, %d failed' % (len(cases) - left_out - failed, failed))
    return 1 if failed or not cases else 0


if __name__ == '__main__':
    sys.exit(main())
