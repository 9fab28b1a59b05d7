#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `diff` says of recordings that hardly decide, or not at all. verdicts.py PATH/TO/etrecord-tb

Each case has two sides of recordings, whose times are exact, and the verdict that the rules of lib/runs/noise_verdict.h give; README.md says how often verdicts on noise are wrong.
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed for this Python (tests/run.sh installs it)")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)

import equal_methods

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "corpus"))
import forge_pte

KERNELS = len(equal_methods.LAYER) * equal_methods.LAYERS
USUAL = equal_methods.usual(1)  # ns of each kernel
FUTURE = 4e9  # in seconds since 1970: the year 2096
PAST = 1.6e9


@functools.cache
def program():
    return forge_pte.flatbuffer(b"ET12", {1: [equal_methods.method("forward", 1)], 3: []})


def runs(number, factor=1.0):
    """Factors of so many runs, which differ by 1 % in an order that is no trend."""
    return [factor * (1 + 0.005 * (i * 3 % 5 - 2) / 2) for i in range(number)]


def recordings(numbers, factor=1.0):
    """One recording of each number of runs; they differ by 1 %, too."""
    return [runs(number, factor * (1 + 0.005 * (i * 3 % 5 - 2) / 2)) for i, number in enumerate(numbers)]


def write(path, factors, start):
    """Each factor is of a run: a number, or one for each kernel. start: the clock at the beginning, ns; files of equal bytes would be one recording."""
    times = [USUAL * np.asarray(factor) for factor in factors]
    path.write_bytes(equal_methods.dump([None, *["forward"] * len(times)], times, start))


# ---- When files were written: seconds of recording `i` of `count` on a side ----


def in_turns(side, i, count):
    return PAST + 600 * (2 * i + side)


def one_after_the_other(side, i, count):
    return PAST + 600 * (count * side + i)


def in_the_future(side, i, count):
    return FUTURE + 600 * (2 * i + side)


def one_after_the_other_in_the_future(side, i, count):
    return FUTURE + 600 * (count * side + i)


def at_once(side, i, count):
    return PAST


def copied_base(side, i, count):
    return PAST + 600 * i * side


# ---- Cases: name, base, newer, and what is not as usual: times of files, options, status, members of Method::execute ----

ONE, THREE = ["recording_noise"], ["in_turns"]
CASES = [
    ("one run a side", [[1]], [[1.5]], {"status": 4, "verdict": "cannot_tell", "reason": "few_runs", "recordings_needed": 3}),
    ("one run a side, a hundred times as long", [[1]], [[100]], {"status": 4, "verdict": "cannot_tell", "reason": "few_runs", "recordings_needed": 3}),
    ("two runs a side, a hundred times as long", [[1, 1.01]], [[100, 101]], {"status": 3, "verdict": "slower", "reason": None, "interval": None, "recordings_needed": None, "assumes": []}),
    ("two runs a side, a hundredth", [[100, 101]], [[1, 1.01]], {"status": 0, "verdict": "faster", "reason": None, "interval": None, "assumes": []}),
    ("nine runs a side", [runs(9)], [runs(9, 1.5)], {"status": 4, "verdict": "cannot_tell", "reason": "few_runs", "recordings_needed": 3}),
    ("ten runs a side", [runs(10)], [runs(10, 1.5)], {"status": 4, "verdict": "likely_slower", "reason": "one_recording", "recordings_needed": 3, "assumes": ONE}),
    ("all runs equal, one recording", [[1] * 10], [[1] * 10], {"status": 4, "verdict": "cannot_tell", "reason": "one_recording", "recordings_needed": 3}),
    ("all runs equal, one recording, a wide limit", [[1] * 10], [[1] * 10], {"limit": "20%", "status": 4, "verdict": "likely_equal", "reason": "one_recording", "assumes": ONE}),
    ("all runs equal, three recordings", [[1] * 10] * 3, [[1] * 10] * 3, {"status": 0, "verdict": "equal", "reason": None, "recordings_needed": None, "assumes": []}),
    ("all runs equal but for 20 %", [[1] * 10] * 3, [[1.2] * 10] * 3, {"status": 3, "verdict": "slower", "reason": None, "assumes": []}),
    ("two recordings a side", recordings([10] * 2), recordings([10] * 2, 1.5), {"status": 4, "verdict": "likely_slower", "reason": "one_recording", "recordings_needed": 3, "assumes": ONE}),
    ("three recordings against one", recordings([10] * 3), recordings([10], 1.5), {"status": 4, "verdict": "likely_slower", "reason": "one_recording", "recordings_needed": 3, "assumes": ONE}),
    ("other numbers of runs", recordings([5, 30, 10]), recordings([40, 7, 12, 1], 1.2), {"status": 3, "verdict": "slower", "reason": None, "assumes": []}),
    ("other numbers of runs, unchanged", recordings([5, 30, 10]), recordings([40, 7, 12, 1]), {"status": 0, "verdict": "equal", "reason": None, "assumes": []}),
    ("files of one time", recordings([10] * 3), recordings([10] * 3, 1.2), {"times": at_once, "status": 3, "verdict": "slower", "reason": None, "assumes": THREE}),
    # A time that is yet to come is no time of a recording: nothing is known of the order.
    ("files of the future, in turns", recordings([10] * 3), recordings([10] * 3, 1.2), {"times": in_the_future, "status": 3, "verdict": "slower", "reason": None, "assumes": THREE}),
    ("one side after the other", recordings([10] * 3), recordings([10] * 3, 1.2), {"times": one_after_the_other, "status": 4, "verdict": "likely_slower", "reason": "not_in_turns"}),
    ("one side after the other, in the future", recordings([10] * 3), recordings([10] * 3, 1.2), {"times": one_after_the_other_in_the_future, "status": 3, "verdict": "slower", "reason": None, "assumes": THREE}),
    ("one side after the other, and twenty times as long", recordings([10] * 3), recordings([10] * 3, 20), {"times": one_after_the_other, "status": 3, "verdict": "slower", "reason": None, "interval": None}),
    # Copied files are of one time; record.json says when they were recorded.
    ("copies of records, one after the other", recordings([10] * 3), recordings([10] * 3, 1.2), {"times": at_once, "made": ("2026-01-02T03:04:05Z", "2026-01-02T03:14:05Z"), "status": 4, "verdict": "likely_slower", "reason": "not_in_turns"}),
    ("copies of records, of which one says no time", recordings([10] * 3), recordings([10] * 3, 1.2), {"times": at_once, "made": ("2026-01-02T03:04:05Z", "today"), "status": 3, "verdict": "slower", "reason": None, "assumes": THREE}),
    ("a copy of a record, and recordings of today", recordings([10] * 3), recordings([10] * 3, 1.2), {"times": copied_base, "made": ("2019-01-02T03:04:05Z", None), "status": 4, "verdict": "likely_slower", "reason": "not_in_turns"}),
    ("a copy of a record, and recordings around its time", recordings([10] * 3), recordings([10] * 3, 1.2), {"times": copied_base, "made": ("2020-09-13T12:35:00Z", None), "status": 3, "verdict": "slower", "reason": None, "assumes": THREE}),
    ("copies of one record", recordings([10] * 3), recordings([10] * 3, 1.2), {"times": at_once, "made": ("2026-01-02T03:04:05Z",) * 2, "status": 3, "verdict": "slower", "reason": None, "assumes": THREE}),
    ("records whose files alternate", recordings([10] * 3), recordings([10] * 3, 1.2), {"made": ("2026-01-02T03:04:05Z", "2026-01-02T03:14:05Z"), "status": 3, "verdict": "slower", "reason": None, "assumes": []}),
    ("a thousand recordings", recordings([2] * 500), recordings([2] * 500, 1.2), {"status": 3, "verdict": "slower", "reason": None, "assumes": []}),
]


def lay_out(folder, sides, times=in_turns, made=()):
    """Two folders, each with the program and its recordings. made: what record.json of each says of when it was made."""
    folders = []
    for number, side in enumerate(sides):
        at = folder / ("base", "new")[number]
        at.mkdir()
        (at / "model.pte").write_bytes(program())
        for i, factors in enumerate(side):
            path = at / ("%03d.etdp" % i)
            write(path, factors, 1e9 * (2 * i + number + 1))
            second = times(number, i, len(side))
            os.utime(path, (second, second))
        if made and made[number]:
            (at / "record.json").write_text(json.dumps({"time": made[number]}))
        folders.append(at)
    return folders


def ask(command, *arguments):
    return subprocess.run([command, "diff", *map(str, arguments)], capture_output=True, text=True)


def check(command, folder, base, new, expected):
    """Gives what is wrong."""
    expected = dict(expected)
    folders = lay_out(folder, (base, new), expected.pop("times", in_turns), expected.pop("made", ()))
    done = ask(command, *folders, "--format", "json", "--fail-above", expected.pop("limit", "5%"))
    status = expected.pop("status")
    wrong = [] if done.returncode == status else ["exit status %d, not %d: %s" % (done.returncode, status, done.stderr)]
    execute = json.loads(done.stdout)["methods"][0]["execute"]
    return wrong + ["%s is %r, not %r" % (member, execute[member], value) for member, value in expected.items() if execute[member] != value]


def broken_recording(command, folder):
    """One of two recordings of a side is cut off: an error that names it, and nothing else."""
    folders = lay_out(folder, (recordings([10] * 2), recordings([10] * 2)))
    path = folders[1] / "001.etdp"
    path.write_bytes(path.read_bytes()[:1000])
    done = ask(command, *folders)
    return [] if done.returncode == 1 and not done.stdout and str(path) in done.stderr else ["%d %s %s" % (done.returncode, done.stdout, done.stderr)]


def no_run(command, folder):
    """The newer side only loaded the program: it has no time to compare, and says so."""
    folders = lay_out(folder, (recordings([10]), [[]]))
    done = ask(command, *folders, "--fail-above", "5%")
    return [] if done.returncode == 4 and "timed in the base only" in done.stdout and "no method was timed in both records" in done.stderr else ["%d %s %s" % (done.returncode, done.stdout, done.stderr)]


def one_node(command, folder):
    """The largest kernels differ from recording to recording, and a smaller one surely takes 80 % longer; of one that takes 0.2 % of the time the first line says nothing."""
    def side(kernel, factor):
        found = []
        for i in range(3):
            kernels = np.full(KERNELS, (0.9, 1.0, 1.1)[i])
            kernels[kernel] = factor
            found.append([kernels * run for run in runs(10)])
        return found
    wrong = []
    for kernel, wanted in ((2, r"in all cannot tell: \+1 % \([^)]*\); instruction_2 is 80 % slower \("), (3, r"forward: cannot tell: 0 % \(")):
        at = folder / str(kernel)
        at.mkdir()
        done = ask(command, *lay_out(at, (side(kernel, 1), side(kernel, 1.8))))
        first = " ".join(done.stdout.split("\n\n")[0].split())
        wrong += [] if re.search(wanted, first) else [first]
    return wrong


def odd_recording(command, folder):
    """One of five recordings takes 30 % longer: named by `diff` and `summary` in their first lines, and left out of the times."""
    newer = recordings([10] * 5, 1.1)
    newer[2] = [1.3 * factor for factor in newer[2]]
    folders = lay_out(folder, (recordings([10] * 5), newer))
    wrong = []
    for arguments, wanted in (
        (["diff", *folders], "odd: of the new record, 002.etdp is 29 % slower than the other 4: left out of the times"),
        (["summary", folders[1]], "odd, left out: 002.etdp, 29 % slower than the others"),
        (["summary", folders[1], "--format", "markdown"], "odd, left out: 002.etdp, 29 % slower than the others"),
        (["info", folders[1]], "(odd: 29 % slower than the others, left out)"),
    ):
        done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)
        if wanted not in " ".join(done.stdout.split()[:100]):
            wrong.append("%s: %s" % (arguments[0], done.stdout[:500]))
    return wrong


def order_of_records(command, folder):
    """`diff` and `compare` name the side that was recorded first, whichever of them is the base."""
    folders = lay_out(folder, (recordings([10] * 3), recordings([10] * 3, 1.2)), one_after_the_other)
    wrong = []
    for order, wanted in ((folders, "all of the base are older than all of the new record"), (folders[::-1], "all of the new record are older than all of the base")):
        for word in ("diff", "compare"):
            done = subprocess.run([command, word, *map(str, order)], capture_output=True, text=True)
            if wanted not in " ".join(done.stdout.split()):
                wrong.append("%s: %s" % (word, done.stdout[:800]))
    return wrong


def runs_at_one_end(command, folder):
    """Slow runs that stand together at one end are a step, others are outliers. Kernels take 98 % of a run, so 60 % more of them are 59 % more."""
    wrong = []
    for number, slow, wanted in ((30, range(24, 30), "59 % slower from run 25 on"), (30, range(27, 30), "59 % slower from run 28 on"), (30, (6, 20), "steady but for 2 of 30 runs")):
        write(folder / "runs.etdp", [factor * (1.6 if i in slow else 1) for i, factor in enumerate(runs(number))], 1e9)
        (folder / "model.pte").write_bytes(program())
        done = subprocess.run([command, "summary", folder / "model.pte", folder / "runs.etdp"], capture_output=True, text=True)
        if wanted not in " ".join(done.stdout.split()[:100]):
            wrong.append("%s: %s" % (wanted, done.stdout[:400]))
    return wrong


def main():
    command = os.path.abspath(sys.argv[1])
    tests = [(case[0], lambda folder, case=case: check(command, folder, *case[1:])) for case in CASES]
    tests += [(test.__name__, lambda folder, test=test: test(command, folder)) for test in (broken_recording, no_run, one_node, odd_recording, order_of_records, runs_at_one_end)]
    failed = 0
    for name, test in tests:
        with tempfile.TemporaryDirectory() as folder:
            wrong = test(pathlib.Path(folder))
        failed += bool(wrong)
        for text in wrong:
            print("FAILED %s: %s" % (name, text))
    print("%d passed, %d failed" % (len(tests) - failed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
