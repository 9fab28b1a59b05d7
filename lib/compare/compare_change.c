/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_change.c - from ticks in runs to changes and what is said of them.
 */
#include "compare_change.h"

#include <stdlib.h>

bool etr_family_add(etr_family *f, etr_change *change, const etr_measure *base, const etr_measure *newer) {
  etr_median median = etr_median_scaled(base->median, f->base_scale);
  bool both = median.count && newer->median.count;
  *change = (etr_change){.base_avg = base->avg * f->base_scale,
                         .new_avg = newer->avg,
                         .base_p50 = median.value,
                         .new_p50 = newer->median.value,
                         .base_runs = median.count,
                         .new_runs = newer->median.count,
                         .noise = -1,
                         .verdict = !base->exists                         ? ETR_VERDICT_NEW
                                    : !newer->exists                      ? ETR_VERDICT_GONE
                                    : both                                ? ETR_VERDICT_FEW_RUNS
                                    : median.count || newer->median.count ? ETR_VERDICT_ONE_SIDE
                                                                          : ETR_VERDICT_UNTIMED};
  if (!both) return true;
  etr_noise_test *test = etr_vec_push(f->scratch, &f->tests);
  etr_change **place = etr_vec_push(f->scratch, &f->changes);
  if (!test || !place) return false;
  *test = (etr_noise_test){.base = median, .newer = newer->median};
  *place = change;
  return true;
}

bool etr_family_decide(const etr_family *f) {
  if (!etr_noise_decide(f->tests.data, f->tests.count, f->scratch)) return false;
  for (size_t i = 0; i < f->tests.count; i++) {
    const etr_noise_test *test = &f->tests.data[i];
    etr_change *change = f->changes.data[i];
    change->noise = test->noise;
    if (test->noise < 0) continue;
    change->verdict = !test->is_beyond ? ETR_VERDICT_WITHIN_NOISE : change->new_p50 < change->base_p50 ? ETR_VERDICT_FASTER : ETR_VERDICT_SLOWER;
  }
  return true;
}

static bool by_run_is_sorted(const etr_run_ticks *runs, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (runs[i - 1].run > runs[i].run) return false;
  return true;
}

static int by_run(const void *a, const void *b) {
  const etr_run_ticks *x = a, *y = b;
  return (x->run > y->run) - (x->run < y->run);
}

bool etr_measure_runs(etr_measure *out, etr_run_ticks *runs, size_t count, size_t run_count, bool with_zeros, double step, etr_arena *scratch) {
  uint64_t *samples = etr_arena_alloc_array(scratch, 2 * count + 1, sizeof *samples);
  size_t used = 0;
  double sum = 0;
  *out = (etr_measure){.exists = true};
  if (!samples) return false;
  if (count == 0) return true;
  if (!by_run_is_sorted(runs, count)) qsort(runs, count, sizeof *runs, by_run);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || runs[i].run != runs[i - 1].run) samples[used++] = 0;
    samples[used - 1] += runs[i].ticks;
    sum += (double)runs[i].ticks;
  }
  out->avg = sum / (double)run_count;
  out->median = etr_median_with_zeros(samples, used, with_zeros ? run_count - used : 0, step);
  return true;
}

bool etr_measure_ticks(etr_measure *out, const uint64_t *ticks, size_t count, double step, etr_arena *scratch) {
  etr_run_ticks *runs = etr_arena_alloc_array(scratch, count, sizeof *runs);
  if (!runs) return false;
  for (size_t i = 0; i < count; i++) runs[i] = (etr_run_ticks){(uint32_t)i, ticks[i]};
  bool good = etr_measure_runs(out, runs, count, count, false, step, scratch);
  out->exists = ticks != NULL;
  return good;
}
