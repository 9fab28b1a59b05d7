/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_output.c - the model's source lines with their time: as JSON, as perf annotate shows them,
 * as one table.
 */
#include "base/file.h"
#include "output/label.h"
#include "output/node_filter.h"
#include "output/section.h"
#include "tables/summary_output.h"
#include "views/interruptions.h"
#include "views/summary.h"

#include <inttypes.h>
#include <math.h>

/* Makes the sum of all lines of a file. Its clock step is the largest one of its lines, below which
 * no time of the file is known. */
static etr_sum make_file_sum(const etr_summary *summary, const etr_source_lines *file) {
  etr_sum sum = etr_sum_make(summary->method, file->total_ticks, file->typical);
  sum.times.p50 = file->p50;
  sum.whole.p50 = file->summed_p50;
  for (size_t i = 0; i < file->count; i++)
    sum.step = ETR_MAX(sum.step, file->rows[i]->step);
  return sum;
}

/* ---- JSON ---- */

/* Makes the sum of a line's time in the modules of one pattern, such as "blocks.*". */
static etr_sum make_pattern_sum(const etr_summary *summary, const etr_line_pattern *pattern) {
  etr_sum sum = etr_sum_make(summary->method, pattern->total_ticks, pattern->typical);
  sum.key = pattern->pattern;
  sum.modules = pattern->module_count;
  sum.nodes = pattern->node_count;
  return sum;
}

/* Writes a line of source as an object, with its time, and under "patterns" its part in the modules
 * of each pattern, which add up to it. */
static void put_line_object(const etr_fields *f, const etr_summary *s,
                            const etr_breakdown_row *line, const etr_line_patterns *patterns) {
  const etr_sum sum = etr_sum_of(s->method, ETR_BY_SOURCE, &s->by[ETR_BY_SOURCE], line);
  etr_jw_object(f->json);
  etr_sum_put_members(f, &sum);
  etr_field_begin_list(f, "patterns");
  size_t end = patterns->first[line->number + 1]; /* where the patterns of the next line begin */
  for (size_t i = patterns->first[line->number]; i < end; i++) {
    const etr_line_pattern *row = &patterns->rows[i];
    etr_jw_object(f->json);
    etr_field_text(f, "pattern", row->pattern);
    etr_field_count(f, "modules", row->module_count);
    etr_summary_put_time(f, s->method, row->total_ticks, row->typical);
    etr_field_count(f, "count", row->node_count);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

/* Writes a file of source as an object, with its sums and its lines. */
static void put_file_object(const etr_fields *f, const etr_summary *s, const etr_source_lines *file,
                            const etr_line_patterns *patterns) {
  const etr_sum whole = make_file_sum(s, file);
  etr_jw_object(f->json);
  etr_field_text(f, "file", file->path);
  etr_field_ticks(f, "typical", whole.times.typical);
  etr_field_ticks(f, "p50", whole.times.p50);
  etr_field_ticks(f, "avg", whole.times.avg);
  etr_field_number(f, "share", etr_sum_share(f->profile, &whole));
  etr_field_count(f, "count", file->node_count);
  etr_field_begin_list(f, "lines");
  for (size_t i = 0; i < file->count; i++)
    put_line_object(f, s, file->rows[i], patterns);
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

/* Writes the source lines of a method as an object, file by file, the file that takes most first,
 * with the time of each line in the modules of each pattern. Returns false when out of memory. Of
 * the summary only the sums by source line are made, and false says that files are not sorted by
 * path. */
static bool put_method_object(etr_answer *answer, const etr_method *method) {
  const etr_fields *f = &answer->fields;
  etr_summary s;
  size_t count;
  if (!etr_summary_make(
          &s, &answer->arena, f->profile, method,
          (etr_summary_choice){answer->filter, f->unit, ETR_ORDER_TIME, 1u << ETR_BY_SOURCE}))
    return false;
  etr_line_patterns patterns;
  const etr_source_lines *files = etr_source_lines_make(&count, &answer->arena, &s, false);
  if (!files || !etr_line_patterns_make(&patterns, &answer->arena, &s))
    return false;
  etr_jw_object(f->json);
  etr_field_method(f, method);
  etr_summary_put_time(f, method, s.part_ticks, s.part_typical);
  etr_field_source_object(f, "wrapper", s.graph ? s.graph->wrapper : NULL);
  etr_field_begin_list(f, "files");
  for (size_t i = 0; i < count; i++)
    put_file_object(f, &s, &files[i], &patterns);
  etr_jw_end(f->json);
  etr_jw_end(f->json);
  return true;
}

etr_status etr_emit_source_json(const etr_profile *profile, const etr_node_filter *filter,
                                etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_answer answer;
  etr_answer_begin_ranked_document(&answer, profile, filter, unit, sink, "source/1");
  etr_answer_put_filter(&answer);
  bool good = etr_answer_put_methods(&answer, put_method_object);
  return etr_answer_end(&answer, good, error);
}

/* ---- Text ---- */

enum { CONTEXT = 2 }; /* number of lines shown before and after a line with time */

typedef struct listing {
  etr_answer answer;
  const etr_source_options *source;
  etr_line_patterns patterns; /* of the method being listed, where they are asked for */
  etr_table sums;             /* of the formats for programs: one over all methods */
  const bool *is_shown;       /* per number of a line: it is among the slowest ones */
} listing;

/* A line of code as people read it. */
typedef struct code_line {
  double ticks, share;          /* NaN: no time */
  double step;                  /* of the coarsest clock that timed it; ticks */
  const etr_cost_figures *cost; /* NULL: not known */
  const char *number, *code;
  etr_style style;
} code_line;

static etr_cell share(const void *row) {
  return etr_cell_share(((const code_line *)row)->share, 1);
}
static double step(const void *row) {
  return ((const code_line *)row)->step;
}
static etr_cell number(const void *row) {
  return (etr_cell){.text = ((const code_line *)row)->number,
                    .style = ((const code_line *)row)->style};
}
static etr_cell code(const void *row) {
  return (etr_cell){.text = ((const code_line *)row)->code,
                    .style = ((const code_line *)row)->style};
}

static etr_cell part(const void *row) {
  return etr_cost_part(((const code_line *)row)->cost, true);
}
static const char *integers(const void *row) {
  return etr_cost_integers(((const code_line *)row)->cost);
}

#define FIGURE(name) ETR_VIA(code_line, cost, etr_cost_figures, name)

/* The columns of a line: time, share, the costs that --columns names, and the line itself. */
static const etr_field line_fields[] = {
    {NULL, "", ETR_CELL_TIME, ETR_IN_TEXT, ETR_AT(code_line, ticks), .step = step},
    {NULL, "", ETR_CELL_SHARE, ETR_IN_TEXT, .get = share},
    ETR_COST_FIELDS(FIGURE, ETR_IN_DATA, ETR_IN_DATA, integers, part),
    {NULL, "", ETR_CELL_COUNT, ETR_IN_TEXT, .get = number},
    {NULL, "", ETR_CELL_NAME, ETR_IN_TEXT, .get = code},
};
ETR_ROW_TYPE(source_line, line_fields);

/* Adds a row to the listing of a file. When out of memory, the arena has failed. */
static void add_listing_line(etr_table *table, code_line row) {
  code_line *added = etr_arena_alloc_array(&table->answer->arena, 1, sizeof *added);
  if (!added)
    return;
  *added = row;
  /* "", 0: rows stay in the order in which they are added. */
  etr_table_add_row(table, added, "", 0);
}

static const char *line_number_text(listing *l, int64_t line) {
  return etr_arena_format(&l->answer.arena, "%" PRId64, line);
}

/* Adds a line of code to the listing, with its time and share by the statistic that ranks. */
static void add_timed_line(etr_table *table, const etr_sum *sum, const char *number,
                           const char *code) {
  const etr_profile *profile = table->answer->profile;
  add_listing_line(table, (code_line){.ticks = etr_sum_ranking(profile, sum),
                                      .share = etr_sum_share(profile, sum),
                                      .step = sum->step,
                                      .cost = sum->cost,
                                      .number = number,
                                      .code = code});
}

/* Adds a line without a time, dim: one near lines with time, or a mark for lines left out. */
static void add_dim_line(etr_table *table, const char *number, const char *code) {
  add_listing_line(
      table,
      (code_line){
          .ticks = NAN, .share = NAN, .number = number, .code = code, .style = ETR_STYLE_DIM});
}

/* Adds below a line of code its time in the modules of each pattern, if the user asked for
 * patterns.
 */
static void add_pattern_lines(listing *l, const etr_summary *s, etr_table *table,
                              const etr_breakdown_row *line) {
  if (!l->patterns.first)
    return;
  for (size_t i = l->patterns.first[line->number]; i < l->patterns.first[line->number + 1]; i++) {
    const etr_line_pattern *row = &l->patterns.rows[i];
    const char *name = row->pattern[0] ? row->pattern : "(top level)";
    const char *text = etr_arena_format(&l->answer.arena,
                                        row->module_count > 1 ? "    %s \xC3\x97%zu" : "    %s",
                                        name, row->module_count);
    const etr_sum sum = make_pattern_sum(s, row);
    add_listing_line(table, (code_line){.ticks = etr_additive_time(
                                            l->answer.profile, sum.times.typical, sum.times.avg),
                                        .share = etr_sum_share(l->answer.profile, &sum),
                                        .number = "",
                                        .code = text,
                                        .style = ETR_STYLE_DIM});
  }
}

/* Adds the lines without time between two lines with time: CONTEXT lines after `previous`, a mark
 * if lines are left out, and CONTEXT lines before `next`. Lines are numbered from 1. previous is 0
 * before the first line with time, and next is INT64_MAX behind the last one. */
static void add_surrounding_lines(listing *l, etr_table *table, const etr_source_file *file,
                                  int64_t previous, int64_t next) {
  int64_t file_end = (int64_t)file->line_count;
  int64_t after_last = previous > 0 ? ETR_MIN(previous + CONTEXT, next - 1) : 0;
  int64_t before_first = ETR_MAX(ETR_MAX(next - CONTEXT, after_last + 1), 1);
  int64_t before_last = ETR_MIN(next - 1, file_end);
  for (int64_t line = previous + 1; previous > 0 && line <= ETR_MIN(after_last, file_end); line++)
    add_dim_line(table, line_number_text(l, line), file->lines[line - 1]);
  if (previous > 0 && before_first > after_last + 1 && next <= file_end)
    add_dim_line(table, "\xE2\x80\xA6", "");
  for (int64_t line = before_first; line <= before_last; line++)
    add_dim_line(table, line_number_text(l, line), file->lines[line - 1]);
}

/* Writes the path of a file, the time of its lines and its share, and whether the file on disk has
 * changed since the record was made. A time below the clock's step is written as "<0.001". */
static void put_file_head(listing *l, const etr_summary *s, const etr_source_lines *file,
                          etr_source_state state) {
  const etr_profile *profile = l->answer.profile;
  etr_sum sum = make_file_sum(s, file);
  double share = etr_sum_share(profile, &sum);
  enum { BEHIND = 24 }; /* columns of time and share */
  size_t width = ETR_MAX(etr_answer_width(&l->answer), 2u * BEHIND);
  const char *path = etr_sanitized_copy(&l->answer.arena,
                                        file->path ? file->path : "(source not recorded)");
  etr_puts(&l->answer.writer, "\n");
  etr_put_style(&l->answer.writer, ETR_STYLE_BOLD);
  if (path)
    (void)etr_put_cut(&l->answer.writer, path, width - BEHIND, ETR_CUT_MIDDLE);
  etr_put_style(&l->answer.writer, ETR_STYLE_PLAIN);
  etr_puts(&l->answer.writer, "  ");
  if (etr_sum_ranking(profile, &sum) < sum.step)
    etr_put_below_clock_step(&l->answer.writer, profile, sum.step, l->answer.options->unit);
  else
    etr_put_time(&l->answer.writer, profile, etr_sum_ranking(profile, &sum),
                 l->answer.options->unit);
  etr_putf(&l->answer.writer, " %s", etr_unit_name(l->answer.options->unit));
  if (share > 0) {
    etr_puts(&l->answer.writer, "  ");
    etr_put_share(&l->answer.writer, share, 1);
  }
  if (etr_ranks_by(profile, ETR_STATISTIC_P50))
    etr_puts(&l->answer.writer, " of summed p50");
  etr_puts(&l->answer.writer, "\n");
  if (state == ETR_SOURCE_DIFFERENT)
    etr_puts(&l->answer.writer,
             "the file on disk no longer has the recorded code; only recorded lines are shown\n");
}

/* Writes the lines of a file that are shown, with the lines around them if the file on disk is the
 * recorded one; nothing if none is shown. --columns leaves the first two columns, time and share,
 * and the last two, number and code. */
static void write_file(listing *l, const etr_summary *s, const etr_source_lines *file) {
  etr_source_file disk = {0};
  etr_table table;
  etr_source_state state = ETR_SOURCE_ABSENT;
  int64_t previous = 0;
  if (file->path && l->source && l->source->read_files)
    state = etr_source_file_read(&disk, &l->answer.arena, file->path, l->source->root,
                                 file->sources, file->count);
  etr_table_init(&table, &l->answer, &etr_source_line_fields);
  etr_table_choose_columns_between(&table, 2, 2);
  table.top = 0; /* lines have been chosen */
  for (size_t i = 0; i < file->count; i++) {
    const etr_source *source = file->sources[i];
    const char *text = source ? source->code : "nodes without source";
    const etr_sum sum = etr_sum_of(s->method, ETR_BY_SOURCE, &s->by[ETR_BY_SOURCE], file->rows[i]);
    if (!l->is_shown[file->rows[i]->number])
      continue;
    if (state == ETR_SOURCE_FOUND && source->line >= 1 &&
        (uint64_t)source->line <= disk.line_count) {
      add_surrounding_lines(l, &table, &disk, previous, source->line);
      previous = source->line;
      text = disk.lines[source->line - 1];
    }
    add_timed_line(&table, &sum, source ? line_number_text(l, source->line) : "", text);
    add_pattern_lines(l, s, &table, file->rows[i]);
  }
  if (table.rows.count == 0)
    return;
  if (previous > 0)
    add_surrounding_lines(l, &table, &disk, previous, INT64_MAX);
  put_file_head(l, s, file, state);
  etr_table_lay_out_rows(&table);
  etr_table_write(&table);
}

/* Writes the title of a method: "before, forward: 0.442 of 0.506 ms per inference are on graph
 * nodes", and what was left out. If a wrapper holds nearly all of the time, the lines behind it are
 * shown, and the title names it. */
static void put_method_head(listing *l, const etr_summary *s, bool is_first) {
  etr_unit unit = l->answer.options->unit;
  etr_text text;
  etr_writer writer;
  etr_puts(&l->answer.writer, is_first ? "" : "\n");
  etr_text_begin(&text, &l->answer.arena, &writer);
  etr_putf(&writer,
           "%s, %s: ", etr_label_recordings(&l->answer.arena, l->answer.profile, s->method),
           etr_label_method(s->method->name));
  if (s->method->run_count) {
    if (s->part_ticks)
      etr_put_time(&writer, l->answer.profile,
                   etr_additive_ticks(l->answer.profile, s->method, s->part_typical, s->part_ticks),
                   unit);
    else
      etr_puts(&writer, s->node_count ? "no measurable part" : "nothing");
    etr_puts(&writer, " of ");
    etr_put_time(&writer, l->answer.profile, etr_execute_time(l->answer.profile, s->method), unit);
    etr_putf(&writer, " %s per inference %s on %s (%s)", etr_unit_name(unit),
             s->part_ticks ? "are" : "is", s->is_part ? "the selected nodes" : "graph nodes",
             etr_additive_statistic_word(l->answer.profile));
  } else {
    etr_puts(&writer, "not timed");
  }
  if (s->method->run_count && s->graph && s->graph->wrapper)
    etr_putf(&writer,
             "; lines of the library behind %s, which holds 90 %% or more of the time "
             "(--source-root chooses)",
             etr_label_source(&l->answer.arena, s->graph->wrapper));
  etr_section_line(&l->answer, ETR_STYLE_BOLD, 0, etr_text_end(&text, &writer));
  if (s->method->run_count == 0)
    return;
  etr_put_left_out(&l->answer, s->method);
  etr_section_clock_note(&l->answer, l->answer.profile, 2);
  etr_section_line(
      &l->answer, ETR_STYLE_PLAIN, 2,
      etr_interruptions_note(&l->answer.arena, l->answer.profile, s->method, ETR_MEDIANS_OF_SUMS));
  etr_put_filter(&l->answer.writer, &l->answer.arena, l->answer.filter);
}

/* ---- Methods ---- */

/* Adds to the table for programs the sum of a line or, if the user asked for patterns, one sum for
 * each pattern of modules that runs the line, which add up to it. */
static void add_line_sums(listing *l, const etr_summary *s, const etr_breakdown_row *row) {
  const size_t *first = l->patterns.first;
  if (!first)
    etr_sum_table_add_row(&l->sums,
                          etr_sum_of(s->method, ETR_BY_SOURCE, &s->by[ETR_BY_SOURCE], row));
  for (size_t i = first ? first[row->number] : 0; first && i < first[row->number + 1]; i++) {
    etr_sum sum = make_pattern_sum(s, &l->patterns.rows[i]);
    sum.by = ETR_BY_SOURCE;
    sum.source = row->source;
    etr_sum_table_add_row(&l->sums, sum);
  }
}

/* Adds the lines that are shown to the table of formats other than text: by time, or else file by
 * file in the order of the code. */
static void add_shown_lines(listing *l, const etr_summary *s, const etr_source_lines *files,
                            size_t count) {
  const etr_breakdown *by = &s->by[ETR_BY_SOURCE];
  bool by_time = l->answer.options->order == ETR_ORDER_TIME;
  for (size_t i = 0; by_time && i < by->count; i++)
    if (l->is_shown[by->rows[i].number])
      add_line_sums(l, s, &by->rows[i]);
  for (size_t i = 0; !by_time && i < count; i++)
    for (size_t k = 0; k < files[i].count; k++)
      if (l->is_shown[files[i].rows[k]->number])
        add_line_sums(l, s, files[i].rows[k]);
}

static bool is_by_pattern(const listing *l) {
  return l->source && l->source->by_pattern;
}

/* Writes the lines of a method as text, or adds them to the table of other formats. The slowest
 * options.top lines are shown, in whichever order. Returns false when out of memory. Of the summary
 * only the sums by source line are made. */
static bool write_method(listing *l, const etr_method *method, bool is_first) {
  etr_summary s;
  size_t count;
  const etr_table_options *options = l->answer.options;
  bool is_text = options->format == ETR_TABLE_TEXT;
  if (!etr_summary_make(&s, &l->answer.arena, l->answer.profile, method,
                        (etr_summary_choice){l->answer.filter, options->unit, ETR_ORDER_TIME,
                                             1u << ETR_BY_SOURCE}))
    return false;
  const etr_breakdown *by = &s.by[ETR_BY_SOURCE];
  const etr_source_lines *files = etr_source_lines_make(&count, &l->answer.arena, &s,
                                                        options->order != ETR_ORDER_TIME);
  bool *is_shown = etr_arena_alloc_array(&l->answer.arena, by->count, sizeof *is_shown);
  if (!files || !is_shown ||
      (is_by_pattern(l) && !etr_line_patterns_make(&l->patterns, &l->answer.arena, &s)))
    return false;
  size_t shown_count = options->top ? ETR_MIN(options->top, by->count) : by->count;
  for (size_t i = 0; i < shown_count; i++)
    is_shown[by->rows[i].number] = true;
  l->is_shown = is_shown;
  if (!is_text) {
    add_shown_lines(l, &s, files, count);
    return true;
  }
  put_method_head(l, &s, is_first);
  for (size_t i = 0; i < count; i++)
    write_file(l, &s, &files[i]);
  etr_put_hidden_count(&l->answer.writer, by->count - shown_count);
  return true;
}

etr_status etr_emit_source_tables(const etr_profile *profile, const etr_node_filter *filter,
                                  const etr_source_options *source,
                                  const etr_table_options *options, const etr_sink *sink,
                                  etr_error *error) {
  listing l = {.source = source};
  bool good = true, is_first = true;
  etr_answer_begin(&l.answer, profile, filter, options, sink);
  if (is_by_pattern(&l))
    etr_answer_refuse_patterns(&l.answer);
  etr_sum_table_init(&l.sums, &l.answer,
                     is_by_pattern(&l) ? ETR_IN_LINE_PATTERNS : etr_sum_medium(ETR_BY_SOURCE),
                     NULL); /* Markdown, too, has all there is */
  etr_table_choose_columns(&l.sums);
  etr_table_add_origin_columns(&l.sums);
  l.sums.top = 0; /* each method's lines have been chosen */
  for (size_t i = 0; good && i < profile->method_count; i++) {
    if (!etr_filter_takes_method(filter, &profile->methods[i]))
      continue;
    good = write_method(&l, &profile->methods[i], is_first);
    is_first = false;
  }
  etr_table_lay_out_rows(&l.sums);
  if (l.answer.options->format != ETR_TABLE_TEXT)
    etr_table_write(&l.sums);
  return etr_answer_end(&l.answer, good, error);
}
