#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and runs all tests: the release build with real TensorBoard and a browser, then the sanitizer build over
# units, command line and damaged files.
set -euo pipefail
cd "$(dirname "$0")/.."

bash tests/install.sh test
[ -x build/venv/bin/python ] || python3 -m venv build/venv
build/venv/bin/pip install -q --disable-pip-version-check -r tests/interop/requirements.txt
npm install --silent --no-audit --no-fund --no-package-lock --no-save --prefix build/node "playwright-core@$(node -p "require('./tests/browser/package.json').devDependencies['playwright-core']")"

for preset in release asan; do
  cmake --preset "$preset" -G Ninja
  cmake --build --preset "$preset"
done
status=0
ctest --preset release || status=1
ctest --preset asan --exclude-regex '^(interop|browser|python)$' || status=1
exit $status
