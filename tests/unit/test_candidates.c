/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_candidates.c - among nodes of a handle and a kind, the one that reads the operator's inputs.
 * All nodes except inputs and weights have kind 1.
 */
#include "join/candidates.h"
#include "tiny_graph.h"

typedef struct finder {
  etr_arena arena;
  const tiny_graph *g;
  etr_graph_values values;
  etr_node_index index;
  bool *taken;
  etr_assignment assignment;
  etr_candidates *candidates;
} finder;

/* Marked nodes are assigned already. */
static void start(finder *f, const char *nodes, const char *rank) {
  size_t count;
  *f = (finder){0};
  f->g = tiny_graph_of(&f->arena, nodes);
  f->taken = f->g->marked;
  f->index.slots = etr_arena_alloc_array(&f->arena, f->g->graph.node_count, sizeof *f->index.slots);
  for (uint32_t i = 0; i < f->g->graph.node_count; i++)
    if (f->g->nodes[i].debug_handle)
      f->index.slots[f->index.count++] = (etr_node_slot){f->g->nodes[i].debug_handle, 1, i};
  etr_node_index_sort(&f->index);
  cr_assert(etr_graph_values_find(&f->values, &f->g->graph, &f->arena));
  f->assignment = (etr_assignment){.values = &f->values, .taken = f->taken};
  f->assignment.rank = rank ? tiny_numbers(&f->arena, rank, &count) : NULL;
  f->assignment.uncertain = etr_arena_alloc_array(&f->arena, f->values.count,
                                                  sizeof *f->assignment.uncertain);
  f->candidates = etr_candidates_new(&f->index, &f->assignment, &f->arena);
  cr_assert_not_null(f->candidates);
}

static bool agrees(const void *context, const etr_node *node) {
  return node->outputs[0].dims[0].size == *(const int64_t *)context;
}

/* inputs: nodes joined by ',', "?" for an unknown one. rows: number of rows of the result; 0:
 * unknown. */
static const char *choose(finder *f, const char *handles, const char *inputs, int64_t rows) {
  etr_wanted wanted = {
      .expected = ETR_NONE, .kind = 1, .agrees = rows ? agrees : NULL, .context = &rows};
  uint32_t *list = etr_arena_alloc_array(&f->arena, 24, sizeof *list);
  char *rest = etr_arena_copy(&f->arena, etr_slice_of(inputs));
  bool equal_candidates, contradicted;
  wanted.handles = tiny_numbers(&f->arena, handles, &wanted.handle_count);
  for (char *name; (name = tiny_piece(&rest, ","));)
    list[wanted.input_count++] = *name == '?' ? ETR_NONE : f->values.first[tiny_node(f->g, name)];
  wanted.inputs = list;
  uint32_t node = etr_candidates_choose(f->candidates, &wanted, &equal_candidates, &contradicted);
  if (node != ETR_NONE)
    f->taken[node] = true;
  return etr_arena_format(&f->arena, "%s%s", tiny_name(f->g, node), equal_candidates ? "?" : "");
}

/* Operators of handle 1 in their order, joined by ' ': "INPUTS" or "INPUTS/ROWS". want: the
 * answers, with '?' behind an answer that has equally good candidates. */
static const struct {
  const char *title, *nodes, *rank, *asks, *want;
} cases[] = {
    {"the producer decides", "x input;y input;a neg (x) #1;b neg (y) #1", NULL, "y x", "b a"},
    {"its exact value rather than one that is fused from it",
     "x input;r relu (x);a neg (r) #1;b neg (x) #1", NULL, "x r", "b a"},
    {"one that is fused from it rather than another",
     "x input;y input;r relu (x);a neg (y) #1;b neg (r) #1", NULL, "x", "b"},
    {"a view is the value itself",
     "x input;v view_copy (x) [6];r relu (x);a neg (r) #1;b neg (v) #1", NULL, "x", "b"},
    {"in its place rather than elsewhere", "x input;y input;a sub (y,x) #1;b sub (x,y) #1", NULL,
     "x,y y,x", "b a"},
    {"elsewhere rather than not at all", "x input;y input;z input;a sub (z,y) #1;b sub (y,x) #1",
     NULL, "x,y", "b"},
    {"weights take no place", "w weight;x input;y input;a linear (w,y,x) #1;b linear (w,x,y) #1",
     NULL, "x,y", "b"},
    {"a contradiction loses to what is not known",
     "x input;y input;z input;a sub (x,z) #1;b sub (x,y) #1", NULL, "?,y", "b"},
    {"who reads more than was read loses", "x input;y input;a cat (x,y) #1;b cat (x) #1", NULL, "x",
     "b"},
    {"equal candidates: in their order, and both are marked", "x input;a neg (x) #1;b neg (x) #1",
     NULL, "x x", "a? b?"},
    {"the third is no equal candidate", "x input;y input;a neg (x) #1;b neg (x) #1;c neg (y) #1",
     NULL, "y x x", "c a? b?"},
    {"rank decides among equal candidates", "x input;a neg (x) #1;b neg (x) #1;c neg (x) #1",
     "0,3,1,2", "x x x", "b? c? a?"},
    {"rank decides nothing else", "x input;y input;a neg (x) #1;b neg (y) #1", "0,1,3,2", "x y",
     "a b"},
    {"unknown inputs: all candidates are equal", "x input;y input;a neg (x) #1;b neg (y) #1", NULL,
     "? ?", "a? b?"},
    {"a reader of an equal candidate's result is uncertain",
     "x input;a neg (x) #1;b neg (x) #1;c neg (a) #1;d neg (b) #1", NULL, "x x a b", "a? b? c? d?"},
    {"with a rank, a reader of an equal candidate's result is certain",
     "x input;a neg (x) #1;b neg (x) #1;c neg (a) #1;d neg (b) #1", "0,1,2,3,4", "x x a b",
     "a? b? c d"},
    {"a value that was found by order contradicts nothing: it may be its equal",
     "x input;a neg (x) #1 [2];b neg (x) #1 [2];c neg (b) #1 [7]", NULL, "x/2 a/7", "a? c?"},
    {"what is taken is none", "x input;a neg (x) #1 *;b neg (x) #1", NULL, "x x", "b -"},
    {"shapes that do not agree", "x input;a neg (x) #1 [2];b neg (x) #1 [3]", NULL, "x/3 x/3",
     "b -"},
    {"a shape that no node has", "x input;a neg (x) #1 [2]", NULL, "x/5", "-"},
    {"another handle", "x input;a neg (x) #2", NULL, "x", "-"},
    {"values that are read twice", "x input;y input;a mul (x,y) #1;b mul (x,x) #1", NULL, "x,x",
     "b"},
};

static const char *ask_all(finder *f, const char *asks) {
  char *rest = etr_arena_copy(&f->arena, etr_slice_of(asks));
  const char *got = "";
  for (char *ask; (ask = tiny_piece(&rest, " "));) {
    char *slash = strchr(ask, '/');
    if (slash)
      *slash = '\0';
    got = etr_arena_format(&f->arena, "%s%s%s", got, *got ? " " : "",
                           choose(f, "1", ask, slash ? atoi(slash + 1) : 0));
  }
  return got;
}

Test(candidates, equal_candidates_are_marked) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    finder f = {0};
    start(&f, cases[i].nodes, cases[i].rank);
    const char *got = ask_all(&f, cases[i].asks);
    cr_expect_str_eq(got, cases[i].want, "%s: got '%s', want '%s'", cases[i].title, got,
                     cases[i].want);
    etr_arena_clear(&f.arena);
  }
}

Test(candidates, candidates_of_all_handles_are_considered) {
  finder f = {0};
  start(&f, "x input;y input;a neg (x) #1;b neg (y) #2;c neg (y) #3", NULL);
  cr_expect_str_eq(choose(&f, "1,2", "y", 0), "b");
  cr_expect_str_eq(choose(&f, "2,1", "y", 0), "-"); /* b is taken, and a reads something else */
  cr_expect_str_eq(choose(&f, "", "y", 0), "-");
  etr_arena_clear(&f.arena);
}

/* 50 nodes a0 ... a49 read 10 inputs in turn, each through its own activation. The first 32 nodes
 * that are not assigned are considered. */
static void start_many(finder *f, const char *rank) {
  etr_arena arena = {0};
  const char *text = "z input;w weight";
  for (int i = 0; i < 10; i++)
    text = etr_arena_format(&arena, "%s;x%d input", text, i);
  for (int i = 0; i < 50; i++)
    text = etr_arena_format(&arena, "%s;r%d relu (x%d);a%d linear (r%d,w) #1 [%d]", text, i, i % 10,
                            i, i, 2 + i);
  start(f, text, rank);
  etr_arena_clear(&arena);
}

Test(candidates, candidates_beyond_the_limit_are_not_considered) {
  static const struct {
    const char *title, *asks, *want;
  } many[] = {
      {"by the exact value", "r27 r3", "a27 a3?"},
      {"by its source: the nodes fused from it", "x3 x3", "a3? a13?"},
      {"a taken node by its exact value: another of the same source", "r3 r3", "a3 a13?"},
      {"shapes that do not agree", "x3/25 x3/5", "a23 a3"},
      {"nothing of the kind is read: a contradiction", "z z", "- -"},
      {"not known what is read, but its shape: among the first", "?/33 ?/34", "a31 -"},
      {"taken ones do not count among the first", "r0 r1 r2 ?/36", "a0 a1 a2 a34"},
  };
  for (size_t i = 0; i < ETR_COUNT(many); i++) {
    finder f = {0};
    start_many(&f, NULL);
    const char *got = ask_all(&f, many[i].asks);
    cr_expect_str_eq(got, many[i].want, "%s: got '%s', want '%s'", many[i].title, got,
                     many[i].want);
    etr_arena_clear(&f.arena);
  }
}

/* 80 equally good candidates in a row, assigned from the last to the first. */
Test(candidates, many_equal_candidates_are_assigned_by_rank) {
  etr_arena arena = {0};
  finder f = {0};
  const char *text = "x input", *rank = "0";
  for (int i = 0; i < 80; i++)
    text = etr_arena_format(&arena, "%s;a%d neg (x) #1", text, i);
  for (int i = 0; i < 80; i++)
    rank = etr_arena_format(&arena, "%s,%d", rank, 80 - i);
  start(&f, text, rank);
  for (int i = 80; i-- > 1;)
    cr_expect_str_eq(choose(&f, "1", "x", 0), etr_arena_format(&arena, "a%d?", i));
  etr_arena_clear(&f.arena);
  etr_arena_clear(&arena);
}
