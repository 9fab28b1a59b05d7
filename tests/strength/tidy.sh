#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# clang-tidy over every source: tidy.sh [FILE...]. .clang-tidy says which checks are off, and why; what the others find is a failure.
set -uo pipefail
cd "$(dirname "$0")/../.."
command -v clang-tidy >/dev/null && command -v clang >/dev/null || { echo "skipped: clang-tidy is not installed"; exit 77; }
build=build/tidy
cmake --preset tidy -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_C_CLANG_TIDY= >/dev/null && cmake --build "$build" -j "$(nproc)" --target etr_proto >/dev/null || exit 1
[ $# -gt 0 ] || set -- $(git ls-files 'lib/*.c' 'plugin/*.c' 'examples/*.c' 'tests/*.c')
log=$build/tidy.log
# One file each: of several, the analyzer takes for its own what the one before left.
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 clang-tidy -p "$build" --quiet --warnings-as-errors='*' >"$log" 2>/dev/null
status=$?
grep -E ': (warning|error): ' "$log" | sort -u
echo "$# files, $(grep -cE ': (warning|error): ' "$log") findings"
exit $((status > 0))
