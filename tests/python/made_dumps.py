# SPDX-License-Identifier: BSD-3-Clause
"""Dumps as a fleet of devices would leave them: those of fixtures, with other times. Written by flatc, from what flatc read."""

import itertools
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


# What each build of the fleet has as the model of a name. One of them loses its delegate.
MODELS = {"mobilenet": {"a1": "mv2_xnnpack", "b2": "mv2_portable"}, "add": {"a1": "add_mul", "b2": "add_mul"}, "gru": {"a1": "p_gru", "b2": "p_gru"},
          "two": {"a1": "multi_method", "b2": "multi_method"}, "quantized": {"a1": "quantized_xnnpack", "b2": "quantized_xnnpack"}}
DEVICES = {"pixel8": 1.0, "s24": 2.0}
BUILDS = {"a1": 1.0, "b2": 1.3}


def make_fleet(flatc, fixtures, folder, dumps_of_each, different=25):
    """Dumps of all models, devices and builds, of each the given number, and the manifest of examples/fleet. From the number `different` on they repeat."""
    recordings, lines, number = {}, [], 0
    for model, device, build in itertools.product(MODELS, DEVICES, BUILDS):
        fixture = MODELS[model][build]
        if fixture not in recordings:
            recordings[fixture] = Recording(flatc, fixtures / fixture / "etdump.etdp", folder / "json" / fixture)
        dumps = []
        for turn in range(dumps_of_each):
            dumps.append(folder / f"{number:05}.etdp")
            if turn < different:
                recordings[fixture].write(dumps[-1], DEVICES[device] * BUILDS[build], number)
            else:
                dumps[-1].hardlink_to(dumps[turn % different])
            number += 1
        program = fixtures / fixture / "model.pte"
        lines += [{"record": str(fixtures / fixture), "etdump": str(dump), "device": device, "build": build, "name": model,
                   **({"pte": str(program)} if program.exists() else {})} for dump in dumps]
    path = folder / "manifest.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
