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
class Throughput:
    """How fast a language model reads and writes."""

    tokens_per_run: float | None = None
    tokens_per_second: float | None = None
    ms_per_token: float | None = None
    why: str | None = None


@dataclass
class OddRecording:
    """A recording that differs from the others, by `change` (0.05: 5 % slower)."""

    file: str = ""
    change: float = 0.0


@dataclass
class OperatorFilter:
    """What selects the same nodes elsewhere: the options --module, --op and --backend, or arguments of graphs()."""

    module: str | None = None
    op: str | None = None
    backend: str | None = None


@dataclass
class LayerKind:
    """The layers of one kind of a language model."""

    kind: str = ""
    typical: float = 0.0
    avg: float = 0.0
    share: float | None = None
    count: int = 0


@dataclass
class CacheBuffer:
    """A buffer of the KV cache, or those of one layer."""

    module: str = ""
    buffer: str | None = None
    bytes: int = 0
    context: int = 0


@dataclass
class KvCache:
    """The KV cache of a language model, in bytes."""

    bytes: int = 0
    per_token: int = 0
    context: int = 0
    by_layer: list[CacheBuffer] = field(default_factory=list)


@dataclass
class Part:
    """A part of Method::execute; the parts add up to it."""

    part: str = ""
    backend: str | None = None
    typical: float = 0.0
    avg: float = 0.0
    share: float | None = None


@dataclass
class AnswerPart:
    """What a part of the sentence is about; `low` and `high` are shares, equal if nothing is hidden."""

    kind: str = ""
    op: str | None = None
    dtype: str | None = None
    backend: str | None = None
    count: int = 0
    low: float = 0.0
    high: float = 0.0
    filter: OperatorFilter | None = None


@dataclass
class Answer:
    """The first sentence about a method, and what it is made of."""

    text: str = ""
    parts: list[AnswerPart] = field(default_factory=list)


@dataclass
class Group:
    """A row of the first screen; the rows add up to Method::execute."""

    part: str = ""
    phase: str | None = None
    pattern: str | None = None
    op: str | None = None
    dtype: str | None = None
    backend: str | None = None
    count: int = 0
    typical: float = 0.0
    min: float = 0.0
    max: float = 0.0
    each: float | None = None
    share: float | None = None
    estimated: bool = False
    upper: bool = False
    filter: OperatorFilter | None = None


@dataclass
class DelegatePhase:
    """A phase that a backend recorded, or a wait that follows from two recorded times."""

    backend: str | None = None
    phase: str = ""
    text: str = ""
    avg: float = 0.0
    typical: float = 0.0


@dataclass
class ComputeUnitTime:
    """The time on a compute unit (NPU, GPU, CPU), where the backend records it."""

    backend: str | None = None
    compute_unit: str | None = None
    text: str = ""
    avg: float = 0.0
    typical: float = 0.0


@dataclass
class OperatorSum:
    """The time and the costs of all nodes of an operator."""

    op: str | None = None
    typical: float | None = None
    p50: float | None = None
    avg: float = 0.0
    share: float | None = None
    estimated: float | None = None
    count: int = 0
    p90: float | None = None
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


@dataclass
class ModuleWithChildren:
    """A module with all modules below it."""

    typical: float | None = None
    p50: float | None = None
    avg: float | None = None
    share: float | None = None
    count: int = 0
    macs: float | None = None
    bytes: float | None = None
    gflops: float | None = None
    gbs: float | None = None


@dataclass
class ModuleSum:
    """The time and the costs of a module's own operators, which add up; `with_children` includes the modules below it."""

    module: str | None = None
    module_type: str | None = None
    level: int = 0
    with_children: ModuleWithChildren | None = None
    typical: float | None = None
    p50: float | None = None
    avg: float = 0.0
    share: float | None = None
    estimated: float | None = None
    count: int = 0
    p90: float | None = None
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


@dataclass
class PatternWithChildren:
    """The modules of a pattern with all modules below them."""

    typical: float | None = None
    avg: float | None = None
    share: float | None = None
    count: int = 0
    macs: float | None = None
    bytes: float | None = None
    gflops: float | None = None
    gbs: float | None = None


@dataclass
class PatternSum:
    """Repeated modules as one row: layers.*.attention."""

    pattern: str = ""
    module_type: str | None = None
    modules: int = 0
    level: int = 0
    median: float | None = None
    slowest: str = ""
    slowest_total: float = 0.0
    with_children: PatternWithChildren | None = None
    typical: float | None = None
    p50: float | None = None
    avg: float = 0.0
    share: float | None = None
    estimated: float | None = None
    count: int = 0
    p90: float | None = None
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


@dataclass
class BackendSum:
    """The time and the costs of the operators of a backend; None: no backend."""

    backend: str | None = None
    typical: float | None = None
    p50: float | None = None
    avg: float = 0.0
    share: float | None = None
    estimated: float | None = None
    count: int = 0
    p90: float | None = None
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


@dataclass
class SourceSum:
    """The time and the costs of a line of the model's code."""

    file: str | None = None
    line: int | None = None
    function: str | None = None
    code: str | None = None
    typical: float | None = None
    p50: float | None = None
    avg: float = 0.0
    share: float | None = None
    estimated: float | None = None
    count: int = 0
    p90: float | None = None
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


@dataclass
class KernelSum:
    """The time of a kernel, without the number in its name."""

    kernel: str = ""
    backend: str | None = None
    typical: float = 0.0
    p50: float = 0.0
    p90: float = 0.0
    avg: float = 0.0
    share: float | None = None
    count: int = 0


@dataclass
class Savings:
    """What a finding could save; `low` None: up to `high`; `high` None: nothing is known. once: not in each inference, but once."""

    low: float | None = None
    high: float | None = None
    once: bool = False


@dataclass
class CodeChange:
    """The lines to change, before and after."""

    before: str = ""
    after: str = ""


@dataclass
class Finding:
    """What to do, why, what it could save, and how sure that is."""

    kind: str = ""
    title: str = ""
    fact: str = ""
    evidence: str = ""
    saving: str = ""
    saves: Savings | None = None
    effort: str = ""
    filter: OperatorFilter | None = None
    code: CodeChange | None = None
    potential_share: float | None = None
    certainty: str = ""
    caveat: str | None = None
    cost: float | None = None
    share: float | None = None
    slope: float | None = None
    nodes: list[str] = field(default_factory=list)
    instructions: list[int] = field(default_factory=list)
    shares_with: list[int] = field(default_factory=list)
    docs: str = ""


@dataclass
class OutputGap:
    """How far an output is from its reference."""

    run: int = 0
    output: int = 0
    set: int = 0
    rule: str = ""
    problem: str | None = None
    mse: float | None = None
    l1: float | None = None
    max_abs_error: float | None = None
    snr_db: float | None = None
    elements: int | None = None
    left_out: int | None = None
    unlike: int | None = None


@dataclass
class AccuracyHead:
    """How accurate the outputs are, and what comes first where they are not."""

    reference: str | None = None
    reference_of: str = ""
    own_program: bool = False
    inputs: int = 0
    output_snr_db: float | None = None
    ranked_by: str = ""
    text: str | None = None


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
    throughput: Throughput | None = None


@dataclass
class MethodSummary:
    """Where a method's time goes: `parts` add up to Method::execute, in the typical run (`typical`) and over all runs (`avg`).

    nodes + delegate_only + framework + unexplained = execute.avg are sums of these parts: what is on nodes, what delegates take beside that, the runtime, and what
    nothing explains. Up to clock_hidden of the time of calling delegates may be time of operators, because the delegates' clock counts whole microseconds. filtered:
    the time of the nodes that the filters select.
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
    by_op: list[OperatorSum]
    by_module: list[ModuleSum]
    by_pattern: list[PatternSum]
    by_backend: list[BackendSum]
    by_source: list[SourceSum]
    findings: list[Finding] = field(default_factory=list)
    clock_hidden: float | None = None
    estimated_confidence: float | None = None
    filtered: float | None = None
    first_run: FirstRun | None = None
    noise: Noise | None = None
    phases_of_runs: list[RunPhase] = field(default_factory=list)
    output_gaps: list[OutputGap] = field(default_factory=list)
    phases: list[DelegatePhase] = field(default_factory=list)
    compute_units: list[ComputeUnitTime] = field(default_factory=list)
    accuracy: AccuracyHead | None = None
    odd_recordings: list[OddRecording] = field(default_factory=list)
    estimated_typical: float | None = None
    clock_hidden_typical: float | None = None
    parts: list[Part] = field(default_factory=list)
    by_kernel: list[KernelSum] = field(default_factory=list)
    filtered_typical: float | None = None
    answer: Answer | None = None
    groups: list[Group] = field(default_factory=list)
    method_rule: str | None = None
    method_evidence: str | None = None
    candidates: list[str] = field(default_factory=list)
    throughput: Throughput | None = None
    layer_kinds: list[LayerKind] = field(default_factory=list)
    kv_cache: KvCache | None = None

    def __repr__(self) -> str:
        return f"<MethodSummary {self.method}: {number(self.execute.typical)} per inference, {self.runs} runs, {len(self.findings)} findings>"

    def _cells(self) -> dict[str, Any]:
        """The columns of its row in a notebook."""
        return {
            "method": self.method, "typical": self.execute.typical, "p90": self.execute.p90, "runs": self.runs, "on nodes": self.nodes, "slowest operator": next((row.op for row in self.by_op), ""),
            "first finding": next((finding.title for finding in self.findings), ""),
        }


@dataclass
class SourcePattern:
    """The modules of a pattern that run a source line."""

    pattern: str = ""
    modules: int = 0
    typical: float | None = None
    avg: float = 0.0
    share: float | None = None
    count: int = 0


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
    patterns: list[SourcePattern]
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
class DelegateModule:
    """A module with nodes in a delegate."""

    pattern: str = ""
    count: int = 0


@dataclass
class DelegateOperator:
    """An operator with nodes in a delegate."""

    op: str = ""
    count: int = 0


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
    modules: list[DelegateModule] = field(default_factory=list)
    op_types: list[DelegateOperator] = field(default_factory=list)
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
class PlanInstructions:
    """What the plan holds at each instruction, as lists of one length."""

    count: int = 0
    live_bytes: list[int] = field(default_factory=list)
    op: list[int] = field(default_factory=list)
    module: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


@dataclass
class BoundaryTensor:
    """An input or output of a method."""

    role: str = ""
    index: int = 0
    name: str = ""
    dtype: str | None = None
    shape: list[int | str] | None = None
    bytes: int = 0
    largest_shape: bool = False
    planned: bool = False


@dataclass
class DelegateBlob:
    """The data of a delegate."""

    backend: str = ""
    instruction: int | None = None
    delegates: int = 0
    bytes: int = 0
    segment: int | None = None
    weight_bytes: int | None = None


@dataclass
class MemoryPlan:
    """The memory that the program plans, in bytes. instructions, inputs_and_outputs and delegates are dicts."""

    planned_bytes: int
    peak: MemoryPeak | None
    buffers: list[PlannedBuffer]
    instructions: PlanInstructions
    tensors: list[PlannedTensor]
    inputs_and_outputs: list[BoundaryTensor]
    delegates: list[DelegateBlob]


@dataclass
class MemoryFinding:
    """A finding that could save `bytes`."""

    kind: str
    title: str
    evidence: str
    bytes: int
    instruction: int | None


@dataclass
class Weight:
    """A weight of the program."""

    name: str = ""
    kind: str = ""
    module: str = ""
    dtype: str | None = None
    shape: list[int | str] | None = None
    bytes: int | None = None


@dataclass
class WeightSum:
    """The weights of a module, or of a type."""

    module: str = ""
    dtype: str = ""
    count: int = 0
    bytes: int = 0


@dataclass
class MissingWeight:
    """A weight that the program does not have."""

    what: str = ""
    text: str = ""


@dataclass
class MethodMemory:
    """The memory of a method, in bytes; plan is None without a .pte. Items without a class of their own are dicts."""

    method: str
    plan: MemoryPlan | None
    weights: list[Weight]
    weight_sums: list[WeightSum]
    not_in_program: list[MissingWeight]
    findings: list[MemoryFinding]
    kv_cache: KvCache | None = None


@dataclass
class OddRecordingOfSide:
    """A recording that differs from the others of its side, by `change` (0.05: 5 % slower)."""

    side: str = ""
    file: str = ""
    change: float = 0.0


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
    odd_recordings: list[OddRecordingOfSide]
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
class TapStatistic:
    """A statistic that a tap computed on the device, and what it should be."""

    name: str = ""
    value: float | None = None
    reference: float | None = None
    difference: float | None = None


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
    statistics: list[TapStatistic] = field(default_factory=list)
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
class SideFacts:
    """What a side of a comparison is."""

    runs: int = 0
    skipped_runs: int = 0
    steadiness: str | None = None


@dataclass
class ThroughputChange:
    """How fast a language model reads and writes, on both sides."""

    base_tokens_per_run: float | None = None
    new_tokens_per_run: float | None = None
    base_ms_per_token: float | None = None
    new_ms_per_token: float | None = None
    base_tokens_per_second: float | None = None
    new_tokens_per_second: float | None = None
    verdict: str | None = None
    text: str = ""


@dataclass
class Difference:
    """Something besides times that differs between the sides."""

    kind: str = ""
    name: str | None = None
    base: str | None = None
    new: str | None = None


@dataclass
class PartChange:
    """A part of Method::execute on both sides."""

    part: str = ""
    backend: str | None = None
    base_typical: float = 0.0
    new_typical: float = 0.0
    change_typical: float = 0.0
    base_avg: float = 0.0
    new_avg: float = 0.0
    change_avg: float = 0.0


@dataclass
class GroupChange(Change):
    """The times of a group of nodes on both sides."""

    base_nodes: int = 0
    new_nodes: int = 0
    base_macs: int | None = None
    new_macs: int | None = None
    base_bytes: int | None = None
    new_bytes: int | None = None
    base_gflops: float | None = None
    new_gflops: float | None = None
    base_gbs: float | None = None
    new_gbs: float | None = None
    base_intensity: float | None = None
    new_intensity: float | None = None
    base_arithmetic: str | None = None
    new_arithmetic: str | None = None


@dataclass
class OperatorChange(Change):
    """An operator on both sides."""

    op: str = ""
    base_nodes: int = 0
    new_nodes: int = 0
    base_macs: int | None = None
    new_macs: int | None = None
    base_bytes: int | None = None
    new_bytes: int | None = None
    base_gflops: float | None = None
    new_gflops: float | None = None
    base_gbs: float | None = None
    new_gbs: float | None = None
    base_intensity: float | None = None
    new_intensity: float | None = None
    base_arithmetic: str | None = None
    new_arithmetic: str | None = None


@dataclass
class ModuleChange(Change):
    """A module's own operators on both sides; `with_children` includes the modules below it."""

    module: str = ""
    with_children: GroupChange | None = None
    base_nodes: int = 0
    new_nodes: int = 0
    base_macs: int | None = None
    new_macs: int | None = None
    base_bytes: int | None = None
    new_bytes: int | None = None
    base_gflops: float | None = None
    new_gflops: float | None = None
    base_gbs: float | None = None
    new_gbs: float | None = None
    base_intensity: float | None = None
    new_intensity: float | None = None
    base_arithmetic: str | None = None
    new_arithmetic: str | None = None


@dataclass
class PatternChange(Change):
    """Repeated modules on both sides."""

    pattern: str = ""
    with_children: GroupChange | None = None
    base_nodes: int = 0
    new_nodes: int = 0
    base_macs: int | None = None
    new_macs: int | None = None
    base_bytes: int | None = None
    new_bytes: int | None = None
    base_gflops: float | None = None
    new_gflops: float | None = None
    base_gbs: float | None = None
    new_gbs: float | None = None
    base_intensity: float | None = None
    new_intensity: float | None = None
    base_arithmetic: str | None = None
    new_arithmetic: str | None = None


@dataclass
class BackendChange(Change):
    """A backend on both sides."""

    backend: str = ""
    base_nodes: int = 0
    new_nodes: int = 0
    base_macs: int | None = None
    new_macs: int | None = None
    base_bytes: int | None = None
    new_bytes: int | None = None
    base_gflops: float | None = None
    new_gflops: float | None = None
    base_gbs: float | None = None
    new_gbs: float | None = None
    base_intensity: float | None = None
    new_intensity: float | None = None
    base_arithmetic: str | None = None
    new_arithmetic: str | None = None


@dataclass
class SourceChange(Change):
    """A source line on both sides."""

    source: str = ""
    base_nodes: int = 0
    new_nodes: int = 0
    base_macs: int | None = None
    new_macs: int | None = None
    base_bytes: int | None = None
    new_bytes: int | None = None
    base_gflops: float | None = None
    new_gflops: float | None = None
    base_gbs: float | None = None
    new_gbs: float | None = None
    base_intensity: float | None = None
    new_intensity: float | None = None
    base_arithmetic: str | None = None
    new_arithmetic: str | None = None


@dataclass
class KernelChange(Change):
    """A kernel on both sides."""

    kernel: str = ""
    backend: str | None = None
    base_nodes: int = 0
    new_nodes: int = 0
    base_macs: int | None = None
    new_macs: int | None = None
    base_bytes: int | None = None
    new_bytes: int | None = None
    base_gflops: float | None = None
    new_gflops: float | None = None
    base_gbs: float | None = None
    new_gbs: float | None = None
    base_intensity: float | None = None
    new_intensity: float | None = None
    base_arithmetic: str | None = None
    new_arithmetic: str | None = None


@dataclass
class PatternOperatorChange(Change):
    """An operator in repeated modules on both sides."""

    pattern: str = ""
    op: str = ""
    base_nodes: int = 0
    new_nodes: int = 0
    base_macs: int | None = None
    new_macs: int | None = None
    base_bytes: int | None = None
    new_bytes: int | None = None
    base_gflops: float | None = None
    new_gflops: float | None = None
    base_gbs: float | None = None
    new_gbs: float | None = None
    base_intensity: float | None = None
    new_intensity: float | None = None
    base_arithmetic: str | None = None
    new_arithmetic: str | None = None


@dataclass
class ValueGap:
    """A value that both sides logged, and how far the two are apart."""

    base_node: str | None = None
    new_node: str | None = None
    role: str = ""
    index: int = 0
    output: int | None = None
    instruction_id: int | None = None
    base_run: int = 0
    new_run: int = 0
    run_pairs: int = 0
    problem: str | None = None
    mse: float | None = None
    l1: float | None = None
    max_abs_error: float | None = None
    snr_db: float | None = None
    elements: int | None = None
    left_out: int | None = None
    unlike: int | None = None


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
    base: SideFacts | None
    new: SideFacts | None
    differences: list[Difference]
    parts: list[PartChange]
    by_events: bool
    timed_nodes: int
    timed_paired: int
    may_differ: bool
    nodes: list[NodeChange] = field(default_factory=list)
    throughput: ThroughputChange | None = None
    by_op: list[OperatorChange] = field(default_factory=list)
    by_module: list[ModuleChange] = field(default_factory=list)
    by_pattern: list[PatternChange] = field(default_factory=list)
    by_backend: list[BackendChange] = field(default_factory=list)
    by_source: list[SourceChange] = field(default_factory=list)
    by_kernel: list[KernelChange] = field(default_factory=list)
    by_pattern_op: list[PatternOperatorChange] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    numeric_gap: list[ValueGap] = field(default_factory=list)


@dataclass
class Diff:
    """A comparison of two records. limit: relative changes within it are equal (None: no limit); recording_noise: the assumed relative difference between recordings; turns: whether the recordings were taken in turns."""

    limit: float | None
    recording_noise: float
    turns: str
    methods: list[MethodDiff]
    load: list[LoadChange]


@dataclass
class ComparedMethod:
    """A method of a record beside other records. The verdict is against the first record, which has none."""

    method: str | None = None
    typical: float | None = None
    low: float | None = None
    high: float | None = None
    load: float | None = None
    first_run: float | None = None
    ms_per_token: float | None = None
    delegated_nodes: float | None = None
    delegated_time: float | None = None
    macs: int | None = None
    output_snr_db: float | None = None
    outputs_equal: bool = False
    relative_change: float | None = None
    interval: list[float | None] | None = None
    verdict: str | None = None
    reason: str | None = None
    cause: str | None = None
    assumes: list[str] = field(default_factory=list)
    odd_recordings: list[OddRecordingOfSide] = field(default_factory=list)
    recordings_needed: int | None = None


@dataclass
class ComparedRecord:
    """A record beside others; `problem` says why it could not be read."""

    record: str = ""
    path: str = ""
    problem: str | None = None
    pte_bytes: int | None = None
    planned_bytes: int | None = None
    methods: list[ComparedMethod] = field(default_factory=list)


@dataclass
class ComparedRow:
    """What records have under one name: an operator type, module, kernel or pattern. `typical` has a time of each record, None if it has none."""

    method: str | None = None
    name: str = ""
    typical: list[float | None] = field(default_factory=list)


@dataclass
class Compare:
    """Records side by side. `rows` are those that `by` asked for; `notes` say what cannot be compared."""

    records: list[ComparedRecord]
    notes: list[str]
    by: str | None = None
    rows: list[ComparedRow] = field(default_factory=list)


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
