# SPDX-License-Identifier: BSD-3-Clause
"""`watch`: dumps that come into a folder, one after the other, and what it says of each."""

import pathlib
import shutil
import signal
import subprocess

import pytest

from conftest import FIXTURES, missing

RECORD = FIXTURES / "add_mul"
DUMP = (RECORD / "etdump.etdp").read_bytes()
SECONDS = 60


class Watching:
    def __init__(self, command, folder):
        self.folder = folder
        self.process = subprocess.Popen([command.path, "watch", "m", "--hparam", "device=pixel8"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        assert self.line() == "watching m; Ctrl-C ends. tensorboard --logdir runs"

    def line(self):
        return self.process.stdout.readline().rstrip("\n")

    def put(self, name, data):
        (self.folder / "m" / name).write_bytes(data)

    def end(self, status):
        rest, _ = self.process.communicate(timeout=SECONDS)
        assert self.process.returncode == status, rest
        return rest


@pytest.fixture
def watching(command, tmp_path):
    (tmp_path / "m").mkdir()
    for name in ("etrecord.bin", "model.pte"):
        shutil.copy(RECORD / name, tmp_path / "m")
    (tmp_path / "m" / "there.etdp").write_bytes(DUMP)
    watch = Watching(command, tmp_path)
    yield watch
    watch.process.kill()
    watch.process.wait()


def events(folder):
    return sorted(str(path.parent.relative_to(folder / "runs")) for path in (folder / "runs").rglob("*tfevents*") if path.stat().st_size)


def test_each_dump_becomes_runs(watching):
    watching.put("a.etdp", DUMP)
    assert watching.line().startswith("added  runs/m/a: forward ")
    watching.put("cut.etdp", DUMP[: len(DUMP) // 2])
    assert watching.line().startswith("etrecord-tb: m/cut.etdp: @")
    watching.put("notes.txt", b"nothing to tell of")
    watching.put(".partial", DUMP)
    (watching.folder / "m" / ".partial").rename(watching.folder / "m" / "b.etdump")
    assert watching.line().startswith("added  runs/m/b: forward ")
    watching.put("empty.etdp", b"")
    assert watching.line() == "etrecord-tb: m/empty.etdp: @0: the file is empty"
    watching.put("cut.etdp", DUMP)  # whole now
    assert watching.line().startswith("added  runs/m/cut: forward ")
    watching.put("a.etdp", DUMP)
    assert watching.line().startswith("added  runs/m/a: forward ")
    watching.process.send_signal(signal.SIGINT)
    assert watching.end(0) == ""
    assert events(watching.folder) == [f"m/{dump}" for dump in ("a", "b", "cut")]


def test_a_record_that_comes_later(watching):
    (watching.folder / "m" / "etrecord.bin").rename(watching.folder / "etrecord.bin")
    (watching.folder / "m" / "model.pte").unlink()
    watching.put("a.etdp", DUMP)
    assert watching.line().startswith("added  runs/m/a: ")  # the dump alone
    assert events(watching.folder) == ["m/a"]
    shutil.copy(watching.folder / "etrecord.bin", watching.folder / "m" / "etrecord.bin")
    watching.put("a.etdp", DUMP)
    assert watching.line().startswith("added  runs/m/a: forward ")
    watching.process.send_signal(signal.SIGINT)
    assert watching.end(0) == ""


def test_a_dump_costs_the_same_among_many(command, tmp_path):
    """Counted in what the process reads: the folder is looked through for the first dump only."""
    if not pathlib.Path("/proc/self/io").exists():
        missing("/proc/PID/io")
    costs = []
    for old in (0, 400):
        folder = tmp_path / str(old)
        (folder / "m").mkdir(parents=True)
        shutil.copy(RECORD / "etrecord.bin", folder / "m")
        for i in range(old):
            (folder / "m" / f"old{i}.etdp").write_bytes(DUMP)
        watch, read = Watching(command, folder), []
        for name in "abc":
            watch.put(f"{name}.etdp", DUMP)
            assert watch.line().startswith(f"added  runs/m/{name}: forward ")
            said = pathlib.Path(f"/proc/{watch.process.pid}/io").read_text()
            read.append(int(said.split("rchar: ")[1].split()[0]))
        watch.process.send_signal(signal.SIGINT)
        watch.end(0)
        costs.append(read[2] - read[1])
    assert costs[1] <= 1.2 * costs[0], costs


def test_a_folder_that_goes(watching):
    (watching.folder / "m").rename(watching.folder / "gone")
    assert watching.line() == "etrecord-tb: m: this folder was removed or moved"
    watching.end(1)
