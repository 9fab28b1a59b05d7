/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_views.c - nodes that are views or copies of a value.
 */
#include "inputs/graph_values.h"
#include "tiny_graph.h"

Test(views, views_and_copies_are_recognized) {
  static const struct {
    const char *node; /* reads x, a tensor */
    bool is_view, has_tensor, only_copies;
  } cases[] = {
      {"n view_copy (x)", true, true, true},
      {"n aten.view.default (x)", true, true, false},
      {"n dim_order_ops._clone_dim_order.default (x)", true, true, true},
      {"n dim_order_ops._to_dim_order_copy.default (x)", true, true, true},
      {"n aten._to_copy.default (x)", true, true, true},
      {"n squeeze_copy (x)", true, true, true},
      {"n permute_copy (x)", false, true, true},
      {"n slice_copy (x)", false, true, true},
      {"n view_as_real (x)", false, true, false},
      {"n add (x,x)", false, true, false},
      {"n view_copy (x) [2] [2]", false, true, true}, /* no operator of that name has two results */
      {"n view_copy", false, true, true},             /* of nothing */
      {"n sym_size (x) [?]", false, false, false},
      {"n max (x) [?] [2]", false, true, false},
      {"view_copy weight", false, true, false},
      {"view_copy input [?]", false, false, false},
      {"o output (x)", false, false, false},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const tiny_graph *g = tiny_graph_of(&arena,
                                        etr_arena_format(&arena, "x input;%s", cases[i].node));
    cr_expect_eq(etr_is_view(&g->nodes[1]), cases[i].is_view, "%s is a view", cases[i].node);
    cr_expect_eq(etr_has_tensor(&g->nodes[1]), cases[i].has_tensor, "%s has a tensor",
                 cases[i].node);
    cr_expect_eq(etr_node_only_copies(&g->nodes[1]), cases[i].only_copies, "%s only copies",
                 cases[i].node);
    etr_arena_clear(&arena);
  }
}
