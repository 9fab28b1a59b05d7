/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logged_sizes.c - finds the tensors that a logged value may be, and compares shapes.
 */
#include "runs/fit.h"

#include "inputs/graph_values.h"
#include "inputs/maps.h"
#include "inputs/program_values.h"

/* ---- By the program ---- */

/* Returns true if a logged value can be this tensor of the program, by type and sizes. Sizes of a
 * dynamic tensor are upper bounds. */
static bool may_be_tensor(const etr_debug_value *value, const etr_pte_value *tensor) {
  bool is_type = !value->dtype || !tensor->dtype || strcmp(value->dtype, tensor->dtype) == 0;
  if (!is_type || value->rank != tensor->rank)
    return false;
  for (int32_t i = 0; i < value->rank; i++) {
    bool fits = tensor->dynamic ? value->sizes[i] <= tensor->sizes[i]
                                : value->sizes[i] == tensor->sizes[i];
    if (!fits)
      return false;
  }
  return true;
}

/* Returns whether a logged value can be one of the tensors among `count` indices of values; unknown
 * if none of these is a tensor. */
static etr_size_vote vote_on_list(const etr_pte_method *program, const int32_t *list, size_t count,
                                  const etr_debug_value *value) {
  etr_size_vote vote = ETR_SIZE_UNKNOWN;
  for (size_t i = 0; i < count; i++) {
    const etr_pte_value *tensor = etr_tensor_at(program, list[i]);
    if (!tensor)
      continue;
    if (may_be_tensor(value, tensor))
      return ETR_SIZE_AGREES;
    vote = ETR_SIZE_CONTRADICTS;
  }
  return vote;
}

/* Returns whether a logged value can be a tensor that its instruction uses in the program, or for
 * an output, one that the program returns. */
static etr_size_vote vote_by_program(const etr_pte_method *program, const etr_debug_value *value) {
  if (value->is_output)
    return vote_on_list(program, program->outputs, program->output_count, value);
  const etr_instruction *instruction = etr_instruction_at(program, value->instruction_id);
  if (!instruction)
    return ETR_SIZE_UNKNOWN;
  for (size_t i = 0; i < instruction->arg_count; i++) {
    int32_t arg = instruction->args[i];
    bool is_list = arg >= 0 && (size_t)arg < program->value_count &&
                   program->values[arg].kind == ETR_PTE_VALUE_TENSOR_LIST;
    if (is_list)
      return ETR_SIZE_UNKNOWN; /* its tensors are separate values */
  }
  return vote_on_list(program, instruction->args, instruction->arg_count, value);
}

/* ---- By the graph ---- */

/* Returns whether a logged value can be one that the graph returns; unknown if it returns nothing.
 */
static etr_size_vote vote_on_outputs(const etr_graph *graph, const etr_debug_value *value) {
  etr_size_vote vote = ETR_SIZE_UNKNOWN;
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    bool returns = node->kind == ETR_NODE_OUTPUT && node->subgraph == ETR_NONE;
    for (size_t k = 0; returns && k < node->input_count; k++) {
      const etr_edge *input = &node->inputs[k];
      if (input->node == ETR_NONE || input->output >= graph->nodes[input->node].output_count)
        continue;
      if (etr_value_may_be(value, &graph->nodes[input->node].outputs[input->output]))
        return ETR_SIZE_AGREES;
      vote = ETR_SIZE_CONTRADICTS;
    }
  }
  return vote;
}

/* Returns whether a logged value of a kernel can be a result of a node with one of the debug
 * handles of its instruction; unknown if there is no such node. */
static etr_size_vote vote_on_nodes(const etr_method_inputs *method, const etr_debug_value *value) {
  const etr_map_instruction *map = etr_maps_find(method->map, value->instruction_id);
  etr_size_vote vote = ETR_SIZE_UNKNOWN;
  for (size_t i = 0; map && !map->is_delegate && i < map->handle_count; i++) {
    for (size_t k = etr_method_first_of_handle(method, map->handles[i]);
         k < method->by_handle_count && method->by_handle[k].handle == map->handles[i]; k++) {
      const etr_node *node = &method->graph->nodes[method->by_handle[k].node];
      for (size_t j = 0; j < node->output_count; j++) {
        if (etr_value_may_be(value, &node->outputs[j]))
          return ETR_SIZE_AGREES;
        vote = ETR_SIZE_CONTRADICTS;
      }
    }
  }
  return vote;
}

/* ---- Together ---- */

/* Values inside delegates say nothing, because the files do not have their sizes. */
etr_size_vote etr_logged_size_vote(const etr_method_inputs *method, const etr_debug_value *value) {
  if (value->kind != ETR_DEBUG_TENSOR || value->delegate_id)
    return ETR_SIZE_UNKNOWN;
  if (method->program)
    return vote_by_program(method->program, value);
  if (!method->graph)
    return ETR_SIZE_UNKNOWN;
  return value->is_output ? vote_on_outputs(method->graph, value) : vote_on_nodes(method, value);
}

/* ---- Tokens ---- */

/* Returns the symbol of the only symbolic dimension of the token input, and sets *others to the
 * product of its other dimensions; NULL if not exactly one is symbolic. */
static const char *symbol_of_token_input(const etr_graph *graph, int64_t *others) {
  const etr_value *input = etr_token_input(graph);
  const char *symbol = NULL;
  *others = 1;
  for (int32_t i = 0; input && i < input->rank; i++) {
    if (input->dims[i].size != ETR_DIM_SYMBOLIC) {
      *others *= input->dims[i].size;
      continue;
    }
    if (symbol || !input->dims[i].symbol)
      return NULL;
    symbol = input->dims[i].symbol;
  }
  return symbol;
}

/* Returns the size of a logged value in the dimension in which the node's result has this symbol;
 * -1 if the result has it nowhere, or if the value cannot be it. */
static int64_t size_of_symbol(const etr_debug_value *value, const etr_value *result,
                              const char *symbol) {
  if (!etr_value_may_be(value, result) || result->rank != value->rank)
    return -1;
  for (int32_t i = 0; i < value->rank; i++)
    if (result->dims[i].symbol && strcmp(result->dims[i].symbol, symbol) == 0)
      return value->sizes[i];
  return -1;
}

/* The symbolic size of the token input is read from the logged value, and multiplied by the input's
 * other sizes. */
int64_t etr_logged_tokens(const etr_method_inputs *method, const etr_debug_value *value) {
  int64_t others;
  if (!method->graph || value->kind != ETR_DEBUG_TENSOR || value->delegate_id || value->is_output)
    return -1;
  const etr_map_instruction *map = etr_maps_find(method->map, value->instruction_id);
  const char *symbol = map && !map->is_delegate ? symbol_of_token_input(method->graph, &others)
                                                : NULL;
  for (size_t i = 0; symbol && i < map->handle_count; i++) {
    for (size_t k = etr_method_first_of_handle(method, map->handles[i]);
         k < method->by_handle_count && method->by_handle[k].handle == map->handles[i]; k++) {
      const etr_node *node = &method->graph->nodes[method->by_handle[k].node];
      int64_t size = node->output_count ? size_of_symbol(value, &node->outputs[0], symbol) : -1;
      if (size > 0)
        return size * others;
    }
  }
  return -1;
}
