/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_taps.c - lib/accuracy/taps.c: taps.json, and the statistics of a tensor.
 */
#include "accuracy/taps.h"

#include "open_fixture.h"

#include <math.h>

Test(taps, documents) {
  static const struct {
    const char *document;
    size_t specs;
    const char *says; /* NULL: no warning */
  } rows[] = {
      {"[]", 0, NULL},
      {"[{\"node_name\": \"relu\", \"output_index\": 2, \"fields\": [\"min\", \"max\"], \"op\": "
       "{\"a\": [1]}}]",
       1, NULL},
      {"[{\"node_name\": \"relu\", \"output_index\": 2}, {\"node_name\": \"relu\", "
       "\"output_index\": 3}]",
       2, NULL},
      {"", 0, "unexpected end of document (byte 0); write it anew"},
      {"{}", 0, "(byte 0)"},
      {"[{\"node_name\": \"relu\", \"output_index\": 2}", 0, "(byte 41)"},
      {"[{\"node_name\": \"relu\", \"output_index\": 2}] x", 0, "byte"},
      {"[{\"node_name\": \"relu\"}]", 0, "a tap without node_name or output_index"},
      {"[{\"output_index\": 2}]", 0, "a tap without node_name or output_index"},
      {"[{\"node_name\": \"relu\", \"output_index\": -1}]", 0,
       "a tap without node_name or output_index"},
      {"[{\"node_name\": \"relu\", \"output_index\": 4294967295}]", 0,
       "a tap without node_name or output_index"},
      {"[{\"node_name\": \"relu\", \"output_index\": 1.5}]", 0, "byte"},
      {"[{\"node_name\": \"a\", \"output_index\": 2}, {\"node_name\": \"b\", \"output_index\": 2}]",
       0, "two taps have the same output_index"},
      {"[{\"node_name\": 5, \"output_index\": 2}]", 0, "byte"},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_arena arena = {0};
    etr_warnings warnings = {.arena = &arena};
    etr_taps taps;
    etr_taps_parse(&taps, etr_slice_of(rows[i].document), "taps.json", &warnings);
    cr_expect_eq(taps.specs.count, rows[i].specs, "row %zu: %zu", i, taps.specs.count);
    cr_expect_eq(warnings.list.count, rows[i].says != NULL, "row %zu", i);
    for (size_t k = 0; k < warnings.list.count; k++)
      cr_expect(rows[i].says && strstr(warnings.list.data[k].message, rows[i].says), "row %zu: %s",
                i, warnings.list.data[k].message);
    if (rows[i].specs)
      cr_expect_str_eq(etr_taps_find(&taps, 2)->node, "relu");
    cr_expect_null(etr_taps_find(&taps, 9), "row %zu", i);
    etr_arena_clear(&arena);
  }
}

Test(taps, a_missing_file_is_one_warning) {
  etr_arena arena = {0};
  etr_warnings warnings = {.arena = &arena};
  etr_taps taps;
  etr_taps_read(&taps, FIXTURES "/no/taps.json", &warnings);
  cr_expect(warnings.list.count == 1 && taps.specs.count == 0 && !etr_taps_find(&taps, 0));
  etr_arena_clear(&arena);
}

Test(taps, differences) {
  static const struct {
    double elements[4];
    const char *name;
    double value, difference;
  } rows[] = {
      {{1, -2, 3, 0}, "abs_mean", 1.5, 0},
      {{1, -2, 3, 0}, "abs_mean", 3, 1},
      {{1, -2, 3, 0}, "zero_count", 2, 0.25},
      {{2, 2, -2, -2}, "mean", 1, 0.5},
      {{2, 2, -2, -2}, "min", -1, 0.5},
      {{0, 0, 0, 0}, "rms", 0, 0},
      {{0, 0, 0, 0}, "rms", 1, INFINITY},
      {{1, NAN, 3, 0}, "max", NAN, 0},
      {{1, NAN, 3, 0}, "max", 3, INFINITY},
      {{1, INFINITY, 3, 0}, "inf_count", 1, 0},
      {{1, 2, 3, 4}, "l2_norm", INFINITY, INFINITY},
  };
  const int64_t size = 4, stride = 1;
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_seekable file = etr_seekable_of(
        (etr_slice){(const char *)rows[i].elements, sizeof rows[i].elements});
    const etr_tensor_view view = {.element = etr_element_of_dtype("float64"),
                                  .sizes = &size,
                                  .strides = &stride,
                                  .rank = 1,
                                  .file = &file};
    etr_tap_statistic statistics[] = {{rows[i].name, rows[i].value, NAN, NAN, false},
                                      {"p99_abs", NAN, NAN, NAN, false}};
    cr_assert_null(etr_tap_set_references(statistics, ETR_COUNT(statistics), &view), "row %zu", i);
    cr_expect(statistics[0].is_compared && statistics[0].difference == rows[i].difference,
              "row %zu: %g", i, statistics[0].difference);
    cr_expect(!statistics[1].is_compared && isnan(statistics[1].reference));
    cr_expect_str_eq(etr_tap_set_values(statistics, 2, &view),
                     "taps.json has another number of statistics");
  }
}

Test(taps, statistics_are_not_compared_before_there_is_a_reference) {
  static const char *const fields[] = {"min", "sparsity"};
  etr_arena arena = {0};
  const etr_tap_spec spec = {.fields = fields, .field_count = ETR_COUNT(fields)};
  const etr_tap_statistic *statistics = etr_tap_statistics_of(&arena, &spec);
  cr_assert_not_null(statistics);
  for (size_t i = 0; i < ETR_COUNT(fields); i++) {
    cr_expect_str_eq(statistics[i].name, fields[i]);
    cr_expect_not(statistics[i].is_compared);
    cr_expect(isnan(statistics[i].value) && isnan(statistics[i].reference));
  }
  etr_arena_clear(&arena);
}
