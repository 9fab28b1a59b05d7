# SPDX-License-Identifier: BSD-3-Clause
"""What torch.save writes of lists and dicts of tensors, with numpy instead of torch: load() and save(). load() also takes what pickle.dumps writes."""

import collections
import io
import pickle
import sys
import types
import unittest.mock
import zipfile

import numpy

STORAGES = {"FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2", "LongStorage": "<i8", "IntStorage": "<i4", "BoolStorage": "?"}


def rebuild(storage, offset, size, stride, *_):
    return numpy.lib.stride_tricks.as_strided(storage[offset:], size, [step * storage.itemsize for step in stride])


class Unpickler(pickle.Unpickler):
    """read() gives the bytes of the storage with a key."""

    def __init__(self, stream, read=None):
        super().__init__(stream)
        self.read = read

    def find_class(self, module, name):
        known = {
            "torch._utils._rebuild_tensor_v2": rebuild,
            "collections.OrderedDict": collections.OrderedDict,
            "torch.storage._load_from_bytes": load_storage,
        }
        return STORAGES[name] if module == "torch" else known[f"{module}.{name}"]

    def persistent_load(self, saved):
        _, dtype, key, *_ = saved
        return numpy.frombuffer(self.read(key), dtype) if self.read else dtype


def load_storage(data):
    """Five pickles: magic number, version, system, the storage, keys; then the number of elements, and these."""
    stream = io.BytesIO(data)
    pickles = [Unpickler(stream).load() for _ in range(5)]
    count = int.from_bytes(stream.read(8), "little")
    return numpy.frombuffer(stream.read(), pickles[3], count)


def load(data):
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return Unpickler(io.BytesIO(data)).load()
    archive = zipfile.ZipFile(io.BytesIO(data))
    pickled = next(name for name in archive.namelist() if name.endswith("/data.pkl"))
    prefix = pickled.removesuffix("data.pkl")
    return Unpickler(io.BytesIO(archive.read(pickled)), lambda key: archive.read(f"{prefix}data/{key}")).load()


def named(modules, module, name):
    """A class that pickles as MODULE.NAME, where there is a module of `modules`."""
    made = type(name, (), {"__module__": module, "__qualname__": name})
    setattr(modules.setdefault(module, types.ModuleType(module)), name, made)
    return made


def save(value):
    """Arrays become tensors with storages of their own, contiguous or not."""
    modules = {}
    rebuild = named(modules, "torch._utils", "_rebuild_tensor_v2")
    classes = {dtype: named(modules, "torch", name) for name, dtype in STORAGES.items()}
    storages = []

    class Storage:
        def __init__(self, array):
            base = array if array.base is None else array.base
            self.array, self.key = base, str(len(storages))
            storages.append(self)

    class Pickler(pickle.Pickler):
        def persistent_id(self, saved):
            if isinstance(saved, Storage):
                return "storage", classes[saved.array.dtype.str.replace("|b1", "?")], saved.key, "cpu", saved.array.size
            return None

        def reducer_override(self, saved):
            if not isinstance(saved, numpy.ndarray):
                return NotImplemented
            strides = tuple(step // saved.itemsize for step in saved.strides)
            return rebuild, (Storage(saved), 0, saved.shape, strides, False, collections.OrderedDict())

    pickled = io.BytesIO()
    with unittest.mock.patch.dict(sys.modules, modules):
        Pickler(pickled, 2).dump(value)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("archive/data.pkl", pickled.getvalue())
        archive.writestr("archive/byteorder", "little")
        for storage in storages:
            archive.writestr(f"archive/data/{storage.key}", storage.array.tobytes(order="A"))
    return out.getvalue()
