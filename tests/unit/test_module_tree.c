/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums by module: own times add up to the time of nodes, totals include the modules inside; and the
 * choice of visible rows.
 */
#include "views/module_tree.h"

#include "tiny_profile.h"

#include <criterion/criterion.h>

static uint32_t op(tiny *t, const char *name, uint32_t module, uint64_t ticks) {
  uint32_t node = tiny_node(t, ETR_NODE_OP, name, "aten.add.Tensor", module);
  if (ticks)
    tiny_time(t, node, ticks);
  return node;
}

/* layers (.0 with .a and .b, .1), head, idle. */
static void build(tiny *t, etr_module_tree *tree) {
  uint32_t layers = tiny_module(t, 0, "layers", "S"),
           first = tiny_module(t, layers, "layers.0", "B"),
           a = tiny_module(t, first, "layers.0.a", "L"),
           b = tiny_module(t, first, "layers.0.b", "L"),
           second = tiny_module(t, layers, "layers.1", "B"), head = tiny_module(t, 0, "head", "L"),
           idle = tiny_module(t, 0, "idle", "L");
  op(t, "n0", a, 5);
  op(t, "n1", b, 20);
  op(t, "n2", first, 3);
  op(t, "n3", second, 40);
  op(t, "n4", head, 100);
  op(t, "n5", 0, 7);
  op(t, "n6", idle, 0);
  etr_breakdown own;
  const etr_profile *profile = tiny_profile(t);
  cr_assert(
      etr_breakdown_make(&own, &t->arena, profile, &profile->methods[0], ETR_BY_MODULE, NULL));
  cr_assert(etr_module_tree_make(tree, &t->arena, profile, &profile->methods[0], &own));
}

Test(module_tree, modules_include_the_modules_inside) {
  static const struct {
    const char *path;
    uint32_t level, parent;
    uint64_t total, own; /* ticks of two runs */
    size_t nodes;
  } expected[] = {
      {"", 0, ETR_NONE, 350, 14, 6},   {"head", 1, 0, 200, 200, 1},
      {"layers", 1, 0, 136, 0, 4},     {"layers.1", 2, 2, 80, 80, 1},
      {"layers.0", 2, 2, 56, 6, 3},    {"layers.0.b", 3, 4, 40, 40, 1},
      {"layers.0.a", 3, 4, 10, 10, 1},
  };
  tiny t = {0};
  etr_module_tree tree;
  build(&t, &tree);
  cr_assert_eq(tree.count, ETR_COUNT(expected));
  for (size_t i = 0; i < tree.count; i++) {
    const etr_module_row *row = &tree.rows[i];
    cr_expect_str_eq(row->path, expected[i].path);
    cr_expect(row->level == expected[i].level && row->parent == expected[i].parent, "%s",
              row->path);
    cr_expect(row->total_ticks == expected[i].total && row->own_ticks == expected[i].own, "%s",
              row->path);
    cr_expect_eq(row->node_count, expected[i].nodes, "%s", row->path);
  }
  tiny_clear(&t);
}

Test(module_tree, rows_are_chosen_by_depth_and_count) {
  static const struct {
    size_t depth, most;
    const char *shown; /* a letter for each row */
  } cases[] = {
      {0, 0, "-hl10ba"},                                /* all */
      {1, 0, "-hl"},     {2, 0, "-hl10"}, {0, 1, "-h"}, /* as many levels as fit, then the longest
                                                           rows */
      {0, 2, "-hl"},     {0, 3, "-hl1"},  {0, 4, "-hl10"}, {0, 5, "-hl10b"}, {9, 3, "-hl1"},
  };
  static const char letters[] = "-hl10ba";
  tiny t = {0};
  etr_module_tree tree;
  build(&t, &tree);
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const bool *shown = etr_module_tree_choose(&tree, &t.arena, cases[i].depth, cases[i].most);
    for (size_t k = 1; k < tree.count; k++)
      cr_expect_eq(shown[k], strchr(cases[i].shown, letters[k]) != NULL, "case %zu: %s", i,
                   tree.rows[k].path);
    cr_expect_not(shown[0]);
  }
  tiny_clear(&t);
}

Test(module_tree, an_empty_graph_has_no_rows) {
  tiny t = {0};
  etr_module_tree tree;
  etr_breakdown own;
  op(&t, "n", 0, 0);
  const etr_profile *profile = tiny_profile(&t);
  cr_assert(etr_breakdown_make(&own, &t.arena, profile, &profile->methods[0], ETR_BY_MODULE, NULL));
  cr_assert(etr_module_tree_make(&tree, &t.arena, profile, &profile->methods[0], &own));
  cr_expect_eq(tree.count, 0);
  cr_expect_not_null(etr_module_tree_choose(&tree, &t.arena, 0, 10));
  tiny_clear(&t);
}
