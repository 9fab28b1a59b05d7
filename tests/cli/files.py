#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files that are not what was expected: files.py PATH/TO/etrecord-tb. Each row of the table has a file, what is asked of it, the exit status and what is said."""

import base64
import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile

PROGRAM = os.path.abspath(sys.argv[1])
FIXTURES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'fixtures')


def fixture(name):
    with open(os.path.join(FIXTURES, name), 'rb') as file:
        return file.read()


def tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as archive:
        archive.addfile(tarfile.TarInfo('model.pte'))
    return out.getvalue()


def zipped(*names):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w') as archive:
        for name in names:
            archive.writestr(name, 'x')
    return out.getvalue()


LONG_DUMP = fixture('mv2_xnnpack/etdump.etdp')
RECORD, DUMP, PTE = fixture('add_mul/etrecord.bin'), fixture('add_mul/etdump.etdp'), fixture('mv2_xnnpack/model.pte')
PTD = fixture('external_weights/weights.ptd')
LFS = b'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n'
ANNEX = b'/annex/objects/SHA256E-s12345--4d7a2146.pte\n'
SAFETENSORS = (40).to_bytes(8, 'little') + b'{"a":{"dtype":"F32","shape":[1]}}       '
OLD_TORCH = bytes.fromhex('80028a0a6cfc9c46f9206aa85019') + b'.'
WRONG_SIZE = (len(DUMP) + 1000).to_bytes(4, 'little') + DUMP[4:]
# An ETDump of a program that was loaded and never ran.
LOAD_ALONE = base64.b64decode(
    'BAEAABQAAABFRDAwAAAAAAgACAAAAAQACAAAAAQAAAABAAAAEAAAAAwADAAEAAAAAAAIAAwAAADEAAAABAAAAAIAAABoAAAABAAA'
    'AKb///8YAAAAFAAkAAQACAAMAAAAAAAAABAAGAAUAAAAIAAAAP////8AAAAAoMguAAAAAAAogS8AAAAAAAAAAAAUAAAAUHJvZ3Jh'
    'bTo6bG9hZF9tZXRob2QAAAYACAAEAAYAAAAYAAAAFAAgAAQACAAMAAAAAAAAABAAGAAUAAAAHAAAAP////8AAAAA5couAAAAAAD2'
    'eS8AAAAAAAwAAABNZXRob2Q6OmluaXQAAAAABwAAAERlZmF1bHQA'
)

# name of the file, its bytes, command, exit status, what is said (of the size of the file: {size})
NAMED = [
    ('model.pte', LFS, 'info', 1, 'a Git LFS pointer, not the file itself: fetch it with `git lfs pull`'),
    ('etrecord.bin', LFS, 'info', 1, 'a Git LFS pointer, not the file itself'),
    ('etdump.etdp', LFS, 'summary', 1, 'a Git LFS pointer, not the file itself'),
    ('weights.ptd', LFS, 'info', 1, 'a Git LFS pointer, not the file itself'),
    ('model.pte', ANNEX, 'info', 1, 'a git-annex pointer, not the file itself'),
    ('etdump.etdp.gz', gzip.compress(DUMP), 'summary', 0, ''),
    ('etdump.etdp', gzip.compress(DUMP), 'events', 0, ''),
    ('two_members.gz', gzip.compress(DUMP[:1000]) + gzip.compress(DUMP[1000:]), 'events', 0, ''),
    ('cut.etdp.gz', gzip.compress(DUMP)[:-20], 'summary', 1, 'compressed with gzip and cut short'),
    ('damaged.etdp.gz', gzip.compress(DUMP)[:-8] + bytes(8), 'summary', 1, 'compressed with gzip and damaged'),
    ('model.pte.gz', gzip.compress(PTE), 'info', 1, 'compressed with gzip: unpack it with `gunzip`'),
    ('etrecord.bin', gzip.compress(RECORD), 'info', 1, 'compressed with gzip: unpack it with `gunzip`'),
    ('record.tar.gz', gzip.compress(tar()), 'info', 1, 'a tar archive, compressed with gzip: unpack it with `tar -xzf`'),
    ('record.tar', tar(), 'info', 1, 'a tar archive: unpack it with `tar -xf`'),
    ('model.pte.xz', lzma.compress(PTE), 'info', 1, 'compressed with xz'),
    ('model.pte.bz2', bz2.compress(PTE), 'info', 1, 'compressed with bzip2'),
    ('model.pte.zst', b'\x28\xb5\x2f\xfd' + PTE[:100], 'info', 1, 'compressed with zstd'),
    ('model.pte', b'\n <!DOCTYPE html>\n<html><body>Sign in</body></html>', 'info', 1, 'an HTML page, such as a download that failed'),
    ('etdump.etdp', b'<html>404</html>', 'summary', 1, 'an HTML page'),
    ('model.pt2', zipped('model/archive_format', 'model/models/model.json'), 'info', 1, 'a program of torch.export (.pt2)'),
    ('old.pt2', zipped('serialized_exported_program.json', 'version'), 'info', 1, 'a program of torch.export (.pt2)'),
    ('weights.pt', zipped('weights/data.pkl', 'weights/version'), 'info', 1, 'that torch.save wrote (.pt)'),
    ('old.pt', OLD_TORCH, 'info', 1, 'that torch.save wrote (.pt)'),
    ('model.safetensors', SAFETENSORS, 'info', 1, 'weights (.safetensors)'),
    ('model.onnx', b'\x08\x08\x12\x07pytorch', 'info', 1, 'a model of ONNX (.onnx)'),
    ('model.tflite', b'\x1c\0\0\0TFL3' + bytes(40), 'info', 1, 'a model of TensorFlow Lite (.tflite)'),
    ('model.gguf', b'GGUF\x03\0\0\0' + bytes(40), 'info', 1, 'a model of llama.cpp (.gguf)'),
    ('executor_runner', b'\x7fELF\x02\x01\x01' + bytes(90), 'info', 1, 'a program for Linux: run it to record an ETDump'),
    ('record.zip', zipped('record/model.pte', 'record/etdump.etdp'), 'summary', 1, 'a zip archive of files, no ETRecord: unpack it with `unzip`'),
    ('text_mode.etdp', LONG_DUMP.replace(b'\n', b'\r\n'), 'summary', 1, 'copied as text, which changes line ends: copy it again in binary mode'),
    ('text_mode.pte', PTE.replace(b'\n', b'\r\n'), 'info', 1, 'copied as text, which changes line ends: copy it again in binary mode'),
    ('model.pte', b'', 'info', 1, 'an empty file'),
    ('etdump.etdp', b'', 'summary', 1, 'an empty file'),
    ('etrecord.bin', b'', 'info', 1, 'an empty file'),
    ('model.pte', b'no program at all', 'info', 1, 'not a .pte: the identifier ET12 is missing'),
    ('etdump.etdp', b'no dump at all, but some bytes', 'summary', 1, 'not an ETDump'),
    ('notes.txt', b'no part of a record', 'info', 1, 'not a file of a record'),
    ('half.pte', PTE[: len(PTE) // 2], 'info', 1, f'the .pte is cut short: it has {{size}} bytes and needs {len(PTE)}'),
    ('head.pte', PTE[:100], 'info', 1, f'the .pte is cut short: it has 100 bytes and needs {len(PTE)}'),
    ('last_byte.pte', PTE[:-1], 'info', 1, f'the .pte is cut short: it has {{size}} bytes and needs {len(PTE)}'),
    ('half.etdp', DUMP[: len(DUMP) // 2], 'summary', 1, f'the ETDump is cut short: it has {{size}} bytes and needs {len(DUMP)}'),
    ('head.etdp', DUMP[:100], 'summary', 1, f'the ETDump is cut short: it has 100 bytes and needs {len(DUMP)}'),
    ('etrecord.bin', RECORD[: len(RECORD) // 2], 'info', 1, 'not an ETRecord, or a truncated one'),
    # What a file contains decides, not how it is named.
    ('program.etdump', PTE, 'nodes', 0, ''),
    ('dump.pte', DUMP, 'events', 0, ''),
    ('dump.pte', DUMP[:100], 'summary', 1, 'the ETDump is cut short: it has 100 bytes'),
    ('called_otherwise', RECORD[: len(RECORD) // 2], 'info', 1, 'not an ETRecord, or a truncated one'),
]
# files of a folder, command, exit status, what is said
FOLDERS = [
    ({'model.pte': LFS, 'etrecord.bin': RECORD}, 'info', 1, 'model.pte: a Git LFS pointer'),
    ({'weights.bin': LFS, 'etrecord.bin': RECORD}, 'info', 1, 'weights.bin: a Git LFS pointer'),
    ({'w.ptd': LFS, 'etrecord.bin': RECORD}, 'info', 0, 'w.ptd: @4: not a .ptd'),
    ({'w.ptd': PTD[:60], 'etrecord.bin': RECORD}, 'info', 0, 'left out'),
    ({'etdump.etdp': DUMP[:900], 'etrecord.bin': RECORD}, 'summary', 1, 'etdump.etdp: '),
    ({'model.onnx': b'\x08\x08\x12\x07pytorch', 'etrecord.bin': RECORD}, 'info', 0, ''),
    ({'README': b'hello', 'model.onnx': b'\x08\x08\x12\x07pytorch'}, 'info', 1, 'only README; model.onnx (a model of ONNX (.onnx))'),
    ({'record.zip': zipped('record/model.pte')}, 'summary', 1, 'only record.zip (a zip archive of files, no ETRecord: unpack it with `unzip`)'),
    ({'program.etdump': PTE, 'dump.pte': LONG_DUMP}, 'nodes', 0, ''),
    ({'one.etdp': DUMP, 'two.etdp': LONG_DUMP}, 'summary', 0, ''),
    ({'model.pte': fixture('external_weights/model.pte')}, 'memory', 0, ''),
    ({'a.pte': PTE, 'b.pte': PTE}, 'info', 0, 'has the same content as another file here: counted once'),
    ({'a.pte': PTE, 'b.pte': fixture('add_mul/model.pte')}, 'info', 1, '2 .pte programs here'),
    ({'etrecord.bin': RECORD, 'cut.etrecord': RECORD[:5000]}, 'info', 1, '2 ETRecords here (cut.etrecord, etrecord.bin)'),
    ({'etrecord.bin': RECORD, 'a.etdp': DUMP, 'b.etdp': DUMP}, 'summary', 0, 'b.etdp: the same recording as'),
    ({'etrecord.bin': RECORD, 'a.etdp': DUMP, 'a.etdp.gz': gzip.compress(DUMP)}, 'summary', 0, 'the same recording as'),
    ({'etrecord.bin': RECORD, **{'%02d.etdp' % i: DUMP for i in range(53)}}, 'summary', 0, ': 2 more warnings'),
    ({'etrecord.bin': RECORD, 'a.etdp': WRONG_SIZE}, 'summary', 0, 'shorter than its size prefix says'),
]


def say(ok, what, done):
    if not ok:
        print(f'OFF {what}: exit {done.returncode}: {done.stderr.strip()[:300]}')
    return ok


def ask(command, *paths):
    return subprocess.run([PROGRAM, command, *paths], capture_output=True, text=True, errors='replace', timeout=60)


def holds(done, status, said):
    """Whether the exit status is right, and whether what is said is there, on lines of the program alone."""
    lines = done.stderr.splitlines()
    return done.returncode == status and said in done.stderr and all(line.startswith('etrecord-tb: ') for line in lines)


def unreadable(folder):
    """A file of a folder that may not be opened is an error: it may be a part of the record. root may open all, so another user asks."""
    os.mkdir(os.path.join(folder, 'closed'))
    for name, data in (('etrecord.bin', RECORD), ('etdump.etdp', DUMP)):
        with open(os.path.join(folder, 'closed', name), 'wb') as file:
            file.write(data)
    os.chmod(folder, 0o755)
    os.chmod(os.path.join(folder, 'closed', 'etdump.etdp'), 0)
    other = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] if os.geteuid() == 0 else []
    if other and subprocess.run([*other, PROGRAM, '--version'], capture_output=True).returncode != 0:
        print('skipped: nobody else may run the program here')
        return True
    done = subprocess.run([*other, PROGRAM, 'summary', os.path.join(folder, 'closed')], capture_output=True, text=True, timeout=60)
    return say(holds(done, 1, 'etdump.etdp: cannot open: Permission denied'), 'a file that may not be opened', done)


def only_loaded(folder):
    """An ETDump without an inference, alone and beside a program, says so."""
    path = os.path.join(folder, 'etdump.etdp')
    with open(path, 'wb') as file:
        file.write(LOAD_ALONE)
    with open(os.path.join(folder, 'model.pte'), 'wb') as file:
        file.write(PTE)
    done = [ask('summary', path), ask('summary', folder)]
    good = [each.returncode == 0 and 'not timed: no inference was recorded' in each.stdout for each in done]
    return say(all(good), f'a dump of a load alone: {done[0].stdout} {done[1].stdout}', done[0])


def refused_early(folder):
    """A large ETDump with too many events is refused before it is read, which would take as much memory as it has bytes."""
    path = os.path.join(folder, 'large.etdp')
    with open(path, 'wb') as file:
        file.write(DUMP)
        file.truncate(900 << 20)
    with subprocess.Popen([PROGRAM, 'events', '--etdump', path, '--max-events', '3'], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        errors = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    done = subprocess.CompletedProcess(process.args, process.returncode, '', errors)
    peak = used.ru_maxrss if sys.platform == 'darwin' else used.ru_maxrss << 10
    return say(holds(done, 1, 'more than 3 events; raise this limit with --max-events') and peak < 300 << 20, f'a large dump, peak {peak >> 20} MB', done)


def main():
    results = []
    for number, (name, data, command, status, said) in enumerate(NAMED):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            with open(path, 'wb') as file:
                file.write(data)
            done = ask(command, path)
            results.append(say(holds(done, status, said.format(size=len(data))), f'{number} {name}', done))
    for number, (files, command, status, said) in enumerate(FOLDERS):
        with tempfile.TemporaryDirectory() as folder:
            for name, data in files.items():
                with open(os.path.join(folder, name), 'wb') as file:
                    file.write(data)
            done = ask(command, folder)
            results.append(say(holds(done, status, said), f'folder {number} {", ".join(files)}', done))
    with tempfile.TemporaryDirectory() as folder:
        results.append(unreadable(folder))
    with tempfile.TemporaryDirectory() as folder:
        results.append(only_loaded(folder))
    with tempfile.TemporaryDirectory() as folder:
        results.append(refused_early(folder))
    print(f'{sum(results)} passed, {len(results) - sum(results)} failed')
    sys.exit(not all(results))


if __name__ == '__main__':
    main()
