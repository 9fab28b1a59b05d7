# SPDX-License-Identifier: BSD-3-Clause
"""finish.py WHEEL PLATFORM_TAG OUT_FOLDER ROOT SOURCE_FOLDER...: puts the licenses of the libraries inside and a list of all parts (an SBOM in CycloneDX, where
PEP 770 has it) into a wheel, and names it for the platform it was built for. The sources are unpacked Debian source packages. The wheel appears in OUT_FOLDER
only if its size and its metadata are as they must be."""

from __future__ import annotations

import importlib.metadata
import json
import pathlib
import re
import sys
import tempfile
import zipfile

import ziglang
import zopfli.zlib
from packaging.metadata import Metadata
from wheel.wheelfile import WheelFile

LICENSES = {"zlib": "Zlib", "libzip": "BSD-3-Clause", "protobuf-c": "BSD-2-Clause", "graphviz": "EPL-1.0", "mingw-w64": "ZPL-2.1"}
MOST_BYTES = 1_000_000
MOST_BYTES_WINDOWS = 1_100_000  # its calling convention makes code a tenth larger, and a part of the C library is inside


class Zopfli:
    """Deflates 4 % smaller than zlib can, as zipfile's own compressors are called."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def compress(self, data: bytes) -> bytes:
        self._parts.append(bytes(data))
        return b""

    def flush(self) -> bytes:
        return zopfli.zlib.compress(b"".join(self._parts), numiterations=5, blocksplittingmax=0)[2:-4]  # without zlib's head and checksum


def source(folder: pathlib.Path) -> dict[str, str]:
    """Name, version and package of an unpacked source."""
    name, package = re.match(r"(\S+) \((\S+)\)", (folder / "debian/changelog").read_text(encoding="utf-8")).groups()
    return {"name": name, "version": re.sub(r"^\d+:|[+.]?dfsg.*|-[^-]*$", "", package), "license": str(folder / "LICENSE"),
            "from": f"Debian's source package {name} {package}", "purl": f"pkg:deb/debian/{name}@{package.replace('+', '%2B')}?arch=source"}


def runtime() -> dict[str, str]:
    """What programs for Windows start with: the system has none."""
    version = importlib.metadata.version("ziglang")
    folder = pathlib.Path(ziglang.__file__).parent / "lib/libc/mingw"
    return {"name": "mingw-w64", "version": f"of-ziglang-{version}", "license": str(folder / "COPYING"), "from": f"PyPI's package ziglang {version}",
            "purl": f"pkg:pypi/ziglang@{version}"}


def notice(sources: list[dict[str, str]]) -> str:
    """What the licenses ask to be told; the EPL asks how to get the source."""
    lines = "".join(f"  {s['name']} {s['version']}: {LICENSES[s['name']]}, from {s['from']}\n" for s in sources)
    return (
        "etrecord-tb is under the BSD-3-Clause license (LICENSE). The library and the command in this wheel contain, unchanged:\n\n" + lines
        + "\nThe license of each is in the folder of its name. Of Graphviz they contain the libraries cgraph and cdt, under the Eclipse Public License 1.0;\n"
        "their source is that package of Debian, which `apt-get source graphviz` hands out free of charge, now and as long as Debian has it. They come\n"
        "without warranty and without liability of their contributors; what etrecord-tb's license grants beyond the EPL, its authors alone grant.\n"
    )


def page_parts(notice_of_page: str) -> list[dict[str, str]]:
    """What the page holds: the packages that web/NOTICE names, each in a line of its own."""
    found = re.findall(r"^(\S+) ([\d.]+) \((\S+)\)$", notice_of_page, re.MULTILINE)
    return [{"name": name, "version": version, "id": license, "purl": f"pkg:npm/{name.replace('@', '%40')}@{version}"} for name, version, license in found]


def component(of: dict[str, str]) -> dict[str, object]:
    identifier = of.get("id") or LICENSES[of["name"]]
    return {"type": "library", "bom-ref": of["purl"], "name": of["name"], "version": of["version"], "purl": of["purl"], "licenses": [{"license": {"id": identifier}}]}


def check(metadata: bytes, files: list[str], folder: str) -> None:
    """Ends the program if the metadata are not valid, or name a license file that the wheel has not."""
    parsed = Metadata.from_email(metadata, validate=True)
    missing = [name for name in parsed.license_files or [] if f"{folder}/licenses/{name}" not in files]
    if missing or not parsed.license_files or not parsed.license_expression:
        sys.exit(f"the metadata name no license, or files that are missing: {missing}")


def sbom(version: str, contained: list[dict[str, str]]) -> str:
    itself = f"pkg:pypi/etrecord-tb@{version}"
    parts = [component(of) for of in contained]
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": {"type": "library", "bom-ref": itself, "name": "etrecord-tb", "version": version, "purl": itself,
                                   "licenses": [{"license": {"id": "BSD-3-Clause"}}]}},
        "components": parts,
        "dependencies": [{"ref": itself, "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    return json.dumps(document, indent=1) + "\n"


def main() -> None:
    wheel, tag, out, root, *folders = sys.argv[1:]
    sources = [source(pathlib.Path(folder)) for folder in folders] + [runtime()] * tag.startswith("win")
    name, version = pathlib.Path(wheel).name.split("-")[:2]
    info = f"{name}-{version}.dist-info"
    tags = "".join(f"Tag: py3-none-{one}\n" for one in tag.split("."))
    target = pathlib.Path(out) / f"{name}-{version}-py3-none-{tag}.whl"
    zipfile._get_compressor = lambda *_: Zopfli()  # zipfile has no other way to use one
    parts = sources + page_parts((pathlib.Path(root) / "web/NOTICE").read_text(encoding="utf-8"))
    identifiers = " AND ".join(sorted({LICENSES[of["name"]] for of in sources} - {"BSD-3-Clause"}))  # that of the package is named already
    with tempfile.TemporaryDirectory(dir=out) as folder, WheelFile(wheel) as old:
        unfinished = pathlib.Path(folder) / target.name
        with WheelFile(unfinished, "w") as new:
            licenses = {f"{info}/licenses/NOTICE": notice(sources)}
            for of in sources:
                licenses[f"{info}/licenses/{of['name']}/LICENSE"] = pathlib.Path(of["license"]).read_text(encoding="utf-8", errors="replace")
            for entry in old.infolist():
                data = old.read(entry)
                if entry.filename in (f"{info}/RECORD", *licenses):
                    continue
                if entry.filename == f"{info}/WHEEL":
                    data = re.sub(r"(Tag: .*\n)+", tags, data.decode()).encode()
                if entry.filename == f"{info}/METADATA":
                    listed = "".join(f"License-File: {path.split('/licenses/')[1]}\n" for path in licenses)
                    data = re.sub(r"^(License-Expression: .*)$", rf"\1 AND {identifiers}", data.decode(), count=1, flags=re.MULTILINE)
                    data = data.replace("\n\n", f"\n{listed}\n", 1).encode()
                    metadata = data
                new.writestr(entry, data)
            for path, text in {**licenses, f"{info}/sboms/etrecord-tb.cdx.json": sbom(version, parts)}.items():
                new.writestr(path, text)
            check(metadata, new.namelist(), info)
        size = unfinished.stat().st_size
        most = MOST_BYTES_WINDOWS if tag.startswith("win") else MOST_BYTES
        if size > most:
            sys.exit(f"{target.name} has {size} bytes, more than {most}")
        unfinished.replace(target)
    print(f"{target.name}: {size} bytes")


if __name__ == "__main__":
    main()
