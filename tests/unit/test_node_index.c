/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_node_index.c - nodes by handle and kind.
 */
#include "inputs/method.h"

#include <criterion/criterion.h>

static etr_node_slot slots[] = {
    {7, 1, 9}, {3, 2, 4}, {3, 1, 8}, {3, 1, 2}, {7, 1, 1}, {3, 1, 5}, {UINT32_MAX, UINT32_MAX, 6}};

static etr_node_index make_index(void) {
  etr_node_index index = {slots, ETR_COUNT(slots)};
  etr_node_index_sort(&index);
  return index;
}

Test(node_index, a_handle_and_kind_has_its_nodes) {
  static const struct {
    uint32_t handle, kind;
    size_t count;
    uint32_t nodes[3];
  } cases[] = {
      {3, 1, 3, {2, 5, 8}}, {3, 2, 1, {4}}, {7, 1, 2, {1, 9}}, {UINT32_MAX, UINT32_MAX, 1, {6}},
      {3, 0, 0, {0}},       {3, 3, 0, {0}}, {0, 1, 0, {0}},    {8, 1, 0, {0}},
  };
  etr_node_index index = make_index();
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    size_t count, first = etr_node_index_find(&index, cases[i].handle, cases[i].kind, &count);
    cr_expect_eq(count, cases[i].count, "%u, %u: %zu", cases[i].handle, cases[i].kind, count);
    for (size_t k = 0; k < count && k < cases[i].count; k++)
      cr_expect_eq(index.slots[first + k].node, cases[i].nodes[k], "%u, %u", cases[i].handle,
                   cases[i].kind);
  }
}

Test(node_index, an_empty_index_has_no_nodes) {
  etr_node_index index = {0};
  size_t count;
  etr_node_index_sort(&index);
  etr_node_index_find(&index, 1, 1, &count);
  cr_expect_eq(count, 0);
}
