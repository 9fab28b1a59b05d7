#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and runs etrecord-tb on a record of MobileNetV2.
set -euo pipefail
cd "$(dirname "$0")/.."

bash tests/install.sh build
cmake --preset release -DBUILD_TESTING=OFF
cmake --build --preset release
echo
build/release/plugin/etrecord-tb examples/mobilenet_v2 --logdir runs
cat <<'END'

Open the graph, colored by on-device time:
  pip install tensorboard && tensorboard --logdir runs
  then GRAPHS, Tag: profile/typical, Color by: Compute time
Or as a picture, by the program dot of Graphviz:
  sudo apt-get install graphviz
  build/release/plugin/etrecord-tb dot examples/mobilenet_v2 -o forward.svg
Or here:
END
build/release/plugin/etrecord-tb summary examples/mobilenet_v2 --top 5
