/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_carriers.c - the node whose time contains that of a fused one, and cases where it is unknown. Marked nodes were
 * timed.
 */
#include "balance/carriers.h"
#include "tiny_graph.h"

enum { METHOD = 1 };

/* The instructions 0 and 1 are delegates, and 2 is a delegate of an unknown backend. operators: names of the nodes
 * that the payload of 0 has operators for; NULL: it has no payload. events: of "ID@INSTRUCTION", which have no node;
 * "ID@INSTRUCTION!" has one; a block of another method behind '|'. */
typedef struct carriers_case {
  const char *title, *nodes, *operators, *events, *want;
} carriers_case;

static const carriers_case cases[] = {
    {"an activation behind a convolution", "x input;c convolution (x) @0 *;r relu (c) @0", NULL, "", "r<-c"},
    {"a chain of them, each by what it reads",
     "x input;c convolution (x) @0 *;b native_batch_norm (c) @0;r relu (b) @0;q quantize_per_tensor (r) @0", NULL, "",
     "b<-c r<-c q<-c"},
    {"what only feeds others: the first user carries, not the last",
     "x input;d dequantize_per_tensor (x) @0;a convolution (d) @0 *;b add (d) @0 *;z sub (d) @0 *", NULL, "", "d<-a"},
    {"the first user by place, whichever input it reads it as",
     "x input;y input;d dequantize_per_tensor (x) @0;a add (y,d) @0 *;b convolution (d) @0 *", NULL, "", "d<-a"},
    {"a chain towards its user",
     "x input;q quantize_per_tensor (x) @0;d dequantize_per_tensor (q) @0;c convolution (d) @0 *", NULL, "",
     "q<-c d<-c"},
    {"what it reads comes before what uses it", "x input;a convolution (x) @0 *;r relu (a) @0;b convolution (r) @0 *",
     NULL, "", "r<-a"},
    {"only the first input carries", "x input;a convolution (x) @0 *;s add (x,a) @0", NULL, "", ""},
    {"the payload has an operator for it: it ran, whatever became of its event",
     "x input;c convolution (x) @0 *;r relu (c) @0", "c,r", "", ""},
    {"the payload has none", "x input;c convolution (x) @0 *;r relu (c) @0", "c", "", "r<-c"},
    {"the payload has none: events that are left over are not of it", "x input;c convolution (x) @0 *;r relu (c) @0",
     "c", "Clamp (NC, F32) #1@0", "r<-c"},
    {"an event of its class is left over: it may have run as that", "x input;c convolution (x) @0 *;r relu (c) @0",
     NULL, "Clamp (NC, F32) #1@0", ""},
    {"an event of another class is left over", "x input;c convolution (x) @0 *;r relu (c) @0", NULL,
     "Transpose (ND, X32) #1@0", "r<-c"},
    {"an event of another delegate", "x input;c convolution (x) @0 *;r relu (c) @0", NULL, "Clamp (NC, F32) #1@1",
     "r<-c"},
    {"an event that has its node", "x input;c convolution (x) @0 *;r relu (c) @0", NULL, "Clamp (NC, F32) #1@0!",
     "r<-c"},
    {"an event of another method", "x input;c convolution (x) @0 *;r relu (c) @0", NULL, "|Clamp (NC, F32) #1@0",
     "r<-c"},
    {"the second is left over, the first is fused",
     "x input;c convolution (x) @0 *;b native_batch_norm (c) @0;r relu (b) @0", NULL, "Clamp (NC, F32) #1@0", "b<-c"},
    {"another delegate carries nothing", "x input;c convolution (x) @0 *;r relu (c) @1", NULL, "", ""},
    {"nor does a kernel, nor is it carried",
     "x input;k convolution (x) *;r relu (k) @0;u relu (x) @0;m neg (u) *;c convolution (x) @0 *;n neg (c)", NULL, "",
     ""},
    {"events of an unknown backend decide nothing", "x input;c convolution (x) @2 *;r relu (c) @2", NULL,
     "Clamp (NC, F32) #1@2", "r<-c"},
    {"nobody was timed", "x input;c convolution (x) @0;r relu (c) @0", NULL, "", ""},
};

static etr_placed make_delegate(etr_arena *arena, const tiny_graph *g, int32_t id, const char *operators) {
  etr_placed instruction = {.id = id, .is_delegate = true, .node = ETR_NONE};
  instruction.backend = id == 2 ? "SomeBackend" : "XnnpackBackend";
  if (!operators) return instruction;
  char *rest = etr_arena_copy(arena, etr_slice_of(operators));
  etr_payload *payload = etr_arena_alloc(arena, sizeof *payload);
  uint32_t *nodes = etr_arena_alloc_array(arena, 8, sizeof *nodes);
  payload->operators = etr_arena_alloc_array(arena, 8, sizeof *payload->operators);
  for (char *name; (name = tiny_piece(&rest, ","));) nodes[payload->count++] = tiny_node(g, name);
  nodes[payload->count++] = ETR_NONE; /* an inserted operator */
  instruction.payload = payload;
  instruction.operator_nodes = nodes;
  return instruction;
}

/* Makes two blocks: that of the method, and the events behind '|'. */
static etr_blocks make_blocks(etr_arena *arena, const char *text) {
  etr_block *blocks = etr_arena_alloc_array(arena, 2, sizeof *blocks);
  const char *bar = strchr(text, '|');
  for (int b = 0; b < 2; b++) {
    const char *start = b == 0 ? text : bar ? bar + 1 : "";
    char *rest = etr_arena_copy(arena, (etr_slice){start, b == 0 && bar ? (size_t)(bar - text) : strlen(start)});
    etr_event *events = etr_arena_alloc_array(arena, 4, sizeof *events);
    blocks[b] = (etr_block){.method = b == 0 ? METHOD : METHOD + 1, .events = events};
    for (char *id; (id = tiny_piece(&rest, ";"));) {
      char *at = strrchr(id, '@');
      *at = '\0';
      events[blocks[b].event_count++] = (etr_event){
          .name = id, .delegate_id = id, .instruction_id = atoi(at + 1), .node_count = strchr(at + 1, '!') != NULL};
    }
  }
  etr_blocks made = {.blocks = blocks, .block_count = 2};
  cr_assert(etr_blocks_group(&made, METHOD + 2, arena));
  return made;
}

static void run_case(const carriers_case *c, char *out, size_t size) {
  etr_arena arena = {0};
  const tiny_graph *g = tiny_graph_of(&arena, c->nodes);
  etr_placed delegates[3];
  const etr_method_inputs method = {.graph = &g->graph};
  const etr_placement placement = {
      .method = &method, .node_delegate = g->delegate_of, .instructions = {delegates, 3, 3}};
  etr_node_time *times = etr_arena_alloc_array(&arena, g->graph.node_count, sizeof *times);
  etr_blocks blocks = make_blocks(&arena, c->events);
  size_t used = 0;
  for (int32_t i = 0; i < 3; i++) delegates[i] = make_delegate(&arena, g, i, i == 0 ? c->operators : NULL);
  for (size_t i = 0; i < g->graph.node_count; i++)
    times[i] = (etr_node_time){.runs = g->marked[i], .carried_by = ETR_NONE};
  cr_assert(etr_find_carriers(&placement, METHOD, &blocks, times, &arena));
  for (size_t i = 0; i < g->graph.node_count; i++)
    if (times[i].carried_by != ETR_NONE)
      used += (size_t)snprintf(out + used, size - used, "%s%s<-%s", used ? " " : "", g->nodes[i].name,
                               g->nodes[times[i].carried_by].name);
  etr_arena_clear(&arena);
}

Test(carriers, a_fused_node_names_the_node_that_has_its_time) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char got[128] = "";
    run_case(&cases[i], got, sizeof got);
    cr_expect_str_eq(got, cases[i].want, "%s: got '%s', want '%s'", cases[i].title, got, cases[i].want);
  }
}
