/* SPDX-License-Identifier: BSD-3-Clause
 *
 * value_names.c - names the values of the program by the nodes of the graph.
 */
#include "inputs/uses.h"
#include "join/delegate_outputs.h"
#include "memory/program_memory.h"

enum { MOST_ARGUMENTS = 256 }; /* limit on the arguments of a call that are examined */

typedef struct namer {
  const etr_placement *placement;
  etr_value_name *names;
  etr_uses uses;
  etr_delegate_outputs leaving;
  etr_arena *scratch;
  int32_t list[MOST_ARGUMENTS]; /* values that the current instruction reads, or writes */
  size_t count;
} namer;

/* Sets the name and the node of a value, unless it has a name already. `is_computed`: the node
 * computes it, and is no input or weight. */
static void name_value(namer *n, int32_t value, uint32_t node, const char *name, bool is_computed) {
  if (!n->names[value].name)
    n->names[value] = (etr_value_name){name, node, is_computed};
}

/* Returns whether a value is in n->list, the values of the current instruction. */
static bool is_listed(const namer *n, int32_t value) {
  for (size_t i = 0; i < n->count; i++)
    if (n->list[i] == value)
      return true;
  return false;
}

/* Fills n->list with the values that the current instruction writes, each once, or with those that
 * it reads, in the order of its arguments. Returns false if there are more than MOST_ARGUMENTS. */
static bool list_values_of_instruction(namer *n, bool written) {
  n->count = 0;
  for (size_t i = 0; i < n->uses.list.count; i++) {
    const etr_use *arg = &n->uses.list.data[i];
    if (arg->is_list || etr_use_defines(arg) != written)
      continue;
    if (written && is_listed(n, arg->value))
      continue;
    if (n->count == MOST_ARGUMENTS)
      return false;
    n->list[n->count++] = arg->value;
  }
  return true;
}

/* Gives the values that a kernel reads the names of the weights that its node (`index`) reads. The
 * kernel's arguments, those that it does not only write, are taken to be the node's inputs, in
 * order, if there are as many of both. */
static void name_weights(namer *n, uint32_t index) {
  const etr_graph *graph = n->placement->method->graph;
  const etr_node *node = &graph->nodes[index];
  if (!list_values_of_instruction(n, false) || n->count != node->input_count)
    return;
  for (size_t i = 0; i < n->count; i++) {
    uint32_t input = node->inputs[i].node;
    const char *weight = graph->nodes[input].weight_name;
    if (weight)
      name_value(n, n->list[i], input, weight, false);
  }
}

/* Gives the values that a delegate call writes the names of the node outputs that leave the
 * delegate, in order, if there are as many of both. Those nodes count as what computes the values.
 */
static void name_delegate_results(namer *n, int32_t instruction_id) {
  size_t count;
  const etr_node_output *leaving = etr_outputs_of_delegate(&n->leaving, instruction_id, &count,
                                                           n->scratch);
  if (!leaving || !list_values_of_instruction(n, true) || n->count != count)
    return;
  for (size_t i = 0; i < count; i++) {
    const etr_node *node = &n->placement->method->graph->nodes[leaving[i].node];
    name_value(n, n->list[i], leaving[i].node, node->outputs[leaving[i].output].name, true);
  }
}

/* Gives the inputs of the method the names of the graph's inputs, in order, if there are as many of
 * both: the first pass counts, the second one names. */
static void name_inputs(namer *n) {
  const etr_graph *graph = n->placement->method->graph;
  const etr_pte_method *program = n->placement->method->program;
  size_t input_index = 0;
  for (uint32_t pass = 0; pass < 2; pass++) {
    if (pass == 1 && input_index != program->input_count)
      return;
    input_index = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
      if (graph->nodes[i].kind != ETR_NODE_INPUT || graph->nodes[i].subgraph != ETR_NONE)
        continue;
      if (pass == 1 && program->inputs[input_index] >= 0)
        name_value(n, program->inputs[input_index], i, graph->nodes[i].name, false);
      input_index++;
    }
  }
}

/* Gives the values that the current instruction, a kernel, writes the names of the outputs of its
 * node (`index`), in order, and records that the node computes them. Names none if the kernel has
 * more results than the node has outputs, because they cannot be paired then. */
static void name_kernel_results(namer *n, uint32_t index) {
  const etr_node *node = &n->placement->method->graph->nodes[index];
  if (!list_values_of_instruction(n, true) || n->count > node->output_count)
    return;
  for (size_t k = 0; k < n->count; k++)
    name_value(n, n->list[k], index, node->outputs[k].name, true);
}

/* Names all values that the graph has names for: inputs, then what each instruction writes and
 * which weights it reads. */
static void name_all_values(namer *n) {
  size_t count = ETR_MIN(n->placement->method->program->instruction_count, (size_t)INT32_MAX);
  name_inputs(n);
  for (int32_t i = 0; i < (int32_t)count; i++) {
    const etr_placed *placed = etr_placed_instruction(n->placement, i);
    etr_uses_list(&n->uses, i);
    if (n->placement->method->program->instructions[i].kind == ETR_INSTRUCTION_DELEGATE)
      name_delegate_results(n, i);
    else if (placed && placed->node != ETR_NONE) {
      name_kernel_results(n, placed->node);
      name_weights(n, placed->node);
    }
  }
}

/* Weights that the program names keep that name; all others get theirs from the Edge graph, if
 * there is one. */
const etr_value_name *etr_value_names_make(const etr_placement *placement, etr_arena *arena,
                                           etr_arena *scratch) {
  namer n = {.placement = placement, .scratch = scratch};
  n.names = etr_arena_alloc_array(arena, placement->method->program->value_count, sizeof *n.names);
  if (!n.names || !etr_delegate_outputs_find(&n.leaving, placement, scratch) ||
      !etr_uses_of_placement(&n.uses, placement, scratch))
    return NULL;
  for (size_t i = 0; i < n.placement->method->program->value_count; i++) {
    n.names[i].node = ETR_NONE;
    n.names[i].name = n.placement->method->program->values[i].weight;
  }
  if (placement->method->graph)
    name_all_values(&n);
  return etr_arena_failed(scratch) ? NULL : n.names;
}
