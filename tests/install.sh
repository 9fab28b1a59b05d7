#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing on Debian or Ubuntu. usage: install.sh build|test
set -euo pipefail

build=(cmake ninja-build gcc g++ libc6-dev pkg-config protobuf-compiler protobuf-c-compiler libprotobuf-c-dev zlib1g-dev libzip-dev libgraphviz-dev)
test=(git libcriterion-dev graphviz flatbuffers-compiler python3 python3-venv man-db mandoc zsh fish clang libsimdjson-dev valgrind ccache)

sudo=$([ "$(id -u)" -eq 0 ] || echo sudo)
updated=

install_missing() {
  local missing=()
  for package in "$@"; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  [ -n "$updated" ] || $sudo apt-get update -q
  updated=yes
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -q -y --no-install-recommends "${missing[@]}"
}

install_missing "${build[@]}"
[ "${1:-build}" = test ] || exit 0
install_missing "${test[@]}"
# A Node.js of the machine's own will do.
command -v npm >/dev/null || install_missing nodejs npm
# Where there is no such package (Ubuntu has a snap instead), the browser tests say that they were skipped.
install_missing chromium-headless-shell || install_missing chromium || echo "chromium could not be installed"
# libFuzzer and the sanitizers are a package beside clang, named after its version; some releases have them in clang's own.
runtime=libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev
install_missing "$runtime" || echo "$runtime could not be installed"
