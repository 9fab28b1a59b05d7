/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_graph_values.c - values of a graph that are the same data, and values that come from
 * weights.
 */
#include "inputs/graph_values.h"
#include "tiny_graph.h"

/* "VALUE=SAME<SOURCE" for each value that equals another one, with '!' for weights; ".1" is an
 * output other than the first. */
static const struct {
  const char *title, *nodes, *want;
} cases[] = {
    {"what computes makes a value of its own", "x input;a add (x,x);b neg (a)", ""},
    {"a view is its input", "x input;v view_copy (x) [6];c clone (v) [6];n neg (c)", "v=x<x c=x<x"},
    {"quantization comes from its input, but is not it",
     "x input;q quantize_per_tensor (x);d dequantize_per_tensor (q)", "q=q<x d=d<x"},
    {"so do batch norms, activations and what changes the layout",
     "x input;b native_batch_norm (x) [2] [2];r relu (b);h hardtanh (r);t permute_copy (h);e "
     "expand_copy (t)",
     "b=b<x r=r<x h=h<x t=t<x e=e<x"},
    {"a view of what was fused", "x input;r relu (x);v view_copy (r) [6];s relu (v)",
     "r=r<x v=r<x s=s<x"},
    {"only the first result follows", "x input;b native_batch_norm (x) [2] [2];n neg (b.1)",
     "b=b<x"},
    {"another result of the producer",
     "x input;p split (x) [2] [2];v view_copy (p.1) [2];q quantize_per_tensor (p)",
     "v=p.1<p.1 q=q<p"},
    {"only by the first input", "x input;y input;r clamp (x,y)", "r=r<x"},
    {"weights, and what is made of nothing else", "w weight;t permute_copy (w);v view_copy (t) [6]",
     "w=w<w! t=t<w! v=t<w!"},
    {"a value that is computed from weights is none", "w weight;x input;a add (w,w);l linear (x,w)",
     "w=w<w!"},
    {"what the input's user fuses to is no weight", "x input;w weight;r relu (x)", "w=w<w! r=r<x"},
    {"a body's view of what lies outside", "x input;c cond (x);v view_copy (x) [6] ^", "v=x<x"},
};

static const char *value_name(etr_arena *arena, const tiny_graph *g, const etr_graph_values *values,
                              uint32_t value) {
  uint32_t node = 0;
  while (node + 1 < g->graph.node_count && values->first[node + 1] <= value)
    node++;
  uint32_t output = value - values->first[node];
  return output ? etr_arena_format(arena, "%s.%u", g->nodes[node].name, output)
                : g->nodes[node].name;
}

Test(graph_values, views_and_weights_share_values) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_graph_values v;
    const tiny_graph *g = tiny_graph_of(&arena, cases[i].nodes);
    const char *got = "";
    cr_assert(etr_graph_values_find(&v, &g->graph, &arena));
    for (uint32_t k = 0; k < v.count; k++)
      if (v.same[k] != k || v.source[k] != k || v.constant[k])
        got = etr_arena_format(&arena, "%s%s%s=%s<%s%s", got, *got ? " " : "",
                               value_name(&arena, g, &v, k), value_name(&arena, g, &v, v.same[k]),
                               value_name(&arena, g, &v, v.source[k]), v.constant[k] ? "!" : "");
    cr_expect_str_eq(got, cases[i].want, "%s: got '%s', want '%s'", cases[i].title, got,
                     cases[i].want);
    etr_arena_clear(&arena);
  }
}

Test(graph_values, every_result_has_its_own_value_number) {
  etr_arena arena = {0};
  etr_graph_values v;
  const tiny_graph *g = tiny_graph_of(&arena,
                                      "x input;p split (x) [2] [2];n neg (p.1);o output (n)");
  cr_assert(etr_graph_values_find(&v, &g->graph, &arena));
  cr_expect_eq(v.count, 4);
  cr_expect_eq(etr_value_of_edge(&v, &g->nodes[2].inputs[0]), 2);
  cr_expect_eq(etr_value_of_edge(&v, &g->nodes[3].inputs[0]), 3);
  etr_arena_clear(&arena);
}
