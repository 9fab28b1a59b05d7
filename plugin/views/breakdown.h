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
  const char *key; /* operator; module path or pattern, "" for the top level; backend, "cpu" for
                      kernels; or source file */
  const char *module_type;  /* only for ETR_BY_MODULE; else "" */
  const etr_source *source; /* only for ETR_BY_SOURCE; NULL for nodes without a source line */
  uint64_t total_ticks;     /* over all runs of the method */
  double typical;           /* per inference, in the typical run */
  uint64_t estimated_ticks; /* the part of total_ticks that was matched by order alone */
  size_t node_count;        /* nodes that were timed */
  uint32_t number;          /* number of the row, in the order of the nodes */
  double weight;            /* rows are ranked by this time */
  double step;              /* step of the coarsest clock that timed its nodes, in ticks */
  etr_cost_sum costs;       /* sum of the costs of its nodes */
  etr_cost_figures cost;
} etr_breakdown_row;

typedef struct etr_breakdown {
  etr_breakdown_row *rows; /* sorted by weight, largest first, then by key */
  size_t count;
  const uint32_t
      *row_of_node; /* per node of the graph: number of its row; ETR_NONE if it is not counted */
  const etr_stats
      *stats; /* per number of a row: statistics over the runs in which any of its nodes ran */
  double summed_p50; /* sum of the medians of all rows */
} etr_breakdown;

/** Returns the module to which time in a module is added: the module itself, or the nearest one
 * around it that has a path. A module whose name was made up for the root counts as the root. */
uint32_t etr_counted_module(const etr_graph *graph, uint32_t module);

/** Adds up the nodes of the method's Edge graph that ran. `wanted` has a flag for each node that is
 * counted. If it is NULL, all nodes are counted, and the ticks of the rows add up to the method's
 * ETR_TIME_OPERATORS. The result is empty for a method without a graph. Returns false when out of
 * memory.
 */
bool etr_breakdown_make(etr_breakdown *out, etr_arena *arena, const etr_profile *profile,
                        const etr_method *method, etr_breakdown_by by, const bool *wanted);

/** A bit of `kinds` for callers that need neither statistics nor costs: `stats` is NULL, costs are
 * 0, and the rows are in the order of the nodes. */
enum { ETR_BREAKDOWN_OF_TICKS = 1 << 16 };

/** Makes several breakdowns at once, as etr_breakdown_make() does: out[by] for each bit (1u <<
 * ETR_BY_OP, ...) of `kinds`, which may also have ETR_BREAKDOWN_OF_TICKS. The other elements of
 * `out` are not changed. Returns false when out of memory. */
bool etr_breakdowns_make(etr_breakdown *out, unsigned kinds, etr_arena *arena,
                         const etr_profile *profile, const etr_method *method, const bool *wanted);

/** Sorts the rows by key, and source lines by file and line. */
void etr_breakdown_sort_by_key(etr_breakdown *breakdown);

#endif
