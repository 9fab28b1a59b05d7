#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is `memory` what ExecuTorch planned? memory.py PATH/TO/etrecord-tb [RECORDS...]

truth_memory.json beside a record has what ExecuTorch's own objects say. Of tests/memory, exported for it, the planned tensors with their lifetimes, which the instructions'
nodes give to activation_memory_profiler.generate_memory_trace(), and its peak; with control flow, of which that profiler sees the top level alone, the places of those
tensors. Of other fixtures the places of all tensors that instructions use, as exir's deserializer reads them. Of quantized records: the weights are as many bytes as in the .pte. Of every record: no two live tensors share memory, all lie in
their buffers, and sums are those of the tensors.
"""
import json
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
QUANTIZED = ('mlp_8da4w', 'mlp_dynq')  # weights of 4 bits in groups, and of 8 bits, all of them read once


def memory_of(program, record):
    done = subprocess.run([program, 'memory', record, '--format', 'json'], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit('%s ends with %d: %s' % (record, done.returncode, done.stderr))
    return json.loads(done.stdout), [line for line in done.stderr.splitlines() if 'memory plan' in line or 'shares memory' in line]


def faults_of_weights(program, record):
    """The weights of a graph, by type and in bytes, against what the .pte holds of them: those of 4 bits count half a byte, and zero points nothing."""
    known = {'qbint4': 'int4', 'qcint8': 'int8', 'float32': 'float32', None: 'scales'}
    stored, said = {}, {}
    done = subprocess.run([program, 'info', record, '--sizes', '--format', 'json'], capture_output=True, text=True, check=True)
    for row in json.loads(done.stdout)['weights']:
        dtype = known[row['dtype']]
        stored[dtype] = stored.get(dtype, 0) + row['bytes']
    method, = memory_of(program, record)[0]['methods']
    for weight in method['weights']:
        is_scales = weight['dtype'] == 'bfloat16' or 'scale' in weight['name']
        said['scales' if is_scales else weight['dtype']] = said.get('scales' if is_scales else weight['dtype'], 0) + weight['bytes']
    if said != stored:
        yield 'weights %s, the program has %s' % (said, stored)
    done = subprocess.run([program, 'info', record, '--format', 'json'], capture_output=True, text=True, check=True)
    costs = [row for row in json.loads(done.stdout)['costs'] if row['module'] == ''][0]
    if costs['weight_bytes'] != sum(stored.values()):
        yield 'an inference reads %d bytes of weights, the program has %d' % (costs['weight_bytes'], sum(stored.values()))


def own(tensors):
    return [tensor for tensor in tensors if tensor['view_of'] is None and not tensor['misplaced'] and tensor['bytes']]


def place(tensor):
    return [tensor['buffer'], tensor['offset'], tensor['bytes']]


def overlap(a, b):
    if a['buffer'] != b['buffer'] or a['first_instruction'] > b['last_instruction'] or b['first_instruction'] > a['last_instruction']:
        return False
    return a['offset'] < b['offset'] + b['bytes'] and b['offset'] < a['offset'] + a['bytes']


def faults_of_itself(plan):
    """What must hold whatever the model is."""
    tensors, sizes = own(plan['tensors']), {buffer['id']: buffer['planned_bytes'] for buffer in plan['buffers']}
    for k, tensor in enumerate(tensors):
        if tensor['offset'] + tensor['bytes'] > sizes[tensor['buffer']]:
            yield '%s is beyond its buffer' % tensor['name']
        yield from ('%s and %s share memory' % (tensor['name'], other['name']) for other in tensors[k + 1:] if overlap(tensor, other))
    live = [sum(t['bytes'] for t in tensors if t['first_instruction'] <= i <= t['last_instruction']) for i in range(plan['instructions']['count'])]
    if live != plan['instructions']['live_bytes']:
        yield 'other live bytes than the tensors add up to'
    peak = plan['peak'] or {'bytes': 0, 'tensors': []}
    if peak['bytes'] != max(live, default=0):
        yield 'the peak is not the most that is live'
    if sum(plan['tensors'][index]['bytes'] for index in peak['tensors']) != peak['bytes']:
        yield 'the tensors at the peak do not add up to it'


def faults_of_truth(plan, truth):
    mine = own(plan['tensors'])
    if [buffer['planned_bytes'] for buffer in plan['buffers']] != [size for size in truth['buffers'] if size]:
        yield 'other buffers: %s' % truth['buffers']
    if 'instructions' in truth and plan['instructions']['count'] != truth['instructions']:
        yield 'other instructions: %d' % truth['instructions']
    if 'tensors' in truth:
        if sorted(place(t) + [t['first_instruction'], t['last_instruction']] for t in mine) != truth['tensors']:
            yield 'other tensors or lifetimes'
        if plan['peak']['bytes'] != truth['peak']:
            yield 'a peak of %d instead of %d' % (plan['peak']['bytes'], truth['peak'])
    if 'tensors_of_top_level' in truth:
        yield from ('nothing is at %s' % wanted for wanted in truth['tensors_of_top_level'] if wanted not in [place(t) for t in mine])
    if 'places' in truth and sorted(place(t) for t in plan['tensors']) != truth['places']:
        yield 'other places'
    if 'delegates' in truth and sum(blob['delegates'] for blob in plan['delegates']) != truth['delegates']:
        yield 'other delegates'


def faults_of(program, path):
    document, warnings = memory_of(program, path.parent)
    truth = json.loads(path.read_text())
    plans = {method['method']: method['plan'] for method in document['methods'] if method['plan']}
    yield from warnings
    # Methods that compute nothing are in `info` alone.
    truth = {method: said for method, said in truth.items() if said.get('instructions') != 0}
    if set(plans) != set(truth):
        yield 'other methods: %s' % sorted(truth)
    constants = [constant for constant in document['program']['constants'] if not constant['mutable']]
    if len(truth) == 1 and len(constants) != truth[min(truth)].get('constants', len(constants)):
        yield 'other constants: %d' % len(constants)
    for method in set(plans) & set(truth):
        yield from ('%s: %s' % (method, fault) for fault in faults_of_itself(plans[method]))
        yield from ('%s: %s' % (method, fault) for fault in faults_of_truth(plans[method], truth[method]))


def main():
    program, folders = sys.argv[1], [pathlib.Path(path) for path in sys.argv[2:]] or [TESTS / 'fixtures', TESTS / 'memory']
    paths = sorted(path for folder in folders for path in folder.rglob('truth_memory.json'))
    faults = ['%s: %s' % (path.parent.name, fault) for path in paths for fault in faults_of(program, path)]
    for name in QUANTIZED:
        faults += ['%s: %s' % (name, fault) for fault in faults_of_weights(program, TESTS / 'fixtures' / name)]
    print(*faults[:40], sep='\n', end='\n' if faults else '')
    print('%d records: %d faults' % (len(paths), len(faults)))
    sys.exit(bool(faults) or not paths)


if __name__ == '__main__':
    main()
