/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_tables.c - where each method's time goes, on one screen, or for an issue.
 */
#include "label.h"
#include "output_gaps.h"
#include "summary_report.h"
#include "summary_rows.h"

#include <math.h>

enum { DEFAULT_ROWS = 10, BAR_WIDTH = 24 };

#define DOT " \xC2\xB7 "
#define TIMES "\xC3\x97"

const char *etr_report_cell(etr_report *r, const char *text) { return r->markdown ? text : etr_arena_format(&r->arena, "  %s", text); }

/* "2.9" of 2.88, "29" of 28.8 */
static void put_factor(etr_writer *writer, double factor) {
  etr_put_fixed(writer, factor, factor < 10 ? 1 : 0);
  etr_puts(writer, TIMES);
}

const char *etr_report_unit(etr_report *r, const char *name) { return etr_arena_format(&r->arena, "%s %s", name, etr_unit_name(r->options->unit)); }

/* ---- Tables under each other ---- */

void etr_report_add_time(etr_report *r, etr_table *table, double ticks) { etr_table_add_time(table, r->profile, ticks, r->options->unit); }

void etr_report_add_jitter(etr_table *table, const etr_stats *stats) {
  if (stats->count > 1 && stats->p50 > 0)
    etr_table_add_number(table, stats->p90 / stats->p50, 1);
  else
    etr_table_add(table, "");
}

void etr_report_end_table(etr_report *r, const etr_table *table, size_t hidden) {
  etr_puts(&r->writer, "\n");
  etr_table_write(table, &r->writer, r->options->format, r->options->width);
  if (!r->markdown) etr_put_more(&r->writer, hidden);
  if (r->markdown && hidden) etr_putf(&r->writer, "\n%zu more\n", hidden);
}

/* ---- Head ---- */

static void put_heading(etr_report *r, const char *text) {
  if (r->any) etr_puts(&r->writer, "\n");
  r->any = true;
  if (r->markdown) {
    etr_puts(&r->writer, "### ");
    etr_put_markdown(&r->writer, text);
    etr_puts(&r->writer, "\n");
    return;
  }
  etr_put_wrapped(&r->writer, ETR_STYLE_BOLD, text, 0, r->options->width ? r->options->width : 100);
}

static const char *method_name(const etr_method *method) { return method->name[0] ? method->name : "method not known"; }

static void put_head_time(const etr_report *r, etr_writer *writer, const char *name, double ticks) {
  etr_putf(writer, DOT "%s ", name);
  etr_put_time(writer, r->profile, ticks, r->options->unit);
  etr_putf(writer, " %s", etr_unit_name(r->options->unit));
}

/* "mobilenet_v2 · forward · 10 runs · p50 1.2134 ms · avg 1.3010 ms · first run 2.9× · load 4.4012 ms" */
static void put_head(etr_report *r, const etr_summary *s) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &r->arena, &writer);
  etr_putf(&writer, "%s" DOT "%s" DOT "%zu run%s", etr_label_record(&r->arena, r->profile), method_name(s->method), s->method->run_count,
           s->method->run_count == 1 ? "" : "s");
  put_head_time(r, &writer, "p50", s->method->execute.p50);
  put_head_time(r, &writer, "avg", s->method->execute.avg);
  if (s->first_run.rest.p50 > 0) {
    etr_puts(&writer, DOT "first run ");
    put_factor(&writer, s->first_run.ticks / s->first_run.rest.p50);
  }
  if (r->loads.whole && r->loads.timed_methods == 1) put_head_time(r, &writer, "load", r->loads.whole->stats.avg);
  const char *head = etr_text_end(&text, &writer);
  if (head) put_heading(r, head);
}

/* ---- Where the time goes ---- */

static void put_note(etr_report *r, const char *note) {
  if (!note) return;
  if (r->markdown) {
    etr_puts(&r->writer, "\n");
    etr_put_markdown(&r->writer, note);
    etr_puts(&r->writer, "\n");
  } else
    etr_put_wrapped(&r->writer, ETR_STYLE_DIM, note, 2, r->options->width ? r->options->width : 100);
}

static void put_balance(etr_report *r, const etr_summary *s) {
  const etr_column columns[] = {
      {"where the time goes", false, true}, {etr_report_unit(r, "avg"), true, false}, {"share", true, false}, {"", false, false}};
  etr_balance_part parts[ETR_BALANCE_PARTS];
  etr_table table;
  etr_table_init(&table, &r->arena, columns, ETR_COUNT(columns));
  etr_table_may_leave_out(&table, 3);
  etr_balance_list(s->method, parts);
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++) {
    if (!etr_balance_tells(parts, i)) continue;
    etr_style style = parts[i].is_part_of_previous ? ETR_STYLE_DIM : ETR_STYLE_PLAIN;
    etr_table_add(&table, etr_report_cell(r, parts[i].text));
    etr_table_style(&table, style);
    etr_report_add_time(r, &table, etr_report_per_run(s, parts[i].ticks));
    etr_table_style(&table, style);
    etr_table_add_share(&table, (double)parts[i].ticks, (double)s->method->execute_ticks);
    etr_table_style(&table, style);
    etr_table_add_bar(&table, parts[i].is_part_of_previous ? 0 : (double)parts[i].ticks, (double)s->method->execute_ticks, BAR_WIDTH);
  }
  etr_report_end_table(r, &table, 0);
  put_note(r, etr_balance_certainty(&r->arena, r->profile, s->method));
  put_note(r, etr_balance_note(&r->arena, r->profile, s->method, r->options->unit));
}

/* What the tables below are about, where that is less than all. */
static void put_part(etr_report *r, const etr_summary *s) {
  if (!s->is_part) return;
  etr_putf(&r->writer, "\n%zu node%s, ", s->node_count, s->node_count == 1 ? "" : "s");
  etr_put_time(&r->writer, r->profile, etr_report_per_run(s, s->part_ticks), r->options->unit);
  etr_putf(&r->writer, " %s, ", etr_unit_name(r->options->unit));
  etr_put_filter(&r->writer, &r->arena, r->filter);
}

/* ---- Runs and loads ---- */

static void add_runs(etr_report *r, etr_table *table, const char *name, const etr_stats *stats) {
  etr_table_add(table, etr_report_cell(r, name));
  etr_report_add_time(r, table, stats->avg);
  if (stats->count == 1) {
    for (int i = 0; i < 5; i++) etr_table_add(table, "");
    return;
  }
  etr_report_add_time(r, table, stats->p50);
  etr_report_add_time(r, table, stats->p90);
  etr_report_add_time(r, table, stats->min);
  etr_report_add_time(r, table, stats->max);
  etr_report_add_jitter(table, stats);
}

static void put_runs(etr_report *r, const etr_summary *s) {
  const etr_column columns[] = {{"runs", false, true},   {etr_report_unit(r, "avg"), true, false},
                                {"p50", true, false},    {"p90", true, false},
                                {"min", true, false},    {"max", true, false},
                                {"p90/p50", true, false}};
  const etr_stats *rest = &s->first_run.rest, first = {.count = 1, .avg = s->first_run.ticks};
  etr_table table;
  etr_table_init(&table, &r->arena, columns, ETR_COUNT(columns));
  etr_table_may_leave_out(&table, 6);
  etr_table_may_leave_out(&table, 4);
  etr_table_may_leave_out(&table, 2);
  add_runs(r, &table, etr_arena_format(&r->arena, "all %zu", s->method->run_count), &s->method->execute);
  if (rest->count) add_runs(r, &table, "first", &first);
  if (rest->count) add_runs(r, &table, etr_arena_format(&r->arena, "other %zu", rest->count), rest);
  if (rest->count) etr_report_end_table(r, &table, 0);
}

static void put_loads(etr_report *r) {
  const etr_column columns[] = {{"loading", false, true}, {etr_report_unit(r, "avg"), true, false}};
  etr_table table;
  if (r->loads.count == 0) return;
  etr_table_init(&table, &r->arena, columns, ETR_COUNT(columns));
  for (size_t i = 0; i < r->loads.count; i++) {
    etr_table_add(&table, etr_report_cell(r, r->loads.list[i].name));
    etr_report_add_time(r, &table, r->loads.list[i].stats.avg);
  }
  etr_report_end_table(r, &table, 0);
}

/* ---- Findings ---- */

/* "0.0266 ms, 4.6 %: 2 Transpose in delegate 0 that no node stands for" */
static char *finding_line(etr_report *r, const etr_finding *finding) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &r->arena, &writer);
  etr_put_time(&writer, r->profile, finding->cost, r->options->unit);
  etr_putf(&writer, " %s", etr_unit_name(r->options->unit));
  if (isnan(finding->share)) {
    etr_puts(&writer, " once");
  } else {
    etr_puts(&writer, ", ");
    etr_put_fixed(&writer, 100 * finding->share, 1);
    etr_puts(&writer, " %");
  }
  etr_putf(&writer, ": %s", finding->title);
  return etr_text_end(&text, &writer);
}

static void put_finding(etr_report *r, const etr_finding *finding) {
  size_t width = r->options->width ? r->options->width : 100;
  const char *line = finding_line(r, finding);
  if (!line) return;
  if (r->markdown) {
    etr_puts(&r->writer, "- ");
    etr_put_markdown(&r->writer, line);
    etr_puts(&r->writer, ". ");
    etr_put_markdown(&r->writer, finding->evidence);
    etr_puts(&r->writer, "\n");
    return;
  }
  etr_put_wrapped(&r->writer, ETR_STYLE_PLAIN, line, 2, width);
  etr_put_wrapped(&r->writer, ETR_STYLE_DIM, finding->evidence, 6, width);
}

static void put_findings(etr_report *r, const etr_summary *s) {
  if (s->findings.count == 0) return;
  etr_puts(&r->writer, "\n");
  etr_put_style(&r->writer, ETR_STYLE_BOLD);
  etr_puts(&r->writer, "findings");
  etr_put_style(&r->writer, ETR_STYLE_PLAIN);
  etr_puts(&r->writer, r->markdown ? "\n\n" : "\n");
  for (size_t i = 0; i < s->findings.count; i++) put_finding(r, &s->findings.list[i]);
}

/* ---- Methods ---- */

static bool put_method(etr_report *r, const etr_method *method) {
  etr_summary s;
  if (!etr_summary_make(&s, &r->arena, r->profile, method, r->filter, r->options->unit, r->options->order)) return false;
  put_head(r, &s);
  put_balance(r, &s);
  put_part(r, &s);
  if (!s.graph) etr_report_events(r, &s);
  etr_report_operators(r, &s);
  etr_report_breakdown(r, &s, ETR_BY_OP);
  etr_report_modules(r, &s);
  etr_report_breakdown(r, &s, ETR_BY_BACKEND);
  etr_report_breakdown(r, &s, ETR_BY_SOURCE);
  put_runs(r, &s);
  if (r->loads.timed_methods == 1) put_loads(r);
  put_findings(r, &s);
  if (!r->markdown) etr_put_output_gaps(&r->writer, &r->arena, r->profile, (uint32_t)(method - r->profile->methods), r->options->width);
  return true;
}

/* What there is of a method that was not timed. */
static void put_untimed(etr_report *r, const etr_method *method) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &r->profile->graphs[method->graph];
  size_t operators = 0;
  for (size_t i = 0; graph && i < graph->node_count; i++) operators += graph->nodes[i].kind == ETR_NODE_OP;
  const char *head = etr_arena_format(&r->arena, "%s" DOT "%s" DOT "not timed: %s", etr_label_record(&r->arena, r->profile), method_name(method),
                                      r->profile->run_count ? "no run is known to be of it" : "there is no ETDump");
  if (head) put_heading(r, head);
  etr_putf(&r->writer, "%s%zu operators, %zu delegate%s\n", r->markdown ? "\n" : "  ", operators, method->delegate_count,
           method->delegate_count == 1 ? "" : "s");
}

static bool put_methods(etr_report *r) {
  if (!etr_loads_make(&r->loads, &r->arena, r->profile)) return false;
  for (size_t i = 0; i < r->profile->method_count; i++) {
    const etr_method *method = &r->profile->methods[i];
    if (etr_filter_takes_method(r->filter, method) && method->run_count > 0 && !put_method(r, method)) return false;
  }
  for (size_t i = 0; i < r->profile->method_count; i++) {
    const etr_method *method = &r->profile->methods[i];
    if (etr_filter_takes_method(r->filter, method) && method->run_count == 0) put_untimed(r, method);
  }
  if (r->loads.timed_methods != 1) put_loads(r);
  return true;
}

static bool put_rows(etr_report *r) {
  etr_table table;
  etr_summary s;
  etr_summary_rows_init(&table, &r->arena);
  for (size_t i = 0; i < r->profile->method_count; i++) {
    const etr_method *method = &r->profile->methods[i];
    if (!etr_filter_takes_method(r->filter, method) || method->run_count == 0) continue;
    if (!etr_summary_make(&s, &r->arena, r->profile, method, r->filter, r->options->unit, r->options->order)) return false;
    etr_summary_rows_add(&table, &s, r->options);
  }
  if (!etr_loads_make(&r->loads, &r->arena, r->profile)) return false;
  etr_summary_rows_add_loads(&table, r->profile, &r->loads, r->options);
  etr_table_write(&table, &r->writer, r->options->format, 0);
  return true;
}

etr_status etr_emit_summary_tables(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options, const etr_sink *sink,
                                   etr_error *error) {
  static const etr_table_options defaults = {.top = DEFAULT_ROWS};
  etr_report r = {.profile = profile, .filter = filter, .options = options ? options : &defaults};
  r.markdown = r.options->format == ETR_TABLE_MARKDOWN;
  etr_error_clear(error);
  etr_writer_init(&r.writer, sink);
  etr_writer_look(&r.writer, r.options);
  if (!(r.markdown || r.options->format == ETR_TABLE_TEXT ? put_methods : put_rows)(&r)) r.writer.status = ETR_ERROR_MEMORY;
  return etr_writer_finish_with(&r.writer, &r.arena, error);
}
