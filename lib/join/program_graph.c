/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_graph.c - finds nodes of a program's graph.
 */
#include "join/program_graph.h"

/* Delegate ids are interned, so pointers are compared instead of texts. */
typedef struct node_key {
  const char *delegate_id;
  int64_t instruction_id;
} node_key;
ETR_NO_PADDING(node_key, sizeof(char *) + sizeof(int64_t));

uint32_t etr_pte_graph_node(const etr_pte_graph *graph, int32_t instruction_id,
                            const char *delegate_id) {
  node_key key = {delegate_id, instruction_id};
  return etr_map_get(&graph->nodes, ETR_BYTES(key));
}

bool etr_pte_graph_set_node(etr_pte_graph *graph, int32_t instruction_id, const char *delegate_id,
                            uint32_t node) {
  node_key key = {delegate_id, instruction_id};
  return etr_map_set(&graph->nodes, ETR_BYTES(key), node);
}

/* Returns where the nodes of a delegate's operators are; NULL if the graph has none of them. */
static const etr_own_nodes *find_operator_nodes(const etr_pte_graph *graph,
                                                int32_t instruction_id) {
  size_t at = etr_find_int(instruction_id, graph->own.data, graph->own.count,
                           sizeof *graph->own.data);
  return at < graph->own.count ? &graph->own.data[at] : NULL;
}

uint32_t etr_pte_graph_operator(const etr_pte_graph *graph, int32_t instruction_id,
                                uint32_t operator_) {
  if (operator_ == ETR_NONE)
    return ETR_NONE;
  const etr_own_nodes *nodes = find_operator_nodes(graph, instruction_id);
  return nodes && operator_ < nodes->count ? nodes->first + operator_ : ETR_NONE;
}

const etr_graph *etr_graph_of_events(const etr_placement *placement) {
  if (placement->method->graph)
    return placement->method->graph;
  return placement->program_graph ? &placement->program_graph->graph : NULL;
}

bool etr_pte_graph_has_operators(const etr_pte_graph *graph, int32_t instruction_id) {
  return find_operator_nodes(graph, instruction_id) != NULL;
}
