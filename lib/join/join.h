/* SPDX-License-Identifier: BSD-3-Clause
 *
 * join.h - what is known of one method, and what the join finds out about it: the types that its files share. Layer 3.
 *
 * A *method join* gathers a method's maps, its Edge graph and its instructions in the .pte. From that
 *   methods.h        decides which method each block of runs is,
 *   method_join.h    gives kernels, delegates and their operators their nodes,
 *   event_nodes.h    gives the events of runs theirs,
 *   attribute.h      gives each node its time.
 */
#ifndef ETR_JOIN_H
#define ETR_JOIN_H

#include "backends/payloads.h"
#include "base/budget.h"
#include "inputs/pte.h"
#include "inputs/record.h"
#include "join/blocks.h"
#include "join/node_index.h"

/** One instruction of a method, from whichever source knows it. */
typedef struct etr_join_instruction {
  int32_t id;
  const etr_map_instruction *map; /* what the record's maps say; NULL if nothing */
  etr_slice op;                   /* of a kernel: normalised (operator.h); empty if unknown */
  bool is_kernel;                 /* runs as a kernel: the .pte or an event says so */
  bool is_delegate;               /* calls a delegate */
  bool is_contradicted;       /* of a kernel: the .pte has it read or write what none of the nodes with its handle and
                                 operator does */
  bool is_prim;               /* a kernel of the runtime itself, executorch_prim: shapes, loops */
  const char *backend;        /* of a delegate; NULL if unknown */
  uint32_t node;              /* a kernel's node; ETR_NONE if it could not be told */
  etr_match match;            /* how its node was found */
  const etr_payload *payload; /* of a delegate, where the .pte has it and its backend is known; else NULL */
  const uint32_t *operator_nodes; /* per operator of the payload: its node, ETR_NONE if it has none */
  const bool *operator_by_order;  /* per operator: other nodes had the same claim, and order decided */
} etr_join_instruction;

/** A node in a delegate. */
typedef struct etr_delegate_node {
  int32_t instruction_id;
  uint32_t node;
} etr_delegate_node;

/** A node and its debug handle. */
typedef struct etr_handle_node {
  uint32_t handle, node;
} etr_handle_node;

typedef struct etr_pte_graph etr_pte_graph; /* program_graph.h */

/** What is known of one method, and what the join found out. */
typedef struct etr_method_join {
  const char *name;
  const etr_map_method *map;                  /* NULL if the record's maps do not name it */
  const etr_graph *graph;                     /* its Edge graph; NULL if there is none */
  const etr_pte_method *program;              /* NULL without a .pte */
  etr_pte_graph *program_graph;               /* the program as a graph, where it takes the place of the Edge graph that
                                                 there is none of: its nodes are those of the events; else NULL */
  etr_payloads *payloads;                     /* of the .pte: of all methods. NULL without one */
  etr_budget *budget;                         /* of the profile; may be NULL */
  etr_vec(etr_join_instruction) instructions; /* by ascending id */
  int32_t *
      node_delegate; /* per node of the graph: instruction of the delegate it is in; -1: runs as a kernel, or unknown */
  etr_vec(etr_delegate_node)
      delegate_nodes;               /* the same by delegate: by instruction, then in the order the delegate runs them */
  uint32_t *uses;                   /* per node of the graph: how often its results are used */
  const etr_handle_node *by_handle; /* operators of the graph by handle, then place; no calls of delegates */
  size_t by_handle_count;
  etr_map operators;          /* normalised operator -> number */
  etr_node_index by_operator; /* the same nodes by handle and number of their operator */
  bool is_ordered; /* the order in which delegate_nodes stand is that in which they run: handle lists tell, or the
                      lowering (lowering.h) */
} etr_method_join;

/** What messages call the method: its name, or that it is not known. */
static inline const char *etr_join_label(const etr_method_join *join) {
  return join->name && join->name[0] ? join->name : "method not known";
}

/** Fills what follows from the graph alone: uses, by_handle, operators and by_operator; node_delegate with -1. They
 * live in the arena. Without a graph there is nothing to fill. False: out of memory. */
bool etr_join_index_nodes(etr_method_join *join, etr_arena *arena);

/** Fills the instructions from the program, the maps and the method's blocks. They live in the arena. False: out of
 * memory. */
bool etr_instructions_collect(etr_method_join *join, uint32_t method, const etr_blocks *blocks, etr_arena *arena,
                              etr_arena *scratch);

/** Place of the first node of a handle in by_handle, or of the next handle's where it has none. */
size_t etr_join_first_of_handle(const etr_method_join *join, uint32_t handle);

/**
 * The first node of a handle that is not taken; ETR_NONE if none is left. skip: by_handle_count entries, at first 0, in
 * which it remembers how many of a handle's nodes are taken.
 */
uint32_t etr_join_next_free(const etr_method_join *join, const bool *taken, size_t *skip, uint32_t handle);

/** Per node of a graph, how often its results are used. NULL when out of memory. */
uint32_t *etr_count_uses(const etr_graph *graph, etr_arena *arena);

/** The nodes of one delegate, in the order in which it runs them. */
const etr_delegate_node *etr_join_nodes_of_delegate(const etr_method_join *join, int32_t instruction_id, size_t *count);

/** The instruction with this id, or NULL. */
etr_join_instruction *etr_join_find(const etr_method_join *join, int32_t id);

/** The innermost module that holds all nodes of a delegate; 0 (the model) where none are known. The method has a graph.
 */
uint32_t etr_join_module_of_delegate(const etr_method_join *join, int32_t instruction_id);

/** What the .pte gives the delegate of an instruction; empty without one. */
etr_slice etr_join_payload(const etr_method_join *join, int32_t instruction_id);

/** The graph in there; NULL if none can be read, or when out of memory (the payloads' arena failed). */
const etr_own_graph *etr_join_own_graph(const etr_method_join *join, int32_t instruction_id);

/** Warns of payloads that could not be read, once for each backend, and of graphs that are not shown. */
void etr_payloads_warn(const etr_payloads *payloads, const char *path, etr_warnings *warnings);

#endif
