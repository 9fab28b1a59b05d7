#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rules of the layout: structure.py LIBRARY COMPILER.

Layers include downwards only, foreign headers stay behind one file, files are short, public headers compile alone, the library exports what they declare.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
LAYERS = {
    0: "base arena file",
    1: "archive element json json_text flatbuf",
    2: "numeric_gap pickle torch_archive "
       "record program signature metadata tensor_meta maps dump dump_values pte tensor_data xnnpack",
    3: "value_gaps reference "
       "blocks methods operator stats join debug_data delegates align carriers attribute pte_graph profile input "
       "noise pairing compare_change compare_side compare",
    4: "logged output_gaps "
       "out_file "
       "unit writer json_writer fields table label file_name node_filter scope scope_label scope_bucket scope_tree breakdown delegation balance diff_rows crc32c tfrecord packed pieces "
       "loads findings finding_rules finding_graph finding_events "
       "plain_text web_files "
       "module_tree summary "
       "source_file source_lines",
    5: "gap_output "
       "model_explorer "
       "trace trace_place gzip "
       "values_table "
       "tb_text tb_names tb_view tb_graph tb_stats tb_summary tb_scalars tb_curves tb_histogram tb_hparams tb_page tb_blob tb_event heat dot_choice dot_plan dot_text dot_label dot_legend dot nodes_json nodes_table events_json "
       "events_table summary_json summary_tables delegation_output diff_cells diff_tables diff_markdown diff_json info_json info_tables profile_doc profile_operators profile_timeline profile_json report logdir "
       "summary_report summary_lists summary_rows "
       "source_json source_tables",
    6: "main option option_table nearest help man_page completion manual message command command_names cmd_write dump_name cmd_info cmd_nodes cmd_events cmd_summary cmd_delegation cmd_diff cmd_dot cmd_export cmd_trace layout cmd_report cmd_help "
       "cmd_source",
}
LAYER_OF = {name: layer for layer, names in LAYERS.items() for name in names.split()}
PUBLIC = {"etrecord": 0, "etrecord_compare": 0, "etrecord_tb": 4}
HEADERS = ("lib/etrecord.h", "lib/etrecord_compare.h", "plugin/etrecord_tb.h")
ONLY_IN = {"zip.h": {"archive"}, "graphviz/cgraph.h": {"dot"}, "zlib.h": {"gzip"}}
LONGEST_FILE = 600


def sources():
    return sorted(p for folder in ("lib", "plugin") for p in (ROOT / folder).glob("*.[ch]"))


def include_faults():
    for path in sources():
        text = path.read_text()
        if path.stem not in LAYER_OF and path.stem not in PUBLIC:
            yield f"{path.name} is in no layer"
            continue
        layer = LAYER_OF.get(path.stem, PUBLIC.get(path.stem))
        for included in re.findall(r'#include "([\w./-]+)\.h"', text):
            if included == "tensorboard.pb-c":
                if not path.stem.startswith("tb_") and path.stem != "pieces":
                    yield f"{path.name} includes protobuf messages"
                continue
            other = LAYER_OF.get(included, PUBLIC.get(included, 99))
            if other > layer:
                yield f"{path.name} (layer {layer}) includes {included}.h (layer {other})"
            if layer == 6 and other not in (6, *PUBLIC.values()) or layer == 6 and other < 6 and included not in PUBLIC:
                yield f"{path.name}: the command includes {included}.h, which is not public"
        for foreign, allowed in ONLY_IN.items():
            if f"<{foreign}>" in text and path.stem not in allowed:
                yield f"{path.name} includes <{foreign}>"
        if text.count("\n") > LONGEST_FILE:
            yield f"{path.name} has {text.count(chr(10))} lines"


def declared():
    return {name for header in HEADERS for name in re.findall(r"ETR_API (?!__)[^;(]*?(\w+)\(", (ROOT / header).read_text())}


def export_faults(library):
    exported = {line.split()[-1] for line in subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()}
    exported -= {name for name in exported if name.startswith("__")}  # a sanitizer's own
    yield from (f"{name} is declared and not exported" for name in sorted(declared() - exported))
    yield from (f"{name} is exported and not declared" for name in sorted(exported - declared()))


def header_faults(compiler):
    with tempfile.TemporaryDirectory() as folder:
        for header in (pathlib.PurePath(path).name for path in HEADERS):
            for language, name in (("c11", "c"), ("c++17", "c++")):
                source = pathlib.Path(folder) / "alone.c"
                source.write_text(f"#include <{header}>\nint main(void) {{ return 0; }}\n")
                done = subprocess.run([compiler, "-x", name, f"-std={language}", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", f"-I{ROOT / 'lib'}",
                                       f"-I{ROOT / 'plugin'}", source], capture_output=True, text=True)
                if done.returncode:
                    yield f"{header} alone as {language}: {done.stderr}"


def main():
    rules = {"includes": include_faults(), "exports": export_faults(sys.argv[1]), "headers": header_faults(sys.argv[2])}
    faults = {rule: list(found) for rule, found in rules.items()}
    for rule, found in faults.items():
        print(f"{'OFF' if found else 'ok '} {rule}", *found, sep="\n  ")
    bad = sum(bool(found) for found in faults.values())
    print(f"{len(faults) - bad} passed, {bad} failed")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
