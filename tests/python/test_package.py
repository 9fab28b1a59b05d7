# SPDX-License-Identifier: BSD-3-Clause
"""The installed package: the same answers as the command's, as dataclasses."""

import concurrent.futures
import copy
import ctypes
import dataclasses
import importlib.metadata
import inspect
import json
import os
import pathlib
import pickle
import re
import shutil
import site
import subprocess
import sys
import time
import typing
import warnings

import pytest

import etrecord_tb
from etrecord_tb import _library, inspector, model

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "interop"))
from tensorboard_server import TensorBoard  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
EVERY = int(os.environ.get("EVERY", "1"))
RECORDS = sorted(path.parent.name for path in FIXTURES.glob("*/etrecord.bin"))[::EVERY]
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
            said = json.loads(answer(name, folder, "--format", "json", "--unit", "us", "--skip-runs", "auto"))[key]
            assert same(method(unit="us"), said), name


def described(schema, *path):
    """The properties that a schema has there; path: names of properties, of which arrays are what they hold."""
    root = json.loads((ROOT / "schema" / f"{schema}.schema.json").read_text())

    def properties(at):
        while "$ref" in at or "anyOf" in at or "items" in at:
            at = root["$defs"][at["$ref"].rsplit("/", 1)[1]] if "$ref" in at else at["items"] if "items" in at else next(kind for kind in at["anyOf"] if kind.get("type") != "null")
        return {**at.get("properties", {}), **{key: value for part in at.get("allOf", ()) for key, value in properties(part).items()}}

    at = root
    for name in path:
        at = properties(at)[name]
    return set(properties(at))


@pytest.mark.parametrize("kind, schema, path", [
    (etrecord_tb.Graph, "nodes", ["graphs"]), (etrecord_tb.Node, "nodes", ["graphs", "nodes"]), (etrecord_tb.Value, "nodes", ["graphs", "nodes", "outputs"]),
    (etrecord_tb.Source, "nodes", ["graphs", "nodes", "source"]), (etrecord_tb.EventBlock, "events", ["blocks"]), (etrecord_tb.Event, "events", ["blocks", "events"]),
    (etrecord_tb.MethodSummary, "summary", ["methods"]), (etrecord_tb.Statistics, "summary", ["methods", "execute"]),
    (etrecord_tb.FirstRun, "summary", ["methods", "first_run"]), (etrecord_tb.Noise, "summary", ["methods", "noise"]),
    (etrecord_tb.RunPhase, "summary", ["methods", "phases_of_runs"]), (etrecord_tb.MethodDelegation, "delegation", ["methods"]),
    (etrecord_tb.OperatorDelegation, "delegation", ["methods", "operators"]), (etrecord_tb.MethodMemory, "memory", ["methods"]),
    (etrecord_tb.MemoryPlan, "memory", ["methods", "plan"]), (etrecord_tb.MemoryPeak, "memory", ["methods", "plan", "peak"]),
    (etrecord_tb.PlannedBuffer, "memory", ["methods", "plan", "buffers"]), (etrecord_tb.PlannedTensor, "memory", ["methods", "plan", "tensors"]),
    (etrecord_tb.MemoryFinding, "memory", ["methods", "findings"]),
    (etrecord_tb.MethodSource, "source", ["methods"]),
    (etrecord_tb.SourceFile, "source", ["methods", "files"]), (etrecord_tb.SourceLine, "source", ["methods", "files", "lines"]),
    (etrecord_tb.MethodDiff, "diff", ["methods"]), (etrecord_tb.Change, "diff", ["methods", "execute"]), (etrecord_tb.NodeChange, "diff", ["methods", "nodes"]),
    (etrecord_tb.LoadChange, "diff", ["load"]),
])
def test_fields_are_the_schemas(kind, schema, path):
    assert {field.name for field in dataclasses.fields(kind)} == described(schema, *path)


def test_dataclasses_all_the_way_down():
    loose = {(kind.__name__, field.name) for kind in vars(model).values() if isinstance(kind, type) and dataclasses.is_dataclass(kind) for field in dataclasses.fields(kind) if "dict[str, Any]" in str(field.type)}
    assert loose == {("Node", "arguments"), ("ETRecord", "info")}  # names and values that the model gives, and a document
    with quiet(etrecord_tb.Profile, FIXTURES / "mv2_xnnpack") as profile:
        (method,) = profile.summary()
        change = profile.diff(profile).methods[0]
        assert isinstance(method.by_op[0], etrecord_tb.OperatorSum) and isinstance(method.findings[0].saves, etrecord_tb.Savings) and isinstance(method.answer, etrecord_tb.Answer)
        assert isinstance(change.by_module[0].with_children, etrecord_tb.GroupChange) and isinstance(change.parts[0], etrecord_tb.PartChange)


def test_nodes_have_whole_stack_traces_and_classes_of_modules():
    with quiet(etrecord_tb.Profile, FIXTURES / "add_mul") as profile:
        nodes = {node.name: node for graph in profile.graphs(graph="edge") for node in graph.nodes}
    node = nodes["aten_addmm_default"]
    assert len(node.frames) > 1 and node.source in node.frames and node.frames[0].code == "return F.linear(input, self.weight, self.bias)"
    assert node.module_types[-1] == node.module_type == "torch.nn.modules.linear.Linear" and len(node.module_types) > 1


def public_calls():
    """Every public class and function of the package, and the public methods of these classes."""
    for module in (etrecord_tb, inspector):
        names = etrecord_tb.__all__ if module is etrecord_tb else [name for name, value in vars(inspector).items() if getattr(value, "__module__", None) == inspector.__name__]
        for name in names:
            value = getattr(module, name)
            if not name.startswith("_") and callable(value) and typing.get_origin(value) is None:
                yield name, value
                members = vars(value).items() if isinstance(value, type) else ()
                yield from ((f"{name}.{key}", member) for key, member in members if not key.startswith("_") and inspect.isfunction(member))


def test_docstrings_name_every_parameter():
    for name, call in public_calls():
        said = call.__doc__ or ""
        assert said and not said.startswith(f"{name}("), f"{name} has no docstring"
        if not dataclasses.is_dataclass(call) and "__init__" in vars(call) or inspect.isfunction(call):
            parameters = [parameter for parameter in inspect.signature(call).parameters if parameter != "self" and not (parameter.startswith("_") and parameter != "_units")]
            lacking = [parameter for parameter in parameters if not re.search(rf"\b{parameter}\b", said)]
            assert not lacking, f"{name}: its docstring does not say what {lacking} are"


def test_docstrings_of_answers_say_what_the_schemas_say():
    assert "        macs: multiply-accumulates per inference" in etrecord_tb.Node.__doc__ and " null" not in etrecord_tb.Node.__doc__


def test_tables_have_a_schema_and_a_length():
    pyarrow = pytest.importorskip("pyarrow")
    with quiet(etrecord_tb.Profile, FIXTURES / "mv2_xnnpack") as profile:
        for rows in (profile.events_table(), profile.nodes_table(), profile.table("summary", by="op"), profile.diff_table(profile, "op")):
            table = pyarrow.table(rows)
            assert pyarrow.schema(rows) == table.schema and len(rows) == len(table) > 0 and f"{len(table)} rows" in repr(rows)


def test_bytes_are_read_where_they_are():
    folder = FIXTURES / "add_mul_debug"
    content = {name: (folder / name).read_bytes() for name in ("etrecord.bin", "etdump.etdp", "model.pte", "debug_buffer.bin")}
    with quiet(etrecord_tb.Profile, content["etrecord.bin"], content["etdump.etdp"], content["model.pte"], debug_buffer=content["debug_buffer.bin"]) as profile, quiet(etrecord_tb.Profile, folder) as other:
        assert same(profile.events(), json.loads(answer("events", folder, "--format", "json", "--skip-runs", "auto"))["blocks"])
        assert all((a.array() == b.array()).all() for a, b in zip(profile.values(), other.values()))
        assert profile.info()["etrecord"].startswith("memory:")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:  # which open the same bytes, and others with the same names
        def opened(index):
            with quiet(etrecord_tb.Profile, *[bytes(bytearray(content[name])) if index % 2 else content[name] for name in ("etrecord.bin", "etdump.etdp")]) as read:
                return read.summary()

        assert len({repr(summary) for summary in pool.map(opened, range(12))}) == 1
    record = etrecord_tb.Record(content["etrecord.bin"])
    with record.join(bytearray(content["etdump.etdp"])) as profile:
        assert profile.summary()[0].runs
    with pytest.raises(etrecord_tb.EtrecordError, match="memory:/etdump.*cut short|memory:/etdump"):
        etrecord_tb.Profile(etdump=content["etdump.etdp"][:100])


def test_fields_of_values_are_the_schemas():
    """A node's value tells how many runs logged it, an event's which run."""
    fields = {field.name for field in dataclasses.fields(etrecord_tb.LoggedValue)}
    assert fields == described("nodes", "graphs", "nodes", "values") | described("events", "blocks", "events", "values")
    assert described("events", "blocks", "run_outputs") == described("events", "blocks", "events", "values")


def test_what_a_newer_library_tells_is_left_out_and_said():
    with pytest.warns(etrecord_tb.EtrecordWarning, match="'later'"):
        built = model.build(etrecord_tb.Source, {"file": "a.py", "line": 1, "function": "f", "code": "", "later": 1})
    assert built == etrecord_tb.Source("a.py", 1, "f", "")


def test_values_are_the_commands():
    folder = FIXTURES / "add_mul_debug"
    with quiet(etrecord_tb.Profile, folder) as profile:
        values = [value for graph in profile.graphs() for node in graph.nodes for value in node.values]
        outputs = [value for block in profile.events() for value in block.run_outputs]
    assert values and outputs and all(isinstance(value, etrecord_tb.LoggedValue) for value in values + outputs)


def test_diff_is_the_commands():
    base, newer = FIXTURES / "turns_base", FIXTURES / "turns_new"
    said = json.loads(answer("diff", base, newer, "--format", "json", "--unit", "us", "--fail-above", "20%", "--recording-noise", "2%"))
    with quiet(etrecord_tb.Profile, base) as first, quiet(etrecord_tb.Profile, newer) as second:
        found = first.diff(second, unit="us", limit=0.2, recording_noise=0.02)
        assert same(found.methods, said["methods"]) and same(found.load, said["load"])
        assert (found.limit, found.recording_noise) == (0.2, 0.02)
        assert second.report(base=first) == answer("report", base, newer)
        assert found.methods[0].execute.verdict == "slower" and isinstance(found.methods[0].nodes[0], etrecord_tb.NodeChange)


def test_compare_is_the_commands():
    folders = [FIXTURES / name for name in ("turns_base", "turns_new", "turns_same")]
    said = json.loads(answer("compare", *folders, "--by", "op", "--format", "json", "--unit", "us"))
    found = etrecord_tb.compare(folders, by="op", unit="us")
    assert same(found.records, said["records"]) and same(found.rows, said["rows"]) and found.notes == said["notes"]
    assert [record.methods[0].verdict for record in found.records] == [None, "slower", "cannot_tell"]
    with quiet(etrecord_tb.Profile, folders[0]) as profile:
        named = etrecord_tb.compare({"old": profile, "lost": FIXTURES / "nowhere", "new": folders[1]})
        assert profile.info()["methods"], "a profile that was given stays open"
    assert [record.record for record in named.records] == ["old", "lost", "new"] and "No such file" in named.records[1].problem
    for wrong, kind in (([folders[0]], ValueError), (["nowhere", "neither"], etrecord_tb.EtrecordError)):
        with pytest.raises(kind):
            etrecord_tb.compare(wrong)


def test_trace_and_source_are_the_commands():
    folder = FIXTURES / "multi_method"
    with quiet(etrecord_tb.Profile, folder) as profile:
        assert profile.trace() == json.loads(answer("trace", folder))
        assert profile.trace("encode") == json.loads(answer("trace", folder, "--method", "encode"))
        assert same(profile.source(unit="us"), json.loads(answer("source", folder, "--format", "json", "--unit", "us"))["methods"])


def test_memory_is_the_commands():
    folder = FIXTURES / "multi_method"
    with quiet(etrecord_tb.Profile, folder) as profile:
        if profile.info()["pte"]:
            assert same(profile.sizes(), json.loads(answer("info", folder, "--sizes", "--format", "json")))
        assert same(profile.memory(), json.loads(answer("memory", folder, "--format", "json"))["methods"])
        assert [one.method for one in profile.memory("decode")] == ["decode"]
        assert profile.memory("decode")[0].plan.peak.bytes == 544


def test_filters_are_the_commands():
    folder = FIXTURES / "mv2_xnnpack"
    with quiet(etrecord_tb.Profile, folder) as profile:
        for ask, command, key in ((profile.graphs, "nodes", "graphs"), (profile.events, "events", "blocks"), (profile.summary, "summary", "methods"),
                                  (profile.source, "source", "methods")):
            said = json.loads(answer(command, folder, "--format", "json", "--op", "aten.conv*", "--module", "features", "--skip-runs", "auto"))[key]
            assert same(ask(op="aten.conv*", module="features"), said), command
        assert {graph.module for graph in profile.graphs(graph="edge")} == {"edge"}


def test_what_is_not_there_raises():
    with quiet(etrecord_tb.Profile, FIXTURES / "multi_method") as profile:
        for ask in (profile.graphs, profile.events, profile.summary, profile.delegation, profile.source, profile.trace, lambda method: profile.diff(profile, method)):
            with pytest.raises(ValueError, match="method named 'none'"):
                ask(method="none")
        for ask in (profile.graphs, profile.events, profile.summary, profile.source):
            for name in ("op", "module", "backend"):
                with pytest.raises(ValueError, match=f"{name} 'none'"):
                    ask(**{name: "none"})
            with pytest.raises(TypeError):
                ask(color="red")


@pytest.fixture(scope="module")
def parsed(tmp_path_factory):
    """Where mypy keeps what it knows of Python's own types, so that it reads them once."""
    return tmp_path_factory.mktemp("mypy")


def test_types(parsed):
    """The package says that it has types, and mypy finds nothing."""
    assert (pathlib.Path(etrecord_tb.__file__).parent / "py.typed").is_file()
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", parsed], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


CHECKERS = [("mypy", ["-m", "mypy", "--strict"]), ("pyright", ["-m", "pyright", "--pythonpath", sys.executable])]


@pytest.mark.parametrize("checker, command", CHECKERS[::EVERY])
def test_types_of_a_client(checker, command, parsed, tmp_path):
    pytest.importorskip(checker, reason=f"{checker} is missing, with which a user's program is checked")
    client = shutil.copy(pathlib.Path(__file__).parent / "typed_client.py", tmp_path)
    package = os.fspath(pathlib.Path(etrecord_tb.__file__).parents[1])
    # mypy finds what is installed, and refuses to be told of it.
    environment = {**os.environ, "MYPY_CACHE_DIR": os.fspath(parsed)} | ({} if package in site.getsitepackages() else {"MYPYPATH": package})
    wrong = tmp_path / "wrong.py"
    wrong.write_text(pathlib.Path(client).read_text().replace("method.execute.typical", "method.execute.typcial"))
    done = subprocess.run([sys.executable, *command, client, wrong], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and re.search(r"wrong\.py:\d+:.*typcial", done.stdout), done.stdout + done.stderr  # the one mistake
    assert "typed_client.py:" not in done.stdout, done.stdout


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
    assert {os.path.relpath(os.path.dirname(path), tmp_path / "runs") for path in written} == {"x", "x/dot/aten", "x/dot/edge"}


def test_builds_are_one_run(tmp_path, monkeypatch):
    """With the same files as the command's, and steps that it refuses."""
    builds = [FIXTURES / name for name in ("turns_base", "turns_new")]
    with quiet(etrecord_tb.Profile, builds[0]) as before, quiet(etrecord_tb.Profile, builds[1]) as after:
        before.write(tmp_path / "runs", "x", step=7)
        written = after.write(tmp_path / "runs", "x", step=8, against=before)
        answer("write", builds[0], "--logdir", tmp_path / "said", "--name", "x", "--step", "7")
        answer("write", builds[1], "--logdir", tmp_path / "said", "--name", "x", "--step", "8", "--against", builds[0])
        points, said = (next((tmp_path / logdir / "x").glob(f"events.out.tfevents.{8:020}.*.0")) for logdir in ("runs", "said"))
        assert str(points) in written and b"0_builds_ms/slower" in points.read_bytes() and b"slower (between" in points.read_bytes() and points.stat().st_size == said.stat().st_size
        before.write(tmp_path / "times", "x", step_from="time")
        assert list((tmp_path / "times" / "x").glob(f"events.out.tfevents.{int(max(path.stat().st_mtime for path in builds[0].glob('*.etdp'))):020}.*.0"))
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(tmp_path.parent))
        for wrong, message in (({"step": -1}, "step"), ({"step": 10**15}, "step"), ({"step": 1, "step_from": "time"}, "exclude"), ({"step_from": "moon"}, "step_from must be"),
                               ({"against": before}, "against needs"), ({"step": 1, "graphs": "all"}, "one run"), ({"step_from": "git"}, "step_from: git")):
            with pytest.raises(ValueError, match=message):
                after.write(tmp_path / "none", **wrong)
        assert not (tmp_path / "none").exists()


def test_report_is_the_commands():
    with etrecord_tb.Profile(FIXTURES / "mv2_xnnpack") as profile:
        assert profile.report() == answer("report", FIXTURES / "mv2_xnnpack")


def test_tensorboard_finds_the_dashboard(tmp_path):
    """A TensorBoard of the same environment lists it, hands out its files, and its data for the record that was written."""
    etrecord_tb.write_tensorboard_artifact(FIXTURES / "multi_method", logdir=tmp_path, name="x")
    with TensorBoard(tmp_path, "--load_fast", "auto") as server:
        server.wait_for({"x"})
        listed = server.json("plugins_listing")["etrecord"]
        assert listed["enabled"] and listed["tab_name"] == "ExecuTorch"
        script = server.get(listed["loading_mechanism"]["module_path"].removeprefix("/data/"))
        assert re.search(r"export\s*\{[^}]*\brender\b[^}]*\}", script)
        ((run, written),) = (record.values() for record in server.json("plugin/etrecord/runs"))
        assert abs(written - time.time()) < 600 and server.json("plugin/etrecord/base", new=run) == {"run": None}
        assert server.json("plugin/etrecord/profile", run=run)["schema"] == "etrecord-tb/profile/1"
        assert server.json("plugin/etrecord/compare", base=run, new=run)["schema"] == "etrecord-tb/diff/2"
        both = server.json("plugin/etrecord/records", run=(run, run), name=("a", "b"))
        assert both["records"]["schema"] == "etrecord-tb/compare/1" and [record["record"] for record in both["records"]["records"]] == ["a", "b"]
        assert both["comparison"]["schema"] == "etrecord-tb/diff/2"


def test_errors_say_where():
    with pytest.raises(etrecord_tb.EtrecordError) as caught:
        etrecord_tb.parse_etrecord(FIXTURES / "add_mul" / "etdump.etdp")
    assert caught.value.file.endswith("etdump.etdp") and caught.value.message in str(caught.value)
    with pytest.raises(etrecord_tb.EtrecordError):
        etrecord_tb.Profile("/no/such/record")
    with pytest.raises(ValueError, match="unit must be one of"):
        etrecord_tb.events(FIXTURES / "add_mul", unit="minutes")
    profile = etrecord_tb.Profile(FIXTURES / "add_mul")
    profile.close()
    profile.close()
    with pytest.raises(ValueError, match="closed"):
        profile.events()


def test_accuracy_of_logged_values():
    examples = ROOT / "examples" / "accuracy"
    with etrecord_tb.Profile(examples / "int8") as profile, etrecord_tb.Profile(examples / "f32") as float_model:
        answer = profile.accuracy(examples / "f32.safetensors", float_model)
        first = answer.values[answer.candidates[0]]
        assert (first.node, first.module, answer.own_program, answer.ranked_by) == ("aten__softmax_default", "layers.0", False, "drop")
        assert 12 < first.snr_db < 14 and first.segment[-1] == first.node and first.local is None
        assert profile.accuracy((examples / "f32.safetensors").read_bytes(), float_model).candidates == answer.candidates
        with pytest.raises(etrecord_tb.EtrecordError, match="another record"):
            profile.accuracy(examples / "f32.safetensors")
        assert {value.problem for value in profile.accuracy().values if value.role != "output"} == {"there is no reference"}


@pytest.mark.parametrize("arguments, message", [
    (["{record}", "--output", "/no/such/folder/ref.safetensors"], "/no/such/folder/ref.safetensors: there is no such folder"),
    (["{record}", "--output", "ref.safetensors", "--inputs", "none.pt"], "none.pt: there is no such file"),
    (["{record}", "--output", "ref.safetensors", "--local"], "--local: The runs logged no values"),
    (["{record}", "--output", "ref.safetensors", "--for", "{record}"], "--local: The runs logged no values"),
    (["--etdump", "{record}/etdump.etdp", "--output", "ref.safetensors"], "there is no ETRecord"),
])
def test_mistakes_of_references_are_said_before_torch_is_loaded(arguments, message, capsys):
    from etrecord_tb.reference import main

    assert main([argument.format(record=FIXTURES / "add_mul") for argument in arguments]) == 1
    assert message in capsys.readouterr().err and "torch" not in sys.modules


@pytest.mark.parametrize("text, most, short", [("One. Two.", 9, "One. Two."), ("One. Two three.", 12, "One."), ("One two three", 9, "One two ..."), ("One two three", 3, "One ...")])
def test_long_messages_end_with_a_sentence_or_a_word(text, most, short):
    from etrecord_tb.reference import shortened

    assert shortened(text, most) == short


def test_warnings_are_python_warnings():
    with pytest.warns(etrecord_tb.EtrecordWarning):
        etrecord_tb.Profile(etrecord=FIXTURES / "add_mul" / "etrecord.bin", etdump=FIXTURES / "mv2_xnnpack" / "etdump.etdp").close()


def test_a_run_whose_method_is_chosen():
    with etrecord_tb.Profile(etdump=FIXTURES / "add_mul" / "etdump.etdp", etrecord=FIXTURES / "add_mul" / "etrecord.bin", methods={1: "forward"}) as profile:
        assert "forward" in {block.method for block in profile.events()}


def test_runs_whose_method_is_chosen():
    chosen = {range(1, 3): "encode", range(4, 7): "decode", 5: "encode"}
    with etrecord_tb.Profile(FIXTURES / "twin_methods", methods=chosen) as profile:
        told = {run: block.method for block in profile.events() for run in block.runs}
    assert told == {0: None, 1: "encode", 2: "encode", 3: None, 4: "decode", 5: "encode", 6: "decode"}
    for runs in (range(1, 1), range(1, 5, 2)):
        with pytest.raises(ValueError, match="range"):
            etrecord_tb.Profile(FIXTURES / "twin_methods", methods={runs: "encode"})


def test_runs_that_count():
    def counted(**choice):
        with etrecord_tb.Profile(FIXTURES / "quantized_xnnpack", **choice) as profile:
            (method,) = profile.summary()
            return method.runs, method.skipped_runs

    assert counted() == counted(skip_runs="auto") == counted(skip_runs=1) == (5, 1)
    assert counted(skip_runs=0) == (6, 0)
    assert counted(runs=range(3, 5)) == (2, 4)
    assert counted(runs=3) == (1, 5)
    for choice in ({"skip_runs": "some"}, {"skip_runs": -1}, {"runs": range(5, 3)}):
        with pytest.raises(ValueError):
            counted(**choice)


def test_files_of_one_record():
    folder = FIXTURES / "mv2_xnnpack"
    files = [folder / name for name in ("model.pte", "etdump.etdp", "etrecord.bin")]
    with etrecord_tb.Profile(folder) as directory, etrecord_tb.Profile(*files) as profile:
        assert profile.summary() == directory.summary() and profile.info()["pte"]
    with etrecord_tb.Profile(*files[:2], etrecord=files[2]) as profile:
        assert profile.summary()
    with pytest.raises(etrecord_tb.EtrecordError, match="README.md"):
        etrecord_tb.Profile(files[2], ROOT / "README.md")


def test_statistic_that_ranks():
    def lists(**choice):
        with etrecord_tb.Profile(FIXTURES / "mv2_xnnpack", **choice) as profile:
            (method,) = profile.summary()
            return method.by_source

    assert lists() == lists(stat="typical") != lists(stat="avg")
    shares = [(row.p50, row.share) for row in lists(stat="p50")]
    assert shares == sorted(shares, reverse=True) and sum(share for _, share in shares) == pytest.approx(1)
    with pytest.raises(ValueError, match="typical, avg, p50"):
        lists(stat="p90")


def test_the_documented_example_runs(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    record = FIXTURES / "mv2_xnnpack"
    for name in ("record_dir", "newer_dir", "mymodel"):
        shutil.copytree(record, tmp_path / name)
    for name in ("etrecord.bin", "etdump.etdp"):
        shutil.copy(record / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    for document in ("docs/python.md", "web/python/README.md"):
        code = re.search(r"^```python\n(.*?)^```$", (ROOT / document).read_text(), re.M | re.S).group(1)
        exec(compile(code, document, "exec"), {})
    assert (tmp_path / "report.html").stat().st_size > 0 and list((tmp_path / "runs").rglob("events.out.tfevents.*"))


def test_dataframe():
    pytest.importorskip("pandas")
    frame = etrecord_tb.events(FIXTURES / "add_mul")[1].to_dataframe()
    assert list(frame.columns[:2]) == ["event_name", "instruction_id"] and len(frame) > 0


def test_structs_are_the_headers(tmp_path):
    """The structs of _library.py have the sizes and offsets that a C compiler gives those of the headers."""
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    structs = {"etr_error": _library.Error, "etr_inputs": _library.Inputs, "etr_method_choice": _library.MethodChoice, "etr_peaks": _library.Peaks, "etr_options": _library.Options,
               "etr_sink": _library.Sink, "etr_node_filter": _library.NodeFilter, "etr_trace_options": _library.TraceOptions, "etr_diff_filter": _library.DiffFilter,
               "etr_logdir_options": _library.LogdirOptions}
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


def test_a_library_that_is_missing_or_damaged_tells_what_to_install(tmp_path):
    shutil.copytree(pathlib.Path(etrecord_tb.__file__).parent, tmp_path / "etrecord_tb", ignore=shutil.ignore_patterns("lib"))
    for damaged in (False, True):
        if damaged:
            (tmp_path / "etrecord_tb" / "lib").mkdir()
            (tmp_path / "etrecord_tb" / "lib" / etrecord_tb._library.SONAME).write_bytes(b"nothing")
        said = subprocess.run([sys.executable, "-c", "import etrecord_tb"], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False).stderr
        assert said.splitlines()[-1].startswith("ImportError: etrecord-tb: the library for ") and "pip install" in said.splitlines()[-1]
        assert "ctypes" not in said, "the error itself, not where Python met it"


def installed_at(folder, packages):
    """A copy of the package's command in folder/bin, and of its library in the package below `packages`."""
    (folder / "bin").mkdir(parents=True)
    shutil.copy(COMMAND, folder / "bin" / "etrecord-tb")
    if packages is not None:
        library = pathlib.Path(etrecord_tb.__file__).parent / "lib"
        shutil.copytree(library, folder / packages / "etrecord_tb" / "lib")
    return folder / "bin" / "etrecord-tb"


@pytest.mark.parametrize("packages", ["lib/python3.99/site-packages", "lib64/python3.9/site-packages", "lib/python3/dist-packages", "lib/python", "."])
def test_command_finds_the_package_wherever_pip_puts_both(tmp_path, packages):
    command = installed_at(tmp_path / "prefix", packages)
    (tmp_path / "link").symlink_to(command)
    for program in (command, tmp_path / "link"):
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
        assert (said.returncode, said.stdout, said.stderr) == (0, answer("--version"), "")


def test_command_without_its_package_tells_what_to_install(tmp_path):
    said = subprocess.run([installed_at(tmp_path / "prefix", None), "--version"], capture_output=True, text=True, check=False)
    assert said.returncode == 1 and said.stderr.startswith("etrecord-tb: ") and said.stderr.endswith("pip install --force-reinstall with its wheel or its sources\n")
    assert said.stdout == "" and said.stderr.count("\n") == 1 and str(tmp_path / "prefix") in said.stderr


# ---- What Python must not hand to C ----


def test_objects_are_neither_copied_nor_pickled():
    """Two of them would free the same memory."""
    with etrecord_tb.Record(FIXTURES / "add_mul") as record, record.join(FIXTURES / "add_mul" / "etdump.etdp") as profile:
        for act in (copy.copy, copy.deepcopy, pickle.dumps):
            for each in (profile, record):
                with pytest.raises(TypeError, match="cannot be copied or pickled"):
                    act(each)
        assert profile.summary()


def test_the_process_keeps_its_rights(tmp_path):
    """The library is a guest: it restricts nothing, unlike the command."""
    script = """
import pathlib, socket, subprocess, sys, etrecord_tb
with etrecord_tb.Profile(sys.argv[1]) as profile:
    assert profile.summary()
    pathlib.Path(sys.argv[2], "new").write_text("text")
    socket.socket().close()
    subprocess.run([sys.executable, "-c", ""], check=True)
"""
    subprocess.run([sys.executable, "-c", script, FIXTURES / "add_mul", tmp_path], check=True, env=os.environ)


def test_closing_waits_for_the_threads_that_read():
    def read(profile):
        try:
            while True:
                profile.summary()
        except ValueError as error:
            assert "closed" in str(error)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        for _ in range(20):
            with etrecord_tb.Profile(FIXTURES / "add_mul") as profile:
                jobs = [pool.submit(read, profile) for _ in range(4)]
            for job in jobs:
                job.result()


NAN = float("nan")


@pytest.mark.parametrize("options", [
    {"skip_runs": 2**40}, {"skip_runs": 2**32 + 1}, {"skip_runs": -1}, {"skip_runs": 1.5}, {"runs": range(-5, 2)}, {"runs": range(3, 2)}, {"runs": -1}, {"runs": 2**64},
    {"methods": {2**64: "forward"}}, {"methods": {-1: "forward"}}, {"methods": {0: "for\0ward"}}, {"peaks": {"flops": -1}}, {"peaks": {"bandwidth": NAN}}, {"peaks": {"speed": 1}},
    {"ticks_per_second": -1}, {"ticks_per_second": NAN}, {"pte": "model\0.pte"}, {"source_root": "a\0b"}, {"etdump": ["a\0b"]},
])
def test_numbers_and_paths_that_c_cannot_take(options):
    """The message has the value."""
    value = next(iter(options.values()))
    wrong = next(iter(value.items())) if isinstance(value, dict) else value
    shown = [repr(each) for each in (wrong if isinstance(wrong, (tuple, list)) else (wrong,))]
    with pytest.raises(ValueError) as caught:
        etrecord_tb.Profile(FIXTURES / "add_mul", **options)
    assert any(each in str(caught.value) for each in shown)


@pytest.mark.parametrize("options", [{"limit": -1}, {"limit": NAN}, {"recording_noise": -0.1}])
def test_limits_that_are_none(options):
    with etrecord_tb.Profile(FIXTURES / "add_mul") as profile, pytest.raises(ValueError):
        profile.diff(profile, **options)


def test_a_path_is_not_cut_at_nul():
    with pytest.raises(ValueError, match="NUL"):
        etrecord_tb.Profile(f"{FIXTURES / 'add_mul'}\0elsewhere")


@pytest.mark.parametrize("name", RECORDS[::4])
def test_what_a_notebook_shows_is_short(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with etrecord_tb.Profile(FIXTURES / name) as profile:
            changes = profile.diff(profile)
            answers = [profile, profile.summary(), profile.events(), profile.graphs(), profile.source(), profile.delegation(), profile.memory(), profile.values(), changes]
            for shown in answers:
                assert 0 < len(repr(shown)) <= 4000 and 0 < len(shown._repr_html_()) <= 4000, type(shown)
            items = [item for answer in answers[1:-1] for item in answer[:20]] + changes.methods
            for shown in (profile.info(), *([profile.trace()] if profile.info()["etdumps"] else []), *items):
                assert 0 < len(repr(shown)) <= 4000, type(shown)
    assert "closed" in repr(profile) and "closed" in profile._repr_html_()


def test_what_a_notebook_shows_is_no_html_of_the_record():
    graph = model.Graph("<b>", "forward", "", None, 1, 0, [])
    assert "<b>" not in model.build_all(model.Graph, [vars(graph)])._repr_html_()
