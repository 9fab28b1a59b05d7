#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the wheels of build/wheels/dist, each on a machine as bare as it can be had here: test.sh [TARGET...], after build.sh. README.md says what runs how.
# Exit status: 1 if a check failed, or a wheel that can run here is not there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/build/wheels
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# check WHAT COMMAND...
check() {
  if "${@:2}" >"$scratch/said" 2>&1; then
    passed=$((passed + 1))
    echo "ok     $1"
  else
    failed=$((failed + 1))
    echo "FAILED $1"
    tail -n 20 "$scratch/said" | sed 's/^/         /'
  fi
}

wheel_of() { # name of a target
  local tag
  tag=$(awk -v name="$1" '$1 == name { print $5 }' "$here/targets.txt")
  echo "$work/dist/etrecord_tb-$version-py3-none-$tag.whl"
}

version=$(sed -n 's/^project(etrecord_tb VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")

# ---- Machines ----

# Files of other machines' packages, in a folder: nothing is installed.
sysroot() { # architecture, as Debian calls it
  local folder=$work/sysroot-$1 list python
  [ ! -e "$folder/complete" ] || return 0
  rm -rf "$folder"
  mkdir -p "$folder"/apt/{lists/partial,parts,cache/archives/partial}
  for list in /etc/apt/sources.list.d/{debian,ubuntu}*.sources; do [ ! -f "$list" ] || cp "$list" "$folder/apt/parts"; done
  [ ! -f /etc/apt/sources.list ] || cp /etc/apt/sources.list "$folder/apt/parts/system.list"
  local options=(-q -o "APT::Architecture=$1" -o "APT::Architectures=$1" -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$folder/apt/parts"
    -o "Dir::State::lists=$folder/apt/lists" -o Dir::State::status=/dev/null -o "Dir::Cache=$folder/apt/cache" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update &&
    python=$(apt-cache "${options[@]}" depends libpython3-stdlib | sed -n 's/.*Depends: libpython\(3[0-9.]*\)-stdlib.*/\1/p') &&
    (cd "$folder/apt" && apt-get "${options[@]}" download libc6 musl libgcc-s1 libexpat1 zlib1g libffi8 "python$python-minimal" "libpython$python-"{minimal,stdlib}) &&
    for list in "$folder"/apt/*.deb; do dpkg-deb -x "$list" "$folder" || return; done &&
    ln -s "python$python" "$folder/usr/bin/python3" && touch "$folder/complete"
}

# A program that runs another one, of another processor or C library, as if it were one of here.
runner() { # target, file: prints the path of a script
  local script=$scratch/run-$1-${2##*/} folder=$work/sysroot-$(architecture "$1")
  case $1 in
    manylinux-x86_64) printf '#!/bin/sh\nexec "%s" "$@"\n' "$2" ;;
    musllinux-x86_64) printf '#!/bin/sh\nexec "%s/lib/ld-musl-x86_64.so.1" "%s" "$@"\n' "$folder" "$2" ;;
    *-aarch64) printf '#!/bin/sh\nexec qemu-aarch64-static -L "%s" "%s" "$@"\n' "$folder" "$2" ;;
    windows-*) printf '#!/bin/sh\nWINEPREFIX="%s" WINEDEBUG=-all exec "%s" "%s" "$@"\n' "$work/wine" "$(find_wine)" "$2" ;;
  esac >"$script"
  chmod +x "$script"
  echo "$script"
}

find_wine() { command -v wine64 wine /usr/lib/wine/wine64 | head -n 1; } # Debian puts it beside the path

architecture() { case $1 in *-aarch64) echo arm64 ;; *) echo amd64 ;; esac }

# ---- What is checked ----

# The library is the one in the wheel: its objects, put into an archive.
build_golden_text() { # target
  local folder=$work/$1 own=()
  case $1 in
    musl*) own=(-dynamic) ;; # otherwise all of musl would be compiled for it
    windows-*) own=("-I$root/lib/windows/include" "$root/lib/windows/main.c" -municode -lntdll -ladvapi32) ;;
  esac
  cmake --build "$folder/own" --target etrecord_tb_static &&
    "$folder/bin/cc" -std=c11 -Os -fno-sanitize=undefined -D_XOPEN_SOURCE=700 -I"$root/lib" -I"$root/plugin" -I"$folder/own/proto" -I"$folder/libraries/include" \
      "$root/tests/golden/golden_text.c" "$folder/own/plugin/libetrecord_tb_static.a" "${own[@]}" -L"$folder/libraries/lib" -lzip -lz -lprotobuf-c -lcgraph -lm -lpthread -o "$scratch/golden_text-$1"
}

# Every answer about every fixture, as text.
answers() { # command
  local record command
  cd "$root/tests/fixtures"
  for record in add_mul control_flow lowered_in_record multi_method quantized_xnnpack mv2_xnnpack "$root/examples/mobilenet_v2"; do
    [ -e "$record" ] || continue
    for command in info summary source nodes events delegation trace dot validate; do
      echo "== $command ${record##*/}"
      "$1" "$command" "$record" 2>&1 || echo "status $?"
    done
  done
}

# The quick start's main job: run folders for TensorBoard, then the summary.
main_job() { # command
  rm -rf "$scratch/runs"
  "$1" "$root/examples/mobilenet_v2" --logdir "$scratch/runs" && find "$scratch/runs" -name 'events.out.tfevents.*' | grep -q . && "$1" summary "$root/examples/mobilenet_v2" --top 5
}

# The command, laid out as `pip install --target` does it, and what is compared byte for byte; wall time, host and process id are in no golden text.
test_command() { # target
  local command
  command=$(unpacked_command "$1")
  check "$1: the quick start's main job" main_job "$command"
  check "$1: golden_text links" build_golden_text "$1"
  check "$1: golden outputs, byte for byte" python3 "$root/tests/golden/golden.py" "$(runner "$1" "$scratch/golden_text-$1")"
  [ "$1" != manylinux-x86_64 ] || return 0
  (answers "$command") >"$scratch/answers-$1"
  [ -e "$scratch/answers" ] || (answers "$(unpacked_command manylinux-x86_64)") >"$scratch/answers"
  check "$1: $(grep -c '^==' "$scratch/answers") answers as those of the wheel for this machine" cmp "$scratch/answers" "$scratch/answers-$1"
}

unpacked_command() { # target: prints what runs the command of its wheel
  local folder=$scratch/$1
  rm -rf "$folder"
  mkdir -p "$folder"
  python3 -m zipfile -e "$(wheel_of "$1")" "$folder"
  mv "$folder"/*.data/scripts "$folder/bin"
  chmod +x "$folder"/bin/*
  runner "$1" "$(echo "$folder"/bin/*)"
}

# A new environment, and no program but its own on the path: no compiler, no pkg-config.
test_python() { # python, wheel
  local venv=$scratch/venv name
  name="manylinux-x86_64: $("$1" --version)"
  rm -rf "$venv"
  "$1" -m venv "$venv"
  local bare=(env -i "PATH=$venv/bin" "HOME=$scratch")
  check "$name: pip install" "${bare[@]}" "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-index --no-deps "$2"
  check "$name: the command" main_job_in "${bare[@]}"
  check "$name: python -m etrecord_tb" "${bare[@]}" "$venv/bin/python" -m etrecord_tb --version
  check "$name: import" "${bare[@]}" "$venv/bin/python" -c "$(python_job)"
}

main_job_in() {
  rm -rf "$scratch/runs"
  "$@" etrecord-tb "$root/examples/mobilenet_v2" --logdir "$scratch/runs"
}

python_job() {
  cat <<END
import etrecord_tb
with etrecord_tb.Profile("$root/examples/mobilenet_v2") as profile:
    assert profile.summary()[0].execute.p50 > 0 and profile.diff(profile).methods
END
}

test_tensorboard() {
  "$scratch/venv/bin/pip" install -q --disable-pip-version-check -r "$root/tests/interop/requirements.txt" &&
    cd "$scratch" && "$scratch/venv/bin/python" -m pytest -q -p no:cacheprovider "$root/tests/python"
}

test_here() {
  local python wheel
  wheel=$(wheel_of manylinux-x86_64)
  test_command manylinux-x86_64
  for python in $(printf '%s\n' "${PYTHONS:-}" {/usr/bin,/usr/local/bin,"$HOME"/.pyenv/versions/3.*/bin}/python3.{9,1?} | tr ' ' '\n'); do
    [ ! -x "$python" ] || ! "$python" -c 'import venv, ensurepip, sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || test_python "$python" "$wheel"
  done
  test_python "$(command -v python3)" "$wheel"
  check "manylinux-x86_64: TensorBoard and all of tests/python with what was installed" test_tensorboard
}

# A Python of that machine imports the package from the unpacked wheel.
test_foreign_python() { # target
  check "$1: a Python of that processor imports it" env PYTHONPATH="$scratch/$1" "$(runner "$1" "$work/sysroot-arm64/usr/bin/python3")" -c "$(python_job)"
}

# Windows has other paths and another console; the rest of what the command does is the same.
test_windows() { # target
  local command folder=$scratch/windows
  [ -n "$(find_wine)" ] || { echo "       $1: built and linked, not run: there is no Wine (package wine64)"; return; }
  test_command "$1"
  command=$(runner "$1" "$scratch/$1/bin/etrecord-tb.exe")
  mkdir -p "$folder"
  check "$1: paths with backslashes and in Unicode" windows_paths "$command" "$folder"
  check "$1: a list of files that leads out of its folder" windows_list "$command" "$folder"
  # shellcheck disable=SC2046 # names without blanks; the made ones take Wine too long
  check "$1: damaged and hostile inputs" python3 "$root/tests/corpus/run.py" "$(unlimited "$command")" $(ls "$root/tests/fixtures/hostile")
}

windows_paths() { # command, folder
  cp "$root/tests/fixtures/add_mul/etrecord.bin" "$root/tests/fixtures/add_mul/etdump.etdp" "$2" &&
    "$1" 'Z:'"$(echo "$2" | tr / '\\')"'\etrecord.bin' "$2/etdump.etdp" --logdir "$2\\läufe\\α" --name 'ö' && ls "$2/läufe/α/ö" &&
    "$1" dot "$2/etrecord.bin" --output "$2\\läufe\\Bild.dot" && "$1" dot "$2/etrecord.bin" | cmp - "$2/läufe/Bild.dot"
}

# The list of files in a run folder may come from anyone: what it names lies in that folder, or is not touched.
windows_list() { # command, folder
  local run=$2/list/add_mul victim
  rm -rf "$2/list" && "$1" "$root/tests/fixtures/add_mul" --logdir "$2/list" || return
  for victim in {1,2,3,4}; do echo kept >"$2/events.out.tfevents.$victim"; done
  printf '%s\n' "Z:$2/events.out.tfevents.1" '..\..\events.out.tfevents.2' "Z:$(echo "$2" | tr / '\\')\events.out.tfevents.3" '.. /.. /events.out.tfevents.4' >>"$run/.etrecord-tb"
  "$1" "$root/tests/fixtures/add_mul" --logdir "$2/list"
  for victim in {1,2,3,4}; do grep kept "$2/events.out.tfevents.$victim" || return; done
}

# The tests of the corpus limit the address space, which Wine wants much of, unless the program says that a sanitizer does.
unlimited() { # command
  echo '# __asan_init' >>"$1"
  echo "$1"
}

# What a wheel promises that no run here could tell: least version of the system, exported functions, signatures.
test_binaries() { # target
  check "$1: its binaries, looked at" "$work/tools/bin/python" "$here/binaries.py" "$(wheel_of "$1")" "$root"
}

test_target() {
  [ -e "$(wheel_of "$1")" ] || { check "$1: there is a wheel; build.sh $1 builds it" false; return; }
  test_binaries "$1"
  case $1 in
    manylinux-x86_64) test_here ;;
    musllinux-x86_64) sysroot amd64 >"$work/log/sysroot" 2>&1 && test_command "$1" ;;
    *-aarch64)
      command -v qemu-aarch64-static >/dev/null || { check "$1: runs in qemu-aarch64-static (package qemu-user-static)" false; return; }
      sysroot arm64 >"$work/log/sysroot" 2>&1 && test_command "$1"
      case $1 in manylinux-*) test_foreign_python "$1" ;; esac ;;
    windows-*) test_windows "$1" ;;
    *) echo "       $1: built and linked, not run: there is no such machine here" ;;
  esac
}

for target in $(awk '!/^#/ && NF { print $1 }' "$here/targets.txt"); do
  if [ $# -eq 0 ] || printf '%s\n' "$@" | grep -qx -- "$target"; then test_target "$target"; fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
