# SPDX-License-Identifier: BSD-3-Clause
"""The installed package: the same answers as the command's, as dataclasses."""

import ctypes
import dataclasses
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import warnings

import pytest

import etrecord_tb
from etrecord_tb import _library

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "interop"))
from tensorboard_server import TensorBoard  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
RECORDS = sorted(path.parent.name for path in FIXTURES.glob("*/etrecord.bin"))
COMMAND = pathlib.Path(sys.executable).with_name("etrecord-tb")


def answer(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, check=True, text=True).stdout


def same(built, said):
    """True if every field of the dataclass is what the JSON has; those that not every graph has have defaults."""
    if dataclasses.is_dataclass(built):
        return all(same(getattr(built, field.name), said[field.name]) for field in dataclasses.fields(built) if field.name in said or has_no_default(field))
    if isinstance(built, list):
        return len(built) == len(said) and all(map(same, built, said))
    return built == said


def has_no_default(field):
    return field.default is field.default_factory is dataclasses.MISSING


def quiet(call, *arguments, **named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", etrecord_tb.EtrecordWarning)
        return call(*arguments, **named)


@pytest.mark.parametrize("record", RECORDS)
def test_answers_are_the_commands(record):
    folder = FIXTURES / record
    with quiet(etrecord_tb.Profile, folder) as profile:
        for method, name, key in ((profile.graphs, "nodes", "graphs"), (profile.events, "events", "blocks"), (profile.summary, "summary", "methods"),
                                  (profile.delegation, "delegation", "methods")):
            said = json.loads(answer(name, folder, "--format", "json", "--unit", "us"))[key]
            assert same(method(unit="us"), said), name


def test_version_is_the_commands_and_the_packages():
    assert answer("--version").split()[1] == etrecord_tb.__version__ == importlib.metadata.version("etrecord-tb")


def test_parse_etrecord():
    record = etrecord_tb.parse_etrecord(FIXTURES / "multi_method" / "etrecord.bin")
    assert set(record.edge_dialect_program) == {"encode", "decode"}
    assert record.exported_program is None and all(node.avg is None for graph in record.graphs.values() for node in graph.nodes)
    assert {node.target for node in record.graphs["edge/encode"].nodes if node.kind == "op"} >= {"aten.linear.default"}
    assert any(node.arguments.get("dim") == -1 for graph in record.graphs.values() for node in graph.nodes)


def test_events_of_files():
    folder = FIXTURES / "add_mul"
    blocks = etrecord_tb.events(folder / "etrecord.bin", folder / "etdump.etdp")
    assert [block.event_block_name for block in blocks] == ["Default", "Execute"]
    alone = etrecord_tb.events(etdump=folder / "etdump.etdp")
    assert [len(block.events) for block in alone] == [len(block.events) for block in blocks]
    assert not any(event.nodes for block in alone for event in block.events)
    assert any(event.nodes for event in blocks[1].events)


def test_write_tensorboard_artifact(tmp_path):
    folder = FIXTURES / "add_mul"
    written = etrecord_tb.write_tensorboard_artifact(folder / "etrecord.bin", folder / "etdump.etdp", tmp_path / "runs", name="x")
    assert all(pathlib.Path(path).is_file() for path in written)
    assert {os.path.relpath(os.path.dirname(path), tmp_path / "runs") for path in written} >= {"x/1_edge/forward", "x/2_aten/forward", "x/dot/edge"}


def test_report_is_the_commands():
    with etrecord_tb.Profile(FIXTURES / "mv2_xnnpack") as profile:
        assert profile.report() == answer("report", FIXTURES / "mv2_xnnpack")


def test_tensorboard_finds_the_dashboard(tmp_path):
    """A TensorBoard of the same environment lists it, hands out its files, and its data for the record that was written."""
    etrecord_tb.write_tensorboard_artifact(FIXTURES / "multi_method", logdir=tmp_path, name="x")
    with TensorBoard(tmp_path, "auto") as server:
        server.wait_for({"x/1_edge/encode"})
        listed = server.json("plugins_listing")["etrecord"]
        assert listed["enabled"] and listed["tab_name"] == "ExecuTorch"
        script = server.get(listed["loading_mechanism"]["module_path"].removeprefix("/data/"))
        assert re.search(r"export (async )?function render\b", script)
        (run,) = server.json("plugin/etrecord/runs")
        assert server.json("plugin/etrecord/profile", run=run)["schema"] == "etrecord-tb/profile/1"


def test_errors_say_where():
    with pytest.raises(etrecord_tb.EtrecordError) as caught:
        etrecord_tb.parse_etrecord(FIXTURES / "add_mul" / "etdump.etdp")
    assert caught.value.file.endswith("etdump.etdp") and caught.value.message in str(caught.value)
    with pytest.raises(etrecord_tb.EtrecordError):
        etrecord_tb.Profile("/no/such/record")
    with pytest.raises(ValueError, match="unit is one of"):
        etrecord_tb.events(FIXTURES / "add_mul", unit="minutes")
    profile = etrecord_tb.Profile(FIXTURES / "add_mul")
    profile.close()
    profile.close()
    with pytest.raises(ValueError, match="closed"):
        profile.events()


def test_warnings_are_python_warnings():
    with pytest.warns(etrecord_tb.EtrecordWarning):
        etrecord_tb.Profile(etrecord=FIXTURES / "add_mul" / "etrecord.bin", etdump=FIXTURES / "mv2_xnnpack" / "etdump.etdp").close()


def test_a_run_whose_method_is_chosen():
    with etrecord_tb.Profile(etdump=FIXTURES / "add_mul" / "etdump.etdp", etrecord=FIXTURES / "add_mul" / "etrecord.bin", methods={1: "forward"}) as profile:
        assert "forward" in {block.method for block in profile.events()}


def test_dataframe():
    pytest.importorskip("pandas")
    frame = etrecord_tb.events(FIXTURES / "add_mul")[1].to_dataframe()
    assert list(frame.columns[:2]) == ["event_name", "instruction_id"] and len(frame) > 0


def test_structs_are_the_headers(tmp_path):
    """The structs of _library.py have the sizes and offsets that a C compiler gives those of the headers."""
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    structs = {"etr_error": _library.Error, "etr_inputs": _library.Inputs, "etr_method_choice": _library.MethodChoice, "etr_options": _library.Options,
               "etr_sink": _library.Sink, "etr_logdir_options": _library.LogdirOptions}
    lines = []
    for name, struct in structs.items():
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        lines += [f'printf("%zu\\n", offsetof({name}, {field}));' for field, _ in struct._fields_]
    source = tmp_path / "sizes.c"
    source.write_text("#include <etrecord_tb.h>\n#include <stdio.h>\nint main(void) {" + "\n".join(lines) + "}\n")
    subprocess.run([compiler, f"-I{ROOT / 'lib'}", f"-I{ROOT / 'plugin'}", source, "-o", tmp_path / "sizes"], check=True)
    told = subprocess.run([tmp_path / "sizes"], capture_output=True, text=True, check=True).stdout.split()
    expected = [number for struct in structs.values() for number in (ctypes.sizeof(struct), *(getattr(struct, field).offset for field, _ in struct._fields_))]
    assert [int(number) for number in told] == expected


def test_module_runs_the_command():
    said = subprocess.run([sys.executable, "-m", "etrecord_tb", "--version"], capture_output=True, text=True, check=True).stdout
    assert said == answer("--version")
