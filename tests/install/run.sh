#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the build into a new folder, builds examples/client against it with pkg-config and with CMake, and runs what was installed; builds the client
# once more with this project as a part of its own: run.sh BUILD_FOLDER
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$1/CMakeCache.txt") # make, which CMake asks for otherwise, may not be installed
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix" >/dev/null
passed=0

# has WHAT CONDITION...
has() {
  if "${@:2}" >/dev/null; then
    passed=$((passed + 1))
  else
    echo "FAILED: $1"
    exit 1
  fi
}

record=$root/tests/fixtures/add_mul
library=$(dirname "$(find "$prefix" -name 'libetrecord_tb.so')")
export PKG_CONFIG_PATH=$library/pkgconfig
cmake --build "$1" --target etrecord_tb_static >/dev/null
read -ra static < <(pkg-config --static --libs-only-l etrecord_tb | sed 's/-letrecord_tb//')
read -ra flags < <(pkg-config --cflags --libs etrecord_tb)
cc -Wall -Wextra -Werror "$root/examples/client/client.c" "${flags[@]}" -o "$prefix/by_pkg_config"
sed -n '/^```c$/,/^```$/{/^```/!p}' "$root/docs/c.md" >"$prefix/documented.c"
cc -Wall -Wextra -Werror "$prefix/documented.c" "${flags[@]}" -Wl,-rpath,"$library" -o "$prefix/documented"
cc -I"$prefix/include" "$root/examples/client/client.c" "$(find "$1" -name libetrecord_tb_static.a)" "${static[@]}" -o "$prefix/by_archive"
cmake -G "$generator" -S "$root/examples/client" -B "$prefix/by_cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" >/dev/null
cmake --build "$prefix/by_cmake" >/dev/null
cat >"$prefix/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(client C)
add_subdirectory("$root" etrecord_tb)
add_executable(client "$root/examples/client/client.c")
target_link_libraries(client PRIVATE etrecord_tb::etrecord_tb)
END
cmake -G "$generator" -S "$prefix" -B "$prefix/as_part" -DCMAKE_BUILD_TYPE=Release >/dev/null # as the release build, so that ccache has most of it
cmake --build "$prefix/as_part" --target client -j "$(nproc)" >/dev/null
LD_LIBRARY_PATH=$library "$prefix/by_pkg_config" "$record" >"$prefix/one"
"$prefix/by_cmake/client" "$record" >"$prefix/other"
"$prefix/as_part/client" "$record" >"$prefix/third"
"$prefix/bin/etrecord-tb" nodes "$record" --graph edge --top 10 --format csv --skip-runs 0 >"$prefix/table"

has "pkg-config asks for no -dev package of what the library uses itself" env PKG_CONFIG_LIBDIR="$library/pkgconfig" pkg-config --cflags --libs etrecord_tb
"$prefix/by_archive" "$record" >"$prefix/fourth"
has "the archive, with the libraries that pkg-config --static names, gives the same" cmp "$prefix/one" "$prefix/fourth"
"$prefix/documented" "$record" >"$prefix/summary" # outside of has, for its exit status
has "the program of docs/c.md prints what the command does" cmp <("$prefix/bin/etrecord-tb" summary "$record" --format json) "$prefix/summary"
has "ten nodes" test "$(wc -l <"$prefix/one")" -eq 10
has "pkg-config and CMake build the same" cmp "$prefix/one" "$prefix/other"
has "as a part of another project it builds the same" cmp "$prefix/one" "$prefix/third"
has "a part of another project brings no tests" test ! -e "$prefix/as_part/etrecord_tb/tests"
has "the same nodes as the command has" cmp <(awk '{print $NF}' "$prefix/one" | sort) <(tail -n +2 "$prefix/table" | cut -d, -f4 | sort)
for file in share/man/man1/etrecord-tb.1 share/man/man1/etrecord-tb-summary.1 share/man/man7/etrecord-tb-comparing.7 share/bash-completion/completions/etrecord-tb \
  share/zsh/site-functions/_etrecord-tb share/fish/vendor_completions.d/etrecord-tb.fish include/etrecord.h include/etrecord_tb.h share/etrecord-tb/schema/summary.schema.json; do
  has "$file" test -s "$prefix/$file"
done
echo "$passed passed, 0 failed"
