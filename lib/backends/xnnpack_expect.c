/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack_expect.c - what XNNPACK makes of a node: its partitioner's quantized patterns
 * (partition/config), its passes
 * (_passes), its serializers (operators), and what its runtime fuses (xnn_subgraph_fusion).
 */
#include "backends/operator.h"
#include "backends/xnnpack.h"

/* The scores of finding an item among the events, and the costs of not finding it. The pairing with
 * the highest sum is chosen. Only the order of these numbers and of the numbers in delegates.c
 * matters, and the reason for each is given beside it. */
enum {
  FOUND = 10, /* highest, so that an event goes to an item that surely runs rather than to one that
                 may be dropped */
  MISSED = 6, /* as much as an event without an item: both are errors, and neither should be made to
                 avoid the other */
  MAYBE_FOUND = 5,  /* above 0, so that an event goes to an item that may run rather than to none */
  MAYBE_MISSED = 0, /* no cost, because a pass or the runtime may have dropped the item */
};

static const etr_node *node_at(const etr_delegate_view *d, uint32_t index) {
  return &d->graph->nodes[index];
}

static etr_slice operator_at(const etr_delegate_view *d, uint32_t index) {
  return etr_operator_of_target(node_at(d, index)->target);
}

static uint16_t class_at(const etr_delegate_view *d, uint32_t index) {
  return etr_xnn_class_of_node(d->graph, node_at(d, index));
}

static bool is_in_delegate(const etr_delegate_view *d, uint32_t index) {
  return d->delegate_of[index] == d->instruction;
}

/* Returns that a node surely runs as one operator of a class, or of the alternative class, whose
 * time `node` gets. */
static etr_expectation runs_as(uint16_t class_, uint16_t alternative, uint32_t node) {
  return (etr_expectation){class_, alternative, node, FOUND, MISSED, 1};
}

/* Returns that a node may run as an operator of a class, or may have been dropped. */
static etr_expectation may_run_as(uint16_t class_, uint32_t node) {
  return (etr_expectation){class_, ETR_XNN_NONE, node, MAYBE_FOUND, MAYBE_MISSED, 1};
}

/* Returns that a node becomes no operator, because it is fused or dropped. */
static etr_expectation runs_as_nothing(uint32_t node) {
  return (etr_expectation){.node = node};
}

/* ---- Producers and readers ---- */

/* Returns the node whose value an operator reads as its input number `at`; ETR_NONE if it has none.
 */
static uint32_t input_node_of(const etr_delegate_view *d, uint32_t index, size_t at) {
  const etr_node *node = node_at(d, index);
  return at < node->input_count ? node->inputs[at].node : ETR_NONE;
}

static size_t reader_count(const etr_delegate_view *d, uint32_t index) {
  return d->users.starts[index + 1] - d->users.starts[index];
}

static uint32_t reader_at(const etr_delegate_view *d, uint32_t index, size_t at) {
  return d->users.list[d->users.starts[index] + at];
}

static uint32_t only_reader(const etr_delegate_view *d, uint32_t index) {
  return reader_count(d, index) == 1 ? reader_at(d, index, 0) : ETR_NONE;
}

/* ---- Weights ---- */

static bool is_matrix_product(etr_slice op) {
  return etr_slice_is(op, "addmm") || etr_slice_is(op, "mm");
}

/* Returns which input of a convolution or linear layer is its weight: the second, or of addmm,
 * whose bias comes first, the third. */
static size_t weight_input_index(etr_slice op) {
  return etr_slice_is(op, "addmm") ? 2 : 1;
}

/* Returns whether a value, given by its node, is the weight of a convolution or linear layer in the
 * delegate. */
static bool is_weight_of(const etr_delegate_view *d, uint32_t value, uint32_t reader) {
  return is_in_delegate(d, reader) && !etr_xnn_is_batch_norm(operator_at(d, reader)) &&
         etr_xnn_is_convolution(class_at(d, reader)) &&
         input_node_of(d, reader, weight_input_index(operator_at(d, reader))) == value;
}

/* Returns true for a transposed weight that only matrix products read. They become linear layers,
 * which take the weight as it was (ConvertToLinearPass). For other readers the transposition runs,
 * because ConstPropPass does not change parameters. */
static bool is_linear_weight(const etr_delegate_view *d, uint32_t index) {
  bool is_weight = class_at(d, index) == ETR_XNN_TRANSPOSE && node_at(d, index)->input_count == 1 &&
                   reader_count(d, index) > 0;
  for (size_t i = 0; is_weight && i < reader_count(d, index); i++) {
    uint32_t reader = reader_at(d, index, i);
    is_weight = is_matrix_product(operator_at(d, reader)) && is_weight_of(d, index, reader);
  }
  return is_weight;
}

/* ---- Quantized patterns ---- */

enum {
  MOST_INPUTS = 256
}; /* of an operator in a pattern: each is looked at for each. No model joins more values */

static bool is_activation(etr_slice op) {
  return etr_slice_is(op, "relu") || etr_slice_is(op, "hardtanh");
}

/* Returns true for operators whose configuration has STATIC_QUANT (generic_node_configs.py). */
static bool has_static_quantization(etr_slice op) {
  static const char *const list[] = {
      "hardtanh",   "add",          "relu",          "cat",       "clamp", "elu",
      "mul",        "permute_copy", "max_pool2d",    "view_copy", "mean",  "to_dim_order_copy",
      "slice_copy", "sub",          "unsqueeze_copy"};
  return etr_operator_is_one_of(op, list, ETR_COUNT(list));
}

static bool is_convolution_or_linear(const etr_delegate_view *d, uint32_t index) {
  return etr_xnn_is_convolution(class_at(d, index)) &&
         !etr_xnn_is_batch_norm(operator_at(d, index));
}

static bool is_dequantize_node(const etr_delegate_view *d, uint32_t index) {
  return index != ETR_NONE && etr_xnn_is_dequantize(operator_at(d, index));
}

/* Returns true if an operator works on quantized values: a convolution or linear layer does if its
 * weight is quantized (GEMMConfig._detect_precision), another operator if all its inputs are
 * (GenericNodePartitionerConfig.get_node_and_deps). */
static bool reads_quantized(const etr_delegate_view *d, uint32_t index) {
  const etr_node *node = node_at(d, index);
  if (is_convolution_or_linear(d, index)) {
    uint32_t weight = input_node_of(d, index, weight_input_index(operator_at(d, index)));
    if (weight != ETR_NONE && class_at(d, weight) == ETR_XNN_TRANSPOSE)
      weight = input_node_of(d, weight, 0);
    return is_dequantize_node(d, weight);
  }
  bool all_are_quantized = has_static_quantization(operator_at(d, index)) &&
                           node->input_count > 0 && node->input_count <= MOST_INPUTS;
  for (size_t i = 0; all_are_quantized && i < node->input_count; i++)
    all_are_quantized = is_dequantize_node(d, node->inputs[i].node);
  return all_are_quantized;
}

/* An operator on quantized values is the middle of a pattern: dequantize, operator, perhaps an
 * activation, quantize. Returns the quantize node at its end; ETR_NONE if the node is no such
 * operator. */
static uint32_t quantize_node_of_pattern(const etr_delegate_view *d, uint32_t index) {
  uint32_t end = only_reader(d, index);
  if (end == ETR_NONE || !is_in_delegate(d, index) || !reads_quantized(d, index))
    return ETR_NONE;
  bool fuses_activation = is_convolution_or_linear(d, index)
                              ? is_activation(operator_at(d, end))
                              : class_at(d, index) == ETR_XNN_ADD &&
                                    etr_slice_is(operator_at(d, end), "relu");
  if (fuses_activation)
    end = only_reader(d, end);
  return end != ETR_NONE && etr_xnn_is_quantize(operator_at(d, end)) ? end : ETR_NONE;
}

/* Returns the operator that a value is for, given a node that reads the value: the node itself, or,
 * if that only pads (InsertPadQDQPass) or transposes a weight, the node after it. */
static uint32_t layer_served_by(const etr_delegate_view *d, uint32_t reader) {
  bool is_pad = etr_slice_is(operator_at(d, reader), "constant_pad_nd") &&
                only_reader(d, reader) != ETR_NONE;
  return is_pad || is_linear_weight(d, reader) ? reader_at(d, reader, 0) : reader;
}

/* Returns true for an operator in the middle of a quantized pattern: dequantize, operator, perhaps
 * an activation, quantize. A convolution or linear layer needs no quantize node at the end. */
static bool is_operator_of_pattern(const etr_delegate_view *d, uint32_t operator_) {
  return is_in_delegate(d, operator_) && reads_quantized(d, operator_) &&
         (is_convolution_or_linear(d, operator_) ||
          quantize_node_of_pattern(d, operator_) != ETR_NONE);
}

/* Returns true for a quantize or dequantize node of a quantized pattern: dequantize, operator,
 * perhaps an activation, quantize (tag_as_implicit_q_dq()). It only says how the operator computes,
 * and does not run as an operator itself. */
static bool is_quantization_of_pattern(const etr_delegate_view *d, uint32_t index) {
  if (is_dequantize_node(d, index)) {
    for (size_t i = 0; i < reader_count(d, index); i++)
      if (is_operator_of_pattern(d, layer_served_by(d, reader_at(d, index, i))))
        return true;
    return false;
  }
  uint32_t producer = input_node_of(d, index, 0);
  if (producer == ETR_NONE)
    return false;
  if (quantize_node_of_pattern(d, producer) == index)
    return true;
  uint32_t before_activation = is_activation(operator_at(d, producer))
                                   ? input_node_of(d, producer, 0)
                                   : ETR_NONE;
  return before_activation != ETR_NONE && quantize_node_of_pattern(d, before_activation) == index;
}

/* ---- Lookups ---- */

static bool is_square(const etr_node *node) {
  return node->input_count == 2 && node->inputs[0].node == node->inputs[1].node &&
         node->inputs[0].output == node->inputs[1].output;
}

/* Returns true for a node of the delegate that is an operator on one value; a product of a value
 * with itself counts. ETR_NONE is none. */
static bool is_unary_in_delegate(const etr_delegate_view *d, uint32_t index) {
  if (index == ETR_NONE || !is_in_delegate(d, index))
    return false;
  uint16_t class_ = class_at(d, index);
  return etr_xnn_is_unary(class_) || (class_ == ETR_XNN_MUL && is_square(node_at(d, index)));
}

/* Returns true if a chain of operators on one value, which ends with this node, starts at a
 * dequantize node. All operators of such a chain may run as one table lookup on 8-bit numbers. */
static bool reads_int8_chain(const etr_delegate_view *d, uint32_t index) {
  enum { MOST_STEPS = 16 }; /* no model has a longer chain */
  for (int i = 0; i < MOST_STEPS && is_unary_in_delegate(d, index); i++)
    index = input_node_of(d, index, 0);
  return is_dequantize_node(d, index);
}

/* Returns true if a quantize node reads the result of a node, so that it becomes 8-bit numbers. */
static bool is_read_by_quantize(const etr_delegate_view *d, uint32_t index) {
  for (size_t i = 0; i < reader_count(d, index); i++)
    if (etr_xnn_is_quantize(operator_at(d, reader_at(d, index, i))))
      return true;
  return false;
}

/* Returns true for a quantize node after, or a dequantize node before, an operator on one value: it
 * may be a part of its table lookup. */
static bool is_beside_unary(const etr_delegate_view *d, uint32_t index) {
  if (!is_dequantize_node(d, index))
    return is_unary_in_delegate(d, input_node_of(d, index, 0));
  for (size_t i = 0; i < reader_count(d, index); i++)
    if (is_unary_in_delegate(d, reader_at(d, index, i)))
      return true;
  return false;
}

/* Returns the only node that reads a node's result, skipping quantization that does not run by
 * itself; ETR_NONE if none or several read it. */
static uint32_t next_operator(const etr_delegate_view *d, uint32_t index) {
  uint32_t next = only_reader(d, index);
  while (next != ETR_NONE && class_at(d, next) == ETR_XNN_CONVERT &&
         is_quantization_of_pattern(d, next))
    next = only_reader(d, next);
  return next;
}

/* Returns what an operator on one value runs as: itself, or between quantized values as a table
 * lookup (the alternative class). A product of a value with itself may also run as a Square. A
 * chain of such operators is one lookup, which the last operator represents; the others may vanish.
 */
static etr_expectation expectation_of_unary(const etr_delegate_view *d, uint32_t index) {
  uint16_t class_ = class_at(d, index);
  bool is_product = class_ == ETR_XNN_MUL;
  if (!reads_int8_chain(d, index))
    return runs_as(class_, is_product ? ETR_XNN_SQUARE : ETR_XNN_NONE, index);
  if (is_unary_in_delegate(d, next_operator(d, index)))
    return may_run_as(class_, index);
  return runs_as(class_, is_read_by_quantize(d, index) ? ETR_XNN_LOOKUP : ETR_XNN_NONE, index);
}

/* ---- Clamps ---- */

/* Returns the operator whose result an activation reads, skipping quantization that does not run by
 * itself; ETR_NONE if something else reads the result, too, or if it is not in the delegate. */
static uint32_t operator_before_activation(const etr_delegate_view *d, uint32_t index) {
  uint32_t source = input_node_of(d, index, 0);
  while (source != ETR_NONE && is_in_delegate(d, source) && only_reader(d, source) == index) {
    bool is_only_quantization = class_at(d, source) == ETR_XNN_CONVERT &&
                                is_quantization_of_pattern(d, source);
    if (!is_only_quantization)
      return source;
    index = source;
    source = input_node_of(d, index, 0);
  }
  return ETR_NONE;
}

/* Returns what an activation runs as. relu and hardtanh are fused into a layer, an addition, a
 * subtraction or a product (FuseActivationPass), but the runtime makes them a separate Clamp again
 * after a binary operator, whose node (`source`) gets the time. The runtime fuses any Clamp into a
 * layer or a pooling before it, and two Clamps into one. */
static etr_expectation expectation_of_clamp(const etr_delegate_view *d, uint32_t index) {
  uint32_t source = operator_before_activation(d, index);
  uint16_t class_ = source == ETR_NONE ? ETR_XNN_NONE : class_at(d, source);
  if (etr_xnn_is_convolution(class_) || class_ == ETR_XNN_AVGPOOL || class_ == ETR_XNN_MAXPOOL ||
      class_ == ETR_XNN_CLAMP)
    return runs_as_nothing(index);
  bool is_fused = class_ >= ETR_XNN_ADD && class_ <= ETR_XNN_SUB &&
                  source == input_node_of(d, index, 0) && is_activation(operator_at(d, index));
  if (is_fused)
    return runs_as(ETR_XNN_CLAMP, ETR_XNN_NONE, source);
  return expectation_of_unary(d, index);
}

/* ---- All ---- */

/* Returns true for a batch norm that is fused into a convolution of this delegate, or whose
 * producer was not recorded. */
static bool is_folded_into_convolution(const etr_delegate_view *d, uint32_t batch_norm) {
  uint32_t producer = input_node_of(d, batch_norm, 0);
  return producer == ETR_NONE ||
         (etr_xnn_follows_convolution(d->graph, d->uses, node_at(d, batch_norm)) &&
          is_in_delegate(d, producer));
}

/* Returns what a reshape runs as. The runtime drops the first of two reshapes in a row if nothing
 * else reads it. Views around a matrix product are usually merged with it into a linear layer
 * (ConvertToLinearPass). Not all other reshapes become an operator. */
static etr_expectation expectation_of_reshape(const etr_delegate_view *d, uint32_t index,
                                              etr_slice op) {
  uint32_t producer = input_node_of(d, index, 0);
  bool is_view = etr_slice_is(op, "view_copy") || etr_slice_is(op, "view");
  bool is_dropped = reader_count(d, index) > 0;
  bool is_of_product = producer != ETR_NONE && is_matrix_product(operator_at(d, producer));
  for (size_t i = 0; i < reader_count(d, index); i++) {
    uint32_t reader = reader_at(d, index, i);
    is_dropped &= is_in_delegate(d, reader) && class_at(d, reader) == ETR_XNN_RESHAPE;
    is_of_product |= is_matrix_product(operator_at(d, reader));
  }
  return is_view && !is_dropped && !is_of_product ? runs_as(ETR_XNN_RESHAPE, ETR_XNN_NONE, index)
                                                  : may_run_as(ETR_XNN_RESHAPE, index);
}

/* Returns what a node of the class Convert runs as. Copies into another layout become a Transpose,
 * unless they are redundant (op_to_copy.py, RemoveRedundantCopyPass). Only quantize_per_tensor and
 * dequantize_per_tensor have a serializer that writes a Convert; a dequantize node whose scale is
 * computed (a second input), or that has one for each channel, only says how the layer that reads
 * it computes. What computes its scale may be part of the layer. */
static etr_expectation expectation_of_conversion(const etr_delegate_view *d, uint32_t index) {
  bool is_static = node_at(d, index)->input_count < 2;
  bool is_dequantize = is_dequantize_node(d, index);
  if (!is_dequantize && !etr_xnn_is_quantize(operator_at(d, index)))
    return may_run_as(ETR_XNN_TRANSPOSE, index);
  if (is_dequantize && !is_static)
    return runs_as_nothing(index);
  if (is_static && is_quantization_of_pattern(d, index))
    return runs_as_nothing(index);
  if (is_static && !is_beside_unary(d, index))
    return runs_as(ETR_XNN_CONVERT, ETR_XNN_NONE, index);
  return may_run_as(ETR_XNN_CONVERT, index);
}

/* Returns what a concatenation or another copy runs as. A concatenation takes at most five values.
 * Of more, four at a time are joined to the result so far (DecomposeConcatenate). Other copies are
 * removed (XNNPACKRemoveCloneOpsTransform), unless they copy an input to an output. */
static etr_expectation expectation_of_copy(const etr_delegate_view *d, uint32_t index,
                                           etr_slice op) {
  size_t values = node_at(d, index)->input_count;
  if (!etr_slice_is(op, "cat"))
    return may_run_as(ETR_XNN_COPY, index);
  etr_expectation concatenation = runs_as(ETR_XNN_COPY, ETR_XNN_NONE, index);
  concatenation.count = values <= 5 ? 1 : 1 + (uint32_t)(values - 5 + 3) / 4;
  return concatenation;
}

/* For most classes the class says it; for others the nodes around it do. */
etr_expectation etr_xnn_expect(const etr_delegate_view *d, uint32_t index) {
  etr_slice op = operator_at(d, index);
  uint16_t class_ = class_at(d, index);
  if (is_linear_weight(d, index))
    class_ = ETR_XNN_NONE;
  if (etr_xnn_is_batch_norm(op) && is_folded_into_convolution(d, index))
    class_ = ETR_XNN_NONE;
  if (class_ == ETR_XNN_NONE)
    return runs_as_nothing(index);
  if (class_ == ETR_XNN_CLAMP)
    return expectation_of_clamp(d, index);
  if (class_ == ETR_XNN_CONVERT)
    return expectation_of_conversion(d, index);
  if (class_ == ETR_XNN_RESHAPE)
    return expectation_of_reshape(d, index, op);
  if (class_ == ETR_XNN_COPY)
    return expectation_of_copy(d, index, op);
  return is_unary_in_delegate(d, index) ? expectation_of_unary(d, index)
                                        : runs_as(class_, ETR_XNN_NONE, index);
}

/* Returns true for operators that XNNPACK or its lowering may drop, fuse, replace or split. */
static bool may_vanish(const etr_delegate_view *d, uint32_t index, uint16_t class_) {
  switch (class_) {
  case ETR_XNN_CONVERT:
  case ETR_XNN_COPY:
  case ETR_XNN_RESHAPE:
  case ETR_XNN_TRANSPOSE:
  case ETR_XNN_SLICE:
  case ETR_XNN_PAD:
  case ETR_XNN_CLAMP:
  case ETR_XNN_LOOKUP:
    return true;
  default:
    return is_unary_in_delegate(d, index) || etr_xnn_is_batch_norm(operator_at(d, index));
  }
}

/* That is what is expected, except that whatever may vanish has no cost of missing, and whatever
 * may become a lookup has it as an alternative. */
etr_expectation etr_xnn_allow(const etr_delegate_view *d, uint32_t index) {
  etr_expectation expectation = etr_xnn_expect(d, index);
  if (expectation.class_ == ETR_XNN_NONE && class_at(d, index) != ETR_XNN_NONE)
    expectation = may_run_as(class_at(d, index), index);
  if (may_vanish(d, index, expectation.class_))
    expectation.cost = MAYBE_MISSED;
  if (expectation.alternative == ETR_XNN_NONE && is_unary_in_delegate(d, index))
    expectation.alternative = ETR_XNN_LOOKUP;
  return expectation;
}
