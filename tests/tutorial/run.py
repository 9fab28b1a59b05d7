#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tutorial from start to end, and what README.md and docs/ show: run.py PROGRAM [--update].

The commands of the `console` blocks run one after the other, and their output is compared with the block; --update writes it there. The commands `etrecord-tb` in blocks
without a language, which show no output, have to succeed. The tutorial's `bash` blocks, which make the recordings, run if the Python that EXECUTORCH_PYTHON names (default:
this one) can import ExecuTorch, except for the commands that install it.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "examples" / "tutorial"


def shell(command, folder, path):
    environment = dict(os.environ, PATH=f"{path}{os.pathsep}{os.environ['PATH']}", LC_ALL="C.UTF-8", COLUMNS="100")
    return subprocess.run(["bash", "-eo", "pipefail", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def follow(block, folder, path):
    """The block with what its commands print."""
    lines = []
    for command in re.findall(r"^\$ (.*)$", block, re.M):
        done = shell(command, folder, path)
        lines += [f"$ {command}", *done.stdout.splitlines()]
        if done.returncode:
            lines.append(f"(exit status {done.returncode})")
    return "".join(line.rstrip() + "\n" for line in lines)


# Each call is another recording: its first event takes a tick more than that of the call before.
RUNNER = f"""#!{sys.executable}
import pathlib, sys
sys.path.insert(0, {str(ROOT / "tests" / "cli")!r})
import command
calls = pathlib.Path(sys.argv[0] + ".calls")
number = int(calls.read_text()) if calls.exists() else 0
calls.write_text(str(number + 1))
pathlib.Path(sys.argv[-1]).write_bytes(command.recorded_again(pathlib.Path("examples/mobilenet_v2/etdump.etdp").read_bytes(), number))
"""


def make_runners(folder):
    """Programs that leave a recorded ETDump at the path in their last argument, in place of those that run a model."""
    for name in ("executor_runner", "old_runner.sh", "new_runner.sh"):
        runner = pathlib.Path(folder) / name
        runner.write_text(RUNNER)
        runner.chmod(0o755)


def run_silent_commands(text, folder, program, document):
    """Runs the commands that are shown without output. Returns how many failed."""
    failed = 0
    for command in re.findall(r"^etrecord-tb .*$", "".join(body for language, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S) if not language), re.M):
        done = shell(command, folder, program.parent)
        if done.returncode:
            print(f"FAILED: {document}: {command}\n{done.stdout}")
        failed += done.returncode != 0
    return failed


def test_commands(program, document, update):
    """Runs them in a copy of the folders that they name."""
    text = document.read_text()
    with tempfile.TemporaryDirectory() as folder:
        if document.parent in (ROOT, ROOT / "docs"):
            shutil.copytree(ROOT / "examples", pathlib.Path(folder) / "examples")
            make_runners(folder)
        else:
            shutil.copytree(document.parent, folder, dirs_exist_ok=True)
        wrong = run_silent_commands(text, folder, program, document)
        for block in blocks(text, "console"):
            printed = follow(block, folder, program.parent)
            if printed != block and not update:
                print(f"FAILED: {document} has\n{block}instead of\n{printed}(--update, or the target golden-update, writes it there)")
            wrong += printed != block
            text = text.replace(f"```console\n{block}```", f"```console\n{printed}```", 1)
    if update:
        document.write_text(text)
        return "passed"
    return "failed" if wrong else "passed"


def test_recording(program):
    python = os.environ.get("EXECUTORCH_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import executorch.export, executorch.runtime"], capture_output=True).returncode:
        print(f"skipped: {python} has no ExecuTorch: no new recordings were made")
        return "skipped"
    with tempfile.TemporaryDirectory() as folder:
        for script in TUTORIAL.glob("*.py"):
            shutil.copy(script, folder)
        for block in blocks((TUTORIAL / "README.md").read_text(), "bash"):
            for command in block.splitlines():
                if command.startswith("pip "):
                    continue
                done = shell(re.sub(r"^python ", f"'{python}' ", command), folder, program.parent)
                if done.returncode:
                    print(f"FAILED: {command}\n{done.stdout}")
                    return "failed"
        for command in ("etrecord-tb delegation before | grep -q aten_log1p_default", "! etrecord-tb delegation after | grep -q aten_log1p_default"):
            if shell(command, folder, program.parent).returncode:
                print(f"FAILED: {command}, of new recordings")
                return "failed"
    return "passed"


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    update = "--update" in sys.argv[2:]
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), TUTORIAL / "README.md", ROOT / "examples" / "turns" / "README.md"]
    outcomes = [test_commands(program, document, update) for document in documents if re.search("etrecord-tb ", document.read_text())]
    if not update:
        outcomes.append(test_recording(program))
    print(", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in ("passed", "failed", "skipped")))
    sys.exit("failed" in outcomes)


if __name__ == "__main__":
    main()
