#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Are all C files formatted as .clang-format says? usage: format.sh [--fix]
# The formatter is the one in tests/interop/requirements.txt: another version breaks lines elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=build/venv/bin/clang-format
if ! [ -x "$tool" ]; then
  echo "skipped: there is no $tool (tests/run.sh installs it)"
  exit 77
fi
mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)
# Files of the work tree, also new ones; a copy without git has only what it is made of.
mapfile -t files < <(find lib plugin tests examples schema -name node_modules -prune -o -name '*.[ch]' -print | sort)
# Files that did not change since they were found to be formatted are not looked at again.
checked=build/format.checked
changed=("${files[@]}")
if [ -e "$checked" ] && ! [ .clang-format -nt "$checked" ] && ! [ "$tool" -nt "$checked" ]; then
  mapfile -t changed < <(find "${files[@]}" -newer "$checked")
fi
touch "$checked.now"
[ ${#changed[@]} -eq 0 ] || "$tool" "${mode[@]}" "${changed[@]}"
mv "$checked.now" "$checked" # as of before the look: what changes meanwhile is looked at again
echo "${#files[@]} passed, 0 failed"
