/* SPDX-License-Identifier: BSD-3-Clause
 *
 * roles.h - decides which nodes run as kernels and which in delegates, before their instructions
 * are known. Layer 3.
 *
 * For each debug handle, the number of nodes that run as kernels is the number of instructions with
 * that handle and the operator, and the number of delegated nodes is how often the delegates list
 * the handle. The other nodes are views that memory planning removed, and symbolic numbers.
 */
#ifndef ETR_ROLES_H
#define ETR_ROLES_H

#include "join/placement.h"

/* ---- Kernels that share a debug handle and an operator, and the nodes that they could be ---- */

/** The kernels with one handle and operator, and the nodes with both. */
typedef struct etr_kernel_group {
  size_t first, node_count;  /* slice of by_operator */
  etr_vec(uint32_t) kernels; /* indices of instructions, ascending */
} etr_kernel_group;

typedef etr_vec(etr_kernel_group) etr_kernel_groups;

/** Lists the groups of all kernels whose handle and operator are known, in the arena. Returns false
 * when out of memory.
 */
bool etr_kernel_groups_find(etr_kernel_groups *out, const etr_placement *placement,
                            etr_arena *arena);

/** The role of each node of a graph. */
typedef struct etr_roles {
  bool *is_kernel;    /* per node: a kernel runs it, by the counts */
  bool *is_delegated; /* per node: some delegate contains it */
  bool *is_inside;    /* per node: some delegate certainly contains it; only filled where the counts
                         leave a choice */
  bool is_consistent; /* for each handle, the number of delegated nodes is the number that the
                         delegates list */
  bool lists_getitems; /* handle lists also have an entry for each getitem, as they do since
                          ExecuTorch 1.2 */
  uint32_t
      ambiguous; /* number of nodes that were chosen among others with equally strong reasons */
} etr_roles;

/**
 * Finds the roles, in the arena. If the counts leave a choice, a node between two nodes of a
 * delegate is in it, because no path may leave a delegate and come back, and the nodes with the
 * strongest reasons stay in the program: first nodes that cannot be in a delegate, then those that
 * the backend's partitioner does not take, then views. If only some nodes with a reason stay, all
 * nodes of the same operator stay together, because a partitioner takes all of them or none.
 * Returns false when out of memory.
 */
bool etr_roles_find(etr_roles *out, const etr_placement *placement, const etr_kernel_groups *groups,
                    etr_arena *arena);

#endif
