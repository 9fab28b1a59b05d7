/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary.h - where a method's time goes: everything that the outputs about it show. Layer 4.
 */
#ifndef ETR_SUMMARY_H
#define ETR_SUMMARY_H

#include "views/balance.h"
#include "views/breakdown.h"
#include "views/findings.h"
#include "views/loads.h"
#include "views/module_tree.h"

typedef struct etr_summary {
  const etr_profile *profile;
  const etr_method *method;
  const etr_graph *graph; /* the method's Edge graph with its times; may be NULL */
  bool is_part;        /* a filter selects some of the nodes, and all that follows is about these */
  uint64_t part_ticks; /* time on the selected nodes, over all runs */
  double part_typical; /* the same per inference, in the typical run */
  const uint32_t *nodes; /* the selected nodes that ran */
  size_t node_count;
  double summed_p50; /* sum of the medians of these nodes */
  etr_breakdown by[ETR_BREAKDOWNS];
  etr_module_tree modules;
  etr_module_patterns patterns;
  etr_first_run first_run;
  etr_findings findings; /* with a filter, only findings about the selected nodes */
} etr_summary;

/** Returns a breakdown's name in JSON and in tables for programs: "by_op", "by_module",
 * "by_pattern", "by_backend" or "by_source". Static. */
const char *etr_breakdown_name(etr_breakdown_by by);

/** The parts of a summary, as bits: these, and 1u << ETR_BY_OP and so on for the breakdowns.
 * ETR_BY_MODULE also makes `modules`, and ETR_BY_PATTERN together with ETR_BY_MODULE makes
 * `patterns`. */
enum {
  ETR_SUMMARY_FINDINGS = 1 << ETR_BREAKDOWNS,
  ETR_SUMMARY_ALL = (1 << (ETR_BREAKDOWNS + 1)) - 1,
};

/** What a summary contains, and in which order and unit. */
typedef struct etr_summary_choice {
  const etr_node_filter *filter; /* NULL selects everything */
  etr_unit unit;                 /* unit of times in the findings' evidence */
  etr_node_order
      order; /* order of nodes, modules and the breakdowns' rows: ETR_ORDER_NAME, or else by time */
  unsigned parts; /* the parts to make; others stay zeroed */
} etr_summary_choice;

/** Replaces a profile by one for summaries: runs that may be of several methods have the operators
 * and modules that these share, on a graph that is added behind the others. It stays as it is if
 * there are no such runs. The copy lives in the arena, and as long as the profile. Returns false
 * when out of memory. */
bool etr_summary_share(const etr_profile **profile, etr_arena *arena);

/** Makes the summary of a method. Returns false when out of memory. */
bool etr_summary_make(etr_summary *out, etr_arena *arena, const etr_profile *profile,
                      const etr_method *method, etr_summary_choice choice);

#endif
