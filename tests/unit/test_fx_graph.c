/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_fx_graph.c - vertices as torch.fx has them, and the order that sorting gives.
 * Vertices are texts: a node's name, "NAME.OUTPUT" of a getitem, "?" of a call or a result of it.
 */
#include "join/fx_graph.h"
#include "tiny_graph.h"

static const char *vertex_name(etr_arena *arena, const etr_fx_graph *fx, uint32_t vertex) {
  const etr_node *node = etr_fx_node(fx, vertex);
  if (!node)
    return "?";
  if (!etr_fx_is_getitem(fx, vertex))
    return node->name;
  return etr_arena_format(arena, "%s.%u", node->name, fx->vertices[vertex].output);
}

static const char *list_vertices(etr_arena *arena, const etr_fx_graph *fx, const uint32_t *list,
                                 size_t count) {
  const char *text = "";
  for (size_t i = 0; i < count; i++)
    text = etr_arena_format(arena, "%s%s%s", text, i ? " " : "", vertex_name(arena, fx, list[i]));
  return text;
}

static const char *order_of(etr_arena *arena, etr_fx_graph *fx) {
  etr_fx_compact(fx);
  return list_vertices(arena, fx, fx->order, fx->order_count);
}

static uint32_t vertex_of_name(etr_arena *arena, const etr_fx_graph *fx, const char *name) {
  for (uint32_t i = 0; i < fx->vertex_count; i++)
    if (strcmp(vertex_name(arena, fx, i), name) == 0)
      return i;
  cr_assert_fail("no vertex %s", name);
  return ETR_NONE;
}

Test(fx_graph, nodes_become_vertices_in_order) {
  static const struct {
    const char *title, *nodes, *order, *of, *inputs; /* inputs of one of them */
  } cases[] = {
      {"in their order", "w weight;x input;a add (x,w);o output (a)", "w x a o", "a", "x w"},
      {"each producer once", "x input;a add (x,x)", "x a", "a", "x"},
      {"a getitem for each result that is used", "x input;p split (x) [2] [2] [2];n add (p.2,p.0)",
       "x p p.0 p.2 n", "n", "p.2 p.0"},
      {"a getitem reads the node", "x input;p split (x) [2] [2];n neg (p.1)", "x p p.1 n", "p.1",
       "p"},
      {"results that nothing uses", "x input;p split (x) [2] [2]", "x p", "p", "x"},
      {"nested graphs and their results are excluded", "x input;c cond (x);s sin (x) ^;n add (s,x)",
       "x c n", "n", "x"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_fx_graph fx;
    const tiny_graph *g = tiny_graph_of(&arena, cases[i].nodes);
    cr_assert(etr_fx_build(&fx, &g->graph, 0, &arena));
    cr_expect_str_eq(order_of(&arena, &fx), cases[i].order, "%s: %s", cases[i].title,
                     order_of(&arena, &fx));
    const etr_fx_vertex *v = &fx.vertices[vertex_of_name(&arena, &fx, cases[i].of)];
    const char *inputs = list_vertices(&arena, &fx, &fx.input_pool.data[v->first_input],
                                       v->input_count);
    cr_expect_str_eq(inputs, cases[i].inputs, "%s: inputs %s", cases[i].title, inputs);
    etr_arena_clear(&arena);
  }
}

/* A result with another name than its node is read through a getitem, even if it is the only one.
 */
Test(fx_graph, a_single_named_result_is_read_through_getitem) {
  etr_arena arena = {0};
  etr_fx_graph fx;
  const tiny_graph *g = tiny_graph_of(&arena, "x input;p split (x) [2x3];n neg (p)");
  ((etr_value *)etr_for_foreign(g->nodes[1].outputs))[0].name = "getitem";
  cr_assert(etr_fx_build(&fx, &g->graph, 0, &arena));
  cr_expect_str_eq(order_of(&arena, &fx), "x p p.0 n");
  etr_arena_clear(&arena);
}

Test(fx_graph, users_are_listed_in_order) {
  etr_arena arena = {0};
  etr_fx_graph fx;
  const tiny_graph *g = tiny_graph_of(&arena,
                                      "x input;a neg (x);b add (x,a);c add (a,x);d mul (x,x)");
  static const char *const want[] = {"a b c d", "b c", "", "", ""};
  cr_assert(etr_fx_build(&fx, &g->graph, 0, &arena));
  for (uint32_t i = 0; i < ETR_COUNT(want); i++)
    cr_expect_str_eq(
        list_vertices(&arena, &fx, &fx.users.data[fx.user_starts[i]], fx.user_counts[i]), want[i],
        "vertex %u", i);
  etr_arena_clear(&arena);
}

/* Parts are replaced one after the other, and the graph is sorted after each replacement. */
Test(fx_graph, replaced_parts_are_sorted_as_torch_does) {
  static const struct {
    const char *title, *nodes, *parts; /* parts joined by ' ', of vertices joined by ',' */
    const char *want;                  /* NULL: a cycle */
  } cases[] = {
      {"first in, first out", "x input;y input;c add (x,y);a neg (x);b abs (a)", "", "x y a c b"},
      {"all that wait for nothing come first", "x input;a neg (x);w weight;b abs (w)", "",
       "x w a b"},
      {"one call, a result for each vertex that is used outside",
       "x input;a neg (x);b abs (a);c sin (a);d add (b,c)", "a,b", "x ? ? ? c d"},
      {"a part that nothing outside uses", "x input;a neg (x);b abs (x)", "a", "x b ?"},
      {"a call reads each producer once, and nothing of its own",
       "x input;a neg (x);b add (x,a);c abs (b)", "a,b", "x ? ? c"},
      {"results of getitems", "x input;p split (x) [2] [2];n neg (p.1);m neg (p.0)", "p,p.0,p.1",
       "x ? ? ? m n"},
      {"results in the part's order", "x input;a neg (x);b abs (x);c sin (b);d cos (a)", "a,b",
       "x ? ? ? d c"},
      {"the call made last is a later user than its place says",
       "i input;p neg (i);q neg (p);x neg (q);b neg (i);c neg (b);d neg (c);e neg (d);a abs (x);u "
       "add (x,e)",
       "a b,c,d,e", "i p ? q ? x u ?"},
      {"one part reads another's result", "x input;a neg (x);k sin (a);b abs (k);c cos (b)", "b a",
       "x ? ? k ? ? c"},
      {"a value that leaves a part and comes back", "x input;a neg (x);b abs (a);c sin (b)", "a,c",
       NULL},
      {"symbolic numbers come as soon as they can",
       "x input;y input;a neg (x);s _operator.add (x) [?];b abs (x)", "", "x s y a b"},
      {"the last one of them first",
       "x input;s _operator.add (x) [?];a neg (x);t _operator.mul (x) [?];u sin (s)", "",
       "x t s a u"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_fx_graph fx;
    const tiny_graph *g = tiny_graph_of(&arena, cases[i].nodes);
    char *parts = etr_arena_copy(&arena, etr_slice_of(cases[i].parts));
    cr_assert(etr_fx_build(&fx, &g->graph, 2, &arena));
    bool good = !*parts ? etr_fx_sort(&fx) : true;
    for (char *part; good && (part = tiny_piece(&parts, " "));) {
      uint32_t vertices[8];
      size_t count = 0;
      for (char *name; (name = tiny_piece(&part, ","));)
        vertices[count++] = vertex_of_name(&arena, &fx, name);
      cr_assert_neq(etr_fx_replace(&fx, vertices, count), ETR_NONE);
      good = etr_fx_sort(&fx);
    }
    cr_expect_eq(good, cases[i].want != NULL, "%s", cases[i].title);
    if (good && cases[i].want)
      cr_expect_str_eq(order_of(&arena, &fx), cases[i].want, "%s: %s", cases[i].title,
                       order_of(&arena, &fx));
    etr_arena_clear(&arena);
  }
}

/* The list of legalize_graph contains torch's operators, which differ from those of the Edge
 * dialect. */
Test(fx_graph, only_torch_operators_are_prioritised) {
  static const struct {
    const char *target, *op_type;
    bool want;
  } cases[] = {
      {"_operator.floordiv", "floordiv", true},
      {"_operator.neg", "neg", false},
      {"aten.add.Tensor", "aten.add.Tensor", false},
      {"aten._assert_scalar.default", "_assert_scalar", true},
      {"aten.scalar_tensor.default", "scalar_tensor", true},
      {"aten.scalar_tensor.default", "aten.scalar_tensor.default", false},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_fx_graph fx;
    const tiny_graph *g = tiny_graph_of(&arena, "x input;a neg (x)");
    g->nodes[1].target = cases[i].target;
    g->nodes[1].op_type = cases[i].op_type;
    cr_assert(etr_fx_build(&fx, &g->graph, 0, &arena));
    cr_expect_eq(fx.vertices[1].is_prioritized, cases[i].want, "%s, %s", cases[i].target,
                 cases[i].op_type);
    etr_arena_clear(&arena);
  }
}

Test(fx_graph, vertices_are_classified) {
  static const struct {
    const char *name;
    bool is_operator, is_constant, may_vanish;
  } cases[] = {
      {"x", false, false, true}, {"w", false, true, true},  {"a", true, false, false},
      {"v", true, false, true},  {"p", true, false, false}, {"p.1", true, false, true},
      {"s", true, false, true},  {"u", true, false, true},  {"?", false, false, true},
  };
  etr_arena arena = {0};
  etr_fx_graph fx;
  tiny_graph *g = tiny_graph_of(&arena, "x input;w weight;a add (x,w);v view_copy (a) [6];p "
                                        "split (v) [2] [2];s sym_size (p.1) [?];"
                                        "u llama.update_cache.default (a);b neg (a)");
  g->nodes[tiny_node(g, "u")].op_type = "auto_functionalized";
  cr_assert(etr_fx_build(&fx, &g->graph, 1, &arena));
  uint32_t part = vertex_of_name(&arena, &fx, "b");
  cr_assert_neq(etr_fx_replace(&fx, &part, 1), ETR_NONE);
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    uint32_t vertex = vertex_of_name(&arena, &fx, cases[i].name);
    cr_expect_eq(etr_fx_is_operator(&fx, vertex), cases[i].is_operator, "%s is an operator",
                 cases[i].name);
    cr_expect_eq(etr_fx_is_constant(&fx, vertex), cases[i].is_constant, "%s is a weight",
                 cases[i].name);
    cr_expect_eq(etr_fx_may_vanish(&fx, vertex), cases[i].may_vanish, "%s may vanish",
                 cases[i].name);
  }
  etr_arena_clear(&arena);
}

enum { GRAPHS = 1500, NODES = 40, PARTS = 5 };

static unsigned draw(unsigned *state, unsigned below) {
  *state = *state * 1103515245 + 12345;
  return (*state >> 16) % below;
}

/* "a input;b neg (a);...": each node reads up to three before it. */
static const char *random_nodes(etr_arena *arena, unsigned *state) {
  const char *text = "n0 input";
  for (unsigned i = 1; i < NODES; i++) {
    text = etr_arena_format(arena, "%s;n%u neg (n%u", text, i, draw(state, i < 9 ? i : 9));
    for (unsigned k = draw(state, 3); k > 0; k--)
      text = etr_arena_format(arena, "%s,n%u", text, draw(state, i < 9 ? i : 9));
    text = etr_arena_format(arena, "%s)", text);
  }
  return text;
}

/* Sorting only the vertices that a replacement moves gives the same order as sorting all. */
Test(fx_graph, partial_sorting_equals_sorting_all) {
  unsigned state = 1;
  size_t steps[2] = {0};
  for (int g = 0; g < GRAPHS; g++) {
    etr_arena arena = {0};
    const tiny_graph *graph = tiny_graph_of(&arena, random_nodes(&arena, &state));
    etr_fx_graph fx[2];
    for (int k = 0; k < 2; k++)
      cr_assert(etr_fx_build(&fx[k], &graph->graph, PARTS, &arena));
    bool good[2] = {true, true};
    for (uint32_t p = 0; p < PARTS && good[0]; p++) {
      uint32_t first = 1 + draw(&state, NODES - 1), part[] = {first, first};
      const etr_fx_vertex *v = &fx[0].vertices[first];
      if (fx[0].is_gone[first])
        continue;
      size_t count = 1;
      if (v->input_count)
        part[0] = fx[0].input_pool.data[v->first_input + draw(&state, v->input_count)];
      if (part[0] != first && part[0] && part[0] < NODES)
        count = 2;
      for (int k = 0; k < 2; k++) {
        if (k == 1)
          fx[k].is_sorted = false;
        cr_assert_neq(etr_fx_replace(&fx[k], count == 2 ? part : &part[1], count), ETR_NONE);
        good[k] = etr_fx_sort(&fx[k]);
      }
      cr_assert_eq(good[0], good[1], "graph %d, part %u", g, p);
    }
    for (int k = 0; k < 2; k++)
      steps[k] += fx[k].steps;
    if (good[0])
      cr_assert_str_eq(order_of(&arena, &fx[0]), order_of(&arena, &fx[1]), "graph %d", g);
    etr_arena_clear(&arena);
  }
  cr_assert_lt(steps[0], steps[1]);
}
