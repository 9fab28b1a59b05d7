/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_change.c - from medians to changes and what is said of them.
 */
#include "compare/compare_change.h"

/* What can be said without a look at the noise. */
static etr_verdict verdict_untested(const etr_measure *base, const etr_measure *newer) {
  bool old = base->median.count > 0, now = newer->median.count > 0;
  if (!base->exists) return ETR_VERDICT_NEW;
  if (!newer->exists) return ETR_VERDICT_GONE;
  if (old && now) return ETR_VERDICT_FEW_RUNS;
  return old || now ? ETR_VERDICT_ONE_SIDE : ETR_VERDICT_UNTIMED;
}

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
                         .verdict = verdict_untested(base, newer)};
  if (!both) return true;
  etr_noise_test *test = etr_vec_push(f->scratch, &f->tests);
  if (!test) return false;
  *test = (etr_noise_test){.base = median, .newer = newer->median, .change = change};
  return true;
}

bool etr_family_decide(const etr_family *f) {
  if (!etr_noise_decide(f->tests.data, f->tests.count, f->scratch)) return false;
  for (size_t i = 0; i < f->tests.count; i++) {
    const etr_noise_test *test = &f->tests.data[i];
    etr_change *change = test->change;
    change->noise = test->noise;
    if (test->noise < 0) continue;
    change->verdict = change->new_p50 < change->base_p50 ? ETR_VERDICT_FASTER : ETR_VERDICT_SLOWER;
    if (!test->is_beyond) change->verdict = ETR_VERDICT_WITHIN_NOISE;
  }
  return true;
}
