# SPDX-License-Identifier: BSD-3-Clause
"""Writes and reads the inputs of methods as safetensors: tensors are METHOD/INDEX, and the metadata `inputs` lists all values of each method, in JSON.

A tensor is listed as "tensor", or as "channels_last" if it has that memory format, in which the program reads it: its bytes are contiguous in the file.
"""

from __future__ import annotations

import json
import pathlib
import struct
from typing import Any

import torch

from .profile import Path

DTYPES = {
    torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8",
    torch.uint8: "U8", torch.bool: "BOOL",
}


def _is_channels_last(tensor: torch.Tensor) -> bool:
    return tensor.dim() == 4 and not tensor.is_contiguous() and tensor.is_contiguous(memory_format=torch.channels_last)


def write(path: pathlib.Path, inputs: dict[str, list[Any]]) -> None:
    """Writes the flat inputs of each method. Raises TypeError for a value that the runtime does not take."""
    header: dict[str, Any] = {}
    listed: dict[str, list[Any]] = {}
    parts: list[bytes] = []
    offset = 0
    for method, values in inputs.items():
        listed[method] = []
        for index, value in enumerate(values):
            if isinstance(value, torch.Tensor):
                if value.dtype not in DTYPES:
                    raise TypeError(f"{method}: input {index} is of {value.dtype}, which cannot be stored")
                plain = value.detach().cpu().contiguous()
                data = plain.reshape(-1).view(torch.uint8).numpy().tobytes() if plain.numel() else b""
                header[f"{method}/{index}"] = {"dtype": DTYPES[value.dtype], "shape": list(plain.shape), "data_offsets": [offset, offset + len(data)]}
                parts.append(data)
                offset += len(data)
                listed[method].append("channels_last" if _is_channels_last(value) else "tensor")
            elif value is None or isinstance(value, (bool, int, float)):
                listed[method].append(value)
            else:
                raise TypeError(f"{method}: input {index} is a {type(value).__name__}: the runtime takes tensors, numbers and None")
    header["__metadata__"] = {"inputs": json.dumps(listed)}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def read(path: Path) -> dict[str, list[Any]]:
    """Returns the flat inputs of each method from a file that write() made."""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header, data = json.loads(file.read(size)), bytearray(file.read())
    inputs: dict[str, list[Any]] = json.loads(header["__metadata__"]["inputs"])
    names = {name: dtype for dtype, name in DTYPES.items()}
    for method, values in inputs.items():
        for index, value in enumerate(values):
            if value not in ("tensor", "channels_last"):
                continue
            entry = header[f"{method}/{index}"]
            start, end = entry["data_offsets"]
            dtype = names[entry["dtype"]]
            tensor = torch.frombuffer(data[start:end], dtype=dtype).reshape(entry["shape"]) if end > start else torch.empty(entry["shape"], dtype=dtype)
            values[index] = tensor.to(memory_format=torch.channels_last) if value == "channels_last" else tensor
    return inputs
