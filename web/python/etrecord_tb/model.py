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
from ._shown import Rows, number, shortened

Kind = TypeVar("Kind")


class _Answer:
    """What all dataclasses here have: they are shown and compared as dataclasses are. Made once, because making it for each of them takes longer than the package's import."""

    def _members(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._members().items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Answer) and type(other) is type(self) and other._members() == self._members()


@dataclass(repr=False, eq=False)
class Value(_Answer):
    """A tensor or number that a node defines. `shape` contains a symbolic size as its expression, such as "s77".

    Fields:
        shape: sizes; a symbolic one is its expression; None: not a tensor, or unknown
    """

    name: str
    dtype: str | None
    shape: list[int | str] | None


@dataclass(repr=False, eq=False)
class Source(_Answer):
    """A line of the model's source code."""

    file: str
    line: int
    function: str
    code: str


@dataclass(repr=False, eq=False)
class LoggedValue(_Answer):
    """A tensor or number that the runtime logged, with the statistics of its elements. Values of an event have `run`, those of a node `runs`, the number of runs that logged it.

    Fields:
        index: index among the values with the same run, instruction, delegate id and role
        role: result: of a node; argument: of a delegate's call, an input or an output of unknown origin; output: of the method
        node: the node that computed it; of an argument, and where it is not known, None
        output: which of the node's `outputs`: a tensor of a list is one
        value: the value of a scalar
        min: over the finite elements; None without a debug buffer
        runs: number of runs that logged it; statistics cover all of them, dtype and shape come from the first
        offset: first byte of a tensor in the debug buffer; None: no tensor, or one without elements
        strides: strides of the tensor in elements; None: it is contiguous, or no tensor
    """

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


@dataclass(repr=False, eq=False)
class Node(_Answer):
    """A node of a graph, with the times that were joined to it.

    Fields:
        inputs: names of the values used, in argument order
        subgraph: path of the control-flow body, lowered module or delegate that contains it
        module: as in the record: torch 2.6 writes "L['self'].blocks[0]", which is "blocks.0" everywhere else, including --module
        source: innermost frame outside torch
        avg: per inference: total over all runs / number of runs
        calls: number of executions per inference
        order: the instruction that runs it first, or calls its delegate; instructions run in the order of their numbers, branches and loops aside
        carried_by: for a fused node, the node whose time includes its own
        weight: the name of a parameter, buffer or constant
        aten_node: the node of aten/forward that it came from; for a node in a body, in the corresponding body of that graph
        edge_nodes: in program/METHOD: the Edge nodes of the instruction
        arguments: arguments other than tensors, by name, in argument order: {"stride": [1, 1], "transposed": false, "dtype": "float32"}. NaN and
            infinities are strings, symbolic numbers their expressions; "..." marks omissions in long ones. A program has no names: in program/METHOD
            arguments of well-known operators have ATen's, others are called by their place, "arg_3"; None in a list is computed by the program
        confidence: confidence that the time is this node's: 1 unless the match is an estimate, None without a time
        macs: multiply-accumulates per inference, as torch's FlopCounterMode counts them (half of its FLOP); of one call where nothing was timed;
            None: not known
        bytes: read and written per inference, each tensor once; of what a delegate fused what crosses the boundary
        weight_bytes: the part of bytes that is weights: not buffers that are written, such as caches
        gflops: 1e9 FLOP per second, two for each multiply-accumulate; operations of integers where arithmetic says so; None: cost or time unknown, or
            the clock's step too large a part of the time
        gbs: 1e9 bytes per second
        intensity: FLOP per byte
        of_peak: the time that `roofs` allow as a part of the time taken; None: no peak is known, or the operator is faster than it
        bound: what limits it at the peaks; None unless peaks were given
        arithmetic: what is multiplied; None: nothing
        unknown_costs: nodes whose macs or bytes are not known
        hinted_costs: nodes with symbolic sizes, for which the export's example is taken
        values: values that the runs logged of the node: empty without DebugEvents, and in graphs other than the method's Edge graph
        compute_units: where its operators ran, or were planned to run, as far as its backend records it; several if it is several operators
        estimated: its match is an estimate, or its time is; None if it has none
        cycles: as its backend counted them, per inference
        snr_db: SNR of its most suspicious logged value against the reference, in dB; None: not compared, or nothing differs
        equal: snr_db is above 100, or nothing differs; None: not compared
        drop_db: lowest SNR of the nearest compared values that it depends on, minus its own; each counts as at least 0 and at most 20 above that of
            the worst output
        local_snr_db: SNR against what the reference computes from the values that the device logged before
        other_inputs: in program/METHOD: names of values that it may use in place of these, because of jumps: those of another branch, or of the
            previous pass of a loop
        typical: per inference in the typical run
        module_types: the classes of the module's levels, outermost first
        frames: the whole stack trace, innermost frame first
    """

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


@dataclass(repr=False, eq=False)
class Graph(_Answer):
    """The graph of an entry point `module`/`method`, such as "edge/forward".

    Fields:
        runs: inferences that the times are of
        skipped_runs: inferences left out, as warm-up or by choice; `runs` counts the others
    """

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


@dataclass(repr=False, eq=False)
class Event(_Answer):
    """A row of ExecuTorch's Inspector. `raw`, `start_time` and `delegate_debug_metadata` have one value for each time that the event happened.

    If `unit` is "ns", the event has times, which are in the requested unit. Otherwise `raw`, `avg` and the other statistics are cycles, counts or bytes.

    Fields:
        op_types: all operators with its handles
        nodes: nodes that the event's time is attributed to; one in a body has its path: true_graph_0/aten_sin_default
        raw: one per occurrence
        start_time: ticks
        confidence: confidence of the nodes: 1 unless the match is an estimate, None without nodes
        role: what the event counts as: work; what wraps others, in no sum; a delegate's own time; a number that is no work. None: the runtime's own,
            or a load's
        phase: what a delegate's own time was spent on
        unit: ns: a time, in time_unit; otherwise raw, avg and the like are numbers as recorded
        delegate_debug_metadata: what the backend added, one per occurrence: text, or base64: and bytes that are not UTF-8; None if there is none
        values: values logged by the event's instruction or delegate operator, run by run
        note: what the metadata say, if their format is known
        typical: in the typical run of its block: the mean over the middle third of the block's runs
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


@dataclass(repr=False, eq=False)
class EventBlock(_Answer):
    """Runs with the same sequence of events. `run_outputs` are the values that the method returned.

    Fields:
        runs: indices of the ETDump's runs in this block
        method_rule: the rule that decided the method, or why none did
        run_outputs: values that the runs returned
    """

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


@dataclass(repr=False, eq=False)
class Statistics(_Answer):
    """Statistics of times, one time a run."""

    p10: float | None
    p50: float | None
    p90: float | None
    avg: float | None
    min: float | None
    max: float | None
    typical: float | None = None


@dataclass(repr=False, eq=False)
class FirstRun(_Answer):
    """A method's first runs, one of each ETDump, and the others: they took `factor` times the typical time of the others of their ETDump.

    Fields:
        execute: the median over ETDumps
        factor: first run / typical time of the others of its ETDump; the median over ETDumps
    """

    execute: float
    factor: float | None
    rest: Statistics


@dataclass(repr=False, eq=False)
class Noise(_Answer):
    """How steady runs are. verdict: "few_runs", "steady", "noisy", "two_modes", "step" or "drift"; cv: robust standard deviation / mean; text: a sentence about the verdict, or "".

    "two_modes" has mode_runs and mode_p50, the faster mode first. "step" and "drift" have change and over_runs, "step" also from_run, "drift" also stretches and start.

    Fields:
        cv: coefficient of variation, robust: 1.4826 times the median distance of the times' logarithms from their median, without outliers; None with
            fewer than two runs
        outliers: runs far from the median: by five times cv and 18 %; 0 if they are more than a fifth
        verdict: few_runs: fewer than 10; two_modes, step and drift take 20
        runs: runs that were judged: those with a time
        least_outlier: the least of these, in medians; None without outliers
        most_outlier: the largest of these, in medians; None without outliers
        text: two modes, a step, a drift or outliers in a sentence, with a time in the document's unit; empty where steady, noisy or few_runs says it
            all
        mode_runs: of two_modes: runs in the faster one, in the slower one; empty otherwise
        mode_p50: of two_modes: the medians of these; empty otherwise
        in_stretches: of two_modes: a mode mostly lasts for several runs
        change: of step: the time after it divided by the time before it, minus 1; of drift: the time of the last run divided by that of the first,
            minus 1; None otherwise
        from_run: of step: the first run after it, numbered as in info; None otherwise
        over_runs: of step: runs after it; of drift: runs in the longest stretch; None otherwise
        stretches: of drift: how often it starts anew, at a load or after runs of another kind; None otherwise
        start: of drift: time of the first run of a stretch, on the line; None otherwise
        unsure: of step and drift: fewer than 50 runs whose times, wandering slowly, could look the same
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


@dataclass(repr=False, eq=False)
class Throughput(_Answer):
    """How fast a language model reads and writes.

    Fields:
        tokens_per_run: elements of the token input, the mean over the typical run; None: not known
        ms_per_token: milliseconds, whatever time_unit is
        why: why it is not known; None if it is
        rate_text: tokens_per_second with its unit and as many digits as the runs support: "3,800 tokens/s"; None: not known, or one for each of
            phases_of_runs
    """

    tokens_per_run: float | None = None
    tokens_per_second: float | None = None
    ms_per_token: float | None = None
    why: str | None = None
    rate_text: str | None = None


@dataclass(repr=False, eq=False)
class OddRecording(_Answer):
    """A recording that differs from the others, by `change` (0.05: 5 % slower).

    Fields:
        change: its typical run divided by that of the others, minus 1
    """

    file: str = ""
    change: float = 0.0


@dataclass(repr=False, eq=False)
class OperatorFilter(_Answer):
    """What selects the same nodes elsewhere: the options --module, --op and --backend, or arguments of graphs()."""

    module: str | None = None
    op: str | None = None
    backend: str | None = None


@dataclass(repr=False, eq=False)
class LayerKind(_Answer):
    """The layers of one kind of a language model.

    Fields:
        share: of Method::execute
        count: operators that ran
    """

    kind: str = ""
    typical: float = 0.0
    avg: float = 0.0
    share: float | None = None
    count: int = 0


@dataclass(repr=False, eq=False)
class CacheBuffer(_Answer):
    """A buffer of the KV cache, or those of one layer.

    Fields:
        module: of the operator that writes it
        context: positions that it holds
    """

    module: str = ""
    buffer: str | None = None
    bytes: int = 0
    context: int = 0


@dataclass(repr=False, eq=False)
class KvCache(_Answer):
    """The KV cache of a language model, in bytes.

    Fields:
        bytes: of all buffers; those with the most positions double with the context
        per_token: bytes for each position
        context: positions: those of the buffer with the most
    """

    bytes: int = 0
    per_token: int = 0
    context: int = 0
    by_layer: list[CacheBuffer] = field(default_factory=list)


@dataclass(repr=False, eq=False)
class Part(_Answer):
    """A part of Method::execute; the parts add up to it.

    Fields:
        backend: None outside delegates; unknown: the files do not name it
    """

    part: str = ""
    backend: str | None = None
    typical: float = 0.0
    avg: float = 0.0
    share: float | None = None


@dataclass(repr=False, eq=False)
class AnswerPart(_Answer):
    """What a part of the sentence is about; `low` and `high` are shares, equal if nothing is hidden.

    Fields:
        kind: calls: of delegates; copies: those that a backend inserted; kernels: all on the CPU together
        op: of operators: one of them, or the kernel's name without a graph
        dtype: of the weight if there is one, else of the first output; int8 or 8da4w as the kernel computes; None: not known
        backend: None: the CPU or the runtime; unknown: the files do not name it
        count: operators, kernels or delegates; 0 of the runtime
        low: the least share of Method::execute without interruptions
        high: the largest share; equal to low if no clock hides anything
        filter: what the options --module, --op and --backend take to select it; None: it is on no node
    """

    kind: str = ""
    op: str | None = None
    dtype: str | None = None
    backend: str | None = None
    count: int = 0
    low: float = 0.0
    high: float = 0.0
    filter: OperatorFilter | None = None


@dataclass(repr=False, eq=False)
class Answer(_Answer):
    """The first sentence about a method, and what it is made of.

    Fields:
        text: the typical time per inference with its spread, as the first line of `summary` has it, then the two largest disjoint parts of at least
            10 %, without interruptions; of none that large, the largest; and interruptions. A range where a clock hides what is computing
        interrupted: share of Method::execute that is interruptions of single operators; 0 below a tenth
        usual: typical time of Method::execute without interruptions
        measure_again: operators were interrupted, or the runs differ much: measure again before anything is changed
        modes: medians of the two times that runs take, the faster first, if the typical time is of neither; else None
    """

    text: str = ""
    parts: list[AnswerPart] = field(default_factory=list)
    interrupted: float = 0.0
    usual: float = 0.0
    measure_again: bool = False
    modes: list[float] | None = None


@dataclass(repr=False, eq=False)
class Group(_Answer):
    """A row of the first screen; the rows add up to Method::execute.

    Fields:
        part: interruptions: what they added to the time of all other rows as it was recorded
        phase: of delegate_phases, as in phases
        pattern: of the module, as in by_pattern; "" for the top level; None: it is on no node
        op: the operator, or the kernel's name on no node; None of other parts
        dtype: as in answer
        backend: None: the CPU or the runtime
        count: nodes, distinct events or delegates; 0 of the runtime and of interruptions
        min: the least of the runs that count
        each: typical / count
        share: of the typical Method::execute
        estimated: the node or the time of at least 1 % of it is an estimate
        upper: some of it may be time of operators that a coarse clock hides
        filter: what the options --module, --op and --backend take to select it; None: it is on no node
        largest: typical time of the longest one of what count counts; None: not known
        interrupted: what interruptions added to its time as it was recorded, which is not in typical: an operator was interrupted that takes at least
            twice its median in a run whose others do not; 0 where all of it is less than a tenth of Method::execute
    """

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
    largest: float | None = None
    interrupted: float = 0.0


@dataclass(repr=False, eq=False)
class DelegatePhase(_Answer):
    """A phase that a backend recorded, or a wait that follows from two recorded times.

    Fields:
        text: what people read
    """

    backend: str | None = None
    phase: str = ""
    text: str = ""
    avg: float = 0.0
    typical: float = 0.0


@dataclass(repr=False, eq=False)
class ComputeUnitTime(_Answer):
    """The time on a compute unit (NPU, GPU, CPU), where the backend records it.

    Fields:
        text: what people read
    """

    backend: str | None = None
    compute_unit: str | None = None
    text: str = ""
    avg: float = 0.0
    typical: float = 0.0


@dataclass(repr=False, eq=False)
class OperatorSum(_Answer):
    """The time and the costs of all nodes of an operator.

    Fields:
        typical: per inference in the typical run
        share: of Method::execute; with stat p50 of the sum of the p50 of all rows of this list
        estimated: the part of avg that is estimated
        macs: multiply-accumulates per inference, as torch's FlopCounterMode counts them (half of its FLOP); of one call where nothing was timed;
            None: not known
        bytes: read and written per inference, each tensor once; of what a delegate fused what crosses the boundary
        weight_bytes: the part of bytes that is weights: not buffers that are written, such as caches
        gflops: 1e9 FLOP per second, two for each multiply-accumulate; operations of integers where arithmetic says so; None: cost or time unknown, or
            the clock's step too large a part of the time
        gbs: 1e9 bytes per second
        intensity: FLOP per byte
        of_peak: the time that `roofs` allow as a part of the time taken; None: no peak is known, or the operator is faster than it
        bound: what limits it at the peaks; None unless peaks were given
        arithmetic: what is multiplied; None: nothing
        unknown_costs: nodes whose macs or bytes are not known
        hinted_costs: nodes with symbolic sizes, for which the export's example is taken
    """

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


@dataclass(repr=False, eq=False)
class ModuleWithChildren(_Answer):
    """A module with all modules below it.

    Fields:
        p50: None in more than 64 levels
    """

    typical: float | None = None
    p50: float | None = None
    avg: float | None = None
    share: float | None = None
    count: int = 0
    macs: int | None = None
    bytes: int | None = None
    gflops: float | None = None
    gbs: float | None = None


@dataclass(repr=False, eq=False)
class ModuleSum(_Answer):
    """The time and the costs of a module's own operators, which add up; `with_children` includes the modules below it.

    Fields:
        level: 0: the top level
        with_children: the module with all below it
        typical: per inference in the typical run
        share: of Method::execute; with stat p50 of the sum of the p50 of all rows of this list
        estimated: the part of avg that is estimated
        macs: multiply-accumulates per inference, as torch's FlopCounterMode counts them (half of its FLOP); of one call where nothing was timed;
            None: not known
        bytes: read and written per inference, each tensor once; of what a delegate fused what crosses the boundary
        weight_bytes: the part of bytes that is weights: not buffers that are written, such as caches
        gflops: 1e9 FLOP per second, two for each multiply-accumulate; operations of integers where arithmetic says so; None: cost or time unknown, or
            the clock's step too large a part of the time
        gbs: 1e9 bytes per second
        intensity: FLOP per byte
        of_peak: the time that `roofs` allow as a part of the time taken; None: no peak is known, or the operator is faster than it
        bound: what limits it at the peaks; None unless peaks were given
        arithmetic: what is multiplied; None: nothing
        unknown_costs: nodes whose macs or bytes are not known
        hinted_costs: nodes with symbolic sizes, for which the export's example is taken
    """

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


@dataclass(repr=False, eq=False)
class PatternWithChildren(_Answer):
    """The modules of a pattern with all modules below them."""

    typical: float | None = None
    avg: float | None = None
    share: float | None = None
    count: int = 0
    macs: int | None = None
    bytes: int | None = None
    gflops: float | None = None
    gbs: float | None = None


@dataclass(repr=False, eq=False)
class PatternSum(_Answer):
    """Repeated modules as one row: layers.*.attention.

    Fields:
        pattern: a module's path with * for numbers that only count repetitions; "": the top level
        module_type: None: not told, or not the same of all
        level: 0: the top level
        median: of the modules' totals
        slowest: path of the module with the largest total
        with_children: the modules with all below them
        typical: per inference in the typical run
        share: of Method::execute; with stat p50 of the sum of the p50 of all rows of this list
        estimated: the part of avg that is estimated
        macs: multiply-accumulates per inference, as torch's FlopCounterMode counts them (half of its FLOP); of one call where nothing was timed;
            None: not known
        bytes: read and written per inference, each tensor once; of what a delegate fused what crosses the boundary
        weight_bytes: the part of bytes that is weights: not buffers that are written, such as caches
        gflops: 1e9 FLOP per second, two for each multiply-accumulate; operations of integers where arithmetic says so; None: cost or time unknown, or
            the clock's step too large a part of the time
        gbs: 1e9 bytes per second
        intensity: FLOP per byte
        of_peak: the time that `roofs` allow as a part of the time taken; None: no peak is known, or the operator is faster than it
        bound: what limits it at the peaks; None unless peaks were given
        arithmetic: what is multiplied; None: nothing
        unknown_costs: nodes whose macs or bytes are not known
        hinted_costs: nodes with symbolic sizes, for which the export's example is taken
    """

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


@dataclass(repr=False, eq=False)
class BackendSum(_Answer):
    """The time and the costs of the operators of a backend; None: no backend.

    Fields:
        typical: per inference in the typical run
        share: of Method::execute; with stat p50 of the sum of the p50 of all rows of this list
        estimated: the part of avg that is estimated
        macs: multiply-accumulates per inference, as torch's FlopCounterMode counts them (half of its FLOP); of one call where nothing was timed;
            None: not known
        bytes: read and written per inference, each tensor once; of what a delegate fused what crosses the boundary
        weight_bytes: the part of bytes that is weights: not buffers that are written, such as caches
        gflops: 1e9 FLOP per second, two for each multiply-accumulate; operations of integers where arithmetic says so; None: cost or time unknown, or
            the clock's step too large a part of the time
        gbs: 1e9 bytes per second
        intensity: FLOP per byte
        of_peak: the time that `roofs` allow as a part of the time taken; None: no peak is known, or the operator is faster than it
        bound: what limits it at the peaks; None unless peaks were given
        arithmetic: what is multiplied; None: nothing
        unknown_costs: nodes whose macs or bytes are not known
        hinted_costs: nodes with symbolic sizes, for which the export's example is taken
    """

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


@dataclass(repr=False, eq=False)
class SourceSum(_Answer):
    """The time and the costs of a line of the model's code.

    Fields:
        typical: per inference in the typical run
        share: of Method::execute; with stat p50 of the sum of the p50 of all rows of this list
        estimated: the part of avg that is estimated
        macs: multiply-accumulates per inference, as torch's FlopCounterMode counts them (half of its FLOP); of one call where nothing was timed;
            None: not known
        bytes: read and written per inference, each tensor once; of what a delegate fused what crosses the boundary
        weight_bytes: the part of bytes that is weights: not buffers that are written, such as caches
        gflops: 1e9 FLOP per second, two for each multiply-accumulate; operations of integers where arithmetic says so; None: cost or time unknown, or
            the clock's step too large a part of the time
        gbs: 1e9 bytes per second
        intensity: FLOP per byte
        of_peak: the time that `roofs` allow as a part of the time taken; None: no peak is known, or the operator is faster than it
        bound: what limits it at the peaks; None unless peaks were given
        arithmetic: what is multiplied; None: nothing
        unknown_costs: nodes whose macs or bytes are not known
        hinted_costs: nodes with symbolic sizes, for which the export's example is taken
    """

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


@dataclass(repr=False, eq=False)
class KernelSum(_Answer):
    """The time of a kernel, without the number in its name.

    Fields:
        kernel: its name without what tells equal ones apart, such as a number
        count: distinct events
    """

    kernel: str = ""
    backend: str | None = None
    typical: float = 0.0
    p50: float = 0.0
    p90: float = 0.0
    avg: float = 0.0
    share: float | None = None
    count: int = 0


@dataclass(repr=False, eq=False)
class Savings(_Answer):
    """What a finding could save; `low` None: up to `high`; `high` None: nothing is known. once: not in each inference, but once.

    Fields:
        low: None: nothing is known of the least
        high: None: nothing is known
        once: once, and not in each inference
        words: "a surer time" for measuring again; None: it saves time
    """

    low: float | None = None
    high: float | None = None
    once: bool = False
    words: str | None = None


@dataclass(repr=False, eq=False)
class CodeChange(_Answer):
    """The lines to change, before and after."""

    before: str = ""
    after: str = ""


@dataclass(repr=False, eq=False)
class Finding(_Answer):
    """What to do, why, what it could save, and how sure that is.

    Fields:
        title: what to change, as an imperative
        fact: the reason, in short; "" if the title says all
        evidence: why, in sentences; times are typical ones, of single runs what they took
        saving: saves, certainty, caveat and shares_with as a sentence
        saves: of this finding alone, per inference
        filter: what the options --module, --op and --backend take to select it; None: it is on no node
        code: code before and after the change; docs/findings.md has it in whole programs
        caveat: what limits the saving, or what is not known
        cost: the time that it is about: per inference, in the typical run, or spent once if `once`; for drift, half of what it adds up to over its
            runs; for step, modes, slow_runs, periodic and slow_operator, what the slow runs take longer, spread over all; None: it is not about time
        share: cost / execute.typical; None if spent once, or not about time
        slope: of drift: time per run; None of all others
        nodes: longest first; one in a body has its path, as in events
        instructions: instruction ids of the delegate calls
        shares_with: indices of earlier findings that are about some of the same time, so that the savings do not add up
        docs: address of the section that says how, such as docs/findings.md#quantize
        effort_text: what it takes, in words, such as "re-export"; None: nothing, since it is about looking at what the files at hand show
    """

    kind: str = ""
    title: str = ""
    fact: str = ""
    evidence: str = ""
    saving: str = ""
    saves: Savings | None = None
    effort: str = ""
    filter: OperatorFilter | None = None
    code: CodeChange | None = None
    certainty: str = ""
    caveat: str | None = None
    cost: float | None = None
    share: float | None = None
    slope: float | None = None
    nodes: list[str] = field(default_factory=list)
    instructions: list[int] = field(default_factory=list)
    shares_with: list[int] = field(default_factory=list)
    docs: str = ""
    effort_text: str | None = None


@dataclass(repr=False, eq=False)
class OutputGap(_Answer):
    """How far an output is from its reference.

    Fields:
        set: index of the method's set of reference outputs
        rule: why this set
        problem: why it could not be compared
        snr_db: also None if there is no difference, or the reference is all 0
        left_out: pairs that contain NaN or infinity
        unlike: those that differ
    """

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


@dataclass(repr=False, eq=False)
class AccuracyHead(_Answer):
    """How accurate the outputs are, and what comes first where they are not.

    Fields:
        reference: path of the reference; None: only outputs are compared, with the record's reference outputs
        reference_of: what the reference is, for people
        own_program: the reference was computed from this record, and not from another one such as the float model
        inputs: inputs of the reference
        output_snr_db: lowest SNR of the compared outputs; None: none was compared, or nothing differs
        text: the worst output and the value that is most suspicious, for people; None: no value was compared
    """

    reference: str | None = None
    reference_of: str = ""
    own_program: bool = False
    inputs: int = 0
    output_snr_db: float | None = None
    ranked_by: str = ""
    text: str | None = None


@dataclass(repr=False, eq=False)
class RunPhase(_Answer):
    """The runs of one phase of a method. told_by says how phases were distinguished: "sizes" and "events" are certain, "times" is an estimate.

    Fields:
        phase: prefill and decode if the sizes of logged values say so
        told_by: what tells the runs apart: the sizes of the values that they logged, their events, or how much longer their operators take
        estimated: true if told by times alone
        runs: those that count, numbered as in info
        throughput: tokens that a run reads, in the typical run; None if the method has no token input: an integer input of rank 2
    """

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


@dataclass(repr=False, eq=False)
class MethodSummary(_Answer):
    """Where a method's time goes: `parts` add up to Method::execute, in the typical run (`typical`) and over all runs (`avg`).

    nodes + delegate_only + framework + unexplained = execute.avg are sums of these parts: what is on nodes, what delegates take beside that, the runtime, and what
    nothing explains. Up to clock_hidden of the time of calling delegates may be time of operators, because the delegates' clock counts whole microseconds. filtered:
    the time of the nodes that the filters select.

    Fields:
        skipped_runs: inferences left out, as warm-up or by choice; `runs` counts the others
        estimated: the part of nodes whose match is an estimate
        delegate_only: the parts of delegates that are on no node: operators_unplaced with a backend, inserted, delegate_phases, opaque_delegates,
            call_overhead
        by_module: every module with timed nodes in it or below, parents first; avg, share, estimated, count, p50 and p90 cover nodes directly in it,
            total, total_share and total_count include everything below
        by_pattern: every module with timed nodes in it or below, parents first; avg, share, estimated, count, p50 and p90 cover nodes directly in it,
            total, total_share and total_count include everything below
        findings: what to do next: about accuracy first, then about the model by (low + high) / 2 times 1 for sure, 0.7 for likely, 0.5 for
            rule_of_thumb and 0.4 for possible, then about the measurement, then what was spent once. plugin/views/finding.h has the thresholds
        clock_hidden: the part of call_overhead that may be operator time, because the delegates' clock counts whole microseconds: at most half of one
            per operator
        estimated_confidence: confidence of the estimated times: the average over their events, weighted by time; None if nothing is estimated
        filtered: time on the selected nodes; equals nodes without a filter
        first_run: the first run of each ETDump against the others of the same ETDump; None if none has others
        noise: how much its runs vary; etr_noise in lib/etrecord.h has the limits; where its runs are of several phases, each counts in parts of its
            phase's median
        phases_of_runs: the kinds of runs that the method's times mix, in the order of their first run; empty if there is one kind
        output_gaps: the values that each run returned, against the record's reference_outputs
        phases: time of delegates on no node, by phase
        compute_units: time of delegates, on nodes or not, by what computed: None where the backend does not say
        accuracy: logged values against a reference; None: none was given or found, or it is of another method
        odd_recordings: of five recordings or more: those that differ from the others, and that typical times leave out
        estimated_typical: the same in the typical run
        clock_hidden_typical: the same in the typical run
        parts: the parts of the time: they add up to execute, in typical and in avg; parts without a time are left out
        by_kernel: kernels and operators of delegates, on nodes or not: they add up to the parts operators, operators_unplaced and inserted
        filtered_typical: the same in the typical run
        answer: where the time goes, in one sentence; None without runs
        groups: rows whose typical times add up to that of Method::execute, the longest first, without interruptions, which are a row of their own:
            operators of one kind in repeated modules, kernels on no node by name, and one row for each other part
        method_rule: by what its runs were found to be of it; "likely, by time" or "likely, by loads and time" where times decided, "known by
            record.json" where that did
        method_evidence: what that rule is based on; None if it says all
        candidates: of runs whose method nothing decides: the methods that they may be of
        throughput: tokens that a run reads, in the typical run; None if the method has no token input: an integer input of rank 2
        layer_kinds: where the time of a decoder goes; each operator is in exactly one kind, so they add up to nodes; empty if it is no decoder
        kv_cache: buffers that inferences write by position along one dimension; None if there are none
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


@dataclass(repr=False, eq=False)
class SourcePattern(_Answer):
    """The modules of a pattern that run a source line.

    Fields:
        pattern: of the modules that the line is run for; "": the top level
    """

    pattern: str = ""
    modules: int = 0
    typical: float | None = None
    avg: float = 0.0
    share: float | None = None
    count: int = 0


@dataclass(repr=False, eq=False)
class SourceLine(_Answer):
    """A source line with the time of its nodes. Nodes without a recorded line have file and line None.

    Fields:
        share: of Method::execute; with stat p50 of the sum of the p50 of all rows of this list
        estimated: the part of avg that is estimated
        macs: multiply-accumulates per inference, as torch's FlopCounterMode counts them (half of its FLOP); of one call where nothing was timed;
            None: not known
        bytes: read and written per inference, each tensor once; of what a delegate fused what crosses the boundary
        weight_bytes: the part of bytes that is weights: not buffers that are written, such as caches
        gflops: 1e9 FLOP per second, two for each multiply-accumulate; operations of integers where arithmetic says so; None: cost or time unknown, or
            the clock's step too large a part of the time
        gbs: 1e9 bytes per second
        intensity: FLOP per byte
        of_peak: the time that `roofs` allow as a part of the time taken; None: no peak is known, or the operator is faster than it
        bound: what limits it at the peaks; None unless peaks were given
        arithmetic: what is multiplied; None: nothing
        unknown_costs: nodes whose macs or bytes are not known
        hinted_costs: nodes with symbolic sizes, for which the export's example is taken
        patterns: adds up to the line
        typical: per inference in the typical run
    """

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


@dataclass(repr=False, eq=False)
class SourceFile(_Answer):
    """A file of the model's source code, with the time of its lines.

    Fields:
        file: as recorded; None: nodes without a recorded source
        share: of Method::execute; with stat p50 of the sum of the p50 of all files
        lines: by line
    """

    file: str | None
    avg: float
    p50: float | None
    share: float | None
    count: int
    lines: list[SourceLine]
    typical: float | None = None


@dataclass(repr=False, eq=False)
class MethodSource(_Answer):
    """The source lines of a model with their times, by file.

    Fields:
        skipped_runs: inferences left out, as warm-up or by choice; `runs` counts the others
        share: of Method::execute, by stat
        files: first by time, as stat says
        typical: time on the selected nodes: the sum of the files
        wrapper: the user's line that held 90 % or more, whose lines inside the library that it calls are listed instead; None: there is none
    """

    method: str | None
    runs: int
    skipped_runs: int
    avg: float | None
    share: float | None
    files: list[SourceFile]
    typical: float | None = None
    wrapper: Source | None = None


@dataclass(repr=False, eq=False)
class OperatorDelegation(_Answer):
    """How often an operator type is delegated, and the time of either side."""

    op_type: str
    delegated: int
    non_delegated: int
    delegated_avg: float | None
    non_delegated_avg: float | None
    delegated_p50: float | None
    non_delegated_p50: float | None
    delegated_typical: float | None = None
    non_delegated_typical: float | None = None


@dataclass(repr=False, eq=False)
class DelegateModule(_Answer):
    """A module with nodes in a delegate.

    Fields:
        pattern: modules that repeat have '*' for their numbers; "": the top level
    """

    pattern: str = ""
    count: int = 0


@dataclass(repr=False, eq=False)
class DelegateOperator(_Answer):
    """An operator with nodes in a delegate."""

    op: str = ""
    count: int = 0


@dataclass(repr=False, eq=False)
class Delegate(_Answer):
    """A delegate, called at `instruction`: the time of its graph operators (on_nodes, of which `estimated`), its overhead by phase, and the whole call by compute unit, if its backend records them.

    Fields:
        instruction: instruction of its call
        handles: entries in the debug handle map
        nodes: operators of the graph that run in it
        call: the whole call: on_nodes, off_nodes and its own time by phase add up to it; in the typical run, with --stat avg averages
        on_nodes: the part of it that is on its nodes
        estimated: the part of on_nodes that is estimated
        copy_in: its own time, by phase
        npu: by compute unit, on nodes or not; the rest of the call is not recorded
        typical: the whole call in the typical run; None: not timed
        macs: multiply-accumulates per inference; None: not known of all operators in it
        payload_bytes: that the program passes to it, weights included; None: there is no program
        weight_bytes: None: not known, as in a closed format, whose bytes include them
        off_nodes: the part of it in operators on no node, and in inserted copies
    """

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
    off_nodes: float | None = None


@dataclass(repr=False, eq=False)
class MethodDelegation(_Answer):
    """Delegated and non-delegated operators, as ExecuTorch's print_delegation_info counts them.

    Fields:
        skipped_runs: inferences left out, as warm-up or by choice; `runs` counts the others
        delegated_nodes: None: no graph says which operators there are
        delegates: times are per inference
        ambiguous: nodes that could be on the other side: debug handles do not say which of them delegates took, and the likelier side is counted
    """

    method: str
    runs: int
    skipped_runs: int
    delegated_subgraphs: int
    delegated_nodes: int | None
    non_delegated_nodes: int | None
    operators: list[OperatorDelegation]
    delegates: list[Delegate] = field(default_factory=list)
    ambiguous: int = 0  # nodes that may be counted on the wrong side


@dataclass(repr=False, eq=False)
class PlannedTensor(_Answer):
    """A tensor in a planned buffer, live from first_instruction to last_instruction inclusive. role: "activation", "input", "output" or "state".

    Fields:
        name: of the node's result or the weight; else "value_" and a number
        shape: sizes; the expression of a symbolic one; None: unknown
        buffer: id; None: the method has no such buffer
        last_instruction: both included
        made_by: instruction that first writes it; None: none, as of inputs and views
        op: what made it
        view_of: the tensor in whose memory it lies on purpose; its bytes count there
        largest_shape: the shape is dynamic, and this the largest
        misplaced: contradicts the program: in no sum
    """

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


@dataclass(repr=False, eq=False)
class PlannedBuffer(_Answer):
    """A buffer of planned memory.

    Fields:
        id: memory_id of tensors
        device: "cpu", "cuda:0"
        top_bytes: end of the tensor that lies highest
        peak_bytes: most that is live at one instruction
        unused_bytes: planned, but not live then
    """

    id: int
    device: str
    planned_bytes: int
    top_bytes: int
    peak_bytes: int
    unused_bytes: int
    peak_instruction: int | None
    tensors: int


@dataclass(repr=False, eq=False)
class MemoryPeak(_Answer):
    """The most bytes that are live at one instruction. tensors: indices into MemoryPlan.tensors, most bytes first.

    Fields:
        instruction: the first with as many live bytes
        tensors: indices into tensors, most bytes first
    """

    bytes: int
    instruction: int
    op: str
    module: str
    tensors: list[int]


@dataclass(repr=False, eq=False)
class PlanInstructions(_Answer):
    """What the plan holds at each instruction, as lists of one length.

    Fields:
        op: index into names: the node's operator, or what the program calls it; of a delegate its backend
        module: index into names; "": the top level, or not known
    """

    count: int = 0
    live_bytes: list[int] = field(default_factory=list)
    op: list[int] = field(default_factory=list)
    module: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


@dataclass(repr=False, eq=False)
class BoundaryTensor(_Answer):
    """An input or output of a method.

    Fields:
        shape: sizes; the expression of a symbolic one; None: unknown
        planned: false: the application provides the memory
    """

    role: str = ""
    index: int = 0
    name: str = ""
    dtype: str | None = None
    shape: list[int | str] | None = None
    bytes: int = 0
    largest_shape: bool = False
    planned: bool = False


@dataclass(repr=False, eq=False)
class DelegateBlob(_Answer):
    """The data of a delegate.

    Fields:
        instruction: the first that calls a delegate with these bytes
        delegates: that have them
        segment: index into the program's segments; None: inside the program
        weight_bytes: of its weights, in these bytes or in named data; None: the format is closed, and they are part of `bytes`
    """

    backend: str = ""
    instruction: int | None = None
    delegates: int = 0
    bytes: int = 0
    segment: int | None = None
    weight_bytes: int | None = None


@dataclass(repr=False, eq=False)
class MemoryPlan(_Answer):
    """The memory that the program plans, in bytes. instructions, inputs_and_outputs and delegates are dicts.

    Fields:
        planned_bytes: of all buffers
        peak: None: nothing is live
        instructions: a value for each instruction
        tensors: planned tensors, in the order of their first use
        delegates: what the program gives delegates
        method_allocator: least size of the runtime's method allocator: what Method::init of ExecuTorch 1.5 takes, without what backends' init takes
    """

    planned_bytes: int
    peak: MemoryPeak | None
    buffers: list[PlannedBuffer]
    instructions: PlanInstructions
    tensors: list[PlannedTensor]
    inputs_and_outputs: list[BoundaryTensor]
    delegates: list[DelegateBlob]
    method_allocator: dict[str, int] = field(default_factory=dict)


@dataclass(repr=False, eq=False)
class MemoryFinding(_Answer):
    """A finding that could save `bytes`."""

    kind: str
    title: str
    evidence: str
    bytes: int
    instruction: int | None


@dataclass(repr=False, eq=False)
class Weight(_Answer):
    """A weight of the program.

    Fields:
        shape: sizes; the expression of a symbolic one; None: unknown
        bytes: None: dtype or shape tell none
    """

    name: str = ""
    kind: str = ""
    module: str = ""
    dtype: str | None = None
    shape: list[int | str] | None = None
    bytes: int | None = None


@dataclass(repr=False, eq=False)
class WeightSum(_Answer):
    """The weights of a module, or of a type.

    Fields:
        module: by the weights' names; "": the top level
        dtype: "" if unknown
        count: tensors
    """

    module: str = ""
    dtype: str = ""
    count: int = 0
    bytes: int = 0


@dataclass(repr=False, eq=False)
class MissingWeight(_Answer):
    """A weight that the program does not have."""

    what: str = ""
    text: str = ""


@dataclass(repr=False, eq=False)
class MethodMemory(_Answer):
    """The memory of a method, in bytes; plan is None without a .pte.

    Fields:
        plan: None: no program tells
        weights: of the Edge graph, in its order
        weight_sums: most bytes first
        not_in_program: what takes memory that the program does not tell
        findings: most bytes first
        kv_cache: buffers that inferences write by position along one dimension; None if there are none
    """

    method: str
    plan: MemoryPlan | None
    weights: list[Weight]
    weight_sums: list[WeightSum]
    not_in_program: list[MissingWeight]
    findings: list[MemoryFinding]
    kv_cache: KvCache | None = None

    def __repr__(self) -> str:
        return f"<MethodMemory {self.method}: {len(self.weights)} weights, {len(self.plan.tensors) if self.plan else 0} planned tensors>"

    def _cells(self) -> dict[str, Any]:
        """The columns of its row in a notebook."""
        plan = self.plan
        return {"method": self.method, "planned bytes": plan.planned_bytes if plan else None, "peak bytes": plan.peak.bytes if plan and plan.peak else None, "weights": len(self.weights)}


@dataclass(repr=False, eq=False)
class OddRecordingOfSide(_Answer):
    """A recording that differs from the others of its side, by `change` (0.05: 5 % slower).

    Fields:
        change: its typical run divided by that of the others, minus 1
    """

    side: str = ""
    file: str = ""
    change: float = 0.0


@dataclass(repr=False, eq=False)
class Change(_Answer):
    """The times of one thing on both sides. A recording is one ETDump, a run is one inference.

    verdict: "slower", "faster", "equal" (within the limit), "likely_slower", "likely_faster", "likely_equal", "cannot_tell", "untimed", "gone" or "new".
    reason: why the data do not surely decide; cause: what in the runs explains that; assumes: what the interval assumes ("in_turns", "recording_noise").
    interval: the bounds of relative_change (0.041 is 4.1 % slower); None in it means no bound, None instead of it that the change is obvious or nothing can be said.
    recordings_needed: the number of recordings on each side, in all, that would decide. odd_recordings: of a method, those that differ from the others of their side.

    Fields:
        base_typical: in the typical run; None on a side that did not time it
        change_typical: typical times add up, a side that did not time it counting nothing; see methods
        base_avg: per inference; None on a side that did not time it
        change_avg: averages add up like typical times
        base_p50: median over base_runs; medians do not add up
        relative_change: new_typical / base_typical - 1: 0.041 for 4.1 % slower; None unless timed on both sides
        interval: lower and upper bound of relative_change, at 95 % for execute and load, at the level of their family for rows; None in it: no upper
            bound. None: not timed on both sides, obvious, or reason is few_runs or clock
        base_recordings: ETDumps that base_runs are of
        verdict: slower or faster: the interval excludes 0, or all runs of one side are at least 4 times as long as all of the other; equal: it is
            within the limit; likely_...: if what it assumes is true; untimed: not timed on both sides
        reason: why the data do not surely decide; None if they do
        cause: of execute: what is seen in the runs that explains why
        assumes: what the interval assumes: that the recordings were taken in turns; by how much recordings of one program differ
        odd_recordings: of execute: recordings that differ from the others of their side, of five or more; they are left out of typical times, not of
            the verdict
        recordings_needed: for execute and load: how many recordings on each side, in all, would decide whether it changed, or whether it is above the
            limit, in 4 of 5 cases; None: it is decided, not known, or more than 50
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


@dataclass(repr=False, eq=False)
class NodeChange(Change):
    """A node of both records, or of one of them. rule: why the two were paired.

    Fields:
        base_name: None: the node is new
        new_name: None: the node is gone
        base_node: index into the nodes of the method's Edge graph; None if missing, and for events
        rule: how the two were matched
        base_macs: multiply-accumulates per inference; None: not known, of documents, and of what this side has not
        base_bytes: read and written per inference
        base_gflops: 1e9 FLOP per second; operations of integers where arithmetic says so; None: cost or time unknown, or the clock's step too large a
            part of the time
        base_gbs: 1e9 bytes per second
        base_intensity: FLOP per byte
        base_arithmetic: what is multiplied; None: nothing, or it is not known
    """

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


@dataclass(repr=False, eq=False)
class LoadChange(Change):
    """How the time of loading changed."""

    event_name: str


@dataclass(repr=False, eq=False)
class AccuracyMeasures(_Answer):
    """How far a value is from its reference. etrecord_accuracy.h has the formulas.

    Fields:
        snr_db: 10 * log10(mean of reference^2 / mse); also None if nothing differs, or the reference is all 0
        equal: nothing differs, or snr_db is above 100
        psnr_db: 10 * log10(largest reference^2 / mse)
        mse: mean of squared differences
        l1: sum of absolute differences
        max_abs: largest absolute difference
        rel_l2: sqrt(mse / mean of reference^2)
        bias: mean of value - reference
        left_out: elements that are NaN or infinite on either side, which the measures leave out
        nonfinite: those that differ from the reference
    """

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


@dataclass(repr=False, eq=False)
class TapStatistic(_Answer):
    """A statistic that a tap computed on the device, and what it should be.

    Fields:
        name: as in taps.json
        value: of the device
        reference: of the reference's complete tensor
        difference: absolute, divided by the reference; min, max, mean and std: by its rms; counts: by the number of elements. Also None if it is
            infinite
    """

    name: str = ""
    value: float | None = None
    reference: float | None = None
    difference: float | None = None


@dataclass(repr=False, eq=False)
class ValueAccuracy(_Answer):
    """A value that a run logged, compared with its reference; `problem` says why it was not. `local` compares it with what the reference computes from the values that the
    device logged before, and so shows the error that the operators of `segment` added.

    Fields:
        node: with the number of its output, if not the first
        source: file and line
        backend: None: a kernel
        input: input of the reference
        input_evidence: why the run has this input
        index: among the values of the instruction
        output: which of the node's outputs
        role: output: the method returns it; tap: only because of intermediate_output_tap
        segment: operators since the nearest compared values, the last one is the node
        aten_node: node of the reference's aten/METHOD with this value
        strides: in elements
        offset: of the tensor in the debug buffer, in bytes
        max_at: indices of the element with the largest difference; empty if there is none
        drop_db: lowest SNR of the nearest compared values that the node depends on, minus its own; each counts as at least 0 and at most 20 above
            that of the worst output
        local: against what the reference computes from the values that the device logged before
        impact_snr_db: SNR of the outputs if this segment's error were the only one
        steps_off: share of the stored integers that differ
        most_steps: largest difference of the stored integers
        scale: with which it was dequantized; None also if each channel has its own
        problem: why it was not compared
        snr_db: 10 * log10(mean of reference^2 / mse); also None if nothing differs, or the reference is all 0
        equal: nothing differs, or snr_db is above 100
        psnr_db: 10 * log10(largest reference^2 / mse)
        mse: mean of squared differences
        l1: sum of absolute differences
        max_abs: largest absolute difference
        rel_l2: sqrt(mse / mean of reference^2)
        bias: mean of value - reference
        left_out: elements that are NaN or infinite on either side, which the measures leave out
        nonfinite: those that differ from the reference
        computed_by: the node, or for quantize and dequantize nodes the operator whose value they carry; module, op and source are its own
        statistics: what a tap returned instead of the tensor; there is no SNR of them
        statistics_difference: the largest of the statistics' differences, 0.01 is 1 %
        statistics_text: the statistic with this difference
        origin: nothing of the reference is left, although all compared values that it depends on are sound
        stands_out: it is worth naming; if no value does, there are no candidates
    """

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


@dataclass(repr=False, eq=False)
class Accuracy(_Answer):
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

    def _repr_html_(self) -> str:
        return Rows(self.values)._repr_html_()


@dataclass(repr=False, eq=False)
class SideFacts(_Answer):
    """What a side of a comparison is.

    Fields:
        skipped_runs: inferences left out, as warm-up or by choice
        steadiness: two modes, a step, a drift or interruptions of its runs; None if they have none
    """

    runs: int = 0
    skipped_runs: int = 0
    steadiness: str | None = None


@dataclass(repr=False, eq=False)
class ThroughputChange(_Answer):
    """How fast a language model reads and writes, on both sides.

    Fields:
        base_ms_per_token: milliseconds of the typical run, whatever time_unit is
        verdict: that of execute; None if runs of one side read more tokens than those of the other
        text: for people
    """

    base_tokens_per_run: float | None = None
    new_tokens_per_run: float | None = None
    base_ms_per_token: float | None = None
    new_ms_per_token: float | None = None
    base_tokens_per_second: float | None = None
    new_tokens_per_second: float | None = None
    verdict: str | None = None
    text: str = ""


@dataclass(repr=False, eq=False)
class Difference(_Answer):
    """Something besides times that differs between the sides.

    Fields:
        name: of the input
        base: None: nothing of the kind
    """

    kind: str = ""
    name: str | None = None
    base: str | None = None
    new: str | None = None


@dataclass(repr=False, eq=False)
class PartChange(_Answer):
    """A part of Method::execute on both sides.

    Fields:
        text: for people
        relative_change: as of a change, and so are the next members
        verdict: None: a document of an older version does not say
    """

    part: str = ""
    backend: str | None = None
    base_typical: float = 0.0
    new_typical: float = 0.0
    change_typical: float = 0.0
    base_avg: float = 0.0
    new_avg: float = 0.0
    change_avg: float = 0.0
    text: str = ""
    relative_change: float | None = None
    interval: list[float | None] | None = None
    verdict: str | None = None
    reason: str | None = None


@dataclass(repr=False, eq=False)
class GroupChange(Change):
    """The times of a group of nodes on both sides.

    Fields:
        base_nodes: timed nodes
        base_macs: multiply-accumulates per inference; None: not known, of documents, and of what this side has not
        base_bytes: read and written per inference
        base_gflops: 1e9 FLOP per second; operations of integers where arithmetic says so; None: cost or time unknown, or the clock's step too large a
            part of the time
        base_gbs: 1e9 bytes per second
        base_intensity: FLOP per byte
        base_arithmetic: what is multiplied; None: nothing, or it is not known
        base_key: of a module or pattern that the base calls otherwise: its name there; else None
    """

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
    base_key: str | None = ""


@dataclass(repr=False, eq=False)
class OperatorChange(Change):
    """An operator on both sides.

    Fields:
        base_nodes: timed nodes
        base_macs: multiply-accumulates per inference; None: not known, of documents, and of what this side has not
        base_bytes: read and written per inference
        base_gflops: 1e9 FLOP per second; operations of integers where arithmetic says so; None: cost or time unknown, or the clock's step too large a
            part of the time
        base_gbs: 1e9 bytes per second
        base_intensity: FLOP per byte
        base_arithmetic: what is multiplied; None: nothing, or it is not known
        base_key: of a module or pattern that the base calls otherwise: its name there; else None
    """

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
    base_key: str | None = ""


@dataclass(repr=False, eq=False)
class ModuleChange(Change):
    """A module's own operators on both sides; `with_children` includes the modules below it.

    Fields:
        with_children: the module with all below it, on both sides
        base_nodes: timed nodes
        base_macs: multiply-accumulates per inference; None: not known, of documents, and of what this side has not
        base_bytes: read and written per inference
        base_gflops: 1e9 FLOP per second; operations of integers where arithmetic says so; None: cost or time unknown, or the clock's step too large a
            part of the time
        base_gbs: 1e9 bytes per second
        base_intensity: FLOP per byte
        base_arithmetic: what is multiplied; None: nothing, or it is not known
        base_key: of a module or pattern that the base calls otherwise: its name there; else None
    """

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
    base_key: str | None = ""


@dataclass(repr=False, eq=False)
class PatternChange(Change):
    """Repeated modules on both sides.

    Fields:
        with_children: the modules with all below them, on both sides
        base_nodes: timed nodes
        base_macs: multiply-accumulates per inference; None: not known, of documents, and of what this side has not
        base_bytes: read and written per inference
        base_gflops: 1e9 FLOP per second; operations of integers where arithmetic says so; None: cost or time unknown, or the clock's step too large a
            part of the time
        base_gbs: 1e9 bytes per second
        base_intensity: FLOP per byte
        base_arithmetic: what is multiplied; None: nothing, or it is not known
        base_key: of a module or pattern that the base calls otherwise: its name there; else None
    """

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
    base_key: str | None = ""


@dataclass(repr=False, eq=False)
class BackendChange(Change):
    """A backend on both sides.

    Fields:
        base_nodes: timed nodes
        base_macs: multiply-accumulates per inference; None: not known, of documents, and of what this side has not
        base_bytes: read and written per inference
        base_gflops: 1e9 FLOP per second; operations of integers where arithmetic says so; None: cost or time unknown, or the clock's step too large a
            part of the time
        base_gbs: 1e9 bytes per second
        base_intensity: FLOP per byte
        base_arithmetic: what is multiplied; None: nothing, or it is not known
        base_key: of a module or pattern that the base calls otherwise: its name there; else None
    """

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
    base_key: str | None = ""


@dataclass(repr=False, eq=False)
class SourceChange(Change):
    """A source line on both sides.

    Fields:
        source: file:line; empty if it is unknown
        base_nodes: timed nodes
        base_macs: multiply-accumulates per inference; None: not known, of documents, and of what this side has not
        base_bytes: read and written per inference
        base_gflops: 1e9 FLOP per second; operations of integers where arithmetic says so; None: cost or time unknown, or the clock's step too large a
            part of the time
        base_gbs: 1e9 bytes per second
        base_intensity: FLOP per byte
        base_arithmetic: what is multiplied; None: nothing, or it is not known
        base_key: of a module or pattern that the base calls otherwise: its name there; else None
    """

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
    base_key: str | None = ""


@dataclass(repr=False, eq=False)
class KernelChange(Change):
    """A kernel on both sides.

    Fields:
        base_nodes: timed nodes
        base_macs: multiply-accumulates per inference; None: not known, of documents, and of what this side has not
        base_bytes: read and written per inference
        base_gflops: 1e9 FLOP per second; operations of integers where arithmetic says so; None: cost or time unknown, or the clock's step too large a
            part of the time
        base_gbs: 1e9 bytes per second
        base_intensity: FLOP per byte
        base_arithmetic: what is multiplied; None: nothing, or it is not known
        base_key: of a module or pattern that the base calls otherwise: its name there; else None
    """

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
    base_key: str | None = ""


@dataclass(repr=False, eq=False)
class PatternOperatorChange(Change):
    """An operator in repeated modules on both sides.

    Fields:
        base_nodes: timed nodes
        base_macs: multiply-accumulates per inference; None: not known, of documents, and of what this side has not
        base_bytes: read and written per inference
        base_gflops: 1e9 FLOP per second; operations of integers where arithmetic says so; None: cost or time unknown, or the clock's step too large a
            part of the time
        base_gbs: 1e9 bytes per second
        base_intensity: FLOP per byte
        base_arithmetic: what is multiplied; None: nothing, or it is not known
        base_key: of a module or pattern that the base calls otherwise: its name there; else None
    """

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
    base_key: str | None = ""


@dataclass(repr=False, eq=False)
class ValueGap(_Answer):
    """A value that both sides logged, and how far the two are apart.

    Fields:
        base_node: None: a result of the method, or a value known only by its instruction
        output: which of the node's outputs
        base_run: from the pair of runs that differs most, like the gap
        problem: why they could not be compared
        snr_db: also None if there is no difference, or the reference is all 0
        left_out: pairs that contain NaN or infinity
        unlike: those that differ
    """

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


@dataclass(repr=False, eq=False)
class MethodDiff(_Answer):
    """What became slower or faster in a method.

    Typical times and averages of the rows add up to the part `operators` of `parts`, and the parts to `execute`. `differences` lists inputs, types and backends that differ.

    Fields:
        execute: Method::execute
        verdict_text: what is said of Method::execute: "12.3 % slower (between 10.1 and 14.5 %)"
        reason_text: why that, or whether it is above the limit, is not sure, and what would help
        odd_text: names the odd recordings; None if there are none
        base: inferences of the base; None if it has no such method
        new: likewise, of the newer record; None if it has no such method
        differences: what makes the two no like with like
        parts: the parts of the time: they add up to execute, in typical and in avg; 0 on a side without it
        by_events: a side has no graph, so nodes are events
        timed_nodes: of both sides together
        timed_paired: those with a match on the other side
        may_differ: these may be different models: fewer than half of the weights have the same shapes, or no timed node matches; without weights,
            hardly any timed nodes and modules match
        throughput: tokens of the typical run; None if the runs of neither side are known to read tokens
        by_module: every module with timed operators in it or below, on either side, also in paths between: its members are of the operators directly
            in it and add up
        by_pattern: of modules that repeat, as one; rows as in by_module
        by_source: of the model's source lines; empty of documents
        by_kernel: kernels and operators of delegates by name, on nodes and on none: they add up to the parts operators, operators_unplaced and
            inserted; empty of documents
        by_pattern_op: each operator type in the modules of a pattern; only together with all other lists
        findings: what to do next about the newer side, as in summary.schema.json; none if that side was read from a document
        numeric_gap: values logged on both sides, in the newer side's order
        answer: the sentence about Method::execute; None: nothing that is worth a word, or two models
        unlike_text: in what the two sides differ, such as inputs and backends; None: in nothing that makes a difference
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
    answer: dict[str, str] | None = None
    unlike_text: str | None = None

    def __repr__(self) -> str:
        return f"<MethodDiff {self.method}: {self.verdict_text}; {len(self.nodes)} nodes>"

    def _cells(self) -> dict[str, Any]:
        """The columns of its row in a notebook."""
        return {"method": self.method, "base": self.execute.base_typical, "new": self.execute.new_typical, "verdict": self.verdict_text, "reason": self.reason_text or ""}


@dataclass(repr=False, eq=False)
class Diff(_Answer):
    """A comparison of two records. limit: relative changes within it are equal (None: no limit); recording_noise: the assumed relative difference between recordings; turns: whether the recordings were taken in turns."""

    limit: float | None
    recording_noise: float
    turns: str
    methods: list[MethodDiff]
    load: list[LoadChange]

    def _repr_html_(self) -> str:
        return Rows(self.methods)._repr_html_()


@dataclass(repr=False, eq=False)
class ComparedMethod(_Answer):
    """A method of a record beside other records. The verdict is against the first record, which has none.

    Fields:
        typical: Method::execute in the typical run; None: it was not timed
        low: least of the recordings' typical runs; of one recording p10 of its runs; None with fewer than five of them
        high: most of the recordings' typical runs; of one recording p90 of its runs
        load: None: no load was recorded, or it is not known which method it was for
        first_run: warm-up included; of several ETDumps the median
        delegated_nodes: share of the Edge graph's operators: 0.8 for 80 %
        delegated_time: share of the typical run without interruptions, calling the delegates included
        macs: multiply-accumulates per inference; None: not known of all operators
        output_snr_db: of the worst output, against the reference or the first record; None: none was compared, an output has wrong NaN or infinities,
            or all are equal
        outputs_equal: outputs were compared, and nothing differs
        relative_change: typical / typical of the first record - 1; None: of the first record, or a side was not timed
        interval: of relative_change, at the level that Holm's procedure left
        verdict: as in diff, corrected by Holm over the records; None: the first record has no verdict, nor what it lacks
        change: by how much it is slower or faster than the first, in words, with the digits that the recordings support; None: nothing is told
    """

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
    change: str | None = None


@dataclass(repr=False, eq=False)
class ComparedRecord(_Answer):
    """A record beside others; `problem` says why it could not be read.

    Fields:
        record: what it is called: the last part of its path, or all of it where two would be called the same
        problem: why it could not be read; None: it could
        pte_bytes: size of the program; None: there is no .pte
        planned_bytes: memory that the program plans, of all its methods together
        methods: those that ran or, if none did, all; empty of a record that could not be read
    """

    record: str = ""
    path: str = ""
    problem: str | None = None
    pte_bytes: int | None = None
    planned_bytes: int | None = None
    methods: list[ComparedMethod] = field(default_factory=list)


@dataclass(repr=False, eq=False)
class ComparedRow(_Answer):
    """What records have under one name: an operator type, module, kernel or pattern. `typical` has a time of each record, None if it has none.

    Fields:
        name: the empty text is the top level of the model
        typical: of each record; None: it has no such row
    """

    method: str | None = None
    name: str = ""
    typical: list[float | None] = field(default_factory=list)


@dataclass(repr=False, eq=False)
class Compare(_Answer):
    """Records side by side. `rows` are those that `by` asked for; `notes` say what cannot be compared."""

    records: list[ComparedRecord]
    notes: list[str]
    by: str | None = None
    rows: list[ComparedRow] = field(default_factory=list)


@dataclass(repr=False, eq=False)
class ETRecord(_Answer):
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
        return shortened(data)
    return build_all(kind, data) if isinstance(data, list) else build(kind, data)


def dataframe(rows: list[Any]) -> Any:
    """Makes a DataFrame of pandas. rows: dataclasses, such as nodes or events, of which each is a row. Needs pandas."""
    import pandas

    return pandas.DataFrame([vars(row) for row in rows])
