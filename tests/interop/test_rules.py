# SPDX-License-Identifier: BSD-3-Clause
"""The scripts of tests/check over everything that the fixtures give, but for those that are tests of their own."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

from conftest import FIXTURES, missing

CHECK = pathlib.Path(__file__).parent.parent / "check"

# Script -> fixtures that it cannot judge, and why.
SCRIPTS = {
    "arguments.py": {},
    "graphs.py": {},
    "events.py": {"cpp_rich": "its Inspector read another recording; test_etdump.py compares its times"},
    "delegation.py": {},
    "balance.py": {},
    "backends.py": {},
    "xnnpack.py": {},
    "places.py": {},
    "ranking.py": {},
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
    folders = [folder for folder in FIXTURES.iterdir() if folder.is_dir() and folder.name not in SCRIPTS[script]]
    status, said = run_check(script, command.path, *sorted(folders))
    assert status == 0, said
