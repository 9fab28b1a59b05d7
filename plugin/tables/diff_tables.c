/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_tables.c - a comparison on one screen, or as one table.
 */
#include "balance.h"
#include "gap_output.h"

/* ---- Text ---- */

static void put_line(etr_diff_output *o, const char *text) {
  etr_put_plain(&o->writer, text);
  etr_puts(&o->writer, "\n");
}

static void put_title(etr_diff_output *o, const etr_method_pair *method) {
  const etr_change *execute = &method->execute;
  const char *medians = etr_diff_medians_text(o, execute), *verdict = etr_arena_format(&o->arena, ": %s", etr_diff_verdict_text(o, execute));
  size_t width = o->options->width ? o->options->width : 100;
  etr_text text;
  etr_writer rest;
  etr_text_begin(&text, &o->arena, &rest);
  if (medians[0]) etr_putf(&rest, " \xC2\xB7 execute p50 %s", medians);
  if (execute->base_runs && execute->new_runs)
    etr_putf(&rest, " \xC2\xB7 %zu and %zu runs", execute->base_runs, execute->new_runs);
  else if (execute->base_runs || execute->new_runs)
    etr_putf(&rest, " \xC2\xB7 %zu runs", execute->base_runs + execute->new_runs);
  const char *numbers = etr_text_end(&text, &rest);
  size_t taken = numbers ? etr_plain_width(&o->writer, numbers) : 0;
  etr_put_style(&o->writer, ETR_STYLE_BOLD);
  etr_put_named(&o->writer, &o->arena, method->name[0] ? method->name : "method not known", verdict, width > taken ? width - taken : 1);
  etr_put_style(&o->writer, ETR_STYLE_PLAIN);
  etr_putf(&o->writer, "%s\n", numbers ? numbers : "");
}

static bool put_section(etr_diff_output *o, const etr_method_pair *method, etr_diff_section section) {
  etr_diff_rows rows;
  if (!etr_diff_rows_make(&rows, &o->arena, method, section, o->options->order)) return false;
  if (rows.count == 0) return true;
  bool sums = section >= ETR_DIFF_SECTION_OPS, timed = method->execute.base_runs || method->execute.new_runs;
  if (!etr_diff_has_rows(o, &rows)) {
    if (sums || section == ETR_DIFF_SECTION_NODES)
      etr_putf(&o->writer, "%s%s: %s\n", etr_diff_section_title(section), method->by_events && !sums ? "s, by event" : "s",
               etr_diff_counts_text(o, &rows));
    return true;
  }
  etr_puts(&o->writer, "\n");
  size_t shown = etr_diff_write_section(o, method, &rows, section, ETR_TABLE_TEXT);
  if (shown < rows.count) etr_putf(&o->writer, "%zu of %zu (%s); all: --top 0\n", shown, rows.count, etr_diff_counts_text(o, &rows));
  if (timed) put_line(o, etr_diff_adds_up_text(o, method, &rows, shown));
  return true;
}

static bool put_method(etr_diff_output *o, const etr_method_pair *method) {
  bool timed = method->execute.base_runs || method->execute.new_runs, both = method->execute.base_runs && method->execute.new_runs;
  put_title(o, method);
  if (both) {
    etr_puts(&o->writer, "\n");
    etr_diff_write_balance(o, method, ETR_TABLE_TEXT);
    put_line(o, etr_diff_lined_up_text(o, method));
  }
  for (etr_diff_section s = 0; (both || !timed) && s < ETR_DIFF_SECTIONS; s++)
    if (etr_diff_takes_section(o->filter, s) && !put_section(o, method, s)) return false;
  if (etr_diff_takes_gaps(o->filter)) etr_gap_put_section(o, method, ETR_TABLE_TEXT);
  etr_puts(&o->writer, "\n");
  return true;
}

static void put_loads(etr_diff_output *o) {
  for (size_t i = 0; i < o->comparison->load_count; i++) {
    const etr_load_pair *load = &o->comparison->loads[i];
    etr_puts(&o->writer, "load: ");
    etr_put_plain(&o->writer, load->name);
    etr_putf(&o->writer, "  %s", etr_diff_medians_text(o, &load->change));
    if (load->change.verdict == ETR_VERDICT_FEW_RUNS)
      etr_puts(&o->writer, " (too few loads to tell a change from noise)");
    else if (load->change.base_runs && load->change.new_runs)
      etr_putf(&o->writer, ": %s", etr_diff_verdict_text(o, &load->change));
    etr_puts(&o->writer, "\n");
  }
}

static bool write_text(etr_diff_output *o) {
  bool any_noise = false;
  for (size_t i = 0; i < o->comparison->method_count; i++) {
    const etr_method_pair *method = &o->comparison->methods[i];
    if (!etr_diff_takes_method(o->filter, method)) continue;
    if (!put_method(o, method)) return false;
    any_noise |= method->execute.noise >= 0;
  }
  put_loads(o);
  if (o->comparison->load_count && any_noise) etr_puts(&o->writer, "\n");
  if (any_noise) etr_put_wrapped(&o->writer, ETR_STYLE_DIM, etr_diff_legend(), 0, o->options->width ? o->options->width : 100);
  return true;
}

/* ---- One table ---- */

static void add_time(etr_diff_output *o, etr_table *table, double ticks, bool known) {
  if (known)
    etr_table_add_number(table, etr_ticks_to_unit(o->comparison->newer, ticks, o->options->unit), 9);
  else
    etr_table_add(table, "");
}

static void add_change(etr_diff_output *o, etr_table *table, const etr_change *c) {
  add_time(o, table, c->base_avg, true);
  add_time(o, table, c->new_avg, true);
  add_time(o, table, c->base_p50, c->base_runs > 0);
  add_time(o, table, c->new_p50, c->new_runs > 0);
  add_time(o, table, c->noise, c->noise >= 0);
  etr_table_add(table, etr_unit_name(o->options->unit));
  etr_table_add(table, etr_verdict_name(c->verdict));
}

static void add_head(etr_table *table, const etr_method_pair *method, const char *part, const etr_diff_row *row) {
  const etr_node_pair *pair = row ? row->pair : NULL;
  etr_table_add(table, method ? method->name : "");
  etr_table_add(table, part);
  etr_table_add(table, row ? row->name : "");
  etr_table_add(table, pair ? pair->op : "");
  etr_table_add(table, row ? row->module : "");
  etr_table_add(table, pair ? etr_pair_rule_name(pair->rule) : "");
}

static bool add_method(etr_diff_output *o, etr_table *table, const etr_method_pair *method) {
  static const char *const parts[ETR_DIFF_SECTIONS] = {"node", "node", "node", "by_op", "by_module", "by_backend"};
  add_head(table, method, "execute", NULL);
  add_change(o, table, &method->execute);
  for (etr_diff_section s = 0; s < ETR_DIFF_SECTIONS; s++) {
    etr_diff_rows rows;
    if (!etr_diff_takes_section(o->filter, s)) continue;
    if (!etr_diff_rows_make(&rows, &o->arena, method, s, o->options->order)) return false;
    size_t shown = o->options->top ? ETR_MIN(rows.count, o->options->top) : rows.count;
    for (size_t i = 0; i < shown; i++) {
      add_head(table, method, parts[s], &rows.rows[i]);
      add_change(o, table, rows.rows[i].change);
    }
  }
  return true;
}

static bool write_times(etr_diff_output *o) {
  static const etr_column columns[] = {{"method", false, false},  {"part", false, false},   {"key", false, false},     {"op", false, false},
                                       {"module", false, false},  {"rule", false, false},   {"base_avg", true, false}, {"new_avg", true, false},
                                       {"base_p50", true, false}, {"new_p50", true, false}, {"noise", true, false},    {"unit", false, false},
                                       {"verdict", false, false}};
  etr_table table;
  etr_table_init(&table, &o->arena, columns, ETR_COUNT(columns));
  for (size_t i = 0; i < o->comparison->method_count; i++) {
    const etr_method_pair *method = &o->comparison->methods[i];
    if (etr_diff_takes_method(o->filter, method) && !add_method(o, &table, method)) return false;
  }
  for (size_t i = 0; i < o->comparison->load_count; i++) {
    add_head(&table, NULL, "load", &(etr_diff_row){.name = o->comparison->loads[i].name, .module = ""});
    add_change(o, &table, &o->comparison->loads[i].change);
  }
  etr_table_write(&table, &o->writer, o->options->format, 0);
  return true;
}

static bool write_flat(etr_diff_output *o) {
  if (o->filter && o->filter->by == ETR_DIFF_BY_VALUE) {
    etr_gap_write_table(o);
    return true;
  }
  return write_times(o);
}

etr_status etr_emit_diff_tables(const etr_comparison *comparison, const etr_diff_filter *filter, const etr_table_options *options,
                                const etr_sink *sink, etr_error *error) {
  static const etr_table_options defaults = {.top = 30};
  etr_diff_output o = {.comparison = comparison, .filter = filter, .options = options ? options : &defaults};
  etr_table_format format = o.options->format;
  etr_error_clear(error);
  etr_writer_init(&o.writer, sink);
  etr_writer_look(&o.writer, o.options);
  bool good = format == ETR_TABLE_TEXT ? write_text(&o) : format == ETR_TABLE_MARKDOWN ? etr_diff_markdown(&o) : write_flat(&o);
  if (!good) o.writer.status = ETR_ERROR_MEMORY;
  return etr_writer_finish_with(&o.writer, &o.arena, error);
}
