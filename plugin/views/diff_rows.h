/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_rows.h - the rows of a comparison that an output lists, in its order. Layer 4.
 */
#ifndef ETR_DIFF_ROWS_H
#define ETR_DIFF_ROWS_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "views/cost_figures.h"

typedef enum etr_diff_section {
  ETR_DIFF_SECTION_NODES,
  ETR_DIFF_SECTION_OPS,
  ETR_DIFF_SECTION_MODULES,
  ETR_DIFF_SECTION_PATTERNS,
  ETR_DIFF_SECTION_BACKENDS,
  ETR_DIFF_SECTIONS,
} etr_diff_section;

/** A node, or a sum of nodes. */
typedef struct etr_diff_row {
  const etr_change *change;
  const etr_node_pair *pair;                    /* NULL of a sum */
  const etr_node_group *group;                  /* NULL of a node */
  const char *name;                             /* of the node; operator, module, backend */
  const char *module;                           /* of a node; else "" */
  const etr_cost_figures *base_cost, *new_cost; /* NULL: not told, see diff_costs.h */
  bool is_news; /* it changed, or is on one side only; and it was timed, if anything was: what a reader wants to see */
} etr_diff_row;

typedef struct etr_diff_rows {
  etr_diff_row *rows; /* news first */
  size_t count, news_count;
  size_t verdicts[ETR_VERDICT_SLOWER + 1]; /* rows of each verdict */
} etr_diff_rows;

/** The sums of a section, which is not of nodes. */
const etr_node_groups *etr_diff_groups(const etr_method_pair *method, etr_diff_section section);

/** Lists a section of a method as the comparison has it. False when out of memory. */
bool etr_diff_rows_list(etr_diff_rows *out, etr_arena *arena, const etr_method_pair *method, etr_diff_section section);

/** The same, sorted. */
bool etr_diff_rows_make(etr_diff_rows *out, etr_arena *arena, const etr_method_pair *method, etr_diff_section section,
                        etr_node_order order);

/** True if the filter asks for this section; for the numeric gap; for this method.
 * filter may be NULL. */
bool etr_diff_takes_section(const etr_diff_filter *filter, etr_diff_section section);
bool etr_diff_takes_gaps(const etr_diff_filter *filter);
bool etr_diff_takes_method(const etr_diff_filter *filter, const etr_method_pair *method);

/** Change of the average, and of the median. */
double etr_diff_average(const etr_change *change);
double etr_diff_median(const etr_change *change);

/** Change of Method::execute's average that is not on nodes: delegates' own, framework, unexplained. */
double etr_diff_rest(const etr_method_pair *method);

#endif
