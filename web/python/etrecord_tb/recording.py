# SPDX-License-Identifier: BSD-3-Clause
"""Makes a record in one call: exports a model, runs the program several times, each in a process of its own, and opens what that left.

torch and ExecuTorch are imported only when record() is called: by _record_export.py, which makes the program, and by _record_run.py, which runs it; read_inputs() imports torch.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import json
import logging
import os
import pathlib
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from typing import Any, Callable, Iterator, Mapping, Sequence, Union

from ._library import EtrecordError
from .profile import Path, Profile

RECIPES = ("xnnpack", "xnnpack-int8", "xnnpack-8da4w", "portable")
STAGES = ("import", "export", "quantize", "lower", "program", "save", "run")
_FIRST_BUFFER, _LARGEST_BUFFER = 64 << 20, 8 << 30  # bytes that may be logged: ExecuTorch ends a process whose buffer is too small
_ON_DEVICE = "/data/local/tmp/etrecord-tb"  # which every user of adb may write to, and run programs in
_MADE = ("etrecord.bin", "model.pte", "inputs.safetensors", "record.py", "record.json", "values")

Progress = Union[Callable[[str], None], bool, None]


class RecordError(EtrecordError):
    """record() failed in its `stage`: import, export, quantize, lower, program, save or run. The message says what to try; the cause is chained."""

    def __init__(self, stage: str, message: str):
        super().__init__(f"{stage}: {message}")
        self.stage = stage


class _Teller:
    """Says what is done, on standard error or to a function."""

    def __init__(self, progress: Progress) -> None:
        self._say = progress
        self._start = time.monotonic()

    def say(self, text: str) -> None:
        if callable(self._say):
            self._say(text)
        elif self._say is not False:
            print(f"etrecord-tb: {time.monotonic() - self._start:6.1f} s  {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps what torch and ExecuTorch warn of while they export from filling a notebook. Errors are raised all the same."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _prepare_folder(out: Path, force: bool) -> pathlib.Path:
    """Makes the folder, and removes an earlier record from it if `force` says so."""
    folder = pathlib.Path(os.fsdecode(out))
    if folder.exists() and not folder.is_dir():
        raise RecordError("save", f"{folder} is a file: name a folder with out=")
    old = _made_in(folder)
    if old and not force:
        raise RecordError("save", f"{folder} has a record ({old[0].name}): name another folder, or replace it with force=True (--force)")
    _remove(old)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _made_in(folder: pathlib.Path) -> list[pathlib.Path]:
    """Returns what record() made in a folder."""
    return [path for path in (folder / name for name in _MADE) if path.exists()] + sorted(folder.glob("etdump*.etdp")) + sorted(folder.glob("debug_buffer.bin"))


def _remove(paths: list[pathlib.Path]) -> None:
    for path in paths:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextlib.contextmanager
def _unfinished(folder: pathlib.Path, was_there: bool) -> Iterator[None]:
    """Leaves no part of a record in the folder if there is no program yet, or if the user interrupts it. A program that could not be run stays: another runner may run it."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)) or not (folder / "model.pte").exists():
            _remove(_made_in(folder))
            if not was_there:
                with contextlib.suppress(OSError):  # something else is in it
                    folder.rmdir()
        raise


def _processor() -> str:
    """Returns the name of the processor, as well as the system tells it."""
    with contextlib.suppress(OSError, StopIteration):
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    return platform.processor() or platform.machine()


def _instructions() -> str:
    """Returns the processor's instructions that kernels for int8 and float16 use, as Linux names them: "avx512f avx512_vnni"."""
    wanted = {"avx2", "avx_vnni", "avx512f", "avx512_vnni", "avx512_fp16", "amx_int8", "asimdhp", "asimddp", "i8mm", "sve", "sme"}
    with contextlib.suppress(OSError, StopIteration):
        with open("/proc/cpuinfo") as file:
            flags = next(line.split(":", 1)[1].split() for line in file if line.startswith(("flags", "Features")))
            return " ".join(flag for flag in flags if flag in wanted)
    return ""


def _commit() -> str | None:
    """Returns the commit of the working directory's repository; None if it is in none."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=10)
        return done.stdout.strip() or None if done.returncode == 0 else None
    return None


def _run_once(spec: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    """Runs _record_run.py in a process of its own, with the modules that this one finds."""
    start = "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); from etrecord_tb._record_run import main; sys.exit(main(sys.argv[1]))"
    paths = [os.path.abspath(path) for path in sys.path]
    package = os.fspath(pathlib.Path(__file__).resolve().parents[1])
    command = [sys.executable, "-I", "-c", start, json.dumps([*paths, *([] if package in paths else [package])]), json.dumps(spec)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")


def _advice_for(done: subprocess.CompletedProcess[str]) -> str:
    """Returns what to try after a run that failed."""
    if "Missing operator" in done.stderr + done.stdout:
        return "the wheel has no kernel for this operator: replace it in the model, or run the program with a runner that links one (etrecord-tb bench)"
    return "try threads=1 and smaller inputs, or run the program with a runner of yours (etrecord-tb bench)"


def _checked_run(spec: dict[str, Any]) -> dict[str, Any]:
    """Runs the program and returns what the process said of it. Raises RecordError with the end of what it printed."""
    done = _run_once(spec)
    if done.returncode == 0 and os.path.isfile(spec["etdump"]):
        said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return said
    end = " ".join((done.stderr or done.stdout).split())[-600:] or "it printed nothing"
    if done.returncode == 0:
        raise RecordError("run", f"the process left no ETDump ({end}): the wheels of ExecuTorch before 1.5 write none; pip install -U executorch, or run the .pte elsewhere")
    how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit status {done.returncode}"
    raise RecordError("run", f"the process that runs the program ended with {how}: {end}; {_advice_for(done)}")


def _record_values(folder: pathlib.Path, spec: dict[str, Any]) -> int:
    """Logs all values of one run into a record of its own, because logging changes times. Returns the size of the buffer that was large enough, in bytes."""
    values = folder / "values"
    values.mkdir()
    for name in ("etrecord.bin", "model.pte"):
        try:
            os.link(folder / name, values / name)
        except OSError:  # another file system, or one without links
            shutil.copy(folder / name, values / name)
    size = _FIRST_BUFFER
    while True:
        wanted = {**spec, "runs": 1, "etdump": os.fspath(values / "etdump.etdp"), "debug_buffer": os.fspath(values / "debug_buffer.bin"), "debug_buffer_size": size}
        try:
            _checked_run(wanted)
            return size
        except RecordError:
            if size >= _LARGEST_BUFFER:
                raise
            size *= 4


def _adb(device: str | None) -> list[str]:
    return ["adb", *(["-s", device] if device else [])]


def _call(command: Sequence[str], what: str) -> None:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise RecordError("run", f"{command[0]} cannot be started ({error.strerror}): install Android's platform-tools, and put them into PATH") from error
    if done.returncode:
        raise RecordError("run", f"{what} failed (exit status {done.returncode}): {' '.join((done.stderr or done.stdout).split())[-400:]}; `adb devices` lists the devices")


def _device_commands(folder: pathlib.Path, runner: Path, device: str | None, runs: int, threads: int | None, methods: Sequence[str]) -> tuple[list[list[str]], list[list[str]]]:
    """Returns the commands that put the runner and the program on the device, and those that run each method there."""
    adb = _adb(device)
    setup = [
        [*adb, "shell", "mkdir", "-p", _ON_DEVICE], [*adb, "push", os.path.abspath(os.fsdecode(runner)), f"{_ON_DEVICE}/runner"],
        [*adb, "push", os.fspath(folder / "model.pte"), f"{_ON_DEVICE}/model.pte"], [*adb, "shell", "chmod", "755", f"{_ON_DEVICE}/runner"],
    ]
    words = [f"{_ON_DEVICE}/runner", "--model_path", f"{_ON_DEVICE}/model.pte", "--etdump_path", f"{_ON_DEVICE}/etdump.etdp", "--num_executions", str(runs)]
    words += ["--cpu_threads", str(threads)] if threads else []
    # Without a name the runner takes the program's first method; runners of before 2026 know no other.
    return setup, [[*adb, "shell", *words, *(["--method_name", method] if len(methods) > 1 else [])] for method in methods]


def _by_hand_on_device(commands: tuple[list[list[str]], list[list[str]]], device: str | None, recordings: int) -> list[list[str]]:
    """Returns the commands of record.py, which runs in the folder of the program and pulls each ETDump."""
    setup, runs = commands
    local = [[word if not word.endswith("/model.pte") or word.startswith(_ON_DEVICE) else "model.pte" for word in command] for command in setup]
    numbered = ((number, command) for number, command in enumerate((command for command in runs for _ in range(recordings)), 1))
    return [*local, *(each for number, command in numbered for each in (command, [*_adb(device), "pull", f"{_ON_DEVICE}/etdump.etdp", f"etdump-{number}.etdp"]))]


def _record_on_device(folder: pathlib.Path, commands: tuple[list[list[str]], list[list[str]]], recordings: int, teller: _Teller) -> None:
    """Pushes the runner and the program, and has `bench` run and pull them."""
    from .__main__ import NAME, find_command

    program, (setup, runs) = find_command() or shutil.which(NAME), commands
    if program is None:
        raise RecordError("run", "the package was installed without its command, which runs programs on devices: pip install --force-reinstall with its wheel or its sources")
    teller.say("pushing the runner and the program to the device")
    for command in setup:
        what = [word for word in command if word in ("shell", "push")][0]
        _call(command, " ".join(["adb", *command[command.index(what) :][:2]]))
    count = 0
    for run in runs:
        teller.say(f"recording {recordings} times on the device" + (f": {run[-1]}" if len(runs) > 1 else ""))
        with tempfile.TemporaryDirectory() as logdir:
            bench = [os.fspath(program), "bench", "--record", os.fspath(folder), "--repeat", str(recordings), "--warmup", "0", "--logdir", logdir, "--", *run]
            done = subprocess.run(bench, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
            if done.returncode:
                raise RecordError("run", f"bench failed (exit status {done.returncode}): {' '.join(done.stderr.split())[-600:]}")
            for dump in sorted(pathlib.Path(logdir).rglob("etdump-*.etdp"), key=lambda path: int(path.stem.rsplit("-", 1)[1])):
                count += 1
                shutil.move(os.fspath(dump), folder / f"etdump-{count}.etdp")


def _device_facts(device: str | None) -> dict[str, Any]:
    """Returns what the device says of itself; null for what it does not say."""
    facts: dict[str, Any] = {"on": "adb", "device": device}
    for name, key in (("host", "ro.product.model"), ("processor", "ro.soc.model"), ("machine", "ro.product.cpu.abi"), ("system", "ro.build.fingerprint")):
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            done = subprocess.run([*_adb(device), "shell", "getprop", key], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=30)
            facts[name] = done.stdout.strip() or None if done.returncode == 0 else None
    return facts


def _check(recipe: Any, on: str, runner: Path | None, recordings: int, runs: int, threads: int | None, debug_buffer: bool) -> None:
    """Raises ValueError for arguments that cannot be meant, before the export takes its time."""
    for name, value in (("recordings", recordings), ("runs", runs), ("threads", 1 if threads is None else threads)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} must be a whole number from 1 on, not {value!r}")
    if isinstance(recipe, str) and recipe not in RECIPES:
        raise ValueError(f"recipe must be one of {', '.join(RECIPES)}, or an ExportRecipe of ExecuTorch, not {recipe!r}")
    if on not in ("here", "adb"):
        raise ValueError(f"on must be 'here' or 'adb', not {on!r}")
    if on == "adb" and runner is None:
        raise ValueError("on='adb' needs runner=, an executor_runner built for the device with -DEXECUTORCH_ENABLE_EVENT_TRACER=ON")
    if on == "adb" and not os.path.isfile(os.fsdecode(runner or "")):
        raise ValueError(f"there is no runner {os.fsdecode(runner or '')}")
    if on == "here" and runner is not None:
        raise ValueError("runner= is for on='adb'; `etrecord-tb bench` runs a program of yours here")
    if on == "adb" and debug_buffer:
        raise ValueError("debug_buffer=True is for on='here': a runner on a device logs values only if it is built to (docs/recording.md)")


def _opened(folder: pathlib.Path, methods: Sequence[str], recordings: int, runs: int, teller: _Teller, deciding: list[str] | None) -> Profile:
    """Opens the record. Where methods are so alike that the files do not say which one ran, or say it wrongly, the order in which they were run does.

    recordings: how many ETDumps each method has of its own, in the order of the methods; 0: each ETDump has runs of all.
    deciding: gets the options with which a command knows the methods, if it needs them.
    """
    if len(methods) < 2:
        return Profile(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        profile = Profile(folder)
    by_dump: dict[str, list[int]] = {}
    known = profile.info()["runs"]
    for number, run in enumerate(known):
        if run["name"] == "Execute":
            by_dump.setdefault(run["etdump"], []).append(number)
    profile.close()
    chosen: dict[Any, str] = {}
    for name, numbers in by_dump.items():
        place = int(re.findall(r"\d+", os.path.basename(name))[-1]) - 1
        order = [method for method in ([methods[place // recordings]] if recordings else methods) for _ in range(runs)]
        if len(numbers) == len(order):
            chosen.update(zip(numbers, order))
    if all(known[number]["method"] == method for number, method in chosen.items()):
        return Profile(folder)
    options = _map_options(chosen)
    teller.say("the methods could not be told apart by their runs: commands need " + " ".join(options))
    if deciding is not None:
        deciding.extend(options)
    return Profile(folder, methods=chosen)


def _map_options(chosen: Mapping[int, str]) -> list[str]:
    """Returns the options --map of the command that say the same: one for each stretch of runs."""
    stretches: list[tuple[int, int, str]] = []
    for number, method in chosen.items():
        if stretches and stretches[-1][1] == number - 1 and stretches[-1][2] == method:
            stretches[-1] = (stretches[-1][0], number, method)
        else:
            stretches.append((number, number, method))
    return [f"--map {first}-{last}={method}" for first, last, method in stretches]


def record(
    model: Any, example_inputs: Any = None, *, out: Path, recipe: Any = "xnnpack", partitioner: Any = None, quantizer: Any = None, transform_passes: Any = None,
    calibration: Any = None, dynamic_shapes: Any = None, etrecord: Path | None = None, recordings: int = 3, runs: int = 20, threads: int | None = None, debug_buffer: bool = False,
    on: str = "here", runner: Path | None = None, device: str | None = None, progress: Progress = None, force: bool = False, _named: str | None = None,
    _deciding: list[str] | None = None,
) -> Profile:
    """Exports a model, runs it, and returns the Profile of the folder `out`, which has all files of a record.

    model: a torch.nn.Module, an ExportedProgram, an EdgeProgramManager, an ExecutorchProgramManager, the path of a .pte (then with etrecord=), or a dict of the first two by method.
    example_inputs: the tuple of the model's inputs, or a dict of tuples by method. Exported programs have their own.
    out: the folder to make. One that has a record is refused, unless `force` is given.
    recipe: how the model is lowered: "xnnpack" (32-bit floats), "xnnpack-int8" (static, weights by channel; large depthwise filters stay in
    32-bit floats, which are faster), "xnnpack-8da4w" (activations of 8 bits, weights of 4 in groups of 32),
    "portable" (no backend), or an ExportRecipe of ExecuTorch. partitioner, quantizer: one or a list of them, instead of the recipe's.
    transform_passes: one pass on the Edge program or a list of them, before it is partitioned, as for to_edge_transform_and_lower().
    calibration: a list of tuples that a static quantizer sees; the example inputs, if it is not given. dynamic_shapes: as for torch.export.export; for several methods, by method.
    etrecord: the ETRecord of a .pte, or of a program that was made without one.
    recordings: how many ETDumps, each from a process of its own, because only several can decide a comparison. runs: the inferences of each.
    threads: of the runtime's thread pool; None leaves it as it is. debug_buffer: also logs all values, in a recording of its own: the record `out`/values.
    on: "here", or "adb" for a device, whose `runner` is an executor_runner with event tracing; `device` is its serial number.
    progress: a function that is called with each line about what is done, False for none; by default they go to standard error.

    Raises RecordError, whose `stage` says what failed, and ValueError for arguments that cannot be meant. `out`/record.py is the same by hand.
    """
    _check(recipe, on, runner, recordings, runs, threads, debug_buffer)
    teller, was_there = _Teller(progress), os.path.isdir(os.fsdecode(out))
    folder = _prepare_folder(out, force)
    with _unfinished(folder, was_there):
        return _record(
            model, example_inputs, folder, teller, recipe=recipe, partitioner=partitioner, quantizer=quantizer, transform_passes=transform_passes, calibration=calibration,
            dynamic_shapes=dynamic_shapes, etrecord=etrecord, recordings=recordings, runs=runs, threads=threads, debug_buffer=debug_buffer, on=on, runner=runner, device=device, named=_named, deciding=_deciding,
        )


def read_inputs(path: Path) -> dict[str, list[Any]]:
    """Returns the inputs of each method, as a list of values, from the `inputs.safetensors` of a folder that record() made."""
    from . import _record_inputs

    return _record_inputs.read(path)


def _record(
    model: Any, example_inputs: Any, folder: pathlib.Path, teller: _Teller, *, recipe: Any, partitioner: Any, quantizer: Any, transform_passes: Any, calibration: Any,
    dynamic_shapes: Any, etrecord: Path | None, recordings: int, runs: int, threads: int | None, debug_buffer: bool, on: str, runner: Path | None, device: str | None, named: str | None,
    deciding: list[str] | None,
) -> Profile:
    """Fills the folder of record(), which checked the arguments."""
    teller.say("importing torch and ExecuTorch")
    with _quiet():
        try:
            from . import _record_export
        except ImportError as error:
            raise RecordError("import", f'record() needs torch and executorch: pip install ".[record]" in the sources of etrecord-tb; executorch alone brings no torch ({error})') from error
        made = _record_export.make(
            model, example_inputs, folder, recipe=recipe, partitioner=partitioner, quantizer=quantizer, transform_passes=transform_passes, calibration=calibration,
            dynamic_shapes=dynamic_shapes, etrecord=etrecord, say=teller.say,
        )
    facts: dict[str, Any] = {"threads": threads, "host": platform.node(), "machine": platform.machine(), "system": platform.platform(), "processor": _processor(), "instructions": _instructions(), "cores": os.cpu_count()}
    buffer_size, by_hand = 0, None
    if on == "adb":
        commands = _device_commands(folder, runner or "", device, runs, threads, made.methods)
        _record_on_device(folder, commands, recordings, teller)
        facts, by_hand = {"threads": threads, **_device_facts(device)}, _by_hand_on_device(commands, device, recordings)
    else:
        spec = {"program": os.fspath(folder / "model.pte"), "inputs": os.fspath(folder / "inputs.safetensors"), "runs": runs, "threads": threads}
        for number in range(1, recordings + 1):
            teller.say(f"recording {number} of {recordings}: {runs} runs of {', '.join(made.methods)}")
            said = _checked_run({**spec, "etdump": os.fspath(folder / f"etdump-{number}.etdp")})
        facts["threads"] = said["threads"]
        if debug_buffer:
            teller.say("logging the values of one run")
            buffer_size = _record_values(folder, spec)
    (folder / "record.json").write_text(json.dumps({
        "made_by": "etrecord_tb.record", "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "methods": made.methods, "recipe": made.recipe, "calibration": made.calibration,
        "recordings": recordings, "runs": runs, **made.versions, **facts, "commit": _commit(),
    }, indent=2) + "\n")
    (folder / "record.py").write_text(made.by_hand(named, recordings, runs, threads, buffer_size, by_hand))
    profile = _opened(folder, made.methods, recordings if on == "adb" else 0, runs, teller, deciding)
    teller.say(f"{folder}: done; record.py there is the same by hand")
    return profile


# ---- From a terminal ----


def _factory(named: str) -> Any:
    """Imports MODULE:FACTORY. Its folder, or the working directory, is searched last: the user named this module to be run."""
    module, separator, name = named.rpartition(":")
    if not separator or not module or not name:
        raise ValueError(f"{named}: give MODULE:FACTORY, such as model.py:make or package.model:make")
    if module.endswith(".py"):
        path = pathlib.Path(module)
        if not path.is_file():
            raise ValueError(f"{module}: there is no such file")
        sys.path.append(os.fspath(path.resolve().parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None  # of a name that ends in .py
        found = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = found
        spec.loader.exec_module(found)
    else:
        sys.path.append(os.getcwd())
        found = importlib.import_module(module)
    factory = getattr(found, name, None)
    if not callable(factory):
        raise ValueError(f"{named}: {module} has no function {name}")
    return factory


def _call_factory(named: str) -> tuple[Any, Any, dict[str, Any]]:
    """Returns the model, its inputs, and what else the factory gives record(): a dict, as the third of what it returns."""
    with _quiet():
        try:
            given = _factory(named)()
        except ValueError:
            raise
        except Exception as error:
            raise RecordError("import", f"{named} failed: {type(error).__name__}: {error}") from error
    if not isinstance(given, tuple) or len(given) not in (2, 3):
        raise ValueError(f"{named} must return (model, example_inputs), or these and a dict of further arguments of record()")
    more: Mapping[str, Any] = given[2] if len(given) == 3 else {}
    return given[0], given[1], dict(more)


def ignored_path(error: BaseException) -> str:
    """Returns what to add to an error's text: that PYTHONPATH is ignored, if it is set, this Python is isolated, and something could not be imported."""
    is_ignored = sys.flags.ignore_environment and bool(os.environ.get("PYTHONPATH")) and isinstance(error.__cause__ or error, ImportError)
    return f" (PYTHONPATH is ignored; install it into the environment of {sys.executable})" if is_ignored else ""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="etrecord-tb record", allow_abbrev=False)
    parser.add_argument("factory", metavar="MODULE:FACTORY")
    parser.add_argument("--output", "-o", required=True, metavar="DIR")
    parser.add_argument("--recipe", choices=RECIPES, default="xnnpack")
    for name in ("repeat", "inferences", "threads"):
        parser.add_argument(f"--{name}", type=int, metavar="N", default={"repeat": 3, "inferences": 20}.get(name))
    parser.add_argument("--on", choices=("here", "adb"), default="here")
    parser.add_argument("--runner", metavar="FILE")
    parser.add_argument("--device", metavar="SERIAL")
    for name in ("debug-buffer", "force"):
        parser.add_argument(f"--{name}", action="store_true")
    wanted = parser.parse_args(arguments)
    deciding: list[str] = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no part of a record is left
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what a model prints is for people; the last line is a command
            _check(wanted.recipe, wanted.on, wanted.runner, wanted.repeat, wanted.inferences, wanted.threads, wanted.debug_buffer)
            model, inputs, more = _call_factory(wanted.factory)
            options: dict[str, Any] = {"recipe": wanted.recipe, **more}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the command that reads the record says what is missing in it
                record(
                    model, inputs, out=wanted.output, recordings=wanted.repeat, runs=wanted.inferences, threads=wanted.threads, debug_buffer=wanted.debug_buffer, on=wanted.on,
                    runner=wanted.runner, device=wanted.device, force=wanted.force, _named=wanted.factory, _deciding=deciding, **options,
                ).close()
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # whatever torch raises about a model
        text = " ".join(str(error).split())[:1200]
        print(f"etrecord-tb: {text if isinstance(error, (ValueError, OSError)) else f'{type(error).__name__}: {text}'}{ignored_path(error)}", file=sys.stderr)
        return 1
    print(" ".join(["etrecord-tb summary", shlex.quote(wanted.output), *deciding]))
    return 0
