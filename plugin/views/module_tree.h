/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module_tree.h - times of modules, including the modules below them, and of patterns, which are
 * modules that repeat. Layer 4.
 */
#ifndef ETR_MODULE_TREE_H
#define ETR_MODULE_TREE_H

#include "views/breakdown.h"

/* ---- A method's time by module of the model, with sums at every level ---- */

typedef struct etr_module_row {
  const char *path, *type; /* path "" is the top level */
  const char *pattern;     /* as in etr_module */
  uint32_t
      parent; /* index of the enclosing row; ETR_NONE for the top level, which is the first row */
  uint32_t level;                    /* 0: the top level */
  uint64_t total_ticks;              /* over all runs of the method, including the modules below */
  uint64_t own_ticks;                /* time of the nodes that are in no module below */
  double total_typical, own_typical; /* the same per inference, in the typical run */
  uint64_t estimated_ticks;          /* the part of own_ticks that was matched by order alone */
  size_t node_count, own_count;
  uint32_t number; /* number of the row of its own nodes in a breakdown by module; ETR_NONE if it
                      has none */
  double
      total_p50; /* median of the sum over all its nodes; NaN at levels deeper than models have */
  double weight; /* rows are ranked by the time of all their nodes */
  double step;   /* step of the coarsest clock that timed its nodes, in ticks */
  etr_cost_sum costs, own_costs; /* costs of all its nodes, and of its own nodes */
  etr_cost_figures cost, own_cost;
} etr_module_row;

/** The modules with timed nodes in them or below. A module precedes the modules below it; siblings
 * are sorted by weight, largest first. */
typedef struct etr_module_tree {
  const etr_module_row *rows;
  size_t count;
  double summed_p50; /* sum of the medians of the outermost modules and of the nodes of the top
                        level */
} etr_module_tree;

/** Builds the tree of a method. `own` is the method's breakdown by module; the own_ticks of the
 * tree add up to its ticks. The tree is empty for a method without a graph. Returns false when out
 * of memory. */
bool etr_module_tree_make(etr_module_tree *out, etr_arena *arena, const etr_profile *profile,
                          const etr_method *method, const etr_breakdown *own);

/** Chooses the rows that people see, and returns a flag for each row. At most `depth` levels are
 * shown, or with 0 as many as it takes to show `most` rows. At most `most` rows are shown, those
 * with the largest weight; 0 shows all. The row of the top level is not shown, and a row is shown
 * only if its parent is. Returns NULL when out of memory. */
const bool *etr_module_tree_choose(const etr_module_tree *tree, etr_arena *arena, size_t depth,
                                   size_t most);

/* ---- A method's time by pattern of modules: those that repeat are one row ---- */

typedef struct etr_pattern_row {
  const char *pattern;  /* pattern of its modules (etr_module.pattern); "" is the top level */
  const char *type;     /* type of its modules; "" if it is not known or differs between them */
  uint32_t level;       /* 0: the top level */
  size_t module_count;  /* number of modules with timed nodes in them or below */
  uint64_t total_ticks; /* over all runs of the method, including the modules below */
  uint64_t own_ticks;   /* time of the nodes that are in no module below */
  double total_typical, own_typical; /* the same per inference, in the typical run */
  double weight;                     /* sum of the modules' weights, by which patterns are ranked */
  uint64_t estimated_ticks;          /* the part of own_ticks that was matched by order alone */
  size_t node_count, own_count;
  double median;       /* median of the modules' weights */
  const char *slowest; /* path of the module with the largest weight, the first of equal ones */
  double slowest_time; /* its weight */
  etr_cost_figures cost, own_cost; /* costs of all its nodes, and of the modules' own nodes */
  const etr_stats
      *stats; /* statistics of own_ticks over the runs; NULL if there are no own nodes */
} etr_pattern_row;

typedef struct etr_module_patterns {
  const etr_pattern_row *rows; /* sorted by time, or by pattern; the top level comes first */
  size_t count;
} etr_module_patterns;

/** Returns the numbers in a module's path that its pattern replaces by *: "13" for layers.13.mlp,
 * "3.7" for layers.3.experts.7. Returns "" if there are none, NULL when out of memory. */
const char *etr_pattern_numbers(etr_arena *arena, const char *pattern, const char *path);

/** Adds up the modules of a tree by pattern. `own` is the method's breakdown by pattern; the
 * own_ticks of the rows add up to its ticks. Rows are sorted by pattern with `by_name`, or else by
 * time. Returns false when out of memory. */
bool etr_module_patterns_make(etr_module_patterns *out, etr_arena *arena,
                              const etr_profile *profile, const etr_module_tree *tree,
                              const etr_breakdown *own, bool by_name);

/** Adds up all nodes of a method by the pattern of their module ("layers.*" for "layers.0"), sorted
 * by time and not by name. Returns false when out of memory. */
bool etr_module_patterns_of(etr_module_patterns *out, etr_arena *arena, const etr_profile *profile,
                            const etr_method *method);

#endif
