/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Phases of runs.
 */
#include "made_runs.h"
#include "runs/runs.h"

#include <stdio.h>

static const etr_known_phases *find(made_runs *t) {
  const etr_known_phases *phases = etr_run_phases_find(&t->all, &t->dump, NULL, 1, &t->arena);
  cr_assert(phases);
  return phases;
}

/* "times: long runs short runs: 0111 0111": the rule, the names, the phase of each run; blanks are
 * loads.
 * "": no phases. */
static const char *phases_of(const made_series *series, size_t operators) {
  static made_runs t;
  static char out[MADE_RUNS_MOST + 64];
  made_runs_begin(&t, operators);
  made_runs_add_all(&t, series);
  const etr_known_phases *phases = find(&t);
  int used = 0;
  out[0] = '\0';
  if (phases->count)
    used = snprintf(out, sizeof out, "%s:", etr_phase_rule_name(phases->rule));
  for (size_t i = 0; i < phases->count; i++)
    used += snprintf(out + used, sizeof out - (size_t)used, " %s", phases->names[i]);
  if (phases->count)
    used += snprintf(out + used, sizeof out - (size_t)used, ": ");
  for (size_t i = 0; phases->count && i < t.all.run_count; i++)
    used += snprintf(out + used, sizeof out - (size_t)used, "%c",
                     t.runs[i].block == 2 ? ' ' : '0' + (int)t.runs[i].phase);
  etr_arena_clear(&t.arena);
  return out;
}

Test(run_phases, sizes_and_events_distinguish_phases) {
  const struct {
    made_series runs;
    const char *phases;
  } cases[] = {
      {NO_RUNS, ""},
      {RUNS(LOGGED(4, 80), LOGGED(1, 8), LOGGED(1.1, 8), LOGGED(1, 8)),
       "sizes: prefill decode: 0111"}, /* one is enough to distinguish them */
      {RUNS(LOGGED(4, 80), LOGGED(1, 8), LOGGED(1.1, 8), LOGGED(5, 96), TWO(LOGGED(1, 8))),
       "sizes: prefill decode: 011011"},
      {RUNS(LOGGED(1.2, 80), LOGGED(1, 8), LOGGED(1.1, 8), LOGGED(1, 8)),
       ""}, /* the sizes make no difference to the times */
      {RUNS(LOGGED(4, 80), LOGGED(1, 8), SLOWER(1.1), LOGGED(1, 8)), ""}, /* one logged nothing */
      {RUNS(LOGGED(1, 8), LOGGED(2, 16), LOGGED(4, 32), LOGGED(1, 8)),
       "sizes: short runs long runs: 0110"},
      {RUNS(USUAL, OTHER_EVENTS(2), USUAL, OTHER_EVENTS(2), USUAL),
       "events: short runs long runs: 01010"},
      {RUNS(OTHER_EVENTS(2), THREE(USUAL)), ""}, /* only the first run */
      {RUNS(USUAL, OTHER_EVENTS(1.1), USUAL, OTHER_EVENTS(1.1), USUAL), ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *phases = phases_of(&cases[i].runs, 8);
    cr_expect_str_eq(phases, cases[i].phases, "case %zu: %s, not %s", i, phases, cases[i].phases);
  }
}

Test(run_phases, times_distinguish_phases) {
  const struct {
    made_series runs;
    const char *phases;
  } cases[] = {
      /* other work */
      {RUNS(PROMPT(20), THREE(USUAL), PROMPT(20), THREE(USUAL)),
       "times: long runs short runs: 01110111"},
      {RUNS(PROMPT(20), USUAL, SLOWER(1.1), SLOWER(0.9), USUAL, PROMPT(19), TWO(USUAL), SLOWER(1.2),
            USUAL, PROMPT(21), SLOWER(0.9), USUAL),
       "times: long runs short runs: 0111101111011"},
      {RUNS(LOAD, PROMPT(20), THREE(USUAL), PROMPT(20), THREE(USUAL)),
       "times: long runs short runs:  01110111"},
      {RUNS(PROMPT(20), THREE(USUAL), PROMPT(9), FOUR(USUAL), USUAL, PROMPT(60), TWO(USUAL),
            PROMPT(12), THREE(USUAL)),
       "times: long runs short runs: 01110111110110111"}, /* of many lengths */
      {RUNS(TWO(PROMPT(20)), THREE(USUAL), TWO(PROMPT(20)), THREE(USUAL), TWO(PROMPT(20)),
            THREE(USUAL)),
       "times: long runs short runs: 001110011100111"},
      {RUNS(PROMPT(20), THREE(USUAL), TWO(PROMPT(20)), FOUR(USUAL), TWO(USUAL)),
       "times: long runs short runs: 011100111111"}, /* groups unlike each other */
      {RUNS(PROMPT(20), USUAL, PROMPT(20), THREE(USUAL), PROMPT(20), THREE(USUAL)),
       "times: long runs short runs: 0101110111"}, /* too close to each other */
      {RUNS(USUAL, PROMPT(20), TWO(USUAL), PROMPT(20), TWO(USUAL), PROMPT(20), TWO(USUAL)),
       "times: short runs long runs: 0100100100"}, /* the longer ones are not first */
      {RUNS(TWO(PROMPT(20)), USUAL, TWO(PROMPT(20)), USUAL, TWO(PROMPT(20)), USUAL),
       "times: long runs short runs: 001001001"}, /* and not fewer */
      {RUNS(USUAL, BRANCH(5), TWO(USUAL), TWO(BRANCH(5)), USUAL, BRANCH(5), TWO(USUAL),
            TWO(BRANCH(5))),
       "times: short runs long runs: 010011010011"}, /* branches */
      {RUNS(SLOWER(0.5), PROMPT(20), THREE(USUAL), TWO(PROMPT(20)), USUAL),
       "times: short runs long runs: 01000110"},
      /* the same work, slower: whatever the pattern */
      {RUNS(SLOWER(20), THREE(USUAL), SLOWER(20), THREE(USUAL), SLOWER(20), THREE(USUAL),
            SLOWER(20), THREE(USUAL)),
       ""},
      {RUNS(TWO(USUAL), SLOWER(4), THREE(USUAL), SLOWER(4), USUAL, SLOWER(4), FOUR(USUAL),
            SLOWER(4)),
       ""},
      {RUNS(FOUR(USUAL), FOUR(SLOWER(4)), FOUR(USUAL), FOUR(SLOWER(4))), ""},
      {RUNS(USUAL, STALL(2), TWO(USUAL), STALL(4), FOUR(USUAL), STALL(1), TWO(USUAL)), ""},
      {RUNS(USUAL, STALL(2), TWO(USUAL), STALL(2), FOUR(USUAL), STALL(2), TWO(USUAL)), ""},
      {RUNS(FOUR(USUAL), TWO(USUAL), FOUR(SLOWER(4)), TWO(SLOWER(4))),
       ""}, /* slower from some time on */
      {RUNS(FOUR(USUAL), TWO(CONTENTION(6)), FOUR(USUAL), CONTENTION(5), TWO(USUAL)),
       ""}, /* most of the work is as fast as before */
      /* too little data */
      {RUNS(PROMPT(20), FOUR(USUAL), THREE(USUAL)), ""}, /* warm-up, or a prompt */
      {RUNS(LOAD, PROMPT(20), THREE(USUAL), LOAD, PROMPT(20), THREE(USUAL)),
       ""}, /* twice, each behind a load */
      {RUNS(PROMPT(20), THREE(USUAL), PROMPT(20), THREE(USUAL), LOAD, PROMPT(3), THREE(USUAL)),
       "times: long runs short runs: 01110111 0111"}, /* a short prompt begins a series */
      {RUNS(LOAD, PROMPT(20), THREE(USUAL), LOAD, PROMPT(20), TWO(USUAL), SLOWER(4), THREE(USUAL)),
       ""},                                              /* and one that is slow */
      {RUNS(THREE(USUAL), PROMPT(20), FOUR(USUAL)), ""}, /* a single one */
      {RUNS(THREE(UNTIMED), PROMPT(40), THREE(UNTIMED), PROMPT(40), THREE(UNTIMED), PROMPT(40)),
       ""},                                             /* not timed */
      {RUNS(PROMPT(20), USUAL, PROMPT(20), USUAL), ""}, /* too few */
      {RUNS(PROMPT(1.2), THREE(USUAL), PROMPT(1.2), THREE(USUAL), PROMPT(1.2), THREE(USUAL)), ""}
      /* only slightly longer */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *phases = phases_of(&cases[i].runs, 8);
    cr_expect_str_eq(phases, cases[i].phases, "case %zu: %s, not %s", i, phases, cases[i].phases);
  }
}

/* Ranks of few operators agree by chance, and runs without times have no ranks. */
Test(run_phases, few_operators_have_no_phases) {
  const made_series series = RUNS(PROMPT(20), THREE(USUAL), PROMPT(20), THREE(USUAL));
  cr_expect_str_eq(phases_of(&series, 4), "");
  cr_expect_str_eq(phases_of(&series, 0), "");
}

/* Runs of one kind, some of them slow for various reasons: at most 1 % of the series get phases. */
Test(run_phases, noise_has_no_phases) {
  static made_runs t;
  static const made_run first = SLOWER(5), usual = USUAL;
  static const made_run slow[] = {SLOWER(4), SLOWER(3.1), SLOWER(5.6),
                                  STALL(3),  SLOWER(2.2), STALL(7)};
  uint64_t seed = 1;
  size_t with_phases = 0;
  for (int series = 0; series < 500; series++) {
    made_runs_begin(&t, 12);
    t.seed = (uint64_t)series;
    t.spread = .1;
    for (int i = 0; i < 40; i++) {
      size_t way = (size_t)(random_real(&seed) * (double)(sizeof slow / sizeof *slow));
      const made_run *later = random_real(&seed) < 0.1 && i > 0 ? &slow[way] : &usual;
      made_runs_add(&t, i == 0 ? first : *later);
    }
    with_phases += find(&t)->count > 0;
    etr_arena_clear(&t.arena);
  }
  cr_expect_leq(with_phases, 5, "%zu", with_phases);
}

/* Of many long runs only sixteen are compared, and of short runs as few as their medians need. */
Test(run_phases, many_runs_are_sampled) {
  static made_runs t;
  made_runs_begin(&t, 8);
  for (int i = 0; i < 500; i++)
    made_runs_add(&t, i % 5 ? (made_run)USUAL : (made_run)PROMPT(20));
  const etr_known_phases *phases = find(&t);
  cr_assert_eq(phases->count, 2);
  cr_expect_str_eq(phases->names[0], "long runs");
  etr_arena_clear(&t.arena);
}

/* The noise of a method is that of its phases, each relative to its own median. */
Test(run_phases, a_mixture_has_the_noise_of_its_phases) {
  static made_runs t;
  enum { RUNS = 24 };
  uint32_t runs[RUNS];
  uint64_t ticks[RUNS];
  made_runs_begin(&t, 8);
  for (uint32_t i = 0; i < RUNS; i++) {
    made_runs_add(&t, i % 6 ? (made_run)USUAL : (made_run)PROMPT(20));
    runs[i] = i;
    ticks[i] = t.runs[i].execute_ticks;
  }
  const etr_known_phases *phases = find(&t);
  etr_method method = {
      .name = "forward", .runs = runs, .run_count = RUNS, .execute_per_run = ticks};
  cr_assert(etr_phases_measure(&method, phases, &t.all, &t.arena));
  cr_assert_eq(method.run_phase_count, 2);
  cr_expect_eq(method.mixed_phase_count, 2);
  cr_expect_eq(method.run_phases[0].run_count, 4);
  cr_expect_float_eq(method.run_phases[0].execute.p50, (double)ticks[0], .1 * (double)ticks[0]);
  cr_expect_eq(method.run_phases[1].runs[5], 7);
  cr_expect_eq(method.noise.verdict, ETR_NOISE_STEADY);
  cr_expect_eq(method.noise.run_count, RUNS);
  cr_expect_eq(method.run_phases[0].noise.verdict, ETR_NOISE_FEW_RUNS);
  cr_expect_eq(method.run_phases[1].noise.verdict, ETR_NOISE_STEADY);
  cr_expect_eq(method.slow_runs.kind, ETR_SLOW_RUNS_NONE);
  method = (etr_method){
      .name = "forward", .runs = runs + 1, .run_count = 3, .execute_per_run = ticks + 1};
  cr_assert(etr_phases_measure(&method, phases, &t.all, &t.arena));
  cr_expect_eq(method.mixed_phase_count, 1);
  etr_arena_clear(&t.arena);
}

/* With dynamic inputs the first run is a longer input if it is in the long phase. */
Test(run_phases, a_method_starts_with_a_prompt_if_the_first_run_is_long) {
  const struct {
    made_series runs;
    bool is_dynamic, starts_with_prompt;
  } cases[] = {
      {RUNS(LOGGED(4, 80), THREE(LOGGED(1, 8))), true, true}, /* prefill and decode */
      {RUNS(LOGGED(4, 80), THREE(LOGGED(1, 8))), false, false},
      {RUNS(LOGGED(1, 8), LOGGED(2, 16), LOGGED(4, 32), LOGGED(1, 8)), true, false},
      {RUNS(PROMPT(20), THREE(USUAL), PROMPT(20), THREE(USUAL)), true, true}, /* long and short */
      {RUNS(USUAL, TWO(SLOWER(1.1)), USUAL), true, false},
  };
  static made_runs t;
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    uint32_t runs[8];
    uint64_t ticks[8];
    made_runs_begin(&t, 8);
    made_runs_add_all(&t, &cases[i].runs);
    for (uint32_t k = 0; k < t.all.run_count; k++) {
      runs[k] = k;
      ticks[k] = t.runs[k].execute_ticks;
    }
    etr_method method = {.name = "forward",
                         .runs = runs,
                         .run_count = t.all.run_count,
                         .execute_per_run = ticks,
                         .execute.p50 = (double)ticks[t.all.run_count - 1],
                         .has_dynamic_inputs = cases[i].is_dynamic};
    cr_assert(etr_phases_measure(&method, find(&t), &t.all, &t.arena));
    cr_expect_eq(method.starts_with_prompt, cases[i].starts_with_prompt, "case %zu", i);
    etr_arena_clear(&t.arena);
  }
}

/* Runs get slower after each prompt and start anew at the next one: a drift within stretches. */
Test(run_phases, a_drift_within_a_phase_is_found) {
  static made_runs t;
  enum { RUNS = 39, STRETCH = 13 };
  uint32_t runs[RUNS];
  uint64_t ticks[RUNS];
  made_runs_begin(&t, 8);
  t.spread = .005;
  for (uint32_t i = 0; i < RUNS; i++) {
    const made_run slowing = SLOWER(1 + .02 * (i % STRETCH)), prompt = PROMPT(20);
    made_runs_add(&t, i % STRETCH ? slowing : prompt);
    runs[i] = i;
    ticks[i] = t.runs[i].execute_ticks;
  }
  etr_method method = {
      .name = "forward", .runs = runs, .run_count = RUNS, .execute_per_run = ticks};
  cr_assert(etr_phases_measure(&method, find(&t), &t.all, &t.arena));
  cr_assert_eq(method.run_phase_count, 2);
  const etr_noise *noise = &method.run_phases[1].noise;
  cr_expect_eq(noise->verdict, ETR_NOISE_DRIFT);
  cr_expect_eq(noise->stretches, 3);
  cr_expect_eq(noise->over_runs, STRETCH - 1);
  cr_expect_float_eq(noise->change, .22, .02, "%f", noise->change);
  etr_arena_clear(&t.arena);
}
