# SPDX-License-Identifier: BSD-3-Clause
"""Every ETDump as flatc reads it with our own schema (etdump.fbs) equals what the command reads."""

import collections

import pytest

from conftest import DUMPS, EVERY, fixture_name

KINDS = ("profile_event", "debug_event", "allocation_event")


def profile_events(run):
    return [event["profile_event"] for event in run.get("events", []) if "profile_event" in event]


def duration(event):
    """Ticks; a counter of 32 bits may have started anew."""
    ticks = event.get("end_time", 0) - event.get("start_time", 0)
    return ticks if ticks >= 0 else ticks + 2**32


def delegate_id(event):
    text, number = event.get("delegate_debug_id_str"), event.get("delegate_debug_id_int", -1)
    return text if text else str(number) if number != -1 else None


def instruction(event):
    """None for Method::execute and its like, and for what ran while a method was loaded: they carry 0 but belong to no instruction."""
    number = event.get("instruction_id", -1)
    return None if number == -1 or event.get("chain_index") == -1 or event.get("name", "").startswith(("Method::", "Program::")) else number


def signature(event):
    return event.get("name") or delegate_id(event), instruction(event), delegate_id(event)


@pytest.mark.parametrize("dump", DUMPS[::EVERY], ids=fixture_name)
def test_runs(command, flatc, dump):
    wanted = [(run["name"], *(sum(kind in event for event in run.get("events", [])) for kind in KINDS),
               sum(duration(e) for e in profile_events(run) if e.get("name") == "Method::execute")) for run in flatc(dump)]
    got = [(run["name"], *(run[f"{kind}s"] for kind in KINDS), run["execute"]) for run in command.json("info", dump, "cycles")["runs"]]
    assert got == wanted


@pytest.mark.parametrize("with_record", [False, True], ids=["alone", "with_record"])
@pytest.mark.parametrize("dump", DUMPS[::EVERY], ids=fixture_name)
def test_events(command, flatc, dump, with_record):
    """Names, instructions, delegate ids, durations and starts: every event of every run, once."""
    runs = flatc(dump)
    blocks = command.json("events", dump.parent if with_record else dump, "cycles")["blocks"]
    assert sorted(run for block in blocks for run in block["runs"]) == list(range(len(runs)))
    for block in blocks:
        samples = collections.defaultdict(list)
        for run in block["runs"]:
            assert runs[run]["name"] == block["event_block_name"]
            for event in profile_events(runs[run]):
                factor = 1000 if (delegate_id(event) or "").endswith(" (us)") else 1  # only QNN says so
                samples[signature(event)].append((duration(event) * factor, event.get("start_time", 0)))
        got = {}
        for event in block["events"]:
            identifier = event["delegate_debug_identifier"]
            key = (event["event_name"], event["instruction_id"], None if identifier is None else str(identifier))
            assert key not in got, f"{key} stands twice"
            got[key] = list(zip(event["raw"], event["start_time"], strict=True))
        assert got == samples
