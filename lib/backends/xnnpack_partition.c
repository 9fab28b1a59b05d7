/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack_partition.c - which nodes XNNPACK's partitioner takes. Source:
 * backends/xnnpack/partition/config of ExecuTorch 1.5, and of 1.0 for what later versions no longer
 * name.
 */
#include "backends/operator.h"
#include "backends/xnnpack.h"

#include <stdio.h>
#include <stdlib.h>

/* Returns true for float types, the only types that tensors of an operator may have, except around
 * quantization. */
static bool is_floating(const etr_value *value) {
  return !value->dtype || strncmp(value->dtype, "float", 5) == 0 ||
         strcmp(value->dtype, "bfloat16") == 0;
}

static bool is_quantization(etr_slice op) {
  return etr_xnn_is_quantize(op) || etr_xnn_is_dequantize(op) ||
         etr_slice_starts(op, ETR_SLICE("choose_qparams"));
}

/* Returns the value that a node reads as this input; NULL if it has no such input. */
static const etr_value *input_value_of(const etr_graph *graph, const etr_node *node, size_t input) {
  const etr_edge *edge = input < node->input_count ? &node->inputs[input] : NULL;
  return edge && edge->output < graph->nodes[edge->node].output_count
             ? &graph->nodes[edge->node].outputs[edge->output]
             : NULL;
}

/* Returns true if input and result of a node have the same number type, or one of them is unknown.
 * Conversions of the type are left to kernels (ToDimOrderCopyConfig). */
static bool keeps_type(const etr_graph *graph, const etr_node *node) {
  const etr_value *in = input_value_of(graph, node, 0);
  const etr_value *out = node->output_count ? &node->outputs[0] : NULL;
  return !in || !out || !in->dtype || !out->dtype || strcmp(in->dtype, out->dtype) == 0;
}

/* Returns true if the factor of a product that is this input of the node (1: mm, 2: addmm) is the
 * weight of a linear layer: a parameter, perhaps behind up to four nodes that transpose or
 * dequantize it. Also true if the input is missing. A matrix of mm that is transposed for it and
 * also used elsewhere, such as a tied embedding, is no weight (GEMMConfig._get_weight_deps). `uses`
 * has for each node how often its results are read. */
static bool multiplies_weight(const etr_graph *graph, const uint32_t *uses, const etr_node *node,
                              size_t input) {
  const etr_node *weight = input < node->input_count ? &graph->nodes[node->inputs[input].node]
                                                     : NULL;
  bool is_transposed = false;
  for (int step = 0; weight && weight->kind == ETR_NODE_OP && weight->input_count && step < 4;
       step++) {
    etr_slice op = etr_operator_of_target(weight->target);
    is_transposed |= etr_slice_is(op, "permute_copy") || etr_slice_is(op, "t_copy");
    if (!etr_slice_is(op, "permute_copy") && !etr_slice_is(op, "t_copy") && !is_quantization(op))
      return false;
    weight = &graph->nodes[weight->inputs[0].node];
  }
  if (!weight || weight->kind < ETR_NODE_PARAMETER)
    return !weight;
  return !is_transposed || input == 2 || uses[weight - graph->nodes] == 1;
}

/* Returns true for an overload that has no configuration although its operator has one: arithmetic
 * with a number, and clamps whose limits are tensors. target: of a node, "aten.mul.Scalar", or the
 * name of a kernel, "mul.Scalar_out". */
static bool is_unsupported_overload(etr_slice op, const char *target) {
  static const char *const arithmetic[] = {"add", "sub", "mul", "div"};
  if (etr_slice_is(op, "clamp"))
    return strstr(target, ".Tensor") != NULL;
  return etr_operator_is_one_of(op, arithmetic, ETR_COUNT(arithmetic)) && strstr(target, ".Scalar");
}

/* Operators with a configuration, without their overloads, sorted. */
/* clang-format off */
static const char *const configured_operators[] = {
    "abs", "add", "addmm", "avg_pool2d", "bmm", "cat", "ceil", "clamp", "clone", "clone_dim_order",
    "constant_pad_nd", "convolution", "cos", "div", "elu", "exp", "floor", "gelu", "hardswish",
    "hardtanh", "leaky_relu", "linear", "log", "max", "max_pool2d", "max_pool2d_with_indices",
    "maximum", "mean", "minimum", "mm", "mul", "neg", "permute_copy", "prelu", "prelu_kernel",
    "relu", "rsqrt", "scaled_dot_product_attention", "sigmoid", "sin", "slice_copy", "softmax",
    "sqrt", "square", "squeeze_copy", "sub", "tanh", "to_copy", "to_dim_order_copy",
    "unsqueeze_copy", "upsample_bilinear2d", "view_copy",
};
/* clang-format on */

/* An operator that stays a kernel, and what to write instead of it. */
static const struct {
  const char *op, *reason;
} rewrites[] = {
    {"expand_copy",
     "no configuration: leave broadcasting to the operator that reads it, and drop an expand to "
     "the same shape"},
    {"repeat", "no configuration: leave broadcasting to the operator that reads it"},
    {"split_with_sizes_copy", "no configuration: write it as slices"},
    {"split_copy", "no configuration: write it as slices"},
    {"select_copy", "no configuration: write it as a slice and a view"},
    {"native_layer_norm",
     "no configuration; written as products with 1/n and rsqrt, which it takes, it took as long"},
    {"where", "no configuration: add a mask of float numbers instead"},
    {"masked_fill", "no configuration: add a mask of float numbers instead"},
    {"sum", "no configuration: write it as a linear layer whose weights are 1"},
    {"upsample_nearest2d", "no configuration: a product with ones, if the factor is whole; or "
                           "bilinear interpolation, with other results"},
    {"alias_copy", "no configuration: it returns what it reads, so leave out what makes it"},
};

/* ---- What holds for all versions ---- */

static const char no_number[] =
    "no configuration for arithmetic with a number: use a tensor (replace_scalar_with_tensor)";

/* Returns whether a node has one value for each channel of an image; true if shapes are not known.
 */
static bool is_of_1x1(const etr_node *node) {
  const etr_value *out = node->output_count ? &node->outputs[0] : NULL;
  return !out || out->rank < 0 ||
         (out->rank == 4 && out->dims[2].size == 1 && out->dims[3].size == 1);
}

/* Returns whether a mean is over height and width of an image in four dimensions, which it keeps
 * with size 1 (MeanDimConfig); true if the shapes are not known. */
static bool is_mean_of_image(const etr_graph *graph, const etr_node *node) {
  const etr_value *in = input_value_of(graph, node, 0);
  const etr_value *out = node->output_count ? &node->outputs[0] : NULL;
  if (!in || !out || in->rank < 0 || out->rank < 0)
    return true;
  if (in->rank != 4 || out->rank != 4)
    return false;
  return out->dims[0].size == in->dims[0].size && out->dims[1].size == in->dims[1].size &&
         is_of_1x1(node);
}

/* Returns whether a node reduces an image in four dimensions over height and width, whether it
 * keeps these or not; false if the shapes are not known. */
static bool is_sum_of_image(const etr_graph *graph, const etr_node *node) {
  const etr_value *in = input_value_of(graph, node, 0);
  const etr_value *out = node->output_count ? &node->outputs[0] : NULL;
  if (!in || !out || in->rank != 4 || (out->rank != 2 && out->rank != 4))
    return false;
  return out->dims[0].size == in->dims[0].size && out->dims[1].size == in->dims[1].size &&
         (out->rank == 2 || is_of_1x1(node));
}

/* Returns why XNNPACK's partitioner refuses a node because of its number type, because it is a mean
 * over other dimensions than height and width, or because of an operand that is no weight: input 2
 * of addmm, input 1 of mm. NULL if it does not. */
static const char *refusal_by_type(const etr_graph *graph, const uint32_t *uses,
                                   const etr_node *node, etr_slice op) {
  if (node->output_count && !is_floating(&node->outputs[0]))
    return "takes only floating-point tensors";
  if (etr_slice_is(op, "mean") && !is_mean_of_image(graph, node))
    return "takes a mean only over height and width of four dimensions that are kept "
           "(MeanDimConfig): reshape, or use a linear layer of weights 1/n";
  if ((etr_slice_is(op, "addmm") && !multiplies_weight(graph, uses, node, 2)) ||
      (etr_slice_is(op, "mm") && !multiplies_weight(graph, uses, node, 1)))
    return "takes only products with the weight of one linear layer: use torch.nn.Linear with a "
           "weight of its own, or bmm";
  if (etr_slice_is(op, "to_dim_order_copy") && !keeps_type(graph, node))
    return "takes no conversion of the number type (ToDimOrderCopyConfig)";
  return NULL;
}

/* Returns why XNNPACK's partitioner refuses a power; NULL if it does not. */
static const char *refusal_of_power(const etr_graph *graph, const etr_node *node) {
  const char *exponent = etr_node_argument(node, "exponent");
  if (etr_xnn_class_of_node(graph, node) == ETR_XNN_NONE)
    return "takes only the power 2 (PowConfig): write others as products, 0.5 as sqrt";
  if (exponent && strcmp(exponent, "2.0") == 0)
    return "takes the power 2 only as a whole number, not as 2.0 (PowConfig): write x * x";
  return NULL;
}

/* Returns why XNNPACK's partitioner refuses a node by its operator, its overload and the type of
 * its result; NULL if it does not. */
static const char *refusal_by_operator(const etr_graph *graph, const uint32_t *uses,
                                       const etr_node *node) {
  etr_slice op = etr_operator_of_target(node->target);
  if (is_quantization(op) || etr_xnn_is_batch_norm(op))
    return NULL;
  if (is_unsupported_overload(op, node->target))
    return etr_slice_is(op, "clamp") ? "takes a clamp only between numbers: use minimum and maximum"
                                     : no_number;
  if (etr_slice_is(op, "pow"))
    return refusal_of_power(graph, node);
  if (etr_operator_row(op, configured_operators, ETR_COUNT(configured_operators),
                       sizeof *configured_operators))
    return refusal_by_type(graph, uses, node, op);
  if (etr_slice_is(op, "as_strided_copy") && is_of_1x1(node))
    return "no configuration: torch adds it to adaptive_avg_pool2d to 1 x 1 of a channels-last "
           "image, and not to x.mean((2, 3), keepdim=True)";
  if (etr_slice_is(op, "sum") && is_sum_of_image(graph, node))
    return "no configuration: write it as a mean over height and width with keepdim=True, times "
           "how many they are";
  if (etr_slice_is(op, "erf"))
    return "no configuration for this operator, only for torch.nn.functional.gelu";
  for (size_t i = 0; i < ETR_COUNT(rewrites); i++)
    if (etr_slice_equal(op, etr_slice_of(rewrites[i].op)))
      return rewrites[i].reason;
  return "no configuration for this operator";
}

bool etr_xnn_has_rule(etr_slice op, const char *kernel) {
  return etr_operator_row(op, configured_operators, ETR_COUNT(configured_operators),
                          sizeof *configured_operators) &&
         !is_unsupported_overload(op, kernel);
}

bool etr_xnn_takes(const etr_graph *graph, const uint32_t *uses, const etr_node *node) {
  return !refusal_by_operator(graph, uses, node);
}

/* ---- What ExecuTorch 1.5 checks, too ---- */

static bool has_value(const etr_node *node, const char *name, const char *value) {
  const char *argument = etr_node_argument(node, name);
  return argument && strcmp(argument, value) == 0;
}

/* Returns whether an argument that is a list of numbers has one that is not 0. */
static bool has_other_than_zero(const etr_node *node, const char *name) {
  const char *argument = etr_node_argument(node, name);
  return argument && strpbrk(argument, "123456789") != NULL;
}

/* Returns whether a size of the value is symbolic, because it depends on the input. */
static bool is_dynamic(const etr_value *value) {
  for (int32_t i = 0; i < value->rank; i++)
    if (value->dims[i].size == ETR_DIM_SYMBOLIC)
      return true;
  return false;
}

/* Returns whether the argument of this name is the dimension `dim`, the last one, which may be
 * written as -1. Also true if the argument was not recorded. */
static bool is_over_dim(const etr_node *node, const char *name, int32_t dim) {
  char number[16];
  const char *argument = etr_node_argument(node, name);
  snprintf(number, sizeof number, "%d", (int)dim);
  return !argument || strcmp(argument, "-1") == 0 || strcmp(argument, number) == 0;
}

/* Returns whether an input of a node is a parameter or constant, perhaps dequantized; true if it is
 * missing. */
static bool reads_weight(const etr_graph *graph, const etr_node *node, size_t input) {
  const etr_node *weight = input < node->input_count ? &graph->nodes[node->inputs[input].node]
                                                     : NULL;
  if (weight && weight->input_count && is_quantization(etr_operator_of_target(weight->target)))
    weight = &graph->nodes[weight->inputs[0].node];
  return !weight || weight->kind >= ETR_NODE_PARAMETER;
}

/* Returns why XNNPACK's partitioner refuses a node because an input or its result has a type that
 * it does not take, or is empty; NULL if it does not. */
static const char *refusal_by_value_types(const etr_graph *graph, const etr_node *node) {
  const char *first = NULL;
  const etr_value *result = node->output_count ? &node->outputs[0] : NULL;
  for (size_t i = 0; i <= node->input_count; i++) {
    const etr_value *value = i < node->input_count ? input_value_of(graph, node, i) : result;
    if (!value || !value->dtype || value->rank < 0)
      continue;
    if (strcmp(value->dtype, "bfloat16") == 0)
      return "takes bfloat16 only with enable_bf16: use float32 or float16";
    if (!is_floating(value))
      return "takes only floating-point tensors";
    if (strcmp(value->dtype, "float64") == 0)
      return "takes float32 and float16, not float64";
    for (int32_t d = 0; d < value->rank; d++)
      if (value->dims[d].size == 0)
        return "takes no empty tensors";
    if (first && i < node->input_count && strcmp(first, value->dtype) != 0)
      return "takes only inputs of one number type";
    first = first ? first : value->dtype;
  }
  return NULL;
}

/* Returns why XNNPACK's partitioner refuses an average pooling; NULL if it does not. */
static const char *refusal_of_pooling(const etr_node *node, etr_slice op) {
  if (!etr_slice_is(op, "avg_pool2d"))
    return NULL;
  if (has_value(node, "ceil_mode", "true"))
    return "takes no average pooling with ceil_mode (AvgPoolingConfig)";
  if (has_other_than_zero(node, "padding") && !has_value(node, "count_include_pad", "false"))
    return "takes average pooling with padding only if count_include_pad is false "
           "(AvgPoolingConfig): pad before it";
  return NULL;
}

/* Returns why XNNPACK's partitioner refuses a node because of its shapes or dimensions; NULL if it
 * does not. */
static const char *refusal_by_shape(const etr_graph *graph, const etr_node *node, etr_slice op) {
  const etr_value *in = input_value_of(graph, node, 0);
  const etr_value *out = node->output_count ? &node->outputs[0] : NULL;
  if (!in || !out || in->rank < 0 || out->rank < 0)
    return NULL;
  bool is_slice = etr_slice_is(op, "slice_copy");
  if (is_slice && (is_dynamic(in) || is_dynamic(out)))
    return "takes slices of static shapes only (SliceCopyConfig)";
  if (is_slice && etr_node_argument(node, "step") && !has_value(node, "step", "1"))
    return "takes slices of step 1 only (SliceCopyConfig)";
  if (etr_slice_is(op, "view_copy")) {
    const char *size = etr_node_argument(node, "size");
    return size && strchr(size, '"') ? "takes no view with a symbolic size (ViewCopyConfig)" : NULL;
  }
  if (etr_slice_is(op, "softmax") && !is_over_dim(node, "dim", in->rank - 1))
    return "takes a softmax only over the last dimension (SoftmaxConfig): permute before it";
  if (etr_slice_is(op, "unsqueeze_copy") && !is_over_dim(node, "dim", in->rank))
    return "adds a dimension only at the end (UnsqueezeCopyConfig): use a view";
  if (etr_slice_is(op, "upsample_bilinear2d") && is_dynamic(out))
    return "takes no enlargement to a dynamic size (UpsampleBilinear2dConfig)";
  if (etr_slice_is(op, "max") && in->rank != 4)
    return "takes max.dim of four dimensions only (MaxDimConfig)";
  if (etr_slice_is(op, "convolution") && in->rank > 4)
    return "takes convolutions in one and two dimensions only";
  return NULL;
}

/* Returns why XNNPACK's partitioner refuses a node because of its arguments; NULL if it does not.
 */
static const char *refusal_by_argument(const etr_graph *graph, const etr_node *node, etr_slice op) {
  static const char *const layers[] = {"convolution", "linear", "prelu"};
  if (etr_operator_is_one_of(op, layers, ETR_COUNT(layers)) && !reads_weight(graph, node, 1))
    return "takes only weights that are parameters, and this one is computed";
  const char *alpha = etr_node_argument(node, "alpha");
  if ((etr_slice_is(op, "add") || etr_slice_is(op, "sub")) && alpha && strtod(alpha, NULL) != 1)
    return "takes no alpha other than 1";
  if (etr_slice_is(op, "gelu") && node->output_count && node->outputs[0].dtype &&
      strcmp(node->outputs[0].dtype, "float16") == 0)
    return "takes no GELU in float16 (GeluConfig)";
  const char *pad = etr_node_argument(node, "pad");
  if (etr_slice_is(op, "constant_pad_nd") && pad && strchr(pad, '-'))
    return "takes no negative padding (ConstantPadConfig)";
  return NULL;
}

/* Returns why XNNPACK's partitioner refuses an operator that only other versions take, that has
 * no configuration in ALL_PARTITIONER_CONFIGS, or a cat of one tensor, and what to do; NULL if it
 * does not. */
static const char *refusal_by_exception(const etr_node *node, etr_slice op) {
  if (etr_slice_is(op, "squeeze_copy"))
    return "no configuration: write it as a view";
  if (etr_slice_is(op, "elu"))
    return "no configuration in this version: use another activation";
  if (etr_slice_is(op, "scaled_dot_product_attention"))
    return "no configuration: let the export decompose it";
  if (etr_slice_is(op, "cat") && node->input_count < 2)
    return "takes a cat of two tensors or more: drop a cat of one";
  return NULL;
}

/* Quantization and batch norms are taken whatever their types. */
const char *etr_xnn_refuses(const etr_graph *graph, const uint32_t *uses, const etr_node *node) {
  etr_slice op = etr_operator_of_target(node->target);
  const char *reason = refusal_by_operator(graph, uses, node);
  if (!reason)
    reason = refusal_by_exception(node, op);
  if (reason || is_quantization(op) || etr_xnn_is_batch_norm(op))
    return reason;
  reason = refusal_by_value_types(graph, node);
  if (!reason)
    reason = refusal_of_pooling(node, op);
  if (!reason)
    reason = refusal_by_shape(graph, node, op);
  return reason ? reason : refusal_by_argument(graph, node, op);
}
