/* SPDX-License-Identifier: BSD-3-Clause
 *
 * line_patterns.c - nodes by source line and pattern.
 */
#include "views/line_patterns.h"

#include <stdlib.h>

/* A node that was timed. */
typedef struct timed {
  const char *pattern, *path; /* of its module */
  uint32_t line;
  uint64_t ticks;
} timed;

static int by_module(const void *a, const void *b) {
  const timed *x = a, *y = b;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  int order = strcmp(x->pattern, y->pattern);
  return order ? order : strcmp(x->path, y->path);
}

static int by_time(const void *a, const void *b) {
  const etr_line_pattern *x = a, *y = b;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  if (x->total_ticks != y->total_ticks) return x->total_ticks < y->total_ticks ? 1 : -1;
  return strcmp(x->pattern, y->pattern);
}

static timed *list_nodes(size_t *count, etr_arena *arena, const etr_summary *s) {
  timed *list = etr_arena_alloc_array(arena, s->node_count, sizeof *list);
  for (*count = 0; list && *count < s->node_count; ++*count) {
    uint32_t node = s->nodes[*count];
    const etr_module *module = &s->graph->modules[etr_counted_module(s->graph, s->graph->nodes[node].module)];
    list[*count] = (timed){module->pattern, module->path, s->by[ETR_BY_SOURCE].row_of_node[node],
                           s->graph->times[node].total_ticks};
  }
  etr_sort(list, *count, sizeof *list, by_module);
  return list;
}

bool etr_line_patterns_make(etr_line_patterns *out, etr_arena *arena, const etr_summary *summary) {
  size_t lines = summary->by[ETR_BY_SOURCE].count, nodes;
  const timed *list = list_nodes(&nodes, arena, summary);
  etr_line_pattern *rows = etr_arena_alloc_array(arena, nodes, sizeof *rows);
  size_t *first = etr_arena_alloc_array(arena, lines + 1, sizeof *first);
  if (!list || !rows || !first) return false;
  /* Adds up nodes that stand beside each other; how many rows there are. */
  size_t count = 0;
  for (size_t i = 0; i < nodes; i++) {
    bool is_same = i > 0 && list[i].line == list[i - 1].line && strcmp(list[i].pattern, list[i - 1].pattern) == 0;
    if (!is_same) rows[count++] = (etr_line_pattern){.pattern = list[i].pattern, .line = list[i].line};
    etr_line_pattern *row = &rows[count - 1];
    row->module_count += !is_same || strcmp(list[i].path, list[i - 1].path) != 0;
    row->total_ticks += list[i].ticks;
    row->node_count++;
  }
  etr_sort(rows, count, sizeof *rows, by_time);
  for (size_t i = 0; i < count; i++) first[rows[i].line + 1] = i + 1;
  for (size_t line = 1; line <= lines; line++) first[line] = ETR_MAX(first[line], first[line - 1]);
  *out = (etr_line_patterns){rows, first};
  return true;
}
