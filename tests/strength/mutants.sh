#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Mutants of the fixtures through the library, and of the files that users keep through the command, in both sanitizer builds, or those named:
# mutants.sh [COUNT for each, default 10000; a twentieth of it through the command] [SEED, default 1] [PRESET...]. What is found is kept in
# build/PRESET/mutants/NUMBER; the same seed makes the same mutants anywhere.
set -uo pipefail
cd "$(dirname "$0")/../.."
count=${1:-10000} seed=${2:-1}
presets=("${@:3}")
[ ${#presets[@]} -gt 0 ] || presets=(asan asan-blocks)
log=build/mutants.log
passed=0 failed=0
mkdir -p build

# look TITLE SCRIPT ARGUMENT...
look() {
  python3 tests/strength/mutants/"$2" "${@:3}" >"$log"
  local status=$? result=($(tail -n 1 "$log")) # N passed, M failed
  printf '%-20s %s\n' "$1" "$(tail -n 2 "$log" | grep -v '^FOUND' | head -n 1)"
  grep '^FOUND' "$log"
  passed=$((passed + result[0])) failed=$((failed + result[2]))
  [ $status -eq 0 ] || [ "${result[2]}" -gt 0 ] || failed=$((failed + 1)) # it ended early
}

for preset in "${presets[@]}"; do
  cmake --preset "$preset" >/dev/null && cmake --build --preset "$preset" --target survive etrecord-tb -j "$(nproc)" >/dev/null || exit 1
  look "$preset" run.py "build/$preset/tests/strength/mutants/survive" --count "$count" --seed "$seed" --keep "build/$preset/mutants"
  look "$preset, lines" lines.py "build/$preset/plugin/etrecord-tb" --count $((count / 20)) --seed "$seed"
done
printf '%d passed, %d failed\n' "$passed" "$failed"
exit $((failed > 0))
