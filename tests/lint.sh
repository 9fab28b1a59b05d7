#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What no formatter sees: lint.sh [BUILD [FILE...]]. In Python, by ruff, names that are not there or not used. With BUILD, whose commands compile the files, also
# in C, by clang-tidy: a comma between expressions, an assignment in the condition of an if, and a ?: in a ?:.
# tests/structure.py finds more of these, where clang-tidy is not installed.
# The versions are those in tests/interop/requirements.txt. Files that were found to be right are not looked at again, unless a header changed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-}
[ $# -eq 0 ] || shift

tidy=build/venv/bin/clang-tidy ruff=build/venv/bin/ruff
needed=("$ruff")
[ -z "$build" ] || needed+=("$tidy" "$build/compile_commands.json")
for file in "${needed[@]}"; do
  [ -e "$file" ] || { echo "skipped: there is no $file (tests/run.sh installs it)"; exit 77; }
done
# Each of them reports a planted fault.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
printf 'import os\nprint(unknown)\n' >"$planted/planted.py"
found=$("$ruff" check --isolated --no-cache "$planted/planted.py" || true)
[[ $found == *F401* && $found == *F821* ]] || { echo "FAILED: ruff does not find what was planted"; exit 1; }

mapfile -t scripts < <(find tests web/python packaging schema examples docs -name node_modules -prune -o -name '*.py' -not -path '*/fixtures/*' -print | sort)
"$ruff" check --isolated --no-cache --quiet --select E9,F "${scripts[@]}"
if [ -z "$build" ]; then
  echo "${#scripts[@]} passed, 0 failed"
  exit 0
fi

checks='-*,bugprone-assignment-in-if-condition,readability-avoid-nested-conditional-operator,clang-diagnostic-comma'
options=(--quiet --config={} "--checks=$checks" --warnings-as-errors='*' --extra-arg=-Wcomma --extra-arg=-Wno-unknown-warning-option)

cat >"$planted/planted.c" <<'END'
int planted(int a, int b);
int planted(int a, int b) {
  int c = 0;
  c = a, b = c;
  if ((c = b))
    return 1;
  return a ? 1 : b ? 2 : 3;
}
END
found=$("$tidy" "${options[@]}" "$planted/planted.c" -- 2>/dev/null || true)
for check in bugprone-assignment-in-if-condition readability-avoid-nested-conditional-operator clang-diagnostic-comma; do
  [[ $found == *$check* ]] || { echo "FAILED: $check does not find what was planted"; exit 1; }
done

mapfile -t files < <(find lib plugin -name '*.c' -not -path 'lib/windows/*' | sort)
[ $# -eq 0 ] || files=("$@")
mapfile -t headers < <(find lib plugin -name '*.h' | sort)
python3 tests/once.py "$0" tests/interop/requirements.txt "${headers[@]}" -- "$tidy" "${options[@]}" -p "$build" -- "${files[@]}" 2> >(grep -v '^\[.*Processing file' >&2)
echo "$((${#files[@]} + ${#scripts[@]})) passed, 0 failed"
