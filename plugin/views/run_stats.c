/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_stats.c - from the sums of slice_sums.h.
 */
#include "views/run_stats.h"

#include "base/method_parts.h"
#include "base/slice_sums.h"
#include "base/stats.h"

/* Returns the statistics of a group's ticks over the runs in which it ran. Its typical time is the
 * weighted sum over runs that defines the typical run, so that those of groups add up. */
static etr_stats group_stats(etr_slice_sums *sums, size_t group, const etr_typical_run *typical) {
  size_t count, runs = etr_slice_sums_of(sums, group);
  const etr_run_slice *slices = etr_slice_sums_slices(sums, group, &count);
  double weighted = 0;
  for (size_t i = 0; i < count; i++)
    weighted += typical->weights[slices[i].run] * (double)slices[i].ticks;
  etr_stats stats = etr_stats_of(sums->ticks, runs);
  stats.typical = runs ? weighted / typical->divisor : 0;
  return stats;
}

const etr_stats *etr_run_stats(etr_arena *arena, const etr_method *method, const uint32_t *group_of,
                               size_t group_count) {
  etr_arena scratch = {0};
  etr_stats *stats = etr_arena_alloc_array(arena, group_count, sizeof *stats);
  etr_slice_sums sums;
  bool good = stats && etr_slice_sums_make(&sums, &scratch, method, group_of, group_count);
  for (size_t group = 0; good && group < group_count; group++)
    stats[group] = group_stats(&sums, group, &method->typical);
  if (!good)
    etr_arena_fail(arena);
  etr_arena_clear(&scratch);
  return good ? stats : NULL;
}

const etr_stats *etr_run_stats_of_nodes(etr_arena *arena, const etr_method *method,
                                        const uint32_t *group_of_node, size_t group_count) {
  etr_arena scratch = {0};
  uint32_t *group_of = etr_arena_alloc_raw_array(&scratch, method->time_slice_count,
                                                 sizeof *group_of);
  for (size_t i = 0; group_of && i < method->time_slice_count; i++) {
    uint32_t node = method->time_slices[i].node;
    group_of[i] = node == ETR_NONE ? ETR_NONE : group_of_node[node];
  }
  const etr_stats *stats = group_of ? etr_run_stats(arena, method, group_of, group_count) : NULL;
  if (!group_of)
    etr_arena_fail(arena);
  etr_arena_clear(&scratch);
  return stats;
}

uint64_t *etr_run_parts(etr_arena *arena, const etr_method *method) {
  size_t runs = method->run_count;
  uint64_t *ticks = etr_arena_alloc_array(arena, ETR_TIME_PARTS * runs, sizeof *ticks);
  for (size_t i = 0; ticks && i < etr_slice_count(method); i++)
    ticks[method->time_slices[i].part * runs + method->time_slices[i].run] += method->time_slices[i]
                                                                                  .ticks;
  return ticks;
}
