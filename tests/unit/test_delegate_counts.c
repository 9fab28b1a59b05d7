/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The number of nodes of each class that a delegate can contain, according to the handles that it
 * lists.
 */
#include "backends/backend.h"
#include "runs/fit.h"

#include <criterion/criterion.h>

enum { CLASSES = 3 };

/* Handle, class, number of nodes, and number of nodes that run on their own. Two classes share
 * handle 5. */
static etr_handle_class classes[] = {{3, 1, 2, 2}, {5, 1, 3, 2}, {5, 2, 1, 1}, {9, 2, 4, 4}};

Test(delegate_counts, handles_limit_the_counts_of_each_class) {
  static const struct {
    uint32_t handles[8];
    size_t count;
    uint32_t least[CLASSES], most[CLASSES];
  } cases[] = {
      {{3}, 1, {0, 1, 0}, {0, 1, 0}},
      {{3, 3}, 2, {0, 2, 0}, {0, 2, 0}},
      {{3, 3, 3, 3}, 4, {0, 2, 0}, {0, 2, 0}}, /* more than there are */
      {{7}, 1, {0}, {0}},                      /* no node has it */
      {{9, 3, 9}, 3, {0, 1, 2}, {0, 1, 2}},    /* in any order */
      {{5}, 1, {0}, {0, 1, 1}},                /* one of either class */
      {{5, 5}, 2, {0}, {0, 2, 1}},
      {{5, 5, 5}, 3, {0, 1, 0}, {0, 3, 1}},
      {{5, 5, 5, 5}, 4, {0, 2, 1}, {0, 3, 1}},
      {{3, 9, 9, 9}, 4, {0, 1, 3}, {0, 1, 3}}, /* counted from where a handle begins */
  };
  const etr_handle_classes nodes = {classes, ETR_COUNT(classes)};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena scratch = {0};
    etr_delegate_counts counts;
    const etr_map_instruction map = {.handles = cases[i].handles, .handle_count = cases[i].count};
    cr_assert(etr_delegate_counts_of_nodes(&counts, &nodes, &map, &scratch));
    for (size_t k = 0; k < CLASSES; k++) {
      cr_expect_eq(counts.least[k], cases[i].least[k], "case %zu: least %u of class %zu", i,
                   counts.least[k], k);
      cr_expect_eq(counts.most[k], cases[i].most[k], "case %zu: most %u of class %zu", i,
                   counts.most[k], k);
    }
    etr_arena_clear(&scratch);
  }
}

Test(delegate_counts, missing_handles_or_nodes_give_no_counts) {
  static const uint32_t handle = 3;
  const etr_handle_classes nodes = {classes, ETR_COUNT(classes)}, none = {0};
  const etr_map_instruction map = {.handles = &handle, .handle_count = 1}, empty = {0};
  etr_arena scratch = {0};
  etr_delegate_counts counts;
  cr_expect_not(etr_delegate_counts_of_nodes(&counts, &nodes, NULL, &scratch));
  cr_expect_not(etr_delegate_counts_of_nodes(&counts, &nodes, &empty, &scratch));
  cr_expect_not(etr_delegate_counts_of_nodes(&counts, &none, &map, &scratch));
  etr_arena_clear(&scratch);
}

/* ---- Of a graph ---- */

static uint16_t class_by_name(const etr_graph *graph, const etr_node *node) {
  (void)graph;
  return (uint16_t)(node->target[0] - 'a');
}

/* A node that is used twice may become part of another operator. */
static etr_handle_loss loses_if_shared(const etr_graph *graph, const uint32_t *uses,
                                       const etr_node *node) {
  return uses[node - graph->nodes] > 1 ? ETR_LOSES_HANDLE_UNLESS_FUSED : ETR_KEEPS_HANDLE;
}

Test(delegate_counts, a_graph_gives_the_counts_of_its_classes) {
  static const etr_edge of_first[] = {{.node = 0}, {.node = 0}};
  const etr_node nodes[] = {
      {.kind = ETR_NODE_OP, .target = "b", .debug_handle = 5},
      {.kind = ETR_NODE_OP, .target = "c", .debug_handle = 5, .inputs = of_first, .input_count = 2},
      {.kind = ETR_NODE_OP, .target = "b", .debug_handle = 3},
      {.kind = ETR_NODE_OP, .target = "b", .debug_handle = 5},
      {.kind = ETR_NODE_OP, .target = "b", .debug_handle = 0},
      {.kind = ETR_NODE_INPUT, .target = "b", .debug_handle = 5},
      {.kind = ETR_NODE_OP, .target = "b", .debug_handle = 5}};
  static const etr_handle_class want[] = {{3, 1, 1, 1}, {5, 1, 3, 2}, {5, 2, 1, 1}};
  const etr_graph graph = {.nodes = nodes, .node_count = ETR_COUNT(nodes)};
  const etr_backend backend = {.class_of_node = class_by_name, .loses_handle = loses_if_shared};
  etr_arena arena = {0};
  etr_handle_classes got;
  cr_assert(etr_handle_classes_of(&got, &arena, &backend, &graph));
  cr_assert_eq(got.count, ETR_COUNT(want));
  for (size_t i = 0; i < got.count; i++) {
    cr_expect_eq(got.list[i].handle, want[i].handle, "class %zu", i);
    cr_expect_eq(got.list[i].class_, want[i].class_, "class %zu", i);
    cr_expect_eq(got.list[i].nodes, want[i].nodes, "class %zu", i);
    cr_expect_eq(got.list[i].sure, want[i].sure, "class %zu", i);
  }
  cr_expect(etr_handle_classes_of(&got, &arena, NULL, &graph) && got.count == 0);
  etr_arena_clear(&arena);
}
