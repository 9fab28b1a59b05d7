#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what mirrors the fields in C: generate.py PRINT_FIELDS [--check]

PRINT_FIELDS prints the lists of fields (etr_row_type in plugin/output/table.h) and the words of enumerations. From these, and from definitions.json, come

- `$defs` in schema/*.schema.json: of each definition that the schema refers to, in a list of rows or with `_columns` behind its name for the dashboard's document;
- the fields of the dataclasses in web/python/etrecord_tb/model.py: their order and defaults stay, what is new comes last; and what their docstrings say of them;
- schema/columns.md;
- web/src/base/descriptions.js: what the page says of columns that it shows as they are in the document.

--check writes nothing and fails if anything would change.
"""
import json
import pathlib
import re
import subprocess
import sys
import textwrap

FOLDER = pathlib.Path(__file__).resolve().parent
MODEL = FOLDER.parent / "web" / "python" / "etrecord_tb" / "model.py"
DESCRIPTIONS = FOLDER.parent / "web" / "src" / "base" / "descriptions.js"
WIDTH = 150

# The rows and columns whose descriptions the page shows.
DESCRIBED = {"node": "calls macs bytes gflops gbs intensity".split(), "document_accuracy": "drop_db local_snr_db steps_off input".split()}

KINDS = {
    "text": {"type": "string"}, "word": {"type": "string"}, "unit": {"type": "string"}, "flag": {"type": "boolean"}, "whole": {"type": "integer", "minimum": 0},
    "amount": {"type": "integer", "minimum": 0}, "time": {"type": "number"}, "share": {"type": "number"}, "number": {"type": "number"}, "rate": {"type": "number"},
}
# The dashboard's document has columns instead of rows, and numbers of its list of texts.
WHOLE_OR_NONE = {"type": "integer", "minimum": -1, "description": "-1: none"}
TEXT_INDEX = {"type": "integer", "minimum": -1, "description": "index into texts, -1 for none"}
COLUMN_NUMBER = {"type": ["number", "null"]}
COLUMNS = {"text_column": {"type": ["string", "null"]}, "text_index_column": {"$ref": "#/$defs/text_index"}, "flag_column": {"enum": [0, 1]}, "whole_column": {"$ref": "#/$defs/whole_or_none"},
           "number_column": COLUMN_NUMBER}
COLUMN_KINDS = {"text": "text_index_column", "word": "text_index_column", "flag": "flag_column", "whole": "whole_column"}
COUNT = {"count": {"type": "integer", "minimum": 0, "description": "the number of rows"}}

# The dataclasses, and the objects in schemas that they are made of.
CLASSES = {
    "Value": "nodes graphs nodes outputs", "Source": "nodes graphs nodes source", "LoggedValue": "nodes graphs nodes values|events blocks events values",
    "Node": "nodes graphs nodes", "Graph": "nodes graphs", "Event": "events blocks events", "EventBlock": "events blocks", "Statistics": "summary methods execute",
    "FirstRun": "summary methods first_run", "Noise": "summary methods noise", "RunPhase": "summary methods phases_of_runs", "MethodSummary": "summary methods",
    "SourceLine": "source methods files lines", "SourceFile": "source methods files", "MethodSource": "source methods", "OperatorDelegation": "delegation methods operators",
    "Delegate": "delegation methods delegates", "MethodDelegation": "delegation methods", "PlannedTensor": "memory methods plan tensors",
    "PlannedBuffer": "memory methods plan buffers", "MemoryPeak": "memory methods plan peak", "MemoryPlan": "memory methods plan",
    "MemoryFinding": "memory methods findings", "MethodMemory": "memory methods", "Change": "diff methods execute",
    "NodeChange": "diff methods nodes", "AccuracyMeasures": "accuracy values local", "ValueAccuracy": "accuracy values", "LoadChange": "diff load", "MethodDiff": "diff methods",
    "Throughput": "summary methods throughput",
    "OddRecording": "summary methods odd_recordings",
    "OperatorFilter": "summary methods groups filter",
    "LayerKind": "summary methods layer_kinds",
    "CacheBuffer": "summary methods kv_cache by_layer",
    "KvCache": "summary methods kv_cache",
    "Part": "summary methods parts",
    "AnswerPart": "summary methods answer parts",
    "Answer": "summary methods answer",
    "Group": "summary methods groups",
    "DelegatePhase": "summary methods phases",
    "ComputeUnitTime": "summary methods compute_units",
    "OperatorSum": "summary methods by_op",
    "ModuleWithChildren": "summary methods by_module with_children",
    "ModuleSum": "summary methods by_module",
    "PatternWithChildren": "summary methods by_pattern with_children",
    "PatternSum": "summary methods by_pattern",
    "BackendSum": "summary methods by_backend",
    "SourceSum": "summary methods by_source",
    "KernelSum": "summary methods by_kernel",
    "Savings": "summary methods findings saves",
    "CodeChange": "summary methods findings code",
    "Finding": "summary methods findings",
    "OutputGap": "summary methods output_gaps",
    "AccuracyHead": "summary methods accuracy",
    "SourcePattern": "source methods files lines patterns",
    "DelegateModule": "delegation methods delegates modules",
    "DelegateOperator": "delegation methods delegates op_types",
    "PlanInstructions": "memory methods plan instructions",
    "BoundaryTensor": "memory methods plan inputs_and_outputs",
    "DelegateBlob": "memory methods plan delegates",
    "Weight": "memory methods weights",
    "WeightSum": "memory methods weight_sums",
    "MissingWeight": "memory methods not_in_program",
    "OddRecordingOfSide": "compare records methods odd_recordings|diff methods execute odd_recordings|diff methods nodes odd_recordings|diff load odd_recordings|diff methods by_op odd_recordings|diff methods by_module with_children odd_recordings|diff methods by_module odd_recordings|diff methods by_pattern odd_recordings|diff methods by_backend odd_recordings|diff methods by_source odd_recordings|diff methods by_kernel odd_recordings|diff methods by_pattern_op odd_recordings",
    "TapStatistic": "accuracy values statistics",
    "SideFacts": "diff methods base|diff methods new",
    "Difference": "diff methods differences",
    "ThroughputChange": "diff methods throughput",
    "PartChange": "diff methods parts",
    "GroupChange": "diff methods by_module with_children",
    "OperatorChange": "diff methods by_op",
    "ModuleChange": "diff methods by_module",
    "PatternChange": "diff methods by_pattern",
    "BackendChange": "diff methods by_backend",
    "SourceChange": "diff methods by_source",
    "KernelChange": "diff methods by_kernel",
    "PatternOperatorChange": "diff methods by_pattern_op",
    "ValueGap": "diff methods numeric_gap",
    "ComparedMethod": "compare records methods",
    "ComparedRecord": "compare records",
    "ComparedRow": "compare rows",
}

# Fields whose objects another schema describes, to which their own only refers.
ELSEWHERE = {("MethodDiff", "findings"): "list[Finding]"}


# ---- Definitions ----

def with_null(kind):
    if "$ref" in kind:
        return {"anyOf": [kind, {"type": "null"}]}
    return {**kind, "type": [kind["type"], "null"]}


def property_of(field):
    kind = {"$ref": "#/$defs/" + field["type"]} if field["type"] else KINDS[field["kind"]]
    kind = with_null(kind) if field["nullable"] else kind
    return {**kind, "description": field["says"]} if field["says"] else kind


def column_of(field):
    kind = "text_column" if field["type"] == "text" else COLUMN_KINDS.get(field["kind"], "number_column")
    return {"$ref": "#/$defs/" + kind, **({"description": field["says"]} if field["says"] else {})}


def object_of(fields, describe, required):
    made = {"type": "object", "properties": {field["key"]: describe(field) for field in fields if field["key"]}}
    made["required"] = [field["key"] for field in fields if field["key"] and required(field)]
    parts = [{"$ref": "#/$defs/" + field["type"]} for field in fields if field["key"] == "" and field["type"]]
    return {**made, "allOf": parts} if parts else made


def definitions_of(printed):
    """Every definition, by name."""
    found = json.loads((FOLDER / "definitions.json").read_text())
    found.update(text_index=TEXT_INDEX, whole_or_none=WHOLE_OR_NONE)
    for name, items in COLUMNS.items():
        found[name] = {"anyOf": [{"type": "array", "items": items}, items], "description": "an array; one value if all rows have it; missing if no row has a value"}
    for name, words in printed["words"].items():
        found[name] = {"enum": words}
    for name, fields in printed["rows"].items():
        rows = [field for field in fields if field["json"]]
        columns = [field for field in fields if field["key"] and (field["document"] or field["own"])]
        if rows:
            found[name] = object_of(rows, property_of, lambda field: not field["optional"])
        if any(field["document"] for field in columns):
            columns = [field for field in columns if field["document"] or name.startswith("side_")]
            columns = object_of(columns, column_of, lambda field: False)
            found[name + "_columns"] = {**columns, "properties": {**COUNT, **columns["properties"]}, "required": ["count"]}
    return found


def names_in(part):
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"].rsplit("/", 1)[1]
        for value in part.values():
            yield from names_in(value)
    elif isinstance(part, list):
        for value in part:
            yield from names_in(value)


def complete(schema, definitions):
    """The schema with the definitions that it needs; those that only it knows stay."""
    own = {name: part for name, part in schema.get("$defs", {}).items() if name not in definitions}
    needed, queue = dict(own), list(names_in({**schema, "$defs": own}))
    while queue:
        name = queue.pop()
        if name not in needed:
            needed[name] = definitions[name]
            queue += names_in(definitions[name])
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    return {**rest, "$defs": {name: needed[name] for name in sorted(needed)}} if needed else rest


# ---- JSON, a line for each property ----

def lines_of(value, indent):
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or (len(flat) + indent <= WIDTH and not any(key in value for key in ("properties", "$defs"))):
        return flat
    pad, items = " " * (indent + 2), []
    for key, item in (value.items() if isinstance(value, dict) else ((None, item) for item in value)):
        items.append(pad + (json.dumps(key) + ": " if key is not None else "") + lines_of(item, indent + 2))
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + ",\n".join(items) + "\n" + " " * indent + closing


# ---- Python ----

class Schemas:
    def __init__(self, schemas):
        self.schemas = schemas
        self.class_of = {}  # of the name of a definition, or of the object itself
        for name, places in CLASSES.items():
            for place in places.split("|"):
                schema, *path = place.split()
                part, reference = self.find(schema, path)
                self.class_of[reference or id(part)] = name

    def follow(self, schema, part):
        """The object that a property is or holds, and the name of its definition."""
        reference = None
        while True:
            if "$ref" in part:
                reference = part["$ref"].rsplit("/", 1)[1]
                part = self.schemas[schema]["$defs"][reference]
            elif "anyOf" in part and "properties" not in part:
                part = next((kind for kind in part["anyOf"] if kind.get("type") != "null"), {})
            elif isinstance(part.get("items"), dict):
                part, reference = part["items"], None
            else:
                return part, reference

    def find(self, schema, path):
        part, reference = self.schemas[schema], None
        for name in path:
            part, reference = self.follow(schema, self.properties(schema, part)[name])
        return part, reference

    def properties(self, schema, part):
        """With those of what it is all of, first where their definition is."""
        found = dict(part.get("properties", {}))
        for base in part.get("allOf", ()):
            found.update(self.properties(schema, self.follow(schema, base)[0]))
        return found

    def type_of(self, schema, part):
        if "$ref" in part:
            name = part["$ref"].rsplit("/", 1)[1]
            if name in self.class_of:
                return self.class_of[name]
            return self.type_of(schema, self.schemas[schema]["$defs"][name])
        if id(part) in self.class_of:
            return self.class_of[id(part)] + (" | None" if "null" in part.get("type", ()) else "")
        if "anyOf" in part:
            return " | ".join(dict.fromkeys(self.type_of(schema, kind) for kind in sorted(part["anyOf"], key=lambda kind: kind.get("type") == "null")))
        if "enum" in part:
            return "str | None" if None in part["enum"] else "str"
        kinds = part.get("type", "object")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        return " | ".join(dict.fromkeys(self.plain_type(schema, part, kind) for kind in kinds))

    def plain_type(self, schema, part, kind):
        if kind == "array":
            items = part.get("items", {})
            base = self.class_of.get(next((self.follow(schema, each)[1] for each in items.get("allOf", ())), None))
            return "list[%s]" % (base if base and id(items) not in self.class_of and base == "LoggedValue" else self.type_of(schema, items))
        if kind == "object":
            values = part.get("additionalProperties")
            inner = {self.type_of(schema, each) for each in ([values] if isinstance(values, dict) else self.properties(schema, part).values())}
            plain = {each.replace(" | None", "") for each in inner}
            return "dict[str, %s]" % (max(inner, key=len) if len(plain) == 1 else "Any")
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}[kind]


def fields_of(schemas, name):
    """Types of a dataclass's fields, by name. Where it is made of two kinds of objects, what one lacks may be None."""
    places = CLASSES[name].split("|")
    all_types = []
    for place in places:
        schema, *path = place.split()
        properties = schemas.properties(schema, schemas.find(schema, path)[0])
        all_types.append({key: schemas.type_of(schema, part) for key, part in properties.items()})
    types = {key: kind for each in all_types for key, kind in each.items()}
    types = {key: kind if all(key in each for each in all_types) or "None" in kind else kind + " | None" for key, kind in types.items()}
    return {key: ELSEWHERE.get((name, key), kind) for key, kind in types.items()}


def descriptions_of_fields(schemas, name):
    """What the schemas say of a dataclass's fields, by name."""
    said = {}
    for place in CLASSES[name].split("|"):
        schema, *path = place.split()
        for key, part in schemas.properties(schema, schemas.find(schema, path)[0]).items():
            text = part.get("description") or schemas.schemas[schema]["$defs"].get(part.get("$ref", "").rsplit("/", 1)[-1], {}).get("description")
            if text:
                said.setdefault(key, re.sub(r"\bnull\b", "None", text).replace("\\", ""))
    return said


def documented(lines, said, fields):
    """The lines of a class's docstring, of which those from "Fields:" on are made anew. The others are written by hand."""
    text = "\n".join(line.removeprefix("    ") for line in lines).strip()
    summary = text.removeprefix('"""').removesuffix('"""').split("\nFields:\n")[0].rstrip() if text else ""
    told = [part for key in fields if key in said
            for part in textwrap.wrap(f"{key}: {said[key]}", WIDTH - 4, initial_indent="    ", subsequent_indent="        ", break_on_hyphens=False, break_long_words=False)]
    made = [*summary.splitlines(), *([""] + ["Fields:", *told] if told else [])]
    if not made:
        return []
    made = [("    " + line).rstrip() for line in made]
    made[0] = '    """' + made[0].strip()
    return [*made, '    """'] if told else [*made[:-1], made[-1] + '"""']


def default_of(kind):
    if "None" in kind:
        return "None"
    if kind.startswith("list"):
        return "field(default_factory=list)"
    if kind.startswith("dict"):
        return "field(default_factory=dict)"
    return {"str": '""', "bool": "False", "int": "0", "float": "0.0"}.get(kind, "None")


def write_class(lines, types, inherited):
    """The lines of fields: `name: type [= default]`, in the order in which they stand."""
    old = {match[1]: match[3] for line in lines if (match := re.match(r"    (\w+): ([^=]+?)(?: = (.*))?$", line))}
    comments = {match[1]: match[2] for line in lines if (match := re.match(r"    (\w+): .*?(  #.*)$", line))}
    made = []
    for name in [*(name for name in old if name in types), *(name for name in types if name not in old and name not in inherited)]:
        default = re.sub(r"  #.*", "", old[name]) if old.get(name) else None if name in old else default_of(types[name])
        kind = types[name] + (" | None" if default == "None" and "None" not in types[name] else "")
        made.append(f"    {name}: {kind}" + (f" = {default}" if default else "") + comments.get(name, ""))
    return made


def model_of(text, schemas):
    lines, out, known = text.splitlines(), [], {}
    at = 0
    while at < len(lines):
        out.append(lines[at])
        match = re.match(r"class (\w+)(?:\((\w+)\))?:$", lines[at])
        at += 1
        if not match or match[1] not in CLASSES:
            continue
        start = at
        if lines[at].startswith('    """'):
            at += 1
            while "".join(lines[start:at]).count('"""') < 2:
                at += 1
        docstring = lines[start:at]
        while not lines[at].strip():
            at += 1
        start = at
        while at < len(lines) and re.match(r"    \w+: ", lines[at]):
            at += 1
        known[match[1]] = types = fields_of(schemas, match[1])
        fields = write_class(lines[start:at], types, known.get(match[2], {}))
        docstring = documented(docstring, descriptions_of_fields(schemas, match[1]), [line.split(":")[0].strip() for line in fields])
        out += [*docstring, *([""] if docstring else []), *fields]
    return "\n".join(out) + "\n"


# ---- Documentation ----

COLUMN_TYPES = {"text": "text", "word": "text", "unit": "text", "flag": "true or false", "whole": "integer", "amount": "integer", "time": "time",
                "share": "number, a part of 1", "number": "number", "rate": "number"}


def columns_of(printed):
    said = ["# Columns", "",
            "What CSV, TSV, JSON Lines, Arrow and `--columns` have, in this order. Names are those of the JSON documents, whose",
            "schemas are beside this page. Times are in the unit of `--unit`. A cell may be empty, or null, where \"may be null\"",
            "says so.", "",
            "This page is generated from the fields in C: `ninja -C build/release generate`."]
    for command, table in printed["tables"].items():
        says = {}
        for field in printed["rows"][table["rows"]]:
            if field["says"] and not field["document"] and field["key"]:
                says.setdefault(field["key"], field["says"])
        said += ["", f"## `{command} --format csv`", "", "| column | type | what it says |", "|---|---|---|"]
        for field in table["columns"]:
            column = field["key"] or field["title"].replace(" ", "_").replace("-", "_")
            kind = COLUMN_TYPES[field["kind"]] + (", may be null" if field["nullable"] else "")
            said.append(f"| `{column}` | {kind} | {(field['says'] or says.get(column, '')).replace('|', chr(92) + '|')} |")
    return "\n".join(said) + "\n"


def descriptions_of(printed):
    said = {name: {field["key"]: field["says"].split("; null:")[0] for field in printed["rows"][name] if field["key"] in keys and field["says"]} for name, keys in DESCRIBED.items()}
    return ("// SPDX-License" "-Identifier: BSD-3-Clause\n//\n// descriptions.js - what columns of the document are, as the fields in C say it. schema/generate.py writes this file.\n\n"
            f"export const DESCRIPTIONS = {json.dumps(said, indent=2, ensure_ascii=False)};\n")


# ---- Together ----

def main():
    printed = json.loads(subprocess.run([sys.argv[1]], capture_output=True, check=True).stdout)
    definitions = definitions_of(printed)
    made = {}
    schemas = {}
    for path in sorted(FOLDER.glob("*.schema.json")):
        schema = complete(json.loads(path.read_text()), definitions)
        schemas[path.name.removesuffix(".schema.json")] = schema
        made[path] = lines_of(schema, 0) + "\n"
    made[MODEL] = model_of(MODEL.read_text(), Schemas(schemas))
    made[FOLDER / "columns.md"] = columns_of(printed)
    made[DESCRIPTIONS] = descriptions_of(printed)
    stale = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if "--check" in sys.argv:
            print(f"{path.name} is not what the fields in C say: ninja -C build/release generate")
        else:
            path.write_text(text := made[path])
            print(f"wrote {path.name}, {text.count(chr(10))} lines")
    sys.exit("--check" in sys.argv and bool(stale))


if __name__ == "__main__":
    main()
