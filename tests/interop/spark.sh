#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs Spark, and Java if the system has packages and none is there, and compares its rows with those of fleet.py: spark.sh FOLDER [DUMPS]. FOLDER takes the
# virtual environment. The environment is that of the other tests of this folder. 77: could not, and says why.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

give_up() {
  echo "skipped: $1" >&2
  [ "${CI:-}" = true ] && exit 1
  exit 77
}

command -v java >/dev/null || apt-get install -y -qq --no-install-recommends default-jre-headless >/dev/null || give_up "there is no Java, and apt-get cannot install it"
[ -x "$1/bin/python" ] || python3 -m venv "$1" || give_up "python3 -m venv does not work here"
# What the other tests need is installed already; only Spark is added.
"$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$("$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/tools.pth"
"$1/bin/pip" install -q --disable-pip-version-check pyspark==4.3.0 || give_up "pip cannot install pyspark"
FLEET_DUMPS=${2:-2000} exec "$1/bin/python" -m pytest -q "$here/test_fleet.py" -k spark
