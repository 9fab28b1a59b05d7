/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tiny_join.h - the placement of a tiny graph and its instructions, from a text.
 *
 * Instructions are joined by ';' and numbered from 0: "relu of 4" is a kernel with the debug handle
 * 4, "delegate of 1,2" calls a delegate that lists these handles ("of nothing": none), "prim of 4"
 * is a kernel of the runtime's own, "jump" is neither.
 */
#ifndef TINY_JOIN_H
#define TINY_JOIN_H

#include "join/roles.h"
#include "tiny_graph.h"

static inline void tiny_instruction(etr_arena *arena, etr_placed *out, char *text) {
  etr_map_instruction *map = etr_arena_alloc(arena, sizeof *map);
  char *handles = strstr(text, " of ");
  cr_assert(handles, "what is the instruction %s?", text);
  *handles = '\0';
  handles += strlen(" of ");
  out->is_delegate = strcmp(text, "delegate") == 0;
  *map = (etr_map_instruction){.id = out->id, .is_delegate = out->is_delegate};
  map->handles = tiny_numbers(arena, strcmp(handles, "nothing") == 0 ? "" : handles,
                              &map->handle_count);
  out->map = map;
  out->is_kernel = !out->is_delegate;
  out->backend = map->backend = out->is_delegate ? "XnnpackBackend" : NULL;
  out->is_prim = strncmp(text, "prim", 4) == 0;
  if (out->is_kernel)
    out->op = etr_slice_of(text);
}

static inline etr_placement tiny_placement_of(etr_arena *arena, const tiny_graph *g,
                                              const char *instructions) {
  etr_method_inputs *method = etr_arena_alloc(arena, sizeof *method);
  etr_placement placement = {.method = method, .node_delegate = g->delegate_of};
  etr_handle_node *by_handle = etr_arena_alloc_array(arena, g->graph.node_count, sizeof *by_handle);
  char *rest = etr_arena_copy(arena, etr_slice_of(instructions));
  int32_t id = 0;
  *method = (etr_method_inputs){.graph = &g->graph, .uses = g->uses};
  for (uint32_t i = 0; i < g->graph.node_count; i++)
    if (g->nodes[i].debug_handle)
      by_handle[method->by_handle_count++] = (etr_handle_node){g->nodes[i].debug_handle, i};
  qsort(by_handle, method->by_handle_count, sizeof *by_handle, etr_by_two_numbers);
  method->by_handle = by_handle;
  for (char *piece; (piece = tiny_piece(&rest, ";")); id++) {
    piece += strspn(piece, " ");
    if (strcmp(piece, "jump") == 0)
      continue;
    etr_placed *added = etr_vec_push(arena, &placement.instructions);
    *added = (etr_placed){.id = id, .node = ETR_NONE};
    tiny_instruction(arena, added, piece);
  }
  return placement;
}

/* Returns the roles of a graph's nodes; marked nodes run as kernels. */
static inline etr_roles tiny_roles_of(etr_arena *arena, const tiny_graph *g,
                                      const etr_placement *placement) {
  etr_kernel_groups groups = {0};
  etr_roles roles;
  for (size_t i = 0; i < placement->method->by_operator.count; i++) {
    if (!g->marked[placement->method->by_operator.slots[i].node])
      continue;
    etr_kernel_group *group = etr_vec_push(arena, &groups);
    *group = (etr_kernel_group){.first = i, .node_count = 1};
    cr_assert(etr_vec_push(arena, &group->kernels));
  }
  cr_assert(etr_roles_find(&roles, placement, &groups, arena));
  return roles;
}

#endif
