# SPDX-License-Identifier: BSD-3-Clause
"""The dashboard's list of all records: dashboard.py COMMAND [RECORDS], 50 by default.

Writes so many records into a logdir and asks TensorBoard, with its data server, for the list: with one read after the other, and as the plugin reads. Prints the seconds of each of five answers. Needs the Python package etrecord_tb and tensorboard.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests" / "fixtures" / "add_mul"
SERVER = """
import sys
from etrecord_tb import tensorboard_plugin
tensorboard_plugin.READERS = int(sys.argv.pop(1)) or tensorboard_plugin.READERS
from tensorboard import main
main.run_main()
"""


def ask(url):
    start = time.monotonic()
    with urllib.request.urlopen(f"{url}data/plugin/etrecord/fleet", timeout=600) as answer:
        rows = json.load(answer)
    return time.monotonic() - start, sum(row["head"] is not None for row in rows)


def measure(title, readers, logdir, count):
    """Once the server has loaded all records."""
    words = [sys.executable, "-c", SERVER, str(readers), "--logdir", logdir, "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        try:
            url = next(found[0] for found in (re.search(r"http://127\.0\.0\.1:\d+/", line) for line in server.stderr) if found)
            while ask(url)[1] < count:
                time.sleep(1)
            print(f"{title:24} {count:6} " + " ".join(f"{ask(url)[0]:7.2f}" for _ in range(5)), flush=True)
        finally:
            server.terminate()


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    with tempfile.TemporaryDirectory() as logdir:
        for number in range(count):
            subprocess.run([command, "write", RECORD, "--logdir", logdir, "--name", f"r{number}"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        print(f"{'way':24} {'records':>6}  seconds of five answers")
        measure("one read after the other", 1, logdir, count)
        measure("as the plugin reads", 0, logdir, count)


if __name__ == "__main__":
    main()
