/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.c - counts multiply-accumulates and bytes of nodes and of fused groups, and computes rates
 * and peaks.
 */
#include "join/cost.h"

#include "backends/backends.h"
#include "backends/operator.h"
#include "base/writer.h"
#include "formats/element.h"
#include "inputs/graph_values.h"

#include <math.h>
#include <stdio.h>

/* ---- Sizes multiplied and added up ---- */

/* Marks an amount as unknown, as based on hints of sizes, or as too large if another amount that
 * goes into it is. */
static void merge_flags(etr_amount *amount, const etr_amount *other) {
  amount->is_unknown |= other->is_unknown;
  amount->from_hints |= other->from_hints;
  amount->overflows |= other->overflows;
}

/* Sets an amount to a count, or to unknown if the count overflowed or exceeds INT64_MAX, so that no
 * count equals ETR_UNKNOWN and a sum of two does not wrap. */
static void set_count(etr_amount *amount, uint64_t count, bool overflows) {
  amount->count = count;
  if (!overflows && count <= INT64_MAX)
    return;
  amount->is_unknown = amount->overflows = true;
  amount->count = 0;
}

/* Adds another amount to one. The sum is unknown if one of them is, or if it overflows. */
static void amount_add(etr_amount *amount, etr_amount other) {
  merge_flags(amount, &other);
  if (!amount->is_unknown)
    set_count(amount, amount->count + other.count, false);
}

/* Multiplies an amount by another. The product is unknown if one of them is, or if it overflows. */
static void amount_multiply(etr_amount *amount, etr_amount other) {
  merge_flags(amount, &other);
  if (amount->is_unknown)
    return;
  bool overflows = other.count && amount->count > UINT64_MAX / other.count;
  set_count(amount, overflows ? 0 : amount->count * other.count, overflows);
}

/* Returns the size of a dimension, or its hint; unknown for a symbolic dimension without a hint. */
static etr_amount amount_of_dim(const etr_dim *dim) {
  if (dim->size >= 0)
    return etr_amount_of((uint64_t)dim->size);
  if (dim->hint < 0)
    return etr_amount_unknown();
  return (etr_amount){.count = (uint64_t)dim->hint, .from_hints = true};
}

/* Multiplies by the sizes of dimensions [from, to) of a tensor; unknown if it does not have them,
 * or if they are upper bounds. */
static void amount_multiply_dims(etr_amount *amount, const etr_value *value, int32_t from,
                                 int32_t to) {
  if (from < 0 || to > value->rank || value->is_bound)
    amount->is_unknown = true;
  for (int32_t i = from; i >= 0 && i < to && i < value->rank; i++)
    amount_multiply(amount, amount_of_dim(&value->dims[i]));
}

/* Returns the number of elements of a tensor; unknown for a value that is no tensor. */
static etr_amount elements_of(const etr_value *value) {
  etr_amount elements = etr_amount_of(1);
  if (value->rank < 0)
    return etr_amount_unknown();
  amount_multiply_dims(&elements, value, 0, value->rank);
  return elements;
}

/* Returns whether a value is a symbolic number, which takes no memory that counts. */
static bool is_symbolic_number(const etr_value *value) {
  static const char *const types[] = {"int", "bool", "float"};
  for (size_t i = 0; value->rank < 0 && value->dtype && i < ETR_COUNT(types); i++)
    if (strcmp(value->dtype, types[i]) == 0)
      return true;
  return false;
}

static etr_amount bytes_of_element(const etr_value *value) {
  uint8_t size = etr_dtype_bytes(value->dtype);
  return size ? etr_amount_of(size) : etr_amount_unknown();
}

/* Returns the bytes of a tensor, 0 of a symbolic number; unknown for other values. */
static etr_amount bytes_of_value(const etr_value *value) {
  if (is_symbolic_number(value))
    return etr_amount_of(0);
  etr_amount bytes = elements_of(value);
  amount_multiply(&bytes, bytes_of_element(value));
  return bytes;
}

/* ---- A row for each kind of operator ---- */

/* Sources: the functions of torch/utils/flop_counter.py (torch 2.15) named at each formula. For an
 * operator of ATen that torch decomposes before it counts (linear, matmul, conv2d), the formula is
 * that of its decomposition. */

typedef struct call {
  const etr_graph *graph;
  const etr_node *node;
  const etr_value *left, *right; /* the factors of the product */
  etr_slice op;
  etr_work work;
} call;

/* Returns the value that a node reads as this input; NULL if it has no such input. Where a program
 * reads a tensor under another shape, it is the value with that shape. */
static const etr_value *input_of(const etr_graph *graph, const etr_node *node, size_t position) {
  if (position >= node->input_count)
    return NULL;
  const etr_value *views = graph->views ? graph->views[node - graph->nodes] : NULL;
  if (views && views[position].name)
    return &views[position];
  const etr_edge *edge = &node->inputs[position];
  const etr_node *producer = &graph->nodes[edge->node];
  return edge->output < producer->output_count ? &producer->outputs[edge->output] : NULL;
}

/* Returns how a node works; ETR_WORK_BY_NAME in graphs that are not programs. */
static etr_work work_of(const etr_graph *graph, const etr_node *node) {
  return graph->works ? (etr_work)graph->works[node - graph->nodes] : ETR_WORK_BY_NAME;
}

/* Marks an amount as unknown if two dimensions that must be equal differ. A symbolic dimension may
 * equal any. */
static void expect_same(etr_amount *amount, const etr_dim *a, const etr_dim *b) {
  if (a->size >= 0 && b->size >= 0 && a->size != b->size)
    amount->is_unknown = true;
}

static void multiply_dim(etr_amount *amount, const etr_value *value, int32_t dim) {
  amount_multiply_dims(amount, value, dim, dim + 1);
}

/* Returns the multiply-accumulates of [*, m, k] times [*, k, n], as mm_flop() and bmm_flop() of
 * PyTorch count them; unknown if a rank is another. */
static etr_amount macs_of_product(const call *c, int32_t rank) {
  etr_amount macs = etr_amount_of(1);
  if (c->left->rank != rank || c->right->rank != rank)
    return etr_amount_unknown();
  for (int32_t i = 0; i < rank - 2; i++)
    expect_same(&macs, &c->left->dims[i], &c->right->dims[i]);
  expect_same(&macs, &c->left->dims[rank - 1], &c->right->dims[rank - 2]);
  amount_multiply_dims(&macs, c->left, 0, rank);
  multiply_dim(&macs, c->right, rank - 1);
  return macs;
}

static etr_amount of_matrices(const call *c) {
  return macs_of_product(c, 2);
}
static etr_amount of_batches(const call *c) {
  return macs_of_product(c, 3);
}

/* Returns the multiply-accumulates of [*, k] times the transpose of [n, k] or [k], as mm_flop()
 * counts them for addmm and mm; unknown if a rank does not fit. */
static etr_amount macs_of_linear(const call *c) {
  etr_amount macs = elements_of(c->left);
  if (c->left->rank < 1 || c->right->rank < 1 || c->right->rank > 2)
    return etr_amount_unknown();
  expect_same(&macs, &c->left->dims[c->left->rank - 1], &c->right->dims[c->right->rank - 1]);
  amount_multiply_dims(&macs, c->right, 0, c->right->rank - 1);
  return macs;
}

/* Returns the multiply-accumulates of a product of matrices, batches or vectors, also where they
 * broadcast: each element of the output is a sum over the last dimension of the first factor.
 * FlopCounterMode has no formula for mv and dot, which this counts like mm. */
static etr_amount macs_of_matmul(const call *c) {
  if (c->left->rank < 1 || c->right->rank < 1 || c->node->output_count != 1)
    return etr_amount_unknown();
  etr_amount macs = elements_of(&c->node->outputs[0]);
  expect_same(&macs, &c->left->dims[c->left->rank - 1],
              &c->right->dims[c->right->rank - (c->right->rank > 1 ? 2 : 1)]);
  multiply_dim(&macs, c->left, c->left->rank - 1);
  return macs;
}

/* Returns the multiply-accumulates of an outer product of two vectors, as mm_flop() counts [m, 1]
 * times [1, n]. */
static etr_amount macs_of_outer(const call *c) {
  if (c->left->rank != 1 || c->right->rank != 1)
    return etr_amount_unknown();
  etr_amount macs = elements_of(c->left);
  multiply_dim(&macs, c->right, 0);
  return macs;
}

/* Returns true if a convolution is transposed. */
static bool is_transposed(const call *c) {
  if (c->work != ETR_WORK_BY_NAME)
    return c->work == ETR_WORK_TRANSPOSED || c->work == ETR_WORK_TRANSPOSED_FIRST;
  const char *transposed = etr_node_argument(c->node, "transposed");
  return etr_slice_starts(c->op, ETR_SLICE("conv_transpose")) ||
         etr_slice_is(c->op, "quantized_transpose_conv2d") ||
         (transposed && strcmp(transposed, "true") == 0);
}

/* Returns the multiply-accumulates of a convolution, of which `left` is the input and `right` the
 * filter, as conv_flop_count() does: the whole filter at each position of the output; if
 * transposed, at each position of the input. An input without a batch dimension counts as a batch
 * of one. */
static etr_amount macs_of_convolution(const call *c) {
  const etr_value *positions = is_transposed(c) ? c->left : c->node->outputs;
  if (c->node->output_count < 1 || positions->rank != c->left->rank || c->right->rank < 3)
    return etr_amount_unknown();
  bool has_batch = c->left->rank == c->right->rank;
  if (!has_batch && c->left->rank != c->right->rank - 1)
    return etr_amount_unknown();
  etr_amount macs = elements_of(c->right);
  if (has_batch)
    multiply_dim(&macs, c->left, 0);
  amount_multiply_dims(&macs, positions, has_batch ? 2 : 1, positions->rank);
  return macs;
}

/* Returns the multiply-accumulates of a convolution with channels last, [N, H, W, C]: the whole
 * filter at each position of the output or, if transposed, of the input. The order of the filter's
 * dimensions does not matter, because all of it is used. */
static etr_amount macs_of_convolution_last(const call *c) {
  const etr_value *positions = is_transposed(c) ? c->left : c->node->outputs;
  if (c->node->output_count < 1 || positions->rank < 1)
    return etr_amount_unknown();
  etr_amount macs = elements_of(c->right);
  amount_multiply_dims(&macs, positions, 0, positions->rank - 1);
  return macs;
}

/* Returns the multiply-accumulates of an operator whose every output element is the product of a
 * row of the input with as many weights, which may be stored transposed. */
static etr_amount macs_of_rows(const call *c) {
  if (c->node->output_count < 1 || c->left->rank < 1)
    return etr_amount_unknown();
  etr_amount macs = elements_of(&c->node->outputs[0]);
  multiply_dim(&macs, c->left, c->left->rank - 1);
  return macs;
}

/* Returns the multiply-accumulates of attention, as sdpa_flop_count() does: queries times keys,
 * then the result times values. Masks reduce nothing; unknown if ranks do not fit. */
static etr_amount macs_of_attention(const call *c) {
  const etr_value *values = input_of(c->graph, c->node, 2);
  int32_t rank = c->left->rank;
  if (!values || rank < 3 || c->right->rank != rank || values->rank != rank)
    return etr_amount_unknown();
  etr_amount macs = amount_of_dim(&c->left->dims[rank - 1]), queries = etr_amount_of(1);
  amount_add(&macs, amount_of_dim(&values->dims[rank - 1]));
  expect_same(&macs, &c->left->dims[rank - 1], &c->right->dims[rank - 1]);
  expect_same(&macs, &c->right->dims[rank - 2], &values->dims[rank - 2]);
  amount_multiply_dims(&queries, c->left, 0, rank - 1);
  amount_multiply(&macs, queries);
  multiply_dim(&macs, c->right, rank - 2);
  return macs;
}

static etr_amount of_unknown(const call *c) {
  (void)c;
  return etr_amount_unknown();
}

typedef struct formula {
  const char *op; /* without namespace, overload and leading underscores: operator.h */
  etr_amount (*macs)(const call *c);
  uint8_t first, second; /* indices of the factors among the inputs */
} formula;

/* Sorted by name. */
static const formula formulas[] = {
    {"addbmm", of_batches, 1, 2},
    {"addmm", of_matrices, 1, 2}, /* addmm_flop() */
    {"addmv", macs_of_matmul, 1, 2},
    {"addr", macs_of_outer, 1, 2},
    {"baddbmm", of_batches, 1, 2}, /* baddbmm_flop() */
    {"bilinear", of_unknown, 0, 0},
    {"bmm", of_batches, 0, 1},
    {"chain_matmul", of_unknown, 0, 0},
    {"conv1d", macs_of_convolution, 0, 1},
    {"conv2d", macs_of_convolution, 0, 1},
    {"conv3d", macs_of_convolution, 0, 1},
    {"conv_transpose1d", macs_of_convolution, 0, 1},
    {"conv_transpose2d", macs_of_convolution, 0, 1},
    {"conv_transpose3d", macs_of_convolution, 0, 1},
    {"convolution", macs_of_convolution, 0, 1}, /* conv_flop(), and all that becomes one */
    {"convolution_overrideable", macs_of_convolution, 0, 1},
    {"cudnn_convolution", macs_of_convolution, 0, 1},
    {"dot", macs_of_matmul, 0, 1},
    {"dyn_quant_matmul_4bit", macs_of_rows, 0, 1},
    {"efficient_attention_forward", of_unknown, 0, 0},
    {"einsum", of_unknown, 0, 0},
    {"flash_attention_forward", of_unknown, 0, 0},
    {"flex_attention", of_unknown, 0, 0}, /* higher_order: what its mask leaves out is not known */
    {"ger", macs_of_outer, 0, 1},
    {"grouped_mm", of_unknown, 0, 0},
    {"gru", of_unknown, 0, 0},
    {"gru_cell", of_unknown, 0, 0},
    {"inner", of_unknown, 0, 0},
    {"linear", macs_of_linear, 0, 1},
    {"lstm", of_unknown, 0, 0},
    {"lstm_cell", of_unknown, 0, 0},
    {"matmul", macs_of_matmul, 0, 1},
    {"mixed_linear", macs_of_linear, 0, 1},
    {"mixed_mm", of_matrices, 0, 1}, /* quantized_decomposed: mm of weights that it dequantizes */
    {"mm", of_matrices, 0, 1},
    {"mv", macs_of_matmul, 0, 1},
    {"native_multi_head_attention", of_unknown, 0, 0},
    {"outer", macs_of_outer, 0, 1},
    {"quantized_batch_matmul", macs_of_rows, 0, 1}, /* cortex_m, as all of quantized_ */
    {"quantized_conv2d", macs_of_convolution, 0, 1},
    {"quantized_depthwise_conv2d", macs_of_convolution, 0, 1},
    {"quantized_linear", macs_of_linear, 0, 1},
    {"quantized_transpose_conv2d", macs_of_convolution, 0, 1},
    {"rnn_relu", of_unknown, 0, 0},
    {"rnn_tanh", of_unknown, 0, 0},
    {"scaled_dot_product_attention", macs_of_attention, 0,
     1}, /* sdpa_flop(), also for its variants */
    {"scaled_dot_product_attention_math", macs_of_attention, 0, 1},
    {"scaled_dot_product_cudnn_attention", macs_of_attention, 0, 1},
    {"scaled_dot_product_efficient_attention", macs_of_attention, 0, 1},
    {"scaled_dot_product_flash_attention", macs_of_attention, 0, 1},
    {"scaled_dot_product_flash_attention_for_cpu", macs_of_attention, 0, 1},
    {"scaled_dot_product_fused_attention_overrideable", macs_of_attention, 0, 1},
    {"scaled_grouped_mm", of_unknown, 0, 0},
    {"scaled_mm", of_matrices, 0, 1}, /* _scaled_mm_flop() */
    {"slow_conv2d_forward", macs_of_convolution, 0, 1},
    {"tensordot", of_unknown, 0, 0},
    {"thnn_conv2d", macs_of_convolution, 0, 1},
    {"transformer_encoder_layer_fwd", of_unknown, 0, 0},
    {"triangular_solve", of_unknown, 0, 0},
    {"trilinear", of_unknown, 0, 0},
    {"vdot", macs_of_matmul, 0, 1},
    {"weight_int8pack_mm", macs_of_linear, 0, 1},
};

/* Formulas of all operators whose names begin so and that have none of their own: also
 * _cdist_forward, and products of weights that are packed in an order of torchao's own. */
static const formula families[] = {
    {"cdist", of_unknown, 0, 0},
    {"cholesky", of_unknown, 0, 0},
    {"conv_depthwise", macs_of_convolution, 0, 1},
    {"fft_", of_unknown, 0, 0},
    {"linalg_", of_unknown, 0, 0},
    {"linear_8bit_act_", macs_of_rows, 0, 1},
    {"mkldnn_", of_unknown, 0, 0},
    {"pdist", of_unknown, 0, 0},
    {"slow_conv", of_unknown, 0, 0},
    {"weight_int4pack_mm", macs_of_rows, 0, 1},
};

/* Returns whether an operator of torchao only converts numbers or looks them up. */
static bool only_converts(etr_slice op) {
  static const char *const starts[] = {"quantize_", "dequantize_", "choose_", "fake_quantize_",
                                       "embedding_"};
  for (size_t i = 0; i < ETR_COUNT(starts); i++)
    if (etr_slice_starts(op, etr_slice_of(starts[i])))
      return true;
  return false;
}

/* Returns whether a target is of a library whose operators without a formula only move, convert,
 * reduce or compute element by element. A target without a library counts as such. */
static bool is_of_known_dialect(const char *target) {
  static const char *const dialects[] = {"aten.",
                                         "prims.",
                                         "quantized_decomposed.",
                                         "dim_order_ops.",
                                         "_operator.",
                                         "operator.",
                                         "higher_order.",
                                         "executorch_prim.",
                                         "executorch_prims.",
                                         "builtins.",
                                         "math.",
                                         "export.",
                                         "cortex_m.",
                                         "llama.update_cache.",
                                         "memory."};
  for (size_t i = 0; i < ETR_COUNT(dialects); i++)
    if (strncmp(target, dialects[i], strlen(dialects[i])) == 0)
      return true;
  return strchr(target, '.') == NULL;
}

/* Returns whether the formulas hold for an operator of this library, or else whether it multiplies
 * nothing. */
static bool is_understood(const char *target, const formula *found) {
  if (strncmp(target, "torchao.", 8) == 0)
    return found || only_converts(etr_operator_of_target(target));
  return is_of_known_dialect(target);
}

/* Returns the formula of an operator, by its whole name or else by how its name starts; NULL if
 * there is none. */
static const formula *find_formula(etr_slice op) {
  const formula *found = etr_operator_row(op, formulas, ETR_COUNT(formulas), sizeof *formulas);
  for (size_t i = 0; !found && op.size && i < ETR_COUNT(families); i++)
    if (families[i].op[0] == op.data[0] && etr_slice_starts(op, etr_slice_of(families[i].op)))
      found = &families[i];
  return found;
}

static etr_amount of_nothing(const call *c) {
  (void)c;
  return etr_amount_of(0);
}

/* Formulas indexed by etr_work. */
static const formula works[] = {
    [ETR_WORK_BY_NAME] = {"", NULL, 0, 0},
    [ETR_WORK_NO_PRODUCT] = {"", of_nothing, 0, 0},
    [ETR_WORK_ELSEWHERE] = {"", of_nothing, 0, 0},
    [ETR_WORK_HIDDEN] = {"", of_unknown, 0, 0},
    [ETR_WORK_ODD_PRODUCT] = {"", of_unknown, 0, 0},
    [ETR_WORK_CONVOLUTION] = {"", macs_of_convolution_last, 0, 1},
    [ETR_WORK_TRANSPOSED] = {"", macs_of_convolution_last, 0, 1},
    [ETR_WORK_CONVOLUTION_FIRST] = {"", macs_of_convolution, 0, 1},
    [ETR_WORK_TRANSPOSED_FIRST] = {"", macs_of_convolution, 0, 1},
    [ETR_WORK_LINEAR] = {"", macs_of_rows, 0, 1},
    [ETR_WORK_MATMUL] = {"", macs_of_rows, 0, 1},
    [ETR_WORK_ATTENTION] = {"", macs_of_attention, 0, 1},
};

/* Uses the formula of the node's kind of work, or else of its operator. A node that is no
 * operator costs nothing. */
etr_amount etr_macs_of(const etr_graph *graph, const etr_node *node, etr_factors *factors) {
  if (factors)
    *factors = (etr_factors){0};
  if (node->kind != ETR_NODE_OP)
    return etr_amount_of(0);
  call c = {.graph = graph,
            .node = node,
            .op = etr_operator_of_target(node->target),
            .work = work_of(graph, node)};
  const formula *found = c.work == ETR_WORK_BY_NAME ? find_formula(c.op) : &works[c.work];
  if (c.work == ETR_WORK_BY_NAME && !is_understood(node->target, found))
    return etr_amount_unknown();
  if (!found || found->macs == of_nothing)
    return etr_amount_of(0);
  if (found->macs == of_unknown)
    return etr_amount_unknown();
  c.left = input_of(graph, node, found->first);
  c.right = input_of(graph, node, found->second);
  if (!c.left || !c.right)
    return etr_amount_unknown();
  if (factors)
    *factors = (etr_factors){true, found->first, found->second};
  return found->macs(&c);
}

static bool is_bound(const etr_value *value) {
  return value->is_bound;
}

/* Returns whether a dimension of a tensor is symbolic and the export recorded no example of it. */
static bool lacks_example(const etr_value *value) {
  for (int32_t i = 0; i < value->rank; i++)
    if (value->dims[i].size == ETR_DIM_SYMBOLIC && value->dims[i].hint < 0)
      return true;
  return false;
}

/* Returns whether any output or input of a node meets the test. */
static bool has_value_that(const etr_graph *graph, const etr_node *node,
                           bool (*meets_test)(const etr_value *value)) {
  for (size_t i = 0; i < node->output_count; i++)
    if (meets_test(&node->outputs[i]))
      return true;
  for (size_t i = 0; i < node->input_count; i++) {
    const etr_value *value = input_of(graph, node, i);
    if (value && meets_test(value))
      return true;
  }
  return false;
}

/* Names the first reason for which a part of the cost is unknown; NULL if all of it is known, or
 * if the node is no operator. */
const char *etr_cost_unknown_reason(const etr_graph *graph, size_t index) {
  const etr_node *node = &graph->nodes[index];
  const etr_cost *cost = graph->costs ? &graph->costs[index] : NULL;
  bool is_unknown = cost && (cost->macs == ETR_UNKNOWN || cost->read_bytes == ETR_UNKNOWN ||
                             cost->written_bytes == ETR_UNKNOWN);
  if (!is_unknown || node->kind != ETR_NODE_OP)
    return NULL;
  etr_work work = work_of(graph, node);
  if (work == ETR_WORK_HIDDEN)
    return "the format of the delegate is closed";
  const formula *found = work == ETR_WORK_BY_NAME
                             ? find_formula(etr_operator_of_target(node->target))
                             : &works[work];
  if (work == ETR_WORK_BY_NAME && !is_understood(node->target, found))
    return "no formula for this library";
  if (found && found->macs == of_unknown)
    return "products do not follow from shapes";
  if (has_value_that(graph, node, is_bound))
    return "sizes are upper bounds";
  if (has_value_that(graph, node, lacks_example))
    return "a symbolic size has no example";
  return etr_macs_of(graph, node, NULL).overflows ? "too large to count"
                                                  : "sizes or types are not recorded";
}

/* Returns the sum of the known multiply-accumulates of all operators. */
uint64_t etr_macs_of_graph(const etr_graph *graph) {
  etr_amount sum = etr_amount_of(0);
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    etr_amount macs = node->kind == ETR_NODE_OP ? etr_macs_of(graph, node, NULL) : etr_amount_of(0);
    if (!macs.is_unknown)
      amount_add(&sum, macs);
  }
  return etr_amount_count(&sum);
}

bool etr_multiplies(const char *target) {
  return find_formula(etr_operator_of_target(target)) != NULL;
}

/* ---- How many bytes an operator reads and writes ---- */

/* Returns whether any output may be a tensor: it has a rank, or nothing is known about it. */
static bool gives_tensor(const etr_node *node) {
  for (size_t i = 0; i < node->output_count; i++)
    if (node->outputs[i].rank >= 0 || !node->outputs[i].dtype)
      return true;
  return false;
}

/* For operators that replace a part of one of their inputs, returns the index of the input that
 * they write there; ETR_NONE for operators that write their whole output, such as index_put, which
 * copies all of its input first. */
static uint32_t input_written_to_part(const etr_node *node, etr_slice op) {
  if (etr_slice_is(op, "et_copy_index") || etr_slice_is(op, "update_cache"))
    return 0;
  bool is_last = etr_slice_is(op, "index_put_") && node->input_count > 1;
  return is_last ? (uint32_t)node->input_count - 1 : ETR_NONE;
}

/* Returns whether an input is only written. */
static bool only_writes(etr_slice op, size_t position) {
  if (etr_slice_is(op, "update_cache"))
    return position > 0;
  return position == 0 && (etr_slice_is(op, "index_put_") || etr_slice_is(op, "copy_"));
}

/* Returns true for operators that access no tensor data: a view (aten.view, not aten.view_copy), a
 * number, a choice among outputs, and control flow and delegate calls, whose inner nodes access the
 * data. */
static bool accesses_no_data(const etr_graph *graph, const etr_node *node, etr_slice op) {
  static const char *const around[] = {"_operator.",      "operator.", "higher_order.",
                                       "executorch_prim", "builtins.", "math.",
                                       "export.",         "memory."};
  if (work_of(graph, node) == ETR_WORK_ELSEWHERE)
    return true;
  if (work_of(graph, node) != ETR_WORK_BY_NAME || input_written_to_part(node, op) != ETR_NONE)
    return false;
  if (node->kind != ETR_NODE_OP || !gives_tensor(node))
    return true;
  if (strncmp(node->target, "aten.", 5) == 0)
    return etr_operator_shares_memory(op);
  for (size_t i = 0; i < ETR_COUNT(around); i++)
    if (strncmp(node->target, around[i], strlen(around[i])) == 0)
      return true;
  return strchr(node->target, '.') == NULL;
}

/* Returns whether an operator reads only as much of its first input as it returns. */
static bool looks_up(etr_slice op) {
  static const char *const lookups[] = {"embedding",  "index",       "index_select", "gather",
                                        "slice_copy", "select_copy", "narrow_copy",  "take"};
  return etr_operator_is_one_of(op, lookups, ETR_COUNT(lookups));
}

/* Returns the bytes that numbers of this many bits take, without gaps between them. Counts whole
 * groups of eight numbers first, so that nothing overflows. */
static etr_amount amount_of_bits(etr_amount numbers, unsigned bits) {
  numbers.count = numbers.count / 8 * bits + (numbers.count % 8 * bits + 7) / 8;
  return numbers;
}

/* Returns the bits of each weight that quantized_decomposed.embedding_byte, _4bit or _2bit looks
 * up; 0 for all other operators. */
static unsigned bits_of_lookup(const char *target, etr_slice op) {
  static const struct {
    const char *op;
    unsigned bits;
  } lookups[] = {{"embedding_byte", 8}, {"embedding_4bit", 4}, {"embedding_2bit", 2}};
  bool is_decomposed = strncmp(target, "quantized_decomposed.", 21) == 0;
  for (size_t i = 0; is_decomposed && i < ETR_COUNT(lookups); i++)
    if (etr_slice_equal(op, etr_slice_of(lookups[i].op)))
      return lookups[i].bits;
  return 0;
}

/* Returns the bytes that a lookup of quantized weights reads of one input: the rows that it
 * returns, or the scales or zero points of these rows. */
static etr_amount read_by_lookup(const etr_node *node, const etr_value *value, size_t position,
                                 unsigned bits) {
  const etr_value *rows = &node->outputs[0];
  etr_amount read = etr_amount_of(1);
  amount_multiply_dims(&read, rows, 0, position == 0 ? rows->rank : rows->rank - 1);
  if (position == 0)
    return amount_of_bits(read, bits);
  amount_multiply_dims(&read, value, 1, value->rank);
  amount_multiply(&read, bytes_of_element(value));
  return read;
}

/* Returns the bytes of weights that embedding_bag(weight, indices, ...) reads: a row for each
 * index, however few rows it returns. */
static etr_amount read_by_bag(const etr_value *weight, const etr_value *indices) {
  etr_amount read = elements_of(indices);
  multiply_dim(&read, weight, 1);
  amount_multiply(&read, bytes_of_element(weight));
  return read;
}

/* Returns the bytes of an input. For a delegate's constants they are those that the program
 * records, because some are packed. */
static etr_amount bytes_of_whole_input(const etr_graph *graph, const etr_node *node,
                                       size_t position) {
  const etr_node *producer = &graph->nodes[node->inputs[position].node];
  const char *recorded = producer->kind == ETR_NODE_CONSTANT ? etr_node_argument(producer, "bytes")
                                                             : NULL;
  int64_t bytes;
  if (recorded && etr_slice_to_int(etr_slice_of(recorded), &bytes))
    return etr_amount_of((uint64_t)bytes);
  return bytes_of_value(input_of(graph, node, position));
}

/* Returns the bytes that one call reads of an input: all of it, with exceptions. Operators that
 * replace parts of an input read nothing of it, and those that look up parts of it
 * (embedding, slice) read as much as they return; an embedding_bag reads a row for each index. A
 * lookup of quantized weights reads packed rows and their scales. */
static etr_amount read_bytes(const etr_graph *graph, const etr_node *node, etr_slice op,
                             size_t position) {
  const etr_value *value = input_of(graph, node, position);
  if (!value)
    return etr_amount_unknown();
  if (only_writes(op, position))
    return etr_amount_of(0);
  etr_amount all = bytes_of_whole_input(graph, node, position);
  bool has_name = node->output_count && work_of(graph, node) == ETR_WORK_BY_NAME;
  unsigned bits = has_name ? bits_of_lookup(node->target, op) : 0;
  /* The indices are the last input; scales and zero points come before them. */
  bool is_indexed = input_of(graph, node, position + 1) != NULL;
  if (bits && is_indexed && value->rank >= 1)
    return read_by_lookup(node, value, position, bits);
  if (position > 0 || node->output_count == 0)
    return all;
  if (etr_slice_starts(op, ETR_SLICE("embedding_bag")) && input_of(graph, node, 1))
    return read_by_bag(value, input_of(graph, node, 1));
  const etr_element *element = value->dtype ? etr_element_of_dtype(value->dtype) : NULL;
  if (!looks_up(op) || !element)
    return all;
  etr_amount part = elements_of(&node->outputs[0]);
  amount_multiply(&part, etr_amount_of(element->size));
  return part.is_unknown || all.is_unknown || part.count < all.count ? part : all;
}

/* Returns the bytes that one call writes of an output: all of it, except for operators that replace
 * parts of their input. How much a wrapped operator changes of its arguments is not known. */
static etr_amount written_bytes(const etr_graph *graph, const etr_node *node, etr_slice op,
                                size_t output) {
  uint32_t part = input_written_to_part(node, op);
  if (part == ETR_NONE)
    return etr_is_functionalized(node) ? etr_amount_unknown()
                                       : bytes_of_value(&node->outputs[output]);
  return output ? etr_amount_of(0) : read_bytes(graph, node, op, part);
}

/* ---- The cost of each node; for fused nodes, the bytes that cross the boundary of their group
 * ---- */

/* The sums of one group: a node with the nodes fused into it, or a single node. */
typedef struct tally {
  etr_amount macs, read, weights, written;
  bool is_integer;
} tally;

typedef struct finder {
  etr_graph *graph;
  const etr_method *method; /* NULL: it did not run */
  uint32_t *first_value;    /* per node: number of its first output */
  bool *is_used_outside;    /* per value: a node of another group uses it */
  uint32_t *last_reader;    /* per value: the group that read it last */
  tally *tallies;           /* per node, where they are being added up */
  const tally *sums;        /* per node, once they are known */
  size_t overflow_count;
  bool has_jumps;
  uint32_t first_overflow; /* a node */
} finder;

/* Returns the node that leads the group of a node. */
static uint32_t leader_of(const etr_graph *graph, uint32_t node) {
  uint32_t carrier = graph->times ? graph->times[node].carried_by : ETR_NONE;
  return carrier == ETR_NONE ? node : carrier;
}

static uint32_t value_of(const finder *f, const etr_edge *edge) {
  return f->first_value[edge->node] + edge->output;
}

static bool is_output_of_node(const finder *f, const etr_edge *edge) {
  return edge->output < f->graph->nodes[edge->node].output_count;
}

/* Returns the edge that a node really reads: a dequantization that was fused into one of its
 * users is done by each user, so the edge is the dequantization's own input. */
static const etr_edge *edge_really_read(const finder *f, const etr_edge *edge) {
  const etr_node *producer = &f->graph->nodes[edge->node];
  bool is_fused = leader_of(f->graph, edge->node) != edge->node && producer->input_count > 0;
  bool is_shared = is_fused && etr_slice_starts(etr_operator_of_target(producer->target),
                                                ETR_SLICE("dequantize_"));
  return is_shared && producer->inputs[0].node < edge->node ? &producer->inputs[0] : edge;
}

/* ---- Integers ---- */

/* Returns true if a number type is an integer or bool, quantized types included. */
static bool is_integer_type(const char *dtype) {
  static const char *const starts[] = {"int",   "uint",  "bool",  "qint", "quint",
                                       "qcint", "qdint", "qpint", "qbint"};
  for (size_t i = 0; dtype && i < ETR_COUNT(starts); i++)
    if (strncmp(dtype, starts[i], strlen(starts[i])) == 0)
      return true;
  return false;
}

/* Returns whether an input of a product consists of integers: its own type is one, or that of a
 * value from which operators in the same group (fused into `leader`) only move data into the
 * product. */
static bool is_integer_factor(const finder *f, uint32_t leader, uint32_t user, size_t position) {
  enum { FARTHEST = 16 }; /* operators between the value and the product */
  for (int step = 0; step < FARTHEST; step++) {
    const etr_edge *edge = edge_really_read(f, &f->graph->nodes[user].inputs[position]);
    const etr_node *producer = &f->graph->nodes[edge->node];
    if (!is_output_of_node(f, edge))
      return false;
    if (is_integer_type(producer->outputs[edge->output].dtype))
      return true;
    bool is_in_group = edge->node < user && leader_of(f->graph, edge->node) == leader;
    if (!is_in_group || producer->input_count == 0)
      return false;
    if (!etr_operator_only_moves(producer->target))
      return false;
    user = edge->node;
    position = 0;
  }
  return false;
}

/* Returns whether both factors of a node's product consist of integers. */
static bool multiplies_integers(const finder *f, uint32_t leader, uint32_t node,
                                const etr_factors *factors) {
  return factors->are_known && is_integer_factor(f, leader, node, factors->first) &&
         is_integer_factor(f, leader, node, factors->second);
}

/* ---- Adding up ---- */

static bool is_delegated(const etr_graph *graph, const etr_node *node) {
  return graph->times && graph->times[node - graph->nodes].delegate_instruction >= 0;
}

static bool is_argument_int(const etr_node *node, const char *name, int64_t *value) {
  const char *text = etr_node_argument(node, name);
  return text && etr_slice_to_int(etr_slice_of(text), value);
}

/* Returns whether a dequantization is of numbers of four bits: in the Edge graph each of them takes
 * a byte, and only the range says that it has four bits. */
static bool is_of_4_bits(const etr_node *dequantization, const etr_value *numbers) {
  enum { MOST_VALUES = 16 };
  int64_t least, most;
  return etr_dtype_bytes(numbers->dtype) == 1 &&
         is_argument_int(dequantization, "quant_min", &least) &&
         is_argument_int(dequantization, "quant_max", &most) && least < most &&
         most - least < MOST_VALUES;
}

const char *etr_packed_weight(const etr_graph *graph, const etr_node *reader, size_t position,
                              uint64_t *bytes) {
  enum { NUMBERS, SCALES, ZERO_POINTS }; /* what a dequantization reads */
  const etr_value *numbers = input_of(graph, reader, NUMBERS),
                  *value = input_of(graph, reader, position);
  bool is_in_delegate = is_delegated(graph, reader) &&
                        etr_slice_starts(etr_operator_of_target(reader->target),
                                         ETR_SLICE("dequantize_"));
  if (!is_in_delegate || !value || !etr_node_is_weight(&graph->nodes[reader->inputs[0].node]))
    return NULL;
  const etr_backend *backend = etr_backend_of(graph->times[reader - graph->nodes].backend);
  const char *type = NULL;
  bool has_few_parameters = backend && backend->stores_few_parameters;
  bool is_by_group = value->rank > 1 && value->dims[value->rank - 1].size > 1;
  unsigned bits = 0;
  if (position == NUMBERS && is_of_4_bits(reader, numbers)) {
    type = "int4";
    bits = 4;
  } else if (position == SCALES && has_few_parameters && is_by_group &&
             is_of_4_bits(reader, numbers)) {
    type = "bfloat16";
    bits = 16;
  } else if (position == ZERO_POINTS && has_few_parameters)
    type = "";
  etr_amount amount = amount_of_bits(elements_of(value), bits);
  *bytes = amount.count;
  return amount.is_unknown ? NULL : type;
}

/* Adds the multiply-accumulates and the bytes of one call of a node to those of its group: a node
 * with all nodes fused into it. Whether the group computes with integers is decided by its last
 * node that multiplies. `is_alone`: the group has no other node; then a view, which accesses no
 * data, has no bytes. */
static void add_node_cost(finder *f, uint32_t index, bool is_alone) {
  const etr_node *node = &f->graph->nodes[index];
  uint32_t leader = leader_of(f->graph, index);
  if (node->kind != ETR_NODE_OP)
    return;
  etr_slice op = etr_operator_of_target(node->target);
  etr_factors factors;
  tally *sum = &f->tallies[leader];
  etr_amount macs = etr_macs_of(f->graph, node, &factors);
  if (macs.is_unknown || macs.count)
    sum->is_integer = multiplies_integers(f, leader, index, &factors);
  amount_add(&sum->macs, macs);
  if (is_alone && accesses_no_data(f->graph, node, op))
    return;
  if (work_of(f->graph, node) == ETR_WORK_HIDDEN)
    sum->read.is_unknown = sum->written.is_unknown = true;
  /* Each value from outside the group counts once, however often the group reads it. */
  for (size_t i = 0; i < node->input_count; i++) {
    const etr_edge *edge = edge_really_read(f, &node->inputs[i]);
    if (!is_output_of_node(f, edge) || leader_of(f->graph, edge->node) == leader)
      continue;
    if (f->last_reader[value_of(f, edge)] == leader)
      continue;
    f->last_reader[value_of(f, edge)] = leader;
    const etr_value *value = &f->graph->nodes[edge->node].outputs[edge->output];
    const etr_node *reader = edge == &node->inputs[i] ? node
                                                      : &f->graph->nodes[node->inputs[i].node];
    bool is_of_weights = etr_node_is_weight(&f->graph->nodes[edge->node]);
    etr_amount bytes = reader == node ? read_bytes(f->graph, node, op, i) : bytes_of_value(value);
    uint64_t packed;
    if (is_of_weights &&
        etr_packed_weight(f->graph, reader, (size_t)(edge - reader->inputs), &packed))
      bytes = etr_amount_of(packed);
    amount_add(&sum->read, bytes);
    if (is_of_weights)
      amount_add(&sum->weights, bytes);
  }
  /* A value that only the node's own group uses stays inside and does not count. */
  for (size_t i = 0; i < node->output_count; i++)
    if (is_alone || f->is_used_outside[f->first_value[index] + i])
      amount_add(&sum->written, written_bytes(f->graph, node, op, i));
}

/* ---- Groups ---- */

/* Marks the values that nodes of another group use (a group is a node with those fused into it):
 * only these leave the group and are written to memory. */
static void mark_used_outside(finder *f) {
  for (uint32_t i = 0; i < f->graph->node_count; i++) {
    const etr_node *user = &f->graph->nodes[i];
    for (size_t k = 0; k < user->input_count; k++) {
      const etr_edge *edge = edge_really_read(f, &user->inputs[k]);
      if (is_output_of_node(f, edge) && leader_of(f->graph, i) != leader_of(f->graph, edge->node))
        f->is_used_outside[value_of(f, edge)] = true;
    }
  }
}

/* Adds up the costs of all nodes, group by group, because last_reader only tells whether the
 * current group has read a value before. Returns false when out of memory. */
static bool count_group_costs(finder *f, etr_arena *scratch) {
  size_t count = f->graph->node_count;
  uint32_t *members = etr_arena_alloc_raw_array(scratch, count, sizeof *members);
  size_t *end = etr_arena_alloc_array(
      scratch, count + 1,
      sizeof *end); /* end of each leader's members, at the index of the next node */
  if (etr_arena_failed(scratch))
    return false;
  for (uint32_t i = 0; i < count; i++)
    end[leader_of(f->graph, i) + 1]++;
  for (size_t i = 1; i <= count; i++)
    end[i] += end[i - 1];
  for (uint32_t i = 0; i < count; i++)
    members[end[leader_of(f->graph, i)]++] = i;
  for (size_t leader = 0, first = 0; leader < count; first = end[leader++])
    for (size_t i = first; i < end[leader]; i++)
      add_node_cost(f, members[i], end[leader] - first == 1);
  return true;
}

/* ---- Numbers of calls ---- */

/* Returns the method of a graph; NULL if it did not run. */
static const etr_method *method_that_ran(const etr_profile *profile, const etr_graph *graph) {
  if (graph->profile_method == ETR_NONE)
    return NULL;
  const etr_method *method = &profile->methods[graph->profile_method];
  return method->run_count ? method : NULL;
}

/* Returns whether a subgraph is a body of cond, map or scan, or inside one: its nodes may run any
 * number of times. */
static bool is_in_body(const etr_graph *graph, uint32_t subgraph) {
  for (; subgraph != ETR_NONE; subgraph = graph->subgraphs[subgraph].parent)
    if (graph->subgraphs[subgraph].kind == ETR_SUBGRAPH_BODY)
      return true;
  return false;
}

/* Returns whether a graph is a program (those alone have works) with jumps, which skip instructions
 * or return to them: any of its nodes may run any number of times. */
static bool has_jumps(const etr_graph *graph) {
  for (size_t i = 0; graph->works && i < graph->node_count; i++)
    if (strcmp(graph->nodes[i].target, "control.jump_false") == 0)
      return true;
  return false;
}

/* Returns how often a node ran in all runs; 0 if it was not timed, ETR_UNKNOWN if that is unknown.
 * Outside bodies it ran once in each run, as one or several operators of its delegate. In a body,
 * each event of a kernel is one call; for a delegate's operators it is unknown how many events make
 * up one call, unless each run has only one event. */
static uint64_t execution_count(const finder *f, uint32_t node) {
  const etr_graph *graph = f->graph;
  const etr_node_time *time = graph->times ? &graph->times[node] : NULL;
  if (!time || time->runs == 0)
    return 0;
  if (!f->has_jumps && !is_in_body(graph, graph->nodes[node].subgraph))
    return time->runs;
  if (f->has_jumps && time->calls == time->runs)
    return time->runs;
  return time->delegate_instruction < 0 ? time->calls : ETR_UNKNOWN;
}

/* Returns whether a node without a time did not run although the method did: it is in a branch that
 * was not taken, or it is a view for which memory planning needed no copy. An operator of a
 * delegate may have run without a time of its own, and so may any node while no node has a time at
 * all, or the time of some kernels matches no node. */
static bool never_ran(const finder *f, uint32_t node) {
  const etr_graph *graph = f->graph;
  const etr_node_time *time = graph->times ? &graph->times[node] : NULL;
  if (!time || !f->method || time->runs > 0)
    return false;
  if (time->carried_by != ETR_NONE || time->delegate_instruction >= 0)
    return false;
  bool has_no_times = etr_method_part_ticks(f->method, ETR_TIME_RUNTIME) ==
                      f->method->execute_ticks;
  bool has_time_on_no_node = etr_method_part_ticks(f->method, ETR_TIME_UNPLACED) > 0 ||
                             etr_method_part_ticks(f->method, ETR_TIME_UNEXPLAINED) > 0;
  if (has_no_times || has_time_on_no_node)
    return false;
  return f->has_jumps || is_in_body(graph, graph->nodes[node].subgraph) ||
         etr_operator_is_view(etr_operator_of_target(graph->nodes[node].target));
}

/* ---- All ---- */

/* Fills the cost of one call of a node, which includes the nodes fused into it, and how often it
 * ran. Returns true if a number overflowed. */
static bool fill_cost(finder *f, uint32_t node, etr_cost *out) {
  const tally *sum = &f->sums[node];
  bool overflows = sum->macs.overflows || sum->read.overflows || sum->written.overflows;
  *out = (etr_cost){.macs = etr_amount_count(&sum->macs),
                    .read_bytes = etr_amount_count(&sum->read),
                    .weight_bytes = etr_amount_count(&sum->weights),
                    .written_bytes = etr_amount_count(&sum->written),
                    .executions = execution_count(f, node),
                    .never_ran = never_ran(f, node),
                    .is_integer = sum->is_integer,
                    .from_hints = sum->macs.from_hints || sum->read.from_hints ||
                                  sum->written.from_hints};
  return overflows;
}

/* Warns once of nodes whose sizes are too large to be multiplied. */
static void warn_of_overflows(const finder *f, const char *file, etr_warnings *warnings) {
  if (!f->overflow_count)
    return;
  size_t other_count = f->overflow_count - 1;
  char more[64] = "";
  if (other_count)
    snprintf(more, sizeof more, " and %zu other node%s", other_count, etr_plural(other_count));
  etr_warn(
      warnings, file, f->graph->entry, ETR_NO_OFFSET,
      "%s%s: sizes whose product is 2^63 or more: what is computed and moved here is not counted",
      f->graph->nodes[f->first_overflow].name, more);
}

/* Numbers the values of the graph, node by node, and allocates the sums. Returns false when out of
 * memory. */
static bool allocate_sums(finder *f, etr_arena *scratch) {
  size_t count = f->graph->node_count, values = 0;
  f->first_value = etr_arena_alloc_raw_array(scratch, count, sizeof *f->first_value);
  f->tallies = etr_arena_alloc_array(scratch, count, sizeof *f->tallies);
  for (size_t i = 0; f->first_value && i < count; i++) {
    f->first_value[i] = (uint32_t)values;
    values += f->graph->nodes[i].output_count;
  }
  f->is_used_outside = etr_arena_alloc_array(scratch, values, sizeof *f->is_used_outside);
  f->last_reader = etr_arena_alloc_raw_array(scratch, values, sizeof *f->last_reader);
  if (etr_arena_failed(scratch))
    return false;
  for (size_t i = 0; i < values; i++)
    f->last_reader[i] = ETR_NONE;
  return true;
}

/* ---- Kept for the next ETDump ---- */

/* Returns the group of a node and whether a delegate runs it, in one number. */
static uint32_t group_of(const etr_graph *graph, uint32_t node) {
  return leader_of(graph, node) << 1 | is_delegated(graph, &graph->nodes[node]);
}

/* Returns the key by which the costs of a graph's nodes are kept for the next ETDump. Of a
 * recording they depend only on which nodes are fused into which, and which run in delegates. */
static etr_slice key_of_groups(const etr_graph *graph, etr_arena *scratch) {
  etr_text key = {.arena = scratch};
  etr_text_add(&key, ETR_SLICE("costs"));
  etr_text_add(&key, ETR_BYTES(graph->nodes));
  for (uint32_t i = 0; i < graph->node_count; i++) {
    uint32_t group = group_of(graph, i);
    etr_text_add(&key, ETR_BYTES(group));
  }
  return (etr_slice){key.data, key.size};
}

/* Returns whether a graph is there for the next ETDump, too: it is the record's, or a graph of the
 * program that is kept. */
static bool outlives_profile(const etr_kept *kept, const etr_graph *graph) {
  return !graph->works || etr_kept_find(kept, ETR_BYTES(graph->nodes));
}

/* Keeps a copy of the sums of a graph's groups for the next ETDump, if there is memory; else they
 * are computed again. */
static void keep_sums(etr_kept *all, etr_slice key, const finder *f) {
  etr_kept_entry *entry = etr_kept_start(all, key);
  if (!entry)
    return;
  tally *copy = etr_arena_alloc_array(&entry->arena, f->graph->node_count, sizeof *copy);
  if (copy)
    memcpy(copy, f->tallies, f->graph->node_count * sizeof *copy);
  etr_kept_add(all, entry, copy);
}

/* Sets f->sums to the sums of a graph's groups: those that were kept when an earlier ETDump was
 * joined, or else newly computed ones, which are kept if the graph outlives this profile. Returns
 * false when out of memory. */
static bool find_group_sums(finder *f, etr_kept *kept, etr_arena *scratch) {
  bool may_be_kept = kept && f->graph->node_count && outlives_profile(kept, f->graph);
  etr_slice key = may_be_kept ? key_of_groups(f->graph, scratch) : ETR_SLICE("");
  if (etr_arena_failed(scratch))
    return false;
  f->sums = may_be_kept ? etr_kept_find(kept, key) : NULL;
  if (f->sums)
    return true;
  if (!allocate_sums(f, scratch))
    return false;
  mark_used_outside(f);
  if (!count_group_costs(f, scratch))
    return false;
  f->sums = f->tallies;
  if (may_be_kept)
    keep_sums(kept, key, f);
  return true;
}

/* The peaks come last, because they are the best rates of the nodes. Warnings name the file that a
 * graph is from: the .pte for those that have works, else the ETRecord. */
bool etr_costs_find(const etr_cost_job *job) {
  const etr_profile *profile = job->profile;
  for (size_t i = 0; i < profile->graph_count; i++) {
    etr_graph *graph = &job->graphs[i];
    etr_arena scratch = {0};
    finder f = {
        .graph = graph, .method = method_that_ran(profile, graph), .has_jumps = has_jumps(graph)};
    etr_cost *costs = etr_arena_alloc_raw_array(job->arena, graph->node_count, sizeof *costs);
    bool good = costs && find_group_sums(&f, job->kept, &scratch);
    for (uint32_t k = 0; good && k < graph->node_count; k++) {
      if (!fill_cost(&f, k, &costs[k]) || f.overflow_count++)
        continue;
      f.first_overflow = k;
    }
    if (good)
      warn_of_overflows(&f, graph->works ? profile->pte : profile->etrecord, job->warnings);
    if (good)
      graph->costs = costs;
    etr_arena_clear(&scratch);
    if (!good)
      return false;
  }
  etr_effective_peaks_find(job->profile);
  return true;
}

/* ---- Sums ---- */

/* Returns how often a node ran per inference; 1 if that was not timed, NaN if unknown. */
static double calls_per_inference(const etr_cost *cost, const etr_method *method) {
  if (!method || cost->executions == 0)
    return 1;
  return cost->executions == ETR_UNKNOWN ? NAN
                                         : (double)cost->executions / (double)method->run_count;
}

/* Adds the typical time of a node, in ns per inference, and the variance that the resolution of the
 * clock causes in its time over all runs, in ns^2. A duration is the difference of two readings,
 * each rounded to the step of the clock, so its variance is step^2 / 6. */
static void add_time_and_variance(etr_cost_sum *sum, const etr_profile *profile,
                                  const etr_node_time *time, double runs) {
  double step = etr_ticks_to_ns(profile, etr_clock_step(profile, time->backend, NULL));
  sum->ns += etr_ticks_to_ns(profile, time->typical);
  sum->variance += (double)time->calls * step * step / 6;
  sum->runs = runs;
}

static bool is_known(uint64_t count, double calls) {
  return count == 0 || (count != ETR_UNKNOWN && !isnan(calls));
}

static double times(uint64_t count, double calls) {
  return count ? (double)count * calls : 0;
}

/* Adds the cost of all calls of one node, and its time. A cost that is not known is only counted
 * as unknown; a node that never ran adds nothing. */
void etr_cost_add(etr_cost_sum *sum, const etr_profile *profile, const etr_graph *graph,
                  size_t node) {
  const etr_method *method = method_that_ran(profile, graph);
  const etr_cost *cost = graph->costs ? &graph->costs[node] : NULL;
  if (!cost || cost->never_ran)
    return;
  double calls = calls_per_inference(cost, method);
  bool bytes_are_known = is_known(cost->read_bytes, calls) && is_known(cost->written_bytes, calls);
  if (is_known(cost->macs, calls)) {
    sum->macs += times(cost->macs, calls);
    sum->integer_macs += cost->is_integer ? times(cost->macs, calls) : 0;
  }
  if (bytes_are_known) {
    sum->bytes += times(cost->read_bytes, calls) + times(cost->written_bytes, calls);
    sum->weight_bytes += times(cost->weight_bytes, calls);
  }
  sum->unknown_macs += !is_known(cost->macs, calls);
  sum->unknown_bytes += !bytes_are_known;
  sum->hinted += cost->from_hints;
  if (method && graph->times && graph->times[node].runs > 0)
    add_time_and_variance(sum, profile, &graph->times[node], (double)method->run_count);
}

/* Adds all members of one sum to another; runs are the larger number of both. */
void etr_cost_add_sum(etr_cost_sum *sum, const etr_cost_sum *other) {
  sum->macs += other->macs;
  sum->integer_macs += other->integer_macs;
  sum->bytes += other->bytes;
  sum->weight_bytes += other->weight_bytes;
  sum->unknown_macs += other->unknown_macs;
  sum->unknown_bytes += other->unknown_bytes;
  sum->hinted += other->hinted;
  sum->ns += other->ns;
  sum->variance += other->variance;
  sum->runs = ETR_MAX(sum->runs, other->runs);
}

double etr_cost_macs(const etr_cost_sum *sum) {
  return sum->unknown_macs ? NAN : sum->macs;
}
double etr_cost_bytes(const etr_cost_sum *sum) {
  return sum->unknown_bytes ? NAN : sum->bytes;
}

double etr_cost_intensity(const etr_cost_sum *sum) {
  double bytes = etr_cost_bytes(sum);
  return bytes > 0 ? 2 * etr_cost_macs(sum) / bytes : NAN;
}

/* Names the arithmetic of what was counted; NULL if nothing was. */
const char *etr_cost_arithmetic(const etr_cost_sum *sum) {
  if (!(sum->macs > 0))
    return NULL;
  if (sum->integer_macs == 0)
    return "float";
  return sum->integer_macs == sum->macs ? "integer" : "mixed";
}

/* ---- Rates ---- */

/* Returns whether a time is long enough for the resolution of the clock that a rate means
 * something: the standard deviation that it causes is at most the share ETR_RATE_MOST_ERROR of the
 * time over all runs. */
static bool is_timed_well(const etr_cost_sum *sum) {
  double total = sum->ns * sum->runs;
  return total > 0 && sqrt(sum->variance) <= ETR_RATE_MOST_ERROR * total;
}

/* A rate per nanosecond is the rate in 1e9 per second. */
static double rate_of(const etr_cost_sum *sum, double amount) {
  return is_timed_well(sum) ? amount / sum->ns : NAN;
}

double etr_cost_gflops(const etr_cost_sum *sum) {
  return rate_of(sum, 2 * etr_cost_macs(sum));
}
double etr_cost_gbs(const etr_cost_sum *sum) {
  return rate_of(sum, etr_cost_bytes(sum));
}

/* ---- Peaks ---- */

/* Only calls that are large and long enough say what a device can do. A copy of 16 kB that takes 96
 * ns moves 170 GB/s within a cache, although memory gives 10, so a bandwidth needs a call that
 * moves 1 MB, which is more than the caches of a core of most devices hold. Reading the clock and
 * entering a kernel take some hundred nanoseconds, and XNNPACK counts whole microseconds: of 50 us,
 * each is at most 2 %. A call with fewer than a million multiply-accumulates may take that long and
 * be limited by something else. */
static const double LEAST_PEAK_BYTES = 1e6, LEAST_PEAK_MACS = 1e6, LEAST_PEAK_NS = 50e3;

static void raise(double *peak, double rate) {
  if (rate > *peak)
    *peak = rate;
}

/* Raises the peaks, in billions per second, to the best rates of those nodes whose calls are large
 * and long enough to show what the device can do, by the typical and by the median time. Uses only
 * nodes whose times are estimates, or only those whose times are not. */
static void raise_peaks(etr_effective_peaks *best, const etr_profile *profile,
                        const etr_graph *graph, bool of_estimates) {
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node_time *time = &graph->times[i];
    etr_cost_sum sum = {0};
    if (time->runs == 0)
      continue;
    etr_cost_add(&sum, profile, graph, i);
    double calls = (double)time->calls / sum.runs; /* per inference */
    double median_ns = etr_ticks_to_ns(profile, time->per_run.p50);
    bool is_long = ETR_MIN(sum.ns, median_ns) >= LEAST_PEAK_NS * calls;
    if (!is_long || time->is_estimated != of_estimates)
      continue;
    if (sum.macs >= LEAST_PEAK_MACS * calls)
      raise(sum.integer_macs > 0 ? &best->integer_gops : &best->gflops, etr_cost_gflops(&sum));
    if (sum.bytes >= LEAST_PEAK_BYTES * calls)
      raise(&best->gbs, etr_cost_gbs(&sum));
  }
}

/* Returns the highest rates, in billions per second, that large nodes of any method reached; 0
 * without any. Uses only nodes whose times are estimates, or only those whose times are not. */
static etr_effective_peaks best_rates(const etr_profile *profile, bool of_estimates) {
  etr_effective_peaks best = {0};
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
    if (graph && graph->times && graph->costs)
      raise_peaks(&best, profile, graph, of_estimates);
  }
  return best;
}

/* Sets a peak that has no rate (0) to the best rate of nodes with estimated times. */
static void fill_missing_peak(double *peak, double estimate, bool *is_estimated) {
  *is_estimated |= *peak == 0 && estimate > 0;
  *peak = *peak > 0 ? *peak : estimate;
}

/* Estimated times only count for a peak for which no other node gave a rate. */
void etr_effective_peaks_find(etr_profile *profile) {
  etr_effective_peaks effective_peaks = best_rates(profile, false);
  const etr_effective_peaks estimates = best_rates(profile, true);
  fill_missing_peak(&effective_peaks.gflops, estimates.gflops, &effective_peaks.is_estimated);
  fill_missing_peak(&effective_peaks.integer_gops, estimates.integer_gops,
                    &effective_peaks.is_estimated);
  fill_missing_peak(&effective_peaks.gbs, estimates.gbs, &effective_peaks.is_estimated);
  effective_peaks.flops_given = profile->peaks.flops > 0;
  effective_peaks.integer_given = profile->peaks.integer_ops > 0;
  effective_peaks.bandwidth_given = profile->peaks.bandwidth > 0;
  if (effective_peaks.flops_given)
    effective_peaks.gflops = profile->peaks.flops / 1e9;
  if (effective_peaks.integer_given)
    effective_peaks.integer_gops = profile->peaks.integer_ops / 1e9;
  if (effective_peaks.bandwidth_given)
    effective_peaks.gbs = profile->peaks.bandwidth / 1e9;
  profile->effective_peaks = effective_peaks;
}

const char *etr_bound_name(etr_bound bound) {
  static const char *const names[] = {NULL, "compute", "memory"};
  return names[bound];
}

/* Returns the time, in ns, for an amount of work (operations or bytes) at a peak in billions per
 * second: 0 without work, NaN without a peak. */
static double ns_at_peak(double amount, double peak) {
  if (amount == 0)
    return 0;
  return peak > 0 ? amount / peak : NAN;
}

/* Returns whether the user gave all peaks that limit this work. Only then is it known whether
 * computing or memory limits it: the best nodes of a record may be far from what the device can
 * do. */
static bool are_peaks_given(const etr_cost_sum *sum, const etr_effective_peaks *effective_peaks) {
  bool computes_floats = sum->macs > sum->integer_macs;
  return effective_peaks->bandwidth_given && (effective_peaks->flops_given || !computes_floats) &&
         (effective_peaks->integer_given || sum->integer_macs == 0);
}

/* Returns the longer one of computing and moving data at peak rates, in ns per inference, and which
 * of both it is; NaN where rates or amounts are missing. A multiply-accumulate is two operations.
 * Integers and floats are computed one after the other, each at its own peak. */
double etr_cost_least_ns(const etr_cost_sum *sum, const etr_effective_peaks *effective_peaks,
                         etr_bound *bound) {
  double computing = ns_at_peak(2 * (etr_cost_macs(sum) - sum->integer_macs),
                                effective_peaks->gflops) +
                     ns_at_peak(2 * sum->integer_macs, effective_peaks->integer_gops);
  double moving = ns_at_peak(etr_cost_bytes(sum), effective_peaks->gbs);
  bool is_known = computing + moving > 0; /* false for NaN */
  if (bound)
    *bound = computing > moving ? ETR_BOUND_COMPUTE : ETR_BOUND_MEMORY;
  if (bound && !(is_known && are_peaks_given(sum, effective_peaks)))
    *bound = ETR_BOUND_UNKNOWN;
  return is_known ? ETR_MAX(computing, moving) : NAN;
}

double etr_cost_of_peak(const etr_cost_sum *sum, const etr_effective_peaks *effective_peaks,
                        etr_bound *bound) {
  double least = etr_cost_least_ns(sum, effective_peaks, bound);
  return is_timed_well(sum) ? least / sum->ns : NAN;
}
