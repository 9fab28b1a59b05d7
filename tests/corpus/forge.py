# SPDX-License-Identifier: BSD-3-Clause
"""Makes ETRecords and ETDumps that no exporter writes: entries changed, directories that lie, FlatBuffers whose tables are shared.

Used by the corpus test for damage and by the benchmark for size.
"""

import io
import struct
import warnings
import zipfile
import zlib

# ---- ETRecords ----


def entries_of(path):
    """The entries of a zip as {name: bytes}."""
    with zipfile.ZipFile(path) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def record(entries, method=zipfile.ZIP_STORED):
    """A zip with these entries; a list of pairs may name one twice."""
    out = io.BytesIO()
    warnings.simplefilter('ignore', UserWarning)  # of a name given twice
    with zipfile.ZipFile(out, 'w', method, compresslevel=1) as archive:
        for name, data in entries.items() if isinstance(entries, dict) else entries:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def directory_entry(data, name):
    """Offset of an entry in the central directory."""
    at = -1
    while True:
        at = data.index(b'PK\1\2', at + 1)
        size = struct.unpack_from('<H', data, at + 28)[0]
        if data[at + 46 : at + 46 + size] == name.encode():
            return at


def with_sizes(data, name, stored=None, size=None):
    """The zip with other sizes in an entry's two headers."""
    data = bytearray(data)
    at = directory_entry(data, name)
    local = struct.unpack_from('<I', data, at + 42)[0]
    for value, offset in ((stored, 20), (size, 24)):
        if value is not None:
            struct.pack_into('<I', data, at + offset, value)
            struct.pack_into('<I', data, local + offset - 2, value)
    return bytes(data)


def deflated_bomb(head, piece, times, tail, claim=None):
    """A raw deflate stream of head + piece * times + tail as (compressed, size, crc): small, however large it becomes."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    chunk = piece * max(1, (1 << 20) // len(piece))
    count = times * len(piece) // len(chunk)
    # A chunk that refers to nothing before it, and ends at a byte, is packed once and repeated.
    before = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    packed_chunk = packer.compress(chunk) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = before + packed_chunk * count + packer.compress(tail) + packer.flush()
    crc = zlib.crc32(head)
    for _ in range(count):
        crc = zlib.crc32(chunk, crc)
    size = len(head) + len(chunk) * count + len(tail)
    return packed, claim or size, zlib.crc32(tail, crc)


def zip_of_raw(entries):
    """A zip from entries that are packed already: (name, method, packed, size, crc)."""
    body, directory = b'', b''
    for name, method, packed, size, crc in entries:
        raw = name.encode()
        common = struct.pack('<HHHHHIIIHH', 20, 0x800, method, 0, 0x21, crc, len(packed), size, len(raw), 0)
        directory += b'PK\1\2' + struct.pack('<H', 20) + common + struct.pack('<HHHII', 0, 0, 0, 0, len(body)) + raw
        body += b'PK\3\4' + common + raw + packed
    end = b'PK\5\6' + struct.pack('<HHHHIIH', 0, 0, len(entries), len(entries), len(directory), len(body), 0)
    return body + directory + end


def raw_entries(entries):
    """For zip_of_raw(); a list of pairs may name one twice."""
    return [(name, 0, data, len(data), zlib.crc32(data)) for name, data in (entries.items() if isinstance(entries, dict) else entries)]


# ---- ETDumps ----


class Flatbuffer:
    """Written front to back: what a slot refers to is written behind it, and the slot is set then."""

    def __init__(self, identifier):
        self.bytes = bytearray(b'\0\0\0\0' + identifier)

    def align(self, size):
        self.bytes += bytes(-len(self.bytes) % size)

    def vtable(self, table_size, places):
        self.align(2)
        self.bytes += struct.pack('<%dH' % (2 + len(places)), 4 + 2 * len(places), table_size, *places)
        return len(self.bytes) - 4 - 2 * len(places)

    def table(self, vtable, format, *values):
        """Fields laid out behind the table's first four bytes."""
        self.align(8)
        at = len(self.bytes)
        self.bytes += struct.pack('<i' + format, at - vtable, *values)
        return at

    def vector(self, count):
        """Of references, all 0."""
        self.align(4)
        self.bytes += struct.pack('<I', count) + bytes(4 * count)
        return len(self.bytes) - 4 - 4 * count

    def string(self, text):
        """Lone surrogates stand for bytes that are not UTF-8."""
        raw = text.encode('utf-8', 'surrogateescape')
        self.align(4)
        self.bytes += struct.pack('<I', len(raw)) + raw + b'\0'
        return len(self.bytes) - 5 - len(raw)

    def point(self, slot, target):
        struct.pack_into('<I', self.bytes, slot, target - slot)

    def sized(self):
        return struct.pack('<I', len(self.bytes)) + bytes(self.bytes)


PROFILED = struct.Struct('<iIiIiiQQ')


def etdump(runs):
    """An ETDump. runs: (name, [(event name, chain index, instruction id, start, end)]); the events of a delegate have its id as text behind that."""
    fb = Flatbuffer(b'ED00')
    dump_vtable = fb.vtable(12, (4, 8))
    run_vtable = fb.vtable(12, (4, 0, 0, 8))
    event_vtable = fb.vtable(8, (4,))
    profile_vtable = fb.vtable(32, (4, 8, 12, 0, 0, 0, 16, 24))
    delegate_vtable = fb.vtable(40, (4, 8, 12, 0, 32, 0, 16, 24))
    names = {}

    def name(slot, text):
        names.setdefault(text, []).append(slot)

    dump = fb.table(dump_vtable, 'II', 0, 0)
    fb.point(0, dump)
    vector = fb.vector(len(runs))
    fb.point(dump + 8, vector)
    for index, (run_name, events) in enumerate(runs):
        run = fb.table(run_vtable, 'II', 0, 0)
        fb.point(vector + 4 + 4 * index, run)
        name(run + 4, run_name)
        list_at = fb.vector(len(events))
        fb.point(run + 8, list_at)
        fb.align(8)
        for i, (event_name, chain, instruction, start, end, *delegate_id) in enumerate(events):
            at, profile = len(fb.bytes), len(fb.bytes) + 8
            # Two tables in one, as there are many: the event, which refers to the one behind it, and the profile event.
            fb.bytes += PROFILED.pack(at - event_vtable, 4, profile - (delegate_vtable if delegate_id else profile_vtable), 0, chain, instruction, start, end)
            fb.bytes += bytes(8 * bool(delegate_id))
            fb.point(list_at + 4 + 4 * i, at)
            name(profile + 4, event_name)
            for text in delegate_id:
                name(profile + 32, text)
    for text, slots in names.items():
        at = fb.string(text)
        for slot in slots:
            fb.point(slot, at)
    return fb.sized()


def with_strings(data, names):
    """A FlatBuffer with some of its strings replaced by others that are not longer."""
    for old, new in names.items():
        raw = new.encode('utf-8', 'surrogateescape')
        before = struct.pack('<I', len(old)) + old.encode() + b'\0'
        assert before in data and len(raw) <= len(old), (old, new)
        data = data.replace(before, struct.pack('<I', len(raw)) + raw + bytes(len(before) - 4 - len(raw)))
    return data


def amplified_etdump(runs, events):
    """Few bytes that describe runs * events events: every run is the same table, and so is every event."""
    fb = Flatbuffer(b'ED00')
    dump_vtable = fb.vtable(12, (4, 8))
    run_vtable = fb.vtable(12, (4, 0, 0, 8))
    event_vtable = fb.vtable(8, (4,))
    profile_vtable = fb.vtable(32, (4, 8, 12, 0, 0, 0, 16, 24))
    dump = fb.table(dump_vtable, 'II', 0, 0)
    fb.point(0, dump)
    run_list = fb.vector(runs)
    fb.point(dump + 8, run_list)
    run = fb.table(run_vtable, 'II', 0, 0)
    event_list = fb.vector(events)
    fb.point(run + 8, event_list)
    event = fb.table(event_vtable, 'I', 0)
    profile = fb.table(profile_vtable, 'IiiQQ', 0, 0, 1, 10, 20)
    fb.point(event + 4, profile)
    text = fb.string('native_call_add.out')
    fb.point(run + 4, text)
    fb.point(profile + 4, text)
    for i in range(runs):
        fb.point(run_list + 4 + 4 * i, run)
    for i in range(events):
        fb.point(event_list + 4 + 4 * i, event)
    return fb.sized()


def overlapping_etdump():
    """The list of events is the list of runs itself: tables are read as what they are not, and point back at themselves."""
    fb = Flatbuffer(b'ED00')
    vtable = fb.vtable(12, (4, 8, 4, 8))
    dump = fb.table(vtable, 'II', 0, 0)
    fb.point(0, dump)
    vector = fb.vector(2)
    fb.point(dump + 8, vector)
    run = fb.table(vtable, 'II', 0, 0)
    for slot in (vector + 4, vector + 8):
        fb.point(slot, run)
    struct.pack_into('<I', fb.bytes, run + 4, (vector - run - 4) & 0xFFFFFFFF)
    struct.pack_into('<I', fb.bytes, run + 8, (vector - run - 8) & 0xFFFFFFFF)
    return fb.sized()
