/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_builder.h - what program/METHOD is made with. Layer 3.
 *
 * Functions that give a pointer or a bool say with NULL or false that there is no memory, or no budget, left.
 */
#ifndef ETR_PTE_BUILDER_H
#define ETR_PTE_BUILDER_H

#include "program/links.h"
#include "program/program_arguments.h"
#include "program/program_graph.h"

enum { ETR_NO_INSTRUCTION = -1 };

typedef struct etr_pte_builder {
  etr_pte_graph *out;
  const etr_placement *placement;
  const etr_pte_method *program;
  uint32_t method;
  const etr_blocks *blocks;
  etr_arena *arena, *scratch;
  etr_vec(etr_node) nodes;
  etr_vec(etr_subgraph) subgraphs;
  etr_vec(etr_module) modules; /* of a graph that has none of an Edge graph: one for each delegate that has operators */
  etr_links links;
  etr_program_arguments arguments;
  etr_map kernels; /* name and overload of an operator -> place in targets */
  etr_vec(const char *) targets;
  const etr_event **timed; /* of delegates, by instruction, in the order of their blocks */
  size_t *end_of_timed;    /* per instruction: where its own end there */
} etr_pte_builder;

/** A node at the end of the graph: zeroed but for its kind, an operator in no subgraph, that works by its name. */
etr_node *etr_pte_push_node(etr_pte_builder *b, int32_t instruction_id);

/** The same, to be found by etr_pte_graph_node(). */
etr_node *etr_pte_add_node(etr_pte_builder *b, int32_t instruction_id, const char *delegate_id);

/** Makes the node stand for a node of the Edge graph. */
void etr_pte_take_edge_node(etr_pte_builder *b, etr_node *node, uint32_t edge_node);

/** The backend that an instruction calls: "unknown" if the program does not say. */
const char *etr_pte_backend_of(const etr_pte_builder *b, const etr_instruction *instruction);

#endif
