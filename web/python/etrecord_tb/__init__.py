# SPDX-License-Identifier: BSD-3-Clause
"""ExecuTorch's ETRecord and ETDump without torch: run times joined to graph nodes, in milliseconds.

    import etrecord_tb

    record = etrecord_tb.parse_etrecord("etrecord.bin")
    record.graphs["edge/forward"].nodes[3].target

    for block in etrecord_tb.events("etrecord.bin", "etdump.etdp"):
        for event in block.events:
            print(event.event_name, event.nodes, event.avg)

    etrecord_tb.write_tensorboard_artifact("etrecord.bin", "etdump.etdp", "runs")

A directory with all of these files can be given instead: etrecord_tb.Profile("record_dir").
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Iterable

if sys.version_info < (3, 9):
    raise ImportError(f"etrecord-tb: Python {sys.version_info[0]}.{sys.version_info[1]} is too old; install Python 3.9 or later")

from ._library import EtrecordError, EtrecordWarning, library
from .arrow import Table
from .profile import Path, Profile, Record, compare

if TYPE_CHECKING:
    from .model import (
        Accuracy, AccuracyHead, AccuracyMeasures, Answer, AnswerPart, BackendChange, BackendSum, BoundaryTensor, CacheBuffer, Change, CodeChange, ComputeUnitTime,
        Delegate, DelegateBlob, DelegateModule, DelegateOperator, DelegatePhase, Diff, Difference, ETRecord, Event, EventBlock, Finding, FirstRun, Graph, Group,
        GroupChange, KernelChange, KernelSum, KvCache, LayerKind, LoadChange, LoggedValue, MemoryFinding, MemoryPeak, MemoryPlan, MethodDelegation, MethodDiff,
        MethodMemory, MethodSource, MethodSummary, MissingWeight, ModuleChange, ModuleSum, ModuleWithChildren, Node, NodeChange, Noise, OddRecording,
        OddRecordingOfSide, OperatorChange, OperatorDelegation, OperatorFilter, OperatorSum, OutputGap, Part, PartChange, PatternChange, PatternOperatorChange,
        PatternSum, PatternWithChildren, PlanInstructions, PlannedBuffer, PlannedTensor, RunPhase, Savings, SideFacts, Source, SourceChange, SourceFile, SourceLine,
        SourcePattern, SourceSum, Statistics, TapStatistic, Throughput, ThroughputChange, Value, ValueAccuracy, ValueGap, Weight, WeightSum, dataframe,
    )
    from .recording import RecordError, record

__version__: str = library.etr_version().decode()
__all__ = [
    "Accuracy", "AccuracyHead", "AccuracyMeasures", "Answer", "AnswerPart", "BackendChange", "BackendSum", "BoundaryTensor", "CacheBuffer", "Change", "CodeChange",
    "Compare", "ComparedMethod", "ComparedRecord", "ComparedRow", "ComputeUnitTime", "Delegate", "DelegateBlob", "DelegateModule", "DelegateOperator", "DelegatePhase", "Diff", "Difference", "ETRecord", "EtrecordError",
    "EtrecordWarning", "Event", "EventBlock", "Finding", "FirstRun", "Graph", "Group", "GroupChange", "KernelChange", "KernelSum", "KvCache", "LayerKind",
    "LoadChange", "LoggedValue", "MemoryFinding", "MemoryPeak", "MemoryPlan", "MethodDelegation", "MethodDiff", "MethodMemory", "MethodSource", "MethodSummary",
    "MissingWeight", "ModuleChange", "ModuleSum", "ModuleWithChildren", "Node", "NodeChange", "Noise", "OddRecording", "OddRecordingOfSide", "OperatorChange",
    "OperatorDelegation", "OperatorFilter", "OperatorSum", "OutputGap", "Part", "PartChange", "PatternChange", "PatternOperatorChange", "PatternSum",
    "PatternWithChildren", "PlanInstructions", "PlannedBuffer", "PlannedTensor", "Profile", "Record", "RecordError", "RunPhase", "Savings", "SideFacts", "Source",
    "SourceChange", "SourceFile", "SourceLine", "SourcePattern", "SourceSum", "Statistics", "Table", "TapStatistic", "Throughput", "ThroughputChange", "Value", "ValueAccuracy",
    "ValueGap", "Weight", "WeightSum", "compare", "dataframe", "events", "parse_etrecord", "record", "write_tensorboard_artifact",
]


def __getattr__(name: str) -> Any:
    """Imports what most programs do not need, or not at once: the dataclasses of answers, which take time to make, and record()."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import model, recording

    value = globals()[name] = getattr(recording if name in ("RecordError", "record") else model, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def parse_etrecord(etrecord_path: Path) -> ETRecord:
    """Reads all graphs of an ETRecord, of any format version, without its weights and without torch.

    etrecord_path: the file, the folder of one that was unpacked, or the bytes of one. Raises EtrecordError.
    """
    from .model import ETRecord

    with Profile(etrecord=etrecord_path) as profile:
        return ETRecord({f"{graph.module}/{graph.method}": graph for graph in profile.graphs()}, profile.info())


def events(
    etrecord: Path | None = None, etdump: Path | Iterable[Path] | None = None, *, method: str | None = None, unit: str = "ms", **inputs: Any
) -> list[EventBlock]:
    """Returns the events of ETDumps in blocks, as ExecuTorch's Inspector does. Each event names the nodes that its time belongs to.

    etrecord: an ETRecord, or a directory with all files. etdump: an ETDump or several, as paths or bytes. method: only its runs. unit: of times: "ns", "us", "ms", "s" or "cycles".
    **inputs: further arguments of Profile(), such as pte. All runs count unless skip_runs or runs is given. Raises what Profile() and its events() raise.
    """
    with Profile(etrecord, etdump=etdump, **{"skip_runs": 0, **inputs}) as profile:
        return profile.events(method, unit)


def write_tensorboard_artifact(
    etrecord: Path, etdump: Path | Iterable[Path] | None = None, logdir: Path = "runs", *, name: Path | None = None, **inputs: Any
) -> list[str]:
    """Writes run folders for `tensorboard --logdir LOGDIR`, and DOT files. Returns their paths.

    etrecord: an ETRecord, or a directory with all files. etdump: an ETDump or several. logdir: the folder for TensorBoard. name: of the record in it; by default that of its directory.
    **inputs: further arguments of Profile(), such as pte. Raises what Profile() raises, and EtrecordError if the output cannot be written.
    """
    with Profile(etrecord, etdump=etdump, **inputs) as profile:
        return profile.write(logdir, name)
