/* SPDX-License-Identifier: BSD-3-Clause
 *
 * slice_sums.c - a counting sort of the slices; a group's slices may be in any order of runs.
 */
#include "base/slice_sums.h"

/* Sorts the slices by group, in one pass that counts them and one that fills. Groups are counted
 * one index ahead, so that filling moves each end to where it belongs: afterwards the slices of
 * group g are [end[g - 1], end[g]). */
static void sort_slices(etr_slice_sums *sums, const etr_method *method, const uint32_t *group_of,
                        size_t group_count) {
  for (size_t i = 0; i < method->time_slice_count; i++)
    if (group_of[i] != ETR_NONE)
      sums->end[group_of[i] + 1]++;
  for (size_t group = 1; group <= group_count; group++)
    sums->end[group] += sums->end[group - 1];
  for (size_t i = 0; i < method->time_slice_count; i++)
    if (group_of[i] != ETR_NONE)
      sums->slices[sums->end[group_of[i]]++] = (etr_run_slice){
          method->time_slices[i].ticks, method->time_slices[i].run, (uint32_t)i};
}

bool etr_slice_sums_make(etr_slice_sums *out, etr_arena *arena, const etr_method *method,
                         const uint32_t *group_of, size_t group_count) {
  size_t runs = method->run_count;
  *out = (etr_slice_sums){
      .slices = etr_arena_alloc_raw_array(arena, method->time_slice_count, sizeof *out->slices),
      .end = etr_arena_alloc_array(arena, group_count + 1, sizeof *out->end),
      .runs = etr_arena_alloc_array(arena, runs, sizeof *out->runs),
      .ticks = etr_arena_alloc_array(arena, runs, sizeof *out->ticks),
      .sum_of = etr_arena_alloc_array(arena, runs, sizeof *out->sum_of),
      .last = etr_arena_alloc_array(arena, runs, sizeof *out->last)};
  if (etr_arena_failed(arena))
    return false;
  sort_slices(out, method, group_of, group_count);
  return true;
}

const etr_run_slice *etr_slice_sums_slices(const etr_slice_sums *sums, size_t group,
                                           size_t *count) {
  size_t first = group ? sums->end[group - 1] : 0;
  *count = sums->end[group] - first;
  return &sums->slices[first];
}

size_t etr_slice_sums_of(etr_slice_sums *sums, size_t group) {
  size_t count, runs = 0;
  const etr_run_slice *slices = etr_slice_sums_slices(sums, group, &count);
  sums->number++; /* sums of other groups need no clearing: they have another number */
  for (size_t i = 0; i < count; i++) {
    uint32_t run = slices[i].run;
    if (sums->last[run] != sums->number) { /* its first slice in this run */
      sums->last[run] = sums->number;
      sums->sum_of[run] = runs;
      sums->runs[runs] = run;
      sums->ticks[runs++] = 0;
    }
    sums->ticks[sums->sum_of[run]] += slices[i].ticks;
  }
  return runs;
}
