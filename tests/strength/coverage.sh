#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How much of lib the tests run, by gcov: coverage.sh [FILE...], such as lib/formats/json.c, to see what of it never ran in the tests run last.
# Allocations are made to fail in a build, too, in which arenas allocate everything by itself: in chunks, few of them ever come to fail. Mutants run what
# only damaged files run. Not run are hostile files (corpus), whose limits of memory are none for a build that counts, and balance, which takes longest of all.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v gcov >/dev/null || { echo "skipped: gcov is not installed"; exit 77; }
builds=(build/coverage build/coverage-blocks)

# build FOLDER TARGET [OPTION...]
build() {
  cmake --preset coverage -B "$1" "${@:3}" >/dev/null
  cmake --build "$1" -j "$(nproc)" --target "$2" >/dev/null
  find "$1" -name '*.gcda' -delete
}

# What fails, such as a limit of time on a busy machine, is shown; what it ran counts all the same.
if [ $# -eq 0 ]; then
  build build/coverage all
  build build/coverage-blocks fault_memory -DETR_OWN_BLOCKS=ON
  ctest --test-dir build/coverage-blocks --no-tests=error -R '^fault\.memory$' >build/coverage-blocks/memory.log &
  ctest --preset coverage -j "$(nproc)" | tail -n 20 || true
  python3 tests/strength/mutants/run.py build/coverage/tests/strength/mutants/survive --count 2000 --keep build/coverage/mutants | tail -n 2 || true
  wait $! || true
  tail -n 5 build/coverage-blocks/memory.log
fi
python3 tests/strength/coverage.py "${builds[@]}" "$@"
