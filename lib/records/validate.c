/* SPDX-License-Identifier: BSD-3-Clause
 *
 * validate.c - a record entry by entry, and as a whole.
 */
#include "etrecord_file.h"
#include "formats/archive.h"
#include "inputs/method.h"
#include "inputs/program.h"
#include "inputs/program_values.h"
#include "inputs/pte.h"
#include "inputs/record.h"
#include "inputs/torch_archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- What a record's parts say of each other: maps, graphs and the program ---- */

/* Flaws that are being found, in an arena. */
typedef struct etr_flaws {
  etr_arena *arena;
  etr_vec(etr_flaw) list;
} etr_flaws;

#define HANDLES "debug_handle_map"
#define DELEGATES "delegate_map"

static const char of_instructions[] = "their times are on no node, or on a wrong one";

/* Adds a flaw of an entry to flaws->list. `suffers`, a static text that is not copied, says what
 * the flaw makes worse for the user; `format` says what is wrong, of which the first 511 bytes
 * count. When out of memory, the arena has failed. */
static void add_flaw(etr_flaws *flaws, etr_flaw_kind kind, const char *entry, const char *suffers,
                     const char *format, ...) {
  char what[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  const char *entry_text = etr_arena_copy(flaws->arena, etr_slice_of(entry));
  const char *what_text = etr_arena_text(flaws->arena, etr_slice_of(what));
  etr_flaw *flaw = entry_text && what_text ? etr_vec_push(flaws->arena, &flaws->list) : NULL;
  if (!flaw)
    return;
  *flaw = (etr_flaw){.kind = kind,
                     .entry = entry_text,
                     .offset = ETR_NO_OFFSET,
                     .what = what_text,
                     .suffers = suffers};
}

/* How many of the cases that were checked are a flaw, and where the first of these is. */
typedef struct tally {
  size_t count, of;
  int32_t instruction;
  uint32_t handle;
} tally;

/* Counts a case that was checked, and if it is a flaw, counts it as one. Keeps instruction and
 * debug handle (0 if it does not matter) of the first flaw, which the message names as an example.
 */
static void count_case(tally *counts, bool is_flaw, int32_t instruction, uint32_t handle) {
  counts->of++;
  if (!is_flaw)
    return;
  if (counts->count++)
    return;
  counts->instruction = instruction;
  counts->handle = handle;
}

/* ---- Graphs ---- */

/* Returns the Edge graph of a method; NULL if there is none. */
static const etr_graph *edge_graph_of(const etr_record *record, const char *method) {
  for (size_t i = 0; i < record->graph_count; i++) {
    const etr_graph *graph = &record->graphs[i];
    if (strcmp(graph->module, "edge") == 0 && strcmp(graph->method, method) == 0)
      return graph;
  }
  return NULL;
}

/* Returns the handle map of a method; NULL if the record's maps do not have the method. */
static const etr_map_method *map_of_method(const etr_record *record, const char *method) {
  for (size_t i = 0; i < record->method_count; i++)
    if (strcmp(record->methods[i].name, method) == 0)
      return &record->methods[i];
  return NULL;
}

/* A debug handle of nodes, and the largest number of results of a node with this handle. */
typedef struct node_handle {
  uint32_t handle;
  size_t output_count;
} node_handle;

/* Orders nodes by handle, then by number of outputs, so that of nodes with one handle the one with
 * most outputs is last. */
static int by_handle_and_outputs(const void *a, const void *b) {
  const node_handle *x = a, *y = b;
  if (x->handle != y->handle)
    return x->handle < y->handle ? -1 : 1;
  return (x->output_count > y->output_count) - (x->output_count < y->output_count);
}

/* The handles that a graph's nodes have, in ascending order. */
typedef struct node_handles {
  node_handle *data;
  size_t count;
  bool has_getitems; /* the map also has handles of getitem nodes */
} node_handles;

/* Returns true for the Edge program of a record up to 1.1, which had one, whose entry names no
 * method. */
static bool is_only_program(const etr_graph *graph) {
  return strcmp(graph->entry, ETR_EDGE_ENTRY) == 0;
}

/* Returns true if a node of the graph has the handle, or if a getitem node may have had it, because
 * torch.export does not store getitem nodes: up to 0.7 these had handles of their own, one for each
 * result of an operator, which follow the operator's handle. has_getitems says that the map may be
 * of such a version. */
static bool has_node_with_handle(const node_handles *handles, uint32_t handle) {
  /* A binary search for the last handle that is not above `handle`. */
  size_t from = 0, to = handles->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (handles->data[middle].handle <= handle)
      from = middle + 1;
    else
      to = middle;
  }
  const node_handle *nearest = from ? &handles->data[from - 1] : NULL;
  if (!nearest || nearest->handle == handle)
    return nearest;
  return handles->has_getitems && nearest->output_count > 1 &&
         handle - nearest->handle <= nearest->output_count;
}

/* Returns true for a graph that was recorded after lowering, which has lowered subgraphs and no
 * longer has every node. */
static bool is_lowered(const etr_graph *graph) {
  for (size_t i = 0; i < graph->subgraph_count; i++)
    if (graph->subgraphs[i].kind == ETR_SUBGRAPH_LOWERED)
      return true;
  return false;
}

/* Lists the debug handles of a graph's nodes in the scratch arena, in ascending order; nodes
 * without one (0) are left out. When out of memory, the arena has failed, and the list is empty. */
static node_handles list_node_handles(const etr_graph *graph, etr_arena *scratch) {
  node_handles list = {
      .data = etr_arena_alloc_array(scratch, graph->node_count + 1, sizeof *list.data),
      .has_getitems = is_only_program(graph)};
  for (size_t i = 0; list.data && i < graph->node_count; i++)
    if (graph->nodes[i].debug_handle)
      list.data[list.count++] = (node_handle){graph->nodes[i].debug_handle,
                                              graph->nodes[i].output_count};
  if (list.count)
    etr_sort(list.data, list.count, sizeof *list.data, by_handle_and_outputs);
  return list;
}

/* Adds a flaw if debug handles of the map (other than 0) belong to no node of the graph. A graph
 * that was recorded after lowering lacks nodes, so the flaw is then that something is missing, and
 * no mismatch. When out of memory, the arena of the flaws has failed. */
static void find_unknown_handles(etr_flaws *flaws, const etr_map_method *map,
                                 const etr_graph *graph) {
  etr_arena scratch = {0};
  tally of_handles = {0};
  const node_handles node_list = list_node_handles(graph, &scratch);
  for (size_t i = 0; i < map->instruction_count; i++) {
    const etr_map_instruction *instruction = &map->instructions[i];
    const uint32_t *handles = instruction->handles;
    for (size_t k = 0; k < instruction->handle_count; k++)
      count_case(&of_handles, handles[k] != 0 && !has_node_with_handle(&node_list, handles[k]),
                 instruction->id, handles[k]);
  }
  if (of_handles.count)
    add_flaw(
        flaws, is_lowered(graph) ? ETR_FLAW_MISSING : ETR_FLAW_MISMATCH, HANDLES, of_instructions,
        "%s: %zu of %zu debug handles are of no node; the first is %" PRIu32
        ", of instruction %" PRId32,
        graph->method, of_handles.count, of_handles.of, of_handles.handle, of_handles.instruction);
  flaws->arena->failed |= scratch.failed;
  etr_arena_clear(&scratch);
}

/* Returns true if the version that wrote the record stores the Edge program of only one method,
 * which is up to 1.1: then a method without a graph is no contradiction. */
static bool stores_one_method(const etr_record *record) {
  for (size_t i = 0; i < record->graph_count; i++)
    if (is_only_program(&record->graphs[i]))
      return true;
  return false;
}

/* Returns true if a node of the graph has a debug handle (other than 0), so that the method
 * computes something that the map must have. */
static bool has_debug_handles(const etr_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].debug_handle)
      return true;
  return false;
}

/* Returns true if a node of the graph says from which ATen node it comes, or if there is no node
 * that should, since none has a debug handle. */
static bool has_ancestors(const etr_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].aten_node)
      return true;
  return !has_debug_handles(graph);
}

/* Adds flaws where the handle map of a method does not fit its Edge graph: a graph whose nodes were
 * changed after the map was made (is_changed), handles of no node, or no graph. A map without
 * instructions needs no graph, because the method only returns constants. Without any graph nothing
 * is said here: the entry is missing. */
static void compare_map_with_graph(etr_flaws *flaws, const etr_record *record,
                                   const etr_map_method *map) {
  const etr_graph *graph = edge_graph_of(record, map->name);
  if (graph && graph->is_changed)
    add_flaw(flaws, ETR_FLAW_MISMATCH, graph->entry,
             "its times are joined by the program's order, or not at all", ETR_CHANGED_PROGRAM);
  else if (graph)
    find_unknown_handles(flaws, map, graph);
  else if (map->instruction_count && stores_one_method(record))
    add_flaw(
        flaws, ETR_FLAW_MISSING, HANDLES, "its times cannot be joined to nodes",
        "method %s has no Edge program: ExecuTorch stores that of one method before version 1.2",
        map->name);
  else if (map->instruction_count && record->graph_count)
    add_flaw(flaws, ETR_FLAW_MISMATCH, HANDLES, "its times cannot be joined to nodes",
             "method %s has no Edge program", map->name);
}

/* Adds flaws where maps and graphs do not fit: methods or handles that only one of them has, and
 * export_graph_id, if no Edge node comes from that ATen graph. A map without any method counts as
 * missing, one that lacks some as a mismatch. */
static void compare_maps_with_graphs(etr_flaws *flaws, const etr_record *record) {
  bool has_edge = false, reaches_aten = false;
  for (size_t i = 0; i < record->method_count; i++)
    compare_map_with_graph(flaws, record, &record->methods[i]);
  for (size_t i = 0; i < record->graph_count; i++) {
    const etr_graph *graph = &record->graphs[i];
    if (strcmp(graph->module, "edge") != 0)
      continue;
    has_edge = true;
    reaches_aten |= has_ancestors(graph);
    if (record->has_handle_map && has_debug_handles(graph) && !map_of_method(record, graph->method))
      add_flaw(flaws, record->method_count ? ETR_FLAW_MISMATCH : ETR_FLAW_MISSING, HANDLES,
               "its times cannot be joined to nodes", "it has no method %s", graph->method);
  }
  if (has_edge && record->export_graph_id && !reaches_aten)
    add_flaw(flaws, ETR_FLAW_MISMATCH, "export_graph_id", etr_entry_loss(ETR_ENTRY_GRAPH_ID),
             "no Edge node comes from graph %s", record->export_graph_id);
}

/* ---- The program ---- */

/* Returns the program's method of a name; NULL if there is none. */
static const etr_pte_method *pte_method(const etr_pte *pte, const char *name) {
  for (size_t i = 0; i < pte->method_count; i++)
    if (strcmp(pte->methods[i].name, name) == 0)
      return &pte->methods[i];
  return NULL;
}

/* Adds flaws if the program lacks instructions of the handle map, or does not call the delegates
 * there that the map says. A map entry without a backend allows any delegate. Messages say how many
 * instructions are concerned, of how many that were checked, and which is the first. */
static void find_missing_instructions(etr_flaws *flaws, const etr_map_method *map,
                                      const etr_pte_method *method) {
  tally missing = {0}, other_backend = {0};
  for (size_t i = 0; i < map->instruction_count; i++) {
    const etr_map_instruction *map_entry = &map->instructions[i];
    const etr_instruction *there = etr_instruction_at(method, map_entry->id);
    const etr_pte_delegate *delegate = etr_delegate_of(method, there);
    count_case(&missing, !there, map_entry->id, 0);
    if (there && map_entry->is_delegate)
      count_case(&other_backend,
                 !delegate ||
                     (map_entry->backend && strcmp(delegate->backend, map_entry->backend) != 0),
                 map_entry->id, 0);
  }
  if (missing.count)
    add_flaw(flaws, ETR_FLAW_MISMATCH, HANDLES, of_instructions,
             "%s: the program does not have %zu of %zu instructions; the first is %" PRId32,
             map->name, missing.count, missing.of, missing.instruction);
  if (other_backend.count)
    add_flaw(flaws, ETR_FLAW_MISMATCH, DELEGATES, of_instructions,
             "%s: the program has no such call of a delegate at %zu of %zu instructions; the "
             "first is %" PRId32,
             map->name, other_backend.count, other_backend.of, other_backend.instruction);
}

/* Adds flaws if the handle map lacks a method of the program that has an Edge graph, or has the
 * method but lacks calls of delegates. Calls in the bodies of cond, map and scan are in no map, so
 * they are not counted unless the map has them. `path_or_entry` is where the program is. */
static void find_unmapped_calls(etr_flaws *flaws, const etr_record *record,
                                const etr_pte_method *method, const char *path_or_entry) {
  const etr_map_method *map = map_of_method(record, method->name);
  tally calls = {0};
  if (!map && edge_graph_of(record, method->name))
    add_flaw(flaws, ETR_FLAW_MISMATCH, path_or_entry, "its times cannot be joined to nodes",
             "debug_handle_map has no method %s", method->name);
  const bool *is_in_body = map ? etr_pte_find_bodies(method, flaws->arena) : NULL;
  for (size_t i = 0; is_in_body && i < method->instruction_count; i++) {
    const etr_map_instruction *map_entry = etr_maps_find(map, (int32_t)i);
    if (etr_delegate_of(method, &method->instructions[i]) && (map_entry || !is_in_body[i]))
      count_case(&calls, !map_entry || !map_entry->is_delegate, (int32_t)i, 0);
  }
  if (calls.count && record->has_delegate_map)
    add_flaw(flaws, ETR_FLAW_MISMATCH, DELEGATES, etr_entry_loss(ETR_ENTRY_DELEGATE_MAP),
             "%s: %zu of the program's %zu calls of delegates are missing; the first is "
             "instruction %" PRId32,
             method->name, calls.count, calls.of, calls.instruction);
}

/* ---- A record entry by entry, and as a whole ---- */

static const char by_executorch[] = "ExecuTorch's parse_etrecord() raises";

/* The validation that is returned, and what is needed to make it. */
typedef struct validator {
  etr_validation validation; /* must be first, because the caller has a pointer to it */
  etr_arena arena;
  etr_flaws flaws;
  etr_archive *archive;
  const char *path;
} validator;

const char *etr_flaw_kind_name(etr_flaw_kind kind) {
  static const char *const names[] = {"damage", "mismatch", "missing"};
  return names[kind];
}

/* ---- Entries ---- */

static etr_entry_kind kind_of(const char *name) {
  return etr_entry_kind_of(name, ETR_EDGE_ENTRY);
}

/* Returns what is worse if an entry is missing or damaged, for the user. */
static const char *loss_of_entry(const char *name) {
  etr_entry_kind kind = kind_of(name);
  return kind == ETR_ENTRY_WEIGHTS ? by_executorch : etr_entry_loss(kind);
}

/* Adds a flaw for an entry that cannot be read, for the reason that `failure` says, with its offset
 * in the entry. suffers: as in add_flaw(). The flaw that was added last is the entry's. */
static void add_damage_that_loses(validator *v, const etr_error *failure, const char *entry,
                                  const char *suffers) {
  add_flaw(&v->flaws, ETR_FLAW_DAMAGE, entry, suffers, "%s", failure->message);
  if (v->flaws.list.count)
    v->flaws.list.data[v->flaws.list.count - 1].offset = failure->offset;
}

/* Adds the same for an entry of the ETRecord, whose name says what is lost with it. */
static void add_damage(validator *v, const etr_error *failure, const char *entry) {
  add_damage_that_loses(v, failure, entry, loss_of_entry(entry));
}

/* Reads every byte of an entry, so that its CRC is checked, and adds to the validation's number of
 * entries and of (uncompressed) bytes. Damage is a flaw, and no failure. Fails if the entry cannot
 * be read for another reason. */
static etr_status check_bytes_of_entry(validator *v, size_t index, etr_error *error) {
  etr_archive_entry *entry;
  etr_error failure = {.offset = ETR_NO_OFFSET};
  etr_status status = etr_archive_entry_open(&entry, v->archive, index, 0, &failure);
  char piece[4096];
  for (int64_t size = 1; status == ETR_OK && size > 0;) {
    size = etr_archive_entry_read(entry, piece, sizeof piece);
    v->validation.byte_count += size > 0 ? (uint64_t)size : 0;
  }
  if (status == ETR_OK)
    status = etr_archive_entry_finish(entry, &failure);
  etr_archive_entry_close(entry);
  v->validation.entry_count++;
  if (status == ETR_ERROR_FORMAT)
    add_damage(v, &failure, etr_archive_name(v->archive, index));
  if (status == ETR_OK || status == ETR_ERROR_FORMAT)
    return ETR_OK;
  if (error)
    *error = failure;
  return status;
}

static bool has_entry(const validator *v, const char *name) {
  return name && etr_archive_find(v->archive, name) != SIZE_MAX;
}

/* Returns whether a flaw says that an entry is damaged. */
static bool is_damaged(const validator *v, const char *entry) {
  for (size_t i = 0; i < v->flaws.list.count; i++)
    if (v->flaws.list.data[i].kind == ETR_FLAW_DAMAGE &&
        strcmp(v->flaws.list.data[i].entry, entry) == 0)
      return true;
  return false;
}

/* Adds a flaw if the entry reference_outputs, which torch.save or pickle wrote, is damaged. An
 * entry that is known to be damaged is not looked at again. Fails only when out of memory:
 * check_bytes_of_entry() has read all bytes and reported other failures. */
static etr_status check_reference_outputs(validator *v, etr_error *error) {
  static const char name[] = "reference_outputs";
  etr_error failure = {.offset = ETR_NO_OFFSET};
  etr_torch_archive archive;
  etr_file file;
  if (!has_entry(v, name) || is_damaged(v, name))
    return ETR_OK;
  size_t index = etr_archive_find(v->archive, name);
  etr_status status = etr_archive_read(&file, v->archive, index, ETR_MOST_TORCH_BYTES, &failure);
  if (status == ETR_OK)
    status = etr_torch_open(&archive, etr_file_bytes(&file), v->path, name, &failure);
  if (status == ETR_OK)
    etr_torch_close(&archive);
  etr_file_clear(&file);
  if (status == ETR_ERROR_FORMAT)
    add_damage(v, &failure, name);
  return status == ETR_ERROR_MEMORY ? etr_fail_memory(error) : ETR_OK;
}

/* ---- The parts together ---- */

#define LEFT_OUT "; left out"

/* Adds a flaw for each warning of the record's reader about an entry whose bytes are complete, but
 * whose content is wrong: entries that are known to be damaged are passed over, and so are unknown
 * ones. The end of the message that says that the reader leaves the entry out (LEFT_OUT) is cut,
 * because the flaw says what is lost. */
static void add_damage_of_warnings(validator *v, const etr_warnings *warnings) {
  for (size_t i = 0; i < warnings->list.count; i++) {
    const etr_warning *w = &warnings->list.data[i];
    if (!w->entry || is_damaged(v, w->entry) || kind_of(w->entry) == ETR_ENTRY_UNKNOWN)
      continue;
    etr_error failure;
    size_t size = strlen(w->message) -
                  (etr_slice_ends(etr_slice_of(w->message), ETR_SLICE(LEFT_OUT))
                       ? sizeof LEFT_OUT - 1
                       : 0);
    (void)etr_fail(&failure, ETR_ERROR_FORMAT, NULL, NULL, w->offset, "%.*s", (int)size,
                   w->message);
    if (has_entry(v, w->entry))
      add_damage(v, &failure, w->entry);
  }
}

/* Adds flaws where the record's maps and graphs do not fit the methods of the program.
 * `path_or_entry` is where the program is, for messages. A map without instructions needs no
 * method. */
static void compare_with_program(validator *v, const etr_record *record, const etr_pte *pte,
                                 const char *path_or_entry) {
  for (size_t i = 0; i < record->method_count; i++) {
    const etr_map_method *map = &record->methods[i];
    const etr_pte_method *method = pte_method(pte, map->name);
    if (method)
      find_missing_instructions(&v->flaws, map, method);
    else if (map->instruction_count)
      add_flaw(&v->flaws, ETR_FLAW_MISMATCH, HANDLES, "its times cannot be joined exactly",
               "the program has no method %s", map->name);
  }
  for (size_t i = 0; i < pte->method_count; i++) {
    const etr_graph *graph = edge_graph_of(record, pte->methods[i].name);
    const char *unlike = graph ? etr_program_unlike(graph, &pte->methods[i], &v->arena) : NULL;
    const char *lacks = graph && !unlike ? etr_program_lacks(graph, &pte->methods[i], &v->arena)
                                         : NULL;
    find_unmapped_calls(&v->flaws, record, &pte->methods[i], path_or_entry);
    if (unlike || lacks)
      add_flaw(&v->flaws, ETR_FLAW_MISMATCH, graph->entry,
               unlike ? of_instructions : "the graph is not what ran", "%s",
               unlike ? unlike : lacks);
  }
}

/* Compares the program, inputs->pte or else the one in the record, with the record's maps, and sets
 * validation.pte to where it is; does nothing without a program. A program that is damaged, or of
 * which more than 16 GiB must be read, is a flaw, and no failure. Fails if it cannot be read, or
 * when out of memory. */
static etr_status check_pte(validator *v, const etr_record *record, const etr_inputs *inputs,
                            etr_error *error) {
  static const etr_pte_limits limits = {.max_bytes = (uint64_t)16 << 30};
  const char *entry = inputs->pte ? NULL : record->pte_entry,
             *path_or_entry = entry ? entry : inputs->pte;
  etr_pte pte;
  etr_error failure = {.offset = ETR_NO_OFFSET};
  if (!path_or_entry || is_damaged(v, path_or_entry))
    return ETR_OK;
  v->validation.pte = etr_arena_copy(&v->arena, etr_slice_of(path_or_entry));
  etr_status status = entry ? etr_pte_read_entry(&pte, &v->arena, v->path, entry, &limits, &failure)
                            : etr_pte_read_file(&pte, &v->arena, path_or_entry, &limits, &failure);
  if (status == ETR_OK)
    compare_with_program(v, record, &pte, path_or_entry);
  etr_file_clear(&pte.file);
  if (status == ETR_ERROR_FORMAT) {
    add_damage_that_loses(v, &failure, path_or_entry, etr_entry_loss(ETR_ENTRY_PTE));
  } else if (status != ETR_OK && error)
    *error = failure;
  return status == ETR_ERROR_FORMAT ? ETR_OK : status;
}

/* Adds a flaw for each kind of entry (a bit) that the record lacks, and for a missing program,
 * which is the last kind. The flaw of the program names no entry (""), because the program may also
 * be a file. */
static void add_missing_entries(validator *v, const etr_record *record) {
  unsigned missing = etr_record_missing(record);
  if (!v->validation.pte)
    missing |= ETR_ENTRY_PTE;
  for (unsigned kind = 1; kind <= ETR_ENTRY_PTE; kind <<= 1) {
    const char *name = etr_entry_name((etr_entry_kind)kind);
    if (kind == ETR_ENTRY_EDGE_PROGRAM)
      name = ETR_EDGE_ENTRY;
    if (missing & kind)
      add_flaw(&v->flaws, ETR_FLAW_MISSING, kind == ETR_ENTRY_PTE ? "" : name,
               etr_entry_loss((etr_entry_kind)kind),
               kind == ETR_ENTRY_PTE ? "there is no program (.pte)" : "the entry is missing");
  }
}

/* Reads the record as a profile does, and adds flaws for what its entries say about each other and
 * about the program, and for those that are missing. A record that is too damaged to be read gets a
 * flaw for that, unless it has one, and no further checks, which counts as success. Fails when out
 * of memory, or if a file cannot be read. */
static etr_status check_parts(validator *v, const etr_inputs *inputs, etr_error *error) {
  etr_record record;
  etr_warnings warnings = {.arena = &v->arena};
  etr_budget budget;
  const etr_record_limits limits = {.budget = &budget};
  etr_error failure = {.offset = ETR_NO_OFFSET};
  etr_budget_init(&budget);
  etr_status status = etr_record_read(&record, &v->arena, v->path, &limits, &warnings, &failure);
  add_damage_of_warnings(v, &warnings);
  if (status == ETR_ERROR_FORMAT) {
    if (!is_damaged(v, failure.entry))
      add_damage(v, &failure, failure.entry);
    return ETR_OK;
  }
  if (status != ETR_OK && error)
    *error = failure;
  if (status != ETR_OK)
    return status;
  compare_maps_with_graphs(&v->flaws, &record);
  ETR_TRY(check_pte(v, &record, inputs, error));
  add_missing_entries(v, &record);
  return ETR_OK;
}

/* ---- All of it ---- */

/* Orders flaws by kind, entry and text. */
static int by_kind_and_entry(const void *a, const void *b) {
  const etr_flaw *x = a, *y = b;
  if (x->kind != y->kind)
    return (x->kind > y->kind) - (x->kind < y->kind);
  int compared = strcmp(x->entry, y->entry);
  return compared ? compared : strcmp(x->what, y->what);
}

/* Adds flaws if an entry is unknown, if ExecuTorch's rules do not allow the name of its module, if
 * the program is missing to which an entry of weights, constants or example inputs belongs, or if
 * such an entry of a program is missing. The exported program and early programs contain a fixed
 * name by right. */
static void check_name_of_entry(validator *v, const char *name) {
  etr_entry_kind kind = kind_of(name);
  etr_slice program = etr_entry_program(etr_slice_of(name), NULL);
  if (kind == ETR_ENTRY_WEIGHTS && !has_entry(v, etr_arena_copy(&v->arena, program)))
    add_flaw(&v->flaws, ETR_FLAW_DAMAGE, name, "there is no graph of it",
             "the program that it belongs to is missing");
  bool is_early = strncmp(name, ETR_EARLY_ENTRY "/", sizeof ETR_EARLY_ENTRY) == 0;
  bool is_exported = strcmp(name, ETR_ATEN_ENTRY) == 0;
  if (kind == ETR_ENTRY_OTHER_PROGRAM && !is_exported && !is_early && etr_entry_is_reserved(name))
    add_flaw(&v->flaws, ETR_FLAW_MISMATCH, name, "ExecuTorch refuses such a module",
             "the name contains one of the ETRecord's own");
  for (int k = 0; kind & ETR_ENTRY_PROGRAM && k < ETR_SIBLINGS; k++) {
    const char *sibling = etr_arena_format(&v->arena, "%s%s", name, etr_sibling_suffixes[k]);
    if (sibling && !has_entry(v, sibling))
      add_flaw(&v->flaws, ETR_FLAW_MISSING, sibling, by_executorch, "the entry is missing");
  }
  if (kind == ETR_ENTRY_UNKNOWN)
    add_flaw(&v->flaws, ETR_FLAW_MISMATCH, name, by_executorch,
             "nothing is known about this entry");
}

/* Checks the names and contents of all entries, then how they fit together. Fails if the file is
 * no ETRecord or cannot be read, or when out of memory. */
static etr_status check_record(validator *v, const etr_inputs *inputs, etr_error *error) {
  v->validation.record = etr_arena_copy(&v->arena, etr_slice_of(v->path));
  ETR_TRY(etr_archive_open(&v->archive, v->path, error));
  if (!has_entry(v, ETR_IDENTIFIER_ENTRY))
    return etr_record_fail_identity(v->path, error);
  for (size_t i = 0; i < etr_archive_count(v->archive); i++) {
    check_name_of_entry(v, etr_archive_name(v->archive, i));
    ETR_TRY(check_bytes_of_entry(v, i, error));
  }
  ETR_TRY(check_reference_outputs(v, error));
  ETR_TRY(check_parts(v, inputs, error));
  if (etr_arena_failed(&v->arena))
    return etr_fail_memory(error);
  etr_sort(v->flaws.list.data, v->flaws.list.count, sizeof(etr_flaw), by_kind_and_entry);
  v->validation.flaws = v->flaws.list.data;
  v->validation.flaw_count = v->flaws.list.count;
  for (size_t i = 0; i < v->flaws.list.count; i++)
    v->validation.kind_counts[v->flaws.list.data[i].kind]++;
  return ETR_OK;
}

/* The validation is the first member of what is allocated here, and freed with it. */
etr_status etr_record_validate(etr_validation **out, const etr_inputs *inputs, etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  if (!inputs->etrecord)
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                    "there is no ETRecord to check (`info` says what an ETDump or a .pte has, and "
                    "whether it is whole)");
  validator *v = calloc(1, sizeof *v);
  if (!v)
    return etr_fail_memory(error);
  v->path = inputs->etrecord;
  v->flaws.arena = &v->arena;
  etr_status status = check_record(v, inputs, error);
  etr_archive_close(v->archive);
  v->archive = NULL;
  if (status == ETR_OK)
    *out = &v->validation;
  else
    etr_validation_close(&v->validation);
  return status;
}

/* The caller's pointer is that to the validator, whose first member the validation is. */
void etr_validation_close(etr_validation *validation) {
  validator *v = (validator *)validation;
  if (!v)
    return;
  etr_arena_clear(&v->arena);
  free(v);
}
