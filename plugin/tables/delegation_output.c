/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegation_output.c - what is delegated: as JSON, as tables, as a page.
 */
#include "tables/delegation_output.h"

#include "output/node_filter.h"
#include "tables/delegate_fields.h"
#include "views/loads.h"

typedef struct delegation_row {
  const etr_profile *profile;
  const etr_method *method;
  const etr_delegation_row *counts;
} delegation_row;

static const delegation_row *at(const void *row) { return row; }

/* ---- Cells ---- */

static bool is_known(const void *row, const etr_delegation_side *side) {
  return at(row)->method->run_count && side->timed;
}

static double average(const void *row, const etr_delegation_side *side) {
  return (double)side->ticks / (double)at(row)->method->run_count;
}

static etr_cell time_that(double (*ranks)(const etr_profile *, double, double), const void *row,
                          const etr_delegation_side *side) {
  if (!is_known(row, side)) return etr_cell_none();
  return etr_cell_number(ranks(at(row)->profile, average(row, side), side->p50));
}

static bool has_delegated(const void *row) { return is_known(row, &at(row)->counts->delegated); }
static bool has_rest(const void *row) { return is_known(row, &at(row)->counts->rest); }
static etr_cell delegated_avg(const void *row) { return etr_cell_number(average(row, &at(row)->counts->delegated)); }
static etr_cell rest_avg(const void *row) { return etr_cell_number(average(row, &at(row)->counts->rest)); }
static etr_cell delegated_time(const void *row) { return time_that(etr_ranking, row, &at(row)->counts->delegated); }
static etr_cell rest_time(const void *row) { return time_that(etr_ranking, row, &at(row)->counts->rest); }
static etr_cell other_delegated(const void *row) {
  return time_that(etr_not_ranking, row, &at(row)->counts->delegated);
}
static etr_cell other_rest(const void *row) { return time_that(etr_not_ranking, row, &at(row)->counts->rest); }
static double delegated_step(const void *row) { return at(row)->counts->delegated.step; }
static double rest_step(const void *row) { return at(row)->counts->rest.step; }

enum { EVERYWHERE = ETR_IN_ALL | ETR_IN_PAGE };

#define COUNTS(name) ETR_VIA(delegation_row, counts, etr_delegation_row, name)

static const etr_field fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_FULL, ETR_VIA(delegation_row, method, etr_method, name)},
    {"op_type", "operator", ETR_CELL_NAME, EVERYWHERE, COUNTS(op_type)},
    {"delegated", "delegated", ETR_CELL_COUNT, EVERYWHERE, COUNTS(delegated.nodes)},
    {NULL, "delegated avg", ETR_CELL_TIME, ETR_IN_TEXT, .get = delegated_time, .step = delegated_step, .heading = "avg",
     .p50_title = "delegated p50", .p50_heading = "p50"},
    {"non_delegated", "non-delegated", ETR_CELL_COUNT, EVERYWHERE, COUNTS(rest.nodes)},
    {NULL, "delegated avg", ETR_CELL_TIME, ETR_IN_FULL | ETR_IN_PAGE, .get = delegated_time, .step = delegated_step,
     .p50_title = "delegated p50", .unit_in = ETR_IN_PAGE},
    {NULL, "non-delegated avg", ETR_CELL_TIME, ETR_IN_TABLES | ETR_IN_PAGE, .get = rest_time, .step = rest_step,
     .heading = "avg", .p50_title = "non-delegated p50", .p50_heading = "p50", .unit_in = ETR_IN_PAGE},
    {NULL, "delegated p50", ETR_CELL_TIME, ETR_IN_DATA, .get = other_delegated, .p50_title = "delegated avg"},
    {NULL, "non-delegated p50", ETR_CELL_TIME, ETR_IN_DATA, .get = other_rest, .p50_title = "non-delegated avg"},
    {"delegated_avg", NULL, ETR_CELL_TIME, ETR_IN_JSON, .get = delegated_avg, .has = has_delegated},
    {"non_delegated_avg", NULL, ETR_CELL_TIME, ETR_IN_JSON, .get = rest_avg, .has = has_rest},
    {"delegated_p50", NULL, ETR_CELL_TIME, ETR_IN_JSON, COUNTS(delegated.p50), .has = has_delegated},
    {"non_delegated_p50", NULL, ETR_CELL_TIME, ETR_IN_JSON, COUNTS(rest.p50), .has = has_rest},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_FULL},
};
ETR_ROW_TYPE(operator_delegation, fields);

/* ---- JSON ---- */

/* False when out of memory. */
static bool put_counts(const etr_fields *f, etr_arena *arena, const etr_method *method, const etr_node_filter *filter) {
  etr_delegation delegation;
  if (!etr_delegation_make(&delegation, arena, f->profile, method, filter)) return false;
  etr_field_text(f, "method", method->name);
  etr_field_runs(f, method);
  etr_field_count(f, "delegated_subgraphs", delegation.subgraphs);
  etr_field_count(f, "delegated_nodes", delegation.delegated_nodes);
  etr_field_count(f, "non_delegated_nodes", delegation.non_delegated_nodes);
  etr_field_count(f, "ambiguous", method->ambiguous_node_count);
  etr_field_list(f, "operators");
  for (size_t i = 0; i < delegation.count; i++) {
    etr_jw_object(f->json);
    etr_field_put_all(f, &etr_operator_delegation_fields, &(delegation_row){f->profile, method, &delegation.rows[i]});
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  return true;
}

bool etr_delegation_put(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  etr_jw_object(f->json);
  bool good = put_counts(f, arena, method, NULL);
  etr_jw_end(f->json);
  return good;
}

bool etr_delegates_put(const etr_fields *f, etr_arena *arena, const etr_method *method, const etr_node_filter *filter,
                       double runs) {
  size_t count = 0;
  const etr_delegate_cells *cells = etr_delegate_cells_make(arena, f->profile, method, filter, runs, &count);
  etr_field_put_rows(f, "delegates", &etr_delegate_fields, ETR_ROWS(cells, count));
  return cells != NULL;
}

static bool put_counted(etr_answer *answer, const etr_method *method) {
  const etr_fields *f = &answer->fields;
  if (method->graph == ETR_NONE) return true;
  etr_jw_object(f->json);
  bool good = put_counts(f, &answer->arena, method, answer->filter) &&
              etr_delegates_put(f, &answer->arena, method, answer->filter, (double)method->run_count);
  etr_jw_end(f->json);
  return good;
}

etr_status etr_emit_delegation_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit,
                                    const etr_sink *sink, etr_error *error) {
  etr_answer answer;
  etr_answer_begin_ranked(&answer, profile, filter, unit, sink, "delegation/1");
  bool good = etr_answer_put_methods(&answer, put_counted);
  return etr_answer_end(&answer, good, error);
}

/* ---- Tables ---- */

/* Lists what is counted of a method: most time first, where that is asked for; rows without times stay by operator
 * type. False when out of memory. */
static bool collect(etr_sheet *sheet, etr_delegation *out, const etr_method *method) {
  etr_answer *answer = sheet->answer;
  if (!etr_delegation_make(out, &answer->arena, answer->profile, method, answer->filter)) return false;
  delegation_row *rows = etr_arena_alloc_array(&answer->arena, out->count, sizeof *rows);
  for (size_t i = 0; rows && i < out->count; i++) {
    rows[i] = (delegation_row){answer->profile, method, &out->rows[i]};
    etr_sheet_add(sheet, &rows[i], "", out->rows[i].weight);
  }
  if (answer->options->order == ETR_ORDER_TIME) etr_sheet_sort(sheet);
  return rows != NULL;
}

static bool is_wanted(const etr_method *method, const etr_node_filter *filter) {
  return method->graph != ETR_NONE && etr_filter_takes_method(filter, method);
}

/* Says that some nodes may be on the other side. */
static void put_ambiguous(etr_answer *answer, const etr_method *method) {
  const char *text = etr_arena_format(&answer->arena,
                                      "%zu nodes could be on the other side: their debug handles do not say which of "
                                      "them delegates took",
                                      method->ambiguous_node_count);
  if (text && method->ambiguous_node_count)
    etr_put_wrapped(&answer->writer, ETR_STYLE_PLAIN, text, 0, etr_answer_text_width(answer));
}

static void put_title(etr_answer *answer, const etr_method *method, const etr_delegation *delegation) {
  bool timed = method->run_count > 0;
  const char *title = etr_arena_format(
      &answer->arena, "%s \xC2\xB7 %zu delegated subgraph%s \xC2\xB7 %zu nodes delegated, %zu not%s%s", method->name,
      delegation->subgraphs, delegation->subgraphs == 1 ? "" : "s", delegation->delegated_nodes,
      delegation->non_delegated_nodes, timed ? " \xC2\xB7 times in " : "",
      timed ? etr_unit_name(answer->options->unit) : "");
  if (title) etr_put_wrapped(&answer->writer, ETR_STYLE_PLAIN, title, 0, etr_answer_text_width(answer));
  put_ambiguous(answer, method);
  etr_put_left_out(&answer->writer, &answer->arena, answer->profile, method, answer->options->unit);
  etr_put_filter(&answer->writer, &answer->arena, answer->filter);
}

/* ---- Each delegate ---- */

static void put_title_of_delegates(etr_answer *answer, const etr_method *method) {
  const char *backends = etr_backends_text(&answer->arena, method);
  const char *title = etr_arena_format(
      &answer->arena, "%s \xC2\xB7 %s%s%s", method->name, backends && backends[0] ? backends : "no delegates",
      method->run_count ? " \xC2\xB7 times in " : "", method->run_count ? etr_unit_name(answer->options->unit) : "");
  if (title) etr_put_wrapped(&answer->writer, ETR_STYLE_PLAIN, title, 0, etr_answer_text_width(answer));
  etr_put_left_out(&answer->writer, &answer->arena, answer->profile, method, answer->options->unit);
}

typedef struct delegates {
  etr_delegate_table table;
  etr_sheet sheet;
} delegates;

static delegates *begin_delegates(etr_answer *answer) {
  delegates *d = etr_arena_alloc_array(&answer->arena, 1, sizeof *d);
  if (!d) return NULL;
  etr_sheet_init(&d->sheet, answer, &etr_delegate_fields);
  d->sheet.context = &d->table;
  return d;
}

/* False when out of memory. */
static bool add_delegates(delegates *d, const etr_method *method) {
  const etr_answer *answer = d->sheet.answer;
  size_t count = 0;
  const etr_delegate_cells *cells = etr_delegate_cells_make(&d->sheet.answer->arena, answer->profile, method,
                                                            answer->filter, (double)method->run_count, &count);
  if (!cells) return false;
  etr_delegate_table_add(&d->table, cells, count);
  etr_sheet_add_rows(&d->sheet, ETR_ROWS(cells, count));
  return true;
}

/* Below a table that says the rest: only where some delegate tells more than its time. */
static bool put_told_delegates(etr_answer *answer, const etr_method *method, unsigned medium) {
  delegates *d = begin_delegates(answer);
  if (!d || !add_delegates(d, method)) return false;
  if (!etr_delegate_table_tells(&d->table)) return true;
  d->sheet.medium = medium;
  etr_puts(&answer->writer, "\n");
  etr_sheet_finish(&d->sheet);
  return true;
}

/* Text has a table for each method, other formats one for all. */
static bool put_delegates(etr_answer *answer) {
  delegates *d = NULL;
  for (size_t i = 0; i < answer->profile->method_count; i++) {
    const etr_method *method = &answer->profile->methods[i];
    bool is_text = answer->options->format == ETR_TABLE_TEXT, follows_table = d != NULL;
    if (!etr_filter_takes_method(answer->filter, method)) continue;
    if (!d || is_text) d = begin_delegates(answer);
    if (!d) return false;
    etr_sheet_choose(&d->sheet);
    if (!add_delegates(d, method)) return false;
    if (!is_text) continue;
    if (follows_table) etr_puts(&answer->writer, "\n");
    put_title_of_delegates(answer, method);
    etr_put_filter(&answer->writer, &answer->arena, answer->filter);
    if (d->sheet.rows.count) etr_sheet_finish(&d->sheet);
  }
  if (d && !etr_sheet_is_text(&d->sheet)) etr_sheet_finish(&d->sheet);
  return true;
}

/* ---- Tables ---- */

/* Text has a table for each method, other formats one for all. */
static bool put_method(etr_sheet *sheet, const etr_method *method) {
  const etr_table_options *options = sheet->answer->options;
  etr_delegation delegation;
  bool follows_table = sheet->table.cells.count > 0;
  if (!collect(sheet, &delegation, method)) return false;
  if (!etr_sheet_is_text(sheet)) {
    etr_sheet_fill(sheet);
    return true;
  }
  if (follows_table) etr_puts(&sheet->answer->writer, "\n");
  put_title(sheet->answer, method, &delegation);
  if (delegation.count) etr_sheet_finish(sheet);
  return options->by || options->columns || put_told_delegates(sheet->answer, method, ETR_IN_TEXT);
}

static bool put_operators(etr_answer *answer) {
  etr_sheet sheet;
  bool good = true;
  etr_sheet_init(&sheet, answer, &etr_operator_delegation_fields);
  etr_sheet_choose(&sheet);
  for (size_t i = 0; good && i < answer->profile->method_count; i++)
    if (is_wanted(&answer->profile->methods[i], answer->filter))
      good = put_method(&sheet, &answer->profile->methods[i]);
  if (!etr_sheet_is_text(&sheet)) etr_sheet_write(&sheet);
  return good;
}

etr_status etr_emit_delegation_tables(const etr_profile *profile, const etr_node_filter *filter,
                                      const etr_table_options *options, const etr_sink *sink, etr_error *error) {
  etr_answer answer;
  etr_answer_begin(&answer, profile, filter, options, sink);
  bool good = answer.options->by_delegate ? put_delegates(&answer) : put_operators(&answer);
  return etr_answer_end(&answer, good, error);
}

/* ---- A page ---- */

etr_status etr_delegation_page(const etr_profile *profile, const etr_method *method, const etr_table_options *options,
                               const etr_sink *sink, etr_error *error) {
  etr_answer answer;
  etr_sheet sheet;
  etr_delegation delegation = {0};
  etr_answer_begin(&answer, profile, NULL, options, sink);
  etr_sheet_init(&sheet, &answer, &etr_operator_delegation_fields);
  sheet.medium = ETR_IN_PAGE;
  bool good = collect(&sheet, &delegation, method);
  if (delegation.count > 0) {
    etr_putf(&answer.writer, "%zu delegated subgraph%s: %zu nodes delegated, %zu not\n\n", delegation.subgraphs,
             delegation.subgraphs == 1 ? "" : "s", delegation.delegated_nodes, delegation.non_delegated_nodes);
    etr_sheet_finish(&sheet);
  }
  good = good && put_told_delegates(&answer, method, ETR_IN_PAGE);
  return etr_answer_end(&answer, good, error);
}
