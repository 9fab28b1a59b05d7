/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_tables.c - the model's source lines with their time, as perf annotate shows them, and as one table.
 */
#include "label.h"
#include "node_filter.h"
#include "source_file.h"
#include "source_lines.h"
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CONTEXT = 2 }; /* lines before and behind one with time */

#define DOT " \xC2\xB7 "

static const etr_column columns[] = {{"method", false, false}, {"file", false, false}, {"line", true, false},  {"function", false, false},
                                     {"avg", true, false},     {"unit", false, false}, {"share", true, false}, {"p50", true, false},
                                     {"p90", true, false},     {"nodes", true, false}, {"code", false, false}};

typedef struct listing {
  const etr_profile *profile;
  const etr_node_filter *filter;
  const etr_source_options *source;
  const etr_table_options *options;
  etr_arena arena;
  etr_writer writer;
  etr_table table; /* of the formats for programs: one over all methods */
  uint64_t least;  /* lines with less time are summed up */
  size_t ties;     /* lines with just that much time that are shown */
} listing;

static double per_run(const etr_summary *s, uint64_t ticks) { return (double)ticks / (double)s->method->run_count; }

/* ---- Which lines are shown ---- */

/* The summary's rows stand by time: those in front are shown, whatever file they are of. */
static void choose_lines(listing *l, const etr_breakdown *by) {
  size_t shown = l->options->top ? ETR_MIN(l->options->top, by->count) : by->count;
  l->least = shown ? by->rows[shown - 1].total_ticks : 0;
  l->ties = 0;
  for (size_t i = 0; i < shown; i++) l->ties += by->rows[i].total_ticks == l->least;
}

static bool takes_line(listing *l, const etr_breakdown_row *row) {
  if (row->total_ticks != l->least) return row->total_ticks > l->least;
  if (l->ties == 0) return false;
  l->ties--;
  return true;
}

/* ---- Text ---- */

static void add_code(etr_table *table, const char *time, const char *share, const char *number, const char *code, etr_style style) {
  const char *const cells[] = {time, share, number, code};
  for (size_t i = 0; i < ETR_COUNT(cells); i++) {
    etr_table_add(table, cells[i]);
    etr_table_style(table, style);
  }
}

static const char *number_text(listing *l, int64_t line) { return etr_arena_format(&l->arena, "%" PRId64, line); }

static void add_timed(listing *l, const etr_summary *s, etr_table *table, const etr_breakdown_row *row, const char *code) {
  etr_table_add_time(table, l->profile, per_run(s, row->total_ticks), l->options->unit);
  etr_table_add_share(table, (double)row->total_ticks, (double)s->method->execute_ticks);
  etr_table_add(table, row->source ? number_text(l, row->source->line) : "");
  etr_table_add(table, code);
}

/* Lines of the file that are near one with time and have none themselves, from the one behind `after` on; a mark for those between that are left out.
 */
static void add_context(listing *l, etr_table *table, const etr_source_file *file, int64_t after, int64_t before) {
  int64_t last = after > 0 ? ETR_MIN(after + CONTEXT, before - 1) : 0, first = ETR_MAX(ETR_MAX(before - CONTEXT, last + 1), 1);
  int64_t end = ETR_MIN(before - 1, (int64_t)file->line_count);
  for (int64_t line = after + 1; after > 0 && line <= ETR_MIN(last, (int64_t)file->line_count); line++)
    add_code(table, "", "", number_text(l, line), file->lines[line - 1], ETR_STYLE_DIM);
  if (after > 0 && first > last + 1 && before <= (int64_t)file->line_count) add_code(table, "", "", "\xE2\x80\xA6", "", ETR_STYLE_DIM);
  for (int64_t line = first; line <= end; line++) add_code(table, "", "", number_text(l, line), file->lines[line - 1], ETR_STYLE_DIM);
}

static void put_file_head(listing *l, const etr_summary *s, const etr_source_lines *file, etr_source_state state) {
  enum { BEHIND = 24 }; /* columns of time and share */
  size_t width = ETR_MAX(l->options->width ? l->options->width : 100, 2u * BEHIND);
  const char *path = etr_plain_copy(&l->arena, file->path ? file->path : "(source not recorded)");
  etr_puts(&l->writer, "\n");
  etr_put_style(&l->writer, ETR_STYLE_BOLD);
  if (path) (void)etr_put_cut(&l->writer, path, width - BEHIND, ETR_CUT_MIDDLE);
  etr_put_style(&l->writer, ETR_STYLE_PLAIN);
  etr_puts(&l->writer, "  ");
  etr_put_time(&l->writer, l->profile, per_run(s, file->total_ticks), l->options->unit);
  etr_putf(&l->writer, " %s", etr_unit_name(l->options->unit));
  if (s->method->execute_ticks) {
    etr_puts(&l->writer, "  ");
    etr_put_fixed(&l->writer, 100 * (double)file->total_ticks / (double)s->method->execute_ticks, 1);
    etr_puts(&l->writer, " %");
  }
  etr_puts(&l->writer, "\n");
  if (state == ETR_SOURCE_DIFFERENT) etr_puts(&l->writer, "the file on disk is not the one that was recorded: recorded lines only\n");
}

static void put_file(listing *l, const etr_summary *s, const etr_source_lines *file) {
  static const etr_column text_columns[] = {{"", true, false}, {"", true, false}, {"", true, false}, {"", false, true}};
  etr_source_file code = {0};
  etr_table table;
  etr_source_state state = ETR_SOURCE_ABSENT;
  size_t left_out = 0;
  uint64_t left_out_ticks = 0;
  int64_t after = 0;
  if (file->path && l->source && l->source->read_files)
    state = etr_source_file_read(&code, &l->arena, file->path, l->source->root, file->sources, file->count);
  etr_table_init(&table, &l->arena, text_columns, ETR_COUNT(text_columns));
  for (size_t i = 0; i < file->count; i++) {
    const etr_source *source = file->sources[i];
    if (!takes_line(l, file->rows[i])) {
      left_out++;
      left_out_ticks += file->rows[i]->total_ticks;
      continue;
    }
    bool in_file = state == ETR_SOURCE_FOUND && source->line >= 1 && (uint64_t)source->line <= code.line_count;
    if (in_file) add_context(l, &table, &code, after, source->line);
    if (in_file) after = source->line;
    add_timed(l, s, &table, file->rows[i], in_file ? code.lines[source->line - 1] : source ? source->code : "nodes without source");
  }
  if (after > 0) add_context(l, &table, &code, after, INT64_MAX);
  if (left_out) {
    etr_table_add_time(&table, l->profile, per_run(s, left_out_ticks), l->options->unit);
    etr_table_add_share(&table, (double)left_out_ticks, (double)s->method->execute_ticks);
    etr_table_add(&table, "");
    etr_table_add(&table, etr_arena_format(&l->arena, "%zu more line%s: --top 0", left_out, left_out == 1 ? "" : "s"));
  }
  put_file_head(l, s, file, state);
  etr_table_write(&table, &l->writer, ETR_TABLE_TEXT, l->options->width);
}

static void put_head(listing *l, const etr_summary *s, bool is_first) {
  etr_puts(&l->writer, is_first ? "" : "\n");
  etr_put_style(&l->writer, ETR_STYLE_BOLD);
  etr_put_plain(&l->writer, etr_label_record(&l->arena, l->profile));
  etr_puts(&l->writer, DOT);
  etr_put_plain(&l->writer, s->method->name[0] ? s->method->name : "method not known");
  etr_put_style(&l->writer, ETR_STYLE_PLAIN);
  if (s->method->run_count == 0) {
    etr_puts(&l->writer, DOT "not timed\n");
    return;
  }
  etr_puts(&l->writer, DOT);
  etr_put_time(&l->writer, l->profile, per_run(s, s->part_ticks), l->options->unit);
  etr_puts(&l->writer, " of ");
  etr_put_time(&l->writer, l->profile, s->method->execute.avg, l->options->unit);
  etr_putf(&l->writer, " %s on %s\n", etr_unit_name(l->options->unit), s->is_part ? "the nodes asked for" : "graph nodes");
  etr_put_filter(&l->writer, &l->arena, l->filter);
}

/* ---- One table ---- */

static void add_row(listing *l, const etr_summary *s, const etr_breakdown_row *row) {
  const etr_source *source = row->source;
  const etr_stats *stats = &s->stats[ETR_BY_SOURCE][row->number];
  etr_table_add(&l->table, s->method->name);
  etr_table_add(&l->table, source ? source->file : "");
  etr_table_add(&l->table, source ? number_text(l, source->line) : "");
  etr_table_add(&l->table, source ? source->function : "");
  etr_table_add_exact_time(&l->table, l->profile, per_run(s, row->total_ticks), l->options->unit);
  etr_table_add(&l->table, etr_unit_name(l->options->unit));
  etr_table_add_number(&l->table, s->method->execute_ticks ? (double)row->total_ticks / (double)s->method->execute_ticks : 0, 6);
  etr_table_add_exact_time(&l->table, l->profile, stats->p50, l->options->unit);
  etr_table_add_exact_time(&l->table, l->profile, stats->p90, l->options->unit);
  etr_table_add(&l->table, etr_arena_format(&l->arena, "%zu", row->node_count));
  etr_table_add(&l->table, source ? source->code : "");
}

/* ---- Methods ---- */

static bool put_method(listing *l, const etr_method *method, bool is_first) {
  etr_summary s;
  size_t count;
  bool text = l->options->format == ETR_TABLE_TEXT;
  if (!etr_summary_make(&s, &l->arena, l->profile, method, l->filter, l->options->unit, l->options->order)) return false;
  const etr_source_lines *files = etr_source_lines_make(&count, &l->arena, &s, l->options->order != ETR_ORDER_TIME);
  if (!files) return false;
  choose_lines(l, &s.by[ETR_BY_SOURCE]);
  if (text) put_head(l, &s, is_first);
  for (size_t i = 0; text && i < count; i++) put_file(l, &s, &files[i]);
  for (size_t i = 0; !text && l->options->order == ETR_ORDER_TIME && i < s.by[ETR_BY_SOURCE].count; i++)
    if (takes_line(l, &s.by[ETR_BY_SOURCE].rows[i])) add_row(l, &s, &s.by[ETR_BY_SOURCE].rows[i]);
  for (size_t i = 0; !text && l->options->order != ETR_ORDER_TIME && i < count; i++)
    for (size_t k = 0; k < files[i].count; k++)
      if (takes_line(l, files[i].rows[k])) add_row(l, &s, files[i].rows[k]);
  return true;
}

etr_status etr_emit_source_tables(const etr_profile *profile, const etr_node_filter *filter, const etr_source_options *source,
                                  const etr_table_options *options, const etr_sink *sink, etr_error *error) {
  static const etr_table_options defaults = {0};
  listing l = {.profile = profile, .filter = filter, .source = source, .options = options ? options : &defaults};
  bool good = true, is_first = true;
  etr_error_clear(error);
  etr_writer_init(&l.writer, sink);
  etr_writer_look(&l.writer, l.options);
  etr_table_init(&l.table, &l.arena, columns, ETR_COUNT(columns));
  for (size_t i = 0; good && i < profile->method_count; i++) {
    if (!etr_filter_takes_method(filter, &profile->methods[i])) continue;
    good = put_method(&l, &profile->methods[i], is_first);
    is_first = false;
  }
  if (!good) l.writer.status = ETR_ERROR_MEMORY;
  if (l.options->format != ETR_TABLE_TEXT) etr_table_write(&l.table, &l.writer, l.options->format, 0);
  return etr_writer_finish_with(&l.writer, &l.arena, error);
}
