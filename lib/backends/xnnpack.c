/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack.c - classes of XNNPACK's events and of the graph's nodes, and what it makes of a node.
 */
#include "backends/xnnpack.h"

#include "backends/operator.h"

/* ---- Classes ---- */

/* The name of an event starts with the name of its operator. If one prefix contains another, the
 * longer one comes first. */
static const struct {
  const char *prefix;
  uint16_t class_; /* etr_xnn_class */
} event_prefixes[] = {
    {"Convolution", ETR_XNN_MATMUL},
    {"Fully Connected", ETR_XNN_MATMUL},
    {"Dynamic Fully Connected", ETR_XNN_MATMUL},
    {"Deconvolution", ETR_XNN_DECONV},
    {"Batch Matrix Multiply", ETR_XNN_BMM},
    {"Add", ETR_XNN_ADD},
    {"Multiply", ETR_XNN_MUL},
    {"Subtract", ETR_XNN_SUB},
    {"Divide", ETR_XNN_DIV},
    {"Minimum", ETR_XNN_MIN},
    {"Maximum", ETR_XNN_MAX},
    {"PReLU", ETR_XNN_PRELU},
    {"Softmax", ETR_XNN_SOFTMAX},
    {"Sigmoid", ETR_XNN_SIGMOID},
    {"TanH", ETR_XNN_TANH},
    {"Tanh", ETR_XNN_TANH},
    {"Approx GELU", ETR_XNN_GELU},
    {"GELU", ETR_XNN_GELU},
    {"Gelu", ETR_XNN_GELU},
    {"HardSwish", ETR_XNN_HARDSWISH},
    {"Hardswish", ETR_XNN_HARDSWISH},
    {"Clamp", ETR_XNN_CLAMP},
    {"Floor", ETR_XNN_FLOOR},
    {"Ceiling", ETR_XNN_CEIL},
    {"Bankers", ETR_XNN_ROUND},
    {"Negate", ETR_XNN_NEG},
    {"Square Root", ETR_XNN_SQRT},
    {"Square", ETR_XNN_SQUARE},
    {"Absolute", ETR_XNN_ABS},
    {"Abs", ETR_XNN_ABS},
    {"Reciprocal Square Root", ETR_XNN_RSQRT},
    {"ELU", ETR_XNN_ELU},
    {"Leaky ReLU", ETR_XNN_LEAKY_RELU},
    {"LeakyReLU", ETR_XNN_LEAKY_RELU},
    {"Log", ETR_XNN_LOG},
    {"Exp", ETR_XNN_EXP},
    {"Sin", ETR_XNN_SIN},
    {"Cos", ETR_XNN_COS},
    {"Convert", ETR_XNN_CONVERT},
    {"Copy", ETR_XNN_COPY},
    {"Concatenate", ETR_XNN_COPY},
    {"Static Reshape", ETR_XNN_RESHAPE},
    {"Reshape", ETR_XNN_RESHAPE},
    {"Transpose", ETR_XNN_TRANSPOSE},
    {"Static Slice", ETR_XNN_SLICE},
    {"Slice", ETR_XNN_SLICE},
    {"Constant Pad", ETR_XNN_PAD},
    {"Resize Bilinear", ETR_XNN_RESIZE},
    {"Average Pooling", ETR_XNN_AVGPOOL},
    {"Max Pooling", ETR_XNN_MAXPOOL},
    {"ArgMax Pooling", ETR_XNN_ARGMAXPOOL},
    {"Global Average Pooling", ETR_XNN_MEAN},
    {"Mean", ETR_XNN_MEAN},
    {"Sum", ETR_XNN_MEAN},
    {"Scaled Dot Product Attention", ETR_XNN_SDPA},
    {"Invalid Unary Op", ETR_XNN_LOOKUP},
};

/* Returns the name of a class of operators as XNNPACK's events begin with it; of layers, which have
 * two names, both. "Operator" stands for an unknown class. */
static const char *class_name(uint16_t class_) {
  if (class_ == ETR_XNN_MATMUL)
    return "Convolution or Fully Connected";
  for (size_t i = 0; i < ETR_COUNT(event_prefixes); i++)
    if (event_prefixes[i].class_ == class_)
      return event_prefixes[i].prefix;
  return "Operator";
}

/* Returns the class of the operator that an event's id names at its start; ETR_XNN_NONE if it is
 * unknown. */
static uint16_t class_of_event(const char *id) {
  etr_slice name = etr_slice_of(id);
  for (size_t i = 0; i < ETR_COUNT(event_prefixes); i++) {
    const char *prefix = event_prefixes[i].prefix;
    if (prefix[0] == id[0] && etr_slice_starts(name, etr_slice_of(prefix)))
      return event_prefixes[i].class_;
  }
  return ETR_XNN_NONE;
}

/* Returns the etr_class_trait bits of a class, by what XNNPACK's lowering and runtime insert, fuse,
 * drop and replace. */
static unsigned traits_of_class(uint16_t class_) {
  switch (class_) {
  case ETR_XNN_NONE:
    return 0;
  case ETR_XNN_CONVERT:
    return ETR_CLASS_INSERTED | ETR_CLASS_FUSES | ETR_CLASS_REPLACED;
  case ETR_XNN_COPY:
  case ETR_XNN_RESHAPE:
    return ETR_CLASS_INSERTED | ETR_CLASS_FUSES;
  case ETR_XNN_TRANSPOSE:
    return ETR_CLASS_INSERTED;
  case ETR_XNN_CLAMP:
    return ETR_CLASS_COMPUTES | ETR_CLASS_FUSES;
  case ETR_XNN_SQUARE:
  case ETR_XNN_LOOKUP:
    return ETR_CLASS_COMPUTES | ETR_CLASS_VARIES;
  case ETR_XNN_MATMUL:
  case ETR_XNN_BMM:
  case ETR_XNN_SOFTMAX:
  case ETR_XNN_AVGPOOL:
  case ETR_XNN_MAXPOOL:
  case ETR_XNN_ARGMAXPOOL:
  case ETR_XNN_SDPA:
    return ETR_CLASS_COMPUTES | ETR_CLASS_COUNTS;
  default:
    return ETR_CLASS_COMPUTES;
  }
}

/* Returns whether the payload keeps the debug handle of a node. The lowering makes new nodes
 * without one for a batch norm that is not fused into a convolution, and for a product that becomes
 * a linear layer. */
static etr_handle_loss loses_handle(const etr_graph *graph, const uint32_t *uses,
                                    const etr_node *node) {
  etr_slice op = etr_operator_of_target(node->target);
  if (etr_xnn_is_batch_norm(op)) {
    bool may_fold = node->input_count == 0 || etr_xnn_follows_convolution(graph, uses, node);
    return may_fold ? ETR_LOSES_HANDLE_UNLESS_FUSED : ETR_LOSES_HANDLE;
  }
  return etr_slice_is(op, "addmm") || etr_slice_is(op, "mm") ? ETR_LOSES_HANDLE : ETR_KEEPS_HANDLE;
}

/* ---- Partitions (backends/xnnpack/partition/config) ---- */

/* Returns true for a dequantization whose scale is an input, because it is computed while the model
 * runs (dynamic quantization). */
static bool is_dynamic_dequantize(const etr_node *node) {
  return etr_xnn_is_dequantize(etr_operator_of_target(node->target)) && node->input_count > 1;
}

/* Returns true if an activation after the node becomes a part of its operator: after a layer, or an
 * addition, product or subtraction, unless it is quantized dynamically. */
static bool fuses_activation(const etr_graph *graph, const etr_node *node) {
  uint16_t class_ = etr_xnn_class_of_node(graph, node);
  if (node->input_count && is_dynamic_dequantize(&graph->nodes[node->inputs[0].node]))
    return false;
  return etr_xnn_is_convolution(class_) || (class_ >= ETR_XNN_ADD && class_ <= ETR_XNN_SUB);
}

/* Returns true if the partitioner always puts a node and a user of its result into one delegate: a
 * weight and its layer, an operator and the quantization or activation around it, or dynamic
 * quantization and the nodes that compute its scale. is_only_user says that nothing else reads the
 * result. */
static bool keeps_together(const etr_graph *graph, const etr_node *producer, const etr_node *user,
                           bool is_only_user) {
  etr_slice producer_op = etr_operator_of_target(producer->target);
  etr_slice user_op = etr_operator_of_target(user->target);
  if (producer->kind >= ETR_NODE_PARAMETER)
    return etr_xnn_is_convolution(etr_xnn_class_of_node(graph, user)) &&
           !etr_xnn_is_batch_norm(user_op);
  if (etr_xnn_is_dequantize(producer_op))
    return !etr_xnn_is_quantize(user_op) && !etr_xnn_is_dequantize(user_op);
  if (etr_slice_starts(producer_op, ETR_SLICE("choose_qparams")))
    return true;
  if (etr_xnn_is_quantize(producer_op))
    return is_dynamic_dequantize(user);
  if (!is_only_user)
    return false;
  bool is_activation = etr_slice_is(user_op, "relu") || etr_slice_is(user_op, "hardtanh");
  return etr_xnn_is_quantize(user_op) || (is_activation && fuses_activation(graph, producer));
}

/* Only layers have all types in the id: "Fully Connected (NC, QS8, QC8W) GEMM #2". */
static bool is_of_other_type(const etr_payload *payload, const etr_payload_operator *operator_,
                             const char *id) {
  uint32_t weight = etr_xnn_is_convolution(operator_->class_) ? operator_->inputs[1] : ETR_NONE;
  return weight != ETR_NONE && strchr(id, '(') &&
         payload->values[weight].is_quantized != (strstr(id, ", Q") != NULL);
}

const etr_backend etr_xnnpack = {
    .id = "XnnpackBackend",
    .label = "XNNPACK",
    .keeps_no_buffers = true,
    .stores_few_parameters = true,
    .has_no_places = true,
    .clock_step_ns = 1000,
    .class_of_event = class_of_event,
    .class_name = class_name,
    .traits = traits_of_class,
    .class_of_node = etr_xnn_class_of_node,
    .loses_handle = loses_handle,
    .expect = etr_xnn_expect,
    .allow = etr_xnn_allow,
    .keeps_together = keeps_together,
    .takes = etr_xnn_takes,
    .refuses = etr_xnn_refuses,
    .has_rule = etr_xnn_has_rule,
    .payload_needed = etr_xnn_payload_needed,
    .payload_version = etr_xnn_payload_version,
    .read_payload = etr_xnn_payload_read,
    .is_of_other_type = is_of_other_type,
    .read_graph = etr_xnn_graph_read,
};
