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

Open the graph, coloured by on-device time:
  pip install tensorboard && tensorboard --logdir runs
  then GRAPHS, Tag: profile/avg, Color by: Compute time
Or as a picture:
  dot -Tsvg runs/mobilenet_v2/dot/edge/forward.dot -o forward.svg
Or here:
END
build/release/plugin/etrecord-tb summary examples/mobilenet_v2 --top 5
