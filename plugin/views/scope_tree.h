/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scope_tree.h - the tree of boxes while scope_tree.c builds it. Private to scope_*.c.
 */
#ifndef ETR_SCOPE_TREE_H
#define ETR_SCOPE_TREE_H

#include "views/scope.h"

enum {
  ETR_TREE_TOP = 0,        /* boxes[0] stands for the top level: it becomes no scope */
  ETR_TREE_MAX_DEPTH = 32, /* what lies deeper stays in its last box, so that hostile stacks give no endless names */
};

typedef struct etr_box {
  const char *label;
  const char *stem; /* of a bucket of consecutive things: "ops"; else NULL */
  uint32_t base;    /* of such a bucket: the number of the first thing in it */
  uint32_t parent;  /* parents stand before their children */
  uint32_t depth;   /* ETR_TREE_TOP has 0 */
  uint32_t module;
  etr_scope_kind kind;
  bool dissolved;       /* its children are its parent's */
  uint32_t op_count;    /* operators inside, at any depth */
  uint32_t node_count;  /* nodes directly inside, without weights */
  uint32_t box_count;   /* boxes directly inside */
  uint32_t digit_count; /* those of them whose label is a number: members of a list */
} etr_box;

typedef struct etr_tree {
  etr_arena *arena;
  const etr_graph *graph;
  etr_vec(etr_box) boxes;
  uint32_t *of_node; /* box of each node; of weights only in the end */
  bool *is_guest;    /* as in etr_scopes */
} etr_tree;

/** Weights are drawn at their consumers and count as nobody's child. */
static inline bool etr_node_is_weight(const etr_node *node) { return node->kind >= ETR_NODE_PARAMETER; }

/** Adds a box; gives the parent when out of memory. */
uint32_t etr_tree_add(etr_tree *tree, uint32_t parent, const char *label, etr_scope_kind kind);

/** Counts what is in each box. */
void etr_tree_count(etr_tree *tree);

/** Drops dissolved boxes and puts the rest in the order in which their nodes appear, parents first. Counts are stale
 * afterwards. */
void etr_tree_settle(etr_tree *tree);

/** Leaves of long labels the end that tells siblings apart; members of a list ("layers.0", "layers.1") are cut alike.
 */
void etr_tree_shorten(etr_tree *tree);

/** Puts the children of overfull boxes into buckets. Counts are stale afterwards. */
void etr_tree_bucket(etr_tree *tree);

#endif
