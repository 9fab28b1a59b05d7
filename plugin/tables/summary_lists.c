/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_lists.c - the lists of a summary: operators, sums by what they have in common, modules.
 */
#include "label.h"
#include "summary_report.h"

#include <stdlib.h>

enum { TREE_ROWS = 40 };

static size_t shown_of(const etr_report *r, size_t count) { return r->options->top ? ETR_MIN(count, r->options->top) : count; }

/* ---- Operators ---- */

void etr_report_operators(etr_report *r, const etr_summary *s) {
  const etr_column columns[] = {{"operators", false, true}, {etr_report_unit(r, "avg"), true, false},
                                {"share", true, false},     {"p90/p50", true, false},
                                {"module", false, true},    {"runs as", false, true}};
  etr_table table;
  size_t shown = shown_of(r, s->node_count);
  if (s->node_count == 0) return;
  etr_table_init(&table, &r->arena, columns, ETR_COUNT(columns));
  etr_table_may_leave_out(&table, 5);
  etr_table_may_leave_out(&table, 3);
  for (size_t i = 0; i < shown; i++) {
    const etr_node *node = &s->graph->nodes[s->nodes[i]];
    const etr_node_time *time = &s->graph->times[s->nodes[i]];
    etr_style style = time->match == ETR_MATCH_ALIGNED ? ETR_STYLE_DIM : ETR_STYLE_PLAIN;
    etr_table_add(&table, etr_report_cell(r, node->target));
    etr_table_style(&table, style);
    etr_report_add_time(r, &table, time->avg);
    etr_table_style(&table, style);
    etr_table_add_share(&table, (double)time->total_ticks, (double)s->method->execute_ticks);
    etr_report_add_jitter(&table, &time->per_run);
    etr_table_add(&table, s->graph->modules[node->module].path);
    etr_table_add(&table, etr_label_kernel(time->runs_as));
  }
  etr_report_end_table(r, &table, s->node_count - shown);
}

/* ---- Events, where there is no graph ---- */

/* An event and its time over all runs. */
typedef struct timed_event {
  const etr_event *event;
  uint64_t ticks;
} timed_event;

static int by_ticks(const void *a, const void *b) {
  const timed_event *x = a, *y = b;
  if (x->ticks != y->ticks) return x->ticks < y->ticks ? 1 : -1;
  return (x->event > y->event) - (x->event < y->event);
}

/* Kernels, operators inside delegates, and calls of delegates that tell nothing of their inside. Framework events contain these. */
static bool is_own_time(const etr_block *block, size_t row) {
  const etr_event *e = &block->events[row];
  if (e->match == ETR_MATCH_FRAMEWORK) return false;
  return e->delegate_id || row == 0 || !block->events[row - 1].delegate_id || block->events[row - 1].instruction_id != e->instruction_id;
}

void etr_report_events(etr_report *r, const etr_summary *s) {
  const etr_column columns[] = {{"events", false, true},
                                {etr_report_unit(r, "avg"), true, false},
                                {"share", true, false},
                                {"p90/p50", true, false},
                                {"instruction", true, false}};
  etr_vec(timed_event) list = {0};
  etr_table table;
  for (size_t i = 0; i < r->profile->block_count; i++) {
    const etr_block *block = &r->profile->blocks[i];
    for (size_t k = 0; block->method != ETR_NONE && &r->profile->methods[block->method] == s->method && k < block->event_count; k++) {
      timed_event *added = is_own_time(block, k) ? etr_vec_push(&r->arena, &list) : NULL;
      if (added) added->event = &block->events[k];
      for (size_t n = 0; added && n < added->event->sample_count; n++) added->ticks += added->event->durations[n];
    }
  }
  if (list.count == 0) return;
  qsort(list.data, list.count, sizeof *list.data, by_ticks);
  etr_table_init(&table, &r->arena, columns, ETR_COUNT(columns));
  size_t shown = shown_of(r, list.count);
  for (size_t i = 0; i < shown; i++) {
    const etr_event *e = list.data[i].event;
    etr_table_add(&table, etr_report_cell(r, etr_label_kernel(e->name)));
    etr_report_add_time(r, &table, etr_report_per_run(s, list.data[i].ticks));
    etr_table_add_share(&table, (double)list.data[i].ticks, (double)s->method->execute_ticks);
    etr_report_add_jitter(&table, &e->stats);
    etr_table_add(&table, e->instruction_id < 0 ? "" : etr_arena_format(&r->arena, "%d", (int)e->instruction_id));
  }
  etr_report_end_table(r, &table, list.count - shown);
}

/* ---- By type, backend, source line ---- */

static const char *key_text(etr_report *r, const etr_breakdown_row *row, etr_breakdown_by by) {
  if (by == ETR_BY_SOURCE && !row->source) return "(not recorded)";
  if (by == ETR_BY_SOURCE) return etr_label_source(&r->arena, row->source);
  return row->key;
}

static bool any_estimated(const etr_breakdown *rows) {
  for (size_t i = 0; i < rows->count; i++)
    if (rows->rows[i].estimated_ticks > 0) return true;
  return false;
}

void etr_report_breakdown(etr_report *r, const etr_summary *s, etr_breakdown_by by) {
  static const char *const titles[] = {"by type", "by module", "by backend", "by source line"};
  const etr_breakdown *rows = &s->by[by];
  etr_column columns[6] = {{titles[by], false, true}, {etr_report_unit(r, "avg"), true, false}, {"share", true, false}, {"nodes", true, false}};
  bool estimated = any_estimated(rows), code = by == ETR_BY_SOURCE;
  size_t column_count = 4;
  size_t shown = shown_of(r, rows->count);
  etr_table table;
  if (rows->count == 0) return;
  if (estimated) columns[column_count++] = (etr_column){"estimated", true, false};
  if (code) columns[column_count++] = (etr_column){"code", false, true};
  etr_table_init(&table, &r->arena, columns, column_count);
  if (code) etr_table_may_leave_out(&table, column_count - 1);
  for (size_t i = 0; i < shown; i++) {
    const etr_breakdown_row *row = &rows->rows[i];
    etr_table_add(&table, etr_report_cell(r, key_text(r, row, by)));
    etr_report_add_time(r, &table, etr_report_per_run(s, row->total_ticks));
    etr_table_add_share(&table, (double)row->total_ticks, (double)s->method->execute_ticks);
    etr_table_add(&table, etr_arena_format(&r->arena, "%zu", row->node_count));
    if (estimated) {
      etr_table_add_share(&table, (double)row->estimated_ticks, (double)row->total_ticks);
      etr_table_style(&table, ETR_STYLE_DIM);
    }
    if (code) etr_table_add(&table, row->source ? row->source->code : "");
  }
  etr_report_end_table(r, &table, rows->count - shown);
}

/* ---- By module ---- */

/* What is not shown of the modules directly below each one. */
typedef struct left_out {
  size_t shown, count;
  uint64_t ticks;
} left_out;

static const char *below(const etr_module_tree *tree, const etr_module_row *row) {
  const char *parent = row->parent == ETR_NONE ? "" : tree->rows[row->parent].path;
  size_t size = strlen(parent);
  bool is_below = size > 0 && strncmp(row->path, parent, size) == 0 && row->path[size] == '.';
  return is_below ? row->path + size + 1 : row->path;
}

static const char *indented(etr_report *r, uint32_t level, const char *text) {
  static const char dots[] = "........................", blanks[] = "                        ";
  size_t size = ETR_MIN(2 * (size_t)(level - 1), sizeof blanks - 1);
  return etr_report_cell(r, etr_arena_format(&r->arena, "%.*s%s", (int)size, r->markdown ? dots : blanks, text));
}

static void add_module(etr_report *r, const etr_summary *s, etr_table *table, const char *name, uint64_t total, size_t nodes, uint64_t own) {
  etr_table_add(table, name);
  etr_report_add_time(r, table, etr_report_per_run(s, total));
  etr_table_add_share(table, (double)total, (double)s->method->execute_ticks);
  if (own && own != total)
    etr_report_add_time(r, table, etr_report_per_run(s, own));
  else
    etr_table_add(table, "");
  etr_table_add(table, nodes ? etr_arena_format(&r->arena, "%zu", nodes) : "");
}

void etr_report_modules(etr_report *r, const etr_summary *s) {
  const etr_column columns[] = {{"by module", false, true},
                                {etr_report_unit(r, "total"), true, false},
                                {"share", true, false},
                                {etr_report_unit(r, "own"), true, false},
                                {"nodes", true, false}};
  const etr_module_tree *tree = &s->modules;
  size_t depth = r->options->depth > 0 ? (size_t)r->options->depth : 0, most = r->options->top;
  if (depth && most) most = ETR_MAX(most, (size_t)TREE_ROWS);
  const bool *shown = etr_module_tree_choose(tree, &r->arena, depth, most);
  left_out *left = etr_arena_alloc_array(&r->arena, tree->count, sizeof *left);
  etr_table table;
  if (!shown || !left) return;
  etr_table_init(&table, &r->arena, columns, ETR_COUNT(columns));
  for (size_t i = 1; i < tree->count; i++) {
    left_out *l = &left[tree->rows[i].parent];
    if (shown[i]) l->shown++;
    if (!shown[i]) l->count++, l->ticks += tree->rows[i].total_ticks;
  }
  for (size_t i = 1; i < tree->count; i++) {
    const etr_module_row *row = &tree->rows[i];
    left_out *l = &left[row->parent];
    bool is_last = l->shown && l->count == 1; /* it takes the line that would stand for it */
    if (shown[i] || is_last) {
      if (!shown[i]) l->count = 0;
      add_module(r, s, &table, indented(r, row->level, below(tree, row)), row->total_ticks, row->node_count, row->own_ticks);
    } else if (l->shown && l->count) { /* they have less time than those shown, and so come behind them */
      add_module(r, s, &table, indented(r, row->level, etr_arena_format(&r->arena, "%zu more", l->count)), l->ticks, 0, 0);
      l->count = 0;
    }
  }
  if (tree->count && tree->rows[0].own_count)
    add_module(r, s, &table, indented(r, 1, "(the model itself)"), tree->rows[0].own_ticks, tree->rows[0].own_count, 0);
  if (table.cells.count) etr_report_end_table(r, &table, 0);
}
