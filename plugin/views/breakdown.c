/* SPDX-License-Identifier: BSD-3-Clause
 *
 * breakdown.c - sums by operator, module, backend, source line.
 */
#include "views/breakdown.h"

#include "base/natural.h"
#include "output/ranking.h"
#include "output/writer.h"
#include "views/run_stats.h"

#include <stdlib.h>

uint32_t etr_counted_module(const etr_graph *graph, uint32_t module) {
  while (module != 0 && graph->modules[module].path[0] == '\0') module = graph->modules[module].parent;
  return module;
}

/* A row for what the node is to be counted under. */
static etr_breakdown_row row_of(const etr_graph *graph, size_t index, etr_breakdown_by by) {
  const etr_node *node = &graph->nodes[index];
  const etr_module *module = &graph->modules[etr_counted_module(graph, node->module)];
  switch (by) {
  case ETR_BY_MODULE: return (etr_breakdown_row){.key = module->path, .module_type = module->type};
  case ETR_BY_PATTERN: return (etr_breakdown_row){.key = module->pattern, .module_type = ""};
  case ETR_BY_BACKEND:
    return (etr_breakdown_row){.key = graph->times[index].backend ? graph->times[index].backend : "cpu",
                               .module_type = ""};
  case ETR_BY_SOURCE:
    return (etr_breakdown_row){
        .key = node->source ? node->source->file : "", .module_type = "", .source = node->source};
  default: return (etr_breakdown_row){.key = node->target, .module_type = ""};
  }
}

static int by_key(const void *a, const void *b) {
  const etr_breakdown_row *x = a, *y = b;
  int order = etr_natural_compare(x->key, y->key);
  if (order || !x->source || !y->source) return order;
  return (x->source->line > y->source->line) - (x->source->line < y->source->line);
}

static int by_weight(const void *a, const void *b) {
  const etr_breakdown_row *x = a, *y = b;
  if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
  return by_key(a, b);
}

void etr_breakdown_sort_by_key(etr_breakdown *breakdown) {
  etr_sort(breakdown->rows, breakdown->count, sizeof *breakdown->rows, by_key);
}

typedef struct collector {
  etr_arena *arena;
  etr_map by_text; /* -> row */
  etr_text place;  /* a source's line and file */
  etr_vec(etr_breakdown_row) rows;
} collector;

static etr_slice key_of(collector *c, const etr_breakdown_row *row) {
  if (!row->source) return etr_slice_of(row->key);
  c->place.size = 0;
  etr_text_add(&c->place, (etr_slice){(const char *)&row->source->line, sizeof row->source->line});
  etr_text_add(&c->place, etr_slice_of(row->key));
  return (etr_slice){c->place.data, c->place.size};
}

/* The number of a row, which is added when it is new; ETR_NONE when out of memory. */
static uint32_t number_of(collector *c, const etr_breakdown_row *row) {
  etr_map_slot *slot = etr_map_at(&c->by_text, key_of(c, row));
  if (!slot || slot->value != ETR_NONE) return slot ? slot->value : ETR_NONE;
  etr_breakdown_row *added = etr_vec_push(c->arena, &c->rows);
  if (!added) return ETR_NONE;
  *added = *row;
  return slot->value = added->number = (uint32_t)(c->rows.count - 1);
}

static void add_node(etr_breakdown_row *row, const etr_profile *profile, const etr_graph *graph, size_t node) {
  const etr_node_time *time = &graph->times[node];
  etr_cost_add(&row->costs, profile, graph, node);
  row->total_ticks += time->total_ticks;
  row->estimated_ticks += time->is_estimated ? time->total_ticks : 0;
  row->step = ETR_MAX(row->step, etr_clock_step(profile, time->backend, NULL));
  row->node_count++;
}

/* Adds up the nodes. The number of each one's row; NULL when out of memory. */
static const uint32_t *collect(collector *c, const etr_profile *profile, const etr_graph *graph, etr_breakdown_by by,
                               const bool *wanted) {
  uint32_t *row_of_node = etr_arena_alloc_array(c->arena, graph ? graph->node_count : 0, sizeof *row_of_node);
  for (size_t i = 0; row_of_node && graph && i < graph->node_count; i++) {
    const etr_node_time *time = graph->times ? &graph->times[i] : NULL;
    row_of_node[i] = ETR_NONE;
    if (!time || time->runs == 0 || (wanted && !wanted[i])) continue;
    const etr_breakdown_row row = row_of(graph, i, by);
    uint32_t number = row_of_node[i] = number_of(c, &row);
    if (number == ETR_NONE) return NULL;
    add_node(&c->rows.data[number], profile, graph, i);
  }
  return row_of_node;
}

bool etr_breakdown_make(etr_breakdown *out, etr_arena *arena, const etr_profile *profile, const etr_method *method,
                        etr_breakdown_by by, const bool *wanted) {
  collector c = {.arena = arena, .place = {.arena = arena}};
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  etr_map_init(&c.by_text, arena);
  const uint32_t *row_of_node = collect(&c, profile, graph, by, wanted);
  if (!row_of_node) return false;
  const etr_stats *stats = etr_run_stats_of_nodes(arena, method, row_of_node, c.rows.count);
  if (!stats) return false;
  *out = (etr_breakdown){c.rows.data, c.rows.count, row_of_node, stats, 0};
  for (size_t i = 0; i < out->count; i++) {
    out->rows[i].weight = etr_ranking(profile, (double)out->rows[i].total_ticks, stats[i].p50);
    out->rows[i].cost = etr_cost_figures_of(profile, &out->rows[i].costs);
    out->summed_p50 += stats[i].p50;
  }
  etr_sort(out->rows, out->count, sizeof *out->rows, by_weight);
  return !etr_arena_failed(arena);
}
