#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records that no exporter writes, and processes that may open few files: made_records.py COMMAND."""

import json
import pathlib
import resource
import shutil
import subprocess
import sys
import zipfile

import cases

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / 'fixtures'
COMMAND = sys.argv[1]
EDGE = 'edge_dialect_exported_program/'
MOST_FILES = 32


def rewrite(record, path, order=None, change=None, compression=zipfile.ZIP_STORED):
    """Copies an ETRecord with its entries in another order, or with other bytes in them."""
    with zipfile.ZipFile(record) as source, zipfile.ZipFile(path, 'w', compression) as out:
        names = source.namelist()
        for name in order(names) if order else names:
            data = source.read(name)
            out.writestr(name, change(name, data) if change else data)


def copy_of(folder, fixture, **changes):
    """Copies a fixture's directory with another ETRecord in it."""
    shutil.copytree(FIXTURES / fixture, folder, ignore=shutil.ignore_patterns('truth*'))
    rewrite(FIXTURES / fixture / 'etrecord.bin', folder / 'etrecord.bin', **changes)
    return folder


def run(*arguments, status=0, **more):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False, **more)
    assert status is None or done.returncode == status, f'{arguments}: exit {done.returncode}: {done.stderr}'
    return done


def answer(*arguments):
    return json.loads(run(*arguments, '--format', 'json').stdout)


def order_of_the_program(scratch):
    """Methods, entry points and graphs come in the order of the program, whatever that of the zip's entries is; without a program, in that of the maps."""
    def by_method(names, last):
        """Moves the entries of a method behind those of the others."""
        return sorted(names, key=lambda name: name.removeprefix(EDGE).split('_')[0] == last and name.startswith(EDGE))

    fixture = 'multi_method'
    folders = [copy_of(scratch / last, fixture, order=lambda names, last=last: by_method(names, last)) for last in ('decode', 'encode')]
    entries = [[name for name in zipfile.ZipFile(folder / 'etrecord.bin').namelist() if name in (EDGE + 'decode', EDGE + 'encode')] for folder in folders]
    assert entries[0] == entries[1][::-1], 'the orders of the entries do not differ'
    for folder in folders:
        for paths in ((folder,), ('--etrecord', folder / 'etrecord.bin')):
            info = answer('info', *paths)
            methods = [method['method'] for method in info['methods']]
            of_modules = {}
            for point in info['entry_points']:
                of_modules.setdefault(point['module'], []).append(point['method'])
            assert methods[:2] == ['decode', 'encode'], methods
            for module, shown in of_modules.items():
                assert shown == [name for name in methods if name in shown], f'{paths}: {module}: {shown}'
            shown = [graph['method'] for graph in answer('nodes', *paths, '--graph', 'edge')['graphs']]
            assert shown == ['decode', 'encode'], shown


def bytes_that_were_read(scratch):
    """`validate` counts bytes that it read, and not those that the zip's directory claims."""
    entry, claimed = 'delegate_map', 7_000_000
    whole, forged = scratch / 'whole.etrecord', scratch / 'forged.etrecord'
    rewrite(FIXTURES / 'add_mul' / 'etrecord.bin', whole, compression=zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(whole) as archive:
        size, total = archive.getinfo(entry).file_size, sum(info.file_size for info in archive.infolist())
    data = bytearray(whole.read_bytes())
    name = entry.encode()
    for magic, at, length in ((b'PK\x03\x04', 22, 30), (b'PK\x01\x02', 24, 46)):
        start = -1
        while True:
            start = data.index(magic, start + 1)
            if data[start + length:start + length + len(name)] == name:
                break
        assert int.from_bytes(data[start + at:start + at + 4], 'little') == size
        data[start + at:start + at + 4] = claimed.to_bytes(4, 'little')
    forged.write_bytes(data)
    assert answer('validate', whole)['bytes'] == total
    found = json.loads(run('validate', forged, '--format', 'json', status=1).stdout)
    assert any(flaw['entry'] == entry and flaw['kind'] == 'damage' for flaw in found['flaws']), found['flaws']
    assert total - size <= found['bytes'] <= total, f"{found['bytes']} bytes, of {total} that are there"


def names_that_come_twice(scratch):
    """`export --to model-explorer` writes no key twice, also of a graph with two nodes of one name."""
    def twice(name, data):
        if name != EDGE + 'forward':
            return data
        program = json.loads(data)
        nodes = program['graph_module']['graph']['nodes']
        nodes[1]['name'] = nodes[0]['name']
        return json.dumps(program).encode()

    def unique(pairs):
        keys = [key for key, _ in pairs]
        doubled = {key for key in keys if keys.count(key) > 1}
        assert not doubled, f'keys that come twice: {doubled}'
        return dict(pairs)

    folder = copy_of(scratch / 'twice', 'add_mul', change=twice)
    names = [node['name'] for node in answer('nodes', folder, '--graph', 'edge')['graphs'][0]['nodes']]
    assert len(set(names)) == len(names) - 1, 'no name comes twice'
    document = json.loads(run('export', folder, '--to', 'model-explorer').stdout, object_pairs_hook=unique)
    assert len(document['results']) > 10, document


def few_open_files(scratch):
    """Who may open no more files is told so, and not of permissions."""
    record = FIXTURES / 'add_mul'
    commands = (('info', record), ('nodes', '--etrecord', record / 'etrecord.bin'), ('report', record, '-o', scratch / 'r.html'),
                ('write', record, '--logdir', scratch / 'log'), ('validate', record))
    told = 0
    for command in commands:
        for most in range(4, MOST_FILES):
            done = run(*command, status=None, preexec_fn=lambda most=most: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
            if done.returncode == 0:
                break
            if 'error while loading' in done.stderr:
                continue  # the system's loader, before the command starts
            told += 1
            assert done.returncode == 1 and 'Too many open files' in done.stderr, f'{command}, {most} files: exit {done.returncode}: {done.stderr}'
        assert done.returncode == 0, f'{command} needs more than {MOST_FILES} files: {done.stderr}'
    assert told, 'no command was ever short of files'


def main():
    cases.run((order_of_the_program, bytes_that_were_read, names_that_come_twice, few_open_files), pathlib.Path)


if __name__ == '__main__':
    main()
