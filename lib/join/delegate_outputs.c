/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_outputs.c - finds the results that leave their delegate.
 */
#include "join/delegate_outputs.h"

/* Marks each output that a node of another delegate, or of none, reads. */
bool etr_delegate_outputs_find(etr_delegate_outputs *out, const etr_placement *placement,
                               etr_arena *arena) {
  const etr_graph *graph = placement->method->graph;
  size_t count = 0;
  *out = (etr_delegate_outputs){.placement = placement};
  if (!graph)
    return true;
  size_t *first = etr_arena_alloc_array(arena, graph->node_count, sizeof *first);
  if (!first)
    return false;
  for (size_t i = 0; i < graph->node_count; i++) {
    first[i] = count;
    count += graph->nodes[i].output_count;
  }
  bool *leaves_delegate = etr_arena_alloc_array(arena, count, sizeof *leaves_delegate);
  if (!leaves_delegate)
    return false;
  for (size_t i = 0; i < graph->node_count; i++) {
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
      const etr_edge *edge = &graph->nodes[i].inputs[k];
      if (placement->node_delegate[edge->node] != placement->node_delegate[i])
        leaves_delegate[first[edge->node] + edge->output] = true;
    }
  }
  out->leaves = leaves_delegate;
  out->first = first;
  return true;
}

/* Lists the results of the delegate's nodes that are read outside of it, node by node. Sets *count
 * to how many there are. */
const etr_node_output *etr_outputs_of_delegate(const etr_delegate_outputs *outputs,
                                               int32_t instruction_id, size_t *count,
                                               etr_arena *arena) {
  const etr_graph *graph = outputs->placement->method->graph;
  size_t node_count;
  etr_vec(etr_node_output) list = {0};
  const etr_delegate_node *nodes = etr_nodes_of_delegate(outputs->placement, instruction_id,
                                                         &node_count);
  *count = 0;
  for (size_t i = 0; outputs->leaves && nodes && i < node_count; i++) {
    for (uint32_t k = 0; k < graph->nodes[nodes[i].node].output_count; k++) {
      if (!outputs->leaves[outputs->first[nodes[i].node] + k])
        continue;
      etr_node_output *added = etr_vec_push(arena, &list);
      if (!added)
        return NULL;
      *added = (etr_node_output){nodes[i].node, k};
    }
  }
  *count = list.count;
  return list.data;
}

/* Returns for each instruction of the program the number of results of its delegate, where 0 is
 * unknown; NULL when out of memory. */
static const uint32_t *count_results(const etr_placement *placement, etr_arena *arena) {
  etr_delegate_outputs outputs;
  size_t instruction_count = placement->method->program->instruction_count, count;
  uint32_t *counts = etr_arena_alloc_array(arena, instruction_count, sizeof *counts);
  if (!counts || !etr_delegate_outputs_find(&outputs, placement, arena))
    return NULL;
  for (size_t i = 0; i < placement->instructions.count; i++) {
    const etr_placed *instruction = &placement->instructions.data[i];
    if (!instruction->is_delegate || (size_t)instruction->id >= instruction_count)
      continue;
    (void)etr_outputs_of_delegate(&outputs, instruction->id, &count, arena);
    counts[instruction->id] = (uint32_t)count;
  }
  return etr_arena_failed(arena) ? NULL : counts;
}

bool etr_uses_of_placement(etr_uses *uses, const etr_placement *placement, etr_arena *arena) {
  const uint32_t *counts = count_results(placement, arena);
  return counts && etr_uses_init(uses, placement->method, counts, arena);
}
