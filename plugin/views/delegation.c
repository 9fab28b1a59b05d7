/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegation.c - counting delegated nodes.
 */
#include "delegation.h"

#include "node_filter.h"

#include <stdlib.h>

static int by_op_type(const void *a, const void *b) {
  return strcmp(((const etr_delegation_row *)a)->op_type, ((const etr_delegation_row *)b)->op_type);
}

/* "aten_add_tensor_12" -> "aten_add_tensor" */
static etr_slice op_type_of(const char *name) {
  size_t size = strlen(name), end = size;
  while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') end--;
  return (etr_slice){name, end > 1 && end < size && name[end - 1] == '_' ? end - 1 : size};
}

/* The node that is counted for a node: of what is in a body of control flow the one that holds the outermost body. */
static size_t counted_node(const etr_graph *graph, size_t node) {
  size_t counted = node;
  for (uint32_t s = graph->nodes[node].subgraph; s != ETR_NONE; s = graph->subgraphs[s].parent)
    if (graph->subgraphs[s].kind == ETR_SUBGRAPH_BODY) counted = graph->subgraphs[s].owner;
  return counted;
}

static bool is_operator(const etr_node *node) {
  return node->kind == ETR_NODE_OP && strcmp(node->target, "higher_order.executorch_call_delegate") != 0;
}

typedef struct counting {
  etr_arena *arena;
  etr_vec(etr_delegation_row) rows;
  etr_map index; /* by operator type */
} counting;

/* NULL when out of memory. */
static etr_delegation_row *row_of(counting *c, etr_slice op_type) {
  uint32_t known = etr_map_get(&c->index, op_type);
  if (known != ETR_NONE) return &c->rows.data[known];
  etr_delegation_row *added = etr_vec_push(c->arena, &c->rows);
  if (!added || !etr_map_set(&c->index, op_type, (uint32_t)(c->rows.count - 1))) return NULL;
  added->op_type = etr_arena_copy(c->arena, op_type);
  return added;
}

bool etr_delegation_make(etr_delegation *out, etr_arena *arena, const etr_profile *profile, const etr_method *method, const etr_node_filter *filter) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  counting c = {.arena = arena};
  *out = (etr_delegation){.subgraphs = method->delegate_count};
  etr_map_init(&c.index, arena);
  for (size_t i = 0; graph && graph->times && i < graph->node_count; i++) {
    size_t counted = counted_node(graph, i);
    if (counted >= graph->node_count || !is_operator(&graph->nodes[counted]) || !etr_filter_takes_node(filter, graph, counted)) continue;
    etr_delegation_row *row = row_of(&c, op_type_of(graph->nodes[counted].name));
    if (!row) return false;
    bool delegated = graph->times[i].delegate_instruction >= 0;
    etr_delegation_side *side = delegated ? &row->delegated : &row->rest;
    side->ticks += graph->times[i].total_ticks;
    side->timed |= graph->times[i].runs > 0;
    if (counted != i) continue;
    side->nodes++;
    *(delegated ? &out->delegated_nodes : &out->non_delegated_nodes) += 1;
  }
  if (etr_arena_failed(arena)) return false;
  if (c.rows.count) qsort(c.rows.data, c.rows.count, sizeof *c.rows.data, by_op_type);
  out->rows = c.rows.data;
  out->count = c.rows.count;
  return true;
}
