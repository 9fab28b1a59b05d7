/* SPDX-License-Identifier: BSD-3-Clause
 *
 * breakdown.h - a method's time on nodes, added up by what the nodes have in common. Layer 4.
 */
#ifndef ETR_BREAKDOWN_H
#define ETR_BREAKDOWN_H

#include "arena.h"
#include "etrecord_tb.h"

typedef enum etr_breakdown_by { ETR_BY_OP, ETR_BY_MODULE, ETR_BY_BACKEND, ETR_BY_SOURCE } etr_breakdown_by;

enum { ETR_BREAKDOWNS = 4 };

typedef struct etr_breakdown_row {
  const char *key;          /* operator, module path ("" is the model itself), backend ("cpu" for kernels), source file */
  const char *module_type;  /* of ETR_BY_MODULE; else "" */
  const etr_source *source; /* of ETR_BY_SOURCE, NULL for nodes without one; else NULL */
  uint64_t total_ticks;     /* over all runs of the method */
  uint64_t estimated_ticks; /* the part of it that was matched by order alone */
  size_t node_count;        /* nodes that were timed */
  uint32_t number;          /* of the row, in the order of the nodes */
} etr_breakdown_row;

typedef struct etr_breakdown {
  etr_breakdown_row *rows; /* most time first, then by key */
  size_t count;
  const uint32_t *row_of_node; /* for each node of the graph the number of its row; ETR_NONE: not counted */
} etr_breakdown;

/** The module itself, or the nearest around it that has a path: what is in a name made up for the root counts as the root's. */
uint32_t etr_counted_module(const etr_graph *graph, uint32_t module);

/**
 * Adds up the nodes of the method's Edge graph that ran. wanted: a flag for each node, which are counted; NULL: all, and then the rows' ticks add up
 * to the method's nodes_ticks. Empty for a method without graph. False when out of memory.
 */
bool etr_breakdown_make(etr_breakdown *out, etr_arena *arena, const etr_profile *profile, const etr_method *method, etr_breakdown_by by,
                        const bool *wanted);

/** Puts the rows into another order: by key, and source lines by file and line. */
void etr_breakdown_sort_by_key(etr_breakdown *breakdown);

/** Statistics of a breakdown's rows over the runs in which any of their nodes ran, by number; NULL when out of memory. */
const etr_stats *etr_breakdown_stats(const etr_breakdown *breakdown, etr_arena *arena, const etr_method *method);

#endif
