/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_compare_side.c - the data that a comparison reads from each side.
 */
#include "compare/compare_side.h"
#include "tiny_profile.h"

#include <criterion/criterion.h>

/* A node's time is a sum over its calls, so its uncertainty is the clock's step times the calls. */
Test(compare_side, the_clock_step_of_a_node_covers_all_its_calls) {
  static const struct {
    uint64_t calls; /* in two runs */
    double step;    /* the clock counts in tens */
  } cases[] = {{2, 10}, {6, 30}, {1, 5}};
  static const uint32_t first = 0;
  static const uint64_t durations[] = {30, 50, 20};
  etr_event event = {.name = "native_call_tiny.out",
                     .match = ETR_MATCH_HANDLE,
                     .durations = durations,
                     .sample_count = ETR_COUNT(durations)};
  etr_block block = {
      .name = "Execute", .method = 0, .events = &event, .event_count = 1, .run_count = 2};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    etr_side_method side;
    uint32_t node = tiny_node(&t, ETR_NODE_OP, "aten_linear_default", "aten.linear.default", 0);
    tiny_time(&t, node, 50)->calls = cases[i].calls;
    (void)tiny_profile(&t);
    t.profile.blocks = &block;
    t.profile.block_count = 1;
    t.method.blocks = &first;
    t.method.block_count = 1;
    cr_assert(etr_side_list(&side, &t.profile, 0, false, &t.arena));
    cr_assert_eq(side.item_count, 1);
    const etr_side_time *time = &side.items[0].time;
    cr_expect_eq(time->step, cases[i].step, "%g of %llu calls", time->step,
                 (unsigned long long)cases[i].calls);
    cr_expect_eq(time->total, 100);
    cr_expect_eq(time->runs, 2);
    tiny_clear(&t);
  }
}
