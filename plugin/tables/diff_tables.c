/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_tables.c - a comparison on one screen, as a comment of a pull request, or as one table.
 */
#include "output/label.h"
#include "output/section.h"
#include "tables/diff_output.h"
#include "tables/finding_output.h"

#include "views/diff_view.h"
#include "views/loads.h"
#include "views/throughput.h"

/* ---- A method: its verdict ---- */

static void put_line(etr_diff_output *o, const char *text) {
  etr_section_line(&o->answer, ETR_STYLE_PLAIN, 0, text);
}
static void put_indented_line(etr_diff_output *o, const char *text) {
  etr_section_line(&o->answer, ETR_STYLE_PLAIN, 2, text);
}

static bool is_timed(const etr_method_pair *method) {
  return method->execute.base_runs || method->execute.new_runs;
}
static bool is_timed_on_both_sides(const etr_method_pair *method) {
  return method->execute.base_runs && method->execute.new_runs;
}
/* Returns true if the user asked for a section: one by its name, or all (no filter) but patterns
 * and those from source lines on, which only add up in another way what the first ones list. The
 * operators of events are kernels. */
static bool is_section_asked_for(const etr_diff_output *o, const etr_method_pair *method,
                                 etr_diff_section section) {
  bool all = !o->filter || o->filter->by == ETR_DIFF_BY_ALL;
  if (method->by_events && o->filter && o->filter->by == ETR_DIFF_BY_OP)
    return section == ETR_DIFF_SECTION_KERNELS;
  return etr_diff_takes_section(o->filter, section) &&
         !(all && (section == ETR_DIFF_SECTION_PATTERNS || section >= ETR_DIFF_SECTION_SOURCES));
}
/* Returns true if a section only repeats the table of the typical run. Without a graph rows are
 * events, of which large models have thousands, and the operators are those rows again. The kernels
 * in that table say the same in a few lines, so that single events are only shown to those who ask
 * for them. */
static bool is_redundant_with_kernels(const etr_diff_output *o, const etr_method_pair *method,
                                      etr_diff_section section) {
  bool is_asked_for = o->filter && o->filter->by != ETR_DIFF_BY_ALL;
  return method->by_events && is_timed_on_both_sides(method) && !is_asked_for &&
         section <= ETR_DIFF_SECTION_OPS;
}

/* Returns true if a section is written for people. If only one side was timed there is no change to
 * list; if neither was, the sections show which nodes are gone or new. */
static bool has_section(const etr_diff_output *o, const etr_method_pair *method,
                        etr_diff_section section) {
  return (is_timed_on_both_sides(method) || !is_timed(method)) &&
         is_section_asked_for(o, method, section) &&
         !is_redundant_with_kernels(o, method, section) && !etr_diff_lacks_section(method, section);
}

/* Returns how many rows are shown, "8 of 152 (...)"; "" if all are. */
static const char *shown_text(etr_diff_output *o, const etr_diff_rows *rows, size_t shown_count) {
  const char *text = shown_count == rows->count
                         ? ""
                         : etr_arena_format(&o->answer.arena, "%zu of %zu (%s); all: --top 0",
                                            shown_count, rows->count,
                                            etr_diff_counts_text(o, rows));
  return text ? text : "";
}

/* Writes in what the sides differ, as in inputs, or that they look like two models; nothing if they
 * do not. */
static void put_differences(etr_diff_output *o, const etr_method_pair *method) {
  const char *unlike = etr_diff_unlike_text(o, method);
  if (!etr_section_is_markdown(&o->answer)) {
    etr_section_line(&o->answer, ETR_STYLE_HOT, 0, unlike);
    return;
  }
  if (!unlike[0])
    return;
  etr_puts(&o->answer.writer, "\xE2\x9A\xA0 "); /* a warning sign */
  etr_put_markdown(&o->answer.writer, unlike);
  etr_puts(&o->answer.writer, "\n\n");
}

/* Writes the verdict on a method with its times, "forward: 12.8 % slower ...; typical 2.873 →
 * 3.239 ms per inference, 5 recordings ...", and how many runs were excluded. */
static void put_verdict_line(etr_diff_output *o, const etr_method_pair *method) {
  etr_arena *arena = &o->answer.arena;
  etr_writer *writer = &o->answer.writer;
  const char *name = etr_label_method(method->name);
  const char *verdict = etr_diff_method_text(o, method);
  const char *excluded = etr_diff_left_out_text(o, method);
  const char *times = etr_diff_times_text(o, &method->execute), *times_and_runs = "";
  const char *without = etr_diff_uninterrupted_text(o, method);
  if (times[0])
    times_and_runs = etr_arena_format(arena, "; typical %s per inference%s%s%s, %s", times,
                                      without[0] ? " (" : "", without, without[0] ? ")" : "",
                                      etr_diff_runs_text(o, &method->execute));
  if (etr_section_is_markdown(&o->answer)) {
    etr_puts(writer, "**");
    etr_put_markdown(writer, name);
    etr_putf(writer, ": %s**%s%s%s", verdict, etr_or_empty(times_and_runs), excluded[0] ? "; " : "",
             excluded);
    return;
  }
  etr_section_line(&o->answer, ETR_STYLE_BOLD, 0,
                   etr_arena_format(arena, "%s: %s%s", name, verdict, times_and_runs));
  if (excluded[0])
    etr_putf(writer, "  %s\n", excluded);
}

/* Writes a note on a verdict: an indented line or, in Markdown, a further line of its paragraph.
 * Writes nothing for "", and for NULL, which means out of memory. */
static void put_verdict_note(etr_diff_output *o, const char *note) {
  if (!etr_section_is_markdown(&o->answer)) {
    put_indented_line(o, note);
    return;
  }
  if (!note || !note[0])
    return;
  etr_puts(&o->answer.writer, "  \n");
  etr_put_markdown(&o->answer.writer, note);
}

/* Writes a note on the runs of a side ("base" or "new record"), if they have two modes, a step or a
 * drift, so that one typical time does not describe them. */
static void put_steadiness_note(etr_diff_output *o, const char *side, const etr_method_pair *method,
                                bool is_newer) {
  const char *steadiness = etr_diff_steadiness_text(o, method, is_newer);
  if (steadiness[0])
    put_verdict_note(o, etr_arena_format(&o->answer.arena, "runs of the %s: %s", side, steadiness));
}

/* Writes in what the sides differ, the verdict on a method, and notes: what changed, which
 * recordings are odd, why nothing is sure, how steady the runs are, and the times of tokens. */
static void put_verdict(etr_diff_output *o, const etr_method_pair *method) {
  const etr_comparison *comparison = o->comparison;
  put_differences(o, method);
  put_verdict_line(o, method);
  put_verdict_note(o, etr_diff_changes_text(o, method, o->answer.options->unit));
  put_verdict_note(o, etr_diff_odd_text(o, &method->execute));
  put_verdict_note(o, etr_diff_method_reason_text(o, method));
  if (is_timed_on_both_sides(method)) {
    put_steadiness_note(o, "base", method, false);
    put_steadiness_note(o, "new record", method, true);
  }
  etr_throughput_change tokens;
  if (etr_throughput_change_of(&tokens, &o->answer.arena, comparison, method))
    put_verdict_note(o, tokens.text);
  if (etr_section_is_markdown(&o->answer))
    etr_puts(&o->answer.writer, "\n\n");
}

/* ---- Sections: one below the other as text, folded in Markdown ---- */

/* Makes the rows of a section in the order that the options choose, with their costs. Returns false
 * when out of memory. */
static bool make_section_rows(etr_diff_rows *rows, etr_diff_output *o,
                              const etr_method_pair *method, etr_diff_section section) {
  return etr_diff_rows_make(rows, &o->answer.arena, method, section, o->answer.options->order) &&
         etr_diff_costs_add(rows, &o->answer.arena, o->comparison, method, section);
}

/* Writes a section of a method's comparison: a table, how many rows it leaves out, and how much of
 * the whole change its rows are. In Markdown it is folded. If there is nothing to show, text has a
 * line with the counts of verdicts. Returns false when out of memory. */
static bool write_section(etr_diff_output *o, const etr_method_pair *method,
                          etr_diff_section section) {
  const bool is_markdown = etr_section_is_markdown(&o->answer),
             is_of_sums = section >= ETR_DIFF_SECTION_OPS;
  const char *title = etr_diff_section_names[section].title;
  etr_writer *writer = &o->answer.writer;
  etr_diff_rows rows;
  if (!make_section_rows(&rows, o, method, section))
    return false;
  const char *counts = etr_diff_counts_text(o, &rows);
  if (!etr_diff_has_rows(o, &rows)) {
    if (!is_markdown && rows.count)
      put_line(o, etr_arena_format(&o->answer.arena, "%s%s: %s", title,
                                   method->by_events && !is_of_sums ? "s, by event" : "s", counts));
    return true;
  }
  if (is_markdown)
    etr_putf(writer, "<details><summary>%ss: %s</summary>\n\n", title, counts);
  else
    etr_puts(writer, "\n");
  size_t shown_count = etr_diff_write_section(o, method, &rows, section);
  const char *left_out = shown_text(o, &rows, shown_count);
  const char *sum = is_timed(method) ? etr_diff_adds_up_text(o, method, &rows, shown_count) : "";
  if (!is_markdown) {
    put_line(o, left_out);
    put_line(o, sum);
    return true;
  }
  if (left_out[0])
    etr_putf(writer, "\n%s  ", left_out);
  if (sum[0])
    etr_putf(writer, "\n%s", sum);
  etr_puts(writer, "\n</details>\n\n");
  return true;
}

/* Writes the comparison of a method: verdict, explanation, sections, values and findings; only the
 * verdict if the filter asks for methods alone. The note on the clock is of the side that has one,
 * and is indented by 2. If the first section (0), of nodes, is left out, a line says how to get it.
 * Returns false when out of memory. */
static bool write_method(etr_diff_output *o, const etr_method_pair *method) {
  const bool is_markdown = etr_section_is_markdown(&o->answer);
  bool only_verdict = o->filter && o->filter->by == ETR_DIFF_BY_METHOD;
  put_verdict(o, method);
  etr_section_clock_note(
      &o->answer,
      o->comparison->base->takes_cycles_as_ns ? o->comparison->base : o->comparison->newer, 2);
  if (is_timed_on_both_sides(method) && !only_verdict) {
    if (!is_markdown)
      etr_puts(&o->answer.writer, "\n");
    if (!etr_diff_write_explanation(o, method))
      return false;
    if (is_markdown)
      etr_putf(&o->answer.writer, "\n%s\n\n", etr_diff_paired_text(o, method));
    else
      put_line(o, etr_diff_paired_text(o, method));
    if (is_redundant_with_kernels(o, method, 0))
      put_line(o, "a row for each event: --by node");
    if (etr_diff_lacks_section(method, etr_diff_section_of(o->filter)))
      put_line(o, "no modules or lines, because a side has no graph: --by kernel, --by node");
  }
  for (etr_diff_section section = 0; section < ETR_DIFF_SECTIONS; section++)
    if (has_section(o, method, section) && !write_section(o, method, section))
      return false;
  if (etr_diff_takes_gaps(o->filter))
    etr_gap_write_section(o, method);
  if (o->answer.options->findings) {
    etr_findings findings;
    if (!etr_diff_findings(&findings, o, method, o->answer.options->unit))
      return false;
    etr_findings_put_list(&o->answer, &findings, "findings about the newer record");
  }
  if (!is_markdown)
    etr_puts(&o->answer.writer, "\n");
  return true;
}

/* Returns true if a longer load contains this one and takes about as long on both sides, so that
 * this one says nothing new. */
static bool is_inside_longer_load(const etr_comparison *comparison, const etr_load_pair *load) {
  for (size_t i = 0; i < comparison->load_count; i++) {
    const etr_change *other = &comparison->loads[i].change, *change = &load->change;
    if (other != change && change->base_typical < other->base_typical &&
        etr_load_is_whole(change->base_typical, other->base_typical) &&
        etr_load_is_whole(change->new_typical, other->new_typical))
      return true;
  }
  return false;
}

/* Writes a line for each load (an event that loads the program or a method) that says something
 * new. A single load without an interval is already in the table of the only timed method. */
static void write_loads(etr_diff_output *o) {
  size_t timed_count = 0;
  for (size_t i = 0; i < o->comparison->method_count; i++)
    timed_count += is_timed(&o->comparison->methods[i]);
  for (size_t i = 0; i < o->comparison->load_count; i++) {
    const etr_load_pair *load = &o->comparison->loads[i];
    bool is_in_table = timed_count == 1 && o->comparison->load_count == 1 &&
                       !etr_diff_has_interval(&load->change);
    if (is_in_table || is_inside_longer_load(o->comparison, load))
      continue;
    const char *verdict = load->change.base_runs && load->change.new_runs
                              ? etr_diff_verdict_text(o, &load->change)
                              : "";
    put_line(o, etr_arena_format(&o->answer.arena, "load: %s  %s%s%s", load->name,
                                 etr_diff_times_text(o, &load->change), verdict[0] ? ": " : "",
                                 verdict));
  }
}

/* Writes the comparison for people: each method, the loads and the legend; Markdown leaves out the
 * loads. Returns false when out of memory. */
static bool write_sections(etr_diff_output *o) {
  const char *legend = etr_diff_legend(o);
  etr_table columns;
  etr_diff_table_init(&columns, o, 0); /* refuses unknown columns, also if no table follows */
  for (size_t i = 0; i < o->comparison->method_count; i++)
    if (etr_diff_takes_method(o->filter, &o->comparison->methods[i]) &&
        !write_method(o, &o->comparison->methods[i]))
      return false;
  if (etr_section_is_markdown(&o->answer)) {
    if (legend[0])
      etr_putf(&o->answer.writer, "<sub>%s</sub>\n", legend);
    return true;
  }
  write_loads(o);
  if (o->comparison->load_count && legend[0])
    etr_puts(&o->answer.writer, "\n");
  etr_section_line(&o->answer, ETR_STYLE_DIM, 0, legend);
  return true;
}

/* ---- One table ---- */

/* Adds a row for each part of Method::execute to the table. Returns false when out of memory. */
static bool add_part_rows(etr_diff_output *o, etr_table *table, const etr_method_pair *method) {
  etr_rows rows;
  if (!etr_part_rows_make(&rows, o, method))
    return false;
  etr_table_add_rows(table, rows);
  return true;
}

/* Adds to the table for programs what the filter chose of a method: the parts of its time, the
 * method itself (NULL: no row of a section), or the rows of a section, at most --top. Returns false
 * when out of memory. */
static bool add_method_rows(etr_diff_output *o, etr_table *table, const etr_method_pair *method) {
  size_t top = o->answer.options->top;
  etr_diff_section section = etr_diff_section_of(o->filter);
  etr_diff_rows rows;
  if (o->filter->by == ETR_DIFF_BY_PART)
    return add_part_rows(o, table, method);
  if (o->filter->by == ETR_DIFF_BY_METHOD)
    etr_diff_table_add_change(table, o, method, NULL, &method->execute);
  if (section == ETR_DIFF_SECTIONS)
    return true;
  if (!make_section_rows(&rows, o, method, section))
    return false;
  for (size_t i = 0; i < rows.count && (top == 0 || i < top); i++)
    etr_diff_table_add_change(table, o, method, &rows.rows[i], rows.rows[i].change);
  return true;
}

/* Writes the comparison as one table for programs, which the user must have chosen; otherwise the
 * answer is refused, which etr_answer_end() reports as an error. etr_diff_table_init() takes the
 * columns that the user chose by itself. Returns false only when out of memory. */
static bool write_one_table(etr_diff_output *o) {
  const etr_comparison *comparison = o->comparison;
  etr_table table;
  if (!o->filter || o->filter->by == ETR_DIFF_BY_ALL) {
    etr_answer_refuse(&o->answer,
                      "a comparison has several tables: choose one by node, op, module, "
                      "pattern, backend, source, kernel, value, part or method");
    return true;
  }
  if (o->filter->by == ETR_DIFF_BY_VALUE) {
    etr_gap_write_table(o);
    return true;
  }
  if (o->filter->by == ETR_DIFF_BY_PART) {
    etr_table_init(&table, &o->answer, &etr_balance_change_fields);
    etr_table_choose_columns(&table);
  } else {
    etr_diff_table_init(&table, o, etr_diff_section_of(o->filter));
  }
  table.top = 0; /* rows have been chosen */
  for (size_t i = 0; i < comparison->method_count; i++)
    if (etr_diff_takes_method(o->filter, &comparison->methods[i]) &&
        !add_method_rows(o, &table, &comparison->methods[i]))
      return false;
  etr_table_finish(&table);
  return true;
}

etr_status etr_emit_diff_tables(const etr_comparison *comparison, const etr_diff_filter *filter,
                                const etr_table_options *options, const etr_sink *sink,
                                etr_error *error) {
  static const etr_table_options defaults = {.top = 30};
  etr_diff_output o = {.comparison = comparison, .filter = filter};
  etr_table_options own = options ? *options : defaults;
  /* A clock that counts cycles and one that counts time have no unit in common. */
  own.has_unit |= comparison->base->takes_cycles_as_ns != comparison->newer->takes_cycles_as_ns;
  etr_answer_begin(&o.answer, comparison->newer, NULL, &own, sink);
  etr_table_format format = o.answer.options->format;
  bool is_for_people = format == ETR_TABLE_TEXT || format == ETR_TABLE_MARKDOWN;
  return etr_answer_end(&o.answer, (is_for_people ? write_sections : write_one_table)(&o), error);
}
