/* SPDX-License-Identifier: BSD-3-Clause
 *
 * placement.h - the node of each instruction of a method, and the nodes of each delegate. Layer 3.
 */
#ifndef ETR_PLACEMENT_H
#define ETR_PLACEMENT_H

#include "inputs/method.h"
#include "runs/blocks.h"

/* ---- The placement: the node of each instruction of a method, and the nodes of each delegate ----
 */

/** One instruction of a method, from any source that describes it. */
typedef struct etr_placed {
  int32_t id;
  const etr_map_instruction *map; /* its entry in the record's maps; NULL if there is none */
  etr_slice op;         /* operator of a kernel, normalized (operator.h); empty if unknown */
  bool is_kernel;       /* the .pte or an event shows that it runs as a kernel */
  bool is_delegate;     /* it calls a delegate */
  bool is_contradicted; /* for a kernel: by the .pte it reads or writes values that no node with its
                           handle and operator does */
  bool is_in_place; /* for a kernel: no map names it, and the graph has its variant that is not in
                       place, or wraps its operator (etr_is_functionalized()) */
  bool is_of_loop;  /* a kernel that moves values in and out of the body of a map or a scan: it has
                       no  node of its own */
  bool is_prim;     /* it is a kernel of the runtime itself, executorch_prim: shapes, loops */
  const char *backend; /* backend of a delegate; NULL if unknown */
  uint32_t node;       /* node of a kernel; ETR_NONE if unknown */
  etr_match match;     /* how its node was found */
  const etr_payload
      *payload; /* payload of a delegate, if the .pte has it and its backend is known; else NULL */
  const uint32_t
      *operator_nodes; /* per operator of the payload: its node; ETR_NONE if it has none */
  const bool
      *operator_by_order; /* per operator: other nodes matched equally well, and order decided */
} etr_placed;

/** A node in a delegate. */
typedef struct etr_delegate_node {
  int32_t instruction_id;
  uint32_t node;
} etr_delegate_node;

typedef struct etr_pte_graph etr_pte_graph; /* program_graph.h */

/** The placement of one method. */
typedef struct etr_placement {
  const etr_method_inputs *method;
  etr_vec(etr_placed) instructions; /* by ascending id */
  int32_t *node_delegate; /* per node of the graph: instruction of its delegate; -1: it runs as a
                             kernel, or unknown */
  etr_vec(etr_delegate_node) delegate_nodes; /* the delegated nodes, sorted by instruction, then in
                                                the order in which the delegate runs them */
  bool is_ordered; /* the order of delegate_nodes is known to be that in which they run, from handle
                      lists or the lowering (lowering.h) */
  bool is_proven;  /* the record or the lowering that was repeated proves which nodes each delegate
                      has, and their order */
  uint32_t ambiguous;           /* number of nodes that are equally likely to be delegated or not */
  etr_pte_graph *program_graph; /* the program as a graph, if there is no Edge graph: events then
                                   have its nodes */
} etr_placement;

/** Fills the instructions from the program, the maps and the method's blocks. They live in the
 * arena. Returns false when out of memory. */
bool etr_instructions_collect(etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                              etr_arena *arena, etr_arena *scratch);

/** Returns the instruction with this id; NULL if there is none. */
etr_placed *etr_placed_instruction(const etr_placement *placement, int32_t id);

/** Returns the nodes of one delegate, in the order in which it runs them, and sets *count. The
 * placement owns them. */
const etr_delegate_node *etr_nodes_of_delegate(const etr_placement *placement,
                                               int32_t instruction_id, size_t *count);

/** Returns the innermost module that contains all nodes of a delegate; 0 (the model) if none are
 * known. The method must have a graph.
 */
uint32_t etr_module_of_delegate(const etr_placement *placement, int32_t instruction_id);

/* ---- Placing a method: finding the node of each instruction, and the delegate of each other node
 * ---- */

/* The lowering is repeated first (lowering.h): if its order is proven, the position of an
 * instruction identifies its node. With the .pte, data flow checks that and decides which views
 * memory planning removed (data_flow.h). If neither identifies a kernel's node and only one node
 * has its handle and operator, it is that node; if several have them, one is chosen by the order of
 * the graph, which is an estimate. */

/** Fills a placement's instructions from its inputs and the method's blocks, then finds the nodes
 * of kernels and delegates. A step that reaches a limit warns. Returns false when out of memory. */
bool etr_place_method(etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                      etr_arena *arena, etr_warnings *warnings);

/**
 * Assigns nodes of bodies to the kernels that the maps do not name; if the record has no handle
 * map, nodes of the whole graph. The match is ETR_MATCH_HANDLE if only one numbering is possible,
 * else ETR_MATCH_ALIGNED. Long methods are not examined, and a warning says so. Updates `taken`,
 * which has an entry for each node. Returns false when out of memory.
 */
bool etr_place_bodies(etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                      bool *taken, etr_warnings *warnings, etr_arena *scratch);

#endif
