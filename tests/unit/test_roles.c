/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_roles.c - the nodes of a handle that run as kernels or in delegates, and the nodes that
 * XNNPACK's partitioner takes.
 */
#include "backends/xnnpack.h"
#include "join/roles.h"
#include "tiny_join.h"

/* ---- Roles ---- */

/* nodes as in tiny_graph.h, instructions as in tiny_join.h. want: the nodes that are delegated,
 * then behind '|' those that run as kernels, each list joined by ' '; "~2": two nodes are
 * ambiguous; "delegate of nothing": the lists are inconsistent. backend: of all delegates; NULL:
 * XNNPACK, whose partitioner is known. */
typedef struct role_case {
  const char *title, *nodes, *instructions, *want, *backend;
} role_case;

static const char *list_names(etr_arena *arena, const tiny_graph *g, const bool *chosen) {
  const char *text = "";
  for (uint32_t i = 0; i < g->graph.node_count; i++)
    if (chosen[i])
      text = etr_arena_format(arena, "%s%s%s", text, *text ? " " : "", g->nodes[i].name);
  return text;
}

static const char *describe(etr_arena *arena, const tiny_graph *g, const etr_roles *roles) {
  const char *text = list_names(arena, g, roles->is_delegated),
             *kernels = list_names(arena, g, roles->is_kernel);
  if (*kernels)
    text = etr_arena_format(arena, "%s | %s", text, kernels);
  if (roles->ambiguous)
    text = etr_arena_format(arena, "%s ~%u", text, (unsigned)roles->ambiguous);
  return roles->is_consistent ? text : etr_arena_format(arena, "%s !", text);
}

static void expect_case(const role_case *c) {
  etr_arena arena = {0};
  etr_kernel_groups groups = {0};
  etr_roles roles;
  const tiny_graph *g = tiny_graph_of(&arena, c->nodes);
  etr_placement placement = tiny_placement_of(&arena, g, c->instructions);
  for (size_t i = 0; c->backend && i < placement.instructions.count; i++)
    if (placement.instructions.data[i].is_delegate)
      placement.instructions.data[i].backend = c->backend;
  cr_assert(etr_method_index_nodes(etr_for_foreign(placement.method), &arena));
  cr_assert(etr_kernel_groups_find(&groups, &placement, &arena));
  cr_assert(etr_roles_find(&roles, &placement, &groups, &arena), "%s", c->title);
  const char *got = describe(&arena, g, &roles);
  cr_expect_str_eq(got, c->want, "%s:\n  got  '%s'\n  want '%s'", c->title, got, c->want);
  etr_arena_clear(&arena);
}

static void expect_cases(const role_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++)
    expect_case(&cases[i]);
}

/* Two nodes share a handle, and one of them is in the delegate. */
Test(roles, the_node_that_the_partitioner_takes_is_delegated) {
  static const role_case cases[] = {
      {"numbers", "x input;a mul (x,x) #1;s sym_size (x) #1 [?]", "delegate of 1", "a", NULL},
      {"numbers before what the partitioner does not take",
       "x input;a erf (x) #1;s sym_size (x) #1 [?]", "delegate of 1", "a", NULL},
      {"an operator without a configuration", "x input;e erf (x) #1;a mul (x,x) #1",
       "delegate of 1", "a", NULL},
      {"the same behind the other", "x input;a mul (x,x) #1;e erf (x) #1", "delegate of 1", "a",
       NULL},
      {"expand_copy", "x input;a mul (x,x) #1;e expand_copy (x) #1", "delegate of 1", "a", NULL},
      {"what is not taken before a view", "x input;e expand_copy (x) #1;v view_copy (x) #1",
       "delegate of 1", "v", NULL},
      {"mul with a number", "x input;m aten.mul.Scalar (x) #1;a aten.mul.Tensor (x,x) #1",
       "delegate of 1", "a", NULL},
      {"limits that are tensors", "x input;m aten.clamp.Tensor (x) #1;a aten.clamp.default (x) #1",
       "delegate of 1", "a", NULL},
      {"a conversion of the number type",
       "x input;m dim_order_ops._to_dim_order_copy.default (x) #1 [f16:2x3];"
       "a dim_order_ops._to_dim_order_copy.default (x) #1",
       "delegate of 1", "a", NULL},
      {"an integer result", "x input;i input [i64:2x3];m add (i,i) #1 [i64:2x3];a add (x,x) #1",
       "delegate of 1", "a", NULL},
      {"a mean that drops the dimensions",
       "x input [1x8x4x4];m mean (x) #1 [1x8];a mean (x) #1 [1x8x1x1]", "delegate of 1", "a", NULL},
      {"a product without a weight",
       "x input [2x2];w weight [2x2];m mm (x,x) #1 [2x2];a mm (x,w) #1 [2x2]", "delegate of 1", "a",
       NULL},
      {"a product with a transposed weight that has other uses",
       "x input;t weight;w weight;e embedding (t,x);p permute_copy (t);m mm (x,p) #1;q "
       "permute_copy (w);a mm (x,q) #1",
       "delegate of 1", "a", NULL},
      {"a view before what computes", "x input;a mul (x,x) #1;v view_copy (x) #1", "delegate of 1",
       "a", NULL},
      {"a view of symbolic shape before others",
       "x input;v view_copy (x) #1 [6];s view_copy (x) #1 [sx3]", "delegate of 1", "v", NULL},
      {"a symbolic view that is none of view_copy's has no such reason",
       "x input;s squeeze_copy (x) #1 [sx3];v view_copy (x) #1 [6];w view_copy (x) #1 [sx6]",
       "delegate of 1,1", "s v", NULL},
      {"all that has reason stays, and of the rest a view",
       "x input;a mul (x,x) #1;e erf (x) #1;v view_copy (x) #1 [6];s sym_size (x) #1 [?]",
       "delegate of 1", "a", NULL},
      {"all are delegated", "x input;e erf (x) #1;s sym_size (x) #1 [?]", "delegate of 1,1", "e s",
       NULL},
      {"a handle that no delegate lists", "x input;a mul (x,x) #1;e mul (x,a) #2", "delegate of 1",
       "a", NULL},
      {"each handle by itself", "x input;a mul (x,x) #1;e erf (x) #1;b mul (x,x) #2;f erf (x) #2",
       "delegate of 1; delegate of 2", "a b", NULL},
      {"several delegates list a handle", "x input;a mul (x,x) #1;e erf (x) #1;b mul (x,x) #1",
       "delegate of 1; delegate of 1", "a b", NULL},
      {"a nested node is in no delegate", "x input;a mul (x,x) #1;b mul (x,x) #1 ^",
       "delegate of 1", "a", NULL},
      {"a backend that does not say what it takes", "x input;a mul (x,x) #1;e erf (x) #1",
       "delegate of 1", "e ~2", "OtherBackend"},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

/* Debug handles of a graph that to_executorch() changed belong to other nodes. */
Test(roles, handles_of_a_changed_graph_name_no_kernel) {
  for (int is_changed = 0; is_changed <= 1; is_changed++) {
    etr_arena arena = {0};
    etr_kernel_groups groups = {0};
    tiny_graph *g = tiny_graph_of(&arena, "x input;a sin (x) #1;b cos (a) #2");
    g->graph.is_changed = is_changed;
    const etr_placement placement = tiny_placement_of(&arena, g, "sin of 1; cos of 2");
    cr_assert(etr_method_index_nodes(etr_for_foreign(placement.method), &arena));
    cr_assert(etr_kernel_groups_find(&groups, &placement, &arena));
    cr_expect_eq(groups.count, is_changed ? 0 : 2);
    etr_arena_clear(&arena);
  }
}

/* No path leaves a delegate and comes back. */
Test(roles, a_delegate_is_convex) {
  static const role_case cases[] = {
      {"a view between two nodes of the delegate is in it",
       "x input;a mul (x,x) #1;v view_copy (a) #2 [6];b exp (v) #3;w view_copy (b) #2 [6]",
       "delegate of 1,2,3", "a v b", NULL},
      {"also if it is the last that could stay",
       "x input;w view_copy (x) #2 [6];a mul (w,w) #1;v view_copy (a) #2 [6];b exp (v) #3",
       "delegate of 1,2,3", "a v b", NULL},
      {"the last dequantize runs as a kernel, whatever the backend takes",
       "x input;a mul (x,x) #1;d dequantize_per_tensor (a) #2;b exp (d) #3;"
       "e dequantize_per_tensor (b) #2",
       "delegate of 1,2,3; dequantize_per_tensor of 2", "a d b | e", "OtherBackend"},
      {"what a kernel leads back to is outside",
       "x input;u exp (x) #2;a mul (x,u) #1;k erf (a) #9;v exp (k) #2;b mul (a,a) #3",
       "delegate of 1,2,3; exp of 2; erf of 9", "u a b | k v", "OtherBackend"},
      {"and what leads to a kernel that leads to the delegate",
       "x input;v exp (x) #2;k erf (v) #9;a mul (x,k) #1;u exp (a) #2",
       "exp of 2; erf of 9; delegate of 1,2", "a u | v k", "OtherBackend"},
      {"another delegate may contain it",
       "x input;u exp (x) #2;a mul (x,u) #1;k erf (a) #9;v exp (k) #2;b mul (a,a) #3",
       "delegate of 1,2,3; erf of 9; delegate of 2", "u a v b | k", "OtherBackend"},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

/* An operator with several results is listed once for itself and once for each result that is used.
 */
Test(roles, each_used_result_is_listed) {
  static const role_case cases[] = {
      {"two results are used",
       "x input;e erf (x) #1;c choose_qparams (x) #1 [1] [1];a mul (c,c.1) #2",
       "delegate of 1,1,1,2", "c a", NULL},
      {"one of two is used", "x input;e erf (x) #1;c choose_qparams (x) #1 [1] [1];a mul (c,c) #2",
       "delegate of 1,1,2", "c a", NULL},
      {"it stays with its results", "x input;m topk (x) #1 [1] [1];b mul (x,x) #1;a mul (m,m.1) #2",
       "delegate of 1,2", "b a", NULL},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

/* A partitioner decides per operator, so either all nodes of an operator are delegated or none. */
Test(roles, nodes_of_one_operator_have_one_role) {
  static const role_case cases[] = {
      {"two of three views, of which two are one operator",
       "x input;q squeeze_copy (x) #1;r squeeze_copy (x) #1;v view_copy (x) #1;a mul (x,x) #1",
       "delegate of 1,1", "v a", NULL},
      {"one of three, of which one is an operator of its own",
       "x input;v view_copy (x) #1;q squeeze_copy (x) #1;r squeeze_copy (x) #1;a mul (x,x) #1",
       "delegate of 1,1,1", "q r a", NULL},
      {"either operator would do: the first, and both are ambiguous",
       "x input;v view_copy (x) #1;q squeeze_copy (x) #1;a mul (x,x) #1", "delegate of 1,1",
       "q a ~2", NULL},
      {"one of two nodes of an operator: the last, and both are ambiguous",
       "x input;v view_copy (x) #1;w view_copy (x) #1;a mul (x,x) #1", "delegate of 1,1", "v a ~2",
       NULL},
      {"nothing has a reason to stay", "x input;a mul (x,x) #1;b mul (x,a) #1;c mul (x,b) #1",
       "delegate of 1,1", "a b ~3", NULL},
      {"results count when operators are chosen",
       "x input;t topk (x) #1 [1] [1];e erf (x) #1;f erf (e) #1;a mul (t,t.1) #2",
       "delegate of 1,1,2", "e f a", NULL},
      {"as many operators as are tried: the first two stay",
       "x input;a erf (x) #1;b asin (x) #1;c acos (x) #1;d atan (x) #1;e tan (x) #1;f sinh (x) "
       "#1;h cosh (x) #1;"
       "i asinh (x) #1;j asinh (x) #1",
       "delegate of 1,1,1,1,1,1,1", "c d e f h i j ~9", NULL},
      {"three operators, two have to stay, and three pairs would do",
       "x input;a erf (x) #1;b asin (x) #1;c acos (x) #1", "delegate of 1", "c ~3", NULL},
      {"one more than are tried: the last nodes stay",
       "x input;a erf (x) #1;b asin (x) #1;c acos (x) #1;d atan (x) #1;e tan (x) #1;f sinh (x) "
       "#1;h cosh (x) #1;"
       "i asinh (x) #1;j acosh (x) #1",
       "delegate of 1,1,1,1,1,1,1,1", "a b c d e f h i ~9", NULL},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

Test(roles, kernels_take_their_nodes_first) {
  static const role_case cases[] = {
      {"the only node of its operator", "x input;a mul (x,x) #1;b erf (x) #1",
       "erf of 1; delegate of 1", "a | b", NULL},
      {"of two the one that no delegate takes",
       "x input;a aten.mul.Tensor (x,x) #1;b aten.mul.Scalar (x) #1", "mul of 1; delegate of 1",
       "a | b", NULL},
      {"of two that may be delegated the first", "x input;a mul (x,x) #1;b mul (x,a) #1",
       "mul of 1; delegate of 1", "b | a", NULL},
      {"as many as there are nodes", "x input;a mul (x,x) #1;b mul (x,a) #1", "mul of 1; mul of 1",
       " | a b", NULL},
      {"a kernel is in no delegate", "x input;a mul (x,x) #1", "mul of 1; delegate of 1", " | a !",
       NULL},
      {"kernels of another operator name none", "x input;a mul (x,x) #1", "erf of 1; delegate of 1",
       "a", NULL},
      {"the runtime's own name none", "x input;a mul (x,x) #1;b erf (x) #1",
       "prim of 1; delegate of 1", "a", NULL},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

Test(roles, inconsistent_lists_are_reported) {
  static const role_case cases[] = {
      {"more than there are nodes", "x input;a mul (x,x) #1", "delegate of 1,1", "a !", NULL},
      {"without entries for results, as ExecuTorch before 1.2 lists them",
       "x input;c choose_qparams (x) #1 [1] [1];a mul (c,c.1) #2", "delegate of 1,2", "c a", NULL},
      {"one handle is, another is not", "x input;a mul (x,x) #1;b mul (x,a) #2",
       "delegate of 1; delegate of 2,2", "a b !", NULL},
      {"nothing is delegated", "x input;a mul (x,x) #1", "mul of 1", " | a", NULL},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

/* ---- Operators that the program lacks ---- */

/* Of the nodes only "aten." ones that run as kernels count. */
Test(roles, what_the_program_lacks_is_counted) {
  static const struct {
    const char *title, *nodes, *kernel, *backend, *want;
  } cases[] = {
      {"two that no backend takes, and another",
       "n aten.expand_copy.default (x);m "
       "aten.expand_copy.default (n);k aten.where.self (m);o aten.relu.default (k)",
       "aten::mul", "XnnpackBackend", "2 expand_copy and others of"},
      {"a kernel of this name", "n aten.expand_copy.default (x);o aten.relu.default (n)",
       "aten::expand_copy", "XnnpackBackend", NULL},
      {"a kernel in place", "n aten.index_put.default (x);o aten.relu.default (n)",
       "aten::index_put_", "XnnpackBackend", NULL},
      {"what the partitioner takes", "n aten.add.Tensor (x,x);o aten.relu.default (n)", "aten::mul",
       "XnnpackBackend", NULL},
      {"a view, which planning merges", "n aten.alias.default (x);o aten.relu.default (n)",
       "aten::mul", "XnnpackBackend", NULL},
      {"what nothing reads", "n aten.relu.default (x);o aten.where.self (x)", "aten::mul",
       "XnnpackBackend", NULL},
      {"a backend whose rules are not known",
       "n aten.expand_copy.default (x);o aten.relu.default (n)", "aten::mul", "SomeBackend", NULL},
      {"no delegate", "n aten.expand_copy.default (x);o aten.mul.Tensor (n,n)", "aten::mul", NULL,
       "1 expand_copy of"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const tiny_graph *g = tiny_graph_of(&arena,
                                        etr_arena_format(&arena, "x input;%s", cases[i].nodes));
    etr_pte_delegate delegate = {.backend = cases[i].backend};
    etr_instruction kernel = {.kind = ETR_INSTRUCTION_KERNEL, .op = cases[i].kernel};
    const etr_pte_method program = {.instructions = &kernel,
                                    .instruction_count = 1,
                                    .delegates = &delegate,
                                    .delegate_count = cases[i].backend != NULL};
    const char *got = etr_program_lacks(&g->graph, &program, &arena), *want = cases[i].want;
    cr_expect(want ? got && strncmp(got, want, strlen(want)) == 0 : !got, "%s: %s", cases[i].title,
              got);
    etr_arena_clear(&arena);
  }
}

/* ---- Operators that XNNPACK's partitioner takes ---- */

/* "n" is the node. It may read: x and y, [1x8x4x4]; i, integers; w, a weight; t, a weight
 * transposed for n alone; s, a transposed weight that is also used elsewhere; d, a dequantized
 * weight; r, a transposed value of the graph. */
#define VALUES                                                                                     \
  "x input [1x8x4x4];y input [1x8x4x4];i input [i64:1x8x4x4];h input [f16:1x8x4x4];u input [?];w " \
  "weight [8x8];"                                                                                  \
  "v weight [8x8];t permute_copy (v) [8x8];z weight [8x8];s permute_copy (z) [8x8];o embedding "   \
  "(z,i);"                                                                                         \
  "c weight [i8:8x8];d dequantize_per_channel (c) [8x8];td t_copy (d) [8x8];r permute_copy (x);"

Test(roles, the_partitioner_of_xnnpack_is_reproduced) {
  static const struct {
    const char *node;
    bool is_taken;
  } cases[] = {
      {"n relu (x)", true},
      {"n add (x,y)", true},
      {"n aten.add.Tensor (x,y)", true},
      {"n aten._softmax.default (x)", true},
      {"n view_copy (x)", true},
      {"n scaled_dot_product_attention (x,x,x)", true},
      /* no configuration */
      {"n erf (x)", false},
      {"n expand_copy (x)", false},
      {"n select_copy (x)", false},
      {"n embedding (w,x)", false},
      {"n aten.eq.Scalar (x)", false},
      {"n adder (x)", false},
      /* overloads */
      {"n aten.add.Scalar (x)", false},
      {"n aten.sub.Scalar (x)", false},
      {"n aten.mul.Scalar (x)", false},
      {"n aten.div.Scalar (x)", false},
      {"n aten.clamp.Tensor (x,y)", false},
      {"n aten.clamp.default (x)", true},
      {"n aten.pow.Tensor_Scalar (x) exponent=2", true},
      {"n aten.pow.Tensor_Scalar (x) exponent=3", false},
      /* types of results */
      {"n add (i,i) [i64:1x8x4x4]", false},
      {"n relu (x) [bool:1x8x4x4]", false},
      {"n relu (h) [f16:1x8x4x4]", true},
      {"n aten.quantized.Tensor (x) [i8:1x8x4x4]", false},
      {"n quantize_per_tensor (x) [i8:1x8x4x4]", true},
      {"n dequantize_per_tensor (i)", true},
      {"n choose_qparams (x) [1] [i64:1]", true},
      {"n aten._native_batch_norm_legit_no_training.default (x) [1x8x4x4] [0] [0]", true},
      {"n max_pool2d_with_indices (x) [1x8x2x2] [i64:1x8x2x2]", true},
      /* conversions of the number type */
      {"n dim_order_ops._to_dim_order_copy.default (x) [1x8x4x4]", true},
      {"n dim_order_ops._to_dim_order_copy.default (h) [f16:1x8x4x4]", true},
      {"n dim_order_ops._to_dim_order_copy.default (x) [f16:1x8x4x4]", false},
      {"n dim_order_ops._to_dim_order_copy.default (i) [1x8x4x4]", false},
      /* means */
      {"n mean (x) [1x8x1x1]", true},
      {"n mean (x) [1x8]", false},
      {"n mean (x) [1x8x4x1]", false},
      {"n mean (x) [1x8x1x4]", false},
      {"n mean (x) [1x1x1x1]", false},
      {"n mean (w) [8x1]", false},
      {"n mean (u) [1x8x1x1]", true},
      /* products */
      {"n linear (x,w)", true},
      {"n bmm (x,y)", true},
      {"n mm (x,w)", true},
      {"n mm (x,t)", true},
      {"n mm (x,d)", true},
      {"n mm (x,td)", true},
      {"n mm (x,s)", false},
      {"n mm (x,y)", false},
      {"n mm (x,r)", false},
      {"n mm (x,o)", false},
      {"n mm (w,x)", false},
      {"n mm (x)", true},
      {"n addmm (w,x,t)", true},
      {"n addmm (w,x,s)", true},
      {"n addmm (w,x,y)", false},
      {"n addmm (w,w,y)", false},
      {"n addmm (x,x,w)", true},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const tiny_graph *g = tiny_graph_of(&arena,
                                        etr_arena_format(&arena, "%s%s", VALUES, cases[i].node));
    bool got = etr_xnn_takes(&g->graph, g->uses, &g->nodes[tiny_node(g, "n")]);
    cr_expect_eq(got, cases[i].is_taken, "%s: %s", cases[i].node, got ? "taken" : "left");
    etr_arena_clear(&arena);
  }
}
