/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The typical run: which runs are chosen, and what is made of them. The values are computed by
 * hand.
 */
#include "open_fixture.h"
#include "runs/typical.h"

#include <criterion/criterion.h>
#include <math.h>

enum { MOST_RUNS = 16 };

static const struct {
  const char *what;
  size_t count;
  uint64_t ticks[MOST_RUNS];
  uint32_t recordings[MOST_RUNS];
  double typical, divisor;
  double weights[MOST_RUNS];
  uint32_t odd; /* recording; 0: none */
  double change;
} cases[] = {
    {.what = "no run"},
    {.what = "one run", .count = 1, .ticks = {7}, .typical = 7, .divisor = 1, .weights = {1}},
    {.what = "two runs are averaged",
     .count = 2,
     .ticks = {7, 10},
     .typical = 8.5,
     .divisor = 2,
     .weights = {1, 1}},
    {.what = "of three runs the middle one",
     .count = 3,
     .ticks = {90, 7, 10},
     .typical = 10,
     .divisor = 1,
     .weights = {0, 0, 1}},
    {.what = "of four runs the two in the middle",
     .count = 4,
     .ticks = {10, 90, 12, 7},
     .typical = 11,
     .divisor = 2,
     .weights = {1, 0, 1, 0}},
    {.what = "of five runs three",
     .count = 5,
     .ticks = {5, 1, 4, 2, 9},
     .typical = 11 / 3.0,
     .divisor = 3,
     .weights = {1, 0, 1, 1, 0}},
    {.what = "of equal runs the earlier is the shorter",
     .count = 6,
     .ticks = {4, 4, 4, 4, 4, 4},
     .typical = 4,
     .divisor = 2,
     .weights = {0, 0, 1, 1, 0, 0}},
    {.what = "times of 0",
     .count = 3,
     .ticks = {0, 0, 0},
     .typical = 0,
     .divisor = 1,
     .weights = {0, 1, 0}},
    {.what = "recordings count alike, with 1, 2 and 4 runs",
     .count = 7,
     .ticks = {100, 104, 110, 90, 101, 103, 300},
     .recordings = {0, 1, 1, 4, 4, 4, 4},
     .typical = (100 + 107 + 102) / 3.0,
     .divisor = 3,
     .weights = {1, 0.5, 0.5, 0, 0.5, 0.5, 0}},
    {.what = "recordings of the same number of runs have weights of 1",
     .count = 6,
     .ticks = {3, 1, 2, 30, 10, 20},
     .recordings = {0, 0, 0, 1, 1, 1},
     .typical = 11,
     .divisor = 2,
     .weights = {0, 0, 1, 0, 0, 1}},
    {.what = "the fifth recording is odd",
     .count = 5,
     .ticks = {100, 101, 200, 99, 100},
     .recordings = {0, 1, 2, 3, 4},
     .typical = 100,
     .divisor = 4,
     .weights = {1, 1, 0, 1, 1},
     .odd = 2,
     .change = 1},
    {.what = "within 5 % none is odd",
     .count = 5,
     .ticks = {100, 100, 104, 100, 100},
     .recordings = {0, 1, 2, 3, 4},
     .typical = 100.8,
     .divisor = 5,
     .weights = {1, 1, 1, 1, 1}},
    {.what = "of four recordings none is odd",
     .count = 4,
     .ticks = {100, 100, 200, 100},
     .recordings = {0, 1, 2, 3},
     .typical = 125,
     .divisor = 4,
     .weights = {1, 1, 1, 1}},
    {.what = "recordings that differ widely are not odd",
     .count = 5,
     .ticks = {100, 200, 300, 400, 500},
     .recordings = {0, 1, 2, 3, 4},
     .typical = 300,
     .divisor = 5,
     .weights = {1, 1, 1, 1, 1}},
};

Test(typical, runs_are_chosen_by_the_rule) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_typical_choice choice;
    const etr_typical_runs runs = {cases[i].ticks, cases[i].recordings, NULL, cases[i].count,
                                   cases[i].count};
    cr_assert(etr_typical_choose(&choice, &runs, ETR_TYPICAL_NOT_ODD, &arena));
    cr_expect_float_eq(choice.ticks, cases[i].typical, 1e-9, "%s: %g", cases[i].what, choice.ticks);
    cr_expect_float_eq(choice.typical.divisor, cases[i].divisor, 1e-12, "%s: divided by %g",
                       cases[i].what, choice.typical.divisor);
    double sum = 0;
    for (uint32_t k = 0; k < cases[i].count; k++) {
      cr_expect_float_eq(choice.typical.weights[k], cases[i].weights[k], 1e-12, "%s: run %u has %g",
                         cases[i].what, (unsigned)k, choice.typical.weights[k]);
      sum = etr_typical_add(sum, &choice.typical, k, cases[i].ticks[k]);
    }
    cr_expect_float_eq(etr_typical_of(sum, &choice.typical), cases[i].typical, 1e-9, "%s",
                       cases[i].what);
    cr_expect_eq(choice.odd_count, cases[i].odd > 0, "%s", cases[i].what);
    if (choice.odd_count) {
      cr_expect_eq(choice.odd[0].dump, cases[i].odd);
      cr_expect_float_eq(choice.odd[0].change, cases[i].change, 1e-9);
    }
    cr_assert(etr_typical_choose(&choice, &runs, ETR_TYPICAL_ALL, &arena));
    cr_expect_eq(choice.odd_count, 0, "all count");
    etr_arena_clear(&arena);
  }
}

/* Of loads the recording in the middle counts, or the mean of both. */
Test(typical, the_median_recording_is_chosen) {
  static const struct {
    size_t count;
    uint64_t ticks[MOST_RUNS];
    uint32_t recordings[MOST_RUNS];
    double typical;
  } medians[] = {
      {0, {0}, {0}, 0},
      {1, {90}, {0}, 90},
      {2, {90, 10}, {0, 1}, 50},
      {3, {90, 10, 12}, {0, 1, 2}, 12},
      {4, {90, 10, 12, 14}, {0, 1, 2, 3}, 13},
      {5, {10, 96, 90, 12, 99}, {0, 1, 2, 3, 4}, 90},
      /* Each recording has its middle third first: 12, 90 and 20. */
      {7, {10, 12, 99, 90, 20, 18, 22}, {0, 0, 0, 1, 2, 2, 2}, 20},
  };
  for (size_t i = 0; i < ETR_COUNT(medians); i++) {
    etr_arena arena = {0};
    etr_typical_choice choice;
    size_t count = medians[i].count;
    const etr_typical_runs runs = {medians[i].ticks, medians[i].recordings, NULL, count, count};
    cr_assert(etr_typical_choose(&choice, &runs, ETR_TYPICAL_MEDIAN, &arena));
    double sum = 0;
    for (uint32_t k = 0; k < count; k++)
      sum = etr_typical_add(sum, &choice.typical, k, medians[i].ticks[k]);
    cr_expect_float_eq(choice.ticks, medians[i].typical, 1e-9, "%zu: %g", i, choice.ticks);
    cr_expect_float_eq(etr_typical_of(sum, &choice.typical), choice.ticks, 1e-9, "%zu", i);
    cr_expect_eq(choice.odd_count, 0);
    etr_arena_clear(&arena);
  }
}

/* Runs of 1 to 100,000 ticks, in an order without a pattern: the middle third is 33,334 to 66,667.
 */
Test(typical, many_runs_are_chosen) {
  enum { RUNS = 100000 };
  etr_arena arena = {0};
  uint64_t *ticks = etr_arena_alloc_array(&arena, RUNS, sizeof *ticks);
  uint32_t *recordings = etr_arena_alloc_array(&arena, RUNS, sizeof *recordings);
  etr_typical_choice choice;
  for (uint64_t i = 0; i < RUNS; i++)
    ticks[i] = i * 7919 % RUNS + 1; /* 7919 is prime */
  cr_assert(etr_typical_choose(&choice, &(etr_typical_runs){ticks, recordings, NULL, RUNS, RUNS},
                               ETR_TYPICAL_NOT_ODD, &arena));
  cr_expect_eq(choice.typical.divisor, RUNS - 2 * 33333);
  cr_expect_float_eq(choice.ticks, (33334 + 66667) / 2.0, 1e-6);
  for (uint32_t i = 0; i < RUNS; i++)
    cr_assert_eq(choice.typical.weights[i], ticks[i] >= 33334 && ticks[i] <= 66667, "%u",
                 (unsigned)i);
  etr_arena_clear(&arena);
}

/* ---- In profiles ---- */

/* Returns the mean of the middle third of the runs of a method, or of one of its phases, in one
 * recording: by counting, for each run, how many are shorter. */
static double middle_third(const etr_method *method, const uint32_t *places, size_t count) {
  double sum = 0;
  size_t chosen = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t mine = method->execute_per_run[places ? places[i] : i];
    size_t before = 0;
    for (size_t k = 0; k < count; k++) {
      uint64_t other = method->execute_per_run[places ? places[k] : k];
      before += other < mine || (other == mine && k < i);
    }
    if (before < count / 3 || before >= count - count / 3)
      continue;
    sum += (double)mine;
    chosen++;
  }
  return chosen ? sum / (double)chosen : 0;
}

/* The events of a block are of the middle third of its own runs, and not of those of the method. */
static void expect_typical_of_block(const etr_method *method, const etr_block *block) {
  uint32_t places[256];
  size_t count = 0;
  for (uint32_t i = 0; i < method->run_count && i < ETR_COUNT(places); i++)
    for (size_t k = 0; k < block->run_count; k++)
      if (method->runs[i] == block->runs[k])
        places[count++] = i;
  for (size_t e = 0; e < block->event_count; e++)
    if (strcmp(block->events[e].name, "Method::execute") == 0)
      cr_expect_float_eq(block->events[e].stats.typical, middle_third(method, places, count), 1e-6,
                         "%s, block from run %u on", method->name, (unsigned)block->runs[0]);
}

/* Without warm-up and with it, what a method says is of the runs in the middle third, by whatever
 * branch they took. */
Test(typical, methods_and_blocks_are_of_their_runs) {
  static const char *const records[] = {"add_mul",      "mv2_xnnpack", "multi_method",
                                        "control_flow", "cpp_rich",    "llama_portable"};
  for (size_t i = 0; i < ETR_COUNT(records); i++)
    for (etr_skip skip = ETR_SKIP_AUTO; skip <= ETR_SKIP_NONE; skip++) {
      etr_profile *profile = open_fixture(records[i], &(etr_options){.skip = skip});
      for (size_t m = 0; m < profile->method_count; m++) {
        const etr_method *method = &profile->methods[m];
        if (method->run_count == 0)
          continue;
        cr_expect_float_eq(method->execute.typical, middle_third(method, NULL, method->run_count),
                           1e-6, "%s, %s", records[i], method->name);
        double sum = 0;
        for (size_t p = 0; p < method->part_count; p++)
          sum += method->parts[p].typical;
        cr_expect_float_eq(sum, method->execute.typical, 1e-6 * (1 + sum), "%s, %s", records[i],
                           method->name);
        for (size_t b = 0; b < method->block_count && method->is_execute_logged; b++)
          expect_typical_of_block(method, &profile->blocks[method->blocks[b]]);
      }
      etr_profile_close(profile);
    }
}

/* A phase's typical run is that of its own runs. */
Test(typical, phases_have_their_own_runs) {
  size_t phases = 0;
  etr_profile *profile = open_fixture("prefill_decode", NULL);
  for (size_t m = 0; m < profile->method_count; m++) {
    const etr_method *method = &profile->methods[m];
    for (uint32_t p = 0; p < method->run_phase_count; p++, phases++) {
      uint32_t places[256];
      size_t count = 0;
      for (uint32_t i = 0; i < method->run_count && count < ETR_COUNT(places); i++)
        if (profile->runs[method->runs[i]].phase == p)
          places[count++] = i;
      cr_expect_float_eq(method->run_phases[p].execute.typical, middle_third(method, places, count),
                         1e-6, "phase %u", (unsigned)p);
    }
  }
  cr_expect_geq(phases, 2);
  etr_profile_close(profile);
}
