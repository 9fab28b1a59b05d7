/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodes_output.c - the graphs' nodes with their times: every node as JSON, the operators as a
 * table.
 */
#include "output/label.h"
#include "output/node_filter.h"
#include "output/section.h"
#include "tables/node_fields.h"
#include "views/interruptions.h"
#include "views/loads.h"

#include <math.h>

typedef struct nodes_output {
  etr_answer answer;
  etr_table table;
  etr_node_columns columns; /* about the table's rows */
} nodes_output;

static const etr_node_row *as_row(const void *row) {
  return row;
}

/* ---- JSON ---- */

/* Writes a graph as a JSON object with the nodes that the filter takes. A graph of no method has 0
 * runs, and an unknown dialect is null. values: what the runs logged of its nodes. */
static void put_graph_object(nodes_output *n, const etr_graph *graph,
                             const etr_logged_nodes *values) {
  static const etr_method untimed = {0};
  const etr_fields *f = &n->answer.fields;
  etr_jw_object(f->json);
  etr_field_text(f, "module", graph->module);
  etr_field_text(f, "method", graph->method);
  etr_field_text(f, "entry", graph->entry);
  etr_field_text(f, "dialect", graph->dialect[0] ? graph->dialect : NULL);
  etr_field_runs(f, graph->profile_method == ETR_NONE
                        ? &untimed
                        : &f->profile->methods[graph->profile_method]);
  const etr_node_accuracy *accuracy = etr_accuracy_of_nodes(&n->answer.arena, f->profile, graph);
  etr_field_begin_list(f, "nodes");
  for (size_t i = 0; i < graph->node_count; i++) {
    if (!etr_filter_takes_node(n->answer.filter, graph, i))
      continue;
    etr_node_row row = etr_node_row_make(&n->answer.arena, f->profile, graph, i);
    row.values = values;
    row.accuracy = accuracy ? &accuracy[i] : NULL;
    etr_jw_object(f->json);
    etr_field_put_members(f, &etr_node_fields, &row);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

etr_status etr_emit_nodes_json(const etr_profile *profile, const etr_node_filter *filter,
                               etr_unit unit, const etr_sink *sink, etr_error *error) {
  nodes_output n = {0};
  etr_logged_list list = {0};
  etr_answer_begin_ranked_document(&n.answer, profile, filter, unit, sink, "nodes/1");
  bool good = etr_logged_merge(&list, &n.answer.arena, profile);
  etr_field_begin_list(&n.answer.fields, "graphs");
  for (size_t i = 0; good && i < profile->graph_count; i++) {
    etr_logged_nodes values;
    if (!etr_filter_takes_graph(filter, &profile->graphs[i]))
      continue;
    good = etr_logged_of_graph(&values, &n.answer.arena, &list, profile, &profile->graphs[i]);
    if (good)
      put_graph_object(&n, &profile->graphs[i], &values);
  }
  etr_jw_end(&n.answer.json);
  return etr_answer_end(&n.answer, good, error);
}

/* ---- Tables ---- */

static bool has_times(const etr_profile *profile, const etr_graph *graph) {
  return graph->times && graph->profile_method != ETR_NONE &&
         profile->methods[graph->profile_method].run_count > 0;
}

/* Returns true if a graph has times and the filter takes it. The nodes of aten/forward repeat the
 * times of Edge nodes that came from them, so only the method's own graph is listed, unless the
 * filter names a module. */
static bool is_listed(const nodes_output *n, const etr_graph *graph) {
  if (!etr_filter_takes_graph(n->answer.filter, graph) || !has_times(n->answer.profile, graph))
    return false;
  uint32_t own = n->answer.profile->methods[graph->profile_method].graph;
  return own == ETR_NONE || graph == &n->answer.profile->graphs[own] ||
         (n->answer.filter && n->answer.filter->graph_module);
}

/* Returns the text by which a node is sorted, in natural order ("a2" before "a10"), before its
 * time. For ETR_ORDER_EXECUTION it is INSTRUCTION/INDEX: nodes of one delegate, which have the same
 * instruction, are in the graph's order, and nodes that are not known to run come last. */
static const char *sort_key(etr_node_order order, const etr_node_row *row) {
  const char *key = NULL;
  switch (order) {
  case ETR_ORDER_NAME:
    return row->node->name;
  case ETR_ORDER_OP:
    return row->node->target;
  case ETR_ORDER_MODULE:
    return row->graph->modules[row->node->module].path;
  case ETR_ORDER_EXECUTION:
    if (row->known->instruction >= 0)
      key = etr_arena_format(row->arena, "%d/%zu", (int)row->known->instruction,
                             (size_t)(row->node - row->graph->nodes));
    return key ? key : "~";
  default:
    return "";
  }
}

/* Returns the number by which nodes of equal sort keys are sorted, the largest first:
 * multiply-accumulates or bytes (-1 if they are unknown), or its time; 0 without a time. */
static double sort_weight(const nodes_output *n, const etr_node_row *row, bool is_timed) {
  switch (n->answer.options->order) {
  case ETR_ORDER_MACS:
    return isnan(row->cost.macs) ? -1 : row->cost.macs;
  case ETR_ORDER_BYTES:
    return isnan(row->cost.bytes) ? -1 : row->cost.bytes;
  default:
    return is_timed ? etr_ranking_time(n->answer.profile, etr_times_of_node(row->time)) : 0;
  }
}

/* Adds the operators of a graph that the filter takes to the table; with only_timed, those that
 * ran. All rows share the sum of their medians, of which they have shares if medians rank. When out
 * of memory, the arena has failed. */
static void add_operators(nodes_output *n, const etr_graph *graph, bool only_timed) {
  double *summed_p50 = etr_arena_alloc(&n->answer.arena, sizeof *summed_p50);
  const etr_node_accuracy *accuracy = etr_accuracy_of_nodes(&n->answer.arena, n->answer.profile,
                                                            graph);
  for (size_t i = 0; summed_p50 && i < graph->node_count; i++) {
    if (graph->nodes[i].kind != ETR_NODE_OP || !etr_filter_takes_node(n->answer.filter, graph, i))
      continue;
    if (only_timed && graph->times[i].runs == 0)
      continue;
    etr_node_row *row = etr_arena_alloc_array(&n->answer.arena, 1, sizeof *row);
    if (!row)
      return;
    *row = etr_node_row_make(&n->answer.arena, n->answer.profile, graph, i);
    row->is_text = etr_table_is_text(&n->table);
    row->accuracy = accuracy ? &accuracy[i] : NULL;
    row->summed_p50 = summed_p50;
    if (only_timed)
      *summed_p50 += row->time->per_run.p50;
    etr_table_add_row(&n->table, row, sort_key(n->answer.options->order, row),
                      sort_weight(n, row, only_timed));
  }
}

/* Adds the nodes of the graphs that the filter takes: those that ran in timed graphs, or all
 * operators if no graph is timed. Sorts the rows as options.order says, by time if nothing else is
 * chosen, but leaves them in the order of the graph if that is chosen. */
static void add_listed_graphs(nodes_output *n) {
  bool only_timed = false;
  for (size_t i = 0; i < n->answer.profile->graph_count; i++)
    only_timed |= is_listed(n, &n->answer.profile->graphs[i]);
  for (size_t i = 0; i < n->answer.profile->graph_count; i++) {
    const etr_graph *graph = &n->answer.profile->graphs[i];
    if (only_timed ? is_listed(n, graph) : etr_filter_takes_graph(n->answer.filter, graph))
      add_operators(n, graph, only_timed);
  }
  if (n->answer.options->order != ETR_ORDER_GRAPH)
    etr_table_sort(&n->table);
}

/* ---- How much it is ---- */

/* Sums over the selected nodes of a graph. */
typedef struct selected_sum {
  double ticks; /* ticks per inference */
  size_t count;
} selected_sum;

/* Writes how many nodes of a graph the filter takes, and their time together beside that of a run
 * of the method, both by the statistic that the line names: "edge/forward: 3 nodes, 0.062 of 0.402
 * ms (typical run), only ...". */
static void put_selected_sum(nodes_output *n, const etr_graph *graph,
                             const selected_sum *of_graph) {
  etr_writer *writer = &n->answer.writer;
  etr_put_sanitized(writer, graph->module);
  etr_puts(writer, "/");
  etr_put_sanitized(writer, graph->method);
  etr_putf(writer, ": %zu node%s", of_graph->count, etr_plural(of_graph->count));
  if (has_times(n->answer.profile, graph)) {
    etr_puts(writer, ", ");
    etr_put_time(writer, n->answer.profile, of_graph->ticks, n->answer.options->unit);
    etr_puts(writer, " of ");
    etr_put_time(
        writer, n->answer.profile,
        etr_execute_time(n->answer.profile, &n->answer.profile->methods[graph->profile_method]),
        n->answer.options->unit);
    etr_putf(writer, " %s (%s)", etr_unit_name(n->answer.options->unit),
             etr_additive_statistic_word(n->answer.profile));
  }
  etr_puts(writer, ", ");
  etr_put_filter(writer, &n->answer.arena, n->answer.filter);
}

/* Writes a line about each method whose nodes follow: "forward: 66 nodes take 0.350 of 0.463 ms per
 * inference (typical of 8 runs)". Only the own graph of a method that ran has a line. The time is
 * that of the operators on nodes in a typical run, or on average if averages rank. */
static void put_method_lines(nodes_output *n) {
  const etr_profile *profile = n->answer.profile;
  etr_unit unit = n->answer.options->unit;
  etr_section_clock_note(&n->answer, profile, 0);
  for (size_t i = 0; i < profile->graph_count; i++) {
    etr_text text;
    etr_writer writer;
    const etr_graph *graph = &profile->graphs[i];
    const etr_method *method = graph->profile_method == ETR_NONE
                                   ? NULL
                                   : &profile->methods[graph->profile_method];
    if (!is_listed(n, graph) || !method || &profile->graphs[method->graph] != graph ||
        method->run_count == 0)
      continue;
    const char *runs = etr_runs_text(&n->answer, method);
    size_t timed_count = 0;
    for (size_t k = 0; k < graph->node_count; k++)
      timed_count += graph->times[k].runs > 0;
    etr_text_begin(&text, &n->answer.arena, &writer);
    etr_putf(&writer, "%s: %s node%s ", method->name, etr_count_text(&n->answer.arena, timed_count),
             etr_plural(timed_count));
    etr_puts(&writer, timed_count == 1 ? "takes " : "take ");
    double operator_ticks = 0;
    for (size_t k = 0; k < method->part_count; k++)
      if (method->parts[k].part == ETR_TIME_OPERATORS)
        operator_ticks += etr_additive_ticks(profile, method, method->parts[k].typical,
                                             method->parts[k].ticks);
    if (operator_ticks > 0)
      etr_put_time(&writer, profile, operator_ticks, unit);
    else
      etr_puts(&writer, "no measurable part");
    etr_puts(&writer, " of ");
    etr_put_time(&writer, profile, etr_execute_time(profile, method), unit);
    etr_putf(&writer, " %s per inference (%s of %s)", etr_unit_name(unit),
             etr_additive_statistic_word(profile), runs ? runs : "");
    etr_section_line(&n->answer, ETR_STYLE_PLAIN, 0, etr_text_end(&text, &writer));
    etr_section_line(
        &n->answer, ETR_STYLE_PLAIN, 2,
        etr_interruptions_note(&n->answer.arena, profile, method, ETR_MEDIANS_OF_NODES));
  }
}

/* Returns in words how a kind of match identified the operators, with its name in the columns; an
 * unknown name as it is. */
static const char *how_identified(const char *match) {
  static const struct {
    etr_match match;
    const char *text;
  } words[] = {
      {ETR_MATCH_HANDLE, "debug handles (match: handle)"},
      {ETR_MATCH_DELEGATE_MAP, "the backend's map of debug handles (match: delegate_map)"},
      {ETR_MATCH_PAYLOAD, "the delegate's program in the .pte (match: payload)"},
      {ETR_MATCH_ORDER, "the order of the lowering (match: order)"},
      {ETR_MATCH_ALIGNED, "the order of operators alone, an estimate (match: aligned)"},
      {ETR_MATCH_NAME, "the names of their events (match: name)"},
      {ETR_MATCH_INSTRUCTION, "the instructions that ran (match: instruction)"},
  };
  for (size_t i = 0; i < ETR_COUNT(words); i++)
    if (strcmp(match, etr_match_name(words[i].match)) == 0)
      return words[i].text;
  return match;
}

/* Returns for each graph of the profile how many of its nodes are in the table, and their ticks in
 * a run (typical, or the average if averages rank). Returns NULL when out of memory. */
static selected_sum *sum_by_graph(nodes_output *n) {
  const etr_profile *profile = n->answer.profile;
  selected_sum *sums = etr_arena_alloc_array(&n->answer.arena, profile->graph_count, sizeof *sums);
  for (size_t i = 0; sums && i < n->table.rows.count; i++) {
    const etr_node_row *row = as_row(n->table.rows.data[i].row);
    selected_sum *sum = &sums[row->graph - profile->graphs];
    if (row->time->runs > 0)
      sum->ticks += etr_additive_time(profile, row->time->typical, row->time->avg);
    sum->count++;
  }
  return sums;
}

/* Counts the rows to be shown whose costs rest on example sizes in place of symbolic ones. */
static double count_hinted_costs(const etr_table *table) {
  double count = 0;
  for (size_t i = 0; i < etr_table_shown_count(table); i++)
    count += as_row(table->rows.data[i].row)->cost.hinted > 0;
  return count;
}

/* Writes which graph has nodes that the filter selects, where the shown ones have none. */
static void put_graph_that_has(nodes_output *n) {
  const etr_profile *profile = n->answer.profile;
  etr_node_filter filter = *n->answer.filter;
  for (size_t i = 0; i < profile->graph_count && !n->answer.filter->graph_module; i++) {
    filter.graph_module = profile->graphs[i].module;
    if (etr_count_nodes(profile, &filter) == 0)
      continue;
    etr_puts(&n->answer.writer, "another graph has such nodes: --graph ");
    etr_put_sanitized(&n->answer.writer, filter.graph_module);
    etr_puts(&n->answer.writer, "\n");
    return;
  }
}

/* Writes the table of nodes; in text with lines about the methods in front of it, and behind it how
 * nodes were identified, notes on costs and, with a filter, sums by graph. Sums and costs are
 * counted first, because etr_table_lay_out_rows() forgets the rows. */
static void write_table(nodes_output *n) {
  bool is_text = etr_table_is_text(&n->table);
  bool is_filtered = etr_filter_is_active(n->answer.filter);
  bool has_rows = n->table.rows.count > 0;
  selected_sum *sums = is_filtered && is_text ? sum_by_graph(n) : NULL;
  double hinted_count = count_hinted_costs(&n->table);
  size_t hidden = etr_table_lay_out_rows(&n->table);
  if (is_text && is_filtered && !has_rows) {
    etr_puts(&n->answer.writer, "no nodes: ");
    etr_put_filter(&n->answer.writer, &n->answer.arena, n->answer.filter);
    put_graph_that_has(n);
    return;
  }
  if (is_text && has_rows && !is_filtered)
    put_method_lines(n);
  if (is_text && n->columns.some_accuracy)
    etr_section_line(
        &n->answer, ETR_STYLE_PLAIN, 0,
        etr_arena_format(&n->answer.arena, "SNR: of the worst input, %s",
                         etr_accuracy_against(&n->answer.arena, n->answer.profile->accuracy)));
  if (has_rows || !is_text)
    etr_table_write(&n->table);
  if (!is_text)
    return;
  etr_put_hidden_count(&n->answer.writer, hidden);
  if (n->columns.only_match)
    etr_section_line(&n->answer, ETR_STYLE_PLAIN, 0,
                     etr_arena_format(&n->answer.arena, "%s identified by %s",
                                      hidden ? "these nodes are" : "all are",
                                      how_identified(n->columns.only_match)));
  etr_put_cost_notes(&n->answer, hinted_count);
  for (size_t i = 0; sums && i < n->answer.profile->graph_count; i++)
    if (sums[i].count)
      put_selected_sum(n, &n->answer.profile->graphs[i], &sums[i]);
}

etr_status etr_emit_nodes_table(const etr_profile *profile, const etr_node_filter *filter,
                                const etr_table_options *options, const etr_sink *sink,
                                etr_error *error) {
  nodes_output n = {0};
  etr_answer_begin(&n.answer, profile, filter, options, sink);
  etr_table_init(&n.table, &n.answer, &etr_node_fields);
  etr_table_choose_columns(&n.table);
  etr_table_add_origin_columns(&n.table);
  n.table.context = &n.columns;
  add_listed_graphs(&n);
  n.columns = etr_node_columns_find(&n.table);
  write_table(&n);
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&n.answer, true, error);
}
