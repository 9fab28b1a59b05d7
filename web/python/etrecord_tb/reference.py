# SPDX-License-Identifier: BSD-3-Clause
"""Computes with torch what the values of a record should be; `etrecord-tb reference` runs it.

The result is a safetensors file; lib/accuracy/reference_file.h has its keys. Only this module needs torch and executorch:
pip install "etrecord-tb[reference]". It writes values as they are computed, so that memory holds one inference and not its values.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import logging
import operator
import os
import struct
import sys
import tempfile
import time
import warnings
from typing import Any, Callable, Iterator

import torch
from torch.fx.interpreter import Interpreter
from executorch.devtools.etrecord import parse_etrecord

from .profile import Profile

PRODUCER = "etrecord-tb reference/1"
MOST_IMPACTS = 10  # inferences of --local that measure what one segment's error does to the outputs
TYPES = {
    torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64", torch.int32: "I32", torch.int16: "I16",
    torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL",
}
LOGGED_TYPES = {str(dtype)[6:]: dtype for dtype in TYPES}
Key = str
Values = dict[tuple[str, int], torch.Tensor]  # by node and output


class Failure(Exception):
    """Says in one line what is wrong and what to do."""


class Progress:
    """Says on standard error what is done, on one line in a terminal."""

    def __init__(self) -> None:
        self.shows = sys.stderr.isatty()
        self.last = 0.0

    def say(self, text: str) -> None:
        self._print(text, "\n")

    def step(self, text: str) -> None:
        if self.shows and time.monotonic() - self.last > 0.1:
            self.last = time.monotonic()
            self._print(text, "")

    def _print(self, text: str, end: str) -> None:
        print(("\r\x1b[K" if self.shows else "") + "etrecord-tb: " + text, end=end, file=sys.stderr, flush=True)


class Writer:
    """Writes a safetensors file: tensors first go to a temporary file, because the header, which comes before them, lists them all."""

    def __init__(self, path: str) -> None:
        self.data = tempfile.TemporaryFile(dir=os.path.dirname(path) or ".")
        self.entries: dict[Key, dict[str, Any]] = {}
        self.aliases: dict[Key, Key] = {}
        self.seen: dict[tuple[Any, ...], Key] = {}

    def add(self, key: Key, value: torch.Tensor) -> None:
        value = value.detach().cpu().contiguous()
        if value.dtype not in TYPES or value.numel() == 0 or key in self.entries or key in self.aliases:
            return
        data = value.reshape(-1).view(torch.uint8).numpy().tobytes() if value.dtype != torch.bool else value.reshape(-1).to(torch.uint8).numpy().tobytes()
        mark = (value.dtype, tuple(value.shape), hashlib.sha256(data).digest())
        if mark in self.seen:
            self.aliases[key] = self.seen[mark]
            return
        self.seen[mark] = key
        start = self.data.tell()
        self.data.write(data)
        self.entries[key] = {"dtype": TYPES[value.dtype], "shape": list(value.shape), "data_offsets": [start, start + len(data)]}

    def finish(self, path: str, metadata: dict[str, str]) -> None:
        """Writes all tensors so far; more may follow for another file."""
        texts = {"producer": PRODUCER, "torch": torch.__version__.split("+")[0], "aliases": json.dumps(self.aliases), **metadata}
        header = json.dumps({"__metadata__": texts, **self.entries}).encode()
        header += b" " * (-len(header) % 8)
        descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".etrecord-tb.", suffix=".tmp")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(struct.pack("<Q", len(header)) + header)
                self.data.seek(0)
                while piece := self.data.read(1 << 24):
                    file.write(piece)
            self.data.seek(0, os.SEEK_END)
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# ---- Running a graph ----


def _tensors(result: Any) -> Iterator[tuple[int, torch.Tensor]]:
    """The tensors that a node returns, with the index of its output; numbers count as tensors without dimensions."""
    for index, value in enumerate(result if isinstance(result, (list, tuple)) else [result]):
        if isinstance(value, (bool, int, float)):
            value = torch.tensor(value)
        if isinstance(value, torch.Tensor):
            yield index, value


class Run(Interpreter):
    """Runs a graph and shows the result of each operator to `see`, which may replace it."""

    def __init__(self, module: torch.fx.GraphModule, see: Callable[[torch.fx.Node, Any], Any]) -> None:
        super().__init__(module, garbage_collect_values=True)
        self.see = see

    def run_node(self, n: torch.fx.Node) -> Any:
        result = super().run_node(n)
        return self.see(n, result) if n.op == "call_function" and n.target is not operator.getitem else result


def _module(program: Any) -> torch.fx.GraphModule:
    """A module with buffers of its own: what an inference writes to a cache must not change the program's."""
    module: torch.fx.GraphModule = program.module(check_guards=False)
    for part in module.modules():
        for name, buffer in part._buffers.items():
            part._buffers[name] = None if buffer is None else buffer.detach().clone()
        for parameter in part._parameters.values():
            if parameter is not None:
                parameter.requires_grad_(False)
    return module


def _buffers(module: torch.fx.GraphModule) -> dict[str, torch.Tensor]:
    return {name: buffer.clone() for name, buffer in module.named_buffers()}


def _restore(module: torch.fx.GraphModule, buffers: dict[str, torch.Tensor]) -> None:
    for name, buffer in module.named_buffers():
        buffer.copy_(buffers[name])


def _run(module: torch.fx.GraphModule, sample: Any, see: Callable[[torch.fx.Node, Any], Any]) -> list[torch.Tensor]:
    runner = Run(module, see)
    with torch.no_grad():
        result = runner.run(**sample) if isinstance(sample, dict) else runner.run(*sample)
    return [value for value in torch.utils._pytree.tree_leaves(result) if isinstance(value, torch.Tensor)]


def _forced(logged: Values, found: Values | None = None, patch: Values | None = None) -> Callable[[torch.fx.Node, Any], Any]:
    """Goes on with other values than those computed: with the logged ones (`found` takes what was computed), or with a patch."""

    def see(node: torch.fx.Node, result: Any) -> Any:
        outputs = list(result) if isinstance(result, (list, tuple)) else [result]
        for index, value in _tensors(result):
            key = (node.name, index)
            if found is not None and key in logged:
                found[key] = value.detach().clone()
            other = (patch if patch is not None else logged).get(key)
            if other is not None and other.shape == value.shape and other.dtype == value.dtype:
                outputs[index] = other
        return type(result)(outputs) if isinstance(result, (list, tuple)) else outputs[0]

    return see


def _depends_on_inputs(program: Any, method_inputs: set[str]) -> set[str]:
    """Names of the nodes that depend on an input. Others compute weights, from which an error must not be taken over."""
    names = set(method_inputs)
    for node in program.graph.nodes:
        if any(source.name in names for source in node.all_input_nodes):
            names.add(node.name)
    return names


# ---- What the record and its runs say ----


def _samples(record: Any, path: str | None) -> list[Any]:
    """The inputs: a list of tuples of arguments. A BundledProgram has one flat list."""
    if path is not None:
        given = torch.load(path, weights_only=True)
    else:
        given = record._representative_inputs
        if given is None and record.exported_program is not None and record.exported_program.example_inputs:
            return [record.exported_program.example_inputs[0]]
    if isinstance(given, dict):
        given = next(iter(given.values()))
    if not given:
        raise Failure("the record has no representative inputs: name a file with --inputs, a list of tuples of tensors that torch.save wrote")
    if all(isinstance(sample, (list, tuple, dict)) for sample in given):
        return [sample if isinstance(sample, dict) else tuple(sample) for sample in given]
    return [tuple(given)]


def _edge_program(record: Any, method: str) -> Any:
    edge = record.edge_dialect_program
    if isinstance(edge, dict):
        if method not in edge:
            raise Failure(f"the record has no Edge program of the method {method}")
        return edge[method]
    return edge


def _state(program: Any) -> str:
    return ", ".join(sorted(str(name) for name in program.graph_signature.buffers_to_mutate.values()))


def _random(program: Any) -> str:
    names = ("rand", "randn", "randint", "bernoulli", "dropout", "multinomial", "normal", "uniform")
    targets = {str(node.target) for node in program.graph.nodes if node.op == "call_function"}
    return ", ".join(sorted(t for t in targets if any(part.split("_")[0] in names or part in names for part in t.split("."))))


class Logged:
    """The values that the runs logged, as the library joined them to nodes."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.values = [value for value in answer["values"] if value["problem"] != "it is computed several times in one run"]
        self.hash: str = answer["record_hash"]
        self.buffer: str | None = answer["debug_buffer"]
        self.runs: list[int] = sorted({value["run"] for value in self.values})
        self.nodes: set[str] = {self.node(value) for value in self.values}
        self.method: str = self.values[0]["method"] if self.values else "forward"

    @staticmethod
    def node(value: dict[str, Any]) -> str:
        return str(value["node"]).split(" #")[0]

    def tensors(self, run: int) -> Values:
        found: Values = {}
        if self.buffer is None:
            return found
        size = os.path.getsize(self.buffer)
        with open(self.buffer, "rb") as file:
            for value in self.values:
                dtype = LOGGED_TYPES.get(value["dtype"] or "")
                if value["run"] != run or dtype is None:
                    continue
                count = 1
                for extent in value["shape"]:
                    count *= extent
                width = torch.empty(0, dtype=dtype).element_size()
                if count <= 0 or value["offset"] is None or value["offset"] + count * width > size:
                    continue
                file.seek(value["offset"])
                tensor = torch.frombuffer(bytearray(file.read(count * width)), dtype=dtype)
                strides = value["strides"] or None
                found[self.node(value), value["output"]] = tensor.as_strided(value["shape"], strides) if strides else tensor.reshape(value["shape"])
        return found


# ---- The reference ----


def _write_constants(writer: Writer, program: Any) -> None:
    """Scales and zero points by channel, by the names of their placeholders."""
    signature = program.graph_signature
    names = {**signature.inputs_to_buffers, **signature.inputs_to_parameters, **signature.inputs_to_lifted_tensor_constants}
    for node in program.graph.nodes:
        if node.op == "call_function" and "quantize_per_channel" in str(node.target):
            for source in node.all_input_nodes[1:3]:
                held = program.state_dict.get(names.get(source.name, ""), program.constants.get(names.get(source.name, "")))
                if isinstance(held, torch.Tensor):
                    writer.add(f"constant/edge/{source.name}", held)


def _snr(reference: torch.Tensor, value: torch.Tensor) -> float:
    signal, noise = reference.double().square().mean().item(), (reference.double() - value.double()).square().mean().item()
    return float("inf") if noise == 0 else -400.0 if signal == 0 else 10 * torch.log10(torch.tensor(signal / noise)).item()


def _write_local(writer: Writer, edge: Any, logged: Logged, samples: list[Any], runs: dict[int, int], progress: Progress) -> None:
    """The pass that goes on with the device's values, and the impact of the worst of them. runs: the run of each input that has one."""
    names = _depends_on_inputs(edge, set(edge.graph_signature.user_inputs))
    forced, plain = _module(edge), _module(edge)  # which keep their own state from input to input
    for index, sample in enumerate(samples):
        run = runs.get(index)
        if run is None:
            for module in (forced, plain):
                _run(module, sample, _forced({}))
            continue
        progress.say(f"input {index + 1} of {len(samples)}: with the values that the device logged")
        device = {key: value for key, value in logged.tensors(run).items() if key[0] in names}
        found: Values = {}
        _run(forced, sample, _forced(device, found))
        for (node, output), value in found.items():
            writer.add(f"{index}/local/{node}" + (f"/{output}" if output else ""), value)
        worst = sorted((key for key in found if found[key].shape == device[key].shape and found[key].is_floating_point()), key=lambda key: _snr(found[key], device[key]))
        usual: Values = {}
        before = _buffers(plain)
        _run(plain, sample, _forced(device, usual, {}))
        after = _buffers(plain)
        for count, key in enumerate(worst[:MOST_IMPACTS]):
            if torch.equal(found[key], device[key]):
                continue
            progress.step(f"input {index + 1} of {len(samples)}: what the error of {key[0]} does to the outputs ({count + 1} of {MOST_IMPACTS})")
            error = device[key].double() - found[key].double()
            patch = {key: (usual[key].double() + error).to(usual[key].dtype)}
            _restore(plain, before)
            for place, value in enumerate(_run(plain, sample, _forced({}, None, patch))):
                writer.add(f"{index}/impact/{key[0]}/{place}", value)
        _restore(plain, after)


def _ask(record: list[str], reference: str | None, files: dict[str, Any]) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Profile(*record, **files) as profile:
            return profile.accuracy_document(reference)


def write_reference(record: list[str], output: str, *, inputs: str | None = None, everything: bool = False, local: bool = False, **files: Any) -> None:
    """Writes the reference of a record. Raises Failure."""
    progress = Progress()
    answer = _ask(record, None, files)
    if answer["record"] is None:
        raise Failure("there is no ETRecord: the graphs are in it")
    logged = Logged(answer)
    if local and not logged.values:
        raise Failure("--local needs an ETDump with logged values and its debug buffer")
    progress.say(f"reading {answer['record']}")
    parsed = parse_etrecord(answer["record"])
    edge = _edge_program(parsed, logged.method)
    samples = _samples(parsed, inputs)
    state = _state(edge)
    if state and len(samples) == 1 and len(logged.runs) > 1:
        samples = samples * len(logged.runs)  # each run starts where the one before ended
    writer = Writer(output)
    programs = [("edge", edge)] + ([("aten", parsed.exported_program)] if parsed.exported_program is not None and logged.method == "forward" else [])
    returned = {argument.name for argument in edge.graph.output_node().all_input_nodes}
    wanted = logged.nodes | returned
    for name, program in programs:
        module, total = _module(program), len(program.graph.nodes)
        for index, sample in enumerate(samples):
            progress.say(f"input {index + 1} of {len(samples)}: running {name}/{logged.method}, {total} nodes")

            def see(node: torch.fx.Node, result: Any, index: int = index, name: str = name) -> Any:
                if name == "aten" or everything or node.name in wanted or not logged.values:
                    for place, value in _tensors(result):
                        writer.add(f"{index}/{name}/{node.name}" + (f"/{place}" if isinstance(result, (list, tuple)) else ""), value)
                return result

            _run(module, sample, see)
    for index, sample in enumerate(samples):
        for place, value in enumerate(v for v in torch.utils._pytree.tree_leaves(sample) if isinstance(v, torch.Tensor)):
            writer.add(f"{index}/input/{place}", value)
    _write_constants(writer, edge)
    metadata = {"record": logged.hash, "method": logged.method, "inputs": str(len(samples)), "state": state, "random": _random(edge)}
    writer.finish(output, metadata)
    if local:  # the library finds the run of each input by the reference so far
        runs = {value["input"]: value["run"] for value in reversed(_ask(record, output, files)["values"]) if value["input"] is not None}
        _write_local(writer, edge, logged, samples, runs, progress)
        writer.finish(output, metadata)
    size = sum(entry["data_offsets"][1] - entry["data_offsets"][0] for entry in writer.entries.values())
    progress.say(f"{output}: {len(writer.entries)} tensors and {len(writer.aliases)} equal ones, {size:,} bytes")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="etrecord-tb reference")
    parser.add_argument("record", nargs="*")
    parser.add_argument("--output", required=True)
    parser.add_argument("--etdump", action="append")
    for name in ("inputs", "etrecord", "pte", "debug-buffer"):
        parser.add_argument("--" + name)
    for name in ("all", "local"):
        parser.add_argument("--" + name, action="store_true")
    wanted = parser.parse_args(arguments)
    logging.disable(logging.WARNING)
    files = {name: getattr(wanted, name) for name in ("etrecord", "etdump", "pte", "debug_buffer") if getattr(wanted, name)}
    try:
        write_reference(wanted.record, wanted.output, inputs=wanted.inputs, everything=wanted.all, local=wanted.local, **files)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # whatever torch raises about a record
        text = " ".join(str(error).split())[:400]
        print(f"etrecord-tb: {text if isinstance(error, (Failure, ValueError, OSError)) else f'{type(error).__name__}: {text}'}", file=sys.stderr)
        return 1
    return 0
