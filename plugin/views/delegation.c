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

static bool is_counted(const etr_graph *graph, const etr_node *node) {
  if (node->kind != ETR_NODE_OP || strcmp(node->target, "higher_order.executorch_call_delegate") == 0) return false;
  for (uint32_t s = node->subgraph; s != ETR_NONE; s = graph->subgraphs[s].parent)
    if (graph->subgraphs[s].kind == ETR_SUBGRAPH_BODY) return false;
  return true;
}

bool etr_delegation_make(etr_delegation *out, etr_arena *arena, const etr_profile *profile, const etr_method *method, const etr_node_filter *filter) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  etr_vec(etr_delegation_row) rows = {0};
  etr_map index;
  *out = (etr_delegation){.subgraphs = method->delegate_count};
  etr_map_init(&index, arena);
  for (size_t i = 0; graph && graph->times && i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    const etr_node_time *time = &graph->times[i];
    if (!is_counted(graph, node) || !etr_filter_takes_node(filter, graph, i)) continue;
    etr_slice op_type = op_type_of(node->name);
    uint32_t known = etr_map_get(&index, op_type);
    if (known == ETR_NONE) {
      etr_delegation_row *added = etr_vec_push(arena, &rows);
      known = (uint32_t)(rows.count - 1);
      if (!added || !etr_map_set(&index, op_type, known)) return false;
      added->op_type = etr_arena_copy(arena, op_type);
    }
    bool delegated = time->delegate_instruction >= 0;
    *(delegated ? &rows.data[known].delegated : &rows.data[known].non_delegated) += 1;
    *(delegated ? &rows.data[known].delegated_ticks : &rows.data[known].non_delegated_ticks) += time->total_ticks;
    *(delegated ? &out->delegated_nodes : &out->non_delegated_nodes) += 1;
  }
  if (etr_arena_failed(arena)) return false;
  if (rows.count) qsort(rows.data, rows.count, sizeof *rows.data, by_op_type);
  out->rows = rows.data;
  out->count = rows.count;
  return true;
}
