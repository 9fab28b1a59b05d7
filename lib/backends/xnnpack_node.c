/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack_node.c - the classes of the graph's nodes, and which operators XNNPACK treats alike.
 */
#include "backends/operator.h"
#include "backends/xnnpack.h"

bool etr_xnn_is_binary(etr_xnn_class class_) {
  return class_ >= ETR_XNN_ADD && class_ <= ETR_XNN_PRELU;
}

bool etr_xnn_is_unary(etr_xnn_class class_) {
  return class_ >= ETR_XNN_SIGMOID && class_ <= ETR_XNN_COS;
}

static const struct {
  const char *op;
  uint16_t class_; /* etr_xnn_class */
} operators[] = {
    {"convolution", ETR_XNN_MATMUL},
    {"linear", ETR_XNN_MATMUL},
    {"addmm", ETR_XNN_MATMUL},
    {"mm", ETR_XNN_MATMUL},
    {"bmm", ETR_XNN_BMM},
    {"matmul", ETR_XNN_BMM},
    {"add", ETR_XNN_ADD},
    {"mul", ETR_XNN_MUL},
    {"sub", ETR_XNN_SUB},
    {"div", ETR_XNN_DIV},
    {"minimum", ETR_XNN_MIN},
    {"maximum", ETR_XNN_MAX},
    {"prelu", ETR_XNN_PRELU},
    {"prelu_kernel", ETR_XNN_PRELU},
    {"softmax", ETR_XNN_SOFTMAX},
    {"sigmoid", ETR_XNN_SIGMOID},
    {"tanh", ETR_XNN_TANH},
    {"gelu", ETR_XNN_GELU},
    {"hardswish", ETR_XNN_HARDSWISH},
    {"relu", ETR_XNN_CLAMP},
    {"hardtanh", ETR_XNN_CLAMP},
    {"clamp", ETR_XNN_CLAMP},
    {"relu6", ETR_XNN_CLAMP},
    {"floor", ETR_XNN_FLOOR},
    {"ceil", ETR_XNN_CEIL},
    {"round", ETR_XNN_ROUND},
    {"neg", ETR_XNN_NEG},
    {"pow", ETR_XNN_SQUARE},
    {"square", ETR_XNN_SQUARE},
    {"abs", ETR_XNN_ABS},
    {"sqrt", ETR_XNN_SQRT},
    {"rsqrt", ETR_XNN_RSQRT},
    {"elu", ETR_XNN_ELU},
    {"leaky_relu", ETR_XNN_LEAKY_RELU},
    {"log", ETR_XNN_LOG},
    {"exp", ETR_XNN_EXP},
    {"sin", ETR_XNN_SIN},
    {"cos", ETR_XNN_COS},
    {"quantize_per_tensor", ETR_XNN_CONVERT},
    {"dequantize_per_tensor", ETR_XNN_CONVERT},
    {"to_copy", ETR_XNN_CONVERT},
    {"to_dim_order_copy", ETR_XNN_CONVERT},
    {"quantize_per_token", ETR_XNN_CONVERT},
    {"cat", ETR_XNN_COPY},
    {"clone", ETR_XNN_COPY},
    {"clone_dim_order", ETR_XNN_COPY},
    {"view_copy", ETR_XNN_RESHAPE},
    {"view", ETR_XNN_RESHAPE},
    {"unsqueeze_copy", ETR_XNN_RESHAPE},
    {"squeeze_copy", ETR_XNN_RESHAPE},
    {"reshape", ETR_XNN_RESHAPE},
    {"permute_copy", ETR_XNN_TRANSPOSE},
    {"t_copy", ETR_XNN_TRANSPOSE},
    {"transpose_copy", ETR_XNN_TRANSPOSE},
    {"slice_copy", ETR_XNN_SLICE},
    {"constant_pad_nd", ETR_XNN_PAD},
    {"upsample_bilinear2d", ETR_XNN_RESIZE},
    {"avg_pool2d", ETR_XNN_AVGPOOL},
    {"max_pool2d", ETR_XNN_MAXPOOL},
    {"amax", ETR_XNN_MAXPOOL},
    {"max_pool2d_with_indices", ETR_XNN_MAXPOOL},
    {"mean", ETR_XNN_MEAN},
    {"sum", ETR_XNN_MEAN},
    {"scaled_dot_product_attention", ETR_XNN_SDPA},
};

bool etr_xnn_is_batch_norm(etr_slice op) {
  return etr_slice_starts(op, ETR_SLICE("native_batch_norm"));
}

/* Returns true for a transposed convolution. If its arguments were not recorded, the shape of its
 * weight shows it: [in, out / groups, ...] instead of [out, in / groups, ...]. */
static bool is_transposed(const etr_graph *graph, const etr_node *node) {
  const char *transposed = etr_node_argument(node, "transposed");
  if (transposed)
    return strcmp(transposed, "true") == 0;
  if (node->input_count < 2 || node->output_count == 0)
    return false;
  const etr_edge *edge = &node->inputs[1];
  const etr_value *weight = &graph->nodes[edge->node].outputs[edge->output];
  const etr_value *out = &node->outputs[0];
  if (weight->rank <= 2 || out->rank != weight->rank)
    return false;
  return weight->dims[0].size != out->dims[1].size;
}

/* Returns true for the second power, the only one that XNNPACK runs, as Square (PowConfig). */
static bool is_squared(const etr_node *node) {
  const char *exponent = etr_node_argument(node, "exponent");
  return !exponent || strcmp(exponent, "2") == 0 || strcmp(exponent, "2.0") == 0;
}

/* ETR_XNN_NONE if XNNPACK has no operator for it. */
uint16_t etr_xnn_class_of_node(const etr_graph *graph, const etr_node *node) {
  etr_slice op = etr_operator_of_target(node->target);
  if (etr_xnn_is_batch_norm(op))
    return ETR_XNN_MATMUL; /* a depthwise convolution, if it is not fused into another one */
  if (etr_slice_is(op, "convolution") && is_transposed(graph, node))
    return ETR_XNN_DECONV;
  if (etr_slice_is(op, "pow") && !is_squared(node))
    return ETR_XNN_NONE;
  for (size_t i = 0; op.size && i < ETR_COUNT(operators); i++)
    if (operators[i].op[0] == op.data[0] && etr_slice_equal(op, etr_slice_of(operators[i].op)))
      return operators[i].class_;
  return ETR_XNN_NONE;
}

bool etr_xnn_is_convolution(uint16_t class_) {
  return class_ == ETR_XNN_MATMUL || class_ == ETR_XNN_DECONV;
}

/* A producer whose result is used once is read by the batch norm only. */
bool etr_xnn_follows_convolution(const etr_graph *graph, const uint32_t *uses,
                                 const etr_node *node) {
  const etr_node *producer = node->input_count ? &graph->nodes[node->inputs[0].node] : NULL;
  if (!producer || etr_xnn_is_batch_norm(etr_operator_of_target(producer->target)))
    return false;
  return uses[producer - graph->nodes] == 1 &&
         etr_xnn_is_convolution(etr_xnn_class_of_node(graph, producer));
}

bool etr_xnn_is_quantize(etr_slice op) {
  return etr_slice_starts(op, ETR_SLICE("quantize_"));
}

bool etr_xnn_is_dequantize(etr_slice op) {
  return etr_slice_starts(op, ETR_SLICE("dequantize_"));
}
