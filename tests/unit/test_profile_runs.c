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
  const etr_profile profile = {.blocks = &block, .block_count = 1, .run_count = RUNS + 1};
  const etr_method method = {.run_count = RUNS,
                             .runs = numbers,
                             .execute_per_run = ticks,
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
  cr_expect(runs.fastest == 3 && runs.slowest == 4);
  cr_expect_eq(runs.run_indices[runs.median], 10);
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
    cr_expect(has(&runs, 10) && runs.run_indices[runs.median] == 10);
    cr_expect_eq(has(&runs, 4), cases[i].room >= 2);
    cr_expect_eq(has(&runs, 3), cases[i].room >= 3);
    cr_expect_eq(has(&runs, 0), cases[i].room >= 4);
    cr_expect_eq(runs.slowest < runs.count, cases[i].room >= 2);
    cr_expect_eq(runs.fastest < runs.count, cases[i].room >= 3);
    for (size_t k = 1; k < runs.count; k++)
      cr_expect_gt(runs.run_indices[k], runs.run_indices[k - 1]);
    etr_arena_clear(&arena);
  }
}

/* One run that has more events than there is room for is shown. */
Test(profile_runs, the_median_is_always_there) {
  etr_arena arena = {0};
  const etr_profile_runs runs = choose(&arena, ETR_PROFILE_MOST_EVENTS + 1);
  cr_assert_eq(runs.count, 1);
  cr_expect_eq(runs.run_indices[0], 10);
  etr_arena_clear(&arena);
}
