#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fuzzes each target for so many seconds: run.sh SECONDS [TARGET...]. Needs clang. FUZZ_SEED=0 takes another seed each time. What is found lands in
# tests/fuzz/found and is from then on replayed by ctest. The inputs that reached new code are kept in build/fuzz/corpus for the next time.
# run.sh fixed [TARGET...] does not look at the clock, nor at what was kept: it makes the same inputs whenever and wherever it runs.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=$1
shift
command -v clang >/dev/null || { echo "skipped: libFuzzer needs clang"; exit 77; }
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzz_targets -j "$(nproc)" >/dev/null
targets=("$@")
[ $# -gt 0 ] || targets=($(cd tests/fuzz && ls fuzz_*.c | sed 's/\.c$//'))

# One target: its log in build/fuzz, a line of its own.
fuzz() {
  local target=$1 seconds=$2 status=0 runs
  local corpus=build/fuzz/corpus/$target found=tests/fuzz/found/$target log=build/fuzz/$target.log limits=(-max_total_time="$seconds" -timeout=10)
  if [ "$seconds" = fixed ]; then
    corpus=build/fuzz/fixed/$target
    rm -rf "$corpus"
    limits=(-runs=10000 -timeout=300)
    case $target in fuzz_record | fuzz_whole) limits[0]=-runs=1000 ;; esac # which read and write all there is
  fi
  mkdir -p "$corpus" "$found" "build/fuzz/tests/seeds/$target"
  local dictionary=tests/fuzz/${target#fuzz_}.dict
  [ -e "$dictionary" ] || dictionary=tests/fuzz/json.dict
  "build/fuzz/tests/$target" -seed="${FUZZ_SEED:-1}" "${limits[@]}" -rss_limit_mb=2048 -print_final_stats=1 -dict="$dictionary" -artifact_prefix="$found/" \
    "$corpus" "build/fuzz/tests/seeds/$target" tests/fixtures/hostile >"$log" 2>&1 || status=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  rmdir "$found" 2>/dev/null || true
  [ $status -eq 0 ] || grep -E 'ERROR|SUMMARY|does not hold' "$log" || true
  printf '%-14s %12s runs  %s\n' "$target" "${runs:-0}" "$([ $status -eq 0 ] && echo ok || echo "FOUND SOMETHING: $log")"
}
export -f fuzz

results=build/fuzz/results
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c "fuzz {} $seconds" | tee "$results"
rmdir tests/fuzz/found 2>/dev/null || true
failed=$(grep -c 'FOUND SOMETHING' "$results" || true)
printf '%s runs; %d passed, %d failed\n' "$(awk '/ runs  /{sum += $2} END {print sum}' "$results")" $((${#targets[@]} - failed)) "$failed"
exit $((failed > 0))
