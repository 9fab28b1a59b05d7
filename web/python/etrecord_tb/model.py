# SPDX-License-Identifier: BSD-3-Clause
"""Plain dataclasses for the answers of the library, with the names of its JSON (schema/). None means "unknown" or "not timed".

Times are in the requested unit, milliseconds by default. schema/generate.py generates the fields from those of the library.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import warnings
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from ._library import EtrecordWarning
from ._shown import Rows, number

Kind = TypeVar("Kind")


@dataclass
class Value:
    """A tensor or number that a node defines. `shape` contains a symbolic size as its expression, such as "s77"."""

    name: str
    dtype: str | None
    shape: list[int | str] | None


@dataclass
class Source:
    """A line of the model's source code."""

    file: str
    line: int
    function: str
    code: str


@dataclass
class LoggedValue:
    """A tensor or number that the runtime logged, with the statistics of its elements. Values of an event have `run`, those of a node `runs`, the number of runs that logged it."""

    index: int
    role: str
    node: str | None
    output: int | None
    kind: str
    dtype: str | None
    shape: list[int] | None
    value: float | bool | None
    min: float | None
    max: float | None
    mean: float | None
    elements: int | None
    zeros: int | None
    nan: int | None
    inf: int | None
    run: int | None = None
    runs: int | None = None
    offset: int | None = None
    strides: list[int] | None = None

    _buffer: ClassVar[str | bytes | None] = None  # the debug buffer, which a profile sets

    def array(self) -> Any:
        """Returns the value: a numpy array, or a number or bool that was logged as such. bfloat16 becomes float32. Needs numpy.

        Raises ValueError for a value of a node, which stands for several runs, and where the debug buffer is missing or has not all bytes.
        """
        from ._arrays import read

        return read(self, self._buffer)


@dataclass
class Node:
    name: str
    kind: str
    target: str
    inputs: list[str]
    outputs: list[Value]
    subgraph: str | None
    module: str
    module_type: str | None
    debug_handle: int | None
    source: Source | None
    backend: str | None
    delegate_instruction: int | None
    match: str | None
    avg: float | None
    p50: float | None
    p90: float | None
    min: float | None
    max: float | None
    calls: float | None
    order: int | None = None
    runs_as: str | None = None
    carried_by: str | None = None
    weight: str | None = None
    aten_node: str | None = None
    edge_nodes: list[str] = field(default_factory=list)
    arguments: dict[str, Any] = field(default_factory=dict)
    confidence: float | None = None
    macs: int | None = None
    bytes: int | None = None
    weight_bytes: int | None = None
    gflops: float | None = None
    gbs: float | None = None
    intensity: float | None = None
    of_peak: float | None = None
    bound: str | None = None
    arithmetic: str | None = None
    unknown_costs: int | None = None
    hinted_costs: int | None = None
    values: list[LoggedValue] = field(default_factory=list)
    compute_units: list[str] = field(default_factory=list)
    estimated: bool | None = None
    cycles: float | None = None
    snr_db: float | None = None
    equal: bool | None = None
    drop_db: float | None = None
    local_snr_db: float | None = None
    other_inputs: list[str] = field(default_factory=list)
    typical: float | None = None
    module_types: list[str] = field(default_factory=list)
    frames: list[Source] = field(default_factory=list)


@dataclass
class Graph:
    """The graph of an entry point `module`/`method`, such as "edge/forward"."""

    module: str
    method: str
    entry: str
    dialect: str | None
    runs: int
    skipped_runs: int
    nodes: list[Node]

    def __repr__(self) -> str:
        timed = sum(node.avg is not None for node in self.nodes)
        return f"<Graph {self.module}/{self.method}: {len(self.nodes)} nodes, {timed} of them with times>"

    def _cells(self) -> dict[str, Any]:
        """The columns of its row in a notebook."""
        slowest = max((node for node in self.nodes if node.typical is not None), key=lambda node: node.typical or 0, default=None)
        return {"graph": f"{self.module}/{self.method}", "nodes": len(self.nodes), "with times": sum(node.avg is not None for node in self.nodes), "runs": self.runs,
                "slowest node": slowest.name if slowest else "", "typical": slowest.typical if slowest else None}


@dataclass
class Event:
    """A row of ExecuTorch's Inspector. `raw`, `start_time` and `delegate_debug_metadata` have one value for each time that the event happened.

    If `unit` is "ns", the event has times, which are in the requested unit. Otherwise `raw`, `avg` and the other statistics are cycles, counts or bytes.
    """

    event_name: str
    instruction_id: int | None
    delegate_debug_identifier: str | int | None
    is_delegated_op: bool
    delegate_backend_name: str | None
    debug_handles: list[int]
    op_types: list[str]
    nodes: list[str]
    match: str
    raw: list[float]
    start_time: list[int]
    p10: float | None
    p50: float | None
    p90: float | None
    avg: float | None
    min: float | None
    max: float | None
    confidence: float | None = None
    role: str | None = None
    phase: str | None = None
    unit: str = "ns"
    delegate_debug_metadata: list[str | None] | None = None
    values: list[LoggedValue] = field(default_factory=list)
    note: str | None = None
    typical: float | None = None


@dataclass
class EventBlock:
    """Runs with the same sequence of events. `run_outputs` are the values that the method returned."""

    event_block_name: str
    runs: list[int]
    method: str | None
    method_rule: str
    events: list[Event]
    run_outputs: list[LoggedValue] = field(default_factory=list)

    def to_dataframe(self) -> Any:
        """Returns the events as a DataFrame of pandas, one row each. Needs pandas."""
        return dataframe(self.events)

    def __repr__(self) -> str:
        return f"<EventBlock {self.event_block_name} of {self.method}: {len(self.events)} events, {len(self.runs)} runs>"

    def _cells(self) -> dict[str, Any]:
        """The columns of its row in a notebook."""
        slowest = max((event for event in self.events if event.role == "operator"), key=lambda event: event.typical or 0, default=None)
        return {"block": self.event_block_name, "method": self.method, "runs": len(self.runs), "events": len(self.events), "slowest operator": slowest.event_name if slowest else "",
                "typical": slowest.typical if slowest else None}


@dataclass
class Statistics:
    p10: float | None
    p50: float | None
    p90: float | None
    avg: float | None
    min: float | None
    max: float | None
    typical: float | None = None


@dataclass
class FirstRun:
    """A method's first run and the others: it took `factor` times the median of the others."""

    execute: float
    factor: float | None
    rest: Statistics


@dataclass
class Noise:
    """How steady runs are. verdict: "few_runs", "steady", "noisy", "two_modes", "step" or "drift"; cv: robust standard deviation / mean; text: a sentence about the verdict, or "".

    "two_modes" has mode_runs and mode_p50, the faster mode first. "step" and "drift" have change and over_runs, "step" also from_run, "drift" also stretches and start.
    """

    cv: float | None
    outliers: int
    verdict: str
    runs: int = 0
    least_outlier: float | None = None
    most_outlier: float | None = None
    text: str = ""
    mode_runs: list[int] = field(default_factory=list)
    mode_p50: list[float] = field(default_factory=list)
    in_stretches: bool = False
    change: float | None = None
    from_run: int | None = None
    over_runs: int | None = None
    stretches: int | None = None
    start: float | None = None
    unsure: bool = False


@dataclass
class RunPhase:
    """The runs of one phase of a method. told_by says how phases were distinguished: "sizes" and "events" are certain, "times" is an estimate."""

    phase: str
    told_by: str
    estimated: bool
    runs: list[int]
    p10: float | None
    p50: float | None
    p90: float | None
    avg: float | None
    min: float | None
    max: float | None
    noise: Noise
    typical: float | None = None
    throughput: dict[str, Any] | None = None


@dataclass
class MethodSummary:
    """Where a method's time goes: nodes + delegate_only + framework + unexplained = execute.avg. The rows of by_..., phases, compute_units, findings, output_gaps are dicts.

    delegate_only (delegates, on no node) = inserted (operators that the lowering added) + rest_of_calls (call overhead). Up to clock_hidden of the call overhead may be
    operator time, because the delegates' clock counts whole microseconds. filtered: the time of the nodes that the filters select.
    """

    method: str | None
    runs: int
    skipped_runs: int
    execute: Statistics
    nodes: float | None
    estimated: float | None
    delegate_only: float | None
    framework: float | None
    unexplained: float | None
    by_op: list[dict[str, Any]]
    by_module: list[dict[str, Any]]
    by_pattern: list[dict[str, Any]]
    by_backend: list[dict[str, Any]]
    by_source: list[dict[str, Any]]
    findings: list[dict[str, Any]] = field(default_factory=list)
    clock_hidden: float | None = None
    estimated_confidence: float | None = None
    filtered: float | None = None
    first_run: FirstRun | None = None
    noise: Noise | None = None
    phases_of_runs: list[RunPhase] = field(default_factory=list)
    output_gaps: list[dict[str, Any]] = field(default_factory=list)
    phases: list[dict[str, Any]] = field(default_factory=list)
    compute_units: list[dict[str, Any]] = field(default_factory=list)
    accuracy: dict[str, Any] | None = None
    odd_recordings: list[dict[str, Any]] = field(default_factory=list)
    estimated_typical: float | None = None
    clock_hidden_typical: float | None = None
    parts: list[dict[str, Any]] = field(default_factory=list)
    by_kernel: list[dict[str, Any]] = field(default_factory=list)
    filtered_typical: float | None = None
    answer: dict[str, Any] | None = field(default_factory=dict)
    groups: list[dict[str, Any]] = field(default_factory=list)
    method_rule: str | None = None
    method_evidence: str | None = None
    candidates: list[str] = field(default_factory=list)
    throughput: dict[str, Any] | None = None
    layer_kinds: list[dict[str, Any]] = field(default_factory=list)
    kv_cache: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return f"<MethodSummary {self.method}: {number(self.execute.typical)} per inference, {self.runs} runs, {len(self.findings)} findings>"

    def _cells(self) -> dict[str, Any]:
        """The columns of its row in a notebook."""
        return {
            "method": self.method, "typical": self.execute.typical, "p90": self.execute.p90, "runs": self.runs, "on nodes": self.nodes, "slowest operator": next((row["op"] for row in self.by_op), ""),
            "first finding": next((finding["title"] for finding in self.findings), ""),
        }


@dataclass
class SourceLine:
    """A source line with the time of its nodes. Nodes without a recorded line have file and line None."""

    file: str | None
    line: int | None
    function: str | None
    code: str | None
    avg: float
    share: float | None
    estimated: float | None
    count: int
    p50: float | None
    p90: float | None
    macs: int | None
    bytes: int | None
    weight_bytes: int | None
    gflops: float | None
    gbs: float | None
    intensity: float | None
    of_peak: float | None
    bound: str | None
    arithmetic: str | None
    unknown_costs: int | None
    hinted_costs: int | None
    patterns: list[dict[str, Any]]
    typical: float | None = None


@dataclass
class SourceFile:
    file: str | None
    avg: float
    p50: float | None
    share: float | None
    count: int
    lines: list[SourceLine]
    typical: float | None = None


@dataclass
class MethodSource:
    """The source lines of a model with their times, by file."""

    method: str | None
    runs: int
    skipped_runs: int
    avg: float | None
    share: float | None
    files: list[SourceFile]
    typical: float | None = None
    wrapper: Source | None = None


@dataclass
class OperatorDelegation:
    op_type: str
    delegated: int
    non_delegated: int
    delegated_avg: float | None
    non_delegated_avg: float | None
    delegated_p50: float | None
    non_delegated_p50: float | None
    delegated_typical: float | None = None
    non_delegated_typical: float | None = None


@dataclass
class Delegate:
    """A delegate, called at `instruction`: the time of its graph operators (on_nodes, of which `estimated`), its overhead by phase, and the whole call by compute unit, if its backend records them."""

    instruction: int
    backend: str
    handles: int
    nodes: int
    call: float | None
    on_nodes: float | None
    estimated: float | None
    copy_in: float | None
    compute: float | None
    wait: float | None
    copy_out: float | None
    other: float | None
    npu: float | None
    gpu: float | None
    cpu: float | None
    typical: float | None = None
    macs: int | None = None
    modules: list[dict[str, Any]] = field(default_factory=list)
    op_types: list[dict[str, Any]] = field(default_factory=list)
    payload_bytes: int | None = None
    weight_bytes: int | None = None


@dataclass
class MethodDelegation:
    """Delegated and non-delegated operators, as ExecuTorch's print_delegation_info counts them."""

    method: str
    runs: int
    skipped_runs: int
    delegated_subgraphs: int
    delegated_nodes: int
    non_delegated_nodes: int
    operators: list[OperatorDelegation]
    delegates: list[Delegate] = field(default_factory=list)
    ambiguous: int = 0  # nodes that may be counted on the wrong side


@dataclass
class PlannedTensor:
    """A tensor in a planned buffer, live from first_instruction to last_instruction inclusive. role: "activation", "input", "output" or "state"."""

    name: str
    role: str
    dtype: str | None
    shape: list[int | str] | None
    bytes: int
    buffer: int | None
    offset: int
    first_instruction: int | None
    last_instruction: int | None
    made_by: int | None
    op: str | None
    module: str | None
    node: str | None
    view_of: str | None
    largest_shape: bool
    misplaced: bool


@dataclass
class PlannedBuffer:
    id: int
    device: str
    planned_bytes: int
    top_bytes: int
    peak_bytes: int
    unused_bytes: int
    peak_instruction: int | None
    tensors: int


@dataclass
class MemoryPeak:
    """The most bytes that are live at one instruction. tensors: indices into MemoryPlan.tensors, most bytes first."""

    bytes: int
    instruction: int
    op: str
    module: str
    tensors: list[int]


@dataclass
class MemoryPlan:
    """The memory that the program plans, in bytes. instructions, inputs_and_outputs and delegates are dicts."""

    planned_bytes: int
    peak: MemoryPeak | None
    buffers: list[PlannedBuffer]
    instructions: dict[str, Any]
    tensors: list[PlannedTensor]
    inputs_and_outputs: list[dict[str, Any]]
    delegates: list[dict[str, Any]]


@dataclass
class MemoryFinding:
    """A finding that could save `bytes`."""

    kind: str
    title: str
    evidence: str
    bytes: int
    instruction: int | None


@dataclass
class MethodMemory:
    """The memory of a method, in bytes; plan is None without a .pte. Items without a class of their own are dicts."""

    method: str
    plan: MemoryPlan | None
    weights: list[dict[str, Any]]
    weight_sums: list[dict[str, Any]]
    not_in_program: list[dict[str, str]]
    findings: list[MemoryFinding]
    kv_cache: dict[str, Any] | None = None


@dataclass
class Change:
    """The times of one thing on both sides. A recording is one ETDump, a run is one inference.

    verdict: "slower", "faster", "equal" (within the limit), "likely_slower", "likely_faster", "likely_equal", "cannot_tell", "untimed", "gone" or "new".
    reason: why the data do not surely decide; cause: what in the runs explains that; assumes: what the interval assumes ("in_turns", "recording_noise").
    interval: the bounds of relative_change (0.041 is 4.1 % slower); None in it means no bound, None instead of it that the change is obvious or nothing can be said.
    recordings_needed: the number of recordings on each side, in all, that would decide. odd_recordings: of a method, those that differ from the others of their side.
    """

    base_typical: float | None
    new_typical: float | None
    change_typical: float | None
    base_avg: float | None
    new_avg: float | None
    change_avg: float | None
    base_p50: float | None
    new_p50: float | None
    change_p50: float | None
    relative_change: float | None
    interval: list[float | None] | None
    base_runs: int
    new_runs: int
    base_recordings: int
    new_recordings: int
    verdict: str
    reason: str | None
    cause: str | None
    assumes: list[str]
    odd_recordings: list[dict[str, Any]]
    recordings_needed: int | None


@dataclass
class NodeChange(Change):
    """A node of both records, or of one of them. rule: why the two were paired."""

    base_name: str | None
    new_name: str | None
    base_node: int | None
    new_node: int | None
    rule: str
    op: str
    base_module: str | None
    new_module: str | None
    base_backend: str | None
    new_backend: str | None
    base_macs: int | None
    new_macs: int | None
    base_bytes: int | None
    new_bytes: int | None
    base_gflops: float | None
    new_gflops: float | None
    base_gbs: float | None
    new_gbs: float | None
    base_intensity: float | None
    new_intensity: float | None
    base_arithmetic: str | None
    new_arithmetic: str | None


@dataclass
class LoadChange(Change):
    event_name: str


@dataclass
class AccuracyMeasures:
    """How far a value is from its reference. etrecord_accuracy.h has the formulas."""

    snr_db: float | None
    equal: bool | None = None
    psnr_db: float | None = None
    mse: float | None = None
    l1: float | None = None
    cosine: float | None = None
    max_abs: float | None = None
    rel_l2: float | None = None
    bias: float | None = None
    elements: int | None = None
    left_out: int | None = None
    nonfinite: int | None = None


@dataclass
class ValueAccuracy:
    """A value that a run logged, compared with its reference; `problem` says why it was not. `local` compares it with what the reference computes from the values that the
    device logged before, and so shows the error that the operators of `segment` added."""

    node: str
    module: str = ""
    op: str = ""
    source: str | None = None
    backend: str | None = None
    method: str = ""
    run: int = 0
    input: int | None = None
    input_evidence: str = ""
    instruction: int | None = None
    index: int = 0
    output: int = 0
    role: str = ""
    tap: bool = False
    segment: list[str] = field(default_factory=list)
    reference_graph: str | None = None
    reference_node: str | None = None
    reference_evidence: str = ""
    aten_node: str | None = None
    dtype: str | None = None
    shape: list[int] = field(default_factory=list)
    strides: list[int] = field(default_factory=list)
    offset: int | None = None
    max_at: list[int] = field(default_factory=list)
    drop_db: float | None = None
    local: AccuracyMeasures | None = None
    impact_snr_db: float | None = None
    steps_off: float | None = None
    most_steps: float | None = None
    scale: float | None = None
    zero_point: float | None = None
    problem: str | None = None
    snr_db: float | None = None
    equal: bool | None = None
    psnr_db: float | None = None
    mse: float | None = None
    l1: float | None = None
    cosine: float | None = None
    max_abs: float | None = None
    rel_l2: float | None = None
    bias: float | None = None
    elements: int | None = None
    left_out: int | None = None
    nonfinite: int | None = None
    computed_by: str = ""
    statistics: list[dict[str, Any]] = field(default_factory=list)
    statistics_difference: float | None = None
    statistics_text: str | None = None
    origin: bool = False
    stands_out: bool = False


@dataclass
class Accuracy:
    """The values that the runs logged, compared with a reference. `candidates` are indices into values, the most suspicious first."""

    record: str | None
    record_hash: str
    recording_hash: str
    debug_buffer: str | None
    reference: str | None
    reference_of: str
    own_program: bool
    inputs: int
    output_snr_db: float | None
    text: str | None
    ranked_by: str
    candidates: list[int] = field(default_factory=list)
    values: list[ValueAccuracy] = field(default_factory=list)


@dataclass
class MethodDiff:
    """What became slower or faster in a method. Rows of by_... and numeric_gap, and items without a class of their own, are dicts.

    Typical times and averages of the rows add up to the part `operators` of `parts`, and the parts to `execute`. `differences` lists inputs, types and backends that differ.
    """

    method: str | None
    execute: Change
    verdict_text: str
    reason_text: str | None
    odd_text: str | None
    base: dict[str, Any] | None
    new: dict[str, Any] | None
    differences: list[dict[str, str | None]]
    parts: list[dict[str, Any]]
    by_events: bool
    timed_nodes: int
    timed_paired: int
    may_differ: bool
    nodes: list[NodeChange] = field(default_factory=list)
    by_op: list[dict[str, Any]] = field(default_factory=list)
    by_module: list[dict[str, Any]] = field(default_factory=list)
    by_pattern: list[dict[str, Any]] = field(default_factory=list)
    by_backend: list[dict[str, Any]] = field(default_factory=list)
    by_source: list[dict[str, Any]] = field(default_factory=list)
    by_kernel: list[dict[str, Any]] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    numeric_gap: list[dict[str, Any]] = field(default_factory=list)
    by_pattern_op: list[dict[str, Any]] = field(default_factory=list)
    throughput: dict[str, Any] | None = None


@dataclass
class Diff:
    """A comparison of two records. limit: relative changes within it are equal (None: no limit); recording_noise: the assumed relative difference between recordings; turns: whether the recordings were taken in turns."""

    limit: float | None
    recording_noise: float
    turns: str
    methods: list[MethodDiff]
    load: list[LoadChange]


@dataclass
class ETRecord:
    """A record's graphs, by entry point: "edge/forward". `info` is the output of `etrecord-tb info --format json`."""

    graphs: dict[str, Graph]
    info: dict[str, Any]

    @property
    def exported_program(self) -> Graph | None:
        """The graph of the ATen program's method "forward"; None if the record has none."""
        return self.graphs.get("aten/forward")

    @property
    def edge_dialect_program(self) -> dict[str, Graph]:
        """The graphs of the Edge program, by method."""
        return {graph.method: graph for graph in self.graphs.values() if graph.module == "edge"}


_CLASSES = {name: kind for name, kind in globals().items() if dataclasses.is_dataclass(kind) and isinstance(kind, type)}


@functools.lru_cache(maxsize=None)
def _fields(kind: type) -> dict[str, type | None]:
    """Maps each field to the dataclass in its annotation, which is the class of the value or of its items; None if there is no dataclass."""
    return {item.name: next((_CLASSES[word] for word in re.findall(r"\w+", str(item.type)) if word in _CLASSES), None) for item in dataclasses.fields(kind)}


@functools.lru_cache(maxsize=None)
def _warn_of_key(kind: type, key: str) -> None:
    """Warns once for each class and key."""
    warnings.warn(f"{kind.__name__} has no field for {key!r}: the library is newer than this package", EtrecordWarning, stacklevel=4)


def build(kind: type[Kind], data: Any) -> Kind:
    """Makes a dataclass from JSON. Keys without a field, which a newer library emits, are dropped with an EtrecordWarning."""
    plain: type = kind
    fields = _fields(plain)
    for key in data.keys() - fields.keys():
        _warn_of_key(plain, key)
    return kind(**{name: _value(fields[name], value) for name, value in data.items() if name in fields})


def build_all(kind: type[Kind], rows: list[Any]) -> list[Kind]:
    """Makes a list of dataclasses from a list in JSON."""
    return Rows(build(kind, row) for row in rows)


def _value(kind: type | None, data: Any) -> Any:
    if kind is None or data is None:
        return data
    return build_all(kind, data) if isinstance(data, list) else build(kind, data)


def dataframe(rows: list[Any]) -> Any:
    """Makes a DataFrame of pandas from dataclasses, one row each. Needs pandas."""
    import pandas

    return pandas.DataFrame([vars(row) for row in rows])
