#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The linters of the ecosystem: lint.sh. Each that is not installed is said to be skipped. LINTERS is a folder with more of them, such as a virtual environment's bin.
# From: shellcheck, codespell (Debian); validate-pyproject, cffconvert, reuse, twine, zizmor (PyPI); markdownlint-cli2 (npm); actionlint (go install). Debian's lintian runs in
# packaging/debian/build.sh, on the packages.
set -uo pipefail
cd "$(dirname "$0")/../.."
PATH=${LINTERS:+$LINTERS:}build/venv/bin:build/node/node_modules/.bin:$PATH
passed=0 failed=0 skipped=0

# lint PROGRAM ARGUMENTS...
lint() {
  if ! command -v "$1" >/dev/null; then
    skipped=$((skipped + 1))
    echo "skipped: $1 is not installed"
  elif "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $1"
  fi
}

mapfile -t scripts < <(git ls-files '*.sh' | grep -v '^tests/fixtures/')
mapfile -t workflows < <(git ls-files '.github/workflows/*.yml')
mapfile -t wheels < <(find build/wheels/dist -name '*.whl' 2>/dev/null)
lint shellcheck --severity=error --shell=bash "${scripts[@]}"
lint codespell
lint validate-pyproject pyproject.toml
lint cffconvert --validate
lint reuse lint --quiet
lint markdownlint-cli2
lint actionlint "${workflows[@]}"
lint zizmor --offline --quiet "${workflows[@]}"
[ ${#wheels[@]} -eq 0 ] || lint twine check --strict "${wheels[@]}"
# Lines above 512 characters look to Debian's lintian as if no source was there.
mapfile -t long < <(git ls-files 'web/src/*.js' 'tests/*.js' | xargs awk 'length > 512 {print FILENAME ":" FNR}')
[ ${#long[@]} -eq 0 ] || { echo "FAILED: lines above 512 characters: ${long[*]}"; failed=$((failed + 1)); }
echo "$passed passed, $failed failed, $skipped skipped"
exit $((failed > 0))
