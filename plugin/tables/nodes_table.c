/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodes_table.c - the operators and their times, as a table.
 */
#include "label.h"
#include "node_filter.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>

/* A row of the table: a node and what it is sorted by. */
typedef struct row {
  const etr_graph *graph;
  size_t node;
  double avg;
  const char *key; /* NULL: by time, or as they are */
} row;

typedef struct nodes_table {
  const etr_profile *profile;
  const etr_table_options *options;
  etr_arena arena;
  etr_vec(row) rows;
  size_t shown; /* rows of the table: the first */
} nodes_table;

static int by_time(const void *a, const void *b) {
  const row *x = a, *y = b;
  if (x->avg != y->avg) return x->avg < y->avg ? 1 : -1;
  if (x->graph != y->graph) return x->graph < y->graph ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static int by_key(const void *a, const void *b) {
  const row *x = a, *y = b;
  int order = strcmp(x->key, y->key);
  return order ? order : by_time(a, b);
}

static bool is_timed(const etr_profile *profile, const etr_graph *graph) {
  return graph->times && graph->profile_method != ETR_NONE && profile->methods[graph->profile_method].run_count > 0;
}

/* The nodes of aten/forward repeat the times of the Edge nodes that came from them: of a method's graphs its own is listed, unless the filter
 * names another. */
static bool is_listed(const etr_profile *profile, const etr_node_filter *filter, const etr_graph *graph) {
  if (!etr_filter_takes_graph(filter, graph) || !is_timed(profile, graph)) return false;
  uint32_t own = profile->methods[graph->profile_method].graph;
  return own == ETR_NONE || graph == &profile->graphs[own] || (filter && filter->graph_module);
}

static bool any_listed(const nodes_table *t, const etr_node_filter *filter) {
  for (size_t i = 0; i < t->profile->graph_count; i++)
    if (is_listed(t->profile, filter, &t->profile->graphs[i])) return true;
  return false;
}

static const char *sort_key(etr_node_order order, const etr_graph *graph, const etr_node *node) {
  if (order == ETR_ORDER_NAME) return node->name;
  if (order == ETR_ORDER_OP) return node->target;
  return graph->modules[node->module].path;
}

/* Timed graphs where there are any; of these, the nodes that ran. Otherwise every operator. */
static void collect(nodes_table *t, const etr_node_filter *filter) {
  etr_node_order order = t->options->order;
  bool in_order = order == ETR_ORDER_GRAPH, by_times = order == ETR_ORDER_TIME, only_timed = any_listed(t, filter);
  for (size_t i = 0; i < t->profile->graph_count; i++) {
    const etr_graph *graph = &t->profile->graphs[i];
    if (only_timed ? !is_listed(t->profile, filter, graph) : !etr_filter_takes_graph(filter, graph)) continue;
    for (size_t k = 0; k < graph->node_count; k++) {
      if (graph->nodes[k].kind != ETR_NODE_OP || !etr_filter_takes_node(filter, graph, k) || (only_timed && graph->times[k].runs == 0)) continue;
      row *added = etr_vec_push(&t->arena, &t->rows);
      if (!added) return;
      *added = (row){graph, k, only_timed ? graph->times[k].avg : 0, in_order || by_times ? NULL : sort_key(order, graph, &graph->nodes[k])};
    }
  }
  if (t->rows.count && !in_order) qsort(t->rows.data, t->rows.count, sizeof *t->rows.data, by_times ? by_time : by_key);
}

/* ---- Columns ---- */

typedef enum column {
  COLUMN_GRAPH,
  COLUMN_NODE,
  COLUMN_OPERATOR,
  COLUMN_MODULE,
  COLUMN_OUTPUT,
  COLUMN_AVG,
  COLUMN_UNIT, /* from here to COLUMN_MAX: only for programs */
  COLUMN_P50,
  COLUMN_P90,
  COLUMN_MIN,
  COLUMN_MAX,
  COLUMN_SHARE,
  COLUMN_CALLS,
  COLUMN_MATCH,
  COLUMN_RUNS_AS,
  COLUMNS,
} column;

static const etr_method *method_of(const nodes_table *t, const row *r) {
  return r->graph->profile_method == ETR_NONE ? NULL : &t->profile->methods[r->graph->profile_method];
}

/* NULL if the node was not timed. */
static const etr_node_time *time_of(const nodes_table *t, const row *r) {
  const etr_node_time *time = is_timed(t->profile, r->graph) ? &r->graph->times[r->node] : NULL;
  return time && time->runs > 0 ? time : NULL;
}

static double calls_of(const nodes_table *t, const row *r) { return (double)time_of(t, r)->calls / (double)method_of(t, r)->run_count; }

/* How all of the rows shown were matched, if there is one way only. */
static const char *only_match(const nodes_table *t) {
  const etr_node_time *first = NULL;
  for (size_t i = 0; i < t->shown; i++) {
    const etr_node_time *time = time_of(t, &t->rows.data[i]);
    if (time && first && time->match != first->match) return NULL;
    if (!first) first = time;
  }
  return first ? etr_match_name(first->match) : NULL;
}

/* Text leaves out what tells nothing or can be read off another column: a line has 100 columns. */
static bool is_worth_it(const nodes_table *t, column c) {
  bool several_graphs = false, timed = false, uneven = false;
  for (size_t i = 0; i < t->shown; i++) {
    const row *r = &t->rows.data[i];
    several_graphs |= r->graph != t->rows.data[0].graph;
    if (!time_of(t, r)) continue;
    timed = true;
    uneven |= time_of(t, r)->calls != method_of(t, r)->run_count;
  }
  switch (c) {
  case COLUMN_GRAPH: return several_graphs;
  case COLUMN_OPERATOR: return !timed;
  case COLUMN_CALLS: return uneven;
  case COLUMN_MATCH: return timed && !only_match(t);
  case COLUMN_AVG:
  case COLUMN_SHARE:
  case COLUMN_RUNS_AS: return timed;
  default: return true;
  }
}

static bool is_for_programs(column c) { return c >= COLUMN_UNIT && c <= COLUMN_MAX; }

static double statistic_of(const etr_node_time *time, column c) {
  switch (c) {
  case COLUMN_P50: return time->per_run.p50;
  case COLUMN_P90: return time->per_run.p90;
  case COLUMN_MIN: return time->per_run.min;
  case COLUMN_MAX: return time->per_run.max;
  default: return time->avg;
  }
}

static void add_share(etr_table *table, double part, double whole, bool exact) {
  if (exact)
    etr_table_add_number(table, whole > 0 ? part / whole : NAN, 6);
  else
    etr_table_add_share(table, part, whole);
}

static void add_time_cell(nodes_table *t, etr_table *table, const row *r, column c) {
  const etr_node_time *time = time_of(t, r);
  bool text = t->options->format == ETR_TABLE_TEXT, exact = etr_table_is_for_programs(t->options->format);
  if (!time)
    etr_table_add(table, "");
  else if (c == COLUMN_UNIT)
    etr_table_add(table, etr_unit_name(t->options->unit));
  else if (c == COLUMN_AVG || is_for_programs(c))
    (exact ? etr_table_add_exact_time : etr_table_add_time)(table, t->profile, statistic_of(time, c), t->options->unit);
  else if (c == COLUMN_SHARE)
    add_share(table, time->avg, method_of(t, r)->execute.avg, exact);
  else if (c == COLUMN_CALLS)
    etr_table_add_number(table, calls_of(t, r), t->options->format == ETR_TABLE_TEXT || time->calls % method_of(t, r)->run_count ? 2 : 0);
  else
    etr_table_add(table, c == COLUMN_MATCH ? etr_match_name(time->match) : text ? etr_label_kernel(time->runs_as) : time->runs_as);
}

static void add_cell(nodes_table *t, etr_table *table, const row *r, column c) {
  const etr_node *node = &r->graph->nodes[r->node];
  switch (c) {
  case COLUMN_GRAPH: etr_table_add(table, etr_arena_format(&t->arena, "%s/%s", r->graph->module, r->graph->method)); break;
  case COLUMN_NODE: etr_table_add(table, node->name); break;
  case COLUMN_OPERATOR: etr_table_add(table, node->target); break;
  case COLUMN_MODULE: etr_table_add(table, r->graph->modules[node->module].path); break;
  case COLUMN_OUTPUT: etr_table_add(table, node->output_count ? etr_label_shape(&t->arena, &node->outputs[0]) : ""); break;
  default: add_time_cell(t, table, r, c);
  }
}

/* Where less than all is asked for: how much of each graph it is. */
static void put_totals(nodes_table *t, etr_writer *writer, const etr_node_filter *filter) {
  double *sums = etr_arena_alloc_array(&t->arena, t->profile->graph_count, sizeof *sums);
  size_t *counts = etr_arena_alloc_array(&t->arena, t->profile->graph_count, sizeof *counts);
  if (!sums || !counts || !etr_filter_is_active(filter)) return;
  for (size_t i = 0; i < t->rows.count; i++) {
    size_t graph = (size_t)(t->rows.data[i].graph - t->profile->graphs);
    sums[graph] += t->rows.data[i].avg;
    counts[graph]++;
  }
  for (size_t i = 0; i < t->profile->graph_count; i++) {
    const etr_graph *graph = &t->profile->graphs[i];
    if (counts[i] == 0) continue;
    etr_put_plain(writer, graph->module);
    etr_puts(writer, "/");
    etr_put_plain(writer, graph->method);
    etr_putf(writer, ": %zu node%s", counts[i], counts[i] == 1 ? "" : "s");
    if (is_timed(t->profile, graph)) {
      double execute = t->profile->methods[graph->profile_method].execute.avg;
      etr_puts(writer, ", ");
      etr_put_time(writer, t->profile, sums[i], t->options->unit);
      etr_puts(writer, " of ");
      etr_put_time(writer, t->profile, execute, t->options->unit);
      etr_putf(writer, " %s", etr_unit_name(t->options->unit));
    }
    etr_puts(writer, ", ");
    etr_put_filter(writer, &t->arena, filter);
  }
}

static etr_status write_table(nodes_table *t, const etr_node_filter *filter, const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  etr_table table;
  bool text = t->options->format == ETR_TABLE_TEXT;
  bool exact = etr_table_is_for_programs(t->options->format);
  const char *average = exact ? "avg" : etr_arena_format(&t->arena, "avg %s", etr_unit_name(t->options->unit));
  const etr_column columns[COLUMNS] = {
      [COLUMN_GRAPH] = {"graph", false, true},   [COLUMN_NODE] = {"node", false, true},     [COLUMN_OPERATOR] = {"operator", false, true},
      [COLUMN_MODULE] = {"module", false, true}, [COLUMN_OUTPUT] = {"output", false, true}, [COLUMN_AVG] = {average, true, false},
      [COLUMN_SHARE] = {"share", true, false},   [COLUMN_CALLS] = {"calls", true, false},   [COLUMN_MATCH] = {"match", false, false},
      [COLUMN_UNIT] = {"unit", false, false},    [COLUMN_P50] = {"p50", true, false},       [COLUMN_P90] = {"p90", true, false},
      [COLUMN_MIN] = {"min", true, false},       [COLUMN_MAX] = {"max", true, false},       [COLUMN_RUNS_AS] = {"runs as", false, true}};
  static const column spare[] = {COLUMN_RUNS_AS, COLUMN_OUTPUT, COLUMN_CALLS};
  column shown[COLUMNS];
  etr_column titles[COLUMNS];
  size_t column_count = 0;
  t->shown = t->options->top > 0 ? ETR_MIN(t->rows.count, t->options->top) : t->rows.count;
  for (column c = 0; c < COLUMNS; c++) {
    if ((text && !is_worth_it(t, c)) || (!exact && is_for_programs(c))) continue;
    shown[column_count] = c;
    titles[column_count++] = columns[c];
  }
  etr_table_init(&table, &t->arena, titles, column_count);
  for (size_t i = 0; i < ETR_COUNT(spare); i++)
    for (size_t k = 0; k < column_count; k++)
      if (shown[k] == spare[i]) etr_table_may_leave_out(&table, k);
  for (size_t i = 0; i < t->shown; i++)
    for (size_t k = 0; k < column_count; k++) add_cell(t, &table, &t->rows.data[i], shown[k]);
  etr_writer_init(&writer, sink);
  etr_writer_look(&writer, t->options);
  bool nothing = text && t->shown == 0 && etr_filter_is_active(filter);
  if (nothing) {
    etr_puts(&writer, "no nodes: ");
    etr_put_filter(&writer, &t->arena, filter);
  } else {
    etr_table_write(&table, &writer, t->options->format, t->options->width);
  }
  if (text) etr_put_more(&writer, t->rows.count - t->shown);
  if (text && only_match(t)) etr_putf(&writer, "match%s: %s\n", t->shown < t->rows.count ? " of these" : "", only_match(t));
  if (text) put_totals(t, &writer, filter);
  if (etr_arena_failed(&t->arena)) writer.status = ETR_ERROR_MEMORY;
  return etr_writer_finish(&writer, error);
}

etr_status etr_emit_nodes_table(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options, const etr_sink *sink,
                                etr_error *error) {
  static const etr_table_options defaults = {0};
  nodes_table t = {.profile = profile, .options = options ? options : &defaults};
  etr_error_clear(error);
  collect(&t, filter);
  etr_status status = write_table(&t, filter, sink, error);
  etr_arena_clear(&t.arena);
  return status;
}
