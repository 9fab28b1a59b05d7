/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_layer_kinds.c - the kinds of layers of a decoder: projections, feed-forward layers and norms
 * by what flows between them.
 */
#include "tiny_graph.h"
#include "views/decoder.h"

/* Each graph embeds `ids`, adds what an attention makes of it and then what feed-forward layers
 * make of that. Marked nodes are in a module of their own, as a norm of single operators is. heads:
 * the nodes that make qn and kn, which the attention reads, of q and k. result: the node `an`,
 * which the last projection reads, made of a, the result of the attention. want: projections, then
 * behind '|' feed-forward layers, then norms. */
typedef struct kinds_case {
  const char *title, *heads, *result, *want;
} kinds_case;

#define BEFORE                                                                                     \
  "ids input [i64:1x4];w weight;h embedding (w,ids);n rms_norm (h,w);"                             \
  "q linear (n,w);k linear (n,w);v linear (n,w);"
#define ATTENTION "s bmm (qn,kn);p softmax (s);a bmm (p,v);"
#define BEHIND                                                                                     \
  "o linear (an,w);r add (h,o);m rms_norm (r,w);g linear (m,w);u linear (m,w);y mul (g,u);"        \
  "d linear (y,w);e add (r,d);l linear (e,w);out output (l)"
#define COPY "an view_copy (a);"

static const kinds_case cases[] = {
    {"copies", "qn view_copy (q);kn view_copy (k);", COPY, "q k v o | g u y d | n m"},
    {"norms of queries and keys", "qn rms_norm (q,w);kn layer_norm (k,w);", COPY,
     "q k v o | g u y d | n qn kn m"},
    {"norms of heads before the rotation",
     "c cos (ids);a1 view_copy (q);a2 rms_norm (a1,w);qn mul (a2,c);"
     "b1 view_copy (k);b2 rms_norm (b1,w);kn mul (b2,c);",
     COPY, "q k v o | g u y d | n a2 b2 m"},
    {"norms behind the rotation",
     "c cos (ids);a1 mul (q,c);qn rms_norm (a1,w);b1 mul (k,c);kn rms_norm (b1,w);", COPY,
     "q k v o | g u y d | n qn kn m"},
    {"a norm of single operators",
     "a1 pow (q) *;a2 mean (a1) *;a3 rsqrt (a2) *;a4 mul (q,a3) *;qn mul (a4,w) *;"
     "kn rms_norm (k,w);",
     COPY, "q k v o | g u y d | n a1 a2 a3 a4 qn kn m"},
    {"a norm of the sum of two layers",
     "a1 linear (n,w);a2 linear (a1,w);a3 add (q,a2);qn rms_norm (a3,w);kn rms_norm (k,w);", COPY,
     "q k v a2 o | a1 g u y d | n qn kn m"},
    {"a norm of the result", "qn view_copy (q);kn view_copy (k);", "an rms_norm (a,w);",
     "q k v o | g u y d | n an m"},
    {"a norm of the residual ends attentions",
     "f linear (n,w);z add (h,f);b rms_norm (z,w);qn convolution (b,w);kn convolution (b,w);", COPY,
     "v o | q k f g u y d | n b m"},
};

static const char *names_of_kind(etr_arena *arena, const tiny_graph *g, const etr_layers *layers,
                                 etr_layer_kind kind) {
  const char *text = "";
  for (uint32_t i = 0; i < g->graph.node_count; i++)
    if (layers->of_node[i] == kind)
      text = etr_arena_format(arena, "%s%s%s", text, *text ? " " : "", g->nodes[i].name);
  return text;
}

Test(layer_kinds, data_flow_finds_projections) {
  static const etr_module modules[] = {{.path = "", .recorded = "", .type = "", .parent = ETR_NONE},
                                       {.path = "q_norm", .recorded = "q_norm", .type = "Norm"}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const kinds_case *c = &cases[i];
    etr_arena arena = {0};
    tiny_graph *g = tiny_graph_of(&arena, etr_arena_format(&arena, "%s%s%s%s%s", BEFORE, c->heads,
                                                           ATTENTION, c->result, BEHIND));
    g->graph.modules = modules;
    g->graph.module_count = ETR_COUNT(modules);
    for (uint32_t k = 0; k < g->graph.node_count; k++)
      g->nodes[k].module = g->marked[k];
    const etr_profile profile = {.graphs = &g->graph, .graph_count = 1};
    const etr_method method = {.name = "forward", .graph = 0};
    etr_layers layers;
    cr_assert(etr_layers_find(&layers, &arena, &profile, &method));
    cr_assert(layers.is_decoder, "%s", c->title);
    const char *got = etr_arena_format(&arena, "%s | %s | %s",
                                       names_of_kind(&arena, g, &layers, ETR_LAYER_PROJECTIONS),
                                       names_of_kind(&arena, g, &layers, ETR_LAYER_FEED_FORWARD),
                                       names_of_kind(&arena, g, &layers, ETR_LAYER_NORM));
    cr_expect_str_eq(got, c->want, "%s:\n  got  '%s'\n  want '%s'", c->title, got, c->want);
    etr_arena_clear(&arena);
  }
}

/* What a method returns of the logits l, and which nodes are of the output. */
Test(layer_kinds, the_output_layer_is_before_scales_and_slices) {
  static const struct {
    const char *result, *want;
  } outputs[] = {
      {"out output (l)", "l"},
      {"x select_copy (l);out output (x)", "l x"},
      {"x div (l,w);y select_copy (x);out output (y)", "l x y"},
      {"x div (l,w);y tanh (x);z mul (y,w);out output (z)", "l x y z"},
      {"x mul (l,l);out output (x)", "l"},
      {"x div (l,d);y select_copy (x);out output (y)", "y"},
  };
  for (size_t i = 0; i < ETR_COUNT(outputs); i++) {
    etr_arena arena = {0};
    tiny_graph *g = tiny_graph_of(
        &arena,
        etr_arena_format(
            &arena, "%sqn view_copy (q);kn view_copy (k);%s%so linear (an,w);r add (h,o);%s",
            BEFORE, ATTENTION, COPY,
            etr_arena_format(&arena, "d linear (r,w);l linear (d,w);%s", outputs[i].result)));
    const etr_profile profile = {.graphs = &g->graph, .graph_count = 1};
    const etr_method method = {.name = "forward", .graph = 0};
    etr_layers layers;
    cr_assert(etr_layers_find(&layers, &arena, &profile, &method));
    const char *got = names_of_kind(&arena, g, &layers, ETR_LAYER_OUTPUT);
    cr_expect_str_eq(got, outputs[i].want, "%s: %s", outputs[i].result, got);
    etr_arena_clear(&arena);
  }
}
