/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_side.c - what only a comparison needs, so that the library can compare documents as it compares profiles
 * (etr_compare_documents()).
 */
#include "report/profile_doc.h"

/* ---- How times vary ---- */

/* Of most records all runs are of one recording: then there is nothing to say of several. */
/* clang-format off */
#define RUNS_VARY(type)                                                                                                \
  {"low", NULL, ETR_CELL_TIME, ETR_IN_DOCUMENT, ETR_AT(type, time.low),                                                \
   .says = "the floor(runs / 10)-th shortest run, counted from 0: the middle 80 % start here"},                        \
  {"high", NULL, ETR_CELL_TIME, ETR_IN_DOCUMENT, ETR_AT(type, time.high),                                              \
   .says = "the floor(runs / 10)-th longest run"},                                                                     \
  {"recordings", NULL, ETR_CELL_COUNT, SEVERAL, ETR_AT(type, time.recordings),                                         \
   .says = "ETDumps that the runs are of; this and the two columns behind it only where there are several ETDumps"},   \
  {"offset", NULL, ETR_CELL_NUMBER, SEVERAL, ETR_AT(type, time.offset),                                                \
   .says = "mean over the recordings of ln(median of a recording / p50); null where a median is 0"},                   \
  {"spread", NULL, ETR_CELL_NUMBER, SEVERAL, ETR_AT(type, time.spread),                                                \
   .says = "standard deviation of these logarithms"}
/* clang-format on */

enum { SEVERAL = ETR_IN_OWN }; /* columns of profiles with several recordings */

static unsigned columns_of(const etr_profile_doc *e) {
  return e->fields.profile->etdump_count > 1 ? ETR_IN_DOCUMENT | SEVERAL : ETR_IN_DOCUMENT;
}

static const etr_field item_fields[] = {
    RUNS_VARY(etr_side_item),
};
ETR_ROW_TYPE(side_item, item_fields);

/* Of operators, and of events, in their order. */
static void put_items(etr_profile_doc *e, const etr_side_method *method) {
  etr_field_object(&e->fields, "runs_vary");
  etr_profile_put_columns(e, &etr_side_item_fields, columns_of(e), ETR_ROWS(method->items, method->item_count));
  etr_jw_end(e->fields.json);
}

/* How many of the runs are of each recording, in their order. */
static void put_recordings(etr_profile_doc *e, const etr_method *method) {
  const etr_run *runs = e->fields.profile->runs;
  etr_field_list(&e->fields, "recordings");
  for (size_t i = 0, end; i < method->run_count; i = end) {
    for (end = i; end < method->run_count && runs[method->runs[end]].dump == runs[method->runs[i]].dump;) end++;
    etr_jw_int(e->fields.json, (int64_t)(end - i));
  }
  etr_jw_end(e->fields.json);
}

/* ---- Events ---- */

#define ITEM(kind, member) NULL, kind, ETR_IN_DOCUMENT, ETR_AT(etr_side_item, member)

static const etr_field event_fields[] = {
    {"name", ITEM(ETR_CELL_WORD, name), .says = "event with its instruction"},
    {"op", ITEM(ETR_CELL_WORD, op), .says = "event"},
    {"backend", ITEM(ETR_CELL_WORD, backend), .says = "delegate's backend"},
    {"ran_in", ITEM(ETR_CELL_COUNT, time.runs), .says = "runs"},
    {"total", ITEM(ETR_CELL_TIME, time.total), .says = "over all runs"},
    {"p50", ITEM(ETR_CELL_TIME, time.p50), .says = "over the runs in which it occurred"},
    {"step", ITEM(ETR_CELL_TIME, time.step), .says = "resolution of its clock"},
};
ETR_ROW_TYPE(side_event, event_fields);

/* Of a method with a graph its operators tell the same. */
static void put_events(etr_profile_doc *e, const etr_side_method *method) {
  if (method->has_graph) {
    etr_field_text(&e->fields, "events", NULL);
    return;
  }
  etr_field_object(&e->fields, "events");
  etr_profile_put_columns(e, &etr_side_event_fields, ETR_IN_DOCUMENT, ETR_ROWS(method->items, method->item_count));
  etr_jw_end(e->fields.json);
}

/* ---- Sums ---- */

typedef struct part_row {
  etr_side_time time;
} part_row;

static const etr_field sum_fields[] = {
    {"p50", NULL, ETR_CELL_TIME, ETR_IN_DOCUMENT, ETR_AT(etr_side_sum, time.p50), .says = "null if none was timed"},
    RUNS_VARY(etr_side_sum),
};
ETR_ROW_TYPE(side_sum, sum_fields);

static void put_sums_of(etr_profile_doc *e, const char *key, const etr_side_sums *sums) {
  etr_field_object(&e->fields, key);
  etr_profile_put_columns(e, &etr_side_sum_fields, columns_of(e), ETR_ROWS(sums->rows, sums->count));
  etr_jw_end(e->fields.json);
}

static const etr_field part_fields[] = {
    {"runs", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(part_row, time.runs)},
    {"total", NULL, ETR_CELL_TIME, ETR_IN_DOCUMENT, ETR_AT(part_row, time.total)},
    {"p50", NULL, ETR_CELL_TIME, ETR_IN_DOCUMENT, ETR_AT(part_row, time.p50)},
    RUNS_VARY(part_row),
};
ETR_ROW_TYPE(side_part, part_fields);

/* The parts of Method::execute that are on no operator, in the order of etr_side_part. */
static void put_parts(etr_profile_doc *e, const etr_side_method *method) {
  part_row rows[ETR_SIDE_PARTS];
  for (int i = 0; i < ETR_SIDE_PARTS; i++) rows[i] = (part_row){method->parts[i]};
  etr_field_object(&e->fields, "parts");
  etr_profile_put_columns(e, &etr_side_part_fields, columns_of(e), ETR_ROWS(rows, ETR_SIDE_PARTS));
  etr_jw_end(e->fields.json);
}

/* In the order in which their first items stand: what they are sums of, and their totals, those tell. */
static void put_sums(etr_profile_doc *e, const etr_side_method *method) {
  etr_field_object(&e->fields, "sums");
  put_sums_of(e, "op", &method->ops);
  put_sums_of(e, "module", &method->modules);
  put_sums_of(e, "pattern", &method->patterns);
  put_sums_of(e, "backend", &method->backends);
  etr_jw_end(e->fields.json);
}

/* ---- Together ---- */

static void put_clocks(etr_profile_doc *e, const etr_side_method *method) {
  etr_field_object(&e->fields, "clocks");
  for (size_t i = 0; i < method->clock_count; i++) {
    etr_jw_key(e->fields.json, method->clocks[i].backend);
    etr_profile_put_ns(e, method->clocks[i].step);
  }
  etr_jw_end(e->fields.json);
}

/* Producers of all operators, one behind the other; -1: an input of the method. */
static void put_producers(etr_profile_doc *e, const etr_side_method *method) {
  etr_field_object(&e->fields, "producers");
  etr_field_list(&e->fields, "count");
  for (size_t i = 0; i < method->item_count; i++) etr_jw_int(e->fields.json, (int64_t)method->items[i].producer_count);
  etr_jw_end(e->fields.json);
  etr_field_list(&e->fields, "operator");
  for (size_t i = 0; i < method->item_count; i++)
    for (size_t k = 0; k < method->items[i].producer_count; k++)
      etr_profile_put_index(e, method->items[i].producers[k]);
  etr_jw_end(e->fields.json);
  etr_jw_end(e->fields.json);
}

/* Of a method without a graph there is nothing to tell. */
static void put_likeness(etr_profile_doc *e, const etr_side_method *method) {
  const etr_fields *f = &e->fields;
  if (!method->has_graph) return;
  put_producers(e, method);
  etr_field_object(f, "called_with");
  etr_field_list(f, "name");
  for (size_t i = 0; i < method->input_count; i++) etr_jw_string(f->json, method->inputs[i].name);
  etr_jw_end(f->json);
  etr_field_list(f, "type");
  for (size_t i = 0; i < method->input_count; i++) etr_jw_string(f->json, method->inputs[i].type);
  etr_jw_end(f->json);
  etr_jw_end(f->json);
  etr_field_text(f, "dtypes", method->dtypes);
  etr_field_list(f, "weights");
  for (size_t i = 0; i < method->weight_count; i++) etr_profile_put_text(e, method->weights[i]);
  etr_jw_end(f->json);
  etr_field_list(f, "operator_weights");
  for (size_t i = 0; i < method->item_count; i++) etr_profile_put_text(e, method->items[i].weight);
  etr_jw_end(f->json);
}

void etr_profile_put_side(etr_profile_doc *e, const etr_method *timed, const etr_side_method *method) {
  put_recordings(e, timed);
  put_clocks(e, method);
  put_items(e, method);
  if (method->has_graph) put_parts(e, method);
  put_sums(e, method);
  put_events(e, method);
  put_likeness(e, method);
}

void etr_profile_put_loads(etr_profile_doc *e) {
  const etr_fields *f = &e->fields;
  etr_field_list(f, "load_times");
  for (size_t i = 0; i < e->side->load_count; i++) {
    const etr_side_load *load = &e->side->loads[i];
    etr_jw_object(f->json);
    etr_field_text(f, "event_name", load->name);
    etr_field_count(f, "runs", load->time.runs);
    etr_jw_key(f->json, "total"), etr_profile_put_ns(e, load->time.total);
    etr_jw_key(f->json, "p50"), etr_profile_put_ns(e, load->time.p50);
    etr_jw_key(f->json, "low"), etr_profile_put_ns(e, load->time.low);
    etr_jw_key(f->json, "high"), etr_profile_put_ns(e, load->time.high);
    etr_field_count(f, "recordings", load->time.recordings);
    etr_field_number(f, "offset", load->time.offset);
    etr_field_number(f, "spread", load->time.spread);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}
