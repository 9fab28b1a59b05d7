#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The command under valgrind on fixtures of each kind: no invalid access, no use of what was never set, nothing lost. valgrind.sh [COMMAND]
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; exit 77; }
command=${1:-build/release/plugin/etrecord-tb}
[ -x "$command" ] || { cmake --preset release >/dev/null && cmake --build --preset release -j "$(nproc)" >/dev/null; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

check() {
  if valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$command" "$@" >"$scratch/out" 2>"$scratch/said"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$*"
    cat "$scratch/said"
  fi
}

for record in add_mul multi_method control_flow_map quantized_xnnpack lowered_in_record cpp_rich bundled_update; do
  check write "tests/fixtures/$record" --logdir "$scratch/runs"
  for reading in info summary nodes events delegation; do check "$reading" "tests/fixtures/$record"; done
done
echo "$passed passed, $failed failed"
exit $((failed > 0))
