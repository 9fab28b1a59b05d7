/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_profile_runs.c - a document has all runs of a method, or of very many events the runs that
 * matter.
 */
#include "report/profile_doc.h"

#include <criterion/criterion.h>

enum { RUNS = 20 };

/* Chooses among runs that take 100, 101, ... ticks, but for run 3, which takes 1, and run 4, which
 * takes 1000. Each has some events. */
static etr_profile_runs choose(etr_arena *arena, size_t events_per_run) {
  static uint64_t ticks[RUNS];
  static uint32_t numbers[RUNS];
  uint32_t *samples = etr_arena_alloc_array(arena, RUNS * events_per_run, sizeof *samples);
  for (uint32_t i = 0; i < RUNS; i++) {
    numbers[i] = i + 1; /* run 0 is a load */
    ticks[i] = 100 + i;
    for (size_t k = 0; k < events_per_run; k++)
      samples[i * events_per_run + k] = i + 1;
  }
  ticks[3] = 1;
  ticks[4] = 1000;
  const etr_event event = {.sample_runs = samples, .sample_count = RUNS * events_per_run};
  const etr_block block = {.events = &event, .event_count = 1};
  const uint32_t blocks[] = {0};
  static const etr_run profile_runs[RUNS + 1]; /* all behind one load */
  const etr_profile profile = {
      .blocks = &block, .block_count = 1, .runs = profile_runs, .run_count = RUNS + 1};
  etr_time_slice slices[RUNS];
  for (uint32_t i = 0; i < RUNS; i++)
    slices[i] = (etr_time_slice){
        .ticks = ticks[i], .run = i, .node = ETR_NONE, .part = ETR_TIME_RUNTIME};
  const etr_part_time part = {.part = ETR_TIME_RUNTIME, .typical = 110};
  const etr_method method = {.run_count = RUNS,
                             .runs = numbers,
                             .execute_per_run = ticks,
                             .parts = &part,
                             .part_count = 1,
                             .time_slices = slices,
                             .runtime_slice_count = RUNS,
                             .blocks = blocks,
                             .block_count = 1};
  etr_profile_runs chosen;
  cr_assert(etr_profile_choose_runs(&chosen, arena, &profile, &method));
  return chosen;
}

static bool has(const etr_profile_runs *runs, uint32_t run_index) {
  for (size_t i = 0; i < runs->count; i++)
    if (runs->run_indices[i] == run_index)
      return true;
  return false;
}

Test(profile_runs, all_runs_are_there_where_they_have_room) {
  etr_arena arena = {0};
  const etr_profile_runs runs = choose(&arena, ETR_PROFILE_MOST_EVENTS / RUNS);
  cr_assert_eq(runs.count, RUNS);
  for (uint32_t i = 0; i < RUNS; i++)
    cr_expect_eq(runs.run_indices[i], i);
  etr_arena_clear(&arena);
}

Test(profile_runs, the_runs_that_matter_are_there) {
  static const struct {
    size_t room, count; /* runs that there is room for, and that are chosen */
  } cases[] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {10, 10}, {19, 19}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const etr_profile_runs runs = choose(&arena, ETR_PROFILE_MOST_EVENTS / cases[i].room);
    cr_expect_eq(runs.count, cases[i].count, "room for %zu: %zu runs", cases[i].room, runs.count);
    cr_expect(has(&runs, 10));
    cr_expect_eq(has(&runs, 4), cases[i].room >= 2);
    cr_expect_eq(has(&runs, 3), cases[i].room >= 3);
    cr_expect_eq(has(&runs, 0), cases[i].room >= 4);
    for (size_t k = 1; k < runs.count; k++)
      cr_expect_gt(runs.run_indices[k], runs.run_indices[k - 1]);
    etr_arena_clear(&arena);
  }
}

/* One run that has more events than there is room for is shown. */
Test(profile_runs, the_nearest_is_always_there) {
  etr_arena arena = {0};
  const etr_profile_runs runs = choose(&arena, ETR_PROFILE_MOST_EVENTS + 1);
  cr_assert_eq(runs.count, 1);
  cr_expect_eq(runs.run_indices[0], 10);
  etr_arena_clear(&arena);
}

/* Lists the time slices of one of `count` runs: of operators, and of the runtime behind all of
 * these.
 */
static void list_parts(etr_time_slice *slices, uint32_t count, uint32_t run, uint64_t operators,
                       uint64_t execute) {
  slices[run] = (etr_time_slice){
      .ticks = operators, .run = run, .node = ETR_NONE, .part = ETR_TIME_UNPLACED};
  slices[count + run] = (etr_time_slice){
      .ticks = execute - operators, .run = run, .node = ETR_NONE, .part = ETR_TIME_RUNTIME};
}

/* Of five runs behind two loads, 0 and 3 are nearest, but the first after their load; the time of 1
 * is nearest to typical, but its parts are far from it. Without others a first run is taken, and
 * none is the first where warm-up that is left out came before it. */
Test(profile_runs, the_nearest_run_has_the_parts_of_the_typical_one) {
  static const uint64_t ticks[] = {100, 100, 104, 100, 104};
  static const uint64_t operators[] = {90, 40, 94, 90, 99};
  static const uint32_t numbers[] = {1, 2, 3, 5, 6}, skipped[] = {2};
  etr_run runs[7] = {{.series = 0}};
  etr_time_slice slices[2 * 5];
  for (uint32_t i = 0; i < 7; i++)
    runs[i].series = i < 4 ? 1 : 2;
  for (uint32_t i = 0; i < 5; i++)
    list_parts(slices, 5, i, operators[i], ticks[i]);
  const etr_part_time parts[] = {{.part = ETR_TIME_UNPLACED, .typical = 90},
                                 {.part = ETR_TIME_RUNTIME, .typical = 10}};
  const etr_profile profile = {.runs = runs, .run_count = 7};
  etr_method method = {.run_count = 5,
                       .runs = numbers,
                       .execute_per_run = ticks,
                       .execute = {.typical = 100},
                       .parts = parts,
                       .part_count = 2,
                       .time_slices = slices,
                       .time_slice_count = 5,
                       .runtime_slice_count = 5};
  etr_arena arena = {0};
  uint32_t nearest = ETR_NONE;
  static const bool is_first[] = {true, false, false, true, false};
  for (size_t i = 0; i < 5; i++)
    cr_expect_eq(etr_profile_is_first_run(&profile, &method, i), is_first[i], "%zu", i);
  cr_assert(etr_profile_nearest_run(&nearest, &arena, &profile, &method));
  cr_expect_eq(nearest, 2, "%u", nearest);
  method.run_count = method.time_slice_count = 1;
  method.runtime_slice_count = 0;
  cr_assert(etr_profile_nearest_run(&nearest, &arena, &profile, &method));
  cr_expect_eq(nearest, 0);
  method.runs = &numbers[2];
  method.skipped_runs = skipped;
  method.skipped_run_count = 1;
  cr_expect_not(etr_profile_is_first_run(&profile, &method, 0), "warm-up was before it");
  etr_arena_clear(&arena);
}

/* Where the typical time is between two modes, it is a run of the larger one, the one with the
 * parts of most of its runs: the runs 2 and 3 take a time between the modes, and 1 has another
 * part. */
Test(profile_runs, between_modes_it_is_a_run_of_the_larger_one) {
  static const uint64_t ticks[] = {1000, 1001, 1200, 1200, 1002, 1400, 1400};
  static const uint64_t operators[] = {905, 500, 1000, 1000, 902, 900, 900};
  static const uint32_t numbers[] = {1, 2, 3, 4, 5, 6, 7};
  etr_run runs[8] = {{.series = 0}};
  etr_time_slice slices[2 * 7];
  for (uint32_t i = 0; i < 7; i++)
    list_parts(slices, 7, i, operators[i], ticks[i]);
  const etr_part_time parts[] = {{.part = ETR_TIME_UNPLACED, .typical = 1000},
                                 {.part = ETR_TIME_RUNTIME, .typical = 200}};
  const etr_profile profile = {.runs = runs, .run_count = 8};
  etr_method method = {.run_count = 7,
                       .runs = numbers,
                       .execute_per_run = ticks,
                       .execute = {.typical = 1200},
                       .noise = {.verdict = ETR_NOISE_TWO_MODES, .modes = {{3, 1001}, {2, 1400}}},
                       .parts = parts,
                       .part_count = 2,
                       .time_slices = slices,
                       .time_slice_count = 7,
                       .runtime_slice_count = 7};
  etr_arena arena = {0};
  uint32_t nearest = ETR_NONE;
  cr_assert(etr_profile_nearest_run(&nearest, &arena, &profile, &method));
  cr_expect_eq(nearest, 4, "%u", nearest);
  method.noise.modes[1].run_count = 4;
  cr_assert(etr_profile_nearest_run(&nearest, &arena, &profile, &method));
  cr_expect_eq(nearest, 5, "%u", nearest);
  method.noise.verdict = ETR_NOISE_NOISY;
  cr_assert(etr_profile_nearest_run(&nearest, &arena, &profile, &method));
  cr_expect_eq(nearest, 2, "%u", nearest);
  etr_arena_clear(&arena);
}
