/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegation.h - what is delegated, per operator type, as ExecuTorch's print_delegation_info counts it. Layer 4.
 * After executorch/devtools/backend_debug/delegation_info.py: an operator type is a node's name without its number; bodies of control flow are not
 * counted, nor are the delegate calls themselves. The time of what ran in a body counts for the node that holds the body, so that times add up.
 */
#ifndef ETR_DELEGATION_H
#define ETR_DELEGATION_H

#include "arena.h"
#include "etrecord_tb.h"

/* Nodes that are delegated, or that are not. */
typedef struct etr_delegation_side {
  size_t nodes;
  uint64_t ticks; /* over all runs of the method */
  bool timed;     /* false: no time is known, as of nodes that were fused into others */
} etr_delegation_side;

typedef struct etr_delegation_row {
  const char *op_type; /* "aten_add_tensor" */
  etr_delegation_side delegated, rest;
} etr_delegation_row;

typedef struct etr_delegation {
  size_t subgraphs, delegated_nodes, non_delegated_nodes;
  const etr_delegation_row *rows; /* by operator type */
  size_t count;
} etr_delegation;

/** Counts the nodes of a method's Edge graph that filter (which may be NULL) takes. All 0 for a method without graph. False when out of memory. */
bool etr_delegation_make(etr_delegation *out, etr_arena *arena, const etr_profile *profile, const etr_method *method, const etr_node_filter *filter);

#endif
