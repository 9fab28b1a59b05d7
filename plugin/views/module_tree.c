/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module_tree.c - adds up modules over the tree, and modules that repeat.
 */
#include "views/module_tree.h"

#include "output/ranking.h"
#include "views/run_stats.h"

#include <math.h>
#include <stdlib.h>

/* ---- Summing up modules ---- */

/* A module of the graph, with the time of its nodes. */
typedef struct sum {
  etr_module_row row; /* parent: index into the graph's modules */
  uint32_t module;
} sum;

/* Compares pointers to modules for qsort(): by parent, then by weight, the heaviest first. */
static int by_parent_and_weight(const void *a, const void *b) {
  const sum *x = *(const sum *const *)a, *y = *(const sum *const *)b;
  if (x->row.parent != y->row.parent)
    return x->row.parent < y->row.parent ? -1 : 1;
  if (x->row.weight != y->row.weight)
    return x->row.weight < y->row.weight ? 1 : -1;
  int compared = strcmp(x->row.path, y->row.path);
  return compared ? compared : (x->module > y->module) - (x->module < y->module);
}

/* Sets the sum of each module to that of the nodes directly in it; what is in modules below it is
 * added later. own: the method's breakdown by module, whose nodes count. */
static void sum_own_nodes(sum *sums, const etr_profile *profile, const etr_graph *graph,
                          const etr_breakdown *own) {
  for (size_t i = 0; i < graph->module_count; i++) {
    const etr_module *module = &graph->modules[i];
    uint32_t parent = module->parent == ETR_NONE ? ETR_NONE
                                                 : etr_counted_module(graph, module->parent);
    sums[i] = (sum){.row = {.path = module->path,
                            .type = module->type,
                            .pattern = module->pattern,
                            .parent = parent,
                            .number = ETR_NONE},
                    .module = (uint32_t)i};
  }
  for (size_t i = 0; i < graph->node_count; i++) {
    etr_module_row *row = &sums[etr_counted_module(graph, graph->nodes[i].module)].row;
    const etr_node_time *time = &graph->times[i];
    if (own->row_of_node[i] == ETR_NONE)
      continue;
    row->number = own->row_of_node[i];
    row->own_ticks += time->total_ticks;
    row->own_typical += time->typical;
    row->estimated_ticks += time->is_estimated ? time->total_ticks : 0;
    row->own_count++;
    etr_cost_add(&row->own_costs, profile, graph, i);
    row->step = ETR_MAX(row->step, etr_clock_step(profile, time->backend, NULL));
  }
}

/* Sets row.total_p50 of the modules of a level: the median over the runs of what all of a
 * module's nodes took in a run, in ticks. module_of has, per node, its module of this level or
 * above; ETR_NONE if it is not counted. Returns false when out of memory. */
static bool set_level_medians(sum *sums, const etr_method *method, const etr_graph *graph,
                              const uint32_t *module_of, uint32_t level) {
  etr_arena scratch = {0};
  uint32_t *modules = etr_arena_alloc_raw_array(&scratch, graph->module_count, sizeof *modules),
           count = 0;
  uint32_t *number_of_module = etr_arena_alloc_raw_array(&scratch, graph->module_count,
                                                         sizeof *number_of_module);
  uint32_t *group_of = etr_arena_alloc_raw_array(&scratch, graph->node_count, sizeof *group_of);
  const etr_stats *stats = NULL;
  if (modules && number_of_module && group_of) {
    for (uint32_t i = 0; i < graph->module_count; i++) {
      bool is_here = sums[i].row.level == level && sums[i].row.node_count > 0;
      number_of_module[i] = is_here ? count : ETR_NONE;
      if (is_here)
        modules[count++] = i;
    }
    for (size_t i = 0; i < graph->node_count; i++)
      group_of[i] = module_of[i] == ETR_NONE ? ETR_NONE : number_of_module[module_of[i]];
    stats = etr_run_stats_of_nodes(&scratch, method, group_of, count);
  }
  for (size_t i = 0; stats && i < count; i++)
    sums[modules[i]].row.total_p50 = stats[i].p50;
  etr_arena_clear(&scratch);
  return stats != NULL;
}

/* Sets the medians of all modules, level by level, because no node is in two modules of one level.
 * Returns false when out of memory. */
static bool set_medians(sum *sums, etr_arena *arena, const etr_profile *profile,
                        const etr_method *method, const etr_breakdown *own) {
  enum { MOST_LEVELS = 64 };
  const etr_graph *graph = &profile->graphs[method->graph];
  uint32_t *module_of = etr_arena_alloc_array(arena, graph->node_count, sizeof *module_of),
           deepest = 0;
  if (!module_of)
    return false;
  for (size_t i = 0; i < graph->module_count; i++) {
    sums[i].row.total_p50 = NAN;
    if (sums[i].row.node_count)
      deepest = ETR_MAX(deepest, sums[i].row.level);
  }
  for (size_t i = 0; i < graph->node_count; i++)
    module_of[i] = own->row_of_node[i] == ETR_NONE
                       ? ETR_NONE
                       : etr_counted_module(graph, graph->nodes[i].module);
  bool good = true;
  for (uint32_t level = ETR_MIN(deepest, MOST_LEVELS - 1) + 1; good && level-- > 0;) {
    for (size_t i = 0; i < graph->node_count; i++)
      while (module_of[i] != ETR_NONE && sums[module_of[i]].row.level > level)
        module_of[i] = sums[module_of[i]].row.parent;
    good = set_level_medians(sums, method, graph, module_of, level);
  }
  return good;
}

/* Sets *out to the modules that have nodes, each before the modules below it, and siblings by
 * weight, the heaviest first; and to the sum of the outermost modules' medians. Children are pushed
 * onto the stack in reverse order, because it returns the last one first. Returns false when out of
 * memory. */
static bool list_parents_first(etr_module_tree *out, etr_arena *arena, sum *sums,
                               size_t module_count) {
  const sum **sorted = etr_arena_alloc_array(arena, module_count, sizeof *sorted);
  const sum **stack = etr_arena_alloc_array(arena, module_count, sizeof *stack);
  uint32_t *row_of_module = etr_arena_alloc_array(arena, module_count, sizeof *row_of_module);
  size_t count = 0, depth = 0, row_count = 0;
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < module_count; i++)
    if (sums[i].row.node_count > 0)
      sorted[count++] = &sums[i];
  etr_sort(sorted, count, sizeof *sorted, by_parent_and_weight);
  /* The children of module m are [first_child[m], first_child[m + 1]) in a list sorted by parent;
   * those of the root come last. */
  size_t *first_child = etr_arena_alloc_array(arena, module_count + 2, sizeof *first_child);
  for (size_t i = 0; first_child && i < count; i++)
    first_child[(sorted[i]->row.parent == ETR_NONE ? module_count : sorted[i]->row.parent) + 1]++;
  for (size_t m = 1; first_child && m <= module_count + 1; m++)
    first_child[m] += first_child[m - 1];
  etr_module_row *rows = etr_arena_alloc_raw_array(arena, count, sizeof *rows);
  if (etr_arena_failed(arena))
    return false;
  for (size_t k = first_child[module_count + 1]; k-- > first_child[module_count];)
    stack[depth++] = sorted[k];
  while (depth > 0) {
    const sum *module = stack[--depth];
    row_of_module[module->module] = (uint32_t)row_count;
    rows[row_count] = module->row;
    if (module->row.parent != ETR_NONE)
      rows[row_count].parent = row_of_module[module->row.parent];
    row_count++;
    for (size_t k = first_child[module->module + 1]; k-- > first_child[module->module];)
      stack[depth++] = sorted[k];
  }
  *out = (etr_module_tree){.rows = rows, .count = row_count};
  for (size_t i = 0; i < row_count; i++)
    if (rows[i].level == 1)
      out->summed_p50 += rows[i].total_p50;
  return true;
}

bool etr_module_tree_make(etr_module_tree *out, etr_arena *arena, const etr_profile *profile,
                          const etr_method *method, const etr_breakdown *own) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  *out = (etr_module_tree){0};
  if (!graph || !graph->times)
    return true;
  sum *sums = etr_arena_alloc_raw_array(arena, graph->module_count, sizeof *sums);
  if (!sums)
    return false;
  sum_own_nodes(sums, profile, graph, own);
  /* Parents precede their children. */
  for (size_t i = graph->module_count; i-- > 0;) {
    sums[i].row.total_ticks += sums[i].row.own_ticks;
    sums[i].row.total_typical += sums[i].row.own_typical;
    sums[i].row.node_count += sums[i].row.own_count;
    etr_cost_add_sum(&sums[i].row.costs, &sums[i].row.own_costs);
    if (sums[i].row.parent == ETR_NONE)
      continue;
    etr_module_row *parent = &sums[sums[i].row.parent].row;
    parent->total_ticks += sums[i].row.total_ticks;
    parent->total_typical += sums[i].row.total_typical;
    parent->node_count += sums[i].row.node_count;
    etr_cost_add_sum(&parent->costs, &sums[i].row.costs);
    parent->step = ETR_MAX(parent->step, sums[i].row.step);
  }
  for (size_t i = 0; i < graph->module_count; i++)
    if (sums[i].row.parent != ETR_NONE)
      sums[i].row.level = sums[sums[i].row.parent].row.level + 1;
  if (!set_medians(sums, arena, profile, method, own))
    return false;
  const etr_cost_figures nothing = etr_cost_figures_of(profile, &(etr_cost_sum){0});
  for (size_t i = 0; i < graph->module_count; i++) {
    etr_module_row *row = &sums[i].row;
    if (row->node_count == 0)
      continue; /* it is not shown */
    row->weight = etr_ranking_time(
        profile, (etr_times){row->total_typical, etr_ticks_per_run(method, row->total_ticks),
                             isnan(row->total_p50) ? 0 : row->total_p50});
    row->cost = etr_cost_figures_of(profile, &row->costs);
    row->own_cost = row->own_count ? etr_cost_figures_of(profile, &row->own_costs) : nothing;
  }
  if (!list_parents_first(out, arena, sums, graph->module_count))
    return false;
  if (sums[0].row.number != ETR_NONE)
    out->summed_p50 += own->stats[sums[0].row.number].p50;
  return true;
}

/* ---- For people ---- */

/* Returns the first level such that the tree has at least wanted_rows rows down to it; the root,
 * which is level 0, does not count. If it has fewer, the level may be one that no row has. */
static size_t readable_depth(const etr_module_tree *tree, etr_arena *arena, size_t wanted_rows) {
  size_t *rows = etr_arena_alloc_array(arena, tree->count + 2, sizeof *rows), depth = 1;
  for (size_t i = 0; rows && i < tree->count; i++)
    rows[tree->rows[i].level]++;
  for (size_t so_far = rows ? rows[1] : wanted_rows; so_far < wanted_rows && depth < tree->count;
       so_far += rows[depth])
    depth++;
  return depth;
}

/* A row and its index. */
typedef struct indexed_row {
  const etr_module_row *row;
  size_t row_index;
} indexed_row;

/* Compares by weight, the largest first. Equal rows keep their order, so that a parent precedes the
 * modules below it.
 */
static int by_total(const void *a, const void *b) {
  const indexed_row *x = a, *y = b;
  if (x->row->weight != y->row->weight)
    return x->row->weight < y->row->weight ? 1 : -1;
  return (x->row_index > y->row_index) - (x->row_index < y->row_index);
}

const bool *etr_module_tree_choose(const etr_module_tree *tree, etr_arena *arena, size_t depth,
                                   size_t most) {
  bool *shown = etr_arena_alloc_array(arena, tree->count, sizeof *shown);
  indexed_row *sorted_rows = etr_arena_alloc_array(arena, tree->count, sizeof *sorted_rows);
  size_t count = 0;
  if (etr_arena_failed(arena))
    return NULL;
  if (depth == 0)
    depth = most == 0 ? tree->count : readable_depth(tree, arena, most);
  for (size_t i = 0; i < tree->count; i++)
    if (tree->rows[i].level > 0 && tree->rows[i].level <= depth)
      sorted_rows[count++] = (indexed_row){&tree->rows[i], i};
  etr_sort(sorted_rows, count, sizeof *sorted_rows, by_total);
  for (size_t i = 0; i < count && (most == 0 || i < most); i++)
    shown[sorted_rows[i].row_index] = true;
  return shown;
}

/* ---- Summing up modules that repeat ---- */

/* Compares pointers to rows for qsort(): by pattern, then by weight, the heaviest first, then by
 * path. */
static int by_pattern(const void *a, const void *b) {
  const etr_module_row *x = *(const etr_module_row *const *)a;
  const etr_module_row *y = *(const etr_module_row *const *)b;
  int compared = strcmp(x->pattern, y->pattern);
  if (compared)
    return compared;
  if (x->weight != y->weight)
    return x->weight < y->weight ? 1 : -1;
  return strcmp(x->path, y->path);
}

/* Compares patterns for qsort(): by weight, the heaviest first; the top level comes before all. */
static int by_pattern_time(const void *a, const void *b) {
  const etr_pattern_row *x = a, *y = b;
  if ((x->level == 0) != (y->level == 0))
    return x->level == 0 ? -1 : 1;
  if (x->weight != y->weight)
    return x->weight < y->weight ? 1 : -1;
  if (x->level != y->level)
    return x->level < y->level ? -1 : 1; /* a container before what it contains */
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
    if (size)
      text[size++] = '.';
    while (*path >= '0' && *path <= '9')
      text[size++] = *path++;
  }
  return text;
}

/* Returns the median of the rows' weights, which are in descending order. */
static double median_weight(const etr_module_row *const *rows, size_t count) {
  return (rows[count / 2]->weight + rows[(count - 1) / 2]->weight) / 2;
}

/* Returns the sums of all modules of one pattern, which are sorted by weight, the heaviest first.
 * The type is that of all of them, "" if they differ. */
static etr_pattern_row sum_pattern(const etr_profile *profile, const etr_module_row *const *rows,
                                   size_t count) {
  etr_cost_sum costs = {0}, own_costs = {0};
  etr_pattern_row row = {.pattern = rows[0]->pattern,
                         .type = rows[0]->type,
                         .level = rows[0]->level,
                         .module_count = count,
                         .median = median_weight(rows, count),
                         .slowest = rows[0]->path,
                         .slowest_time = rows[0]->weight};
  for (size_t i = 0; i < count; i++) {
    row.total_ticks += rows[i]->total_ticks;
    row.own_ticks += rows[i]->own_ticks;
    row.total_typical += rows[i]->total_typical;
    row.own_typical += rows[i]->own_typical;
    row.weight += rows[i]->weight;
    row.estimated_ticks += rows[i]->estimated_ticks;
    row.node_count += rows[i]->node_count;
    row.own_count += rows[i]->own_count;
    etr_cost_add_sum(&costs, &rows[i]->costs);
    etr_cost_add_sum(&own_costs, &rows[i]->own_costs);
    if (strcmp(rows[i]->type, row.type) != 0)
      row.type = "";
  }
  row.cost = etr_cost_figures_of(profile, &costs);
  row.own_cost = etr_cost_figures_of(profile, &own_costs);
  return row;
}

bool etr_module_patterns_make(etr_module_patterns *out, etr_arena *arena,
                              const etr_profile *profile, const etr_module_tree *tree,
                              const etr_breakdown *own, bool by_name) {
  const etr_module_row **sorted = etr_arena_alloc_array(arena, tree->count, sizeof *sorted);
  etr_pattern_row *rows = etr_arena_alloc_array(arena, tree->count, sizeof *rows);
  size_t count = 0;
  *out = (etr_module_patterns){0};
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < tree->count; i++)
    sorted[i] = &tree->rows[i];
  etr_sort(sorted, tree->count, sizeof *sorted, by_pattern);
  for (size_t from = 0, to; from < tree->count; from = to) {
    for (to = from + 1;
         to < tree->count && strcmp(sorted[from]->pattern, sorted[to]->pattern) == 0;)
      to++;
    rows[count++] = sum_pattern(profile, &sorted[from], to - from);
  }
  /* A pattern has the times of its modules without the modules in them. */
  etr_map numbers;
  etr_map_init(&numbers, arena);
  for (uint32_t i = 0; i < own->count; i++)
    if (!etr_map_set(&numbers, etr_slice_of(own->rows[i].key), own->rows[i].number))
      return false;
  for (size_t i = 0; i < count; i++) {
    uint32_t number = etr_map_get(&numbers, etr_slice_of(rows[i].pattern));
    rows[i].stats = number == ETR_NONE ? NULL : &own->stats[number];
  }
  if (count && !by_name)
    etr_sort(rows, count, sizeof *rows, by_pattern_time);
  *out = (etr_module_patterns){rows, count};
  return true;
}

bool etr_module_patterns_of(etr_module_patterns *out, etr_arena *arena, const etr_profile *profile,
                            const etr_method *method) {
  etr_breakdown by[ETR_BREAKDOWNS] = {{0}};
  etr_module_tree tree;
  if (!etr_breakdowns_make(by, 1u << ETR_BY_MODULE | 1u << ETR_BY_PATTERN, arena, profile, method,
                           NULL) ||
      !etr_module_tree_make(&tree, arena, profile, method, &by[ETR_BY_MODULE]))
    return false;
  return etr_module_patterns_make(out, arena, profile, &tree, &by[ETR_BY_PATTERN], false);
}
