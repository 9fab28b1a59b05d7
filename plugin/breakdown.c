/* SPDX-License-Identifier: BSD-3-Clause
 *
 * breakdown.c - sums by operator, module, backend, source line.
 */
#include "breakdown.h"

#include <stdlib.h>

/* A row for what the node is to be counted under. */
static etr_breakdown_row row_of(const etr_graph *graph, size_t index, etr_breakdown_by by) {
  const etr_node *node = &graph->nodes[index];
  const etr_module *module = &graph->modules[node->module];
  switch (by) {
  case ETR_BY_MODULE: return (etr_breakdown_row){.key = module->path, .module_type = module->type};
  case ETR_BY_BACKEND: return (etr_breakdown_row){.key = graph->times[index].backend ? graph->times[index].backend : "cpu", .module_type = ""};
  case ETR_BY_SOURCE: return (etr_breakdown_row){.key = node->source ? node->source->file : "", .module_type = "", .source = node->source};
  default: return (etr_breakdown_row){.key = node->target, .module_type = ""};
  }
}

static int by_ticks(const void *a, const void *b) {
  const etr_breakdown_row *x = a, *y = b;
  if (x->total_ticks != y->total_ticks) return x->total_ticks < y->total_ticks ? 1 : -1;
  int order = strcmp(x->key, y->key);
  if (order || !x->source || !y->source) return order;
  return (x->source->line > y->source->line) - (x->source->line < y->source->line);
}

bool etr_breakdown_make(etr_breakdown *out, etr_arena *arena, const etr_profile *profile, const etr_method *method, etr_breakdown_by by,
                        const bool *wanted) {
  etr_vec(etr_breakdown_row) rows = {0};
  etr_map index;
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  etr_map_init(&index, arena);
  for (size_t i = 0; graph && graph->times && i < graph->node_count; i++) {
    const etr_node_time *time = &graph->times[i];
    if (time->runs == 0 || (wanted && !wanted[i])) continue;
    etr_breakdown_row row = row_of(graph, i, by);
    const char *key = row.source ? etr_arena_format(arena, "%s:%lld", row.key, (long long)row.source->line) : row.key;
    uint32_t known = key ? etr_map_get(&index, etr_slice_of(key)) : ETR_NONE;
    if (known == ETR_NONE) {
      etr_breakdown_row *added = key ? etr_vec_push(arena, &rows) : NULL;
      known = (uint32_t)(rows.count - 1);
      if (!added || !etr_map_set(&index, etr_slice_of(key), known)) return false;
      *added = row;
    }
    rows.data[known].total_ticks += time->total_ticks;
    rows.data[known].estimated_ticks += time->match == ETR_MATCH_ALIGNED ? time->total_ticks : 0;
    rows.data[known].node_count++;
  }
  if (rows.count) qsort(rows.data, rows.count, sizeof *rows.data, by_ticks);
  *out = (etr_breakdown){rows.data, rows.count};
  return !etr_arena_failed(arena);
}
