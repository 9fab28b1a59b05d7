/* SPDX-License-Identifier: BSD-3-Clause
 *
 * formulas.c - a row for each kind of operator.
 *
 * Sources: the functions of torch/utils/flop_counter.py (torch 2.15) named at each formula. Where ATen has an operator
 * that torch takes apart before it counts (linear, matmul, conv2d), the formula is that of what becomes of it.
 */
#include "cost/formulas.h"

#include "backends/operator.h"

typedef struct call {
  const etr_graph *graph;
  const etr_node *node;
  const etr_value *a, *b; /* the factors */
  etr_slice op;
  etr_work work;
} call;

const etr_value *etr_input_of(const etr_graph *graph, const etr_node *node, size_t place) {
  if (place >= node->input_count) return NULL;
  const etr_value *views = graph->views ? graph->views[node - graph->nodes] : NULL;
  if (views && views[place].name) return &views[place];
  const etr_edge *edge = &node->inputs[place];
  const etr_node *producer = &graph->nodes[edge->node];
  return edge->output < producer->output_count ? &producer->outputs[edge->output] : NULL;
}

etr_work etr_work_of(const etr_graph *graph, const etr_node *node) {
  return graph->works ? (etr_work)graph->works[node - graph->nodes] : ETR_WORK_BY_NAME;
}

/* Dimensions of two tensors that are one: unknown if they are not. */
static void expect_same(etr_amount *amount, const etr_dim *a, const etr_dim *b) {
  if (a->size >= 0 && b->size >= 0 && a->size != b->size) amount->is_unknown = true;
}

static void multiply_dim(etr_amount *amount, const etr_value *value, int32_t dim) {
  etr_amount_multiply_dims(amount, value, dim, dim + 1);
}

/* [*, m, k] times [*, k, n]: mm_flop(), bmm_flop(). */
static etr_amount product(const call *c, int32_t rank) {
  etr_amount macs = etr_amount_of(1);
  if (c->a->rank != rank || c->b->rank != rank) return etr_amount_unknown();
  for (int32_t i = 0; i < rank - 2; i++) expect_same(&macs, &c->a->dims[i], &c->b->dims[i]);
  expect_same(&macs, &c->a->dims[rank - 1], &c->b->dims[rank - 2]);
  etr_amount_multiply_dims(&macs, c->a, 0, rank);
  multiply_dim(&macs, c->b, rank - 1);
  return macs;
}

static etr_amount of_matrices(const call *c) { return product(c, 2); }
static etr_amount of_batches(const call *c) { return product(c, 3); }

/* [*, k] times the transpose of [n, k] or [k]: mm_flop() of addmm or mm. */
static etr_amount of_linear(const call *c) {
  etr_amount macs = etr_elements_of(c->a);
  if (c->a->rank < 1 || c->b->rank < 1 || c->b->rank > 2) return etr_amount_unknown();
  expect_same(&macs, &c->a->dims[c->a->rank - 1], &c->b->dims[c->b->rank - 1]);
  etr_amount_multiply_dims(&macs, c->b, 0, c->b->rank - 1);
  return macs;
}

/* Becomes mm or bmm; with a vector mv or dot, for which there is no formula, but for a vector times a matrix. */
static etr_amount of_matmul(const call *c) {
  if (c->a->rank < 1 || c->b->rank < 1) return etr_amount_unknown();
  if (c->b->rank == 1 || (c->a->rank == 1 && c->b->rank > 2)) return etr_amount_of(0);
  if (c->node->output_count != 1) return etr_amount_unknown();
  etr_amount macs = etr_elements_of(&c->node->outputs[0]);
  expect_same(&macs, &c->a->dims[c->a->rank - 1], &c->b->dims[c->b->rank - 2]);
  multiply_dim(&macs, c->a, c->a->rank - 1);
  return macs;
}

static bool is_transposed(const call *c) {
  if (c->work != ETR_WORK_BY_NAME) return c->work == ETR_WORK_TRANSPOSED || c->work == ETR_WORK_TRANSPOSED_FIRST;
  const char *transposed = etr_node_argument(c->node, "transposed");
  return etr_slice_starts(c->op, ETR_SLICE("conv_transpose")) || (transposed && strcmp(transposed, "true") == 0);
}

/* conv_flop_count(): all of the filter at each place of the output; if transposed, at each place of the input. Of an
 * input without a batch it is one. */
static etr_amount of_convolution(const call *c) {
  const etr_value *places = is_transposed(c) ? c->a : c->node->outputs;
  if (c->node->output_count < 1 || places->rank != c->a->rank || c->b->rank < 3) return etr_amount_unknown();
  bool has_batch = c->a->rank == c->b->rank;
  if (!has_batch && c->a->rank != c->b->rank - 1) return etr_amount_unknown();
  etr_amount macs = etr_elements_of(c->b);
  if (has_batch) multiply_dim(&macs, c->a, 0);
  etr_amount_multiply_dims(&macs, places, has_batch ? 2 : 1, places->rank);
  return macs;
}

/* The same with channels last: [N, H, W, C]. The filter's order does not matter, as all of it is used. */
static etr_amount of_convolution_last(const call *c) {
  const etr_value *places = is_transposed(c) ? c->a : c->node->outputs;
  if (c->node->output_count < 1 || places->rank < 1) return etr_amount_unknown();
  etr_amount macs = etr_elements_of(c->b);
  etr_amount_multiply_dims(&macs, places, 0, places->rank - 1);
  return macs;
}

/* Each number that comes out is a row of the input times as many others, whichever way these lie. */
static etr_amount of_rows(const call *c) {
  if (c->node->output_count < 1 || c->a->rank < 1) return etr_amount_unknown();
  etr_amount macs = etr_elements_of(&c->node->outputs[0]);
  multiply_dim(&macs, c->a, c->a->rank - 1);
  return macs;
}

/* sdpa_flop_count(): queries by keys, then that by values; masks leave nothing out. */
static etr_amount of_attention(const call *c) {
  const etr_value *values = etr_input_of(c->graph, c->node, 2);
  int32_t rank = c->a->rank;
  if (!values || rank < 3 || c->b->rank != rank || values->rank != rank) return etr_amount_unknown();
  etr_amount macs = etr_amount_of_dim(&c->a->dims[rank - 1]), queries = etr_amount_of(1);
  etr_amount_add(&macs, etr_amount_of_dim(&values->dims[rank - 1]));
  expect_same(&macs, &c->a->dims[rank - 1], &c->b->dims[rank - 1]);
  expect_same(&macs, &c->b->dims[rank - 2], &values->dims[rank - 2]);
  etr_amount_multiply_dims(&queries, c->a, 0, rank - 1);
  etr_amount_multiply(&macs, queries);
  multiply_dim(&macs, c->b, rank - 2);
  return macs;
}

static etr_amount of_what_is_not_told(const call *c) {
  (void)c;
  return etr_amount_unknown();
}

typedef struct formula {
  const char *op; /* without namespace, overload and leading underscores: operator.h */
  etr_amount (*macs)(const call *c);
  uint8_t first, second; /* places of the factors among the inputs */
} formula;

static const formula formulas[] = {
    {"mm", of_matrices, 0, 1},
    {"addmm", of_matrices, 1, 2}, /* addmm_flop() */
    {"bmm", of_batches, 0, 1},
    {"baddbmm", of_batches, 1, 2},         /* baddbmm_flop() */
    {"scaled_mm", of_matrices, 0, 1},      /* _scaled_mm_flop() */
    {"convolution", of_convolution, 0, 1}, /* conv_flop(), and below: what becomes of it */
    {"convolution_overrideable", of_convolution, 0, 1},
    {"slow_conv2d_forward", of_convolution, 0, 1},
    {"conv1d", of_convolution, 0, 1},
    {"conv2d", of_convolution, 0, 1},
    {"conv3d", of_convolution, 0, 1},
    {"conv_transpose1d", of_convolution, 0, 1},
    {"conv_transpose2d", of_convolution, 0, 1},
    {"conv_transpose3d", of_convolution, 0, 1},
    {"linear", of_linear, 0, 1},
    {"matmul", of_matmul, 0, 1},
    {"scaled_dot_product_attention", of_attention, 0, 1}, /* sdpa_flop(), and below */
    {"scaled_dot_product_attention_math", of_attention, 0, 1},
    {"scaled_dot_product_efficient_attention", of_attention, 0, 1},
    {"scaled_dot_product_flash_attention", of_attention, 0, 1},
    {"scaled_dot_product_flash_attention_for_cpu", of_attention, 0, 1},
    {"scaled_dot_product_cudnn_attention", of_attention, 0, 1},
    {"scaled_dot_product_fused_attention_overrideable", of_attention, 0, 1},
    {"mixed_mm", of_matrices, 0, 1}, /* quantized_decomposed: mm of weights that it dequantizes */
    {"mixed_linear", of_linear, 0, 1},
    {"lstm", of_what_is_not_told, 0, 0},
    {"gru", of_what_is_not_told, 0, 0},
    {"rnn_tanh", of_what_is_not_told, 0, 0},
    {"rnn_relu", of_what_is_not_told, 0, 0},
    {"lstm_cell", of_what_is_not_told, 0, 0},
    {"gru_cell", of_what_is_not_told, 0, 0},
    {"einsum", of_what_is_not_told, 0, 0},
    {"tensordot", of_what_is_not_told, 0, 0},
    {"chain_matmul", of_what_is_not_told, 0, 0},
    {"bilinear", of_what_is_not_told, 0, 0},
    {"trilinear", of_what_is_not_told, 0, 0},
    {"cdist", of_what_is_not_told, 0, 0},
    {"flash_attention_forward", of_what_is_not_told, 0, 0},
    {"efficient_attention_forward", of_what_is_not_told, 0, 0},
    {"weight_int4pack_mm", of_what_is_not_told, 0, 0},
    {"weight_int8pack_mm", of_what_is_not_told, 0, 0},
    {"grouped_mm", of_what_is_not_told, 0, 0},
    {"scaled_grouped_mm", of_what_is_not_told, 0, 0},
};

/* Those whose other operators move, convert or compute element by element. */
static bool is_of_known_dialect(const char *target) {
  static const char *const dialects[] = {
      "aten.",         "prims.",           "quantized_decomposed.", "dim_order_ops.", "_operator.", "operator.",
      "higher_order.", "executorch_prim.", "executorch_prims.",     "builtins.",      "math."};
  for (size_t i = 0; i < ETR_COUNT(dialects); i++)
    if (strncmp(target, dialects[i], strlen(dialects[i])) == 0) return true;
  return strchr(target, '.') == NULL;
}

static const formula *find(etr_slice op) {
  for (size_t i = 0; i < ETR_COUNT(formulas); i++)
    if (op.size && formulas[i].op[0] == op.data[0] && etr_slice_equal(op, etr_slice_of(formulas[i].op)))
      return &formulas[i];
  return NULL;
}

static etr_amount of_nothing(const call *c) {
  (void)c;
  return etr_amount_of(0);
}

/* By etr_work. */
static const formula works[] = {
    [ETR_WORK_BY_NAME] = {"", NULL, 0, 0},
    [ETR_WORK_NO_PRODUCT] = {"", of_nothing, 0, 0},
    [ETR_WORK_ELSEWHERE] = {"", of_nothing, 0, 0},
    [ETR_WORK_HIDDEN] = {"", of_what_is_not_told, 0, 0},
    [ETR_WORK_ODD_PRODUCT] = {"", of_what_is_not_told, 0, 0},
    [ETR_WORK_CONVOLUTION] = {"", of_convolution_last, 0, 1},
    [ETR_WORK_TRANSPOSED] = {"", of_convolution_last, 0, 1},
    [ETR_WORK_CONVOLUTION_FIRST] = {"", of_convolution, 0, 1},
    [ETR_WORK_TRANSPOSED_FIRST] = {"", of_convolution, 0, 1},
    [ETR_WORK_LINEAR] = {"", of_rows, 0, 1},
    [ETR_WORK_MATMUL] = {"", of_rows, 0, 1},
    [ETR_WORK_ATTENTION] = {"", of_attention, 0, 1},
};

etr_amount etr_macs_of(const etr_graph *graph, const etr_node *node, etr_factors *factors) {
  if (factors) *factors = (etr_factors){0};
  if (node->kind != ETR_NODE_OP) return etr_amount_of(0);
  call c = {.graph = graph, .node = node, .op = etr_operator_of_target(node->target), .work = etr_work_of(graph, node)};
  const formula *found = c.work == ETR_WORK_BY_NAME ? find(c.op) : &works[c.work];
  if (c.work == ETR_WORK_BY_NAME && !is_of_known_dialect(node->target)) return etr_amount_unknown();
  if (!found || found->macs == of_nothing) return etr_amount_of(0);
  if (found->macs == of_what_is_not_told) return etr_amount_unknown();
  c.a = etr_input_of(graph, node, found->first);
  c.b = etr_input_of(graph, node, found->second);
  if (!c.a || !c.b) return etr_amount_unknown();
  if (factors) *factors = (etr_factors){true, found->first, found->second};
  return found->macs(&c);
}

bool etr_multiplies(const char *target) { return find(etr_operator_of_target(target)) != NULL; }
