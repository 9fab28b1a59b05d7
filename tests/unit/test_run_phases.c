/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kinds of runs. Runs are written as text, one after the other: "TICKS" is an inference, "TICKS/BYTES" one that logged
 * so many, "TICKS!" one with other events, "L" a load.
 */
#include "base/noise_verdict.h"
#include "join/phase_times.h"
#include "random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX = 512 };

typedef struct runs_text {
  etr_run runs[MAX];
  etr_block blocks[3]; /* inferences, those with other events, loads */
  uint32_t first;
  etr_debug_value values[MAX];
  etr_blocks all;
  etr_dump dump;
  etr_arena arena;
  const etr_phases_told *told;
} runs_text;

static void begin(runs_text *t) {
  static const etr_event execute = {.name = "Method::execute"}, other = {.name = "native_call_add.out"},
                         load = {.name = "Program::load_method"};
  static const etr_event *const events[] = {&execute, &other, &load};
  *t = (runs_text){.all = {.runs = t->runs, .blocks = t->blocks, .block_count = 3}};
  for (size_t i = 0; i < 3; i++)
    t->blocks[i] = (etr_block){.runs = &t->first, .run_count = 1, .event_count = 1, .events = events[i]};
  t->blocks[2].method = ETR_NONE;
  t->dump.values = t->values;
}

static void add(runs_text *t, uint64_t ticks, uint64_t bytes, uint32_t block) {
  uint32_t i = (uint32_t)t->all.run_count++;
  cr_assert_lt(i, MAX);
  t->runs[i] = (etr_run){.block = block, .profile_events = 1, .execute_ticks = ticks};
  if (bytes) t->values[t->dump.value_count++] = (etr_debug_value){.run = i, .byte_size = bytes};
}

static void find(runs_text *t) {
  t->dump.run_count = t->all.run_count;
  t->told = etr_run_phases_find(&t->all, &t->dump, 1, &t->arena);
  cr_assert(t->told);
}

/* "times: prefill decode: 0111 0111": the rule, the names, each run's phase; loads are blanks. "": one kind. */
static const char *phases_of(const char *text) {
  static runs_text t;
  static char out[MAX + 64];
  char *copy = strdup(text), *rest;
  begin(&t);
  for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    const char *slash = strchr(word, '/');
    uint32_t block = strchr(word, '!') ? 1 : 0;
    add(&t, strtoull(word, NULL, 10), slash ? strtoull(slash + 1, NULL, 10) : 0, *word == 'L' ? 2 : block);
  }
  find(&t);
  int used = 0;
  out[0] = '\0';
  if (t.told->count) used = snprintf(out, sizeof out, "%s:", etr_phase_rule_name(t.told->rule));
  for (size_t i = 0; i < t.told->count; i++)
    used += snprintf(out + used, sizeof out - (size_t)used, " %s", t.told->names[i]);
  if (t.told->count) used += snprintf(out + used, sizeof out - (size_t)used, ": ");
  for (size_t i = 0; t.told->count && i < t.all.run_count; i++)
    used += snprintf(out + used, sizeof out - (size_t)used, "%c",
                     t.runs[i].block == 2 ? ' ' : '0' + (int)t.runs[i].phase);
  etr_arena_clear(&t.arena);
  free(copy);
  return out;
}

Test(run_phases, kinds) {
  static const struct {
    const char *runs, *phases;
  } cases[] = {
      {"", ""},
      {"200 10 10 10 10 10 10 10", ""},                   /* warm-up, or a prompt: not to be told */
      {"L 200 10 10 10 L 200 10 10 10", ""},              /* twice, each behind a load */
      {"10 10 10 200 10 10 10 10", ""},                   /* stands out */
      {"40 10 10 10 10 200 10 10 90 10 10 10 10 10", ""}, /* warm-up, and two that stand out anywhere */
      {"20 10 10 10 20 10 10 10 20 10 10 10", ""},        /* a gap of 2 */
      {"10 10 10 10 10 40 40 40 40 40", ""},              /* slower from some time on */
      {"0 0 0 40 0 0 0 40 0 0 0 40", ""},                 /* not timed */
      {"200 10 10 10 200 10 10 10", "times: prefill decode: 01110111"},
      {"200 10 11 9 10 190 10 10 12 10 210 9", "times: prefill decode: 011110111101"},
      {"L 200 10 10 10 200 10 10 10", "times: prefill decode:  01110111"},
      {"200 10 10 10 40 10 10 10", ""},           /* two only, and not alike */
      {"200 10 10 10 200 10 10 10 10 10 10", ""}, /* nor in equal distances */
      {"200 10 10 10 300 10 10 10 10 10 180 10 10 200 10 10 10", "times: prefill decode: 01110111110110111"},
      {"900 10 10 10 30 10 10 10 10 10 180 10 10 31 10 10 10", ""}, /* all sorts of times */
      {"200 200 10 10 10 200 200 10 10 10 200 200 10 10 10", "times: prefill decode: 001110011100111"},
      {"10 50 10 50 10 50 10 50", "times: phase 1 phase 2: 01010101"}, /* the longer ones are not first */
      {"50 10 50 10 50 10 50 10", "times: phase 1 phase 2: 01010101"}, /* nor fewer */
      {"40/80 10/8 11/8 10/8", "sizes: prefill decode: 0111"},         /* one is enough */
      {"40/80 10/8 11/8 55/96 10/8 10/8", "sizes: prefill decode: 011011"},
      {"12/80 10/8 11/8 10/8", ""}, /* it makes no difference */
      {"40/80 10/8 11 10/8", ""},   /* one logged nothing */
      {"10/8 20/16 40/32 10/8", "sizes: phase 1 phase 2 phase 3: 0120"},
      {"10 20! 10 20! 10", "events: phase 1 phase 2: 01010"},
      {"20! 10 10 10", ""}, /* the first run alone */
      {"10 11! 10 11! 10", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *phases = phases_of(cases[i].runs);
    cr_expect_str_eq(phases, cases[i].phases, "%s: %s, not %s", cases[i].runs, phases, cases[i].phases);
  }
}

/* Times of one kind, a hundredth of them far out, and warm-up: at most one series in a hundred is taken apart. */
Test(run_phases, noise_is_one_kind) {
  static runs_text t;
  uint64_t seed = 1;
  size_t told = 0;
  for (int series = 0; series < 1000; series++) {
    begin(&t);
    for (int i = 0; i < 100; i++) {
      double factor = random_real(&seed) < 0.02 ? 1 / (0.05 + random_real(&seed)) : 1;
      if (i == 0) factor = 5;
      add(&t, (uint64_t)(10000 * factor * (1 + 0.1 * random_real(&seed))), 0, 0);
    }
    find(&t);
    told += t.told->count > 0;
    etr_arena_clear(&t.arena);
  }
  cr_expect_leq(told, 10, "%zu", told);
}

/* A method's noise is that of its phases, each in parts of its own median. */
Test(run_phases, noise_of_a_mixture) {
  static runs_text t;
  static const uint64_t ticks[] = {200, 10, 10, 10, 202, 10, 10, 10};
  enum { RUNS = sizeof ticks / sizeof *ticks };
  uint32_t runs[RUNS];
  etr_warnings warnings = {.arena = &t.arena};
  begin(&t);
  for (uint32_t i = 0; i < RUNS; i++) add(&t, ticks[i], 0, 0), runs[i] = i;
  find(&t);
  etr_method method = {.name = "forward", .runs = runs, .run_count = RUNS, .execute_per_run = ticks};
  cr_assert(etr_phases_measure(&method, t.told, &t.all, &t.arena, &warnings));
  cr_assert_eq(method.run_phase_count, 2);
  cr_expect_eq(method.mixed_phase_count, 2);
  cr_expect_eq(method.run_phases[0].run_count, 2);
  cr_expect_float_eq(method.run_phases[0].execute.p50, 201, 1e-9);
  cr_expect_eq(method.run_phases[1].runs[3], 5);
  cr_expect_eq(method.noise.verdict, ETR_NOISE_STEADY);
  cr_expect_eq(method.run_phases[0].noise.verdict, ETR_NOISE_FEW_RUNS);
  cr_assert_eq(warnings.list.count, 1);
  cr_expect_str_eq(warnings.list.data[0].message,
                   "averages of method forward mix runs of different kinds: 2 prefill, 6 decode (estimated)");
  method = (etr_method){.name = "forward", .runs = runs + 1, .run_count = 3, .execute_per_run = ticks + 1};
  cr_assert(etr_phases_measure(&method, t.told, &t.all, &t.arena, &warnings));
  cr_expect_eq(method.mixed_phase_count, 1);
  cr_expect_eq(warnings.list.count, 1);
  etr_arena_clear(&t.arena);
}
