/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_builder.c - adding nodes.
 */
#include "program/pte_builder.h"

etr_node *etr_pte_push_node(etr_pte_builder *b, int32_t instruction_id) {
  bool is_granted = b->nodes.count < ETR_NONE && !etr_budget_take(b->placement->method->budget, ETR_NODES, 1);
  etr_node *node = is_granted ? etr_vec_push(b->arena, &b->nodes) : NULL;
  int32_t *instruction = node ? etr_vec_push(b->arena, &b->out->instructions) : NULL;
  if (!instruction || !etr_vec_push(b->arena, &b->out->works) || !etr_vec_push(b->arena, &b->out->views)) return NULL;
  *instruction = instruction_id;
  *node = (etr_node){.subgraph = ETR_NONE, .kind = ETR_NODE_OP};
  return node;
}

etr_node *etr_pte_add_node(etr_pte_builder *b, int32_t instruction_id, const char *delegate_id) {
  etr_node *node = etr_pte_push_node(b, instruction_id);
  uint32_t place = (uint32_t)(b->nodes.count - 1);
  return node && etr_pte_graph_note(b->out, instruction_id, delegate_id, place) ? node : NULL;
}

void etr_pte_take_edge_node(etr_pte_builder *b, etr_node *node, uint32_t edge_node) {
  const etr_node *source = &b->placement->method->graph->nodes[edge_node];
  const char **names = etr_arena_alloc(b->arena, sizeof *names);
  if (!names) return;
  *names = source->name;
  node->edge_nodes = names;
  node->edge_node_count = 1;
  node->module = source->module;
  node->source = source->source;
  node->debug_handle = source->debug_handle;
}

const char *etr_pte_backend_of(const etr_pte_builder *b, const etr_instruction *instruction) {
  const etr_pte_delegate *delegate = etr_delegate_of(b->program, instruction);
  return delegate ? delegate->backend : "unknown";
}
