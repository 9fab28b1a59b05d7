/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_lines.c - rows by file.
 */
#include "views/source_lines.h"

#include "base/natural.h"
#include "output/ranking.h"
#include "views/run_stats.h"

#include <stdlib.h>

/* What was not recorded comes behind all files. */
static int by_file_and_line(const void *a, const void *b) {
  const etr_source *x = (*(const etr_breakdown_row *const *)a)->source,
                   *y = (*(const etr_breakdown_row *const *)b)->source;
  if (!x || !y) return !x - !y;
  int order = strcmp(x->file, y->file);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int by_path(const void *a, const void *b) {
  const etr_source_lines *x = a, *y = b;
  if (!x->path || !y->path) return !x->path - !y->path;
  return etr_natural_compare(x->path, y->path);
}

static int by_weight(const void *a, const void *b) {
  const etr_source_lines *x = a, *y = b;
  if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
  return by_path(a, b);
}

static bool is_same_file(const etr_breakdown_row *a, const etr_breakdown_row *b) {
  return a->source && b->source ? strcmp(a->source->file, b->source->file) == 0 : a->source == b->source;
}

/* Weighs the files. False when out of memory. */
static bool weigh(etr_source_lines *files, size_t count, etr_arena *arena, const etr_summary *s) {
  const etr_breakdown *by = &s->by[ETR_BY_SOURCE];
  size_t nodes = s->graph ? s->graph->node_count : 0;
  uint32_t *file_of_row = etr_arena_alloc_array(arena, by->count, sizeof *file_of_row);
  uint32_t *file_of_node = etr_arena_alloc_array(arena, nodes, sizeof *file_of_node);
  if (!file_of_row || !file_of_node) return false;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < files[i].count; k++) file_of_row[files[i].rows[k]->number] = (uint32_t)i;
  for (size_t i = 0; i < nodes; i++)
    file_of_node[i] = by->row_of_node[i] == ETR_NONE ? ETR_NONE : file_of_row[by->row_of_node[i]];
  const etr_stats *stats = etr_run_stats_of_nodes(arena, s->method, file_of_node, count);
  double summed_p50 = 0;
  for (size_t i = 0; stats && i < count; i++) {
    summed_p50 += files[i].p50 = stats[i].p50;
    files[i].weight = etr_ranking(s->profile, (double)files[i].total_ticks, stats[i].p50);
  }
  for (size_t i = 0; stats && i < count; i++) files[i].summed_p50 = summed_p50;
  return stats != NULL;
}

const etr_source_lines *etr_source_lines_make(size_t *count, etr_arena *arena, const etr_summary *summary,
                                              bool paths_first) {
  const etr_breakdown *by = &summary->by[ETR_BY_SOURCE];
  const etr_breakdown_row **rows = etr_arena_alloc_array(arena, by->count, sizeof *rows);
  const etr_source **sources = etr_arena_alloc_array(arena, by->count, sizeof *sources);
  etr_source_lines *files = etr_arena_alloc_array(arena, by->count, sizeof *files);
  *count = 0;
  if (!rows || !sources || !files) return NULL;
  for (size_t i = 0; i < by->count; i++) rows[i] = &by->rows[i];
  etr_sort(rows, by->count, sizeof *rows, by_file_and_line);
  for (size_t i = 0; i < by->count; i++) {
    sources[i] = rows[i]->source;
    if (i == 0 || !is_same_file(rows[i - 1], rows[i]))
      files[(*count)++] = (etr_source_lines){
          .path = sources[i] ? sources[i]->file : NULL, .rows = &rows[i], .sources = &sources[i]};
    etr_source_lines *file = &files[*count - 1];
    file->count++;
    file->total_ticks += rows[i]->total_ticks;
    file->node_count += rows[i]->node_count;
  }
  if (!weigh(files, *count, arena, summary)) return NULL;
  etr_sort(files, *count, sizeof *files, paths_first ? by_path : by_weight);
  return files;
}
