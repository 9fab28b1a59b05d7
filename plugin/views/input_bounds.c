/* SPDX-License-Identifier: BSD-3-Clause
 *
 * input_bounds.c - the program has the largest sizes, the Edge graph symbols and their ranges.
 */
#include "views/input_bounds.h"

#include "base/writer.h"
#include "output/label.h"

#include <inttypes.h>

#define AT_MOST "\xE2\x89\xA4"

/* Returns the value of the Edge graph that a program's input or output is; NULL if it is not
 * known. */
static const etr_value *find_value(const etr_profile *profile, const etr_method *method,
                                   const etr_boundary_tensor *tensor) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  if (!graph || graph->works || !tensor->is_bound)
    return NULL;
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    bool is_of_model = node->subgraph == ETR_NONE && node->kind <= ETR_NODE_INPUT;
    for (size_t k = 0; is_of_model && k < node->output_count; k++)
      if (strcmp(node->outputs[k].name, tensor->tensor.name) == 0)
        return node->outputs[k].rank == tensor->tensor.rank ? &node->outputs[k] : NULL;
  }
  return NULL;
}

static const etr_symbol_range *find_range(const etr_profile *profile, const etr_method *method,
                                          const char *symbol) {
  const etr_graph *graph = &profile->graphs[method->graph];
  for (size_t i = 0; i < graph->range_count; i++)
    if (strcmp(graph->ranges[i].symbol, symbol) == 0)
      return &graph->ranges[i];
  return NULL;
}

const char *etr_boundary_bounds(etr_arena *arena, const etr_profile *profile,
                                const etr_method *method, const etr_boundary_tensor *tensor) {
  const etr_value *value = find_value(profile, method, tensor);
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
    const etr_symbol_range *range = find_range(profile, method, symbol);
    bool has_least = range && range->least != INT64_MIN;
    etr_putf(&writer, "%sdimension %d: ", count++ ? ", " : "", (int)i);
    if (has_least)
      etr_putf(&writer, "%" PRId64 " to ", range->least);
    else
      etr_puts(&writer, "at most ");
    etr_putf(&writer, "%" PRId64 " (%.*s)", tensor->tensor.dims[i].size, ETR_HEAD(symbol, 64));
  }
  const char *made = etr_text_end(&text, &writer);
  return count ? made : NULL;
}

enum { MOST_NAMED = 3 };

/* Puts a comma before all items but the first. Returns false once enough are named. */
static bool begin_item(etr_writer *writer, size_t *count) {
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
  size_t count = 0;
  etr_text_begin(&text, arena, &writer);
  for (size_t i = 0; i < plan->boundary_count; i++) {
    const etr_boundary_tensor *tensor = &plan->boundary[i];
    if (tensor->role != ETR_TENSOR_INPUT || !tensor->is_bound)
      continue;
    const etr_value *value = find_value(profile, method, tensor);
    if (!value && begin_item(&writer, &count))
      etr_putf(&writer, "input %u " AT_MOST " %s", (unsigned)tensor->index,
               etr_or_empty(etr_label_shape(arena, &tensor->tensor)));
    for (int32_t k = 0; value && k < value->rank; k++)
      if (value->dims[k].size == ETR_DIM_SYMBOLIC && begin_item(&writer, &count))
        etr_putf(&writer, "dimension %d of input %u " AT_MOST " %" PRId64, (int)k,
                 (unsigned)tensor->index, tensor->tensor.dims[k].size);
  }
  return etr_text_end(&text, &writer);
}
