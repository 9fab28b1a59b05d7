/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module_patterns.c - summing up modules that repeat.
 */
#include "views/module_patterns.h"

#include <stdlib.h>

/* Rows of the tree by pattern, those of one pattern with most time first. */
static int by_pattern(const void *a, const void *b) {
  const etr_module_row *x = *(const etr_module_row *const *)a, *y = *(const etr_module_row *const *)b;
  int order = strcmp(x->pattern, y->pattern);
  if (order) return order;
  if (x->total_ticks != y->total_ticks) return x->total_ticks < y->total_ticks ? 1 : -1;
  return strcmp(x->path, y->path);
}

static int by_time(const void *a, const void *b) {
  const etr_pattern_row *x = a, *y = b;
  if ((x->level == 0) != (y->level == 0)) return x->level == 0 ? -1 : 1;
  if (x->total_ticks != y->total_ticks) return x->total_ticks < y->total_ticks ? 1 : -1;
  if (x->level != y->level) return x->level < y->level ? -1 : 1; /* a container before what it contains */
  return strcmp(x->pattern, y->pattern);
}

const char *etr_pattern_numbers(etr_arena *arena, const char *pattern, const char *path) {
  char *text = etr_arena_alloc(arena, strlen(path) + 1);
  size_t size = 0;
  for (; text && *pattern && *path; pattern++) {
    if (*pattern == *path) {
      path++;
      continue;
    }
    if (size) text[size++] = '.';
    while (*path >= '0' && *path <= '9') text[size++] = *path++;
  }
  return text;
}

/* Of values that descend. */
static double median_of(const etr_module_row *const *rows, size_t count) {
  uint64_t low = rows[count / 2]->total_ticks, high = rows[(count - 1) / 2]->total_ticks;
  return (double)low + (double)(high - low) / 2;
}

static etr_pattern_row sum_of(const etr_profile *profile, const etr_module_row *const *rows, size_t count) {
  etr_cost_sum costs = {0}, own_costs = {0};
  etr_pattern_row sum = {.pattern = rows[0]->pattern,
                         .type = rows[0]->type,
                         .level = rows[0]->level,
                         .module_count = count,
                         .median_ticks = median_of(rows, count),
                         .slowest = rows[0]->path,
                         .slowest_ticks = rows[0]->total_ticks};
  for (size_t i = 0; i < count; i++) {
    sum.total_ticks += rows[i]->total_ticks;
    sum.own_ticks += rows[i]->own_ticks;
    sum.estimated_ticks += rows[i]->estimated_ticks;
    sum.node_count += rows[i]->node_count;
    sum.own_count += rows[i]->own_count;
    etr_cost_add_sum(&costs, &rows[i]->costs);
    etr_cost_add_sum(&own_costs, &rows[i]->own_costs);
    if (strcmp(rows[i]->type, sum.type) != 0) sum.type = "";
  }
  sum.cost = etr_cost_figures_of(profile, &costs);
  sum.own_cost = etr_cost_figures_of(profile, &own_costs);
  return sum;
}

static bool add_stats(etr_pattern_row *rows, size_t count, const etr_breakdown *own, etr_arena *arena) {
  etr_map places;
  etr_map_init(&places, arena);
  for (uint32_t i = 0; i < own->count; i++)
    if (!etr_map_set(&places, etr_slice_of(own->rows[i].key), own->rows[i].number)) return false;
  for (size_t i = 0; i < count; i++) {
    uint32_t number = etr_map_get(&places, etr_slice_of(rows[i].pattern));
    rows[i].stats = number == ETR_NONE ? NULL : &own->stats[number];
  }
  return true;
}

bool etr_module_patterns_make(etr_module_patterns *out, etr_arena *arena, const etr_profile *profile,
                              const etr_module_tree *tree, const etr_breakdown *own, bool by_name) {
  const etr_module_row **sorted = etr_arena_alloc_array(arena, tree->count, sizeof *sorted);
  etr_pattern_row *rows = etr_arena_alloc_array(arena, tree->count, sizeof *rows);
  size_t count = 0;
  *out = (etr_module_patterns){0};
  if (!sorted || !rows) return false;
  for (size_t i = 0; i < tree->count; i++) sorted[i] = &tree->rows[i];
  etr_sort(sorted, tree->count, sizeof *sorted, by_pattern);
  for (size_t from = 0, to; from < tree->count; from = to) {
    for (to = from + 1; to < tree->count && strcmp(sorted[from]->pattern, sorted[to]->pattern) == 0;) to++;
    rows[count++] = sum_of(profile, &sorted[from], to - from);
  }
  if (!add_stats(rows, count, own, arena)) return false;
  if (count && !by_name) etr_sort(rows, count, sizeof *rows, by_time);
  *out = (etr_module_patterns){rows, count};
  return true;
}

bool etr_module_patterns_of(etr_module_patterns *out, etr_arena *arena, const etr_profile *profile,
                            const etr_method *method) {
  etr_breakdown by[ETR_BREAKDOWNS] = {{0}};
  etr_module_tree tree;
  if (!etr_breakdowns_make(by, 1u << ETR_BY_MODULE | 1u << ETR_BY_PATTERN, arena, profile, method, NULL) ||
      !etr_module_tree_make(&tree, arena, profile, method, &by[ETR_BY_MODULE]))
    return false;
  return etr_module_patterns_make(out, arena, profile, &tree, &by[ETR_BY_PATTERN], false);
}
