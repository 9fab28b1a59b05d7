# SPDX-License-Identifier: BSD-3-Clause
"""What the library tells, as plain dataclasses with the names of its JSON (schema/): None is "not known" or "not timed".

Times are in the unit that was asked for, milliseconds unless said otherwise.
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field


@dataclass
class Value:
    """A tensor or number that a node defines. A symbolic size in `shape` is its expression: "s77"."""

    name: str
    dtype: str | None
    shape: list[int | str] | None


@dataclass
class Source:
    """A line of the model's own code."""

    file: str
    line: int
    function: str
    code: str


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
    runs_as: str | None = None
    carried_by: str | None = None
    weight: str | None = None
    aten_node: str | None = None
    edge_nodes: list[str] = field(default_factory=list)
    arguments: dict = field(default_factory=dict)
    confidence: float | None = None


@dataclass
class Graph:
    """An entry point, `module`/`method`."""

    module: str
    method: str
    entry: str
    dialect: str | None
    nodes: list[Node]


@dataclass
class Event:
    """A row of ExecuTorch's Inspector. `raw` and `start_time` have one value for each time it happened."""

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


@dataclass
class EventBlock:
    """Runs with the same sequence of events."""

    event_block_name: str
    runs: list[int]
    method: str | None
    method_rule: str
    events: list[Event]

    def to_dataframe(self):
        """The events as pandas' DataFrame, a row each. Needs pandas."""
        return dataframe(self.events)


@dataclass
class Statistics:
    p10: float | None
    p50: float | None
    p90: float | None
    avg: float | None
    min: float | None
    max: float | None


@dataclass
class MethodSummary:
    """Where a method's time goes: nodes + delegate_only + framework + unexplained is execute.avg. The rows of by_... are dicts.

    delegate_only is inserted, operators of a lowering that no node stands for, and rest_of_calls; up to clock_hidden of that
    can be operators' time that the delegates' clock of whole microseconds cannot show.
    """

    method: str | None
    runs: int
    execute: Statistics
    nodes: float
    estimated: float
    delegate_only: float
    framework: float
    unexplained: float
    by_op: list[dict]
    by_module: list[dict]
    by_backend: list[dict]
    by_source: list[dict]
    findings: list[dict] = field(default_factory=list)
    inserted: float = 0.0
    rest_of_calls: float = 0.0
    clock_hidden: float = 0.0
    estimated_confidence: float | None = None


@dataclass
class OperatorDelegation:
    op_type: str
    delegated: int
    non_delegated: int
    delegated_avg: float | None
    non_delegated_avg: float | None


@dataclass
class MethodDelegation:
    """What is delegated, as ExecuTorch's print_delegation_info counts it."""

    method: str
    delegated_subgraphs: int
    delegated_nodes: int
    non_delegated_nodes: int
    operators: list[OperatorDelegation]


@dataclass
class ETRecord:
    """A record's graphs, by entry point: "edge/forward". `info` is what `etrecord-tb info --format json` says."""

    graphs: dict[str, Graph]
    info: dict

    @property
    def exported_program(self) -> Graph | None:
        """The ATen program."""
        return self.graphs.get("aten/forward")

    @property
    def edge_dialect_program(self) -> dict[str, Graph]:
        """The Edge program of each method."""
        return {graph.method: graph for graph in self.graphs.values() if graph.module == "edge"}


@functools.lru_cache(maxsize=None)
def _fields(kind):
    """Name of each field, and the dataclass that it or its items are; None of all else."""
    return [(item.name, _NESTED.get((kind, item.name))) for item in dataclasses.fields(kind)]


_NESTED = {
    (Node, "outputs"): Value,
    (Node, "source"): Source,
    (Graph, "nodes"): Node,
    (EventBlock, "events"): Event,
    (MethodSummary, "execute"): Statistics,
    (MethodDelegation, "operators"): OperatorDelegation,
}


def build(kind, data):
    """A dataclass from JSON; keys that it has no field for are left out, so that a newer library may tell more."""
    if isinstance(data, list):
        return [build(kind, item) for item in data]
    if data is None:
        return None
    return kind(**{name: build(nested, data[name]) if nested else data[name] for name, nested in _fields(kind) if name in data})


def dataframe(rows):
    """Dataclasses as pandas' DataFrame, a row each. Needs pandas."""
    import pandas

    return pandas.DataFrame([vars(row) for row in rows])
