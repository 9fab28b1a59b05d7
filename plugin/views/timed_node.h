/* SPDX-License-Identifier: BSD-3-Clause
 *
 * timed_node.h - nodes in the order of their time. Layer 4.
 */
#ifndef ETR_TIMED_NODE_H
#define ETR_TIMED_NODE_H

#include <stdint.h>
#include <string.h>

/** A node and the time it ranks by. */
typedef struct etr_timed_node {
  double ticks;
  uint32_t node;
  const char *op; /* only for etr_timed_node_by_op() */
} etr_timed_node;

/** Compares for qsort(): by time, the longest first; nodes with equal times are in the graph's
 * order. */
static inline int etr_timed_node_order(const void *a, const void *b) {
  const etr_timed_node *x = a, *y = b;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? 1 : -1;
  return (x->node > y->node) - (x->node < y->node);
}

/** Compares for qsort(): by operator; nodes of the same operator are in the graph's order. */
static inline int etr_timed_node_by_op(const void *a, const void *b) {
  const etr_timed_node *x = a, *y = b;
  int compared = strcmp(x->op, y->op);
  return compared ? compared : (x->node > y->node) - (x->node < y->node);
}

#endif
