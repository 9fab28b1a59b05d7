/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_class.c - classes of nodes, convolutions by their weights.
 */
#include "node_class.h"

#include "operator.h"

static const etr_value *value_of(const etr_graph *graph, const etr_node *node, size_t input) {
  if (input >= node->input_count) return NULL;
  const etr_edge *edge = &node->inputs[input];
  return &graph->nodes[edge->node].outputs[edge->output];
}

/* A convolution's weight is [out, in/groups, ...], a transposed one's [in, out/groups, ...]. The weight may be behind a dequantize. */
static etr_xnn_class class_of_convolution(const etr_graph *graph, const etr_node *node) {
  const etr_value *input = value_of(graph, node, 0), *weight = value_of(graph, node, 1);
  if (!input || !weight || input->rank < 3 || weight->rank != input->rank || node->output_count == 0 || node->outputs[0].rank != input->rank)
    return ETR_XNN_MATMUL;
  int64_t channels = input->dims[1].size, out = node->outputs[0].dims[1].size;
  if (weight->dims[0].size != out) return ETR_XNN_DECONV;
  return channels > 1 && weight->dims[1].size == 1 ? ETR_XNN_DWCONV : ETR_XNN_MATMUL;
}

etr_xnn_class etr_node_class(const etr_graph *graph, const etr_node *node) {
  etr_slice op = etr_operator_of_target(node->target);
  etr_xnn_class class_ = etr_xnn_class_of_operator(op);
  return etr_slice_is(op, "convolution") ? class_of_convolution(graph, node) : class_;
}

uint64_t etr_node_elements(const etr_node *node) {
  if (node->output_count == 0 || node->outputs[0].rank < 0) return 0;
  uint64_t elements = 1;
  for (int32_t i = 0; i < node->outputs[0].rank; i++) {
    if (node->outputs[0].dims[i].size < 0) return 0;
    elements *= (uint64_t)node->outputs[0].dims[i].size;
  }
  return elements;
}

bool etr_class_always_runs(etr_xnn_class class_) {
  switch (class_) {
  case ETR_XNN_NONE:
  case ETR_XNN_CLAMP:
  case ETR_XNN_CONVERT:
  case ETR_XNN_COPY:
  case ETR_XNN_RESHAPE: return false;
  default: return true;
  }
}
