# SPDX-License-Identifier: BSD-3-Clause
"""The scripts of tests/check over everything that the fixtures give, but for those that are tests of their own."""

import importlib
import importlib.util
import pathlib
import subprocess
import sys

import common
import pytest

from conftest import EVERY, FIXTURES, missing

CHECK = pathlib.Path(__file__).parent.parent / "check"
FOLDERS = common.fixtures(FIXTURES)

# Those of a line ask the same of the command. One line after the other has the next of the fixtures, where not all are asked for.
SCRIPTS = (("arguments", "graphs", "balance"), ("events", "xnnpack", "places", "backends"), ("delegation", "ranking"))
STEP = min(EVERY, 6)  # with fewer fixtures a script may have none that it can judge
# Fixtures that a script cannot judge, and why.
EXCEPT = {("events", "cpp_rich"): "its Inspector read another recording; test_etdump.py compares its times"}


def test_event_files_follow_the_rules(logdir):
    if importlib.util.find_spec("tensorboard") is None:
        missing("the Python package tensorboard")
    done = subprocess.run([sys.executable, CHECK / "tensorboard_rules.py", logdir.path], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("scripts", SCRIPTS, ids=" ".join)
def test_fixtures(command, scripts):
    checks = {script: importlib.import_module(script) for script in scripts}
    found = {}
    for script, module in checks.items():
        need = getattr(module, "TRUTH", "truth.json")
        known = [folder for folder in FOLDERS if common.has_truth(folder, need) and (script, pathlib.Path(folder).name) not in EXCEPT]
        found[script] = [common.judge(module.check, need, command.path, folder) for folder in known[SCRIPTS.index(scripts) % STEP :: STEP]]
    assert not [script for script, verdicts in found.items() if False in verdicts or True not in verdicts]
