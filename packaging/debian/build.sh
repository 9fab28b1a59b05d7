#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages from what is committed, and has lintian look at them: build.sh; they are in build/debian.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$root/build/debian
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
