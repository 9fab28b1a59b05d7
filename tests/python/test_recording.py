# SPDX-License-Identifier: BSD-3-Clause
"""What record() checks and does before it needs torch. tests/recording has the rest."""

import os
import subprocess
import sys

import pytest

import etrecord_tb
from etrecord_tb import recording

SCRIPT = """
import sys
from etrecord_tb import recording
factory = recording._factory(sys.argv[1])
import colorsys  # of the standard library: one of this name lies beside the user's module
print(factory(), sys.path[-1], colorsys.__file__)
"""


@pytest.mark.parametrize("named", ["{folder}/users_model.py:make", "users_model:make"])
def test_module_of_the_user_is_searched_last(tmp_path, named):
    (tmp_path / "users_model.py").write_text("import users_other\n\n\ndef make():\n    return users_other.VALUE\n")
    (tmp_path / "users_other.py").write_text("VALUE = 'made'\n")
    (tmp_path / "colorsys.py").write_text("raise SystemExit('code from the working directory')\n")
    start = f"import sys; sys.path[:] = {sys.path[1:]!r}; exec({SCRIPT!r})"
    done = subprocess.run([sys.executable, "-I", "-c", start, named.format(folder=tmp_path)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    value, last, module = done.stdout.split()
    assert value == "made" and os.path.realpath(last) == os.path.realpath(tmp_path) and str(tmp_path) not in module


@pytest.mark.parametrize("named, words", [("model", "MODULE:FACTORY"), ("none.py:make", "no such file"), ("json:make", "no function make")])
def test_factories_that_are_none(named, words):
    with pytest.raises(ValueError, match=words):
        recording._factory(named)


@pytest.mark.parametrize("options, path, said", [(["-I"], "/of/the/user", True), (["-I"], "", False), ([], "/of/the/user", False)])
def test_a_path_that_is_ignored_is_named(tmp_path, options, path, said):
    (tmp_path / "users_model.py").write_text("import missing_module\n")
    start = f"import sys; sys.path[:] = {sys.path[1:]!r}; from etrecord_tb import recording; sys.exit(recording.main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, *options, "-c", start, "users_model.py:make", "-o", "made"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 1 and "No module named 'missing_module'" in done.stderr
    assert (f"PYTHONPATH is ignored; install it into the environment of {sys.executable}" in done.stderr) == said


@pytest.mark.parametrize("words, options", [
    ("recipe", {"recipe": "xnnpackk"}), ("recordings", {"recordings": 0}), ("runs", {"runs": True}), ("threads", {"threads": -1}), ("on must", {"on": "there"}),
    ("runner=", {"on": "adb"}), ("no runner", {"on": "adb", "runner": "/none"}), ("bench", {"runner": __file__}), ("debug_buffer", {"on": "adb", "runner": __file__, "debug_buffer": True}),
])
def test_arguments_that_cannot_be_meant(tmp_path, words, options):
    with pytest.raises(ValueError, match=words):
        etrecord_tb.record(None, None, out=tmp_path / "made", **options)
    assert not (tmp_path / "made").exists()


def test_a_record_is_kept(tmp_path):
    (tmp_path / "etrecord.bin").touch()
    with pytest.raises(etrecord_tb.RecordError, match="force") as error:
        etrecord_tb.record(None, None, out=tmp_path, progress=False)
    assert error.value.stage == "save" and (tmp_path / "etrecord.bin").exists()


def test_the_command_that_is_printed_decides_methods(tmp_path, monkeypatch, capsys):
    class Closed:
        def close(self):
            pass

    def record(model, inputs, *, _deciding, **options):
        _deciding += recording._map_options({1: "prefill", 2: "prefill", 4: "decode", 5: "decode"})
        return Closed()

    monkeypatch.setattr(recording, "_call_factory", lambda named: (None, None, {}))
    monkeypatch.setattr(recording, "record", record)
    assert recording.main(["decoder.py:make", "-o", "decoder"]) == 0
    assert capsys.readouterr().out == "etrecord-tb summary decoder --map 1-2=prefill --map 4-5=decode\n"
