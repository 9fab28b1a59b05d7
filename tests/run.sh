#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and runs the tests: the release build with real TensorBoard and a browser, and what reads and writes files once more
# under sanitizers. Results depend neither on chance nor on the clock. Each stage says how many seconds it took, and so do the longest tests at the end. run_all.sh runs what takes longer, too.
set -euo pipefail
cd "$(dirname "$0")/.."

. tests/stage.sh

# side_by_side COMMAND...: runs commands at once, each of them one word; fails if one fails.
side_by_side() {
  local command process processes=() failed=0
  for command in "$@"; do
    $command & # the words of a command have no spaces
    processes+=($!)
  done
  for process in "${processes[@]}"; do
    wait "$process" || failed=1
  done
  return $failed
}

# uv takes a third of the time that pip takes for these packages.
install_for_python() {
  build/venv/bin/pip install -q --disable-pip-version-check uv==0.13.9
  build/venv/bin/uv pip install -q --python build/venv/bin/python -r tests/interop/requirements.txt
}

install_for_the_page() {
  npm ci --silent --no-audit --no-fund --prefix web
}

install_for_the_browser() {
  # shellcheck disable=SC2046 # the names are words
  npm install --silent --no-audit --no-fund --no-package-lock --no-save --prefix build/node $(node -p "Object.entries(require('./tests/browser/package.json').devDependencies).map(package => package.join('@')).join(' ')")
}

# Builds and runs what the sanitizers watch, with what the processors have left: a browser that has to wait for them draws more often and takes longer in all.
# A subshell's status is its own.
with_sanitizers() {
  trap - INT QUIT # which the shell has what runs beside it ignore
  stage nice cmake --build --preset asan-blocks --target inside
  stage nice ctest --preset asan-blocks -j "$(nproc)"
  exit "$status"
}

# Prints what the tests of some builds took, the longest first. ctest prints the time of each as it ends.
print_costs() {
  local build logs=()
  for build in "$@"; do
    logs+=("build/$build/Testing/Temporary/LastTest.log")
  done
  awk '/^[0-9]+\/[0-9]+ Test: / {name = $3} /^Test time = / {printf "%8.2f s  %s\n", $4, name}' "${logs[@]}" | sort -rn | sed -n 1,25p
}

# Temporary files lie in memory where it has room for them: the command makes sure that what it writes is on the disk, which takes longer than all else.
memory=/dev/shm
if [ -w "$memory" ] && [ "$(df --output=avail -B1M "$memory" | tail -n 1)" -ge 4096 ]; then
  TMPDIR=$(mktemp -d "$memory/XXXXXX")
  chmod 755 "$TMPDIR" # some tests are another user
  export TMPDIR
  trap 'rm -rf "$TMPDIR"' EXIT
fi

stage bash tests/install.sh test
[ -x build/venv/bin/python ] || python3 -m venv build/venv
# What was compiled before is not compiled again, in any of the builds and in those that tests make, nor in another clone.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
[ -n "${CMAKE_C_COMPILER_LAUNCHER:-}" ] || ! command -v ccache >/dev/null || export CMAKE_C_COMPILER_LAUNCHER=ccache
stage cmake --preset asan-blocks
# What the sanitizers run needs no packages, so it begins while they are installed. Later it runs while browsers and servers leave the processors idle.
with_sanitizers >build/sanitizers.log 2>&1 &
sanitizers=$!
stage side_by_side install_for_python install_for_the_page install_for_the_browser
# What is installed decides which tests there are.
stage cmake --preset release
stage cmake --build --preset release --target lib/all proto/all plugin/all outside
# What the sanitizers' build runs whole is neither built nor run twice. One more than processors, as browsers wait.
stage ctest --preset release -j $(($(nproc) + 1)) --label-exclude long --exclude-regex '^(unit|fuzz|fault\.(memory|input|reference)|mutants$)'
wait "$sanitizers" || status=1
cat build/sanitizers.log
print_costs release asan-blocks
exit $status
