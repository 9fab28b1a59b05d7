/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_rows.c - selecting and sorting.
 */
#include "views/diff_rows.h"

#include "base/natural.h"

#include <math.h>
#include <stdlib.h>

double etr_diff_average(const etr_change *change) { return change->new_avg - change->base_avg; }

double etr_diff_median(const etr_change *change) { return change->new_p50 - change->base_p50; }

double etr_diff_rest(const etr_method_pair *method) {
  double rest = etr_diff_average(&method->execute);
  for (size_t i = 0; i < method->pair_count; i++) rest -= etr_diff_average(&method->pairs[i].change);
  return rest;
}

bool etr_diff_takes_section(const etr_diff_filter *filter, etr_diff_section section) {
  static const etr_diff_by part_of[ETR_DIFF_SECTIONS] = {ETR_DIFF_BY_NODE, ETR_DIFF_BY_OP, ETR_DIFF_BY_MODULE,
                                                         ETR_DIFF_BY_PATTERN, ETR_DIFF_BY_BACKEND};
  return !filter || filter->by == ETR_DIFF_BY_ALL || filter->by == part_of[section];
}

bool etr_diff_takes_gaps(const etr_diff_filter *filter) {
  return !filter || filter->by == ETR_DIFF_BY_ALL || filter->by == ETR_DIFF_BY_VALUE;
}

bool etr_diff_takes_method(const etr_diff_filter *filter, const etr_method_pair *method) {
  return !filter || !filter->method || strcmp(filter->method, method->name) == 0;
}

/* ---- Sorting ---- */

static int by_news(const etr_diff_row *x, const etr_diff_row *y) { return (int)y->is_news - (int)x->is_news; }

static int by_change(const void *a, const void *b) {
  const etr_diff_row *x = a, *y = b;
  double x_size = fabs(etr_diff_median(x->change)), y_size = fabs(etr_diff_median(y->change));
  if (x->is_news != y->is_news) return by_news(x, y);
  if (x_size != y_size) return x_size < y_size ? 1 : -1;
  return etr_natural_compare(x->name, y->name);
}

static int by_text(const etr_diff_row *x, const etr_diff_row *y, const char *x_key, const char *y_key) {
  int order = x->is_news != y->is_news ? by_news(x, y) : etr_natural_compare(x_key, y_key);
  return order ? order : by_change(x, y);
}

static int by_name(const void *a, const void *b) {
  return by_text(a, b, ((const etr_diff_row *)a)->name, ((const etr_diff_row *)b)->name);
}

static int by_module(const void *a, const void *b) {
  return by_text(a, b, ((const etr_diff_row *)a)->module, ((const etr_diff_row *)b)->module);
}

static int by_op(const void *a, const void *b) {
  const etr_diff_row *x = a, *y = b;
  return by_text(x, y, x->pair ? x->pair->op : x->name, y->pair ? y->pair->op : y->name);
}

/* As they stand, which is the order of the graph. */
static int by_place(const void *a, const void *b) {
  const etr_diff_row *x = a, *y = b;
  if (x->is_news != y->is_news) return by_news(x, y);
  return (x->change > y->change) - (x->change < y->change);
}

static void sort_rows(etr_diff_row *rows, size_t count, etr_node_order order) {
  static int (*const compare[])(const void *, const void *) = {[ETR_ORDER_TIME] = by_change,
                                                               [ETR_ORDER_NAME] = by_name,
                                                               [ETR_ORDER_OP] = by_op,
                                                               [ETR_ORDER_MODULE] = by_module,
                                                               [ETR_ORDER_GRAPH] = by_place};
  etr_sort(rows, count, sizeof *rows, compare[order]);
}

/* ---- Selecting ---- */

const etr_node_groups *etr_diff_groups(const etr_method_pair *method, etr_diff_section section) {
  const etr_node_groups *const groups[ETR_DIFF_SECTIONS] = {NULL, &method->ops, &method->modules, &method->patterns,
                                                            &method->backends};
  return groups[section];
}

/* With few runs no row can be judged: then all that differ are shown. */
static bool is_news(const etr_method_pair *method, const etr_change *change) {
  bool timed = change->base_runs || change->new_runs;
  if (change->reason == ETR_REASON_FEW_RUNS) return fabs(etr_diff_median(change)) > 0;
  if (change->verdict == ETR_VERDICT_CANNOT_TELL || change->verdict == ETR_VERDICT_EQUAL) return false;
  return method->timed_nodes ? timed : change->verdict != ETR_VERDICT_UNTIMED;
}

bool etr_diff_rows_list(etr_diff_rows *out, etr_arena *arena, const etr_method_pair *method, etr_diff_section section) {
  bool of_nodes = section == ETR_DIFF_SECTION_NODES;
  const etr_node_groups *groups = of_nodes ? NULL : etr_diff_groups(method, section);
  etr_vec(etr_diff_row) rows = {0};
  *out = (etr_diff_rows){0};
  for (size_t i = 0; i < (of_nodes ? method->pair_count : groups->count); i++) {
    const etr_node_pair *pair = of_nodes ? &method->pairs[i] : NULL;
    const etr_change *change = pair ? &pair->change : &groups->rows[i].change;
    etr_diff_row *row = etr_vec_push(arena, &rows);
    if (!row) return false;
    *row = (etr_diff_row){.change = change,
                          .pair = pair,
                          .group = pair ? NULL : &groups->rows[i],
                          .name = pair ? NULL : groups->rows[i].key,
                          .module = "",
                          .is_news = is_news(method, change)};
    if (pair) row->name = pair->new_name ? pair->new_name : pair->base_name;
    if (pair) row->module = pair->new_module ? pair->new_module : pair->base_module;
    out->verdicts[change->verdict]++;
    out->news_count += row->is_news;
  }
  out->rows = rows.data;
  out->count = rows.count;
  return true;
}

bool etr_diff_rows_make(etr_diff_rows *out, etr_arena *arena, const etr_method_pair *method, etr_diff_section section,
                        etr_node_order order) {
  if (!etr_diff_rows_list(out, arena, method, section)) return false;
  sort_rows(out->rows, out->count, order);
  return true;
}
