/* SPDX-License-Identifier: BSD-3-Clause
 *
 * slow_runs.c - long runs, their distances, and the operator that makes them long.
 */
#include "runs/slow_runs.h"

#include "base/stats.h"
#include "runs/long_runs.h"
#include "runs/operator_stretch.h"

#include <math.h>

static const double LEAST_GAP = 1.5;  /* between slow runs and others: outliers that are nearer say so as such */
static const double LEAST_SHARE = .5; /* of what a run takes longer: less is not one operator's doing */

static bool list_runs(etr_inference *list, const etr_method *method, const etr_blocks *blocks) {
  for (size_t i = 0; list && i < method->run_count; i++) {
    uint32_t run = method->runs[i];
    list[i] = (etr_inference){.series = blocks->runs[run].series, .run = run};
  }
  return list != NULL;
}

/* The slow runs, or the others, with what each took. */
static size_t choose(const etr_method *method, const bool *is_long, bool wants_long, uint32_t *runs, uint64_t *ticks) {
  size_t count = 0;
  for (size_t i = 0; i < method->run_count; i++) {
    if (is_long[i] != wants_long) continue;
    runs[count] = method->runs[i];
    ticks[count++] = method->execute_per_run[i];
  }
  return count;
}

static void measure(etr_slow_runs *out, uint64_t *slow, size_t slow_count, uint64_t *others, size_t count) {
  out->usual = etr_stats_of(others, count).p50;
  etr_stats stats = etr_stats_of(slow, slow_count);
  out->p50 = stats.p50;
  out->least = stats.min;
  out->most = stats.max;
  for (size_t i = 0; i < slow_count; i++) out->excess_ticks += slow[i] - (uint64_t)out->usual;
}

static void decide(etr_slow_runs *out, const etr_long_runs *runs, const etr_operator_stretch *stretch) {
  bool is_operator = stretch->top_share >= LEAST_SHARE;
  if (etr_long_runs_are_periodic(runs)) {
    out->period = runs->least_period;
    out->runs_of_period = runs->longest;
  }
  out->event = is_operator ? stretch->top : NULL;
  out->kind = out->period ? ETR_SLOW_RUNS_PERIODIC : ETR_SLOW_RUNS_ANY;
  if (is_operator) out->kind = ETR_SLOW_RUNS_OPERATOR;
}

bool etr_slow_runs_find(etr_slow_runs *out, const etr_method *method, const etr_blocks *blocks, etr_arena *arena) {
  etr_arena scratch = {0};
  etr_inference *list = etr_arena_alloc_array(&scratch, method->run_count, sizeof *list);
  etr_long_runs runs;
  *out = (etr_slow_runs){0};
  bool good = list_runs(list, method, blocks) &&
              etr_long_runs_of(&runs, &(etr_gap){LEAST_GAP, INFINITY}, blocks, list, method->run_count, &scratch);
  if (good && runs.is_long && runs.inner_groups > 0) { /* what leads alone is warm-up, or a step */
    etr_operator_stretch stretch;
    uint32_t *slow = etr_arena_alloc_array(arena, runs.long_count, sizeof *slow);
    uint32_t *others = etr_arena_alloc_array(&scratch, runs.short_count, sizeof *others);
    uint64_t *ticks = etr_arena_alloc_array(&scratch, method->run_count, sizeof *ticks);
    good = slow && others && ticks;
    if (good) {
      choose(method, runs.is_long, true, slow, ticks);
      choose(method, runs.is_long, false, others, ticks + runs.long_count);
      good = etr_operator_stretch_of(&stretch, blocks, slow, runs.long_count, others, runs.short_count);
    }
    if (good) {
      measure(out, ticks, runs.long_count, ticks + runs.long_count, runs.short_count);
      decide(out, &runs, &stretch);
      out->runs = slow;
      out->run_count = runs.long_count;
    }
  }
  etr_arena_clear(&scratch);
  return good;
}
