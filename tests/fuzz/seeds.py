#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Seeds for the fuzz targets, cut out of the fixtures: seeds.py FIXTURES FOLDER makes FOLDER/TARGET/..."""

import io
import pathlib
import sys
import zipfile

SMALL = 64 * 1024  # what is larger makes a fuzzer slow and teaches it nothing new
MAP = {"handles": "debug_handle_map", "delegates": "delegate_map"}


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


def whole(folder, documents):
    """fuzz_whole's sections."""
    edge = next((data for name, data in documents.items() if name.startswith("edge_dialect_exported_program")), b"")
    parts = {"program": edge, "aten": documents.get("exported_program", b""), **{key: documents.get(name, b"{}") for key, name in MAP.items()}}
    for key, name in (("dump", "etdump.etdp"), ("pte", "model.pte")):
        if (folder / name).exists():
            parts[key] = (folder / name).read_bytes()
    return b"".join(b"\n== " + key.encode() + b"\n" + data for key, data in parts.items())


def payloads(pte):
    """Delegates' payloads in a program: from each XH00 header, which stands 4 bytes behind their start, to the next."""
    starts = [at - 4 for at in range(len(pte)) if pte.startswith(b"XH00", at)]
    return [pte[start:end] for start, end in zip(starts, starts[1:] + [len(pte)])]


def seeds(folder):
    """Pairs of a target and a seed."""
    for name, target in (("etdump.etdp", "fuzz_dump"), ("model.pte", "fuzz_pte")):
        if (folder / name).exists():
            yield target, (folder / name).read_bytes()
    if (folder / "model.pte").exists():
        yield from (("fuzz_xnnpack", payload) for payload in payloads((folder / "model.pte").read_bytes()))
    if not (folder / "etrecord.bin").exists():
        return
    documents = entries(folder / "etrecord.bin")
    yield from (("fuzz_torch", data) for data in torch_archives(folder / "etrecord.bin"))
    yield "fuzz_record", (folder / "etrecord.bin").read_bytes()
    yield "fuzz_whole", whole(folder, documents)
    yield "fuzz_maps", b"\n".join(documents.get(name, b"{}") for name in MAP.values())
    for data in documents.values():
        if data.startswith(b"{"):
            yield "fuzz_json", b"\x21" + data
            yield "fuzz_program", data


def main():
    fixtures, out = map(pathlib.Path, sys.argv[1:])
    for folder in sorted({path.parent for path in fixtures.rglob("*") if path.name in ("etrecord.bin", "etdump.etdp", "model.pte")}):
        for number, (target, data) in enumerate(seeds(folder)):
            if len(data) > SMALL:
                continue
            (out / target).mkdir(parents=True, exist_ok=True)
            (out / target / f"{'_'.join(folder.relative_to(fixtures).parts)}-{number}").write_bytes(data)


if __name__ == "__main__":
    main()
