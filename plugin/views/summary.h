/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary.h - where a method's time goes: all that its outputs tell. Layer 4.
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
  const etr_graph *graph; /* the method's Edge graph with its times; NULL */
  bool is_part;           /* less than all nodes was asked for: what follows is about those */
  uint64_t part_ticks;    /* time on the nodes asked for, over all runs */
  const uint32_t *nodes;  /* those that ran */
  size_t node_count;
  double summed_p50; /* of these nodes */
  etr_breakdown by[ETR_BREAKDOWNS];
  etr_module_tree modules;
  etr_module_patterns patterns;
  etr_first_run first_run;
  etr_findings findings; /* of a part only those about its nodes */
} etr_summary;

/** "by_op", "by_module", "by_pattern", "by_backend", "by_source": a breakdown's name in JSON and tables for programs.
 * Static. */
const char *etr_breakdown_name(etr_breakdown_by by);

/** Parts of a summary: these bits, and 1u << ETR_BY_OP etc. for the breakdowns. Modules come with ETR_BY_MODULE,
 * patterns with ETR_BY_PATTERN if ETR_BY_MODULE is there, too. */
enum {
  ETR_SUMMARY_FINDINGS = 1 << ETR_BREAKDOWNS,
  ETR_SUMMARY_ALL = (1 << (ETR_BREAKDOWNS + 1)) - 1,
};

/** What a summary is of, and how it is shown. */
typedef struct etr_summary_choice {
  const etr_node_filter *filter; /* NULL: everything */
  etr_unit unit;                 /* of the findings' evidence */
  etr_node_order order;          /* of nodes, modules and the breakdowns' rows: ETR_ORDER_NAME, or by time */
  unsigned parts;                /* what is shown, so that nothing else is made: it stays zeroed */
} etr_summary_choice;

/** Sums up a method. False when out of memory. */
bool etr_summary_make(etr_summary *out, etr_arena *arena, const etr_profile *profile, const etr_method *method,
                      etr_summary_choice choice);

#endif
