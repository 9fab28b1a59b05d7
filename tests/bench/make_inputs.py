#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes inputs for bench.py: make_inputs.py FOLDER KIND ARGUMENTS.

fixture NAME 0|1   a fixture's record with its entries stored; 1: and 8 GB of weights, which take no space on disk. Prints the programs' entries
nodes N            a record of about N nodes, and a dump of one run with a kernel's event for each
handle CASE N      nodes of one debug handle: a case of one_handle.py, of about N nodes
runs N, loop N     the record add_mul, and a dump of N events: in runs as long as its own, or in one run
"""

import json
import os
import re
import shutil
import struct
import sys
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIXTURES = os.path.join(ROOT, 'fixtures')
sys.path.insert(0, os.path.join(ROOT, 'corpus'))
import forge  # noqa: E402
import one_handle  # noqa: E402

EDGE = 'edge_dialect_exported_program/forward'
WEIGHTS = 'edge_dialect_exported_program/forward_constants'
GIGABYTE = 1 << 30


def is_program(name):
    return (
        name == 'exported_program'
        or name == 'edge_dialect_exported_program'
        or '/' in name
        and not re.search('_(state_dict|constants|example_inputs)$', name)
    )


# ---- A zip64 file with a hole ----


def zip64(path, entries, hole):
    """Stored entries; in the middle one of `hole` bytes that are never written, so that what follows lies beyond 4 GB."""
    directory = b''
    count = len(entries) + 1
    names = list(entries)
    names.insert(len(names) // 2, None)
    with open(path, 'wb') as file:
        for name in names:
            data = b'' if name is None else entries[name]
            size = hole if name is None else len(data)
            raw = (name or WEIGHTS).encode()
            offset = file.tell()
            common = struct.pack('<HHHHHIII', 45, 0, 0, 0, 0x21, zlib.crc32(data), 0xFFFFFFFF, 0xFFFFFFFF)
            file.write(b'PK\3\4' + common + struct.pack('<HH', len(raw), 20) + raw + struct.pack('<HHQQ', 1, 16, size, size))
            directory += b'PK\1\2' + struct.pack('<H', 45) + common + struct.pack('<HHHHHII', len(raw), 28, 0, 0, 0, 0, 0xFFFFFFFF)
            directory += raw + struct.pack('<HHQQQ', 1, 24, size, size, offset)
            file.write(data)
            if name is None:
                file.seek(size, os.SEEK_CUR)
        start = file.tell()
        file.write(directory)
        file.write(b'PK\6\6' + struct.pack('<QHHIIQQQQ', 44, 45, 45, 0, 0, count, count, len(directory), start))
        file.write(b'PK\6\7' + struct.pack('<IQI', 0, start + len(directory), 1))
        file.write(b'PK\5\6' + struct.pack('<HHHHIIH', 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))


def make_fixture(folder, name, with_weights):
    entries = forge.entries_of(os.path.join(FIXTURES, name, 'etrecord.bin'))
    record = os.path.join(folder, 'etrecord.bin')
    if with_weights:
        entries.pop(WEIGHTS, None)
        zip64(record, entries, 8 * GIGABYTE)
    else:
        with open(record, 'wb') as file:
            file.write(forge.record(entries))
    for other in ('etdump.etdp', 'model.pte'):
        if os.path.exists(os.path.join(FIXTURES, name, other)):
            shutil.copy(os.path.join(FIXTURES, name, other), folder)
    print('\n'.join(filter(is_program, entries)))


# ---- Records of any size ----


def renamed(text, names, suffix):
    """A node's JSON with the values of this copy called by names of their own."""
    return re.sub(
        r'"(?:as_name|name)": "([^"]*)"',
        lambda found: found.group(0)[:-1] + suffix + '"' if found.group(1) in names else found.group(0),
        text,
    )


def repeat_nodes(graph, count):
    """Makes the graph's operators `count` of them, by leaving out or repeating what is there; each gets a debug handle of its own."""
    values = graph['tensor_values']
    inputs = {argument['as_tensor']['name'] for argument in graph['inputs'] if 'as_tensor' in argument}
    own = {name for name in values if name not in inputs} | {node.get('name') for node in graph['nodes']}
    texts = [json.dumps(node) for node in graph['nodes']]
    made, new_values = [], dict(values)
    for copy in range(-(-count // len(texts))):
        suffix = '_r%d' % copy
        for text in texts[: count - len(made)]:
            node = json.loads(renamed(text, own, suffix))
            node['metadata']['debug_handle'] = str(len(made) + 1)
            made.append(node)
        new_values.update({name + suffix: values[name] for name in own if name in values})
    graph['nodes'], graph['tensor_values'], graph['outputs'] = made, new_values, []


def make_nodes(folder, count):
    entries = forge.entries_of(os.path.join(FIXTURES, 'llama_portable', 'etrecord.bin'))
    program = json.loads(entries[EDGE])
    graph = program['graph_module']['graph']
    repeat_nodes(graph, count)
    handles = {str(i): i + 1 for i in range(count)}
    entries = {
        'ETRECORD_V0': b'',
        EDGE: json.dumps(program).encode(),
        'debug_handle_map': json.dumps({'forward': handles}).encode(),
        'delegate_map': b'{"forward": {}}',
    }
    events = [
        ('native_call_%s.out' % node['target'].split('.')[-2], 0, i, 1000 * i, 1000 * i + 900) for i, node in enumerate(graph['nodes'])
    ]
    events.append(('Method::execute', -1, 0, 0, 1000 * count))
    write(folder, 'etrecord.bin', forge.record(entries))
    write(folder, 'etdump.etdp', forge.etdump([('Execute', events)]))


# ---- Dumps of any size ----


def make_events(folder, count, one_run):
    """Runs of the record add_mul: 33 kernels, each inside its OPERATOR_CALL, and Method::execute."""
    entries = forge.entries_of(os.path.join(FIXTURES, 'add_mul', 'etrecord.bin'))
    handles = json.loads(entries['debug_handle_map'])['forward']
    targets = {}
    for node in json.loads(entries[EDGE])['graph_module']['graph']['nodes']:
        targets.setdefault(int(node['metadata'].get('debug_handle', 0)), node['target'].split('.')[-2])
    inference = []
    for instruction, handle in sorted((int(key), value) for key, value in handles.items()):
        start = 1000 * instruction
        inference += [
            ('native_call_%s.out' % targets.get(handle, 'add'), 0, instruction, start + 10, start + 900),
            ('OPERATOR_CALL', 0, instruction, start, start + 990),
        ]
    runs = max(1, round(count / (len(inference) + 1)))
    rounds, runs = (runs, 1) if one_run else (1, runs)
    whole = ('Method::execute', -1, 0, 0, 40000 * rounds)
    dump = [('Execute', inference * rounds + [whole])] * runs
    write(folder, 'etrecord.bin', forge.record(entries))
    write(folder, 'etdump.etdp', forge.etdump(dump))


def write(folder, name, data):
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(data)


def main():
    folder, kind, *arguments = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    if kind == 'fixture':
        make_fixture(folder, arguments[0], arguments[1] == '1')
    elif kind == 'nodes':
        make_nodes(folder, int(arguments[0]))
    elif kind == 'handle':
        one_handle.CASES[arguments[0]](folder, int(arguments[1]))
    else:
        make_events(folder, int(arguments[0]), kind == 'loop')


if __name__ == '__main__':
    main()
