/* SPDX-License-Identifier: BSD-3-Clause
 *
 * typical.c - chooses the middle third of the runs of each recording, and leaves out odd
 * recordings.
 */
#include "runs/typical.h"

#include "base/stats.h"

#include <math.h>

/* A recording is odd if it is far from the median of five or more: see etr_odd_recording. The
 * factors are those of a robust standard deviation (1.4826 times the median distance) and of four
 * of these; clocks and placement in memory make 5 % within one program. */
static const double MAD_FACTOR = 4 * 1.4826, LEAST_DISTANCE = 1.05;
enum { LEAST_TO_BE_ODD = 5 };

/* A run while its recording is sorted. */
typedef struct timed_run {
  uint64_t ticks;
  uint32_t index;
} timed_run;

/* The chosen runs of a recording. */
typedef struct recording {
  uint32_t number;
  const timed_run *chosen;
  size_t count;
  double ticks;    /* its typical time */
  double distance; /* of the logarithm of its time from the median of the recordings */
  bool is_odd;
} recording;

/* Sorts by time; of equal times, the earlier run is the shorter. */
static int by_time(const void *a, const void *b) {
  const timed_run *x = a, *y = b;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

/* Chooses the middle third of a recording's runs, which it sorts by time, and computes their mean
 * in ticks. */
static recording measure_recording(timed_run *runs, size_t count, uint32_t number) {
  size_t left_out = count / 3;
  double sum = 0;
  etr_sort(runs, count, sizeof *runs, by_time);
  recording out = {.number = number, .chosen = runs + left_out, .count = count - 2 * left_out};
  for (size_t i = 0; i < out.count; i++)
    sum += (double)out.chosen[i].ticks;
  out.ticks = sum / (double)out.count;
  return out;
}

/* Marks the recordings whose typical time is far from the median of all, compared with how far they
 * usually are, as odd. None is odd if there are few recordings, or if a time is 0, which has no
 * logarithm. Returns false when out of memory. */
static bool find_odd_recordings(recording *list, size_t count, etr_arena *scratch) {
  double *values = etr_arena_alloc_array(scratch, count, sizeof *values);
  if (count < LEAST_TO_BE_ODD || !values)
    return values != NULL || count < LEAST_TO_BE_ODD;
  for (size_t i = 0; i < count; i++) {
    if (!(list[i].ticks > 0))
      return true;
    values[i] = log(list[i].ticks);
  }
  etr_sort(values, count, sizeof *values, etr_by_double);
  double median = etr_median_of_sorted(values, count);
  for (size_t i = 0; i < count; i++)
    values[i] = list[i].distance = fabs(log(list[i].ticks) - median);
  etr_sort(values, count, sizeof *values, etr_by_double);
  double farthest_usual = ETR_MAX(MAD_FACTOR * etr_median_of_sorted(values, count),
                                  log(LEAST_DISTANCE));
  for (size_t i = 0; i < count; i++)
    list[i].is_odd = list[i].distance > farthest_usual;
  return true;
}

/* Sets the typical time to the mean of the recordings that are not odd, in ticks, and lists the odd
 * ones with their relative difference from it. Returns false when out of memory. */
static bool list_odd_recordings(etr_typical_choice *out, const recording *list, size_t count,
                                etr_arena *arena) {
  etr_vec(etr_odd_recording) odd = {0};
  double sum = 0;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    sum += list[i].is_odd ? 0 : list[i].ticks;
    kept += !list[i].is_odd;
  }
  out->ticks = kept ? sum / (double)kept : 0;
  for (size_t i = 0; i < count; i++) {
    etr_odd_recording *added = list[i].is_odd ? etr_vec_push(arena, &odd) : NULL;
    if (list[i].is_odd && !added)
      return false;
    if (added)
      *added = (etr_odd_recording){list[i].number, list[i].ticks / out->ticks - 1};
  }
  out->odd = odd.data;
  out->odd_count = odd.count;
  return true;
}

/* Gives each chosen run a weight so that the weights of each recording add up to the same sum: that
 * of the first one, where each run has the weight 1. Other runs have 0, so have those of odd
 * recordings. */
static void weigh_chosen_runs(etr_typical_choice *out, double *weights,
                              const etr_typical_runs *runs, const recording *list, size_t count) {
  double unit = 0; /* sum of the weights of a recording */
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (list[i].is_odd)
      continue;
    if (kept == 0)
      unit = (double)list[i].count;
    kept++;
    for (size_t k = 0; k < list[i].count; k++) {
      uint32_t index = list[i].chosen[k].index;
      size_t at = runs->weight_of ? runs->weight_of[index] : index;
      weights[at] = unit / (double)list[i].count;
    }
  }
  out->typical = (etr_typical_run){weights, unit * (double)kept};
}

/* Orders recordings by time; of equal times, the earlier one comes first. */
static int by_recording_time(const void *a, const void *b) {
  const recording *x = a, *y = b;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Sorts recordings by their typical times. Returns the first of those in the middle, and sets the
 * count to their number: two if the count is even, else one. */
static const recording *find_median_recordings(recording *list, size_t *count) {
  size_t first = *count ? (*count - 1) / 2 : 0;
  etr_sort(list, *count, sizeof *list, by_recording_time);
  *count = *count ? *count / 2 - first + 1 : 0;
  return list + first;
}

/* Chooses the middle runs of each recording that counts. Returns false when out of memory. */
bool etr_typical_choose(etr_typical_choice *out, const etr_typical_runs *runs,
                        etr_typical_of_recordings which, etr_arena *arena) {
  etr_arena scratch = {0};
  etr_vec(recording) list = {0};
  double *weights = etr_arena_alloc_array(arena, runs->weight_count, sizeof *weights);
  timed_run *sorted = etr_arena_alloc_array(&scratch, runs->run_count, sizeof *sorted);
  bool good = weights && sorted;
  *out = (etr_typical_choice){0};
  for (uint32_t i = 0; good && i < runs->run_count; i++)
    sorted[i] = (timed_run){runs->ticks[i], i};
  for (size_t i = 0, end; good && i < runs->run_count; i = end) {
    for (end = i; end < runs->run_count && runs->recordings[end] == runs->recordings[i];)
      end++;
    recording *added = etr_vec_push(&scratch, &list);
    good = added != NULL;
    if (good)
      *added = measure_recording(sorted + i, end - i, runs->recordings[i]);
  }
  if (good && which == ETR_TYPICAL_NOT_ODD)
    good = find_odd_recordings(list.data, list.count, &scratch);
  const recording *counted = list.data;
  size_t count = list.count;
  if (good && which == ETR_TYPICAL_MEDIAN)
    counted = find_median_recordings(list.data, &count);
  good = good && list_odd_recordings(out, counted, count, arena);
  if (good)
    weigh_chosen_runs(out, weights, runs, counted, count);
  etr_arena_clear(&scratch);
  return good;
}

/* ---- The events of blocks ---- */

/* Returns the index of a sample's run among the runs of the block. Samples and runs are both in run
 * order, so the search goes on from the index that the sample before it had. */
static uint32_t index_of_run(const etr_block *block, const etr_event *event, size_t sample,
                             uint32_t from) {
  while (block->runs[from] != event->sample_runs[sample])
    from++;
  return from;
}

/* Sets `longest` of each run of a block to the ticks of its longest event, which contains the
 * others. */
static void find_longest_events(uint64_t *longest, const etr_block *block) {
  for (size_t i = 0; i < block->event_count; i++) {
    const etr_event *event = &block->events[i];
    uint32_t run = 0;
    for (size_t k = 0; k < event->sample_count; k++) {
      run = index_of_run(block, event, k, run);
      longest[run] = ETR_MAX(longest[run], event->durations[k]);
    }
  }
}

/* Sets the typical times, in ticks, of the events of one block: of all events in the same runs, so
 * that they add up. They are chosen by Method::execute, or without a method (NULL) by the longest
 * event of the load, of the recording with the median. The weights are in the order of the runs
 * (NULL). Returns false when out of memory. */
static bool measure_typical_events(const etr_blocks *blocks, const etr_block *block,
                                   const etr_method *method, etr_arena *scratch) {
  uint32_t *recordings = etr_arena_alloc_array(scratch, block->run_count, sizeof *recordings);
  uint64_t *ticks = etr_arena_alloc_array(scratch, block->run_count, sizeof *ticks);
  etr_typical_choice choice;
  if (etr_arena_failed(scratch))
    return false;
  for (size_t i = 0; i < block->run_count; i++) {
    recordings[i] = blocks->runs[block->runs[i]].dump;
    ticks[i] = method ? method->execute_per_run[blocks->index_of_run[block->runs[i]]] : 0;
  }
  if (!method)
    find_longest_events(ticks, block);
  const etr_typical_runs runs = {ticks, recordings, NULL, block->run_count, block->run_count};
  if (!etr_typical_choose(&choice, &runs, method ? ETR_TYPICAL_NOT_ODD : ETR_TYPICAL_MEDIAN,
                          scratch))
    return false;
  for (size_t i = 0; i < block->event_count; i++) {
    etr_event *row = &etr_block_rows(blocks, block)[i];
    double sum = 0;
    uint32_t run = 0;
    for (size_t k = 0; k < row->sample_count; k++) {
      run = index_of_run(block, row, k, run);
      sum = etr_typical_add(sum, &choice.typical, run, row->durations[k]);
    }
    row->stats.typical = etr_typical_of(sum, &choice.typical);
  }
  return true;
}

bool etr_typical_events(const etr_blocks *blocks, const etr_method *methods) {
  etr_arena scratch = {0};
  bool good = true;
  for (size_t i = 0; good && i < blocks->block_count; i++) {
    const etr_block *block = &blocks->blocks[i];
    const etr_method *method = block->method == ETR_NONE ? NULL : &methods[block->method];
    if (block->run_count && (!method || etr_block_counts(blocks, block)))
      good = measure_typical_events(blocks, block, method, &scratch);
    etr_arena_clear(&scratch);
  }
  return good;
}
