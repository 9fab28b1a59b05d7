/* SPDX-License-Identifier: BSD-3-Clause
 *
 * inferences.c - lists the inferences of methods, and finds long runs among them.
 */
#include "runs/inferences.h"

#include "base/stats.h"

#include <math.h>

static int compare_numbers(uint32_t x, uint32_t y) {
  return (x > y) - (x < y);
}

/* Sorts inferences by method, series and run. */
static int inference_by_run(const void *a, const void *b) {
  const etr_inference *x = a, *y = b;
  if (x->method != y->method)
    return compare_numbers(x->method, y->method);
  return x->series != y->series ? compare_numbers(x->series, y->series)
                                : compare_numbers(x->run, y->run);
}

int etr_inference_by_phase(const void *a, const void *b) {
  const etr_inference *x = a, *y = b;
  bool differ = x->method == y->method && x->series == y->series && x->phase != y->phase;
  return differ ? compare_numbers(x->phase, y->phase) : inference_by_run(a, b);
}

/* Returns true if a method was loaded in the runs of a block: the block has no method, or an event
 * says so. */
static bool block_loads(const etr_block *block) {
  bool any = block->method == ETR_NONE && block->event_count > 0;
  for (size_t i = 0; i < block->event_count && !any; i++)
    any = etr_is_load(block->events[i].name);
  return any;
}

/* A series ends at the next load and at the end of the ETDump. Returns false when out of memory. */
bool etr_runs_number_series(const etr_blocks *blocks, etr_arena *scratch) {
  bool *is_load = etr_arena_alloc_array(scratch, blocks->block_count, sizeof *is_load);
  uint32_t series = 0;
  if (!is_load)
    return false;
  for (size_t i = 0; i < blocks->block_count; i++)
    is_load[i] = block_loads(&blocks->blocks[i]);
  for (size_t i = 0; i < blocks->run_count; i++) {
    etr_run *run = &blocks->runs[i];
    series += is_load[run->block] || (i > 0 && run->dump != run[-1].dump);
    run->series = series;
    run->phase = ETR_NONE;
  }
  return true;
}

etr_inference *etr_inferences_list(const etr_blocks *blocks, etr_arena *arena, size_t *count) {
  etr_inference *list = etr_arena_alloc_array(arena, blocks->run_count, sizeof *list);
  *count = 0;
  for (uint32_t i = 0; list && i < blocks->run_count; i++) {
    const etr_run *run = &blocks->runs[i];
    const etr_block *block = &blocks->blocks[run->block];
    if (block->method != ETR_NONE && etr_block_counts(blocks, block))
      list[(*count)++] = (etr_inference){block->method, run->series, run->phase, i};
  }
  if (list)
    etr_sort(list, *count, sizeof *list, inference_by_run);
  return list;
}

size_t etr_inferences_end_of_method(const etr_inference *list, size_t count, size_t first) {
  size_t end = first;
  while (end < count && list[end].method == list[first].method)
    end++;
  return end;
}

size_t etr_inferences_end_of_series(const etr_inference *list, size_t count, size_t first) {
  size_t end = first;
  while (end < count && list[end].method == list[first].method &&
         list[end].series == list[first].series)
    end++;
  return end;
}

size_t etr_inferences_end_of_phase(const etr_inference *list, size_t count, size_t first) {
  size_t end = first, most = etr_inferences_end_of_series(list, count, first);
  while (end < most && list[end].phase == list[first].phase)
    end++;
  return end;
}

/* ---- The widest gap between sorted times, and the groups of runs above it ---- */

static const double LEAST_WIDTH = 3; /* short runs with a smaller spread are of one kind whatever
                                        the gap: they are merely noisy */
static const double EQUAL = 1.1;     /* distances of periodic groups may differ by this factor */
enum {
  LEAST_RUNS = 6,      /* fewer runs do not show two kinds */
  LEAST_ON_A_SIDE = 2, /* a single run is an outlier */
};

/* ---- The split ---- */

/* Finds the widest gap between sorted times that is narrower than gap->below, which becomes its
 * width. Returns the index of the first time after it; 0 if there is none, which ends the search.
 */
static size_t next_narrower_gap(const double *sorted, size_t count, etr_gap *gap) {
  size_t split = 0;
  double widest = 1;
  for (size_t i = LEAST_ON_A_SIDE; i + LEAST_ON_A_SIDE <= count; i++) {
    double ratio = sorted[i] / sorted[i - 1];
    if (ratio < gap->least || ratio >= gap->below || ratio <= widest)
      continue;
    widest = ratio;
    split = i;
  }
  gap->below = split ? widest : gap->least;
  return split;
}

/* Returns the shortest time of the long runs, in ticks: the first after the next gap that is wider
 * than the times before it are spread (90th by 10th percentile). INFINITY if there is no such gap.
 * gap->below becomes the width of the gap, so that the next call goes on with narrower ones. */
static double find_least_long_time(const double *sorted, size_t count, etr_gap *gap) {
  if (count < LEAST_RUNS || !(sorted[0] > 0))
    return INFINITY;
  for (;;) {
    size_t split = next_narrower_gap(sorted, count, gap);
    if (split == 0)
      return INFINITY;
    double spread = etr_percentile_of_sorted(sorted, split, 90) /
                    etr_percentile_of_sorted(sorted, split, 10);
    if (spread < ETR_MAX(gap->below, LEAST_WIDTH))
      return sorted[split];
  }
}

/* ---- Groups ---- */

/* Extends the range from *least to *most so that it contains a value; the first value is the
 * range. */
static void extend_range(size_t *least, size_t *most, size_t value, bool is_first) {
  *least = is_first ? value : ETR_MIN(*least, value);
  *most = is_first ? value : ETR_MAX(*most, value);
}

/* Counts long and short runs, and the groups of long runs that follow each other in a series,
 * with the distances between groups. */
void etr_long_runs_count(etr_long_runs *runs, const etr_inference *list, size_t count) {
  *runs = (etr_long_runs){.is_long = runs->is_long, .leads = true};
  for (size_t i = 0; i < count; i++)
    runs->long_count += runs->is_long[i];
  runs->short_count = count - runs->long_count;
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i; end < count && list[end].series == list[i].series;)
      end++;
    /* Runs [first, end) of one series. */
    size_t start = end, group_end_before = end,
           most_between = 0; /* start and end of the group before */
    for (size_t k = i, group_end; k < end; k = group_end) {
      group_end = k + 1;
      if (!runs->is_long[k])
        continue;
      while (group_end < end && runs->is_long[group_end])
        group_end++;
      extend_range(&runs->shortest, &runs->longest, group_end - k, runs->group_count == 0);
      if (start < end) {
        extend_range(&runs->least_between, &most_between, k - group_end_before,
                     runs->distances == 0);
        extend_range(&runs->least_period, &runs->most_period, k - start, runs->distances == 0);
        runs->distances++;
      }
      runs->inner_groups += k > i;
      runs->group_count++;
      start = k;
      group_end_before = group_end;
    }
    runs->leads &= runs->is_long[i];
  }
}

/* Returns false if even the longest and the shortest run are nearer to each other than any gap that
 * counts, as for most methods. This check needs no sorting. */
static bool may_have_gap(const etr_gap *gap, const etr_blocks *blocks, const etr_inference *list,
                         size_t count) {
  uint64_t shortest = UINT64_MAX, longest = 0;
  for (size_t i = 0; i < count; i++) {
    shortest = ETR_MIN(shortest, blocks->runs[list[i].run].execute_ticks);
    longest = ETR_MAX(longest, blocks->runs[list[i].run].execute_ticks);
  }
  return shortest > 0 && (double)longest >= gap->least * (double)shortest;
}

bool etr_long_runs_of(etr_long_runs *out, etr_gap *gap, const etr_blocks *blocks,
                      const etr_inference *list, size_t count, etr_arena *arena) {
  etr_arena scratch = {0};
  *out = (etr_long_runs){0};
  if (!may_have_gap(gap, blocks, list, count))
    return true;
  double *sorted = etr_arena_alloc_array(&scratch, count, sizeof *sorted);
  if (!sorted)
    return false;
  for (size_t i = 0; i < count; i++)
    sorted[i] = (double)blocks->runs[list[i].run].execute_ticks;
  etr_sort(sorted, count, sizeof *sorted, etr_by_double);
  double least = find_least_long_time(sorted, count, gap);
  etr_arena_clear(&scratch);
  if (isinf(least))
    return true;
  out->is_long = etr_arena_alloc_array(arena, count, sizeof *out->is_long);
  if (!out->is_long)
    return false;
  for (size_t i = 0; i < count; i++)
    out->is_long[i] = (double)blocks->runs[list[i].run].execute_ticks >= least;
  etr_long_runs_count(out, list, count);
  return true;
}

bool etr_long_runs_are_periodic(const etr_long_runs *runs) {
  return runs->distances >= 2 && runs->shortest == runs->longest &&
         (double)runs->most_period <= EQUAL * (double)runs->least_period;
}
