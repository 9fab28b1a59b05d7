/* SPDX-License-Identifier: BSD-3-Clause
 *
 * join_text.h - graphs, handle maps and dumps written as texts, small enough to check by hand.
 *
 *   nodes   "NAME TARGET HANDLE" joined by ';'; a leading '.' puts the node into the body of a
 * cond, and a '*' before the target wraps the operator; "=N": the graph updates N buffers map what
 * the handle map says of each instruction, joined by ';': "0: handle 1" of a kernel, "1:
 * SomeBackend of handles 1,2" of a delegate; ", its 7 is 2,1" behind that fills its delegate map:
 * id 7 has the handles 2,1 events  runs joined by '|', of "NAME@INSTRUCTION TICKS" joined by ';';
 * "ID#INSTRUCTION TICKS" is a delegate's own; no instruction: a framework event; '?' for ticks: an
 * event without a time
 */
#ifndef ETR_TEST_JOIN_TEXT_H
#define ETR_TEST_JOIN_TEXT_H

#include "join/placement.h"
#include "runs/runs.h"

#include <stdlib.h>

typedef struct method_text {
  const char *name, *nodes, *map;
} method_text;

enum { MAX_ITEMS = 32 };

/* Returns the next piece up to a separator; NULL at the end. */
static inline char *next_piece(char **rest, const char *separators) {
  char *piece;
  do
    piece = strtok_r(NULL, separators, rest);
  while (piece && !*piece);
  return piece;
}

static inline char *first_piece(etr_arena *arena, const char *text, const char *separators,
                                char **rest) {
  return strtok_r(etr_arena_copy(arena, etr_slice_of(text)), separators, rest);
}

static inline etr_graph *make_graph(etr_arena *arena, const char *text) {
  static const etr_module root = {.path = "", .recorded = "", .type = "", .parent = ETR_NONE};
  static const etr_subgraph body = {
      .name = "true_graph_0", .path = "true_graph_0", .parent = ETR_NONE};
  etr_graph *graph = etr_arena_alloc(arena, sizeof *graph);
  etr_node *nodes = etr_arena_alloc_array(arena, MAX_ITEMS, sizeof *nodes);
  char *rest;
  *graph = (etr_graph){.module = "edge",
                       .modules = &root,
                       .module_count = 1,
                       .nodes = nodes,
                       .subgraphs = &body,
                       .subgraph_count = strchr(text, '.') == text};
  for (char *piece = first_piece(arena, text, ";", &rest); piece; piece = next_piece(&rest, ";")) {
    if (piece[0] == '=') {
      graph->mutation_count = strtoul(piece + 1, NULL, 10);
      continue;
    }
    char *fields, *name = strtok_r(piece, " ", &fields), *target = strtok_r(NULL, " ", &fields),
                  *handle = strtok_r(NULL, " ", &fields);
    bool in_body = name[0] == '.', is_wrapped = target[0] == '*';
    graph->subgraph_count |= in_body;
    nodes[graph->node_count++] = (etr_node){.name = name + in_body,
                                            .target = target + is_wrapped,
                                            .op_type = is_wrapped ? "auto_functionalized_v2"
                                                                  : target,
                                            .kind = ETR_NODE_OP,
                                            .subgraph = in_body ? 0 : ETR_NONE,
                                            .debug_handle = (uint32_t)strtoul(handle, NULL, 10)};
  }
  return graph;
}

static inline const uint32_t *make_handles(etr_arena *arena, char *text, size_t *count) {
  uint32_t *handles = etr_arena_alloc_array(arena, MAX_ITEMS, sizeof *handles);
  char *rest;
  *count = 0;
  for (char *piece = strtok_r(text, ",", &rest); piece; piece = strtok_r(NULL, ",", &rest))
    handles[(*count)++] = (uint32_t)strtoul(piece, NULL, 10);
  return handles;
}

/* Returns the text behind a word and a blank, which are overwritten; NULL if the text does not
 * contain the word. */
static inline char *behind(char *text, const char *word) {
  char *at = strstr(text, word);
  if (!at)
    return NULL;
  *at = '\0';
  return at + strlen(word);
}

static inline void make_instruction(etr_arena *arena, etr_map_instruction *out, char *text) {
  char *ids = behind(text, ", its "), *id_handles = ids ? behind(ids, " is ") : NULL;
  char *handles = behind(text, "handles ");
  if (!handles)
    handles = behind(text, "handle ");
  char *backend = behind(text, ": "), *end = backend ? strstr(backend, " of ") : NULL;
  *out = (etr_map_instruction){.id = atoi(text), .is_delegate = end != NULL};
  if (end) {
    *end = '\0';
    out->backend = backend;
  }
  if (ids) {
    etr_map_delegate_id *list = etr_arena_alloc_array(arena, 1, sizeof *list);
    *list = (etr_map_delegate_id){.id = ids};
    list->handles = make_handles(arena, id_handles, &list->handle_count);
    out->ids = list;
    out->id_count = 1;
  }
  out->handles = make_handles(arena, handles, &out->handle_count);
}

static inline etr_map_method *make_map(etr_arena *arena, const method_text *text) {
  etr_map_method *map = etr_arena_alloc(arena, sizeof *map);
  etr_map_instruction *list = etr_arena_alloc_array(arena, MAX_ITEMS, sizeof *list);
  char *rest;
  *map = (etr_map_method){.name = text->name, .instructions = list};
  for (char *piece = first_piece(arena, text->map, ";", &rest); piece;
       piece = next_piece(&rest, ";"))
    make_instruction(arena, &list[map->instruction_count++], piece);
  return map;
}

static inline void make_run(etr_arena *arena, etr_map *names, etr_dump_run *run, char *text) {
  etr_dump_event *events = etr_arena_alloc_array(arena, MAX_ITEMS, sizeof *events);
  char *rest;
  *run = (etr_dump_run){
      .name = etr_intern(names, strchr(text, '@') ? ETR_SLICE("Execute") : ETR_SLICE("Default")),
      .bundled_input_index = -1,
      .events = events};
  for (char *piece = strtok_r(text, ";", &rest); piece; piece = next_piece(&rest, ";")) {
    char *ticks = strrchr(piece, ' '), *place = strrchr(piece, '@');
    bool in_delegate = !place && strrchr(piece, '#');
    if (in_delegate)
      place = strrchr(piece, '#');
    if (place)
      *place = '\0';
    *ticks = '\0';
    const char *name = etr_intern(names, etr_slice_of(piece));
    events[run->event_count++] = (etr_dump_event){.name = in_delegate ? "" : name,
                                                  .delegate_id = in_delegate ? name : NULL,
                                                  .is_untimed = strcmp(ticks + 1, "?") == 0,
                                                  .instruction_id = place ? atoi(place + 1) : -1,
                                                  .duration_ticks = strtoull(ticks + 1, NULL, 10)};
  }
}

static inline etr_dump make_dump(etr_arena *arena, etr_map *names, const char *text) {
  etr_dump_run *runs = etr_arena_alloc_array(arena, MAX_ITEMS, sizeof *runs);
  etr_dump dump = {.runs = runs};
  char *rest;
  for (char *piece = first_piece(arena, text, "|", &rest); piece; piece = next_piece(&rest, "|"))
    make_run(arena, names, &runs[dump.run_count++], piece);
  return dump;
}

#endif
