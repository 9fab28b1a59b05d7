/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_cells.c - words and cells of a comparison.
 */
#include "diff_cells.h"

#include "balance.h"

#include <math.h>

/* ---- Words ---- */

/* Out of memory is found out in the end, when the arena says so. */
static const char *or_empty(const char *text) { return text ? text : ""; }

const char *etr_diff_signed_time(etr_diff_output *o, double ticks) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &o->arena, &writer);
  etr_puts(&writer, ticks < 0 ? "-" : "+");
  etr_put_time(&writer, o->comparison->newer, fabs(ticks), o->options->unit);
  const char *made = or_empty(etr_text_end(&text, &writer));
  bool is_zero = made[0] && made[1 + strspn(made + 1, "0.")] == '\0';
  return is_zero ? made + 1 : made;
}

static const char *time_text(etr_diff_output *o, double ticks) {
  const char *text = etr_diff_signed_time(o, ticks);
  return text[0] == '+' ? text + 1 : text;
}

static const char *percent_text(etr_diff_output *o, double percent, const char *behind) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &o->arena, &writer);
  etr_put_fixed(&writer, percent, 1);
  etr_puts(&writer, behind);
  return or_empty(etr_text_end(&text, &writer));
}

const char *etr_diff_percent(etr_diff_output *o, const etr_change *change) {
  double percent = change->base_p50 > 0 ? 100 * etr_diff_median(change) / change->base_p50 : 0;
  if (!change->base_runs || !change->new_runs || change->base_p50 <= 0) return "";
  const char *text = percent_text(o, percent, " %");
  return percent >= 0.05 ? or_empty(etr_arena_format(&o->arena, "+%s", text)) : text;
}

const char *etr_diff_verdict_text(etr_diff_output *o, const etr_change *execute) {
  double percent = execute->base_p50 > 0 ? 100 * fabs(etr_diff_median(execute)) / execute->base_p50 : 0;
  switch (execute->verdict) {
  case ETR_VERDICT_FASTER: return percent_text(o, percent, " % faster");
  case ETR_VERDICT_SLOWER: return percent_text(o, percent, " % slower");
  case ETR_VERDICT_WITHIN_NOISE: return "no change beyond the noise";
  case ETR_VERDICT_FEW_RUNS: return "too few runs to tell a change from noise";
  case ETR_VERDICT_GONE: return "only in the base";
  case ETR_VERDICT_NEW: return "new";
  case ETR_VERDICT_ONE_SIDE: return execute->base_runs ? "timed in the base only" : "not timed in the base";
  default: return "not timed";
  }
}

const char *etr_diff_medians_text(etr_diff_output *o, const etr_change *change) {
  const char *unit = etr_unit_name(o->options->unit);
  const char *base = time_text(o, change->base_p50), *newer = time_text(o, change->new_p50);
  if (!change->base_runs && !change->new_runs) return "";
  if (!change->base_runs || !change->new_runs) return or_empty(etr_arena_format(&o->arena, "%s %s", change->base_runs ? base : newer, unit));
  const char *noise = change->noise < 0 ? NULL : time_text(o, change->noise);
  return or_empty(etr_arena_format(&o->arena, "%s \xE2\x86\x92 %s %s%s%s", base, newer, unit, noise ? ", noise \xC2\xB1" : "", or_empty(noise)));
}

const char *etr_diff_counts_text(etr_diff_output *o, const etr_diff_rows *rows) {
  static const struct {
    etr_verdict verdict;
    const char *text;
  } parts[] = {{ETR_VERDICT_SLOWER, "slower"},
               {ETR_VERDICT_FASTER, "faster"},
               {ETR_VERDICT_WITHIN_NOISE, "within noise"},
               {ETR_VERDICT_FEW_RUNS, "with too few runs to tell"},
               {ETR_VERDICT_ONE_SIDE, "timed on one side only"},
               {ETR_VERDICT_NEW, "new"},
               {ETR_VERDICT_GONE, "gone"},
               {ETR_VERDICT_UNTIMED, "not timed"}};
  const char *text = "";
  for (size_t i = 0; i < ETR_COUNT(parts); i++)
    if (rows->verdicts[parts[i].verdict])
      text = or_empty(etr_arena_format(&o->arena, "%s%s%zu %s", text, text[0] ? ", " : "", rows->verdicts[parts[i].verdict], parts[i].text));
  return text;
}

const char *etr_diff_lined_up_text(etr_diff_output *o, const etr_method_pair *method) {
  const char *what = method->by_events ? "events" : "nodes";
  bool few = method->may_differ;
  return or_empty(etr_arena_format(&o->arena, "%s%zu of %zu timed %s of both sides line up%s", few ? "only " : "", method->timed_paired,
                                   method->timed_nodes, what, few ? ": different models? Their sums say more than their nodes" : ""));
}

const char *etr_diff_legend(void) {
  return "Times in the tables are medians (p50) over the runs. noise: what a change has to exceed to be told from the spread of the runs and the "
         "clock's "
         "step, such that of a table's slower and faster rows 5 % at most are expected to be there by chance. What differed between the recordings "
         "as a "
         "whole, such as the clock frequency, it does not know. Averages add up; medians do not.";
}

/* ---- Tables ---- */

const char *etr_diff_section_title(etr_diff_section section) {
  static const char *const titles[ETR_DIFF_SECTIONS] = {"node", "new node", "gone node", "operator", "module", "backend"};
  return titles[section];
}

bool etr_diff_has_rows(const etr_diff_output *o, const etr_diff_rows *rows) { return (o->options->top ? rows->news_count : rows->count) > 0; }

/* Of a node that was timed on one side: why. */
static const char *one_side_text(const etr_diff_output *o, const etr_method_pair *method, const etr_diff_row *row) {
  bool in_base = row->change->base_runs > 0;
  const etr_profile *profile = in_base ? o->comparison->newer : o->comparison->base;
  uint32_t index = in_base ? method->new_method : method->base_method, node = !row->pair ? ETR_NONE
                                                                              : in_base  ? row->pair->new_node
                                                                                         : row->pair->base_node;
  if (node == ETR_NONE || index == ETR_NONE || profile->methods[index].graph == ETR_NONE) return in_base ? "untimed" : "timed";
  const etr_graph *graph = &profile->graphs[profile->methods[index].graph];
  bool fused = graph->times && graph->times[node].carried_by != ETR_NONE;
  return fused ? (in_base ? "fused" : "unfused") : in_base ? "untimed" : "timed";
}

static void add_verdict(etr_diff_output *o, etr_table *table, const etr_method_pair *method, const etr_diff_row *row) {
  switch (row->change->verdict) {
  case ETR_VERDICT_ONE_SIDE: etr_table_add(table, one_side_text(o, method, row)); return;
  case ETR_VERDICT_WITHIN_NOISE: etr_table_add(table, "in noise"), etr_table_style(table, ETR_STYLE_DIM); return;
  case ETR_VERDICT_FEW_RUNS: etr_table_add(table, "few runs"), etr_table_style(table, ETR_STYLE_DIM); return;
  default: etr_table_add(table, etr_verdict_name(row->change->verdict));
  }
  if (row->change->verdict == ETR_VERDICT_SLOWER) etr_table_style(table, ETR_STYLE_HOT);
}

static void add_time(etr_diff_output *o, etr_table *table, double ticks, bool known) { etr_table_add(table, known ? time_text(o, ticks) : ""); }

static void add_row(etr_diff_output *o, etr_table *table, const etr_method_pair *method, const etr_diff_row *row, etr_diff_section section) {
  const etr_change *c = row->change;
  etr_table_add(table, section == ETR_DIFF_SECTION_MODULES && !row->name[0] ? "(the model itself)" : row->name);
  if (row->pair && !method->by_events) etr_table_add(table, row->module);
  if (section != ETR_DIFF_SECTION_NEW) add_time(o, table, c->base_p50, c->base_runs > 0);
  if (section != ETR_DIFF_SECTION_GONE) add_time(o, table, c->new_p50, c->new_runs > 0);
  if (section == ETR_DIFF_SECTION_NEW || section == ETR_DIFF_SECTION_GONE) return;
  etr_table_add(table, c->base_runs && c->new_runs ? etr_diff_signed_time(o, etr_diff_median(c)) : "");
  add_time(o, table, c->noise, c->noise >= 0);
  etr_table_add(table, etr_diff_percent(o, c));
  add_verdict(o, table, method, row);
}

/* "base ms" */
static const char *title_text(etr_diff_output *o, const char *side) {
  return or_empty(etr_arena_format(&o->arena, "%s %s", side, etr_unit_name(o->options->unit)));
}

size_t etr_diff_write_section(etr_diff_output *o, const etr_method_pair *method, const etr_diff_rows *rows, etr_diff_section section,
                              etr_table_format format) {
  const char *base = title_text(o, "base");
  const char *newer = title_text(o, "new");
  etr_column columns[8] = {{etr_diff_section_title(section), false, true}};
  size_t count = 1, shown = o->options->top ? ETR_MIN(rows->news_count, o->options->top) : rows->count;
  bool one_side = section == ETR_DIFF_SECTION_NEW || section == ETR_DIFF_SECTION_GONE;
  etr_table table;
  if (section <= ETR_DIFF_SECTION_GONE && !method->by_events) columns[count++] = (etr_column){"module", false, true};
  if (section != ETR_DIFF_SECTION_NEW) columns[count++] = (etr_column){base, true, false};
  if (section != ETR_DIFF_SECTION_GONE) columns[count++] = (etr_column){newer, true, false};
  if (!one_side) {
    columns[count++] = (etr_column){"change", true, false};
    columns[count++] = (etr_column){"noise \xC2\xB1", true, false};
    columns[count++] = (etr_column){"%", true, false};
    columns[count++] = (etr_column){"", false, false};
  }
  etr_table_init(&table, &o->arena, columns, count);
  if (!one_side) etr_table_may_leave_out(&table, count - 3); /* the noise; the verdict tells what comes of it */
  if (!one_side) etr_table_may_leave_out(&table, count - 4); /* the change, which both sides tell */
  for (size_t i = 0; i < shown; i++) add_row(o, &table, method, &rows->rows[i], section);
  etr_table_write(&table, &o->writer, format, o->options->width);
  return shown;
}

static double per_run(const etr_method *method, uint64_t ticks) {
  return method && method->run_count ? (double)ticks / (double)method->run_count : 0;
}

static void add_part(etr_diff_output *o, etr_table *table, const char *text, double base, double newer) {
  etr_table_add(table, text);
  etr_table_add(table, time_text(o, base));
  etr_table_add(table, time_text(o, newer));
  etr_table_add(table, etr_diff_signed_time(o, newer - base));
}

void etr_diff_write_balance(etr_diff_output *o, const etr_method_pair *method, etr_table_format format) {
  static const etr_method nothing = {0};
  const etr_comparison *c = o->comparison;
  const etr_method *base = method->base_method == ETR_NONE ? &nothing : &c->base->methods[method->base_method];
  const etr_method *newer = method->new_method == ETR_NONE ? &nothing : &c->newer->methods[method->new_method];
  const etr_column columns[] = {
      {"average per inference", false, true}, {title_text(o, "base"), true, false}, {title_text(o, "new"), true, false}, {"change", true, false}};
  etr_balance_part base_parts[ETR_BALANCE_PARTS], new_parts[ETR_BALANCE_PARTS];
  etr_table table;
  etr_balance_list(base, base_parts);
  etr_balance_list(newer, new_parts);
  etr_table_init(&table, &o->arena, columns, ETR_COUNT(columns));
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++)
    if (base_parts[i].ticks || new_parts[i].ticks)
      add_part(o, &table, base_parts[i].text, per_run(base, base_parts[i].ticks) * c->base_scale, per_run(newer, new_parts[i].ticks));
  add_part(o, &table, "Method::execute", method->execute.base_avg, method->execute.new_avg);
  etr_table_write(&table, &o->writer, format, o->options->width);
}

const char *etr_diff_adds_up_text(etr_diff_output *o, const etr_method_pair *method, const etr_diff_rows *rows, size_t shown) {
  double whole = etr_diff_average(&method->execute), listed = 0;
  for (size_t i = 0; i < shown; i++) listed += etr_diff_average(rows->rows[i].change);
  const char *listed_text = etr_diff_signed_time(o, listed), *rest = etr_diff_signed_time(o, whole - listed), *sum = etr_diff_signed_time(o, whole);
  return or_empty(etr_arena_format(&o->arena, "change of the average: these rows %s, rest %s, Method::execute %s %s", listed_text, rest, sum,
                                   etr_unit_name(o->options->unit)));
}
