#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Help, manual pages, completions and README tell the same: run.py PROGRAM FOLDER_OF_PAGES. README.md tells more."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM, MANUAL = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])

# The words before the cursor, the last one unfinished; what must be offered, and what must not.
COMPLETIONS = [
    (["su"], ["summary"], ["nodes", "there.etdp"]),
    (["the"], ["there.etdp"], ["summary"]),
    (["summary", ""], ["there.etdp", "folder"], ["nodes"]),
    (["nodes", "--f"], ["--format"], ["--logdir"]),
    (["nodes", "--l"], [], ["--logdir"]),
    (["--l"], ["--logdir"], ["--format"]),
    (["nodes", "--format", "t"], ["text", "tsv"], ["json"]),
    (["nodes", "-f", "m"], ["markdown"], ["text"]),
    (["nodes", "--method", "t"], [], ["there.etdp", "text"]),
    (["--unit", "ms", "no"], ["nodes"], ["there.etdp"]),
    (["--top", "nodes", "su"], ["summary"], ["--format"]),
    (["record", "--form"], [], ["--format"]),
    (["info", "--etdump", "the"], ["there.etdp"], []),
    (["write", "--logdir", "f"], ["folder"], ["file"]),
    (["help", "no"], ["nodes"], ["there.etdp"]),
]


class Fault(Exception):
    pass


class Skipped(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Fault(message)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skipped(f"{program} is not installed")


def run(*arguments, **options):
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)


def section(text, heading):
    """The lines of a section of --help."""
    return re.search(rf"^{heading}:\n((?:  .*\n)+)", text, re.M).group(1)


def commands():
    return re.findall(r"^  (\w+) ", section(run(PROGRAM, "--help").stdout, "commands"), re.M)


def options_of(command):
    """[(name, letter or '')] of a command, as its help has them."""
    text = run(PROGRAM, "help", command).stdout
    text = text[text.index("\nexamples:\n") : text.index("\nexit status:\n")]
    found = re.findall(r"^  (?:-(\w), |    )--([\w-]+)", text, re.M)
    return [(name, letter) for letter, name in found]


def pages():
    return sorted(MANUAL.glob("*.[17]"))


def guides():
    return {path.stem for path in (ROOT / "docs").glob("*.md")} - {"README"}


# ---- What is checked ----

def check_every_command_has_a_page():
    wanted = {"etrecord-tb.1", *(f"etrecord-tb-{name}.1" for name in commands()), *(f"etrecord-tb-{name}.7" for name in guides())}
    expect({page.name for page in pages()} == wanted, [page.name for page in pages()])
    program_page = (MANUAL / "etrecord-tb.1").read_text()
    for name in commands():
        expect(f"etrecord\\-tb\\-{name}" in program_page or f"etrecord\\-tb-{name}" in program_page, f"etrecord-tb(1) has no {name}")


def check_every_option_is_in_page_and_completions():
    scripts = {name: (MANUAL / name).read_text() for name in ("etrecord-tb.bash", "_etrecord-tb", "etrecord-tb.fish")}
    for command in commands():
        page = (MANUAL / f"etrecord-tb-{command}.1").read_text().replace("\\-", "-")
        zsh = re.search(rf"^    \({command}\)\n(.*?);;", scripts["_etrecord-tb"], re.M | re.S).group(1)
        bash = re.search(rf"^      {command}\) _etrecord_tb_words '(.*)'", scripts["etrecord-tb.bash"], re.M).group(1).split()
        fish = [line for line in scripts["etrecord-tb.fish"].splitlines() if re.search(rf"__etrecord_tb_is[^']*\b{command}\b", line)]
        expect(options_of(command), f"{command} has no options")
        for name, letter in options_of(command):
            expect(f"\\fB--{name}\\fR" in page and (not letter or f"\\fB-{letter}\\fR, " in page), f"the page of {command} has no --{name}")
            expect(f"--{name}" in bash and f"--{name}" in zsh, f"bash or zsh has no {command} --{name}")
            expect(any(re.search(rf" -l {name}\b", line) and (not letter or f" -s {letter}" in line) for line in fish), f"fish has no {command} --{name}")
        expect(len(bash) == len(options_of(command)), f"bash offers more for {command} than its help has")


def check_help_fits():
    for arguments in [[], *([name] for name in commands())]:
        text = run(PROGRAM, "help", *arguments).stdout
        expect("\nexamples:\n" in text and "\nexit status:\n  0  done\n" in text, f"help {arguments}: no examples, or no exit status")
        for line in text.splitlines():
            expect(len(line) <= 80, f"help {arguments}: {line}")


def check_short_help_is_one_screen():
    for arguments in [[], *([name] for name in commands())]:
        text = run(PROGRAM, *arguments, "-h").stdout
        lines = text.splitlines()
        expect(len(lines) <= 40 and all(len(line) <= 80 for line in lines), f"{arguments} -h: {len(lines)} lines")
        expect(2 <= text.count("\n  etrecord-tb ") or arguments == ["help"], f"{arguments} -h: fewer than two examples")
        if arguments:
            offered = re.findall(r"^  (?:-\w, |    )--([\w-]+)", text, re.M)
            expect(len(offered) == len(set(offered)) <= 10, f"{arguments} -h: {offered}")
            expect(set(offered) <= {name for name, _ in options_of(arguments[0])}, f"{arguments} -h: {offered}")


def check_examples_are_right_usage():
    """Where none of the files is there an example ends with 1, not with 2 as wrong usage does."""
    for command in commands():
        examples = re.findall(r"^  etrecord-tb (.*)$", section(run(PROGRAM, "help", command).stdout, "examples"), re.M)
        expect(examples, f"{command} has no example")
        for example in examples:
            words = shlex.split(example.split(" > ")[0])
            with tempfile.TemporaryDirectory() as folder:
                done = run(PROGRAM, *words, cwd=folder)
            expect(done.returncode == (0 if words[0] == "help" else 1), f"{example}: {done.returncode}: {done.stderr}")


def check_readme_names_what_there_is():
    text = (ROOT / "README.md").read_text()
    rows = re.findall(r"^\|([^|]*`[^|]*)\|", text.split("what it answers", 1)[1].split("\n\n")[0], re.M)
    listed = re.findall(r"`(\w+)`", " ".join(rows))
    expect(sorted(listed) == sorted(set(commands()) - {"help"}), f"README.md lists {listed}")
    expect(text.count("\n") <= 150, f"README.md has {text.count(chr(10))} lines, more than 150")


def check_exit_statuses_are_in_one_table():
    """That of formats.md has each status of each command's help, and no other."""
    rows = re.findall(r"^\| (\d) \| ([^|]*) \|", (ROOT / "docs/formats.md").read_text(), re.M)
    listed = {(int(status), name) for status, names in rows for name in (commands() if names == "all" else re.findall(r"`(\w+)`", names))}
    helped = {(int(status), name) for name in commands() for status in re.findall(r"^  (\d)  ", section(run(PROGRAM, "help", name).stdout, "exit status"), re.M)}
    expect(listed == helped, f"formats.md and help differ in {sorted(listed ^ helped)}")


def check_documents_name_options_that_there_are():
    for document in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for line in re.findall(r"^(?:\$ )?etrecord-tb (.+)$", document.read_text(), re.M):
            command = next((word for word in line.split() if word in commands()), "write")
            for name in re.findall(r" --([\w-]+)", re.sub("'[^']*'", "", line.split("#")[0].split(" -- ")[0].split("|")[0])):
                expect(name in [option for option, _ in options_of(command)], f"{document.name}: {command} has no --{name}")


def check_documents_name_every_option():
    text = " ".join(document.read_text() for document in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")))
    for command in commands():
        for name, _ in options_of(command):
            expect(name in ("help", "version") or re.search(rf"--{name}(?![\w-])", text), f"no document names {command} --{name}")


def check_lines_of_documents_are_short():
    """At most 120 columns, but for tables, pictures, and what is shown as it is."""
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "tests/README.md", *(ROOT / "packaging").glob("**/*.md"), *(ROOT / "docs").glob("*.md")):
        prose = re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), document.read_text(), flags=re.M | re.S)
        for number, line in enumerate(prose.splitlines(), 1):
            expect(len(line) <= 120 or line.startswith(("|", "![")), f"{document.name}:{number} has {len(line)} columns")


def check_links_of_documents():
    for document in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for link, heading in re.findall(r"\]\(([^)#:]*)(?:#([\w-]+))?\)", document.read_text()):
            target = (document.parent / link).resolve() if link else document
            expect(target.exists(), f"{document.name}: {link} does not exist")
            headings = [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in re.findall(r"^#+ (.+)$", target.read_text(), re.M)] if heading else []
            expect(not heading or heading in headings, f"{document.name}: {link} has no heading {heading}")


def check_pages_with_man():
    need("man")
    for page in pages():
        said = run("man", "--warnings", "-l", page, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}).stderr
        expect(not said, f"{page.name}: {said}")


def check_pages_with_mandoc():
    need("mandoc")
    for page in pages():
        said = run("mandoc", "-Tlint", page).stdout
        expect(not said, f"{page.name}: {said}")


def check_scripts_parse():
    missing = []
    for shell, script in (("bash", "etrecord-tb.bash"), ("zsh", "_etrecord-tb"), ("fish", "etrecord-tb.fish")):
        if not shutil.which(shell):
            missing.append(shell)
            continue
        done = run(shell, "-n", MANUAL / script)
        expect(done.returncode == 0 and not done.stderr, f"{script}: {done.stderr}")
    if missing:
        raise Skipped(f"{' and '.join(missing)} not installed")


def check_completions(offers):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "there.etdp").touch()
        (pathlib.Path(folder) / "file").touch()
        (pathlib.Path(folder) / "folder").mkdir()
        for words, offered, not_offered in COMPLETIONS:
            found = [word.rstrip("/") for word in offers(words, folder)]
            expect(set(offered) <= set(found), f"{words}: {found} instead of {offered}")
            expect(not set(not_offered) & set(found), f"{words}: {found}")


def check_bash_completes():
    need("bash")
    offers = lambda words, folder: run("bash", HERE / "complete.bash", MANUAL / "etrecord-tb.bash", "etrecord-tb", *words, cwd=folder).stdout.splitlines()
    check_completions(offers)
    for words, offered in ((["nodes", "--format", "=", "js"], ["json", "jsonl"]), (["nodes", "--format", "="], ["text", "json", "csv", "tsv", "markdown", "jsonl", "parquet", "arrow"]),
                           (["--unit", "=", "ms", "summ"], ["summary"])):
        expect(offers(words, HERE) == offered, f"{words}: {offers(words, HERE)}")


def check_fish_completes():
    need("fish")
    check_completions(lambda words, folder: run("fish", HERE / "complete.fish", MANUAL / "etrecord-tb.fish", " ".join(["etrecord-tb", *words]), cwd=folder).stdout.splitlines())


def main():
    checks = {name: check for name, check in globals().items() if name.startswith("check_") and check is not check_completions}
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name, check in checks.items():
        outcome, why = "passed", ""
        try:
            check()
        except Fault as fault:
            outcome, why = "failed", f": {fault}"
        except Skipped as skipped:
            outcome, why = "failed" if os.environ.get("CI") == "true" else "skipped", f": {skipped}"
        counts[outcome] += 1
        print(f"{outcome} {name.removeprefix('check_')}{why}")
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    sys.exit(counts["failed"] > 0)


if __name__ == "__main__":
    main()
