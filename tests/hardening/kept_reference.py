#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`accuracy RECORD --reference-record FLOAT` in one step: where its reference is kept, and when it is made anew: kept_reference.py COMMAND PACKAGE [real].

What stands for Python copies a reference that torch made. With `real`, it is Python with torch and executorch (EXECUTORCH_PYTHON, or else python3), which makes
it of records that are here; exit status 77 says that it is not installed. PACKAGE is the folder of the Python package.
"""

import json
import os
import pathlib
import shlex
import shutil
import struct
import subprocess
import sys

import cases

TESTS = pathlib.Path(__file__).resolve().parents[1]
RECORDS = TESTS / 'check' / 'accuracy'
NAME = 'convnet'
COMMAND, PACKAGE = sys.argv[1:3]
NOBODY = 65534
INTERPRETER = '/usr/bin/python3' if os.path.exists('/usr/bin/python3') else sys.executable
PYTHON = os.environ.get('EXECUTORCH_PYTHON', 'python3')

STAND_IN = '''#!{python}
import pathlib, struct, sys
values = dict(zip(sys.argv, sys.argv[1:]))
with open({calls!r}, 'a') as calls:
    calls.write(' '.join(sys.argv[sys.argv.index('--output'):]) + '\\n')
data = pathlib.Path({reference!r}).read_bytes()
size = struct.unpack('<Q', data[:8])[0]
head = data[8:8 + size].rstrip()
start = b'{{"__metadata__": {{'
assert head.startswith(b'{{"__metadata__":')
head = start + b'"kept": "' + values['--kept'].encode() + b'", ' + head[head.index(b'{{', 1) + 1:]
pathlib.Path(values['--output']).write_bytes(struct.pack('<Q', len(head)) + head + data[8 + size:])
'''


class Trial:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.record, self.calls = self.folder / 'record', self.folder / 'calls'
        self.temporary, self.cache = self.folder / 'tmp', self.folder / 'cache'
        for made in (self.temporary, self.cache):
            made.mkdir()
        shutil.copytree(RECORDS / NAME, self.record)
        self.calls.write_text('')
        python = self.folder / 'python'
        python.write_text(STAND_IN.format(python=INTERPRETER, calls=str(self.calls), reference=str(RECORDS / f'{NAME}.safetensors')))
        python.chmod(0o755)
        self.environment = {**os.environ, 'ETRECORD_TB_PYTHON': str(python), 'XDG_CACHE_HOME': str(self.cache), 'TMPDIR': str(self.temporary)}
        self.kept = self.record / 'record.reference.safetensors'

    def ask(self, *more, **how):
        done = subprocess.run([COMMAND, 'accuracy', self.record, '--reference-record', self.record, '--format', 'json', *more], capture_output=True, text=True,
                              check=False, env=self.environment, **how)
        assert done.returncode == 0, f'exit {done.returncode}: {done.stderr}'
        answer = json.loads(done.stdout)
        assert any(value['problem'] is None for value in answer['values']), 'nothing was compared'

    def times_made(self):
        return len(self.calls.read_text().splitlines())


def is_kept(trial):
    """Beside the record; it is made once, and anew when a file of the record changes."""
    trial.ask()
    trial.ask()
    assert trial.kept.exists() and trial.times_made() == 1, trial.times_made()
    (trial.record / 'notes.txt').write_text('changed')
    trial.ask()
    assert trial.times_made() == 2, trial.times_made()
    assert not any(trial.temporary.iterdir()) and not any(trial.cache.iterdir())


def is_not_kept(trial):
    """--no-keep leaves nothing, in the record or elsewhere."""
    before = sorted(trial.record.iterdir())
    trial.ask('--no-keep')
    assert trial.times_made() == 1
    assert sorted(trial.record.iterdir()) == before
    assert not any(trial.temporary.iterdir()) and not any(trial.cache.iterdir())


def is_kept_in_the_cache(trial):
    """Where the record's folder cannot be written."""
    how = {}
    if os.geteuid() == 0:
        try:
            subprocess.run([INTERPRETER, '-c', ''], user=NOBODY, group=NOBODY, extra_groups=[], check=True)
            subprocess.run([COMMAND, '--version'], user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            print('skipped: ordinary users may not run', INTERPRETER, 'or', COMMAND)
            return
        for path in (trial.folder, *trial.folder.rglob('*')):
            if path != trial.record:
                path.chmod(0o777)
        how = {'user': NOBODY, 'group': NOBODY, 'extra_groups': []}
    trial.record.chmod(0o555)
    for _ in range(2):
        trial.ask(**how)
    trial.record.chmod(0o755)
    made = list((trial.cache / 'etrecord-tb').iterdir())
    assert [path.name.startswith('record-') for path in made] == [True], made
    assert trial.times_made() == 1 and not trial.kept.exists()


def is_of_several_files(trial):
    """The files of a record are passed on one by one, with the methods of their runs and the inputs of the methods; the reference is beside the first."""
    files = [trial.record / name for name in ('etrecord.bin', 'etdump.etdp', 'model.pte', 'debug_buffer.bin')]
    inputs = trial.folder / 'inputs.pt'
    inputs.write_text('whatever torch saved')
    for _ in range(2):
        done = subprocess.run([COMMAND, 'accuracy', *files[:2], '--pte', files[2], '--debug-buffer', files[3], '--reference-record', RECORDS / NAME, '--map', '1=forward',
                               '--inputs', inputs], capture_output=True, text=True, check=False, env=trial.environment)
        assert done.returncode == 0, done.stderr
    assert trial.times_made() == 1 and (trial.record / 'etrecord.reference.safetensors').exists()
    words = trial.calls.read_text().split()
    options = list(zip(words, words[1:]))
    assert {value for name, value in options if name == '--for'} == {str(file) for file in files}, options
    assert ('--map', '1=forward') in options and ('--inputs', str(inputs)) in options and words[-1] == str(RECORDS / NAME), words
    inputs.write_text('other inputs')
    done = subprocess.run([COMMAND, 'accuracy', trial.record, '--reference-record', RECORDS / NAME, '--inputs', inputs], capture_output=True, text=True, check=False, env=trial.environment)
    assert done.returncode == 0 and trial.times_made() == 2, done.stderr
    several = subprocess.run([COMMAND, 'accuracy', trial.record, RECORDS / NAME, '--reference-record', RECORDS / NAME], capture_output=True, text=True, check=False, env=trial.environment)
    assert several.returncode == 2 and 'for one record' in several.stderr, several


def is_made_by_executorch(trial):
    """Of a record itself, and of the float record of a quantized one."""
    python = trial.folder / 'python'
    python.write_text(f'#!/bin/bash\nexec {shlex.quote(PYTHON)} -I -c "import sys; sys.path.append(\'{PACKAGE}\')\n$3" "$4" "${{@:5}}"\n')
    python.chmod(0o755)
    trial.ask()
    for name, of in (('convnet_int8', 'convnet'),):
        trial.record = trial.folder / name
        shutil.copytree(RECORDS / name, trial.record)
        done = subprocess.run([COMMAND, 'accuracy', trial.record, '--reference-record', RECORDS / of, '--format', 'json'], capture_output=True, text=True,
                              check=False, env=trial.environment)
        assert done.returncode == 0, f'{name}: exit {done.returncode}: {done.stderr}'
        answer = json.loads(done.stdout)
        compared = [value for value in answer['values'] if value['problem'] is None]
        assert len(compared) > 3, f'{name}: {len(compared)} values were compared'
        assert {value['method'] for value in compared} == {value['method'] for value in answer['values']}, f'{name}: a method was not compared'
        head = (trial.record / f'{name}.reference.safetensors').read_bytes()
        assert b'"kept"' in head[8:8 + struct.unpack('<Q', head[:8])[0]]


def has_executorch():
    done = subprocess.run([PYTHON, '-I', '-c', 'import torch, executorch.devtools'], capture_output=True, check=False)
    return done.returncode == 0


def main():
    real = sys.argv[3:] == ['real']
    if real and not has_executorch():
        print(f'SKIPPED: {PYTHON} has no torch or no executorch (EXECUTORCH_PYTHON names another)')
        sys.exit(77)
    cases.run((is_made_by_executorch,) if real else (is_kept, is_not_kept, is_kept_in_the_cache, is_of_several_files), Trial)


if __name__ == '__main__':
    main()
