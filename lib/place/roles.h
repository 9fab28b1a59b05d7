/* SPDX-License-Identifier: BSD-3-Clause
 *
 * roles.h - which nodes run as kernels, and which are in delegates, before it is known which instruction each is.
 * Layer 3.
 *
 * A handle's nodes are as many kernels as instructions name it with their operator, and as many are delegated as the
 * delegates list it. The others are views that memory planning removed, and numbers.
 */
#ifndef ETR_ROLES_H
#define ETR_ROLES_H

#include "place/placement.h"

/* ---- Kernels that share a debug handle and an operator, and the nodes that they could be ---- */

/** Kernels that have an operator at a handle, and the nodes there. */
typedef struct etr_kernel_group {
  size_t first, node_count;  /* in by_operator */
  etr_vec(uint32_t) kernels; /* indices of instructions, ascending */
} etr_kernel_group;

typedef etr_vec(etr_kernel_group) etr_kernel_groups;

/** Lists the groups of all kernels whose handle and operator are known, in the arena. False: out of memory. */
bool etr_kernel_groups_find(etr_kernel_groups *out, const etr_placement *placement, etr_arena *arena);

/** What each node of a graph runs as. */
typedef struct etr_roles {
  bool *is_kernel;     /* per node: a kernel runs it, as far as counts tell */
  bool *is_delegated;  /* per node: some delegate holds it */
  bool is_consistent;  /* of each handle as many nodes are delegated as the delegates list */
  bool lists_getitems; /* lists have an entry for each getitem, too; not those of ExecuTorch before 1.2 */
  uint32_t ambiguous;  /* nodes that were chosen among others with as good reasons */
} etr_roles;

/**
 * Finds the roles, in the arena. Where counts leave a choice, those nodes stay in the program that have most reason to:
 * what the backend's partitioner does not take, then views. Where not all nodes with a reason stay, whole operators do,
 * as a partitioner takes an operator or leaves it. False: out of memory.
 */
bool etr_roles_find(etr_roles *out, const etr_placement *placement, const etr_kernel_groups *groups, etr_arena *arena);

#endif
