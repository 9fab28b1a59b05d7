/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_stats.c - times of groups, run by run.
 */
#include "views/run_stats.h"

#include "base/stats.h"

/* A group's time in single runs. */
typedef struct group_runs {
  uint32_t *group;      /* per run of the method: the group that ran in it last, plus one */
  size_t *sample_index; /* per run: where that group's time in this run is in the sample */
  uint64_t *sample;     /* ticks in each of the runs in which the group ran */
  const etr_typical_run *typical;
} group_runs;

/* The ticks that a time slice adds to its group in a run. */
typedef struct group_time_slice {
  uint64_t ticks;
  uint32_t run;
} group_time_slice;

/* Returns the statistics of one group. Its time slices may be in any order of runs. */
static etr_stats stats_of_group(group_runs *r, uint32_t group, const group_time_slice *time_slices,
                                size_t count) {
  size_t runs = 0;
  double typical = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t run = time_slices[i].run;
    if (r->group[run] != group + 1) {
      r->group[run] = group + 1;
      r->sample_index[run] = runs;
      r->sample[runs++] = 0;
    }
    r->sample[r->sample_index[run]] += time_slices[i].ticks;
    typical += r->typical->weights[run] * (double)time_slices[i].ticks;
  }
  etr_stats stats = etr_stats_of(r->sample, runs);
  stats.typical = runs ? typical / r->typical->divisor : 0;
  return stats;
}

/* Sorts the time slices by group. Afterwards the time slices of group g are [end[g - 1], end[g]).
 */
static void sort_time_slices(group_time_slice *sorted, size_t *end, const etr_method *method,
                             const uint32_t *group_of, size_t group_count) {
  for (size_t i = 0; i < method->time_slice_count; i++)
    if (group_of[i] != ETR_NONE)
      end[group_of[i] + 1]++;
  for (size_t group = 1; group <= group_count; group++)
    end[group] += end[group - 1];
  for (size_t i = 0; i < method->time_slice_count; i++)
    if (group_of[i] != ETR_NONE)
      sorted[end[group_of[i]]++] = (group_time_slice){method->time_slices[i].ticks,
                                                      method->time_slices[i].run};
}

/* Fills the statistics of each group of time slices. */
static bool fill_stats(etr_stats *stats, etr_arena *scratch, const etr_method *method,
                       const uint32_t *group_of, size_t group_count) {
  size_t *end = etr_arena_alloc_array(scratch, group_count + 1, sizeof *end);
  group_time_slice *sorted = etr_arena_alloc_raw_array(scratch, method->time_slice_count,
                                                       sizeof *sorted);
  group_runs r = {
      .group = etr_arena_alloc_array(scratch, method->run_count, sizeof *r.group),
      .sample_index = etr_arena_alloc_array(scratch, method->run_count, sizeof *r.sample_index),
      .sample = etr_arena_alloc_array(scratch, method->run_count, sizeof *r.sample),
      .typical = &method->typical};
  if (!end || !sorted || !r.group || !r.sample_index || !r.sample)
    return false;
  sort_time_slices(sorted, end, method, group_of, group_count);
  for (uint32_t group = 0; group < group_count; group++) {
    size_t first = group ? end[group - 1] : 0;
    stats[group] = stats_of_group(&r, group, &sorted[first], end[group] - first);
  }
  return true;
}

const etr_stats *etr_run_stats(etr_arena *arena, const etr_method *method, const uint32_t *group_of,
                               size_t group_count) {
  etr_arena scratch = {0};
  etr_stats *stats = etr_arena_alloc_array(arena, group_count, sizeof *stats);
  bool good = stats && fill_stats(stats, &scratch, method, group_of, group_count);
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
