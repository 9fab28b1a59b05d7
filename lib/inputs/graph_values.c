/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph_values.c - numbers values in one pass, because producers come before their users.
 */
#include "inputs/graph_values.h"

#include "backends/operator.h"

#include <stdlib.h>

/* ---- Nodes ---- */

bool etr_is_view(const etr_node *node) {
  if (node->kind != ETR_NODE_OP || node->input_count == 0 || node->output_count != 1)
    return false;
  return etr_operator_is_view(etr_operator_of_target(node->target));
}

bool etr_is_functionalized(const etr_node *node) {
  return node->kind == ETR_NODE_OP && strncmp(node->op_type, "auto_functionalized", 19) == 0;
}

bool etr_has_tensor(const etr_node *node) {
  for (size_t i = 0; i < node->output_count; i++)
    if (node->outputs[i].rank >= 0)
      return true;
  return false;
}

bool etr_value_may_be(const etr_debug_value *value, const etr_value *result) {
  if (value->kind != ETR_DEBUG_TENSOR)
    return false;
  if (value->dtype && result->dtype && strcmp(value->dtype, result->dtype) != 0)
    return false;
  if (result->rank < 0)
    return true;
  if (result->rank != value->rank)
    return false;
  for (int32_t i = 0; i < value->rank; i++)
    if (result->dims[i].size != ETR_DIM_SYMBOLIC && result->dims[i].size != value->sizes[i])
      return false;
  return true;
}

bool etr_node_only_copies(const etr_node *node) {
  return node->kind == ETR_NODE_OP && etr_operator_only_copies(node->target);
}

/* Starts at `node` and follows the first inputs of nodes that only copy. Returns the first node
 * that does more, which may be `node` itself. */
uint32_t etr_graph_behind_copies(const etr_graph *graph, uint32_t node) {
  const etr_node *current = &graph->nodes[node];
  while (etr_node_only_copies(current) && current->input_count && current->inputs[0].node < node) {
    node = current->inputs[0].node;
    current = &graph->nodes[node];
  }
  return node;
}

/* Returns true if the node has an argument of this name that is false or 0, so that the operator,
 * such as a dropout, draws no random numbers. */
static bool turns_randomness_off(const etr_node *node, const char *name) {
  const char *value = etr_node_argument(node, name);
  char *end = NULL;
  if (!value)
    return false;
  if (value[0] == 'f' || value[0] == 'F')
    return true;
  double number = strtod(value, &end);
  return end != value && number == 0;
}

bool etr_node_draws(const etr_node *node) {
  static const char *const switches[] = {"train", "training", "dropout", "dropout_p"};
  if (node->kind != ETR_NODE_OP || !etr_operator_draws(node->target))
    return false;
  for (size_t i = 0; i < ETR_COUNT(switches); i++)
    if (turns_randomness_off(node, switches[i]))
      return false;
  bool is_dropout = etr_slice_ends(etr_operator_of_target(node->target), ETR_SLICE("dropout"));
  return !(is_dropout && turns_randomness_off(node, "p"));
}

/* Returns true for operators that backends fuse into the producer of their first input, or remove.
 */
static bool is_fusible(const etr_node *node) {
  static const char *const fusible[] = {"relu",           "hardtanh", "clamp",      "permute_copy",
                                        "transpose_copy", "t_copy",   "expand_copy"};
  etr_slice op = etr_operator_of_target(node->target);
  if (node->kind != ETR_NODE_OP || node->input_count == 0)
    return false;
  if (etr_slice_starts(op, ETR_SLICE("quantize_")) ||
      etr_slice_starts(op, ETR_SLICE("dequantize_")))
    return true;
  if (etr_slice_starts(op, ETR_SLICE("native_batch_norm")))
    return true;
  return etr_operator_is_one_of(op, fusible, ETR_COUNT(fusible));
}

/* ---- Values ---- */

/* Sets for each output of a node `same` (the value that it is a view of), `source` (the value from
 * which fused operators make it) and `constant` (that source is a weight: kinds from
 * ETR_NODE_PARAMETER on are weights). A value that continues no other has itself as `same` and
 * `source`. Only the first output of a view, or of an operator that backends fuse, continues the
 * value of the first input. An input from a later node is ignored, as its value is not filled yet.
 */
static void fill_values_of_node(etr_graph_values *v, uint32_t index) {
  const etr_node *node = &v->graph->nodes[index];
  bool is_view = etr_is_view(node);
  bool is_fused_with_input = is_view || is_fusible(node);
  uint32_t input = node->input_count && node->inputs[0].node < index
                       ? etr_value_of_edge(v, &node->inputs[0])
                       : ETR_NONE;
  for (uint32_t i = 0; i < node->output_count; i++) {
    uint32_t value = v->first[index] + i;
    bool has_input_value = input != ETR_NONE && i == 0;
    v->same[value] = is_view && has_input_value ? v->same[input] : value;
    v->source[value] = is_fused_with_input && has_input_value ? v->source[input] : value;
    v->constant[value] = v->source[value] == value ? node->kind >= ETR_NODE_PARAMETER
                                                   : v->constant[v->source[value]];
  }
}

/* Nodes are in topological order, so one pass is enough: values of inputs are filled before. */
bool etr_graph_values_find(etr_graph_values *out, const etr_graph *graph, etr_arena *arena) {
  *out = (etr_graph_values){.graph = graph};
  out->first = etr_arena_alloc_array(arena, graph->node_count, sizeof *out->first);
  for (size_t i = 0; out->first && i < graph->node_count; i++) {
    out->first[i] = out->count;
    out->count += (uint32_t)graph->nodes[i].output_count;
  }
  out->same = etr_arena_alloc_array(arena, out->count, sizeof *out->same);
  out->source = etr_arena_alloc_array(arena, out->count, sizeof *out->source);
  out->constant = etr_arena_alloc_array(arena, out->count, sizeof *out->constant);
  if (etr_arena_failed(arena))
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++)
    fill_values_of_node(out, i);
  return true;
}

/* ---- The token input ---- */

static bool is_integer(const char *dtype) {
  return dtype && (strncmp(dtype, "int", 3) == 0 || strncmp(dtype, "uint", 4) == 0);
}

static bool is_named_tokens(const char *name) {
  return strstr(name, "tok") || strcmp(name, "input_ids") == 0 || strcmp(name, "ids") == 0;
}

/* A name counts if it contains "tok" or is "input_ids" or "ids". Inputs of nested graphs do not
 * count. */
const etr_value *etr_token_input(const etr_graph *graph) {
  const etr_value *found = NULL;
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    bool is_input = node->kind == ETR_NODE_INPUT && node->subgraph == ETR_NONE &&
                    node->output_count > 0;
    if (!is_input || node->outputs[0].rank != 2 || !is_integer(node->outputs[0].dtype))
      continue;
    if (is_named_tokens(node->name))
      return &node->outputs[0];
    if (!found)
      found = &node->outputs[0];
  }
  return found;
}
