#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do the parts of a program add up to its file? sizes.py PATH/TO/etrecord-tb [FIXTURES]

Of every program: parts begin in ascending order inside the file, and they, the sums by content, by module and by delegate add up to it; CSV has the same
parts. Where EXECUTORCH_PYTHON (or this Python) has ExecuTorch, what its reader finds is as large: delegates' bytes, constants and named data.
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys

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
    if total(said['delegates']) != total(parts, 'weight', 'delegate'):
        yield 'delegates do not add up'
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


def read_by_executorch(paths):
    """What ExecuTorch's own reader finds; None without it."""
    done = subprocess.run([os.environ.get('EXECUTORCH_PYTHON', sys.executable), '-c', READER, *map(str, paths)], capture_output=True, text=True)
    if done.returncode and 'No module named' not in done.stderr:
        raise SystemExit(done.stderr)
    return None if done.returncode else json.loads(done.stdout)


def main():
    fixtures = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[1] / 'fixtures')
    paths = sorted(path for path in fixtures.rglob('*') if path.suffix in ('.pte', '.bpte') and 'hostile' not in path.parts)
    found = [(path, fault) for path in paths for fault in faults(sys.argv[1], path)]
    recent = [path for path in paths if path.suffix == '.pte' and 'old_' not in str(path) and 'from_executorch' not in path.parts]
    read = read_by_executorch(recent)
    if read is None:
        print('skipped: ExecuTorch is missing (EXECUTORCH_PYTHON), so that its reader is not compared')
    else:
        found += [(path, fault) for path in recent for fault in reader_faults(sys.argv[1], path, read[str(path)])]
    for path, fault in found:
        print('OFF', path, fault)
    bad = len({path for path, _ in found})
    print(f'{len(paths) - bad} passed, {bad} failed')
    sys.exit(bad > 0 or not paths)


if __name__ == '__main__':
    main()
