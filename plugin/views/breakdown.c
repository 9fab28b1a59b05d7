/* SPDX-License-Identifier: BSD-3-Clause
 *
 * breakdown.c - sums by operator, module, backend, source line.
 */
#include "breakdown.h"

#include "stats.h"

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
  case ETR_BY_BACKEND: return (etr_breakdown_row){.key = graph->times[index].backend ? graph->times[index].backend : "cpu", .module_type = ""};
  case ETR_BY_SOURCE: return (etr_breakdown_row){.key = node->source ? node->source->file : "", .module_type = "", .source = node->source};
  default: return (etr_breakdown_row){.key = node->target, .module_type = ""};
  }
}

static int by_key(const void *a, const void *b) {
  const etr_breakdown_row *x = a, *y = b;
  int order = strcmp(x->key, y->key);
  if (order || !x->source || !y->source) return order;
  return (x->source->line > y->source->line) - (x->source->line < y->source->line);
}

static int by_ticks(const void *a, const void *b) {
  const etr_breakdown_row *x = a, *y = b;
  if (x->total_ticks != y->total_ticks) return x->total_ticks < y->total_ticks ? 1 : -1;
  return by_key(a, b);
}

void etr_breakdown_sort_by_key(etr_breakdown *breakdown) {
  if (breakdown->count) qsort(breakdown->rows, breakdown->count, sizeof *breakdown->rows, by_key);
}

typedef struct collector {
  etr_arena *arena;
  etr_map by_address; /* of the key, or the source line: many nodes share one -> row */
  etr_map by_text;    /* -> row */
  etr_vec(etr_breakdown_row) rows;
} collector;

static uint32_t number_by_text(collector *c, const etr_breakdown_row *row) {
  const char *key = row->source ? etr_arena_format(c->arena, "%s:%lld", row->key, (long long)row->source->line) : row->key;
  uint32_t number = key ? etr_map_get(&c->by_text, etr_slice_of(key)) : ETR_NONE;
  if (!key || number != ETR_NONE) return number;
  number = (uint32_t)c->rows.count;
  etr_breakdown_row *added = etr_vec_push(c->arena, &c->rows);
  if (!added || !etr_map_set(&c->by_text, etr_slice_of(key), number)) return ETR_NONE;
  *added = *row;
  added->number = number;
  return number;
}

/* The number of a row, which is added when it is new; ETR_NONE when out of memory. */
static uint32_t number_of(collector *c, const etr_breakdown_row *row) {
  const void *address = row->source ? (const void *)row->source : row->key;
  const etr_slice key = {(const char *)&address, sizeof address};
  uint32_t number = etr_map_get(&c->by_address, key);
  if (number != ETR_NONE) return number;
  number = number_by_text(c, row);
  return number != ETR_NONE && etr_map_set(&c->by_address, key, number) ? number : ETR_NONE;
}

bool etr_breakdown_make(etr_breakdown *out, etr_arena *arena, const etr_profile *profile, const etr_method *method, etr_breakdown_by by,
                        const bool *wanted) {
  collector c = {.arena = arena};
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  uint32_t *row_of_node = etr_arena_alloc_array(arena, graph ? graph->node_count : 0, sizeof *row_of_node);
  etr_map_init(&c.by_address, arena);
  etr_map_init(&c.by_text, arena);
  for (size_t i = 0; row_of_node && graph && i < graph->node_count; i++) {
    const etr_node_time *time = graph->times ? &graph->times[i] : NULL;
    row_of_node[i] = ETR_NONE;
    if (!time || time->runs == 0 || (wanted && !wanted[i])) continue;
    const etr_breakdown_row row = row_of(graph, i, by);
    uint32_t number = row_of_node[i] = number_of(&c, &row);
    if (number == ETR_NONE) return false;
    c.rows.data[number].total_ticks += time->total_ticks;
    c.rows.data[number].estimated_ticks += time->match == ETR_MATCH_ALIGNED ? time->total_ticks : 0;
    c.rows.data[number].node_count++;
  }
  if (c.rows.count) qsort(c.rows.data, c.rows.count, sizeof *c.rows.data, by_ticks);
  *out = (etr_breakdown){c.rows.data, c.rows.count, row_of_node};
  return !etr_arena_failed(arena);
}

/* A row's time in single runs. */
typedef struct row_runs {
  uint64_t *ticks;  /* per run of the method */
  uint32_t *row;    /* the row that these ticks are of, plus one */
  uint64_t *sample; /* those of the runs that it ran in */
} row_runs;

/* The portions of one row, in any order of runs. */
static etr_stats stats_of_row(row_runs *r, uint32_t row, const etr_portion *const *portions, size_t count) {
  size_t runs = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t run = portions[i]->run;
    if (r->row[run] != row + 1) r->ticks[run] = 0;
    r->row[run] = row + 1;
    r->ticks[run] += portions[i]->ticks;
  }
  for (size_t i = 0; i < count; i++) {
    uint32_t run = portions[i]->run;
    if (r->row[run] == row + 1) r->sample[runs++] = r->ticks[run];
    r->row[run] = 0;
  }
  return etr_stats_of(r->sample, runs);
}

const etr_stats *etr_breakdown_stats(const etr_breakdown *breakdown, etr_arena *arena, const etr_method *method) {
  etr_stats *stats = etr_arena_alloc_array(arena, breakdown->count, sizeof *stats);
  size_t *end = etr_arena_alloc_array(arena, breakdown->count + 1, sizeof *end); /* of each row's portions, one place later */
  const etr_portion **sorted = etr_arena_alloc_array(arena, method->portion_count, sizeof *sorted);
  row_runs r = {.ticks = etr_arena_alloc_array(arena, method->run_count, sizeof *r.ticks),
                .row = etr_arena_alloc_array(arena, method->run_count, sizeof *r.row),
                .sample = etr_arena_alloc_array(arena, method->run_count, sizeof *r.sample)};
  if (!stats || !end || !sorted || !r.ticks || !r.row || !r.sample) return NULL;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < method->portion_count; i++) {
      const etr_portion *portion = &method->portions[i];
      uint32_t row = portion->node == ETR_NONE ? ETR_NONE : breakdown->row_of_node[portion->node];
      if (row == ETR_NONE) continue;
      if (pass == 0)
        end[row + 1]++;
      else
        sorted[end[row]++] = portion;
    }
    for (size_t row = 1; pass == 0 && row <= breakdown->count; row++) end[row] += end[row - 1];
  }
  for (uint32_t row = 0; row < breakdown->count; row++) {
    size_t first = row ? end[row - 1] : 0;
    stats[row] = stats_of_row(&r, row, &sorted[first], end[row] - first);
  }
  return stats;
}
