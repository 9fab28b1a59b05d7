/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegation.h - what is delegated, per operator type, as ExecuTorch's print_delegation_info counts it. Layer 4.
 * After executorch/devtools/backend_debug/delegation_info.py: an operator type is a node's name without its number;
 * bodies of control flow are not counted, nor are the delegate calls themselves. The time of what ran in a body counts
 * for the node that holds the body, so that times add up.
 */
#ifndef ETR_DELEGATION_H
#define ETR_DELEGATION_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "views/phases.h"

/** Nodes that are delegated, or that are not. */
typedef struct etr_delegation_side {
  size_t nodes;
  uint64_t ticks; /* over all runs of the method */
  double p50;     /* over the runs in which any of them ran */
  double step;    /* of the coarsest clock that timed them; ticks */
  bool timed;     /* false: no time is known, as for nodes fused into others */
} etr_delegation_side;

/** The nodes of one operator type. */
typedef struct etr_delegation_row {
  const char *op_type; /* "aten_add_tensor" */
  etr_delegation_side delegated, rest;
  double weight; /* what it ranks by: the time of both */
} etr_delegation_row;

typedef struct etr_delegation {
  size_t subgraphs, delegated_nodes, non_delegated_nodes;
  const etr_delegation_row *rows; /* by operator type */
  size_t count;
} etr_delegation;

/** Counts the nodes of a method's Edge graph that filter (NULL: all) takes. All 0 for a method without graph. False
 * when out of memory. */
bool etr_delegation_make(etr_delegation *out, etr_arena *arena, const etr_profile *profile, const etr_method *method,
                         const etr_node_filter *filter);

/** A delegate, and the operators of the method's Edge graph that run in it; those in bodies of control flow, too. */
typedef struct etr_delegate_row {
  const etr_delegate *delegate;
  size_t nodes;
  /* Over all runs of the method: */
  uint64_t ticks;                    /* on the nodes */
  uint64_t estimated_ticks;          /* the part of these that is estimated */
  uint64_t phases[ETR_PHASES];       /* its own time */
  uint64_t units[ETR_COMPUTE_UNITS]; /* both: by what computed */
} etr_delegate_row;

/** Rows of the method's delegates in which some node runs that filter (NULL: all) takes, in their order. NULL when out
 * of memory. */
const etr_delegate_row *etr_delegate_rows_make(etr_arena *arena, const etr_profile *profile, const etr_method *method,
                                               const etr_node_filter *filter, size_t *count);

/** A backend and how many of the method's delegates run in it. */
typedef struct etr_backend_use {
  const char *name; /* "" where the record does not tell */
  size_t delegates;
} etr_backend_use;

/** How many delegates each backend has: "4 XnnpackBackend, 1 CoreMLBackend". NULL likewise. */
const char *etr_backends_text(etr_arena *arena, const etr_method *method);

#endif
