/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_graph.h - program/METHOD: a method of the .pte as a graph, and an index of its nodes.
 * Layer 3.
 */
#ifndef ETR_PROGRAM_GRAPH_H
#define ETR_PROGRAM_GRAPH_H

#include "join/placement.h"

/** The nodes of the operators of a delegate's payload, which follow each other in their order. */
typedef struct etr_own_nodes {
  int32_t instruction_id;
  uint32_t first, count;
} etr_own_nodes;

/** The graph, and the node of each instruction and of each operator of a delegate. */
struct etr_pte_graph {
  etr_graph graph;
  etr_map nodes;
  etr_vec(etr_own_nodes) own;    /* sorted by instruction */
  etr_vec(int32_t) instructions; /* instruction of each node; -1: it has none */
  etr_vec(uint8_t) works;        /* work of each node: etr_work */
  etr_vec(const etr_value *) views;
  bool is_cut; /* all lists of tensors together were too long, or there are too many jumps: some
                  edges are missing */
};

/** Returns the node of an instruction (delegate_id is NULL), or of an operator that only its event
 * names; ETR_NONE if there is none.
 */
uint32_t etr_pte_graph_node(const etr_pte_graph *graph, int32_t instruction_id,
                            const char *delegate_id);

/** Records the node of an instruction (delegate_id is NULL), or of an operator that only its event
 * names. Returns false when out of memory. */
bool etr_pte_graph_set_node(etr_pte_graph *graph, int32_t instruction_id, const char *delegate_id,
                            uint32_t node);

/** Returns the node of an operator by its index in a delegate's payload; ETR_NONE if there is none,
 * or operator_ is ETR_NONE. */
uint32_t etr_pte_graph_operator(const etr_pte_graph *graph, int32_t instruction_id,
                                uint32_t operator_);

/** Returns whether the graph contains the operators in the payload of the delegate that an
 * instruction calls. */
bool etr_pte_graph_has_operators(const etr_pte_graph *graph, int32_t instruction_id);

/** Returns the graph to whose nodes a method's events are attributed: its Edge graph, or else the
 * program's; NULL if there is neither. */
const etr_graph *etr_graph_of_events(const etr_placement *placement);

#endif
