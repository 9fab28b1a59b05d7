#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# packaging/oss-fuzz/build.sh as OSS-Fuzz runs it: every target has its seeds, dictionary and options, is linked so that it runs elsewhere, reads its
# seeds and fuzzes for a moment. oss_fuzz.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v clang++ >/dev/null || { echo "skipped: libFuzzer needs clang"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export OUT=$scratch/out WORK=$scratch/work CC=clang CXX=clang++ LIB_FUZZING_ENGINE=-fsanitize=fuzzer
export CFLAGS='-O1 -fno-omit-frame-pointer -gline-tables-only -fsanitize=address -fsanitize-address-use-after-scope -fsanitize=fuzzer-no-link'
export CXXFLAGS=$CFLAGS
mkdir "$OUT" "$WORK" "$scratch/seeds"
bash -eu packaging/oss-fuzz/build.sh >"$scratch/log" 2>&1 || { tail -n 30 "$scratch/log"; echo "build.sh failed"; exit 1; }

passed=0 failed=0
# check TARGET: complete, independent of the libraries of this machine, and it fuzzes.
check() {
  local target=$OUT/$1 seeds=$scratch/seeds/$1
  for file in "$target" "${target}_seed_corpus.zip" "$target.dict" "$target.options"; do test -s "$file" || return 1; done
  ls "$OUT/lib" >"$scratch/bundled"
  ! ldd "$target" | grep -vF " => $OUT/lib/" | grep -qFf "$scratch/bundled" || return 1
  python3 -m zipfile -e "${target}_seed_corpus.zip" "$seeds"
  (cd "$scratch" && "$target" -dict="$target.dict" -timeout=10 -rss_limit_mb=2048 -runs=2000 -max_total_time=5 "$seeds") >"$scratch/log" 2>&1
}

for source in tests/fuzz/fuzz_*.c; do
  target=$(basename "$source" .c)
  if check "$target"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $target"
    tail -n 5 "$scratch/log"
  fi
done
echo "$passed passed, $failed failed"
exit $((failed > 0))
