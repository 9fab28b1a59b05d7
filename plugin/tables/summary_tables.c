/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_tables.c - where each method's time goes, on one screen, or for an issue.
 */
#include "output/label.h"
#include "output/node_filter.h"
#include "tables/node_fields.h"
#include "tables/summary_output.h"
#include "views/output_gaps.h"
#include "views/steadiness.h"

#include <math.h>

enum { DEFAULT_ROWS = 10 };

#define DOT " \xC2\xB7 "
#define TIMES "\xC3\x97"

/* "2.9" of 2.88, "29" of 28.8 */
static void put_factor(etr_writer *writer, double factor) {
  etr_put_fixed(writer, factor, factor < 10 ? 1 : 0);
  etr_puts(writer, TIMES);
}

void etr_report_put(etr_report *r, etr_sheet *sheet) {
  if (sheet->rows.count == 0) return;
  etr_puts(&r->answer.writer, "\n");
  etr_sheet_finish(sheet);
}

/* ---- Head ---- */

static void put_heading(etr_report *r, const char *text) {
  if (r->any) etr_puts(&r->answer.writer, "\n");
  r->any = true;
  if (r->markdown) {
    etr_puts(&r->answer.writer, "### ");
    etr_put_markdown(&r->answer.writer, text);
    etr_puts(&r->answer.writer, "\n");
    return;
  }
  etr_put_wrapped(&r->answer.writer, ETR_STYLE_BOLD, text, 0, etr_answer_text_width(&r->answer));
}

static const char *method_name(const etr_method *method) { return method->name[0] ? method->name : "method not known"; }

static void put_head_time(const etr_report *r, etr_writer *writer, const char *name, double ticks) {
  etr_putf(writer, DOT "%s ", name);
  etr_put_time(writer, r->answer.profile, ticks, r->answer.options->unit);
  etr_putf(writer, " %s", etr_unit_name(r->answer.options->unit));
}

/* "steady (cv 1.2 %)", "steady but for 3 of 40 runs, 1.6-4.1× (cv 1.2 %)", "12 % slower from run 26 on", "too few runs
 * to judge noise" */
static void put_noise(etr_writer *writer, const etr_method *method, const char *text) {
  const etr_noise *noise = &method->noise;
  bool is_spread = noise->verdict < ETR_NOISE_TWO_MODES;
  if (noise->verdict == ETR_NOISE_FEW_RUNS) {
    etr_puts(writer, DOT "too few runs to judge noise");
    return;
  }
  if (method->mixed_phase_count > 1 || !text || !text[0]) text = etr_noise_verdict_name(noise->verdict);
  etr_putf(writer, DOT "%s", text);
  if (!is_spread) return;
  etr_putf(writer, " (cv %s", noise->cv > 1 ? "over " : "");
  etr_put_share(writer, ETR_MIN(noise->cv, 1.0), 1);
  etr_puts(writer, ")");
}

/* "mobilenet_v2 · forward · 10 runs, 1 left out as warm-up (51.8000 ms) · p50 1.2134 ms · avg 1.3010 ms · first
 * run 2.9× · steady (cv 1.2 %) · load 4.4012 ms" */
static void put_head(etr_report *r, const etr_summary *s) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &r->answer.arena, &writer);
  const char *runs = etr_runs_text(&r->answer.arena, r->answer.profile, s->method, r->answer.options->unit);
  etr_putf(&writer, "%s" DOT "%s" DOT "%s", etr_label_record(&r->answer.arena, r->answer.profile),
           method_name(s->method), runs ? runs : "");
  put_head_time(r, &writer, "p50", s->method->execute.p50);
  put_head_time(r, &writer, "avg", s->method->execute.avg);
  if (s->first_run.rest.p50 > 0) {
    etr_puts(&writer, DOT "first run ");
    put_factor(&writer, s->first_run.ticks / s->first_run.rest.p50);
  }
  put_noise(&writer, s->method,
            etr_steadiness_text(&r->answer.arena, r->answer.profile, s->method, r->answer.options->unit));
  if (r->loads.whole && r->loads.timed_methods == 1) put_head_time(r, &writer, "load", r->loads.whole->stats.avg);
  const char *head = etr_text_end(&text, &writer);
  if (head) put_heading(r, head);
}

/* ---- Where the time goes ---- */

static void put_note(etr_report *r, const char *note) {
  if (!note) return;
  if (r->markdown) {
    etr_puts(&r->answer.writer, "\n");
    etr_put_markdown(&r->answer.writer, note);
    etr_puts(&r->answer.writer, "\n");
  } else
    etr_put_wrapped(&r->answer.writer, ETR_STYLE_DIM, note, 2, etr_answer_text_width(&r->answer));
}

static void put_balance(etr_report *r, const etr_summary *s) {
  etr_sheet sheet;
  etr_sum_sheet_init(&sheet, &r->answer, ETR_IN_BALANCE, etr_balance_title(r->answer.profile));
  sheet.top = 0;
  etr_balance_add(&sheet, s->method);
  etr_report_put(r, &sheet);
  const char *notes[ETR_BALANCE_MOST_NOTES];
  size_t count = etr_balance_notes(notes, &r->answer.arena, r->answer.profile, s->method);
  for (size_t i = 0; i < count; i++) put_note(r, notes[i]);
  put_note(r, etr_balance_note(&r->answer.arena, r->answer.profile, s->method, r->answer.options->unit));
}

/* A time of no method, or of a part of its runs: not a share of anything. */
static void add_time(etr_sheet *sheet, const char *text, double ticks, const etr_stats *stats) {
  etr_sum sum = etr_sum_of_stats(ticks, stats);
  sum.text = text;
  etr_sum_sheet_add(sheet, sum);
}

/* The kinds of runs that the times below are over, where there is more than one. */
static void put_phases(etr_report *r, const etr_summary *s) {
  static const char *const notes[] = {"told by the sizes of the values that the runs logged",
                                      "told by the events of the runs",
                                      "estimated: told by the operators' times, which longer runs stretch unlike each "
                                      "other"};
  const etr_method *method = s->method;
  etr_sheet sheet;
  if (method->mixed_phase_count < 2) return;
  etr_sum_sheet_init(&sheet, &r->answer, ETR_IN_RUNS, "phases of the runs");
  sheet.top = 0;
  for (size_t i = 0; i < method->run_phase_count; i++) {
    const etr_run_phase *phase = &method->run_phases[i];
    if (phase->run_count)
      add_time(&sheet, etr_arena_format(&r->answer.arena, "%zu %s", phase->run_count, phase->name), phase->execute.avg,
               &phase->execute);
  }
  etr_report_put(r, &sheet);
  put_note(r, etr_arena_format(&r->answer.arena, "%s; all other times are over all of these runs",
                               notes[method->run_phases[0].told_by]));
  const char *text = etr_steadiness_text(&r->answer.arena, r->answer.profile, method, r->answer.options->unit);
  if (text && text[0]) put_note(r, text);
}

/* Where no backend tells any of them, there is nothing to add to the balance. */
static void put_delegate_parts(etr_report *r, const etr_method *method, const char *title,
                               const etr_delegate_parts *parts) {
  etr_sheet sheet;
  if (!parts->tells) return;
  etr_sum_sheet_init(&sheet, &r->answer, ETR_IN_BALANCE, title);
  sheet.top = 0;
  etr_sum_sheet_add_parts(&sheet, method, parts);
  etr_report_put(r, &sheet);
}

static void put_delegates(etr_report *r, const etr_summary *s) {
  etr_delegate_parts phases, units;
  if (!etr_delegate_phases_make(&phases, &r->answer.arena, s->method) ||
      !etr_compute_units_make(&units, &r->answer.arena, s->method))
    return;
  put_delegate_parts(r, s->method, "delegates' own time", &phases);
  put_delegate_parts(r, s->method, "delegates by compute unit", &units);
}

/* What the tables below are about, where that is less than all. */
static void put_part(etr_report *r, const etr_summary *s) {
  if (!s->is_part) return;
  etr_putf(&r->answer.writer, "\n%zu node%s, ", s->node_count, s->node_count == 1 ? "" : "s");
  etr_put_time(&r->answer.writer, r->answer.profile, etr_sum_make(s->method, s->part_ticks).ticks,
               r->answer.options->unit);
  etr_putf(&r->answer.writer, " %s%s, ", etr_unit_name(r->answer.options->unit), etr_on_average(r->answer.profile));
  etr_put_filter(&r->answer.writer, &r->answer.arena, r->answer.filter);
}

/* ---- Lists ---- */

static void put_operators(etr_report *r, const etr_summary *s) {
  etr_sheet sheet;
  etr_sheet_init(&sheet, &r->answer, &etr_node_fields);
  size_t shown = sheet.top ? ETR_MIN(sheet.top, s->node_count) : s->node_count;
  etr_node_row *rows = etr_arena_alloc_raw_array(&r->answer.arena, shown, sizeof *rows);
  sheet.medium = ETR_IN_OPERATORS;
  etr_sheet_choose_between(&sheet, 1, 0);
  for (size_t i = 0; rows && i < shown; i++) {
    rows[i] = etr_node_row_of(&r->answer.arena, s->profile, s->graph, s->nodes[i]);
    rows[i].is_text = true;
    rows[i].summed_p50 = &s->summed_p50;
  }
  etr_sheet_add_rows(&sheet, ETR_ROWS(rows, rows ? shown : 0));
  sheet.others = s->node_count - shown;
  etr_report_put(r, &sheet);
}

static void put_breakdown(etr_report *r, const etr_summary *s, etr_breakdown_by by) {
  static const char *const titles[] = {"by type", "by module", "by pattern", "by backend", "by source line"};
  etr_sheet sheet;
  etr_sum_sheet_init(&sheet, &r->answer, ETR_IN_TEXT, titles[by]);
  etr_sheet_choose_between(&sheet, 1, 0);
  etr_sum_sheet_add_all(&sheet, s->method, by, &s->by[by]);
  etr_report_put(r, &sheet);
}

static void put_runs(etr_report *r, const etr_summary *s) {
  const etr_stats *all = &s->method->execute, *rest = &s->first_run.rest;
  etr_sheet sheet;
  if (rest->count == 0) return;
  etr_sum_sheet_init(&sheet, &r->answer, ETR_IN_RUNS, "runs");
  sheet.top = 0;
  const char *counted = s->method->skipped_run_count ? "the %zu that count" : "all %zu";
  if (all->count != rest->count)
    add_time(&sheet, etr_arena_format(&r->answer.arena, counted, s->method->run_count), all->avg, all);
  add_time(&sheet, "first", s->first_run.ticks, NULL);
  const char *phase = s->first_run.phase;
  add_time(&sheet, etr_arena_format(&r->answer.arena, "other %zu%s%s", rest->count, phase[0] ? " " : "", phase),
           rest->avg, rest);
  etr_report_put(r, &sheet);
}

static void put_loads(etr_report *r) {
  etr_sheet sheet;
  etr_sum_sheet_init(&sheet, &r->answer, ETR_IN_LOADS, "loading");
  sheet.top = 0;
  for (size_t i = 0; i < r->loads.count; i++)
    add_time(&sheet, r->loads.list[i].name, r->loads.list[i].stats.avg, &r->loads.list[i].stats);
  etr_report_put(r, &sheet);
}

/* ---- Findings ---- */

/* "0.0266 ms, 4.6 %: 2 Transpose in delegate 0 that no node stands for" */
static char *finding_line(etr_report *r, const etr_finding *finding) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &r->answer.arena, &writer);
  etr_put_time(&writer, r->answer.profile, finding->cost, r->answer.options->unit);
  etr_putf(&writer, " %s", etr_unit_name(r->answer.options->unit));
  if (isnan(finding->share)) {
    etr_puts(&writer, " once");
  } else {
    etr_puts(&writer, ", ");
    etr_put_share(&writer, finding->share, 1);
  }
  etr_putf(&writer, ": %s", finding->title);
  return etr_text_end(&text, &writer);
}

static void put_finding(etr_report *r, const etr_finding *finding) {
  const char *line = finding_line(r, finding);
  if (!line) return;
  if (r->markdown) {
    etr_puts(&r->answer.writer, "- ");
    etr_put_markdown(&r->answer.writer, line);
    etr_puts(&r->answer.writer, ". ");
    etr_put_markdown(&r->answer.writer, finding->evidence);
    etr_puts(&r->answer.writer, "\n");
    return;
  }
  etr_put_wrapped(&r->answer.writer, ETR_STYLE_PLAIN, line, 2, etr_answer_text_width(&r->answer));
  etr_put_wrapped(&r->answer.writer, ETR_STYLE_DIM, finding->evidence, 6, etr_answer_text_width(&r->answer));
}

static void put_findings(etr_report *r, const etr_summary *s) {
  if (s->findings.count == 0) return;
  etr_puts(&r->answer.writer, "\n");
  etr_put_style(&r->answer.writer, ETR_STYLE_BOLD);
  etr_puts(&r->answer.writer, "findings, by medians");
  etr_put_style(&r->answer.writer, ETR_STYLE_PLAIN);
  etr_puts(&r->answer.writer, r->markdown ? "\n\n" : "\n");
  for (size_t i = 0; i < s->findings.count; i++) put_finding(r, &s->findings.list[i]);
}

/* ---- Methods ---- */

static void put_only(etr_report *r, const etr_summary *s, etr_sum_by by) {
  switch (by) {
  case ETR_SUM_BY_MODULE: etr_report_modules(r, s); break;
  case ETR_SUM_BY_PATTERN: etr_report_patterns(r, s); break;
  default: put_breakdown(r, s, etr_breakdown_of(by));
  }
}

static void put_all(etr_report *r, const etr_summary *s) {
  if (!s->graph) etr_report_events(r, s);
  put_operators(r, s);
  put_breakdown(r, s, ETR_BY_OP);
  etr_report_modules(r, s);
  put_breakdown(r, s, ETR_BY_BACKEND);
  if (!s->graph || !etr_is_program(s->graph)) put_breakdown(r, s, ETR_BY_SOURCE);
  put_runs(r, s);
  if (r->loads.timed_methods == 1) put_loads(r);
  put_findings(r, s);
  if (!r->markdown) etr_put_output_gaps(&r->answer, (uint32_t)(s->method - r->answer.profile->methods));
}

static double hinted_nodes(const etr_summary *s) {
  double nodes = 0;
  for (size_t i = 0; i < s->by[ETR_BY_OP].count; i++) nodes += s->by[ETR_BY_OP].rows[i].cost.hinted;
  return nodes;
}

/* Operators are in all of them: they tell how many nodes have sizes that are examples. */
static unsigned shown_parts(const etr_report *r) {
  const unsigned patterns = 1u << ETR_BY_PATTERN, modules = 1u << ETR_BY_MODULE, operators = 1u << ETR_BY_OP;
  etr_sum_by only = r->answer.options->by;
  if (!only) return ETR_SUMMARY_ALL & ~patterns;
  if (only == ETR_SUM_BY_PATTERN) return operators | modules | patterns;
  return operators | 1u << etr_breakdown_of(only);
}

static bool put_method(etr_report *r, const etr_method *method) {
  etr_summary s;
  if (!etr_summary_make(
          &s, &r->answer.arena, r->answer.profile, method,
          (etr_summary_choice){r->answer.filter, r->answer.options->unit, r->answer.options->order, shown_parts(r)}))
    return false;
  put_head(r, &s);
  if (!r->answer.options->by) put_phases(r, &s);
  if (!r->answer.options->by) put_balance(r, &s), put_delegates(r, &s);
  put_part(r, &s);
  if (r->answer.options->by)
    put_only(r, &s, r->answer.options->by);
  else
    put_all(r, &s);
  etr_put_hinted(&r->answer, hinted_nodes(&s));
  return true;
}

static const char *why_untimed(const etr_report *r, const etr_method *method) {
  if (method->skipped_run_count) return "all of its runs are left out";
  return r->answer.profile->run_count ? "no run is known to be of it" : "there is no ETDump";
}

/* What there is of a method that was not timed. */
static void put_untimed(etr_report *r, const etr_method *method) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &r->answer.profile->graphs[method->graph];
  size_t operators = 0;
  for (size_t i = 0; graph && i < graph->node_count; i++) operators += graph->nodes[i].kind == ETR_NODE_OP;
  const char *head = etr_arena_format(&r->answer.arena, "%s" DOT "%s" DOT "not timed: %s",
                                      etr_label_record(&r->answer.arena, r->answer.profile), method_name(method),
                                      why_untimed(r, method));
  if (head) put_heading(r, head);
  etr_putf(&r->answer.writer, "%s%zu operators, %zu delegate%s\n", r->markdown ? "\n" : "  ", operators,
           method->delegate_count, method->delegate_count == 1 ? "" : "s");
}

static bool put_methods(etr_report *r) {
  if (!etr_loads_make(&r->loads, &r->answer.arena, r->answer.profile)) return false;
  for (size_t i = 0; i < r->answer.profile->method_count; i++) {
    const etr_method *method = &r->answer.profile->methods[i];
    if (etr_filter_takes_method(r->answer.filter, method) && method->run_count > 0 && !put_method(r, method))
      return false;
  }
  for (size_t i = 0; i < r->answer.profile->method_count; i++) {
    const etr_method *method = &r->answer.profile->methods[i];
    if (etr_filter_takes_method(r->answer.filter, method) && method->run_count == 0) put_untimed(r, method);
  }
  if (r->loads.timed_methods != 1 && !r->answer.options->by) put_loads(r);
  return true;
}

static bool put_rows(etr_report *r) {
  const etr_profile *profile = r->answer.profile;
  const etr_table_options *options = r->answer.options;
  etr_summary *summaries = etr_arena_alloc_array(&r->answer.arena, profile->method_count, sizeof *summaries);
  etr_sheet sheet;
  if (!summaries) return false;
  bool patterns = options->by == ETR_SUM_BY_PATTERN;
  etr_sum_sheet_init(&sheet, &r->answer, patterns ? ETR_IN_PATTERN_ROWS : ETR_IN_ROWS, NULL);
  etr_sheet_choose(&sheet);
  sheet.top = 0; /* it is of each section */
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (!etr_filter_takes_method(r->answer.filter, method) || method->run_count == 0) continue;
    if (!etr_summary_make(&summaries[i], &r->answer.arena, profile, method,
                          (etr_summary_choice){r->answer.filter, options->unit, options->order, ETR_SUMMARY_ALL}))
      return false;
    (patterns ? etr_summary_rows_add_patterns : etr_summary_rows_add)(&sheet, &summaries[i]);
  }
  if (!etr_loads_make(&r->loads, &r->answer.arena, profile)) return false;
  if (!options->by) etr_summary_rows_add_loads(&sheet, &r->loads);
  etr_sheet_fill(&sheet);
  etr_sheet_write(&sheet);
  return true;
}

etr_status etr_emit_summary_tables(const etr_profile *profile, const etr_node_filter *filter,
                                   const etr_table_options *options, const etr_sink *sink, etr_error *error) {
  static const etr_table_options defaults = {.top = DEFAULT_ROWS};
  etr_report r = {0};
  etr_answer_begin(&r.answer, profile, filter, options ? options : &defaults, sink);
  if (r.answer.options->by == ETR_SUM_BY_PATTERN) etr_answer_refuse_patterns(&r.answer);
  r.markdown = r.answer.options->format == ETR_TABLE_MARKDOWN;
  bool good = (r.markdown || r.answer.options->format == ETR_TABLE_TEXT ? put_methods : put_rows)(&r);
  return etr_answer_end(&r.answer, good, error);
}
