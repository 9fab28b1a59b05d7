#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The same sources at another path give the same bytes: builds a copy of them and compares library and command with those of the release build here.
# What the folder is called must not matter, nor how long its name is. reproducible.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
copy=$scratch/a_folder_with_a_longer_name_than_most/copy

build() { # SOURCES; ccache would hand out what it compiled for the other folder
  (cd "$1" && cmake --preset release >/dev/null && CCACHE_DISABLE=1 cmake --build --preset release --target etrecord-tb >/dev/null)
}

mkdir -p "$copy"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -a --parents -t "$copy"
build .
build "$copy"
failed=0
for file in etrecord-tb libetrecord_tb.so; do
  if cmp "build/release/plugin/$file" "$copy/build/release/plugin/$file"; then
    echo "$file: the same $(stat -Lc %s "build/release/plugin/$file") bytes"
  else
    failed=$((failed + 1))
  fi
done
echo "$((2 - failed)) passed, $failed failed"
exit $((failed > 0))
