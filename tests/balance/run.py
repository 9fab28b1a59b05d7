#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does the balance add up wherever it is printed? run.py PATH/TO/etrecord-tb [PATTERN...] EVERY=4 takes every fourth record only (default: all).

Tables, CSV, JSON, reports, DOT, event files and comparisons of every fixture, of the hostile records whose events last longer than can be or end before
they start, and of dumps made here with such times (each output of every third): parts have to add up to Method::execute as far as their digits go, be what the summary's JSON says,
and no share may be above 100 %.
"""

import fnmatch
import functools
import itertools
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

WHOLES = ('operators', 'operators_unplaced', 'inserted', 'delegate_phases', 'opaque_delegates', 'call_overhead', 'runtime', 'unexplained')
# How people read the parts; a backend may follow in brackets.
TEXTS = {
    'graph operators': 'operators',
    'operators, on no node': 'operators_unplaced',
    'inserted copies': 'inserted',
    'in delegates: computing, waiting, copying': 'delegate_phases',
    'runtime, outside operators': 'runtime',
    'unexplained': 'unexplained',
    'Method::execute': 'execute',
}


def part_of(text):
    """The part that a row is of; None: it is none."""
    if re.fullmatch(r'calling \d+ delegates?( \(.+\))?', text):
        return 'call_overhead'
    if re.fullmatch(r'in .+ \(no operators recorded\)', text):
        return 'opaque_delegates'
    return TEXTS.get(re.sub(r' \([^()]+\)$', '', text))


SECONDS = 60
EVERY = int(os.environ.get('EVERY', '1'))


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


def rows_of(lines, pattern):
    """Rows of one table: those from `lines` that are parts, until one that is not. Parts of several backends are added up."""
    found = {}
    for line in lines:
        match = re.match(pattern, line)
        name = match and part_of(match[1].strip())
        if not name:
            break
        found[name] = found.get(name, 0) + number(match[2])
    return found


def tables(text, title, pattern, behind=1):
    lines = text.splitlines()
    return [rows_of(lines[i + behind :], pattern) for i, line in enumerate(lines) if title in line]


def in_text(text):
    return tables(text, 'where the time goes', r'  (.{3,}?)  +(<?[-0-9.]+)')


def in_markdown(text):
    return tables(text, '| where the time goes |', r'\| (.+?) \| ((?:&lt;)?[-0-9.]+) \|', 2)


def sums_of(pairs):
    """Parts of several backends, added up by name."""
    found = {}
    for name, value in pairs:
        found[name] = found.get(name, 0) + number(value)
    return found


def in_dot(text):
    found = []
    # In cycles where the clock counts them: a cycle is taken as 1 ns in the other outputs.
    for unit, line in re.findall(r'>in (us|cycles): (.*?)<', text):
        parts = re.findall(r'(\S.*?) ([-0-9.]+)(?: [+=] |$)', line)
        require(all(part_of(name) for name, _ in parts), 'DOT names parts of no other output: %s', line)
        found.append(sums_of((part_of(name), number(value) * (1e3 if unit == 'us' else 1)) for name, value in parts))
    return found


def in_report(text):
    document = documents_in(text)['profile']
    return [
        sums_of((part['part'], part['typical']) for part in method['balance']) | {'execute': method['execute']['typical']}
        for method in document['methods']
        if method['runs']
    ]


def in_report_avg(text):
    document = documents_in(text)['profile']
    return [
        sums_of((part['part'], part['total'] / method['runs']) for part in method['balance'])
        | {'execute': method['execute']['total'] / method['runs']}
        for method in document['methods']
        if method['runs']
    ]


def in_diff_json(text, key='typical'):
    return [
        sums_of((part['part'], part[side + '_' + key]) for part in method['parts'])
        for method in json.loads(text)['methods']
        for side in ('base', 'new')
        if method['execute']['base_avg']
    ]


def in_diff_json_avg(text):
    return in_diff_json(text, 'avg')


SIDES = ('base', 'new', 'change')


def cells_of(line, ends):
    """The numbers of a row of `diff`, which stand at the right of their columns; an empty cell is nothing."""
    numbers = [re.search(r'\S*$', line[:end])[0].lstrip('<') for end in ends]
    return [float(text or 0) for text in numbers]


def in_diff_text(text):
    """The first table of each method that both sides timed, with all its rows: [(name, {side: time})]."""
    lines, found = text.splitlines(), []
    for at, line in enumerate(lines):
        head = re.match(r'typical run +(base \S+) +(new \S+) +(change)\b', line)
        if not head:
            continue
        ends, rows = [head.end(group) for group in (1, 2, 3)], []
        for row in lines[at + 1 :]:
            name = re.split(r' {2,}', row.lstrip())[0]
            rows.append((row[: len(row) - len(row.lstrip())] + name, dict(zip(SIDES, cells_of(row, ends), strict=True))))
            if name == 'Method::execute':
                break
        found.append(rows)
    return found


def check_diff_text(where, rows):
    """Rows of operators add up to the part above them, parts to Method::execute, and each change is the difference of its sides."""
    *parts, (_, whole) = rows
    for side in SIDES:
        total = sum(row[side] for name, row in parts if not name.startswith(' '))
        require(near(total, whole[side], 1, len(parts)), '%s: the parts of %s add up to %s, not %s', where, side, total, whole[side])
        for at, (name, part) in enumerate(parts):
            inside = list(itertools.takewhile(lambda row: row[0].startswith(' '), parts[at + 1 :]))
            if inside and not name.startswith(' '):
                total = sum(row[side] for _, row in inside)
                require(near(total, part[side], 1, len(inside)), '%s: %s of %s adds up to %s, not %s', where, name, side, total, part[side])
    for name, row in rows:
        require(near(row['change'], row['new'] - row['base'], 1, 2), '%s: the change of %s', where, name)


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
    """The curves of parts, averaged."""
    curves = []
    for path in event_files(folder):
        sums, points = {}, {}
        for tag, step, value in values(path):
            if tag.startswith('2_parts_ms/'):
                part, _, method = tag[11:].partition('/')
                of_method = sums.setdefault(method, {})
                of_method[part] = of_method.get(part, 0) + number(value) * 1e6
                points.setdefault(method, set()).add(step)
        curves += [{part: value / len(points[method]) for part, value in of_method.items()} for method, of_method in sums.items()]
    return curves


def check_curves(curves, want):
    """Each is a part of a method; parts that are left out never take 0.001 ms or 1 %. Gives how many methods there are."""
    for got in curves:
        distance = lambda method: sum(abs(method[name] - got.get(name, 0)) for name in WHOLES)  # noqa: E731
        method = min(want, key=distance)
        least = max(1000, 0.01 * method['execute'])
        for name in WHOLES:
            if name in got:
                require(near(got[name], method[name], 1), 'curves: %s is %s, in JSON %s', name, got[name], method[name])
            else:
                require(method[name] < least, 'curves: %s is missing, in JSON %s', name, method[name])
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
    for name, value in got.items():
        require(near(value, want[name], unit, 2), '%s: %s is %s, in JSON %s', where, name, value, want[name])


def check_all(where, balances, want, unit):
    """Each is that of a method, in whatever order they come; gives how many there are."""
    for got in balances:
        distance = lambda method: sum(abs(method[name] - got.get(name, 0)) for name in WHOLES)  # noqa: E731
        require(want, '%s: a balance of no method', where)
        check(where, got, min(want, key=distance), unit)
    return len(balances)


def check_shares(where, text):
    for share in re.findall(r'(-?[0-9.]+) ?%', text):
        require(0 <= float(share) <= 100, '%s: a share of %s %%', where, share)


def without_places(balances):
    """What is on nodes and what is on none, as one part. `summary` shows the operators that all candidates of undecided runs share; a report and a comparison
    have graphs of methods, and no node of theirs may get the time of such runs."""
    return [balance | {'operators': balance.get('operators', 0) + balance.get('operators_unplaced', 0), 'operators_unplaced': 0} for balance in balances]


# ---- All outputs of one record ----


def run(program, folder, *arguments):
    outcome = program.run(list(arguments), folder, seconds=SECONDS)
    problems = outcome.problems()
    require(outcome.status == 0 and not problems, '%s: exit %s, %s, %s', ' '.join(arguments), outcome.status, problems, outcome.stderr.decode()[:500])
    return outcome.stdout.decode(), outcome.stderr.decode()


def texts_of(program, record, work):
    """What command lines print about a record, each run once: a function of the line."""

    @functools.cache
    def text(line):
        return run(program, work, *line.replace('RECORD', record).split())[0]

    return text


def summary_in_json(text, key):
    """The parts of each method by a statistic; parts that are not there are nothing."""
    return [
        dict.fromkeys(WHOLES, 0) | sums_of((part['part'], part[key]) for part in method['parts']) | {'execute': whole_of(method, key)}
        for method in json.loads(text)['methods']
        if method['runs']
    ]


def whole_of(method, key):
    """Method::execute, or where no run logged it the sum of its events."""
    value = method['execute'][key]
    return number(value) if value is not None else sum(part[key] for part in method['parts'])


def check_old_members(text):
    """What scripts read of a balance, and the sums of the lists: averages, and typical times."""
    for method in json.loads(text)['methods']:
        if not method['runs']:
            continue
        broad = sum(method[name] for name in ('nodes', 'delegate_only', 'framework', 'unexplained'))
        require(near(broad, whole_of(method, 'avg'), 1e-3, 4), 'JSON: the broad parts add up to %s', broad)
        for key in ('avg', 'typical'):
            parts = sums_of((part['part'], part[key]) for part in method['parts'])
            operators = parts.get('operators', 0)
            for name in ('by_op', 'by_module', 'by_backend', 'by_source'):
                total = sum(row[key] or 0 for row in method[name])
                require(near(total, operators, 1e-3, len(method[name])), 'JSON: %s adds up to %s, not %s', name, total, operators)
            kernels = sum(row[key] for row in method['by_kernel'])
            work = operators + parts.get('operators_unplaced', 0) + parts.get('inserted', 0)
            require(near(kernels, work, 1e-3, len(method['by_kernel'])), 'JSON: by_kernel adds up to %s, not %s', kernels, work)


# Commands that print the balance of every method that ran, how it is found in what they print, its statistic, and the unit of its last digit in nanoseconds.
OF_ALL_METHODS = (
    ('summary RECORD --by part --unit ns', in_text, 'typical', 1),
    ('summary RECORD --by part --unit ns --stat avg', in_text, 'avg', 1),
    ('summary RECORD --by part --unit ns --stat p50', in_text, 'typical', 1),
    ('summary RECORD --by part --unit ns --format markdown', in_markdown, 'typical', 1),
    ('report RECORD', in_report, 'typical', 1e-3),
    ('report RECORD', in_report_avg, 'avg', 1e-3),
)
OF_SOME = (
    ('dot RECORD', in_dot, 'typical', 1),
    ('diff RECORD RECORD --unit ns --format json', in_diff_json, 'typical', 1e-3),
    ('diff RECORD RECORD --unit ns --format json', in_diff_json_avg, 'avg', 1e-3),
)
# What else tells shares, or reads times.
SHARES = ('nodes RECORD --force', 'source RECORD --force', 'delegation RECORD', 'dot RECORD --depth 9', 'events RECORD', 'info RECORD', 'trace RECORD')


FORGED = 3  # one output after the other has the next of so many dumps made here


def asked(outputs, number):
    """The outputs that a record is asked for; number: that of a dump made here, or None for all of them."""
    return outputs if number is None else outputs[number % FORGED :: FORGED]


def check_record(program, record, says, work, number=None):
    """says: texts that the command has to warn of, once each."""
    text, warnings = run(program, work, 'summary', record, '--unit', 'ns', '--format', 'json')
    want = {key: summary_in_json(text, key) for key in ('typical', 'avg')}
    check_old_members(text)
    has_record = any(name.endswith(('.bin', '.etrecord')) for name in os.listdir(record))
    is_undecided = any(method['method'] is None for method in json.loads(text)['methods'])
    any_timed = any(method['method'] and method['execute']['avg'] for method in json.loads(text)['methods'])
    for warning in says:
        require(warnings.count(warning) == 1, 'warns not once of "%s": %s', warning, warnings)
    said = texts_of(program, record, work)
    for balances in want.values():
        check_all('JSON', balances, balances, 1e-3)
    for line, find, key, unit in asked(OF_ALL_METHODS, number):
        text = said(line)
        found, wanted = find(text), want[key]
        if is_undecided and find in (in_report, in_report_avg):
            found, wanted = without_places(found), without_places(wanted)
        timed = sum(any(method[name] for name in WHOLES) for method in wanted)
        require(check_all(line, found, wanted, unit) >= timed, '%s: not a balance of each method', line)
        if unit == 1:
            check_shares(line, text)
    for line in asked(SHARES, number):
        if has_record or not line.startswith('dot'):
            check_shares(line, said(line))
    if not has_record:
        return
    counts = {}
    for line, find, key, unit in asked(OF_SOME, number):
        found, wanted = find(said(line)), want[key]
        if is_undecided:
            found, wanted = without_places(found), without_places(wanted)
        counts[line] = check_all(line, found, wanted, unit)
    if asked(('curves',), number):
        run(program, work, 'write', record, '--logdir', 'runs')
        counts['curves'] = check_curves(in_event_files(os.path.join(work, 'runs')), want['avg'])
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
    """A folder of files, and what the command has to warn of. dump: one for the record of dynamic_xnnpack, or for none; number: which of those."""

    def __init__(self, name, says=(), dump=None, alone=False, number=None):
        self.name, self.says, self.dump, self.alone, self.number = name, says, dump, alone, number

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
    timed = [folder for folder, _, files in sorted(os.walk(command.FIXTURES)) if 'hostile' not in folder and any(name.endswith('.etdp') for name in files)]
    for folder in timed[::EVERY]:
        yield Record(os.path.relpath(folder, command.FIXTURES))
    for seed in range(60 // EVERY):
        yield Record('forged %d' % seed, dump=forged_dump(random.Random(seed)), alone=seed % 4 == 0, number=seed)  # 4: each output has some of both


# Neighbors, which are of different models mostly, and pairs of one model.
PAIRS_OF_ONE_MODEL = (('mv2_portable', 'mv2_xnnpack'), ('llama_portable', 'llama_xnnpack'), ('add_mul', 'old_1_0_1_add_mul'))


def check_comparisons(program):
    """How many comparisons have a balance in text; prints what is wrong. ETDumps without a record are compared by kernel."""
    names = [record.name for record in records() if not record.dump and not record.says]
    pairs = [*zip(names, names[1:] + names[:1], strict=True), *PAIRS_OF_ONE_MODEL]
    passed, failed = 0, 0
    for base, newer in pairs:
        folders = [os.path.join(command.FIXTURES, name) for name in (base, newer)]
        with tempfile.TemporaryDirectory() as work:
            outcome = program.run(['diff', *folders, '--unit', 'ns', '--top', '0'], work, seconds=SECONDS)
        try:
            for rows in in_diff_text(outcome.stdout.decode()):
                check_diff_text('diff %s %s' % (base, newer), rows)
                passed += 1
        except Wrong as wrong:
            failed += 1
            print('FAILED %s' % wrong)
    return passed, failed


def main():
    program = command.program()
    patterns = sys.argv[1:] or ['*']
    passed, failed = check_comparisons(program) if patterns == ['*'] else (0, 0)
    if patterns == ['*'] and passed < 50 // EVERY:
        failed += 1
        print('FAILED only %d comparisons have a balance' % passed)
    for record in records():
        if not any(fnmatch.fnmatch(record.name, pattern) for pattern in patterns):
            continue
        with tempfile.TemporaryDirectory() as work:
            try:
                check_record(program, record.make(work), record.says, work, record.number)
                passed += 1
            except Wrong as wrong:
                failed += 1
                print('FAILED %s: %s' % (record.name, wrong))
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
