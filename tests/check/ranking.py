# SPDX-License-Identifier: BSD-3-Clause
"""Are lists ranked by the statistic that --stat names, and are their shares what they say they are of?  ranking.py BINARY FIXTURES..."""

import csv
import io
import math
import subprocess

from common import Score, main, run

TOLERANCE = 1e-9
LISTS = ("by_op", "by_module", "by_backend", "by_source")
PHASES = ("copy_in", "compute", "wait", "copy_out", "other")


def rows_of(binary, *args):
    done = subprocess.run([binary, *args, "--format", "csv"], capture_output=True, timeout=60, text=True, check=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def descends(values):
    return all(a >= b - TOLERANCE for a, b in zip(values, values[1:]))


def number(text):
    return float(text) if text else 0.0


def has_shares(rows, whole):
    """rows: (time, share)."""
    return all(math.isclose(share or 0, time / whole if whole else 0, rel_tol=1e-4, abs_tol=2e-6) for time, share in rows)


def check_lists(stat, method, lists):
    """Lists of a document: by_op, ... of a summary, lines of a source file."""
    whole = method["execute"]["avg" if stat == "avg" else "typical"]
    for name, rows in lists.items():
        times = [row[stat] or 0 for row in rows]
        if name != "by_module" and not descends(times):  # modules stand as a tree
            yield f"{name} is not ranked by {stat}"
        of = sum(times) if stat == "p50" else whole
        if not has_shares([(time, row["share"]) for time, row in zip(times, rows)], of):
            yield f"shares of {name} are not of {of}"


def check_modules(stat, method):
    rows = method["by_module"]
    own = sum((row[stat] or 0) for row in rows[:1])
    whole = own + sum(row["with_children"][stat] for row in rows if row["level"] == 1) if stat == "p50" else method["execute"][stat]
    if not has_shares([(row["with_children"][stat], row["with_children"]["share"]) for row in rows], whole):
        yield "shares of modules with all in them"
    for i, parent in enumerate(rows):
        inside = [row for row in rows[i + 1:] if row["level"] > parent["level"]]
        end = next((k for k, row in enumerate(rows[i + 1:]) if row["level"] <= parent["level"]), len(rows))
        children = [row["with_children"][stat] for row in rows[i + 1:i + 1 + end] if row["level"] == parent["level"] + 1]
        if inside and not descends(children):
            yield f"modules in {parent['module']!r} are not ranked by {stat}"


def check_summary(binary, folder, stat):
    said, error = run(binary, "summary", folder, "--stat", stat)
    if said is None:
        yield error
        return
    if said["stat"] != stat:
        yield f"stat is {said['stat']}"
    for method in said["methods"]:
        if method["runs"]:
            yield from check_lists(stat, method, {name: method[name] for name in LISTS})
            yield from check_modules(stat, method)
        for key in ("avg", "typical") if method["runs"] and method["parts"] else ():
            if not math.isclose(sum(part[key] for part in method["parts"]), method["execute"][key] or 0, rel_tol=1e-9):
                yield f"the parts do not add up to the {key} of Method::execute"


def check_source(binary, folder, stat):
    said, error = run(binary, "source", folder, "--stat", stat)
    for method in said["methods"] if said else []:
        files = method["files"]
        if not descends([file[stat] or 0 for file in files]):
            yield f"files are not ranked by {stat}"
        of = sum(file["p50"] or 0 for file in files) if stat == "p50" else None
        if of is not None and not has_shares([(file["p50"] or 0, file["share"]) for file in files], of):
            yield "shares of files"
        lines = [line for file in files for line in file["lines"]]
        of = sum(line["p50"] or 0 for line in lines)
        if stat == "p50" and not has_shares([(line["p50"] or 0, line["share"]) for line in lines], of):
            yield "shares of lines"


def check_tables(binary, folder, stat):
    nodes = rows_of(binary, "nodes", folder, "--stat", stat)
    timed = [row for row in nodes if row[stat]]
    if not descends([number(row[stat]) for row in timed]):
        yield f"nodes are not ranked by {stat}"
    for graph in {row["graph"] for row in timed} if stat == "p50" else ():
        of = [(number(row[stat]), number(row["share"])) for row in timed if row["graph"] == graph]
        if not has_shares(of, sum(time for time, _ in of)):
            yield "shares of nodes"
    delegation = rows_of(binary, "delegation", folder, "--stat", stat)
    for method in {row["method"] for row in delegation}:
        if not descends([number(row[stat]) for row in delegation if row["method"] == method and row[stat]]):
            yield f"delegation is not ranked by {stat}"


def check_delegates(binary, folder, stat):
    """Medians do not add up: with them, delegates have the typical run's times."""
    said, error = run(binary, "delegation", folder, "--stat", stat)
    summary, _ = run(binary, "summary", folder)
    if said is None:
        yield error
        return
    units = {(method["method"], unit["compute_unit"]): unit["avg" if stat == "avg" else "typical"]
             for method in summary["methods"] for unit in method["compute_units"]}
    for method in said["methods"]:
        timed = [delegate for delegate in method["delegates"] if delegate["call"] is not None]
        for delegate in timed:
            parts = [delegate[key] for key in ("on_nodes", "off_nodes", *PHASES)]
            if not math.isclose(sum(parts), delegate["call"], rel_tol=1e-9, abs_tol=1e-12):
                yield f"delegate {delegate['instruction']}: {parts} do not add up to {delegate['call']}"
            if stat != "avg" and delegate["call"] != delegate["typical"]:
                yield f"delegate {delegate['instruction']} is not in the typical run"
        for unit in ("npu", "gpu", "cpu"):
            if not math.isclose(sum(delegate[unit] for delegate in timed), units.get((method["method"], unit), 0), rel_tol=1e-9, abs_tol=1e-12):
                yield f"{unit} of delegates is not the {stat} time of the summary"


def check(binary, folder, _truth):
    score = Score(folder)
    for stat in ("typical", "avg", "p50"):
        for part in (check_summary, check_source, check_tables, check_delegates):
            score.equal(list(part(binary, folder, stat)), [], f"--stat {stat}: {part.__name__}")
    return score.done()


if __name__ == "__main__":
    main(check)
