#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do all formats tell the same columns? columns.py PATH/TO/etrecord-tb MANUAL [FIXTURES]

JSON Lines has CSV's columns and values, typed. --columns takes each of them, in any order but for record and run, which come first, and the manual page lists the others. What JSON documents have is what
their schemas say, no key more and none less; so does the dashboard's document, which event files hold. EVERY=3 asks each record for every third table only, one record after
the other for the next of them (default: all).
"""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RECORDS = ('mv2_xnnpack', 'multi_method', 'add_mul_debug', 'control_flow', 'p_gru', 'cpp_rich', 'bundled_update', 'demo_delegate_int', 'extra_modules', 'drift', 'bundled', 'prefill_decode',
           'external_weights', 'turns_base', 'wrapped_model', 'b_ethosu', 'decoder_cache')
TABLES = (['nodes'], ['events'], ['nodes', '--values'], ['source'], ['source', '--by', 'pattern'], ['delegation'], ['delegation', '--by', 'delegate'], ['memory'],
          *(['summary', '--by', by] for by in ('op', 'module', 'pattern', 'backend', 'source', 'method', 'part', 'finding')),
          *(['diff', '--by', by] for by in ('node', 'op', 'module', 'pattern', 'backend', 'value', 'part', 'method')))
CHOSEN = (['nodes'], ['events'], ['events', '--values'], ['delegation'], ['memory'], ['summary', '--by', 'module'], ['summary', '--by', 'method'], ['summary', '--by', 'finding'], ['summary', '--by', 'op'], ['source', '--by', 'pattern'])
FOR_PROGRAMS = ('summary', 'source')  # text shows a row in other columns
COMPARED = ('nodes', 'summary', 'profile')  # documents about the accuracy of values
EVERY = int(os.environ.get('EVERY', '1'))
DOCUMENTS = ('nodes', 'events', 'summary', 'source', 'delegation', 'memory', 'info', 'diff', 'profile')


def run(program, *arguments, status=0):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env={**os.environ, 'LC_ALL': 'C.UTF-8'})
    if done.returncode != status:
        raise SystemExit('%s ends with %d: %s' % (' '.join(map(str, arguments)), done.returncode, done.stderr))
    return done.stdout if status == 0 else done.stderr


def records_of(command, record):
    files = record if isinstance(record, list) else [record]
    return files + files if command[0] == 'diff' else files


def is_same(text, value):
    """A cell of CSV, and what JSON Lines has in its place."""
    if value is None:
        return text in ('', 'inf', '-inf')  # JSON has no infinity
    if isinstance(value, bool):
        return text == str(value).lower()
    if isinstance(value, str):
        return text in (value, "'" + value)  # a quote before what a spreadsheet would run
    decimals = len(text.partition('.')[2])
    return text != '' and abs(float(text) - value) <= 0.501 * 10**-decimals


def line_faults(program, command, record):
    rows = list(csv.reader(io.StringIO(run(program, *command, *records_of(command, record), '--format', 'csv'), newline='')))
    lines = [json.loads(line) for line in run(program, *command, *records_of(command, record), '--format', 'jsonl').splitlines()]
    names = [title.replace(' ', '_') for title in rows[0]]
    if len(lines) != len(rows) - 1:
        yield '%s of %s: %d lines of JSON, %d rows' % (command, record.name, len(lines), len(rows) - 1)
    for row, line in zip(rows[1:], lines):
        if list(line) != names:
            yield '%s of %s: %s instead of %s' % (command, record.name, list(line), names)
        yield from ('%s of %s: %s is %r and %r' % (command, record.name, name, text, line.get(name))
                    for name, text in zip(names, row) if not is_same(text, line.get(name)))


def manual_columns(page):
    text = re.sub(r'\\[-&]', lambda escape: '-' if escape.group() == r'\-' else '', page.read_text().replace('\\fB', '').replace('\\fR', ''))
    listed = re.search(r'Columns: (.*?)\.', text.replace('\n', ' '))
    return re.split(r',\s*', listed.group(1)) if listed else []


def choice_faults(program, command, record, manual):
    every = next(csv.reader(io.StringIO(run(program, *command, record, '--format', 'csv'))))
    origin, names = every[:2], [title.replace(' ', '_') for title in every[2:]]
    if origin != ['record', 'run']:
        yield '%s begins with %s, not with record and run' % (command, origin)
    refused = run(program, *command, record, '--columns', 'nothing', '--format', 'csv', status=2)
    if refused.split('there are:')[1].split() != names:
        yield '%s: %s instead of %s' % (command, refused.strip(), names)
    for text_format in ('csv', 'tsv', 'jsonl') + (() if command[0] in FOR_PROGRAMS else ('markdown', 'text')):
        run(program, *command, record, '--format', text_format, '--columns', ','.join(reversed(names)))
    backwards = list(csv.reader(io.StringIO(run(program, *command, record, '--format', 'csv', '--columns', ','.join(reversed(names))))))
    forwards = list(csv.reader(io.StringIO(run(program, *command, record, '--format', 'csv'))))
    if [row[::-1] for row in backwards] != [row[2:] for row in forwards]:
        yield '%s: other cells when all columns are asked for backwards' % command
    named = list(csv.reader(io.StringIO(run(program, *command, record, '--format', 'csv', '--columns', ','.join([*names, 'run'])))))
    if named != forwards:
        yield '%s: other cells when all columns are asked for, and run' % command
    if len(command) == 1 and manual_columns(manual / ('etrecord-tb-%s.1' % command[0])) != origin + names:
        yield '%s: the manual lists %s instead of %s' % (command, manual_columns(manual / ('etrecord-tb-%s.1' % command[0])), origin + names)


def resolve(schema, root):
    while '$ref' in schema:
        schema = root['$defs'][schema['$ref'].rsplit('/', 1)[1]]
    return schema


def collect(schema, root, path, wanted):
    """Every key that a schema names, by path; keys that are names of the model's own have no properties. A column without values is not written: it gets a '?'."""
    schema = resolve(schema, root)
    if schema.get('additionalProperties') is True:  # it has keys that are described elsewhere
        wanted.add(path + '.*')
        return
    for key, value in schema.get('properties', {}).items():
        wanted.add('%s.%s%s' % (path, key, '?' if value.get('$ref', '').endswith('_column') else ''))
        collect(value, root, '%s.%s' % (path, key), wanted)
    for part in schema.get('anyOf', []) + schema.get('oneOf', []) + schema.get('allOf', []):
        collect(part, root, path, wanted)
    if isinstance(schema.get('items'), dict):
        collect(schema['items'], root, path + '[]', wanted)
    if 'object' in schema.get('type', '') and 'properties' not in schema:
        wanted.add(path + '.*')


def walk(document, path, seen, free):
    if isinstance(document, dict) and path + '.*' not in free:
        for key, value in document.items():
            seen.add('%s.%s' % (path, key))
            walk(value, '%s.%s' % (path, key), seen, free)
    elif isinstance(document, list):
        for value in document:
            walk(value, path + '[]', seen, free)


def document_of(program, name, record):
    if name != 'profile':
        return json.loads(run(program, name, *records_of([name], record), '--format', 'json'))
    with tempfile.TemporaryDirectory() as folder:  # event files have the whole document, reports have not what only comparisons need
        run(program, 'write', *records_of(['write'], record), '--logdir', folder, '--name', 'x')
        for path in sorted(pathlib.Path(folder).rglob('events.out.tfevents.*')):
            text = path.read_bytes().decode('latin-1')
            if (at := text.find('{"schema":"etrecord-tb/profile/1"')) >= 0:
                return json.JSONDecoder().raw_decode(text, at)[0]


def schema_faults(program, name, records):
    schema = json.loads((pathlib.Path(__file__).resolve().parents[2] / 'schema' / (name + '.schema.json')).read_text())
    wanted, seen = set(), set()
    collect(schema, schema, name, wanted)
    for record in records:
        walk(document_of(program, name, record), name, seen, wanted)
    if name == 'diff':  # of a record with itself nothing differs
        walk(json.loads(run(program, name, records[0], records[2], '--format', 'json')), name, seen, wanted)
    wanted = {path for path in wanted if not path.endswith('.*')}
    yield from ('%s is not in the schema' % path for path in sorted(seen - {path.rstrip('?') for path in wanted}))
    yield from ('%s is in the schema, and nowhere else' % path for path in sorted(wanted - seen) if not path.endswith('?') and '.odd_recordings[].' not in path)  # of several recordings, one of which is another


def main():
    program, manual = sys.argv[1], pathlib.Path(sys.argv[2])
    fixtures = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else pathlib.Path(__file__).resolve().parents[1] / 'fixtures'
    records = [fixtures / name for name in RECORDS]
    faults = [fault for at, record in enumerate(records) for command in TABLES[at % EVERY :: EVERY] for fault in line_faults(program, command, record)]
    faults += [fault for command in CHOSEN for fault in choice_faults(program, command, records[0], manual)]
    foreign = ['--etrecord', records[0] / 'etrecord.bin', '--etdump', records[2] / 'etdump.etdp', '--force']  # where nothing has a node, the dashboard's document has events
    accuracy = pathlib.Path(__file__).resolve().parent / 'accuracy'
    compared = [[accuracy / name, accuracy / (name + '.safetensors')] for name in ('convnet', 'tap', 'tap_stats')]  # records with their references
    examples = accuracy.parents[2] / 'examples' / 'accuracy'
    compared.append([examples / 'int8', '--reference', examples / 'f32.safetensors', '--reference-record', examples / 'f32'])
    faults += [fault for name in DOCUMENTS for fault in schema_faults(program, name, records + compared * (name in COMPARED) + [foreign] * (name == 'profile'))]
    print(*faults[:40], sep='\n', end='\n' if faults else '')
    print('%d records, %d tables, %d documents: %d faults' % (len(records), len(TABLES), len(DOCUMENTS), len(faults)))
    sys.exit(bool(faults))


if __name__ == '__main__':
    main()
