# SPDX-License-Identifier: BSD-3-Clause
"""References (safetensors) made from a good one, for commands that compare logged values with them."""

import json
import os
import shutil
import struct

import command

ACCURACY = os.path.normpath(os.path.join(command.FIXTURES, '..', '..', 'examples', 'accuracy'))
RECORD = os.path.join(ACCURACY, 'f32')
MEGABYTE = command.MEGABYTE
GIGABYTE = 1 << 30


def good():
    """The header and the data of a good reference."""
    with open(RECORD + '.safetensors', 'rb') as file:
        size = struct.unpack('<Q', file.read(8))[0]
        return json.loads(file.read(size)), file.read()


def packed(header, data, length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack('<Q', len(text) if length is None else length) + text + data


def tensors(header):
    return [value for name, value in header.items() if name != '__metadata__']


class Case:
    """change(header, data) gives the bytes of the reference; or make_file(path) writes it. commands, look, says, memory and verdict are as in crafted.py."""

    look, commands = None, ('write', 'accuracy', 'nodes')

    def __init__(self, name, verdict, change=None, make_file=None, says='', buffer_size=0, memory=64 * MEGABYTE):
        self.name, self.verdict, self.change, self.make_file, self.says, self.buffer_size, self.memory = 'reference_' + name, verdict, change, make_file, says, buffer_size, memory

    def make(self, folder):
        path = os.path.join(folder, 'r.safetensors')
        if self.make_file:
            self.make_file(path)
        else:
            with open(path, 'wb') as file:
                file.write(self.change(*good()))
        if self.buffer_size:
            with open(os.path.join(RECORD, 'debug_buffer.bin'), 'rb') as source, open(os.path.join(folder, 'debug_buffer.bin'), 'wb') as file:
                file.write(source.read())
                file.truncate(self.buffer_size)

    def arguments(self, folder):
        buffer = ['--debug-buffer', os.path.join(folder, 'debug_buffer.bin')] if self.buffer_size else []
        return [RECORD, '--reference', self.culprit(folder), *buffer]

    def culprit(self, folder):
        return os.path.join(folder, 'r.safetensors')


# ---- Changes ----

def of_tensors(change):
    """Applies a change to each tensor of the header."""
    def whole(header, data):
        for index, tensor in enumerate(tensors(header)):
            change(index, tensor)
        return packed(header, data)
    return whole


def of_metadata(**texts):
    def whole(header, data):
        header['__metadata__'].update(texts)
        return packed(header, data)
    return whole


def of_first(**members):
    def whole(header, data):
        tensors(header)[0].update(members)
        return packed(header, data)
    return whole


def twice(header, data):
    first = next(name for name in header if name != '__metadata__')
    text = json.dumps(header)
    return packed((text[:-1] + ', %s: %s}' % (json.dumps(first), json.dumps(header[first]))).encode(), data)


def overlapping(header, data):
    a, b = tensors(header)[:2]
    size = a['data_offsets'][1] - a['data_offsets'][0]
    b.update(shape=a['shape'], dtype=a['dtype'], data_offsets=[a['data_offsets'][0] + 4, a['data_offsets'][0] + 4 + size])
    return packed(header, data)


def renamed(header, data):
    """Names that could steer a terminal, or lead elsewhere."""
    names = {'__metadata__': header['__metadata__']}
    for index, tensor in enumerate(tensors(header)):
        names['\x1b[31m\u202e/../../%d\x00\n' % index] = tensor
    return packed(names, data)


def nested(header, data):
    return packed(b'{"__metadata__": ' + b'{"a":' * 100000 + b'1' + b'}' * 100000 + b'}', data)


def with_blanks(header, data):
    return packed(json.dumps(header).encode() + b' ' * (8 * MEGABYTE), data)


def far_away(path):
    """The tensors of a file of 10 GB are at its end; the rest is a hole."""
    header, data = good()
    end = 10 * GIGABYTE
    for tensor in tensors(header):
        tensor['data_offsets'] = [offset + end for offset in tensor['data_offsets']]
    text = packed(header, b'')
    with open(path, 'wb') as file:
        file.write(text)
        file.seek(len(text) + end)
        file.write(data)


def of_one_tensor(path):
    """One tensor of 10 GB, which no value has the shape of."""
    header, data = good()
    name = next(name for name in header if name.endswith('/edge/aten_embedding_default'))
    header[name] = {'dtype': 'F32', 'shape': [10 * GIGABYTE // 4], 'data_offsets': [0, 10 * GIGABYTE]}
    header = {key: header[key] for key in ('__metadata__', name)}
    text = packed(header, b'')
    with open(path, 'wb') as file:
        file.write(text)
        file.truncate(len(text) + 10 * GIGABYTE)


class TapsCase(Case):
    """A taps.json beside a record whose program returns statistics."""

    def __init__(self, name, verdict, text, says=''):
        super().__init__('taps_' + name, verdict, says=says)
        self.text = text

    def make(self, folder):
        source = os.path.normpath(os.path.join(command.FIXTURES, '..', 'check', 'accuracy', 'tap_stats'))
        for name in ('etrecord.bin', 'etdump.etdp', 'debug_buffer.bin', 'model.pte'):
            shutil.copy(os.path.join(source, name), folder)
        with open(self.culprit(folder), 'wb') as file:
            file.write(self.text)

    def arguments(self, folder):
        return [folder, '--reference', os.path.normpath(os.path.join(command.FIXTURES, '..', 'check', 'accuracy', 'tap_stats.safetensors'))]

    def culprit(self, folder):
        return os.path.join(folder, 'taps.json')


def tap(node, output, fields):
    return {'node_name': node, 'output_index': output, 'reducer_name': 'STATS', 'fields': fields}


def taps_cases():
    good_fields = ['min', 'max']
    return [
        TapsCase('empty', 'degraded', b'', says='not used'),
        TapsCase('too_deep', 'degraded', b'[' * 100000),
        TapsCase('cut', 'degraded', json.dumps([tap('relu', 2, good_fields)])[:-9].encode()),
        TapsCase('output_negative', 'degraded', json.dumps([tap('relu', -1, good_fields)]).encode()),
        TapsCase('output_beyond_numbers', 'degraded', json.dumps([tap('relu', 1 << 70, good_fields)]).encode()),
        TapsCase('two_of_one_output', 'degraded', json.dumps([tap('relu', 2, good_fields)] * 2).encode()),
        TapsCase('fields_of_a_million', 'degraded', json.dumps([tap('relu', 2, ['min'] * 1000000)]).encode()),
        TapsCase('fields_of_nonsense', 'degraded', json.dumps([tap('relu', 2, [[], {}])]).encode()),
        TapsCase('node_of_1_mb', 'degraded', json.dumps([tap('r' * MEGABYTE, 2, good_fields)]).encode()),
        TapsCase('names_from_elsewhere', 'survive', json.dumps([tap('\x1b[31m/../\u202e', k, ['\x1b[31m'] * 13) for k in range(9)]).encode()),
        TapsCase('of_another_program', 'survive', json.dumps([tap('nowhere', k, good_fields) for k in range(100)]).encode()),
    ]


def cases():
    says = 'damaged safetensors file'
    return [
        Case('good', 'accept', packed),
        Case('empty', 'refuse', lambda header, data: b''),
        Case('of_weights', 'refuse', lambda header, data: packed({**header, '__metadata__': {'format': 'pt'}}, data), says='not a reference that this version reads'),
        Case('without_metadata', 'refuse', lambda header, data: packed({name: value for name, value in header.items() if name != '__metadata__'}, data)),
        Case('of_another_record', 'refuse', of_metadata(record='0' * 16), says='a reference of another record'),
        Case('header_of_1_gb', 'refuse', lambda header, data: packed(header, data, GIGABYTE), says='at most 100000000 are read'),
        Case('header_past_the_end', 'refuse', lambda header, data: packed(header, data)[:5000], says='extends past the end'),
        Case('header_of_0_bytes', 'refuse', lambda header, data: packed(header, data, 0), says=says),
        Case('header_cut', 'refuse', lambda header, data: packed(header, data, 3000), says=says),
        Case('header_of_blanks', 'accept', with_blanks),
        Case('header_too_deep', 'refuse', nested),
        Case('header_not_utf8', 'survive', lambda header, data: packed(json.dumps(header).encode().replace(b'edge', b'\xff\xfe\x80e'), data)),
        Case('data_cut', 'refuse', lambda header, data: packed(header, data[:-1]), says='was it copied completely?'),
        Case('data_missing', 'refuse', lambda header, data: packed(header, b''), says='was it copied completely?'),
        Case('offsets_negative', 'refuse', of_first(data_offsets=[-4, 4]), says=says),
        Case('offsets_backwards', 'refuse', of_first(data_offsets=[8, 4]), says=says),
        Case('offsets_beyond_numbers', 'refuse', of_first(data_offsets=[0, 1 << 63]), says=says),
        Case('offsets_of_three', 'refuse', of_first(data_offsets=[0, 4, 8]), says=says),
        Case('shape_of_another_size', 'refuse', of_first(shape=[3, 5, 7]), says='do not fit its shape'),
        Case('shape_that_overflows', 'refuse', of_first(shape=[1 << 32, 1 << 32, 4]), says=says),
        Case('shape_of_many_dimensions', 'refuse', of_first(shape=[1] * 40), says=says),
        Case('shape_negative', 'refuse', of_first(shape=[-8]), says=says),
        Case('shape_of_texts', 'refuse', of_first(shape=['8']), says=says),
        Case('types_unknown', 'accept', of_tensors(lambda index, tensor: tensor.update(dtype='F4'))),
        Case('types_of_all_kinds', 'survive', of_tensors(lambda index, tensor: tensor.update(dtype=('C64', 'F64', 'BOOL', 'U8', 'F8_E4M3', 'I64', 'BF16')[index % 7]))),
        Case('names_twice', 'refuse', twice, says='two tensors have the same name'),
        Case('overlaps', 'refuse', overlapping, says='share bytes'),
        Case('names_from_elsewhere', 'accept', renamed),
        Case('metadata_of_numbers', 'refuse', of_metadata(method=5)),
        Case('methods_of_nonsense', 'survive', of_metadata(methods='[]')),
        Case('aliases_of_nonsense', 'refuse', of_metadata(aliases='[]')),
        Case('aliases_to_nothing', 'accept', of_metadata(aliases=json.dumps({'forward/0/edge/aten_view_copy_default': 'nowhere', 'a': 'a'}))),
        Case('nan_everywhere', 'accept', lambda header, data: packed(header, b'\0\0\xc0\x7f' * (len(data) // 4))),
        Case('infinities', 'accept', lambda header, data: packed(header, b'\0\0\x80\x7f\0\0\x80\xff' * (len(data) // 8))),
        Case('largest_numbers', 'accept', lambda header, data: packed(header, b'\xff\xff\x7f\x7f\xff\xff\x7f\xff' * (len(data) // 8))),
        Case('of_10_gb', 'accept', make_file=far_away),
        Case('tensor_of_10_gb', 'accept', make_file=of_one_tensor),
        Case('buffer_of_4_gb', 'accept', packed, buffer_size=4 * GIGABYTE + 8),
        Case('buffer_cut', 'degraded', packed, buffer_size=1000),
    ] + taps_cases()
