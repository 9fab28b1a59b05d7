#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages from what is committed, and has lintian look at them: build.sh; they are in build/debian. Installs the tools that are missing.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$root/build/debian

missing=()
for package in dpkg-dev debhelper lintian cmake pkg-config protobuf-c-compiler libprotobuf-c-dev zlib1g-dev libzip-dev libgraphviz-dev; do
  dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
sudo=$([ "$(id -u)" -eq 0 ] || echo sudo)
[ ${#missing[@]} -eq 0 ] || { $sudo apt-get update -q && DEBIAN_FRONTEND=noninteractive $sudo apt-get install -q -y --no-install-recommends "${missing[@]}"; }

version=$(dpkg-parsechangelog -l "$root/packaging/debian/changelog" -S Version)
source=$work/etrecord-tb-$version
rm -rf "$work"
mkdir -p "$source"
git -C "$root" archive HEAD | tar -x -C "$source" --exclude=tests/fixtures
cp -r "$root/packaging/debian" "$source/debian"
rm "$source/debian/build.sh"
cd "$source"
dpkg-buildpackage --build=full --no-sign
lintian --fail-on error,warning --info "$work"/*.changes
