/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack.c - classes of XNNPACK's events and of the graph's nodes, and what it makes of a node.
 */
#include "backends/xnnpack.h"

#include "backends/operator.h"

/* ---- Classes ---- */

/* Names of events start with the operator's. Where one prefix contains another, the longer stands first. */
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

static const char *class_name(uint16_t class_) {
  if (class_ == ETR_XNN_MATMUL) return "Convolution or Fully Connected";
  for (size_t i = 0; i < ETR_COUNT(event_prefixes); i++)
    if (event_prefixes[i].class_ == class_) return event_prefixes[i].prefix;
  return "Operator";
}

static uint16_t class_of_event(const char *id) {
  etr_slice name = etr_slice_of(id);
  for (size_t i = 0; i < ETR_COUNT(event_prefixes); i++) {
    const char *prefix = event_prefixes[i].prefix;
    if (prefix[0] == id[0] && etr_slice_starts(name, etr_slice_of(prefix))) return event_prefixes[i].class_;
  }
  return ETR_XNN_NONE;
}

bool etr_xnn_is_binary(etr_xnn_class class_) { return class_ >= ETR_XNN_ADD && class_ <= ETR_XNN_PRELU; }

bool etr_xnn_is_unary(etr_xnn_class class_) { return class_ >= ETR_XNN_SIGMOID && class_ <= ETR_XNN_COS; }

static unsigned traits(uint16_t class_) {
  switch (class_) {
  case ETR_XNN_NONE: return 0;
  case ETR_XNN_CONVERT:
  case ETR_XNN_COPY:
  case ETR_XNN_RESHAPE: return ETR_CLASS_INSERTED | ETR_CLASS_FUSES;
  case ETR_XNN_TRANSPOSE: return ETR_CLASS_INSERTED;
  case ETR_XNN_CLAMP: return ETR_CLASS_COMPUTES | ETR_CLASS_FUSES;
  case ETR_XNN_SQUARE:
  case ETR_XNN_LOOKUP: return ETR_CLASS_COMPUTES | ETR_CLASS_VARIES;
  case ETR_XNN_MATMUL:
  case ETR_XNN_BMM:
  case ETR_XNN_SOFTMAX:
  case ETR_XNN_AVGPOOL:
  case ETR_XNN_MAXPOOL:
  case ETR_XNN_ARGMAXPOOL:
  case ETR_XNN_SDPA: return ETR_CLASS_COMPUTES | ETR_CLASS_COUNTS;
  default: return ETR_CLASS_COMPUTES;
  }
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
    {"expand_copy", ETR_XNN_RESHAPE},
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

static uint16_t class_of_operator(etr_slice op) {
  for (size_t i = 0; op.size && i < ETR_COUNT(operators); i++)
    if (operators[i].op[0] == op.data[0] && etr_slice_equal(op, etr_slice_of(operators[i].op)))
      return operators[i].class_;
  return ETR_XNN_NONE;
}

static bool is_batch_norm(etr_slice op) { return etr_slice_starts(op, ETR_SLICE("native_batch_norm")); }

/* A convolution knows whether it is transposed; its weight, [in, out / groups, ...] then, tells where arguments were
 * not recorded. */
static bool is_transposed(const etr_graph *graph, const etr_node *node) {
  const char *transposed = etr_node_argument(node, "transposed");
  if (transposed) return strcmp(transposed, "true") == 0;
  if (node->input_count < 2 || node->output_count == 0) return false;
  const etr_value *weight = &graph->nodes[node->inputs[1].node].outputs[node->inputs[1].output];
  const etr_value *out = &node->outputs[0];
  return weight->rank > 2 && out->rank == weight->rank && weight->dims[0].size != out->dims[1].size;
}

/* Of powers only the second runs, as Square (PowConfig). */
static bool is_squared(const etr_node *node) {
  const char *exponent = etr_node_argument(node, "exponent");
  return !exponent || strcmp(exponent, "2") == 0 || strcmp(exponent, "2.0") == 0;
}

static uint16_t class_of_node(const etr_graph *graph, const etr_node *node) {
  etr_slice op = etr_operator_of_target(node->target);
  if (is_batch_norm(op)) return ETR_XNN_MATMUL; /* unless a convolution takes it in, it runs as a depthwise one */
  if (etr_slice_is(op, "convolution") && is_transposed(graph, node)) return ETR_XNN_DECONV;
  if (etr_slice_is(op, "pow") && !is_squared(node)) return ETR_XNN_NONE;
  return class_of_operator(op);
}

static const etr_node *producer_of(const etr_graph *graph, const etr_node *node) {
  return node->input_count ? &graph->nodes[node->inputs[0].node] : NULL;
}

static bool is_convolution(uint16_t class_) { return class_ == ETR_XNN_MATMUL || class_ == ETR_XNN_DECONV; }

/* A batch norm right behind a convolution or a linear layer that nothing else reads is folded into it. */
static bool follows_convolution(const etr_graph *graph, const uint32_t *uses, const etr_node *node) {
  const etr_node *producer = producer_of(graph, node);
  if (!producer || is_batch_norm(etr_operator_of_target(producer->target))) return false;
  return uses[producer - graph->nodes] == 1 && is_convolution(class_of_node(graph, producer));
}

/* A batch norm that becomes a convolution, and a product that becomes a linear layer, are new nodes to the lowering. */
static etr_handle_loss loses_handle(const etr_graph *graph, const uint32_t *uses, const etr_node *node) {
  etr_slice op = etr_operator_of_target(node->target);
  if (is_batch_norm(op)) {
    bool may_fold = !producer_of(graph, node) || follows_convolution(graph, uses, node);
    return may_fold ? ETR_LOSES_HANDLE_UNLESS_FUSED : ETR_LOSES_HANDLE;
  }
  return etr_slice_is(op, "addmm") || etr_slice_is(op, "mm") ? ETR_LOSES_HANDLE : ETR_KEEPS_HANDLE;
}

/* ---- What becomes of a node ---- */

static bool is_in_delegate(const etr_delegate_view *d, const etr_node *node) {
  return d->delegate_of[node - d->graph->nodes] == d->instruction;
}

/* The operator whose result a node works on, batch norms and quantisation passed over; NULL if it lies outside the
 * delegate. */
static const etr_node *source_of(const etr_delegate_view *d, const etr_node *node) {
  for (int steps = 0; steps < 4; steps++) {
    node = producer_of(d->graph, node);
    if (!node || !is_in_delegate(d, node)) return NULL;
    uint16_t class_ = class_of_node(d->graph, node);
    if (class_ != ETR_XNN_NONE && class_ != ETR_XNN_CONVERT && !is_batch_norm(etr_operator_of_target(node->target)))
      return node;
  }
  return NULL;
}

static etr_expectation expect_clamp(const etr_delegate_view *d, uint32_t node) {
  const etr_node *source = source_of(d, &d->graph->nodes[node]);
  uint16_t activated = source ? class_of_node(d->graph, source) : ETR_XNN_NONE;
  if (is_convolution(activated)) return (etr_expectation){.node = node}; /* part of it */
  if (etr_xnn_is_binary(activated))
    node = (uint32_t)(source - d->graph->nodes); /* a Clamp in the binary operator's name */
  return (etr_expectation){ETR_XNN_CLAMP, 0, node, 8, 3, 1};
}

static etr_expectation expect_reshape(uint32_t node, etr_slice op) {
  bool is_view = etr_slice_is(op, "view_copy") || etr_slice_is(op, "view");
  return (etr_expectation){ETR_XNN_RESHAPE, 0, node, is_view ? 9 : 7, is_view ? 1 : 0, 1};
}

static bool reads_quantized(const etr_delegate_view *d, const etr_node *node) {
  const etr_node *producer = producer_of(d->graph, node);
  return producer && etr_slice_starts(etr_operator_of_target(producer->target), ETR_SLICE("dequantize"));
}

static bool is_square(const etr_node *node) {
  return node->input_count == 2 && node->inputs[0].node == node->inputs[1].node &&
         node->inputs[0].output == node->inputs[1].output;
}

/* Constants are transposed and converted when the model is lowered. */
static bool reads_constant(const etr_delegate_view *d, const etr_node *node) {
  const etr_node *producer = producer_of(d->graph, node);
  return producer && producer->kind >= ETR_NODE_PARAMETER;
}

/* Into a convolution of this delegate, or of what was not recorded. */
static bool is_folded(const etr_delegate_view *d, const etr_node *batch_norm) {
  const etr_node *producer = producer_of(d->graph, batch_norm);
  return !producer || (follows_convolution(d->graph, d->uses, batch_norm) && is_in_delegate(d, producer));
}

/* It takes five values at most; of more, four at a time join what is there (DecomposeConcatenate). */
static uint32_t concatenations(size_t values) { return values <= 5 ? 1 : 1 + (uint32_t)(values - 5 + 3) / 4; }

/* What may fall away (views, quantisation) costs nothing to leave out. */
static etr_expectation expect(const etr_delegate_view *d, uint32_t index) {
  const etr_node *node = &d->graph->nodes[index];
  etr_slice op = etr_operator_of_target(node->target);
  uint16_t class_ = class_of_node(d->graph, node);
  if ((traits(class_) & ETR_CLASS_INSERTED) && reads_constant(d, node)) class_ = ETR_XNN_NONE;
  if (is_batch_norm(op) && is_folded(d, node)) class_ = ETR_XNN_NONE;
  switch (class_) {
  case ETR_XNN_NONE: return (etr_expectation){.node = index};
  case ETR_XNN_CLAMP: return expect_clamp(d, index);
  case ETR_XNN_CONVERT: return (etr_expectation){class_, 0, index, 6, 0, 1};
  case ETR_XNN_RESHAPE: return expect_reshape(index, op);
  case ETR_XNN_TRANSPOSE: return (etr_expectation){class_, 0, index, 9, 2, 1};
  case ETR_XNN_COPY:
    if (!etr_slice_is(op, "cat")) return (etr_expectation){class_, 0, index, 7, 0, 1};
    return (etr_expectation){class_, 0, index, 10, 6, concatenations(node->input_count)};
  default: break;
  }
  uint16_t alternative = ETR_XNN_NONE;
  if (class_ == ETR_XNN_MUL && is_square(node)) alternative = ETR_XNN_SQUARE;
  if (etr_xnn_is_unary(class_) && reads_quantized(d, node)) alternative = ETR_XNN_LOOKUP;
  return (etr_expectation){class_, alternative, index, 10, 6, 1};
}

/* ---- Partitions (backends/xnnpack/partition/config) ---- */

static bool is_quantize(etr_slice op) { return etr_slice_starts(op, ETR_SLICE("quantize_")); }

static bool is_dequantize(etr_slice op) { return etr_slice_starts(op, ETR_SLICE("dequantize_")); }

/* Its scale is computed. */
static bool is_dynamic(const etr_node *node) {
  return is_dequantize(etr_operator_of_target(node->target)) && node->input_count > 1;
}

static bool takes_activation(const etr_graph *graph, const etr_node *node) {
  uint16_t class_ = class_of_node(graph, node);
  if (node->input_count && is_dynamic(&graph->nodes[node->inputs[0].node])) return false;
  return is_convolution(class_) || (class_ >= ETR_XNN_ADD && class_ <= ETR_XNN_SUB);
}

/* Operators hold on to the quantisation around them; dynamic quantisation, whose scale is computed, holds on to what
 * computes it. */
static bool keeps_together(const etr_graph *graph, const etr_node *producer, const etr_node *user, bool is_only_user) {
  etr_slice from = etr_operator_of_target(producer->target), to = etr_operator_of_target(user->target);
  if (producer->kind >= ETR_NODE_PARAMETER) return is_convolution(class_of_node(graph, user)) && !is_batch_norm(to);
  if (is_dequantize(from)) return !is_quantize(to) && !is_dequantize(to);
  if (etr_slice_starts(from, ETR_SLICE("choose_qparams"))) return true;
  if (is_quantize(from)) return is_dynamic(user);
  if (!is_only_user) return false;
  bool activates = etr_slice_is(to, "relu") || etr_slice_is(to, "hardtanh");
  return is_quantize(to) || (activates && takes_activation(graph, producer));
}

const etr_backend etr_xnnpack = {
    .id = "XnnpackBackend",
    .has_no_places = true,
    .clock_step_ns = 1000,
    .class_of_event = class_of_event,
    .class_name = class_name,
    .traits = traits,
    .class_of_node = class_of_node,
    .loses_handle = loses_handle,
    .expect = expect,
    .keeps_together = keeps_together,
    .takes = etr_xnn_takes,
    .payload_needed = etr_xnn_payload_needed,
    .read_payload = etr_xnn_payload_read,
    .read_graph = etr_xnn_graph_read,
};
