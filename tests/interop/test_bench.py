# SPDX-License-Identifier: BSD-3-Clause
"""`bench` from end to end: a runner that leaves dumps, and the TensorBoard run read back; and what can go wrong with a runner. The runner is
tests/standin/runner.c, which leaves recorded dumps; where EXECUTORCH_PYTHON names a Python with ExecuTorch, also that."""

import fcntl
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

import pytest

from command import recorded_again
from conftest import FIXTURES, missing

RECORD = FIXTURES / "add_mul"
DUMP = RECORD / "etdump.etdp"
SECONDS = 120
EXPORT = """
import torch
from executorch.exir import to_edge_transform_and_lower
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x @ x) + x
inputs = (torch.randn(8, 8),)
program = to_edge_transform_and_lower(torch.export.export(Model(), inputs), generate_etrecord=True).to_executorch()
program.get_etrecord().save("record/etrecord.bin")
open("record/model.pte", "wb").write(program.buffer)
"""
RUN = """
import sys, torch
from executorch.extension.pybindings.portable_lib import _load_for_executorch
path = sys.argv[sys.argv.index("--etdump_path") + 1] if "--etdump_path" in sys.argv else None
module = _load_for_executorch("record/model.pte", enable_etdump=path is not None)
for _ in range(4):
    module.run_method("forward", (torch.randn(8, 8),))
if path:
    module.write_etdump_result_to_file(path)
"""


class Benching:
    """A folder with a record, in which the runner stand-in is benched."""

    def __init__(self, command, folder):
        self.command, self.folder = command.path, folder
        self.runner = os.environ.get("RUNNER") or missing("RUNNER, the stand-in for a runner,")
        self.inferences = len([run for run in command.json("info", DUMP, "ms")["runs"] if run["execute"]])
        (folder / "m").mkdir()
        for name in ("etrecord.bin", "model.pte"):
            shutil.copy(RECORD / name, folder / "m")

    def arguments(self, *options, steps="ok", dump="out.etdp", runner=()):
        runner = runner or (self.runner, "--dump", DUMP, "--steps", steps, *(("--etdump_path", dump) if dump else ()))
        return [str(word) for word in (self.command, "bench", "--record", "m", *options, "--", *runner)]

    def start(self, *options, **more):
        return subprocess.Popen(self.arguments(*options, **more), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def bench(self, *options, status=0, environment=None, **more):
        (self.folder / "steps").unlink(missing_ok=True)  # begins with the first
        done = subprocess.run(self.arguments(*options, **more), cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
                              env={**os.environ, **(environment or {})})
        assert done.returncode == status, done.stderr
        assert all(line.startswith("etrecord-tb: ") for line in done.stderr.splitlines())
        return done

    def runs(self, name="m"):
        """The folders of benches, oldest first."""
        folder = self.folder / "runs" / name
        return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.exists() else []


@pytest.fixture
def bench(command, tmp_path):
    return Benching(command, tmp_path)


def wait_for_lock(path):
    """Until nothing is left of what hung: it was killed, but may not have ended yet."""
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("what hung is still there"))
    signal.alarm(SECONDS)
    with open(path, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def read_back(folder):
    """Scalars of a run, and its hparams."""
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    hparams = pytest.importorskip("tensorboard.plugins.hparams.plugin_data_pb2")
    accumulator = accumulators.EventAccumulator(str(folder), size_guidance={accumulators.TENSORS: 0, accumulators.SCALARS: 0}).Reload()
    data = hparams.HParamsPluginData.FromString(accumulator.SummaryMetadata("_hparams_/session_start_info").plugin_data.content)
    values = {name: getattr(value, value.WhichOneof("kind")) for name, value in data.session_start_info.hparams.items()}
    return accumulator, values


def steps_of(accumulator, tag):
    return [event.step for event in accumulator.Scalars(tag)] if tag in accumulator.Tags()["scalars"] else []


def test_end_to_end(bench):
    if not shutil.which("git"):
        missing("git")
    for words in (["init", "-q"], ["-c", "user.name=n", "-c", "user.email=e@x", "commit", "-q", "--allow-empty", "-m", "m"]):
        subprocess.run(["git", *words], cwd=bench.folder, check=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=bench.folder, check=True, capture_output=True, text=True).stdout.strip()
    first = bench.bench("--repeat", 3, "--warmup", 2, "--skip-runs", 0, "--hparam", "device=pixel8").stdout
    second = bench.bench("--repeat", 3, "--skip-runs", 0).stdout
    assert len(bench.runs()) == 2 and "m, forward: " in first
    assert re.search(r"tracing: the process takes [\d.]+ s with an ETDump \(median\), [\d.]+ s without \(once\)", second)
    assert second.endswith(f"\ntensorboard --logdir runs\nhttp://localhost:6006/?runFilter={bench.runs()[1].name}#timeseries\n")
    run = bench.runs()[0]
    assert sorted(path.name for path in run.glob("*.etdp")) == ["etdump-1.etdp", "etdump-2.etdp", "etdump-3.etdp"]
    assert [(run / f"etdump-{number}.etdp").read_bytes() for number in (1, 2, 3)] == [recorded_again(DUMP.read_bytes(), call) for call in (3, 4, 5)]  # behind warm-ups, and one without
    accumulator, hparams = read_back(run)
    assert steps_of(accumulator, "1_inference_ms/measured") == list(range(3 * bench.inferences))
    assert (hparams["device"], hparams["commit"], hparams["repeat"], hparams["warmup"]) == ("pixel8", commit, 3, 2)
    assert hparams["host"] == os.uname().nodename and "tracing_percent" in hparams
    assert not (bench.folder / "out.etdp").exists()


def test_the_processor_of_this_machine(bench, monkeypatch):
    """`--device here` keeps its instructions, those that `record` keeps."""
    monkeypatch.syspath_prepend(os.environ.get("PACKAGE") or missing("PACKAGE, the Python package,"))
    from etrecord_tb import recording
    wanted = recording._instructions()
    done = bench.bench("--repeat", 1, "--device", "here")
    assert ("this system does not name its processor's instructions" in done.stderr) == (not wanted)
    assert json.loads((bench.runs()[0] / "record.json").read_text(encoding="utf-8"))["instructions"] == wanted


def test_failing_recordings_are_told_and_the_rest_goes_on(bench):
    done = bench.bench("--repeat", 3, "--warmup", 0, steps="fail,crash,none", dump=None, status=1)
    assert "no recording left an ETDump: nothing was written" in done.stderr
    options = ("--lock", bench.folder / "lock")
    runner = (bench.runner, "--dump", DUMP, "--steps", "ok,ok,fail,crash,hang,none,cut", *options, "--etdump_path=out.etdp")
    done = bench.bench("--repeat", 6, "--warmup", 0, "--skip-runs", 0, "--timeout", 5, runner=runner, status=5)
    for what in ("exit status 3\netrecord-tb:   | step fail", "killed by signal 9\netrecord-tb:   | step crash",
                 "not finished within 5 s, and killed\netrecord-tb:   | step hang", "no ETDump: there is no file out.etdp after the recording",
                 "etdump-6.etdp: .*the ETDump is cut short", "warning: 5 of 6 recordings failed and do not count"):
        assert re.search(what.replace("|", r"\|"), done.stderr), what
    accumulator, _ = read_back(bench.runs()[0])
    assert steps_of(accumulator, "1_inference_ms/measured") == list(range(bench.inferences))
    wait_for_lock(bench.folder / "lock")


def test_a_runner_that_is_not_found_leaves_nothing(bench):
    done = bench.bench(runner=("no-such-runner",), status=1)
    assert done.stderr == "etrecord-tb: warm-up 1 of 1 (no-such-runner): cannot start: No such file or directory\n"
    assert not (bench.folder / "runs").exists()


def test_a_dump_of_before_is_never_taken(bench):
    stale = bench.folder / "out.etdp"
    shutil.copy(DUMP, stale)
    done = bench.bench("--warmup", 0, "--repeat", 1, steps="none", status=1)
    assert "out.etdp is from before the recording" in done.stderr and stale.exists()
    done = bench.bench("--warmup", 0, "--repeat", 1, dump=None, status=1)
    assert "no new ETDump in the working directory or m" in done.stderr and stale.exists()
    assert not (bench.folder / "runs").exists()


def test_a_new_dump_is_found_where_it_appears(bench):
    shutil.copy(DUMP, bench.folder / "m" / "old.etdp")
    done = bench.bench("--repeat", 2, steps="elsewhere", dump=None)
    assert "tracing:" not in done.stdout
    assert len(list(bench.runs()[0].glob("*.etdp"))) == 2 and not (bench.folder / "model.etdump").exists()


def test_a_runner_that_always_traces(bench):
    runner = (bench.runner, "--dump", DUMP, "--steps", "elsewhere", "--etdump_path", "out.etdp")
    assert "the runner leaves an ETDump even without the option" in bench.bench("--repeat", 1, runner=runner).stdout
    assert not (bench.folder / "model.etdump").exists()
    (bench.folder / "model.etdump").write_text("somebody's")
    assert "model.etdump is in the working directory" in bench.bench("--repeat", 1, runner=runner).stdout
    assert (bench.folder / "model.etdump").read_text() == "somebody's"


def test_two_at_once(bench):
    """Each has a folder of its own, and the one that ends first removes nothing of the other."""
    os.mkfifo(bench.folder / "fifo")
    runner = (bench.runner, "--dump", DUMP, "--steps", "ok,wait,ok", "--wait", "fifo", "--etdump_path", "out.etdp")
    first = bench.start("--repeat", 1, "--warmup", 1, runner=runner)
    with open(bench.folder / "fifo", "wb"):  # once the runner opens it, too
        bench.bench("--repeat", 1, dump="other.etdp", steps="fail", status=1)
        bench.bench("--repeat", 1, dump="other.etdp")
    said = first.communicate(timeout=SECONDS)
    assert first.returncode == 0, said
    assert [[path.name for path in run.glob("*.etdp")] for run in bench.runs()] == [["etdump-1.etdp"]] * 2


def test_a_bench_and_a_write_of_one_name(bench):
    """Neither waits for the other, which takes as long as the runner does."""
    os.mkfifo(bench.folder / "fifo")
    runner = (bench.runner, "--dump", DUMP, "--steps", "ok,wait,ok", "--wait", "fifo", "--etdump_path", "out.etdp")
    first = bench.start("--repeat", 1, "--warmup", 1, runner=runner)
    with open(bench.folder / "fifo", "wb"):  # once the runner opens it, too
        done = subprocess.run([bench.command, "write", "m", "--etdump", DUMP], cwd=bench.folder, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stderr
    said = first.communicate(timeout=SECONDS)
    assert first.returncode == 0, said
    assert any((bench.folder / "runs" / "m").glob("events.out.tfevents.*")) and any((run / "etdump-1.etdp").exists() for run in bench.runs())


def test_a_dump_that_is_a_link(bench):
    """It is copied, and the runner keeps its own."""
    (bench.folder / "kept").mkdir()
    runner = ("sh", "-c", f"cp {shlex.quote(str(DUMP))} kept/1.etdp; ln -sf kept/1.etdp latest.etdp", "x", "--etdump_path", "latest.etdp")
    bench.bench("--repeat", 2, runner=runner)
    (run,) = bench.runs()
    assert all(not path.is_symlink() and path.read_bytes() == DUMP.read_bytes() for path in run.glob("*.etdp")) and len(list(run.glob("*.etdp"))) == 2
    assert os.readlink(bench.folder / "latest.etdp") == "kept/1.etdp" and (bench.folder / "kept" / "1.etdp").read_bytes() == DUMP.read_bytes()


def test_a_runner_that_prints_without_end(bench):
    """The end is kept, where the figures are, and a warning says so once."""
    line = 'PyTorchObserver {"model_load_start_ms": 5, "model_load_end_ms": 12, "SCALING_FACTOR_UNITS_PER_SECOND": 1000}'
    leave_dump = shlex.join([str(bench.runner), "--dump", str(DUMP), "--etdump_path", "out.etdp"])
    runner = ("sh", "-c", f"yes | head -c 9000000; {leave_dump}; echo '{line}'", "x", "--etdump_path", "out.etdp")
    done = bench.bench("--repeat", 2, "--warmup", 0, runner=runner)
    assert done.stderr == "etrecord-tb: warning: recording 1 of 2: the program printed more than 4 MiB, of which only the end is kept\n"
    assert re.search(r"^load +7\.00 ms$", done.stdout, re.M)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_runner_and_leaves_nothing(bench, number):
    os.mkfifo(bench.folder / "fifo")
    runner = (bench.runner, "--dump", DUMP, "--steps", "ok,ok,ok,hang", "--wait", "fifo", "--lock", "lock", "--etdump_path", "out.etdp")
    process = bench.start("--repeat", 2, "--timeout", SECONDS, runner=runner)
    with open(bench.folder / "fifo", "wb"):  # once the runner hangs, behind one that counts
        pass
    process.send_signal(number)
    process.communicate(timeout=SECONDS)
    assert process.returncode == -number
    wait_for_lock(bench.folder / "lock")
    assert not (bench.folder / "runs").exists()


# ---- Against a base, in turns ----

class Turns:
    """A base and a new program, each with steps and factors of its own."""

    def __init__(self, bench):
        self.bench = bench

    def runner(self, side, scale, steps="ok", dump=None):
        return (self.bench.runner, "--dump", DUMP, "--count", f"{side}.count", "--steps", steps, "--scale", scale, "--etdump_path", dump or f"{side}.etdp")

    def run(self, base, newer, *options, status=0, base_steps="ok", new_steps="ok", dump=None):
        for side in ("base", "new"):
            (self.bench.folder / f"{side}.count").unlink(missing_ok=True)
        against = shlex.join(map(str, self.runner("base", base, base_steps, dump)))
        return self.bench.bench("--against", against, *options, runner=self.runner("new", newer, new_steps, dump), status=status)


def turns_of(done):
    """What is said of the comparison, on one line."""
    return " ".join(done.stdout.split("\nrecorded in turns with ")[1].split())


STEADY = "1,1,1.01,0.99,1,1.005"  # the warm-up first, then five that count


# The process without ETDump takes a step of the new side, too: the second.
@pytest.mark.parametrize("newer, status, said", [
    ("1,1,1,1.01,0.99,1.01,0.995", 0, "forward: equal within 5 %"),
    ("1.5,1,1.5,1.51,1.49,1.5,1.5", 3, "% slower"),
    ("1.1,1.1,1.03,1.06,1,1.05,1.01", 4, "cannot tell"),
    ("1,1,0.5,0.51,0.5,0.49,0.5", 0, "% faster"),
])
def test_in_turns(bench, newer, status, said):
    done = Turns(bench).run(STEADY, newer, "--fail-above", "5%", status=status)
    compared = turns_of(done)
    assert said in compared and re.search(r"\b5 recordings", compared)
    run = bench.runs()[0]
    assert [sorted(path.name for path in folder.glob("*.etdp")) for folder in (run, run / "base")] == [[f"etdump-{i}.etdp" for i in range(1, 6)]] * 2
    sides = [read_back(folder)[1] for folder in (run / "base", run)]
    assert [(hparams["side"], hparams["repeat"], hparams["warmup"]) for hparams in sides] == [("base", 5, 1), ("new", 5, 1)]
    assert compared.startswith(f"{bench.runner} ") and "base.count" in compared.split(":")[0]
    shutil.copytree(run, bench.folder / "copied", copy_function=shutil.copyfile)  # without the times of the files
    copied = subprocess.run([bench.command, "diff", "copied/base", "copied", "--format", "json"], cwd=bench.folder, check=True, capture_output=True)
    assert json.loads(copied.stdout)["turns"] == "yes"
    assert (": above the limit" in done.stderr) == (status == 3) and ("cannot tell whether it is above" in done.stderr) == (status == 4)


def again(bench, done):
    """Runs the commands that show the recordings again; what the last one prints."""
    commands = re.search(r"\nagain, later:\n(.*?)\n\n", done.stdout, re.S)[1].replace("etrecord-tb ", f"{shlex.quote(str(bench.command))} ")
    return subprocess.run(["sh", "-ec", commands], cwd=bench.folder, check=True, capture_output=True, text=True).stdout


def test_the_recordings_are_shown_again_with_their_graph(bench):
    """Of one record, of a record with a base, and of two records, one of which has a path that a shell would split."""
    assert again(bench, bench.bench("--repeat", 1)).splitlines()[0].split(": ")[0].endswith(", forward")
    assert "timed nodes of both sides have a counterpart" in again(bench, Turns(bench).run("1", "2", "--repeat", 1))
    before = bench.folder / "it's before"
    shutil.copytree(bench.folder / "m", before)
    done = Turns(bench).run("1", "2", "--repeat", 1, "--against-record", before.name)
    assert "timed nodes of both sides have a counterpart" in again(bench, done)
    run = bench.runs()[-1]
    assert (run / "etrecord.bin").read_bytes() == (run / "base" / "etrecord.bin").read_bytes() == (before / "etrecord.bin").read_bytes()


def test_turns_share_a_path(bench):
    """Each recording is the process's own, though both programs write the same file."""
    Turns(bench).run("1", "3", "--repeat", 3, "--fail-above", "5%", status=3, dump="same.etdp")
    run = bench.runs()[0]
    as_recorded = [recorded_again(DUMP.read_bytes(), call) for call in range(8)]
    assert all(path.read_bytes() in as_recorded for path in (run / "base").glob("*.etdp"))
    assert all(path.read_bytes() not in as_recorded for path in run.glob("*.etdp"))
    assert not (bench.folder / "same.etdp").exists()


def test_the_order_of_turns(bench):
    master, slave = os.openpty()
    against = shlex.join(map(str, Turns(bench).runner("base", "1")))
    done = subprocess.run(bench.arguments("--repeat", 2, "--against", against), cwd=bench.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave, timeout=SECONDS)
    os.close(slave)
    said = os.read(master, 10000).decode()
    os.close(master)
    assert done.returncode == 0
    assert said.split("\r\033[K")[1:] == ["warm-up 1 of 1", "warm-up 1 of 1", "new process without ETDump", "base recording 1 of 2", "new recording 1 of 2",
                                          "base recording 2 of 2", "new recording 2 of 2", ""]


def test_turns_that_fail(bench):
    turns = Turns(bench)
    done = turns.run("1", "1", "--repeat", 4, status=5, base_steps="ok,ok,fail,ok,ok")
    assert re.search(r"base recording 2 of 4 \(.*\): exit status 3\n", done.stderr) and "warning: 1 of 4 base recordings failed and do not count" in done.stderr
    assert "3 and 4 recordings" in turns_of(done)
    done = turns.run("1", "1", "--repeat", 3, status=5, new_steps="ok,ok,ok,ok,cut")
    assert "warning: 1 of 3 new recordings failed and do not count" in done.stderr
    done = turns.run("1", "3", "--repeat", 4, "--fail-above", "5%", status=3, new_steps="ok,ok,ok,ok,ok,fail")
    assert "warning: 1 of 4 new recordings failed" in done.stderr and "above the limit" in done.stderr


def test_a_side_without_dumps(bench):
    turns = Turns(bench)
    done = turns.run("1", "1", "--repeat", 2, status=1, base_steps="none")
    assert "etrecord-tb: no base recording left an ETDump: nothing was written\n" in done.stderr and not (bench.folder / "runs").exists()
    done = turns.run("1", "1", "--repeat", 2, status=1, new_steps="none")
    assert "etrecord-tb: no new recording left an ETDump: nothing was written\n" in done.stderr and not (bench.folder / "runs").exists()
    done = turns.run("1", "1", "--repeat", 2, status=1, base_steps="cut")
    assert f"no base recording left an ETDump that can be read: see runs/m/{bench.runs()[0].name}/base" in done.stderr


def test_few_recordings_in_turns_are_never_a_pass(bench):
    for repeat in (1, 2):
        done = Turns(bench).run("1", "1.02", "--repeat", repeat, "--fail-above", "5%", status=4)
        assert re.search(r"\d+ or more on each side, in turns, would measure that", done.stderr)


def test_the_base_has_a_record_of_its_own(bench):
    (bench.folder / "old").mkdir()
    shutil.copy(RECORD / "etrecord.bin", bench.folder / "old")
    done = Turns(bench).run("1", "1", "--repeat", 1, "--against-record", "old")
    assert "timed nodes of both sides" in done.stdout
    assert "gone" in Turns(bench).run("1", "1", "--repeat", 1, "--against-record", "gone", status=1).stderr


@pytest.mark.parametrize("side", ["base", "new"])
def test_a_signal_in_a_turn_leaves_nothing(bench, side):
    os.mkfifo(bench.folder / "fifo")
    hangs = {"base": "ok,ok,hang", "new": "ok,ok,ok,hang"}[side]  # behind one that counts
    sides = {name: (*Turns(bench).runner(name, "1", hangs if name == side else "ok"), "--wait", "fifo", "--lock", "lock") for name in ("base", "new")}
    process = bench.start("--repeat", 2, "--timeout", SECONDS, "--against", shlex.join(map(str, sides["base"])), runner=sides["new"])
    with open(bench.folder / "fifo", "wb"):  # once the runner hangs
        pass
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=SECONDS)
    assert process.returncode == -signal.SIGTERM
    wait_for_lock(bench.folder / "lock")
    assert not (bench.folder / "runs").exists()


def test_llm_runner(bench):
    runner = (bench.runner, "--dump", DUMP, "--llm", "--etdump_path", "out.etdp")
    said = bench.bench("--repeat", 2, runner=runner).stdout
    expected = {"load": (700, "ms"), "prefill": (100, "ms"), "time to first token": (110, "ms"), "generation": (1200, "ms"), "prefill rate": (80, "tokens/s"),
                "generation rate": (50, "tokens/s")}  # by hand, from the stamps that the stand-in prints
    for name, (value, unit) in expected.items():
        assert re.search(rf"^{name} +{value:.2f} {unit}$", said, re.M), name
    _, hparams = read_back(bench.runs()[0])
    assert hparams["generation rate"] == 50


def test_llm_runner_beside_the_recording(bench):
    model = pathlib.Path(__file__).resolve().parents[2] / "examples" / "language_model"
    for name in ("etrecord.bin", "model.pte"):
        shutil.copy(model / name, bench.folder / "m")
    runner = (bench.runner, "--dump", model / "etdump.etdp", "--llm", "--etdump_path", "out.etdp")
    said = bench.bench("--repeat", 1, runner=runner).stdout
    assert re.search(r"^prefill +100.00 ms +11.\d\d ms$", said, re.M), said
    assert re.search(r"^generation rate +50.00 tokens/s +3250.\d\d tokens/s$", said, re.M), said
    assert "contain sampling, the tokenizer" in said


def test_the_link_to_the_run(bench):
    said = bench.bench("--repeat", 1).stdout
    assert said.endswith(f"\ntensorboard --logdir runs\nhttp://localhost:6006/?runFilter={bench.runs()[0].name}#timeseries\n")


def test_progress_on_a_terminal(bench):
    master, slave = os.openpty()
    done = subprocess.run(bench.arguments("--repeat", 1), cwd=bench.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave, timeout=SECONDS)
    os.close(slave)
    said = os.read(master, 10000).decode()
    os.close(master)
    assert done.returncode == 0
    assert said == "".join(f"\r\033[K{what}" for what in ("warm-up 1 of 1", "process without ETDump", "recording 1 of 1", ""))


# ---- Devices, and ExecuTorch itself ----

ADB = """#!/bin/sh
[ "$1" = -s ] && shift 2
case "$1 $2" in
  pull*) cp "device/$2" "$3" ;;
  "shell getprop"*) echo Pixel 8 ;;
  "shell rm -f"*) echo "$2" >> removed; rm -f device/dump ;;
  *) [ -e broken ] || cp "$DUMP" device/dump ;;
esac
"""


def test_adb(bench):
    (bench.folder / "bin").mkdir()
    (bench.folder / "device").mkdir()
    (bench.folder / "bin" / "adb").write_text(ADB)
    (bench.folder / "bin" / "adb").chmod(0o755)
    environment = {"PATH": f"{bench.folder / 'bin'}:{os.environ['PATH']}", "DUMP": str(DUMP)}
    done = bench.bench("--repeat", 2, "--pull", "dump", environment=environment, runner=("adb", "-s", "serial", "shell", "run it"))
    assert "tracing:" not in done.stdout
    _, hparams = read_back(bench.runs()[0])
    assert hparams["device"] == "Pixel 8" and "failed" not in done.stderr
    assert (bench.folder / "removed").read_text().splitlines() == ["rm -f 'dump'"] * 3
    (bench.folder / "broken").touch()
    done = bench.bench("--repeat", 1, "--pull", "dump", environment=environment, runner=("adb", "shell", "run it"), status=1)
    assert "adb pull dump failed (exit status 1)" in done.stderr


def test_executorch(bench):
    python = os.environ.get("EXECUTORCH_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import executorch"], capture_output=True, timeout=SECONDS).returncode:
        pytest.skip("ExecuTorch is missing (EXECUTORCH_PYTHON, a Python that has it)")
    shutil.rmtree(bench.folder / "m")
    (bench.folder / "record").mkdir()
    (bench.folder / "m").symlink_to("record")
    (bench.folder / "run.py").write_text(RUN)
    subprocess.run([python, "-c", EXPORT], cwd=bench.folder, check=True, capture_output=True, timeout=10 * SECONDS)
    done = subprocess.run(bench.arguments("--repeat", 2, "--warmup", 0, "--skip-runs", 0, runner=(python, "run.py", "--etdump_path", "out.etdp")), cwd=bench.folder,
                          capture_output=True, text=True, timeout=10 * SECONDS)
    assert done.returncode == 0, done.stderr
    assert "s without (once)" in done.stdout
    accumulator, _ = read_back(bench.runs("record")[0])
    assert steps_of(accumulator, "1_inference_ms/measured") == list(range(8))


CI = pathlib.Path(__file__).parents[2] / "examples" / "ci"
GH = """#!/bin/sh
echo "$*" >> calls
case "$*" in *--jq*) cat known 2>/dev/null ;; *) exit $(cat refuses 2>/dev/null || echo 0) ;; esac
exit 0
"""


def test_check_of_a_pull_request(bench):
    """The scripts of examples/ci: a comment, a summary, a report, annotations and an exit status; one comment, which is replaced; a token that only reads."""
    runner = f"{shlex.quote(bench.runner)} --dump {shlex.quote(str(FIXTURES / 'mv2_xnnpack' / 'etdump.etdp'))}"
    for side in ("base", "new"):
        shutil.copytree(FIXTURES / "mv2_xnnpack", bench.folder / side)
        (bench.folder / side / "record.json").write_text('{"recorded": "2026-01-01T00:00:00Z"}', encoding="utf-8")
    environment = {**os.environ, "ETRECORD_TB": bench.command, "REPEAT": "3", "GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_REPOSITORY": "o/r", "PULL_REQUEST": "7",
                   "BASE_RUNNER": f"{runner} --count a --scale 1,1,1.01,.99 --etdump_path a.etdp", "NEW_RUNNER": f"{runner} --count b --scale 1.2,1.2,1.21,1.19 --etdump_path b.etdp"}
    run = lambda *words: subprocess.run([*words], cwd=bench.folder, env=environment, capture_output=True, text=True, timeout=SECONDS)  # noqa: E731
    done = run("bash", CI / "check.sh", "base", "new", "out")
    assert done.returncode == 3, done.stderr
    assert not list((bench.folder / "out").glob("*/record.json"))  # it is about other recordings
    comment = (bench.folder / "out" / "comment.md").read_text(encoding="utf-8")
    assert re.match(r"<!-- etrecord-tb -->\n\*\*forward: [\d.]+ % slower", comment) and "<details>" in comment
    assert (bench.folder / "summary.md").read_text(encoding="utf-8") == comment
    assert (bench.folder / "out" / "report.html").stat().st_size > 10_000
    assert re.search(r"^::warning file=.*/mobilenetv2\.py,line=\d+::slower: ", done.stdout, re.MULTILINE)

    (bench.folder / "bin").mkdir()
    (bench.folder / "bin" / "gh").write_text(GH, encoding="utf-8")
    (bench.folder / "bin" / "gh").chmod(0o755)
    environment["PATH"] = f"{bench.folder / 'bin'}:{environment['PATH']}"
    calls = lambda: (bench.folder / "calls").read_text(encoding="utf-8").splitlines()  # noqa: E731
    assert run("bash", CI / "comment.sh", "out/comment.md").returncode == 0
    assert calls()[-1] == "api --method POST repos/o/r/issues/7/comments --field body=@out/comment.md --silent"
    (bench.folder / "known").write_text("42\n", encoding="utf-8")
    assert run("bash", CI / "comment.sh", "out/comment.md").stdout == ""
    assert calls()[-1].startswith("api --method PATCH repos/o/r/issues/comments/42 --field")
    (bench.folder / "refuses").write_text("1", encoding="utf-8")
    done = run("bash", CI / "comment.sh", "out/comment.md")
    assert done.returncode == 0 and done.stdout.startswith("::notice::no comment: this token may only read")
