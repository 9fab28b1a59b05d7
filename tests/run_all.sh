#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh, and then what takes long and seldom fails: how costs grow and how often verdicts on noise are wrong, all that sanitizers watch in part
# in run.sh, races of threads, all mutants, mutations and fuzz targets, valgrind, clang-tidy, other places and versions (strength/run.sh), Debian packages,
# wheels, and the short benchmarks, whose figures no result depends on.
# run_all.sh [SECONDS for each fuzz target, default 30]
set -uo pipefail
cd "$(dirname "$0")/.."

. tests/stage.sh

stage bash tests/run.sh
stage build/venv/bin/pip install --no-compile -q --disable-pip-version-check -r tests/interop/requirements_long.txt
stage ctest --preset release --label-regex long -j "$(nproc)"
stage ctest --preset asan-blocks-long -j "$(nproc)"
stage bash tests/strength/run.sh "${1:-30}"
stage python3 tests/bench/bench.py --repeat 1 --only python --only limit
stage bash packaging/debian/build.sh
stage bash packaging/wheels/build.sh
stage bash packaging/wheels/test.sh
exit $status
