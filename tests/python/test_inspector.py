# SPDX-License-Identifier: BSD-3-Clause
"""etrecord_tb.inspector against what ExecuTorch's Inspector said of the fixtures (truth.json), and its errors. tests/recording/inspector.py compares both where ExecuTorch is installed."""

import io
import json
import math
import os
import pathlib
import warnings

import pytest

numpy = pytest.importorskip("numpy", reason="numpy is missing, with which the Inspector computes")

from etrecord_tb import Profile, inspector  # noqa: E402
from etrecord_tb._arrays import load_saved  # noqa: E402

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
# Events that the Inspector loses or gets wrong: loops, and a counter that wraps.
WRONG_THERE = {"control_flow_map", "cpp_rich", "n_cond_spike", "p_map", "scan_two", "p_gru", "gru_both"}
COLUMNS = ["event_block_name", "event_name", "raw", "p10", "p50", "p90", "avg", "min", "max", "op_types", "delegate_debug_identifier", "stack_traces", "module_hierarchy",
           "is_delegated_op", "delegate_backend_name", "debug_data", "start_time"]


def truths():
    for path in sorted(FIXTURES.glob("*/truth.json")):
        truth = json.loads(path.read_text())
        if "blocks" in (truth.get("inspector") or {}) and path.parent.name not in WRONG_THERE and (path.parent / "etdump.etdp").exists():
            yield path.parent.name, truth["inspector"]["blocks"]


TRUTHS = dict(truths())


def opened(name, **options):
    folder = FIXTURES / name
    record, buffer = folder / "etrecord.bin", folder / "debug_buffer.bin"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return inspector.Inspector(str(folder / "etdump.etdp"), etrecord=str(record) if record.exists() else None, debug_buffer_path=buffer if buffer.exists() else None, **options)


@pytest.mark.parametrize("name", TRUTHS)
def test_blocks_are_those_of_the_inspector(name):
    blocks = opened(name).event_blocks
    assert [(block.name, len(block.events)) for block in blocks] == [(block["name"], len(block["events"])) for block in TRUTHS[name]]
    for block, wanted in zip(blocks, TRUTHS[name]):
        assert block.bundled_input_index == wanted["bundled_input_index"]
        for event, truth in zip(block.events, wanted["events"]):
            for key in ("name", "delegate_debug_identifier", "debug_handles", "op_types", "delegate_backend_name"):
                assert getattr(event, key) == truth[key], (name, event.name, key)
            assert "start_time" not in truth or event.start_time == truth["start_time"]
            assert sorted(event.stack_traces) == sorted(truth["nodes"] or [])
            if truth["raw"]:
                assert all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(event.perf_data.raw, truth["raw"], strict=True))
                assert math.isclose(event.perf_data.p90, truth["p90"], rel_tol=1e-9)


def test_logged_values():
    read = opened("add_mul_debug")
    values = [event.debug_data for event in read.event_blocks[1].events if event.name == "native_call_add.out"]
    assert values[0][0].shape == (2, 4) and abs(values[0][0].min() + 1.7944444417953491) < 1e-6
    split = next(event for event in read.event_blocks[1].events if event.name == "native_call_split_with_sizes_copy.out")
    assert [part.shape for part in split.debug_data[0]] == [(2, 2), (2, 2)]
    with Profile(FIXTURES / "add_mul_debug") as profile:
        for value in profile.values():
            array = value.array()
            assert list(array.shape) == value.shape and abs(float(array.mean()) - value.mean) < 1e-6


def test_reference_outputs():
    block = opened("bundled_update").event_blocks[1]
    assert [value.shape for value in block.reference_output] == [value.shape for value in block.run_output]
    assert numpy.allclose(block.reference_output[0], block.run_output[0])
    assert inspector.compare_results(block.reference_output, block.run_output, ["mse"]) == {"mse": [0.0, 0.0]}


def test_saved_tensors_run_no_code(tmp_path):
    import pickle
    import zipfile

    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    with zipfile.ZipFile(tmp_path / "saved", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Evil()))
    with pytest.raises(ValueError):
        load_saved((tmp_path / "saved").read_bytes())
    assert not (tmp_path / "made").exists()


def test_scales_and_converters():
    plain, micro = opened("mv2_xnnpack"), opened("mv2_xnnpack", target_time_scale=inspector.TimeScale.US)
    for a, b in zip(plain.event_blocks[1].events, micro.event_blocks[1].events):
        assert math.isclose(a.perf_data.avg * 1000, b.perf_data.avg, rel_tol=1e-9) and a.start_time == b.start_time
    called = []
    doubled = opened("mv2_xnnpack", delegate_time_scale_converter=lambda name, ticks: called.append(name) or 2 * ticks)
    delegated = [event for event in doubled.event_blocks[1].events if event.is_delegated_op]
    runs = len(delegated[0].perf_data.raw)
    assert len(called) == 2 * runs * len(delegated)
    assert math.isclose(delegated[3].perf_data.raw[0], plain.event_blocks[1].events[[e.name for e in doubled.event_blocks[1].events].index(delegated[3].name)].perf_data.raw[0] * 2e6, rel_tol=1e-9)


def test_ticks_of_qnn_are_those_recorded():
    seen = {}
    opened("b_qnn", delegate_time_scale_converter=lambda name, ticks: seen.setdefault(name, []).append(ticks) or ticks)
    assert seen["RPC (execute) time (us)"][:2] == [568, 0]  # of end and start
    rpc = next(event for event in opened("b_qnn").event_blocks[1].events if event.name == "RPC (execute) time (us)")
    assert math.isclose(rpc.perf_data.raw[0], 568e-6, rel_tol=1e-9)  # as the Inspector has it, without a converter


def test_metadata_parsers():
    seen = []
    read = opened("b_neutron", delegate_metadata_parser=lambda metadatas: seen.append(metadatas) or {"kernel": len(metadatas)})
    assert all(event.delegate_debug_metadatas == {"kernel": len(event.perf_data.raw)} for event in read.event_blocks[1].events if event.is_delegated_op)
    assert seen and all(isinstance(each, bytes) for metadatas in seen for each in metadatas)


def test_modules_by_any_name():
    read = opened("mv2_portable")
    one = read.find_total_for_module("features.1")
    assert one == read.find_total_for_module("L__self__features.1") == read.find_total_for_module("L__self___features_1") > 0
    below = [node.avg for graph in read.profile.graphs() if graph.module == "edge" for node in graph.nodes if node.avg and (node.module + ".").startswith("features.1.")]
    assert math.isclose(one, sum(below), rel_tol=1e-9)
    assert read.find_total_for_module("no_such_module") == 0.0
    assert math.isclose(opened("mv2_portable", target_time_scale=inspector.TimeScale.US).find_total_for_module("features.1"), one * 1000, rel_tol=1e-9)


def test_what_the_inspector_fails_on():
    assert {event.match for block in opened("multi_method").event_blocks for event in block.events} > {"handle"}
    assert opened("old_0_6_add_mul").event_blocks[1].events[0].op_types
    assert opened("acc_decoder" if (FIXTURES / "acc_decoder").exists() else "debug_portable").event_blocks
    assert len(opened("cpp_rich").event_blocks) == 3
    loops = opened("control_flow_map").event_blocks[1].events
    assert max(len(event.perf_data.raw) for event in loops) == 15  # 5 rows in each of 3 runs


def test_bytes_and_paths():
    folder = FIXTURES / "add_mul"
    of_bytes = inspector.Inspector(etdump_data=(folder / "etdump.etdp").read_bytes(), etrecord=folder / "etrecord.bin")
    of_record = inspector.Inspector(folder / "etdump.etdp", etrecord=inspector.parse_etrecord(folder / "etrecord.bin"))
    of_all_bytes = inspector.Inspector(etdump_data=(folder / "etdump.etdp").read_bytes(), etrecord=(folder / "etrecord.bin").read_bytes(), debug_buffer_path=os.devnull)
    names = [[(event.op_types, event.stack_traces, event.module_hierarchy) for event in read.event_blocks[1].events] for read in (of_bytes, of_record, of_all_bytes)]
    assert names[0] == names[1] == names[2]
    assert inspector.get_delegation_info((folder / "etrecord.bin").read_bytes()) == inspector.get_delegation_info(folder / "etrecord.bin")
    with Profile((folder / "etrecord.bin").read_bytes(), (folder / "etdump.etdp").read_bytes()) as profile, Profile(folder / "etrecord.bin", folder / "etdump.etdp") as other:
        assert profile.summary()[0].execute == other.summary()[0].execute


def test_an_etrecord_of_executorch():
    class Theirs:
        """As the ETRecord that a program returns."""

        def save(self, path):
            pathlib.Path(path).write_bytes((FIXTURES / "add_mul" / "etrecord.bin").read_bytes())

    read = inspector.Inspector(FIXTURES / "add_mul" / "etdump.etdp", etrecord=Theirs(), debug_buffer_path=os.devnull)
    assert [event.op_types for event in read.event_blocks[1].events] == [event.op_types for event in opened("add_mul").event_blocks[1].events]


@pytest.mark.parametrize("error, options", [
    (ValueError, {}),
    (ValueError, {"etdump_path": "a", "etdump_data": b"b"}),
    (TypeError, {"etdump_path": "a", "etrecord": 3}),
    (RuntimeError, {"etdump_path": "a", "source_time_scale": inspector.TimeScale.CYCLES}),
    (KeyError, {"etdump_path": str(FIXTURES / "add_mul" / "etdump.etdp"), "etrecord": str(FIXTURES / "add_mul" / "etrecord.bin"), "reference_graph_name": "none"}),
    (ValueError, {"etdump_path": str(FIXTURES / "add_mul" / "etrecord.bin") + "x"}),
])
def test_wrong_use(error, options):
    with pytest.raises(error):
        inspector.Inspector(**options)


def test_wrong_metric():
    with pytest.raises(ValueError, match="Unsupported distance metric 'cos'"):
        opened("debug_portable").calculate_numeric_gap("cos")


COUNTED = {path.parent.name: json.loads(path.read_text())["delegation"]["forward"] for path in sorted(FIXTURES.glob("*/truth.json"))
           if list((json.loads(path.read_text()).get("delegation") or {})) == ["forward"] and (path.parent / "model.pte").exists()}


@pytest.mark.parametrize("name", COUNTED)
def test_delegation(name):
    truth = COUNTED[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        info = inspector.get_delegation_info(FIXTURES / name)
    assert (info.num_delegated_subgraphs, info.num_delegated_nodes, info.num_non_delegated_nodes) == tuple(truth[f"num_{key}"] for key in ("delegated_subgraphs", "delegated_nodes", "non_delegated_nodes"))
    assert {row.op_type: (row.delegated, row.non_delegated) for row in info.delegation_by_operator.values()} == {
        row["op_type"]: (row["occurrences_in_delegated_graphs"], row["occurrences_in_non_delegated_graphs"]) for row in truth["rows"] if row["op_type"] != "Total"}


def test_tables():
    pandas = pytest.importorskip("pandas", reason="pandas is missing, for tables")
    read = opened("mv2_xnnpack")
    frame = read.to_dataframe(include_units=False)
    assert list(frame.columns) == COLUMNS and len(frame) == sum(len(block.events) for block in read.event_blocks)
    assert "avg (ms)" in read.to_dataframe().columns and "avg" in read.event_blocks[0].to_dataframe().columns
    text = io.StringIO()
    read.save_data_to_tsv(text)
    written = pandas.read_csv(io.StringIO(text.getvalue()), sep="\t", index_col=0)
    assert len(written.columns) == 12 and not written["event_name"].str.contains("OPERATOR_CALL").any()
    pytest.importorskip("tabulate", reason="tabulate is missing, for printing")
    printed = io.StringIO()
    read.print_data_tabular(printed)
    assert printed.getvalue().startswith("╒") and "Method::execute" in printed.getvalue()
