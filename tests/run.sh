#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and runs all tests: the release build with real TensorBoard and a browser, a sanitizer build over units, command
# line, damaged files and faults, another one over threads, mutants of the fixtures, the same bytes at another path, the same inputs to each fuzz target,
# and the short benchmarks, whose figures no result depends on. Nothing is left to chance or to the clock. Each stage says how long it took.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
# stage COMMAND...: remembers a failure, and goes on.
stage() {
  local start=$SECONDS
  "$@" || status=1
  printf -- '---- %d s: %s\n' $((SECONDS - start)) "$*"
}

bash tests/install.sh test
[ -x build/venv/bin/python ] || python3 -m venv build/venv
build/venv/bin/pip install -q --disable-pip-version-check -r tests/interop/requirements.txt
npm install --silent --no-audit --no-fund --no-package-lock --no-save --prefix build/node "playwright-core@$(node -p "require('./tests/browser/package.json').devDependencies['playwright-core']")"

# Everything in an arena has a block of its own in asan-blocks: it sees what asan (strength/run.sh) sees, and more.
for preset in release asan-blocks tsan; do cmake --preset "$preset" -G Ninja; done
for preset in release asan-blocks; do cmake --build --preset "$preset"; done
cmake --build --preset tsan --target threads
stage ctest --preset release -j $(($(nproc) + 1)) --exclude-regex '^fault\.(memory|input)' # one more than processors: browsers wait
stage ctest --preset asan-blocks -j "$(nproc)"
stage ctest --preset tsan
stage bash tests/strength/reproducible.sh
stage bash tests/strength/mutants.sh 2000 1 asan-blocks
stage bash tests/fuzz/run.sh fixed
stage python3 tests/bench/bench.py --repeat 1 --only python --only limit
exit $status
