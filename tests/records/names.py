# SPDX-License-Identifier: BSD-3-Clause
"""What a record tells of its model: found in the programs themselves, by key, at any depth and inside strings that hold documents."""

import json
import re

FRAME = re.compile(r'^\s*File "(.*)", line \d+(?:, in (.*))?$')
TORCH = re.compile(r"^<|^torch/|-packages/torch/")
USUAL = {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"}
TORCHS = {"self", "lifted", "tensor", "conv", "other", "mask", "empty", "nn", "module", "stack", "from", "metadata", "hook"}  # of its files, operators, placeholders
WEIGHT_NAMES = ("parameter_name", "buffer_name", "tensor_constant_name", "custom_obj_name")


class Names:
    """Names of files with their code, and of modules with their classes and weights."""

    def __init__(self):
        self.source, self.modules, self.operators = set(), set(), set()
        self.seen = set()  # texts with their keys: most stand on many nodes

    def read(self, text):
        self.visit(json.loads(text))
        return self

    def visit(self, value, key=None):
        if isinstance(value, dict):
            for name, below in value.items():
                self.visit(below, name)
            if key != "buffer_mutation" and any(name in value for name in WEIGHT_NAMES) and isinstance(value.get("arg"), dict):  # which has the name of an operator
                self.modules.add(value["arg"].get("name") or "")
        elif isinstance(value, list):
            for below in value:
                self.visit(below, key)
        elif isinstance(value, str):
            self.text(key, value)

    def text(self, key, text):
        if (key, text) in self.seen:
            return
        self.seen.add((key, text))
        if key == "stack_trace":
            self.trace(text)
        elif key == "nn_module_stack":
            self.stack(text)
        elif key in ("fqn", *WEIGHT_NAMES):
            self.path(text)
        elif key == "target":
            self.operators.update(re.findall(r"[A-Za-z0-9]+", text))
        elif key == "as_string" and text.startswith("{") or key == "from_node":
            self.visit(json.loads(text))

    def trace(self, text):
        for line in text.splitlines():
            frame = FRAME.match(line)
            own = not TORCH.match(frame[1]) and "-packages/torch/" not in frame[1] if frame else False
            if not frame and len(line.strip()) > 8:
                self.source.add(line.strip())
            elif own:
                self.source.add(frame[1])
            elif frame and "/" in frame[1].split("torch/")[0]:
                self.source.add(frame[1].split("torch/")[0])

    def stack(self, text):
        for level in filter(None, text.split(";")):
            path, _, kind = level.split(",", 1)[1].rpartition(",") if level.count(",") > 1 else (level, "", "")
            if kind and not kind.startswith("torch."):
                self.modules.add(kind)
            self.path(path)

    def path(self, path):
        if path == "_empty_nn_module_stack_from_metadata_hook":
            return
        path = path.removeprefix("L['self']")
        parts = [part for part in re.split(r"[.\[\]'\"@]+", path) if part and not part.isdigit() and part not in USUAL]
        self.modules.update(parts)
        if parts and "." in path:
            self.modules.add(path)

    def left_in(self, data):
        """Which of them stand somewhere in these bytes: as text, and as words where they are words."""
        text = data.decode("latin-1")
        plain = text.replace("\\\\", "\\").replace('\\"', '"')
        words = set(re.findall(r"[A-Za-z0-9_.]+", plain))
        words.update(part for word in words.copy() for part in word.split("."))
        yield from (name for name in self.source if name in text or name in plain)
        yield from (name for name in self.modules & words if self.is_telling(name))

    def is_telling(self, name):
        """Not what torch calls things by itself, and no word that operators have too."""
        words = set(re.findall(r"[a-z0-9]+", name.lower()))
        usual = {word for name in USUAL for word in name.split("_")} | {w.lower() for w in self.operators} | TORCHS
        return any(word not in usual and len(word) > 2 and not re.fullmatch(r"m?\d+|constant\d*", word) for word in words)
