/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_groups.c - the rows of a method's time: the type in which an operator computes.
 */
#include "views/groups.h"

#include "tiny_profile.h"

#include <criterion/criterion.h>

/* An operator that reads what is dequantized computes with integers, unless its kernel's name says
 * 32 bits. The number of a kernel among others of its name says nothing. */
Test(groups, the_type_of_what_reads_dequantized_values) {
  static const struct {
    const char *kernel, *dtype;
  } cases[] = {
      {"Multiply (ND) #1", "int8"},         {"Multiply (ND) #32", "int8"},
      {"Multiply (ND) #132", "int8"},       {"Multiply (ND, X32) #1", "float32"},
      {"Multiply (ND, F32) #2", "float32"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
    uint32_t read = tiny_node(&t, ETR_NODE_OP, "d",
                              "quantized_decomposed.dequantize_per_tensor.default", 0);
    uint32_t mul = tiny_node(&t, ETR_NODE_OP, "mul", "aten.mul.Tensor", 0);
    tiny_input(&t, read, x, 0);
    tiny_input(&t, mul, read, 0);
    etr_node_time *time = tiny_time(&t, mul, 100);
    time->backend = "XnnpackBackend";
    time->runs_as = cases[i].kernel;
    const uint64_t ticks[] = {100};
    tiny_run(&t, ticks, 1);
    const etr_event event = {.label = cases[i].kernel, .backend = "XnnpackBackend"};
    const etr_time_slice slice = {
        .ticks = 100, .event = &event, .run = 0, .node = mul, .part = ETR_TIME_OPERATORS};
    const etr_profile *profile = tiny_profile(&t);
    t.method.time_slices = &slice;
    t.method.time_slice_count = 1;
    etr_groups groups;
    cr_assert(etr_groups_make(&groups, &t.arena, profile, &t.method, NULL));
    cr_assert_eq(groups.count, 1);
    cr_expect_str_eq(groups.list[0].dtype, cases[i].dtype, "%s: %s", cases[i].kernel,
                     groups.list[0].dtype);
    tiny_clear(&t);
  }
}
