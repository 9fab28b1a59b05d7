#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The README's two commands configure the same folder, the first one without tests. Does the second find its tests? Takes the lines that configure from
# both scripts, and lists the tests, in a folder that is made of links to the sources: two_commands.sh
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
for entry in "$root"/*; do
  [ "$(basename "$entry")" = build ] || ln -s "$entry" "$clone/"
done
mkdir "$clone/build"
[ ! -e "$root/build/venv" ] || ln -s "$root/build/venv" "$clone/build/"
cd "$clone"

# configure SCRIPT: as the script does it.
configure() {
  grep -oE "cmake --preset release[^']*" "$1" >configure.sh || { echo "FAILED: $1 configures no release build"; exit 1; }
  bash -e configure.sh >configure.log 2>&1 || { cat configure.log; exit 1; }
}

# has_tests WORD: whether there are any, once configured.
has_tests() {
  ctest --preset release -N >tests.log 2>&1 || true
  grep -qE "$1" tests.log || { cat tests.log; echo "FAILED: not \"$1\""; exit 1; }
}

configure examples/quickstart.sh
has_tests '^(No tests were found!!!|Total Tests: 0)$'
if ctest --preset release >tests.log 2>&1; then
  echo "FAILED: a build without tests passes them"
  exit 1
fi
configure tests/run.sh
has_tests ': cli$'
has_tests ': browser|: web'
[ ! -e build/venv ] || has_tests ': interop$'
echo "4 passed, 0 failed"
