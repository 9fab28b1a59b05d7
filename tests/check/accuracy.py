#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`accuracy` against ExecuTorch's calculate_numeric_gap, and what a stranger asks it: accuracy.py PROGRAM.

tests/check/accuracy has records, the references that `etrecord-tb reference` wrote for them, and the answers of calculate_numeric_gap (*.truth.json: each row has
the nodes that it may be about; gap runs once per input, because it refuses an ETDump with different inputs). Float and int8 decoder are those of examples/accuracy.
"""

import collections
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/check/accuracy"
EXAMPLES = ROOT / "examples/accuracy"


def ask(*arguments, status=0):
    done = subprocess.run([sys.argv[1], "accuracy", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == status, f"{arguments}: exit status {done.returncode}: {done.stderr}"
    return done.stdout


def document(*arguments):
    return json.loads(ask(*arguments, "--format", "json"))


def near(a, b):
    """Equal to 1e-6; gap says "inf" or "nan" where nothing differs, for which JSON has null."""
    if isinstance(b, str):
        return a is None
    return a is not None and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-30)


def check_truth(record, reference, truth):
    graphs = {graph: document(record, "--reference", reference, "--graph", graph)["values"] for graph in ("edge", "aten")}
    assert graphs["edge"] and all(value["problem"] is None for value in graphs["edge"]), "every logged value has a row"
    missing = []
    for row in json.loads(truth.read_text()):
        names = set(row["nodes"])
        found = [value for value in graphs[row["graph"]] if value["input"] == row["run"] and value["reference_node"] in names
                 and near(value["mse"], row["mse"]) and near(value["l1"], row["l1"]) and near(value["snr_db"], row["snr_db"])]
        if not found:
            missing.append(row)
    assert not missing, f"{truth.name}: {len(missing)} rows of gap are not found, the first is {missing[0]}"


# ---- Every logged value, computed anew from the files ----

FORMATS = {"float32": "f", "float64": "d", "int8": "b", "uint8": "B", "int16": "h", "int32": "i", "int64": "q", "bool": "?"}
TYPES = {"F32": "float32", "F64": "float64", "I8": "int8", "U8": "uint8", "I16": "int16", "I32": "int32", "I64": "int64", "BOOL": "bool"}


def numbers(data, offset, dtype, shape, strides):
    """The elements of a tensor, in the order of its dimensions."""
    indices = [0]
    for size, stride in zip(shape, strides):
        indices = [index + i * stride for index in indices for i in range(size)]
    return [struct.unpack_from("<" + FORMATS[dtype], data, offset + index * struct.calcsize(FORMATS[dtype]))[0] for index in indices]


def reference_values(path):
    """A function that gives the elements of a tensor of a safetensors file by its key."""
    data = path.read_bytes()
    size = struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:8 + size])
    aliases = json.loads(header["__metadata__"]["aliases"])

    def find(node, output):
        key = next(key for key in (f"{node}/{output}", node) if key in header or key in aliases)
        tensor = header[aliases.get(key, key)]
        count = math.prod(tensor["shape"])
        return numbers(data, 8 + size + tensor["data_offsets"][0], TYPES[tensor["dtype"]], [count], [1])

    return find


def check_rows(record, reference):
    """Each value that the runs logged has a row, also where calculate_numeric_gap raises, and its numbers follow from the debug buffer and the reference."""
    logged = collections.Counter()
    for graph in json.loads(subprocess.run([sys.argv[1], "nodes", str(record), "--format", "json"], capture_output=True, text=True, check=True).stdout)["graphs"]:
        for value in (value for node in graph["nodes"] for value in node["values"]):
            if value["role"] != "argument" and value["elements"]:
                key = (value["node"], value["output"])
                logged[key] = max(logged[key], value["runs"])
    rows = document(record, "--reference", reference)["values"]
    assert collections.Counter((row["node"].split(" #")[0], row["output"]) for row in rows) == logged, f"{record.name}: values without a row, or rows without a value"
    buffer, find = (record / "debug_buffer.bin").read_bytes(), reference_values(reference)
    for row in rows:
        assert row["problem"] is None, row
        wanted = find("%s/%d/%s/%s" % (row["method"], row["input"], row["reference_graph"], row["reference_node"]), row["output"])
        got = numbers(buffer, row["offset"], row["dtype"], row["shape"], row["strides"])
        assert len(wanted) == len(got) == row["elements"], row
        scale, zero_point = row["scale"] or 1, row["zero_point"] or 0
        errors = [(a - b) * scale for a, b in zip(wanted, got)]
        power = sum(((a - zero_point) * scale) ** 2 for a in wanted) / len(wanted)
        mse = sum(error * error for error in errors) / len(errors)
        assert near(row["mse"], mse) and near(row["l1"], sum(map(abs, errors))) and near(row["max_abs"], max(map(abs, errors))), row
        assert near(row["snr_db"], 10 * math.log10(power / mse) if mse and power else "equal"), row


def check_channels():
    """Integers that each channel stores with a scale of its own, all of them one step off."""
    record, reference = HERE / "per_channel", HERE / "per_channel.safetensors"
    row = next(row for row in document(record, "--reference", reference)["values"] if "_per_channel_" in row["node"] and row["dtype"] == "int8")
    scales = reference_values(reference)("forward/constant/edge/b__scale_0", 0)
    assert row["equal"] and row["scale"] is None and row["steps_off"] == 0 and len(scales) == row["shape"][0]
    buffer = bytearray((record / "debug_buffer.bin").read_bytes())
    for at in range(row["offset"], row["offset"] + row["elements"]):
        buffer[at] = (buffer[at] + 1) % 256 if buffer[at] != 127 else 126
    with tempfile.NamedTemporaryFile() as file:
        file.write(buffer)
        file.flush()
        off = next(other for other in document(record, "--reference", reference, "--debug-buffer", file.name)["values"] if other["node"] == row["node"])
    assert off["steps_off"] == 1 and off["most_steps"] == 1 and near(off["mse"], sum(scale * scale for scale in scales) / len(scales)), off


# ---- Questions of a stranger ----

def check_taps():
    """Values inside delegates, which taps made outputs; the truth compares what the program returned with torch."""
    answer = document(HERE / "tap", "--reference", HERE / "tap.safetensors", "--graph", "aten")
    found = {value["reference_node"]: value for value in answer["values"]}
    assert {value["role"] for value in answer["values"]} == {"tap", "output"} and any("tapped" in warning["message"] for warning in answer["warnings"])
    for row in json.loads((HERE / "tap.truth.json").read_text()):
        assert math.isclose(found[row["node"]]["snr_db"], row["snr_db"], abs_tol=1e-4), row


def statistics_of(values):
    """What the reducer STATS computes, in doubles."""
    size = len(values)
    mean, squares, sizes = sum(values) / size, sum(value * value for value in values), [abs(value) for value in values]
    return {"min": min(values), "max": max(values), "mean": mean, "abs_max": max(sizes), "abs_mean": sum(sizes) / size, "std": math.sqrt(squares / size - mean * mean),
            "rms": math.sqrt(squares / size), "l1_norm": sum(sizes), "l2_norm": math.sqrt(squares), "nan_count": 0, "inf_count": 0, "zero_count": values.count(0)}


def check_statistics():
    """Taps that return statistics: each is that of the reference's tensor, also when the device's number is changed; without taps.json a warning says what is missing."""
    record, reference = HERE / "tap_stats", HERE / "tap_stats.safetensors"
    specs = {spec["node_name"]: spec for spec in json.loads((record / "taps.json").read_text())}
    find = reference_values(reference)
    rows = {row["reference_node"]: row for row in document(record, "--reference", reference)["values"] if row["statistics"]}
    assert rows.keys() == specs.keys() and len(rows) == 3
    for node, row in rows.items():
        assert row["role"] == "tap" and row["snr_db"] is None and row["problem"] and row["statistics_difference"] < 1e-5, row
        assert [statistic["name"] for statistic in row["statistics"]] == specs[node]["fields"]
        wanted = statistics_of(find("forward/0/aten/" + node, 0))
        for statistic in row["statistics"]:
            if statistic["name"] in wanted:
                assert math.isclose(statistic["reference"], wanted[statistic["name"]], rel_tol=1e-9, abs_tol=1e-12), (node, statistic)
                assert math.isclose(statistic["value"], wanted[statistic["name"]], rel_tol=1e-4, abs_tol=1e-6), (node, statistic)
            else:
                assert statistic["name"] == "p99_abs" and statistic["reference"] is None
    buffer, row = bytearray((record / "debug_buffer.bin").read_bytes()), rows["relu"]
    at = row["offset"] + 4 * specs["relu"]["fields"].index("rms")
    struct.pack_into("<f", buffer, at, 1.25 * struct.unpack_from("<f", buffer, at)[0])
    with tempfile.TemporaryDirectory() as folder:
        for name in ("etrecord.bin", "etdump.etdp", "model.pte"):
            (pathlib.Path(folder) / name).write_bytes((record / name).read_bytes())
        (pathlib.Path(folder) / "debug_buffer.bin").write_bytes(buffer)
        answer = document(folder, "--reference", reference)
        assert not any(value["statistics"] for value in answer["values"]) and any("taps.json beside the record" in warning["message"] for warning in answer["warnings"])
        (pathlib.Path(folder) / "taps.json").write_bytes((record / "taps.json").read_bytes())
        off = next(value for value in document(folder, "--reference", reference)["values"] if value["statistics"] and value["reference_node"] == "relu")
        assert math.isclose(off["statistics_difference"], 0.25, rel_tol=1e-4) and off["statistics_text"].startswith("rms: "), off


def check_unreadable_type():
    """A reference of complex numbers, which no view reads: its statistics have nothing beside them, and it says why."""
    record, reference = HERE / "tap_stats", (HERE / "tap_stats.safetensors").read_bytes()
    size = struct.unpack_from("<Q", reference)[0]
    header = json.loads(reference[8:8 + size])
    key = "forward/0/aten/relu"
    begin, end = header[json.loads(header["__metadata__"]["aliases"]).get(key, key)]["data_offsets"]
    for tensor in header.values():
        if tensor.get("data_offsets") == [begin, end]:
            tensor.update(dtype="C64", shape=[(end - begin) // 8])
    changed = json.dumps(header).encode()
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        file.write(struct.pack("<Q", len(changed)) + changed + reference[8 + size:])
        file.flush()
        row = next(value for value in document(record, "--reference", file.name)["values"] if value["statistics"] and value["reference_node"] == "relu")
    assert row["problem"] == "the type of its reference cannot be read", row["problem"]
    assert all(statistic["reference"] is None for statistic in row["statistics"]), row


def check_locals():
    answer = document(HERE / "convnet", "--reference", HERE / "convnet.safetensors")
    assert answer["ranked_by"] == "local" and answer["own_program"] and not answer["candidates"], "a correct backend has no culprit"
    assert all(value["local"]["equal"] for value in answer["values"] if value["local"])
    answer = document(EXAMPLES / "int8", "--reference", HERE / "int8.safetensors")
    assert any(value["steps_off"] is not None for value in answer["values"]) and any(value["scale"] for value in answer["values"])


def check_culprit():
    """The softmax: a mask of -10000 goes through an int8 scale of 39.2."""
    float_model = ("--reference", EXAMPLES / "f32.safetensors", "--reference-record", EXAMPLES / "f32")
    answer = document(EXAMPLES / "int8", *float_model)
    first, second = (answer["values"][index] for index in answer["candidates"][:2])
    assert {first["computed_by"], second["computed_by"]} <= {"aten__softmax_default", "aten__softmax_default_1"}, "softmax comes first"
    assert abs(answer["output_snr_db"] - 21.98) < 0.01, "as the eager models say"
    ask(EXAMPLES / "int8", *float_model, "--fail-below", "20dB")
    ask(EXAMPLES / "int8", *float_model, "--fail-below", "30dB", status=3)
    lines = ask(EXAMPLES / "f32", EXAMPLES / "int8", "--reference", EXAMPLES / "f32.safetensors", "--format", "csv").splitlines()
    cells = next(line for line in lines if line.startswith("softmax,")).split(",")
    assert float(cells[-2]) > 100 and abs(float(cells[-1]) - 12.9) < 0.1, cells


# ---- Origin and innocence ----
# Records of one small model each, portable kernels, made with ExecuTorch 1.5.1. The program that ran has one error, which its ETRecord does not have.

ORIGINS = {
    "huge": "aten_permute_copy_default_1",  # 1e38 in one weight of the layer b; what reads it is NaN
    "overflow": "aten_mul_tensor",  # infinity in a gain, as where a half above 65504 returns to float
}


def check_origins():
    for name, origin in ORIGINS.items():
        record, reference = HERE / name, HERE / f"{name}.safetensors"
        answer = document(record, "--reference", reference)
        first = answer["values"][answer["candidates"][0]]
        assert first["node"] == origin and first["origin"] and first["stands_out"], first
        assert [value["node"] for value in answer["values"] if value["origin"]] == [origin] * 2, "one in each run"
        text = ask(record, "--reference", reference)
        assert f"{origin} " in text.splitlines()[1] + text.splitlines()[2] and "where it goes wrong" in " ".join(text.split()), text
        assert "nan dB" not in text and next(line for line in text.splitlines() if "SNR dB" in line) in text.split(origin)[-2], text


def check_innocents():
    """A mask of -infinity, tokens and indices: nothing is wrong with them, and nothing is quantized."""
    for name in ("masked", "tokens"):
        answer = document(HERE / name, "--reference", HERE / f"{name}.safetensors")
        assert not answer["candidates"] and answer["values"] and all(value["equal"] and value["problem"] is None for value in answer["values"]), name
        assert all(value["steps_off"] is None for value in answer["values"]), f"{name} has no scale"
        text = ask(HERE / name, "--reference", HERE / f"{name}.safetensors")
        assert "quantized itself" not in text and "nan dB" not in text and "steps off" not in text, text
    masked = [value for value in document(HERE / "masked", "--reference", HERE / "masked.safetensors")["values"] if value["left_out"]]
    assert masked and all(value["nonfinite"] == 0 for value in masked)
    assert any(value["left_out"] == value["elements"] and value["snr_db"] is None for value in masked), "nothing finite has no SNR"


def check_dropout():
    answer = document(HERE / "dropout", "--reference", HERE / "dropout.safetensors")
    assert any("random" in warning["message"] and "training mode" in warning["message"] for warning in answer["warnings"]), answer["warnings"]
    assert answer["values"][answer["candidates"][0]]["node"].startswith("aten_native_dropout_default")


def check_methods():
    """Two methods of one model, 8da4w against float. Half of the scales of layers.1.up are wrong."""
    methods = ("--map", "1=prefill", "--map", "3=decode")
    of_float = ("--reference", HERE / "two_float.safetensors", "--reference-record", HERE / "two_float")
    answer = document(HERE / "two_8da4w", *of_float, *methods)
    assert {value["method"] for value in answer["values"]} == {"prefill", "decode"} and all(value["problem"] is None for value in answer["values"])
    named = [answer["values"][index] for index in answer["candidates"][:2]]
    assert {value["method"] for value in named} == {"prefill", "decode"}
    assert all("aten_linear_default_10" in value["segment"] for value in named), "the layer is in the segments that are named"
    by_sizes = document(HERE / "two_8da4w", *of_float)
    assert [value["method"] for value in by_sizes["values"]] == [value["method"] for value in answer["values"]], "the sizes of logged values tell the methods"


def check_kept():
    """A reference that `accuracy` keeps beside a record, which begins with a hash, is found by all commands that name its record."""
    data = (EXAMPLES / "f32.safetensors").read_bytes()
    size = struct.unpack_from("<Q", data)[0]
    header = data[8:8 + size].replace(b'{"__metadata__": {', b'{"__metadata__": {"kept": "0123456789abcdef", ', 1)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("etrecord.bin", "etdump.etdp", "model.pte", "debug_buffer.bin"):
            (pathlib.Path(folder) / name).write_bytes((EXAMPLES / "int8" / name).read_bytes())
        (pathlib.Path(folder) / "int8.reference.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + data[8 + size:])
        said = subprocess.run([sys.argv[1], "summary", folder, "--reference-record", EXAMPLES / "f32"], capture_output=True, text=True)
    assert said.returncode == 0 and "accuracy against the program of f32 (int8.reference.safetensors): output 22.0 dB" in said.stdout, said


def check_even():
    """Errors of the same size everywhere have no culprit: each float of a debug buffer is off, by 0.3 % at first and 1 % at last, as errors add up."""
    record, reference = EXAMPLES / "f32", EXAMPLES / "f32.safetensors"
    buffer = bytearray((record / "debug_buffer.bin").read_bytes())
    done, chance = set(), 1
    values = document(record, "--reference", reference)["values"]
    order = {node: place for place, node in enumerate(dict.fromkeys(value["node"] for value in values))}
    for value in values:
        off = 0.003 + 0.007 * order[value["node"]] / len(order)
        if value["dtype"] != "float32" or value["offset"] in done:
            continue
        done.add(value["offset"])
        for at in range(value["offset"], value["offset"] + 4 * value["elements"], 4):
            chance = (chance * 1103515245 + 12345) % 2**31
            struct.pack_into("<f", buffer, at, struct.unpack_from("<f", buffer, at)[0] * (1 + (off if chance >> 16 & 1 else -off)))
    with tempfile.NamedTemporaryFile() as file:
        file.write(buffer)
        file.flush()
        answer = document(record, "--reference", reference, "--debug-buffer", file.name)
        text = ask(record, "--reference", reference, "--debug-buffer", file.name)
    assert not answer["candidates"] and not any(value["stands_out"] for value in answer["values"]), [value["node"] for value in answer["values"] if value["stands_out"]]
    assert "no layer stands out" in text and "run --local" in text, text


def main():
    for check in (check_origins, check_innocents, check_dropout, check_methods, check_kept, check_even, lambda: check_truth(HERE / "convnet", HERE / "convnet.safetensors", HERE / "convnet.truth.json"),
                  lambda: check_truth(EXAMPLES / "int8", HERE / "int8.safetensors", HERE / "int8.truth.json"),
                  lambda: check_rows(HERE / "convnet", HERE / "convnet.safetensors"), lambda: check_rows(HERE / "tap", HERE / "tap.safetensors"),
                  lambda: check_rows(EXAMPLES / "f32", EXAMPLES / "f32.safetensors"), lambda: check_rows(EXAMPLES / "int8", HERE / "int8.safetensors"), check_channels, check_taps, check_statistics, check_unreadable_type, check_locals, check_culprit):
        check()
    print("passed")


if __name__ == "__main__":
    main()
