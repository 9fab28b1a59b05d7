/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record.c - the entries of an ETRecord: their names, and what each is read as.
 */
#include "inputs/record.h"

#include "formats/archive.h"
#include "inputs/program.h"

#include <stdio.h>

/* ---- The names of entries that ExecuTorch writes, and further names that etrecord-tb knows ----
 */

const char *const etr_sibling_suffixes[] = {"_state_dict", "_constants", "_example_inputs"};

static const struct {
  const char *name;
  etr_entry_kind kind;
} known_entries[] = {
    {ETR_IDENTIFIER_ENTRY, ETR_ENTRY_IDENTIFIER},
    {"debug_handle_map", ETR_ENTRY_HANDLE_MAP},
    {"delegate_map", ETR_ENTRY_DELEGATE_MAP},
    {"instruction_id_to_num_outs_map", ETR_ENTRY_OUTPUT_COUNTS},
    {"delegate_info", ETR_ENTRY_DELEGATE_INFO},
    {"export_graph_id", ETR_ENTRY_GRAPH_ID},
    {"reference_outputs", ETR_ENTRY_REFERENCE_OUTPUTS},
    {"representative_inputs", ETR_ENTRY_REPRESENTATIVE_INPUTS},
    {ETR_ATEN_ENTRY, ETR_ENTRY_OTHER_PROGRAM},
    {"program_buffer", ETR_ENTRY_PTE},
    {ETR_RECORD_PTE_ENTRY, ETR_ENTRY_PTE},
};

/* Returns the name of the program to which an entry such as NAME_state_dict belongs; empty if it
 * belongs to none. */
etr_slice etr_entry_program(etr_slice name, etr_sibling *sibling) {
  for (size_t i = 0; i < ETR_COUNT(etr_sibling_suffixes); i++) {
    etr_slice suffix = etr_slice_of(etr_sibling_suffixes[i]);
    if (name.size <= suffix.size || !etr_slice_ends(name, suffix))
      continue;
    if (sibling)
      *sibling = (etr_sibling)i;
    return (etr_slice){name.data, name.size - suffix.size};
  }
  return (etr_slice){0};
}

/* Returns whether an entry's name is MODULE or MODULE/METHOD, for this module. */
static bool is_module_or_its_method(const char *name, const char *module) {
  size_t length = strlen(module);
  return strncmp(name, module, length) == 0 && (!name[length] || name[length] == '/');
}

/* A name with a slash that is nothing else is MODULE/METHOD, a program that the exporter added. */
etr_entry_kind etr_entry_kind_of(const char *name, const char *edge_entry) {
  for (size_t i = 0; i < ETR_COUNT(known_entries); i++)
    if (strcmp(name, known_entries[i].name) == 0)
      return known_entries[i].kind;
  if (etr_entry_program(etr_slice_of(name), NULL).size)
    return ETR_ENTRY_WEIGHTS;
  if (is_module_or_its_method(name, edge_entry))
    return ETR_ENTRY_EDGE_PROGRAM;
  return strchr(name, '/') ? ETR_ENTRY_OTHER_PROGRAM : ETR_ENTRY_UNKNOWN;
}

/* The .pte has an older name, too; this gives the one that ExecuTorch writes now. */
const char *etr_entry_name(etr_entry_kind kind) {
  for (size_t i = 0; i < ETR_COUNT(known_entries); i++)
    if (known_entries[i].kind == kind && kind != ETR_ENTRY_PTE)
      return known_entries[i].name;
  return kind == ETR_ENTRY_PTE ? ETR_RECORD_PTE_ENTRY : NULL;
}

const char *etr_entry_loss(etr_entry_kind kind) {
  switch (kind) {
  case ETR_ENTRY_EDGE_PROGRAM:
    return "times cannot be joined to nodes";
  case ETR_ENTRY_HANDLE_MAP:
    return "instructions cannot be joined to nodes by debug handles";
  case ETR_ENTRY_DELEGATE_MAP:
    return "delegates and their backends are unknown";
  case ETR_ENTRY_GRAPH_ID:
    return "times do not reach aten/forward";
  case ETR_ENTRY_OTHER_PROGRAM:
    return "there is no graph of the model before it was lowered";
  case ETR_ENTRY_REFERENCE_OUTPUTS:
    return "outputs of runs cannot be compared with a reference";
  case ETR_ENTRY_PTE:
    return "operators in delegates are matched by order, not exactly";
  default:
    return "";
  }
}

/* Returns whether a module of this name would make entries that are taken for those of the record
 * itself. */
bool etr_entry_is_reserved(const char *module) {
  static const char *const graphs[] = {ETR_EDGE_ENTRY, ETR_EARLY_ENTRY};
  for (size_t i = 0; i < ETR_COUNT(graphs); i++)
    if (strstr(module, graphs[i]))
      return true;
  for (size_t i = 0; i < ETR_COUNT(known_entries); i++)
    if (known_entries[i].kind != ETR_ENTRY_PTE && strstr(module, known_entries[i].name))
      return true;
  return false;
}

/* The nodes of a graph that come from regions. */
typedef struct graph_regions {
  size_t graph; /* index in reader.graphs */
  etr_region_nodes nodes;
} graph_regions;

typedef struct reader {
  etr_record *record;
  etr_arena *arena;
  etr_map strings;
  etr_archive *archive;
  const char *path;
  etr_record_limits limits;
  etr_warnings *warnings;
  etr_maps *maps;
  const char *edge_entry; /* what the entries of Edge programs are called in this record */
  int64_t graph_id;
  etr_vec(etr_graph) graphs;
  etr_vec(graph_regions) regions; /* of the graphs in which nodes come from any */
  etr_graph exported;             /* the exported program, if its graph is only listed */
  const char *cut_entry;          /* the first in which a name is cut; NULL if there is none */
  etr_error
      first_failure; /* of an entry that was left out: the reason to give when no graph remains */
} reader;

/* ---- What an entry is ---- */

static etr_entry_kind kind_of_entry(const reader *r, const char *name) {
  return etr_entry_kind_of(name, r->edge_entry);
}

/* Returns the number of Edge programs in the record. If there is one, sets *only to the name of its
 * method, which is "forward" if the entry does not name it. */
static size_t count_edge_programs(const reader *r, const char **only) {
  size_t count = 0;
  *only = "forward";
  for (size_t i = 0; i < etr_archive_count(r->archive); i++) {
    const char *name = etr_archive_name(r->archive, i);
    const char *slash = strrchr(name, '/');
    if (kind_of_entry(r, name) != ETR_ENTRY_EDGE_PROGRAM)
      continue;
    count++;
    if (slash)
      *only = slash + 1;
  }
  return count;
}

/* Chooses which programs are the Edge programs: those that became the .pte. Where passes change the
 * graph (`transform_passes` of to_edge_transform_and_lower()), the record also has the graph after
 * them. In 2023 the graph nearest to the program had another name. */
static void choose_edge_entry(reader *r) {
  static const char *const names[] = {ETR_TRANSFORMED_ENTRY, ETR_EDGE_ENTRY, ETR_EARLY_ENTRY};
  const char *only;
  for (size_t i = 0; i < ETR_COUNT(names); i++) {
    r->edge_entry = names[i];
    if (count_edge_programs(r, &only) > 0)
      return;
  }
}

/* ---- Entries ---- */

/* An entry's bytes, and which was the first: pickled graphs begin with 0x80, which no JSON does. */
typedef struct entry_document {
  etr_archive_entry *entry;
  int first_byte;
} entry_document;

/* Reads up to `size` of an entry's next bytes for the JSON reader, and keeps the first byte of all,
 * by which a pickle is recognized. Returns their number; -1 on failure. */
static int64_t read_document_bytes(void *context, char *into, size_t size) {
  entry_document *d = context;
  int64_t got = etr_archive_entry_read(d->entry, into, size);
  if (d->first_byte < 0 && got > 0)
    d->first_byte = (unsigned char)into[0];
  return got;
}

/* Checks an entry after its document was read: fails if the document is pickled or damaged, if the
 * entry's checksum is wrong, or when out of memory, which wins over the others, because reading was
 * then incomplete. */
static etr_status close_document(reader *r, const entry_document *d, etr_json *json,
                                 const char *name, etr_error *error) {
  bool document_failed = etr_json_failed(json) && !etr_json_source_failed(json);
  etr_status status = ETR_OK;
  if (document_failed && d->first_byte == 0x80)
    status = etr_fail(
        error, ETR_ERROR_FORMAT, r->path, name, 0,
        "pickled, as the first ETRecords were, and not read: unpickling can run any code");
  else if (document_failed)
    status = etr_fail(
        error, ETR_ERROR_FORMAT, r->path, name, etr_json_offset(json), "%s%s",
        etr_budget_refused(r->limits.budget) ? "" : "unexpected JSON: ", etr_json_message(json));
  else if (!etr_json_out_of_memory(json))
    status = etr_archive_entry_finish(d->entry, error);
  if (etr_json_out_of_memory(json) || etr_arena_failed(r->arena))
    status = etr_fail_memory_of(error, r->path, name);
  return status;
}

typedef void (*document_reader)(reader *r, etr_json *json, const char *name);

/* Reads the archive's entry with this index as a JSON document, with read_content. Remembers the
 * first entry in which a name was too long and cut, for a warning. Fails if the entry or the
 * document is damaged, or if the entry exceeds the bytes left in the budget. */
static etr_status read_entry(reader *r, size_t index, document_reader read_content,
                             etr_error *error) {
  entry_document d = {.first_byte = -1};
  const char *name = etr_archive_name(r->archive, index);
  const char *refused = etr_budget_take(r->limits.budget, ETR_BYTES,
                                        etr_archive_size(r->archive, index));
  if (refused)
    return etr_fail(error, ETR_ERROR_FORMAT, r->path, name, 0, "%s", refused);
  ETR_TRY(etr_archive_entry_open(&d.entry, r->archive, index, 0, error));
  etr_json *json = etr_json_open(read_document_bytes, &d, NULL);
  etr_status status = json ? ETR_OK : etr_fail_memory_of(error, r->path, name);
  if (json) {
    read_content(r, json, name);
    if (r->strings.cut.first && !r->cut_entry)
      r->cut_entry = name;
    status = close_document(r, &d, json, name, error);
  }
  etr_json_close(json);
  etr_archive_entry_close(d.entry);
  return status;
}

/* Adds a graph with the module and method that its entry "module/method" names. An entry without a
 * method gets one in name_graphs(). When out of memory, the arena has failed. */
static void add_graph(reader *r, etr_graph graph, const char *name) {
  const char *slash = strrchr(name, '/');
  etr_graph *added = etr_vec_push(r->arena, &r->graphs);
  if (!added)
    return;
  *added = graph;
  added->entry = etr_intern(&r->strings, etr_slice_of(name));
  added->module = slash ? etr_intern(&r->strings, (etr_slice){name, (size_t)(slash - name)})
                        : added->entry;
  added->method = slash ? etr_intern(&r->strings, etr_slice_of(slash + 1)) : NULL;
}

/* Reads a document as a program. Returns false if it is damaged, which shows on `json`, where the
 * caller looks for it. */
static bool read_program(reader *r, etr_graph *graph, etr_region_nodes *regions, etr_json *json) {
  /* With edge_only, ancestors lead to nodes of programs that are not read. */
  etr_program_scope scope = {.graph_id = r->graph_id,
                             .no_ancestors = r->limits.edge_only,
                             .regions = regions,
                             .no_sources = r->limits.no_sources,
                             .source_root = r->limits.source_root};
  etr_status status = etr_program_read(graph, &r->strings, json, scope, r->limits.budget);
  if (status == ETR_ERROR_MEMORY)
    etr_arena_fail(r->arena); /* not the document's fault, whatever it says */
  return status == ETR_OK;
}

/* Reads an entry's document as a program and adds its graph, unless the document is damaged. This
 * is a document_reader. */
static void read_program_entry(reader *r, etr_json *json, const char *name) {
  etr_graph graph;
  etr_region_nodes regions = {0};
  bool is_exported = strcmp(name, ETR_ATEN_ENTRY) == 0;
  if (!read_program(r, &graph, is_exported ? NULL : &regions, json))
    return;
  add_graph(r, graph, name);
  graph_regions *added = regions.list.count ? etr_vec_push(r->arena, &r->regions) : NULL;
  if (added)
    *added = (graph_regions){r->graphs.count - 1, regions};
}

/* Reads the exported program into r->exported. This is a document_reader. */
static void read_exported_program(reader *r, etr_json *json, const char *name) {
  (void)name;
  (void)read_program(r, &r->exported, NULL, json);
}

/* Reads the entry debug_handle_map into r->maps, and notes whether it is undamaged. This is a
 * document_reader. */
static void read_handle_map(reader *r, etr_json *json, const char *name) {
  (void)name;
  etr_maps_read_handles(r->maps, json);
  etr_json_end(json);
  r->record->has_handle_map = !etr_json_failed(json);
}

/* Reads the entry delegate_map into r->maps, and notes whether it is undamaged. This is a
 * document_reader. */
static void read_delegate_map(reader *r, etr_json *json, const char *name) {
  (void)name;
  etr_maps_read_delegates(r->maps, json);
  etr_json_end(json);
  r->record->has_delegate_map = !etr_json_failed(json);
}

/* Reads the entry instruction_id_to_num_outs_map into r->maps. This is a document_reader. */
static void read_output_counts(reader *r, etr_json *json, const char *name) {
  (void)name;
  etr_maps_read_output_counts(r->maps, json);
  etr_json_end(json);
}

/* Reads the id of the exported graph, as a number and as text for the record; null says that there
 * is none. This is a document_reader. */
static void read_graph_id(reader *r, etr_json *json, const char *name) {
  (void)name;
  if (etr_json_null(json))
    return;
  r->graph_id = etr_json_int(json);
  r->record->export_graph_id = etr_arena_format(r->arena, "%lld", (long long)r->graph_id);
}

/* Reads the archive's entry with this index with read_content, or leaves it out with a warning if
 * it is damaged. Fails if the budget is used up, on I/O errors and when out of memory. */
static etr_status read_or_leave_out(reader *r, size_t index, document_reader read_content,
                                    etr_error *error) {
  etr_error failure = {.offset = ETR_NO_OFFSET};
  etr_status status = read_entry(r, index, read_content, &failure);
  if (status == ETR_OK)
    return ETR_OK;
  if (status != ETR_ERROR_FORMAT || etr_budget_refused(r->limits.budget)) {
    if (error)
      *error = failure;
    return status;
  }
  etr_warn(r->warnings, failure.file, failure.entry, failure.offset, "%s; left out",
           failure.message);
  if (!r->first_failure.message[0])
    r->first_failure = failure;
  return ETR_OK;
}

/* Reads all entries of these kinds, bits of etr_entry_kind, with read_content. Fails as
 * read_or_leave_out() does. */
static etr_status read_entries(reader *r, unsigned kinds, document_reader read_content,
                               etr_error *error) {
  for (size_t i = 0; i < etr_archive_count(r->archive); i++)
    if (kind_of_entry(r, etr_archive_name(r->archive, i)) & kinds)
      ETR_TRY(read_or_leave_out(r, i, read_content, error));
  return ETR_OK;
}

/* Reads the graphs of all programs. With limits.edge_only, the graphs of other programs than Edge
 * are only listed, without nodes, which is faster; if there is no Edge program, they are read after
 * all. Fails as read_entries() does. */
static etr_status read_programs(reader *r, etr_error *error) {
  if (r->limits.edge_only) {
    ETR_TRY(read_entries(r, ETR_ENTRY_EDGE_PROGRAM, read_program_entry, error));
    if (r->graphs.count == 0)
      return read_entries(r, ETR_ENTRY_OTHER_PROGRAM, read_program_entry, error);
    for (size_t i = 0; i < etr_archive_count(r->archive); i++) {
      const char *name = etr_archive_name(r->archive, i);
      const etr_graph unread = {
          .dialect = "",
          .schema_version = "",
          .profile_method = ETR_NONE,
      };
      if (kind_of_entry(r, name) == ETR_ENTRY_OTHER_PROGRAM)
        add_graph(r, unread, name);
    }
    return ETR_OK;
  }
  return read_entries(r, ETR_ENTRY_EDGE_PROGRAM | ETR_ENTRY_OTHER_PROGRAM, read_program_entry,
                      error);
}

/* Gives nodes that come from regions their lines and modules, which are in the exported program. If
 * its graph is only listed, it is read here. Fails as read_entries() does. */
static etr_status resolve_regions(reader *r, etr_error *error) {
  const etr_graph *exported = NULL;
  for (size_t i = 0; i < r->graphs.count; i++)
    if (strcmp(r->graphs.data[i].entry, ETR_ATEN_ENTRY) == 0)
      exported = &r->graphs.data[i];
  if (!exported || r->regions.count == 0)
    return ETR_OK;
  if (!exported->nodes) {
    size_t index = etr_archive_find(r->archive, ETR_ATEN_ENTRY);
    ETR_TRY(read_or_leave_out(r, index, read_exported_program, error));
    exported = &r->exported;
  }
  for (size_t i = 0; i < r->regions.count; i++) {
    graph_regions *of = &r->regions.data[i];
    if (!etr_regions_resolve(&r->graphs.data[of->graph], &of->nodes, exported, &r->strings))
      return etr_fail_memory_of(error, r->path, NULL);
  }
  return ETR_OK;
}

/* ---- Names of entry points ---- */

/* Returns whether a graph of this module was read. */
static bool has_graph_of_module(const reader *r, const char *module) {
  for (size_t i = 0; i < r->graphs.count; i++)
    if (strcmp(r->graphs.data[i].module, module) == 0)
      return true;
  return false;
}

/* Gives graphs their final names: those of Edge programs become edge/METHOD, the exported program
 * aten/forward, and Edge programs that passes replaced edge_before_transform/METHOD. Programs that
 * the exporter added under the name "edge" or "aten" make way and become edge~2 or aten~2.
 * "program" always does, because the graph of the .pte is called so. A graph whose entry names no
 * method gets the record's only method if it is an Edge program, and else "forward". */
static void name_graphs(reader *r) {
  const char *only = r->record->method_count == 1 ? r->record->methods[0].name : "forward";
  const char *const renamed[][2] = {
      {r->edge_entry, "edge"}, {ETR_ATEN_ENTRY, "aten"}, {ETR_EDGE_ENTRY, "edge_before_transform"}};
  static const char *const reserved[][2] = {
      {"edge", "edge~2"}, {"aten", "aten~2"}, {"program", "program~2"}};
  for (size_t k = 0; k < ETR_COUNT(reserved); k++) {
    bool is_taken = k == 2 || has_graph_of_module(r, renamed[k][0]);
    for (size_t i = 0; is_taken && i < r->graphs.count; i++)
      if (strcmp(r->graphs.data[i].module, reserved[k][0]) == 0)
        r->graphs.data[i].module = reserved[k][1];
  }
  for (size_t i = 0; i < r->graphs.count; i++) {
    etr_graph *graph = &r->graphs.data[i];
    const char *stored = graph->module;
    for (size_t k = 0; k < ETR_COUNT(renamed) && graph->module == stored; k++)
      if (strcmp(stored, renamed[k][0]) == 0)
        graph->module = renamed[k][1];
    if (!graph->method)
      graph->method = strcmp(graph->module, "edge") == 0 ? only : "forward";
  }
}

/* Counts a request for the name MODULE/METHOD, and returns how many there were before it. Returns 0
 * when out of memory, which has failed the arena. */
static uint32_t count_requests_for_name(etr_map *names, const char *module, const char *method) {
  const char *name = etr_arena_format(names->arena, "%s/%s", module, method);
  return name ? etr_map_count(names, etr_slice_of(name)) : 0;
}

/* Makes a graph's name unique among the names given so far. The first graph of a name keeps it, and
 * a later one gets the lowest number that makes it different, such as edge~2/forward. Returns
 * whether the graph was renamed; false also when out of memory. */
static bool make_name_unique(etr_map *names, etr_graph *graph) {
  const char *wanted = graph->module;
  for (uint32_t before; (before = count_requests_for_name(names, wanted, graph->method)) > 0;) {
    const char *module = etr_arena_format(names->arena, "%s~%u", wanted, before + 1);
    if (!module)
      return false;
    graph->module = module;
    if (count_requests_for_name(names, module, graph->method) == 0)
      return true;
  }
  return false;
}

/* Renames graphs whose name another one has, and warns of the first: only one graph of a name gets
 * times. */
static void make_names_unique(reader *r) {
  etr_map names;
  size_t renamed = 0;
  etr_map_init(&names, r->arena);
  for (size_t i = 0; i < r->graphs.count; i++) {
    etr_graph *graph = &r->graphs.data[i];
    const char *wanted = graph->module;
    if (make_name_unique(&names, graph) && renamed++ == 0)
      etr_warn(r->warnings, r->path, graph->entry, ETR_NO_OFFSET,
               "the name %.*s/%.*s is taken: this program is named %.*s/%.*s and gets no times",
               ETR_HEAD(wanted, 80), ETR_HEAD(graph->method, 80), ETR_HEAD(graph->module, 80),
               ETR_HEAD(graph->method, 80));
  }
}

/* ---- The record ---- */

/* Sets in the record which entries there are beside the programs: maps, reference outputs, example
 * inputs, a .pte, and those of unknown names. Warns of weights whose program is missing. */
static void note_other_entries(reader *r) {
  etr_vec(const char *) unknown = {0};
  for (size_t i = 0; i < etr_archive_count(r->archive); i++) {
    const char *name = etr_archive_name(r->archive, i);
    const char *kept = etr_intern(&r->strings, etr_slice_of(name));
    etr_entry_kind kind = kind_of_entry(r, name);
    r->record->has_reference_outputs |= kind == ETR_ENTRY_REFERENCE_OUTPUTS;
    r->record->has_representative_inputs |= kind == ETR_ENTRY_REPRESENTATIVE_INPUTS;
    r->record->has_handle_map_entry |= kind == ETR_ENTRY_HANDLE_MAP;
    r->record->has_delegate_map_entry |= kind == ETR_ENTRY_DELEGATE_MAP;
    if (kind == ETR_ENTRY_PTE)
      r->record->pte_entry = kept;
    etr_slice program = etr_entry_program(etr_slice_of(name), NULL);
    if (etr_slice_ends(etr_slice_of(name), ETR_SLICE("_state_dict")) && program.size) {
      const char *owner = etr_arena_copy(r->arena, program);
      if (owner && etr_archive_find(r->archive, owner) == SIZE_MAX)
        etr_warn(r->warnings, r->path, owner, ETR_NO_OFFSET,
                 "only the weights are here, the program is missing; the record may be incomplete");
    }
    const char **slot = kind == ETR_ENTRY_UNKNOWN && kept ? etr_vec_push(r->arena, &unknown) : NULL;
    if (slot)
      *slot = kept;
  }
  r->record->unknown_entries = unknown.data;
  r->record->unknown_entry_count = unknown.count;
}

/* Maps and graph ids matter only if there is an Edge program, so without one they are not missing.
 */
unsigned etr_record_missing(const etr_record *record) {
  bool edge = false, aten = false, others = false;
  for (size_t i = 0; i < record->graph_count; i++) {
    bool is_edge = strcmp(record->graphs[i].module, "edge") == 0;
    edge |= is_edge;
    others |= !is_edge;
    aten |= strcmp(record->graphs[i].entry, ETR_ATEN_ENTRY) == 0;
  }
  unsigned missing = edge ? 0 : ETR_ENTRY_EDGE_PROGRAM;
  if (edge && !record->has_handle_map_entry)
    missing |= ETR_ENTRY_HANDLE_MAP;
  if (edge && !record->has_delegate_map_entry)
    missing |= ETR_ENTRY_DELEGATE_MAP;
  if (edge && aten && !record->export_graph_id)
    missing |= ETR_ENTRY_GRAPH_ID;
  if (!others)
    missing |= ETR_ENTRY_OTHER_PROGRAM;
  if (!record->has_reference_outputs)
    missing |= ETR_ENTRY_REFERENCE_OUTPUTS;
  return missing;
}

/* Warns of missing entries, except of other programs and reference outputs, which joining does not
 * need. */
void etr_record_warn_of_missing(const etr_record *record, const char *path,
                                etr_warnings *warnings) {
  unsigned missing = etr_record_missing(record) &
                     ~(ETR_ENTRY_OTHER_PROGRAM | ETR_ENTRY_REFERENCE_OUTPUTS);
  for (unsigned kind = 1; kind <= ETR_ENTRY_PTE; kind <<= 1) {
    const char *loss = etr_entry_loss((etr_entry_kind)kind);
    if (!(missing & kind))
      continue;
    if (kind == ETR_ENTRY_EDGE_PROGRAM)
      etr_warn(warnings, path, ETR_EDGE_ENTRY, ETR_NO_OFFSET, "no Edge program: %s", loss);
    else
      etr_warn(warnings, path, etr_entry_name((etr_entry_kind)kind), ETR_NO_OFFSET,
               "the entry is missing: %s", loss);
  }
}

etr_status etr_record_fail_identity(const char *path, etr_error *error) {
  return etr_fail(
      error, ETR_ERROR_FORMAT, path, ETR_IDENTIFIER_ENTRY, ETR_NO_OFFSET,
      "the identifier entry is missing: not an ETRecord, or a truncated one; export it again with "
      "generate_etrecord=True");
}

/* Reads all entries: first the maps and the graph id, which reading programs needs, then the
 * programs, then the others, and names the graphs. Fails if there is no program, neither as a graph
 * nor as a .pte, or if none could be read. */
static etr_status read_all_entries(reader *r, etr_error *error) {
  if (etr_archive_find(r->archive, ETR_IDENTIFIER_ENTRY) == SIZE_MAX)
    return etr_record_fail_identity(r->path, error);
  const char *only;
  choose_edge_entry(r);
  bool is_only = count_edge_programs(r, &only) <= 1;
  const char *only_method = is_only ? etr_intern(&r->strings, etr_slice_of(only)) : NULL;
  r->maps = etr_maps_new(&r->strings, only_method);
  ETR_TRY(r->maps ? ETR_OK : etr_fail_memory_of(error, r->path, NULL));
  ETR_TRY(read_entries(r, ETR_ENTRY_GRAPH_ID, read_graph_id, error));
  ETR_TRY(read_entries(r, ETR_ENTRY_HANDLE_MAP, read_handle_map, error));
  ETR_TRY(read_entries(r, ETR_ENTRY_DELEGATE_MAP, read_delegate_map, error));
  ETR_TRY(read_entries(r, ETR_ENTRY_OUTPUT_COUNTS, read_output_counts, error));
  ETR_TRY(read_programs(r, error));
  if (!etr_arena_failed(r->arena))
    ETR_TRY(resolve_regions(r, error));
  if (etr_arena_failed(r->arena))
    return etr_fail_memory_of(error, r->path, NULL);
  r->record->methods = etr_maps_finish(r->maps, &r->record->method_count);
  note_other_entries(r);
  if (r->graphs.count == 0 && r->first_failure.message[0] && !r->record->pte_entry) {
    if (error)
      *error = r->first_failure;
    return ETR_ERROR_FORMAT;
  }
  if (r->graphs.count == 0 && !r->record->pte_entry)
    return etr_fail(error, ETR_ERROR_FORMAT, r->path, NULL, ETR_NO_OFFSET,
                    "the ETRecord holds no program; saving it may have failed half-way");
  name_graphs(r);
  make_names_unique(r);
  etr_warn_of_cut_names(r->warnings, r->path, r->cut_entry, &r->strings.cut);
  r->record->graphs = r->graphs.data;
  r->record->graph_count = r->graphs.count;
  return ETR_OK;
}

etr_status etr_record_read(etr_record *out, etr_arena *arena, const char *path,
                           const etr_record_limits *limits, etr_warnings *warnings,
                           etr_error *error) {
  reader r = {
      .record = out,
      .arena = arena,
      .path = path,
      .limits = *limits,
      .warnings = warnings,
  };
  *out = (etr_record){0};
  etr_map_init(&r.strings, arena);
  ETR_TRY(etr_archive_open(&r.archive, path, error));
  etr_status status = read_all_entries(&r, error);
  etr_archive_close(r.archive);
  if (etr_arena_failed(arena))
    return etr_fail_memory_of(error, path, NULL);
  return status;
}
