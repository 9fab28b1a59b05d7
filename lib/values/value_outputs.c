/* SPDX-License-Identifier: BSD-3-Clause
 *
 * value_outputs.c - row by row: kernels, calls of delegates, methods.
 */
#include "values/value_outputs.h"

#include "place/delegate_outputs.h"
#include "program/program_graph.h"

/* What a method's delegates return, as it is asked for. */
typedef struct returned {
  etr_delegate_outputs outputs;
  bool is_known;
} returned;

typedef struct joiner {
  etr_debug_value *values;
  size_t count;
  const etr_placement *placements;
  returned *returned; /* per method */
  etr_arena *scratch;
} joiner;

/* A kernel logs all of its outputs, each time that it runs. */
static void tell_output_of_kernel(etr_debug_value *value, const etr_graph *graph) {
  size_t count = graph->nodes[value->node].output_count;
  if (count > 0) value->output = (uint32_t)(value->index % count);
}

/* A method returns what the graph does, where they are as many: the graph may return buffers, too. */
static void tell_returned(etr_debug_value *first, size_t count, const etr_graph *graph) {
  if (graph->nodes[first->node].input_count != count) return;
  for (size_t i = 0; i < count; i++) first[i].output = (uint32_t)i;
}

static bool is_of_same_row(const etr_debug_value *a, const etr_debug_value *b) {
  return a->run == b->run && a->instruction_id == b->instruction_id && a->delegate_id == b->delegate_id &&
         a->is_output == b->is_output;
}

/* Whether the delegate logged what its operators compute: then its call repeats some of that. */
static bool logged_inside(const joiner *j, size_t first, size_t end) {
  const etr_debug_value *values = j->values, *call = &values[first];
  for (size_t i = first; i-- > 0 && values[i].run == call->run && values[i].instruction_id == call->instruction_id;)
    if (values[i].delegate_id && values[i].node != ETR_NONE) return true;
  for (size_t i = end; i < j->count && values[i].run == call->run && values[i].instruction_id == call->instruction_id;
       i++)
    if (values[i].delegate_id && values[i].node != ETR_NONE) return true;
  return false;
}

/* Whether these can be what a call logged last: as many as the record says, and each such a tensor. */
static bool agree(const etr_placement *placement, const etr_debug_value *last, const etr_node_output *outputs,
                  size_t count) {
  const etr_placed *instruction = etr_placed_instruction(placement, last->instruction_id);
  uint32_t told = instruction && instruction->map ? instruction->map->output_count : 0;
  if ((told && told != count) || (count > 1 && !placement->is_ordered)) return false;
  for (size_t i = 0; i < count; i++)
    if (!etr_value_may_be(&last[i], &placement->method->graph->nodes[outputs[i].node].outputs[outputs[i].output]))
      return false;
  return true;
}

/* The last arguments of a call are its outputs. */
static bool tell_outputs_of_call(joiner *j, size_t first, size_t end) {
  uint32_t method = j->values[first].method;
  returned *known = &j->returned[method];
  size_t count;
  if (!known->is_known && !etr_delegate_outputs_find(&known->outputs, &j->placements[method], j->scratch)) return false;
  known->is_known = true;
  const etr_node_output *outputs = etr_outputs_of_delegate(&known->outputs, j->values[first].instruction_id, &count,
                                                           j->scratch);
  etr_debug_value *last = &j->values[end - ETR_MIN(count, end - first)];
  if (!outputs || count > end - first || !agree(&j->placements[method], last, outputs, count))
    return !etr_arena_failed(j->scratch);
  for (size_t i = 0; i < count; i++) {
    last[i].node = outputs[i].node;
    last[i].output = outputs[i].output;
    last[i].is_argument = false;
  }
  return true;
}

/* Values of one row, from first to end. */
static bool tell_outputs(joiner *j, size_t first, size_t end) {
  etr_debug_value *values = j->values;
  const etr_graph *graph = values[first].method == ETR_NONE ? NULL
                                                            : etr_graph_of_events(&j->placements[values[first].method]);
  if (!graph) return true;
  if (values[first].is_argument) return logged_inside(j, first, end) || tell_outputs_of_call(j, first, end);
  if (values[first].node == ETR_NONE) return true;
  if (values[first].is_output)
    tell_returned(&values[first], end - first, graph);
  else
    for (size_t i = first; i < end; i++) tell_output_of_kernel(&values[i], graph);
  return true;
}

bool etr_value_outputs_tell(etr_debug_value *values, size_t count, const etr_placement *placements,
                            size_t method_count) {
  etr_arena scratch = {0};
  joiner j = {.values = values, .count = count, .placements = placements, .scratch = &scratch};
  j.returned = etr_arena_alloc_array(&scratch, method_count, sizeof *j.returned);
  bool good = j.returned != NULL;
  for (size_t first = 0, end; good && first < count; first = end) {
    for (end = first + 1; end < count && is_of_same_row(&values[first], &values[end]);) end++;
    good = tell_outputs(&j, first, end);
  }
  etr_arena_clear(&scratch);
  return good;
}
