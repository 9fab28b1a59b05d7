#!/bin/bash -eu
# SPDX-License-Identifier: BSD-3-Clause
# Builds every fuzz target into $OUT, each with its seeds, dictionary and options. OSS-Fuzz runs this in the sources' folder and sets $CC, $CFLAGS,
# $CXX, $CXXFLAGS, $LIB_FUZZING_ENGINE, $OUT and $WORK; tests/strength/oss_fuzz.sh does, too.

build=$WORK/build
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DETR_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" \
  -DCMAKE_BUILD_RPATH='$ORIGIN/lib' -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags # a path for the libraries' libraries, too
cmake --build "$build" --target fuzz_targets

# What a target is linked with, but for the C and C++ libraries: it is not on the machines that run it.
bundle_libraries() {
  mkdir -p "$OUT/lib"
  ldd "$1" | awk '$3 ~ /^\// {print $3}' | grep -Ev '/(libc|libm|libgcc_s|libstdc\+\+|libpthread|libdl|librt)\.so' | xargs -r cp -L -t "$OUT/lib"
}

for source in tests/fuzz/fuzz_*.c; do
  target=$(basename "$source" .c)
  cp "$build/tests/$target" "$OUT/"
  bundle_libraries "$build/tests/$target"
  (cd "$build/tests/seeds" && python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" "$target"/*)
  dictionary=tests/fuzz/${target#fuzz_}.dict
  [ -e "$dictionary" ] || dictionary=tests/fuzz/json.dict
  cp "$dictionary" "$OUT/$target.dict"
  printf '[libfuzzer]\ntimeout = 10\nrss_limit_mb = 2048\n' >"$OUT/$target.options"
done
