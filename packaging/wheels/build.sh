#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds wheels that need no compiler and no library of the system: build.sh [TARGET...], all of targets.txt by default. Runs on Debian and Ubuntu; the
# wheels are in build/wheels/dist. README.md says what they contain.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/build/wheels
sources=$work/sources
log=$work/log
mkdir -p "$log" "$work/dist"

# ---- Tools and sources ----

install_tools() {
  local missing=()
  for program in cmake:cmake ninja:ninja-build bison:bison flex:flex pkg-config:pkg-config protoc-c:protobuf-c-compiler dpkg-source:dpkg-dev cc:gcc; do
    command -v "${program%%:*}" >/dev/null || missing+=("${program##*:}")
  done
  local sudo
  sudo=$([ "$(id -u)" -eq 0 ] || echo sudo)
  [ ${#missing[@]} -eq 0 ] || { $sudo apt-get update -q && DEBIAN_FRONTEND=noninteractive $sudo apt-get install -q -y --no-install-recommends "${missing[@]}"; }
  [ -x "$work/tools/bin/python" ] || python3 -m venv "$work/tools"
  "$work/tools/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
  zig=$("$work/tools/bin/python" -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent / "zig")')
}

# The distribution's own source packages, from wherever this machine gets its packages: lists and settings of their own, nothing of the system changes.
fetch_sources() {
  [ -e "$sources/complete" ] && return
  rm -rf "$sources"
  mkdir -p "$sources/apt/lists/partial" "$sources/apt/parts" "$sources/apt/cache/archives/partial"
  local list
  for list in /etc/apt/sources.list.d/{debian,ubuntu}*.sources; do
    [ ! -f "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$sources/apt/parts/${list##*/}"
  done
  [ ! -f /etc/apt/sources.list ] || sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$sources/apt/parts/system.list"
  local options=(-q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$sources/apt/parts" -o "Dir::State::lists=$sources/apt/lists"
    -o "Dir::Cache=$sources/apt/cache" -o APT::Sandbox::User=root)
  (cd "$sources" && apt-get "${options[@]}" update && apt-get "${options[@]}" source zlib libzip protobuf-c graphviz) >"$log/sources" 2>&1 || fail "$log/sources"
  touch "$sources/complete"
}

fail() {
  tail -n 40 "$1" >&2
  echo "build.sh: failed; all of it is in $1" >&2
  exit 1
}

source_of() {
  find "$sources" -maxdepth 1 -type d -name "$1-[0-9]*"
}

# ---- One target ----

# Programs for CMake: zig is one program with the target as an argument.
write_toolchain() { # folder, zig's name of the target, system, processor
  local folder=$1 program
  mkdir -p "$folder/bin"
  printf '#!/bin/sh\nexec "%s" cc -target %s "$@"\n' "$zig" "$2" >"$folder/bin/cc"
  for program in ar ranlib; do printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" $program >"$folder/bin/$program"; done
  chmod +x "$folder"/bin/*
  cat >"$folder/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME $3)
set(CMAKE_SYSTEM_PROCESSOR $4)
set(CMAKE_C_COMPILER "$folder/bin/cc")
set(CMAKE_AR "$folder/bin/ar")
set(CMAKE_RANLIB "$folder/bin/ranlib")
set(CMAKE_FIND_ROOT_PATH "$folder/libraries")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "$folder/libraries/lib/pkgconfig")
END
}

cmake_install() { # folder, name, source, options...
  local folder=$1 name=$2 source=$3
  cmake -G Ninja -S "$source" -B "$folder/$name" -DCMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS_RELEASE=-DNDEBUG" \
    -DCMAKE_INSTALL_PREFIX="$folder/libraries" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF "${@:4}" &&
    cmake --build "$folder/$name" &&
    cmake --install "$folder/$name"
}

build_libraries() { # folder
  local off=(-DCMAKE_C_FLAGS="-Os -Xclang -Oz $small -fvisibility=hidden -DZIP_STATIC -fno-sanitize=undefined $flags -ffunction-sections -fdata-sections -ffile-prefix-map=$sources=. -w -Wno-incompatible-function-pointer-types")
  for feature in ENABLE_{COMMONCRYPTO,GNUTLS,MBEDTLS,OPENSSL,WINDOWS_CRYPTO,BZIP2,LZMA,ZSTD} BUILD_{TOOLS,REGRESS,OSSFUZZ,EXAMPLES,DOC}; do off+=("-D$feature=OFF"); done
  cmake_install "$1" small "$here/libraries" -DZLIB_SOURCE="$(source_of zlib)" -DPROTOBUF_C_SOURCE="$(source_of protobuf-c)" -DGRAPHVIZ_SOURCE="$(source_of graphviz)" &&
    cmake_install "$1" libzip "$(source_of libzip)" "${off[@]}" &&
    touch "$1/libraries/complete"
}

# Zig's runtime library for Windows is one piece that a linker takes or leaves whole, sines and 128-bit divisions included: its sources, but only the files
# that ours, its C library and their own functions need. What is missing, the linker says.
build_runtime() { # folder
  local own=$1/runtime all
  all=$(dirname "$zig")/lib
  mkdir -p "$own"
  cp -r "$all/compiler_rt" "$own/"
  sed -E '/^ *_ = @import\("compiler_rt\//{/(stack_probe|ssp|round|trunc|addf3|mulf3|comparef|extendf|truncf)\.zig/!d}' "$all/compiler_rt.zig" >"$own/compiler_rt.zig" &&
    (cd "$own" && "$zig" build-lib compiler_rt.zig -target x86_64-windows-gnu -OReleaseSmall -fno-compiler-rt -fno-unwind-tables -fstrip)
}

# What the compiler inlines, computes ahead on some paths (partial redundancies) and keeps in registers through loops makes code larger, also for -Oz.
small="-mllvm -inline-threshold=0 -mllvm -enable-pre=false -mllvm -disable-licm-promotion"

build_wheel() { # folder, platform tag, linker flags, those of programs
  rm -rf "$1/wheel"
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 315532800)
  export SOURCE_DATE_EPOCH
  CMAKE_TOOLCHAIN_FILE=$1/toolchain.cmake CMAKE_GENERATOR=Ninja "$work/tools/bin/pip" wheel --disable-pip-version-check --no-deps --no-build-isolation -w "$1/wheel" \
    -C "build-dir=$1/own" -C cmake.build-type=Release -C install.strip=false \
    -C cmake.define.ETR_SMALL=ON -C "cmake.define.ETR_GZIP=$work/tools/bin/python;$here/gzip_small.py" -C "cmake.define.CMAKE_C_FLAGS=-DZIP_STATIC -fno-sanitize=undefined -fno-vectorize -fno-slp-vectorize -fno-math-errno $small $flags -ffunction-sections -fdata-sections" \
    -C "cmake.define.CMAKE_SHARED_LINKER_FLAGS=$3" -C "cmake.define.CMAKE_EXE_LINKER_FLAGS=$3$4" "$root" &&
    "$work/tools/bin/python" "$here/finish.py" "$1"/wheel/*.whl "$2" "$work/dist" "$root" "$(source_of zlib)" "$(source_of libzip)" "$(source_of protobuf-c)" "$(source_of graphviz)"
}

build() { # a line of targets.txt
  local name=$1 target=$2 system=$3 processor=$4 tag=$5 folder=$work/$1 strip="-s -Wl,--gc-sections -Wl,--hash-style=gnu"
  local programs= flags="-fno-asynchronous-unwind-tables -fno-unwind-tables"
  case $target in
    *-musl) programs=" -dynamic" ;; # otherwise all of musl would be part of the command
    *-macos*) strip="-Wl,-x -Wl,-dead_strip" ;; # which has another linker, for which -s leaves names of local functions
    *-windows-*) strip="-s -Wl,--gc-sections -rtlib=none $folder/runtime/compiler_rt.lib" flags="-Xclang -funwind-tables=0 -D__USE_MINGW_ANSI_STDIO=0" ;; # that system's start files, which zig compiles itself, cannot do without them
  esac
  write_toolchain "$folder" "$target" "$system" "$processor"
  [ "$system" != Windows ] || build_runtime "$folder" >"$log/$name.runtime" 2>&1 || fail "$log/$name.runtime"
  [ -e "$folder/libraries/complete" ] || rm -rf "$folder"/{small,libzip,libraries}
  [ -e "$folder/libraries/complete" ] || build_libraries "$folder" >"$log/$name.libraries" 2>&1 || fail "$log/$name.libraries"
  build_wheel "$folder" "$tag" "$strip" "$programs" >"$log/$name.wheel" 2>&1 || fail "$log/$name.wheel"
  tail -n 1 "$log/$name.wheel"
}

install_tools
fetch_sources
while read -r name rest; do
  case $name in '#'* | '') continue ;; esac
  if [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx -- "$name"; then continue; fi
  # shellcheck disable=SC2086
  build "$name" $rest
done <"$here/targets.txt"
