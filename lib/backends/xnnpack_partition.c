/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack_partition.c - which nodes XNNPACK's partitioner takes. Source: backends/xnnpack/partition/config of
 * ExecuTorch 1.5, and of 1.0 for what later versions no longer name.
 */
#include "backends/operator.h"
#include "backends/xnnpack.h"

/* Tensors of these types are the only ones, but around quantisation, that an operator may have. */
static bool is_floating(const etr_value *value) {
  return !value->dtype || strncmp(value->dtype, "float", 5) == 0 || strcmp(value->dtype, "bfloat16") == 0;
}

static bool is_quantization(etr_slice op) {
  return etr_slice_starts(op, ETR_SLICE("quantize_")) || etr_slice_starts(op, ETR_SLICE("dequantize_")) ||
         etr_slice_starts(op, ETR_SLICE("choose_qparams"));
}

/* Of a mean: over height and width of four dimensions, which it keeps (MeanDimConfig). */
static bool is_global_pooling(const etr_graph *graph, const etr_node *node) {
  const etr_edge *edge = node->input_count ? &node->inputs[0] : NULL;
  if (!edge || edge->output >= graph->nodes[edge->node].output_count || node->output_count == 0) return true;
  const etr_value *in = &graph->nodes[edge->node].outputs[edge->output], *out = &node->outputs[0];
  if (in->rank < 0 || out->rank < 0) return true;
  return in->rank == 4 && out->rank == 4 && out->dims[2].size == 1 && out->dims[3].size == 1 &&
         out->dims[0].size == in->dims[0].size && out->dims[1].size == in->dims[1].size;
}

/* Arithmetic with a number is left to kernels: AddConfig and the like name the overload with tensors. */
static bool is_with_number(etr_slice op, const char *target) {
  static const char *const arithmetic[] = {"add", "sub", "mul", "div"};
  return etr_operator_is_one_of(op, arithmetic, ETR_COUNT(arithmetic)) &&
         etr_slice_ends(etr_slice_of(target), ETR_SLICE(".Scalar"));
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

bool etr_xnn_takes(const etr_graph *graph, const etr_node *node) {
  etr_slice op = etr_operator_of_target(node->target);
  if (is_quantization(op) || etr_slice_starts(op, ETR_SLICE("native_batch_norm"))) return true;
  if (is_with_number(op, node->target)) return false;
  if (etr_slice_is(op, "pow")) return etr_xnnpack.class_of_node(graph, node) != ETR_XNN_NONE;
  if (!etr_operator_is_one_of(op, taken, ETR_COUNT(taken))) return false;
  if (node->output_count && !is_floating(&node->outputs[0])) return false;
  return !etr_slice_is(op, "mean") || is_global_pooling(graph, node);
}
