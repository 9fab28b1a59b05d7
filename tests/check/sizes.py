#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do the parts of a program add up to its file? sizes.py PATH/TO/etrecord-tb [FIXTURES]

Of every program: parts begin in ascending order inside the file, and they, the sums by content, by module and by delegate add up to it; CSV has the same
parts. Compared with itself nothing differs; with one byte of a part changed, that part does. The parts of two programs add up, too. Where
EXECUTORCH_PYTHON (or this Python) has ExecuTorch, what its reader finds is as large, delegates' bytes, constants and named data, and its diff_pte finds the
same operators and delegates in one program only.
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

READER = """
import json, sys
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.exir.schema import DataLocation
found = {}
for path in sys.argv[1:]:
    file = deserialize_pte_binary(open(path, 'rb').read())
    program, named = file.program, file.named_data
    blobs = [program.backend_delegate_data[d.processed.index].data for plan in program.execution_plan for d in plan.delegates]
    found[path] = {'delegates': [len(blob) for blob in blobs],
                   'constants': sum(len(buffer.storage) for buffer in program.constant_buffer),
                   'named': sum(len(buffer) for buffer in named.buffers) if named else 0}
print(json.dumps(found))
"""
DIFFER = """
import json, sys
from executorch.devtools.pte_tool.diff_pte import diff_pte
pairs, found = list(zip(sys.argv[1::2], sys.argv[2::2])), []
for base, newer in pairs:
    said = diff_pte(open(base, 'rb').read(), open(newer, 'rb').read(), max_samples=1)
    assert not said.error, said.error
    plan = said.plan_diffs[0] if said.plan_diffs else None
    found.append([said.bitwise_equal, *([plan.operators_only_in_a, plan.operators_only_in_b, plan.delegates_only_in_a, plan.delegates_only_in_b] if plan else [[]] * 4)])
print(json.dumps(found))
"""
WEIGHTS = ('constant', 'mutable', 'weight')


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, check=True, text=True).stdout


def total(rows, *contents):
    return sum(row['bytes'] for row in rows if not contents or row['content'] in contents)


def faults(program, path):
    said = json.loads(run(program, 'info', path, '--sizes', '--format', 'json'))
    parts, size = said['parts'], path.stat().st_size
    if not said['bytes'] == size == total(parts) == total(said['contents']):
        yield '%d bytes, not %d' % (total(parts), size)
    offsets = [part['offset'] for part in parts]
    if offsets != sorted(offsets) or any(part['bytes'] <= 0 or part['offset'] + part['bytes'] > size for part in parts):
        yield 'parts are out of order or outside the file'
    if total(said['weights']) != total(parts, *WEIGHTS):
        yield 'weights by module do not add up'
    if total(said['delegates']) != total(parts, 'weight', 'delegate', 'closed'):
        yield 'delegates do not add up'
    for row in said['delegates']:
        if row['closed'] != (row['weights'] is None) or row['closed'] != (row['weight_bytes'] is None):
            yield 'the weights of a closed format are known'
        if not row['closed'] and row['graph_bytes'] + row['weight_bytes'] != row['bytes']:
            yield 'a delegate does not add up'
    rows = list(csv.DictReader(io.StringIO(run(program, 'info', path, '--sizes', '--format', 'csv'))))
    if [(row['content'], int(row['offset']), int(row['bytes'])) for row in rows] != [(part['content'], part['offset'], part['bytes']) for part in parts]:
        yield 'CSV has other parts'


def reader_faults(program, path, read):
    """Constants lie in segments with what aligns them, so ExecuTorch's sizes of constants are at least these."""
    parts = json.loads(run(program, 'info', path, '--sizes', '--format', 'json'))['parts']
    starts = {part['offset']: part for part in parts if part['content'] == 'delegate'}
    ends = sorted(read['delegates'])
    found = []
    for start in starts:
        size = next((size for size in ends if total([p for p in parts if start <= p['offset'] < start + size and p['content'] in ('weight', 'delegate')]) == size), None)
        found.append(size)
    if None in found or not set(found) <= set(ends):
        yield 'delegates of %s bytes, ExecuTorch has %s' % (found, ends)
    if not total(parts, 'constant') <= read['constants'] <= total(parts, 'constant', 'padding'):
        yield 'constants of %d bytes, ExecuTorch has %d' % (total(parts, 'constant'), read['constants'])
    inside = sum(total([p for p in parts if p['content'] == 'weight' and start <= p['offset'] < start + size]) for start, size in zip(starts, found) if size)
    named = total(parts, 'weight', 'named') - inside
    if named > read['named'] or read['named'] - named > total(parts, 'padding'):
        yield 'named data of %d bytes, ExecuTorch has %d' % (named, read['named'])


def diff(program, base, newer):
    return json.loads(run(program, 'diff', base, newer, '--format', 'json'))


def changed_copy(path, part, folder):
    """The file with the last byte of a part changed. Its ranges may be elsewhere: then the byte belongs to another part."""
    data = bytearray(path.read_bytes())
    data[part['offset'] + part['bytes'] - 1] ^= 1
    copy = pathlib.Path(folder) / path.name
    copy.write_bytes(data)
    return copy


def diff_faults(program, path):
    said = diff(program, path, path)
    parts = json.loads(run(program, 'info', path, '--sizes', '--format', 'json'))['parts']
    if {part['verdict'] for part in said['parts']} != {'same'} or any(row['base_count'] != row['new_count'] for row in said['structure']):
        yield 'differs from itself'
    whole = [part for part in parts if part['content'] in WEIGHTS]
    for part in (whole[0], whole[-1]) if whole else ():
        with tempfile.TemporaryDirectory() as folder:
            found = [each for each in diff(program, path, changed_copy(path, part, folder))['parts'] if each['verdict'] != 'same']
        if [(each['verdict'], each['content'], each['name'], each['new_bytes']) for each in found] != [('changed', part['content'], part['name'], part['bytes'])]:
            yield 'a changed byte of %s gives %s' % (part['name'], found)


def pair_faults(program, base, newer):
    said = diff(program, base, newer)
    for side in 'base', 'new':
        padding = sum(row[side + '_bytes'] for row in said['contents'] if row['content'] == 'padding')
        if sum(part[side + '_bytes'] or 0 for part in said['parts']) + padding != said[side]['bytes']:
            yield 'the parts of %s do not add up' % side
    if any((part['base_bytes'] is None) != (part['verdict'] == 'added') or (part['new_bytes'] is None) != (part['verdict'] == 'removed') for part in said['parts']):
        yield 'verdicts and sizes contradict each other'


def only_in(said, method, what, side, other):
    """The names that one program has more often, as often as that is; of operators each once, as diff_pte has them."""
    rows = [row for row in said['structure'] if row['method'] == method and row['what'] == what and not row['name'].startswith('control.')]
    if what == 'operator':
        return sorted(row['name'] for row in rows if row[other] == 0)
    return sorted(name for row in rows for name in [row['name']] * (row[side] - row[other]))


def first_method(program, path):
    return json.loads(run(program, 'info', path, '--format', 'json'))['methods'][0]['method']


def differ_faults(program, base, newer, theirs):
    """Of the first method, if both have the same: ExecuTorch pairs methods by their order. It lists delegates, here calls are counted: each is called once."""
    method = first_method(program, base)
    if method != first_method(program, newer):
        return
    said, (equal, *lists) = diff(program, base, newer), theirs
    ours = [only_in(said, method, what, *sides) for what in ('operator', 'delegate') for sides in (('base_count', 'new_count'), ('new_count', 'base_count'))]
    lists = [sorted({name.replace('::', '.') for name in names} if i < 2 else names) for i, names in enumerate(lists)]
    if ours != lists:
        yield '%s, ExecuTorch has %s' % (ours, lists)
    if equal and {part['verdict'] for part in said['parts']} != {'same'}:
        yield 'the files are the same'


def ask_executorch(script, paths):
    """What ExecuTorch's own tools find; None without it."""
    done = subprocess.run([os.environ.get('EXECUTORCH_PYTHON', sys.executable), '-c', script, *map(str, paths)], capture_output=True, text=True)
    if done.returncode and 'No module named' not in done.stderr:
        raise SystemExit(done.stderr)
    return None if done.returncode else json.loads(done.stdout)


def main():
    fixtures = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[1] / 'fixtures')
    paths = sorted(path for path in fixtures.rglob('*') if path.suffix in ('.pte', '.bpte') and 'hostile' not in path.parts)[:: int(os.environ.get('EVERY', '1'))]
    found = [(path, fault) for path in paths for fault in faults(sys.argv[1], path)]
    recent = [path for path in paths if path.suffix == '.pte' and 'old_' not in str(path) and 'from_executorch' not in path.parts]
    pairs = list(zip(recent, recent[1:]))
    found += [(path, fault) for path in paths for fault in diff_faults(sys.argv[1], path)]
    found += [(newer, fault) for base, newer in zip(paths, paths[1:]) for fault in pair_faults(sys.argv[1], base, newer)]
    read, differ = ask_executorch(READER, recent), ask_executorch(DIFFER, [path for pair in pairs for path in pair])
    if read is None:
        print('skipped: ExecuTorch is missing (EXECUTORCH_PYTHON), so that its reader is not compared')
    else:
        found += [(newer, fault) for (base, newer), theirs in zip(pairs, differ) for fault in differ_faults(sys.argv[1], base, newer, theirs)]
        found += [(path, fault) for path in recent for fault in reader_faults(sys.argv[1], path, read[str(path)])]
    for path, fault in found:
        print('OFF', path, fault)
    bad = len({path for path, _ in found})
    print(f'{len(paths) - bad} passed, {bad} failed')
    sys.exit(bad > 0 or not paths)


if __name__ == '__main__':
    main()
