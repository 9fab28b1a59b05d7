/* SPDX-License-Identifier: BSD-3-Clause
 *
 * input_bounds.c - the program has the largest sizes, the Edge graph symbols and their ranges.
 */
#include "views/input_bounds.h"

#include "base/writer.h"
#include "output/label.h"

#include <inttypes.h>

#define AT_MOST "\xE2\x89\xA4"

/* The values that a whole model has in its Edge graph, and the ranges of symbols, by name. */
typedef struct model_values {
  const etr_graph *graph; /* NULL: it is not known which dimensions are dynamic */
  etr_vec(const etr_value *) values;
  etr_map value_at, range_at; /* name -> index in `values`, symbol -> index in graph->ranges */
} model_values;

/* Adds the outputs of a node to the values, which are found by name. Returns false when out of
 * memory. */
static bool add_outputs(model_values *values, etr_arena *arena, const etr_node *node) {
  for (size_t i = 0; i < node->output_count; i++) {
    const etr_value **added = etr_vec_push(arena, &values->values);
    etr_slice name = etr_slice_of(node->outputs[i].name);
    if (!added || !etr_map_set(&values->value_at, name, (uint32_t)values->values.count - 1))
      return false;
    *added = &node->outputs[i];
  }
  return true;
}

/* Sets *values to what a method's Edge graph says of dynamic shapes: values of the operators and
 * inputs of the whole model, and ranges of symbols; or nothing without an Edge graph. Returns false
 * when out of memory. */
static bool index_dynamic_shapes(model_values *values, etr_arena *arena, const etr_profile *profile,
                                 const etr_method *method) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  bool is_edge = graph && !graph->works; /* only the graph of a program has works */
  *values = (model_values){.graph = is_edge ? graph : NULL};
  etr_map_init(&values->value_at, arena);
  etr_map_init(&values->range_at, arena);
  for (size_t i = 0; values->graph && i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    bool is_of_model = node->subgraph == ETR_NONE && node->kind <= ETR_NODE_INPUT;
    if (is_of_model && !add_outputs(values, arena, node))
      return false;
  }
  for (size_t i = 0; values->graph && i < graph->range_count; i++)
    if (!etr_map_set(&values->range_at, etr_slice_of(graph->ranges[i].symbol), (uint32_t)i))
      return false;
  return true;
}

/* Returns the value of the Edge graph that is a program's input or output, found by its name; NULL
 * if there is none, if the shape is static, or if the value has another number of dimensions. */
static const etr_value *edge_value_of_tensor(const model_values *m,
                                             const etr_boundary_tensor *tensor) {
  if (!m->graph || !tensor->is_bound)
    return NULL;
  uint32_t index = etr_map_get(&m->value_at, etr_slice_of(tensor->tensor.name));
  const etr_value *value = index == ETR_NONE ? NULL : m->values.data[index];
  return value && value->rank == tensor->tensor.rank ? value : NULL;
}

/* Returns the bounds of a tensor's dynamic dimensions, "dimension 0: 2 to 16 (s77)"; NULL if none
 * is dynamic, or when out of memory. */
static const char *bounds_text(const model_values *m, etr_arena *arena,
                               const etr_boundary_tensor *tensor) {
  const etr_value *value = edge_value_of_tensor(m, tensor);
  etr_text text;
  etr_writer writer;
  size_t count = 0;
  if (!value)
    return NULL;
  etr_text_begin(&text, arena, &writer);
  for (int32_t i = 0; i < value->rank; i++) {
    const char *symbol = value->dims[i].symbol;
    if (value->dims[i].size != ETR_DIM_SYMBOLIC || !symbol)
      continue;
    uint32_t range = etr_map_get(&m->range_at, etr_slice_of(symbol));
    int64_t least = range == ETR_NONE ? INT64_MIN : m->graph->ranges[range].least;
    etr_putf(&writer, "%sdimension %d: ", count++ ? ", " : "", (int)i);
    if (least != INT64_MIN)
      etr_putf(&writer, "%" PRId64 " to ", least);
    else
      etr_puts(&writer, "at most ");
    etr_putf(&writer, "%" PRId64 " (%.*s)", tensor->tensor.dims[i].size, ETR_HEAD(symbol, 64));
  }
  const char *made = etr_text_end(&text, &writer);
  return count ? made : NULL;
}

const char *const *etr_boundary_bounds(etr_arena *arena, const etr_profile *profile,
                                       const etr_method *method) {
  size_t count = method->memory->boundary_count;
  const char **bounds = etr_arena_alloc_array(arena, count, sizeof *bounds);
  model_values values;
  if (!bounds || !index_dynamic_shapes(&values, arena, profile, method))
    return NULL;
  for (size_t i = 0; i < count; i++)
    bounds[i] = bounds_text(&values, arena, &method->memory->boundary[i]);
  return bounds;
}

enum { MOST_NAMED = 3 };

/* Writes a comma before all items of a list but the first, and "..." once enough are named. Returns
 * false for an item that is not named any more. */
static bool begin_named_item(etr_writer *writer, size_t *count) {
  if (*count < MOST_NAMED)
    etr_puts(writer, *count ? ", " : "");
  else if (*count == MOST_NAMED)
    etr_puts(writer, ", ...");
  return (*count)++ < MOST_NAMED;
}

const char *etr_input_bounds(etr_arena *arena, const etr_profile *profile,
                             const etr_method *method) {
  const etr_memory_plan *plan = method->memory;
  etr_text text;
  etr_writer writer;
  model_values values;
  size_t count = 0;
  if (!index_dynamic_shapes(&values, arena, profile, method))
    return NULL;
  etr_text_begin(&text, arena, &writer);
  for (size_t i = 0; i < plan->boundary_count; i++) {
    const etr_boundary_tensor *tensor = &plan->boundary[i];
    if (tensor->role != ETR_TENSOR_INPUT || !tensor->is_bound)
      continue;
    const etr_value *value = edge_value_of_tensor(&values, tensor);
    if (!value && begin_named_item(&writer, &count))
      etr_putf(&writer, "input %u " AT_MOST " %s", (unsigned)tensor->index,
               etr_or_empty(etr_label_shape(arena, &tensor->tensor)));
    for (int32_t k = 0; value && k < value->rank; k++)
      if (value->dims[k].size == ETR_DIM_SYMBOLIC && begin_named_item(&writer, &count))
        etr_putf(&writer, "dimension %d of input %u " AT_MOST " %" PRId64, (int)k,
                 (unsigned)tensor->index, tensor->tensor.dims[k].size);
  }
  return etr_text_end(&text, &writer);
}
