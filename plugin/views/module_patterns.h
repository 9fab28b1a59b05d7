/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module_patterns.h - a method's time by pattern of modules: those that repeat are one row. Layer 4.
 */
#ifndef ETR_MODULE_PATTERNS_H
#define ETR_MODULE_PATTERNS_H

#include "views/module_tree.h"

typedef struct etr_pattern_row {
  const char *pattern;      /* etr_module.pattern; "" is the model itself */
  const char *type;         /* of its modules; "" if not told, or not the same of all */
  uint32_t level;           /* 0: the model itself */
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
  const etr_pattern_row *rows; /* most time first, or by pattern; the model itself comes first */
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
