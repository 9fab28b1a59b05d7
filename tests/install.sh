#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing on Debian or Ubuntu. usage: install.sh build|test
set -euo pipefail

build=(cmake ninja-build gcc libc6-dev pkg-config protobuf-c-compiler libprotobuf-c-dev zlib1g-dev libzip-dev libgraphviz-dev)
test=(libcriterion-dev graphviz flatbuffers-compiler clang libclang-rt-dev python3 python3-venv chromium)

wanted=("${build[@]}")
[ "${1:-build}" = test ] && wanted+=("${test[@]}")
# A Node.js of the machine's own will do.
[ "${1:-build}" = test ] && ! command -v npm >/dev/null && wanted+=(nodejs npm)

missing=()
for package in "${wanted[@]}"; do
  dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
sudo=$([ "$(id -u)" -eq 0 ] || echo sudo)
$sudo apt-get update -q
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -q -y --no-install-recommends "${missing[@]}"
