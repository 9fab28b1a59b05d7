/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_partition.c - the nodes that become one delegate. Marked nodes run as kernels.
 */
#include "join/partition.h"
#include "tiny_join.h"

/* delegates as in tiny_join.h. want: members of each delegate, joined by '|', then the order of its
 * outputs; NULL: unknown. */
typedef struct partition_case {
  const char *title, *nodes, *delegates;
  etr_partition_stage stages[2];
  size_t stage_count;
  const char *want;
} partition_case;

#define ALL {{ETR_GROUPS_ALL, ETR_ORDER_MERGED}}, 1
#define LISTED {{ETR_GROUPS_ALL, ETR_ORDER_LISTED}}, 1
#define SINGLE {{ETR_GROUPS_ALL, ETR_ORDER_SINGLE}}, 1
#define QUANTIZED                                                                                  \
  "x input [i8:2x3];d dequantize_per_tensor (x) #1;l linear (d) #2;q quantize_per_tensor (l) #3 "  \
  "[i8:2x3]"
#define DYNAMIC                                                                                    \
  "x input;c choose_qparams (x) #1 [1] [1];q quantize_per_tensor (x,c,c.1) #2 [i8:2x3];d "         \
  "dequantize_per_tensor "                                                                         \
  "(q,c,c.1) #3;"                                                                                  \
  "l linear (d) #4;n neg (l) #5"

static const partition_case cases[] = {
    {"neighbors", "x input;a neg (x) #1;b abs (a) #2", "delegate of 1,2", ALL, "a b; 0"},
    {"nodes that have nothing to do with each other",
     "x input;y input;a neg (x) #1;k sin (y) #9 *;b abs (y) #2", "delegate of 1,2", ALL, "a b; 0"},
    {"a kernel between them: merging would make a circle",
     "x input;a neg (x) #1;k sin (a) #9 *;b abs (k) #2", "delegate of 1; delegate of 2", ALL,
     "a|b; 1 0"},
    {"that the record lists both for one delegate counts: it is the lowering that refuses a circle",
     "x input;a neg (x) #1;k sin (a) #9 *;b abs (k) #2", "delegate of 1,2", LISTED, "a b; 0"},
    {"what the record lists for two delegates is not merged",
     "x input;a neg (x) #1;b abs (a) #2;c neg (b) #3", "delegate of 1,2; delegate of 3", ALL,
     "a b|c; 1 0"},
    {"also where a partition of each follows", "x input;a neg (x) #1;b abs (a) #2;c neg (b) #3",
     "delegate of 1,2; delegate of 3", SINGLE, "a b|c; 0 1"},
    {"a handle of two delegates says nothing: what fits is merged",
     "x input;a neg (x) #1;b abs (a) #2;k sin (b) #9 *;c neg (k) #1;d abs (c) #3",
     "delegate of 1,2; delegate of 1,3", ALL, "a b|c d; 1 0"},
    {"but what lies between the nodes of one delegate is its",
     "x input;a neg (x) #1;b abs (a) #2;c neg (b) #3;k sin (c) #9 *;d abs (k) #2",
     "delegate of 1,2,3; delegate of 2", SINGLE, "a b c|d; 0 1"},
    {"what a partitioner would not merge, the record does",
     "x input;a neg (x) #1;k sin (x) #9 *;b add (a,k) #2;c abs (b) #3;m cos (k) #8 *;d add (c,m) "
     "#1",
     "delegate of 1,2,3,1", LISTED, "a b c d; 0"},
    {"nor does it unite", "x input;a neg (x) #1;b abs (a) #1", "delegate of 1; delegate of 1",
     SINGLE, "a|b; 0 1"},
    {"a circle around two corners",
     "x input;a neg (x) #1;k sin (a) #9 *;m cos (k) #8 *;b add (m,x) #2;c abs (b) #3",
     "delegate of 1; delegate of 2,3", ALL, "a|b c; 1 0"},
    {"the partition takes in what comes before the kernel, if that does not feed it",
     "x input;a neg (x) #1;c abs (x) #3;k sin (a) #9 *;b add (k,c) #2",
     "delegate of 1; delegate of 2,3", ALL, "a|c b; 1 0"},
    {"what hangs on the partition through a kernel is none of it",
     "x input [i8:2x3];c dequantize_per_tensor (x) #1;k sin (c) #9 *;g neg (k) #2;z linear (c) #3",
     "delegate of 1,3; delegate of 2", ALL, "c z|g; 0 1"},
    {"each alone, the first leaves first", "x input;a neg (x) #1;b abs (a) #2",
     "delegate of 1; delegate of 2", SINGLE, "a|b; 0 1"},
    {"quantization holds on to its operator", QUANTIZED, "delegate of 1,2,3", SINGLE, "d l q; 0"},
    {"it does not hold on to another's", QUANTIZED ";e dequantize_per_tensor (q) #4;n neg (e) #5",
     "delegate of 1,2,3; delegate of 4,5", SINGLE, "d l q|e n; 0 1"},
    {"all results of a node",
     "x input;p max_pool2d_with_indices (x) #1 [2] [2];a neg (p) #2;b abs (p.1) #3",
     "delegate of 1,1,1; delegate of 2; delegate of 3", SINGLE, "p p.0 p.1|a|b; 0 1 2"},
    {"dynamic quantization first, the rest then",
     DYNAMIC,
     "delegate of 1,1,1,2,3,4; delegate of 5",
     {{ETR_GROUPS_DYNAMIC, ETR_ORDER_MERGED}, {ETR_GROUPS_NOT_DYNAMIC, ETR_ORDER_MERGED}},
     2,
     "c c.0 c.1 q d l|n; 0 1"},
    {"dynamic quantization alone",
     DYNAMIC,
     "delegate of 1,1,1,2,3,4; delegate of 5",
     {{ETR_GROUPS_DYNAMIC, ETR_ORDER_MERGED}},
     1,
     "c c.0 c.1 q d l|; 0"},
    {"dynamic quantization last, as one partitioner has it", DYNAMIC,
     "delegate of 1,1,1,2,3,4; delegate of 5", ALL, "c c.0 c.1 q d l|n; 1 0"},
    {"dynamic quantization first, each alone, the rest then",
     DYNAMIC ";o abs (n) #6",
     "delegate of 1,1,1,2,3,4; delegate of 5; delegate of 6",
     {{ETR_GROUPS_DYNAMIC, ETR_ORDER_SINGLE}, {ETR_GROUPS_NOT_DYNAMIC, ETR_ORDER_MERGED}},
     2,
     "c c.0 c.1 q d l|n|o; 0 2 1"},
    {"a weight's other user leads to the group: nothing joins it",
     "x input;w weight;k linear (x,w) #9 *;a linear (k,w) #1;b abs (x) #2",
     "delegate of 1; delegate of 2", ALL, "a|b; 1 0"},
    {"nor does it join anything",
     "x input;w weight;b abs (x) #2;k linear (x,w) #9 *;a linear (k,w) #1",
     "delegate of 1; delegate of 2", ALL, "a|b; 0 1"},
    {"a weight's other user does not lead to it",
     "x input;w weight;a linear (x,w) #1;k linear (a,w) #9 *;b abs (x) #2", "delegate of 1,2", ALL,
     "a b; 0"},
    {"delegates with equal lists are distinguished by their ends",
     "x input;a neg (x) #1;k sin (a) #9 *;b neg (k) #1", "delegate of 1; delegate of 1", ALL,
     "a|b; 1 0"},
    {"of a handle's nodes views stay first", "x input;a neg (x) #1;v view_copy (a) #1 [6]",
     "delegate of 1", ALL, "a; 0"},
    {"the last of them first", "x input;v view_copy (x) #1 [6];w view_copy (v) #1 [6]",
     "delegate of 1", ALL, "v; 0"},
    {"symbolic numbers before views", "x input;s sym_size (x) #1 [?];v view_copy (x) #1 [6]",
     "delegate of 1", ALL, "v; 0"},
    {"views of symbolic shape before others",
     "x input;v view_copy (x) #1 [s];w view_copy (x) #1 [6]", "delegate of 1", ALL, "w; 0"},
    {"more entries than nodes", "x input;a neg (x) #1", "delegate of 1,1", ALL, NULL},
    {"fewer entries than nodes: a whole operator stays",
     "x input;a neg (x) #1;b abs (a) #1;c neg (b) #1", "delegate of 1", ALL, "b; 0"},
    {"a handle that no node has", "x input;a neg (x) #1", "delegate of 1,7", ALL, NULL},
    {"kernels are no delegate's", "x input;a neg (x) #1;b neg (a) #1 *", "delegate of 1", ALL,
     "a; 0"},
};

static const char *describe(etr_arena *arena, const etr_partitioner *p) {
  const char *text = "";
  for (int32_t i = 0; i < (int32_t)p->delegate_count; i++) {
    bool any = false;
    text = etr_arena_format(arena, "%s%s", text, i ? "|" : "");
    for (uint32_t v = 0; v < p->fx->vertex_count; v++) {
      if (p->member[v] != i)
        continue;
      text = etr_arena_format(arena, "%s%s%s", text, any ? " " : "", etr_fx_node(p->fx, v)->name);
      if (etr_fx_is_getitem(p->fx, v))
        text = etr_arena_format(arena, "%s.%u", text, p->fx->vertices[v].output);
      any = true;
    }
  }
  text = etr_arena_format(arena, "%s;", text);
  for (size_t i = 0; i < p->leaving_count; i++)
    text = etr_arena_format(arena, "%s %u", text, p->leaving[i]);
  return text;
}

/* NULL: refused. */
static const char *run_case(etr_arena *arena, const partition_case *c, size_t budget) {
  const tiny_graph *g = tiny_graph_of(arena, c->nodes);
  etr_placement placement = tiny_placement_of(arena, g, c->delegates);
  etr_fx_graph fx;
  const etr_placed *delegates[4];
  const etr_roles roles = tiny_roles_of(arena, g, &placement);
  if (!roles.is_consistent)
    return NULL;
  cr_assert(etr_fx_build(&fx, &g->graph, placement.instructions.count, arena));
  etr_partitioner p = {.fx = &fx,
                       .placement = &placement,
                       .roles = &roles,
                       .delegates = delegates,
                       .budget = &budget,
                       .scratch = arena};
  p.delegate_count = placement.instructions.count;
  p.member = etr_arena_alloc_array(arena, fx.vertex_capacity, sizeof *p.member);
  p.leaving = etr_arena_alloc_array(arena, p.delegate_count, sizeof *p.leaving);
  for (size_t i = 0; i < p.delegate_count; i++)
    delegates[i] = &placement.instructions.data[i];
  for (size_t i = 0; i < fx.vertex_capacity; i++)
    p.member[i] = -1;
  bool good = etr_partitioner_init(&p);
  for (size_t i = 0; good && i < c->stage_count; i++)
    good = etr_partition_find(&p, c->stages[i]);
  cr_expect_not(etr_arena_failed(arena), "%s", c->title);
  return good ? describe(arena, &p) : NULL;
}

Test(partition, delegates_have_their_members_and_outputs) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const char *got = run_case(&arena, &cases[i], 1 << 20), *want = cases[i].want;
    cr_expect_str_eq(got ? got : "refused", want ? want : "refused", "%s: got '%s', want '%s'",
                     cases[i].title, got ? got : "refused", want ? want : "refused");
    etr_arena_clear(&arena);
  }
}

Test(partition, a_spent_budget_gives_no_partition) {
  etr_arena arena = {0};
  cr_expect_null(run_case(&arena, &cases[0], 3));
  etr_arena_clear(&arena);
}
