# SPDX-License-Identifier: BSD-3-Clause
"""Runs the graphs of a record with torch, and writes the values of their nodes.

Only this module needs torch and executorch: pip install ".[reference]" in its sources. It writes values as they are computed, so that
memory holds one inference and not its values.
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import importlib.metadata
import json
import math
import operator
import os
import re
import struct
import tempfile
import zipfile
from typing import Any, Callable, Iterator

import torch
from torch.fx.interpreter import Interpreter
from torch.utils import _pytree
from torch.utils._pytree import tree_leaves
from executorch.devtools.etrecord import parse_etrecord

from .reference import Failure, Job, Method, Progress, shortened

PRODUCER = "etrecord-tb reference/2"
MOST_IMPACTS = 10  # inferences of --local that measure what one segment's error does to the outputs
TYPES = {
    torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64", torch.int32: "I32", torch.int16: "I16",
    torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL",
}
LOGGED_TYPES = {str(dtype)[6:]: dtype for dtype in TYPES}
UNKNOWN_TYPE = re.compile(r"Deserializing (.+?) in pytree|TreeSpec of namedtuple class (.+?) because", re.DOTALL)  # what torch says of it
MOST_TYPES = 32  # of a record that are unknown here
SWITCHES = {"train", "training", "dropout", "dropout_p"}  # arguments of random operators that switch the random numbers off
Key = str
Place = tuple[str, int]  # a node and its output
See = Callable[[torch.fx.Node, Any], Any]


# ---- The file ----


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
        data = (value.to(torch.uint8) if value.dtype == torch.bool else value).reshape(-1).view(torch.uint8).numpy()
        mark = (value.dtype, tuple(value.shape), hashlib.sha256(data).digest())
        if mark in self.seen:
            self.aliases[key] = self.seen[mark]
            return
        self.seen[mark] = key
        start = self.data.tell()
        self.data.write(data)
        self.entries[key] = {"dtype": TYPES[value.dtype], "shape": list(value.shape), "data_offsets": [start, start + data.nbytes]}

    def repeat(self, start: Key, again: Key) -> None:
        """Gives the tensors whose keys begin with `start` a second key, which begins with `again`."""
        for key in [key for key in (*self.entries, *self.aliases) if key.startswith(start)]:
            self.aliases[again + key[len(start):]] = self.aliases.get(key, key)

    def finish(self, path: str, metadata: dict[str, str]) -> None:
        """Writes all tensors so far; more may follow for another file."""
        texts = {**({"kept": metadata.pop("kept")} if "kept" in metadata else {}), "producer": PRODUCER, "torch": torch.__version__.split("+")[0], "aliases": json.dumps(self.aliases), **metadata}
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

    def size(self) -> str:
        size = sum(entry["data_offsets"][1] - entry["data_offsets"][0] for entry in self.entries.values())
        return f"{len(self.entries)} tensors and {len(self.aliases)} equal ones, {size:,} bytes"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# ---- Reading the record ----


def _why(error: BaseException | None) -> str:
    """An exception of torch in one line: its first line says what, the others show the graph."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {shortened(lines[0].strip(), 300)}" if lines else type(error).__name__


def _copy_record(path: str, copy: str, without: set[str]) -> None:
    """Writes a record, which may be an unpacked one, as a zip file."""
    with zipfile.ZipFile(copy, "w") as target:
        if os.path.isfile(path):
            with zipfile.ZipFile(path) as source:
                for name in set(source.namelist()) - without:
                    target.writestr(name, source.read(name))
            return
        for folder, _, files in os.walk(path):
            for name in sorted(set(files) - without):
                target.write(os.path.join(folder, name), os.path.relpath(os.path.join(folder, name), path))


def _stand_in(name: str) -> None:
    """Registers a class for a type of containers that is not known here. Nothing is imported for it: the name is from a file."""

    class StandIn:
        def __init__(self, *values: Any, context: Any = None) -> None:
            self.values, self.context = values, context

    _pytree.register_pytree_node(
        StandIn, lambda held: (list(held.values), held.context), lambda values, context: StandIn(*values, context=context), serialized_type_name=name,
        to_dumpable_context=lambda context: context, from_dumpable_context=lambda context: context)


def _parse(path: str) -> Any:
    """parse_etrecord() that also reads programs which take or return containers of libraries that are not imported: only what they hold is needed.

    Their names are forgotten again, so that a program which imports the library later finds its own types.
    """
    names: list[str] = []
    try:
        while True:
            try:
                return parse_etrecord(path)
            except Exception as error:
                found = UNKNOWN_TYPE.search(str(error))
                name = found[1] or found[2] if found else None
                if name is None or name in _pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE or len(names) == MOST_TYPES:
                    raise
                _stand_in(name)
                names.append(name)
    finally:
        if names:
            for name in names:
                del _pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE[name]
            _pytree.treespec_loads.cache_clear()


def _is_made_by_this_version(path: str) -> bool:
    """Whether record() made a record, and says beside it that it did so with the ExecuTorch that is here."""
    try:
        with open(os.path.join(os.path.dirname(path), "record.json"), encoding="utf-8") as file:
            return bool(json.load(file)["executorch"] == importlib.metadata.version("executorch"))
    except (OSError, ValueError, LookupError, TypeError, ImportError):
        return False


def _open_record(path: str, progress: Progress) -> Any:
    """Reads a record with ExecuTorch, which takes zip files only and fails on inputs and outputs that its older versions wrote. Outputs are not needed."""
    failure: Exception | None = None
    with tempfile.TemporaryDirectory() as folder:
        for without in ([], ["reference_outputs"], ["reference_outputs", "representative_inputs"]):
            copy = path
            if without or not os.path.isfile(path):
                copy = os.path.join(folder, f"{len(without)}.bin")
                _copy_record(path, copy, set(without))
            try:
                record = _parse(copy)
            except Exception as error:
                failure = failure or error
                continue
            if len(without) > 1:
                progress.say(f"{path}: this version of ExecuTorch cannot read its representative inputs: example inputs are used, if there are any")
            return record
    version = "" if _is_made_by_this_version(path) else "another version exported it, or "
    raise Failure(f"{path}: ExecuTorch cannot read its programs: perhaps {version}it needs custom operators: {_why(failure)}") from failure


def _operator(node: torch.fx.Node) -> str:
    """Returns "aten.randn.default"; Edge operators print with their schema."""
    return str(getattr(node.target, "_op", node.target))


def _draws(node: torch.fx.Node) -> bool:
    """Whether a node draws random numbers, by torch's tag and its arguments, as etr_node_draws() has it: dropout does so in training only."""
    target = getattr(node.target, "_op", node.target)
    if torch.Tag.nondeterministic_seeded not in getattr(target, "tags", ()):
        return False
    arguments = {argument.name: value for argument, value in zip(target._schema.arguments, node.args)} | dict(node.kwargs)
    is_off = any(name in SWITCHES and isinstance(value, (bool, int, float)) and not value for name, value in arguments.items())
    return not is_off and not (target._schema.name.endswith("dropout") and arguments.get("p") == 0)


class Program:
    """One graph of a method."""

    def __init__(self, name: str, program: Any) -> None:
        self.name = name  # "edge" or "aten"
        self.program = program
        signature = program.graph_signature
        self.state = ", ".join(sorted({str(name) for name in signature.buffers_to_mutate.values()}))
        self.random = ", ".join(sorted({_operator(node) for node in program.graph.nodes if node.op == "call_function" and _draws(node)}))

    def module(self) -> torch.fx.GraphModule:
        """A module with buffers of its own: what an inference writes to a cache must not change the program's."""
        signature = self.program.graph_signature
        needed = {**signature.inputs_to_parameters, **signature.inputs_to_buffers, **signature.inputs_to_lifted_tensor_constants}.values()
        missing = [name for name in needed if name not in self.program.state_dict and name not in self.program.constants]
        if missing:
            raise Failure(f"the record has no weights for it ({missing[0]}), as after `etrecord-tb strip`: use the record that torch saved")
        module: torch.fx.GraphModule = self.program.module(check_guards=False)
        for part in module.modules():
            for name, buffer in part._buffers.items():
                part._buffers[name] = None if buffer is None else buffer.detach().clone()
            for parameter in part._parameters.values():
                if parameter is not None:
                    parameter.requires_grad_(False)
        return module

    def flatten(self, sample: Any) -> list[Any]:
        """The arguments of a sample, in the order of the graph's inputs."""
        arguments, named = ((), sample) if isinstance(sample, dict) else (tuple(sample), {})
        if len(arguments) == 2 and isinstance(arguments[1], dict) and isinstance(arguments[0], (tuple, list)):
            arguments, named = tuple(arguments[0]), arguments[1]  # arguments and keyword arguments, as torch.export has them
        flat: list[Any] = tree_leaves((arguments, {name: named[name] for name in self._names() if name in named} or named))
        wanted = [node.meta.get("val") for node in self.program.graph.nodes if node.op == "placeholder" and node.name in self.program.graph_signature.user_inputs]
        if len(self.program.graph_signature.user_inputs) == len(wanted) and len(flat) != len(wanted):
            raise Failure(f"it has {_counted(len(flat), 'value')}, but the method takes {len(wanted)}: {', '.join(_described(value) for value in wanted)}")
        for index, (given, value) in enumerate(zip(flat, wanted)):
            if isinstance(value, torch.Tensor) and not (isinstance(given, torch.Tensor) and given.dtype == value.dtype and given.dim() == value.dim() and all(
                    isinstance(extent, torch.SymInt) or extent == size for extent, size in zip(value.shape, given.shape))):
                raise Failure(f"argument {index} is {_described(given)}, but the method takes {_described(value)}")
        return flat

    def _names(self) -> list[str]:
        spec = self.program.call_spec.in_spec
        try:
            return list(spec.child(1).context if hasattr(spec, "child") else spec.children_specs[1].context)
        except (AttributeError, IndexError, TypeError):
            return []


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _described(value: Any) -> str:
    return f"{str(value.dtype)[6:]}[{','.join(map(str, value.shape))}]" if isinstance(value, torch.Tensor) else repr(value)[:40]


def _programs(record: Any, method: str, wanted: str | None) -> list[Program]:
    edge = record.edge_dialect_program
    found = [("edge", edge.get(method) if isinstance(edge, dict) else edge), ("aten", record.exported_program if method == "forward" else None)]
    return [Program(name, program) for name, program in found if program is not None and wanted in (None, name)]


def _given(path: str) -> Any:
    try:
        return torch.load(path, weights_only=True)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error
    except Exception as error:
        raise Failure(f"{path}: not a file of tensors that torch.save wrote: it may have tensors, numbers, lists, tuples and dicts only") from error


def _samples(record: Any, job: Job, method: str, programs: list[Program]) -> list[Any]:
    """The inputs of a method, each a tuple of arguments or a dict of named ones; [] if none are known."""
    example = programs[0].program.example_inputs
    given = _given(job.inputs) if job.inputs else record._representative_inputs if method == job.main_method else None
    if isinstance(given, dict) and (set(given) & set(job.methods) or not given):
        given = given.get(method)
    elif job.inputs and method != job.main_method:
        given = None  # a plain list is for the method that logged values, or for forward
    if given is None and not job.inputs:
        given = [example] if example and tree_leaves(example) else []  # arguments and keyword arguments
    if isinstance(given, (torch.Tensor, dict)):
        given = [given]
    given = list(given or [])
    if given and not all(isinstance(sample, (list, tuple, dict)) for sample in given):
        given = [tuple(given)]  # one sample without a list around it, as in a BundledProgram
    return given


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

    def __init__(self, module: torch.fx.GraphModule, see: See) -> None:
        super().__init__(module, garbage_collect_values=True)
        self.extra_traceback = False
        self.see = see
        self.at: torch.fx.Node | None = None

    def run_node(self, n: torch.fx.Node) -> Any:
        self.at = n
        result = super().run_node(n)
        return self.see(n, result) if n.op == "call_function" and n.target is not operator.getitem else result


def _run(module: torch.fx.GraphModule, flat: list[Any], see: See) -> list[torch.Tensor]:
    runner = Run(module, see)
    try:
        with torch.no_grad():
            result = runner.run(*flat, enable_io_processing=False)
    except Failure:
        raise
    except Exception as error:
        place = f"{runner.at.name} ({_operator(runner.at)})" if runner.at is not None else "its inputs"
        raise Failure(f"cannot run {place}: {_why(error)}") from error
    return [value for value in tree_leaves(result) if isinstance(value, torch.Tensor)]


def _keep(node: torch.fx.Node, result: Any) -> Any:
    return result


def _replacing(change: Callable[[Place, torch.Tensor], torch.Tensor | None]) -> See:
    """Goes on with what `change` returns for a value, unless that is None or of another kind."""

    def see(node: torch.fx.Node, result: Any) -> Any:
        outputs = list(result) if isinstance(result, (list, tuple)) else [result]
        for index, value in _tensors(result):
            other = change((node.name, index), value)
            if other is not None and other.shape == value.shape:
                outputs[index] = other.to(value.dtype)
        return type(result)(outputs) if isinstance(result, (list, tuple)) else outputs[0]

    return see


def _buffers(module: torch.fx.GraphModule) -> dict[str, torch.Tensor]:
    return {name: buffer.clone() for name, buffer in module.named_buffers()}


def _restore(module: torch.fx.GraphModule, buffers: dict[str, torch.Tensor]) -> None:
    for name, buffer in module.named_buffers():
        buffer.copy_(buffers[name])


def _depends_on_inputs(program: Any) -> set[str]:
    """Names of the nodes that depend on an input or on the state. Others compute weights, from which an error must not be taken over."""
    signature = program.graph_signature
    names = set(signature.user_inputs) | {name for name, buffer in signature.inputs_to_buffers.items() if buffer in signature.buffers_to_mutate.values()}
    for node in program.graph.nodes:
        if any(source.name in names for source in node.all_input_nodes):
            names.add(node.name)
    return names


# ---- Values that the device logged ----


def read_logged(buffer: str, value: dict[str, Any]) -> torch.Tensor | None:
    """Reads a logged tensor, dequantized if the comparison did so; None if it cannot be read."""
    dtype = LOGGED_TYPES.get(value["dtype"] or "")
    if dtype is None or value["offset"] is None or any(extent < 0 for extent in value["shape"]):
        return None
    strides = value["strides"] or None
    count = 1 + sum((extent - 1) * stride for extent, stride in zip(value["shape"], strides)) if strides else math.prod(value["shape"])
    width = torch.empty(0, dtype=dtype).element_size()
    if math.prod(value["shape"]) == 0 or value["offset"] + count * width > os.path.getsize(buffer):
        return None
    with open(buffer, "rb") as file:
        file.seek(value["offset"])
        flat = torch.frombuffer(bytearray(file.read(count * width)), dtype=dtype)
    return flat.as_strided(value["shape"], strides) if strides else flat.reshape(value["shape"])


class Logged:
    """The compared values of one run, by the place in the reference's graph whose value they have, in the order in which they were logged."""

    def __init__(self, buffer: str, values: list[dict[str, Any]], names: set[str]) -> None:
        self.buffer = buffer
        self.at: dict[Place, list[dict[str, Any]]] = {}
        for value in values:
            if value["problem"] is None and value["reference_node"] in names:
                self.at.setdefault((value["reference_node"], value["output"]), []).append(value)

    def read(self, value: dict[str, Any], like: torch.Tensor) -> torch.Tensor | None:
        tensor = read_logged(self.buffer, value)
        if tensor is None or tensor.shape != like.shape:
            return None
        if tensor.dtype in (torch.int8, torch.uint8, torch.int16, torch.int32) and like.is_floating_point():
            if value["scale"] is None or value["zero_point"] is None:
                return None
            tensor = (tensor.double() - value["zero_point"]) * value["scale"]
        return tensor.to(like.dtype)

    def digest(self) -> bytes:
        mark = hashlib.sha256()
        for values in self.at.values():
            for value in values:
                tensor = read_logged(self.buffer, value)
                mark.update(b"" if tensor is None else tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
        return mark.digest()


# ---- Local errors ----


def _snr(wanted: torch.Tensor, got: torch.Tensor) -> float:
    signal, noise = wanted.double().square().mean().item(), (wanted.double() - got.double()).square().mean().item()
    return math.inf if noise == 0 else -400.0 if signal == 0 else 10 * math.log10(signal / noise) if math.isfinite(noise) else -math.inf


class LocalPass:
    """The passes over one graph that go on with the device's values, and the impact of the worst of them."""

    def __init__(self, writer: Writer, program: Program, method: str, progress: Progress) -> None:
        self.writer, self.program, self.method, self.progress = writer, program, method, progress
        self.names = _depends_on_inputs(program.program)
        self.forced, self.plain = program.module(), program.module()  # each keeps its own state from input to input

    def step(self, flat: list[Any]) -> None:
        """An input without a run: only the state goes on."""
        for module in (self.forced, self.plain):
            _run(module, flat, _keep)

    def run(self, flat: list[Any], run: int, logged: Logged, what: str) -> None:
        self.progress.step(f"{what}: with the values that the device logged")
        start = f"{self.method}/{run}"
        worst: list[tuple[float, int, str, Place, torch.Tensor]] = []  # a heap: the best of the ten worst comes first

        def force(place: Place, computed: torch.Tensor) -> torch.Tensor | None:
            now, device = computed, None
            for value in logged.at.get(place, []):
                other = logged.read(value, computed)
                if other is None:
                    continue
                device = other
                name = value["node"].split(" #")[0]
                self.writer.add(f"{start}/local/{name}" + (f"/{value['output']}" if value["output"] else ""), now)
                if now.is_floating_point() and not torch.equal(now, device):
                    item = (-_snr(now, device), -len(worst), name, place, device.double() - now.double())
                    (heapq.heappushpop if len(worst) == MOST_IMPACTS else heapq.heappush)(worst, item)
                now = device
            return device

        before = _buffers(self.plain)
        _run(self.forced, flat, _replacing(force))
        for count, (_, _, name, place, error) in enumerate(sorted(worst, reverse=True)):
            self.progress.step(f"{what}: what the error of {name} does to the outputs ({count + 1} of {len(worst)})")
            _restore(self.plain, before)
            patch = _replacing(lambda at, value, place=place, error=error: value.double() + error if at == place else None)  # type: ignore[misc]
            for output, value in enumerate(_run(self.plain, flat, patch)):
                self.writer.add(f"{start}/impact/{name}/{output}", value)
        _restore(self.plain, before)
        _run(self.plain, flat, _keep)


def _write_local(writer: Writer, job: Job, method: Method, program: Program, samples: list[list[Any]], values: list[dict[str, Any]], progress: Progress) -> None:
    passes = LocalPass(writer, program, method.name, progress)
    runs: dict[int, list[int]] = {}
    for value in values:
        if value["input"] is not None and value["run"] not in runs.setdefault(value["input"], []):
            runs[value["input"]].append(value["run"])
    for index, flat in enumerate(samples):
        if index not in runs:
            passes.step(flat)
        before = _buffers(passes.forced), _buffers(passes.plain)
        seen: dict[bytes, int] = {}
        for run in runs.get(index, []):
            logged = Logged(job.device_buffer, [value for value in values if value["run"] == run], passes.names)
            mark = logged.digest()
            if mark in seen:
                writer.repeat(f"{method.name}/{seen[mark]}/", f"{method.name}/{run}/")
                continue
            if seen:  # another run of the same input starts from the same state
                _restore(passes.forced, before[0])
                _restore(passes.plain, before[1])
            seen[mark] = run
            passes.run(flat, run, logged, f"{method.name}: input {index + 1} of {len(samples)}")


# ---- Together ----


def _write_constants(writer: Writer, method: str, program: Any) -> None:
    """Scales and zero points by channel, by the names of their placeholders."""
    signature = program.graph_signature
    names = {**signature.inputs_to_buffers, **signature.inputs_to_parameters, **signature.inputs_to_lifted_tensor_constants}
    for node in program.graph.nodes:
        if node.op == "call_function" and "quantize_per_channel" in str(node.target):
            for source in node.all_input_nodes[1:3]:
                held = program.state_dict.get(names.get(source.name, ""), program.constants.get(names.get(source.name, "")))
                if isinstance(held, torch.Tensor):
                    writer.add(f"{method}/constant/edge/{source.name}", held)


def _run_program(writer: Writer, method: str, program: Program, samples: list[list[Any]], wanted: set[str] | None, progress: Progress) -> None:
    """Runs one graph on all samples and writes the values of the wanted nodes (None: of all) and what it returns."""
    module, total = program.module(), len(program.program.graph.nodes)
    for index, flat in enumerate(samples):
        done = 0

        def see(node: torch.fx.Node, result: Any) -> Any:
            nonlocal done
            done += 1
            progress.step(f"{method}: input {index + 1} of {len(samples)}, {program.name} graph, node {done} of {total}")
            if wanted is None or node.name in wanted:
                for place, value in _tensors(result):
                    writer.add(f"{method}/{index}/{program.name}/{node.name}" + (f"/{place}" if isinstance(result, (list, tuple)) else ""), value)
            return result

        for place, value in enumerate(_run(module, flat, see)):
            writer.add(f"{method}/{index}/output/{place}", value)


def _write_method(writer: Writer, record: Any, job: Job, method: Method, progress: Progress) -> bool:
    """Writes the values of a method. Returns false, and says why, if it has no inputs or no graph that runs."""
    programs = _programs(record, method.name, None)
    if not programs:
        return False
    samples = _samples(record, job, method.name, programs)
    if not samples:
        progress.say(f"{method.name}: not computed: {f'{job.inputs} has none' if job.inputs else 'the record has none'} of its inputs; --inputs FILE names them")
        return False
    if any(program.state for program in programs) and len(samples) == 1 and len(method.runs) > 1:
        samples = samples * len(method.runs)  # each run starts where the one before ended
    ran = []
    is_whole = job.everything or not method.nodes or all(program.name == "edge" for program in programs)  # other records are joined by their Edge nodes
    for program in programs:
        edge_wanted = method.nodes | {node.name for node in program.program.graph.output_node().all_input_nodes}
        try:
            method.samples = [_checked(program, sample, index, job) for index, sample in enumerate(samples)]
            _run_program(writer, method.name, program, method.samples, None if program.name == "aten" or is_whole else edge_wanted, progress)
            ran.append(program)
        except Failure as failure:
            if str(failure).startswith("input "):
                raise Failure(f"{job.inputs or job.record}: {method.name}: {failure}") from failure
            progress.say(f"{method.name}: its {program.name} graph stops, values up to there are written: {failure}")
    for index, flat in enumerate(method.samples):
        for place, value in enumerate(v for v in flat if isinstance(v, torch.Tensor)):
            writer.add(f"{method.name}/{index}/input/{place}", value)
    for program in programs:
        if program.name == "edge":
            _write_constants(writer, method.name, program.program)
        method.state, method.random = method.state or program.state, method.random or program.random
    method.ran = {program.name: program for program in ran}
    if ran:
        counts = ", ".join(f"{len(program.program.graph.nodes)} nodes of the {program.name} graph" for program in ran)
        progress.say(f"{method.name}: {counts} for {_counted(len(samples), 'input')}")
    return bool(ran)


def _checked(program: Program, sample: Any, index: int, job: Job) -> list[Any]:
    try:
        return program.flatten(sample)
    except Failure as failure:
        raise Failure(f"input {index}: {failure}") from failure


def _local_of(writer: Writer, job: Job, methods: list[Method], progress: Progress) -> None:
    """Writes the local values. The library finds the node and the input of each logged value by the reference so far."""
    answer = job.ask_device(job.output)
    for method in methods:
        values = [value for value in answer["values"] if value["method"] == method.name]
        graph = next((value["reference_graph"] for value in values if value["problem"] is None), None)
        if graph in method.ran:
            _write_local(writer, job, method, method.ran[graph], method.samples, values, progress)


def write(job: Job, progress: Progress) -> None:
    """Writes the reference that a job asks for. Raises Failure."""
    progress.say(f"reading {job.record}")
    record = _open_record(job.record, progress)
    edge = record.edge_dialect_program
    if edge is None and record.exported_program is None:
        raise Failure(f"{job.record}: it has no graph to run")
    job.add_methods(list(edge) if isinstance(edge, dict) else ["forward"])
    writer = Writer(job.output)
    written = [method for method in job.methods.values() if _write_method(writer, record, job, method, progress)]
    if not written:
        raise Failure(f"{job.record}: no method could be computed")
    about = {method.name: {"inputs": len(method.samples), "state": method.state, "random": method.random} for method in written}
    metadata = {"record": job.hash, "methods": json.dumps(about)}
    writer.finish(job.output, dict(metadata))
    if job.local:
        _local_of(writer, job, written, progress)
        writer.finish(job.output, {**metadata, "local": job.device_hash, **({"kept": job.kept} if job.kept else {})})
    progress.say(f"{job.output}: {writer.size()}")
