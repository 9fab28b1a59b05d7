#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the documentation site into build/site/html: docs/ with MkDocs, the C API with Doxygen (in c/), the Python API with pydoc (in python/). A warning is an
# error. 77: a generator is missing (pip install mkdocs-material; apt-get install doxygen).
set -euo pipefail
cd "$(dirname "$0")/../.."
work=build/site
mkdocs=${MKDOCS:-mkdocs}
for program in "$mkdocs" doxygen; do
  command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; [ "${CI:-}" = true ] && exit 1; exit 77; }
done
rm -rf "$work"
mkdir -p "$work/pages" "$work/html"
cp docs/*.md "$work/pages"
cp -r examples/*.png "$work/pages"
# Links that leave docs/ lead to files of the repository; pictures are beside the pages.
home=https://example.org/etrecord-tb
sed -i -E "s#\]\(\.\./examples/([a-z-]+\.png)\)#](\1)#g; s#\]\(\.\./([^)]+)\)#]($home/\1)#g" "$work"/pages/*.md
"$mkdocs" build --strict --quiet -f packaging/site/mkdocs.yml
doxygen packaging/site/Doxyfile
mkdir -p "$work/html/python"
root=$PWD
(cd "$work/html/python" && PYTHONPATH=${PACKAGE:-$root/build/release/tests/package} python3 -m pydoc -w etrecord_tb etrecord_tb.inspector >/dev/null) || echo "note: without the Python API"
echo "built $(find "$work/html" -name '*.html' | wc -l) pages"
