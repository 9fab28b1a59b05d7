/* SPDX-License-Identifier: BSD-3-Clause
 *
 * accuracy_variants.c - the accuracy of several records side by side: a row per node of the
 * reference's program, a column per record.
 */
#include "output/label.h"
#include "output/section.h"
#include "views/accuracy_view.h"

#include <math.h>

typedef struct variants_output {
  etr_answer answer;
  const etr_accuracy_variants *variants;
  const etr_graph *aten; /* of the reference */
  struct variant_row *rows;
  size_t count,
      hidden_count; /* hidden_count: rows that people do not see because only one record has them */
} variants_output;

typedef struct variant_row {
  etr_arena *arena;
  const etr_graph *aten;
  const etr_node *node;
  const etr_numeric_gap
      *gaps[ETR_MOST_VARIANTS]; /* of the worst input; NULL: the record has no such value */
  double lowest_snr_db;
} variant_row;

static const variant_row *as_row(const void *row) {
  return row;
}

/* ---- Rows ---- */

/* Returns the exported (ATen) graph, in the reference's record, of the method that was compared,
 * which is found by its name in the first comparison that leads to one. Returns NULL if there is
 * none. */
static const etr_graph *find_aten(const etr_accuracy_variants *variants) {
  const etr_profile *profile = variants->reference_record;
  for (size_t i = 0; i < variants->count; i++) {
    uint32_t method = variants->accuracies[i]->method;
    for (size_t k = 0; method != ETR_NONE && k < profile->graph_count; k++)
      if (strcmp(profile->graphs[k].module, "aten") == 0 &&
          strcmp(profile->graphs[k].method,
                 variants->accuracies[i]->profile->methods[method].name) == 0)
        return &profile->graphs[k];
  }
  return NULL;
}

/* Takes a value of a record (variant: its index) into the row of its node: keeps the worst gap of
 * the record's inputs, and lowers the row's lowest SNR, for which wrong NaNs count as -infinity. */
static void add_worst_gap(variant_row *row, size_t variant, const etr_value_accuracy *value) {
  if (!row->gaps[variant] || etr_gap_worse(&value->gap, row->gaps[variant]) > 0)
    row->gaps[variant] = &value->gap;
  row->lowest_snr_db = fmin(row->lowest_snr_db, value->gap.unlike ? -INFINITY : value->gap.snr_db);
}

/* Orders rows by their lowest SNR, the worst first; equal ones in the order of the graph. */
static int by_lowest_snr(const void *a, const void *b) {
  const variant_row *x = a, *y = b;
  if (x->lowest_snr_db != y->lowest_snr_db)
    return x->lowest_snr_db < y->lowest_snr_db ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

/* Makes a row for each node of the exported graph whose first output some record logged, in the
 * order of execution or, if that is chosen, by the lowest SNR. With shared_only, nodes that only
 * one of several records logged are counted in hidden_count instead. Returns false when out of
 * memory; true without rows if there is no exported graph. */
static bool fill_rows(variants_output *o, const etr_accuracy_choice *choice, bool shared_only) {
  etr_arena *arena = &o->answer.arena;
  etr_map by_name;
  etr_map_init(&by_name, arena);
  o->aten = find_aten(o->variants);
  if (!o->aten)
    return true;
  variant_row *rows = o->rows = etr_arena_alloc_array(arena, o->aten->node_count, sizeof *rows);
  for (uint32_t i = 0; rows && i < o->aten->node_count; i++) {
    rows[i] = (variant_row){
        .arena = arena, .aten = o->aten, .node = &o->aten->nodes[i], .lowest_snr_db = INFINITY};
    if (o->aten->nodes[i].subgraph == ETR_NONE)
      etr_map_set(&by_name, etr_slice_of(o->aten->nodes[i].name), i);
  }
  for (size_t variant = 0; rows && variant < o->variants->count; variant++)
    for (size_t i = 0; i < o->variants->accuracies[variant]->value_count; i++) {
      const etr_value_accuracy *value = &o->variants->accuracies[variant]->values[i];
      if (value->problem || !value->aten_node || value->output > 0)
        continue;
      if (choice && choice->has_input && value->input != choice->input)
        continue;
      uint32_t node_index = etr_map_get(&by_name, etr_slice_of(value->aten_node));
      if (node_index != ETR_NONE)
        add_worst_gap(&rows[node_index], variant, value);
    }
  for (uint32_t i = 0; rows && i < o->aten->node_count; i++) {
    size_t record_count = 0;
    for (size_t variant = 0; variant < o->variants->count; variant++)
      record_count += rows[i].gaps[variant] != NULL;
    bool is_left_out = shared_only && record_count == 1 && o->variants->count > 1;
    o->hidden_count += is_left_out;
    if (record_count > 0 && !is_left_out)
      rows[o->count++] = rows[i];
  }
  if (choice && choice->order != ETR_ACCURACY_BY_EXECUTION &&
      choice->order != ETR_ACCURACY_BY_SUSPICION)
    etr_sort(rows, o->count, sizeof *rows, by_lowest_snr);
  return rows != NULL;
}

/* ---- Fields ---- */

static etr_cell name(const void *row) {
  return etr_cell_text(as_row(row)->node->name);
}
static etr_cell module(const void *row) {
  return etr_cell_text(as_row(row)->aten->modules[as_row(row)->node->module].path);
}
static etr_cell source(const void *row) {
  return etr_accuracy_source(as_row(row)->arena, as_row(row)->node->source);
}

/* A column of a record: as people read it, and exactly. */
#define VARIANT(i)                                                                                 \
  static etr_cell snr_##i(const void *row) {                                                       \
    return as_row(row)->gaps[i] ? etr_accuracy_snr(as_row(row)->arena, as_row(row)->gaps[i])       \
                                : etr_cell_none();                                                 \
  }                                                                                                \
  static etr_cell exact_##i(const void *row) {                                                     \
    double snr = as_row(row)->gaps[i] ? as_row(row)->gaps[i]->snr_db : NAN;                        \
    return (etr_cell){.number = isfinite(snr) ? snr : NAN, .digits = ETR_ALL_DIGITS};              \
  }
VARIANT(0)
VARIANT(1)
VARIANT(2)
VARIANT(3)
VARIANT(4)
VARIANT(5)
VARIANT(6)
VARIANT(7)

static etr_cell (*const snrs[][2])(const void *) = {
    {snr_0, exact_0}, {snr_1, exact_1}, {snr_2, exact_2}, {snr_3, exact_3},
    {snr_4, exact_4}, {snr_5, exact_5}, {snr_6, exact_6}, {snr_7, exact_7}};

enum { PEOPLE = ETR_IN_TEXT | ETR_IN_MARKDOWN, FIRST_FIELDS = 3 };

static const etr_field first_fields[FIRST_FIELDS] = {
    {NULL, "node", ETR_CELL_NAME, ETR_IN_TABLES, .get = name},
    {NULL, "module", ETR_CELL_NAME, ETR_IN_TABLES, .get = module, .spare = 2},
    {NULL, "source", ETR_CELL_WORD, ETR_IN_TABLES, .get = source, .spare = 1},
};

/* ---- Answers ---- */

/* Writes what the records were compared with, a line about each, and how many nodes were hidden. */
static void put_records_head(variants_output *o) {
  const etr_accuracy_variants *variants = o->variants;
  etr_arena *arena = &o->answer.arena;
  etr_section_line(&o->answer, ETR_STYLE_BOLD, 0,
                   etr_arena_format(arena,
                                    "SNR in dB, of the worst input, against the program of %s",
                                    etr_label_record(arena, variants->reference_record)));
  for (size_t i = 0; i < variants->count; i++) {
    const char *line = etr_accuracy_line(arena, variants->accuracies[i]);
    etr_section_line(&o->answer, ETR_STYLE_PLAIN, 2,
                     etr_arena_format(arena, "%s: %s", variants->names[i],
                                      line ? line : "no value was compared"));
  }
  if (o->hidden_count)
    etr_section_line(
        &o->answer, ETR_STYLE_PLAIN, 0,
        etr_arena_format(arena, "%zu nodes that only one record logged are left out; CSV has them.",
                         o->hidden_count));
}

etr_status etr_emit_accuracy_variants(const etr_accuracy_variants *variants,
                                      const etr_accuracy_choice *choice,
                                      const etr_table_options *options, const etr_sink *sink,
                                      etr_error *error) {
  variants_output o = {.variants = variants};
  etr_field fields[FIRST_FIELDS + 2 * ETR_MOST_VARIANTS];
  etr_table table;
  etr_answer_begin(&o.answer, variants->reference_record, NULL, options, sink);
  memcpy(fields, first_fields, sizeof first_fields);
  size_t count = FIRST_FIELDS;
  for (size_t i = 0; i < variants->count && i < ETR_MOST_VARIANTS; i++) {
    fields[count++] = (etr_field){NULL, variants->names[i], ETR_CELL_NUMBER, PEOPLE,
                                  .get = snrs[i][0]};
    fields[count++] = (etr_field){NULL, variants->names[i], ETR_CELL_NUMBER, ETR_IN_DATA,
                                  .get = snrs[i][1]};
  }
  const etr_row_type type = {NULL, fields, count};
  bool is_for_people = o.answer.options->format == ETR_TABLE_TEXT ||
                       o.answer.options->format == ETR_TABLE_MARKDOWN;
  bool good = fill_rows(&o, choice, is_for_people);
  etr_table_init(&table, &o.answer, &type);
  if (is_for_people) {
    put_records_head(&o);
    etr_puts(&o.answer.writer, "\n");
  }
  etr_table_choose_columns(&table);
  etr_table_add_rows(&table, ETR_ROWS(o.rows, o.count));
  etr_table_finish(&table);
  return etr_answer_end(&o.answer, good, error);
}

etr_status etr_emit_accuracy_variants_json(const etr_accuracy_variants *variants,
                                           const etr_accuracy_choice *choice, const etr_sink *sink,
                                           etr_error *error) {
  variants_output o = {.variants = variants};
  /* NULL: the document has no times, and takes no filter. */
  etr_answer_begin_document(&o.answer, NULL, NULL, ETR_UNIT_MS, sink, "accuracy_variants/1");
  const etr_fields *f = &o.answer.fields;
  /* false: also nodes that a single record logged. */
  bool good = fill_rows(&o, choice, false);
  etr_field_text(f, "reference_record", variants->reference_record->etrecord);
  etr_field_texts(f, "records", variants->names, variants->count);
  etr_field_begin_list(f, "nodes");
  for (size_t i = 0; i < o.count; i++) {
    etr_jw_object(f->json);
    etr_field_text(f, "node", o.rows[i].node->name);
    etr_field_text(f, "module", module(&o.rows[i]).text);
    etr_field_text(f, "source", source(&o.rows[i]).text);
    etr_field_begin_list(f, "snr_db");
    for (size_t variant = 0; variant < variants->count; variant++) {
      double snr = snrs[variant][1](&o.rows[i]).number;
      if (isnan(snr))
        etr_jw_null(f->json);
      else
        etr_jw_double(f->json, snr);
    }
    etr_jw_end(f->json);
    etr_field_begin_list(f, "equal");
    for (size_t variant = 0; variant < variants->count; variant++)
      etr_jw_bool(f->json, o.rows[i].gaps[variant] && etr_gap_is_equal(o.rows[i].gaps[variant]));
    etr_jw_end(f->json);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  return etr_answer_end(&o.answer, good, error);
}
