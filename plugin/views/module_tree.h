/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module_tree.h - a method's time by module of the model, with sums at every level. Layer 4.
 */
#ifndef ETR_MODULE_TREE_H
#define ETR_MODULE_TREE_H

#include "views/breakdown.h"

typedef struct etr_module_row {
  const char *path, *type;  /* "" is the model itself */
  const char *pattern;      /* as in etr_module */
  uint32_t parent;          /* index of the enclosing row; ETR_NONE for the model itself, which stands first */
  uint32_t level;           /* 0: the model itself */
  uint64_t total_ticks;     /* over all runs of the method, with all below it */
  uint64_t own_ticks;       /* of nodes that are in no module below it */
  uint64_t estimated_ticks; /* the part of own_ticks that was matched by order alone */
  size_t node_count, own_count;
  uint32_t number;               /* of its row in a breakdown by module: of its own nodes; ETR_NONE if it has none */
  double total_p50;              /* of the sum over all its nodes; NaN in more levels than any model has */
  double weight;                 /* what it ranks by: total_ticks, or total_p50 */
  double step;                   /* of the coarsest clock that timed its nodes; ticks */
  etr_cost_sum costs, own_costs; /* likewise */
  etr_cost_figures cost, own_cost;
} etr_module_row;

/** Modules that have timed nodes in them or below, parents in front of what is below them, largest weight first. */
typedef struct etr_module_tree {
  const etr_module_row *rows;
  size_t count;
  double summed_p50; /* of the outermost modules, and of what is in the model itself */
} etr_module_tree;

/** own: the method's breakdown by module. The rows' own_ticks add up to those of its rows. Empty for a method without
 * graph. False when out of memory. */
bool etr_module_tree_make(etr_module_tree *out, etr_arena *arena, const etr_profile *profile, const etr_method *method,
                          const etr_breakdown *own);

/**
 * Which rows a person sees: a flag for each. depth: levels at most; 0: as many as it takes to have `most` rows. most:
 * rows at most, those with the largest weight; 0: all. The model itself is not shown. A row is shown only if its parent
 * is. NULL when out of memory.
 */
const bool *etr_module_tree_choose(const etr_module_tree *tree, etr_arena *arena, size_t depth, size_t most);

#endif
