/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_view.h - a comparison as outputs list it: the rows in their order, their costs, and the
 * parts of a method's time. Layer 4.
 */
#ifndef ETR_DIFF_VIEW_H
#define ETR_DIFF_VIEW_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "views/balance.h"
#include "views/cost_figures.h"

#include <math.h>

/* ---- The rows of a comparison that an output lists, in its order ---- */

typedef enum etr_diff_section {
  ETR_DIFF_SECTION_NODES,
  ETR_DIFF_SECTION_OPS,
  ETR_DIFF_SECTION_MODULES,
  ETR_DIFF_SECTION_PATTERNS,
  ETR_DIFF_SECTION_BACKENDS,
  ETR_DIFF_SECTION_SOURCES,
  ETR_DIFF_SECTION_KERNELS,
  ETR_DIFF_SECTION_PATTERN_OPS, /* only in JSON of all sections, for the page */
  ETR_DIFF_SECTIONS,
} etr_diff_section;

/** A node, or a sum of nodes. */
typedef struct etr_diff_row {
  const etr_change *change;
  const etr_node_pair *pair;   /* NULL for a sum */
  const etr_node_group *group; /* NULL for a node */
  const char *name;            /* name of the node, or the operator, module or backend */
  const char *module;          /* module of a node; "" for a sum */
  const etr_cost_figures *base_cost, *new_cost; /* NULL if not known: see etr_diff_costs_add() */
  const etr_cost_figures *base_tree_cost, *new_tree_cost; /* of group->with_children */
  bool is_news; /* what a reader wants to see: it changed or is on one side only, and it was timed,
                   if anything was */
} etr_diff_row;

typedef struct etr_diff_rows {
  etr_diff_row *rows; /* rows that are news come first */
  size_t count, news_count;
  size_t verdicts[ETR_VERDICT_SLOWER + 1]; /* per verdict: number of rows */
} etr_diff_rows;

/** Lists a section of a method in the order of the comparison: all rows. Returns false when out of
 * memory. */
bool etr_diff_rows_list(etr_diff_rows *out, etr_arena *arena, const etr_method_pair *method,
                        etr_diff_section section);

/** Lists a section of a method for people: rows that are news first, then by `order`; without the
 * modules and patterns that have no timed nodes of their own. Returns false when out of memory. */
bool etr_diff_rows_make(etr_diff_rows *out, etr_arena *arena, const etr_method_pair *method,
                        etr_diff_section section, etr_node_order order);

/** Returns the only section that the filter selects; ETR_DIFF_SECTIONS if it selects all or none.
 */
etr_diff_section etr_diff_section_of(const etr_diff_filter *filter);

/** Return true if the filter selects this section, the numeric gaps, or this method. The filter may
 * be NULL, which selects all. The section of operators by pattern is selected only with all others.
 * */
bool etr_diff_takes_section(const etr_diff_filter *filter, etr_diff_section section);
bool etr_diff_takes_gaps(const etr_diff_filter *filter);
bool etr_diff_takes_method(const etr_diff_filter *filter, const etr_method_pair *method);

/** Return the change of the typical time, of the average, and of the median, in ticks. */
double etr_diff_typical(const etr_change *change);
double etr_diff_average(const etr_change *change);
double etr_diff_median(const etr_change *change);

/* ---- What the nodes of a comparison compute and move, on both sides ---- */

/** Sets base_cost and new_cost of the rows and, of modules and patterns, base_tree_cost and
 * new_tree_cost, in the arena. They stay NULL for a side that is a document or has no graph.
 * Returns false when out of memory. */
bool etr_diff_costs_add(etr_diff_rows *rows, etr_arena *arena, const etr_comparison *comparison,
                        const etr_method_pair *method, etr_diff_section section);

/* ---- The parts of a method's time on both sides ---- */

/** Returns a time, or 0 if it is not known. */
static inline double etr_known_time(double time) {
  return isnan(time) ? 0 : time;
}

/** Returns true for sections that only a graph names, modules, patterns and source lines, if the
 * method is compared by events. */
bool etr_diff_lacks_section(const etr_method_pair *method, etr_diff_section section);

/** Returns the section that the first table of a method divides its operators by: operators, unless
 * the filter asks for another one that the method has. The operators of a method that is compared
 * by events are kernels. */
etr_diff_section etr_diff_first_section(const etr_diff_filter *filter,
                                        const etr_method_pair *method);

/** Returns the sums of a section; NULL for the section of nodes. */
const etr_node_groups *etr_diff_groups(const etr_method_pair *method, etr_diff_section section);

/** Returns the load that contains the others, which is the longest on the newer side; NULL if
 * several methods were timed, so that it is not known which of them was loaded, or if no load was
 * recorded.
 */
const etr_change *etr_diff_load(const etr_comparison *comparison);

/** A part of a method's time on both sides, in ticks of the newer profile's clock; 0 on a side
 * without it. */
typedef struct etr_part_changes_row {
  etr_time_part part;
  const char *backend;
  const char *text;  /* what people read, as in etr_balance_part */
  size_t call_count; /* as in etr_part_time, of the newer side if it has the part */
  size_t base_call_count;
  double base_typical, new_typical, base_avg, new_avg;
  const etr_change *change; /* with the verdict; NULL if it was not judged, as of old documents */
} etr_part_changes_row;

typedef struct etr_part_changes {
  const etr_part_changes_row *rows;
  size_t count;
} etr_part_changes;

/** Lists the parts that either side has, in the order of etr_time_part and then by backend, with
 * times in ticks of the newer side's clock. Returns false when out of memory. */
bool etr_part_changes_make(etr_part_changes *out, etr_arena *arena,
                           const etr_comparison *comparison, const etr_method_pair *method);

#endif
