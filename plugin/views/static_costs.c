/* SPDX-License-Identifier: BSD-3-Clause
 *
 * static_costs.c - costs of one call of each node, added up by module.
 */
#include "views/static_costs.h"

#include "views/breakdown.h"

/* As of a graph that nothing was timed of. */
static void add_own(etr_cost_sum *sums, uint64_t *operators, const etr_profile *profile, const etr_graph *graph) {
  etr_graph untimed = *graph;
  untimed.profile_method = ETR_NONE;
  for (size_t i = 0; i < graph->node_count; i++) {
    uint32_t module = etr_counted_module(graph, graph->nodes[i].module);
    if (graph->nodes[i].kind != ETR_NODE_OP) continue;
    etr_cost_add(&sums[module], profile, &untimed, i);
    operators[module]++;
  }
}

const etr_static_cost *etr_static_costs_make(size_t *count, etr_arena *arena, const etr_profile *profile,
                                             const etr_graph *graph) {
  etr_static_cost *rows = etr_arena_alloc_array(arena, graph->module_count, sizeof *rows);
  etr_cost_sum *sums = etr_arena_alloc_array(arena, graph->module_count, sizeof *sums);
  uint64_t *operators = etr_arena_alloc_array(arena, graph->module_count, sizeof *operators);
  uint32_t *levels = etr_arena_alloc_array(arena, graph->module_count, sizeof *levels);
  *count = 0;
  if (!rows || !sums || !operators || !levels) return NULL;
  add_own(sums, operators, profile, graph);
  for (size_t i = graph->module_count; i-- > 1;) {
    uint32_t parent = etr_counted_module(graph, graph->modules[i].parent);
    etr_cost_add_sum(&sums[parent], &sums[i]);
    operators[parent] += operators[i];
  }
  for (size_t i = 0; i < graph->module_count; i++) {
    if (i > 0) levels[i] = levels[etr_counted_module(graph, graph->modules[i].parent)] + 1;
    if (operators[i] == 0 || (i > 0 && graph->modules[i].path[0] == '\0')) continue;
    rows[(*count)++] = (etr_static_cost){.method = graph->method,
                                         .module = graph->modules[i].path,
                                         .level = levels[i],
                                         .operators = operators[i],
                                         .cost = etr_cost_figures_of(profile, &sums[i])};
  }
  return rows;
}
