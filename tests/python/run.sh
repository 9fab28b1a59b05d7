#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the wheel, installs it into a fresh virtual environment and tests it there: run.sh BUILD_FOLDER. 77: could not, and says why.
# EVERY=6 takes every sixth record only (default: all), fewer dumps, and one type checker.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1/python_package

give_up() {
  echo "skipped: $1" >&2
  [ "${CI:-}" = true ] && exit 1
  exit 77
}

tools=$root/build/venv/bin/python # has what it is built and tested with, where tests/run.sh made it: nothing is installed twice
pip=("$folder/venv/bin/python" -m pip --disable-pip-version-check -q)
if [ -x "$tools" ]; then
  purelib='import sysconfig; print(sysconfig.get_path("purelib"))'
  python3 -m venv --clear --without-pip "$folder/venv"
  "$tools" -c "$purelib" >"$("$folder/venv/bin/python" -c "$purelib")/tools.pth"
else
  python3 -m venv --clear "$folder/venv" || give_up "python3 -m venv does not work here"
  "${pip[@]}" install -r "$root/tests/interop/requirements.txt" ninja || give_up "pip cannot install what the wheel is built with"
fi
rm -rf "$folder/wheels"
# Compiled as the release build is, by the same name of the compiler, so that ccache has most of it; packaging/wheels/test.sh tests wheels as they are
# published.
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$1/CMakeCache.txt")
CC=$compiler "${pip[@]}" wheel --no-deps --no-build-isolation -w "$folder/wheels" -C "build-dir=$folder/build" "$root"
# What an index checks before it takes a wheel, and what the licenses of its parts ask for.
"$folder/venv/bin/python" - "$folder"/wheels/etrecord_tb-*.whl <<'END'
import re, sys, zipfile
from packaging.metadata import Metadata
wheel = zipfile.ZipFile(sys.argv[1])
names = wheel.namelist()
metadata = Metadata.from_email(wheel.read(next(name for name in names if name.endswith(".dist-info/METADATA"))), validate=True)
assert metadata.license_expression and metadata.license_files, "the metadata name no license"
for file in metadata.license_files:
    assert any(name.endswith(f"/licenses/{file}") for name in names), f"{file} is not in the wheel"
links = re.findall(r"\]\(([^)]*)\)", metadata.description)
assert links and all(link.startswith("https://") for link in links), f"the package's page has links that lead nowhere: {links}"
notice = wheel.read(next(name for name in names if name.endswith("/NOTICE"))).decode()
assert all(part in notice for part in ("preact", "signals")), "the NOTICE lacks a part of the page"
assert sum(entry.compress_size for entry in wheel.infolist()) < 2_000_000, "the wheel is large"
END
"${pip[@]}" install --no-deps "$folder"/wheels/etrecord_tb-*.whl
cd "$folder" # away from the sources, so that what was installed is imported
exec "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider "$root/tests/python"
