/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_logged.c - plugin/views/logged.c: logged values of several runs in one row, found by node
 * and by event.
 */
#include "views/logged.h"

#include <criterion/criterion.h>
#include <math.h>

static const int64_t two[] = {2}, three[] = {3};

static etr_debug_value tensor(uint32_t run, uint32_t index, const int64_t *sizes,
                              const etr_tensor_stats *stats) {
  return (etr_debug_value){.run = run,
                           .instruction_id = 7,
                           .name = "",
                           .index = index,
                           .kind = ETR_DEBUG_TENSOR,
                           .dtype = "float32",
                           .sizes = sizes,
                           .rank = 1,
                           .stats = stats};
}

/* Runs 0 and 1 belong to block 0, which belongs to method 0 with graph 0. */
static etr_profile profile_of(const etr_debug_value *values, size_t count) {
  static const etr_event events[] = {{.name = "native_call_x.out", .instruction_id = 7},
                                     {.name = "Method::execute", .instruction_id = -1}};
  static const etr_run runs[2] = {{.block = 0}, {.block = 0}};
  static const etr_block blocks[] = {{.events = events, .event_count = 2}};
  static const etr_graph graph = {.node_count = 5};
  static const etr_method method = {.name = "forward", .graph = 0};
  return (etr_profile){.graphs = &graph,
                       .graph_count = 1,
                       .methods = &method,
                       .method_count = 1,
                       .runs = runs,
                       .run_count = 2,
                       .blocks = blocks,
                       .block_count = 1,
                       .debug_values = values,
                       .debug_value_count = count};
}

Test(logged, statistics_cover_all_runs) {
  static const etr_tensor_stats
      first = {.element_count = 2, .zero_count = 1, .min = 0, .max = 4, .mean = 2},
      second = {.element_count = 3, .nan_count = 2, .min = -8, .max = -8, .mean = -8},
      nothing = {
          .element_count = 2, .nan_count = 1, .inf_count = 1, .min = NAN, .max = NAN, .mean = NAN};
  static const struct {
    const etr_tensor_stats *runs[2];
    etr_tensor_stats expected;
  } rows[] = {
      {{&first, &second},
       {.element_count = 5,
        .zero_count = 1,
        .nan_count = 2,
        .min = -8,
        .max = 4,
        .mean = -4.0 / 3}},
      {{&first, NULL}, {.element_count = 2, .zero_count = 1, .min = 0, .max = 4, .mean = 2}},
      {{NULL, &first}, {.element_count = 2, .zero_count = 1, .min = 0, .max = 4, .mean = 2}},
      {{&first, &nothing},
       {.element_count = 4,
        .zero_count = 1,
        .nan_count = 1,
        .inf_count = 1,
        .min = 0,
        .max = 4,
        .mean = 2}},
      {{&nothing, &first},
       {.element_count = 4,
        .zero_count = 1,
        .nan_count = 1,
        .inf_count = 1,
        .min = 0,
        .max = 4,
        .mean = 2}},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    const etr_debug_value values[] = {tensor(0, 0, two, rows[i].runs[0]),
                                      tensor(1, 0, two, rows[i].runs[1])};
    etr_profile profile = profile_of(values, 2);
    etr_arena arena = {0};
    etr_logged_list list;
    cr_assert(etr_logged_merge(&list, &arena, &profile));
    cr_assert_eq(list.count, 1);
    const etr_tensor_stats *got = &list.rows->stats, *expected = &rows[i].expected;
    cr_expect(list.rows->run_count == 2 && list.rows->is_measured && !list.rows->varies);
    cr_expect(got->element_count == expected->element_count &&
                  got->nan_count == expected->nan_count && got->inf_count == expected->inf_count &&
                  got->zero_count == expected->zero_count,
              "row %zu", i);
    cr_expect(got->min == expected->min && got->max == expected->max &&
                  fabs(got->mean - expected->mean) < 1e-12,
              "row %zu: %g", i, got->mean);
    etr_arena_clear(&arena);
  }
}

/* A row with values of several types says so. */
Test(logged, values_of_several_types_vary) {
  static const int64_t two_three[] = {2, 3}, two_four[] = {2, 4};
  const etr_debug_value usual = {
      .name = "", .kind = ETR_DEBUG_TENSOR, .dtype = "float32", .sizes = two_three, .rank = 2};
  etr_debug_value same = usual, scalar = usual, of_ints = usual, untyped = usual, flat = usual,
                  wide = usual;
  const int64_t equal_sizes[] = {2, 3};
  same.sizes = equal_sizes;
  scalar.kind = ETR_DEBUG_NONE;
  of_ints.dtype = "int8";
  untyped.dtype = NULL;
  flat.rank = 1;
  wide.sizes = two_four;
  const struct {
    const char *what;
    const etr_debug_value *first, *second;
    bool varies;
  } cases[] = {
      {"equal sizes", &usual, &same, false},
      {"another kind", &usual, &scalar, true},
      {"another type", &usual, &of_ints, true},
      {"a known and an unknown type", &usual, &untyped, true},
      {"unknown types", &untyped, &untyped, false},
      {"another rank", &usual, &flat, true},
      {"another last size", &usual, &wide, true},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_debug_value values[] = {*cases[i].first, *cases[i].second};
    values[1].run = 1;
    etr_profile profile = profile_of(values, 2);
    etr_arena arena = {0};
    etr_logged_list list;
    cr_assert(etr_logged_merge(&list, &arena, &profile));
    cr_assert_eq(list.count, 1);
    cr_expect_eq(list.rows->varies, cases[i].varies, "%s", cases[i].what);
    etr_arena_clear(&arena);
  }
}

Test(logged, values_are_found_by_node_and_by_event) {
  etr_debug_value values[] = {tensor(0, 0, two, NULL),
                              tensor(0, 1, two, NULL),
                              tensor(1, 0, three, NULL),
                              {.run = 1,
                               .instruction_id = -1,
                               .is_output = true,
                               .name = "",
                               .kind = ETR_DEBUG_INT,
                               .int_value = 5,
                               .node = 4}};
  values[0].node = values[2].node = 3;
  values[1].node = ETR_NONE;
  etr_profile profile = profile_of(values, ETR_COUNT(values));
  etr_arena arena = {0};
  etr_logged_list list;
  etr_logged_nodes nodes;
  etr_logged_rows rows;
  cr_assert(etr_logged_merge(&list, &arena, &profile));
  cr_assert_eq(list.count, 3);
  cr_expect(list.rows[0].run_count == 2 && list.rows[0].varies && !list.rows[0].is_measured);
  cr_expect(list.rows[1].run_count == 1 && !list.rows[1].varies);
  cr_expect(list.rows[2].is_measured && list.rows[2].stats.min == 5 &&
                list.rows[2].stats.element_count == 1,
            "a scalar");
  cr_assert(etr_logged_of_graph(&nodes, &arena, &list, &profile, profile.graphs));
  cr_expect_eq(nodes.count, 2);
  cr_expect(etr_logged_first_of(&nodes, 3) == 0 && nodes.rows[0]->value == &values[0]);
  cr_expect(etr_logged_first_of(&nodes, 4) == 1 && nodes.rows[1]->value == &values[3]);
  cr_expect_eq(etr_logged_first_of(&nodes, 5), 2);
  cr_assert(etr_logged_index_rows(&rows, &arena, &profile));
  const etr_block *block = profile.blocks;
  uint32_t at = etr_logged_first(&rows, &profile, block, &block->events[0]);
  cr_expect(at == 0 && rows.next[at] == 1 && rows.next[1] == 2 && rows.next[2] == ETR_NONE);
  cr_expect_eq(etr_logged_first(&rows, &profile, block, &block->events[1]), ETR_NONE,
               "Method::execute returned nothing");
  cr_expect_eq(etr_logged_first(&rows, &profile, block, NULL), 3);
  etr_arena_clear(&arena);
}
