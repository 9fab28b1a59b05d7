/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record.c - the entries of an ETRecord, and what each is read as.
 */
#include "record.h"

#include "archive.h"
#include "maps.h"
#include "program.h"

#include <stdio.h>

#define EDGE_ENTRY "edge_dialect_exported_program"
#define ATEN_ENTRY "exported_program"

typedef enum entry_kind { /* bits: several kinds are read together, in the record's order */
                          ENTRY_UNKNOWN = 1 << 0,
                          ENTRY_IGNORED = 1 << 1, /* weights, example inputs, the identifier */
                          ENTRY_EDGE_PROGRAM = 1 << 2,
                          ENTRY_OTHER_PROGRAM = 1 << 3,
                          ENTRY_HANDLE_MAP = 1 << 4,
                          ENTRY_DELEGATE_MAP = 1 << 5,
                          ENTRY_GRAPH_ID = 1 << 6,
                          ENTRY_REFERENCE_OUTPUTS = 1 << 7,
                          ENTRY_REPRESENTATIVE_INPUTS = 1 << 8,
} entry_kind;

typedef struct reader {
  etr_record *record;
  etr_arena *arena;
  etr_map strings;
  etr_archive *archive;
  const char *path;
  etr_record_limits limits;
  etr_warnings *warnings;
  etr_maps *maps;
  int64_t graph_id;
  etr_vec(etr_graph) graphs;
  etr_error first_failure; /* of an entry that was left out: the reason to give when no graph remains */
} reader;

void etr_warn(etr_warnings *warnings, const char *file, const char *entry, uint64_t offset, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  etr_warning *warning = etr_vec_push(warnings->arena, &warnings->list);
  if (!warning) return;
  *warning = (etr_warning){.file = file ? etr_arena_copy(warnings->arena, etr_slice_of(file)) : "",
                           .entry = entry ? etr_arena_copy(warnings->arena, etr_slice_of(entry)) : "",
                           .offset = offset,
                           .message = etr_arena_text(warnings->arena, etr_slice_of(message))};
}

/* ---- What an entry is ---- */

/* X_state_dict, X_constants and X_example_inputs hold weights and inputs of program X. The program's name, or empty. */
static etr_slice program_of_weights(etr_slice name) {
  static const char *const suffixes[] = {"_state_dict", "_constants", "_example_inputs"};
  for (size_t i = 0; i < ETR_COUNT(suffixes); i++) {
    etr_slice suffix = etr_slice_of(suffixes[i]);
    if (name.size > suffix.size && etr_slice_ends(name, suffix)) return (etr_slice){name.data, name.size - suffix.size};
  }
  return (etr_slice){0};
}

static entry_kind kind_of(const char *name) {
  static const struct {
    const char *name;
    entry_kind kind;
  } known[] = {
      {"ETRECORD_V0", ENTRY_IGNORED},
      {"debug_handle_map", ENTRY_HANDLE_MAP},
      {"delegate_map", ENTRY_DELEGATE_MAP},
      {"instruction_id_to_num_outs_map", ENTRY_IGNORED},
      {"export_graph_id", ENTRY_GRAPH_ID},
      {"reference_outputs", ENTRY_REFERENCE_OUTPUTS},
      {ATEN_ENTRY, ENTRY_OTHER_PROGRAM},
      {EDGE_ENTRY, ENTRY_EDGE_PROGRAM},
      {"representative_inputs", ENTRY_REPRESENTATIVE_INPUTS},
  };
  for (size_t i = 0; i < ETR_COUNT(known); i++)
    if (strcmp(name, known[i].name) == 0) return known[i].kind;
  if (program_of_weights(etr_slice_of(name)).size) return ENTRY_IGNORED;
  const char *slash = strrchr(name, '/');
  if (!slash) return ENTRY_UNKNOWN;
  return etr_slice_equal((etr_slice){name, (size_t)(slash - name)}, ETR_SLICE(EDGE_ENTRY)) ? ENTRY_EDGE_PROGRAM : ENTRY_OTHER_PROGRAM;
}

/* ---- Entries ---- */

/* Closes an entry after its document was read; tells what was wrong with either. */
static etr_status finish_entry(reader *r, etr_archive_entry *entry, etr_json *json, const char *name, etr_error *error) {
  bool document_failed = etr_json_failed(json) && !etr_json_source_failed(json);
  etr_status status = ETR_OK;
  if (document_failed)
    status = etr_fail(error, ETR_ERROR_FORMAT, r->path, name, etr_json_offset(json), "not the JSON it should be: %s", etr_json_message(json));
  else if (!etr_json_out_of_memory(json))
    status = etr_archive_entry_finish(entry, error);
  if (etr_json_out_of_memory(json) || etr_arena_failed(r->arena))
    status = etr_fail(error, ETR_ERROR_MEMORY, r->path, name, ETR_NO_OFFSET, "out of memory");
  return status;
}

typedef void (*document_reader)(reader *r, etr_json *json, const char *name);

static etr_status read_entry(reader *r, size_t index, document_reader read, etr_error *error) {
  etr_archive_entry *entry;
  const char *name = etr_archive_name(r->archive, index);
  ETR_TRY(etr_archive_entry_open(&entry, r->archive, index, r->limits.entry_bytes, error));
  etr_json *json = etr_json_open(etr_archive_entry_read, entry, NULL);
  etr_status status = json ? ETR_OK : etr_fail(error, ETR_ERROR_MEMORY, r->path, name, ETR_NO_OFFSET, "out of memory");
  if (json) {
    read(r, json, name);
    status = finish_entry(r, entry, json, name, error);
  }
  etr_json_close(json);
  etr_archive_entry_close(entry);
  return status;
}

static void add_graph(reader *r, etr_graph graph, const char *name) {
  const char *slash = strrchr(name, '/');
  etr_graph *added = etr_vec_push(r->arena, &r->graphs);
  if (!added) return;
  *added = graph;
  added->entry = etr_intern(&r->strings, etr_slice_of(name));
  added->module = slash ? etr_intern(&r->strings, (etr_slice){name, (size_t)(slash - name)}) : added->entry;
  added->method = slash ? etr_intern(&r->strings, etr_slice_of(slash + 1)) : NULL; /* named when the maps are known */
}

static void read_program_entry(reader *r, etr_json *json, const char *name) {
  etr_graph graph;
  int64_t graph_id = r->limits.edge_only ? 0 : r->graph_id; /* leads to nodes of programs that are not read */
  if (etr_program_read(&graph, &r->strings, json, graph_id, r->limits.nodes) == ETR_OK) add_graph(r, graph, name);
}

static void read_handle_map(reader *r, etr_json *json, const char *name) {
  (void)name;
  etr_maps_read_handles(r->maps, json);
  etr_json_end(json);
  r->record->has_handle_map = !etr_json_failed(json);
}

static void read_delegate_map(reader *r, etr_json *json, const char *name) {
  (void)name;
  etr_maps_read_delegates(r->maps, json);
  etr_json_end(json);
  r->record->has_delegate_map = !etr_json_failed(json);
}

static void read_graph_id(reader *r, etr_json *json, const char *name) {
  (void)name;
  if (etr_json_null(json)) return;
  r->graph_id = etr_json_int(json);
  r->record->export_graph_id = etr_arena_format(r->arena, "%lld", (long long)r->graph_id);
}

/* Reads all entries of these kinds. One that is damaged is left out with a warning. */
static etr_status read_entries(reader *r, unsigned kinds, document_reader read, etr_error *error) {
  for (size_t i = 0; i < etr_archive_count(r->archive); i++) {
    if (!(kind_of(etr_archive_name(r->archive, i)) & kinds)) continue;
    etr_error failure = {.offset = ETR_NO_OFFSET};
    etr_status status = read_entry(r, i, read, &failure);
    if (status == ETR_OK) continue;
    if (status != ETR_ERROR_FORMAT) {
      if (error) *error = failure;
      return status;
    }
    etr_warn(r->warnings, failure.file, failure.entry, failure.offset, "%s; left out", failure.message);
    if (!r->first_failure.message[0]) r->first_failure = failure;
  }
  return ETR_OK;
}

static etr_status read_edge_programs(reader *r, etr_error *error) {
  ETR_TRY(read_entries(r, ENTRY_EDGE_PROGRAM, read_program_entry, error));
  if (r->graphs.count == 0) return read_entries(r, ENTRY_OTHER_PROGRAM, read_program_entry, error);
  for (size_t i = 0; i < etr_archive_count(r->archive); i++) {
    const char *name = etr_archive_name(r->archive, i);
    const etr_graph unread = {.dialect = "", .schema_version = "", .profile_method = ETR_NONE};
    if (kind_of(name) == ENTRY_OTHER_PROGRAM) add_graph(r, unread, name);
  }
  return ETR_OK;
}

static etr_status read_programs(reader *r, etr_error *error) {
  if (r->limits.edge_only) return read_edge_programs(r, error);
  return read_entries(r, ENTRY_EDGE_PROGRAM | ENTRY_OTHER_PROGRAM, read_program_entry, error);
}

/* ---- Names of entry points ---- */

static bool has_graph_of(const reader *r, const char *module) {
  for (size_t i = 0; i < r->graphs.count; i++)
    if (strcmp(r->graphs.data[i].module, module) == 0) return true;
  return false;
}

/* edge/METHOD and aten/forward; an extra module that is called like one of these while it is taken becomes edge~2. */
static void name_graphs(reader *r) {
  const char *only = r->record->method_count == 1 ? r->record->methods[0].name : "forward";
  static const char *const renamed[][2] = {{EDGE_ENTRY, "edge"}, {ATEN_ENTRY, "aten"}};
  static const char *const reserved[][2] = {{"edge", "edge~2"}, {"aten", "aten~2"}, {"program", "program~2"}};
  for (size_t k = 0; k < ETR_COUNT(reserved); k++) {
    bool taken = k == 2 || has_graph_of(r, renamed[k][0]);
    for (size_t i = 0; taken && i < r->graphs.count; i++)
      if (strcmp(r->graphs.data[i].module, reserved[k][0]) == 0) r->graphs.data[i].module = reserved[k][1];
  }
  for (size_t i = 0; i < r->graphs.count; i++) {
    etr_graph *graph = &r->graphs.data[i];
    for (size_t k = 0; k < ETR_COUNT(renamed); k++)
      if (strcmp(graph->module, renamed[k][0]) == 0) graph->module = renamed[k][1];
    if (!graph->method) graph->method = strcmp(graph->module, "edge") == 0 ? only : "forward";
  }
}

/* ---- The record ---- */

static void note_other_entries(reader *r) {
  etr_vec(const char *) unknown = {0};
  for (size_t i = 0; i < etr_archive_count(r->archive); i++) {
    const char *name = etr_archive_name(r->archive, i), *kept = etr_intern(&r->strings, etr_slice_of(name));
    entry_kind kind = kind_of(name);
    r->record->has_reference_outputs |= kind == ENTRY_REFERENCE_OUTPUTS;
    r->record->has_representative_inputs |= kind == ENTRY_REPRESENTATIVE_INPUTS;
    etr_slice program = program_of_weights(etr_slice_of(name));
    if (etr_slice_ends(etr_slice_of(name), ETR_SLICE("_state_dict")) && program.size) {
      const char *owner = etr_arena_copy(r->arena, program);
      if (owner && etr_archive_find(r->archive, owner) == SIZE_MAX)
        etr_warn(r->warnings, r->path, owner, ETR_NO_OFFSET, "the program is missing, only its weights are there; the record may be incomplete");
    }
    const char **slot = kind == ENTRY_UNKNOWN && kept ? etr_vec_push(r->arena, &unknown) : NULL;
    if (slot) *slot = kept;
  }
  r->record->unknown_entries = unknown.data;
  r->record->unknown_entry_count = unknown.count;
}

/* What is not there, and what follows from it. */
static void note_missing(reader *r) {
  bool edge = has_graph_of(r, "edge"), aten = etr_archive_find(r->archive, ATEN_ENTRY) != SIZE_MAX;
  if (!edge) etr_warn(r->warnings, r->path, EDGE_ENTRY, ETR_NO_OFFSET, "there is no Edge program: times cannot be joined to nodes");
  if (edge && etr_archive_find(r->archive, "debug_handle_map") == SIZE_MAX)
    etr_warn(r->warnings, r->path, "debug_handle_map", ETR_NO_OFFSET,
             "the entry is missing: instructions cannot be joined to nodes by debug handles");
  if (edge && etr_archive_find(r->archive, "delegate_map") == SIZE_MAX)
    etr_warn(r->warnings, r->path, "delegate_map", ETR_NO_OFFSET, "the entry is missing: delegates and their backends are not known");
  if (edge && aten && !r->record->export_graph_id)
    etr_warn(r->warnings, r->path, "export_graph_id", ETR_NO_OFFSET, "the entry is missing: times do not reach aten/forward");
}

static etr_status read_all(reader *r, etr_error *error) {
  if (etr_archive_find(r->archive, "ETRECORD_V0") == SIZE_MAX)
    return etr_fail(error, ETR_ERROR_FORMAT, r->path, "ETRECORD_V0", ETR_NO_OFFSET,
                    "the identifier entry is missing: not an ETRecord, or one that was cut off; export it again with generate_etrecord=True");
  ETR_TRY(read_entries(r, ENTRY_GRAPH_ID, read_graph_id, error));
  ETR_TRY(read_entries(r, ENTRY_HANDLE_MAP, read_handle_map, error));
  ETR_TRY(read_entries(r, ENTRY_DELEGATE_MAP, read_delegate_map, error));
  ETR_TRY(read_programs(r, error));
  r->record->methods = etr_maps_finish(r->maps, &r->record->method_count);
  if (r->graphs.count == 0 && r->first_failure.message[0]) {
    if (error) *error = r->first_failure;
    return ETR_ERROR_FORMAT;
  }
  if (r->graphs.count == 0)
    return etr_fail(error, ETR_ERROR_FORMAT, r->path, NULL, ETR_NO_OFFSET, "the ETRecord holds no program; saving it may have failed half-way");
  name_graphs(r);
  note_missing(r);
  note_other_entries(r);
  r->record->graphs = r->graphs.data;
  r->record->graph_count = r->graphs.count;
  return ETR_OK;
}

etr_status etr_record_read(etr_record *out, etr_arena *arena, const char *path, const etr_record_limits *limits, etr_warnings *warnings,
                           etr_error *error) {
  reader r = {.record = out, .arena = arena, .path = path, .limits = *limits, .warnings = warnings};
  *out = (etr_record){0};
  etr_map_init(&r.strings, arena);
  r.maps = etr_maps_new(&r.strings);
  if (!r.maps) return etr_fail(error, ETR_ERROR_MEMORY, path, NULL, ETR_NO_OFFSET, "out of memory");
  ETR_TRY(etr_archive_open(&r.archive, path, error));
  etr_status status = read_all(&r, error);
  etr_archive_close(r.archive);
  if (etr_arena_failed(arena)) return etr_fail(error, ETR_ERROR_MEMORY, path, NULL, ETR_NO_OFFSET, "out of memory");
  return status;
}
