/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_stats.h - statistics, over the runs of a method, of what groups of its time slices add up to in each run.
 * Layer 4.
 */
#ifndef ETR_RUN_STATS_H
#define ETR_RUN_STATS_H

#include "base/arena.h"
#include "etrecord_tb.h"

/**
 * Statistics of each group over the runs in which any of its time slices ran. group_of: the group of each of the
 * method's time slices; ETR_NONE: of none. NULL when out of memory.
 */
const etr_stats *etr_run_stats(etr_arena *arena, const etr_method *method, const uint32_t *group_of,
                               size_t group_count);

/** The same of groups of nodes of the method's Edge graph. */
const etr_stats *etr_run_stats_of_nodes(etr_arena *arena, const etr_method *method, const uint32_t *group_of_node,
                                        size_t group_count);

#endif
