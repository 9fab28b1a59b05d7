/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_delegates.c - operators of real XNNPACK delegates match nodes of their kind, with and
 * without the .pte; and each rule on a delegate small enough to check by hand.
 */
#include "backends/backends.h"
#include "backends/xnnpack.h"
#include "fixture.h"
#include "join/delegates.h"
#include "tiny_graph.h"

#include <criterion/criterion.h>

typedef struct counted {
  size_t events, on_nodes, of_another_kind, on_a_node_of_another;
} counted;

static counted count(const etr_profile *profile) {
  counted c = {0};
  for (size_t b = 0; b < profile->block_count; b++) {
    const etr_block *block = &profile->blocks[b];
    const etr_graph *graph = block->method == ETR_NONE
                                 ? NULL
                                 : &profile->graphs[profile->methods[block->method].graph];
    bool *used = graph ? calloc(graph->node_count, sizeof *used) : NULL;
    for (size_t i = 0; used && i < block->event_count; i++) {
      const etr_event *e = &block->events[i];
      const etr_backend *backend = etr_backend_of("XnnpackBackend");
      uint16_t class_ = e->delegate_id ? backend->class_of_event(e->delegate_id) : 0;
      c.events += class_ != 0;
      if (class_ == 0 || e->node_count == 0)
        continue;
      uint16_t of_node = backend->class_of_node(graph, &graph->nodes[e->nodes[0]]);
      c.on_nodes++;
      c.of_another_kind += of_node != class_ &&
                           !((backend->traits(class_) | backend->traits(of_node)) &
                             ETR_CLASS_FUSES);
      c.on_a_node_of_another += used[e->nodes[0]];
      used[e->nodes[0]] = true;
    }
    free(used);
  }
  return c;
}

Test(delegates, operators_are_matched_to_nodes_of_their_kind) {
  static const struct {
    const char *fixture;
    size_t on_nodes[2];     /* at least: with the .pte, without */
    size_t of_another_kind; /* y * y, which runs as Square */
  } cases[] = {
      {"lstm_xnnpack", {131, 131}, 0}, /* one handle, 158 nodes, 14 delegates */
      {"vit_xnnpack", {438, 438}, 0},  {"llama_xnnpack", {906, 906}, 0},
      {"mv2_xnnpack", {66, 66}, 0},    {"quantized_xnnpack", {13, 7}, 0},
      {"multi_method", {3, 3}, 0},     {"bundled_update", {19, 19}, 0},
      {"unet_xnnpack", {23, 23}, 1}, /* all except the operators that the layout needs */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    for (int without = 0; without <= 1; without++) {
      etr_profile *profile = without ? open_without_program(cases[i].fixture)
                                     : open_fixture(cases[i].fixture);
      counted c = count(profile);
      cr_expect_geq(c.on_nodes, cases[i].on_nodes[without], "%s: %zu of %zu", cases[i].fixture,
                    c.on_nodes, c.events);
      cr_expect_eq(c.of_another_kind, cases[i].of_another_kind, "%s: %zu", cases[i].fixture,
                   c.of_another_kind);
      cr_expect_eq(c.on_a_node_of_another, 0, "%s: %zu", cases[i].fixture, c.on_a_node_of_another);
      etr_profile_close(profile);
    }
  }
}

/* Of an ETDump alone nobody says that XNNPACK measures durations only: that one operator begins
 * where another one ends does. */
Test(delegates, starts_that_were_not_measured_are_known_without_a_backend) {
  static const struct {
    const char *dump;
    bool has_no_place;
  } cases[] = {{"mv2_xnnpack/etdump.etdp", true},
               {"llama_xnnpack/etdump.etdp", true},
               {"b_ethosu/etdump.etdp", false}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_profile *profile = open_fixture(cases[i].dump);
    size_t inside = 0;
    for (size_t b = 0; b < profile->block_count; b++)
      for (size_t k = 0; k < profile->blocks[b].event_count; k++) {
        const etr_event *event = &profile->blocks[b].events[k];
        if (event->kind != ETR_EVENT_DELEGATE_OPERATOR)
          continue;
        inside++;
        cr_expect_eq(event->has_no_place, cases[i].has_no_place, "%s: %s", cases[i].dump,
                     event->label);
      }
    cr_expect_gt(inside, 0, "%s", cases[i].dump);
    etr_profile_close(profile);
  }
}

/* ---- By hand ---- */

enum { MOST_OPERATORS = 5 };

/* An operator of a payload. The list of a case ends where class_ is 0. */
typedef struct hand_operator {
  uint16_t class_, alternative, activation;
  bool is_idle, by_order;
  const char *node; /* NULL: none */
} hand_operator;

/* All nodes are in delegate 0. want: "NODE MATCH CONFIDENCE" of each row. */
typedef struct rows_case {
  const char *title, *nodes;
  bool has_payload, is_ordered;
  hand_operator payload[MOST_OPERATORS];
  const char *rows, *want;
} rows_case;

#define ADD_RELU "x input;a add (x,x) #1 @0;r relu (a) #2 @0"

static const rows_case row_cases[] = {
    /* by order */
    {"a Clamp behind a binary operator is that operator's time",
     ADD_RELU,
     false,
     true,
     {{0}},
     "Add (ND) #1;Clamp (NC, F32) #1",
     "a order 0.95;a order 0.95"},
    {"a Clamp behind anything else is its own",
     "x input;s sigmoid (x) #1 @0;r relu (s) #2 @0",
     false,
     true,
     {{0}},
     "Sigmoid (NC) #1;Clamp (NC, F32) #1",
     "s order 0.95;r order 0.95"},
    {"an order that nothing proves",
     ADD_RELU,
     false,
     false,
     {{0}},
     "Add (ND) #1;Clamp (NC, F32) #1",
     "a aligned 0.9;a aligned 0.9"},
    {"an order that the events contradict: what is left goes together, as a guess",
     "x input;s sigmoid (x) #1 @0;t tanh (s) #2 @0;u exp (t) #3 @0",
     false,
     false,
     {{0}},
     "TanH (NC) #1;Exp (NC) #1;Sigmoid (NC) #1",
     "t aligned 0.6;u aligned 0.6;s aligned 0.5"},
    {"what may have been dropped is no node for what is left",
     "x input;v squeeze_copy (x) #1 @0;s sigmoid (v) #2 @0",
     false,
     false,
     {{0}},
     "Sigmoid (NC) #1;Static Reshape (NC) #1",
     "s aligned 0.9;- delegate 0"},
    {"an event that was not expected makes the others less sure",
     "x input;s sigmoid (x) #1 @0;r relu (s) #2 @0",
     false,
     true,
     {{0}},
     "Sigmoid (NC) #1;Softmax (NC, F32) #1;Clamp (NC, F32) #1",
     "s aligned 0.6;- none 0;r aligned 0.6"},
    {"one that a lowering may insert does not",
     "x input;s sigmoid (x) #1 @0;r relu (s) #2 @0",
     false,
     true,
     {{0}},
     "Sigmoid (NC) #1;Transpose (ND, X32) #1;Clamp (NC, F32) #1",
     "s order 0.95;- delegate 0;r order 0.95"},
    {"which of two is open, whatever the order",
     "x input;a mul (x,x) #1 @0;b mul (a,x) #2 @0",
     false,
     true,
     {{0}},
     "Multiply (ND) #1",
     "b aligned 0.5"},
    {"what computes and has no node is unexplained, layout is the delegate's",
     ADD_RELU,
     false,
     true,
     {{0}},
     "Transpose (ND, X32) #1;Softmax (NC, F32) #1;Add (ND) #1;Copy (NC, X32) #1",
     "- delegate 0;- none 0;a aligned 0.6;- delegate 0"},
    {"a name that is no operator's may be anything",
     ADD_RELU,
     false,
     true,
     {{0}},
     "Add (ND) #1;Wizardry #1",
     "a aligned 0.6;- none 0"},
    {"nothing that is known of",
     ADD_RELU,
     false,
     true,
     {{0}},
     "Wizardry #1;Wizardry #2",
     "- none 0;- none 0"},
    {"the call is none of them",
     ADD_RELU,
     false,
     true,
     {{0}},
     "Add (ND) #1;!call",
     "a aligned 0.6;- delegate 0"},
    {"the call comes first",
     ADD_RELU,
     false,
     true,
     {{0}},
     "!call;Add (ND) #1",
     "- delegate 0;a aligned 0.6"},
    {"a later turn of a loop ran more than the call before it",
     "x input;s sigmoid (x) #1 @0;r relu (s) #2 @0",
     false,
     true,
     {{0}},
     "Sigmoid (NC) #1;!call;Clamp (NC, F32) #1",
     "s order 0.95;- delegate 0;r order 0.95"},
    {"of two that run after each other in either order, none is certain",
     "x input;a mul (x,x) #1 @0;b mul (x,x) #1 @0;s sigmoid (a) #2 @0",
     false,
     false,
     {{0}},
     "Multiply (ND) #1;Multiply (ND) #2;Sigmoid (NC) #1",
     "a aligned 0.9;b aligned 0.9;s aligned 0.9"},
    {"nor is any operator of a delegate whose events do not fit",
     "x input;s sigmoid (x) #1 @0;r relu (s) #2 @0",
     false,
     true,
     {{0}},
     "Sigmoid (NC) #1;Sigmoid (NC) #2",
     "s aligned 0.5;- none 0"},
    {"a conversion is never certain",
     "x input;q quantized_decomposed.quantize_per_tensor.default (x) #1 @0;s softmax (x) #2 @0",
     false,
     true,
     {{0}},
     "Convert (NC, F32, QS8) #1;Softmax (NC, F32) #1",
     "q aligned 0.9;s order 0.95"},
    {"behind an inserted transposition it is a copy that replaced its node",
     "x input;s softmax (x) #2 @0;d quantized_decomposed.dequantize_per_tensor.default (s) #1 @0",
     false,
     true,
     {{0}},
     "Softmax (NC, F32) #1;Transpose (ND, X32) #1;Convert (NC, QS8, F32) #1",
     "s order 0.95;- delegate 0;- delegate 0"},
    {"not so if it begins quantization",
     "x input;s softmax (x) #2 @0;q quantized_decomposed.quantize_per_tensor.default (s) #1 @0",
     false,
     true,
     {{0}},
     "Softmax (NC, F32) #1;Transpose (ND, X32) #1;Convert (NC, F32, QS8) #1",
     "s order 0.95;- delegate 0;q aligned 0.9"},
    /* by payload */
    {"an operator and the Clamp on it",
     ADD_RELU,
     true,
     false,
     {{ETR_XNN_ADD, 0, ETR_XNN_CLAMP, .node = "a"}},
     "Add (ND) #1;Clamp (NC, F32) #1",
     "a payload 1;a payload 1"},
    {"the runtime drops operators, not events",
     ADD_RELU,
     true,
     false,
     {{.class_ = ETR_XNN_TRANSPOSE},
      {.class_ = ETR_XNN_ADD, .node = "a"},
      {.class_ = ETR_XNN_TRANSPOSE},
      {.class_ = ETR_XNN_CLAMP, .node = "r"}},
     "Add (ND) #1;Transpose (ND, X32) #1;Clamp (NC, F32) #1",
     "a payload 1;- delegate 0;r payload 1"},
    {"of two alike, the one that is not idle",
     ADD_RELU,
     true,
     false,
     {{.class_ = ETR_XNN_CLAMP, .node = "a"},
      {.class_ = ETR_XNN_CLAMP, .is_idle = true, .node = "r"}},
     "Clamp (NC, F32) #1",
     "a payload 1"},
    {"of two alike, neither of them idle",
     ADD_RELU,
     true,
     false,
     {{.class_ = ETR_XNN_ADD, .node = "a"}, {.class_ = ETR_XNN_ADD, .node = "r"}},
     "Add (ND) #1",
     "r aligned 0.5"},
    {"another class that its event may have",
     ADD_RELU,
     true,
     false,
     {{ETR_XNN_MUL, ETR_XNN_SQUARE, .node = "a"}},
     "Square (NC) #1",
     "a payload 1"},
    {"equal candidates that order distinguishes: an estimate",
     ADD_RELU,
     true,
     false,
     {{.class_ = ETR_XNN_ADD, .by_order = true, .node = "a"}},
     "Add (ND) #1",
     "a aligned 0.5"},
    {"unless the order is proved",
     ADD_RELU,
     true,
     true,
     {{.class_ = ETR_XNN_ADD, .by_order = true, .node = "a"}},
     "Add (ND) #1",
     "a payload 1"},
    {"an operator without a node that computes",
     ADD_RELU,
     true,
     false,
     {{.class_ = ETR_XNN_ADD}, {.class_ = ETR_XNN_CLAMP, .node = "r"}},
     "Add (ND) #1;Clamp (NC, F32) #1",
     "- none 0;r payload 1"},
    {"an event that no operator accounts for",
     ADD_RELU,
     true,
     false,
     {{.class_ = ETR_XNN_ADD, .node = "a"}},
     "Softmax (NC, F32) #1;Add (ND) #1",
     "- none 0;a payload 1"},
};

static void make_payload(etr_arena *arena, const tiny_graph *g, const hand_operator *list,
                         etr_placed *out) {
  etr_payload *payload = etr_arena_alloc(arena, sizeof *payload);
  etr_payload_operator *operators = etr_arena_alloc_array(arena, MOST_OPERATORS, sizeof *operators);
  uint32_t *nodes = etr_arena_alloc_array(arena, MOST_OPERATORS, sizeof *nodes);
  bool *by_order = etr_arena_alloc_array(arena, MOST_OPERATORS, sizeof *by_order);
  for (; payload->count < MOST_OPERATORS && list[payload->count].class_; payload->count++) {
    const hand_operator *o = &list[payload->count];
    operators[payload->count] = (etr_payload_operator){.class_ = o->class_,
                                                       .alternative = o->alternative,
                                                       .activation = o->activation,
                                                       .is_idle = o->is_idle,
                                                       .output = ETR_NONE,
                                                       .completes = ETR_NONE};
    nodes[payload->count] = o->node ? tiny_node(g, o->node) : ETR_NONE;
    by_order[payload->count] = o->by_order;
  }
  payload->operators = operators;
  out->payload = payload;
  out->operator_nodes = nodes;
  out->operator_by_order = by_order;
}

/* Without a proven order each handle is also that of the graph's first node, which is outside. */
static void make_nodes(etr_arena *arena, const tiny_graph *g, etr_method_inputs *method,
                       etr_placement *placement) {
  etr_handle_node *by_handle = etr_arena_alloc_array(arena, 2 * g->graph.node_count,
                                                     sizeof *by_handle);
  for (uint32_t i = 0; i < g->graph.node_count; i++) {
    if (g->delegate_of[i] < 0)
      continue;
    *etr_vec_push(arena, &placement->delegate_nodes) = (etr_delegate_node){g->delegate_of[i], i};
    if (!placement->is_proven)
      by_handle[method->by_handle_count++] = (etr_handle_node){g->nodes[i].debug_handle, 0};
    by_handle[method->by_handle_count++] = (etr_handle_node){g->nodes[i].debug_handle, i};
  }
  method->by_handle = by_handle;
}

static size_t make_rows(etr_arena *arena, etr_event *rows, const char *text) {
  char *rest = etr_arena_copy(arena, etr_slice_of(text));
  size_t count = 0;
  for (char *id; (id = tiny_piece(&rest, ";")); count++)
    rows[count] = (etr_event){
        .name = id, .delegate_id = *id == '!' ? NULL : id, .match = ETR_MATCH_DELEGATE};
  return count;
}

static void describe_rows(const tiny_graph *g, const etr_event *rows, size_t count, char *out,
                          size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    const char *node = tiny_name(g, rows[i].node_count ? rows[i].nodes[0] : ETR_NONE);
    used += (size_t)snprintf(out + used, size - used, "%s%s %s %.3g", i ? ";" : "", node,
                             etr_match_name(rows[i].match), rows[i].confidence);
  }
}

static void expect_rows(const rows_case *c, bool is_changed) {
  etr_arena arena = {0};
  etr_event rows[8];
  char got[512] = "";
  tiny_graph *g = tiny_graph_of(&arena, c->nodes);
  g->graph.is_changed = is_changed;
  const etr_map_instruction map = {.is_delegate = true};
  etr_placed instruction = {
      .map = &map, .is_delegate = true, .backend = "XnnpackBackend", .node = ETR_NONE};
  etr_method_inputs method = {.graph = &g->graph, .uses = g->uses};
  etr_placement placement = {.method = &method,
                             .node_delegate = g->delegate_of,
                             .is_ordered = c->is_ordered,
                             .is_proven = c->is_ordered};
  make_nodes(&arena, g, &method, &placement);
  if (c->has_payload)
    make_payload(&arena, g, c->payload, &instruction);
  size_t count = make_rows(&arena, rows, c->rows);
  etr_delegate_reading reading = {.plans_left = ETR_DELEGATE_PLANS,
                                  .steps_left = ETR_DELEGATE_STEPS};
  for (size_t k = 0; k < count; k++)
    rows[k].kind = rows[k].delegate_id ? ETR_EVENT_DELEGATE_OPERATOR : ETR_EVENT_DELEGATE_CALL;
  cr_assert(etr_delegate_rows(&placement, &instruction, rows, count, &reading, &arena));
  describe_rows(g, rows, count, got, sizeof got);
  cr_expect_str_eq(got, c->want, "%s: got '%s', want '%s'", c->title, got, c->want);
  etr_arena_clear(&arena);
}

Test(delegates, rows_are_matched_by_payload_or_order) {
  for (size_t i = 0; i < ETR_COUNT(row_cases); i++)
    expect_rows(&row_cases[i], false);
}

/* Debug handles of a graph that to_executorch() changed belong to other nodes, so that a part of
 * them could seem to prove an order. */
Test(delegates, nothing_in_a_changed_graph_is_certain) {
  static const rows_case cases[] = {
      {"one node is possible for each event",
       "x input;s sigmoid (x) #1 @0;r relu (s) #2 @0",
       false,
       true,
       {{0}},
       "Sigmoid (NC) #1;Clamp (NC, F32) #1",
       "s aligned 0.9;r aligned 0.9"},
      {"the only node",
       "x input;s sigmoid (x) #1 @0",
       false,
       true,
       {{0}},
       "Sigmoid (NC) #1",
       "s aligned 0.9"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_rows(&cases[i], true);
}

/* A dump lists a delegate's rows in the order of their first run, so its call may be the first row
 * or any other. */
Test(delegates, the_delegate_call_may_be_any_row) {
  static const struct {
    const char *rows, *want;
  } cases[] = {
      {"Add (ND) #1;!call", "a aligned 0.6;- delegate 0"},
      {"!call;Add (ND) #1", "- delegate 0;a aligned 0.6"},
      {"Wizardry #1;!call;Add (ND) #1", "- none 0;- delegate 0;a aligned 0.6"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_event rows[8];
    char got[256] = "";
    const tiny_graph *g = tiny_graph_of(&arena, ADD_RELU);
    const etr_map_instruction map = {.is_delegate = true};
    etr_method_inputs method = {.graph = &g->graph, .uses = g->uses};
    etr_placement placement = {
        .method = &method, .node_delegate = g->delegate_of, .is_ordered = true};
    make_nodes(&arena, g, &method, &placement);
    *etr_vec_push(&arena, &placement.instructions) = (etr_placed){
        .map = &map, .is_delegate = true, .backend = "XnnpackBackend", .node = ETR_NONE};
    size_t count = make_rows(&arena, rows, cases[i].rows);
    for (size_t k = 0; k < count; k++)
      rows[k].kind = rows[k].delegate_id ? ETR_EVENT_DELEGATE_OPERATOR : ETR_EVENT_DELEGATE_CALL;
    etr_run run = {.profile_events = count};
    etr_block block = {
        .events = rows, .event_count = count, .runs = (const uint32_t[]){0}, .run_count = 1};
    const etr_blocks blocks = {.runs = &run,
                               .run_count = 1,
                               .blocks = &block,
                               .block_count = 1,
                               .rows = rows,
                               .row_count = count,
                               .by_method = (const uint32_t[]){0},
                               .end_of_method = (const size_t[]){1},
                               .method_count = 1};
    etr_warnings warnings = {.arena = &arena};
    cr_assert(etr_assign_event_nodes(&placement, 0, &blocks, &arena, &warnings));
    describe_rows(g, rows, count, got, sizeof got);
    cr_expect_str_eq(got, cases[i].want, "%s: got '%s', want '%s'", cases[i].rows, got,
                     cases[i].want);
    etr_arena_clear(&arena);
  }
}

/* Before any rule, the map and the backend decide which delegate has the rows. */
Test(delegates, the_source_of_a_match_is_chosen_before_the_rules) {
  static const uint32_t both[] = {2, 1};
  static const etr_map_delegate_id ids[] = {{"7", both, 2, 0}, {"8", both, 1, 1}};
  static const struct {
    const char *title, *backend;
    bool has_map, has_ids;
    const char *rows, *want;
  } cases[] = {
      {"no map names the instruction", "XnnpackBackend", false, false, "Add (ND) #1",
       "- delegate 0"},
      {"a backend that nothing is known of", "SomeBackend", true, false, "Add (ND) #1", "- none 0"},
      {"no backend is named: events decide", NULL, true, false, "Add (ND) #1", "a aligned 0.6"},
      {"the map's ids, exactly; of several handles the first that the delegate has", "SomeBackend",
       true, true, "7;77;8;Add (ND) #1", "r delegate_map 1;- none 0;r delegate_map 1;- none 0"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_event rows[8];
    char got[256] = "";
    const tiny_graph *g = tiny_graph_of(&arena, ADD_RELU);
    const etr_map_instruction map = {
        .is_delegate = true, .ids = ids, .id_count = cases[i].has_ids ? ETR_COUNT(ids) : 0};
    const etr_placed instruction = {.map = cases[i].has_map ? &map : NULL,
                                    .is_delegate = true,
                                    .backend = cases[i].backend,
                                    .node = ETR_NONE};
    etr_method_inputs method = {.graph = &g->graph, .uses = g->uses};
    etr_placement placement = {
        .method = &method, .node_delegate = g->delegate_of, .is_ordered = true};
    make_nodes(&arena, g, &method, &placement);
    size_t count = make_rows(&arena, rows, cases[i].rows);
    etr_delegate_reading reading = {.plans_left = ETR_DELEGATE_PLANS,
                                    .steps_left = ETR_DELEGATE_STEPS};
    for (size_t k = 0; k < count; k++)
      rows[k].kind = rows[k].delegate_id ? ETR_EVENT_DELEGATE_OPERATOR : ETR_EVENT_DELEGATE_CALL;
    cr_assert(etr_delegate_rows(&placement, &instruction, rows, count, &reading, &arena));
    describe_rows(g, rows, count, got, sizeof got);
    cr_expect_str_eq(got, cases[i].want, "%s: got '%s', want '%s'", cases[i].title, got,
                     cases[i].want);
    etr_arena_clear(&arena);
  }
}
