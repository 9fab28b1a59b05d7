# SPDX-License-Identifier: BSD-3-Clause
"""One bad record never hides the others: event files that other programs could have written, served by a real TensorBoard. Every request is answered without
an error of the server, every list has every record, and the record that is good keeps its head and its document."""

import copy
import json
import math
import os
import pathlib
import random
import shutil
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

from conftest import FIXTURES, missing
from tensorboard_server import TensorBoard

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "check"))
from report_documents import documents_in  # noqa: E402

SEED = 29
RECORDS = 40  # broken ones
REQUESTS = 150  # with query strings drawn at random
SECONDS = 60  # in which TensorBoard loads everything
ROUTES = ["profile"] * 4 + ["compare"] * 4 + ["records"] * 2 + ["runs", "base", "fleet"]
GOOD = "good"
NESTED = 100_000


def nested(depth, inner=b"1"):
    return b"[" * depth + inner + b"]" * depth


def places(tree, path=()):
    """The paths of all values of a JSON tree."""
    yield path
    if isinstance(tree, (dict, list)):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from places(value, (*path, key))


def changed(drawn, document):
    """A JSON text of the document with one value replaced, or with bytes that no JSON has."""
    odd = [None, True, -1, 0, 1e308, -0.0, math.nan, math.inf, 10**400, "", "\ud800", "\0", "\u202e", "<script>", [], {}, [[]], {"": None}, ["x"] * 50]
    tree = copy.deepcopy(document)
    *path, last = drawn.choice([path for path in places(tree) if path])
    holder = tree
    for key in path:
        holder = holder[key]
    holder[last] = drawn.choice(odd)
    text = json.dumps(tree).encode()
    kind = drawn.randrange(8)
    if kind == 0:
        text = text[: drawn.randrange(len(text))]
    elif kind == 1:
        at = drawn.randrange(len(text))
        text = text[:at] + drawn.randbytes(drawn.randrange(1, 9)) + text[at + 4 :]
    elif kind == 2:
        text = text.replace(b"[", nested(drawn.choice([10, 900, NESTED]), b"[")[:-1], 1)
    return text


@pytest.fixture(scope="module")
def served(command, tmp_path_factory):
    event_pb2 = pytest.importorskip("tensorboard.compat.proto.event_pb2")
    from tensorboard.compat.proto import summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2
    from tensorboard.summary.writer.record_writer import RecordWriter

    logdir = tmp_path_factory.mktemp("fuzz")
    command.run("write", FIXTURES / "add_mul", "--logdir", logdir, "--name", "good", "--graphs", "edge", "--hparam", "device=a")
    document = documents_in(command.run("report", FIXTURES / "add_mul"))["profile"]
    drawn = random.Random(SEED)

    def value(tag, data, kind):
        metadata = summary_pb2.SummaryMetadata(data_class=summary_pb2.DATA_CLASS_BLOB_SEQUENCE)
        metadata.plugin_data.plugin_name = "etrecord"
        shape = tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=1)])
        tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, tensor_shape=shape, string_val=[data])
        if kind == 0:
            tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_FLOAT, tensor_shape=shape, float_val=[1.0])
        elif kind == 1:
            tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, tensor_shape=shape)
        elif kind == 2:
            tensor.tensor_shape.dim[0].size = drawn.choice([-1, 0, 2, 1000])
        elif kind == 3:
            tensor = None
        return summary_pb2.Summary.Value(tag=tag, metadata=metadata, tensor=tensor)

    head = next(served_heads(logdir))
    names, whole = [f"bad{i}" for i in range(RECORDS)], {GOOD}  # whole: TensorBoard can read their tensors
    for name in names:
        (logdir / name).mkdir()
        with open(logdir / name / "events.out.tfevents.1.host.1.0", "wb") as file:
            writer = RecordWriter(file)
            kinds = [drawn.randrange(12), drawn.randrange(12)]
            written = drawn.choice([1.0, 1.7e9, -5.0, 1e300, math.nan, math.inf])
            whole |= {name} if min(kinds) > 3 and not math.isnan(written) else set()
            for tag, tree, kind in (("etrecord", document, kinds[0]), ("etrecord_head", head, kinds[1])):
                data = drawn.choice([nested(NESTED), b"[" * NESTED, b"", b"\xff", changed(drawn, tree), changed(drawn, tree), changed(drawn, tree)])
                event = event_pb2.Event(wall_time=written, summary=summary_pb2.Summary(value=[value(tag, data, kind)]))
                writer.write(event.SerializeToString())
    yield logdir, head, whole
    shutil.rmtree(logdir)


def served_heads(logdir):
    for path in logdir.rglob("events.out.tfevents.*"):
        text = path.read_bytes().decode("latin-1")
        at = text.index('{"schema":"etrecord-tb/head/1"')
        yield json.JSONDecoder().raw_decode(text, at)[0]


def status_and_text(server, route, query):
    try:
        with urllib.request.urlopen(f"{server.url}data/plugin/etrecord/{route}?{query}", timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def strict(text):
    """As JSON.parse reads it: no NaN."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def query_of(drawn, names):
    """A query string: names of records, cut, doubled or with bytes in between."""
    parts = []
    for _ in range(drawn.randrange(4)):
        key = drawn.choice(["run", "new", "base", "", "run[]", "%00"])
        name = urllib.parse.quote(drawn.choice(names), safe="/" if drawn.randrange(2) else "")
        odd = [name, name[: drawn.randrange(len(name))], "%ff%fe", "%00", "%", "../" * 9, "a" * 4000, "%F0%9F%98%80", urllib.parse.quote(drawn.randbytes(9))]
        parts.append(f"{key}={drawn.choice([name, name, *odd])}")
    return drawn.choice(["&", ";", "&&"]).join(parts)


def test_no_record_hides_another(served, monkeypatch):
    """With TensorBoard's own loader: its data server drops much of what is broken before the plugin sees it."""
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PACKAGE") or missing("PACKAGE, the Python package,"))
    logdir, head, whole = served
    drawn = random.Random(SEED)
    names = [GOOD, *(f"bad{i}" for i in range(RECORDS))]
    with TensorBoard(logdir, "--load_fast", "false") as server:
        deadline = time.monotonic() + SECONDS
        while True:
            status, text = status_and_text(server, "fleet", "")
            rows = {row["run"]: row for row in strict(text)} if status == 200 else {}
            heads = sum(row["head"] is not None for row in rows.values())
            if (rows.keys() >= whole and heads > 1) or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        assert whole <= rows.keys() <= set(names) and rows[GOOD]["head"] == head
        assert heads > 1, "the heads are too broken to show anything beside the good one"
        assert {row["run"] for row in strict(status_and_text(server, "runs", "")[1])} == rows.keys()
        for name in names:
            assert status_and_text(server, "profile", f"run={name}")[0] in (200, 404), name
            assert status_and_text(server, "compare", f"base={GOOD}&new={name}")[0] in (200, 404, 422), name
            assert status_and_text(server, "records", f"run={GOOD}&name=a&run={name}&name=b&run={GOOD}&name=c")[0] == 200, name
        assert status_and_text(server, "base", f"new={GOOD}")[0] == 200
        for _ in range(REQUESTS):
            route, query = drawn.choice(ROUTES), query_of(drawn, names)
            assert status_and_text(server, route, query)[0] < 500, (route, query)
