/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_carriers.c - the node whose time contains that of a fused one, and cases where it is
 * unknown. Marked nodes were timed.
 */
#include "tiny_graph.h"

#include "join/attribute.h"

enum { METHOD = 1 };

/* An event of a delegate. */
typedef struct made_event {
  const char *id; /* NULL: there is none */
  int32_t instruction;
  bool has_node, is_of_other_method;
} made_event;

#define CLAMP "Clamp (NC, F32) #1"
#define NO_EVENT {.id = NULL}
#define LEFT_OVER(name, delegate) {.id = name, .instruction = delegate}

/* The instructions 0 and 1 are delegates, and 2 is a delegate of an unknown backend. */
typedef struct carriers_case {
  const char *title, *nodes;
  const char *operators; /* names of the nodes that the payload of 0 has operators for; NULL: it has
                            no payload */
  made_event event;
  const char *want;
} carriers_case;

static const carriers_case cases[] = {
    {"an activation behind a convolution", "x input;c convolution (x) @0 *;r relu (c) @0", NULL,
     NO_EVENT, "r<-c"},
    {"a chain of them, each by what it reads",
     "x input;c convolution (x) @0 *;b native_batch_norm (c) @0;r relu (b) @0;q "
     "quantize_per_tensor (r) @0",
     NULL, NO_EVENT, "b<-c r<-c q<-c"},
    {"what only feeds others: the first user carries, not the last",
     "x input;d dequantize_per_tensor (x) @0;a convolution (d) @0 *;b add (d) @0 *;z sub (d) @0 *",
     NULL, NO_EVENT, "d<-a"},
    {"the first user by place, whichever input it reads it as",
     "x input;y input;d dequantize_per_tensor (x) @0;a add (y,d) @0 *;b convolution (d) @0 *", NULL,
     NO_EVENT, "d<-a"},
    {"a chain towards its user",
     "x input;q quantize_per_tensor (x) @0;d dequantize_per_tensor (q) @0;c convolution (d) @0 *",
     NULL, NO_EVENT, "q<-c d<-c"},
    {"what it reads comes before what uses it",
     "x input;a convolution (x) @0 *;r relu (a) @0;b convolution (r) @0 *", NULL, NO_EVENT, "r<-a"},
    {"only the first input carries", "x input;a convolution (x) @0 *;s add (x,a) @0", NULL,
     NO_EVENT, ""},
    {"the payload has an operator for it: it ran, whatever became of its event",
     "x input;c convolution (x) @0 *;r relu (c) @0", "c,r", NO_EVENT, ""},
    {"the payload has none", "x input;c convolution (x) @0 *;r relu (c) @0", "c", NO_EVENT, "r<-c"},
    {"the payload has none: events that are left over are not of it",
     "x input;c convolution (x) @0 *;r relu (c) @0", "c", LEFT_OVER(CLAMP, 0), "r<-c"},
    {"an event of its class is left over: it may have run as that",
     "x input;c convolution (x) @0 *;r relu (c) @0", NULL, LEFT_OVER(CLAMP, 0), ""},
    {"an event of another class is left over", "x input;c convolution (x) @0 *;r relu (c) @0", NULL,
     LEFT_OVER("Transpose (ND, X32) #1", 0), "r<-c"},
    {"an event of another delegate", "x input;c convolution (x) @0 *;r relu (c) @0", NULL,
     LEFT_OVER(CLAMP, 1), "r<-c"},
    {"an event that has its node",
     "x input;c convolution (x) @0 *;r relu (c) @0",
     NULL,
     {.id = CLAMP, .has_node = true},
     "r<-c"},
    {"an event of another method",
     "x input;c convolution (x) @0 *;r relu (c) @0",
     NULL,
     {.id = CLAMP, .is_of_other_method = true},
     "r<-c"},
    {"the second is left over, the first is fused",
     "x input;c convolution (x) @0 *;b native_batch_norm (c) @0;r relu (b) @0", NULL,
     LEFT_OVER(CLAMP, 0), "b<-c"},
    {"another delegate carries nothing", "x input;c convolution (x) @0 *;r relu (c) @1", NULL,
     NO_EVENT, ""},
    {"nor does a kernel, nor is it carried",
     "x input;k convolution (x) *;r relu (k) @0;u relu (x) @0;m neg (u) *;c convolution (x) @0 *;n "
     "neg (c)",
     NULL, NO_EVENT, ""},
    {"events of an unknown backend decide nothing", "x input;c convolution (x) @2 *;r relu (c) @2",
     NULL, LEFT_OVER(CLAMP, 2), "r<-c"},
    {"nobody was timed", "x input;c convolution (x) @0;r relu (c) @0", NULL, NO_EVENT, ""},
};

static etr_placed make_delegate(etr_arena *arena, const tiny_graph *g, int32_t id,
                                const char *operators) {
  etr_placed instruction = {.id = id, .is_delegate = true, .node = ETR_NONE};
  instruction.backend = id == 2 ? "SomeBackend" : "XnnpackBackend";
  if (!operators)
    return instruction;
  char *rest = etr_arena_copy(arena, etr_slice_of(operators));
  etr_payload *payload = etr_arena_alloc(arena, sizeof *payload);
  uint32_t *nodes = etr_arena_alloc_array(arena, 8, sizeof *nodes);
  payload->operators = etr_arena_alloc_array(arena, 8, sizeof *payload->operators);
  for (char *name; (name = tiny_piece(&rest, ","));)
    nodes[payload->count++] = tiny_node(g, name);
  nodes[payload->count++] = ETR_NONE; /* an inserted operator */
  instruction.payload = payload;
  instruction.operator_nodes = nodes;
  return instruction;
}

/* Makes a block of the method and one of another method, and gives one of them the event. */
static etr_blocks make_blocks(etr_arena *arena, const made_event *made) {
  etr_block *blocks = etr_arena_alloc_array(arena, 2, sizeof *blocks);
  etr_event *event = etr_arena_alloc(arena, sizeof *event);
  *event = (etr_event){.name = made->id,
                       .delegate_id = made->id,
                       .instruction_id = made->instruction,
                       .node_count = made->has_node};
  for (uint32_t b = 0; b < 2; b++)
    blocks[b] = (etr_block){.method = METHOD + b,
                            .events = event,
                            .event_count = made->id && made->is_of_other_method == (b == 1)};
  etr_blocks all = {.blocks = blocks, .block_count = 2};
  cr_assert(etr_blocks_group(&all, METHOD + 2, arena));
  return all;
}

static void run_case(const carriers_case *c, char *out, size_t size) {
  etr_arena arena = {0};
  const tiny_graph *g = tiny_graph_of(&arena, c->nodes);
  etr_placed delegates[3];
  const etr_method_inputs method = {.graph = &g->graph};
  const etr_placement placement = {
      .method = &method, .node_delegate = g->delegate_of, .instructions = {delegates, 3, 3}};
  etr_node_time *times = etr_arena_alloc_array(&arena, g->graph.node_count, sizeof *times);
  etr_blocks blocks = make_blocks(&arena, &c->event);
  size_t used = 0;
  for (int32_t i = 0; i < 3; i++)
    delegates[i] = make_delegate(&arena, g, i, i == 0 ? c->operators : NULL);
  for (size_t i = 0; i < g->graph.node_count; i++)
    times[i] = (etr_node_time){.runs = g->marked[i], .carried_by = ETR_NONE};
  cr_assert(etr_find_carriers(&placement, METHOD, &blocks, times, &arena));
  for (size_t i = 0; i < g->graph.node_count; i++)
    if (times[i].carried_by != ETR_NONE)
      used += (size_t)snprintf(out + used, size - used, "%s%s<-%s", used ? " " : "",
                               g->nodes[i].name, g->nodes[times[i].carried_by].name);
  etr_arena_clear(&arena);
}

Test(carriers, a_fused_node_names_the_node_that_has_its_time) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char got[128] = "";
    run_case(&cases[i], got, sizeof got);
    cr_expect_str_eq(got, cases[i].want, "%s: got '%s', want '%s'", cases[i].title, got,
                     cases[i].want);
  }
}
