/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_data_flow.c - which node each instruction is, by what it reads: one rule a case, "cannot tell" included.
 *
 * A program is
 *   values        joined by ';': a tensor's "[2x3]" as in tiny_graph.h, then "@7" (where it is stored), "const", "dyn";
 * "(1,2)" a list of tensors; "int" instructions  joined by ' ': "add(0,1,2)" is aten::add of these values; "!0(0,2)"
 * calls delegate 0 inputs        values joined by ',' map           joined by ' ': "INSTRUCTION=HANDLE,HANDLE", with
 * "!" a delegate's want has of each instruction, joined by ' ': "NODE/MATCH", "-"; of a delegate its operators' nodes,
 * "(a,b?,-)", '?' where order told; "!" if its payload was not read.
 */
#include "backends/operator.h"
#include "place/data_flow.h"
#include "tiny_xnnpack.h"

typedef struct flow_case {
  const char *title, *nodes, *values, *instructions, *inputs, *map;
  const char *backend, *payload_values, *xnodes; /* of delegate 0 */
  const char *rank;                              /* per node; NULL: not known */
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
      for (int32_t i = 0; i < tensor.rank; i++) sizes[i] = (int32_t)tensor.dims[i].size;
      *value = (etr_pte_value){
          .kind = ETR_PTE_VALUE_TENSOR, .dtype = tensor.dtype, .sizes = sizes, .rank = tensor.rank};
    } else if (*token == '(') {
      token[strlen(token) - 1] = '\0';
      value->kind = ETR_PTE_VALUE_TENSOR_LIST;
      value->items = (const int32_t *)tiny_numbers(arena, token + 1, &value->item_count);
    } else if (*token == '@') {
      value->storage = (uint64_t)atoi(token + 1);
    } else {
      value->constant |= strcmp(token, "const") == 0;
      value->dynamic |= strcmp(token, "dyn") == 0;
      if (strcmp(token, "int") == 0) value->kind = ETR_PTE_VALUE_INT;
    }
  }
}

static void parse_instruction(etr_arena *arena, etr_instruction *out, char *text) {
  char *arguments = strchr(text, '(');
  *arguments++ = '\0';
  arguments[strlen(arguments) - 1] = '\0';
  *out = (etr_instruction){.kind = *text == '!' ? ETR_INSTRUCTION_DELEGATE : ETR_INSTRUCTION_KERNEL, .delegate = -1};
  out->args = (const int32_t *)tiny_numbers(arena, arguments, &out->arg_count);
  if (*text == '!')
    out->delegate = atoi(text + 1);
  else
    out->op = strchr(text, ':') ? text : etr_arena_format(arena, "aten::%s", text);
}

static const etr_pte_method *make_program(etr_arena *arena, const flow_case *c) {
  etr_pte_method *program = etr_arena_alloc(arena, sizeof *program);
  etr_pte_value *values = etr_arena_alloc_array(arena, 64, sizeof *values);
  etr_instruction *instructions = etr_arena_alloc_array(arena, 16, sizeof *instructions);
  etr_pte_delegate *delegate = etr_arena_alloc(arena, sizeof *delegate);
  char *rest = etr_arena_copy(arena, etr_slice_of(c->values));
  *program = (etr_pte_method){
      .values = values, .instructions = instructions, .delegates = delegate, .delegate_count = 1};
  for (char *piece; (piece = tiny_piece(&rest, ";"));) parse_value(arena, &values[program->value_count++], piece);
  rest = etr_arena_copy(arena, etr_slice_of(c->instructions));
  for (char *piece; (piece = tiny_piece(&rest, " "));)
    parse_instruction(arena, &instructions[program->instruction_count++], piece);
  program->inputs = (const int32_t *)tiny_numbers(arena, c->inputs, &program->input_count);
  delegate->backend = c->backend ? c->backend : "XnnpackBackend";
  delegate->payload = c->xnodes ? tiny_xnnpack(arena, c->payload_values, c->xnodes) : ETR_SLICE("no payload at all");
  return program;
}

static const etr_map_method *make_map(etr_arena *arena, const flow_case *c) {
  etr_map_method *map = etr_arena_alloc(arena, sizeof *map);
  etr_map_instruction *list = etr_arena_alloc_array(arena, 16, sizeof *list);
  char *rest = etr_arena_copy(arena, etr_slice_of(c->map));
  map->instructions = list;
  for (char *piece; (piece = tiny_piece(&rest, " "));) {
    etr_map_instruction *added = &list[map->instruction_count++];
    *added = (etr_map_instruction){.id = atoi(piece), .is_delegate = strchr(piece, '!') != NULL};
    if (added->is_delegate) added->backend = c->backend ? c->backend : "XnnpackBackend";
    added->handles = tiny_numbers(arena, strchr(piece, '=') + 1, &added->handle_count);
  }
  return map;
}

/* Per node, the delegate that lists its handle; -1. */
static int32_t *make_delegate_of(etr_arena *arena, const etr_placement *placement) {
  const etr_graph *graph = placement->method->graph;
  int32_t *delegate_of = etr_arena_alloc_array(arena, graph->node_count, sizeof *delegate_of);
  for (size_t i = 0; i < graph->node_count; i++) {
    delegate_of[i] = -1;
    for (size_t k = 0; k < placement->instructions.count; k++) {
      const etr_placed *placed = &placement->instructions.data[k];
      for (size_t h = 0; placed->is_delegate && placed->map && h < placed->map->handle_count; h++)
        if (placed->map->handles[h] == graph->nodes[i].debug_handle) delegate_of[i] = placed->id;
    }
  }
  return delegate_of;
}

/* ---- What came out ---- */

static size_t describe(char *out, size_t size, const tiny_graph *g, const etr_placed *instruction) {
  size_t used = 0;
  if (!instruction->is_delegate)
    return (size_t)(instruction->node == ETR_NONE ? snprintf(out, size, "- ")
                                                  : snprintf(out, size, "%s/%s ", tiny_name(g, instruction->node),
                                                             etr_match_name(instruction->match)));
  if (!instruction->payload) return (size_t)snprintf(out, size, "! ");
  for (size_t i = 0; i < instruction->payload->count; i++)
    used += (size_t)snprintf(out + used, size - used, "%c%s%s", i ? ',' : '(',
                             tiny_name(g, instruction->operator_nodes[i]),
                             instruction->operator_by_order[i] ? "?" : "");
  return used + (size_t)snprintf(out + used, size - used, ") ");
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
  etr_payloads_init(&payloads, &arena);
  size_t count, used = 0;
  bool *taken = etr_arena_alloc_array(&arena, g->graph.node_count, sizeof *taken);
  cr_assert(etr_method_index_nodes(&method, &arena));
  cr_assert(etr_instructions_collect(&placement, 0, &blocks, &arena, &arena));
  etr_lowering order = {0};
  if (c->rank) {
    uint32_t *node_of = etr_arena_alloc_array(&arena, placement.instructions.count, sizeof *node_of);
    for (size_t i = 0; i < placement.instructions.count; i++) node_of[i] = ETR_NONE;
    order = (etr_lowering){.is_proven = true,
                           .rank = tiny_numbers(&arena, c->rank, &count),
                           .node_of = node_of,
                           .delegate_of = make_delegate_of(&arena, &placement)};
  }
  bool is_cut;
  cr_assert(etr_data_flow_find(&placement, &order, taken, &is_cut, &arena, &arena));
  for (size_t i = 0; i < placement.instructions.count; i++)
    used += describe(out + used, size - used, g, &placement.instructions.data[i]);
  if (used) out[used - 1] = '\0';
  for (size_t i = 0; i < placement.instructions.count; i++)
    cr_expect(placement.instructions.data[i].node == ETR_NONE || taken[placement.instructions.data[i].node],
              "%s: not taken", c->title);
  etr_arena_clear(&arena);
}

static void run_cases(const flow_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char got[256] = "";
    run_case(&cases[i], got, sizeof got);
    cr_expect_str_eq(got, cases[i].want, "%s: got '%s', want '%s'", cases[i].title, got, cases[i].want);
  }
}

/* ---- Kernels ---- */

#define XY "x input;y input;"
#define TENSOR "[2x3];"
#define TWO TENSOR TENSOR
#define FOUR TWO TWO

Test(data_flow, kernels) {
  static const flow_case cases[] = {
      {.title = "by producer: one handle and operator, other inputs",
       .nodes = XY "a mul (x,y) #1;b mul (y,y) #1",
       .values = FOUR,
       .instructions = "mul(1,1,2) mul(0,1,3)",
       .inputs = "0,1",
       .map = "0=1 1=1",
       .want = "b/handle a/handle"},
      {.title = "by producer of a producer",
       .nodes = XY "a neg (x) #1;b neg (y) #1;c abs (a) #2;d abs (b) #2",
       .values = FOUR TWO,
       .instructions = "neg(1,2) neg(0,3) abs(3,4) abs(2,5)",
       .inputs = "0,1",
       .map = "0=1 1=1 2=2 3=2",
       .want = "b/handle a/handle c/handle d/handle"},
      {.title = "by place: a - b is not b - a",
       .nodes = XY "a sub (x,y) #1;b sub (y,x) #1",
       .values = FOUR,
       .instructions = "sub(1,0,2) sub(0,1,3)",
       .inputs = "0,1",
       .map = "0=1 1=1",
       .want = "b/handle a/handle"},
      {.title = "by shape",
       .nodes = XY "a sum (x) #1 [2];b sum (x) #1 [3]",
       .values = TWO "[3];[2]",
       .instructions = "sum(0,2) sum(0,3)",
       .inputs = "0,1",
       .map = "0=1 1=1",
       .want = "b/handle a/handle"},
      {.title = "a dynamic shape is no reason, nor is a symbolic one",
       .nodes = XY "a sum (x) #1 [2];b sum (y) #1 [sx3]",
       .values = TWO "[3] dyn;[5x3]",
       .instructions = "sum(0,2) sum(1,3)",
       .inputs = "0,1",
       .map = "0=1 1=1",
       .want = "a/handle b/handle"},
      {.title = "by number type",
       .nodes = XY "a to_copy (x) #1 [i8:2x3];b to_copy (x) #1 [f16:2x3]",
       .values = TWO "[f16:2x3];[i8:2x3]",
       .instructions = "to_copy(0,2) to_copy(0,3)",
       .inputs = "0,1",
       .map = "0=1 1=1",
       .want = "b/handle a/handle"},
      {.title = "a shape that no node has gives no node, and what reads it reads the unknown",
       .nodes = XY "a sum (x) #1 [2];n neg (x) #2;m neg (a) #2",
       .values = TWO "[3];" TWO,
       .instructions = "sum(0,2) neg(2,3) neg(0,4)",
       .inputs = "0,1",
       .map = "0=1 1=2 2=2",
       .want = "- n/aligned -"},
      {.title = "an elided view is its base: same place, as many elements",
       .nodes = XY
       "a add (x,y) #1;s sub (x,y) #2;v view_copy (a) #3 [6];w view_copy (s) #4 [6];n neg (v) #5 [6];m neg (w) #5 [6]",
       .values = TWO "[2x3] @7;[2x3] @8;[6] @8;[6] @9;[6] @7;[6] @10",
       .instructions = "add(0,1,2) sub(0,1,3) neg(4,5) neg(6,7)",
       .inputs = "0,1",
       .map = "0=1 1=2 2=5 3=5",
       .want = "a/handle s/handle m/handle n/handle"},
      {.title = "what is stored there last counts",
       .nodes = XY
       "a add (x,y) #1;s sub (a,y) #2;v view_copy (a) #3 [6];w view_copy (s) #4 [6];n neg (v) #5 [6];m neg (w) #5 [6]",
       .values = TWO "[2x3] @7;[2x3] @7;[6] @7;[6] @9",
       .instructions = "add(0,1,2) sub(2,1,3) neg(4,5)",
       .inputs = "0,1",
       .map = "0=1 1=2 2=5",
       .want = "a/handle s/handle m/handle"},
      {.title = "other sizes at that place are no view",
       .nodes = XY "a add (x,y) #1;s sub (x,y) #2;n neg (a) #5;m neg (s) #5",
       .values = TWO "[2x3] @7;[2x3] @8;[2] @8;[2x3] @9",
       .instructions = "add(0,1,2) sub(0,1,3) neg(4,5)",
       .inputs = "0,1",
       .map = "0=1 1=2 2=5",
       .want = "a/handle s/handle n/aligned"},
      {.title = "weights are left out, wherever they stand",
       .nodes = "w weight;" XY "a linear (w,x) #1;b linear (w,y) #1",
       .values = TWO "[2x3] const;" TWO,
       .instructions = "linear(1,2,3) linear(0,2,4)",
       .inputs = "0,1",
       .map = "0=1 1=1",
       .want = "b/handle a/handle"},
      {.title = "what reads nothing but weights is no reader of inputs",
       .nodes = "w weight;" XY "a neg (x) #1;b neg (w) #1",
       .values = TWO "[2x3] const;" TWO,
       .instructions = "neg(2,3) neg(0,4)",
       .inputs = "0,1",
       .map = "0=1 1=1",
       .want = "b/handle a/handle"},
      {.title = "lists: what is joined, and what is torn",
       .nodes = XY "p split (x) #1 [1x3] [1x3];a cat (p.1,y) #2;b cat (p,y) #2",
       .values = TWO "[1x3];[1x3];(2,3);(2,1);(3,1);" TWO,
       .instructions = "split(0,4) cat(5,7) cat(6,8)",
       .inputs = "0,1",
       .map = "0=1 1=2 2=2",
       .want = "p/handle b/handle a/handle"},
      {.title = "what it writes is not what it reads, whatever lay there",
       .nodes = XY "a split (y) #1 [2x3] [2x3];b split (x) #1 [2x3] [2x3]",
       .values = "[2x3];[2x3] @7;[2x3] @7;[2x3] @7;(2,3)",
       .instructions = "split(0,4)",
       .inputs = "0,1",
       .map = "0=1",
       .want = "b/handle"},
      {.title = "numbers are no inputs",
       .nodes = XY "a mul (x) #1;b mul (y) #1",
       .values = TWO "int;" TWO,
       .instructions = "mul(1,2,3) mul(0,2,4)",
       .inputs = "0,1",
       .map = "0=1 1=1",
       .want = "b/handle a/handle"},
      {.title = "twins by the graph's order, and said so",
       .nodes = XY "a add (x,y) #1;b add (x,y) #1",
       .values = FOUR,
       .instructions = "add(0,1,2) add(0,1,3)",
       .inputs = "0,1",
       .map = "0=1 1=1",
       .want = "a/aligned b/aligned"},
      {.title = "twins by the order of lowering, where that is known",
       .nodes = XY "a add (x,y) #1;b add (x,y) #1",
       .values = FOUR,
       .instructions = "add(0,1,2) add(0,1,3)",
       .inputs = "0,1",
       .map = "0=1 1=1",
       .rank = "0,1,3,2",
       .want = "b/order a/order"},
      {.title = "the runtime's own kernels are no node's",
       .nodes = XY "a add (x,y) #1",
       .values = FOUR,
       .instructions = "executorch_prim::add(0,1,2)",
       .inputs = "0,1",
       .map = "0=1",
       .want = "-"},
      {.title = "a kernel that the map does not name, and one of another handle",
       .nodes = XY "a add (x,y) #1",
       .values = FOUR,
       .instructions = "add(0,1,2) add(0,1,3)",
       .inputs = "0,1",
       .map = "1=2",
       .want = "- -"},
      {.title = "an operator that was replaced",
       .nodes = XY "a add (x,y) #1",
       .values = FOUR,
       .instructions = "mul(0,1,2)",
       .inputs = "0,1",
       .map = "0=1",
       .want = "-"},
      {.title = "as many inputs as the graph has, or none is known",
       .nodes = XY "a neg (x) #1;b neg (y) #1",
       .values = FOUR,
       .instructions = "neg(1,2)",
       .inputs = "1",
       .map = "0=1",
       .want = "a/aligned"},
      {.title = "a view of the runtime's own is what it views",
       .nodes = XY "a neg (x) #1;b neg (y) #1;c abs (a) #2;d abs (b) #2",
       .values = FOUR "[6] dyn;" TENSOR "int",
       .instructions = "neg(1,2) executorch_prim::et_view(2,6,4) abs(4,5)",
       .inputs = "0,1",
       .map = "0=1 1=9 2=2",
       .want = "b/handle - d/handle"},
      {.title = "arguments of a body are none of the inputs",
       .nodes = "x input;z input ^;y input;a neg (x) #1;b neg (y) #1",
       .values = FOUR,
       .instructions = "neg(1,2) neg(0,3)",
       .inputs = "0,1",
       .map = "0=1 1=1",
       .want = "b/handle a/handle"},
      {.title = "senseless values are no inputs",
       .nodes = XY "a neg (x) #1",
       .values = FOUR,
       .instructions = "neg(-1,2) neg(0,-1)",
       .inputs = "0,1",
       .map = "0=1 1=1",
       .want = "a/handle -"},
  };
  run_cases(cases, ETR_COUNT(cases));
}

/* ---- Delegates ---- */

Test(data_flow, delegates) {
  static const flow_case cases[] = {
      {.title = "arguments of the call lead in",
       .nodes = XY "a neg (x) #1;b neg (y) #1;c abs (a) #2;d abs (b) #2",
       .values = FOUR TWO,
       .instructions = "neg(1,2) neg(0,3) !0(2,3,4,5)",
       .inputs = "0,1",
       .map = "0=1 1=1 2=2,2!",
       .payload_values = "2x3 in0;2x3 in1;2x3 out2;2x3 out3",
       .xnodes = "Sqrt#2(0)>2 Sqrt#2(1)>3",
       .want = "b/handle a/handle (-,-)"},
      {.title = "and so an operator is the one that reads them",
       .nodes = XY "a neg (x) #1;b neg (y) #1;c sqrt (a) #2;d sqrt (b) #2",
       .values = FOUR TWO,
       .instructions = "neg(1,2) neg(0,3) !0(2,3,4,5)",
       .inputs = "0,1",
       .map = "0=1 1=1 2=2,2!",
       .payload_values = "2x3 in0;2x3 in1;2x3 out2;2x3 out3",
       .xnodes = "Sqrt#2(0)>2 Sqrt#2(1)>3",
       .want = "b/handle a/handle (d,c)"},
      {.title = "results of the call lead out",
       .nodes = XY "a add (x,y) #1;b sub (x,y) #2;n neg (a) #3;m neg (b) #3",
       .values = FOUR TWO,
       .instructions = "!0(0,1,2,3) neg(2,4) neg(3,5)",
       .inputs = "0,1",
       .map = "0=1,2! 1=3 2=3",
       .payload_values = "2x3 in0;2x3 in1;2x3 out3;2x3 out2",
       .xnodes = "Add#1(0,1)>2 Subtract#2(0,1)>3",
       .want = "(a,b) m/handle n/handle"},
      {.title = "what a lowering inserted passes its value on",
       .nodes = XY "a sqrt (x) #1;b sqrt (y) #1",
       .values = FOUR,
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,1!",
       .payload_values = "2x3 in0;2x3 in1;3x2;3x2 out2;2x3 out3",
       .xnodes = "Transpose(1)>2 Sqrt#1(2)>3 Sqrt#1(0)>4",
       .want = "(-,b,a)"},
      {.title = "what computes and has no node does not: a guess, and what contradicts it",
       .nodes = XY "a sqrt (x) #1;b sqrt (y) #1",
       .values = FOUR,
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,1!",
       .payload_values = "2x3 in0;2x3 in1;2x3;2x3 out2;2x3 out3",
       .xnodes = "Sigmoid(1)>2 Sqrt#1(2)>3 Sqrt#1(0)>4",
       .want = "(-,a?,-)"},
      {.title = "twins inside",
       .nodes = XY "a add (x,y) #1;b add (x,y) #1",
       .values = FOUR,
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,1!",
       .payload_values = "2x3 in0;2x3 in1;2x3 out2;2x3 out3",
       .xnodes = "Add#1(0,1)>2 Add#1(0,1)>3",
       .want = "(a?,b?)"},
      {.title = "and by rank",
       .nodes = XY "a add (x,y) #1;b add (x,y) #1",
       .values = FOUR,
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,1!",
       .payload_values = "2x3 in0;2x3 in1;2x3 out2;2x3 out3",
       .xnodes = "Add#1(0,1)>2 Add#1(0,1)>3",
       .rank = "0,1,3,2",
       .want = "(b?,a?)"},
      {.title = "by shape, whatever the order of dimensions",
       .nodes = XY "a mean (x) #1 [2x1];b mean (x) #1 [1x3]",
       .values = TWO "[2x1];[1x3]",
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,1!",
       .payload_values = "2x3 in0;2x3 in1;3 out3;2 out2",
       .xnodes = "Copy#1(0)>2",
       .want = "(-)"},
      {.title = "a conversion and the way back share a handle: the one to integers writes such",
       .nodes = XY "q quantize_per_tensor (x) #1 [i8:2x3];d dequantize_per_tensor (q) #1",
       .values = FOUR,
       .instructions = "!0(0,1,2)",
       .inputs = "0,1",
       .map = "0=1,1!",
       .payload_values = "2x3 in0;2x3 q;2x3 out2",
       .xnodes = "Convert#1(0)>1 Convert#1(1)>2",
       .want = "(q,d)"},
      {.title = "the same where the way back comes first",
       .nodes = "x input [i8:2x3];y input;d dequantize_per_tensor (x) #1;q quantize_per_tensor (d) #1 [i8:2x3]",
       .values = FOUR,
       .instructions = "!0(0,1,2)",
       .inputs = "0,1",
       .map = "0=1,1!",
       .payload_values = "2x3 in0 q;2x3;2x3 q out2",
       .xnodes = "Convert#1(0)>1 Convert#1(1)>2",
       .want = "(d,q)"},
      {.title = "also where it is not known what they read",
       .nodes = "x input;q quantize_per_tensor (x) #1 [i8:2x3];d dequantize_per_tensor (q) #1",
       .values = TWO,
       .instructions = "!0(0,1)",
       .inputs = "",
       .map = "0=1,1!",
       .payload_values = "2x3 in0;2x3 out1",
       .xnodes = "Convert#1(0)>1",
       .want = "(d)"},
      {.title = "weights are left out",
       .nodes = XY "w weight;a linear (x,w) #1;b linear (y,w) #1",
       .values = FOUR,
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,1!",
       .payload_values = "2x3 in0;2x3 in1;3x3 const;2x3 out2;2x3 out3",
       .xnodes = "FullyConnected#1(1,2)>3 FullyConnected#1(0,2)>4",
       .want = "(b,a)"},
      {.title = "an operator without a handle is what reads its value and loses it",
       .nodes = XY "w weight;a addmm (w,x,w) #1;b addmm (w,y,w) #2",
       .values = FOUR,
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,2!",
       .payload_values = "2x3 in0;2x3 in1;3x3 const;2x3 out2;2x3 out3",
       .xnodes = "FullyConnected(1,2)>3 FullyConnected(0,2)>4",
       .want = "(b,a)"},
      {.title = "of two that read it, order tells; one of another shape is none",
       .nodes = XY "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2;c addmm (w,y,w) #3;d addmm (w,y,w) #4 [2x5]",
       .values = FOUR,
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,2,3,4!",
       .payload_values = "2x3 in0;2x3 in1;3x3 const;2x3 out2;2x3 out3",
       .xnodes = "FullyConnected(0,2)>3 FullyConnected(1,2)>4 FullyConnected(0,2)>3",
       .want = "(a?,c,b?)"},
      {.title = "that is the order of the lowering, where it is known",
       .nodes = XY "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2",
       .values = FOUR,
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,2!",
       .payload_values = "2x3 in0;3x3 const;2x3 out2;2x3 out3",
       .xnodes = "FullyConnected(0,1)>2 FullyConnected(0,1)>3",
       .rank = "0,1,2,4,3",
       .want = "(b?,a?)"},
      {.title = "of two that read it, order tells, whatever their readers are",
       .nodes = XY "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2;s sigmoid (a) #3;t sigmoid (b) #4",
       .values = FOUR,
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,2,3,4!",
       .payload_values = "2x3 in0;3x3 const;2x3;2x3;2x3 out2;2x3 out3",
       .xnodes = "FullyConnected(0,1)>2 FullyConnected(0,1)>3 Sigmoid#4(2)>4 Sigmoid#3(3)>5",
       .want = "(a?,b?,t,s)"},
      {.title = "the same behind a transpose that the lowering inserted",
       .nodes = XY "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2;s sigmoid (a) #3;t sigmoid (b) #4",
       .values = FOUR,
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,2,3,4!",
       .payload_values = "2x3 in0;3x3 const;2x3;3x2;2x3 out2;2x3 out3",
       .xnodes = "FullyConnected(0,1)>2 Transpose(2)>3 Sigmoid#4(3)>4",
       .want = "(a?,-,t)"},
      {.title = "a reader with the handle of both readers tells nothing",
       .nodes = XY "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2;s sigmoid (a) #3;t sigmoid (b) #3",
       .values = FOUR,
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,2,3!",
       .payload_values = "2x3 in0;3x3 const;2x3;2x3 out2",
       .xnodes = "FullyConnected(0,1)>2 Sigmoid#3(2)>3",
       .want = "(a?,s?)"},
      {.title = "what is left of twins is no surer",
       .nodes = XY "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2;c addmm (w,x,w) #3;s sigmoid (c) #4",
       .values = FOUR,
       .instructions = "!0(0,1,2,3)",
       .inputs = "0,1",
       .map = "0=1,2,3,4!",
       .payload_values = "2x3 in0;3x3 const;2x3;2x3;2x3;2x3 out2",
       .xnodes = "FullyConnected(0,1)>2 FullyConnected(0,1)>3 FullyConnected(0,1)>4 Sigmoid#4(4)>5",
       .want = "(a?,b?,c?,s)"},
      {.title = "a linear layer keeps the dimensions that its product has as one",
       .nodes = "x input [4x2x3];y input;w weight;v view_copy (x) #1 [8x3];a addmm (w,v,w) #1 [8x5];"
                "u view_copy (a) #1 [4x2x5]",
       .values = "[4x2x3];[2x3];[4x2x5];",
       .instructions = "!0(0,1,2)",
       .inputs = "0,1",
       .map = "0=1!",
       .payload_values = "4x2x3 in0;5x3 const;4x2x5 out2",
       .xnodes = "FullyConnected(0,1)>2",
       .want = "(a)"},
      {.title = "but not others",
       .nodes = "x input [4x2x3];y input;w weight;v view_copy (x) #1 [6x4];a addmm (w,v,w) #1 [6x5]",
       .values = "[4x2x3];[2x3];[4x2x5];",
       .instructions = "!0(0,1,2)",
       .inputs = "0,1",
       .map = "0=1!",
       .payload_values = "4x2x3 in0;5x3 const;4x2x5 out2",
       .xnodes = "FullyConnected(0,1)>2",
       .want = "(-)"},
      {.title = "a product that the delegate does not hold is none",
       .nodes = XY "w weight;a addmm (w,x,w) #1;b addmm (w,x,w) #2",
       .values = FOUR,
       .instructions = "!0(0,1,2)",
       .inputs = "0,1",
       .map = "0=2!",
       .payload_values = "2x3 in0;3x3 const;2x3 out2",
       .xnodes = "FullyConnected(0,1)>2",
       .want = "(b)"},
      {.title = "what keeps its handle is not it",
       .nodes = XY "w weight;a linear (x,w) #1",
       .values = FOUR,
       .instructions = "!0(0,1,2)",
       .inputs = "0,1",
       .map = "0=1!",
       .payload_values = "2x3 in0;2x3 in1;3x3 const;2x3 out2",
       .xnodes = "FullyConnected(0,2)>3",
       .want = "(-)"},
      {.title = "a batch norm that runs by itself, rather than one that may be folded",
       .nodes = XY
       "w weight;c convolution (x,w) #1;b native_batch_norm (c) #2;s sigmoid (b) #3;n native_batch_norm (s) #4",
       .values = FOUR,
       .instructions = "!0(0,1,2)",
       .inputs = "0,1",
       .map = "0=1,2,3,4!",
       .payload_values = "2x3 in0;3x3 const;2x3;2x3;2x3 out2",
       .xnodes = "Conv2d#1(0,1,1)>2 Sigmoid#3(2)>3 Conv2d(3,1,1)>4",
       .want = "(c,s,n)"},
      {.title = "rather the product behind a batch norm than that, which was folded",
       .nodes = XY "w weight;c convolution (x,w) #1;b native_batch_norm (c) #2;m addmm (w,b,w) #3",
       .values = FOUR,
       .instructions = "!0(0,1,2)",
       .inputs = "0,1",
       .map = "0=1,2,3!",
       .payload_values = "2x3 in0;3x3 const;2x3;2x3 out2",
       .xnodes = "Conv2d#1(0,1,1)>2 FullyConnected(2,1)>3",
       .want = "(c,m)"},
      {.title = "a concatenation in parts is one node",
       .nodes = XY "a cat (x,y,x,y,x,y) #1 [12x3]",
       .values = TWO "[12x3]",
       .instructions = "!0(0,1,2)",
       .inputs = "0,1",
       .map = "0=1!",
       .payload_values = "2x3 in0;2x3 in1;10x3;12x3 out2",
       .xnodes = "Concatenate5#1(0,1,0,1)>2 Concatenate2(2,1)>3",
       .want = "(a,a)"},
      {.title = "a payload that cannot be read is none, and what the call writes is not known",
       .nodes = XY "a add (x,y) #1;b sub (x,y) #2;n neg (b) #3;m neg (a) #3",
       .values = FOUR TWO,
       .instructions = "!0(0,1,2,3) neg(2,4)",
       .inputs = "0,1",
       .map = "0=1,2! 1=3",
       .want = "! n/aligned"},
      {.title = "nor is what an unknown backend writes",
       .nodes = XY "a add (x,y) #1;b sub (x,y) #2;n neg (b) #3;m neg (a) #3",
       .values = FOUR TWO,
       .instructions = "!0(0,1,2,3) neg(2,4)",
       .inputs = "0,1",
       .map = "0=1,2! 1=3",
       .backend = "SomeBackend",
       .payload_values = "2x3 in0;2x3 in1;2x3 out2;2x3 out3",
       .xnodes = "Add#1(0,1)>2 Subtract#2(0,1)>3",
       .want = "! n/aligned"},
      {.title = "not even where something else was stored before",
       .nodes = XY "k abs (x) #4;a add (k,y) #1;n neg (a) #3;m neg (k) #3",
       .values = TWO "[2x3] @7;[2x3] @7;" TWO,
       .instructions = "abs(0,2) !0(2,1,3) neg(3,4)",
       .inputs = "0,1",
       .map = "0=4 1=1! 2=3",
       .backend = "SomeBackend",
       .want = "k/handle ! n/aligned"},
      {.title = "but what it reads stays known",
       .nodes = XY "k abs (x) #4;a add (k,y) #1;n neg (a) #3;m neg (k) #3",
       .values = TWO "[2x3] @7;[2x3] @8;" TWO,
       .instructions = "abs(0,2) !0(2,1,3) neg(2,4)",
       .inputs = "0,1",
       .map = "0=4 1=1! 2=3",
       .backend = "SomeBackend",
       .want = "k/handle ! m/handle"},
  };
  run_cases(cases, ETR_COUNT(cases));
}
