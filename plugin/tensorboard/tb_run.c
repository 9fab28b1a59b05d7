/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_run.c - chooses the graph that a run opens with.
 */
#include "tensorboard/tb_run.h"

#include "tensorboard/tb_view.h"

bool etr_tb_is_chosen_graph(const char *modules, const etr_graph *graph) {
  size_t module_size = strlen(graph->module);
  if (!modules)
    return true;
  for (const char *rest = modules;; rest++) {
    size_t size = strcspn(rest, ",");
    if (size == module_size && memcmp(rest, graph->module, size) == 0)
      return true;
    rest += size;
    if (*rest == '\0')
      return false;
  }
}

bool etr_tb_has_operators(const etr_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].kind == ETR_NODE_OP)
      return true;
  return false;
}

/* Returns the graph that a run opens with: that of the main method, else the first with operators,
 * else the first at all; only graphs of the chosen modules count. ETR_NONE if there is none. */
static size_t first_graph(const etr_profile *profile, const char *modules) {
  const etr_method *method = etr_tb_main_method(profile);
  size_t first_chosen = ETR_NONE;
  if (method && method->graph != ETR_NONE &&
      etr_tb_is_chosen_graph(modules, &profile->graphs[method->graph]))
    return method->graph;
  for (size_t i = 0; i < profile->graph_count; i++) {
    const etr_graph *graph = &profile->graphs[i];
    if (!etr_tb_is_chosen_graph(modules, graph))
      continue;
    if (etr_tb_has_operators(graph))
      return i;
    if (first_chosen == ETR_NONE)
      first_chosen = i;
  }
  return first_chosen;
}

etr_status etr_tb_run_make(etr_tb_run *out, etr_arena *arena, const etr_profile *profile,
                           const char *modules) {
  size_t count = profile->graph_count;
  *out = (etr_tb_run){.graph = first_graph(profile, modules)};
  if (count == 0)
    return ETR_OK;
  out->others = etr_arena_alloc_array(arena, count, sizeof *out->others);
  out->scopes = etr_arena_alloc_array(arena, count, sizeof *out->scopes);
  if (etr_arena_failed(arena))
    return ETR_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) {
    const etr_graph *graph = &profile->graphs[i];
    if (!etr_tb_is_chosen_graph(modules, graph))
      continue;
    etr_status status = etr_scopes_build(&out->scopes[i], arena, graph);
    if (status != ETR_OK)
      return status;
    if (i != out->graph)
      out->others[out->other_count++] = i;
  }
  return ETR_OK;
}
