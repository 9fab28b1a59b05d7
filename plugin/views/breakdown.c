/* SPDX-License-Identifier: BSD-3-Clause
 *
 * breakdown.c - sums by operator, module, backend, source line.
 */
#include "views/breakdown.h"

#include "base/natural.h"
#include "base/writer.h"
#include "output/ranking.h"
#include "views/run_stats.h"

#include <stdlib.h>

uint32_t etr_counted_module(const etr_graph *graph, uint32_t module) {
  while (module != 0 && graph->modules[module].path[0] == '\0')
    module = graph->modules[module].parent;
  return module;
}

/* What the nodes of a row have in common. */
typedef struct row_key {
  const char *key, *module_type;
  const etr_source *source;
} row_key;

/* Returns the key by which a node is summed: operator, module, pattern, backend or source line. */
static row_key node_key(const etr_graph *graph, size_t index, etr_breakdown_by by) {
  const etr_node *node = &graph->nodes[index];
  const etr_module *module = &graph->modules[etr_counted_module(graph, node->module)];
  const char *backend = graph->times[index].backend;
  switch (by) {
  case ETR_BY_MODULE:
    return (row_key){module->path, module->type, NULL};
  case ETR_BY_PATTERN:
    return (row_key){module->pattern, "", NULL};
  case ETR_BY_BACKEND:
    return (row_key){backend ? backend : "cpu", "", NULL};
  case ETR_BY_SOURCE:
    return (row_key){node->source ? node->source->file : "", "", node->source};
  default:
    return (row_key){node->target, "", NULL};
  }
}

/* Compares rows for qsort(): by key, and of source lines with the same key, which is their file, by
 * line. */
static int by_key(const void *a, const void *b) {
  const etr_breakdown_row *x = a, *y = b;
  int compared = etr_natural_compare(x->key, y->key);
  if (compared || !x->source || !y->source)
    return compared;
  return (x->source->line > y->source->line) - (x->source->line < y->source->line);
}

/* Compares rows for qsort(): by weight, the largest first. */
static int by_weight(const void *a, const void *b) {
  const etr_breakdown_row *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight < y->weight ? 1 : -1;
  return by_key(a, b);
}

void etr_breakdown_sort_by_key(etr_breakdown *breakdown) {
  etr_sort(breakdown->rows, breakdown->count, sizeof *breakdown->rows, by_key);
}

/* Collects the nodes of one breakdown into rows. */
typedef struct collector {
  etr_arena *arena;
  etr_breakdown_by by;
  uint32_t *row_of_node;
  etr_map by_text;   /* -> row */
  etr_text line_key; /* a source's line and file */
  uint32_t last;     /* number of the row that was found last; ETR_NONE: none */
  etr_vec(etr_breakdown_row) rows;
} collector;

/* Returns the bytes that identify a row: its key, of a source line preceded by the line. They are
 * valid until the next call. */
static etr_slice key_bytes(collector *c, const row_key *row) {
  if (!row->source)
    return etr_slice_of(row->key);
  c->line_key.size = 0;
  etr_text_add(&c->line_key, ETR_BYTES(row->source->line));
  etr_text_add(&c->line_key, etr_slice_of(row->key));
  return (etr_slice){c->line_key.data, c->line_key.size};
}

/* Returns the number of a key's row, which is added if it is new; ETR_NONE when out of memory. */
static uint32_t find_or_add_row(collector *c, const row_key *row) {
  const etr_breakdown_row *last = c->last == ETR_NONE ? NULL : &c->rows.data[c->last];
  if (last && last->key == row->key && last->source == row->source)
    return c->last; /* neighbors are often alike */
  etr_map_slot *slot = etr_map_at(&c->by_text, key_bytes(c, row));
  if (!slot || slot->value != ETR_NONE) {
    c->last = slot ? slot->value : ETR_NONE;
    return c->last;
  }
  etr_breakdown_row *added = etr_vec_push(c->arena, &c->rows);
  if (!added)
    return ETR_NONE;
  *added = (etr_breakdown_row){
      .key = row->key, .module_type = row->module_type, .source = row->source};
  c->last = slot->value = added->number = (uint32_t)(c->rows.count - 1);
  return c->last;
}

/* The time and the costs that a node adds to its row in each breakdown. */
typedef struct node_part {
  const etr_node_time *time;
  etr_cost_sum cost;
  double step; /* of the clock that timed it */
} node_part;

/* Adds the times and costs of a node to the row of its key. Returns false when out of memory. */
static bool add_node_to_row(collector *c, const etr_graph *graph, size_t node,
                            const node_part *part) {
  const row_key key = node_key(graph, node, c->by);
  uint32_t number = c->row_of_node[node] = find_or_add_row(c, &key);
  if (number == ETR_NONE)
    return false;
  etr_breakdown_row *row = &c->rows.data[number];
  etr_cost_add_sum(&row->costs, &part->cost);
  row->total_ticks += part->time->total_ticks;
  row->typical += part->time->typical;
  row->estimated_ticks += part->time->is_estimated ? part->time->total_ticks : 0;
  row->step = ETR_MAX(row->step, part->step);
  row->node_count++;
  return true;
}

/* Adds up the nodes that ran and are wanted (NULL: all) in each of the breakdowns; with only_ticks,
 * without their costs. Returns false when out of memory. */
static bool collect_nodes(collector *collectors, size_t count, const etr_profile *profile,
                          const etr_graph *graph, const bool *wanted, bool only_ticks) {
  for (size_t i = 0; graph && i < graph->node_count; i++) {
    if (!graph->times || graph->times[i].runs == 0 || (wanted && !wanted[i])) {
      for (size_t breakdown = 0; breakdown < count; breakdown++)
        collectors[breakdown].row_of_node[i] = ETR_NONE;
      continue;
    }
    node_part part = {.time = &graph->times[i]};
    if (!only_ticks) {
      etr_cost_add(&part.cost, profile, graph, i);
      /* The backend says which clock timed the node; without one it is the kernels' clock. */
      part.step = etr_clock_step(profile, part.time->backend, NULL);
    }
    for (size_t breakdown = 0; breakdown < count; breakdown++)
      if (!add_node_to_row(&collectors[breakdown], graph, i, &part))
        return false;
  }
  return true;
}

/* Computes the statistics and costs of the rows and sorts them by weight. Returns false when out of
 * memory. */
static bool finish_rows(etr_breakdown *out, const collector *c, const etr_profile *profile,
                        const etr_method *method) {
  const etr_stats *stats = etr_run_stats_of_nodes(c->arena, method, c->row_of_node, c->rows.count);
  if (!stats)
    return false;
  *out = (etr_breakdown){c->rows.data, c->rows.count, c->row_of_node, stats, 0};
  for (size_t i = 0; i < out->count; i++) {
    etr_breakdown_row *row = &out->rows[i];
    const etr_times times = {row->typical, etr_ticks_per_run(method, row->total_ticks),
                             stats[i].p50};
    row->weight = etr_ranking_time(profile, times);
    row->cost = etr_cost_figures_of(profile, &row->costs);
    out->summed_p50 += stats[i].p50;
  }
  etr_sort(out->rows, out->count, sizeof *out->rows, by_weight);
  return !etr_arena_failed(c->arena);
}

bool etr_breakdowns_make(etr_breakdown *out, unsigned kinds, etr_arena *arena,
                         const etr_profile *profile, const etr_method *method, const bool *wanted) {
  collector list[ETR_BREAKDOWNS];
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  size_t count = 0;
  for (etr_breakdown_by by = ETR_BY_OP; by <= ETR_BY_SOURCE; by++) {
    if (!(kinds & 1u << by))
      continue;
    collector *c = &list[count++];
    *c = (collector){.arena = arena, .by = by, .line_key = {.arena = arena}, .last = ETR_NONE};
    c->row_of_node = etr_arena_alloc_raw_array(arena, graph ? graph->node_count : 0,
                                               sizeof *c->row_of_node);
    etr_map_init(&c->by_text, arena);
    if (!c->row_of_node)
      return false;
  }
  if (!collect_nodes(list, count, profile, graph, wanted, kinds & ETR_BREAKDOWN_OF_TICKS))
    return false;
  for (size_t k = 0; k < count; k++) {
    collector *c = &list[k];
    if (kinds & ETR_BREAKDOWN_OF_TICKS)
      out[c->by] = (etr_breakdown){c->rows.data, c->rows.count, c->row_of_node, NULL, 0};
    else if (!finish_rows(&out[c->by], c, profile, method))
      return false;
  }
  return true;
}

bool etr_breakdown_make(etr_breakdown *out, etr_arena *arena, const etr_profile *profile,
                        const etr_method *method, etr_breakdown_by by, const bool *wanted) {
  etr_breakdown made[ETR_BREAKDOWNS] = {{0}};
  if (!etr_breakdowns_make(made, 1u << by, arena, profile, method, wanted))
    return false;
  *out = made[by];
  return true;
}
