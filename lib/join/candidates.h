/* SPDX-License-Identifier: BSD-3-Clause
 *
 * candidates.h - chooses among the nodes with an operator's handle and kind the one that reads the
 * same values. Layer 3.
 */
#ifndef ETR_CANDIDATES_H
#define ETR_CANDIDATES_H

#include "inputs/graph_values.h"
#include "inputs/method.h"

/** What is known of an operator that ran. */
typedef struct etr_wanted {
  uint32_t expected; /* the node that the order of the lowering assigns to it; ETR_NONE: none */
  const uint32_t *handles;
  size_t handle_count;
  uint32_t kind; /* a number for the operator: of the graph, or a class of the backend */
  const uint32_t
      *inputs; /* values of the graph that it reads, without weights; ETR_NONE: an unknown value */
  size_t input_count;
  bool (*agrees)(
      const void *context,
      const etr_node *node); /* returns whether shape and number type agree with the node */
  const void *context;
} etr_wanted;

/** An index of the nodes that are not assigned yet. */
typedef struct etr_candidates etr_candidates;

/** The state of the graph's nodes while they are assigned to operators. All pointers are borrowed.
 */
typedef struct etr_assignment {
  const etr_graph_values *values;
  const bool *taken;    /* per node: it is assigned already; only read */
  const uint32_t *rank; /* per node: the order of assigning equal candidates; NULL: graph order,
                           which proves nothing */
  bool *uncertain; /* per value: its node was chosen among equal candidates, or by way of a value
                      that such a node computes; written */
} etr_assignment;

/** Returns the position of a node in the order in which equal candidates are assigned. */
static inline uint32_t etr_assignment_rank(const etr_assignment *assignment, uint32_t node) {
  return assignment->rank ? assignment->rank[node] : node;
}

/** Marks the results of a node as uncertain: the node was chosen among equal candidates, or by way
 * of an uncertain value. */
void etr_assignment_mark_uncertain(const etr_assignment *assignment, uint32_t node);

/** Creates an index of the nodes that are not assigned yet, in the arena. It borrows both
 * arguments. Returns NULL when out of memory. */
etr_candidates *etr_candidates_new(const etr_node_index *index, const etr_assignment *assignment,
                                   etr_arena *arena);

/**
 * Returns the unassigned node that fits an operator best: it has its handle and kind, and reads the
 * same values. ETR_NONE if there is none. Sets *equal_candidates if other nodes matched equally
 * well, so that order decided, now or earlier: without a rank, a node that was found by an
 * uncertain value is uncertain too. Sets *is_contradicted if there are several nodes and no
 * unassigned one reads and writes the operator's values; then none is returned.
 */
uint32_t etr_candidates_choose(etr_candidates *c, const etr_wanted *wanted, bool *equal_candidates,
                               bool *is_contradicted);

#endif
