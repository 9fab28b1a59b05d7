/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary.c - gathering what is known of a method's time.
 */
#include "views/summary.h"

#include "output/node_filter.h"
#include "output/ranking.h"
#include "views/timed_node.h"

#include <stdlib.h>

const char *etr_breakdown_name(etr_breakdown_by by) {
  static const char *const names[] = {"by_op", "by_module", "by_pattern", "by_backend",
                                      "by_source"};
  return names[by];
}

static bool list_nodes(etr_summary *s, etr_arena *arena, const bool *wanted, etr_node_order order) {
  size_t all = s->graph ? s->graph->node_count : 0, count = 0;
  etr_timed_node *list = etr_arena_alloc_array(arena, all, sizeof *list);
  uint32_t *nodes = etr_arena_alloc_array(arena, all, sizeof *nodes);
  if (!list || !nodes)
    return false;
  for (uint32_t i = 0; i < all; i++) {
    const etr_node_time *time = &s->graph->times[i];
    if (!wanted[i] || time->runs == 0)
      continue;
    list[count++] = (etr_timed_node){.ticks = etr_ranking(s->profile, etr_times_of_node(time)),
                                     .node = i,
                                     .op = s->graph->nodes[i].target};
    s->part_ticks += time->total_ticks;
    s->part_typical += time->typical;
    s->summed_p50 += time->per_run.p50;
  }
  etr_sort(list, count, sizeof *list,
           order == ETR_ORDER_NAME ? etr_timed_node_by_op : etr_timed_node_order);
  for (size_t i = 0; i < count; i++)
    nodes[i] = list[i].node;
  s->nodes = nodes;
  s->node_count = count;
  return true;
}

/* Keeps those about a node that was asked for. */
static bool keep_findings(etr_summary *s, etr_arena *arena, const bool *wanted) {
  etr_finding *kept = etr_arena_alloc_array(arena, s->findings.count, sizeof *kept);
  size_t count = 0;
  if (!kept)
    return false;
  for (size_t i = 0; i < s->findings.count; i++) {
    const etr_finding *finding = &s->findings.list[i];
    bool is_about = false;
    for (size_t k = 0; k < finding->node_count; k++)
      is_about |= wanted[finding->nodes[k]];
    if (is_about)
      kept[count++] = *finding;
  }
  s->findings.list = kept;
  s->findings.count = count;
  return true;
}

/* Returns a method of undecided runs with the operators and modules that its candidates share. */
static etr_method with_shared(const etr_method *method, uint32_t graph) {
  etr_method joined = *method->shared->method;
  joined.name = method->name;
  joined.graph = graph;
  joined.shared = method->shared;
  joined.has_dynamic_inputs = method->has_dynamic_inputs;
  joined.starts_with_prompt = method->starts_with_prompt;
  joined.noise = method->noise;
  joined.slow_runs = method->slow_runs;
  joined.run_phases = method->run_phases;
  joined.run_phase_count = method->run_phase_count;
  joined.mixed_phase_count = method->mixed_phase_count;
  return joined;
}

bool etr_summary_share(const etr_profile **profile, etr_arena *arena) {
  const etr_profile *from = *profile;
  size_t count = 0, graph_count = from->graph_count;
  for (size_t i = 0; i < from->method_count; i++)
    count += from->methods[i].shared != NULL;
  if (count == 0)
    return true;
  etr_profile *made = etr_arena_alloc(arena, sizeof *made);
  etr_graph *graphs = etr_arena_alloc_array(arena, graph_count + count, sizeof *graphs);
  etr_method *methods = etr_arena_alloc_array(arena, from->method_count, sizeof *methods);
  if (!made || !graphs || !methods)
    return false;
  for (size_t i = 0; i < graph_count; i++)
    graphs[i] = from->graphs[i];
  for (size_t i = 0; i < from->method_count; i++) {
    methods[i] = from->methods[i];
    if (!methods[i].shared)
      continue;
    graphs[graph_count] = *methods[i].shared->graph;
    methods[i] = with_shared(&from->methods[i], (uint32_t)graph_count++);
  }
  *made = *from;
  made->graphs = graphs;
  made->graph_count = graph_count;
  made->methods = methods;
  *profile = made;
  return true;
}

bool etr_summary_make(etr_summary *out, etr_arena *arena, const etr_profile *profile,
                      const etr_method *method, etr_summary_choice choice) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  *out = (etr_summary){.profile = profile,
                       .method = method,
                       .graph = graph && graph->times ? graph : NULL,
                       .is_part = etr_filter_is_active(choice.filter)};
  /* A flag for each node that the filter takes. */
  bool *wanted = etr_arena_alloc_array(arena, out->graph ? out->graph->node_count : 0,
                                       sizeof *wanted);
  for (size_t i = 0; wanted && out->graph && i < out->graph->node_count; i++)
    wanted[i] = etr_filter_takes_node(choice.filter, out->graph, i);
  if (!wanted || !list_nodes(out, arena, wanted, choice.order))
    return false;
  if (!etr_breakdowns_make(out->by, choice.parts, arena, profile, method, wanted))
    return false;
  for (etr_breakdown_by by = ETR_BY_OP; choice.order == ETR_ORDER_NAME && by <= ETR_BY_SOURCE; by++)
    etr_breakdown_sort_by_key(&out->by[by]);
  bool modules = choice.parts & 1u << ETR_BY_MODULE,
       patterns = modules && choice.parts & 1u << ETR_BY_PATTERN;
  if (modules &&
      !etr_module_tree_make(&out->modules, arena, profile, method, &out->by[ETR_BY_MODULE]))
    return false;
  if (patterns &&
      !etr_module_patterns_make(&out->patterns, arena, profile, &out->modules,
                                &out->by[ETR_BY_PATTERN], choice.order == ETR_ORDER_NAME))
    return false;
  if (!etr_first_run_of(&out->first_run, arena, profile, method))
    return false;
  if (!(choice.parts & ETR_SUMMARY_FINDINGS))
    return true;
  return etr_findings_make(&out->findings, arena, profile, method, choice.unit) &&
         (!out->is_part || keep_findings(out, arena, wanted));
}
