/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegation.h - which nodes are delegated, by operator type, as ExecuTorch's print_delegation_info
 * counts them; which delegates there are, and what each contains. Layer 4.
 *
 * As in executorch/devtools/backend_debug/delegation_info.py, an operator type is a node's name
 * without its number, and neither bodies of control flow nor delegate calls are counted. Time in a
 * body is added to the node that contains the body, so that times add up.
 */
#ifndef ETR_DELEGATION_H
#define ETR_DELEGATION_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "views/phases.h"

/** The nodes of one operator type that are delegated, or those that are not. */
typedef struct etr_delegation_side {
  size_t nodes;
  uint64_t ticks; /* over all runs of the method */
  double typical; /* per inference, in the typical run */
  double p50;     /* median over the runs in which any of them ran */
  double step;    /* step of the coarsest clock that timed them, in ticks */
  bool timed;     /* false if no time is known, as for nodes that were fused into others */
} etr_delegation_side;

/** The nodes of one operator type. */
typedef struct etr_delegation_row {
  const char *op_type; /* "aten_add_tensor" */
  etr_delegation_side delegated, rest;
  double weight; /* rows are ranked by this: the time of both sides */
} etr_delegation_row;

typedef struct etr_delegation {
  size_t subgraphs, delegated_nodes, non_delegated_nodes;
  const etr_delegation_row *rows; /* sorted by operator type */
  size_t count;
} etr_delegation;

/** Counts the nodes of a method's Edge graph that the filter selects; NULL selects all. Nodes in
 * the body of a branch or loop are not counted, but add their time to the node that contains it.
 * All counts are 0 for a method without a graph. Returns false when out of memory. */
bool etr_delegation_make(etr_delegation *out, etr_arena *arena, const etr_profile *profile,
                         const etr_method *method, const etr_node_filter *filter);

/** Sets *out to the share of Method::execute that delegates take in the typical run, calling them
 * included, both without interruptions. NaN without runs. All their time slices are one group,
 * whose typical time is that. Returns false when out of memory. */
bool etr_delegated_time(double *out, etr_arena *arena, const etr_method *method);

/** Returns the index of the delegate that an instruction of the method calls; ETR_NONE if it calls
 * none. */
uint32_t etr_delegate_at(const etr_method *method, int32_t instruction_id);

/** A delegate and the operators of the method's Edge graph that run in it, including those in
 * bodies of control flow. Times are in ticks per inference, sums of its time slices. */
typedef struct etr_delegate_row {
  const etr_delegate *delegate;
  size_t nodes;
  bool is_timed;                   /* false: no time of it was recorded, and all times are 0 */
  double call;                     /* all of its time: on_nodes, off_nodes and phases */
  double typical;                  /* the same in the typical run, also where others are averages */
  double on_nodes;                 /* of operators on nodes */
  double estimated;                /* the part of on_nodes that is estimated */
  double off_nodes;                /* of operators on no node, and of inserted copies */
  double phases[ETR_PHASES];       /* the rest of its time, by phase */
  double units[ETR_COMPUTE_UNITS]; /* all of its time, by compute unit */
} etr_delegate_row;

/** Lists the method's delegates in which a node runs that the filter selects, in the order of the
 * method; NULL selects all. Times are those of the typical run, or averages over the runs. Returns
 * NULL when out of memory. */
const etr_delegate_row *etr_delegate_rows_make(etr_arena *arena, const etr_profile *profile,
                                               const etr_method *method,
                                               const etr_node_filter *filter, bool is_average,
                                               size_t *count);

/** A backend and the number of the method's delegates that run in it. */
typedef struct etr_backend_use {
  const char *name; /* "" if it is not known */
  size_t delegates;
} etr_backend_use;

/** Returns the number of delegates of each backend, "4 XnnpackBackend, 1 CoreMLBackend"; NULL when
 * out of memory. */
const char *etr_backends_text(etr_arena *arena, const etr_method *method);

/* ---- What a delegate contains ---- */

/** How often a delegate has something of one name: modules of a pattern, operators of a target. */
typedef struct etr_name_count {
  const char *name;
  size_t count;
} etr_name_count;

/** What a method's Edge graph has in a delegate. Empty without one. */
typedef struct etr_delegate_contents {
  const etr_name_count *modules; /* with operators in it, by pattern (etr_module), most first; "":
                                    the top level */
  size_t module_count;
  const etr_name_count *ops; /* by target, "aten.convolution.default", most first */
  size_t op_count;
  double macs;    /* per inference; NaN: not known of all operators */
  bool is_opaque; /* it was called and recorded no operators */
} etr_delegate_contents;

/** Finds what each of etr_method.delegates contains, in time that is linear in events, nodes and
 * delegates. Returns NULL when out of memory; then the arena has failed. */
const etr_delegate_contents *
etr_delegate_contents_make(etr_arena *arena, const etr_profile *profile, const etr_method *method);

#endif
