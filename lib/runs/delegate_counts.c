/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_counts.c - counting operators of a payload, or the nodes of a delegate's handles.
 */
#include "runs/delegate_counts.h"

#include <stdlib.h>

/* ---- By the payload ---- */

bool etr_delegate_counts_of_payload(etr_delegate_counts *out, const etr_payload *payload) {
  *out = (etr_delegate_counts){0};
  if (!payload) return false;
  memcpy(out->least, payload->class_counts, sizeof out->least);
  memcpy(out->most, payload->class_counts, sizeof out->most);
  return true;
}

/* ---- By the graph ---- */

static int by_handle(const void *a, const void *b) {
  const etr_handle_class *x = a, *y = b;
  if (x->handle != y->handle) return x->handle < y->handle ? -1 : 1;
  return (x->class_ > y->class_) - (x->class_ < y->class_);
}

static etr_handle_class class_of(const etr_backend *backend, const etr_graph *graph, const uint32_t *uses,
                                 const etr_node *node) {
  bool may_fuse = backend->loses_handle(graph, uses, node) == ETR_LOSES_HANDLE_UNLESS_FUSED;
  return (etr_handle_class){
      .handle = node->debug_handle, .class_ = backend->class_of_node(graph, node), .nodes = 1, .sure = !may_fuse};
}

/* Makes one of all that are alike. */
static void sum_up(etr_handle_classes *classes) {
  size_t kept = 0;
  for (size_t i = 0; i < classes->count; i++) {
    const etr_handle_class *c = &classes->list[i];
    if (kept == 0 || by_handle(c, &classes->list[kept - 1]) != 0) {
      classes->list[kept++] = *c;
      continue;
    }
    classes->list[kept - 1].nodes += c->nodes;
    classes->list[kept - 1].sure += c->sure;
  }
  classes->count = kept;
}

bool etr_handle_classes_of(etr_handle_classes *out, etr_arena *arena, const etr_backend *backend,
                           const etr_graph *graph) {
  size_t node_count = graph && backend ? graph->node_count : 0;
  etr_arena scratch = {0};
  *out = (etr_handle_classes){.list = etr_arena_alloc_array(arena, node_count, sizeof *out->list)};
  const uint32_t *uses = node_count ? etr_count_uses(graph, &scratch) : NULL;
  for (size_t i = 0; out->list && uses && i < node_count; i++) {
    const etr_node *n = &graph->nodes[i];
    if (n->kind == ETR_NODE_OP && n->debug_handle) out->list[out->count++] = class_of(backend, graph, uses, n);
  }
  bool good = out->list && (uses || node_count == 0);
  etr_arena_clear(&scratch);
  if (!good) return false;
  etr_sort(out->list, out->count, sizeof *out->list, by_handle);
  sum_up(out);
  return true;
}

/* Adds the nodes of a handle that the delegate lists so many times: others may hold the rest. */
static void add_handle(etr_delegate_counts *out, const etr_handle_classes *nodes, uint32_t handle, uint32_t listed) {
  etr_handle_class wanted = {.handle = handle};
  size_t first = etr_lower_bound(&wanted, nodes->list, nodes->count, sizeof wanted, by_handle), end = first;
  uint32_t all = 0;
  for (; end < nodes->count && nodes->list[end].handle == handle; end++) all += nodes->list[end].nodes;
  for (size_t i = first; i < end; i++) {
    const etr_handle_class *c = &nodes->list[i];
    uint32_t others = all - c->sure, at_least = listed > others ? listed - others : 0;
    out->least[c->class_] += ETR_MIN(at_least, c->sure);
    out->most[c->class_] += ETR_MIN(listed, c->nodes);
  }
}

bool etr_delegate_counts_of_nodes(etr_delegate_counts *out, const etr_handle_classes *nodes,
                                  const etr_map_instruction *map, etr_arena *scratch) {
  *out = (etr_delegate_counts){0};
  if (!map || map->handle_count == 0 || nodes->count == 0) return false;
  uint32_t *handles = etr_arena_alloc_array(scratch, map->handle_count, sizeof *handles);
  if (!handles) return false;
  memcpy(handles, map->handles, map->handle_count * sizeof *handles);
  qsort(handles, map->handle_count, sizeof *handles, etr_by_number);
  for (size_t i = 0, end; i < map->handle_count; i = end) {
    for (end = i + 1; end < map->handle_count && handles[end] == handles[i];) end++;
    add_handle(out, nodes, handles[i], (uint32_t)(end - i));
  }
  return true;
}
