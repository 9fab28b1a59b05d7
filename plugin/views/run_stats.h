/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_stats.h - statistics, over the runs of a method, of the sums that groups of its time slices
 * have in each run. Layer 4.
 */
#ifndef ETR_RUN_STATS_H
#define ETR_RUN_STATS_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** Returns statistics of each group over the runs in which any of its time slices ran. group_of has
 * the group of each of the method's time slices, or ETR_NONE. Returns NULL when out of memory. */
const etr_stats *etr_run_stats(etr_arena *arena, const etr_method *method, const uint32_t *group_of,
                               size_t group_count);

/** Returns the statistics of etr_run_stats() for groups of nodes of the method's Edge graph.
 * group_of_node has the group of each node, or ETR_NONE. Returns NULL when out of memory. */
const etr_stats *etr_run_stats_of_nodes(etr_arena *arena, const etr_method *method,
                                        const uint32_t *group_of_node, size_t group_count);

/** Returns how many ticks each part of the method's time took in each of its runs, as
 * [part * run_count + run]. NULL when out of memory. */
uint64_t *etr_run_parts(etr_arena *arena, const etr_method *method);

#endif
