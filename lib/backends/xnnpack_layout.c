/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack_layout.c - which softmaxes XNNPACK computes over a wrong dimension. Its softmax is over
 * the last dimension in memory. The lowering leaves the results of a convolution with their
 * channels last, and so what is computed from them, up to an operator that needs them first; a
 * softmax is none of these. Source: backends/xnnpack/_passes/channels_last_tagged_reshape_pass.py
 * of ExecuTorch 1.5.1, with which outputs were compared.
 */
#include "backends/operator.h"
#include "backends/xnnpack.h"

#include <string.h>

enum { IMAGE_RANK = 4 };

/* Returns true for operators whose result has its channels last, whatever they read. */
static bool makes_channels_last(etr_slice op) {
  static const char *const ops[] = {"amax", "avg_pool2d", "convolution",
                                    "max",  "max_pool2d", "max_pool2d_with_indices",
                                    "mean", "prelu",      "upsample_bilinear2d"};
  return etr_operator_is_one_of(op, ops, ETR_COUNT(ops)) || etr_xnn_is_batch_norm(op);
}

/* Returns true for operators whose result never has its channels last. */
static bool makes_channels_first(etr_slice op) {
  static const char *const ops[] = {"linear", "squeeze_copy", "unsqueeze_copy", "view_copy"};
  return etr_operator_is_one_of(op, ops, ETR_COUNT(ops));
}

static bool is_in_xnnpack(const etr_node_time *time) {
  return time->backend && strcmp(time->backend, etr_xnnpack.id) == 0 &&
         time->delegate_instruction >= 0;
}

/* Returns true if a node reads a value in four dimensions that its own delegate has with channels
 * last, and nothing in fewer dimensions, for which the lowering would put channels first again. */
static bool reads_channels_last(const etr_graph *graph, const bool *are_last, uint32_t node) {
  const etr_node *reader = &graph->nodes[node];
  bool any = false;
  for (size_t i = 0; i < reader->input_count; i++) {
    const etr_edge *edge = &reader->inputs[i];
    const etr_node *source = &graph->nodes[edge->node];
    if (edge->output >= source->output_count || source->outputs[edge->output].rank != IMAGE_RANK)
      return false;
    any |= edge->node < node && are_last[edge->node] &&
           graph->times[edge->node].delegate_instruction == graph->times[node].delegate_instruction;
  }
  return any;
}

bool etr_xnn_find_misread(etr_misread *out, const etr_graph *graph, etr_arena *scratch) {
  bool *are_last = etr_arena_alloc_array(scratch, graph->node_count, sizeof *are_last);
  *out = (etr_misread){.first = ETR_NONE};
  if (!are_last)
    return false;
  for (uint32_t i = 0; graph->times && i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind != ETR_NODE_OP || !is_in_xnnpack(&graph->times[i]) || !node->output_count ||
        node->outputs[0].rank != IMAGE_RANK)
      continue;
    etr_slice op = etr_operator_of_target(node->target);
    bool is_read = reads_channels_last(graph, are_last, i);
    are_last[i] = makes_channels_last(op) || (is_read && !makes_channels_first(op));
    if (!is_read || !etr_slice_is(op, "softmax"))
      continue;
    out->first = out->count++ ? out->first : i;
  }
  return true;
}
