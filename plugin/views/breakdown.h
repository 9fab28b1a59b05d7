/* SPDX-License-Identifier: BSD-3-Clause
 *
 * breakdown.h - a method's time on nodes, added up by what the nodes have in common. Layer 4.
 */
#ifndef ETR_BREAKDOWN_H
#define ETR_BREAKDOWN_H

#include "base/arena.h"
#include "views/cost_figures.h"

typedef enum etr_breakdown_by {
  ETR_BY_OP,
  ETR_BY_MODULE,
  ETR_BY_PATTERN,
  ETR_BY_BACKEND,
  ETR_BY_SOURCE
} etr_breakdown_by;

enum { ETR_BREAKDOWNS = 5 };

typedef struct etr_breakdown_row {
  const char
      *key; /* operator, module path or pattern ("" is the top level), backend ("cpu" for kernels), source file */
  const char *module_type;  /* of ETR_BY_MODULE; else "" */
  const etr_source *source; /* of ETR_BY_SOURCE, NULL for nodes without one; else NULL */
  uint64_t total_ticks;     /* over all runs of the method */
  uint64_t estimated_ticks; /* the part of it that was matched by order alone */
  size_t node_count;        /* nodes that were timed */
  uint32_t number;          /* of the row, in the order of the nodes */
  double weight;            /* what it ranks by: total_ticks, or its p50 */
  double step;              /* of the coarsest clock that timed its nodes; ticks */
  etr_cost_sum costs;       /* of its nodes */
  etr_cost_figures cost;
} etr_breakdown_row;

typedef struct etr_breakdown {
  etr_breakdown_row *rows; /* largest weight first, then by key */
  size_t count;
  const uint32_t *row_of_node; /* for each node of the graph the number of its row; ETR_NONE: not counted */
  const etr_stats *stats;      /* of each row, by number, over the runs in which any of its nodes ran */
  double summed_p50;           /* of all rows */
} etr_breakdown;

/** The module itself, or the nearest around it that has a path: what is in a name made up for the root counts as the
 * root's. */
uint32_t etr_counted_module(const etr_graph *graph, uint32_t module);

/**
 * Adds up the nodes of the method's Edge graph that ran. wanted: a flag for each node, which are counted; NULL: all,
 * and then the rows' ticks add up to the method's nodes_ticks. Empty for a method without graph. False when out of
 * memory.
 */
bool etr_breakdown_make(etr_breakdown *out, etr_arena *arena, const etr_profile *profile, const etr_method *method,
                        etr_breakdown_by by, const bool *wanted);

/** The same for several kinds at once, into out[by]: a bit (1u << ETR_BY_OP, ...) for each. The others stay as they
 * are.
 */
bool etr_breakdowns_make(etr_breakdown *out, unsigned kinds, etr_arena *arena, const etr_profile *profile,
                         const etr_method *method, const bool *wanted);

/** Puts the rows into another order: by key, and source lines by file and line. */
void etr_breakdown_sort_by_key(etr_breakdown *breakdown);

#endif
