#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and runs all tests: the release build with real TensorBoard and a browser, the sanitizer builds over units,
# command line, damaged files, faults and threads, each fuzz target for half a minute, and the short benchmarks, whose figures no result depends on.
set -euo pipefail
cd "$(dirname "$0")/.."

bash tests/install.sh test
[ -x build/venv/bin/python ] || python3 -m venv build/venv
build/venv/bin/pip install -q --disable-pip-version-check -r tests/interop/requirements.txt
npm install --silent --no-audit --no-fund --no-package-lock --no-save --prefix build/node "playwright-core@$(node -p "require('./tests/browser/package.json').devDependencies['playwright-core']")"

for preset in release asan tsan; do cmake --preset "$preset" -G Ninja; done
for preset in release asan; do cmake --build --preset "$preset"; done
cmake --build --preset tsan --target threads
status=0
ctest --preset release -j "$(nproc)" || status=1
ctest --preset asan -j "$(nproc)" --exclude-regex '^(interop|browser|python)$' || status=1
ctest --preset tsan || status=1
bash tests/fuzz/run.sh 30 || status=1
python3 tests/bench/bench.py --repeat 3 --only python --only limit || status=1
exit $status
