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

/** Returns how many times as fast XNNPACK computes an operator as the portable kernels do, by the
 * project's own measurements; 1 for an operator of which nothing was measured. */
double etr_ratio_of_delegate(etr_slice op);

/* Each rule adds its findings. False when out of memory. */
bool etr_find_partitions(etr_finder *finder);
bool etr_find_constants(etr_finder *finder);
bool etr_find_copies(etr_finder *finder);
bool etr_find_patterns(etr_finder *finder);
bool etr_find_layouts(etr_finder *finder);
bool etr_find_slow_calls(etr_finder *finder);
bool etr_find_outliers(etr_finder *finder);
bool etr_find_unsteady(etr_finder *finder);
bool etr_find_delegates(etr_finder *finder);
bool etr_find_costs(etr_finder *finder);
bool etr_find_inaccurate(etr_finder *finder);
bool etr_find_lever(etr_finder *finder);

#endif
