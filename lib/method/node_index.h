/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_index.h - nodes by debug handle and kind: what a kind is, is the caller's (an operator, a backend's class).
 * Layer 3.
 */
#ifndef ETR_NODE_INDEX_H
#define ETR_NODE_INDEX_H

#include "base/arena.h"

/** A node with its handle and kind. */
typedef struct etr_node_slot {
  uint32_t handle, kind, node;
} etr_node_slot;

/** The caller fills the slots, then sorts. */
typedef struct etr_node_index {
  etr_node_slot *slots; /* sorted by handle, kind, node, once etr_node_index_sort() was called */
  size_t count;
} etr_node_index;

/** Sorts what was put into it. */
void etr_node_index_sort(etr_node_index *index);

/** Place of the first node of a handle and kind; *count of them stand there. */
size_t etr_node_index_find(const etr_node_index *index, uint32_t handle, uint32_t kind, size_t *count);

/** The first slot of a handle and kind whose node is not before `node`; NULL if there is none. */
const etr_node_slot *etr_node_index_next(const etr_node_index *index, uint32_t handle, uint32_t kind, uint32_t node);

#endif
