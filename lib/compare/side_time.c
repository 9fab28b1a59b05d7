/* SPDX-License-Identifier: BSD-3-Clause
 *
 * side_time.c - medians over runs, and how far the runs lie from them.
 */
#include "compare/side_time.h"

#include "base/stats.h"

/* Median of the distances from the median: both halves of the sorted samples are sorted by distance already, so they
 * are merged. */
static double median_deviation(const uint64_t *sorted, size_t count, double median) {
  size_t right = 0, wanted = count / 2;
  while (right < count && (double)sorted[right] < median) right++;
  size_t left = right;
  double last = 0, previous = 0;
  for (size_t i = 0; i <= wanted; i++) {
    previous = last;
    bool take_left = left > 0 &&
                     (right == count || median - (double)sorted[left - 1] <= (double)sorted[right] - median);
    last = take_left ? median - (double)sorted[left - 1] : (double)sorted[right] - median;
    take_left ? left-- : right++;
  }
  return count % 2 ? last : (previous + last) / 2;
}

static double total_of(const uint64_t *samples, size_t count) {
  double total = 0;
  for (size_t i = 0; i < count; i++) total += (double)samples[i];
  return total;
}

etr_side_time etr_side_time_of(uint64_t *samples, size_t count, double step) {
  etr_stats stats = etr_stats_of(samples, count);
  if (count == 0) return (etr_side_time){0};
  double deviation = median_deviation(samples, count, stats.p50);
  return (etr_side_time){
      .total = total_of(samples, count), .runs = count, .p50 = stats.p50, .deviation = deviation, .step = step};
}

etr_side_time etr_side_time_with_zeros(uint64_t *samples, size_t count, size_t zeros, double step) {
  if (zeros > count + 1) /* more than half: median and deviation are 0 */
    return (etr_side_time){.total = total_of(samples, count), .runs = count + zeros, .step = step};
  memset(samples + count, 0, zeros * sizeof *samples);
  return etr_side_time_of(samples, count + zeros, step);
}

bool etr_side_time_of_ticks(etr_side_time *out, const uint64_t *ticks, size_t count, double step, etr_arena *scratch) {
  uint64_t *samples = etr_arena_alloc_array(scratch, count, sizeof *samples);
  *out = (etr_side_time){0};
  if (!samples) return false;
  if (count > 0) memcpy(samples, ticks, count * sizeof *samples);
  *out = etr_side_time_of(samples, count, step);
  return true;
}

/* ---- Sums ---- */

bool etr_run_sums_init(etr_run_sums *s, size_t run_count, etr_arena *scratch) {
  *s = (etr_run_sums){.scratch = scratch, .run_count = run_count};
  s->ticks = etr_arena_alloc_array(scratch, run_count, sizeof *s->ticks);
  s->rounds = etr_arena_alloc_array(scratch, run_count, sizeof *s->rounds);
  return s->ticks && s->rounds;
}

void etr_run_sums_begin(etr_run_sums *s) {
  s->round++;
  s->runs.count = s->samples.count = 0;
}

static bool add_run(etr_run_sums *s, uint32_t run) {
  uint32_t *added = etr_vec_push(s->scratch, &s->runs);
  if (!added) return false;
  *added = run;
  s->rounds[run] = s->round;
  s->ticks[run] = 0;
  return true;
}

bool etr_run_sums_add(etr_run_sums *s, const etr_run_ticks *each_run, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t run = each_run[i].run;
    if (s->rounds[run] != s->round && !add_run(s, run)) return false;
    s->ticks[run] += each_run[i].ticks;
  }
  return true;
}

/* With room for as many zeros as matter. */
static bool collect_samples(etr_run_sums *s) {
  size_t count = s->runs.count;
  for (size_t i = 0; i < 2 * count + 1; i++) {
    uint64_t *sample = etr_vec_push(s->scratch, &s->samples);
    if (!sample) return false;
    if (i < count) *sample = s->ticks[s->runs.data[i]];
  }
  return true;
}

bool etr_run_sums_end(etr_run_sums *s, etr_side_time *out, bool with_zeros, double step) {
  size_t count = s->runs.count;
  *out = (etr_side_time){0};
  if (count == 0) return true;
  if (!collect_samples(s)) return false;
  *out = etr_side_time_with_zeros(s->samples.data, count, with_zeros ? s->run_count - count : 0, step);
  return true;
}
