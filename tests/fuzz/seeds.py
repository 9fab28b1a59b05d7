#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Seeds for the fuzz targets, cut out of the fixtures, and small models with payloads: seeds.py FIXTURES FOLDER makes FOLDER/TARGET/..."""

import io
import json
import pathlib
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "corpus"))
import forge_pte  # noqa: E402

SMALL = 64 * 1024  # what is larger makes a fuzzer slow and teaches it nothing new
MAPS = ("debug_handle_map", "delegate_map")
EDGE = "edge_dialect_exported_program"
USUAL = (*MAPS, "exported_program", "export_graph_id", "reference_outputs")


def entries(record):
    with zipfile.ZipFile(record) as archive:
        names = [name for name in archive.namelist() if not name.endswith(("_state_dict", "_constants", "_example_inputs"))]
        return {name: archive.read(name) for name in names}


def torch_archives(record):
    """What torch.save wrote, and the pickles in it."""
    with zipfile.ZipFile(record) as archive:
        for name in archive.namelist():
            if name.endswith(("_state_dict", "_constants", "_example_inputs", "reference_outputs", "representative_inputs")):
                data = archive.read(name)
                if not data.startswith(b"PK"):
                    continue
                yield data
                with zipfile.ZipFile(io.BytesIO(data)) as inner:
                    yield from (inner.read(each) for each in inner.namelist() if each.endswith("/data.pkl"))


def sections(documents, files):
    """fuzz_whole's: entries of a record, and ("dump", bytes) or ("pte", bytes)."""
    named = [(f"entry {name}", data) for name, data in documents.items()]
    return b"".join(b"\n== " + name.encode() + b"\n" + data for name, data in named + files)


def whole(folder, documents):
    """A record without weights and what goes with it."""
    files = [(key, folder / name) for key, name in (("dump", "etdump.etdp"), ("pte", "model.pte"))]
    wanted = {name: data for name, data in documents.items() if name in USUAL or name.startswith(EDGE)}
    return sections(wanted, [(key, path.read_bytes()) for key, path in files if path.exists()])


def event_lines(events, listed):
    """fuzz_decoders' lines of a delegate's events, of which the delegate map has those listed, with so many handles."""
    lines = []
    for event in events:
        name, metadata = str(event["id"]), (event.get("metadata") or [""])[0]
        bits = name.isdigit() | (name in listed) << 1 | min(listed.get(name, 0), 3) << 2 | 1 << 4
        lines.append(bytes([bits]) + name.encode() + b"\t" + (metadata or "").encode().replace(b"\n", b" "))
    return lines


BACKENDS = ("coreml", "ethosu", "neutron", "qnn", "vgf", "vulkan")  # as fuzz_decoders.c has them


def decoder_seeds(folder):
    """Of the events that truth_backend.json tells of, one seed for each call."""
    events = json.loads((folder / "truth_backend.json").read_text())["events"]
    number = BACKENDS.index(folder.name.removeprefix("b_"))
    maps = json.loads(entries(folder / "etrecord.bin")["delegate_map"])
    for instruction in {event["instruction"] for event in events} - {None}:
        listed = (maps["forward"].get(str(instruction)) or {}).get("delegate_map") or {}
        lines = event_lines([event for event in events if event["instruction"] == instruction and event["id"] is not None],
                            {id: len(handles) for id, handles in listed.items()})
        yield "fuzz_decoders", bytes([number]) + b"\n".join(lines)


def container_seeds(fixtures):
    """Logs and .ptd for fuzz_log, BundledPrograms for fuzz_pte, references for fuzz_safetensors, taps.json for fuzz_taps."""
    for ending, target in (("log", "fuzz_log"), ("ptd", "fuzz_log"), ("bpte", "fuzz_pte"), ("safetensors", "fuzz_safetensors")):
        for path in sorted(fixtures.rglob(f"*.{ending}")):
            if path.stat().st_size <= SMALL:
                yield target, path.stem, path.read_bytes()
    yield "fuzz_taps", "tap_stats", (fixtures.parent / "check/accuracy/tap_stats/taps.json").read_bytes()


def payloads(pte, magic):
    """Delegates' payloads in a program: from each header with this magic, which stands 4 bytes behind their start, to the next."""
    starts = [at - 4 for at in range(len(pte)) if pte.startswith(magic, at)]
    return [pte[start:end] for start, end in zip(starts, starts[1:] + [len(pte)])]


def seeds(folder):
    """Pairs of a target and a seed."""
    for name, target in (("etdump.etdp", "fuzz_dump"), ("model.pte", "fuzz_pte")):
        if (folder / name).exists():
            yield target, (folder / name).read_bytes()
    if (folder / "model.pte").exists():
        program = (folder / "model.pte").read_bytes()
        yield from (("fuzz_xnnpack", payload) for payload in payloads(program, b"XH00"))
        yield from (("fuzz_own_graph", payload) for magic in (b"XH00", b"VH00") for payload in payloads(program, magic))
        yield "fuzz_whole", whole(folder, {})
    if not (folder / "etrecord.bin").exists():
        return
    if (folder / "truth_backend.json").exists():
        yield from decoder_seeds(folder)
    documents = entries(folder / "etrecord.bin")
    yield from (("fuzz_torch", data) for data in torch_archives(folder / "etrecord.bin"))
    yield "fuzz_record", (folder / "etrecord.bin").read_bytes()
    yield "fuzz_whole", whole(folder, documents)
    yield "fuzz_maps", b"\n".join(documents.get(name, b"{}") for name in MAPS)
    for data in documents.values():
        if data.startswith(b"{"):
            yield "fuzz_json", b"\x21" + data
            yield "fuzz_program", data


def joined(*models):
    """fuzz_whole's sections of forged models, small enough for a fuzzer to change what matters: the first is `forward`, the next are other methods
    of the record, and each has a dump; the program is the first one's."""
    documents, files = {}, [("dump", model.etdump()) for model in models]
    maps = {name: {} for name in MAPS}
    for model, method in zip(models, ("forward", "second", "third")):
        with zipfile.ZipFile(io.BytesIO(model.record())) as archive:
            documents[f"{EDGE}/{method}"] = archive.read(f"{EDGE}/forward")
            for name, methods in maps.items():
                methods[method] = json.loads(archive.read(name))["forward"]
    documents.update({name: json.dumps(methods).encode() for name, methods in maps.items()})
    return sections(documents, files + [("pte", models[0].pte())])


def forged():
    """Kernels and delegates of one handle; twins; operators without handles; a concatenation; views."""
    row = [("sigmoid", [i - 1], [8]) for i in range(8)]
    twins = [("exp", [-1], [8]) for _ in range(6)] + [("cat", list(range(6)), [48])]
    pairs = [("sigmoid" if i % 3 else "add", [i - 1, i - 2] if i % 3 == 0 else [i - 1], [8]) for i in range(1, 7)]
    pairs = [("exp", [-1], [8])] + [(op, [max(each, 0) for each in inputs], sizes) for op, inputs, sizes in pairs]
    views = forge_pte.Model([("view_copy" if i % 2 else "exp", [i - 1], [8] if i % 4 < 2 else [2, 4]) for i in range(6)], range(0, 6, 2))
    views.aliases = {i: i - 1 for i in (1, 3, 5)}
    return [
        forge_pte.Model(row, [0, [1, 2, 3], 4, [5], 6, [7]]),
        forge_pte.Model(twins, [0, [1, 2], 3, [4, 5], 6]),
        forge_pte.Model(pairs, [0, [1, 2, 3, 4], 5, 6], payload_handle=0),
        views,
    ]


def of_model(model):
    return ("fuzz_whole", joined(model)), ("fuzz_pte", model.pte())


def main():
    fixtures, out = map(pathlib.Path, sys.argv[1:])
    models = forged()
    several = [("fuzz_whole", joined(*each)) for each in (models[:2], models[1:4])]
    for number, (target, data) in enumerate([(target, data) for model in models for target, data in of_model(model)] + several):
        (out / target).mkdir(parents=True, exist_ok=True)
        (out / target / f"forged-{number}").write_bytes(data)
    (out / "fuzz_document").mkdir(parents=True, exist_ok=True)
    for path in (pathlib.Path(__file__).parent / "documents").iterdir():
        (out / "fuzz_document" / path.name).write_bytes(path.read_bytes())
    for target, name, data in container_seeds(fixtures):
        (out / target).mkdir(parents=True, exist_ok=True)
        (out / target / name).write_bytes(data)
    for folder in sorted({path.parent for path in fixtures.rglob("*") if path.name in ("etrecord.bin", "etdump.etdp", "model.pte")}):
        for number, (target, data) in enumerate(seeds(folder)):
            if len(data) > SMALL:
                continue
            (out / target).mkdir(parents=True, exist_ok=True)
            (out / target / f"{'_'.join(folder.relative_to(fixtures).parts)}-{number}").write_bytes(data)


if __name__ == "__main__":
    main()
