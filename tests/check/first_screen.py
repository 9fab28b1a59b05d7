"""python first_screen.py ETRECORD_TB FIXTURES: the sentence that says where the time goes, and the rows that add up to it.

For every fixture the rows are compared with the other members of `summary`, which other code makes, and with what a report and TensorBoard's text page have; for
those of the table the sentence must say what an expert would say first.
"""
import json
import math
import os
import re
import pathlib
import subprocess
import sys
import tempfile

from report_documents import whole_document

LINES, NARROW_LINES, WIDEST, NARROW = 32, 36, 100, 80  # of a screen, and columns
LONGEST = 100  # of the sentence without the time: one line of a terminal
SENTENCES = {
    "mv2_portable": r"^9\d % is 52 float32 convolutions on the CPU\.$",
    "mv2_xnnpack": r"^\d\d % is 52 float32 convolutions in XNNPACK; \d\d – \d\d % goes into calling XNNPACK",
    "vit_xnnpack": r"^\d\d – \d\d % goes into calling XNNPACK 86 times; \d\d % is 231 CPU kernels between its 86 delegates\.$",
    "llama_xnnpack": r"^\d\d – \d\d % goes into calling XNNPACK 82 times, not into computing",
    "b_ethosu": r"^8\d % is computing in Ethos-U\.$",
    "b_qnn": r"^\d\d % is waiting in QNN; \d\d % is computing in QNN, outside its operators\.$",
    "add_mul": r"^\d\d % is the runtime, outside operators",
}

TEXT_PAGES = ("twin_methods", "mv2_xnnpack", "b_qnn")


def summary_of(tool, path):
    done = subprocess.run([tool, "summary", path, "--format", "json"], capture_output=True, text=True)
    return json.loads(done.stdout)["methods"] if done.returncode == 0 else []


def check_groups(where, method):
    """The rows and the parts are sums of the same slices, in two pieces of code."""
    groups, execute = method["groups"], sum(part["typical"] for part in method["parts"])
    of = {}
    for group in groups:
        key = group["part"], group["backend"] if group["part"] != "operators" else None
        of[key] = of.get(key, 0) + group["typical"] + (group["interrupted"] if group["part"] != "interruptions" else 0)
        assert group["min"] <= group["max"] + 1e-12, (where, group)
        assert group["filter"] is None or group["part"] == "operators", (where, group)
        assert group["pattern"] is not None or group["part"] != "operators", (where, group)
    total = sum(group["typical"] for group in groups)
    assert math.isclose(total, execute, rel_tol=1e-9, abs_tol=1e-9), f"{where}: rows {total}, parts {execute}"
    for part in method["parts"]:
        if part["part"] in ("operators", "inserted", "opaque_delegates", "call_overhead", "runtime"):
            found = of.get((part["part"], part["backend"] if part["part"] != "operators" else None), 0)
            assert math.isclose(found, part["typical"], rel_tol=1e-9, abs_tol=1e-9), (where, part, found)
    counted = sum(group["count"] for group in groups if group["part"] == "operators")
    by_op = sum(row["count"] for row in method["by_op"]) if any(group["pattern"] is not None for group in groups) else 0
    assert counted == by_op, f"{where}: {counted} operators in rows, {by_op} in by_op"
    interrupted = sum(group["interrupted"] for group in groups)
    row = sum(group["typical"] for group in groups if group["part"] == "interruptions")
    assert math.isclose(interrupted, row, rel_tol=1e-9, abs_tol=1e-9), (where, interrupted, row)
    assert math.isclose(interrupted / total, method["answer"]["interrupted"], abs_tol=1e-6), (where, interrupted, method["answer"])
    assert math.isclose(total - interrupted, method["answer"]["usual"], rel_tol=1e-9), (where, method["answer"])
    assert interrupted == 0 or interrupted >= 0.1 * total, (where, interrupted)
    assert [group["typical"] for group in groups] == sorted((group["typical"] for group in groups), reverse=True), where


def check_answer(where, method):
    text, parts = method["answer"]["text"], method["answer"]["parts"]
    time, _, sentence = text.partition(" per inference. ")
    assert re.match(r"^[\d.,]+( or [\d.,]+)? (us|ms|s|cycles)( ± [\d.,]+)?$", time), (where, text)
    assert len(sentence) <= LONGEST, f"{where}: {len(sentence)} characters: {sentence}"
    assert 1 <= len(parts) <= 2 and all(0 <= part["low"] <= part["high"] <= 1 for part in parts), (where, parts)
    assert len(parts) == 1 or sum(part["low"] for part in parts) <= 1 + 1e-9, (where, parts)
    assert len(parts) == 1 or parts[1]["high"] >= 0.1, (where, parts)
    for part in parts:  # the share is the rows'
        rows = [group for group in method["groups"] if group["backend"] == part["backend"]]
        if part["kind"] == "calls":
            rows = [group for group in rows if group["part"] == "call_overhead"]
        elif part["kind"] == "operators":
            rows = [group for group in rows if group["part"].startswith("operators") and group["dtype"] == part["dtype"]]
        else:
            continue
        assert part["high"] <= sum(group["share"] for group in rows) + 1e-9, (where, part)
        assert part["kind"] != "calls" or math.isclose(part["high"], sum(group["share"] for group in rows), rel_tol=1e-9), (where, part)


def check_shares(where, lines):
    """Each share of the sentence is that of a row, to the digit."""
    table = next((at for at, line in enumerate(lines) if line.startswith("where the time goes")), None)
    sentence = next((line for line in lines[:4] if re.match(r"^(up to )?<?[\d.]+( – \d+)? % (is|goes)", line)), None)
    if table is None or sentence is None:
        return
    rows = [share.replace("≤", "up to ").replace("–", " – ") for line in lines[table + 1:] for share in re.findall(r"[≤<]?[\d.]+(?:–\d+)? %", line)[:1]]
    for share in re.findall(r"(?:^|; )((?:up to )?<?[\d.]+(?: – \d+)? %)", sentence):
        assert share in rows, f"{where}: {share} of the sentence in no row: {sentence} {rows}"


def check_screen(where, tool, path):
    """A screen of 32 lines, in which no sentence is cut; a narrow one may be longer."""
    for width, most in ((WIDEST, LINES), (NARROW, NARROW_LINES)):
        done = subprocess.run([tool, "summary", path, "--width", str(width)], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        assert len(lines) <= most, f"{where}: {len(lines)} lines of {width} columns"
        cut = [line for line in lines if line.endswith("…")]
        assert not cut, f"{where}: {cut}"
        # Names of records, methods and files are longer than some lines.
        long = [line for line in lines if len(line) > width and " " in line.strip()]
        assert not long, f"{where}: {long}"
        check_shares(where, lines)


def shown_of(method, parts):
    """What all outputs have of a method: the sentence, the rows, the parts and the titles of findings, without times, whose unit may differ."""
    execute = method["execute"]["typical"]
    rows = [[group[key] for key in ("part", "pattern", "op", "dtype", "backend", "count")] + [f"{group['share']:.6f}"] for group in method["groups"]]
    said = [[part["part"], part["backend"], f"{part['typical'] / execute:.6f}" if execute else ""] for part in method[parts]]
    return method["answer"] and method["answer"]["text"], rows, sorted(said, key=str), [found["title"] for found in method["findings"]]


def check_report(where, tool, path, methods):
    """A report says of each method what `summary` says, also where only `summary` has a graph."""
    html = subprocess.run([tool, "report", path, "-o", "-"], capture_output=True, text=True).stdout
    found = [method for method in whole_document(html)["methods"] if method["runs"]] if html else []
    for method, page in zip([method for method in methods if method["runs"]], found, strict=True):
        for what, one, other in zip(("sentence", "rows", "parts", "findings"), shown_of(method, "parts"), shown_of(page, "balance"), strict=True):
            assert one == other, f"{where}, {method['method']}: {what}: {one} in summary, {other} in a report"
        assert "'filter'" not in str(page["groups"]), f"{where}: filters of nodes in a report"


def check_text_page(where, tool, path, methods):
    """TensorBoard's page of text has the sentence of the method that takes longest."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tool, "write", path, "--logdir", folder], capture_output=True)
        written = b"".join(file.read_bytes() for file in sorted(pathlib.Path(folder).rglob("*tfevents*")))
    page = re.sub(rb"\*\*|\\\\", b"", written).decode(errors="replace")
    sentences = [method["answer"]["text"].partition(" per inference. ")[2] for method in methods if method["runs"]]
    assert any(re.sub(r"\\", "", sentence) in page for sentence in sentences), f"{where}: none of {sentences} in the text page"


def main():
    tool, fixtures = sys.argv[1:]
    wrong, seen = [], 0
    for name in sorted(os.listdir(fixtures)):
        path = os.path.join(fixtures, name)
        try:
            check_screen(name, tool, path) if os.path.isdir(path) else None
        except AssertionError as error:
            wrong.append(str(error))
        dump = os.path.join(path, "etdump.etdp")
        # Kernels of a dump alone have the longest names.
        cut = [found["title"] for method in summary_of(tool, dump) for found in method["findings"] if found["title"].endswith("...")] if os.path.exists(dump) else []
        wrong += [f"{name}, its dump alone: the title {title} is cut" for title in cut]
        methods = summary_of(tool, path) if os.path.isdir(path) else []
        try:
            check_report(name, tool, path, methods)
            if name in TEXT_PAGES:
                check_text_page(name, tool, path, methods)
        except AssertionError as error:
            wrong.append(str(error))
        for method in methods:
            if not method["runs"]:
                continue
            seen += 1
            try:
                check_groups(name, method)
                check_answer(name, method)
                sentence = method["answer"]["text"].partition(" per inference. ")[2]
                assert re.search(SENTENCES.get(name, ""), sentence), f"{name}: {sentence}"
            except AssertionError as error:
                wrong.append(str(error))
    if wrong or seen < 40:
        sys.exit("\n".join(wrong) or f"only {seen} methods")
    print(f"{seen} methods: rows add up, and sentences are of them")


if __name__ == "__main__":
    main()
