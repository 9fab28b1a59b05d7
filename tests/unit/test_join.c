/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_join.c - each rule of the join on cases small enough to check by hand, including cases in
 * which the answer is unknown.
 *
 * Cases are texts, as join_text.h reads them; what is wanted is "NAME NODE MATCH" of each row of
 * the last block, joined by ';', '-' for no node; then the balance
 * "nodes+delegate+framework+unexplained".
 */
#include "join/attribute.h"
#include "join/placement.h"
#include "join_text.h"
#include "runs/runs.h"
#include "views/balance.h"

#include <criterion/criterion.h>
#include <stdio.h>

typedef struct join_case {
  const char *title;
  method_text methods[2];
  const char *events;
  const char *want;
} join_case;

/* Writes the result in the notation of the cases. */
static void describe(char *out, size_t size, const etr_blocks *blocks,
                     const etr_method_inputs *inputs, const etr_method *methods) {
  size_t used = 0;
  const etr_block *block = &blocks->blocks[blocks->block_count - 1];
  const etr_graph *graph = block->method == ETR_NONE ? NULL : inputs[block->method].graph;
  if (block->method != ETR_NONE && inputs[1].name)
    used += (size_t)snprintf(out, size, "%s: ", inputs[block->method].name);
  for (size_t i = 0; i < block->event_count; i++) {
    const etr_event *e = &block->events[i];
    used += (size_t)snprintf(out + used, size - used, "%s%s %s %s", i ? ";" : "", e->name,
                             graph && e->node_count ? graph->nodes[e->nodes[0]].name : "-",
                             etr_match_name(e->match));
  }
  const etr_method *m = block->method == ETR_NONE ? NULL : &methods[block->method];
  if (m)
    snprintf(out + used, size - used, " = %llu+%llu+%llu+%llu",
             (unsigned long long)etr_broad_part_ticks(m, ETR_BROAD_NODES),
             (unsigned long long)etr_broad_part_ticks(m, ETR_BROAD_DELEGATES),
             (unsigned long long)etr_broad_part_ticks(m, ETR_BROAD_FRAMEWORK),
             (unsigned long long)etr_broad_part_ticks(m, ETR_BROAD_UNEXPLAINED));
  else
    snprintf(out + used, size - used, " = no method");
}

/* Copies the numbers of the first method to *first. */
static void run_case(const join_case *c, char *out, size_t size, etr_method *first) {
  etr_arena arena = {0};
  etr_map names;
  etr_blocks blocks;
  etr_warnings warnings = {.arena = &arena};
  etr_method_inputs inputs[2] = {{0}};
  etr_placement placements[2] = {{0}};
  etr_method methods[2] = {{0}};
  size_t count = c->methods[1].name ? 2 : 1;
  etr_map_init(&names, &arena);
  etr_dump dump = make_dump(&arena, &names, c->events);
  for (size_t i = 0; i < count; i++) {
    inputs[i] = (etr_method_inputs){.name = c->methods[i].name,
                                    .graph = make_graph(&arena, c->methods[i].nodes),
                                    .map = make_map(&arena, &c->methods[i])};
    placements[i].method = &inputs[i];
    cr_assert(etr_method_index_nodes(&inputs[i], &arena));
  }
  cr_assert_eq(etr_blocks_build(&blocks, &arena, &dump, 1, count, NULL), ETR_OK);
  etr_methods_decide(&blocks, inputs, count, NULL, NULL, &warnings);
  cr_assert(etr_blocks_group(&blocks, count, &arena));
  for (uint32_t i = 0; i < count; i++) {
    etr_method_graphs graphs = {.edge = etr_for_foreign(inputs[i].graph)};
    cr_assert(etr_place_method(&placements[i], i, &blocks, &arena, &warnings));
    cr_assert(etr_attribute(&methods[i], &graphs, &placements[i], i, &blocks, &warnings));
  }
  describe(out, size, &blocks, inputs, methods);
  static etr_part_time parts[32]; /* as the arena ends here */
  *first = methods[0];
  cr_assert_leq(first->part_count, ETR_COUNT(parts));
  for (size_t i = 0; i < first->part_count; i++)
    parts[i] = first->parts[i];
  first->parts = parts;
  etr_arena_clear(&arena);
}

Test(join, every_kind_of_event_has_a_match) {
  etr_arena arena = {0};
  etr_map names;
  etr_blocks blocks;
  etr_map_init(&names, &arena);
  etr_dump dump = make_dump(
      &arena, &names,
      "native_call_add.out@0 1;OPERATOR_CALL@0 2;OPERATOR_CALL@1 2;DELEGATE_CALL@2 5;"
      "Add (ND) #1#2 3;native_call_executorch_prim::add@3 1;MOVE_CALL@4 1;Method::execute 20");
  static const etr_event_kind want[] = {
      ETR_EVENT_KERNEL,        ETR_EVENT_FRAMEWORK,         ETR_EVENT_KERNEL,
      ETR_EVENT_DELEGATE_CALL, ETR_EVENT_DELEGATE_OPERATOR, ETR_EVENT_FRAMEWORK,
      ETR_EVENT_FRAMEWORK,     ETR_EVENT_FRAMEWORK};
  cr_assert_eq(etr_blocks_build(&blocks, &arena, &dump, 1, 1, NULL), ETR_OK);
  const etr_block *block = &blocks.blocks[0];
  cr_assert_eq(block->event_count, ETR_COUNT(want));
  for (size_t i = 0; i < ETR_COUNT(want); i++)
    cr_expect_eq(block->events[i].kind, want[i], "%s: %d", block->events[i].name,
                 (int)block->events[i].kind);
  cr_expect_eq(etr_block_instruction_end(block, 0), 2);
  cr_expect_eq(etr_block_instruction_end(block, 3), 5);
  cr_expect_eq(etr_block_instruction_end(block, 7), 8);
  etr_arena_clear(&arena);
}

Test(join, each_rule_assigns_its_time) {
  static const join_case cases[] = {
      {"kernel inside its call: the kernel is the node's, the rest the framework's",
       {{"forward", "add aten.add.Tensor 1", "0: handle 1"}},
       "native_call_add.out@0 10;OPERATOR_CALL@0 15;Method::execute 100",
       "native_call_add.out add handle;OPERATOR_CALL - framework;Method::execute - framework = "
       "10+0+90+0"},
      {"a handle of two delegates, and nothing proves their order: what does not fit is "
       "unexplained",
       {{"forward", "l aten.linear.default 1;s aten.sigmoid.default 1;e aten.exp.default 1",
         "0: XnnpackBackend of handle 1; 1: XnnpackBackend of handles 1,1,8"}},
       "Sigmoid (NC, F32) #1#0 3;DELEGATE_CALL@0 4;Fully Connected (NC, F32) GEMM #1#1 "
       "5;DELEGATE_CALL@1 "
       "6;Method::execute 20",
       "Sigmoid (NC, F32) #1 - none;DELEGATE_CALL - delegate;Fully Connected (NC, F32) GEMM #1 - "
       "none;DELEGATE_CALL - "
       "delegate;"
       "Method::execute - framework = 0+10+10+0"},
      {"of a backend that nothing is known of",
       {{"forward", "l aten.linear.default 1;s aten.sigmoid.default 1;e aten.exp.default 1",
         "0: Other of handle 1; 1: XnnpackBackend of handles 1,1; 2: Other of handle 1"}},
       "x#0 3;DELEGATE_CALL@0 4;Fully Connected (NC, F32) GEMM #1#1 5;DELEGATE_CALL@1 "
       "6;Method::execute 20",
       "x - none;DELEGATE_CALL - delegate;Fully Connected (NC, F32) GEMM #1 - none;DELEGATE_CALL - "
       "delegate;Method::execute - framework = 0+10+10+0"},
      {"one handle, several nodes: the operator says which",
       {{"forward", "perm aten.permute_copy.default 1;mm aten.addmm.default 1",
         "0: handle 1; 1: handle 1"}},
       "native_call_permute_copy.out@0 3;native_call_addmm.out@1 7;Method::execute 10",
       "native_call_permute_copy.out perm handle;native_call_addmm.out mm handle;Method::execute - "
       "framework = "
       "10+0+0+0"},
      {"same handle, same operator: order says which",
       {{"forward", "v1 aten.view_copy.default 1;v2 aten.view_copy.default 1",
         "0: handle 1; 1: handle 1"}},
       "native_call_view_copy.out@0 3;native_call_view_copy.out@1 7;Method::execute 10",
       "native_call_view_copy.out v1 order;native_call_view_copy.out v2 order;Method::execute - "
       "framework = 10+0+0+0"},
      {"leading underscores and overloads do not count",
       {{"forward", "s aten._softmax.default 4", "0: handle 4"}},
       "native_call__softmax.out@0 5;Method::execute 5",
       "native_call__softmax.out s handle;Method::execute - framework = 5+0+0+0"},
      {"a call that logged no kernel is the node that is left",
       {{"forward", "n sym_size.int 2", "0: handle 2"}},
       "OPERATOR_CALL@0 4;Method::execute 6",
       "OPERATOR_CALL n handle;Method::execute - framework = 4+0+2+0"},
      {"two unnamed kernels, three nodes left: an estimate",
       {{"forward", "a aten.x.y 1;b aten.x.y 1;c aten.z.y 1;d aten.add.Tensor 2",
         "0: handle 1; 1: handle 1; 2: handle 2"}},
       "OPERATOR_CALL@0 4;OPERATOR_CALL@1 4;native_call_add.out@2 1;Method::execute 10",
       "OPERATOR_CALL a aligned;OPERATOR_CALL b aligned;native_call_add.out d "
       "handle;Method::execute - framework = "
       "9+0+1+0"},
      {"a delegate without events of its own stays one sum",
       {{"forward", "c aten.convolution.default 1;r aten.relu.default 2",
         "0: SomeBackend of handles 1,2"}},
       "DELEGATE_CALL@0 50;Method::execute 60",
       "DELEGATE_CALL - delegate;Method::execute - framework = 0+50+10+0"},
      {"the delegate map, ids exactly; fused: the convolution carries the time",
       {{"forward", "r aten.relu.default 2;c aten.convolution.default 1",
         "0: SomeBackend of handles 1,2, its 7 is 2,1"}},
       "7#0 20;77#0 5;DELEGATE_CALL@0 50;Method::execute 60",
       "7 c delegate_map;77 - none;DELEGATE_CALL - delegate;Method::execute - framework = "
       "20+30+10+0"},
      {"a delegate map with handles of other nodes is not trusted",
       {{"forward", "c aten.convolution.default 1;x aten.exp.default 5",
         "0: SomeBackend of handle 1, its 0 is 5; 1: handle 5"}},
       "0#0 20;DELEGATE_CALL@0 30;native_call_exp.out@1 3;Method::execute 40",
       "0 - none;DELEGATE_CALL - delegate;native_call_exp.out x handle;Method::execute - framework "
       "= 3+30+7+0"},
      {"events of a delegate that add up to more than its call are shares of it",
       {{"forward", "c aten.convolution.default 1", "0: SomeBackend of handle 1, its 7 is 1"}},
       "7#0 3000;8#0 1000;DELEGATE_CALL@0 40;Method::execute 60",
       "7 c delegate_map;8 - none;DELEGATE_CALL - delegate;Method::execute - framework = "
       "30+10+20+0"},
      {"a kernel without a time keeps its node, and its time is the framework's",
       {{"forward", "add aten.add.Tensor 1", "0: handle 1"}},
       "native_call_add.out@0 ?;OPERATOR_CALL@0 15;Method::execute 100",
       "native_call_add.out add handle;OPERATOR_CALL - framework;Method::execute - framework = "
       "0+0+100+0"},
      {"a run without a time of Method::execute took what its kernels did",
       {{"forward", "add aten.add.Tensor 1", "0: handle 1"}},
       "native_call_add.out@0 10;Method::execute ?|native_call_add.out@0 10;Method::execute 50",
       "native_call_add.out add handle;Method::execute - framework = 20+0+40+0"},
      {"events of a call without a time count as they are, in its run alone",
       {{"forward", "c aten.convolution.default 1", "0: SomeBackend of handle 1, its 7 is 1"}},
       "7#0 20;DELEGATE_CALL@0 ?;Method::execute 60|7#0 20;DELEGATE_CALL@0 10;Method::execute 60",
       "7 c delegate_map;DELEGATE_CALL - delegate;Method::execute - framework = 30+0+90+0"},
      {"a call whose events have no time is the delegate's alone",
       {{"forward", "c aten.convolution.default 1", "0: SomeBackend of handle 1, its 7 is 1"}},
       "7#0 ?;DELEGATE_CALL@0 50;Method::execute 60",
       "7 c delegate_map;DELEGATE_CALL - delegate;Method::execute - framework = 0+50+10+0"},
      {"kernels that add up to more than Method::execute are shares of it",
       {{"forward", "a aten.add.Tensor 1;b aten.mul.Tensor 2", "0: handle 1; 1: handle 2"}},
       "native_call_add.out@0 30;native_call_mul.out@1 10;Method::execute 20",
       "native_call_add.out a handle;native_call_mul.out b handle;Method::execute - framework = "
       "20+0+0+0"},
      {"a loop counts every time",
       {{"forward", "a aten.add.Tensor 1", "0: handle 1"}},
       "native_call_add.out@0 3;native_call_add.out@0 4;native_call_add.out@0 5;Method::execute 20",
       "native_call_add.out a handle;Method::execute - framework = 12+0+8+0"},
      {"XNNPACK by order: activation and batch norm are part of the convolution, what was inserted "
       "stays the "
       "delegate's",
       {{"forward",
         "c aten.convolution.default 1;b aten._native_batch_norm_legit_no_training.default 2;g "
         "aten.gelu.default 3;a "
         "aten.add.Tensor 4",
         "0: XnnpackBackend of handles 1,2,3,4"}},
       "Transpose (ND, X32) #1#0 5;Convolution (NHWC, F32) IGEMM #1#0 30;GELU (NC) #1#0 8;Add (ND) "
       "#1#0 "
       "2;DELEGATE_CALL@0 50;Method::execute 50",
       "Transpose (ND, X32) #1 - delegate;Convolution (NHWC, F32) IGEMM #1 c order;GELU (NC) #1 "
       "g order;Add (ND) "
       "#1 a order;"
       "DELEGATE_CALL - delegate;Method::execute - framework = 40+10+0+0"},
      {"XNNPACK by order, one operator for two nodes that are alike: an even chance",
       {{"forward", "a aten.mul.Tensor 1;b aten.mul.Tensor 2", "0: XnnpackBackend of handles 1,2"}},
       "Multiply (ND) #1#0 5;DELEGATE_CALL@0 5;Method::execute 5",
       "Multiply (ND) #1 b aligned;DELEGATE_CALL - delegate;Method::execute - framework = 5+0+0+0"},
      {"a run of the runtime's own arithmetic takes no node, and counts for none",
       {{"forward", "m _operator.mul 1;a aten.add.Tensor 2", "0: handle 1; 1: handle 2"}},
       "native_call_executorch_prim::mul.Scalar@0 3;native_call_add.out@1 4;Method::execute 9",
       "native_call_executorch_prim::mul.Scalar - framework;native_call_add.out a handle;"
       "Method::execute - framework = 4+0+5+0"},
      {"the same where it logs no name, though kernels do",
       {{"forward", "m _operator.mul 1;a aten.add.Tensor 2", "0: handle 1; 1: handle 2"}},
       "OPERATOR_CALL@0 3;native_call_add.out@1 4;Method::execute 9",
       "OPERATOR_CALL - framework;native_call_add.out a handle;Method::execute - framework = "
       "4+0+5+0"},
      {"the loop of a map, of which the handle map knows nothing",
       {{"forward",
         "map higher_order.map_impl 1;.s aten.sin.default 2;.a aten.add.Tensor 3;r "
         "aten.relu.default 4",
         "9: handle 4"}},
       "OPERATOR_CALL@0 1;native_call_select_copy.int_out@1 1;native_call_sin.out@2 "
       "4;native_call_add.out@3 3;"
       "JF_CALL@7 1;native_call_relu.out@9 5;Method::execute 20",
       "OPERATOR_CALL - framework;native_call_select_copy.int_out - framework;native_call_sin.out "
       "s "
       "handle;native_call_add.out a handle;JF_CALL - framework;native_call_relu.out r handle;"
       "Method::execute - framework = 12+0+8+0"},
      {"without names of kernels, a kernel that the handle map does not name is unknown",
       {{"forward", "cond higher_order.cond 1;.s aten.sin.default 2;r aten.relu.default 4",
         "9: handle 4"}},
       "OPERATOR_CALL@0 4;OPERATOR_CALL@9 5;Method::execute 20",
       "OPERATOR_CALL - none;OPERATOR_CALL r handle;Method::execute - framework = 5+0+11+4"},
      {"two methods: operators decide",
       {{"encode", "a aten.add.Tensor 1", "0: handle 1"},
        {"decode", "m aten.mul.Tensor 1", "0: handle 1"}},
       "native_call_mul.out@0 4;Method::execute 5",
       "decode: native_call_mul.out m handle;Method::execute - framework = 4+0+1+0"},
      {"two methods that are alike: a tie is not guessed",
       {{"encode", "a aten.add.Tensor 1", "0: handle 1"},
        {"decode", "a aten.add.Tensor 1", "0: handle 1"}},
       "native_call_add.out@0 4;Method::execute 5",
       "native_call_add.out - none;Method::execute - framework = no method"},
      {"a tie that the order of loads decides: encode had run before decode was loaded",
       {{"encode", "a aten.add.Tensor 1;cond higher_order.cond 2;.s aten.sin.default 7",
         "0: handle 1"},
        {"decode", "b aten.add.Tensor 1", "0: handle 1"}},
       "Program::load_method 1|native_call_add.out@0 4;native_call_sin.out@1 4;Method::execute "
       "9|Program::load_method "
       "1|native_call_add.out@0 "
       "3;Method::execute 5",
       "decode: native_call_add.out b handle;Method::execute - framework = 3+0+2+0"},
      {"two methods with a delegate each: what ran inside decides",
       {{"encode", "a aten.add.Tensor 1", "0: XnnpackBackend of handle 1"},
        {"decode", "m aten.mul.Tensor 1", "0: XnnpackBackend of handle 1"}},
       "Multiply (ND) #1#0 4;DELEGATE_CALL@0 4;Method::execute 5",
       "decode: Multiply (ND) #1 m order;DELEGATE_CALL - delegate;Method::execute - framework = "
       "4+0+1+0"},
      {"another model's delegate",
       {{"forward", "a aten.add.Tensor 1", "0: XnnpackBackend of handle 1"}},
       "Softmax (NC, F32) #1#0 4;Multiply (ND) #1#0 4;DELEGATE_CALL@0 9;Method::execute 9",
       "Softmax (NC, F32) #1 - none;Multiply (ND) #1 - none;DELEGATE_CALL - none;Method::execute - "
       "framework = no "
       "method"},
      {"another model's dump",
       {{"forward", "a aten.add.Tensor 1", "0: handle 1"}},
       "native_call_cumsum.out@0 4;native_call_sin.out@1 1;Method::execute 5",
       "native_call_cumsum.out - none;native_call_sin.out - none;Method::execute - framework = no "
       "method"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char got[1024] = "";
    etr_method method;
    run_case(&cases[i], got, sizeof got, &method);
    cr_expect_str_eq(got, cases[i].want, "%s:\n  got  %s\n  want %s", cases[i].title, got,
                     cases[i].want);
  }
}

/* Instruction 0 is an addition of the runtime itself, and 1 is one of the graph. */
Test(join, kernels_of_the_runtime_take_no_node) {
  static const etr_instruction instructions[] = {
      {.kind = ETR_INSTRUCTION_KERNEL, .op = "executorch_prim::add", .delegate = -1},
      {.kind = ETR_INSTRUCTION_KERNEL, .op = "aten::add", .delegate = -1}};
  static const etr_pte_method program = {.instructions = instructions, .instruction_count = 2};
  static const struct {
    method_text method;
    uint32_t node; /* of instruction 1 */
  } cases[] = {
      {{"forward", "a aten.add.Tensor 1", "0: handle 1; 1: handle 1"},
       0}, /* the operator is at its handle */
      {{"forward", "a _operator.sub 1;b aten.add.Tensor 2", "0: handle 1; 1: handle 2"},
       1}, /* the remaining operator at its handle */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    static const etr_blocks none = {0};
    etr_method_inputs method = {.name = "forward", .program = &program};
    method.graph = make_graph(&arena, cases[i].method.nodes);
    method.map = make_map(&arena, &cases[i].method);
    cr_assert(etr_method_index_nodes(&method, &arena));
    etr_placement placement = {.method = &method};
    etr_warnings warnings = {.arena = &arena};
    cr_assert(etr_place_method(&placement, 0, &none, &arena, &warnings));
    cr_expect_eq(etr_placed_instruction(&placement, 0)->node, ETR_NONE, "case %zu", i);
    cr_expect_eq(etr_placed_instruction(&placement, 1)->node, cases[i].node, "case %zu", i);
    etr_arena_clear(&arena);
  }
}

/* Instructions 1 and 2 write caches, and no map names them. */
Test(join, kernels_of_wrapped_operators_take_their_nodes_in_order) {
#define CACHE ";c *llama.update_cache.default "
  static const etr_instruction instructions[] = {
      {.kind = ETR_INSTRUCTION_KERNEL, .op = "aten::add", .delegate = -1},
      {.kind = ETR_INSTRUCTION_KERNEL, .op = "llama::update_cache", .delegate = -1},
      {.kind = ETR_INSTRUCTION_KERNEL, .op = "llama::update_cache", .delegate = -1},
      {.kind = ETR_INSTRUCTION_KERNEL, .op = "aten::mul", .delegate = -1}};
  static const etr_pte_method program = {.instructions = instructions,
                                         .instruction_count = ETR_COUNT(instructions)};
  static const struct {
    const char *title, *nodes;
    uint32_t first, second; /* nodes of the instructions 1 and 2 */
  } cases[] = {
      {"as many nodes", "a aten.add.Tensor 1" CACHE "2" CACHE "3;m aten.mul.Tensor 4", 1, 2},
      {"fewer nodes", "a aten.add.Tensor 1" CACHE "2;m aten.mul.Tensor 4", ETR_NONE, ETR_NONE},
      {"more nodes", "a aten.add.Tensor 1" CACHE "2" CACHE "3" CACHE "5;m aten.mul.Tensor 4",
       ETR_NONE, ETR_NONE},
      {"not wrapped",
       "a aten.add.Tensor 1;c llama.update_cache.default 2;d llama.update_cache.default 3;"
       "m aten.mul.Tensor 4",
       ETR_NONE, ETR_NONE},
      {"beside a body",
       ".b aten.sin.default 5;a aten.add.Tensor 1" CACHE "2" CACHE "3;m aten.mul.Tensor 4",
       ETR_NONE, ETR_NONE},
  };
#undef CACHE
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    static const etr_blocks none = {0};
    etr_method_inputs method = {.name = "forward", .program = &program};
    method.graph = make_graph(&arena, cases[i].nodes);
    method.map = make_map(&arena, &(method_text){"forward", "", "0: handle 1; 3: handle 4"});
    cr_assert(etr_method_index_nodes(&method, &arena));
    etr_placement placement = {.method = &method};
    etr_warnings warnings = {.arena = &arena};
    cr_assert(etr_place_method(&placement, 0, &none, &arena, &warnings));
    const etr_placed *first = etr_placed_instruction(&placement, 1);
    cr_expect_eq(first->node, cases[i].first, "%s", cases[i].title);
    cr_expect_eq(etr_placed_instruction(&placement, 2)->node, cases[i].second, "%s",
                 cases[i].title);
    if (first->node != ETR_NONE)
      cr_expect_eq(first->match, ETR_MATCH_ORDER, "%s", cases[i].title);
    etr_arena_clear(&arena);
  }
}

/* What a delegate takes beside its operators on nodes is inserted operators and calling it; a
 * coarse clock may hide operator time in the latter. */
Test(join, calling_a_delegate_is_told_from_inserted_operators) {
#define XNN {"forward", "c aten.convolution.default 1", "0: XnnpackBackend of handle 1"}
#define OTHER {"forward", "c aten.convolution.default 1", "0: SomeBackend of handle 1, its 7 is 1"}
#define TRANSPOSE "Transpose (ND, X32) #1#0 "
#define CONVOLUTION "Convolution (NHWC, F32) IGEMM #1#0 "
  static const struct {
    join_case c;
    uint64_t delegate_only, inserted, hidden;
  } cases[] = {
      {{"no operator is known: all is the rest, and no clock hides any",
        {XNN},
        "DELEGATE_CALL@0 9000;Method::execute 9000",
        NULL},
       9000,
       0,
       0},
      {{"half a microsecond for each operator",
        {XNN},
        TRANSPOSE "3000;" CONVOLUTION "30000;DELEGATE_CALL@0 50000;Method::execute 60000",
        NULL},
       20000,
       3000,
       1000},
      {{"at most the rest itself",
        {XNN},
        TRANSPOSE "3000;" CONVOLUTION "30000;DELEGATE_CALL@0 33400;Method::execute 60000",
        NULL},
       3400,
       3000,
       400},
      {{"each run by itself",
        {XNN},
        TRANSPOSE "3000;" CONVOLUTION "30000;DELEGATE_CALL@0 33400;Method::execute 60000|" TRANSPOSE
                  "4000;" CONVOLUTION "30000;DELEGATE_CALL@0 39000;Method::execute 60000",
        NULL},
       12400,
       7000,
       1400},
      {{"operators that fill the call leave no rest",
        {XNN},
        TRANSPOSE "30000;" CONVOLUTION "30000;DELEGATE_CALL@0 40000;Method::execute 60000",
        NULL},
       20000,
       20000,
       0},
      {{"shares of Method::execute, which took less",
        {XNN},
        TRANSPOSE "30000;" CONVOLUTION "30000;DELEGATE_CALL@0 80000;Method::execute 8",
        NULL},
       5,
       3,
       2},
      {{"a clock that is not known to be coarse",
        {OTHER},
        "7#0 20000;77#0 5000;DELEGATE_CALL@0 50000;Method::execute 60000",
        NULL},
       30000,
       0,
       0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char got[1024] = "";
    etr_method m;
    run_case(&cases[i].c, got, sizeof got, &m);
    cr_expect(etr_broad_part_ticks(&m, ETR_BROAD_DELEGATES) == cases[i].delegate_only &&
                  etr_method_part_ticks(&m, ETR_TIME_INSERTED) == cases[i].inserted &&
                  m.clock_hidden_ticks == cases[i].hidden,
              "%s: %llu %llu %llu: %s", cases[i].c.title,
              (unsigned long long)etr_broad_part_ticks(&m, ETR_BROAD_DELEGATES),
              (unsigned long long)etr_method_part_ticks(&m, ETR_TIME_INSERTED),
              (unsigned long long)m.clock_hidden_ticks, got);
  }
}
