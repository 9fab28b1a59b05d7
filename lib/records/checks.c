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

/* The debug handles that the nodes of a graph have. */
static void collect_handles(etr_map *out, const etr_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++) {
    const uint32_t *handle = &graph->nodes[i].debug_handle;
    if (*handle) etr_map_set(out, (etr_slice){(const char *)handle, sizeof *handle}, 1);
  }
}

static void count_handles(tally *t, const etr_map *known, int32_t instruction, const uint32_t *handles,
                          size_t handle_count) {
  for (size_t i = 0; i < handle_count; i++) {
    etr_slice key = {(const char *)&handles[i], sizeof handles[i]};
    count(t, handles[i] != 0 && etr_map_get(known, key) == ETR_NONE, instruction, handles[i]);
  }
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
  etr_map known;
  etr_arena scratch = {0};
  tally of_handles = {0};
  etr_map_init(&known, &scratch);
  collect_handles(&known, graph);
  for (size_t i = 0; i < map->instruction_count; i++) {
    const etr_map_instruction *instruction = &map->instructions[i];
    count_handles(&of_handles, &known, instruction->id, instruction->handles, instruction->handle_count);
  }
  add_unknown_handles(flaws, &of_handles, graph);
  flaws->arena->failed |= scratch.failed;
  etr_arena_clear(&scratch);
}

/* Instructions of one that the other does not have say nothing: a constant needs none. */
static void check_method(etr_flaws *flaws, const etr_record *record, const etr_map_method *map) {
  const etr_graph *graph = edge_graph(record, map->name);
  if (graph)
    check_handles(flaws, map, graph);
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
