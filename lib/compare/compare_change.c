/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_change.c - from the times of two sides to changes.
 */
#include "compare/compare_change.h"

#include <math.h>

static etr_side_time scaled(const etr_side_time *time, double factor) {
  static const etr_side_time untimed = {0};
  etr_side_time made = time ? *time : untimed;
  made.total *= factor;
  made.p50 *= factor;
  made.low *= factor;
  made.high *= factor;
  made.step *= factor;
  return made;
}

/* What is known without judging: changes of what was timed twice are judged. */
static etr_verdict verdict_before(const etr_measure *base, const etr_measure *newer, bool is_timed_twice) {
  if (!base->exists) return ETR_VERDICT_NEW;
  if (!newer->exists) return ETR_VERDICT_GONE;
  return is_timed_twice ? ETR_VERDICT_CANNOT_TELL : ETR_VERDICT_UNTIMED;
}

bool etr_family_add(etr_family *f, etr_change *change, const etr_measure *base, const etr_measure *newer) {
  const etr_side_time old = scaled(base->time, f->base_scale), now = scaled(newer->time, 1);
  bool is_timed_twice = old.runs > 0 && now.runs > 0;
  *change = (etr_change){.base_avg = base->avg * f->base_scale,
                         .new_avg = newer->avg,
                         .base_runs = old.runs,
                         .new_runs = now.runs,
                         .base_recordings = old.recordings,
                         .new_recordings = now.recordings,
                         .low = NAN,
                         .high = NAN,
                         .verdict = verdict_before(base, newer, is_timed_twice)};
  etr_noise_set_medians(change, &old, &now);
  if (!is_timed_twice) return true;
  etr_noise_test *test = etr_vec_push(f->scratch, &f->tests);
  if (!test) return false;
  *test = (etr_noise_test){.base = old, .newer = now, .change = change};
  return true;
}

bool etr_family_judge(const etr_family *f) {
  return etr_noise_judge_family(f->tests.data, f->tests.count, f->options, f->scratch);
}

void etr_family_judge_each(const etr_family *f, const etr_bench_history *history) {
  for (size_t i = 0; i < f->tests.count; i++) etr_noise_judge(&f->tests.data[i], f->options, history);
}
