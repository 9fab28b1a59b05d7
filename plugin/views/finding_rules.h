/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_rules.h - the rules behind findings.h. Layer 4.
 */
#ifndef ETR_FINDING_RULES_H
#define ETR_FINDING_RULES_H

#include "output/writer.h"
#include "views/findings.h"

/** What the rules work on, and what they found. */
typedef struct etr_finder {
  const etr_profile *profile;
  const etr_method *method;
  const etr_graph *graph; /* the method's Edge graph with its times; NULL if there is none */
  etr_unit unit;
  etr_arena *arena;
  uint64_t *kernel_ticks, *call_ticks; /* per node, of those that ran as kernels: native_call, and OPERATOR_CALL beyond
                                          it; NULL without graph */
  etr_vec(etr_finding) found;
} etr_finder;

/** Measures kernel_ticks and call_ticks. */
bool etr_finder_measure_calls(etr_finder *finder);

/* Each rule adds its findings. False when out of memory. */
bool etr_find_fallbacks(etr_finder *finder);
bool etr_find_copies(etr_finder *finder);
bool etr_find_layouts(etr_finder *finder);
bool etr_find_slow_calls(etr_finder *finder);
bool etr_find_outliers(etr_finder *finder);
bool etr_find_unsteady(etr_finder *finder);
bool etr_find_delegates(etr_finder *finder);
bool etr_find_costs(etr_finder *finder);

/** What so many runs or occurrences usually take together, in ticks: their median as often. One that stands out does
 * not count. */
uint64_t etr_finder_usual(const etr_stats *stats, size_t count);

/** The same of a node, over the runs in which it ran. */
uint64_t etr_finder_node_ticks(const etr_finder *finder, uint32_t node);

/** Adds a finding whose cost is so many ticks over all runs, unless that is below the threshold. NULL then, or when out
 * of memory. */
etr_finding *etr_finder_add(etr_finder *finder, etr_finding_kind kind, uint64_t ticks);

/** Lists the marked nodes (a flag for each of the graph) in a finding, longest first. */
bool etr_finder_list_nodes(const etr_finder *finder, etr_finding *finding, const bool *marked);

/** Ticks over all runs as a time per inference, with unit: "0.0266 ms". "" when out of memory. */
const char *etr_finder_time(const etr_finder *finder, uint64_t ticks);

/** Ticks as a time with unit. "" when out of memory. */
const char *etr_finder_time_of(const etr_finder *finder, double ticks);

/** "3 aten.a.default 0.2000 ms, 1 aten.b.default 0.1000 ms": the marked nodes that ran, by operator. "" when out of
 * memory. */
const char *etr_finder_by_operator(const etr_finder *finder, const bool *marked);

#endif
