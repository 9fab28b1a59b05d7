#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a report holds adds up, in every fixture: report.py COMMAND [FIXTURES]

Operators and the boxes beside them are Method::execute; the events of each run give the operators' times, but for those that `per_run` lists; the tensors that are live are the curve of
the memory, at each instruction; edges of graphs lead back to nodes, but for loops of programs, and the operators behind the nodes exist; findings about delegates lead to operators. Graphs and reports are small.
"""
import gzip
import json
import pathlib
import subprocess
import sys

from report_documents import column, whole_document

LEAST_NODES = 500  # of graphs whose size is checked
EDGE_BYTES, PANE_BYTES = 1, 10  # the most that a node of such a graph takes, compressed
MOST_BYTES = {'mv2_portable': 220_000, 'mv2_xnnpack': 220_000}
MOST_OF_OTHERS = 400_000


def packed(part):
    return len(gzip.compress(json.dumps(part, separators=(',', ':')).encode(), 9))


def balance_faults(method):
    boxes, graph = method['balance_boxes'], method['graph']
    total = sum(column(boxes, 'total', 0)) if boxes['count'] else 0
    total += sum(time or 0 for time in column(graph['operators'], 'total')) if graph else 0
    if graph and round(total) != round(method['execute']['total']):
        yield 'operators and boxes are %s of %s ns' % (total, method['execute']['total'])


def times_of_run(run, structure):
    """Starts and durations of the events of a run, as schema/profile.schema.json says."""
    gaps, times = column(run, 'gap', 0), column(run, 'time', 0)
    places = list(zip(column(structure, 'lane', 0), column(structure, 'level', 0), strict=True))
    starts, durations, around, last = [0] * len(times), list(times), [-1] * len(times), {}
    for i in range(1, len(times)):
        starts[i] = starts[i - 1] + gaps[i] + (0 if places[i] > places[i - 1] else int(times[i - 1]))
        at = i - 1
        while at >= 0 and not places[i] > places[at]:
            at = around[at]
        around[i] = at
        last[at] = i
    for i in range(len(times) - 1, -1, -1):
        if i in last:
            durations[i] += starts[last[i]] + durations[last[i]] - starts[i]
    return starts, durations


def run_faults(method):
    timeline, others = method['timeline'], method['per_run']
    if timeline is None or others is None:
        return
    runs, sums = timeline['runs'], {}
    for run in runs:
        structure = timeline['structures'][run['structure']]
        for operator, time in zip(column(structure, 'operator'), times_of_run(run, structure)[1], strict=True):
            if operator is not None:
                sums[operator] = sums.get(operator, 0) + time
    for at, operator in enumerate(others['operators']):
        sums[operator] = sum(time or 0 for time in others['times'][at * len(runs) : (at + 1) * len(runs)])
    if timeline['runs_left_out']:
        return
    for operator, total in enumerate(column(method['graph']['operators'], 'total')):
        if abs(sums.get(operator, 0) - (total or 0)) > 1e-6 * max(1, total or 0):
            yield 'operator %d takes %s ns in its runs and %s in all' % (operator, sums.get(operator, 0), total)


def memory_faults(method):
    memory = method['memory']
    if memory is None:
        return
    tensors, live = memory['tensors'], memory['instructions']['live_bytes'] if memory['instructions'] else []
    changes = [0] * (len(live) + 1)
    names = ('bytes', 'first_instruction', 'life', 'view_back', 'misplaced')
    for size, first, life, view, misplaced in zip(*(column(tensors, name) for name in names), strict=True):
        if first is not None and first >= 0 and life is not None and life >= 0 and view is None and not misplaced:
            changes[first] += size
            changes[first + life + 1] -= size
    found = 0
    for instruction, wanted in enumerate(live):
        found += changes[instruction]
        if found != wanted:
            yield 'tensors of %d bytes are live at instruction %d, and %d bytes' % (found, instruction, wanted)
    counts = column(tensors, 'users', 0)
    if len(memory['users']) != sum(counts):
        yield 'users of tensors do not match their counts'


def graph_faults(method):
    if method['graphs'] is None:
        return
    operators = method['graph']['operators']['count']
    for graph in method['graphs']['list']:
        nodes, inputs = graph['nodes'], iter(graph['inputs'])
        for row, count in enumerate(column(nodes, 'inputs', 0)):
            first = row + 1 - nodes['count'] if graph['dialect'] == 'program' else 1  # loops of a program lead on
            if any(not first <= next(inputs) <= row for _ in range(count)):
                yield 'an edge of node %d of %s does not lead to a node before it' % (row, graph['module'])
        at, behind = 0, iter(graph.get('counterparts', []))
        for row, count in enumerate(column(nodes, 'counterparts', 0)):
            for _ in range(count):
                at += next(behind)
                if not 0 <= at < operators:
                    yield 'node %d of %s is of operator %d' % (row, graph['module'], at)
        if next(inputs, None) is not None or next(behind, None) is not None:
            yield 'edges or operators of %s are left over' % graph['module']
        if nodes['count'] < LEAST_NODES:
            continue
        edges = [graph['inputs'], graph.get('outputs'), *(nodes.get(key) for key in ('inputs', 'kind', 'weights'))]
        if packed(edges) > EDGE_BYTES * nodes['count']:
            yield 'edges of %s take %.2f bytes a node' % (graph['module'], packed(edges) / nodes['count'])
        if packed(graph) > PANE_BYTES * nodes['count']:
            yield '%s takes %.1f bytes a node' % (graph['module'], packed(graph) / nodes['count'])


def finding_faults(method, said):
    """`said`: the method in the answer of `summary`."""
    about_delegates = {other['title'] for other in said['findings'] if other['instructions']}
    for finding in method['findings']:
        if finding['title'] in about_delegates and method['delegates'] and method['graph'] and not finding['operator_steps']:
            yield '"%s" leads to no operator' % finding['title']


def warning_faults(document, info):
    """A report has the warnings of `info`."""
    shown = {warning['message'] for warning in document['warnings']}
    yield from ('no warning "%s"' % warning['message'] for warning in info['warnings'] if warning['message'] not in shown)


def ask(program, command, record):
    return json.loads(subprocess.run([program, command, record, '--format', 'json'], capture_output=True, check=True, text=True).stdout)


def main():
    program = sys.argv[1]
    root = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[1] / 'fixtures'
    records = sorted({path.parent for path in root.rglob('etrecord.bin') if 'hostile' not in path.parts})
    faults = []
    for record in records:
        html = subprocess.run([program, 'report', record, '-o', '-'], capture_output=True, check=True, text=True).stdout
        if len(html) > MOST_BYTES.get(record.name, MOST_OF_OTHERS):
            faults.append('%s: the report has %d bytes' % (record.name, len(html)))
        said = {method['method']: method for method in ask(program, 'summary', record)['methods']}
        document = whole_document(html)
        faults += ['%s: %s' % (record.name, fault) for fault in warning_faults(document, ask(program, 'info', record))]
        for method in document['methods']:
            if method['method'] in said:
                faults += ['%s, %s: %s' % (record.name, method['method'], fault) for fault in finding_faults(method, said[method['method']])]
            for check in (balance_faults, run_faults, memory_faults, graph_faults):
                faults += ['%s, %s: %s' % (record.name, method['method'], fault) for fault in check(method)]
    print(*faults[:40], sep='\n', end='\n' if faults else '')
    print('%d records: %d faults' % (len(records), len(faults)))
    sys.exit(bool(faults))


if __name__ == '__main__':
    main()
