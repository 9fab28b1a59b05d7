# SPDX-License-Identifier: BSD-3-Clause
"""Mutants of the fixtures and of forged models: what was read from them is recombined, then changed field by field, and packed again."""

import glob
import io
import os
import sys
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(os.path.dirname(HERE))
FIXTURES = os.path.join(TESTS, 'fixtures')
REFERENCES = os.path.join(TESTS, 'check', 'accuracy')
sys.path[:0] = [os.path.join(TESTS, 'corpus'), os.path.join(TESTS, 'fuzz')]
import chance  # noqa: E402
import flatbuffers  # noqa: E402
import forge  # noqa: E402
import json_trees  # noqa: E402
import logs  # noqa: E402
import pickles  # noqa: E402
import seeds  # noqa: E402
import tensors  # noqa: E402

MOST_DUMP, MOST_FILE, MOST_TOTAL = 50_000, 33_000, 160_000
WEIGHTS = ('_state_dict', '_constants', '_example_inputs')
EDGE = 'edge_dialect_exported_program'
METHODS = ['forward', 'second', 'encode', 'decode', '', 'x']
NAMES = [EDGE] + [EDGE + '/' + method for method in METHODS] + ['exported_program', 'exported_program/forward', 'edge/forward', 'aten/forward']
NAMES += ['program/forward', 'edge~2/forward', 'post/forward', 'debug_handle_map', 'delegate_map', 'export_graph_id', 'reference_outputs', 'later']
BUFFER = 'debug_buffer.bin'
INPUTS = ('etrecord.bin', '.etrecord', '.etdp', '.etdump', '.log')
OF_2023 = ('program_buffer',)


class Parts:
    """What a user would have: a record's entries in their order, dumps, logs with dumps in them, a program (as a .pte, or with its tests as a .bpte) and
    the weights beside it, a debug buffer, a reference of its values."""

    def __init__(self, entries=(), dumps=(), pte=None, buffer=None, logs=(), bundle=None, weights=None, reference=None):
        self.entries, self.dumps, self.pte, self.buffer = list(entries), list(dumps), pte, buffer
        self.logs, self.bundle, self.weights, self.reference = list(logs), bundle, weights, reference

    def copy(self):
        return Parts(self.entries, self.dumps, self.pte, self.buffer, self.logs, self.bundle, self.weights, self.reference)

    def size(self):
        files = [data for _, data in self.entries] + self.dumps + self.logs
        return sum(map(len, files)) + sum(len(data) for data in (self.pte, self.bundle, self.weights, self.reference) if data)


# ---- What there is ----


def read_small(folder, pattern, most):
    found = []
    for path in sorted(glob.glob(os.path.join(folder, pattern))):
        if os.path.getsize(path) <= most:
            with open(path, 'rb') as file:
                found.append(file.read())
    return found


def read_fixture(folder):
    """Without the weights in a record, which nothing reads."""
    pte, bundle, weights, buffer = ((read_small(folder, name, MOST_FILE) or [None])[0] for name in ('*.pte', '*.bpte', '*.ptd', BUFFER))
    parts = Parts([], read_small(folder, '*.etd[pu]*', MOST_DUMP)[:1], pte, buffer, read_small(folder, '*.log', MOST_DUMP), bundle, weights)
    for record in glob.glob(os.path.join(folder, 'etrecord.bin')) + glob.glob(os.path.join(folder, '*.etrecord')):
        parts.entries = [(name, data) for name, data in forge.entries_of(record).items() if not name.endswith(WEIGHTS)]
    parts.reference = (read_small(REFERENCES, os.path.basename(folder) + '.safetensors', MOST_FILE) or [None])[0]
    return parts


def read_model(model):
    with zipfile.ZipFile(io.BytesIO(model.record())) as archive:
        return Parts([(name, archive.read(name)) for name in archive.namelist()], [model.etdump()], model.pte())


def material():
    """Sources and their weights: small ones come more often, for they teach as much and cost less; so do those with times, and kinds of which there
    are few."""
    folders = sorted(root for root, _, files in os.walk(FIXTURES) if any(name.endswith(INPUTS) for name in files) and 'hostile' not in root)
    sources = [each for folder in folders for each in apart(read_fixture(folder))] + [read_model(model) for model in seeds.forged()]
    usual = [source for source in sources if (source.entries or source.dumps or source.logs) and source.size() <= MOST_TOTAL]
    return [(weight_of(source) / (3000 + source.size()), source) for source in usual]


def apart(parts):
    """Each log by itself, for a folder may have several."""
    return [Parts(parts.entries, parts.dumps, parts.pte, parts.buffer, [log]) for log in parts.logs] or [parts]


def weight_of(source):
    if source.reference:
        return 100
    if source.buffer or source.bundle or source.weights or any(name in OF_2023 for name, _ in source.entries):
        return 10
    return 3 if source.dumps and source.entries else 1


# ---- Recombination ----


def is_program(entry):
    return entry[1].startswith(b'{"graph_module"') or '/' in entry[0] or entry[0] in (EDGE, 'exported_program')


def other_dump(dice, parts, other):
    if other.dumps:
        parts.dumps = dice.pick((other.dumps[:], parts.dumps + other.dumps, other.dumps + parts.dumps, parts.dumps * 2))


def other_pte(dice, parts, other):
    parts.pte, parts.bundle, parts.weights = other.pte, other.bundle, other.weights


def other_weights(dice, parts, other):
    parts.weights = other.weights or parts.weights


def other_log(dice, parts, other):
    """Dumps move into a log, or a log is added."""
    if other.logs and dice.often(0.3):
        parts.logs = parts.logs + other.logs
    elif parts.dumps or other.dumps:
        parts.logs = parts.logs + [logs.made(dice, parts.dumps or other.dumps, parts.buffer)]
        parts.dumps = []


def other_buffer(dice, parts, other):
    parts.buffer = other.buffer or dice.pick((None, b'', b'\xff' * 64, bytes(100_000)))


def other_entries(dice, parts, other):
    """Some of the entries are those of another record."""
    theirs = dict(other.entries)
    parts.entries = [(name, theirs[name] if name in theirs and dice.often(0.4) else data) for name, data in parts.entries]


def another_graph(dice, parts, other):
    """One program more, of this record or of another, under a name that means something."""
    programs = [entry for entry in parts.entries + other.entries if is_program(entry)]
    if programs:
        name = dice.pick((EDGE, dice.pick(programs)[0], dice.pick(NAMES)))
        parts.entries.insert(dice.below(len(parts.entries) + 1), (name, dice.pick(programs)[1]))


def any_entry(dice, parts):
    """The place of an entry; that of the identifier seldom, for nothing else is looked at without it."""
    at = dice.below(len(parts.entries))
    return at if parts.entries[at][0] != 'ETRECORD_V0' or dice.often(0.1) else dice.below(len(parts.entries))


def fewer_entries(dice, parts, other):
    if parts.entries:
        del parts.entries[any_entry(dice, parts)]


def other_name(dice, parts, other):
    if parts.entries:
        at = any_entry(dice, parts)
        parts.entries[at] = (dice.pick(NAMES), parts.entries[at][1])


def other_order(dice, parts, other):
    if parts.entries:
        parts.entries.insert(dice.below(len(parts.entries)), parts.entries.pop(dice.below(len(parts.entries))))


def exchanged(dice, parts, other):
    if parts.entries:
        i, k = dice.below(len(parts.entries)), dice.below(len(parts.entries))
        (a, x), (b, y) = parts.entries[i], parts.entries[k]
        parts.entries[i], parts.entries[k] = (a, y), (b, x)


def no_record(dice, parts, other):
    parts.entries = []


def no_dump(dice, parts, other):
    parts.dumps = []


RECOMBINATIONS = [
    (4, other_dump),
    (3, other_pte),
    (1, other_weights),
    (2, other_log),
    (1, other_buffer),
    (4, other_entries),
    (6, another_graph),
    (2, fewer_entries),
    (3, other_name),
    (1, other_order),
    (1, exchanged),
    (1, no_record),
    (1, no_dump),
]

# ---- Fields ----


def change_entry(dice, parts):
    at = dice.below(len(parts.entries))
    name, data = parts.entries[at]
    mutate = pickles.mutate if data.startswith((b'PK', b'\x80')) else flatbuffers.mutate if data[4:8] == b'ET12' else json_trees.mutate
    parts.entries[at] = (name, mutate(dice, data, dice.few(6)))


def change_dump(dice, parts):
    at = dice.below(len(parts.dumps))
    parts.dumps[at] = flatbuffers.mutate(dice, parts.dumps[at], dice.few(6))


def change_log(dice, parts):
    at = dice.below(len(parts.logs))
    parts.logs[at] = logs.mutate(dice, parts.logs[at], dice.few(4))


def change_program(dice, parts):
    """Also its tests and weights: all are FlatBuffers."""
    name = dice.pick([name for name in ('pte', 'bundle', 'weights') if getattr(parts, name)])
    setattr(parts, name, flatbuffers.mutate(dice, getattr(parts, name), dice.few(6)))


def change_reference(dice, parts):
    parts.reference = tensors.mutate(dice, parts.reference, dice.few(6))


def change_fields(dice, parts):
    there = [(4, parts.entries, change_entry), (3, parts.dumps, change_dump), (3, parts.logs, change_log), (6, parts.reference, change_reference)]
    there = [(weight if items else 0, change) for weight, items, change in there + [(3, parts.pte or parts.bundle or parts.weights, change_program)]]
    if any(weight for weight, _ in there):
        dice.weighted(there)(dice, parts)


# ---- Packing ----


def deflated(data):
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def packed(dice, entries):
    """The zip: now and then with compressed entries, sizes that lie, or cut off."""
    rows = forge.raw_entries(entries)
    if dice.often(0.1):
        rows = [(name, 8, deflated(data), size, crc) for name, _, data, size, crc in rows]
    if dice.often(0.02) and rows:
        at = dice.below(len(rows))
        name, method, data, size, crc = rows[at]
        rows[at] = (name, method, data, dice.pick((0, size - 1 if size else 1, size + 1, 2**32 - 16)), crc)
    data = forge.zip_of_raw(rows)
    return data[: dice.below(len(data))] if dice.often(0.01) else data


def make(sources, seed, number):
    """A mutant as [(file name, bytes)]; the same for a number, whatever was made before."""
    dice = chance.Chance('%s/%s' % (seed, number))
    parts = dice.weighted(sources).copy()
    if dice.often(0.5):
        for _ in range(dice.few(4)):
            dice.weighted(RECOMBINATIONS)(dice, parts, dice.weighted(sources))
    if dice.often(0.9):
        for _ in range(dice.few(4)):
            change_fields(dice, parts)
    files = [('etdump%d.etdp' % i, data) for i, data in enumerate(parts.dumps)] + [('device%d.log' % i, data) for i, data in enumerate(parts.logs)]
    if parts.entries:
        files.append(('etrecord.bin', packed(dice, parts.entries)))
    rest = (('model.pte', parts.pte), ('model.bpte', parts.bundle), ('weights.ptd', parts.weights), (BUFFER, parts.buffer), ('ref.safetensors', parts.reference))
    return files + [(name, data) for name, data in rest if data is not None]
