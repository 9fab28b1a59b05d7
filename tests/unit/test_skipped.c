/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The runs that are excluded.
 */
#include "open_fixture.h"
#include "random.h"
#include "runs/inferences.h"
#include "runs/runs.h"
#include "views/balance.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX = 64 };

typedef struct made_run {
  uint64_t ticks;
  uint32_t method, dump;
  bool is_other_phase, is_load;
} made_run;

typedef struct made_series {
  const made_run *list;
  size_t count;
} made_series;

/* Initializes a made_series; the runs follow each other. SECOND_DUMP() is in the second ETDump, the
 * others are in the first. */
#define RUNS(...)                                                                                  \
  {(const made_run[]){__VA_ARGS__}, sizeof(const made_run[]){__VA_ARGS__} / sizeof(made_run)}
#define TOOK(time) {.ticks = (time)}
#define OTHER_METHOD(time) {.ticks = (time), .method = 1}
#define OTHER_PHASE(time) {.ticks = (time), .is_other_phase = true}
#define SECOND_DUMP(time) {.ticks = (time), .dump = 1}
#define LOAD {.is_load = true}
#define SECOND_DUMP_LOAD {.is_load = true, .dump = 1}

/* The indices of the skipped runs, counted as etr_profile.runs: "0,3". */
static void skip(const made_series *series, const etr_options *options, char *out, size_t size) {
  static const etr_event load = {.name = "Program::load_method"},
                         execute = {.name = "Method::execute"};
  etr_run runs[MAX];
  etr_block blocks[MAX];
  uint32_t indices[MAX];
  etr_blocks all = {
      .runs = runs, .run_count = series->count, .blocks = blocks, .block_count = series->count};
  for (uint32_t i = 0; i < series->count; i++) {
    const made_run *made = &series->list[i];
    indices[i] = i;
    runs[i] = (etr_run){
        .dump = made->dump, .block = i, .profile_events = 1, .execute_ticks = made->ticks};
    blocks[i] = (etr_block){.runs = &indices[i],
                            .run_count = 1,
                            .events = made->is_load ? &load : &execute,
                            .event_count = 1,
                            .method = made->is_load ? ETR_NONE : made->method};
  }
  etr_arena scratch = {0};
  cr_assert(etr_runs_number_series(&all, &scratch));
  for (size_t i = 0; i < all.run_count; i++)
    runs[i].phase = series->list[i].is_other_phase;
  etr_arena_clear(&scratch);
  cr_assert(etr_skipped_find(&all, NULL, options));
  out[0] = '\0';
  for (size_t i = 0, used = 0; i < all.run_count; i++)
    if (runs[i].is_skipped)
      used += (size_t)snprintf(out + used, size - used, "%s%zu", used ? "," : "", i);
}

static int by_double(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

Test(skipped, warm_up_runs_are_excluded) {
  static const struct {
    uint64_t ticks[10];
    size_t count;
    const char *skipped;
  } cases[] = {
      {{0}, 0, ""},
      {{50}, 1, ""},
      {{50, 10, 10}, 3, ""}, /* too few runs after it */
      {{50, 10, 10, 10}, 4, "0"},
      {{15, 10, 10, 10}, 4, ""}, /* 1.5 times is not above */
      {{16, 10, 10, 10}, 4, "0"},
      {{50, 40, 10, 10, 10}, 5, "0,1"},
      {{50, 40, 10, 10}, 4, "0"},     /* only two runs follow the second */
      {{10, 50, 10, 10, 10}, 5, ""},  /* not a leading run */
      {{20, 10, 10, 14, 14}, 5, "0"}, /* the median of four is between the middle two: 12 */
      {{19, 13, 13, 14, 14}, 5, ""},  /* 13.5 */
      {{90, 80, 70, 60, 50, 40, 30, 20, 10}, 9, "0,1,2,3,4,5"}, /* only two runs follow 30 */
      {{5, 0, 0, 0}, 4, ""},                                    /* not timed */
      {{20, 10, 20, 10, 10, 20, 10, 10, 20, 10},
       10,
       ""}, /* the first run is in the slower of two modes */
      {{20, 10, 10, 10, 10, 10, 10, 10, 20, 10}, 10, "0"}, /* the eighth of nine is fast */
      {{20, 10, 10, 10, 10, 17}, 6, "0"},                  /* four fifths of five are four */
      {{20, 10, 10, 10, 10, 17, 17}, 7, ""},               /* and of six five: 20.4 */
      {{20, 10, 10, 10, 16, 17}, 6, "0"},                  /* the fourth of five takes 16: 19.2 */
      {{19, 10, 10, 10, 16, 17}, 6, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char skipped[256];
    made_run list[MAX];
    for (size_t k = 0; k < cases[i].count; k++)
      list[k] = (made_run)TOOK(cases[i].ticks[k]);
    const made_series runs = {list, cases[i].count};
    skip(&runs, &(etr_options){.skip = ETR_SKIP_AUTO}, skipped, sizeof skipped);
    cr_expect_str_eq(skipped, cases[i].skipped, "case %zu: %s, not %s", i, skipped,
                     cases[i].skipped);
  }
}

/* Each load, ETDump, method and phase has its own warm-up. */
Test(skipped, warm_up_begins_anew) {
  const struct {
    made_series runs;
    const char *skipped;
  } cases[] = {
      {RUNS(LOAD, TOOK(50), TOOK(10), TOOK(10), TOOK(10)), "1"},
      {RUNS(LOAD, TOOK(50), TOOK(10), TOOK(10), TOOK(10), LOAD, TOOK(50), TOOK(10), TOOK(10),
            TOOK(10)),
       "1,6"},
      {RUNS(TOOK(50), TOOK(10), TOOK(10), TOOK(10), SECOND_DUMP(50), SECOND_DUMP(10),
            SECOND_DUMP(10), SECOND_DUMP(10)),
       "0,4"},
      {RUNS(TOOK(50), TOOK(10), SECOND_DUMP(10), SECOND_DUMP(10)), ""},
      {RUNS(TOOK(50), OTHER_METHOD(90), TOOK(10), OTHER_METHOD(20), TOOK(10), OTHER_METHOD(20),
            TOOK(10), OTHER_METHOD(20)),
       "0,1"},
      {RUNS(OTHER_PHASE(90), TOOK(50), TOOK(10), TOOK(10), TOOK(10), OTHER_PHASE(90), TOOK(10),
            TOOK(10), OTHER_PHASE(90), OTHER_PHASE(90)),
       "1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char skipped[256];
    skip(&cases[i].runs, &(etr_options){.skip = ETR_SKIP_AUTO}, skipped, sizeof skipped);
    cr_expect_str_eq(skipped, cases[i].skipped, "case %zu: %s, not %s", i, skipped,
                     cases[i].skipped);
  }
}

/* The maximum number of runs, which are removed one by one. */
Test(skipped, excluding_equals_sorting_again) {
  enum { MOST = 60 };
  uint64_t seed = 5;
  for (int series = 0; series < 200; series++) {
    char skipped[256], want[256] = "";
    made_run list[MOST];
    double ticks[MOST];
    size_t count = 4 + (size_t)(random_real(&seed) * (MOST - 4)), out = 0;
    for (size_t i = 0; i < count; i++) {
      ticks[i] = floor(100 + 5000 * random_real(&seed) * exp(-.1 * (double)i));
      list[i] = (made_run)TOOK((uint64_t)ticks[i]);
    }
    for (size_t i = 0; i + 3 < count; i++) {
      double sorted[MOST];
      size_t left = count - i - 1;
      memcpy(sorted, ticks + i + 1, left * sizeof *sorted);
      qsort(sorted, left, sizeof *sorted, by_double);
      double median = left % 2 ? sorted[left / 2] : (sorted[left / 2 - 1] + sorted[left / 2]) / 2;
      if (ticks[i] <= 1.5 * median || ticks[i] <= 1.2 * sorted[(left * 8 + 9) / 10 - 1])
        break;
      out += (size_t)snprintf(want + out, sizeof want - out, "%s%zu", out ? "," : "", i);
    }
    skip(&(made_series){list, count}, &(etr_options){.skip = ETR_SKIP_AUTO}, skipped,
         sizeof skipped);
    cr_expect_str_eq(skipped, want, "series %d", series);
  }
}

Test(skipped, first_runs_or_a_range_are_chosen) {
  const struct {
    made_series runs;
    etr_options options;
    const char *skipped;
  } cases[] = {
      {RUNS(TOOK(50), TOOK(10), TOOK(10), TOOK(10)), {.skip = ETR_SKIP_NONE}, ""},
      {RUNS(LOAD, TOOK(50), TOOK(10), TOOK(10), SECOND_DUMP_LOAD, SECOND_DUMP(10), SECOND_DUMP(10)),
       {.skip = ETR_SKIP_FIRST, .skip_count = 2},
       "1,2,5,6"},
      {RUNS(LOAD, TOOK(50), TOOK(10), TOOK(10), SECOND_DUMP_LOAD, SECOND_DUMP(10), SECOND_DUMP(10)),
       {.skip = ETR_SKIP_FIRST, .skip_count = 0},
       ""},
      {RUNS(LOAD, TOOK(50), TOOK(10), TOOK(10), SECOND_DUMP_LOAD, SECOND_DUMP(10), SECOND_DUMP(10)),
       {.skip = ETR_SKIP_RANGE, .first_run = 2, .last_run = 5},
       "1,6"}, /* loads stay */
      {RUNS(LOAD, TOOK(50), TOOK(10), TOOK(10)),
       {.skip = ETR_SKIP_FIRST, .skip_count = UINT32_MAX},
       "1,2,3"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char skipped[256];
    skip(&cases[i].runs, &cases[i].options, skipped, sizeof skipped);
    cr_expect_str_eq(skipped, cases[i].skipped, "case %zu: %s, not %s", i, skipped,
                     cases[i].skipped);
  }
}

/* The times of the remaining runs add up, and all samples belong to these runs. */
Test(skipped, times_cover_only_runs_that_count) {
  etr_profile *p = open_fixture("quantized_xnnpack", &(etr_options){.skip = ETR_SKIP_AUTO});
  const etr_method *m = &p->methods[0];
  uint64_t ticks = 0;
  cr_expect_eq(m->run_count, 5);
  cr_assert_eq(m->skipped_run_count, 1);
  cr_expect(p->runs[m->skipped_runs[0]].is_skipped);
  cr_expect_eq(m->skipped_ticks, p->runs[m->skipped_runs[0]].execute_ticks);
  for (size_t i = 0; i < m->run_count; i++) {
    cr_expect_eq(m->execute_per_run[i], p->runs[m->runs[i]].execute_ticks);
    ticks += m->execute_per_run[i];
  }
  cr_expect_eq(m->execute_ticks, ticks);
  cr_expect_eq(etr_broad_part_ticks(m, ETR_BROAD_NODES) +
                   etr_broad_part_ticks(m, ETR_BROAD_DELEGATES) +
                   etr_broad_part_ticks(m, ETR_BROAD_FRAMEWORK) +
                   etr_broad_part_ticks(m, ETR_BROAD_UNEXPLAINED),
               ticks);
  for (size_t b = 0; b < p->block_count; b++)
    for (size_t i = 0; i < p->blocks[b].event_count; i++) {
      const etr_event *e = &p->blocks[b].events[i];
      cr_expect_eq(e->stats.count, e->sample_count);
      for (size_t s = 0; s < e->sample_count; s++)
        cr_expect(!p->runs[e->sample_runs[s]].is_skipped);
    }
  etr_profile_close(p);
}

Test(skipped, an_unknown_run_is_refused) {
  etr_inputs inputs;
  etr_profile *profile;
  cr_assert_eq(etr_inputs_find(&inputs, FIXTURES "/quantized_xnnpack", NULL, NULL), ETR_OK);
  const etr_options options = {.skip = ETR_SKIP_RANGE, .first_run = 1, .last_run = 7};
  cr_expect_eq(etr_profile_open(&profile, &inputs, &options, NULL), ETR_ERROR_CHOICE);
  etr_inputs_clear(&inputs);
}
