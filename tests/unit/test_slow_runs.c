/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slow runs among runs that do the same work, which are written as in runs_text.h.
 */
#include "runs/slow_runs.h"
#include "runs_text.h"

#include <stdio.h>

/* "any 2,5", "periodic 1/4 0,4,8", "operator op2 3,9": the kind, the period or the operator, the runs. */
static const char *slow_of(const char *text, size_t operators) {
  static const char *const kinds[] = {"none", "any", "periodic", "operator"};
  static runs_text t;
  static char out[256];
  uint32_t runs[RUNS_TEXT_MOST];
  uint64_t ticks[RUNS_TEXT_MOST];
  etr_slow_runs slow;
  runs_text_begin(&t, operators);
  runs_text_add_all(&t, text);
  for (uint32_t i = 0; i < t.all.run_count; i++) runs[i] = i, ticks[i] = t.runs[i].execute_ticks;
  const etr_method method = {.runs = runs, .run_count = t.all.run_count, .execute_per_run = ticks};
  cr_assert(etr_slow_runs_find(&slow, &method, &t.all, &t.arena));
  int used = snprintf(out, sizeof out, "%s", kinds[slow.kind]);
  if (slow.period)
    used += snprintf(out + used, sizeof out - (size_t)used, " %zu/%zu", slow.runs_of_period, slow.period);
  if (slow.event) used += snprintf(out + used, sizeof out - (size_t)used, " %s", slow.event->label);
  for (size_t i = 0; i < slow.run_count; i++)
    used += snprintf(out + used, sizeof out - (size_t)used, "%s%u", i ? "," : " ", (unsigned)slow.runs[i]);
  cr_expect(slow.kind == ETR_SLOW_RUNS_NONE || (slow.usual > 0 && slow.usual < slow.least && slow.least <= slow.most &&
                                                slow.excess_ticks > 0 && slow.p50 >= slow.least));
  etr_arena_clear(&t.arena);
  return out;
}

Test(slow_runs, slow_runs_have_a_cause) {
  static const struct {
    const char *runs;
    size_t operators;
    const char *slow;
  } cases[] = {
      {"", 8, "none"},
      {"1", 8, "none"},
      {"1 1 1 1 1 1 1 1", 8, "none"},
      {"1 1 1 4 1 1 1 1", 8, "none"}, /* a single one is an outlier */
      {"1 1.4 1 1 1.4 1 1 1.4", 8, "none"},
      {"0 0 4 0 0 4 0 0", 8, "none"}, /* runs without a time */
      {"4 4 1 1 1 1 1 1", 8, "none"}, /* warm-up that was not excluded */
      {"1 1 4 1 1 1 1 5 1 1", 8, "any 2,7"},
      {"1 1 4 4 1 1 1 5 1 1 1 1 4 4 1", 8, "any 2,3,7,12,13"},
      {"4 1 1 1 4 1 1 1 4 1 1 1", 8, "periodic 1/4 0,4,8"},
      {"1 4 4 1 1 1 4 4 1 1 1 4 4 1 1", 8, "periodic 2/5 1,2,6,7,11,12"},
      {"1 4 1 1 1 4 1 1", 8, "any 1,5"}, /* two runs are no pattern */
      {"1 1 1o2 1 1 1 1 1o2 1 1", 8, "operator op2 2,7"},
      {"1 1 1o2 1 1 1 1 1o5 1 1", 8, "operator 2,7"},
      {"1o3 1 1 1 1o3 1 1 1 1o3 1 1 1", 8, "operator 1/4 op3 0,4,8"},
      {"4 1 1 1 4 1 1 1 4 1 1 1", 0, "periodic 1/4 0,4,8"}, /* without operators' times */
      {"1 1 4 1 1 1 1 5 1 1", 0, "any 2,7"},
      {"1 1 4 1 1 1 1 5 1 1", 1, "any 2,7"}, /* the only operator has all of the time, so it is no cause */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *slow = slow_of(cases[i].runs, cases[i].operators);
    cr_expect_str_eq(slow, cases[i].slow, "%s: %s, not %s", cases[i].runs, slow, cases[i].slow);
  }
}
