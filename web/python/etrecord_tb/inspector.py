# SPDX-License-Identifier: BSD-3-Clause
"""ExecuTorch's Inspector without torch: scripts that use it run with their imports changed.

    from etrecord_tb.inspector import Inspector          # instead of executorch.devtools

    inspector = Inspector(etdump_path="etdump.etdp", etrecord="etrecord.bin")
    inspector.print_data_tabular()

Names, arguments, columns and units are those of ExecuTorch 1.5. Needs numpy; tables need pandas and tabulate: pip install ".[inspector]" in its sources. docs/inspector.md says where
the answers differ, because the Inspector is wrong or fails.
"""

from __future__ import annotations

import base64
import enum
import importlib
import io
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings
import zipfile
from dataclasses import dataclass, field
from functools import cached_property
from typing import IO, Any, Callable, Iterator, Optional, Sequence, Union

from . import model
from ._arrays import Reference, load_saved
from .profile import Profile

EDGE_DIALECT_GRAPH_KEY = "edge_dialect_graph_module"
FORWARD = "forward"
_FRAMEWORK_EVENTS = ("Method::init", "Program::load_method", "Method::execute")
_LISTS = r"native_call_(split|unbind|chunk|tensor_split|_foreach)"  # kernels that log a list of tensors, which is one value
_LEFT_OUT_COLUMNS = ["raw", "delegate_debug_identifier", "stack_traces", "module_hierarchy", "debug_data"]

MetadataParser = Callable[[Any], Any]
TimeConverter = Callable[[Any, Any], Any]


class TimeScale(enum.Enum):
    """What a tick is, and what times are shown in. Cycles are not converted to times."""

    NS = "ns"
    US = "us"
    MS = "ms"
    S = "s"
    CYCLES = "cycles"


_RATES = {TimeScale.NS: 1e9, TimeScale.US: 1e6, TimeScale.MS: 1e3, TimeScale.S: 1.0, TimeScale.CYCLES: 1.0}


class PerfData:
    """The times of an event, one a run, in the target time scale. Percentiles are interpolated linearly, as by numpy.

    raw: the times, in the order of the runs.
    """

    def __init__(self, raw: list[float]) -> None:
        self.raw = raw

    def __repr__(self) -> str:
        return f"PerfData(raw={self.raw!r})" if len(self.raw) < 5 else f"PerfData({len(self.raw)} runs, p50={self.p50:g})"

    def _percentile(self, percent: float) -> float:
        import numpy

        return numpy.percentile(self.raw, percent)  # type: ignore[no-any-return, unused-ignore]

    @property
    def p10(self) -> float:
        """The 10th percentile."""
        return self._percentile(10)

    @property
    def p50(self) -> float:
        """The median."""
        return self._percentile(50)

    @property
    def p90(self) -> float:
        """The 90th percentile."""
        return self._percentile(90)

    @property
    def avg(self) -> float:
        """The mean."""
        import numpy

        return numpy.mean(self.raw)  # type: ignore[return-value, unused-ignore]

    @property
    def min(self) -> float:
        """The shortest time."""
        return min(self.raw)

    @property
    def max(self) -> float:
        """The longest time."""
        return max(self.raw)


@dataclass
class Event:
    """An operator, or a call of the runtime, with its times. `nodes` and `match` are beyond the Inspector: the nodes that the time belongs to, and how they were found."""

    name: str
    perf_data: Optional[PerfData] = None
    op_types: list[str] = field(default_factory=list)
    delegate_debug_identifier: Optional[Union[int, str]] = None
    debug_handles: Optional[Union[int, Sequence[int]]] = None
    num_outputs: int = 1
    stack_traces: dict[str, Optional[str]] = field(default_factory=dict)
    module_hierarchy: dict[str, Any] = field(default_factory=dict)
    is_delegated_op: Optional[bool] = None
    delegate_backend_name: Optional[str] = None
    _delegate_debug_metadatas: list[Any] = field(default_factory=list)
    debug_data: list[Any] = field(default_factory=list)
    _instruction_id: Optional[int] = None
    _delegate_metadata_parser: Optional[MetadataParser] = None
    _delegate_time_scale_converter: Optional[TimeConverter] = None
    _start_time: Optional[list[Union[int, float]]] = None
    nodes: list[str] = field(default_factory=list)
    match: str = ""

    @cached_property
    def delegate_debug_metadatas(self) -> Any:
        """What the parser made of the metadata of a delegate's event; else the metadata."""
        if not self.is_delegated_op or self._delegate_metadata_parser is None:
            return self._delegate_debug_metadatas
        return self._delegate_metadata_parser(self._delegate_debug_metadatas)

    @property
    def raw_delegate_debug_metadatas(self) -> list[Any]:
        """The metadata, as bytes, one a run; empty if no run has any."""
        return self._delegate_debug_metadatas

    @property
    def start_time(self) -> Optional[list[Union[int, float]]]:
        """The times at which the event started, one a run, in ticks as they were recorded."""
        return self._start_time

    def asdict(self, _units: str = "") -> dict[str, Any]:
        """Returns the columns of the event by name. _units: " (ms)", behind the names of times."""
        times, types = self.perf_data, self.op_types
        return {
            "event_name": self.name,
            "raw": [times.raw if times else None],
            **{f"{name}{_units}": getattr(times, name) if times else None for name in ("p10", "p50", "p90", "avg", "min", "max")},
            "op_types": [types if len(types) < 5 else f"['{types[0]}', '{types[1]}' ... '{types[-1]}'] ({len(types)} total)"],
            "delegate_debug_identifier": self.delegate_debug_identifier,
            "stack_traces": [self.stack_traces],
            "module_hierarchy": [self.module_hierarchy],
            "is_delegated_op": self.is_delegated_op,
            "delegate_backend_name": self.delegate_backend_name,
            "debug_data": [self.debug_data],
            "start_time": [self._start_time],
        }

    def to_dataframe(self, _units: str = "") -> Any:
        """Returns a DataFrame of one row. _units: as in asdict(). Needs pandas."""
        import pandas

        return pandas.DataFrame(self.asdict(_units=_units))


@dataclass
class EventBlock:
    """Runs with the same sequence of events; "Default" has what was loaded."""

    name: str
    events: list[Event] = field(default_factory=list)
    source_time_scale: TimeScale = TimeScale.NS
    target_time_scale: TimeScale = TimeScale.MS
    bundled_input_index: Optional[int] = None
    run_output: Optional[list[Any]] = None
    reference_output: Optional[list[Any]] = None

    def to_dataframe(self, include_units: bool = False, include_delegate_debug_data: bool = False) -> Any:
        """Returns a DataFrame with a row for each event. Needs pandas.

        include_units: whether names of columns with times have the unit, "avg (ms)".
        include_delegate_debug_data: adds the metadata of delegates as one column, or as those of the parser's dict.

        Raises ValueError if the parser of metadata returned neither a list nor a dict.
        """
        import numpy
        import pandas

        units = f" ({self.target_time_scale.value})" if include_units else ""
        frame = pandas.concat([event.to_dataframe(units) for event in self.events], ignore_index=True)
        frame.insert(0, "event_block_name", numpy.asarray([self.name] * len(self.events)), allow_duplicates=True)
        if not include_delegate_debug_data:
            return frame
        columns = []
        for event in self.events:
            metadata = event.delegate_debug_metadatas
            if metadata is None or len(metadata) == 0:
                columns.append(pandas.Series())
            elif isinstance(metadata, list):
                columns.append(pandas.Series([metadata], index=["delegate_debug_metadata"]))
            elif isinstance(metadata, dict):
                columns.append(pandas.Series(metadata))
            else:
                raise ValueError(f"Unexpected type for delegate_debug_metadata: {type(metadata)}")
        return pandas.concat([frame, pandas.DataFrame(columns)], axis=1) if any(not column.empty for column in columns) else frame


# ---- The record ----


def _stack_of(text: str | None) -> dict[str, tuple[str, str]] | None:
    """Returns the nn_module_stack of its text in a record: key -> (path, type), outermost first."""
    if text is None:
        return None
    levels = (level.split(",") for level in re.split(r";(?![^(]*\))", text) if level)
    return {parts[0]: (",".join(parts[1:-1]), parts[-1]) for parts in levels if len(parts) > 2}


class _Entries:
    """The entries of an ETRecord that its graphs do not have: maps, and the texts that torch.export keeps on nodes."""

    def __init__(self, path: Union[str, bytes]) -> None:
        self.path = path  # or the bytes of the record

    def read(self, name: str) -> bytes | None:
        """Returns an entry; None if there is none."""
        if isinstance(self.path, str) and os.path.isdir(self.path):
            file = pathlib.Path(self.path, name)
            return file.read_bytes() if file.is_file() else None
        with zipfile.ZipFile(io.BytesIO(self.path) if isinstance(self.path, bytes) else self.path) as record:
            return record.read(name) if name in record.namelist() else None

    def map(self, name: str) -> dict[str, Any] | None:
        """Returns a map by method. That of a record of 2023 has no methods."""
        text = self.read(name)
        if text is None:
            return None
        found: dict[str, Any] = json.loads(text)
        return {FORWARD: found} if any(key.isdigit() for key in found) else found

    def metadata(self, method: str) -> dict[str, dict[str, str]]:
        """Returns the metadata of the Edge program's nodes, by name."""
        text = self.read(f"edge_dialect_exported_program/{method}") or (self.read("edge_dialect_exported_program") if method == FORWARD else None)
        found: dict[str, dict[str, str]] = {}
        for name, metadata in _walk(json.loads(text)["graph_module"]["graph"]) if text is not None else ():
            found.setdefault(name, metadata)  # names in a body may be those of the graph
        return found


def _walk(graph: Any) -> Iterator[tuple[str, dict[str, str]]]:
    """Gives name and metadata of each node of a serialized graph, and then of the graphs inside it."""
    bodies = []
    for node in graph["nodes"]:
        outputs = node.get("outputs") or [{}]
        first = next(iter(outputs[0].values()), None) if outputs else None
        name = node.get("name") or (first.get("name") if isinstance(first, dict) else None)
        if name:
            yield name, {**(node.get("metadata") or {}), "target": node.get("target") or ""}
        for argument in node.get("inputs", ()):
            inner = argument.get("arg", {}).get("as_graph")
            if inner:
                bodies.append(inner["graph"])
    for body in bodies:
        yield from _walk(body)


@dataclass
class ETRecord:
    """A record, as parse_etrecord() returns it. Programs are graphs of this package, not torch's."""

    exported_program: Optional[model.Graph] = None
    export_graph_id: Optional[int] = None
    edge_dialect_program: Any = None  # a Graph, or several by method
    graph_map: dict[str, model.Graph] = field(default_factory=dict)
    _debug_handle_map: Optional[dict[str, Any]] = None
    _delegate_map: Optional[dict[str, Any]] = None
    _instruction_id_to_num_outs_map: Optional[dict[str, Any]] = None
    _reference_outputs: Optional[dict[str, Any]] = None
    _representative_inputs: Optional[list[Any]] = None
    path: Union[str, bytes] = ""  # or the bytes of the record


def parse_etrecord(etrecord_path: Union[str, bytes, "os.PathLike[str]"]) -> ETRecord:
    """Reads an ETRecord.

    etrecord_path: a file, the folder of one that was unpacked, or the bytes of one.

    Raises EtrecordError if it cannot be read.
    """
    path = os.fspath(etrecord_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Profile(etrecord=path) as profile:
            graphs = profile.graphs()
    entries = _Entries(path)
    edge = {graph.method: graph for graph in graphs if graph.module == "edge"}
    number = entries.read("export_graph_id")
    return ETRecord(
        exported_program=next((graph for graph in graphs if graph.entry == "aten/forward"), next((graph for graph in graphs if graph.module == "aten"), None)),
        export_graph_id=None if number is None else json.loads(number), edge_dialect_program=edge.get(FORWARD) if set(edge) == {FORWARD} else edge or None,
        graph_map={f"{graph.module}/{graph.method}": graph for graph in graphs if graph.module not in ("edge", "aten")},
        _debug_handle_map=entries.map("debug_handle_map"), _delegate_map=entries.map("delegate_map"), _instruction_id_to_num_outs_map=entries.map("instruction_id_to_num_outs_map"),
        _reference_outputs=_saved(entries.read("reference_outputs")), _representative_inputs=_saved(entries.read("representative_inputs")), path=path,
    )


def _saved_by_executorch(record: Any) -> bytes:
    """Returns the bytes of an ETRecord object of ExecuTorch's, as get_etrecord() of a program returns it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "etrecord.bin")
        record.save(path)
        return pathlib.Path(path).read_bytes()


def _saved(data: bytes | None) -> Any:
    """Returns what torch.save() wrote, with numpy arrays; None if there is nothing, or something else than lists, dicts, numbers and tensors."""
    if data is None:
        return None
    try:
        return load_saved(data)
    except (ImportError, ValueError):
        return None


# ---- The Inspector ----


def _metadata_bytes(text: str | None) -> Any:
    """Returns metadata as it was logged: the library writes bytes that are no text as base64."""
    if not text:
        return ""
    return base64.b64decode(text[len("base64:"):]) if text.startswith("base64:") else text.encode()


def _module_words(name: str) -> str:
    """Returns the path of a module, in which keys of nn_module_stack are alike: features.1, L__self__features.1 and L__self___features_1 are one."""
    return re.sub(r"^(L__self___?|L\['self'\]\.?)", "", name).replace(".", "_")


class Inspector:
    """Reads an ETDump, and with a record joins it to the model.

    etdump_path, etdump_data: the ETDump, as one of a path and bytes. etrecord: an ETRecord, of this package or of ExecuTorch, its path, its bytes, or a folder of it.
    source_time_scale: what a tick is; target_time_scale: of all times.
    debug_buffer_path: the debug buffer, or its bytes, for logged tensors, which are numpy arrays here. os.devnull: there is none.
    delegate_metadata_parser: called with the list of a delegated event's metadata, in bytes; returns a list, or a dict of columns.
    delegate_time_scale_converter: called with the name and the ticks of the start and of the end of each delegated event of each run; what it returns is not scaled again.
    reference_graph_name: the graph whose nodes events are joined to: the Edge program, or one of the record's extra graphs by its name. enable_module_hierarchy: ignored, as modules
    are always there.

    Raises ValueError for neither or both of path and bytes, RuntimeError for one time scale in cycles, KeyError for an unknown reference graph, EtrecordError for a file that cannot be read.
    """

    def __init__(
        self, etdump_path: Any = None, etdump_data: Optional[bytes] = None, etrecord: Any = None, source_time_scale: TimeScale = TimeScale.NS,
        target_time_scale: TimeScale = TimeScale.MS, debug_buffer_path: Any = None, delegate_metadata_parser: Optional[MetadataParser] = None,
        delegate_time_scale_converter: Optional[TimeConverter] = None, enable_module_hierarchy: bool = False, reference_graph_name: str = EDGE_DIALECT_GRAPH_KEY,
    ) -> None:
        if (source_time_scale == TimeScale.CYCLES) != (target_time_scale == TimeScale.CYCLES):
            raise RuntimeError("For TimeScale in cycles both the source and target time scale have to be in cycles.")
        if etrecord is not None and not isinstance(etrecord, (ETRecord, str, bytes, os.PathLike)) and not hasattr(etrecord, "save"):
            raise TypeError("Unsupported ETRecord type")
        if (etdump_path is None) == (etdump_data is None):
            raise ValueError("Expecting exactly one of etdump_path or etdump_data to be specified.")
        self._source_time_scale, self._target_time_scale = source_time_scale, target_time_scale
        self._factor = _RATES[source_time_scale] / _RATES[target_time_scale]
        self._parser, self._converter = delegate_metadata_parser, delegate_time_scale_converter
        if etrecord is not None and hasattr(etrecord, "save"):
            etrecord = _saved_by_executorch(etrecord)
        self._etrecord = etrecord if etrecord is None or isinstance(etrecord, ETRecord) else parse_etrecord(etrecord)
        if debug_buffer_path is None:
            warnings.warn("Output Buffer not found. Tensor Debug Data will not be available.", stacklevel=2)
        elif debug_buffer_path == os.devnull:
            debug_buffer_path = None  # as scripts say that there is none, and want no warning
        if self._etrecord is not None and reference_graph_name != EDGE_DIALECT_GRAPH_KEY and reference_graph_name not in self._etrecord.graph_map:
            raise KeyError(reference_graph_name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dump = etdump_data if etdump_path is None else etdump_path
            self.profile = Profile(etrecord=self._etrecord.path if self._etrecord else None, etdump=dump, debug_buffer=debug_buffer_path, skip_runs=0)
        self._metadata: dict[str, dict[str, dict[str, str]]] = {}
        self._nodes_of: dict[tuple[str, int], list[model.Node]] = {}
        self.op_graph_dict: Optional[dict[str, model.Graph]] = None
        if self._etrecord is not None:
            self._read_graphs(self._etrecord, reference_graph_name)
        inputs = {number: run.get("bundled_input_index") for number, run in enumerate(self.profile.info()["runs"])}
        self.event_blocks: list[EventBlock] = [self._block(block, inputs) for block in self.profile.events(unit="ns")]

    def __repr__(self) -> str:
        return f"<Inspector: {len(self.event_blocks)} blocks, {sum(len(block.events) for block in self.event_blocks)} events>"

    # ---- Making the blocks ----

    def _read_graphs(self, record: ETRecord, reference: str) -> None:
        edge = record.edge_dialect_program if isinstance(record.edge_dialect_program, dict) else {FORWARD: record.edge_dialect_program}
        graphs = {method: graph for method, graph in edge.items() if graph is not None}
        self.op_graph_dict = {**record.graph_map, **{EDGE_DIALECT_GRAPH_KEY if method == FORWARD else f"edge/{method}": graph for method, graph in graphs.items()}}
        if reference != EDGE_DIALECT_GRAPH_KEY:
            graphs = {record.graph_map[reference].method: record.graph_map[reference]}
        for method, graph in graphs.items():
            for node in graph.nodes:
                if node.debug_handle is not None and node.subgraph is None:  # the Inspector does not look into bodies
                    self._nodes_of.setdefault((method, node.debug_handle), []).append(node)

    def _handles(self, event: Event, method: str) -> None:
        """Sets what the maps of the record say of an event."""
        # Calls of the runtime have instruction 0 in the ETDump, to which the Inspector joins them.
        number = 0 if event._instruction_id is None and event.perf_data is not None else event._instruction_id
        record, instruction = self._etrecord, str(number)
        handle_map = ((record._debug_handle_map or {}) if record else {}).get(method, {})
        if record is None or number is None or instruction not in handle_map:
            return
        event.num_outputs = ((record._instruction_id_to_num_outs_map or {}).get(method) or {}).get(instruction, 1)
        delegate = ((record._delegate_map or {}).get(method) or {}).get(instruction)
        if event.delegate_debug_identifier is None:
            event.debug_handles = handle_map[instruction]
            if event.name == "DELEGATE_CALL" and delegate is not None:
                event.delegate_backend_name = delegate.get("name", "")
        elif delegate is None:
            event.debug_handles = handle_map[instruction]
        else:
            event.delegate_backend_name = delegate.get("name", "")
            event.debug_handles = (delegate.get("delegate_map") or {}).get(str(event.delegate_debug_identifier))

    def _symbols(self, event: Event, method: str) -> None:
        """Sets what the nodes of an event's handles have: operators, stack traces, modules."""
        if event.name in _FRAMEWORK_EVENTS or event.debug_handles is None or self._etrecord is None:
            return
        if method not in self._metadata:
            self._metadata[method] = _Entries(self._etrecord.path).metadata(method)
        for handle in [event.debug_handles] if isinstance(event.debug_handles, int) else event.debug_handles:
            for node in self._nodes_of.get((method, handle), ()):
                metadata = self._metadata[method].get(node.name.split("/")[-1], {})
                name = f"{node.name}_"  # as ExecuTorch's operator graphs name it
                if name not in event.stack_traces:
                    event.stack_traces[name] = metadata.get("stack_trace")
                    event.module_hierarchy[name] = _stack_of(metadata.get("nn_module_stack"))
                event.op_types.append(_op_type(node, metadata.get("target", "")))

    def _time(self, name: str, delegated: bool, start: int, ticks: float) -> float:
        if not delegated:
            return ticks / self._factor
        if self._converter is not None:
            return float(self._converter(name, start + int(ticks)) - self._converter(name, start))
        return (start + ticks) / self._factor - start / self._factor

    def _event(self, read: model.Event, method: str) -> Event:
        delegated = read.delegate_debug_identifier is not None
        name = str(read.delegate_debug_identifier) if delegated else read.event_name
        metadata = [_metadata_bytes(text) for text in read.delegate_debug_metadata or ()]
        event = Event(
            name, delegate_debug_identifier=read.delegate_debug_identifier, is_delegated_op=delegated, _instruction_id=read.instruction_id,
            _delegate_debug_metadatas=metadata if any(metadata) else [], _delegate_metadata_parser=self._parser, _delegate_time_scale_converter=self._converter,
            nodes=read.nodes, match=read.match,
        )
        if read.raw:
            ticks = [start for start in read.start_time]
            # QNN counts microseconds, which the library makes times of. The Inspector, and converters, take what was recorded.
            unit = 1000 if delegated and read.unit == "ns" and name.endswith(" (us)") else 1
            event.perf_data = PerfData([self._time(name, delegated, start, raw / unit) for start, raw in zip(ticks, read.raw)])
            event._start_time = list(ticks)
        first = min((value.run for value in read.values if value.run is not None), default=None)
        event.debug_data = self._arrays([value for value in read.values if value.run == first])
        if len(event.debug_data) > 1 and not delegated and re.search(_LISTS, self._kernels.get(read.instruction_id, name)):
            event.debug_data = [event.debug_data]
        self._handles(event, method)
        self._symbols(event, method)
        return event

    def _arrays(self, values: list[model.LoggedValue]) -> list[Any]:
        """Returns logged values as arrays and numbers; none if the debug buffer is missing."""
        found = []
        for value in values:
            try:
                found.append(value.array())
            except ValueError:
                return []
        return found

    def _block(self, read: model.EventBlock, inputs: dict[int, Any]) -> EventBlock:
        method = read.method or FORWARD
        first = min((value.run for value in read.run_outputs if value.run is not None), default=None)
        index = inputs.get(read.runs[0]) if read.runs else None
        self._kernels = {event.instruction_id: event.event_name for event in read.events if event.event_name.startswith("native_call_")}
        block = EventBlock(
            read.event_block_name, [self._event(event, method) for event in read.events], self._source_time_scale, self._target_time_scale, -1 if index is None else index,
            self._arrays([value for value in read.run_outputs if value.run == first]),
        )
        outputs = ((self._etrecord._reference_outputs or {}) if self._etrecord else {}).get(method, [])
        if index is not None and index < len(outputs):
            block.reference_output = outputs[index]
        elif index is None and outputs:
            block.reference_output = outputs[-1]  # as the Inspector does for a run without an index
        return block

    # ---- What scripts call ----

    def to_dataframe(self, include_units: bool = True, include_delegate_debug_data: bool = False) -> Any:
        """Returns a DataFrame with a row for each event of all blocks. include_units, include_delegate_debug_data: as in EventBlock.to_dataframe()."""
        import pandas

        return pandas.concat([block.to_dataframe(include_units, include_delegate_debug_data) for block in self.event_blocks], ignore_index=True)

    def _shown(self, include_units: bool, include_delegate_debug_data: bool) -> Any:
        frame = self.to_dataframe(include_units, include_delegate_debug_data).drop(columns=_LEFT_OUT_COLUMNS)
        return frame[~frame["event_name"].str.contains("OPERATOR_CALL")].reset_index(drop=True)

    def print_data_tabular(self, file: Optional[IO[str]] = None, include_units: bool = True, include_delegate_debug_data: bool = False) -> None:
        """Prints the events without OPERATOR_CALL; in IPython it displays them. Needs pandas and tabulate.

        file: an open text stream; standard output, if there is none. include_units, include_delegate_debug_data: as in EventBlock.to_dataframe().
        """
        frame = self._shown(include_units, include_delegate_debug_data)
        display = _notebook_display()
        if display is not None:
            display(frame.style.set_properties(**{"font-size": "12px"}))
            return
        from tabulate import tabulate

        print(tabulate(frame, headers="keys", tablefmt="fancy_grid"), file=sys.stdout if file is None else file)

    def save_data_to_tsv(self, file: Any, include_units: bool = True, include_delegate_debug_data: bool = False) -> None:
        """Writes what print_data_tabular() prints as TSV. Needs pandas.

        file: an open text stream, or a path. include_units, include_delegate_debug_data: as in EventBlock.to_dataframe().
        """
        self._shown(include_units, include_delegate_debug_data).to_csv(file, sep="\t")

    def find_total_for_module(self, module_name: str) -> float:
        """Returns the average time of the operators of a module and of the modules inside it, in the target time scale; 0.0 if there is no such module.

        module_name: a path or a key of nn_module_stack: features.1, L__self__features.1 and L__self___features_1 are one. In delegates it is the
        time of the module's own operators, not of the whole delegate.
        """
        wanted, total = _module_words(module_name), 0.0
        graphs = [graph for graph in self.profile.graphs(unit="ns") if graph.module == "edge"] or [graph for graph in self.profile.graphs(unit="ns") if graph.module == "program"]
        for graph in graphs:
            for node in graph.nodes:
                parts = (node.module or "").split(".")
                if node.avg is not None and (not wanted or any("_".join(parts[:count]) == wanted for count in range(1, len(parts) + 1))):
                    total += node.avg
        return total / self._factor

    def get_op_list(self, event_block: str, show_delegated_ops: Optional[bool] = True) -> dict[str, list[Event]]:
        """Returns the events of blocks, by the operators of their nodes. event_block: the blocks' name. show_delegated_ops: also those inside delegates."""
        found: dict[str, list[Event]] = {}
        for block in self.event_blocks:
            for event in block.events if block.name == event_block else ():
                if event.name != "OPERATOR_CALL" and (show_delegated_ops or not event.is_delegated_op):
                    for op_type in dict.fromkeys(event.op_types):
                        found.setdefault(op_type, []).append(event)
        return found

    def write_tensorboard_artifact(self, path: str) -> None:
        """Writes run folders for `tensorboard --logdir PATH`. path: the folder. Raises EtrecordError if it cannot be written."""
        self.profile.write(path)

    def get_exported_program(self, graph: Optional[str] = None) -> Any:
        """Returns the Edge graph, of several methods a dict of them. graph: an extra graph of the record instead, by its name. None without a record."""
        if self._etrecord is None:
            return None
        return self._etrecord.edge_dialect_program if graph is None else self._etrecord.graph_map.get(graph)

    def get_vgf_neural_statistics(self) -> list[dict[str, Any]]:
        """Returns the records of neural statistics that the VGF backend logged."""
        found = []
        for block in self.event_blocks:
            for event in block.events:
                found += parse_vgf_neural_statistics_delegate_metadata(event.raw_delegate_debug_metadatas)
        return found

    def calculate_numeric_gap(
        self, distance: Any, disable_debug_handle_valdiation: bool = False, reference_graph: Optional[str] = None, *, reference: Any = None,
    ) -> Any:
        """Returns a DataFrame of the logged values with how far each is from what torch computes: the column `gap`.

        distance: "MSE", "L1" or "SNR", or an object whose element_compare(expected, logged) returns a number of two arrays (torch's tensors for a comparator of ExecuTorch's).
        reference_graph: "edge_dialect_exported_program" (the default) or "exported_program". disable_debug_handle_valdiation: ignored, as nothing is validated by handles.
        reference: a file that `etrecord-tb reference` wrote. Without it torch computes one, in this Python or in that of ETRECORD_TB_PYTHON; ImportError if neither has it.

        Raises ValueError for another metric and without a record, KeyError for another graph. A value that is equal to its reference has a gap of 0, or an SNR of infinity.
        """
        import pandas

        name = {"MSE": "mse", "L1": "l1", "SNR": "snr_db"}.get(distance.strip().upper()) if isinstance(distance, str) else None
        if name is None and not hasattr(distance, "element_compare"):
            raise ValueError(f"Unsupported distance metric {distance!r}")
        if self._etrecord is None:
            raise ValueError("Missing etrecord, which is required for calculating numerical gap")
        if reference_graph not in (None, "edge_dialect_exported_program", "exported_program"):
            raise KeyError(reference_graph)
        with tempfile.TemporaryDirectory() as folder:
            path = reference
            if path is None:
                path = os.path.join(folder, "reference.safetensors")
                _make_reference(self.profile, path)
            compared, expected = self.profile.accuracy(path, on_aten=reference_graph == "exported_program").values, Reference(path)
            logged = {(value.run, value.node, value.output): value for value in self.profile.values()}
            first = {method: min(value.run for value in compared if value.method == method) for method in {value.method for value in compared}}
            rows = [
                self._gap(value, None if name is None else getattr(value, name), distance, logged.get((value.run, value.node, value.output)), expected)
                for value in compared if value.problem is None and value.instruction is not None and value.run == first[value.method]
            ]
        return pandas.DataFrame(rows, columns=["aot_debug_handle", "aot_ops", "aot_intermediate_output", "runtime_ops", "runtime_debug_handle", "runtime_intermediate_output", "gap", "stacktraces"])

    def _gap(self, value: model.ValueAccuracy, measured: Any, comparator: Any, logged: Optional[model.LoggedValue], expected: Reference) -> dict[str, Any]:
        """Returns a row of calculate_numeric_gap()."""
        nodes = value.segment or [value.node]
        key = f"{value.method}/{value.input or 0}/{value.reference_graph or 'edge'}/{value.reference_node or value.node}"
        wanted = expected.read(key)
        if wanted is None:
            wanted = expected.read(f"{key}/{value.output}")
        actual = None if logged is None else logged.array()
        if hasattr(comparator, "element_compare"):
            measured = None if wanted is None or actual is None else _compared(comparator, wanted, actual)
        elif measured is None and value.equal:
            measured = math.inf  # of SNR: there is no noise
        handles = tuple(dict.fromkeys(node.debug_handle for node in self._graph(value.method) if node.name in nodes and node.debug_handle is not None))
        # A delegate's results are its call's.
        events = [event.name for block in self.event_blocks for event in block.events
                  if event._instruction_id == value.instruction and event.name != "OPERATOR_CALL" and not event.is_delegated_op]
        return {
            "aot_debug_handle": handles, "aot_ops": nodes, "aot_intermediate_output": wanted, "runtime_ops": events[:1], "runtime_debug_handle": handles,
            "runtime_intermediate_output": actual, "gap": [measured], "stacktraces": {node: self._trace(value.method, node) for node in nodes},
        }

    def _graph(self, method: str) -> list[model.Node]:
        edge = self._etrecord.edge_dialect_program if self._etrecord else None
        graph = edge.get(method) if isinstance(edge, dict) else edge
        return [] if graph is None else graph.nodes

    def _trace(self, method: str, node: str) -> str | None:
        if method not in self._metadata and self._etrecord is not None:
            self._metadata[method] = _Entries(self._etrecord.path).metadata(method)
        return self._metadata.get(method, {}).get(node, {}).get("stack_trace")


def _op_type(node: model.Node, recorded: str) -> str:
    """Returns what ExecuTorch's operator graphs call a node's operator: operators of other dialects than Edge have no namespace."""
    if recorded.startswith("torch.ops."):
        return recorded.split(".", 2)[-1] if recorded.startswith("torch.ops.higher_order.") else recorded.split(".", 3)[-1]
    return node.target.rsplit(".", 1)[-1] if node.target.startswith(("_operator.", "math.")) else node.target


def _as_file(content: Any, name: str, folder: str) -> str:
    """Returns the path of an input, for which the bytes of one in memory are written to a folder."""
    if not isinstance(content, bytes):
        return name
    path = os.path.join(folder, os.path.basename(name))
    pathlib.Path(path).write_bytes(content)
    return path


def _notebook_display() -> Any:
    """Returns IPython's function that displays a value; None outside IPython."""
    try:
        ipython: Any = importlib.import_module("IPython")
    except ImportError:
        return None
    return None if ipython.get_ipython() is None else ipython.display.display


def _compared(comparator: Any, expected: Any, actual: Any) -> float:
    """Has a caller's comparator compare two arrays. Those of ExecuTorch take torch's tensors."""
    if any(kind.__module__.startswith("executorch.") for kind in type(comparator).__mro__):
        import torch

        expected, actual = torch.from_numpy(expected.copy()), torch.from_numpy(actual.copy())
    return float(comparator.element_compare(expected, actual))


def _make_reference(profile: Profile, path: str) -> None:
    """Has torch compute what the values should be."""
    info = profile.info()
    named = [name for name in (info["etrecord"], *info["etdumps"], info["debug_buffer"]) if name]
    files = [_as_file(profile._memory.at(name), name, os.path.dirname(path)) for name in named]
    other = os.environ.get("ETRECORD_TB_PYTHON")
    if other:
        package = os.fspath(pathlib.Path(__file__).resolve().parents[1])
        start = "import sys; sys.path.append(sys.argv.pop(1)); from etrecord_tb.reference import main; sys.exit(main(sys.argv[1:]))"
        done = subprocess.run([other, "-I", "-c", start, package, "--output", path, *files], capture_output=True, text=True)
        if done.returncode:
            raise ImportError(f"{other} could not compute the reference: {done.stderr.strip()[-600:]}")
        return
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise ImportError("calculate_numeric_gap() needs reference=FILE of `etrecord-tb reference`, or torch and executorch here or in the Python that ETRECORD_TB_PYTHON names") from error
    from .reference import write_reference

    write_reference(files, path)


# ---- Around it ----


def compare_results(reference_output: list[Any], run_output: list[Any], metrics: Optional[list[str]] = None, plot: bool = False) -> dict[str, list[float]]:
    """Prints and returns how far outputs are from their references: snr in dB, mse and cosine_similarity, rounded to two digits.

    reference_output, run_output: lists of arrays, tensors or numbers, of which those at the same place are compared. metrics: some of the three; all, if it is None.
    plot: draws bars, with matplotlib.

    Raises ValueError for another metric.
    """
    import numpy

    results: dict[str, list[float]] = {}
    for name in ["snr", "mse", "cosine_similarity"] if metrics is None else metrics:
        if name not in ("snr", "mse", "cosine_similarity"):
            raise ValueError(f"Unknown metric {name!r}")
        values = []
        for reference, actual in zip(reference_output, run_output):
            a, b = numpy.asarray(reference, dtype=float).ravel(), numpy.asarray(actual, dtype=float).ravel()
            with numpy.errstate(divide="ignore", invalid="ignore"):
                error = numpy.mean((a - b) ** 2)
                value = error if name == "mse" else 10 * numpy.log10(numpy.mean(a**2) / error) if name == "snr" else numpy.dot(a, b) / (numpy.linalg.norm(a) * numpy.linalg.norm(b))
            values.append(round(float(value), 2))
        results[name] = values
        print(f"{name}: {values}")
        if plot:
            import matplotlib.pyplot as pyplot

            pyplot.bar(range(len(values)), values)
            pyplot.ylabel(name)
            pyplot.show()
    return results


def parse_vgf_neural_statistics_metadata(metadata: Any) -> Optional[dict[str, Any]]:
    """Returns a record of neural statistics, with the blobs of its segments decoded as raw_data; None if it is none. metadata: of a delegate's event, as bytes or text."""
    try:
        found = json.loads(metadata if isinstance(metadata, (str, bytes)) else b"")
    except (ValueError, UnicodeDecodeError):
        return None
    if not isinstance(found, dict) or "segments" not in found:
        return None
    for segment in found["segments"]:
        for blob in segment.values() if isinstance(segment, dict) else ():
            for part in blob if isinstance(blob, list) else [blob]:
                text = part.get("raw_data_base64", part.get("data")) if isinstance(part, dict) else None
                if isinstance(text, str):
                    part["raw_data"] = base64.b64decode(text)
    return found


def parse_vgf_neural_statistics_delegate_metadata(metadatas: Any) -> list[dict[str, Any]]:
    """Returns the records of neural statistics of an event. metadatas: its metadata, one a run."""
    return [found for found in map(parse_vgf_neural_statistics_metadata, metadatas or ()) if found is not None]


@dataclass
class DelegationBreakdown:
    """How many nodes of an operator type are delegated, and how many are not."""

    op_type: str = ""
    delegated: int = 0
    non_delegated: int = 0


@dataclass
class DelegationInfo:
    """How many nodes were delegated, and by operator."""

    num_delegated_subgraphs: int
    num_delegated_nodes: int
    num_non_delegated_nodes: int
    delegation_by_operator: dict[str, DelegationBreakdown]

    def get_summary(self) -> str:
        """Returns the three numbers as lines of text."""
        return (f"Total delegated subgraphs: {self.num_delegated_subgraphs}\nNumber of delegated nodes: {self.num_delegated_nodes}\n"
                f"Number of non-delegated nodes: {self.num_non_delegated_nodes}\n")

    def get_operator_delegation_dataframe(self) -> Any:
        """Returns a DataFrame by operator, with the row Total at the end. Needs pandas."""
        import pandas

        rows = sorted((row.op_type, row.delegated, row.non_delegated) for row in self.delegation_by_operator.values())
        rows.append(("Total", sum(row[1] for row in rows), sum(row[2] for row in rows)))
        return pandas.DataFrame(rows, columns=["op_type", "occurrences_in_delegated_graphs", "occurrences_in_non_delegated_graphs"])


def get_delegation_info(graph_module: Any) -> DelegationInfo:
    """Counts delegated nodes.

    graph_module: a record's path or bytes, an ETRecord or Profile, of which the first method counts, a Graph, or an fx.GraphModule of torch.
    """
    if hasattr(graph_module, "graph"):
        return _info_of_module(graph_module)
    if isinstance(graph_module, model.Graph):
        return _info_of_graph(graph_module)
    if isinstance(graph_module, Profile):
        return _info_of_profile(graph_module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Profile(graph_module.path if isinstance(graph_module, ETRecord) else graph_module) as profile:
            return _info_of_profile(profile)


def _info_of_profile(profile: Profile) -> DelegationInfo:
    """Counts the first method. ExecuTorch also counts each getitem, which takes a result of a delegate or of an operator with several."""
    found = profile.delegation()[0]
    rows = {row.op_type: DelegationBreakdown(row.op_type, row.delegated, row.non_delegated) for row in found.operators}
    record = profile._memory.at(profile.info()["etrecord"])
    numbers = (_Entries(record).map("instruction_id_to_num_outs_map") or {}) if record else {}
    delegated, left = 0, sum((numbers.get(found.method) or {}).values())
    for graph in profile.graphs(method=found.method):
        for node in graph.nodes if graph.module == "edge" else ():
            has_several = len(node.outputs) > 1 or node.target.startswith("higher_order.") or node.name.startswith("auto_functionalized")
            if has_several and node.subgraph is None and not node.target.endswith("executorch_call_delegate"):
                used = sum(not re.search(r"_unused_\d+$", output.name) for output in node.outputs)
                delegated, left = (delegated + used, left) if node.backend else (delegated, left + used)
    if delegated or left:
        row = rows.setdefault("getitem", DelegationBreakdown("getitem"))
        row.delegated, row.non_delegated = max(delegated, row.delegated), max(left, row.non_delegated)
    return _summed(found.delegated_subgraphs, rows)


def _info_of_graph(graph: model.Graph) -> DelegationInfo:
    """Counts the operators of a graph by the backend to which the join assigned them."""
    rows: dict[str, DelegationBreakdown] = {}
    for node in graph.nodes:
        if node.kind == "operator" and node.subgraph is None:
            _count(rows, node.name, node.backend is not None)
    return _summed(len({node.delegate_instruction for node in graph.nodes if node.delegate_instruction is not None}), rows)


def _count(rows: dict[str, DelegationBreakdown], name: str, delegated: bool) -> None:
    op_type = re.sub(r"_[\d]+$", "", name)
    row = rows.setdefault(op_type, DelegationBreakdown(op_type))
    row.delegated += delegated
    row.non_delegated += not delegated


def _summed(subgraphs: int, rows: dict[str, DelegationBreakdown]) -> DelegationInfo:
    return DelegationInfo(subgraphs, sum(row.delegated for row in rows.values()), sum(row.non_delegated for row in rows.values()), rows)


def _info_of_module(module: Any) -> DelegationInfo:
    """Counts as ExecuTorch does: the nodes of lowered modules, and the operators that are left."""
    rows: dict[str, DelegationBreakdown] = {}
    subgraphs = 0
    for node in module.graph.nodes:
        if node.op == "call_function" and not node.name.startswith("executorch_call_delegate"):
            _count(rows, node.name, False)
        if node.op == "get_attr" and node.name.startswith("lowered_module_"):
            subgraphs += 1
            for inner in getattr(module, node.name).original_module.graph.nodes:
                if inner.op == "call_function":
                    _count(rows, inner.name, True)
    return _summed(subgraphs, rows)


def print_delegation_info(graph_module: Any) -> None:
    """Prints get_delegation_info() as text. graph_module: as there. Needs pandas and tabulate."""
    from tabulate import tabulate

    info = get_delegation_info(graph_module)
    print(info.get_summary())
    print(tabulate(info.get_operator_delegation_dataframe(), headers="keys", tablefmt="fancy_grid"))


# ---- What makes records, which needs ExecuTorch ----

_OF_EXECUTORCH = {
    "BundledProgram": "executorch.devtools", "generate_etrecord": "executorch.devtools", "NumericalComparatorBase": "executorch.devtools.inspector.numerical_comparator",
}


def __getattr__(name: str) -> Any:
    """Returns what scripts import beside the Inspector, and what makes records instead of reading them, from ExecuTorch."""
    if name not in _OF_EXECUTORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_OF_EXECUTORCH[name]), name)
