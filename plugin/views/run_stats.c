/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_stats.c - times of groups, run by run.
 */
#include "views/run_stats.h"

#include "base/stats.h"

/* A group's time in single runs. */
typedef struct group_runs {
  uint64_t *ticks;  /* per run of the method */
  uint32_t *group;  /* the group that these ticks are of, plus one */
  uint64_t *sample; /* those of the runs that it ran in */
} group_runs;

/* The portions of one group, in any order of runs. */
static etr_stats stats_of_group(group_runs *r, uint32_t group, const etr_portion *const *portions, size_t count) {
  size_t runs = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t run = portions[i]->run;
    if (r->group[run] != group + 1) r->ticks[run] = 0;
    r->group[run] = group + 1;
    r->ticks[run] += portions[i]->ticks;
  }
  for (size_t i = 0; i < count; i++) {
    uint32_t run = portions[i]->run;
    if (r->group[run] == group + 1) r->sample[runs++] = r->ticks[run];
    r->group[run] = 0;
  }
  return etr_stats_of(r->sample, runs);
}

static bool fill(etr_stats *stats, etr_arena *scratch, const etr_method *method, const uint32_t *group_of,
                 size_t group_count) {
  size_t *end = etr_arena_alloc_array(scratch, group_count + 1, sizeof *end);
  const etr_portion **sorted = etr_arena_alloc_array(scratch, method->portion_count, sizeof *sorted);
  group_runs r = {.ticks = etr_arena_alloc_array(scratch, method->run_count, sizeof *r.ticks),
                  .group = etr_arena_alloc_array(scratch, method->run_count, sizeof *r.group),
                  .sample = etr_arena_alloc_array(scratch, method->run_count, sizeof *r.sample)};
  if (!end || !sorted || !r.ticks || !r.group || !r.sample) return false;
  /* Puts the portions that are in groups group by group; end: of each group's portions, one place later. */
  for (size_t i = 0; i < method->portion_count; i++)
    if (group_of[i] != ETR_NONE) end[group_of[i] + 1]++;
  for (size_t group = 1; group <= group_count; group++) end[group] += end[group - 1];
  for (size_t i = 0; i < method->portion_count; i++)
    if (group_of[i] != ETR_NONE) sorted[end[group_of[i]]++] = &method->portions[i];
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
  bool good = stats && fill(stats, &scratch, method, group_of, group_count);
  if (!good) etr_arena_fail(arena);
  etr_arena_clear(&scratch);
  return good ? stats : NULL;
}

const etr_stats *etr_run_stats_of_nodes(etr_arena *arena, const etr_method *method, const uint32_t *group_of_node,
                                        size_t group_count) {
  etr_arena scratch = {0};
  uint32_t *group_of = etr_arena_alloc_array(&scratch, method->portion_count, sizeof *group_of);
  for (size_t i = 0; group_of && i < method->portion_count; i++) {
    uint32_t node = method->portions[i].node;
    group_of[i] = node == ETR_NONE ? ETR_NONE : group_of_node[node];
  }
  const etr_stats *stats = group_of ? etr_run_stats(arena, method, group_of, group_count) : NULL;
  if (!group_of) etr_arena_fail(arena);
  etr_arena_clear(&scratch);
  return stats;
}
