/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegation.h - what is delegated, per operator type, as ExecuTorch's print_delegation_info counts it. Layer 4.
 * After executorch/devtools/backend_debug/delegation_info.py: an operator type is a node's name without its number; bodies of control flow are not
 * counted, nor are the delegate calls themselves.
 */
#ifndef ETR_DELEGATION_H
#define ETR_DELEGATION_H

#include "arena.h"
#include "etrecord_tb.h"

typedef struct etr_delegation_row {
  const char *op_type; /* "aten_add_tensor" */
  size_t delegated, non_delegated;
  uint64_t delegated_ticks, non_delegated_ticks; /* over all runs of the method */
} etr_delegation_row;

typedef struct etr_delegation {
  size_t subgraphs, delegated_nodes, non_delegated_nodes;
  const etr_delegation_row *rows; /* by operator type */
  size_t count;
} etr_delegation;

/** Counts the nodes of a method's Edge graph that filter (which may be NULL) takes. All 0 for a method without graph. False when out of memory. */
bool etr_delegation_make(etr_delegation *out, etr_arena *arena, const etr_profile *profile, const etr_method *method, const etr_node_filter *filter);

#endif
