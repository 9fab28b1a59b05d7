#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does the balance add up wherever it is printed? run.py PATH/TO/etrecord-tb [PATTERN...]

Tables, CSV, JSON, reports, DOT, event files and comparisons of every fixture, of the hostile records whose events last longer than can be or end before
they start, and of dumps made here with such times: parts have to add up to Method::execute as far as their digits go, be what the summary's JSON says,
and no share may be above 100 %. Comparisons show medians, and what they do not add up to.
"""

import csv
import fnmatch
import json
import os
import random
import re
import struct
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, 'cli'), os.path.join(TESTS, 'corpus'), os.path.join(TESTS, 'check')]
import command  # noqa: E402
import forge  # noqa: E402
from report_documents import documents_in  # noqa: E402

WHOLES = ('nodes', 'delegate_only', 'framework', 'unexplained')
NAMES = ('nodes', 'estimated', 'delegate_only', 'inserted', 'rest_of_calls', 'framework', 'unexplained')
TEXTS = {
    'graph operators': 'nodes',
    'estimated': 'estimated',
    'delegate overhead (calls minus operators)': 'delegate_only',
    'inserted operators': 'inserted',
    'call overhead': 'rest_of_calls',
    'runtime, outside operators': 'framework',
    'unexplained': 'unexplained',
    'Method::execute': 'execute',
}
MEDIANS = {
    'graph operators': 'nodes',
    'delegate overhead (calls minus operators)': 'delegate_only',
    'runtime, outside operators': 'framework',
    'unexplained': 'unexplained',
    'rest (medians do not add up)': 'rest',
    'events': 'events',
    'outside of events': 'outside',
    'Method::execute': 'execute',
}
SECONDS = 60


class Wrong(Exception):
    pass


def require(holds, message, *values):
    if not holds:
        raise Wrong(message % values)


# ---- What outputs print: {part: nanoseconds} of each method ----


def number(text):
    if str(text).startswith(('<', '&lt;')):
        return 0  # less than half of the last digit
    value = float(text)
    require(value >= 0, 'a negative time: %s', text)
    return value


def rows_of(lines, pattern, parts):
    """Rows of one table: those from `lines` that are parts, until one that is not. What a part consists of is indented."""
    found = {}
    for line in lines:
        match = re.match(pattern, line)
        if line.startswith(('  ', '|   ', '| ..')) and not (match and match[1].strip(' .') in parts):
            continue
        if not match or match[1].strip(' .') not in parts:
            break
        name = parts[match[1].strip(' .')]
        found[name] = float(match[2].lstrip('<&lt;')) if name in ('rest', 'outside') else number(match[2])
    return found


def tables(text, title, pattern, behind=1, parts=TEXTS):
    lines = text.splitlines()
    return [rows_of(lines[i + behind :], pattern, parts) for i, line in enumerate(lines) if title in line]


def in_text(text):
    return tables(text, 'where the time goes', r'  (.{3,}?)  +(<?[-0-9.]+)')


def in_markdown(text):
    return tables(text, '| where the time goes |', r'\| (.+?) \| ((?:&lt;)?[-0-9.]+) \|', 2)


def in_page(text):
    """The balance of TensorBoard's page, which is in rounded milliseconds, and what one of its last digits is in nanoseconds."""
    decimals = max(len(digits) for digits in re.findall(r'^\| [^|]+ \| (?:&lt;)?\d+\.?(\d*) \|', text[text.index('| where the time goes') :].split('\n\n')[0], re.M))
    return [({name: value * 1e6 for name, value in balance.items()}, 10 ** (6 - decimals)) for balance in in_markdown(text)]


def in_csv(text):
    found = []
    for row in csv.DictReader(text.splitlines()):
        if row['part'] == 'nodes':  # the first of a method; several methods may have no name
            found.append({'delegate_only': 0})
        parts = found[-1]
        parts[row['part']] = number(row['avg'])
        parts['delegate_only'] += number(row['avg']) * (row['part'] in ('inserted', 'rest_of_calls'))
    return found


def in_dot(text):
    return [
        {name: number(value) for name, value in re.findall(r'(\w+) ([-0-9.]+)', line)}
        for line in re.findall(r'average ns:(.*?)<', text)
    ]


def in_report(text):
    document = documents_in(text)['profile']
    return [
        {part['part']: number(part['total']) / method['runs'] for part in method['balance']}
        | {'execute': method['execute']['total'] / method['runs']}
        for method in document['methods']
        if method['runs']
    ]


def in_diff(text):
    return tables(text, 'median per inference', r'(.+?)  +(<?[-0-9.]+)', parts=MEDIANS)


def in_diff_markdown(text):
    return tables(text, '| median per inference |', r'\| (.+?) \| ((?:&lt;)?[-0-9.]+) \|', 2, MEDIANS)


def in_diff_json(text):
    return [
        {name: number(part['base_avg']) for name, part in method['parts'].items()} | {'execute': method['execute']['base_avg']}
        for method in json.loads(text)['methods']
        if method['execute']['base_avg']
    ]


# ---- Event files ----


def fields(data):
    """The fields of a protobuf message: (number, value), bytes or a number."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        size = {0: 0, 1: 8, 5: 4}.get(kind)
        value = varint() if kind in (0, 2) else None
        if kind == 2:
            size = value
        if size:
            value = data[at : at + size]
            at += size
        yield key >> 3, b'' if kind == 2 and not size else value


def values(path):
    """What an event file logs: (tag, step, bytes or float)."""
    with open(path, 'rb') as file:
        data = file.read()
    at = 0
    while at < len(data):
        (size,) = struct.unpack_from('<Q', data, at)
        event = dict(fields(data[at + 12 : at + 12 + size]))
        at += size + 16
        for _, value in fields(event.get(5, b'')):
            value = dict(fields(value))
            tensor = dict(fields(value.get(8, b'')))
            if 2 in value:
                yield value[1].decode(), event.get(2, 0), struct.unpack('<f', value[2])[0]
            elif 8 in tensor:
                yield value[1].decode(), event.get(2, 0), tensor[8]


def event_files(folder):
    return sorted(os.path.join(root, name) for root, _, names in os.walk(folder) for name in names if 'tfevents' in name)


def in_event_files(folder):
    """The summary pages, and the curves of parts, averaged; both only of the first Edge graph, which has them all."""
    pages, curves = [], []
    for path in event_files(folder):
        if '_edge' not in path:
            continue
        sums, points = {}, {}
        for tag, step, value in values(path):
            if tag == '1_summary':
                pages += in_page(value.decode())
            elif tag.startswith('2_parts_ms/'):
                part, _, method = tag[11:].partition('/')
                of_method = sums.setdefault(method, {})
                for name in (part, 'delegate_only') if part in ('inserted', 'rest_of_calls') else (part,):
                    of_method[name] = of_method.get(name, 0) + number(value) * 1e6
                points.setdefault(method, set()).add(step)
        curves += [{part: value / len(points[method]) for part, value in of_method.items()} for method, of_method in sums.items()]
    return pages, curves


def check_curves(curves, want):
    """Each is a part of a method; parts that are left out never take 0.001 ms or 1 %. Gives how many methods there are."""
    for got in curves:
        distance = lambda method: sum(abs(method[name] - got.get(name, 0)) for name in WHOLES)  # noqa: E731
        method = min(want, key=distance)
        least = max(1000, 0.01 * method['execute'])
        for name in NAMES:
            if name in got:
                require(near(got[name], method[name], 1) or name == 'delegate_only' and abs(got[name] - method[name]) < least, 'curves: %s is %s, in JSON %s', name, got[name], method[name])
            elif name != 'estimated':
                require(method[name] < least * (2 if name == 'delegate_only' else 1), 'curves: %s is missing, in JSON %s', name, method[name])
    return len(curves)


# ---- Adding up ----


def near(got, want, unit, count=0):
    """Equal but for what `count` rounded parts and a rounded whole lose, each half a unit of their last digits."""
    return abs(got - want) <= (count + 1) * 0.5 * unit + 1e-6 * abs(want)


def check(where, got, want, unit):
    """Parts that are not printed are nothing."""
    part = lambda name: got.get(name, 0)  # noqa: E731
    whole, parts = got.get('execute', want['execute']), sum(map(part, WHOLES))
    require(near(parts, whole, unit, len(WHOLES)), '%s: the parts add up to %s, not %s', where, parts, whole)
    if 'inserted' in got or 'rest_of_calls' in got:
        inside = part('inserted') + part('rest_of_calls')
        require(near(inside, part('delegate_only'), unit, 2), '%s: delegates take %s, their parts %s', where, part('delegate_only'), inside)
    require(part('estimated') <= part('nodes') + unit, '%s: more is estimated than is on nodes', where)
    for name, value in got.items():
        require(near(value, want[name], unit), '%s: %s is %s, in JSON %s', where, name, value, want[name])


def check_all(where, balances, want, unit):
    """Each is that of a method, in whatever order they come; gives how many there are."""
    for got in balances:
        distance = lambda method: sum(abs(method[name] - got.get(name, 0)) for name in WHOLES)  # noqa: E731
        require(want, '%s: a balance of no method', where)
        check(where, got, min(want, key=distance), unit)
    return len(balances)


def check_medians(where, tables, want):
    """Medians and what is left of that of Method::execute, which is one of `want`: times in nanoseconds. Gives how many there are."""
    for got in tables:
        parts = sum(value for name, value in got.items() if name != 'execute')
        require(near(parts, got['execute'], 1, len(got)), '%s: the medians add up to %s, not %s', where, parts, got['execute'])
        require(any(near(got['execute'], median, 1) for median in want), '%s: %s is no median of a method', where, got['execute'])
    return len(tables)


def check_shares(where, text):
    for share in re.findall(r'(-?[0-9.]+) ?%', text):
        require(0 <= float(share) <= 100, '%s: a share of %s %%', where, share)


# ---- All outputs of one record ----


def run(program, folder, *arguments):
    outcome = program.run(list(arguments), folder, seconds=SECONDS)
    problems = outcome.problems()
    require(outcome.status == 0 and not problems, '%s: exit %s, %s, %s', ' '.join(arguments), outcome.status, problems, outcome.stderr.decode()[:500])
    return outcome.stdout.decode(), outcome.stderr.decode()


def summary_in_json(text):
    return [
        {name: number(method[name]) for name in NAMES} | {'execute': number(method['execute']['avg'])}
        for method in json.loads(text)['methods']
        if method['runs']
    ]


# Commands that print the balance of every method that ran, how it is found in what they print, and the unit of its last digit in nanoseconds.
OF_ALL_METHODS = (
    ('summary RECORD --unit ns', in_text, 1),
    ('summary RECORD --unit ns --format markdown', in_markdown, 1),
    ('summary RECORD --unit ns --by part --format csv', in_csv, 1e-3),
    ('report RECORD', in_report, 1e-3),
)
OF_SOME = (
    ('dot RECORD', in_dot, 1e-3),
    ('diff RECORD RECORD --unit ns --format json', in_diff_json, 1e-3),
)
OF_MEDIANS = (
    ('diff RECORD RECORD --unit ns', in_diff),
    ('diff RECORD RECORD --unit ns --format markdown', in_diff_markdown),
)
# What else tells shares, or reads times.
SHARES = ('nodes RECORD', 'source RECORD', 'delegation RECORD', 'dot RECORD --depth 9', 'events RECORD', 'info RECORD', 'trace RECORD')


def check_record(program, record, says, work):
    """says: texts that the command has to warn of, once each."""
    text, warnings = run(program, work, 'summary', record, '--unit', 'ns', '--format', 'json')
    want = summary_in_json(text)
    has_record = any(name.endswith(('.bin', '.etrecord')) for name in os.listdir(record))
    any_timed = any(method['method'] and method['execute']['avg'] for method in json.loads(text)['methods'])
    for warning in says:
        require(warnings.count(warning) == 1, 'warns not once of "%s": %s', warning, warnings)
    check_all('JSON', want, want, 1e-3)
    for line, find, unit in OF_ALL_METHODS:
        text, _ = run(program, work, *line.replace('RECORD', record).split())
        require(check_all(line, find(text), want, unit) == len(want), '%s: not a balance of each method', line)
        if unit == 1:
            check_shares(line, text)
    for line in SHARES:
        if has_record or not line.startswith('dot'):
            check_shares(line, run(program, work, *line.replace('RECORD', record).split())[0])
    if not has_record:
        return
    counts = {}
    for line, find, unit in OF_SOME:
        counts[line] = check_all(line, find(run(program, work, *line.replace('RECORD', record).split())[0]), want, unit)
    compared = json.loads(run(program, work, 'diff', record, record, '--unit', 'ns', '--format', 'json')[0])['methods']
    medians = [method['execute']['base_p50'] for method in compared if method['execute']['base_p50'] is not None]
    for line, find in OF_MEDIANS:
        counts[line] = check_medians(line, find(run(program, work, *line.replace('RECORD', record).split())[0]), medians)
    run(program, work, 'write', record, '--logdir', 'runs')
    pages, curves = in_event_files(os.path.join(work, 'runs'))
    counts['pages'] = sum(check_all('event files', [page], want, unit) for page, unit in pages)
    counts['curves'] = check_curves(curves, want)
    for where, count in counts.items():
        require(count > 0 or not any_timed, '%s: no balance', where)


# ---- Records ----

EDGES = (0, 1, 99, 10**6, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**52, 2**53 - 1, 2**53, 2**53 + 1, 2**63, 2**64 - 1)
# The events of a run of dynamic_xnnpack: name, instruction, id inside the delegate.
EVENTS = (
    ('native_call_add.out', 0),
    ('OPERATOR_CALL', 0),
    ('', 2, 'Fully Connected (NC, F32) GEMM #1'),
    ('', 2, 'Transpose (ND, X32) #1'),
    ('DELEGATE_CALL', 2),
    ('OPERATOR_CALL', 1),
    ('Method::execute', -1),
)


def times(chance):
    """Mostly what can be; now and then none of the edges is too far, nor does the end have to come last."""
    start, end = chance.randrange(10**9), chance.choice(EDGES)
    if chance.random() < 0.6:
        return start, start + chance.randrange(10**5)
    return (chance.choice(EDGES), end) if chance.random() < 0.5 else (start, min(start + end, 2**64 - 1))


def forged_dump(chance):
    runs = []
    for _ in range(chance.randrange(1, 5)):
        runs.append(('Execute', [(name, 0, instruction, *times(chance), *rest) for name, instruction, *rest in EVENTS]))
    return forge.etdump(runs)


class Record:
    """A folder of files, and what the command has to warn of. dump: one for the record of dynamic_xnnpack, or for none."""

    def __init__(self, name, says=(), dump=None, alone=False):
        self.name, self.says, self.dump, self.alone = name, says, dump, alone

    def make(self, work):
        if not self.dump:
            return os.path.join(command.FIXTURES, self.name)
        folder = os.path.join(work, 'inputs')
        os.mkdir(folder)
        if not self.alone:
            os.symlink(os.path.join(command.FIXTURES, 'dynamic_xnnpack', 'etrecord.bin'), os.path.join(folder, 'etrecord.bin'))
        with open(os.path.join(folder, 'etdump.etdp'), 'wb') as file:
            file.write(self.dump)
        return folder


def records():
    yield Record('hostile/too_long_once', ['"native_call_add.out" takes impossibly many ticks (1 event in total)'])
    yield Record('hostile/too_long_each_run', ['"Method::execute" takes impossibly many ticks (3 events in total)'])
    yield Record('hostile/ends_before_start', ['"Method::execute" ends before it starts (3 events in total)'])
    for folder, _, files in sorted(os.walk(command.FIXTURES)):
        if 'hostile' not in folder and any(name.endswith('.etdp') for name in files):
            yield Record(os.path.relpath(folder, command.FIXTURES))
    for seed in range(60):
        yield Record('forged %d' % seed, dump=forged_dump(random.Random(seed)), alone=seed % 3 == 0)


def main():
    program = command.program()
    patterns = sys.argv[1:] or ['*']
    passed, failed = 0, 0
    for record in records():
        if not any(fnmatch.fnmatch(record.name, pattern) for pattern in patterns):
            continue
        with tempfile.TemporaryDirectory() as work:
            try:
                check_record(program, record.make(work), record.says, work)
                passed += 1
            except Wrong as wrong:
                failed += 1
                print('FAILED %s: %s' % (record.name, wrong))
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
