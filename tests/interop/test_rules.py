# SPDX-License-Identifier: BSD-3-Clause
"""The scripts of tests/check over everything that the fixtures give."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

from conftest import FIXTURES, missing

CHECK = pathlib.Path(__file__).parent.parent / "check"

# Script -> does it have to pass? Where not, its differences are printed and counted as an expected failure.
SCRIPTS = {
    "graphs.py": True,
    "events.py": False,
    "delegation.py": False,
    "balance.py": False,
    "xnnpack.py": False,
}


def run_check(script, *arguments):
    done = subprocess.run([sys.executable, CHECK / script, *map(str, arguments)], capture_output=True, timeout=300)
    return done.returncode, "\n".join(line for line in done.stdout.decode().splitlines() if not line.startswith("ok ")) + done.stderr.decode()


def test_event_files_follow_the_rules(logdir):
    if importlib.util.find_spec("tensorboard") is None:
        missing("the Python package tensorboard")
    status, said = run_check("tensorboard_rules.py", logdir.path)
    assert status == 0, said


@pytest.mark.parametrize("script", SCRIPTS)
def test_fixtures(command, script):
    status, said = run_check(script, command.path, FIXTURES)
    if status != 0 and not SCRIPTS[script]:
        pytest.xfail(said.splitlines()[-1] if said else "no answer")
    assert status == 0, said
