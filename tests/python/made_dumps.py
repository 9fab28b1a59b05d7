# SPDX-License-Identifier: BSD-3-Clause
"""Dumps as a fleet of devices would leave them: those of fixtures, with other times. Written by flatc, from what flatc read."""

import json
import pathlib
import random
import subprocess

SCHEMA = pathlib.Path(__file__).resolve().parents[1] / "interop" / "etdump.fbs"


class Recording:
    """What a fixture's ETDump holds, and dumps made of it."""

    def __init__(self, flatc, dump, folder):
        self.flatc, self.folder = flatc, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.run("--json", "--strict-json", "--raw-binary", "--size-prefixed", "-o", folder, SCHEMA, "--", dump)
        self.text = (folder / f"{dump.stem}.json").read_text()

    def run(self, *arguments):
        subprocess.run([self.flatc, *map(str, arguments)], check=True, timeout=60)

    def write(self, path, factor, seed):
        """A dump in which each run took `factor` times as long, give or take five percent."""
        chance, document = random.Random(seed), json.loads(self.text)
        for run in document["run_data"]:
            own = factor * chance.uniform(0.95, 1.05)
            events = [event["profile_event"] for event in run.get("events", ()) if "profile_event" in event]
            start = min((event.get("start_time", 0) for event in events), default=0)
            for event in events:
                for time in {"start_time", "end_time"} & event.keys():
                    event[time] = start + round((event[time] - start) * own)
        source = self.folder / f"{path.stem}.json"  # the schema adds .etdp
        source.write_text(json.dumps(document))
        self.run("--binary", "--size-prefixed", "-o", path.parent, SCHEMA, source)
        source.unlink()
