/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_data_flow.c - the node of each instruction, found by the values that it reads. Each case
 * tests one rule, or an unknown answer.
 *
 * The values of a program are joined by ';' and numbered from 0. A value is a tensor's shape as in
 * tiny_graph.h,
 * "[2x3]", then "at 7" (where it is stored), "constant", "dynamic"; or "(1,2)", a list of tensors;
 * or "int".
 *
 * Its instructions are joined by ';': "add(0,1,2)" is aten::add of these values, the last of which
 * it writes, "delegate(0,2)" a call of the delegate, "move(0,2)" a move. Behind it are the debug
 * handles that the map has for it: "handle 1", "handles 1,2".
 *
 * Expected of each instruction, joined by ';': "NODE by MATCH", or "none"; of a delegate the nodes
 * of its operators,
 * "(a, b by order, none)", or "payload not read".
 */
#include "backends/operator.h"
#include "join/data_flow.h"
#include "tiny_xnnpack.h"

typedef struct flow_case {
  const char *title, *nodes, *values, *instructions, *inputs;
  const char *backend, *payload_values, *xnodes; /* of delegate 0 */
  const char *rank;                              /* per node; NULL: unknown */
  const char *want;
} flow_case;

/* ---- Making a method ---- */

static void parse_value(etr_arena *arena, etr_pte_value *value, char *text) {
  etr_value tensor = {.rank = 0};
  for (char *token; (token = tiny_piece(&text, " "));) {
    if (*token == '[') {
      token[strlen(token) - 1] = '\0';
      tiny_output(arena, &tensor, token + 1);
      int32_t *sizes = etr_arena_alloc_array(arena, 8, sizeof *sizes);
      for (int32_t i = 0; i < tensor.rank; i++)
        sizes[i] = (int32_t)tensor.dims[i].size;
      *value = (etr_pte_value){
          .kind = ETR_PTE_VALUE_TENSOR, .dtype = tensor.dtype, .sizes = sizes, .rank = tensor.rank};
    } else if (*token == '(') {
      token[strlen(token) - 1] = '\0';
      value->kind = ETR_PTE_VALUE_TENSOR_LIST;
      value->items = (const int32_t *)tiny_numbers(arena, token + 1, &value->item_count);
    } else if (strcmp(token, "at") == 0) {
      value->storage = (uint64_t)atoi(tiny_piece(&text, " "));
    } else if (strcmp(token, "int") == 0) {
      value->kind = ETR_PTE_VALUE_INT;
    } else {
      value->constant |= strcmp(token, "constant") == 0;
      value->dynamic |= strcmp(token, "dynamic") == 0;
      cr_assert(value->constant || value->dynamic, "what is a value that is %s?", token);
    }
  }
}

/* handles: NULL if the map does not name the instruction. */
typedef struct flow_instruction {
  char *name, *arguments, *handles;
} flow_instruction;

enum { MOST_INSTRUCTIONS = 16 };

static size_t split_instructions(etr_arena *arena, flow_instruction *out, const char *text) {
  size_t count = 0;
  char *rest = etr_arena_copy(arena, etr_slice_of(text));
  for (char *piece; (piece = tiny_piece(&rest, ";")); count++) {
    char *name = piece + strspn(piece, " "), *arguments = strchr(name, '('),
         *end = strchr(name, ')');
    cr_assert(arguments && end && count < MOST_INSTRUCTIONS, "what is the instruction %s?", piece);
    *arguments = *end = '\0';
    out[count] = (flow_instruction){name, arguments + 1, strstr(end + 1, "handle")};
    if (out[count].handles)
      out[count].handles = strchr(out[count].handles, ' ') + 1;
  }
  return count;
}

static bool calls_delegate(const flow_instruction *text) {
  return strcmp(text->name, "delegate") == 0;
}

static etr_instruction make_instruction(etr_arena *arena, const flow_instruction *text) {
  etr_instruction made = {.kind = ETR_INSTRUCTION_KERNEL, .delegate = -1};
  made.args = (const int32_t *)tiny_numbers(arena, text->arguments, &made.arg_count);
  if (calls_delegate(text)) {
    made.kind = ETR_INSTRUCTION_DELEGATE;
    made.delegate = 0;
  } else if (strcmp(text->name, "move") == 0) {
    made.kind = ETR_INSTRUCTION_MOVE;
  } else {
    made.op = strchr(text->name, ':') ? text->name
                                      : etr_arena_format(arena, "aten::%s", text->name);
  }
  return made;
}

static const char *backend_of(const flow_case *c) {
  return c->backend ? c->backend : "XnnpackBackend";
}

static const etr_pte_method *make_program(etr_arena *arena, const flow_case *c) {
  etr_pte_method *program = etr_arena_alloc(arena, sizeof *program);
  etr_pte_value *values = etr_arena_alloc_array(arena, 64, sizeof *values);
  etr_instruction *instructions = etr_arena_alloc_array(arena, MOST_INSTRUCTIONS,
                                                        sizeof *instructions);
  etr_pte_delegate *delegate = etr_arena_alloc(arena, sizeof *delegate);
  flow_instruction texts[MOST_INSTRUCTIONS];
  char *rest = etr_arena_copy(arena, etr_slice_of(c->values));
  *program = (etr_pte_method){
      .values = values, .instructions = instructions, .delegates = delegate, .delegate_count = 1};
  for (char *piece; (piece = tiny_piece(&rest, ";"));)
    parse_value(arena, &values[program->value_count++], piece);
  program->instruction_count = split_instructions(arena, texts, c->instructions);
  for (size_t i = 0; i < program->instruction_count; i++)
    instructions[i] = make_instruction(arena, &texts[i]);
  program->inputs = (const int32_t *)tiny_numbers(arena, c->inputs, &program->input_count);
  delegate->backend = backend_of(c);
  delegate->payload = c->xnodes ? tiny_xnnpack(arena, c->payload_values, c->xnodes)
                                : ETR_SLICE("no payload at all");
  return program;
}

static const etr_map_method *make_map(etr_arena *arena, const flow_case *c) {
  etr_map_method *map = etr_arena_alloc(arena, sizeof *map);
  etr_map_instruction *list = etr_arena_alloc_array(arena, MOST_INSTRUCTIONS, sizeof *list);
  flow_instruction texts[MOST_INSTRUCTIONS];
  size_t count = split_instructions(arena, texts, c->instructions);
  map->instructions = list;
  for (size_t i = 0; i < count; i++) {
    if (!texts[i].handles)
      continue;
    etr_map_instruction *added = &list[map->instruction_count++];
    *added = (etr_map_instruction){.id = (int32_t)i, .is_delegate = calls_delegate(&texts[i])};
    if (added->is_delegate)
      added->backend = backend_of(c);
    added->handles = tiny_numbers(arena, texts[i].handles, &added->handle_count);
  }
  return map;
}

/* Per node, the delegate that lists its handle, or -1. */
static int32_t *make_delegate_of(etr_arena *arena, const etr_placement *placement) {
  const etr_graph *graph = placement->method->graph;
  int32_t *delegate_of = etr_arena_alloc_array(arena, graph->node_count, sizeof *delegate_of);
  for (size_t i = 0; i < graph->node_count; i++) {
    delegate_of[i] = -1;
    for (size_t k = 0; k < placement->instructions.count; k++) {
      const etr_placed *placed = &placement->instructions.data[k];
      for (size_t h = 0; placed->is_delegate && placed->map && h < placed->map->handle_count; h++)
        if (placed->map->handles[h] == graph->nodes[i].debug_handle)
          delegate_of[i] = placed->id;
    }
  }
  return delegate_of;
}

/* ---- Results ---- */

static const char *node_name(const tiny_graph *g, uint32_t node) {
  return node == ETR_NONE ? "none" : tiny_name(g, node);
}

static void describe(FILE *out, const tiny_graph *g, const etr_placed *instruction) {
  const char *match = etr_match_name(instruction->match);
  if (!instruction->is_delegate) {
    fputs(node_name(g, instruction->node), out);
    if (instruction->node != ETR_NONE)
      fprintf(out, " by %s", match);
  } else if (!instruction->payload) {
    fputs("payload not read", out);
  } else {
    for (size_t i = 0; i < instruction->payload->count; i++)
      fprintf(out, "%s%s%s", i ? ", " : "(", node_name(g, instruction->operator_nodes[i]),
              instruction->operator_by_order[i] ? " by order" : "");
    fputc(')', out);
  }
}

static void run_case(const flow_case *c, char *out, size_t size) {
  etr_arena arena = {0};
  const tiny_graph *g = tiny_graph_of(&arena, c->nodes);
  const etr_blocks blocks = {.block_count = 0};
  etr_payloads payloads;
  etr_method_inputs method = {.graph = &g->graph,
                              .uses = g->uses,
                              .program = make_program(&arena, c),
                              .payloads = &payloads,
                              .map = make_map(&arena, c)};
  etr_placement placement = {.method = &method};
  etr_payloads_init(&payloads, NULL, &arena);
  size_t count;
  bool *taken = etr_arena_alloc_array(&arena, g->graph.node_count, sizeof *taken);
  cr_assert(etr_method_index_nodes(&method, &arena));
  cr_assert(etr_instructions_collect(&placement, 0, &blocks, &arena, &arena));
  etr_lowering order = {0};
  if (c->rank) {
    uint32_t *node_of = etr_arena_alloc_array(&arena, placement.instructions.count,
                                              sizeof *node_of);
    for (size_t i = 0; i < placement.instructions.count; i++)
      node_of[i] = ETR_NONE;
    order = (etr_lowering){.is_proven = true,
                           .rank = tiny_numbers(&arena, c->rank, &count),
                           .node_of = node_of,
                           .delegate_of = make_delegate_of(&arena, &placement)};
  }
  bool is_cut;
  cr_assert(etr_data_flow_find(&placement, &order, taken, &is_cut, &arena, &arena));
  FILE *file = fmemopen(out, size, "w");
  for (size_t i = 0; i < placement.instructions.count; i++) {
    if (i)
      fputs("; ", file);
    describe(file, g, &placement.instructions.data[i]);
  }
  fclose(file);
  for (size_t i = 0; i < placement.instructions.count; i++)
    cr_expect(placement.instructions.data[i].node == ETR_NONE ||
                  taken[placement.instructions.data[i].node],
              "%s: not taken", c->title);
  etr_arena_clear(&arena);
}

static void run_cases(const flow_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char got[256] = "";
    run_case(&cases[i], got, sizeof got);
    cr_expect_str_eq(got, cases[i].want, "%s: got '%s', want '%s'", cases[i].title, got,
                     cases[i].want);
  }
}

/* ---- Kernels ---- */

#define XY "x input;y input;"
#define TENSOR "[2x3];"
#define TWO TENSOR TENSOR
#define FOUR TWO TWO

Test(data_flow, kernels_are_matched_by_the_values_they_read) {
  static const flow_case cases[] = {
      {.title = "by producer: one handle and operator, other inputs",
       .nodes = XY "a mul (x,y) #1;b mul (y,y) #1",
       .values = FOUR,
       .instructions = "mul(1,1,2) handle 1; mul(0,1,3) handle 1",
       .inputs = "0,1",
       .want = "b by handle; a by handle"},
      {.title = "by producer of a producer",
       .nodes = XY "a neg (x) #1;b neg (y) #1;c abs (a) #2;d abs (b) #2",
       .values = FOUR TWO,
       .instructions = "neg(1,2) handle 1; neg(0,3) handle 1; abs(3,4) handle 2; abs(2,5) handle 2",
       .inputs = "0,1",
       .want = "b by handle; a by handle; c by handle; d by handle"},
      {.title = "by place: a - b is not b - a",
       .nodes = XY "a sub (x,y) #1;b sub (y,x) #1",
       .values = FOUR,
       .instructions = "sub(1,0,2) handle 1; sub(0,1,3) handle 1",
       .inputs = "0,1",
       .want = "b by handle; a by handle"},
      {.title = "by shape",
       .nodes = XY "a sum (x) #1 [2];b sum (x) #1 [3]",
       .values = TWO "[3];[2]",
       .instructions = "sum(0,2) handle 1; sum(0,3) handle 1",
       .inputs = "0,1",
       .want = "b by handle; a by handle"},
      {.title = "a dynamic shape is no reason, nor is a symbolic one",
       .nodes = XY "a sum (x) #1 [2];b sum (y) #1 [sx3]",
       .values = TWO "[3] dynamic;[5x3]",
       .instructions = "sum(0,2) handle 1; sum(1,3) handle 1",
       .inputs = "0,1",
       .want = "a by handle; b by handle"},
      {.title = "by number type",
       .nodes = XY "a to_copy (x) #1 [i8:2x3];b to_copy (x) #1 [f16:2x3]",
       .values = TWO "[f16:2x3];[i8:2x3]",
       .instructions = "to_copy(0,2) handle 1; to_copy(0,3) handle 1",
       .inputs = "0,1",
       .want = "b by handle; a by handle"},
      {.title = "a shape that no node has gives no node, and what reads it reads the unknown",
       .nodes = XY "a sum (x) #1 [2];n neg (x) #2;m neg (a) #2",
       .values = TWO "[3];" TWO,
       .instructions = "sum(0,2) handle 1; neg(2,3) handle 2; neg(0,4) handle 2",
       .inputs = "0,1",
       .want = "none; n by aligned; none"},
      {.title = "an elided view is its base: same place, as many elements",
       .nodes = XY "a add (x,y) #1;s sub (x,y) #2;v view_copy (a) #3 [6];w view_copy (s) #4 [6];n "
                   "neg (v) #5 [6];m neg (w) #5 [6]",
       .values = TWO "[2x3] at 7;[2x3] at 8;[6] at 8;[6] at 9;[6] at 7;[6] at 10",
       .instructions =
           "add(0,1,2) handle 1; sub(0,1,3) handle 2; neg(4,5) handle 5; neg(6,7) handle 5",
       .inputs = "0,1",
       .want = "a by handle; s by handle; m by handle; n by handle"},
      {.title = "what is stored there last counts",
       .nodes = XY "a add (x,y) #1;s sub (a,y) #2;v view_copy (a) #3 [6];w view_copy (s) #4 [6];n "
                   "neg (v) #5 [6];m neg (w) #5 [6]",
       .values = TWO "[2x3] at 7;[2x3] at 7;[6] at 7;[6] at 9",
       .instructions = "add(0,1,2) handle 1; sub(2,1,3) handle 2; neg(4,5) handle 5",
       .inputs = "0,1",
       .want = "a by handle; s by handle; m by handle"},
      {.title = "other sizes at that place are no view",
       .nodes = XY "a add (x,y) #1;s sub (x,y) #2;n neg (a) #5;m neg (s) #5",
       .values = TWO "[2x3] at 7;[2x3] at 8;[2] at 8;[2x3] at 9",
       .instructions = "add(0,1,2) handle 1; sub(0,1,3) handle 2; neg(4,5) handle 5",
       .inputs = "0,1",
       .want = "a by handle; s by handle; n by aligned"},
      {.title = "weights are ignored, wherever they are",
       .nodes = "w weight;" XY "a linear (w,x) #1;b linear (w,y) #1",
       .values = TWO "[2x3] constant;" TWO,
       .instructions = "linear(1,2,3) handle 1; linear(0,2,4) handle 1",
       .inputs = "0,1",
       .want = "b by handle; a by handle"},
      {.title = "what reads nothing but weights is no reader of inputs",
       .nodes = "w weight;" XY "a neg (x) #1;b neg (w) #1",
       .values = TWO "[2x3] constant;" TWO,
       .instructions = "neg(2,3) handle 1; neg(0,4) handle 1",
       .inputs = "0,1",
       .want = "b by handle; a by handle"},
      {.title = "lists: what is joined, and what is torn",
       .nodes = XY "p split (x) #1 [1x3] [1x3];a cat (p.1,y) #2;b cat (p,y) #2",
       .values = TWO "[1x3];[1x3];(2,3);(2,1);(3,1);" TWO,
       .instructions = "split(0,4) handle 1; cat(5,7) handle 2; cat(6,8) handle 2",
       .inputs = "0,1",
       .want = "p by handle; b by handle; a by handle"},
      {.title = "what it writes is not what it reads, whatever lay there",
       .nodes = XY "a split (y) #1 [2x3] [2x3];b split (x) #1 [2x3] [2x3]",
       .values = "[2x3];[2x3] at 7;[2x3] at 7;[2x3] at 7;(2,3)",
       .instructions = "split(0,4) handle 1",
       .inputs = "0,1",
       .want = "b by handle"},
      {.title = "numbers are no inputs",
       .nodes = XY "a mul (x) #1;b mul (y) #1",
       .values = TWO "int;" TWO,
       .instructions = "mul(1,2,3) handle 1; mul(0,2,4) handle 1",
       .inputs = "0,1",
       .want = "b by handle; a by handle"},
      {.title = "equal candidates by the graph's order, marked as such",
       .nodes = XY "a add (x,y) #1;b add (x,y) #1",
       .values = FOUR,
       .instructions = "add(0,1,2) handle 1; add(0,1,3) handle 1",
       .inputs = "0,1",
       .want = "a by aligned; b by aligned"},
      {.title = "equal candidates by the order of lowering, if it is known",
       .nodes = XY "a add (x,y) #1;b add (x,y) #1",
       .values = FOUR,
       .instructions = "add(0,1,2) handle 1; add(0,1,3) handle 1",
       .inputs = "0,1",
       .rank = "0,1,3,2",
       .want = "b by order; a by order"},
      {.title = "the runtime's own kernels are no node's",
       .nodes = XY "a add (x,y) #1",
       .values = FOUR,
       .instructions = "executorch_prim::add(0,1,2) handle 1",
       .inputs = "0,1",
       .want = "none"},
      {.title = "a kernel that the map does not name, and one of another handle",
       .nodes = XY "a add (x,y) #1",
       .values = FOUR,
       .instructions = "add(0,1,2); add(0,1,3) handle 2",
       .inputs = "0,1",
       .want = "none; none"},
      {.title = "an operator that was replaced",
       .nodes = XY "a add (x,y) #1",
       .values = FOUR,
       .instructions = "mul(0,1,2) handle 1",
       .inputs = "0,1",
       .want = "none"},
      {.title = "as many inputs as the graph has, or none is known",
       .nodes = XY "a neg (x) #1;b neg (y) #1",
       .values = FOUR,
       .instructions = "neg(1,2) handle 1",
       .inputs = "1",
       .want = "a by aligned"},
      {.title = "a view of the runtime's own is what it views",
       .nodes = XY "a neg (x) #1;b neg (y) #1;c abs (a) #2;d abs (b) #2",
       .values = FOUR "[6] dynamic;" TENSOR "int",
       .instructions =
           "neg(1,2) handle 1; executorch_prim::et_view(2,6,4) handle 9; abs(4,5) handle 2",
       .inputs = "0,1",
       .want = "b by handle; none; d by handle"},
      {.title = "a move hands on what it reads, also the first value",
       .nodes = XY "a neg (y) #1;b neg (x) #1;c abs (a) #2;d abs (b) #2",
       .values = FOUR TWO,
       .instructions = "move(0,2); neg(2,3) handle 1; move(3,4); abs(4,5) handle 2",
       .inputs = "0,1",
       .want = "b by handle; d by handle"},
      {.title = "arguments of a body are none of the inputs",
       .nodes = "x input;z input ^;y input;a neg (x) #1;b neg (y) #1",
       .values = FOUR,
       .instructions = "neg(1,2) handle 1; neg(0,3) handle 1",
       .inputs = "0,1",
       .want = "b by handle; a by handle"},
      {.title = "senseless values are no inputs",
       .nodes = XY "a neg (x) #1",
       .values = FOUR,
       .instructions = "neg(-1,2) handle 1; neg(0,-1) handle 1",
       .inputs = "0,1",
       .want = "a by handle; none"},
  };
  run_cases(cases, ETR_COUNT(cases));
}

/* ---- Delegates ---- */

Test(data_flow, delegated_nodes_are_matched_by_the_values_they_read) {
  static const flow_case cases[] = {
      {.title = "arguments of the call lead in",
       .nodes = XY "a neg (x) #1;b neg (y) #1;c abs (a) #2;d abs (b) #2",
       .values = FOUR TWO,
       .instructions = "neg(1,2) handle 1; neg(0,3) handle 1; delegate(2,3,4,5) handles 2,2",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;2x3 out2;2x3 out3",
       .xnodes = "Sqrt#2(0)>2 Sqrt#2(1)>3",
       .want = "b by handle; a by handle; (none, none)"},
      {.title = "and so an operator is the one that reads them",
       .nodes = XY "a neg (x) #1;b neg (y) #1;c sqrt (a) #2;d sqrt (b) #2",
       .values = FOUR TWO,
       .instructions = "neg(1,2) handle 1; neg(0,3) handle 1; delegate(2,3,4,5) handles 2,2",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;2x3 out2;2x3 out3",
       .xnodes = "Sqrt#2(0)>2 Sqrt#2(1)>3",
       .want = "b by handle; a by handle; (d, c)"},
      {.title = "results of the call lead out",
       .nodes = XY "a add (x,y) #1;b sub (x,y) #2;n neg (a) #3;m neg (b) #3",
       .values = FOUR TWO,
       .instructions = "delegate(0,1,2,3) handles 1,2; neg(2,4) handle 3; neg(3,5) handle 3",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;2x3 out3;2x3 out2",
       .xnodes = "Add#1(0,1)>2 Subtract#2(0,1)>3",
       .want = "(a, b); m by handle; n by handle"},
      {.title = "what a lowering inserted passes its value on",
       .nodes = XY "a sqrt (x) #1;b sqrt (y) #1",
       .values = FOUR,
       .instructions = "delegate(0,1,2,3) handles 1,1",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;3x2;3x2 out2;2x3 out3",
       .xnodes = "Transpose(1)>2 Sqrt#1(2)>3 Sqrt#1(0)>4",
       .want = "(none, b, a)"},
      {.title = "what computes and has no node does not: a guess, and what contradicts it",
       .nodes = XY "a sqrt (x) #1;b sqrt (y) #1",
       .values = FOUR,
       .instructions = "delegate(0,1,2,3) handles 1,1",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;2x3;2x3 out2;2x3 out3",
       .xnodes = "Sigmoid(1)>2 Sqrt#1(2)>3 Sqrt#1(0)>4",
       .want = "(none, a by order, none)"},
      {.title = "equal candidates inside",
       .nodes = XY "a add (x,y) #1;b add (x,y) #1",
       .values = FOUR,
       .instructions = "delegate(0,1,2,3) handles 1,1",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;2x3 out2;2x3 out3",
       .xnodes = "Add#1(0,1)>2 Add#1(0,1)>3",
       .want = "(a by order, b by order)"},
      {.title = "and by rank",
       .nodes = XY "a add (x,y) #1;b add (x,y) #1",
       .values = FOUR,
       .instructions = "delegate(0,1,2,3) handles 1,1",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;2x3 out2;2x3 out3",
       .xnodes = "Add#1(0,1)>2 Add#1(0,1)>3",
       .rank = "0,1,3,2",
       .want = "(b by order, a by order)"},
      {.title = "by shape, whatever the order of dimensions",
       .nodes = XY "a mean (x) #1 [2x1];b mean (x) #1 [1x3]",
       .values = TWO "[2x1];[1x3]",
       .instructions = "delegate(0,1,2,3) handles 1,1",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;3 out3;2 out2",
       .xnodes = "Copy#1(0)>2",
       .want = "(none)"},
      {.title = "expands that a pass removed are none of the reshapes, which are the views behind",
       .nodes = XY "e expand_copy (x) #1 [1x2x3];v view_copy (e) #1;f expand_copy (y) #1 [1x2x3];"
                   "w view_copy (f) #1;b bmm (v,w) #1 [2x2];u view_copy (b) #1 [1x2x2]",
       .values = TWO "[1x2x2]",
       .instructions = "delegate(0,1,2) handles 1,1,1,1",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;2x3;2x3;2x2;1x2x2 out2",
       .xnodes = "Reshape#1(0)>2 Reshape#1(1)>3 Bmm#1(2,3)>4 Reshape#1(4)>5",
       .want = "(v, w, b, u)"},
      {.title = "a conversion and the way back share a handle: the one to integers writes such",
       .nodes = XY "q quantize_per_tensor (x) #1 [i8:2x3];d dequantize_per_tensor (q) #1",
       .values = FOUR,
       .instructions = "delegate(0,1,2) handles 1,1",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 q;2x3 out2",
       .xnodes = "Convert#1(0)>1 Convert#1(1)>2",
       .want = "(q, d)"},
      {.title = "the same where the way back comes first",
       .nodes = "x input [i8:2x3];y input;d dequantize_per_tensor (x) #1;q quantize_per_tensor (d) "
                "#1 [i8:2x3]",
       .values = FOUR,
       .instructions = "delegate(0,1,2) handles 1,1",
       .inputs = "0,1",
       .payload_values = "2x3 in0 q;2x3;2x3 q out2",
       .xnodes = "Convert#1(0)>1 Convert#1(1)>2",
       .want = "(d, q)"},
      {.title = "also where it is not known what they read",
       .nodes = "x input;q quantize_per_tensor (x) #1 [i8:2x3];d dequantize_per_tensor (q) #1",
       .values = TWO,
       .instructions = "delegate(0,1) handles 1,1",
       .inputs = "",
       .payload_values = "2x3 in0;2x3 out1",
       .xnodes = "Convert#1(0)>1",
       .want = "(d)"},
      {.title = "weights are ignored",
       .nodes = XY "w weight;a linear (x,w) #1;b linear (y,w) #1",
       .values = FOUR,
       .instructions = "delegate(0,1,2,3) handles 1,1",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;3x3 const;2x3 out2;2x3 out3",
       .xnodes = "FullyConnected#1(1,2)>3 FullyConnected#1(0,2)>4",
       .want = "(b, a)"},
      {.title = "an operator without a handle is what reads its value and loses it",
       .nodes = XY "w weight;a addmm (w,x,w) #1;b addmm (w,y,w) #2",
       .values = FOUR,
       .instructions = "delegate(0,1,2,3) handles 1,2",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;3x3 const;2x3 out2;2x3 out3",
       .xnodes = "FullyConnected(1,2)>3 FullyConnected(0,2)>4",
       .want = "(b, a)"},
      {.title = "of two readers, order decides; one of another shape is none",
       .nodes = XY
       "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2;c addmm (w,y,w) #3;d addmm (w,y,w) #4 [2x5]",
       .values = FOUR,
       .instructions = "delegate(0,1,2,3) handles 1,2,3,4",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;3x3 const;2x3 out2;2x3 out3",
       .xnodes = "FullyConnected(0,2)>3 FullyConnected(1,2)>4 FullyConnected(0,2)>3",
       .want = "(a by order, c, b by order)"},
      {.title = "that is the order of the lowering, where it is known",
       .nodes = XY "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2",
       .values = FOUR,
       .instructions = "delegate(0,1,2,3) handles 1,2",
       .inputs = "0,1",
       .payload_values = "2x3 in0;3x3 const;2x3 out2;2x3 out3",
       .xnodes = "FullyConnected(0,1)>2 FullyConnected(0,1)>3",
       .rank = "0,1,2,4,3",
       .want = "(b by order, a by order)"},
      {.title = "of two readers, order decides, whatever their own readers are",
       .nodes = XY
       "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2;s sigmoid (a) #3;t sigmoid (b) #4",
       .values = FOUR,
       .instructions = "delegate(0,1,2,3) handles 1,2,3,4",
       .inputs = "0,1",
       .payload_values = "2x3 in0;3x3 const;2x3;2x3;2x3 out2;2x3 out3",
       .xnodes = "FullyConnected(0,1)>2 FullyConnected(0,1)>3 Sigmoid#4(2)>4 Sigmoid#3(3)>5",
       .want = "(a by order, b by order, t, s)"},
      {.title = "the same behind a transpose that the lowering inserted",
       .nodes = XY
       "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2;s sigmoid (a) #3;t sigmoid (b) #4",
       .values = FOUR,
       .instructions = "delegate(0,1,2,3) handles 1,2,3,4",
       .inputs = "0,1",
       .payload_values = "2x3 in0;3x3 const;2x3;3x2;2x3 out2;2x3 out3",
       .xnodes = "FullyConnected(0,1)>2 Transpose(2)>3 Sigmoid#4(3)>4",
       .want = "(a by order, none, t)"},
      {.title = "a reader with the handle of both readers decides nothing",
       .nodes = XY
       "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2;s sigmoid (a) #3;t sigmoid (b) #3",
       .values = FOUR,
       .instructions = "delegate(0,1,2,3) handles 1,2,3",
       .inputs = "0,1",
       .payload_values = "2x3 in0;3x3 const;2x3;2x3 out2",
       .xnodes = "FullyConnected(0,1)>2 Sigmoid#3(2)>3",
       .want = "(a by order, s by order)"},
      {.title = "the last of equal candidates is no more certain",
       .nodes = XY
       "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2;c addmm (w,x,w) #3;s sigmoid (c) #4",
       .values = FOUR,
       .instructions = "delegate(0,1,2,3) handles 1,2,3,4",
       .inputs = "0,1",
       .payload_values = "2x3 in0;3x3 const;2x3;2x3;2x3;2x3 out2",
       .xnodes = "FullyConnected(0,1)>2 FullyConnected(0,1)>3 FullyConnected(0,1)>4 Sigmoid#4(4)>5",
       .want = "(a by order, b by order, c by order, s)"},
      {.title = "a linear layer keeps the dimensions that its product has as one",
       .nodes =
           "x input [4x2x3];y input;w weight;v view_copy (x) #1 [8x3];a addmm (w,v,w) #1 [8x5];"
           "u view_copy (a) #1 [4x2x5]",
       .values = "[4x2x3];[2x3];[4x2x5];",
       .instructions = "delegate(0,1,2) handle 1",
       .inputs = "0,1",
       .payload_values = "4x2x3 in0;5x3 const;4x2x5 out2",
       .xnodes = "FullyConnected(0,1)>2",
       .want = "(a)"},
      {.title = "but not others",
       .nodes =
           "x input [4x2x3];y input;w weight;v view_copy (x) #1 [6x4];a addmm (w,v,w) #1 [6x5]",
       .values = "[4x2x3];[2x3];[4x2x5];",
       .instructions = "delegate(0,1,2) handle 1",
       .inputs = "0,1",
       .payload_values = "4x2x3 in0;5x3 const;4x2x5 out2",
       .xnodes = "FullyConnected(0,1)>2",
       .want = "(none)"},
      {.title = "a product that the delegate does not hold is none",
       .nodes = XY "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2",
       .values = FOUR,
       .instructions = "delegate(0,1,2) handle 2",
       .inputs = "0,1",
       .payload_values = "2x3 in0;3x3 const;2x3 out2",
       .xnodes = "FullyConnected(0,1)>2",
       .want = "(b)"},
      {.title = "what keeps its handle is not it",
       .nodes = XY "w weight;a linear (x,w) #1",
       .values = FOUR,
       .instructions = "delegate(0,1,2) handle 1",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;3x3 const;2x3 out2",
       .xnodes = "FullyConnected(0,2)>3",
       .want = "(none)"},
      {.title = "a batch norm that runs by itself, rather than one that may be folded",
       .nodes = XY "w weight;c convolution (x,w) #1;b native_batch_norm (c) #2;s sigmoid (b) #3;n "
                   "native_batch_norm (s) #4",
       .values = FOUR,
       .instructions = "delegate(0,1,2) handles 1,2,3,4",
       .inputs = "0,1",
       .payload_values = "2x3 in0;3x3 const;2x3;2x3;2x3 out2",
       .xnodes = "Conv2d#1(0,1,1)>2 Sigmoid#3(2)>3 Conv2d(3,1,1)>4",
       .want = "(c, s, n)"},
      {.title = "rather the product behind a batch norm than that, which was folded",
       .nodes = XY "w weight;c convolution (x,w) #1;b native_batch_norm (c) #2;m addmm (w,b,w) #3",
       .values = FOUR,
       .instructions = "delegate(0,1,2) handles 1,2,3",
       .inputs = "0,1",
       .payload_values = "2x3 in0;3x3 const;2x3;2x3 out2",
       .xnodes = "Conv2d#1(0,1,1)>2 FullyConnected(2,1)>3",
       .want = "(c, m)"},
      {.title = "a concatenation in parts is one node",
       .nodes = XY "a cat (x,y,x,y,x,y) #1 [12x3]",
       .values = TWO "[12x3]",
       .instructions = "delegate(0,1,2) handle 1",
       .inputs = "0,1",
       .payload_values = "2x3 in0;2x3 in1;10x3;12x3 out2",
       .xnodes = "Concatenate5#1(0,1,0,1)>2 Concatenate2(2,1)>3",
       .want = "(a, a)"},
      {.title = "a payload that cannot be read is none, and what the call writes is not known",
       .nodes = XY "a add (x,y) #1;b sub (x,y) #2;n neg (b) #3;m neg (a) #3",
       .values = FOUR TWO,
       .instructions = "delegate(0,1,2,3) handles 1,2; neg(2,4) handle 3",
       .inputs = "0,1",
       .want = "payload not read; n by aligned"},
      {.title = "nor is what an unknown backend writes",
       .nodes = XY "a add (x,y) #1;b sub (x,y) #2;n neg (b) #3;m neg (a) #3",
       .values = FOUR TWO,
       .instructions = "delegate(0,1,2,3) handles 1,2; neg(2,4) handle 3",
       .inputs = "0,1",
       .backend = "SomeBackend",
       .payload_values = "2x3 in0;2x3 in1;2x3 out2;2x3 out3",
       .xnodes = "Add#1(0,1)>2 Subtract#2(0,1)>3",
       .want = "payload not read; n by aligned"},
      {.title = "not even where something else was stored before",
       .nodes = XY "k abs (x) #4;a add (k,y) #1;n neg (a) #3;m neg (k) #3",
       .values = TWO "[2x3] at 7;[2x3] at 7;" TWO,
       .instructions = "abs(0,2) handle 4; delegate(2,1,3) handle 1; neg(3,4) handle 3",
       .inputs = "0,1",
       .backend = "SomeBackend",
       .want = "k by handle; payload not read; n by aligned"},
      {.title = "but what it reads stays known",
       .nodes = XY "k abs (x) #4;a add (k,y) #1;n neg (a) #3;m neg (k) #3",
       .values = TWO "[2x3] at 7;[2x3] at 8;" TWO,
       .instructions = "abs(0,2) handle 4; delegate(2,1,3) handle 1; neg(2,4) handle 3",
       .inputs = "0,1",
       .backend = "SomeBackend",
       .want = "k by handle; payload not read; m by handle"},
  };
  run_cases(cases, ETR_COUNT(cases));
}
