/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tiny_join.h - a method join of a tiny graph and its instructions, from a text.
 *
 * Instructions are joined by ' ', their ids are their places: "relu=4" is a kernel of handle 4, "!1,2" calls a delegate
 * that lists these handles, "prim=4" is the runtime's own; "jump" is none of them.
 */
#ifndef TINY_JOIN_H
#define TINY_JOIN_H

#include "place/placement.h"
#include "tiny_graph.h"

static inline void tiny_instruction(etr_arena *arena, etr_join_instruction *out, char *text) {
  etr_map_instruction *map = etr_arena_alloc(arena, sizeof *map);
  char *equals = strchr(text, '=');
  *map = (etr_map_instruction){.id = out->id, .is_delegate = *text == '!'};
  map->handles = tiny_numbers(arena, equals ? equals + 1 : text + 1, &map->handle_count);
  out->map = map;
  out->is_delegate = *text == '!';
  out->is_kernel = !out->is_delegate;
  out->backend = map->backend = out->is_delegate ? "XnnpackBackend" : NULL;
  out->is_prim = strncmp(text, "prim", 4) == 0;
  if (out->is_kernel) out->op = (etr_slice){text, (size_t)(equals - text)};
}

static inline etr_method_join tiny_join_of(etr_arena *arena, const tiny_graph *g, const char *instructions) {
  etr_method_join join = {.graph = &g->graph, .node_delegate = g->delegate_of, .uses = g->uses};
  etr_handle_node *by_handle = etr_arena_alloc_array(arena, g->graph.node_count, sizeof *by_handle);
  char *rest = etr_arena_copy(arena, etr_slice_of(instructions));
  int32_t id = 0;
  for (uint32_t i = 0; i < g->graph.node_count; i++)
    if (g->nodes[i].debug_handle) by_handle[join.by_handle_count++] = (etr_handle_node){g->nodes[i].debug_handle, i};
  qsort(by_handle, join.by_handle_count, sizeof *by_handle, etr_by_two_numbers);
  join.by_handle = by_handle;
  for (char *piece; (piece = tiny_piece(&rest, " ")); id++) {
    if (strcmp(piece, "jump") == 0) continue;
    etr_join_instruction *added = etr_vec_push(arena, &join.instructions);
    *added = (etr_join_instruction){.id = id, .node = ETR_NONE};
    tiny_instruction(arena, added, piece);
  }
  return join;
}

#endif
