/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slow runs among runs that do the same work.
 */
#include "made_runs.h"
#include "runs/slow_runs.h"

#include <stdio.h>

/* "any 2,5", "periodic 1/4 0,4,8", "operator op2 3,9": the kind, the period or the operator, the
 * runs. */
static const char *slow_of(const made_series *series, size_t operators) {
  static const char *const kinds[] = {"none", "any", "periodic", "operator"};
  static made_runs t;
  static char out[256];
  uint32_t runs[MADE_RUNS_MOST];
  uint64_t ticks[MADE_RUNS_MOST];
  etr_slow_runs slow;
  made_runs_begin(&t, operators);
  made_runs_add_all(&t, series);
  for (uint32_t i = 0; i < t.all.run_count; i++) {
    runs[i] = i;
    ticks[i] = t.runs[i].execute_ticks;
  }
  const etr_method method = {.runs = runs, .run_count = t.all.run_count, .execute_per_run = ticks};
  cr_assert(etr_slow_runs_find(&slow, &method, &t.all, &t.arena));
  int used = snprintf(out, sizeof out, "%s", kinds[slow.kind]);
  if (slow.period)
    used += snprintf(out + used, sizeof out - (size_t)used, " %zu/%zu", slow.runs_of_period,
                     slow.period);
  if (slow.event)
    used += snprintf(out + used, sizeof out - (size_t)used, " %s", slow.event->label);
  for (size_t i = 0; i < slow.run_count; i++)
    used += snprintf(out + used, sizeof out - (size_t)used, "%s%u", i ? "," : " ",
                     (unsigned)slow.runs[i]);
  cr_expect(slow.kind == ETR_SLOW_RUNS_NONE ||
            (slow.usual > 0 && slow.usual < slow.least && slow.least <= slow.most &&
             slow.excess_ticks > 0 && slow.p50 >= slow.least));
  etr_arena_clear(&t.arena);
  return out;
}

Test(slow_runs, slow_runs_have_a_cause) {
  const struct {
    made_series runs;
    size_t operators;
    const char *slow;
  } cases[] = {
      {NO_RUNS, 8, "none"},
      {RUNS(USUAL), 8, "none"},
      {RUNS(FOUR(USUAL), FOUR(USUAL)), 8, "none"},
      {RUNS(THREE(USUAL), SLOWER(4), FOUR(USUAL)), 8, "none"}, /* a single one is an outlier */
      {RUNS(USUAL, SLOWER(1.4), TWO(USUAL), SLOWER(1.4), TWO(USUAL), SLOWER(1.4)), 8, "none"},
      {RUNS(TWO(UNTIMED), SLOWER(4), TWO(UNTIMED), SLOWER(4), TWO(UNTIMED)), 8,
       "none"}, /* runs without a time */
      {RUNS(TWO(SLOWER(4)), FOUR(USUAL), TWO(USUAL)), 8,
       "none"}, /* warm-up that was not excluded */
      {RUNS(TWO(USUAL), SLOWER(4), FOUR(USUAL), SLOWER(5), TWO(USUAL)), 8, "any 2,7"},
      {RUNS(TWO(USUAL), TWO(SLOWER(4)), THREE(USUAL), SLOWER(5), FOUR(USUAL), TWO(SLOWER(4)),
            USUAL),
       8, "any 2,3,7,12,13"},
      {RUNS(SLOWER(4), THREE(USUAL), SLOWER(4), THREE(USUAL), SLOWER(4), THREE(USUAL)), 8,
       "periodic 1/4 0,4,8"},
      {RUNS(USUAL, TWO(SLOWER(4)), THREE(USUAL), TWO(SLOWER(4)), THREE(USUAL), TWO(SLOWER(4)),
            TWO(USUAL)),
       8, "periodic 2/5 1,2,6,7,11,12"},
      {RUNS(USUAL, SLOWER(4), THREE(USUAL), SLOWER(4), TWO(USUAL)), 8,
       "any 1,5"}, /* two runs are no pattern */
      {RUNS(TWO(USUAL), STALL(2), FOUR(USUAL), STALL(2), TWO(USUAL)), 8, "operator op2 2,7"},
      {RUNS(TWO(USUAL), STALL(2), FOUR(USUAL), STALL(5), TWO(USUAL)), 8, "operator 2,7"},
      {RUNS(STALL(3), THREE(USUAL), STALL(3), THREE(USUAL), STALL(3), THREE(USUAL)), 8,
       "operator 1/4 op3 0,4,8"},
      {RUNS(SLOWER(4), THREE(USUAL), SLOWER(4), THREE(USUAL), SLOWER(4), THREE(USUAL)), 0,
       "periodic 1/4 0,4,8"}, /* without operators' times */
      {RUNS(TWO(USUAL), SLOWER(4), FOUR(USUAL), SLOWER(5), TWO(USUAL)), 0, "any 2,7"},
      {RUNS(TWO(USUAL), SLOWER(4), FOUR(USUAL), SLOWER(5), TWO(USUAL)), 1,
       "any 2,7"}, /* the only operator has all of the time, so it is no cause */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *slow = slow_of(&cases[i].runs, cases[i].operators);
    cr_expect_str_eq(slow, cases[i].slow, "case %zu: %s, not %s", i, slow, cases[i].slow);
  }
}
