/* SPDX-License-Identifier: BSD-3-Clause
 *
 * join.h - from events to nodes: the heart of the project. Layer 3.
 *
 * A *method join* (etr_method_join) gathers what is known of one method: its maps, its Edge graph, its instructions in the .pte. From that
 *   methods.c    decides which method each block of runs is, by how it fits each (fit.h),
 *   join.c       gives each kernel instruction its node,
 *   delegate_nodes.c  each other node its delegate,
 *   delegates.c  finds the node of each operator inside a delegate,
 *   attribute.c  gives each row of a block its match and its node, and each node its time.
 */
#ifndef ETR_JOIN_H
#define ETR_JOIN_H

#include "blocks.h"
#include "pte.h"
#include "record.h"

/** One instruction of a method, from whichever source knows it. */
typedef struct etr_join_instruction {
  int32_t id;
  const etr_map_instruction *map; /* what the record's maps say; NULL if nothing */
  etr_slice op;                   /* of a kernel: normalised (operator.h); empty if unknown */
  bool is_kernel;                 /* runs as a kernel: the .pte or an event says so */
  bool is_delegate;               /* calls a delegate */
  bool is_prim;                   /* a kernel of the runtime itself, executorch_prim: shapes, loops */
  const char *backend;            /* of a delegate; NULL if unknown */
  uint32_t node;                  /* a kernel's node; ETR_NONE if it could not be told */
  etr_match match;                /* how its node was found */
} etr_join_instruction;

/** A node in a delegate. */
typedef struct etr_delegate_node {
  int32_t instruction_id;
  uint32_t node;
} etr_delegate_node;

/** What is known of one method, and what the join found out. */
typedef struct etr_method_join {
  const char *name;
  const etr_map_method *map;                  /* NULL if the record's maps do not name it */
  const etr_graph *graph;                     /* its Edge graph; NULL if there is none */
  const etr_pte_method *program;              /* NULL without a .pte */
  etr_vec(etr_join_instruction) instructions; /* by ascending id */
  int32_t *node_delegate;                     /* per node of the graph: instruction of the delegate it is in; -1: runs as a kernel, or unknown */
  etr_vec(etr_delegate_node) delegate_nodes;  /* the same by delegate: by instruction, then in the order the delegate runs them */
  const struct etr_handle_node *by_handle;    /* operators of the graph by handle, then place */
  size_t by_handle_count;
} etr_method_join;

/** A node and its debug handle. */
typedef struct etr_handle_node {
  uint32_t handle, node;
} etr_handle_node;

/** Place of the first node of a handle in by_handle, or of the next handle's where it has none. */
size_t etr_join_first_of_handle(const etr_method_join *join, uint32_t handle);

/**
 * The first node of a handle that is not taken; ETR_NONE if none is left. skip: by_handle_count entries, at first 0, in which it remembers how many
 * of a handle's nodes are taken.
 */
uint32_t etr_join_next_free(const etr_method_join *join, const bool *taken, size_t *skip, uint32_t handle);

/** The nodes of one delegate, in the order in which it runs them. */
const etr_delegate_node *etr_join_nodes_of_delegate(const etr_method_join *join, int32_t instruction_id, size_t *count);

/** The instruction with this id, or NULL. */
etr_join_instruction *etr_join_find(const etr_method_join *join, int32_t id);

/** What the .pte gives the delegate of an instruction; empty without one. */
etr_slice etr_join_payload(const etr_method_join *join, int32_t instruction_id);

/** What a row of a block is. */
typedef enum etr_row_kind {
  ETR_ROW_FRAMEWORK,      /* Method::*, Program::*, control flow, executorch_prim, an OPERATOR_CALL around a kernel */
  ETR_ROW_KERNEL,         /* native_call_*, or an OPERATOR_CALL that logged no kernel */
  ETR_ROW_DELEGATE_CALL,  /* a delegate as a whole */
  ETR_ROW_DELEGATE_EVENT, /* one operator inside a delegate */
} etr_row_kind;

/** The kind of a row; looks at its neighbours: rows of one instruction stand together. */
etr_row_kind etr_row_kind_of(const etr_block *block, size_t row);

/**
 * Decides the method of every block: sets block.method (an index into joins) and block.method_rule. Blocks without
 * kernels or delegates (loads) get none. Of a block that fits several equally, a run right behind the load of one method
 * is told by the order of loads, and set apart: its block is its own then. Warns of blocks that fit no method, and of
 * ties. Out of memory shows on the warnings' arena.
 */
void etr_methods_decide(etr_blocks *blocks, const etr_method_join *joins, size_t join_count, const etr_options *options,
                        etr_warnings *warnings);

/** Fills a join's instructions from its sources and the method's blocks, then gives kernels and delegates their nodes. False: out of memory. */
bool etr_join_method(etr_method_join *join, uint32_t method, const etr_blocks *blocks, etr_arena *arena);

/** The graphs that get times; any may be NULL. */
typedef struct etr_method_graphs {
  etr_graph *edge, *aten;
  etr_graph *program; /* made here from the join's .pte method */
} etr_method_graphs;

/**
 * Fills match, handles, nodes and backend of every row of the method's blocks, the method's totals, and the times of the nodes of its Edge graph,
 * through aten_node of its ATen graph, and of the graph of its instructions, which it makes. False: out of memory.
 */
bool etr_attribute(etr_method *out, const etr_method_graphs *graphs, const etr_method_join *join, uint32_t method, const etr_blocks *blocks,
                   etr_arena *arena, etr_warnings *warnings);

#endif
