/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_graph.h - program/METHOD, a method of the .pte as a graph, and what stands where in it. Layer 3.
 */
#ifndef ETR_PROGRAM_GRAPH_H
#define ETR_PROGRAM_GRAPH_H

#include "place/placement.h"

/** Where the operators of a delegate's payload stand in the graph: side by side, in their order. */
typedef struct etr_own_nodes {
  int32_t instruction_id;
  uint32_t first, count;
} etr_own_nodes;

/** The graph, and where each instruction and each operator of a delegate stands in it. */
struct etr_pte_graph {
  etr_graph graph;
  etr_map nodes;
  etr_vec(etr_own_nodes) own;    /* by instruction */
  etr_vec(int32_t) instructions; /* of each node; -1: it is none's */
  etr_vec(uint8_t) works;        /* of each node: etr_work */
  etr_vec(const etr_value *) views;
  bool is_cut; /* lists of tensors were too long in all: some edges are missing */
};

/** Node of an instruction (delegate_id NULL), or of an operator that only its event names; ETR_NONE if there is none.
 */
uint32_t etr_pte_graph_node(const etr_pte_graph *graph, int32_t instruction_id, const char *delegate_id);

/** Notes that node. False: out of memory. */
bool etr_pte_graph_note(etr_pte_graph *graph, int32_t instruction_id, const char *delegate_id, uint32_t node);

/** Node of an operator of a delegate's payload, by its place there; ETR_NONE if there is none, or operator_ is
 * ETR_NONE. */
uint32_t etr_pte_graph_operator(const etr_pte_graph *graph, int32_t instruction_id, uint32_t operator_);

/** Whether the inside of the delegate that an instruction calls is shown: operators of its payload. */
bool etr_pte_graph_is_open(const etr_pte_graph *graph, int32_t instruction_id);

/** The graph whose nodes a method's events are given: its Edge graph, or else the program's; NULL without both. */
const etr_graph *etr_graph_of_events(const etr_placement *placement);

#endif
