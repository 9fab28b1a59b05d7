#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares the library's binary interface with that of the last release: abi.sh [GIT_REF]. Functions may be added; whatever else changes, a field of a
# struct too, needs a new SOVERSION.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v abidiff >/dev/null || { echo "skipped: abidiff (Debian: abigail-tools) is not installed"; exit 77; }
base=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
[ -n "$base" ] || { echo "there is no release yet to compare with"; exit 0; }

build_library() { # SOURCE BUILD
  cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_TESTING=OFF -G Ninja >/dev/null
  cmake --build "$2" -j "$(nproc)" --target etrecord_tb >/dev/null
}

scratch=$(mktemp -d)
trap 'git worktree remove --force "$scratch/base" 2>/dev/null || true; rm -rf "$scratch"' EXIT
git worktree add --detach "$scratch/base" "$base" >/dev/null 2>&1
build_library "$scratch/base" "$scratch/old"
build_library . build/abi
status=0
abidiff --no-added-syms --headers-dir1 "$scratch/base/lib" --headers-dir2 lib "$scratch/old/plugin/libetrecord_tb.so" build/abi/plugin/libetrecord_tb.so || status=$?
old=$(readelf -d "$scratch/old/plugin/libetrecord_tb.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
new=$(readelf -d build/abi/plugin/libetrecord_tb.so | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
if [ $status -ne 0 ] && [ "$old" = "$new" ]; then
  echo "differs from $base, and is still called $new"
  exit 1
fi
echo "as $base has it, or called otherwise: $old, $new"
