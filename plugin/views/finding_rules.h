/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_rules.h - the rules behind findings.h, each in a file finding_*.c. Layer 4.
 */
#ifndef ETR_FINDING_RULES_H
#define ETR_FINDING_RULES_H

#include "views/finder.h"

/** Fill the members of the finder. False when out of memory. */
bool etr_finder_measure_delegates(etr_finder *finder);
bool etr_finder_measure_calls(etr_finder *finder);
bool etr_finder_look_at_graph(etr_finder *finder);

/* Each rule adds its findings. False when out of memory. */
bool etr_find_partitions(etr_finder *finder);
bool etr_find_softmax_checks(etr_finder *finder);
bool etr_find_constants(etr_finder *finder);
bool etr_find_copies(etr_finder *finder);
bool etr_find_patterns(etr_finder *finder);
bool etr_find_decoder(etr_finder *finder);
bool etr_find_wide_depthwise(etr_finder *finder);
bool etr_find_layouts(etr_finder *finder);
bool etr_find_slow_calls(etr_finder *finder);
bool etr_find_outliers(etr_finder *finder);
bool etr_find_unsteady(etr_finder *finder);
bool etr_find_delegates(etr_finder *finder);
bool etr_find_costs(etr_finder *finder);
bool etr_find_inaccurate(etr_finder *finder);
bool etr_find_lever(etr_finder *finder);
bool etr_find_by_kernel(etr_finder *finder);

/** Calls of delegates that go if some become one. */
typedef struct etr_merged_calls {
  size_t before, after; /* delegates */
  double least, most; /* what the calls take, in ticks over all runs; `most` has what a coarse clock
                         may hide of the operators inside */
} etr_merged_calls;

/** Finds the calls that go if the delegates' backends also run the marked nodes, or if these go.
 * False when out of memory. */
bool etr_finder_merged_calls(etr_finder *finder, const bool *marked, etr_merged_calls *out);

/** Returns true for an operator ("softmax") that ExecuTorch's optimized library has, whose name is
 * etr_optimized_library. */
bool etr_is_optimized(etr_slice op);
extern const char etr_optimized_library[];

/** The largest part of the time of delegates that is on no node. */
typedef struct etr_delegates_time {
  uint64_t ticks;    /* 0: there is none */
  const char *where; /* "OpenVINO, which records no operators", after "62.1 % is in" */
} etr_delegates_time;

/** Finds it. False when out of memory. */
bool etr_find_time_of_delegates(const etr_finder *finder, etr_delegates_time *out);

#endif
