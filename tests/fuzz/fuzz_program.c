/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_program.c - lib/inputs/program.c on any bytes: whatever graph comes out, its indices point
 * inside it.
 */
#include "formats/json_excerpt.h"
#include "inputs/program.h"

#include <stdlib.h>

/* A name, and a value that is JSON: unlike etr_json_skip() this looks at what lists and strings
 * hold. */
static void check_argument(const etr_argument *argument) {
  etr_json_excerpt again;
  etr_json *json = argument->name[0] ? etr_json_open_memory(etr_slice_of(argument->value), NULL)
                                     : NULL;
  if (!json)
    abort();
  etr_json_excerpt_init(&again);
  etr_json_excerpt_value(&again, json);
  etr_json_end(json);
  if (etr_json_failed(json))
    abort();
  etr_json_close(json);
}

static void check_node(const etr_graph *graph, const etr_node *node) {
  if (node->module >= graph->module_count ||
      (node->subgraph != ETR_NONE && node->subgraph >= graph->subgraph_count))
    abort();
  for (size_t i = 0; i < node->input_count; i++)
    if (node->inputs[i].node >= graph->node_count ||
        node->inputs[i].output >= graph->nodes[node->inputs[i].node].output_count)
      abort();
  for (size_t i = 0; i < node->output_count; i++)
    if (!node->outputs[i].name || (node->outputs[i].rank > 0 && !node->outputs[i].dims))
      abort();
  for (size_t i = 0; i < node->argument_count; i++)
    check_argument(&node->arguments[i]);
  if (!node->name || !node->target || !node->op_type)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  etr_arena arena = {0};
  etr_map strings;
  etr_graph graph;
  etr_region_nodes regions = {0};
  etr_program_scope scope = {.graph_id = 7, .regions = &regions};
  etr_map_init(&strings, &arena);
  etr_json *json = etr_json_open_memory((etr_slice){(const char *)data, size}, NULL);
  if (json && etr_program_read(&graph, &strings, json, scope, NULL) == ETR_OK &&
      etr_regions_resolve(&graph, &regions, &graph, &strings)) {
    for (size_t i = 0; i < graph.node_count; i++)
      check_node(&graph, &graph.nodes[i]);
    for (size_t i = 0; i < graph.subgraph_count; i++)
      if (graph.subgraphs[i].owner >= graph.node_count || !graph.subgraphs[i].path)
        abort();
    for (size_t i = 1; i < graph.module_count; i++)
      if (graph.modules[i].parent >= i)
        abort();
  }
  etr_json_close(json);
  etr_arena_clear(&arena);
  return 0;
}
