/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels.h - kernels that share a debug handle and an operator, and the nodes that they could be. Layer 3.
 */
#ifndef ETR_KERNELS_H
#define ETR_KERNELS_H

#include "place/placement.h"

/** Kernels that have an operator at a handle, and the nodes there. */
typedef struct etr_kernel_group {
  size_t first, node_count;  /* in by_operator */
  etr_vec(uint32_t) kernels; /* indices of instructions, ascending */
} etr_kernel_group;

typedef etr_vec(etr_kernel_group) etr_kernel_groups;

/** Lists the groups of all kernels whose handle and operator are known, in the arena. False: out of memory. */
bool etr_kernel_groups_find(etr_kernel_groups *out, const etr_placement *placement, etr_arena *arena);

#endif
