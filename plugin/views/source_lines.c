/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_lines.c - rows by file.
 */
#include "source_lines.h"

#include <stdlib.h>

/* What was not recorded comes behind all files. */
static int by_file_and_line(const void *a, const void *b) {
  const etr_source *x = (*(const etr_breakdown_row *const *)a)->source, *y = (*(const etr_breakdown_row *const *)b)->source;
  if (!x || !y) return !x - !y;
  int order = strcmp(x->file, y->file);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int by_path(const void *a, const void *b) {
  const etr_source_lines *x = a, *y = b;
  if (!x->path || !y->path) return !x->path - !y->path;
  return strcmp(x->path, y->path);
}

static int by_total(const void *a, const void *b) {
  const etr_source_lines *x = a, *y = b;
  if (x->total_ticks != y->total_ticks) return x->total_ticks < y->total_ticks ? 1 : -1;
  return by_path(a, b);
}

static bool is_same_file(const etr_breakdown_row *a, const etr_breakdown_row *b) {
  return a->source && b->source ? strcmp(a->source->file, b->source->file) == 0 : a->source == b->source;
}

const etr_source_lines *etr_source_lines_make(size_t *count, etr_arena *arena, const etr_summary *summary, bool paths_first) {
  const etr_breakdown *by = &summary->by[ETR_BY_SOURCE];
  const etr_breakdown_row **rows = etr_arena_alloc_array(arena, by->count, sizeof *rows);
  const etr_source **sources = etr_arena_alloc_array(arena, by->count, sizeof *sources);
  etr_source_lines *files = etr_arena_alloc_array(arena, by->count, sizeof *files);
  *count = 0;
  if (!rows || !sources || !files) return NULL;
  for (size_t i = 0; i < by->count; i++) rows[i] = &by->rows[i];
  if (by->count) qsort(rows, by->count, sizeof *rows, by_file_and_line);
  for (size_t i = 0; i < by->count; i++) {
    sources[i] = rows[i]->source;
    if (i == 0 || !is_same_file(rows[i - 1], rows[i]))
      files[(*count)++] = (etr_source_lines){.path = sources[i] ? sources[i]->file : NULL, .rows = &rows[i], .sources = &sources[i]};
    etr_source_lines *file = &files[*count - 1];
    file->count++;
    file->total_ticks += rows[i]->total_ticks;
    file->node_count += rows[i]->node_count;
  }
  if (*count) qsort(files, *count, sizeof *files, paths_first ? by_path : by_total);
  return files;
}
