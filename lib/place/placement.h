/* SPDX-License-Identifier: BSD-3-Clause
 *
 * placement.h - what the join finds out about one method: which node each instruction is, and which nodes each delegate
 * holds. Layer 3.
 */
#ifndef ETR_PLACEMENT_H
#define ETR_PLACEMENT_H

#include "method/method.h"
#include "runs/blocks.h"

/* ---- What the join finds out about one method: which node each instruction is, and which nodes each delegate holds
 * ---- */

/** One instruction of a method, from whichever source knows it. */
typedef struct etr_placed {
  int32_t id;
  const etr_map_instruction *map; /* what the record's maps say; NULL if nothing */
  etr_slice op;                   /* of a kernel: normalised (operator.h); empty if unknown */
  bool is_kernel;                 /* runs as a kernel: the .pte or an event says so */
  bool is_delegate;               /* calls a delegate */
  bool is_contradicted;       /* of a kernel: the .pte has it read or write what none of the nodes with its handle and
                                 operator does */
  bool is_in_place;           /* of a kernel: the graph has its operator, which is not in place, and no map names it */
  bool is_prim;               /* a kernel of the runtime itself, executorch_prim: shapes, loops */
  const char *backend;        /* of a delegate; NULL if unknown */
  uint32_t node;              /* a kernel's node; ETR_NONE if it could not be told */
  etr_match match;            /* how its node was found */
  const etr_payload *payload; /* of a delegate, where the .pte has it and its backend is known; else NULL */
  const uint32_t *operator_nodes; /* per operator of the payload: its node, ETR_NONE if it has none */
  const bool *operator_by_order;  /* per operator: other nodes had the same claim, and order decided */
} etr_placed;

/** A node in a delegate. */
typedef struct etr_delegate_node {
  int32_t instruction_id;
  uint32_t node;
} etr_delegate_node;

typedef struct etr_pte_graph etr_pte_graph; /* program_graph.h */

/** What was found out. */
typedef struct etr_placement {
  const etr_method_inputs *method;
  etr_vec(etr_placed) instructions; /* by ascending id */
  int32_t *
      node_delegate; /* per node of the graph: instruction of the delegate it is in; -1: runs as a kernel, or unknown */
  etr_vec(etr_delegate_node)
      delegate_nodes; /* the same by delegate: by instruction, then in the order the delegate runs them */
  bool is_ordered;    /* the order in which delegate_nodes stand is that in which they run: handle lists tell, or the
                         lowering (lowering.h) */
  uint32_t ambiguous; /* nodes that could as well be delegated as not */
  etr_pte_graph *program_graph; /* the program as a graph, where it takes the place of the Edge graph that there is none
                                   of: its nodes are those of the events; else NULL */
} etr_placement;

/** Fills the instructions from the program, the maps and the method's blocks. They live in the arena. False: out of
 * memory. */
bool etr_instructions_collect(etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_arena *arena,
                              etr_arena *scratch);

/** The instruction with this id, or NULL. */
etr_placed *etr_placed_instruction(const etr_placement *placement, int32_t id);

/** The nodes of one delegate, in the order in which it runs them. */
const etr_delegate_node *etr_nodes_of_delegate(const etr_placement *placement, int32_t instruction_id, size_t *count);

/** The innermost module that holds all nodes of a delegate; 0 (the model) where none are known. The method has a graph.
 */
uint32_t etr_module_of_delegate(const etr_placement *placement, int32_t instruction_id);

/* ---- Which node each instruction of a method is, and which delegate each other node is in ---- */

/* The lowering is repeated first (lowering.h): where its order proves itself, an instruction's place tells its node.
 * With the .pte data flow checks that, and decides which views memory planning removed (data_flow.h). Where neither
 * tells, a kernel whose handle and operator one node alone has is that node; of several it is one by the order of the
 * graph, which is an estimate. */

/** Fills a placement's instructions from its inputs and the method's blocks, then gives kernels and delegates their
 * nodes. What stopped early warns. False: out of memory. */
bool etr_place_method(etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_arena *arena,
                      etr_warnings *warnings);

#endif
