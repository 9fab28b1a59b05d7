/* SPDX-License-Identifier: BSD-3-Clause
 *
 * checks.c - method by method. Of many like flaws the first is told, and how many there are.
 */
#include "records/checks.h"

#include <inttypes.h>
#include <stdio.h>

#define HANDLES "debug_handle_map"
#define DELEGATES "delegate_map"

static const char of_instructions[] = "their times are on no node, or on a wrong one";

void etr_flaws_add(etr_flaws *flaws, etr_flaw_kind kind, const char *entry, const char *suffers, const char *format,
                   ...) {
  char what[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  etr_flaw *flaw = etr_vec_push(flaws->arena, &flaws->list);
  if (!flaw) return;
  *flaw = (etr_flaw){.kind = kind,
                     .entry = etr_arena_copy(flaws->arena, etr_slice_of(entry)),
                     .offset = ETR_NO_OFFSET,
                     .what = etr_arena_text(flaws->arena, etr_slice_of(what)),
                     .suffers = suffers};
}

/* Like flaws: how many, and where the first is. */
typedef struct tally {
  size_t count, of;
  int32_t instruction;
  uint32_t handle;
} tally;

static void count(tally *t, bool is_flaw, int32_t instruction, uint32_t handle) {
  t->of++;
  if (!is_flaw) return;
  if (t->count++) return;
  t->instruction = instruction;
  t->handle = handle;
}

/* ---- Graphs ---- */

static const etr_graph *edge_graph(const etr_record *record, const char *method) {
  for (size_t i = 0; i < record->graph_count; i++) {
    const etr_graph *graph = &record->graphs[i];
    if (strcmp(graph->module, "edge") == 0 && strcmp(graph->method, method) == 0) return graph;
  }
  return NULL;
}

static const etr_map_method *map_of(const etr_record *record, const char *method) {
  for (size_t i = 0; i < record->method_count; i++)
    if (strcmp(record->methods[i].name, method) == 0) return &record->methods[i];
  return NULL;
}

/* A debug handle that nodes have, and the most results that one of these nodes has. */
typedef struct node_handle {
  uint32_t handle;
  size_t output_count;
} node_handle;

static int compare_handles(const void *a, const void *b) {
  const node_handle *x = a, *y = b;
  if (x->handle != y->handle) return x->handle < y->handle ? -1 : 1;
  return (x->output_count > y->output_count) - (x->output_count < y->output_count);
}

/* The handles that a graph's nodes have, in ascending order. */
typedef struct node_handles {
  node_handle *data;
  size_t count;
  bool has_getitems; /* there are handles of getitem nodes among those of the map */
} node_handles;

/* Up to 1.1 a record had one Edge program, whose entry names no method. */
static bool is_only_program(const etr_graph *graph) { return strcmp(graph->entry, ETR_EDGE_ENTRY) == 0; }

static void collect_handles(node_handles *out, etr_arena *arena, const etr_graph *graph) {
  *out = (node_handles){.data = etr_arena_alloc_array(arena, graph->node_count + 1, sizeof *out->data),
                        .has_getitems = is_only_program(graph)};
  for (size_t i = 0; out->data && i < graph->node_count; i++)
    if (graph->nodes[i].debug_handle)
      out->data[out->count++] = (node_handle){graph->nodes[i].debug_handle, graph->nodes[i].output_count};
  if (out->count) etr_sort(out->data, out->count, sizeof *out->data, compare_handles);
}

/* The last one up to `handle`, or NULL. */
static const node_handle *find_handle(const node_handles *known, uint32_t handle) {
  size_t from = 0, to = known->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (known->data[middle].handle <= handle)
      from = middle + 1;
    else
      to = middle;
  }
  return from ? &known->data[from - 1] : NULL;
}

/* Whether a node has the handle. torch.export stores no getitem nodes. Up to 0.7 these had handles of their own, which
 * come right behind that of the operator whose results they take. */
static bool is_known(const node_handles *known, uint32_t handle) {
  const node_handle *nearest = find_handle(known, handle);
  if (!nearest || nearest->handle == handle) return nearest;
  return known->has_getitems && nearest->output_count > 1 && handle - nearest->handle <= nearest->output_count;
}

static void count_handles(tally *t, const node_handles *known, int32_t instruction, const uint32_t *handles,
                          size_t handle_count) {
  for (size_t i = 0; i < handle_count; i++)
    count(t, handles[i] != 0 && !is_known(known, handles[i]), instruction, handles[i]);
}

/* A graph that was recorded after it was lowered no longer has every node. */
static bool is_lowered(const etr_graph *graph) {
  for (size_t i = 0; i < graph->subgraph_count; i++)
    if (graph->subgraphs[i].kind == ETR_SUBGRAPH_LOWERED) return true;
  return false;
}

static void add_unknown_handles(etr_flaws *flaws, const tally *t, const etr_graph *graph) {
  if (t->count)
    etr_flaws_add(flaws, is_lowered(graph) ? ETR_FLAW_MISSING : ETR_FLAW_MISMATCH, HANDLES, of_instructions,
                  "%s: %zu of %zu debug handles are of no node; the first is %" PRIu32 ", of instruction %" PRId32,
                  graph->method, t->count, t->of, t->handle, t->instruction);
}

static void check_handles(etr_flaws *flaws, const etr_map_method *map, const etr_graph *graph) {
  node_handles known;
  etr_arena scratch = {0};
  tally of_handles = {0};
  collect_handles(&known, &scratch, graph);
  for (size_t i = 0; i < map->instruction_count; i++) {
    const etr_map_instruction *instruction = &map->instructions[i];
    count_handles(&of_handles, &known, instruction->id, instruction->handles, instruction->handle_count);
  }
  add_unknown_handles(flaws, &of_handles, graph);
  flaws->arena->failed |= scratch.failed;
  etr_arena_clear(&scratch);
}

/* Whether the library that wrote the record stores the Edge program of one method alone. */
static bool stores_one_method(const etr_record *record) {
  for (size_t i = 0; i < record->graph_count; i++)
    if (is_only_program(&record->graphs[i])) return true;
  return false;
}

/* Instructions of one that the other does not have say nothing: a constant needs none. */
static void check_method(etr_flaws *flaws, const etr_record *record, const etr_map_method *map) {
  const etr_graph *graph = edge_graph(record, map->name);
  if (graph)
    check_handles(flaws, map, graph);
  else if (map->instruction_count && stores_one_method(record))
    etr_flaws_add(flaws, ETR_FLAW_MISSING, HANDLES, "its times cannot be joined to nodes",
                  "method %s has no Edge program: ExecuTorch stores that of one method before version 1.2", map->name);
  else if (map->instruction_count && record->graph_count)
    etr_flaws_add(flaws, ETR_FLAW_MISMATCH, HANDLES, "its times cannot be joined to nodes",
                  "method %s has no Edge program", map->name);
}

static bool computes(const etr_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].debug_handle) return true;
  return false;
}

static bool has_ancestors(const etr_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].aten_node) return true;
  return !computes(graph);
}

void etr_check_graphs(etr_flaws *flaws, const etr_record *record) {
  bool has_edge = false, reaches_aten = false;
  for (size_t i = 0; i < record->method_count; i++) check_method(flaws, record, &record->methods[i]);
  for (size_t i = 0; i < record->graph_count; i++) {
    const etr_graph *graph = &record->graphs[i];
    if (strcmp(graph->module, "edge") != 0) continue;
    has_edge = true;
    reaches_aten |= has_ancestors(graph);
    if (record->has_handle_map && computes(graph) && !map_of(record, graph->method))
      etr_flaws_add(flaws, record->method_count ? ETR_FLAW_MISMATCH : ETR_FLAW_MISSING, HANDLES,
                    "its times cannot be joined to nodes", "it has no method %s", graph->method);
  }
  if (has_edge && record->export_graph_id && !reaches_aten)
    etr_flaws_add(flaws, ETR_FLAW_MISMATCH, "export_graph_id", etr_entry_loss(ETR_ENTRY_GRAPH_ID),
                  "no Edge node comes from graph %s", record->export_graph_id);
}

/* ---- The program ---- */

static const etr_pte_method *pte_method(const etr_pte *pte, const char *name) {
  for (size_t i = 0; i < pte->method_count; i++)
    if (strcmp(pte->methods[i].name, name) == 0) return &pte->methods[i];
  return NULL;
}

/* What the program calls in that place; NULL if it is no call of a delegate. */
static const char *backend_at(const etr_pte_method *method, int32_t id) {
  const etr_instruction *instruction = &method->instructions[id];
  bool is_call = instruction->kind == ETR_INSTRUCTION_DELEGATE && instruction->delegate >= 0 &&
                 (size_t)instruction->delegate < method->delegate_count;
  return is_call ? method->delegates[instruction->delegate].backend : NULL;
}

static void check_instructions(etr_flaws *flaws, const etr_map_method *map, const etr_pte_method *method) {
  tally beyond = {0}, other = {0};
  for (size_t i = 0; i < map->instruction_count; i++) {
    const etr_map_instruction *told = &map->instructions[i];
    bool is_there = told->id >= 0 && (size_t)told->id < method->instruction_count;
    const char *backend = is_there ? backend_at(method, told->id) : NULL;
    count(&beyond, !is_there, told->id, 0);
    if (is_there && told->is_delegate)
      count(&other, !backend || (told->backend && strcmp(backend, told->backend) != 0), told->id, 0);
  }
  if (beyond.count)
    etr_flaws_add(flaws, ETR_FLAW_MISMATCH, HANDLES, of_instructions,
                  "%s: the program does not have %zu of %zu instructions; the first is %" PRId32, map->name,
                  beyond.count, beyond.of, beyond.instruction);
  if (other.count)
    etr_flaws_add(flaws, ETR_FLAW_MISMATCH, DELEGATES, of_instructions,
                  "%s: the program has no such call of a delegate at %zu of %zu instructions; the first is %" PRId32,
                  map->name, other.count, other.of, other.instruction);
}

static void check_unmapped(etr_flaws *flaws, const etr_record *record, const etr_pte_method *method,
                           const char *place) {
  const etr_map_method *map = map_of(record, method->name);
  tally calls = {0};
  if (!map && edge_graph(record, method->name))
    etr_flaws_add(flaws, ETR_FLAW_MISMATCH, place, "its times cannot be joined to nodes",
                  "debug_handle_map has no method %s", method->name);
  for (size_t i = 0; map && i < method->instruction_count; i++) {
    const etr_map_instruction *told = etr_maps_find(map, (int32_t)i);
    if (backend_at(method, (int32_t)i)) count(&calls, !told || !told->is_delegate, (int32_t)i, 0);
  }
  if (calls.count && record->has_delegate_map)
    etr_flaws_add(flaws, ETR_FLAW_MISMATCH, DELEGATES, etr_entry_loss(ETR_ENTRY_DELEGATE_MAP),
                  "%s: %zu of the program's %zu calls of delegates are missing; the first is instruction %" PRId32,
                  method->name, calls.count, calls.of, calls.instruction);
}

void etr_check_program(etr_flaws *flaws, const etr_record *record, const etr_pte *pte, const char *place) {
  for (size_t i = 0; i < record->method_count; i++) {
    const etr_map_method *map = &record->methods[i];
    const etr_pte_method *method = pte_method(pte, map->name);
    if (method)
      check_instructions(flaws, map, method);
    else if (map->instruction_count)
      etr_flaws_add(flaws, ETR_FLAW_MISMATCH, HANDLES, "its times cannot be joined exactly",
                    "the program has no method %s", map->name);
  }
  for (size_t i = 0; i < pte->method_count; i++) check_unmapped(flaws, record, &pte->methods[i], place);
}
