#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Everything that tries to break it, one line each: strength/run.sh [SECONDS for each fuzz target, default 30]. Logs are in build/strength.
# What cannot run here is said to be skipped, and why; with CI=true it has to be there.
set -uo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-30}
mkdir -p build/strength
passed=0 failed=0 skipped=0

# step NAME COMMAND...: its last line is the result, exit status 77 means skipped.
step() {
  local name=$1 log status=0 start=$SECONDS
  log=build/strength/${name// /_}.log
  shift
  printf '%-28s ' "$name"
  "$@" >"$log" 2>&1 || status=$?
  case $status in
    0) passed=$((passed + 1)) verdict=ok ;;
    77) skipped=$((skipped + 1)) verdict=skipped ;;
    *) failed=$((failed + 1)) verdict="FAILED, see $log" ;;
  esac
  printf '%4d s  %s: %s\n' $((SECONDS - start)) "$verdict" "$(grep -v '^$' "$log" | tail -n 1)"
  [ $status -eq 0 ] || [ $status -eq 77 ] || grep -E '^[[:space:]]+[0-9]+ - |^FAILED|^SURVIVED|FOUND|: error: ' "$log" | head -n 20 # what exactly
  [ $status -ne 77 ] || [ "${CI:-}" != true ] || failed=$((failed + 1))
}

preset() {
  cmake --preset "$1" && cmake --build --preset "$1" -j "$(nproc)" && ctest --preset "$1" "${@:2}" | tee "build/strength/$1.ctest"
  local status=$?
  grep 'tests passed' "build/strength/$1.ctest"
  return $status
}

step "address and undefined" preset asan --exclude-regex '^(interop|browser|python)'
step "a block for everything" preset asan-blocks
step "mutants" bash tests/strength/mutants.sh
step "mutation" python3 tests/strength/mutation/run.py
step "threads" preset tsan
step "clang-tidy" bash tests/strength/tidy.sh
step "valgrind" bash tests/strength/valgrind.sh
step "fuzzing" bash tests/fuzz/run.sh "$seconds"
step "OSS-Fuzz" bash tests/strength/oss_fuzz.sh
step "same bytes elsewhere" bash tests/strength/reproducible.sh
step "linters" bash tests/strength/lint.sh
step "documentation site" bash packaging/site/build.sh
step "interface of the library" bash tests/strength/abi.sh
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
exit $((failed > 0))
