/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of operators in the graph and in the runtime.
 */
#include "backends/operator.h"

#include <criterion/criterion.h>

static void expect_op(etr_slice got, const char *expected, const char *from) {
  cr_expect(etr_slice_equal(got, etr_slice_of(expected)), "%s is %.*s, not %s", from, (int)got.size,
            got.data, expected);
}

Test(operator, a_target_has_an_operator) {
  static const char *const cases[][2] = {
      {"aten.add.Tensor", "add"},
      {"aten._softmax.default", "softmax"},
      {"_operator.mul", "mul"},
      {"aten.native_layer_norm.default", "native_layer_norm"},
      {"higher_order.cond", "cond"},
      {"dim_order_ops._to_dim_order_copy.default", "to_dim_order_copy"},
      {"add", "add"},
      {"", ""},
      {"a.", ""},
      {"_", "_"},
      {"x.__y", "y"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_op(etr_operator_of_target(cases[i][0]), cases[i][1], cases[i][0]);
}

Test(operator, a_kernel_has_an_operator) {
  static const char *const cases[][2] = {
      {"aten::add", "add"},
      {"aten::_softmax", "softmax"},
      {"aten::add.out", "add"},
      {"add.out", "add"},
      {"::", ""},
      {"", ""},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_op(etr_operator_of_kernel(cases[i][0]), cases[i][1], cases[i][0]);
}

Test(operator, operators_in_place_end_in_an_underscore) {
  static const char *const in_place[] = {"copy_", "index_put_"}, *const others[] = {"copy", "and__",
                                                                                    ""};
  for (size_t i = 0; i < ETR_COUNT(in_place); i++)
    cr_expect(etr_operator_is_in_place(etr_slice_of(in_place[i])), "%s", in_place[i]);
  for (size_t i = 0; i < ETR_COUNT(others); i++)
    cr_expect_not(etr_operator_is_in_place(etr_slice_of(others[i])), "%s", others[i]);
}

Test(operator, an_event_has_an_operator) {
  static const char *const cases[][2] = {
      {"native_call_add.out", "add"},
      {"native_call__softmax.out", "softmax"},
      {"native_call_any.dims_out", "any"},
      {"native_call_", ""},
      {"OPERATOR_CALL", ""},
      {"native_cal", ""},
      {"", ""},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_op(etr_operator_of_event(cases[i][0]), cases[i][1], cases[i][0]);
}

Test(operator, a_sorted_table_has_a_row_for_its_names_only) {
  static const struct row {
    const char *op;
    int number;
  } rows[] = {{"add", 0}, {"add_", 1}, {"addmm", 2}, {"view", 3}, {"view_copy", 4}};
  static const char *const others[] = {"",     "ad",    "adda",       "addm", "addmm_",
                                       "copy", "view_", "view_copy_", "z",    "\xff"};
  for (size_t count = 0; count <= ETR_COUNT(rows); count++)
    for (size_t i = 0; i < ETR_COUNT(rows); i++)
      cr_expect_eq(etr_operator_row(etr_slice_of(rows[i].op), rows, count, sizeof *rows),
                   i < count ? &rows[i] : NULL, "%s of %zu", rows[i].op, count);
  for (size_t i = 0; i < ETR_COUNT(others); i++)
    cr_expect_null(etr_operator_row(etr_slice_of(others[i]), rows, ETR_COUNT(rows), sizeof *rows),
                   "%s", others[i]);
}
