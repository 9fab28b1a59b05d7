/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_lowering.c - the order in which nodes run, and its proofs. Marked nodes run as kernels.
 */
#include "fixture.h"
#include "join/lowering.h"
#include "tiny_join.h"

#include <math.h>

/* instructions as in tiny_join.h. want: operators in the order in which they run, a delegate in
 * brackets; NULL: nothing is proven. */
static const struct {
  const char *title, *nodes, *instructions, *want;
} cases[] = {
    {"delegates and what lies between them", "x input;a neg (x) #1;k sin (a) #2 *;b abs (k) #3",
     "delegate of 1; sin of 2; delegate of 3", "[a] k [b]"},
    {"kernels alone", "x input;a neg (x) #1 *;b abs (a) #2 *", "neg of 1; abs of 2", "a b"},
    {"a call runs when its inputs are ready, not where its last node was",
     "x input;k neg (x) #1 *;m sin (k) #2 *;a abs (x) #3", "delegate of 3; neg of 1; sin of 2",
     NULL},
    {"the same in the order that sorting gives",
     "x input;k neg (x) #1 *;m sin (k) #2 *;a abs (x) #3", "neg of 1; delegate of 3; sin of 2",
     "k [a] m"},
    {"equal candidates in another order than the graph's: k2 is ready first",
     "x input;a neg (x) #1;k1 sin (a) #2 *;k2 sin (x) #2 *", "sin of 2; delegate of 1; sin of 2",
     "k2 [a] k1"},
    {"the last delegate leaves first, and so its users come first",
     "x input;a neg (x) #1;k sin (a) #2 *;b neg (x) #3;m sin (b) #2 *;c add (m,k) #4",
     "delegate of 1,3; sin of 2; sin of 2; delegate of 4", "[a b] k m [c]"},
    {"a delegate's list has another order", "x input;a neg (x) #1;b abs (a) #2", "delegate of 2,1",
     NULL},
    {"a delegate's list in order", "x input;a neg (x) #1;b abs (a) #2", "delegate of 1,2", "[a b]"},
    {"nodes of a delegate in the order of the part, first in, first out",
     "x input;a neg (x) #1;b abs (a) #2;c sin (x) #3;d add (b,c) #4", "delegate of 1,2,3,4",
     "[a b c d]"},
    {"a kernel has no instruction",
     "x input;a neg (x) #1;k sin (a) #2 *;m cos (a) #5 *;b add (k,m) #3",
     "delegate of 1; cos of 5; delegate of 3", NULL},
    {"a view may have none",
     "x input;a neg (x) #1;k view_copy (a) #2 [6] *;m cos (a) #5 *;b add (k,m) #3",
     "delegate of 1; cos of 5; delegate of 3", "[a] k m [b]"},
    {"nor a symbolic number",
     "x input;a neg (x) #1;k sym_size (a) #2 [?];m cos (a) #5 *;b add (m,a) #3",
     "delegate of 1; cos of 5; delegate of 3", "[a] k m [b]"},
    {"nor a cond, whose bodies have some",
     "x input;a neg (x) #1;k higher_order.cond (a) #2;m cos (k) #5 *;b add (m,a) #3",
     "delegate of 1; cos of 5; delegate of 3", "[a] k m [b]"},
    {"an instruction has no node", "x input;a neg (x) #1;b abs (a) #2", "delegate of 1,2; sin of 9",
     NULL},
    {"an instruction of another operator", "x input;a neg (x) #1;k sin (a) #2 *",
     "delegate of 1; cos of 2", NULL},
    {"kernels the other way round", "x input;a neg (x) #1 *;b abs (x) #2 *", "abs of 2; neg of 1",
     NULL},
    {"kernels of the runtime and jumps neither prove nor disprove",
     "x input;a neg (x) #1 *;b abs (x) #2 *", "prim of 2; neg of 1; jump; abs of 2", "a b"},
    {"delegates that partitioning does not give", "x input;a neg (x) #1;b abs (a) #2",
     "delegate of 1; delegate of 2; sin of 9", NULL},
    {"each operator by itself", "x input;a neg (x) #1;b abs (a) #2", "delegate of 1; delegate of 2",
     "[a] [b]"},
    {"a delegate around a kernel would make a circle",
     "x input;a neg (x) #1;k sin (a) #2 *;b abs (k) #3", "delegate of 1,3; sin of 2", NULL},
    {"the record says which operators one delegate has, whatever a partitioner would merge",
     "x input;a neg (x) #1;b abs (a) #2;c sin (b) #3;k cos (c) #4 *",
     "delegate of 1; delegate of 2,3; cos of 4", "[a] [b c] k"},
    {"dynamic quantization first",
     "x input;c choose_qparams (x) #1 [1] [1];q quantize_per_tensor (x,c,c.1) #2 [i8:2x3];"
     "d dequantize_per_tensor (q,c,c.1) #3;l linear (d) #4;n neg (l) #5",
     "delegate of 1,1,1,2,3,4; delegate of 5", "[c q d l] [n]"},
    {"a delegate that lists nothing is none", "x input;a neg (x) #1 *",
     "delegate of nothing; neg of 1", "a"},
};

static const uint32_t *sort_key;

static int by_key(const void *a, const void *b) {
  uint32_t x = sort_key[*(const uint32_t *)a], y = sort_key[*(const uint32_t *)b];
  return (x > y) - (x < y);
}

static const char *describe(etr_arena *arena, const etr_lowering *order, const tiny_graph *g) {
  const char *text = "";
  int32_t inside = -1;
  uint32_t *nodes = etr_arena_alloc_array(arena, g->graph.node_count, sizeof *nodes);
  size_t count = 0;
  if (!order->is_proven)
    return "nothing";
  for (uint32_t i = 0; i < g->graph.node_count; i++)
    if (g->nodes[i].kind == ETR_NODE_OP)
      nodes[count++] = i;
  sort_key = order->rank;
  qsort(nodes, count, sizeof *nodes, by_key);
  for (size_t i = 0; i < count; i++) {
    int32_t delegate = order->delegate_of[nodes[i]];
    bool opens = delegate >= 0 && delegate != inside, closes = inside >= 0 && delegate != inside;
    text = etr_arena_format(arena, "%s%s%s%s%s", text, closes ? "]" : "", i ? " " : "",
                            opens ? "[" : "", g->nodes[nodes[i]].name);
    inside = delegate;
  }
  return etr_arena_format(arena, "%s%s", text, inside >= 0 ? "]" : "");
}

Test(lowering, only_proven_orders_are_used) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_lowering order;
    const tiny_graph *g = tiny_graph_of(&arena, cases[i].nodes);
    const etr_placement placement = tiny_placement_of(&arena, g, cases[i].instructions);
    const etr_roles roles = tiny_roles_of(&arena, g, &placement);
    etr_warnings warnings = {.arena = &arena};
    cr_assert(etr_lowering_find(&order, &placement, &roles, &warnings, &arena), "%s",
              cases[i].title);
    const char *got = describe(&arena, &order, g),
               *want = cases[i].want ? cases[i].want : "nothing";
    cr_expect_str_eq(got, want, "%s: got '%s', want '%s'", cases[i].title, got, want);
    etr_arena_clear(&arena);
  }
}

/* Debug handles of a graph that to_executorch() changed belong to other nodes: that some of them
 * agree with the record's lists proves nothing. */
Test(lowering, a_changed_graph_proves_nothing) {
  for (int is_changed = 0; is_changed <= 1; is_changed++) {
    etr_arena arena = {0};
    etr_lowering order;
    tiny_graph *g = tiny_graph_of(&arena, "x input;a neg (x) #1;k sin (a) #2 *");
    g->graph.is_changed = is_changed;
    const etr_placement placement = tiny_placement_of(&arena, g, "delegate of 1; sin of 2");
    const etr_roles roles = tiny_roles_of(&arena, g, &placement);
    etr_warnings warnings = {.arena = &arena};
    cr_assert(etr_lowering_find(&order, &placement, &roles, &warnings, &arena));
    cr_expect_eq(order.is_proven, !is_changed);
    etr_arena_clear(&arena);
  }
}

/* ---- Real records ---- */

typedef struct tally {
  size_t rows, ordered, estimated, unlike, unsure;
} tally;

/* Compares the rows of the record alone with those of the record and its .pte, which contains the
 * data flow. */
static tally compare(const etr_profile *alone, const etr_profile *with) {
  tally t = {0};
  cr_assert_eq(alone->block_count, with->block_count);
  for (size_t b = 0; b < alone->block_count; b++) {
    const etr_block *x = &alone->blocks[b], *y = &with->blocks[b];
    cr_assert_eq(x->event_count, y->event_count);
    for (size_t i = 0; i < x->event_count; i++) {
      const etr_event *e = &x->events[i], *f = &y->events[i];
      if (!e->node_count || !f->node_count)
        continue;
      t.rows++;
      t.ordered += e->match == ETR_MATCH_ORDER;
      t.estimated += !e->delegate_id && e->match == ETR_MATCH_ALIGNED;
      t.unlike += e->nodes[0] != f->nodes[0];
      t.unsure += e->delegate_id && e->match == ETR_MATCH_ALIGNED;
    }
  }
  return t;
}

/* An order that is not proven shows as estimated kernels and operators. */
Test(lowering, agrees_with_the_data_flow_of_the_program) {
  static const struct {
    const char *fixture;
    size_t rows, ordered, unlike, unsure;          /* at least; exactly */
  } records[] = {{"vit_xnnpack", 500, 400, 0, 12}, /* copies that may be of either of two nodes */
                 {"llama_xnnpack", 900, 800, 0, 0},
                 {"p_gru", 200, 180, 0, 0}};
  for (size_t i = 0; i < ETR_COUNT(records); i++) {
    etr_profile *alone = open_without_program(records[i].fixture),
                *with = open_fixture(records[i].fixture);
    tally t = compare(alone, with);
    cr_expect_geq(t.rows, records[i].rows, "%s: %zu rows", records[i].fixture, t.rows);
    cr_expect_geq(t.ordered, records[i].ordered, "%s: %zu by order", records[i].fixture, t.ordered);
    cr_expect_eq(t.estimated, 0, "%s: %zu kernels are estimates", records[i].fixture, t.estimated);
    cr_expect_eq(t.unsure, records[i].unsure, "%s: %zu operators are unsure", records[i].fixture,
                 t.unsure);
    cr_expect_eq(t.unlike, records[i].unlike, "%s: %zu of %zu on another node", records[i].fixture,
                 t.unlike, t.rows);
    etr_profile_close(alone);
    etr_profile_close(with);
  }
}
