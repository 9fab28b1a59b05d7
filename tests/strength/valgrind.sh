#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The command under valgrind on every fixture, each way of reading on those of each kind: no invalid access, no use of what was never set, nothing lost. valgrind.sh [COMMAND]
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; exit 77; }
command=${1:-build/release/plugin/etrecord-tb}
[ $# -gt 0 ] || { cmake --preset release >/dev/null && cmake --build --preset release -j "$(nproc)" --target etrecord-tb >/dev/null; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# Whether there is something to tell (exit status 1 where nothing was timed) is not the question here.
check() {
  local status=0
  valgrind -q --vgdb=no --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$command" "$@" >"$scratch/out" 2>"$scratch/said" || status=$?
  if [ $status -lt 2 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$* (exit status $status)"
    cat "$scratch/said"
  fi
}

for folder in tests/fixtures/*/; do
  [ -e "$folder/etrecord.bin" ] || continue
  check write "$folder" --logdir "$scratch/runs"
  check summary "$folder"
done
for record in add_mul multi_method control_flow_map quantized_xnnpack lowered_in_record cpp_rich bundled_update; do
  for reading in info nodes events delegation source dot trace report; do check "$reading" "tests/fixtures/$record"; done
  check diff "tests/fixtures/$record" "tests/fixtures/$record" --top 0
  check export "tests/fixtures/$record" --to model-explorer
done
check nodes tests/fixtures/add_mul_debug --values
check events tests/fixtures/add_mul_debug --values --format csv
check summary tests/fixtures/bundled_update --format markdown
check diff tests/fixtures/mv2_portable tests/fixtures/mv2_xnnpack --format markdown
check trace tests/fixtures/add_mul -o "$scratch/trace.json.gz"
check report tests/fixtures/add_mul -o "$scratch/report.html"
check help nodes
echo "$passed passed, $failed failed"
exit $((failed > 0))
