/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Phases of runs, which are written as in runs_text.h.
 */
#include "runs/runs.h"
#include "runs_text.h"

#include <stdio.h>

static const etr_known_phases *find(runs_text *t) {
  const etr_known_phases *phases = etr_run_phases_find(&t->all, &t->dump, 1, &t->arena);
  cr_assert(phases);
  return phases;
}

/* "times: prefill decode: 0111 0111": the rule, the names, the phase of each run; blanks are loads. "": no phases. */
static const char *phases_of(const char *text, size_t operators) {
  static runs_text t;
  static char out[RUNS_TEXT_MOST + 64];
  runs_text_begin(&t, operators);
  runs_text_add_all(&t, text);
  const etr_known_phases *phases = find(&t);
  int used = 0;
  out[0] = '\0';
  if (phases->count) used = snprintf(out, sizeof out, "%s:", etr_phase_rule_name(phases->rule));
  for (size_t i = 0; i < phases->count; i++)
    used += snprintf(out + used, sizeof out - (size_t)used, " %s", phases->names[i]);
  if (phases->count) used += snprintf(out + used, sizeof out - (size_t)used, ": ");
  for (size_t i = 0; phases->count && i < t.all.run_count; i++)
    used += snprintf(out + used, sizeof out - (size_t)used, "%c",
                     t.runs[i].block == 2 ? ' ' : '0' + (int)t.runs[i].phase);
  etr_arena_clear(&t.arena);
  return out;
}

Test(run_phases, sizes_and_events_distinguish_phases) {
  static const struct {
    const char *runs, *phases;
  } cases[] = {
      {"", ""},
      {"4/80 1/8 1.1/8 1/8", "sizes: prefill decode: 0111"}, /* one is enough to distinguish them */
      {"4/80 1/8 1.1/8 5/96 1/8 1/8", "sizes: prefill decode: 011011"},
      {"1.2/80 1/8 1.1/8 1/8", ""}, /* the sizes make no difference to the times */
      {"4/80 1/8 1.1 1/8", ""},     /* one logged nothing */
      {"1/8 2/16 4/32 1/8", "sizes: phase 1 phase 2 phase 3: 0120"},
      {"1 2! 1 2! 1", "events: phase 1 phase 2: 01010"},
      {"2! 1 1 1", ""}, /* only the first run */
      {"1 1.1! 1 1.1! 1", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *phases = phases_of(cases[i].runs, 8);
    cr_expect_str_eq(phases, cases[i].phases, "%s: %s, not %s", cases[i].runs, phases, cases[i].phases);
  }
}

Test(run_phases, times_distinguish_phases) {
  static const struct {
    const char *runs, *phases;
  } cases[] = {
      /* other work */
      {"20p 1 1 1 20p 1 1 1", "times: prefill decode: 01110111"},
      {"20p 1 1.1 0.9 1 19p 1 1 1.2 1 21p 0.9 1", "times: prefill decode: 0111101111011"},
      {"L 20p 1 1 1 20p 1 1 1", "times: prefill decode:  01110111"},
      {"20p 1 1 1 9p 1 1 1 1 1 60p 1 1 12p 1 1 1", "times: prefill decode: 01110111110110111"}, /* of many lengths */
      {"20p 20p 1 1 1 20p 20p 1 1 1 20p 20p 1 1 1", "times: prefill decode: 001110011100111"},
      {"20p 1 1 1 20p 20p 1 1 1 1 1 1", "times: kind 1 kind 2: 011100111111"}, /* groups unlike each other */
      {"20p 1 20p 1 1 1 20p 1 1 1", "times: kind 1 kind 2: 0101110111"},       /* too close to each other */
      {"1 20p 1 1 20p 1 1 20p 1 1", "times: kind 1 kind 2: 0100100100"},       /* the longer ones are not first */
      {"20p 20p 1 20p 20p 1 20p 20p 1", "times: kind 1 kind 2: 001001001"},    /* and not fewer */
      {"1 5b 1 1 5b 5b 1 5b 1 1 5b 5b", "times: kind 1 kind 2: 010011010011"}, /* branches */
      {"0.5 20p 1 1 1 20p 20p 1", "times: kind 1 kind 2: 01000110"},
      /* the same work, slower: whatever the pattern */
      {"20 1 1 1 20 1 1 1 20 1 1 1 20 1 1 1", ""},
      {"1 1 4 1 1 1 4 1 4 1 1 1 1 4", ""},
      {"1 1 1 1 4 4 4 4 1 1 1 1 4 4 4 4", ""},
      {"1 1o2 1 1 1o4 1 1 1 1 1o1 1 1", ""},
      {"1 1o2 1 1 1o2 1 1 1 1 1o2 1 1", ""},
      {"1 1 1 1 1 1 4 4 4 4 4 4", ""}, /* slower from some time on */
      /* too little data */
      {"20p 1 1 1 1 1 1 1", ""},               /* warm-up, or a prompt */
      {"L 20p 1 1 1 L 20p 1 1 1", ""},         /* twice, each behind a load */
      {"L 20p 1 1 1 L 20p 1 1 4 1 1 1", ""},   /* and one that is slow */
      {"1 1 1 20p 1 1 1 1", ""},               /* a single one */
      {"0 0 0 40p 0 0 0 40p 0 0 0 40p", ""},   /* not timed */
      {"20p 1 20p 1", ""},                     /* too few */
      {"1.2p 1 1 1 1.2p 1 1 1 1.2p 1 1 1", ""} /* only slightly longer */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *phases = phases_of(cases[i].runs, 8);
    cr_expect_str_eq(phases, cases[i].phases, "%s: %s, not %s", cases[i].runs, phases, cases[i].phases);
  }
}

/* Ranks of few operators agree by chance, and runs without times have no ranks. */
Test(run_phases, few_operators_have_no_phases) {
  cr_expect_str_eq(phases_of("20p 1 1 1 20p 1 1 1", 4), "");
  cr_expect_str_eq(phases_of("20p 1 1 1 20p 1 1 1", 0), "");
}

/* Runs of one kind, some of them slow for various reasons: at most 1 % of the series get phases. */
Test(run_phases, noise_has_no_phases) {
  static runs_text t;
  static const char *const slow[] = {"4", "3.1", "5.6", "1o3", "2.2", "1o7"};
  uint64_t seed = 1;
  size_t with_phases = 0;
  for (int series = 0; series < 500; series++) {
    runs_text_begin(&t, 12);
    t.seed = (uint64_t)series;
    t.spread = .1;
    for (int i = 0; i < 40; i++) {
      size_t way = (size_t)(random_real(&seed) * (double)(sizeof slow / sizeof *slow));
      runs_text_add(&t, i == 0 ? "5" : random_real(&seed) < 0.1 ? slow[way] : "1");
    }
    with_phases += find(&t)->count > 0;
    etr_arena_clear(&t.arena);
  }
  cr_expect_leq(with_phases, 5, "%zu", with_phases);
}

/* Of many long runs only sixteen are compared, and of short runs as few as their medians need. */
Test(run_phases, many_runs_are_sampled) {
  static runs_text t;
  runs_text_begin(&t, 8);
  for (int i = 0; i < 500; i++) runs_text_add(&t, i % 5 ? "1" : "20p");
  const etr_known_phases *phases = find(&t);
  cr_assert_eq(phases->count, 2);
  cr_expect_str_eq(phases->names[0], "prefill");
  etr_arena_clear(&t.arena);
}

/* The noise of a method is that of its phases, each relative to its own median. */
Test(run_phases, a_mixture_has_the_noise_of_its_phases) {
  static runs_text t;
  enum { RUNS = 24 };
  uint32_t runs[RUNS];
  uint64_t ticks[RUNS];
  etr_warnings warnings = {.arena = &t.arena};
  runs_text_begin(&t, 8);
  for (uint32_t i = 0; i < RUNS; i++) {
    runs_text_add(&t, i % 6 ? "1" : "20p");
    runs[i] = i;
    ticks[i] = t.runs[i].execute_ticks;
  }
  const etr_known_phases *phases = find(&t);
  etr_method method = {.name = "forward", .runs = runs, .run_count = RUNS, .execute_per_run = ticks};
  cr_assert(etr_phases_measure(&method, phases, &t.all, &t.arena, &warnings));
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
  cr_assert_eq(warnings.list.count, 1);
  cr_expect_str_eq(warnings.list.data[0].message,
                   "averages of method forward mix runs of different kinds: 4 prefill, 20 decode (estimated)");
  method = (etr_method){.name = "forward", .runs = runs + 1, .run_count = 3, .execute_per_run = ticks + 1};
  cr_assert(etr_phases_measure(&method, phases, &t.all, &t.arena, &warnings));
  cr_expect_eq(method.mixed_phase_count, 1);
  cr_expect_eq(warnings.list.count, 1);
  etr_arena_clear(&t.arena);
}

/* Runs get slower after each prompt and start anew at the next one: a drift within stretches. */
Test(run_phases, a_drift_within_a_phase_is_found) {
  static runs_text t;
  enum { RUNS = 39, STRETCH = 13 };
  uint32_t runs[RUNS];
  uint64_t ticks[RUNS];
  etr_warnings warnings = {.arena = &t.arena};
  runs_text_begin(&t, 8);
  t.spread = .005;
  for (uint32_t i = 0; i < RUNS; i++) {
    char word[16];
    snprintf(word, sizeof word, "%.3f", 1 + .02 * (i % STRETCH));
    runs_text_add(&t, i % STRETCH ? word : "20p");
    runs[i] = i;
    ticks[i] = t.runs[i].execute_ticks;
  }
  etr_method method = {.name = "forward", .runs = runs, .run_count = RUNS, .execute_per_run = ticks};
  cr_assert(etr_phases_measure(&method, find(&t), &t.all, &t.arena, &warnings));
  cr_assert_eq(method.run_phase_count, 2);
  const etr_noise *noise = &method.run_phases[1].noise;
  cr_expect_eq(noise->verdict, ETR_NOISE_DRIFT);
  cr_expect_eq(noise->stretches, 3);
  cr_expect_eq(noise->over_runs, STRETCH - 1);
  cr_expect_float_eq(noise->change, .22, .02, "%f", noise->change);
  etr_arena_clear(&t.arena);
}
