/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_cost.c - MACs and bytes of operators: formulas, fused groups, sizes that are missing or too
 * large, and rates.
 */
#include "join/cost.h"
#include "open_fixture.h"
#include "tiny_graph.h"

#include <math.h>

#define UNKNOWN ETR_UNKNOWN

static etr_arena arena;
static etr_warnings warnings;
static etr_profile profile;
static etr_graph *graphs; /* the profile's */

static bool find_costs(void) {
  const etr_cost_job job = {
      .profile = &profile, .graphs = graphs, .arena = &arena, .warnings = &warnings};
  return etr_costs_find(&job);
}

/* The only graph of the profile, with its costs. */
static tiny_graph *graph_of(const char *text) {
  tiny_graph *g = tiny_graph_of(&arena, text);
  g->graph.entry = g->graph.dialect = "edge";
  g->graph.profile_method = ETR_NONE;
  warnings = (etr_warnings){.arena = &arena};
  graphs = &g->graph;
  profile = (etr_profile){.graphs = graphs, .graph_count = 1, .ticks_per_second = 1e9};
  return g;
}

static tiny_graph *costs_of(const char *text) {
  tiny_graph *g = graph_of(text);
  cr_assert(find_costs());
  return g;
}

static const etr_cost *cost_of(const tiny_graph *g, const char *name) {
  return &g->graph.costs[tiny_node(g, name)];
}

/* ---- Formulas ---- */

typedef struct formula_case {
  const char *title, *nodes; /* the operator is called n */
  uint64_t macs;
} formula_case;

static const formula_case formula_cases[] = {
    {"mm", "a input [2x3];b input [3x5];n mm (a,b) [2x5]", 30},
    {"addmm: the first is added", "c input [5];a input [2x3];b input [3x5];n addmm (c,a,b) [2x5]",
     30},
    {"bmm", "a input [4x2x3];b input [4x3x5];n bmm (a,b) [4x2x5]", 120},
    {"baddbmm", "c input [5];a input [4x2x3];b input [4x3x5];n baddbmm (c,a,b) [4x2x5]", 120},
    {"factors that do not fit", "a input [2x3];b input [4x5];n mm (a,b) [2x5]", UNKNOWN},
    {"a factor is missing", "a input [2x3];n mm (a) [2x5]", UNKNOWN},
    {"linear of any rank", "x input [4x2x3];w weight [5x3];n linear (x,w) [4x2x5]", 120},
    {"matmul that broadcasts", "a input [4x2x3];b input [3x5];n matmul (a,b) [4x2x5]", 120},
    {"a vector times a matrix", "a input [3];b input [3x5];n matmul (a,b) [5]", 15},
    {"a matrix times a vector, which torch does not count",
     "a input [2x3];b input [3];n matmul (a,b) [2]", 6},
    {"batches times a vector", "a input [4x2x3];b input [3];n matmul (a,b) [4x2]", 24},
    {"a vector times batches", "a input [3];b input [4x3x5];n matmul (a,b) [4x5]", 60},
    {"a vector times a vector", "a input [3];b input [3];n matmul (a,b) []", 3},
    {"vectors that do not fit", "a input [2x3];b input [4];n matmul (a,b) [2]", UNKNOWN},
    {"mv", "a input [2x3];b input [3];n mv (a,b) [2]", 6},
    {"addmv: the first is added", "c input [2];a input [2x3];b input [3];n addmv (c,a,b) [2]", 6},
    {"dot", "a input [7];b input [7];n dot (a,b) []", 7},
    {"outer", "a input [2];b input [3];n outer (a,b) [2x3]", 6},
    {"addr", "c input [2x3];a input [2];b input [3];n addr (c,a,b) [2x3]", 6},
    {"addbmm: one matrix of a batch",
     "c input [2x5];a input [4x2x3];b input [4x3x5];n addbmm (c,a,b) [2x5]", 120},
    {"distances of all pairs",
     "a input [2x3];b input [4x3];n aten._cdist_forward.default (a,b) [2x4]", UNKNOWN},
    {"a Fourier transform", "a input [2x8];n aten._fft_r2c.default (a) [2x5]", UNKNOWN},
    {"torchao converts", "x input [4x6];n torchao.quantize_affine.default (x) [i8:4x6]", 0},
    {"torchao chooses a scale", "x input [4x6];n torchao.choose_qparams_affine.default (x) [4] [4]",
     0},
    {"torchao multiplies packed weights",
     "x input [4x6];w input [i8:99];n torchao._linear_8bit_act_4bit_weight.default (x,w) [4x5]",
     120},
    {"torchao does something else", "x input [4x6];n torchao.wna16_gemm.default (x,x) [4x5]",
     UNKNOWN},
    {"int4 weights packed for the kernel",
     "x input [4x6];w input [i8:1x2x3x4];n aten._weight_int4pack_mm_for_cpu.default (x,w) [4x5]",
     120},
    {"int8 weights",
     "x input [4x6];w input [i8:5x6];n aten._weight_int8pack_mm.default (x,w) [4x5]", 120},
    {"Cortex-M, filters with channels last",
     "x input [i8:1x64x25x5];w input [i8:64x1x1x64];n cortex_m.quantized_conv2d.out (x,w) "
     "[i8:1x64x25x5]",
     25 * 5 * 64 * 64},
    {"Cortex-M, depthwise",
     "x input [i8:1x1x49x10];w input [i8:1x10x4x64];n cortex_m.quantized_depthwise_conv2d.out "
     "(x,w) "
     "[i8:1x64x25x5]",
     25 * 5 * 10 * 4 * 64},
    {"Cortex-M, transposed: places of the input",
     "x input [i8:1x3x8x8];w input [i8:5x2x2x3];n cortex_m.quantized_transpose_conv2d.out (x,w) "
     "[i8:1x5x16x16]",
     64 * 60},
    {"Cortex-M, a layer",
     "x input [i8:1x64];w input [i8:12x64];n cortex_m.quantized_linear.out (x,w) [i8:1x12]",
     12 * 64},
    {"Cortex-M, batches times transposed ones",
     "x input [i8:2x3x4];w input [i8:2x5x4];n cortex_m.quantized_batch_matmul.out (x,w) [i8:2x3x5]",
     2 * 3 * 5 * 4},
    {"Cortex-M, no product",
     "x input [i8:1x64x25x5];n cortex_m.quantized_avg_pool2d.out (x) [i8:1x64x1x1]", 0},
    {"another library's layer",
     "x input [i8:1x64];w input [i8:12x64];n cadence.quantized_linear.out (x,w) [i8:1x12]",
     UNKNOWN},
    {"convolution", "x input [2x3x8x8];w weight [16x3x3x3];n convolution (x,w) [2x16x6x6]",
     2 * 36 * 432},
    {"depthwise", "x input [1x16x8x8];w weight [16x1x3x3];n convolution (x,w) [1x16x6x6] groups=16",
     36 * 144},
    {"transposed: places of the input",
     "x input [1x3x8x8];w weight [3x5x2x2];n convolution (x,w) [1x5x16x16] transposed=true",
     64 * 60},
    {"transposed, by its name",
     "x input [1x3x8];w weight [3x5x2];n conv_transpose1d (x,w) [1x5x16]", 8 * 30},
    {"conv1d without a batch", "x input [3x8];w weight [5x3x2];n conv1d (x,w) [5x7]", 7 * 30},
    {"conv3d", "x input [1x2x4x4x4];w weight [3x2x1x1x1];n conv3d (x,w) [1x3x4x4x4]", 64 * 6},
    {"attention",
     "q input [2x4x7x8];k input [2x4x9x8];v input [2x4x9x6];n scaled_dot_product_attention (q,k,v) "
     "[2x4x7x6]",
     2 * 4 * 7 * 9 * (8 + 6)},
    {"shared heads of keys and values",
     "q input [1x8x7x8];k input [1x2x9x8];v input [1x2x9x8];n "
     "aten._scaled_dot_product_flash_attention.default (q,k,v) "
     "[1x8x7x8]",
     8 * 7 * 9 * 16},
    {"element by element", "a input [2x3];n add (a,a) [2x3]", 0},
    {"the products of an LSTM do not follow from shapes",
     "a input [2x3];b input [2x3];n aten.lstm.input (a,b) [2x3]", UNKNOWN},
    {"another dialect", "a input [2x3];n llama.custom_sdpa.default (a,a,a) [2x3]", UNKNOWN},
    {"a size without example", "a input [sx3];b input [3x5];n mm (a,b) [sx5]", UNKNOWN},
    {"as large as can be counted",
     "a input [2000000000x2000000000];b input [2000000000x1];n mm (a,b) [2000000000x1]",
     4000000000000000000},
    {"too large",
     "a input [2000000000x2000000000];b input [2000000000x3];n mm (a,b) [2000000000x3]", UNKNOWN},
    {"nothing of nothing", "a input [0x3];b input [3x5];n mm (a,b) [0x5]", 0},
    {"matrices of too few dimensions", "a input [3];b input [3x5];n mm (a,b) [5]", UNKNOWN},
    {"a matrix of too many dimensions", "a input [2x3];b input [4x3x5];n mm (a,b) [2x5]", UNKNOWN},
    {"batches of matrices that are none", "a input [4x2x3];b input [3x5];n bmm (a,b) [4x2x5]",
     UNKNOWN},
    {"batches of other sizes", "a input [4x2x3];b input [3x3x5];n bmm (a,b) [4x2x5]", UNKNOWN},
    {"linear of a scalar", "x input [];w weight [5x3];n linear (x,w) [5]", UNKNOWN},
    {"linear with a scalar", "x input [4x3];w weight [];n linear (x,w) [4]", UNKNOWN},
    {"linear with a batch of weights", "x input [4x3];w weight [2x5x3];n linear (x,w) [4x5]",
     UNKNOWN},
    {"linear of other sizes", "x input [4x2];w weight [5x3];n linear (x,w) [4x5]", UNKNOWN},
    {"matmul of a scalar", "a input [];b input [3x5];n matmul (a,b) [5]", UNKNOWN},
    {"matmul with a scalar", "a input [2x3];b input [];n matmul (a,b) [2]", UNKNOWN},
    {"matmul with two outputs", "a input [2x3];b input [3x5];n matmul (a,b) [2x5] [2x5]", UNKNOWN},
    {"outer of matrices", "a input [2x3];b input [3];n outer (a,b) [2x3]", UNKNOWN},
    {"outer with a matrix", "a input [2];b input [3x2];n outer (a,b) [2x3]", UNKNOWN},
    {"convolution by a matrix", "x input [1x3x8];w weight [5x3];n convolution (x,w) [1x5x8]",
     UNKNOWN},
    {"convolution with an output of other dimensions",
     "x input [1x3x8x8];w weight [5x3x2x2];n convolution (x,w) [1x5x49]", UNKNOWN},
    {"convolution of too few dimensions",
     "x input [8x8];w weight [5x3x2x2];n convolution (x,w) [7x7]", UNKNOWN},
    {"attention without values",
     "q input [2x7x8];k input [2x9x8];n scaled_dot_product_attention (q,k) [2x7x8]", UNKNOWN},
    {"attention of vectors",
     "q input [8];k input [8];v input [8];n scaled_dot_product_attention (q,k,v) [8]", UNKNOWN},
    {"attention with keys of other dimensions",
     "q input [2x7x8];k input [9x8];v input [2x9x8];n scaled_dot_product_attention (q,k,v) [2x7x8]",
     UNKNOWN},
    {"attention with values of other dimensions",
     "q input [2x7x8];k input [2x9x8];v input [9x8];n scaled_dot_product_attention (q,k,v) [2x7x8]",
     UNKNOWN},
    {"attention with fewer values than keys",
     "q input [2x7x8];k input [2x9x8];v input [2x6x8];n scaled_dot_product_attention (q,k,v) "
     "[2x7x8]",
     UNKNOWN},
    {"packed weights and a scalar",
     "x input [];w input [i8:99];n torchao._linear_8bit_act_4bit_weight.default (x,w) [5]",
     UNKNOWN},
    {"einsum", "a input [2x3];b input [3x5];n aten.einsum.default (a,b) [2x5]", UNKNOWN},
};

Test(cost, macs_follow_from_shapes) {
  for (size_t i = 0; i < ETR_COUNT(formula_cases); i++) {
    const formula_case *c = &formula_cases[i];
    tiny_graph *g = graph_of(c->nodes);
    etr_amount macs = etr_macs_of(&g->graph, &g->nodes[tiny_node(g, "n")], NULL);
    cr_expect_eq(etr_amount_count(&macs), c->macs, "%s: %llu instead of %llu", c->title,
                 (unsigned long long)etr_amount_count(&macs), (unsigned long long)c->macs);
    etr_arena_clear(&arena);
  }
}

/* ---- Programs ---- */

typedef struct work_case {
  const char *title, *nodes; /* the operator is called n */
  etr_work work;
  uint64_t macs, bytes;
} work_case;

static const work_case work_cases[] = {
    {"channels last", "x input [2x8x8x3];w weight [16x3x3x3];n Conv2d (x,w) [2x6x6x16]",
     ETR_WORK_CONVOLUTION, 2 * 36 * 432, 4 * (384 + 432 + 1152)},
    {"channels last, depthwise", "x input [1x8x8x16];w weight [1x3x3x16];n Conv2d (x,w) [1x6x6x16]",
     ETR_WORK_CONVOLUTION, 36 * 144, 4 * (1024 + 144 + 576)},
    {"channels last, transposed", "x input [1x8x8x3];w weight [5x2x2x3];n Deconv (x,w) [1x16x16x5]",
     ETR_WORK_TRANSPOSED, 64 * 60, 4 * (192 + 60 + 1280)},
    {"channels first", "x input [2x3x8x8];w weight [16x3x3x3];n conv (x,w) [2x16x6x6]",
     ETR_WORK_CONVOLUTION_FIRST, 2 * 36 * 432, 4 * (384 + 432 + 1152)},
    {"channels first, transposed", "x input [1x3x8x8];w weight [3x5x2x2];n conv (x,w) [1x5x16x16]",
     ETR_WORK_TRANSPOSED_FIRST, 64 * 60, 4 * (192 + 60 + 1280)},
    {"a matrix of weights", "x input [4x3];w weight [5x3];n Fc (x,w) [4x5]", ETR_WORK_LINEAR, 60,
     4 * (12 + 15 + 20)},
    {"the same the other way", "x input [4x3];w weight [3x5];n Fc (x,w) [4x5]", ETR_WORK_LINEAR, 60,
     4 * (12 + 15 + 20)},
    {"batches", "a input [2x4x3];b input [2x3x5];n Bmm (a,b) [2x4x5]", ETR_WORK_MATMUL, 120,
     4 * (24 + 30 + 40)},
    {"a batch for all", "a input [2x4x3];b input [1x3x5];n Bmm (a,b) [2x4x5]", ETR_WORK_MATMUL, 120,
     4 * (24 + 15 + 40)},
    {"attention", "q input [1x2x4x8];k input [1x2x6x8];v input [1x2x6x8];n Sdpa (q,k,v) [1x2x4x8]",
     ETR_WORK_ATTENTION, 2 * 4 * 6 * 16, 4 * (64 + 96 + 96 + 64)},
    {"without a second factor", "x input [4x3];n Fc (x) [4x5]", ETR_WORK_LINEAR, UNKNOWN,
     4 * (12 + 20)},
    {"no product", "a input [2x3];n Add (a,a) [2x3]", ETR_WORK_NO_PRODUCT, 0, 48},
    {"a product of its own kind", "a input [2x3];n Odd (a,a) [2x3]", ETR_WORK_ODD_PRODUCT, UNKNOWN,
     48},
    {"it steers", "a input [2x3];n delegate.X (a) [2x3]", ETR_WORK_ELSEWHERE, 0, 0},
    {"nothing is known of it", "a input [2x3];n delegate.X (a) [2x3]", ETR_WORK_HIDDEN, UNKNOWN,
     UNKNOWN},
    {"a kernel",
     "x input [1x3x8x8];w weight [3x5x2x2];n aten.convolution.out (x,w) [1x5x16x16] "
     "transposed=true",
     ETR_WORK_BY_NAME, 64 * 60, 4 * (192 + 60 + 1280)},
    {"a kernel of others", "a input [2x3];n llama.custom_sdpa.out (a,a,a) [2x3]", ETR_WORK_BY_NAME,
     UNKNOWN, 48},
    {"a part is replaced",
     "c input [9x8];i input [i64:1];v input [1x8];n aten.index_put_.out (c,i,v) [9x8]",
     ETR_WORK_BY_NAME, 0, 8 + 32 + 32},
    {"positions of a cache are written",
     "v input [1x4x2x8];c input [1x9x2x8];n llama.update_cache.out (v,c) [1x9x2x8]",
     ETR_WORK_BY_NAME, 0, 2 * 256},
    {"a row is appended", "v input [1x8];n executorch_prim.et_copy_index.tensor (v) [9x8]",
     ETR_WORK_BY_NAME, 0, 64},
    {"a copy into a buffer", "c input [9x8];v input [9x8];n aten.copy_.default (c,v) [9x8]",
     ETR_WORK_BY_NAME, 0, 2 * 288},
};

/* Makes a program whose operator does this work. */
static tiny_graph *program_of(const char *nodes, etr_work work) {
  tiny_graph *g = graph_of(nodes);
  uint8_t *works = etr_arena_alloc_array(&arena, g->graph.node_count, sizeof *works);
  works[tiny_node(g, "n")] = (uint8_t)work;
  g->graph.works = works;
  return g;
}

Test(cost, macs_of_a_program_follow_from_its_operators) {
  for (size_t i = 0; i < ETR_COUNT(work_cases); i++) {
    const work_case *c = &work_cases[i];
    tiny_graph *g = program_of(c->nodes, c->work);
    cr_assert(find_costs());
    const etr_cost *cost = cost_of(g, "n");
    uint64_t bytes = cost->read_bytes == UNKNOWN ? UNKNOWN : cost->read_bytes + cost->written_bytes;
    cr_expect_eq(cost->macs, c->macs, "%s: %llu MACs", c->title, (unsigned long long)cost->macs);
    cr_expect_eq(bytes, c->bytes, "%s: %llu bytes", c->title, (unsigned long long)bytes);
    etr_arena_clear(&arena);
  }
}

/* Sizes of which only the upper bound is known give no cost. */
Test(cost, upper_bounds_of_sizes_give_no_cost) {
  tiny_graph *g = program_of("a input [2x3];b weight [3x5];n aten.mm.out (a,b) [2x5]",
                             ETR_WORK_BY_NAME);
  ((etr_value *)etr_for_foreign(g->nodes[0].outputs))->is_bound = true;
  cr_assert(find_costs());
  cr_expect_eq(cost_of(g, "n")->macs, UNKNOWN);
  cr_expect_eq(cost_of(g, "n")->read_bytes, UNKNOWN);
  cr_expect_eq(cost_of(g, "n")->written_bytes, 40);
  etr_arena_clear(&arena);
}

/* Memory planning reshaped [2x3] to [6]: a node has the shape that it reads, not the one that was
 * written. */
Test(cost, a_view_has_the_shape_that_is_read) {
  tiny_graph *g = program_of("a input [6];b weight [3x5];n aten.mm.out (a,b) [2x5]",
                             ETR_WORK_BY_NAME);
  const etr_dim dims[] = {{.size = 2, .hint = -1}, {.size = 3, .hint = -1}};
  const etr_value seen[] = {{.name = "v", .dtype = "float32", .dims = dims, .rank = 2},
                            {.name = NULL}};
  const etr_value *views[] = {NULL, NULL, seen};
  cr_assert(find_costs());
  cr_expect_eq(cost_of(g, "n")->macs, UNKNOWN);
  g->graph.views = views;
  cr_assert(find_costs());
  cr_expect_eq(cost_of(g, "n")->macs, 30);
  etr_arena_clear(&arena);
}

/* A delegate's constants have the size stored in the program, which is four bits per number here.
 */
Test(cost, packed_constants_count_with_their_stored_size) {
  tiny_graph *g = program_of("x input [4x6];w weight [5x6] bytes=15;n Fc (x,w) [4x5]",
                             ETR_WORK_LINEAR);
  g->nodes[1].kind = ETR_NODE_CONSTANT;
  ((etr_value *)etr_for_foreign(g->nodes[0].outputs))->dtype = "qdint8";
  ((etr_value *)etr_for_foreign(g->nodes[1].outputs))->dtype = "qcint4";
  cr_assert(find_costs());
  cr_expect_eq(cost_of(g, "n")->read_bytes, 24 + 15);
  cr_expect_eq(cost_of(g, "n")->weight_bytes, 15);
  cr_expect(cost_of(g, "n")->is_integer);
  etr_arena_clear(&arena);
}

/* ---- Bytes ---- */

typedef struct bytes_case {
  const char *title, *nodes;
  uint64_t read, weights, written;
} bytes_case;

static const bytes_case bytes_cases[] = {
    {"each tensor once", "a input [2x3];w weight [2x3];n add (a,w) [2x3]", 48, 24, 24},
    {"a value that is used twice", "a input [2x3];n mul (a,a) [2x3]", 24, 0, 24},
    {"number types", "a input [i8:10];n aten.to.dtype (a) [f16:10]", 10, 0, 20},
    {"a lookup reads what it gives", "w weight [1000x8];i input [i64:3];n embedding (w,i) [3x8]",
     96 + 24, 96, 96},
    {"a lookup of rows that are added",
     "w weight [1000x8];i input [i64:3];n aten._embedding_bag.default (w,i) [1x8]", 96 + 24, 96,
     32},
    {"a lookup of quantized rows and of their scales",
     "w weight [i8:1000x8];s weight [1000];i input [i64:3];n "
     "quantized_decomposed.embedding_byte.default (w,s,i) [3x8]",
     24 + 12 + 24, 24 + 12, 96},
    {"a lookup of packed rows, with two scales each",
     "w weight [i8:1000x4];s weight [1000x2];i input [i64:3];n "
     "quantized_decomposed.embedding_4bit.dtype (w,s,i) [3x8]",
     12 + 24 + 24, 12 + 24, 96},
    {"a slice", "a input [100x8];n slice_copy (a) [2x8]", 64, 0, 64},
    {"a view of memory", "a input [100x8];n aten.view.default (a) [800]", 0, 0, 0},
    {"a view that copies", "a input [100x8];n view_copy (a) [800]", 3200, 0, 3200},
    {"a choice among outputs", "a input [100x8];n _operator.getitem (a) [100x8]", 0, 0, 0},
    {"a part of a subclass of tensors",
     "a weight [100x8];n export.access_subclass_inner_tensor.default (a) [100x8]", 0, 0, 0},
    {"made from nothing", "n full [4]", 0, 0, 16},
    {"several outputs", "a input [4];n split_with_sizes_copy (a) [1] [3]", 16, 0, 16},
    {"an unknown type", "a input [odd:4];n add (a,a) [4]", UNKNOWN, 0, 16},
    {"no tensor", "a input [?];n add (a,a) [4]", UNKNOWN, 0, 16},
};

Test(cost, each_tensor_counts_once_in_bytes) {
  for (size_t i = 0; i < ETR_COUNT(bytes_cases); i++) {
    const bytes_case *c = &bytes_cases[i];
    const etr_cost *cost = cost_of(costs_of(c->nodes), "n");
    cr_expect_eq(cost->read_bytes, c->read, "%s: reads %llu", c->title,
                 (unsigned long long)cost->read_bytes);
    cr_expect_eq(cost->weight_bytes, c->weights, "%s: weights %llu", c->title,
                 (unsigned long long)cost->weight_bytes);
    cr_expect_eq(cost->written_bytes, c->written, "%s: writes %llu", c->title,
                 (unsigned long long)cost->written_bytes);
    etr_arena_clear(&arena);
  }
}

/* ---- Sizes ---- */

Test(cost, example_sizes_are_marked) {
  tiny_graph *g = graph_of("a input [sx3];b input [3x5];n mm (a,b) [2x5];o add (b,b) [3x5]");
  ((etr_dim *)etr_for_foreign(g->nodes[0].outputs[0].dims))[0].hint = 7;
  cr_assert(find_costs());
  cr_expect_eq(cost_of(g, "n")->macs, 7 * 15);
  cr_expect(cost_of(g, "n")->from_hints);
  cr_expect_not(cost_of(g, "o")->from_hints);
  etr_arena_clear(&arena);
}

Test(cost, too_large_sizes_warn_once_and_others_count) {
  tiny_graph *g = costs_of(
      "a input [2000000000x2000000000];b input [2000000000x3];n mm (a,b) [2000000000x3];"
      "m mm (a,b) [2000000000x3];o add (b,b) [2]");
  cr_assert_eq(warnings.list.count, 1);
  cr_expect(strstr(warnings.list.data[0].message, "n and 1 other node"), "%s",
            warnings.list.data[0].message);
  cr_expect_eq(cost_of(g, "n")->macs, UNKNOWN);
  cr_expect_eq(cost_of(g, "o")->macs, 0);
  cr_expect_eq(cost_of(g, "o")->written_bytes, 8);
  etr_arena_clear(&arena);
}

/* ---- Groups ---- */

/* Marked nodes were timed; each of the others was fused into the node behind its '<'. */
static tiny_graph *fused(const char *text, const char *carried, const char *carrier) {
  tiny_graph *g = graph_of(text);
  etr_node_time *times = etr_arena_alloc_array(&arena, g->graph.node_count, sizeof *times);
  for (size_t i = 0; i < g->graph.node_count; i++)
    times[i] = (etr_node_time){.carried_by = ETR_NONE};
  for (const char *at = carried; *at; at++)
    times[tiny_node(g, (char[]){*at, '\0'})].carried_by = tiny_node(g, carrier);
  g->graph.times = times;
  cr_assert(find_costs());
  return g;
}

/* What one recording cost is kept for those that group the nodes as it did, and for no others. */
Test(cost, groups_are_added_up_once) {
  tiny_graph *g = fused("x input [1x2x4];w weight [2x2x1];c convolution (x,w) [1x2x4];"
                        "r relu (c) [1x2x4];y add (r,x) [1x2x4]",
                        "r", "c");
  etr_kept kept = {0};
  const etr_cost_job job = {
      .profile = &profile, .graphs = graphs, .kept = &kept, .arena = &arena, .warnings = &warnings};
  etr_node_time *times = etr_for_foreign(g->graph.times);
  uint32_t relu = tiny_node(g, "r"), convolution = tiny_node(g, "c");
  for (int turn = 0; turn < 4; turn++) {
    bool is_fused = turn % 2 == 0;
    times[relu].carried_by = is_fused ? convolution : ETR_NONE;
    cr_assert(etr_costs_find(&job));
    etr_cost costs[2] = {g->graph.costs[relu], g->graph.costs[convolution]};
    cr_assert(find_costs());
    cr_expect_arr_eq(costs, ((etr_cost[]){g->graph.costs[relu], g->graph.costs[convolution]}),
                     sizeof costs);
    cr_expect_eq(costs[0].read_bytes, is_fused ? 0 : 32);
  }
  etr_kept_clear(&kept);
  etr_arena_clear(&arena);
}

/* A cache is read, but is no weight; a buffer that nothing writes is one. */
Test(cost, buffers_that_are_written_are_no_weights) {
  tiny_graph *g = program_of("x input [4x6];w weight [5x6];n Fc (x,w) [4x5]", ETR_WORK_LINEAR);
  g->nodes[1].kind = ETR_NODE_BUFFER;
  for (int is_written = 0; is_written <= 1; is_written++) {
    g->nodes[1].is_written = is_written;
    cr_assert(find_costs());
    cr_expect_eq(cost_of(g, "n")->read_bytes, 4 * (24 + 30));
    cr_expect_eq(cost_of(g, "n")->weight_bytes, is_written ? 0 : 4 * 30);
  }
  etr_arena_clear(&arena);
}

Test(cost, bytes_of_a_fused_group_cross_its_boundary) {
  tiny_graph *g = fused(
      "x input [1x2x4];w weight [2x2x1];c convolution (x,w) [1x2x4];r relu (c) [1x2x4];"
      "y add (r,x) [1x2x4]",
      "r", "c");
  const etr_cost *c = cost_of(g, "c");
  cr_expect_eq(c->macs, 16);
  cr_expect_eq(c->read_bytes, 32 + 16);
  cr_expect_eq(c->weight_bytes, 16);
  cr_expect_eq(c->written_bytes, 32, "what the activation gives; its input stays inside");
  cr_expect_eq(cost_of(g, "r")->macs + cost_of(g, "r")->read_bytes + cost_of(g, "r")->written_bytes,
               0);
  etr_arena_clear(&arena);
}

Test(cost, quantized_products_are_integer) {
  tiny_graph *g = fused(
      "x input [i8:2x3];w weight [i8:5x3];d dequantize_per_tensor (x) [2x3];"
      "e dequantize_per_channel (w) [5x3];n linear (d,e) [2x5];q quantize_per_tensor (n) [i8:2x5];"
      "o add (q,q) [i8:2x5]",
      "deq", "n");
  cr_expect(cost_of(g, "n")->is_integer);
  cr_expect_eq(cost_of(g, "n")->macs, 30);
  cr_expect_eq(cost_of(g, "n")->read_bytes, 6 + 15);
  cr_expect_eq(cost_of(g, "n")->written_bytes, 10);
  etr_arena_clear(&arena);
}

Test(cost, a_product_with_a_float_factor_is_float) {
  tiny_graph *g = fused(
      "x input [2x3];w weight [i8:5x3];e dequantize_per_channel (w) [5x3];n linear (x,e) [2x5];"
      "o add (n,n) [2x5]",
      "e", "n");
  cr_expect_not(cost_of(g, "n")->is_integer);
  cr_expect_eq(cost_of(g, "n")->read_bytes, 24 + 15);
  etr_arena_clear(&arena);
}

Test(cost, a_shared_dequantization_counts_for_each_user) {
  tiny_graph *g = fused("x input [i8:2x3];w weight [i8:3x3];d dequantize_per_tensor (x) [2x3];"
                        "e dequantize_per_tensor (w) [3x3];n linear (d,e) [2x3];m linear (d,e) "
                        "[2x3];o add (n,m) [2x3]",
                        "de", "n");
  cr_expect(cost_of(g, "m")->is_integer);
  cr_expect_eq(cost_of(g, "m")->read_bytes, 6 + 9);
  cr_expect_eq(cost_of(g, "n")->written_bytes, 24,
               "the dequantized values are no output of the group");
  etr_arena_clear(&arena);
}

/* A delegate packs two weights of four bits into a byte. A kernel reads the bytes as the Edge graph
 * has them. */
Test(cost, weights_of_four_bits_are_packed_in_delegates) {
  static const struct {
    const char *range;
    int32_t delegate;
    uint64_t weights;
  } cases[] = {{"quant_min=-8 quant_max=7", 3, 8},
               {"quant_min=-8 quant_max=7", -1, 15},
               {"quant_min=-128 quant_max=127", 3, 15},
               {"", 3, 15}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const char *text = etr_arena_format(
        &arena,
        "x input [2x3];w weight [i8:5x3];e torchao.dequantize_affine.default (w) "
        "[5x3] %s;n linear (x,e) [2x5];o add (n,n) [2x5]",
        cases[i].range);
    tiny_graph *g = fused(text, "e", "n");
    etr_node_time *times = etr_for_foreign(g->graph.times);
    for (size_t k = 0; k < g->graph.node_count; k++)
      times[k].delegate_instruction = cases[i].delegate;
    cr_assert(find_costs());
    cr_expect_eq(cost_of(g, "n")->weight_bytes, cases[i].weights, "%s: %llu", cases[i].range,
                 (unsigned long long)cost_of(g, "n")->weight_bytes);
    cr_expect_eq(cost_of(g, "n")->read_bytes, 24 + cases[i].weights);
    etr_arena_clear(&arena);
  }
}

/* ---- Nodes without a time in a method that ran ---- */

typedef struct silent_case {
  const char *title, *nodes; /* the node is called n; the other operator is timed */
  int32_t delegate;
  uint64_t unexplained;
  bool in_body, never_ran;
} silent_case;

static const silent_case silent_cases[] = {
    {"a view that became nothing", "x input [2x3];n view_copy (x) [6];o add (n,n) [6]", -1, 0,
     false, true},
    {"a view in a delegate", "x input [2x3];n view_copy (x) [6];o add (n,n) [6]", 2, 0, false,
     false},
    {"while events match no node", "x input [2x3];n view_copy (x) [6];o add (n,n) [6]", -1, 5,
     false, false},
    {"an operator of the top level", "x input [2x3];n mul (x,x) [6];o add (n,n) [6]", -1, 0, false,
     false},
    {"a branch that was not taken", "x input [2x3];n mul (x,x) [6];o add (n,n) [6]", -1, 0, true,
     true},
    {"a delegate in a branch", "x input [2x3];n mul (x,x) [6];o add (n,n) [6]", 2, 0, true, false},
};

Test(cost, nodes_that_never_ran_cost_nothing) {
  static const etr_subgraph body = {.kind = ETR_SUBGRAPH_BODY, .parent = ETR_NONE};
  for (size_t i = 0; i < ETR_COUNT(silent_cases); i++) {
    const silent_case *c = &silent_cases[i];
    tiny_graph *g = fused(c->nodes, "", "n");
    const etr_part_time parts[] = {
        {.part = ETR_TIME_OPERATORS, .ticks = 10},
        {.part = ETR_TIME_UNPLACED, .ticks = c->unexplained},
    };
    const etr_method method = {
        .run_count = 2, .execute_ticks = 20, .parts = parts, .part_count = 2};
    uint32_t n = tiny_node(g, "n");
    etr_node_time *times = etr_for_foreign(g->graph.times);
    for (size_t k = 0; k < g->graph.node_count; k++)
      times[k].delegate_instruction = c->delegate;
    times[tiny_node(g, "o")].runs = 2;
    g->nodes[n].subgraph = c->in_body ? 0 : ETR_NONE;
    g->graph.subgraphs = &body;
    g->graph.profile_method = 0;
    profile.methods = &method;
    profile.method_count = 1;
    cr_assert(find_costs());
    etr_cost_sum sum = {0};
    etr_cost_add(&sum, &profile, &g->graph, n);
    cr_expect_eq(cost_of(g, "n")->never_ran, c->never_ran, "%s", c->title);
    cr_expect_eq(etr_cost_bytes(&sum) == 0, c->never_ran, "%s: %g bytes", c->title,
                 etr_cost_bytes(&sum));
    etr_arena_clear(&arena);
  }
}

/* ---- Rates ---- */

/* Makes the sum of one node with 500 MACs and 100 bytes that took `ns` in each of 4 runs. */
static etr_cost_sum sum_of(double ns, double step) {
  return (etr_cost_sum){
      .macs = 500, .bytes = 100, .ns = ns, .runs = 4, .variance = 4 * step * step / 6};
}

Test(cost, rates_divide_costs_by_time) {
  etr_cost_sum sum = sum_of(200, 0);
  cr_expect_float_eq(etr_cost_gflops(&sum), 5, 1e-9);
  cr_expect_float_eq(etr_cost_gbs(&sum), 0.5, 1e-9);
  cr_expect_float_eq(etr_cost_intensity(&sum), 10, 1e-9);
  cr_expect_str_eq(etr_cost_arithmetic(&sum), "float");
  sum.integer_macs = 500;
  cr_expect_str_eq(etr_cost_arithmetic(&sum), "integer");
  sum.unknown_macs = 1;
  cr_expect(isnan(etr_cost_gflops(&sum)) && isnan(etr_cost_macs(&sum)));
  cr_expect_float_eq(etr_cost_gbs(&sum), 0.5, 1e-9);
}

Test(cost, no_rate_is_given_below_the_clock_resolution) {
  etr_cost_sum coarse = sum_of(2000, 1000),
               fine = sum_of(2100, 1000); /* 4 readings of a microsecond: +-816 ns */
  cr_expect(isnan(etr_cost_gflops(&coarse)) && isnan(etr_cost_gbs(&coarse)));
  cr_expect_not(isnan(etr_cost_gflops(&fine)));
  cr_expect(isnan(etr_cost_gflops(&(etr_cost_sum){.macs = 500})), "not timed");
}

typedef struct peak_case {
  const char *title;
  etr_effective_peaks effective_peaks;
  double of_peak; /* 0: unknown */
  etr_bound bound;
} peak_case;

static const peak_case peak_cases[] = {
    {"limited by computing",
     {.gflops = 10, .gbs = 5, .flops_given = true, .bandwidth_given = true},
     0.5,
     ETR_BOUND_COMPUTE},
    {"limited by memory",
     {.gflops = 10, .gbs = 0.8, .flops_given = true, .bandwidth_given = true},
     0.625,
     ETR_BOUND_MEMORY},
    {"faster than the peak",
     {.gflops = 2.5, .gbs = 5, .flops_given = true, .bandwidth_given = true},
     2,
     ETR_BOUND_COMPUTE},
    {"the best rates of the record do not say what limits",
     {.gflops = 10, .gbs = 5},
     0.5,
     ETR_BOUND_UNKNOWN},
    {"one of them does not, either",
     {.gflops = 10, .gbs = 5, .flops_given = true},
     0.5,
     ETR_BOUND_UNKNOWN},
    {"no peak of computing", {.gbs = 5, .bandwidth_given = true}, 0, ETR_BOUND_UNKNOWN},
    {"no peak of memory", {.gflops = 5, .flops_given = true}, 0, ETR_BOUND_UNKNOWN},
};

Test(cost, share_and_bound_follow_from_the_peaks) {
  etr_cost_sum sum = sum_of(200, 0);
  for (size_t i = 0; i < ETR_COUNT(peak_cases); i++) {
    etr_bound bound;
    double of_peak = etr_cost_of_peak(&sum, &peak_cases[i].effective_peaks, &bound);
    cr_expect_float_eq(isnan(of_peak) ? 0 : of_peak, peak_cases[i].of_peak, 1e-9, "%s: %g",
                       peak_cases[i].title, of_peak);
    cr_expect_eq(bound, peak_cases[i].bound, "%s", peak_cases[i].title);
  }
}

/* ---- Real records ---- */

static double macs_of_method(const etr_profile *p) {
  const etr_graph *graph = &p->graphs[p->methods[0].graph];
  etr_cost_sum sum = {0};
  for (size_t i = 0; i < graph->node_count; i++)
    etr_cost_add(&sum, p, graph, i);
  return etr_cost_macs(&sum);
}

/* MACs are half of the FLOP that torch's FlopCounterMode counts; tests/check/costs.py compares node
 * by node. */
Test(cost, macs_of_fixtures_are_those_of_torch) {
  static const struct {
    const char *name;
    double flop;
  } records[] = {{"mv2_xnnpack", 8624000},
                 {"mv2_portable", 3833600},
                 {"vit_xnnpack", 2360928},
                 {"unet_xnnpack", 1259520},
                 {"mlp_8da4w", 73728}};
  for (size_t i = 0; i < ETR_COUNT(records); i++) {
    etr_profile *p = open_fixture(records[i].name, NULL);
    cr_expect_eq(2 * macs_of_method(p), records[i].flop, "%s: %.0f", records[i].name,
                 2 * macs_of_method(p));
    etr_profile_close(p);
  }
}

/* One operator that takes `us` in each of two runs. */
typedef struct peak_node_case {
  const char *title, *nodes;
  double us;
  bool is_slow_once;  /* the average is `us`, the median a tenth of it */
  double gflops, gbs; /* 0: no peak */
} peak_node_case;

static const peak_node_case peak_node_cases[] = {
    {"a large copy", "x input [1000x250];n clone (x) [1000x250]", 100, false, 0, 20},
    {"a copy within a cache", "x input [1000x4];n clone (x) [1000x4]", 0.096, false, 0, 0},
    {"a slow copy of little", "x input [1000x4];n clone (x) [1000x4]", 100, false, 0, 0},
    {"a fast copy of much", "x input [1000x250];n clone (x) [1000x250]", 49, false, 0, 0},
    {"a copy that was slow once", "x input [1000x250];n clone (x) [1000x250]", 100, true, 0, 0},
    {"a large product of little memory", "a input [100x100];n mm (a,a) [100x100]", 100, false, 20,
     0},
    {"a small product", "a input [90x90];n mm (a,a) [90x90]", 100, false, 0, 0},
};

Test(cost, only_large_and_long_operators_give_a_peak) {
  for (size_t i = 0; i < ETR_COUNT(peak_node_cases); i++) {
    const peak_node_case *c = &peak_node_cases[i];
    tiny_graph *g = fused(c->nodes, "", "n");
    etr_node_time *time = &((etr_node_time *)etr_for_foreign(g->graph.times))[tiny_node(g, "n")];
    const etr_part_time part = {.part = ETR_TIME_OPERATORS, .ticks = 1};
    const etr_method method = {
        .run_count = 2, .graph = 0, .execute_ticks = 2, .parts = &part, .part_count = 1};
    *time = (etr_node_time){.runs = 2,
                            .calls = 2,
                            .avg = c->us * 1000,
                            .typical = c->us * 1000,
                            .carried_by = ETR_NONE,
                            .delegate_instruction = -1,
                            .per_run = {.p50 = c->us * (c->is_slow_once ? 100 : 1000)}};
    g->graph.profile_method = 0;
    profile.methods = &method;
    profile.method_count = 1;
    cr_assert(find_costs());
    cr_expect_float_eq(profile.effective_peaks.gflops, c->gflops, 1e-9, "%s: %g GFLOP/s", c->title,
                       profile.effective_peaks.gflops);
    cr_expect_float_eq(profile.effective_peaks.gbs, c->gbs, 1e-9, "%s: %g GB/s", c->title,
                       profile.effective_peaks.gbs);
    etr_arena_clear(&arena);
  }
}

Test(cost, missing_peaks_are_the_best_rates_of_the_record) {
  etr_profile *best = open_fixture("n_cond_spike", NULL);
  etr_profile *given = open_fixture("n_cond_spike", &(etr_options){.peaks = {.flops = 1e12}});
  cr_expect(best->effective_peaks.gflops > 1 && !best->effective_peaks.flops_given);
  cr_expect(given->effective_peaks.gflops == 1000 && given->effective_peaks.flops_given &&
            !given->effective_peaks.bandwidth_given);
  cr_expect_eq(given->effective_peaks.gbs, best->effective_peaks.gbs);
  etr_profile_close(best);
  etr_profile_close(given);
}
