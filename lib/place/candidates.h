/* SPDX-License-Identifier: BSD-3-Clause
 *
 * candidates.h - of the nodes that have an operator's handle and kind, the one that reads what it reads. Layer 3.
 */
#ifndef ETR_CANDIDATES_H
#define ETR_CANDIDATES_H

#include "method/graph_values.h"
#include "method/method.h"

/** What is known of an operator that ran. */
typedef struct etr_wanted {
  uint32_t expected; /* the node that order gives it; ETR_NONE: it gives none */
  const uint32_t *handles;
  size_t handle_count;
  uint32_t kind;
  const uint32_t *inputs; /* values of the graph, weights left out; ETR_NONE: not known which */
  size_t input_count;
  bool (*agrees)(const void *context, const etr_node *node); /* shape and number type do not contradict the node */
  const void *context;
} etr_wanted;

/** The nodes that are left, and how they are looked up. */
typedef struct etr_candidates etr_candidates;

/** What is known of the graph's nodes while they are assigned out; borrowed. */
typedef struct etr_assignment {
  const etr_graph_values *values;
  const bool *taken;    /* per node; read, not written */
  const uint32_t *rank; /* per node, the order in which equally good candidates are assigned; NULL: the graph's, which
                           proves nothing */
  bool *uncertain; /* per value: its node was chosen among equally good candidates, or found by what such a node makes;
                      written */
} etr_assignment;

/** The order in which a node is assigned, as a equally good candidate. */
static inline uint32_t etr_assignment_rank(const etr_assignment *assignment, uint32_t node) {
  return assignment->rank ? assignment->rank[node] : node;
}

/** Notes that a node was chosen among equally good candidates, or found by what such a node makes. */
void etr_assignment_uncertainty(const etr_assignment *assignment, uint32_t node);

/** Borrows all. NULL: out of memory. */
etr_candidates *etr_candidates_new(const etr_node_index *index, const etr_assignment *assignment, etr_arena *arena);

/**
 * The node; ETR_NONE if there is none. *equally good candidates: whether others have the same claim, so that
 * order decided, here or before: without a rank, what was found by a uncertain value is uncertain. *is_contradicted:
 * there are several nodes, and none of those that are left reads and writes what the operator does.
 */
uint32_t etr_candidates_choose(etr_candidates *c, const etr_wanted *wanted, bool *equal_candidates,
                               bool *is_contradicted);

#endif
