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
# What was found to be formatted is not looked at again.
python3 tests/once.py .clang-format tests/interop/requirements.txt -- "$tool" "${mode[@]}" -- "${files[@]}"
echo "${#files[@]} passed, 0 failed"
