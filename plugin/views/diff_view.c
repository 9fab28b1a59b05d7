/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_view.c - selects and sorts rows, gives them costs, and explains a change of time.
 */
#include "views/diff_view.h"

#include "base/module_path.h"
#include "base/natural.h"
#include "output/ranking.h"
#include "views/breakdown.h"

#include <math.h>
#include <stdlib.h>

/* ---- Selecting and sorting ---- */

double etr_diff_typical(const etr_change *change) {
  return change->new_typical - change->base_typical;
}

double etr_diff_average(const etr_change *change) {
  return change->new_avg - change->base_avg;
}

double etr_diff_median(const etr_change *change) {
  return change->new_p50 - change->base_p50;
}

etr_diff_section etr_diff_section_of(const etr_diff_filter *filter) {
  static const etr_diff_section sections[] = {[ETR_DIFF_BY_NODE] = ETR_DIFF_SECTION_NODES,
                                              [ETR_DIFF_BY_OP] = ETR_DIFF_SECTION_OPS,
                                              [ETR_DIFF_BY_MODULE] = ETR_DIFF_SECTION_MODULES,
                                              [ETR_DIFF_BY_PATTERN] = ETR_DIFF_SECTION_PATTERNS,
                                              [ETR_DIFF_BY_BACKEND] = ETR_DIFF_SECTION_BACKENDS,
                                              [ETR_DIFF_BY_SOURCE] = ETR_DIFF_SECTION_SOURCES,
                                              [ETR_DIFF_BY_KERNEL] = ETR_DIFF_SECTION_KERNELS};
  bool is_one = filter && filter->by >= ETR_DIFF_BY_NODE && filter->by <= ETR_DIFF_BY_KERNEL;
  return is_one ? sections[filter->by] : ETR_DIFF_SECTIONS;
}

bool etr_diff_takes_section(const etr_diff_filter *filter, etr_diff_section section) {
  return !filter || filter->by == ETR_DIFF_BY_ALL || section == etr_diff_section_of(filter);
}

bool etr_diff_takes_gaps(const etr_diff_filter *filter) {
  return !filter || filter->by == ETR_DIFF_BY_ALL || filter->by == ETR_DIFF_BY_VALUE;
}

bool etr_diff_takes_method(const etr_diff_filter *filter, const etr_method_pair *method) {
  return !filter || !filter->method || strcmp(filter->method, method->name) == 0;
}

/* ---- Sorting ---- */

/* Compares rows: those that are news (a reader wants to see them) come first. */
static int news_first(const etr_diff_row *x, const etr_diff_row *y) {
  return (int)y->is_news - (int)x->is_news;
}

/* Compares rows for qsort(): news first, then by the size of their change, the largest first, then
 * by name. */
static int by_change(const void *a, const void *b) {
  const etr_diff_row *x = a, *y = b;
  double x_size = fabs(etr_diff_typical(x->change)), y_size = fabs(etr_diff_typical(y->change));
  if (x->is_news != y->is_news)
    return news_first(x, y);
  if (x_size != y_size)
    return x_size < y_size ? 1 : -1;
  return etr_natural_compare(x->name, y->name);
}

/* Compares rows: news first, then by the given texts, then by change. */
static int by_news_and_text(const etr_diff_row *x, const etr_diff_row *y, const char *x_key,
                            const char *y_key) {
  int compared = x->is_news != y->is_news ? news_first(x, y) : etr_natural_compare(x_key, y_key);
  return compared ? compared : by_change(x, y);
}

static int by_name(const void *a, const void *b) {
  return by_news_and_text(a, b, ((const etr_diff_row *)a)->name, ((const etr_diff_row *)b)->name);
}

static int by_module(const void *a, const void *b) {
  return by_news_and_text(a, b, ((const etr_diff_row *)a)->module,
                          ((const etr_diff_row *)b)->module);
}

static int by_op(const void *a, const void *b) {
  const etr_diff_row *x = a, *y = b;
  return by_news_and_text(x, y, x->pair ? x->pair->op : x->name, y->pair ? y->pair->op : y->name);
}

/* Compares rows for qsort(): news first, then in the order of the comparison, which is that of the
 * graph, and in which their changes are stored. */
static int by_graph_order(const void *a, const void *b) {
  const etr_diff_row *x = a, *y = b;
  if (x->is_news != y->is_news)
    return news_first(x, y);
  return (x->change > y->change) - (x->change < y->change);
}

/* Sorts rows in the order that the user wants. */
static void sort_rows(etr_diff_row *rows, size_t count, etr_node_order order) {
  static int (*const compare[])(const void *, const void *) = {[ETR_ORDER_TIME] = by_change,
                                                               [ETR_ORDER_NAME] = by_name,
                                                               [ETR_ORDER_OP] = by_op,
                                                               [ETR_ORDER_MODULE] = by_module,
                                                               [ETR_ORDER_GRAPH] = by_graph_order};
  etr_sort(rows, count, sizeof *rows, compare[order]);
}

/* ---- Selecting ---- */

const etr_node_groups *etr_diff_groups(const etr_method_pair *method, etr_diff_section section) {
  const etr_node_groups *const groups[ETR_DIFF_SECTIONS] = {NULL,
                                                            &method->ops,
                                                            &method->modules,
                                                            &method->patterns,
                                                            &method->backends,
                                                            &method->sources,
                                                            &method->kernels,
                                                            &method->pattern_ops};
  return groups[section];
}

/* Returns true if a reader wants to see a row: it changed, or is on one side only. If any node of
 * the method was timed, a row without times is no news. With few runs no row can be judged, so all
 * rows that differ are news. */
static bool is_news(const etr_method_pair *method, const etr_change *change) {
  bool is_timed = change->base_runs || change->new_runs;
  if (change->reason == ETR_REASON_FEW_RUNS)
    return fabs(etr_diff_typical(change)) > 0;
  if (change->verdict == ETR_VERDICT_CANNOT_TELL || change->verdict == ETR_VERDICT_EQUAL ||
      change->verdict == ETR_VERDICT_LIKELY_EQUAL)
    return false;
  return method->timed_nodes ? is_timed : change->verdict != ETR_VERDICT_UNTIMED;
}

typedef etr_vec(etr_diff_row) etr_diff_row_list;

/* Adds the row of a pair of nodes or, if that is NULL, of a group, and counts its verdict. Returns
 * false when out of memory. */
static bool add_diff_row(etr_diff_rows *out, etr_diff_row_list *rows, etr_arena *arena,
                         const etr_method_pair *method, const etr_node_pair *pair,
                         const etr_node_group *group) {
  const etr_change *change = pair ? &pair->change : &group->change;
  etr_diff_row *row = etr_vec_push(arena, rows);
  if (!row)
    return false;
  *row = (etr_diff_row){.change = change,
                        .pair = pair,
                        .group = group,
                        .name = pair ? NULL : group->key,
                        .module = "",
                        .is_news = is_news(method, change)};
  if (pair)
    row->name = pair->new_name ? pair->new_name : pair->base_name;
  if (pair)
    row->module = pair->new_module ? pair->new_module : pair->base_module;
  out->verdicts[change->verdict]++;
  out->news_count += row->is_news;
  return true;
}

/* Lists the rows of a section: pairs of nodes, or groups and those around them (NULL: none).
 * Returns false when out of memory. */
static bool list_rows(etr_diff_rows *out, etr_arena *arena, const etr_method_pair *method,
                      etr_diff_section section, const etr_node_groups *outer_groups) {
  const etr_node_groups *groups = etr_diff_groups(method, section);
  etr_diff_row_list rows = {0};
  *out = (etr_diff_rows){0};
  for (size_t i = 0; !groups && i < method->pair_count; i++)
    if (!add_diff_row(out, &rows, arena, method, &method->pairs[i], NULL))
      return false;
  for (size_t i = 0; groups && i < groups->count; i++)
    if (!add_diff_row(out, &rows, arena, method, NULL, &groups->rows[i]))
      return false;
  for (size_t i = 0; outer_groups && i < outer_groups->count; i++)
    if (!add_diff_row(out, &rows, arena, method, NULL, &outer_groups->rows[i]))
      return false;
  out->rows = rows.data;
  out->count = rows.count;
  return true;
}

bool etr_diff_rows_list(etr_diff_rows *out, etr_arena *arena, const etr_method_pair *method,
                        etr_diff_section section) {
  const etr_node_groups *above = NULL;
  if (section == ETR_DIFF_SECTION_MODULES)
    above = &method->modules_above;
  if (section == ETR_DIFF_SECTION_PATTERNS)
    above = &method->patterns_above;
  return list_rows(out, arena, method, section, above);
}

bool etr_diff_rows_make(etr_diff_rows *out, etr_arena *arena, const etr_method_pair *method,
                        etr_diff_section section, etr_node_order order) {
  if (!list_rows(out, arena, method, section, NULL))
    return false;
  sort_rows(out->rows, out->count, order);
  return true;
}

/* ---- Costs of nodes by their pairs, of sums by their keys ---- */

/* One side of a method. */
typedef struct side {
  const etr_profile *profile;
  const etr_method *method;
  const etr_graph *graph; /* NULL: nothing is known */
  bool is_newer;
} side;

/* Returns the newer side of a pair of methods, or the base. Its method and its graph are NULL if it
 * lacks them. */
static side make_side(const etr_comparison *c, const etr_method_pair *pair, bool is_newer) {
  side s = {.profile = is_newer ? c->newer : c->base, .is_newer = is_newer};
  uint32_t index = is_newer ? pair->new_method : pair->base_method;
  if (!s.profile || index == ETR_NONE)
    return s;
  s.method = &s.profile->methods[index];
  if (s.method->graph != ETR_NONE)
    s.graph = &s.profile->graphs[s.method->graph];
  return s;
}

/* Sets the cost that a row has on a side. */
static void set_cost(const side *s, etr_diff_row *row, const etr_cost_figures *cost) {
  if (s->is_newer)
    row->new_cost = cost;
  else
    row->base_cost = cost;
}

/* Sets, in rows of pairs of nodes, the costs of the side's nodes. Returns false when out of memory.
 */
static bool add_node_costs(const side *s, etr_diff_row *rows, size_t count, etr_arena *arena) {
  etr_cost_figures *costs = etr_arena_alloc_array(arena, count, sizeof *costs);
  for (size_t i = 0; costs && i < count; i++) {
    uint32_t node = s->is_newer ? rows[i].pair->new_node : rows[i].pair->base_node;
    if (node == ETR_NONE)
      continue;
    costs[i] = etr_cost_figures_of_node(s->profile, s->graph, node);
    set_cost(s, &rows[i], &costs[i]);
  }
  return costs != NULL;
}

/* Sets, in rows of modules or patterns, the costs of the side with everything below them. sums: of
 * the side, without what is below; row_of_path: path or pattern -> index of its row. Returns false
 * when out of memory. */
static bool add_tree_costs(const side *s, etr_diff_row *rows, size_t count, etr_arena *arena,
                           const etr_breakdown *sums, const etr_map *row_of_path) {
  etr_cost_sum *costs = etr_arena_alloc_array(arena, count, sizeof *costs);
  etr_cost_figures *figures = etr_arena_alloc_array(arena, count, sizeof *figures);
  bool *is_known = etr_arena_alloc_array(arena, count, sizeof *is_known);
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < sums->count; i++)
    for (size_t level = 0, end = 0; etr_next_module_around(sums->rows[i].key, &level, &end);) {
      uint32_t row = etr_map_get(row_of_path, (etr_slice){sums->rows[i].key, end});
      if (row == ETR_NONE)
        continue;
      is_known[row] = true;
      etr_cost_add_sum(&costs[row], &sums->rows[i].costs);
    }
  for (size_t i = 0; i < count; i++) {
    if (!is_known[i])
      continue;
    figures[i] = etr_cost_figures_of(s->profile, &costs[i]);
    if (s->is_newer)
      rows[i].new_tree_cost = &figures[i];
    else
      rows[i].base_tree_cost = &figures[i];
  }
  return true;
}

/* Sets, in rows of sums, the costs of the side's sums of all nodes with the same key, such as an
 * operator; and those with everything below of modules and patterns. Returns false when out of
 * memory. */
static bool add_sum_costs(const side *s, etr_diff_row *rows, size_t count, etr_arena *arena,
                          etr_breakdown_by by) {
  etr_breakdown sums;
  etr_map row_of_key;
  etr_map_init(&row_of_key, arena);
  if (!etr_breakdown_make(&sums, arena, s->profile, s->method, by, NULL))
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (!etr_map_set(&row_of_key, etr_slice_of(rows[i].name), i))
      return false;
  for (size_t i = 0; i < sums.count; i++) {
    uint32_t row = etr_map_get(&row_of_key, etr_slice_of(sums.rows[i].key));
    if (row != ETR_NONE)
      set_cost(s, &rows[row], &sums.rows[i].cost);
  }
  return (by != ETR_BY_MODULE && by != ETR_BY_PATTERN) ||
         add_tree_costs(s, rows, count, arena, &sums, &row_of_key);
}

bool etr_diff_costs_add(etr_diff_rows *rows, etr_arena *arena, const etr_comparison *comparison,
                        const etr_method_pair *method, etr_diff_section section) {
  static const etr_breakdown_by by[ETR_DIFF_SECTIONS] = {
      [ETR_DIFF_SECTION_OPS] = ETR_BY_OP,
      [ETR_DIFF_SECTION_MODULES] = ETR_BY_MODULE,
      [ETR_DIFF_SECTION_PATTERNS] = ETR_BY_PATTERN,
      [ETR_DIFF_SECTION_BACKENDS] = ETR_BY_BACKEND,
      [ETR_DIFF_SECTION_SOURCES] = ETR_BY_SOURCE};
  etr_diff_row *list = rows->rows;
  bool good = true;
  for (int newer = 0; good && newer < 2; newer++) {
    const side s = make_side(comparison, method, newer);
    if (!s.graph || !s.graph->costs || method->by_events || section >= ETR_DIFF_SECTION_KERNELS)
      continue;
    good = section == ETR_DIFF_SECTION_NODES
               ? add_node_costs(&s, list, rows->count, arena)
               : add_sum_costs(&s, list, rows->count, arena, by[section]);
  }
  return good;
}

/* ---- The balance ---- */

/* Returns a method of one side; an empty one for ETR_NONE. */
static const etr_method *method_or_empty(const etr_profile *profile, uint32_t method) {
  static const etr_method nothing = {0};
  return method == ETR_NONE ? &nothing : &profile->methods[method];
}

/* Compares rows for qsort(): by part of the time, then by backend. */
static int by_part(const void *a, const void *b) {
  const etr_part_changes_row *x = a, *y = b;
  if (x->part != y->part)
    return x->part < y->part ? -1 : 1;
  return strcmp(etr_or_empty(x->backend), etr_or_empty(y->backend));
}

/* Returns the row of a part of the time and its backend, which is added if it is new: `rows` has
 * room for it. If one side does not know the names of its backends, they count as one, so that the
 * two sides have the same rows. */
static etr_part_changes_row *find_or_add_part(etr_part_changes_row *rows, size_t *count,
                                              const etr_part_time *part,
                                              const etr_method_pair *method) {
  bool is_unnamed = part->backend && method->unnamed_side != ETR_UNNAMED_NEITHER;
  const char *backend = is_unnamed ? ETR_UNKNOWN_BACKEND : part->backend;
  for (size_t i = 0; i < *count; i++)
    if (rows[i].part == part->part &&
        strcmp(etr_or_empty(rows[i].backend), etr_or_empty(backend)) == 0)
      return &rows[i];
  rows[*count] = (etr_part_changes_row){.part = part->part, .backend = backend};
  return &rows[(*count)++];
}

/* Returns the change of a part that was judged; NULL if there is none. */
static const etr_change *judged_part(const etr_method_pair *method,
                                     const etr_part_changes_row *row) {
  const char *name = etr_time_part_name(row->part);
  for (size_t i = 0; i < method->parts.count; i++)
    if (strcmp(method->parts.rows[i].key, name) == 0 &&
        strcmp(etr_or_empty(method->parts.rows[i].backend), etr_or_empty(row->backend)) == 0)
      return &method->parts.rows[i].change;
  return NULL;
}

bool etr_part_changes_make(etr_part_changes *out, etr_arena *arena,
                           const etr_comparison *comparison, const etr_method_pair *method) {
  const etr_method *base = method_or_empty(comparison->base, method->base_method),
                   *newer = method_or_empty(comparison->newer, method->new_method);
  size_t count = 0;
  etr_part_changes_row *rows = etr_arena_alloc_array(arena, base->part_count + newer->part_count,
                                                     sizeof *rows);
  if (!rows)
    return false;
  for (size_t i = 0; i < base->part_count; i++) {
    etr_part_changes_row *row = find_or_add_part(rows, &count, &base->parts[i], method);
    row->call_count += base->parts[i].call_count;
    row->base_call_count += base->parts[i].call_count;
    row->base_typical += base->parts[i].typical * comparison->base_scale;
    row->base_avg += etr_ticks_per_run(base, base->parts[i].ticks) * comparison->base_scale;
  }
  for (size_t i = 0; i < newer->part_count; i++)
    find_or_add_part(rows, &count, &newer->parts[i], method)
        ->call_count = 0; /* the base's, if any */
  for (size_t i = 0; i < newer->part_count; i++) {
    etr_part_changes_row *row = find_or_add_part(rows, &count, &newer->parts[i], method);
    row->call_count += newer->parts[i].call_count;
    row->new_typical += newer->parts[i].typical;
    row->new_avg += etr_ticks_per_run(newer, newer->parts[i].ticks);
  }
  etr_sort(rows, count, sizeof *rows, by_part);
  for (size_t i = 0; i < count; i++) {
    rows[i].change = judged_part(method, &rows[i]);
    bool is_shared = (i > 0 && rows[i - 1].part == rows[i].part) ||
                     (i + 1 < count && rows[i + 1].part == rows[i].part);
    rows[i].text = etr_balance_text(arena, rows[i].part, rows[i].backend, rows[i].call_count,
                                    is_shared);
    bool has_other_count = rows[i].part == ETR_TIME_CALL_OVERHEAD && rows[i].base_call_count &&
                           rows[i].base_call_count != rows[i].call_count;
    if (has_other_count && rows[i].text) /* "calling 40 → 22 delegates" */
      rows[i].text = etr_arena_format(arena, "calling %zu \xE2\x86\x92 %s", rows[i].base_call_count,
                                      rows[i].text + strlen("calling "));
  }
  *out = (etr_part_changes){rows, count};
  return !etr_arena_failed(arena);
}

/* ---- The first table ---- */

bool etr_diff_lacks_section(const etr_method_pair *method, etr_diff_section section) {
  return method->by_events &&
         (section == ETR_DIFF_SECTION_MODULES || section == ETR_DIFF_SECTION_PATTERNS ||
          section == ETR_DIFF_SECTION_SOURCES);
}

etr_diff_section etr_diff_first_section(const etr_diff_filter *filter,
                                        const etr_method_pair *method) {
  etr_diff_section section = etr_diff_section_of(filter);
  if (section == ETR_DIFF_SECTIONS || section == ETR_DIFF_SECTION_NODES)
    section = ETR_DIFF_SECTION_OPS;
  bool are_events = method->by_events && section == ETR_DIFF_SECTION_OPS;
  return are_events || etr_diff_lacks_section(method, section) ? ETR_DIFF_SECTION_KERNELS : section;
}

const etr_change *etr_diff_load(const etr_comparison *comparison) {
  const etr_change *longest = NULL;
  size_t timed = 0;
  for (size_t i = 0; i < comparison->method_count; i++)
    timed += comparison->methods[i].execute.base_runs || comparison->methods[i].execute.new_runs;
  for (size_t i = 0; i < comparison->load_count; i++) {
    const etr_change *load = &comparison->loads[i].change;
    if (!longest || load->new_typical > longest->new_typical)
      longest = load;
  }
  return timed > 1 ? NULL : longest;
}
