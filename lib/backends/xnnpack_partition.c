/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack_partition.c - which nodes XNNPACK's partitioner takes. Source: backends/xnnpack/partition/config of
 * ExecuTorch 1.5, and of 1.0 for what later versions no longer name.
 */
#include "backends/operator.h"
#include "backends/xnnpack.h"

/* Returns true for float types, the only types that tensors of an operator may have, except around quantisation. */
static bool is_floating(const etr_value *value) {
  return !value->dtype || strncmp(value->dtype, "float", 5) == 0 || strcmp(value->dtype, "bfloat16") == 0;
}

static bool is_quantization(etr_slice op) {
  return etr_xnn_is_quantize(op) || etr_xnn_is_dequantize(op) || etr_slice_starts(op, ETR_SLICE("choose_qparams"));
}

static const etr_value *input_of(const etr_graph *graph, const etr_node *node, size_t place) {
  const etr_edge *edge = place < node->input_count ? &node->inputs[place] : NULL;
  return edge && edge->output < graph->nodes[edge->node].output_count ? &graph->nodes[edge->node].outputs[edge->output]
                                                                      : NULL;
}

/* Returns true unless the node converts the number type, which is left to kernels (ToDimOrderCopyConfig). */
static bool keeps_type(const etr_graph *graph, const etr_node *node) {
  const etr_value *in = input_of(graph, node, 0), *out = node->output_count ? &node->outputs[0] : NULL;
  return !in || !out || !in->dtype || !out->dtype || strcmp(in->dtype, out->dtype) == 0;
}

/* Returns true if the second factor of a product is a weight, transposed or dequantised. A matrix that is transposed
 * for a product and also used elsewhere, such as a tied embedding, is not the weight of a linear layer
 * (GEMMConfig._get_weight_deps). */
static bool multiplies_weight(const etr_graph *graph, const uint32_t *uses, const etr_node *node, size_t place) {
  const etr_node *weight = place < node->input_count ? &graph->nodes[node->inputs[place].node] : NULL;
  bool is_transposed = false;
  for (int steps = 0; weight && weight->kind == ETR_NODE_OP && weight->input_count && steps < 4; steps++) {
    etr_slice op = etr_operator_of_target(weight->target);
    is_transposed |= etr_slice_is(op, "permute_copy") || etr_slice_is(op, "t_copy");
    if (!etr_slice_is(op, "permute_copy") && !etr_slice_is(op, "t_copy") && !is_quantization(op)) return false;
    weight = &graph->nodes[weight->inputs[0].node];
  }
  if (!weight || weight->kind < ETR_NODE_PARAMETER) return !weight;
  return !is_transposed || place == 2 || uses[weight - graph->nodes] == 1;
}

/* Returns true for overloads without a configuration: arithmetic with a number, limits that are tensors. */
static bool is_other_overload(etr_slice op, const char *target) {
  static const char *const arithmetic[] = {"add", "sub", "mul", "div"};
  etr_slice name = etr_slice_of(target);
  if (etr_slice_is(op, "clamp")) return etr_slice_ends(name, ETR_SLICE(".Tensor"));
  return etr_operator_is_one_of(op, arithmetic, ETR_COUNT(arithmetic)) && etr_slice_ends(name, ETR_SLICE(".Scalar"));
}

/* Operators with a configuration, without their overloads. */
static const char *const taken[] = {"convolution",
                                    "linear",
                                    "addmm",
                                    "mm",
                                    "bmm",
                                    "hardtanh",
                                    "add",
                                    "sub",
                                    "mul",
                                    "div",
                                    "relu",
                                    "abs",
                                    "avg_pool2d",
                                    "cat",
                                    "ceil",
                                    "clone",
                                    "clamp",
                                    "elu",
                                    "softmax",
                                    "permute_copy",
                                    "sigmoid",
                                    "maximum",
                                    "minimum",
                                    "max_pool2d",
                                    "exp",
                                    "view_copy",
                                    "max_pool2d_with_indices",
                                    "floor",
                                    "gelu",
                                    "upsample_bilinear2d",
                                    "hardswish",
                                    "leaky_relu",
                                    "log",
                                    "tanh",
                                    "to_copy",
                                    "to_dim_order_copy",
                                    "mean",
                                    "neg",
                                    "slice_copy",
                                    "sqrt",
                                    "rsqrt",
                                    "constant_pad_nd",
                                    "sin",
                                    "cos",
                                    "clone_dim_order",
                                    "unsqueeze_copy",
                                    "squeeze_copy",
                                    "prelu",
                                    "prelu_kernel",
                                    "square",
                                    "max",
                                    "scaled_dot_product_attention"};

bool etr_xnn_takes(const etr_graph *graph, const uint32_t *uses, const etr_node *node) {
  etr_slice op = etr_operator_of_target(node->target);
  if (is_quantization(op) || etr_xnn_is_batch_norm(op)) return true;
  if (is_other_overload(op, node->target)) return false;
  if (etr_slice_is(op, "pow")) return etr_xnn_class_of_node(graph, node) != ETR_XNN_NONE;
  if (!etr_operator_is_one_of(op, taken, ETR_COUNT(taken))) return false;
  if (node->output_count && !is_floating(&node->outputs[0])) return false;
  if (etr_slice_is(op, "mean")) {
    /* Returns true for a mean over height and width of four dimensions that keeps these dimensions (MeanDimConfig). */
    const etr_value *in = input_of(graph, node, 0), *out = node->output_count ? &node->outputs[0] : NULL;
    if (!in || !out || in->rank < 0 || out->rank < 0) return true;
    return in->rank == 4 && out->rank == 4 && out->dims[2].size == 1 && out->dims[3].size == 1 &&
           out->dims[0].size == in->dims[0].size && out->dims[1].size == in->dims[1].size;
  }
  if (etr_slice_is(op, "addmm")) return multiplies_weight(graph, uses, node, 2);
  if (etr_slice_is(op, "mm")) return multiplies_weight(graph, uses, node, 1);
  return !etr_slice_is(op, "to_dim_order_copy") || keeps_type(graph, node);
}
