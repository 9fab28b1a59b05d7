/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_output.c - records side by side, as a table or as a document.
 */
#include "output/label.h"
#include "output/section.h"
#include "tables/diff_output.h"
#include "views/headline.h"
#include "views/record_set.h"

#include <math.h>

/* What is being written. The words of a comparison need one, of which only the options are read. */
typedef struct compare_output {
  etr_comparison options;
  etr_diff_output words;
  const etr_record_set *set;
  etr_table_options table;
} compare_output;

/* A record and one of its methods. */
typedef struct compare_row {
  compare_output *output;
  const etr_set_record *record;
  const etr_set_method *method; /* NULL: the record has none, or could not be read */
} compare_row;

static const compare_row *as_row(const void *row) {
  return row;
}

/* Sets the options of a comparison that the texts of verdicts need: limit and noise. Its profiles
 * and its scale are stand-ins, which those texts do not use. */
static void init_words(compare_output *o) {
  const etr_compare_options *options = &o->set->options.compare;
  o->options = (etr_comparison){.base = o->set->first,
                                .newer = o->set->first,
                                .base_scale = 1,
                                .limit = options->limit,
                                .recording_noise = o->set->recording_noise};
  o->words.comparison = &o->options;
}

/* ---- Fields ---- */

static bool has_change(const void *row) {
  return as_row(row)->method && as_row(row)->method->change;
}
static bool has_relative(const void *row) {
  return has_change(row) && !isnan(as_row(row)->method->change->relative);
}
static etr_cell relative(const void *row) {
  return etr_cell_number(as_row(row)->method->change->relative);
}
static bool has_likely_change(const void *row) {
  return has_change(row) && as_row(row)->method->change->verdict >= ETR_VERDICT_LIKELY_FASTER;
}
static etr_cell change_text(const void *row) {
  return etr_cell_text(
      etr_diff_size_text(&as_row(row)->output->words, as_row(row)->method->change));
}
static etr_cell verdict(const void *row) {
  return etr_cell_text(etr_verdict_name(as_row(row)->method->change->verdict));
}
static etr_cell reason(const void *row) {
  return etr_cell_text(etr_reason_name(as_row(row)->method->change->reason));
}

/* ---- For people ---- */

static bool is_first(const void *row) {
  return as_row(row)->record == as_row(row)->output->set->records.data;
}

/* Returns the verdict on a method against the first record: "base", "equal", "12 % slower", or
 * "could not be read". Undecided ones are dim, slower ones are hot. */
static etr_cell verdict_text(const void *row) {
  compare_output *o = as_row(row)->output;
  if (as_row(row)->record->problem)
    return (etr_cell){.text = "could not be read", .style = ETR_STYLE_HOT};
  if (!has_change(row))
    return etr_cell_text(is_first(row) ? "base" : "");
  const etr_change *change = as_row(row)->method->change;
  if (change->verdict < ETR_VERDICT_LIKELY_FASTER)
    return (etr_cell){.text = etr_diff_verdict_word(change), .style = ETR_STYLE_DIM};
  return (etr_cell){.text = etr_diff_size_text(&o->words, change),
                    .style = change->relative > 0 ? ETR_STYLE_HOT : ETR_STYLE_PLAIN};
}

/* Returns the bounds of a method's change against the first record; "" if the two were not
 * compared. */
static etr_cell interval_text(const void *row) {
  if (!has_change(row))
    return etr_cell_text("");
  return etr_cell_text(
      etr_diff_interval_text(&as_row(row)->output->words, as_row(row)->method->change));
}

/* Returns the cell of a delegated share (0 to 1; NaN: unknown), not colored by heat, because a
 * large one is good. None is written as "0 %", because an empty cell means unknown. */
static etr_cell share_cell(double part) {
  if (part == 0)
    return etr_cell_text("0 %");
  return (etr_cell){.number = part, .whole = 1, .is_cold = true};
}
static etr_cell delegated_nodes(const void *row) {
  return share_cell(as_row(row)->method ? as_row(row)->method->figures.delegated_nodes : NAN);
}
static etr_cell delegated_time(const void *row) {
  return share_cell(as_row(row)->method ? as_row(row)->method->figures.delegated_time : NAN);
}

/* Returns "equal", or the SNR of the worst output in dB; an empty cell if none was compared. */
static etr_cell snr_text(const void *row) {
  const etr_set_method *method = as_row(row)->method;
  if (method && method->are_outputs_equal)
    return etr_cell_text("equal");
  return (etr_cell){.number = method ? method->output_snr_db : NAN, .decimals = 1};
}

/* Returns true if some record has several methods, so that rows must name them. */
static bool has_several_methods(const void *context) {
  const etr_record_set *set = context;
  for (size_t i = 0; i < set->records.count; i++)
    if (set->records.data[i].methods.count > 1)
      return true;
  return false;
}

enum { PEOPLE = ETR_IN_TEXT | ETR_IN_MARKDOWN, EXACT = ETR_IN_DATA | ETR_IN_JSON };

#define RECORD(name) ETR_VIA(compare_row, record, etr_set_record, name)
#define METHOD(name) ETR_VIA(compare_row, method, etr_set_method, name)

static const etr_field record_fields[] = {
    {"record", NULL, ETR_CELL_NAME, ETR_IN_JSON, RECORD(name),
     .says = ETR_SAYS(
         "what it is called: the last part of its path, or all of it where two would be called "
         "the same")},
    {"path", NULL, ETR_CELL_NAME, ETR_IN_JSON, RECORD(path)},
    {"problem", NULL, ETR_CELL_NAME, ETR_IN_JSON, RECORD(problem), .nullable = true,
     .says = ETR_SAYS("why it could not be read; null: it could")},
    {"pte_bytes", NULL, ETR_CELL_AMOUNT, ETR_IN_JSON, RECORD(pte_bytes), .nullable = true,
     .says = ETR_SAYS("size of the program; null: there is no .pte")},
    {"planned_bytes", NULL, ETR_CELL_AMOUNT, ETR_IN_JSON, RECORD(planned_bytes), .nullable = true,
     .says = ETR_SAYS("memory that the program plans, of all its methods together")},
};
ETR_ROW_TYPE(compared_record, record_fields);

static const etr_field method_fields[] = {
    {NULL, "record", ETR_CELL_NAME, ETR_IN_TABLES, RECORD(name)},
    {NULL, "path", ETR_CELL_NAME, ETR_IN_DATA, RECORD(path)},
    {NULL, "problem", ETR_CELL_NAME, ETR_IN_DATA, RECORD(problem), .nullable = true},
    {"method", "method", ETR_CELL_NAME, ETR_IN_ALL, METHOD(name), .is_shown = has_several_methods,
     .blank_is_null = true, .nullable = true},
    {"typical", "typical", ETR_CELL_TIME, ETR_IN_ALL, METHOD(typical), .nullable = true,
     .unit_in = PEOPLE,
     .says = ETR_SAYS("Method::execute in the typical run; null: it was not timed")},
    {"low", "least", ETR_CELL_TIME, ETR_IN_ALL, METHOD(figures.low), .nullable = true,
     .unit_in = ETR_IN_MARKDOWN, .spare = 2,
     .says = ETR_SAYS(
         "least of the recordings' typical runs; of one recording p10 of its runs; null with "
         "fewer than five of them")},
    {"high", "most", ETR_CELL_TIME, ETR_IN_ALL, METHOD(figures.high), .nullable = true,
     .unit_in = ETR_IN_MARKDOWN, .spare = 2,
     .says = ETR_SAYS("most of the recordings' typical runs; of one recording p90 of its runs")},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_DATA},
    {"load", "load", ETR_CELL_TIME, ETR_IN_ALL, METHOD(figures.load), .nullable = true,
     .hides_zeros = true, .unit_in = ETR_IN_MARKDOWN, .spare = 5,
     .says = ETR_SAYS("null: no load was recorded, or it is not known which method it was for")},
    {"first_run", "first run", ETR_CELL_TIME, ETR_IN_ALL, METHOD(figures.first_run),
     .nullable = true, .hides_zeros = true, .unit_in = ETR_IN_MARKDOWN, .spare = 1,
     .says = ETR_SAYS("warm-up included; of several ETDumps the median")},
    {"ms_per_token", "ms/token", ETR_CELL_RATE, ETR_IN_ALL, METHOD(figures.ms_per_token),
     .nullable = true, .hides_zeros = true},
    {"pte_bytes", ".pte bytes", ETR_CELL_AMOUNT, ETR_IN_TABLES, RECORD(pte_bytes), .nullable = true,
     .hides_zeros = true},
    {"planned_bytes", "planned bytes", ETR_CELL_AMOUNT, ETR_IN_TABLES, RECORD(planned_bytes),
     .nullable = true, .hides_zeros = true, .spare = 4},
    {"delegated_nodes", "delegated", ETR_CELL_RATE, EXACT, METHOD(figures.delegated_nodes),
     .nullable = true, .says = ETR_SAYS("share of the Edge graph's operators: 0.8 for 80 %")},
    {NULL, "delegated", ETR_CELL_SHARE, PEOPLE, .get = delegated_nodes},
    {"delegated_time", "of time", ETR_CELL_RATE, EXACT, METHOD(figures.delegated_time),
     .nullable = true,
     .says = ETR_SAYS(
         "share of the typical run without interruptions, calling the delegates included")},
    {NULL, "of time", ETR_CELL_SHARE, PEOPLE, .get = delegated_time},
    {"macs", "MACs", ETR_CELL_AMOUNT, ETR_IN_ALL, METHOD(figures.macs), .nullable = true,
     .hides_zeros = true, .spare = 3,
     .says = ETR_SAYS("multiply-accumulates per inference; null: not known of all operators")},
    {"output_snr_db", "SNR dB", ETR_CELL_NUMBER, EXACT, METHOD(output_snr_db), .nullable = true,
     .digits = ETR_ALL_DIGITS,
     .says = ETR_SAYS(
         "of the worst output, against the reference or the first record; null: none was "
         "compared, an output has wrong NaN or infinities, or all are equal")},
    {NULL, "SNR dB", ETR_CELL_NUMBER, PEOPLE, .get = snr_text, .hides_zeros = true},
    {"outputs_equal", NULL, ETR_CELL_FLAG, ETR_IN_JSON, METHOD(are_outputs_equal),
     .says = ETR_SAYS("outputs were compared, and nothing differs")},
    {"change", NULL, ETR_CELL_WORD, ETR_IN_JSON, .get = change_text, .has = has_likely_change,
     .nullable = true,
     .says = ETR_SAYS(
         "by how much it is slower or faster than the first, in words, with the digits that the "
         "recordings support; null: nothing is told")},
    {"relative_change", "relative_change", ETR_CELL_RATE, ETR_IN_DATA, .get = relative,
     .has = has_relative, .nullable = true},
    {NULL, "verdict", ETR_CELL_WORD, ETR_IN_DATA, .get = verdict, .has = has_change,
     .nullable = true},
    {NULL, "reason", ETR_CELL_WORD, ETR_IN_DATA, .get = reason, .has = has_change,
     .nullable = true},
    {NULL, "against the first", ETR_CELL_WORD, PEOPLE, .get = verdict_text},
    {NULL, "between", ETR_CELL_NUMBER, PEOPLE, .get = interval_text, .hides_zeros = true,
     .spare = 6},
};
ETR_ROW_TYPE(compared_method, method_fields);

/* ---- Tables ---- */

/* Returns true if outputs of any record were compared with a reference or the first record. */
static bool has_compared_outputs(const etr_record_set *set) {
  for (size_t i = 0; i < set->records.count; i++)
    for (size_t k = 0; k < set->records.data[i].methods.count; k++) {
      const etr_set_method *method = &set->records.data[i].methods.data[k];
      if (method->are_outputs_equal || !isnan(method->output_snr_db))
        return true;
    }
  return false;
}

/* Writes below the table what the columns mean whose titles do not say it all, and what to record
 * if the column of the SNR is empty. The note on planned bytes is only there if a record has some.
 */
static void put_column_notes(compare_output *o) {
  etr_answer *answer = &o->words.answer;
  bool has_plan = false;
  for (size_t i = 0; i < o->set->records.count; i++)
    has_plan |= o->set->records.data[i].planned_bytes > 0;
  etr_section_line(
      answer, ETR_STYLE_DIM, 2,
      "least, most: p10 and p90 of the runs; of several recordings their typical runs");
  etr_section_line(
      answer, ETR_STYLE_DIM, 2,
      "delegated: of the operators; of time: of the typical run without interruptions");
  if (has_plan)
    etr_section_line(answer, ETR_STYLE_DIM, 2, "planned bytes: without what delegates allocate");
  if (!has_compared_outputs(o->set))
    etr_section_line(answer, ETR_STYLE_DIM, 2,
                     "no SNR: no outputs were compared; record --debug-buffer logs them");
}

static void put_notes(compare_output *o) {
  for (size_t i = 0; i < o->set->notes.count; i++)
    etr_section_line(&o->words.answer, ETR_STYLE_PLAIN, 2, o->set->notes.data[i]);
}

/* Returns the verdict of the record's first method that is not sure for this reason; NULL if there
 * is none. */
static const etr_change *find_unsure(const etr_set_record *record, etr_reason reason) {
  for (size_t i = 0; i < record->methods.count; i++) {
    const etr_change *change = record->methods.data[i].change;
    if (change && change->reason == reason)
      return change;
  }
  return NULL;
}

/* Writes the names of the records with a verdict that is not sure for a reason, and what would
 * help. Only those that were recorded in this order with the first record, which the text may name.
 * A record is named once, even if several of its methods have the reason. */
static void put_verdict_reason(compare_output *o, etr_reason reason, etr_turns turns) {
  etr_arena *arena = &o->words.answer.arena;
  const char *names = "";
  const etr_change *first = NULL;
  for (size_t i = 0; i < o->set->records.count; i++) {
    const etr_set_record *record = &o->set->records.data[i];
    const etr_change *change = find_unsure(record, reason);
    if (!change || (reason == ETR_REASON_NOT_IN_TURNS && record->turns != turns))
      continue;
    names = etr_or_empty(
        etr_arena_format(arena, "%s%s%s", names, names[0] ? ", " : "", record->name));
    first = first ? first : change;
  }
  o->options.turns = turns;
  if (first)
    etr_section_line(
        &o->words.answer, ETR_STYLE_PLAIN, 2,
        etr_arena_format(arena, "%s: %s", names, etr_diff_reason_text(&o->words, first)));
}

/* Writes each reason why verdicts are not sure. */
static void put_verdict_reasons(compare_output *o) {
  for (int reason = ETR_REASON_CLOCK; reason <= ETR_REASON_SPREAD; reason++) {
    put_verdict_reason(o, (etr_reason)reason, ETR_TURNS_BASE_FIRST);
    if (reason == ETR_REASON_NOT_IN_TURNS)
      put_verdict_reason(o, (etr_reason)reason, ETR_TURNS_NEW_FIRST);
  }
}

/* Returns true if a verdict of "slower" or "faster" assumes that records were recorded in turns. */
static bool assumes_turns(const etr_record_set *set) {
  for (size_t i = 0; i < set->records.count; i++)
    for (size_t k = 0; k < set->records.data[i].methods.count; k++) {
      const etr_change *change = set->records.data[i].methods.data[k].change;
      if (change && (change->assumes & ETR_ASSUMES_IN_TURNS) &&
          change->verdict >= ETR_VERDICT_LIKELY_FASTER)
        return true;
    }
  return false;
}

/* Writes the table with a row for each method of each record, and one for a record without any; all
 * of them, whatever --top says. Times have digits of their own, because their sizes differ.
 * Markdown, which may be published, leaves out columns that tell nothing. Returns false when out of
 * memory. */
static bool write_records_table(compare_output *o) {
  etr_answer *answer = &o->words.answer;
  etr_table table;
  etr_table_init(&table, answer, &etr_compared_method_fields);
  table.context = o->set;
  table.each_has_digits = true;
  table.is_to_publish = true;
  table.top = 0;
  etr_table_choose_columns(&table);
  for (size_t i = 0; i < o->set->records.count; i++) {
    const etr_set_record *record = &o->set->records.data[i];
    size_t count = ETR_MAX(record->methods.count, 1);
    compare_row *rows = etr_arena_alloc_array(&answer->arena, count, sizeof *rows);
    for (size_t k = 0; rows && k < count; k++)
      rows[k] = (compare_row){o, record, record->methods.count ? &record->methods.data[k] : NULL};
    if (!rows)
      return false;
    etr_table_add_rows(&table, ETR_ROWS(rows, count));
  }
  etr_table_finish(&table);
  return true;
}

/* A row of --by, with the times of the records behind it. */
typedef struct named_row {
  const char *method, *name;
  double typical[];
} named_row;

/* Returns the title of the column by which rows are grouped. */
static const char *title_of(etr_records_by by) {
  static const char *const titles[] = {"", "op", "module", "kernel", "pattern"};
  return titles[by];
}

/* Writes the table of operators, modules, kernels or patterns, with a column of typical times for
 * each record. Narrow text hides the last records first, but never the first one, whose column is
 * no spare one. Times have digits of their own, because their sizes differ. Returns false when out
 * of memory. */
static bool write_table_by(compare_output *o) {
  enum { FIRST = 3 }; /* columns that are not of a record: method, name and unit */
  etr_answer *answer = &o->words.answer;
  const etr_record_set *set = o->set;
  etr_table table;
  size_t records = set->records.count;
  etr_field *fields = etr_arena_alloc_array(&answer->arena, FIRST + records, sizeof *fields);
  if (!fields)
    return false;
  fields[0] = (etr_field){NULL,
                          "method",
                          ETR_CELL_NAME,
                          ETR_IN_TABLES,
                          ETR_AT(named_row, method),
                          .is_shown = has_several_methods};
  fields[1] = (etr_field){NULL, title_of(set->options.by), ETR_CELL_NAME, ETR_IN_TABLES,
                          ETR_AT(named_row, name)};
  for (size_t i = 0; i < records; i++)
    fields[2 + i] = (etr_field){.title = set->records.data[i].name,
                                .kind = ETR_CELL_TIME,
                                .in = ETR_IN_TABLES,
                                .member = {ETR_MEMBER_REAL, sizeof(double),
                                           offsetof(named_row, typical) + i * sizeof(double),
                                           ETR_IN_ROW},
                                .nullable = true,
                                .spare = i ? (unsigned)(records - i) : 0};
  fields[2 + records] = (etr_field){NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_DATA};
  etr_table_init(&table, answer, &(const etr_row_type){NULL, fields, FIRST + records});
  table.context = set;
  table.each_has_digits = true;
  etr_table_choose_columns(&table);
  for (size_t i = 0; i < set->rows.count; i++) {
    named_row *row = etr_arena_alloc(&answer->arena, sizeof *row + records * sizeof(double));
    if (!row)
      return false;
    bool has_name = set->rows.data[i].name[0] || table.exact;
    *row = (named_row){set->rows.data[i].method, has_name ? set->rows.data[i].name : "(top level)"};
    for (size_t k = 0; k < records; k++)
      row->typical[k] = etr_set_row_time(&set->rows.data[i], k);
    etr_table_add_row(&table, row, "", set->rows.data[i].most);
  }
  etr_table_finish(&table);
  return true;
}

/* Returns the unit of the times: what the user chose; for people otherwise the one that suits the
 * longest method of the first record. */
static etr_unit choose_unit(const etr_record_set *set, const etr_table_options *options) {
  const etr_method *longest = NULL;
  bool is_for_people = options->format == ETR_TABLE_TEXT || options->format == ETR_TABLE_MARKDOWN;
  for (size_t i = 0; i < set->first->method_count; i++)
    if (!longest || set->first->methods[i].execute.typical > longest->execute.typical)
      longest = &set->first->methods[i];
  bool is_chosen = options->has_unit || options->unit != ETR_UNIT_MS || !is_for_people;
  is_chosen |= set->clocks_differ; /* and have no unit in common */
  return is_chosen || !longest || longest->run_count == 0 ? options->unit
                                                          : etr_unit_of_method(set->first, longest);
}

etr_status etr_emit_compare_table(const etr_record_set *set, etr_records_by by,
                                  const etr_table_options *options, const etr_sink *sink,
                                  etr_error *error) {
  compare_output o = {.set = set};
  etr_answer *answer = &o.words.answer;
  if (options)
    o.table = *options;
  o.table.unit = choose_unit(set, &o.table);
  /* Clocks that count cycles and time have no unit in common: the given one stays. */
  o.table.has_unit |= set->clocks_differ;
  etr_answer_begin(answer, set->first, NULL, &o.table, sink);
  init_words(&o);
  bool good = by == ETR_RECORDS_ALONE ? write_records_table(&o) : write_table_by(&o);
  bool is_for_people = o.table.format == ETR_TABLE_TEXT || o.table.format == ETR_TABLE_MARKDOWN;
  if (is_for_people) {
    etr_puts(&answer->writer, "\n");
    etr_section_clock_note(answer, set->first, 2);
    if (by == ETR_RECORDS_ALONE)
      put_verdict_reasons(&o);
    if (by == ETR_RECORDS_ALONE && assumes_turns(set))
      etr_section_line(answer, ETR_STYLE_PLAIN, 2,
                       "verdicts assume that the recordings were taken in turns");
    put_notes(&o);
    if (by == ETR_RECORDS_ALONE)
      put_column_notes(&o);
  }
  return etr_answer_end(answer, good, error);
}

/* ---- The document ---- */

/* Writes a method of a record as a JSON object. Keys of the verdict are null or empty if it was not
 * compared, as for the first record. */
static void put_method_object(compare_output *o, const compare_row *row) {
  const etr_fields *f = &o->words.answer.fields;
  etr_jw_object(f->json);
  etr_field_put_members(f, &etr_compared_method_fields, row);
  if (row->method->change) {
    etr_diff_put_verdict(f, row->method->change);
  } else {
    static const char *const absent[] = {"relative_change", "interval", "verdict",
                                         "reason",          "cause",    "recordings_needed"};
    for (size_t i = 0; i < ETR_COUNT(absent); i++)
      etr_field_text(f, absent[i], NULL);
    etr_field_begin_list(f, "assumes");
    etr_jw_end(f->json);
    etr_field_begin_list(f, "odd_recordings");
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

/* Writes a record as a JSON object, with a list of its methods. */
static void put_record_object(compare_output *o, const etr_set_record *record) {
  const etr_fields *f = &o->words.answer.fields;
  etr_jw_object(f->json);
  etr_field_put_members(f, &etr_compared_record_fields, &(compare_row){o, record, NULL});
  etr_field_begin_list(f, "methods");
  for (size_t i = 0; i < record->methods.count; i++)
    put_method_object(o, &(compare_row){o, record, &record->methods.data[i]});
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

/* Writes an operator, module or other row as a JSON object, with the typical times of all records
 * in the document's unit. */
static void put_row_object(compare_output *o, const etr_set_row *row) {
  const etr_fields *f = &o->words.answer.fields;
  etr_jw_object(f->json);
  etr_field_text(f, "method", row->method[0] ? row->method : NULL);
  etr_field_text(f, "name", row->name);
  etr_field_begin_list(f, "typical");
  for (size_t i = 0; i < o->set->records.count; i++)
    etr_put_scalar(f->json, etr_scalar_of_number(
                                etr_ticks_to_unit(f->profile, etr_set_row_time(row, i), f->unit)));
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

etr_status etr_emit_compare_json(const etr_record_set *set, etr_unit unit, const etr_sink *sink,
                                 etr_error *error) {
  compare_output o = {.set = set};
  etr_answer *answer = &o.words.answer;
  const etr_fields *f = &answer->fields;
  /* NULL: no filter. */
  etr_answer_begin_document(answer, set->first, NULL, unit, sink, "compare/1");
  init_words(&o);
  etr_field_begin_list(f, "records");
  for (size_t i = 0; i < set->records.count; i++)
    put_record_object(&o, &set->records.data[i]);
  etr_jw_end(f->json);
  if (set->options.by != ETR_RECORDS_ALONE) {
    etr_field_text(f, "by", title_of(set->options.by));
    etr_field_begin_list(f, "rows");
    for (size_t i = 0; i < set->rows.count; i++)
      put_row_object(&o, &set->rows.data[i]);
    etr_jw_end(f->json);
  }
  etr_field_texts(f, "notes", set->notes.data, set->notes.count);
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(answer, true, error);
}
