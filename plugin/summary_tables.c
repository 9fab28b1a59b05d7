/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_tables.c - where each method's time goes, on one screen, or as one table.
 */
#include "balance.h"
#include "breakdown.h"
#include "findings.h"
#include "label.h"
#include "node_filter.h"
#include "output_gaps.h"
#include "table.h"

enum { DEFAULT_ROWS = 10, BAR_WIDTH = 24 };

typedef struct summary {
  const etr_profile *profile;
  const etr_table_options *options;
  etr_arena arena;
  etr_writer writer;
  etr_table table; /* of the formats for programs: one over all methods */
} summary;

static double per_run(const etr_method *m, uint64_t ticks) { return (double)ticks / (double)m->run_count; }

/* "layers.0.fc", "model.py:42  x = self.fc(x)", "(the model itself)" */
static const char *key_text(summary *s, const etr_breakdown_row *row, etr_breakdown_by by) {
  if (by == ETR_BY_SOURCE && !row->source) return "(not recorded)";
  if (by == ETR_BY_SOURCE) return etr_arena_format(&s->arena, "%s: %s", etr_label_source(&s->arena, row->source), row->source->code);
  if (by == ETR_BY_MODULE && !row->key[0]) return "(the model itself)";
  return row->key;
}

/* ---- Text ---- */

static void put_time(summary *s, const char *name, double ticks) {
  etr_putf(&s->writer, "  %s ", name);
  etr_put_time(&s->writer, s->profile, ticks, s->options->unit);
}

static void put_title(summary *s, const etr_method *m) {
  etr_put_plain(&s->writer, m->name[0] ? m->name : "method not known");
  etr_putf(&s->writer, " \xC2\xB7 %zu run%s \xC2\xB7 %s ", m->run_count, m->run_count == 1 ? "" : "s", etr_unit_name(s->options->unit));
  put_time(s, "avg", m->execute.avg);
  put_time(s, "p50", m->execute.p50);
  put_time(s, "p90", m->execute.p90);
  put_time(s, "min", m->execute.min);
  put_time(s, "max", m->execute.max);
  etr_puts(&s->writer, "\n\n");
}

static void put_balance(summary *s, const etr_method *m) {
  char *unit = etr_arena_format(&s->arena, "avg %s", etr_unit_name(s->options->unit));
  const etr_column columns[] = {{"where the time goes", false, true}, {unit, true, false}, {"share", true, false}, {"", false, false}};
  etr_balance_part parts[ETR_BALANCE_PARTS];
  etr_table table;
  etr_table_init(&table, &s->arena, columns, ETR_COUNT(columns));
  etr_balance_list(m, parts);
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++) {
    double share = m->execute_ticks ? (double)parts[i].ticks / (double)m->execute_ticks : 0;
    char bar[BAR_WIDTH * 3 + 1] = "";
    for (int k = 0; k < (int)(share * BAR_WIDTH + 0.5) && k < BAR_WIDTH; k++) memcpy(bar + (ptrdiff_t)k * 3, "\xE2\x96\x88", 4);
    etr_table_add(&table, parts[i].text);
    etr_table_add_time(&table, s->profile, per_run(m, parts[i].ticks), s->options->unit);
    etr_table_add_share(&table, (double)parts[i].ticks, (double)m->execute_ticks);
    etr_table_add(&table, parts[i].is_part_of_previous ? "" : bar);
  }
  etr_table_write(&table, &s->writer, ETR_TABLE_TEXT, s->options->width);
}

static bool put_breakdown(summary *s, const etr_method *m, etr_breakdown_by by) {
  static const char *const titles[] = {"operator", "module", "backend", "source line"};
  char *unit = etr_arena_format(&s->arena, "avg %s", etr_unit_name(s->options->unit));
  const etr_column columns[] = {
      {titles[by], false, true}, {unit, true, false}, {"share", true, false}, {"nodes", true, false}, {"estimated", true, false}};
  etr_breakdown rows;
  etr_table table;
  if (!etr_breakdown_make(&rows, &s->arena, s->profile, m, by, NULL)) return false;
  if (rows.count == 0) return true;
  etr_table_init(&table, &s->arena, columns, ETR_COUNT(columns) - (m->estimated_ticks == 0));
  size_t shown = ETR_MIN(rows.count, s->options->top ? s->options->top : rows.count);
  for (size_t i = 0; i < shown; i++) {
    const etr_breakdown_row *row = &rows.rows[i];
    etr_table_add(&table, key_text(s, row, by));
    etr_table_add_time(&table, s->profile, per_run(m, row->total_ticks), s->options->unit);
    etr_table_add_share(&table, (double)row->total_ticks, (double)m->execute_ticks);
    etr_table_add(&table, etr_arena_format(&s->arena, "%zu", row->node_count));
    if (m->estimated_ticks) etr_table_add_share(&table, (double)row->estimated_ticks, (double)row->total_ticks);
  }
  etr_puts(&s->writer, "\n");
  etr_table_write(&table, &s->writer, ETR_TABLE_TEXT, s->options->width);
  if (shown < rows.count) etr_putf(&s->writer, "%zu more: --top 0\n", rows.count - shown);
  return true;
}

static bool put_findings(summary *s, const etr_method *m) {
  etr_findings found;
  if (!etr_findings_make(&found, &s->arena, s->profile, m, s->options->unit)) return false;
  if (found.count) etr_puts(&s->writer, "\nfindings\n");
  for (size_t i = 0; i < found.count; i++) {
    put_time(s, "", found.list[i].cost);
    etr_puts(&s->writer, "  ");
    etr_put_plain(&s->writer, found.list[i].title);
    etr_puts(&s->writer, "\n");
    etr_put_wrapped(&s->writer, found.list[i].evidence, 4, s->options->width ? s->options->width : 100);
  }
  return true;
}

static bool put_method(summary *s, const etr_method *m) {
  if (m->run_count == 0) return true;
  put_title(s, m);
  put_balance(s, m);
  for (etr_breakdown_by by = ETR_BY_OP; by <= ETR_BY_SOURCE; by++)
    if (!put_breakdown(s, m, by)) return false;
  if (!put_findings(s, m)) return false;
  etr_put_output_gaps(&s->writer, &s->arena, s->profile, (uint32_t)(m - s->profile->methods), s->options->width);
  etr_puts(&s->writer, "\n");
  return true;
}

/* Load times stand apart: they are no part of an inference. */
static void put_loads(summary *s) {
  for (size_t i = 0; i < s->profile->block_count; i++) {
    const etr_block *block = &s->profile->blocks[i];
    for (size_t k = 0; block->method == ETR_NONE && k < block->event_count; k++) {
      etr_puts(&s->writer, "load: ");
      etr_put_plain(&s->writer, block->events[k].name);
      put_time(s, "", block->events[k].stats.avg);
      etr_putf(&s->writer, " %s\n", etr_unit_name(s->options->unit));
    }
  }
}

/* ---- One table ---- */

static void add_row(summary *s, const etr_method *m, const char *name, const char *key, uint64_t ticks, size_t nodes) {
  etr_table_add(&s->table, m->name);
  etr_table_add(&s->table, name);
  etr_table_add(&s->table, key);
  etr_table_add_number(&s->table, etr_ticks_to_unit(s->profile, per_run(m, ticks), s->options->unit), 9);
  etr_table_add(&s->table, etr_unit_name(s->options->unit));
  etr_table_add_number(&s->table, m->execute_ticks ? (double)ticks / (double)m->execute_ticks : 0, 6);
  etr_table_add(&s->table, nodes ? etr_arena_format(&s->arena, "%zu", nodes) : "");
}

static bool add_method(summary *s, const etr_method *m) {
  static const char *const names[] = {"by_op", "by_module", "by_backend", "by_source"};
  etr_balance_part parts[ETR_BALANCE_PARTS];
  if (m->run_count == 0) return true;
  add_row(s, m, "execute", "", m->execute_ticks, 0);
  etr_balance_list(m, parts);
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++) add_row(s, m, parts[i].name, "", parts[i].ticks, 0);
  for (etr_breakdown_by by = ETR_BY_OP; by <= ETR_BY_SOURCE; by++) {
    etr_breakdown rows;
    if (!etr_breakdown_make(&rows, &s->arena, s->profile, m, by, NULL)) return false;
    for (size_t i = 0; i < rows.count; i++)
      add_row(s, m, names[by], key_text(s, &rows.rows[i], by), rows.rows[i].total_ticks, rows.rows[i].node_count);
  }
  return true;
}

etr_status etr_emit_summary_tables(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options, const etr_sink *sink,
                                   etr_error *error) {
  static const etr_table_options defaults = {.top = DEFAULT_ROWS};
  static const etr_column columns[] = {{"method", false, false}, {"part", false, false}, {"key", false, false}, {"avg", true, false},
                                       {"unit", false, false},   {"share", true, false}, {"nodes", true, false}};
  summary s = {.profile = profile, .options = options ? options : &defaults};
  bool good = true, text = s.options->format == ETR_TABLE_TEXT;
  etr_error_clear(error);
  etr_writer_init(&s.writer, sink);
  etr_writer_look(&s.writer, s.options);
  etr_table_init(&s.table, &s.arena, columns, ETR_COUNT(columns));
  for (size_t i = 0; good && i < profile->method_count; i++)
    if (etr_filter_takes_method(filter, &profile->methods[i])) good = (text ? put_method : add_method)(&s, &profile->methods[i]);
  if (!good) s.writer.status = ETR_ERROR_MEMORY;
  if (text)
    put_loads(&s);
  else
    etr_table_write(&s.table, &s.writer, s.options->format, 0);
  return etr_writer_finish_with(&s.writer, &s.arena, error);
}
