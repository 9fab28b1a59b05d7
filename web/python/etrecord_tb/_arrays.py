# SPDX-License-Identifier: BSD-3-Clause
"""Reads logged values from a debug buffer as numpy arrays. numpy is imported only when one is asked for."""

from __future__ import annotations

import collections
import io
import json
import math
import pickle
import zipfile
from typing import Any

# numpy's names of the types that differ from torch's; numpy has no bfloat16.
_NAMES = {"bool": "bool", "bfloat16": "uint16", "half": "float16", "float": "float32", "double": "float64"}
_PLAIN = {"float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "complex64", "complex128"}


def read(value: Any, buffer: str | bytes | None) -> Any:
    """Returns a LoggedValue's array, or its number."""
    if value.kind != "tensor":
        return value.value
    if value.run is None:
        raise ValueError("this value stands for several runs: take one of events() or values()")
    shape = value.shape or []
    name = _NAMES.get(value.dtype or "", value.dtype if value.dtype in _PLAIN else None)
    if name is None or any(extent < 0 for extent in shape):
        raise ValueError(f"a tensor of type {value.dtype} and shape {shape} cannot be read")
    import numpy

    dtype = numpy.dtype(name).newbyteorder("<")
    if math.prod(shape) == 0:
        return numpy.zeros(shape, numpy.float32 if value.dtype == "bfloat16" else name)
    if buffer is None:
        raise ValueError("the debug buffer is missing, in which the values are: debug_buffer= names it")
    if value.strides and min(value.strides) < 0:
        raise ValueError(f"strides {value.strides} cannot be read")
    if value.offset is None:
        raise ValueError("the ETDump does not say where the tensor is")
    strides = value.strides
    count = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides)) if strides else math.prod(shape)
    size = count * dtype.itemsize
    if isinstance(buffer, bytes):
        data = buffer[value.offset : value.offset + size]
    else:
        with open(buffer, "rb") as file:
            file.seek(value.offset)
            data = file.read(size)
    if len(data) < size:
        raise ValueError(f"{'the debug buffer' if isinstance(buffer, bytes) else buffer}: the tensor at byte {value.offset} reaches beyond the end of the file")
    flat = numpy.frombuffer(data, dtype).astype(name)
    if value.dtype == "bfloat16":
        flat = (flat.astype(numpy.uint32) << 16).view(numpy.float32)
    if strides:
        return numpy.lib.stride_tricks.as_strided(flat, shape, [stride * flat.itemsize for stride in strides]).copy()
    return flat.reshape(shape)


class Reference:
    """The tensors of a file that `etrecord-tb reference` wrote; lib/accuracy/reference_file.h has its keys."""

    TYPES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool"}

    def __init__(self, path: Any) -> None:
        self._path = path
        with open(path, "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            self._table: dict[str, Any] = json.loads(file.read(size))
        self._start = 8 + size
        self._aliases: dict[str, str] = json.loads(self._table.pop("__metadata__", {}).get("aliases", "{}"))

    def read(self, key: str) -> Any:
        """Returns the array of a key, bfloat16 as float32; None if the file has none."""
        entry = self._table.get(self._aliases.get(key, key))
        if entry is None or entry["dtype"] not in self.TYPES:
            return None
        import numpy

        first, last = entry["data_offsets"]
        with open(self._path, "rb") as file:
            file.seek(self._start + first)
            data = file.read(last - first)
        name = self.TYPES[entry["dtype"]]
        flat = numpy.frombuffer(data, numpy.dtype(_NAMES.get(name, name)).newbyteorder("<"))
        if name == "bfloat16":
            flat = (flat.astype(numpy.uint32) << 16).view(numpy.float32)
        return flat.reshape(entry["shape"])


# ---- What torch.save() wrote ----

_STORAGES = {
    "FloatStorage": "float32", "DoubleStorage": "float64", "HalfStorage": "float16", "BFloat16Storage": "bfloat16", "LongStorage": "int64", "IntStorage": "int32",
    "ShortStorage": "int16", "CharStorage": "int8", "ByteStorage": "uint8", "BoolStorage": "bool",
}


class _Reader(pickle.Unpickler):
    """Makes tensors, lists, dicts and numbers, and nothing else: whatever else a file names is an error, so that it runs no code."""

    def __init__(self, archive: zipfile.ZipFile, folder: str) -> None:
        super().__init__(io.BytesIO(archive.read(f"{folder}/data.pkl")))
        self._archive, self._folder = archive, folder

    def find_class(self, module: str, name: str) -> Any:
        if module == "torch" and name in _STORAGES:
            return _STORAGES[name]
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return lambda tensor, *_others: tensor
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        raise pickle.UnpicklingError(f"{module}.{name} is not read")

    def persistent_load(self, pid: Any) -> Any:
        _kind, storage, key, _place, _count = pid
        return storage, self._archive.read(f"{self._folder}/data/{int(key)}")


def _rebuild(storage: Any, offset: int, shape: Any, strides: Any, *_others: Any) -> Any:
    """Returns an array from the bytes of a storage."""
    import numpy

    name, data = storage
    flat = numpy.frombuffer(data, numpy.dtype(_NAMES.get(name, name)).newbyteorder("<")).astype(_NAMES.get(name, name))
    if name == "bfloat16":
        flat = (flat.astype(numpy.uint32) << 16).view(numpy.float32)
    last = offset + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
    if min([offset, *shape, *strides]) < 0 or (math.prod(shape) and last >= len(flat)):
        raise pickle.UnpicklingError("a tensor reaches beyond its storage")
    if not math.prod(shape):
        return numpy.zeros(shape, flat.dtype)
    return numpy.lib.stride_tricks.as_strided(flat[offset:], shape, [stride * flat.itemsize for stride in strides]).copy()


def load_saved(data: bytes) -> Any:
    """Returns what torch.save() wrote, with arrays for tensors. Raises ValueError for anything but tensors, lists, dicts and numbers. Runs no code from the data."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            folder = next(name for name in archive.namelist() if name.endswith("/data.pkl")).rsplit("/", 1)[0]
            return _Reader(archive, folder).load()
    except (zipfile.BadZipFile, pickle.UnpicklingError, StopIteration, KeyError, TypeError, IndexError, AttributeError, EOFError) as error:
        raise ValueError(f"not saved tensors: {error}") from error
