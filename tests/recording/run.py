#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/recording.md and docs/language-models.md as programs, and etrecord_tb.record(): run.py PROGRAM PACKAGE. 77: no ExecuTorch.

The blocks run one after the other in an empty folder: `python` blocks that begin with the name of a file are that file, others are run; `bash` blocks are run without the
commands that install something, and the `text` block with --against-record behind all of them, with one recording of each side; `cpp` blocks are compiled against the headers
of the wheel. Then cases.py calls record() with each kind of model. The Python with ExecuTorch is the one that EXECUTORCH_PYTHON names, or else this one.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
PYTHON = os.environ.get("EXECUTORCH_PYTHON", sys.executable)

# The command starts an isolated Python, which would not find the package that is not installed.
WRAPPER = '#!/bin/sh\n[ "$1" = -I ] && shift\nexec "$REAL_PYTHON" "$@"\n'

# An executor_runner, of which this knows the options that record and the document use: it runs the program with the runtime of the wheel, and fills tensors with ones.
RUNNER = """#!/usr/bin/env python
import argparse
import torch
from executorch.extension.pybindings import portable_lib
parser = argparse.ArgumentParser(allow_abbrev=False)
for name in ("model_path", "etdump_path", "method_name"):
    parser.add_argument("--" + name)
for name in ("num_executions", "cpu_threads"):
    parser.add_argument("--" + name, type=int, default=1)
wanted = parser.parse_args()
module = portable_lib._load_for_executorch(wanted.model_path, enable_etdump=True)
method = wanted.method_name or module.method_names()[0]
meta = module.method_meta(method)
types = {3: torch.int32, 4: torch.int64, 6: torch.float32, 11: torch.bool}
tensors = [meta.input_tensor_meta(index) for index in range(meta.num_inputs())]
inputs = tuple(torch.ones(tensor.sizes(), dtype=types[tensor.dtype()]) for tensor in tensors)
for _ in range(wanted.num_executions):
    module.run_method(method, inputs)
if wanted.etdump_path:
    module.write_etdump_result_to_file(wanted.etdump_path)
"""

# A device whose only folder is `device`. What is pushed is put there, and a program that was pushed is run there.
ADB = f"""#!{sys.executable}
import pathlib, shlex, shutil, subprocess, sys
device, words = pathlib.Path(sys.argv[0]).resolve().parents[1] / "device", sys.argv[1:]
if words[0] == "-s":
    (device / "serial").write_text(words[1])
    words = words[2:]
with open(device / "calls", "a") as calls:
    print(*words, file=calls)
if words[0] == "push":
    shutil.copy(words[1], device / pathlib.Path(words[2]).name)
elif words[0] == "pull":
    shutil.copy(device / pathlib.Path(words[1]).name, words[2])
elif words[0] == "shell":
    words = [str(device / pathlib.Path(word).name) if word.startswith("/data/") else word for word in shlex.split(" ".join(words[1:]))]
    if words[:1] == ["getprop"]:
        print("a device" if words[1] == "ro.product.model" else "")
    elif words[0].endswith("/runner"):
        sys.exit(subprocess.call(words))
    elif words[0] == "rm":
        subprocess.call(words)
"""


def has_modules(*names):
    return subprocess.run([PYTHON, "-c", "import " + ", ".join(names)], capture_output=True).returncode == 0


def write_program(path, text):
    path.write_text(text)
    path.chmod(0o755)


class Document:
    """Runs the blocks of a document in a folder."""

    def __init__(self, folder, program, package):
        self.folder, self.failed = folder / "work", []
        for name in ("work", "bin", "device"):
            (folder / name).mkdir()
        write_program(folder / "bin" / "python", '#!/bin/sh\nexec "$REAL_PYTHON" "$@"\n')
        write_program(folder / "bin" / "wrapper", WRAPPER)
        write_program(folder / "bin" / "adb", ADB)
        write_program(self.folder / "executor_runner", RUNNER)
        self.environment = dict(os.environ, PATH=f"{folder / 'bin'}:{pathlib.Path(program).parent}:{os.environ['PATH']}", PYTHONPATH=f"{package}:{self.folder}", REAL_PYTHON=PYTHON,
                                ETRECORD_TB_PYTHON=str(folder / "bin" / "wrapper"), ETRECORD_TB=str(program))

    def run(self, command, what):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            self.failed.append(what)
            print(f"FAILED: {what}\n{done.stdout[-3000:]}")
        return done.stdout

    def python(self, text):
        named = re.match(r"# (\w+\.py)\n", text)
        if named:
            (self.folder / named[1]).write_text(text)
        else:
            self.run([PYTHON, "-c", text], text)

    def bash(self, text):
        if "log.txt" in text:
            self.print_log("by_hand/etdump-1.etdp")
        for command in text.splitlines():
            if not command.startswith("pip "):
                self.run(["bash", "-eo", "pipefail", "-c", command], command)

    def print_log(self, dump):
        """Makes what a board would have printed that has no files, as Arm's runner does."""
        text = base64.b64encode((self.folder / dump).read_bytes()).decode()
        (self.folder / "log.txt").write_text(f'Booting...\n#[RUN THIS]\n# Writing etdump.bin [base64]\necho "{text}" | base64 -d >etdump.bin\n#[END]\n')

    def cpp(self, text):
        headers = self.run([PYTHON, "-c", "import executorch, pathlib; print(pathlib.Path(list(executorch.__path__)[0]) / 'include')"], "headers").strip()
        if not shutil.which("g++") or not os.path.isdir(os.path.join(headers, "executorch", "devtools", "etdump")):
            print("skipped: no g++, or a wheel without headers: the C++ block is not compiled")
            return
        (self.folder / "values.cpp").write_text(text)
        self.run(["g++", "-std=c++17", "-w", "-fsyntax-only", "-DC10_USING_CUSTOM_GENERATED_MACROS", "-DET_EVENT_TRACER_ENABLED", "-I", headers, "-I",
                  f"{headers}/executorch/runtime/core/portable_type/c10", "values.cpp"], "the C++ block")

    def follow(self, name):
        """Runs the blocks of a page of docs/."""
        for language, text in re.findall(r"^```(python|bash|cpp)\n(.*?)^```$", (ROOT / "docs" / name).read_text(), re.M | re.S):
            if "generate_etrecord(" in text and "edge_copy" in text:
                print("skipped: the block for ExecuTorch 0.6 and 0.7, which these wheels are not")
                continue
            getattr(self, language)(text)

    def take_turns(self, name):
        """Runs the bench of two records that a page shows, once."""
        [turns] = re.findall(r"^```text\n(etrecord-tb bench .*?--against-record .*?)^```$", (ROOT / "docs" / name).read_text(), re.M | re.S)
        self.run(["bash", "-c", turns.replace("bench", "bench --repeat 1 --warmup 0", 1)], turns)

    def check(self, name, runs, dumps=3):
        """Checks that a folder has a record without fault, with so many ETDumps and these runs by method."""
        self.run(["etrecord-tb", "validate", name], f"validate {name}")
        said = json.loads(self.run(["etrecord-tb", "info", name, "--format", "json"], f"info {name}") or "{}")
        ran = [run["method"] for run in said.get("runs", ()) if run["name"] == "Execute"]
        found = {method: ran.count(method) for method in ran}
        if found != runs or len(said["etdumps"]) != dumps or said["warnings"]:
            self.failed.append(name)
            print(f"FAILED: {name} has runs {found} in {len(said['etdumps'])} ETDumps, and the warnings {said['warnings']}")


def main():
    if not has_modules("executorch.export", "executorch.devtools"):
        print(f"skipped: {PYTHON} has no ExecuTorch (EXECUTORCH_PYTHON names another), so that nothing was recorded")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        document = Document(pathlib.Path(folder), pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
        document.follow("recording.md")
        document.take_turns("recording.md")
        for name in ("net", "portable", "by_hand", "dynamic", "int8"):
            document.check(name, {"forward": 60})
        document.check("two", {"decode": 60, "encode": 60})
        document.check("values", {"forward": 1}, dumps=1)
        document.check("phone", {"forward": 60})
        calls = (pathlib.Path(folder) / "device" / "calls").read_text()
        if calls.count("--num_executions 20") != 3 or json.loads((document.folder / "phone" / "record.json").read_text())["host"] != "a device":
            document.failed.append("the device")
            print(f"FAILED: the device was called so:\n{calls}")
        (document.folder / "phone_again").mkdir()
        document.run(["sh", "-c", "cd phone_again && PYTHONPATH=.. python ../phone/record.py"], "phone/record.py")
        document.check("phone_again", {"forward": 60})
        if has_modules("transformers"):
            document.follow("language-models.md")
            document.take_turns("language-models.md")
            document.check("shared", {"prefill": 9, "decode": 1152})
            document.run([PYTHON, os.fspath(FOLDER / "tokens.py")], "tokens.py")
        else:
            print(f"skipped: {PYTHON} has no transformers, so that docs/language-models.md did not run")
        for name, arguments in (("cases.py", []), ("inspector.py", []), ("notebook.py", [ROOT / "examples" / "notebook" / "faster_model.ipynb"])):
            said = document.run([PYTHON, os.fspath(FOLDER / name), *map(os.fspath, arguments)], name)
            print(*(line for line in said.splitlines() if line.startswith("skipped")), sep="\n")
    print(f"{len(document.failed)} failed")
    return 1 if document.failed else 0


if __name__ == "__main__":
    sys.exit(main())
