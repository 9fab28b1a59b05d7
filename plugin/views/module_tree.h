/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module_tree.h - times of modules with what is below them, and of patterns, which are modules that repeat. Layer 4.
 */
#ifndef ETR_MODULE_TREE_H
#define ETR_MODULE_TREE_H

#include "views/breakdown.h"

/* ---- A method's time by module of the model, with sums at every level ---- */

typedef struct etr_module_row {
  const char *path, *type;  /* "" is the top level */
  const char *pattern;      /* as in etr_module */
  uint32_t parent;          /* index of the enclosing row; ETR_NONE for the top level, which stands first */
  uint32_t level;           /* 0: the top level */
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
  double summed_p50; /* of the outermost modules, and of what is in the top level */
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

/* ---- A method's time by pattern of modules: those that repeat are one row ---- */

typedef struct etr_pattern_row {
  const char *pattern;      /* etr_module.pattern; "" is the top level */
  const char *type;         /* of its modules; "" if not told, or not the same of all */
  uint32_t level;           /* 0: the top level */
  size_t module_count;      /* modules with timed nodes in them or below */
  uint64_t total_ticks;     /* over all runs of the method, with all below */
  uint64_t own_ticks;       /* of nodes that are in no module below */
  uint64_t estimated_ticks; /* the part of own_ticks that was matched by order alone */
  size_t node_count, own_count;
  double median_ticks;             /* of the modules' total_ticks */
  const char *slowest;             /* path of the module with most total_ticks, the first of equals */
  uint64_t slowest_ticks;          /* its total_ticks */
  etr_cost_figures cost, own_cost; /* of all of them, and of their own nodes */
  const etr_stats *stats;          /* of own_ticks, over runs; NULL if it has no own nodes */
} etr_pattern_row;

typedef struct etr_module_patterns {
  const etr_pattern_row *rows; /* most time first, or by pattern; the top level comes first */
  size_t count;
} etr_module_patterns;

/** The numbers that a pattern leaves out of a module's path: "13" of layers.13.mlp, "3.7" of layers.3.experts.7. "" if
 * none; NULL when out of memory. */
const char *etr_pattern_numbers(etr_arena *arena, const char *pattern, const char *path);

/** own: the method's breakdown by pattern: the rows' own_ticks add up to those of its rows. by_name: the order of the
 * rows. False when out of memory. */
bool etr_module_patterns_make(etr_module_patterns *out, etr_arena *arena, const etr_profile *profile,
                              const etr_module_tree *tree, const etr_breakdown *own, bool by_name);

/** The same of all nodes of a method, by time. */
bool etr_module_patterns_of(etr_module_patterns *out, etr_arena *arena, const etr_profile *profile,
                            const etr_method *method);

#endif
