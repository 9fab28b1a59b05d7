/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of a comparison: the rows worth reporting, their section, and their order.
 */
#include "views/diff_view.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Makes a pair of nodes that took 100 ticks in the base. */
static etr_node_pair pair_of(const char *name, const char *op, const char *module,
                             double new_typical, etr_verdict verdict) {
  return (etr_node_pair){.base_name = name,
                         .new_name = name,
                         .op = op,
                         .base_module = module,
                         .new_module = module,
                         .change = {.base_typical = 100,
                                    .new_typical = new_typical,
                                    .base_p50 = 1,
                                    .new_p50 = 1,
                                    .base_runs = 5,
                                    .new_runs = 5,
                                    .verdict = verdict}};
}

/* Returns the names of a section's rows, which have one letter each. */
static const char *names(etr_arena *arena, const etr_method_pair *method, etr_diff_section section,
                         etr_node_order order) {
  etr_diff_rows rows;
  const char *text = "";
  cr_assert(etr_diff_rows_make(&rows, arena, method, section, order));
  for (size_t i = 0; i < rows.count; i++)
    text = etr_arena_format(arena, "%s%s", text, rows.rows[i].name);
  return text;
}

Test(diff_rows, rows_are_ordered_as_requested) {
  etr_node_pair pairs[] = {pair_of("e", "sub", "m.2", 300, ETR_VERDICT_CANNOT_TELL),
                           pair_of("d", "add", "m.1", 150, ETR_VERDICT_SLOWER),
                           pair_of("a", "mul", "m.1", 120, ETR_VERDICT_SLOWER),
                           pair_of("c", "add", "m.3", 20, ETR_VERDICT_FASTER),
                           pair_of("b", "add", "m.0", 101, ETR_VERDICT_EQUAL)};
  static const struct {
    etr_node_order order;
    const char *names;
  } cases[] = {{ETR_ORDER_TIME, "cdaeb"},
               {ETR_ORDER_NAME, "acdbe"},
               {ETR_ORDER_OP, "cdabe"},
               {ETR_ORDER_MODULE, "dacbe"},
               {ETR_ORDER_GRAPH, "daceb"}};
  const etr_method_pair method = {
      .name = "forward", .pairs = pairs, .pair_count = ETR_COUNT(pairs), .timed_nodes = 5};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const char *got = names(&arena, &method, ETR_DIFF_SECTION_NODES, cases[i].order);
    cr_expect_str_eq(got, cases[i].names, "order %d: %s", (int)cases[i].order, got);
    etr_arena_clear(&arena);
  }
}

/* A node on one side only is sorted by its change like all others. */
Test(diff_rows, removed_and_added_nodes_are_sorted_by_their_change) {
  etr_node_pair pairs[] = {pair_of("b", "add", "", 100, ETR_VERDICT_SLOWER),
                           pair_of("n", "add", "", 50, ETR_VERDICT_NEW),
                           pair_of("g", "add", "", 0, ETR_VERDICT_GONE)};
  pairs[1].base_name = pairs[2].new_name = NULL;
  pairs[0].change.new_typical = 130;
  pairs[1].change.base_typical = 0;
  const etr_method_pair method = {
      .name = "forward", .pairs = pairs, .pair_count = ETR_COUNT(pairs), .timed_nodes = 3};
  etr_arena arena = {0};
  cr_expect_str_eq(names(&arena, &method, ETR_DIFF_SECTION_NODES, ETR_ORDER_TIME), "gnb");
  etr_arena_clear(&arena);
}

Test(diff_rows, only_changes_worth_reporting_are_news) {
  static const struct {
    etr_verdict verdict;
    etr_reason reason;
    size_t base_runs, new_runs, timed_nodes;
    double new_typical;
    bool is_news;
  } cases[] = {
      {ETR_VERDICT_SLOWER, ETR_REASON_NONE, 5, 5, 1, 120, true},
      {ETR_VERDICT_LIKELY_SLOWER, ETR_REASON_ONE_RECORDING, 5, 5, 1, 120, true},
      {ETR_VERDICT_EQUAL, ETR_REASON_NONE, 5, 5, 1, 120, false},
      {ETR_VERDICT_LIKELY_EQUAL, ETR_REASON_ONE_RECORDING, 5, 5, 1, 120, false},
      {ETR_VERDICT_CANNOT_TELL, ETR_REASON_SPREAD, 5, 5, 1, 120, false},
      {ETR_VERDICT_CANNOT_TELL, ETR_REASON_FEW_RUNS, 2, 2, 1, 120,
       true}, /* then no row can be judged */
      {ETR_VERDICT_CANNOT_TELL, ETR_REASON_FEW_RUNS, 2, 2, 1, 100, false},
      {ETR_VERDICT_UNTIMED, ETR_REASON_NONE, 5, 0, 1, 0, true}, /* fused into another node */
      {ETR_VERDICT_UNTIMED, ETR_REASON_NONE, 0, 0, 1, 100, false},
      {ETR_VERDICT_UNTIMED, ETR_REASON_NONE, 0, 0, 0, 100, false},
      {ETR_VERDICT_NEW, ETR_REASON_NONE, 0, 0, 0, 100,
       true}, /* without timed nodes every row counts */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_node_pair pair = pair_of("a", "add", "", cases[i].new_typical, cases[i].verdict);
    pair.change.reason = cases[i].reason;
    pair.change.base_runs = cases[i].base_runs;
    pair.change.new_runs = cases[i].new_runs;
    const etr_method_pair method = {
        .pairs = &pair, .pair_count = 1, .timed_nodes = cases[i].timed_nodes};
    etr_arena arena = {0};
    etr_diff_rows rows;
    cr_assert(etr_diff_rows_make(&rows, &arena, &method, ETR_DIFF_SECTION_NODES, ETR_ORDER_TIME));
    cr_expect_eq(rows.rows[0].is_news, cases[i].is_news, "case %zu", i);
    cr_expect_eq(rows.news_count, cases[i].is_news, "case %zu", i);
    cr_expect_eq(rows.verdicts[cases[i].verdict], 1);
    etr_arena_clear(&arena);
  }
}
