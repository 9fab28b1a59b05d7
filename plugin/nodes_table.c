/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodes_table.c - the operators and their times, as a table.
 */
#include "label.h"
#include "node_filter.h"
#include "table.h"

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
} nodes_table;

static int by_time(const void *a, const void *b) {
  const row *x = a, *y = b;
  if (x->avg != y->avg) return x->avg < y->avg ? 1 : -1;
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

static bool any_timed(const nodes_table *t, const etr_node_filter *filter) {
  for (size_t i = 0; i < t->profile->graph_count; i++)
    if (etr_filter_takes_graph(filter, &t->profile->graphs[i]) && is_timed(t->profile, &t->profile->graphs[i])) return true;
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
  bool in_order = order == ETR_ORDER_GRAPH, by_times = order == ETR_ORDER_TIME, only_timed = any_timed(t, filter);
  for (size_t i = 0; i < t->profile->graph_count; i++) {
    const etr_graph *graph = &t->profile->graphs[i];
    if (!etr_filter_takes_graph(filter, graph) || (only_timed && !is_timed(t->profile, graph))) continue;
    for (size_t k = 0; k < graph->node_count; k++) {
      if (graph->nodes[k].kind != ETR_NODE_OP || !etr_filter_takes_node(filter, graph, k) || (only_timed && graph->times[k].runs == 0)) continue;
      row *added = etr_vec_push(&t->arena, &t->rows);
      if (!added) return;
      *added = (row){graph, k, only_timed ? graph->times[k].avg : 0, in_order || by_times ? NULL : sort_key(order, graph, &graph->nodes[k])};
    }
  }
  if (t->rows.count && !in_order) qsort(t->rows.data, t->rows.count, sizeof *t->rows.data, by_times ? by_time : by_key);
}

static void add_row(nodes_table *t, etr_table *table, const row *r) {
  const etr_node *node = &r->graph->nodes[r->node];
  const etr_node_time *time = r->graph->times ? &r->graph->times[r->node] : NULL;
  const etr_method *method = r->graph->profile_method == ETR_NONE ? NULL : &t->profile->methods[r->graph->profile_method];
  etr_table_add(table, etr_arena_format(&t->arena, "%s/%s", r->graph->module, r->graph->method));
  etr_table_add(table, node->name);
  etr_table_add(table, node->target);
  etr_table_add(table, r->graph->modules[node->module].path);
  etr_table_add(table, node->output_count ? etr_label_shape(&t->arena, &node->outputs[0]) : "");
  if (!time || time->runs == 0 || !method) {
    for (int i = 0; i < 5; i++) etr_table_add(table, "");
    return;
  }
  etr_table_add_number(table, etr_ticks_to_unit(t->profile, time->avg, t->options->unit), t->options->unit == ETR_UNIT_NS ? 0 : 4);
  etr_table_add_share(table, time->avg, method->execute.avg);
  etr_table_add_number(table, (double)time->calls / (double)method->run_count, 0);
  etr_table_add(table, etr_match_name(time->match));
  etr_table_add(table, time->runs_as);
}

static etr_status write_table(nodes_table *t, const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  etr_table table;
  char *average = etr_arena_format(&t->arena, "avg %s", etr_unit_name(t->options->unit));
  const etr_column columns[] = {{"graph", false, true}, {"node", false, true},  {"operator", false, true},  {"module", false, true},   {"output", false, true},
                                {average, true, false}, {"share", true, false}, {"calls", true, false},     {"match", false, false}, {"runs as", false, true}};
  etr_table_init(&table, &t->arena, columns, ETR_COUNT(columns));
  bool text = t->options->format == ETR_TABLE_TEXT;
  size_t shown = t->options->top > 0 ? ETR_MIN(t->rows.count, t->options->top) : t->rows.count;
  for (size_t i = 0; i < shown; i++) add_row(t, &table, &t->rows.data[i]);
  etr_writer_init(&writer, sink);
  etr_table_write(&table, &writer, t->options->format, t->options->width);
  if (text && shown < t->rows.count) etr_putf(&writer, "%zu more: --top 0\n", t->rows.count - shown);
  return etr_writer_finish(&writer, error);
}

etr_status etr_emit_nodes_table(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options, const etr_sink *sink,
                                etr_error *error) {
  static const etr_table_options defaults = {0};
  nodes_table t = {.profile = profile, .options = options ? options : &defaults};
  etr_error_clear(error);
  collect(&t, filter);
  etr_status status = write_table(&t, sink, error);
  etr_arena_clear(&t.arena);
  return status;
}
