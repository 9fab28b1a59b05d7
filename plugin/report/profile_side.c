/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_side.c - writes the data that only a comparison needs, so that the library can compare
 * documents like profiles (etr_compare_documents()).
 */
#include "base/system.h"
#include "report/profile_doc.h"
#include "views/memory_findings.h"
#include "views/record_set.h"

/* ---- How times vary ---- */

enum { SEVERAL = ETR_IN_OWN }; /* columns of profiles with several recordings */

#define TIME(kind, in, name) NULL, kind, in, ETR_AT(etr_side_time, name)

/* Columns about several recordings are only written if there are several; most records have one. */
/* clang-format off */
#define RUNS_VARY                                                                                  \
  {"low", TIME(ETR_CELL_TIME, ETR_IN_DOCUMENT, low),                                               \
   .says = ETR_SAYS("the floor(n / 10)-th shortest of all n runs, counted from 0: the middle "     \
                    "80 % start here")},                                                           \
  {"high", TIME(ETR_CELL_TIME, ETR_IN_DOCUMENT, high),                                             \
   .says = ETR_SAYS("the floor(n / 10)-th longest run")},                                          \
  {"recordings", TIME(ETR_CELL_COUNT, SEVERAL, recordings),                                        \
   .says = ETR_SAYS("number of ETDumps that the runs are of; this and the next two columns exist " \
                    "only with several ETDumps")},                                                 \
  {"offset", TIME(ETR_CELL_NUMBER, SEVERAL, offset),                                               \
   .says = ETR_SAYS("mean over the recordings of ln(typical time of a recording / typical); null " \
                    "where one is 0")},                                                            \
  {"spread", TIME(ETR_CELL_NUMBER, SEVERAL, spread),                                               \
   .says = ETR_SAYS("standard deviation of these logarithms")}
/* clang-format on */

/* Columns of operators and of events, in their order. */
static const etr_field item_fields[] = {RUNS_VARY};
ETR_ROW_TYPE(side_item, item_fields);

static const etr_field sum_fields[] = {
    {"typical", TIME(ETR_CELL_TIME, ETR_IN_DOCUMENT, typical),
     .says = ETR_SAYS("null if none was timed")},
    {"p50", TIME(ETR_CELL_TIME, ETR_IN_DOCUMENT, p50)},
    RUNS_VARY,
};
ETR_ROW_TYPE(side_sum, sum_fields);

/* Writes the columns of how much times vary between runs. What they vary between recordings follows
 * only if there are several ETDumps. The fields are those of the member `time` of an element, so
 * the rows begin at that member of the first element. */
static void put_time_columns(etr_profile_doc *doc, const char *key, const etr_row_type *list,
                             etr_rows rows) {
  unsigned several = doc->fields.profile->etdump_count > 1 ? SEVERAL : 0;
  etr_profile_put_columns(doc, key, list, ETR_IN_DOCUMENT | several, rows);
}

/* Writes the sums of one kind, such as of the operators of one name, as columns of the member
 * `time` of each. */
static void put_sums(etr_profile_doc *doc, const char *key, const etr_side_sums *sums) {
  put_time_columns(
      doc, key, &etr_side_sum_fields,
      (etr_rows){sums->rows ? &sums->rows->time : NULL, sums->count, sizeof *sums->rows});
}

/* Writes "recordings": for each stretch of consecutive runs that come from the same ETDump, the
 * number of its runs. */
static void put_runs_per_recording(etr_profile_doc *doc, const etr_method *method) {
  const etr_run *runs = doc->fields.profile->runs;
  etr_field_begin_list(&doc->fields, "recordings");
  for (size_t first = 0, end; first < method->run_count; first = end) {
    for (end = first;
         end < method->run_count && runs[method->runs[end]].dump == runs[method->runs[first]].dump;)
      end++;
    etr_jw_int(doc->fields.json, (int64_t)(end - first));
  }
  etr_jw_end(doc->fields.json);
}

/* ---- Events ---- */

#define ITEM(kind, member) NULL, kind, ETR_IN_DOCUMENT, ETR_AT(etr_side_item, member)

static const etr_field event_fields[] = {
    {"name", ITEM(ETR_CELL_WORD, name), .says = ETR_SAYS("event with its instruction")},
    {"op", ITEM(ETR_CELL_WORD, op), .says = ETR_SAYS("event")},
    {"backend", ITEM(ETR_CELL_WORD, backend), .says = ETR_SAYS("delegate's backend")},
    {"ran_in", ITEM(ETR_CELL_COUNT, time.runs), .says = ETR_SAYS("runs")},
    {"total", ITEM(ETR_CELL_TIME, time.total), .says = ETR_SAYS("over all runs")},
    {"typical", ITEM(ETR_CELL_TIME, time.typical), .says = ETR_SAYS("in the typical run")},
    {"p50", ITEM(ETR_CELL_TIME, time.p50), .says = ETR_SAYS("over the runs in which it occurred")},
    {"step", ITEM(ETR_CELL_TIME, time.step), .says = ETR_SAYS("resolution of its clock")},
};
ETR_ROW_TYPE(side_event, event_fields);

/* ---- Figures beside the times ---- */

#define FIGURE(kind, name) NULL, kind, ETR_IN_JSON, ETR_AT(etr_side_figures, name), .nullable = true

static const etr_field figure_fields[] = {
    {"low", FIGURE(ETR_CELL_TIME, low)},
    {"high", FIGURE(ETR_CELL_TIME, high)},
    {"load", FIGURE(ETR_CELL_TIME, load)},
    {"first_run", FIGURE(ETR_CELL_TIME, first_run),
     .says = ETR_SAYS("warm-up included; of several ETDumps the median")},
    {"ms_per_token", FIGURE(ETR_CELL_RATE, ms_per_token)},
    {"delegated_nodes", FIGURE(ETR_CELL_RATE, delegated_nodes)},
    {"delegated_time", FIGURE(ETR_CELL_RATE, delegated_time)},
    {"macs", FIGURE(ETR_CELL_AMOUNT, macs)},
};
ETR_ROW_TYPE(side_figures, figure_fields);

/* Writes "figures": what a table of several records shows of a method. Returns false when out of
 * memory. */
static bool put_figures(etr_profile_doc *doc, const etr_method *method) {
  const etr_fields *f = &doc->fields;
  etr_side_figures figures;
  etr_loads loads;
  if (!etr_loads_make(&loads, &doc->arena, f->profile) ||
      !etr_side_figures_of(&figures, &doc->arena, f->profile, &loads, doc->side,
                           (uint32_t)(method - f->profile->methods)))
    return false;
  etr_field_begin_object(f, "figures");
  etr_field_put_members(f, &etr_side_figures_fields, &figures);
  etr_jw_end(f->json);
  return true;
}

/* ---- The whole ---- */

/* Writes "clocks": for each backend the step in which its clock counts, in nanoseconds. */
static void put_clocks(etr_profile_doc *doc, const etr_side_method *method) {
  etr_field_begin_object(&doc->fields, "clocks");
  for (size_t i = 0; i < method->clock_count; i++) {
    etr_jw_key(doc->fields.json, method->clocks[i].backend);
    etr_profile_put_ns(doc, method->clocks[i].step);
  }
  etr_jw_end(doc->fields.json);
}

/* Writes the producers of all operators: how many each has, then all of them in one list, where -1
 * is an input of the method. */
static void put_producers(etr_profile_doc *doc, const etr_side_method *method) {
  etr_field_begin_object(&doc->fields, "producers");
  etr_field_begin_list(&doc->fields, "count");
  for (size_t i = 0; i < method->item_count; i++)
    etr_jw_int(doc->fields.json, (int64_t)method->items[i].producer_count);
  etr_jw_end(doc->fields.json);
  etr_field_begin_list(&doc->fields, "operator");
  for (size_t i = 0; i < method->item_count; i++)
    for (size_t k = 0; k < method->items[i].producer_count; k++)
      etr_profile_put_index(doc, method->items[i].producers[k]);
  etr_jw_end(doc->fields.json);
  etr_jw_end(doc->fields.json);
}

static const etr_field input_fields[] = {
    {"name", NULL, ETR_CELL_ITEM, ETR_IN_DOCUMENT, ETR_AT(etr_side_input, name)},
    {"type", NULL, ETR_CELL_ITEM, ETR_IN_DOCUMENT, ETR_AT(etr_side_input, type)},
};

/* Writes the data by which a comparison recognizes a method and its operators: producers, inputs,
 * dtypes and weights. */
static void put_identity(etr_profile_doc *doc, const etr_side_method *method) {
  put_producers(doc, method);
  etr_profile_put_columns(doc, "called_with", ETR_FIELDS(input_fields), ETR_IN_DOCUMENT,
                          ETR_ROWS(method->inputs, method->input_count));
  etr_field_text(&doc->fields, "dtypes", method->dtypes);
  etr_field_begin_list(&doc->fields, "weights");
  for (size_t i = 0; i < method->weight_count; i++)
    etr_profile_put_text(doc, method->weights[i]);
  etr_jw_end(doc->fields.json);
  etr_field_begin_list(&doc->fields, "operator_weights");
  for (size_t i = 0; i < method->item_count; i++)
    etr_profile_put_text(doc, method->items[i].weight);
  etr_jw_end(doc->fields.json);
}

void etr_profile_put_clocks(etr_profile_doc *doc, const etr_method *timed,
                            const etr_side_method *method) {
  put_runs_per_recording(doc, timed);
  put_clocks(doc, method);
}

/* Writes "recording_files", the names of the ETDumps that the method's runs come from, and
 * "first_runs", the times of its first three runs, warm-up included, in nanoseconds. */
static void put_recordings(etr_profile_doc *doc, const etr_method *timed,
                           const etr_side_method *method) {
  const etr_side_recordings *recordings = &method->recordings;
  const etr_profile *profile = doc->fields.profile;
  etr_field_begin_list(&doc->fields, "recording_files");
  for (size_t i = 0; i < timed->run_count; i++) {
    uint32_t dump = profile->runs[timed->runs[i]].dump;
    if (i == 0 || dump != profile->runs[timed->runs[i - 1]].dump)
      etr_jw_string(doc->fields.json,
                    dump < profile->etdump_count ? etr_last_part(profile->etdumps[dump]) : "");
  }
  etr_jw_end(doc->fields.json);
  etr_field_begin_list(&doc->fields, "first_runs"); /* a fourth only says that there are more */
  for (size_t i = 0; i < recordings->first_count; i++)
    etr_profile_put_ns(doc, i < ETR_COUNT(recordings->first) ? recordings->first[i] : 0);
  etr_jw_end(doc->fields.json);
}

bool etr_profile_put_side(etr_profile_doc *doc, const etr_method *timed,
                          const etr_side_method *method) {
  const etr_rows items = ETR_ROWS(method->items, method->item_count);
  put_recordings(doc, timed, method);
  put_time_columns(
      doc, "runs_vary", &etr_side_item_fields,
      (etr_rows){method->items ? &method->items->time : NULL, items.count, items.size});
  /* In the order of "balance", whose parts are of another method if this one shares its times. */
  if (!timed->shared)
    put_sums(doc, "part_sums", &method->parts);
  /* In the order of their first items, which identify them. */
  etr_field_begin_object(&doc->fields, "sums");
  put_sums(doc, "op", &method->ops);
  put_sums(doc, "module", &method->modules);
  put_sums(doc, "pattern", &method->patterns);
  put_sums(doc, "backend", &method->backends);
  put_sums(doc, "pattern_op", &method->pattern_ops);
  put_sums(doc, "module_tree", &method->module_trees);
  put_sums(doc, "pattern_tree", &method->pattern_trees);
  etr_jw_end(doc->fields.json);
  if (method->has_graph) {
    etr_field_text(&doc->fields, "events", NULL); /* the operators have the same data */
    put_identity(doc, method);
  } else {
    etr_profile_put_columns(doc, "events", &etr_side_event_fields, ETR_IN_DOCUMENT, items);
  }
  return put_figures(doc, timed);
}

void etr_profile_put_record(etr_profile_doc *doc) {
  const etr_fields *f = &doc->fields;
  etr_field_number(f, "pte_bytes", etr_pte_bytes(f->profile));
  etr_field_number(f, "planned_bytes", etr_planned_bytes(f->profile));
  etr_field_number(f, "recorded_at", f->profile->recorded_at);
  etr_field_number(f, "threads", f->profile->threads ? f->profile->threads : (double)NAN);
  etr_field_flag(f, "in_turns", f->profile->is_in_turns);
  etr_field_begin_list(f, "load_times");
  for (size_t i = 0; i < doc->side->load_count; i++) {
    const etr_side_load *load = &doc->side->loads[i];
    etr_jw_object(f->json);
    etr_field_text(f, "event_name", load->name);
    etr_field_count(f, "runs", load->time.runs);
    etr_jw_key(f->json, "total");
    etr_profile_put_ns(doc, load->time.total);
    etr_jw_key(f->json, "typical");
    etr_profile_put_ns(doc, load->time.typical);
    etr_jw_key(f->json, "p50");
    etr_profile_put_ns(doc, load->time.p50);
    etr_jw_key(f->json, "low");
    etr_profile_put_ns(doc, load->time.low);
    etr_jw_key(f->json, "high");
    etr_profile_put_ns(doc, load->time.high);
    etr_field_count(f, "recordings", load->time.recordings);
    etr_field_number(f, "offset", load->time.offset);
    etr_field_number(f, "spread", load->time.spread);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}
