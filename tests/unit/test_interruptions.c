/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Interruptions: which part of the typical run they are, in methods of five operators whose times
 * in each run are written out.
 */
#include "base/method_parts.h"
#include "runs/runs.h"
#include "views/interruptions.h"
#include "views/throughput.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { OPERATORS = 5, RUNS = 20, MOST = OPERATORS * RUNS };

typedef struct test_case {
  const char *name;
  size_t runs;
  uint64_t us[OPERATORS][RUNS]; /* per operator, in each run */
  size_t phases;
  double expected[OPERATORS]; /* us in the typical run that are interruptions */
  bool has_interrupted_median;
} test_case;

#define EVENLY {100, 100, 100, 100, 100, 100, 100, 100, 100, 100}
#define STRETCHED {100, 300, 100, 300, 100, 300, 100, 300, 100, 100}
#define LONG {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}
#define ONCE_SLOW {100, 100, 100, 900, 100, 100, 100, 100, 100, 100}
#define LITTLE {20, 20, 20, 20, 20, 20, 20, 20, 20, 20}

#define OF_12_RUNS {20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20}
#define OF_MOST_RUNS {100, 900, 900, 100, 900, 900, 900, 900, 100, 900, 900, 900}
#define STRETCHED_MOSTLY {100, 300, 300, 100, 300, 300, 300, 300, 100, 300, 300, 300}

#define OF_20_RUNS {20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20}
#define OF_NEARLY_ALL_RUNS                                                                         \
  {100, 900, 900, 100, 900, 900, 900, 900, 900, 900,                                               \
   900, 900, 900, 900, 900, 900, 100, 900, 900, 900}

static const test_case cases[] = {
    {.name = "none", .runs = 10, .us = {EVENLY, EVENLY, EVENLY, EVENLY, EVENLY}},
    /* Each run is interrupted once, so that those of the typical run are, too: runs 3 to 6. */
    {.name = "each run somewhere",
     .runs = 10,
     .us = {{100, 100, 100, 900, 100, 100, 100, 100, 100, 900},
            {100, 100, 100, 100, 900, 100, 100, 900, 100, 100},
            {900, 100, 900, 100, 100, 900, 100, 100, 900, 100},
            {100, 900, 100, 100, 100, 100, 900, 100, 100, 100},
            EVENLY},
     .expected = {200, 200, 200, 200}},
    {.name = "a slow clock stretches all operators",
     .runs = 10,
     .us = {STRETCHED, STRETCHED, STRETCHED, STRETCHED, STRETCHED}},
    {.name = "a long operator that is not slow shows that most others were interrupted",
     .runs = 10,
     .us = {LONG, ONCE_SLOW, ONCE_SLOW, ONCE_SLOW, EVENLY},
     .expected = {0, 200, 200, 200}},
    {.name = "short operators that are not slow show that the long one was interrupted",
     .runs = 10,
     .us = {{1000, 1000, 1000, 3000, 1000, 1000, 1000, 1000, 1000, 1000},
            EVENLY,
            EVENLY,
            EVENLY,
            EVENLY},
     .expected = {500}},
    {.name =
         "interruptions are most of the time: short operators still show that the run is not slow",
     .runs = 10,
     .us = {{1000, 1000, 1000, 99000, 99000, 99000, 99000, 1000, 1000, 1000},
            EVENLY,
            EVENLY,
            EVENLY,
            EVENLY},
     .expected = {98000}},
    /* A long operator: its median is that of an interrupted one. */
    {.name = "in most runs",
     .runs = 12,
     .us = {OF_MOST_RUNS, OF_12_RUNS, OF_12_RUNS, OF_12_RUNS, OF_12_RUNS},
     .expected = {800},
     .has_interrupted_median = true},
    {.name = "in nearly all runs",
     .runs = 20,
     .us = {OF_NEARLY_ALL_RUNS, OF_20_RUNS, OF_20_RUNS, OF_20_RUNS, OF_20_RUNS},
     .expected = {800},
     .has_interrupted_median = true},
    {.name = "growing with the position",
     .runs = 20,
     .us = {{100, 120, 140, 160, 180, 200, 220, 240, 260, 280,
             300, 320, 340, 360, 380, 400, 420, 440, 460, 480},
            OF_20_RUNS,
            OF_20_RUNS,
            OF_20_RUNS,
            OF_20_RUNS}},
    {.name = "a slow clock stretches all operators in most runs",
     .runs = 12,
     .us = {STRETCHED_MOSTLY, STRETCHED_MOSTLY, STRETCHED_MOSTLY, STRETCHED_MOSTLY,
            STRETCHED_MOSTLY}},
    {.name = "less than twice the median",
     .runs = 10,
     .us = {{100, 100, 100, 190, 190, 190, 100, 100, 190, 100}, LITTLE, LITTLE, LITTLE, LITTLE}},
    {.name = "steps of a coarse clock",
     .runs = 10,
     .us = {{1, 2, 1, 2, 1, 2, 1, 2, 1, 1},
            {1, 1, 2, 1, 3, 1, 2, 1, 1, 2},
            {2, 1, 1, 1, 1, 2, 1, 3, 1, 1},
            {1, 1, 1, 3, 1, 1, 1, 1, 2, 1},
            {1, 2, 1, 1, 1, 1, 1, 2, 1, 1}}},
    {.name = "less than a tenth of the time in all",
     .runs = 3,
     .us =
         {{100, 240, 100}, {2000, 2000, 2000}, {100, 100, 100}, {100, 100, 100}, {100, 100, 100}}},
    {.name = "two runs have no median",
     .runs = 2,
     .us = {{100, 9000}, {100, 100}, {100, 100}, {100, 100}, {100, 100}}},
    {.name = "phases differ by their work",
     .runs = 10,
     .us = {{100, 100, 100, 900, 900, 900, 900, 100, 100, 100}, EVENLY, EVENLY, EVENLY, EVENLY},
     .phases = 2},
};

/* A method with the runs of a case. */
typedef struct fixture {
  etr_event events[OPERATORS];
  etr_time_slice slices[MOST];
  double weights[RUNS];
  uint64_t execute[RUNS];
  etr_method method;
  etr_profile profile;
} fixture;

static void make_method(fixture *f, const test_case *c, bool has_nodes) {
  size_t slices = 0, left_out = c->runs / 3;
  *f = (fixture){.profile = {.ticks_per_second = 1e9}};
  for (uint32_t op = 0; op < OPERATORS; op++) {
    for (uint32_t run = 0; run < c->runs; run++) {
      f->slices[slices++] = (etr_time_slice){
          .ticks = 1000 * c->us[op][run],
          .event = &f->events[op],
          .run = run,
          .node = has_nodes ? op : ETR_NONE,
          .part = has_nodes ? ETR_TIME_OPERATORS : ETR_TIME_UNPLACED,
      };
      f->execute[run] += 1000 * c->us[op][run];
    }
  }
  /* The runs in the middle: in these cases their order by time does not matter. */
  for (size_t run = left_out; run < c->runs - left_out; run++)
    f->weights[run] = 1;
  f->method = (etr_method){.run_count = c->runs,
                           .execute_per_run = f->execute,
                           .typical = {f->weights, (double)(c->runs - 2 * left_out)},
                           .mixed_phase_count = c->phases,
                           .time_slices = f->slices,
                           .time_slice_count = slices};
  for (size_t run = 0; run < c->runs; run++)
    f->method.execute.typical += f->weights[run] * (double)f->execute[run] /
                                 f->method.typical.divisor;
}

static void expect_case(const test_case *c, bool has_nodes) {
  static fixture f;
  etr_arena arena = {0};
  double of[OPERATORS] = {0}, whole = 0;
  make_method(&f, c, has_nodes);
  cr_assert(etr_interruptions_find(&f.method, f.profile.ticks_per_second, &arena));
  for (size_t i = 0; i < f.method.time_slice_count; i++)
    of[f.slices[i].event - f.events] += etr_slice_interrupted(&f.method, i);
  for (size_t op = 0; op < OPERATORS; op++) {
    cr_expect(fabs(of[op] - 1000 * c->expected[op]) < 1, "%s, operator %zu: %g ns instead of %g us",
              c->name, op, of[op], c->expected[op]);
    whole += of[op];
  }
  cr_expect(fabs(f.method.interrupted * f.method.execute.typical - whole) < 1e-6, "%s", c->name);
  cr_expect_eq(etr_interrupted_text(&arena, &f.profile, &f.method) != NULL, whole > 0, "%s",
               c->name);
  const char *note = etr_interruptions_note(&arena, &f.profile, &f.method, ETR_MEDIANS_OF_NODES);
  bool are_medians_without = note && strstr(note, "--stat p50");
  cr_expect_eq(are_medians_without, whole > 0 && !c->has_interrupted_median, "%s", c->name);
  etr_arena_clear(&arena);
}

/* Where operators are interrupted in most runs, the fastest run shows that they can take less. */
Test(interruptions, fastest_run) {
  static const struct {
    double fastest;
    double interrupted;
    bool are_medians; /* usual times are of interrupted runs */
    const char *text;
  } runs[] = {
      {40, 0.5, false, "50 % is interruptions: 40.0 \xE2\x80\x93 50.0 us per inference without"},
      {46, 0.5, false, "50 % is interruptions: 50.0 us per inference without"},
      {46, 0.5, true, "50 % is interruptions: at most 50.0 us per inference without"},
      {40, 0, false, NULL}};
  const etr_profile profile = {.ticks_per_second = 1e6};
  for (size_t i = 0; i < ETR_COUNT(runs); i++) {
    etr_arena arena = {0};
    const etr_method method = {.execute = {.typical = 100, .min = runs[i].fastest},
                               .interrupted = runs[i].interrupted,
                               .are_medians_interrupted = runs[i].are_medians};
    const char *text = etr_interrupted_text(&arena, &profile, &method);
    cr_expect(runs[i].text ? text && strcmp(text, runs[i].text) == 0 : !text, "case %zu: %s", i,
              text ? text : "none");
    etr_arena_clear(&arena);
  }
}

Test(interruptions, parts_of_the_typical_run) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    expect_case(&cases[i], true);
    expect_case(&cases[i], false);
  }
}

/* The runtime is interrupted, too: between the begin of OPERATOR_CALL and that of its kernel, which
 * is on the kernel's node, or elsewhere. */
Test(interruptions, of_the_runtime) {
  enum { COUNT = 5, CALL = COUNT, REST = 2 * COUNT, ALL = 3 * COUNT };
  static const uint64_t call_ns[COUNT] = {10000, 10000, 1010000, 10000, 10000},
                        rest_ns[COUNT] = {10000, 410000, 10000, 10000, 10000};
  const double weights[COUNT] = {1, 1, 1, 1, 1};
  const etr_event call = {.name = "OPERATOR_CALL"}, kernel = {.name = "native_call_add.out"};
  etr_time_slice slices[ALL];
  for (uint32_t i = 0; i < COUNT; i++) {
    slices[i] = (etr_time_slice){
        .ticks = 100000, .event = &kernel, .run = i, .node = 3, .part = ETR_TIME_OPERATORS};
    slices[CALL + i] = (etr_time_slice){
        .ticks = call_ns[i], .event = &call, .run = i, .node = 3, .part = ETR_TIME_RUNTIME};
    slices[REST + i] = (etr_time_slice){
        .ticks = rest_ns[i], .run = i, .node = ETR_NONE, .part = ETR_TIME_RUNTIME};
  }
  etr_method method = {.run_count = COUNT,
                       .execute = {.count = COUNT, .typical = 400000},
                       .typical = {weights, COUNT},
                       .time_slices = slices,
                       .time_slice_count = COUNT,
                       .runtime_slice_count = REST};
  etr_arena arena = {0};
  cr_assert(etr_interruptions_find(&method, 1e9, &arena));
  cr_assert_not_null(method.interruptions);
  for (size_t i = 0; i < ALL; i++) {
    double expected = i == CALL + 2 ? 1000000 : i == REST + 1 ? 400000 : 0;
    cr_expect_float_eq(method.interruptions[i], expected, 1, "slice %zu", i);
  }
  cr_expect_float_eq(method.interrupted, 1400000. / COUNT / 400000, 1e-6);
  cr_expect_eq(etr_interruptions_count_runs(&arena, &method), 2);
  etr_arena_clear(&arena);
}

/* A rate of tokens is that of the typical run, and says so if that was interrupted: 20 ms, of which
 * 10 are interruptions, and 8 in the fastest run. */
Test(interruptions, rates_say_that_they_contain_them) {
  static const etr_throughput tokens = {
      .tokens_per_run = 1, .ms_per_token = 20, .tokens_per_second = 50};
  static const etr_stats execute = {.count = 4, .typical = 2e7, .min = 8000000};
  const etr_method quiet = {.execute = execute},
                   interrupted = {.execute = execute, .interrupted = 0.5},
                   slower = {.execute = {.count = 4, .typical = 2e7, .min = 16000000},
                             .interrupted = 0.5},
                   disturbed = {.execute = {.count = 4, .typical = 2e7, .min = 10000000},
                                .interrupted = 0.5,
                                .are_medians_interrupted = true};
  etr_arena arena = {0};
  cr_expect_str_eq(etr_throughput_text(&arena, &tokens, &execute, &quiet),
                   "1 token a run: 20 ms per token, 50 tokens/s");
  cr_expect_str_eq(
      etr_throughput_text(&arena, &tokens, &execute, &interrupted),
      "1 token a run: 20 ms per token, 50 tokens/s, with interruptions; 100 \xE2\x80\x93 "
      "130 without");
  cr_expect_str_eq(etr_throughput_text(&arena, &tokens, &execute, &disturbed),
                   "1 token a run: 20 ms per token, 50 tokens/s, with interruptions; at least 100 "
                   "without");
  /* No run was as fast as its operators alone would be. */
  cr_expect_str_eq(
      etr_throughput_text(&arena, &tokens, &execute, &slower),
      "1 token a run: 20 ms per token, 50 tokens/s, with interruptions; 63 \xE2\x80\x93 "
      "100 without");
  etr_arena_clear(&arena);
}
