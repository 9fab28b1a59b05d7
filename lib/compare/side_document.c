/* SPDX-License-Identifier: BSD-3-Clause
 *
 * side_document.c - one side of a comparison, from the document that the dashboard shows.
 */
#include "base/method_parts.h"
#include "compare/document_parts.h"
#include "compare/noise.h"

#include <math.h>

static const char OLD[] =
    "written by an earlier version, which did not store what a comparison needs; write the record again";

/* NULL for -1 and what is not in the list. */
static const char *text_at(const etr_doc_strings *list, const etr_doc_numbers *indices, size_t at) {
  double index = indices->data[at];
  return index >= 0 && index < (double)list->count ? list->data[(size_t)index] : NULL;
}

static const char *or_empty(const char *text) { return text ? text : ""; }

static const char *body_of(const etr_doc_method *m, const char *subgraph) {
  uint32_t known = subgraph ? etr_map_get(&m->body_of, etr_slice_of(subgraph)) : ETR_NONE;
  return known == ETR_NONE ? "" : or_empty(m->bodies.data[known]);
}

static double step_of(const etr_doc_reader *r, const etr_doc_method *m, const char *backend) {
  for (size_t i = 0; i < m->clocks.count; i++)
    if (strcmp(m->clocks.data[i], or_empty(backend)) == 0) return etr_doc_ticks(r, m->steps.data[i]);
  return 1;
}

static double item_step(const etr_doc_reader *r, const etr_doc_method *m, const etr_side_item *item, size_t at) {
  if (!m->has_graph) return etr_doc_ticks(r, m->columns[ETR_DOC_STEP].data[at]);
  double calls = round(m->columns[ETR_DOC_CALLS].data[at] * (double)m->method.run_count);
  return step_of(r, m, item->backend) * calls / (double)item->time.runs;
}

/* ---- How times vary ---- */

/* Documents of older versions say how far half of the runs lie from the median. The middle 80 % of a normal
 * distribution lie within 1.2816 standard deviations, each of them 1.4826 such distances. */
static void estimate_middle(etr_side_time *time, double deviation) {
  double distance = 1.2816 * 1.4826 * deviation;
  time->low = ETR_MAX(time->p50 - distance, 0);
  time->high = time->p50 + distance;
  time->recordings = 1;
}

/* Columns of a method with several recordings; of one they are not written. */
static bool check_variation(etr_doc_reader *r, const etr_doc_method *m, const etr_doc_variation *v, size_t count) {
  bool several = m->recordings.count > 1;
  bool good = v->low.count == count && v->high.count == count;
  good = good && (!several || (v->recordings.count == count && v->offset.count == count && v->spread.count == count));
  if (!good) etr_doc_fail(r, "its columns differ in length");
  return good;
}

/* Of what was timed. Times are whole ticks below 2^64, so that logarithms of their ratios are below 50. */
static void check_time(etr_doc_reader *r, const etr_side_time *time, size_t most_recordings) {
  static const double most_logarithm = 50;
  bool good = time->low >= 0 && time->low <= time->p50 && time->p50 <= time->high && time->step > 0;
  good = good && time->recordings > 0 && time->recordings <= ETR_MIN(time->runs, most_recordings);
  good = good && !(fabs(time->offset) > most_logarithm) && !(time->spread < 0 || time->spread > most_logarithm);
  if (!good) etr_doc_fail(r, "its times contradict each other");
}

static void put_variation(etr_doc_reader *r, const etr_doc_method *m, etr_side_time *time, const etr_doc_variation *v,
                          size_t at) {
  time->low = etr_doc_ticks(r, v->low.data[at]);
  time->high = etr_doc_ticks(r, v->high.data[at]);
  time->recordings = 1;
  if (m->recordings.count > 1) {
    time->recordings = etr_doc_count(r, v->recordings.data[at]);
    time->offset = v->offset.data[at];
    time->spread = v->spread.data[at];
  }
  check_time(r, time, ETR_MAX(m->recordings.count, (size_t)1));
}

static bool is_older(const etr_doc_method *m) { return m->recordings.count == 0 && m->method.run_count > 0; }

/* ---- Items ---- */

static void put_time(etr_doc_reader *r, const etr_doc_method *m, etr_side_item *item, size_t at) {
  size_t runs = etr_doc_count(r, m->columns[ETR_DOC_RAN_IN].data[at]);
  if (runs > m->method.run_count) etr_doc_fail(r, "an operator ran in more runs than there are");
  if (runs == 0) return;
  item->time = (etr_side_time){.total = etr_doc_ticks(r, m->columns[ETR_DOC_TOTAL].data[at]),
                               .runs = runs,
                               .p50 = etr_doc_ticks(r, m->columns[ETR_DOC_P50].data[at])};
  item->time.step = item_step(r, m, item, at);
  if (is_older(m))
    estimate_middle(&item->time, etr_doc_ticks(r, m->columns[ETR_DOC_DEVIATION].data[at]));
  else
    put_variation(r, m, &item->time, &m->vary, at);
}

static const char *pattern_at(const etr_doc_reader *r, const etr_doc_method *m, double module) {
  bool is_told = module >= 0 && module < (double)m->patterns.count;
  return is_told ? or_empty(text_at(&r->texts, &m->patterns, (size_t)module)) : "";
}

static void put_source(const etr_doc_method *m, etr_side_item *item, size_t at) {
  double line = m->columns[ETR_DOC_SOURCE].data[at];
  if (!(line >= 0) || line >= (double)m->sources.count) return;
  const etr_doc_source *source = &m->sources.data[(size_t)line];
  if (!or_empty(source->code)[0]) return;
  item->function = or_empty(source->function);
  item->code = source->code;
}

static void put_item(etr_doc_reader *r, const etr_doc_method *m, etr_side_item *item, size_t at) {
  const etr_doc_numbers *of = m->columns;
  *item = (etr_side_item){
      .node = ETR_NONE,
      .name = or_empty(m->has_graph ? m->names.data[at] : text_at(&r->texts, &of[ETR_DOC_NAME], at)),
      .op = or_empty(text_at(&r->texts, &of[ETR_DOC_OP], at)),
      .module = "",
      .pattern = "",
      .body = "",
      .backend = text_at(&r->texts, &of[ETR_DOC_BACKEND], at)};
  if (m->has_graph) {
    item->node = (uint32_t)at;
    item->module = or_empty(text_at(&m->modules, &of[ETR_DOC_MODULE], at));
    item->pattern = pattern_at(r, m, of[ETR_DOC_MODULE].data[at]);
    item->body = body_of(m, text_at(&r->texts, &of[ETR_DOC_SUBGRAPH], at));
    item->shape = or_empty(text_at(&r->texts, &of[ETR_DOC_OUTPUTS], at));
    put_source(m, item, at);
  }
  put_time(r, m, item, at);
}

static const bool of_operators[ETR_DOC_COLUMNS] = {
    [ETR_DOC_OP] = true,      [ETR_DOC_MODULE] = true,  [ETR_DOC_SOURCE] = true, [ETR_DOC_SUBGRAPH] = true,
    [ETR_DOC_OUTPUTS] = true, [ETR_DOC_BACKEND] = true, [ETR_DOC_CALLS] = true,  [ETR_DOC_RAN_IN] = true,
    [ETR_DOC_TOTAL] = true,   [ETR_DOC_P50] = true};
static const bool of_events[ETR_DOC_COLUMNS] = {
    [ETR_DOC_NAME] = true,  [ETR_DOC_OP] = true,  [ETR_DOC_BACKEND] = true, [ETR_DOC_RAN_IN] = true,
    [ETR_DOC_TOTAL] = true, [ETR_DOC_P50] = true, [ETR_DOC_STEP] = true};

/* True if a method's columns are all there and as long as each other. */
static bool check_columns(etr_doc_reader *r, const etr_doc_method *m, size_t count) {
  if (is_older(m) && m->columns[ETR_DOC_DEVIATION].count != count) {
    etr_doc_fail(r, OLD);
    return false;
  }
  for (size_t i = 0; i < ETR_DOC_COLUMNS; i++)
    if ((m->has_graph ? of_operators[i] : of_events[i]) && m->columns[i].count != count) {
      bool is_missing = m->columns[i].count == 0;
      etr_doc_fail(r, is_missing ? OLD : "its columns differ in length");
      return false;
    }
  return is_older(m) || m->method.run_count == 0 || check_variation(r, m, &m->vary, count);
}

static void put_sum(etr_doc_reader *r, const etr_doc_method *m, etr_side_sum *sum, const etr_doc_sums *from,
                    size_t at) {
  if (sum->timed == 0) return;
  sum->time.runs = m->method.run_count;
  sum->time.p50 = etr_doc_ticks(r, from->p50.data[at]);
  if (is_older(m))
    estimate_middle(&sum->time, etr_doc_ticks(r, from->deviation.data[at]));
  else
    put_variation(r, m, &sum->time, &from->vary, at);
}

static bool make_sums(etr_doc_reader *r, const etr_doc_method *m, etr_side_method *out, etr_side_by by) {
  const etr_doc_sums *from = &m->sums[by];
  etr_side_groups groups;
  if (!m->has_graph && etr_side_by_is_of_modules(by)) return true;
  if (!etr_side_group(&groups, out->items, out->item_count, by, &r->box->arena, &r->scratch)) return false;
  if (from->p50.count != groups.count || (is_older(m) && from->deviation.count != groups.count))
    etr_doc_fail(r, "its sums do not match its operators");
  if (!r->problem && !is_older(m)) check_variation(r, m, &from->vary, groups.count);
  for (size_t i = 0; !r->problem && i < groups.count; i++) put_sum(r, m, &groups.rows[i], from, i);
  *etr_side_sums_of(out, by) = (etr_side_sums){groups.rows, groups.count};
  return true;
}

static void fail_producers(etr_doc_reader *r) { etr_doc_fail(r, "its producers do not match its operators"); }

/* Producers stand before their users; -1 is an input. */
static uint32_t producer_at(etr_doc_reader *r, const etr_doc_method *m, size_t at, size_t user) {
  double place = m->producers.data[at];
  if (place < 0) return ETR_NONE;
  if (place < (double)user) return (uint32_t)place;
  fail_producers(r);
  return ETR_NONE;
}

static bool put_producers(etr_doc_reader *r, const etr_doc_method *m, etr_side_item *items, size_t count) {
  uint32_t *all = etr_arena_alloc_array(&r->box->arena, m->producers.count, sizeof *all);
  size_t used = 0;
  if (!all) return false;
  if (m->producer_counts.count != count)
    etr_doc_fail(r, m->producer_counts.count ? "its columns differ in length" : OLD);
  for (size_t i = 0; !r->problem && i < count; i++) {
    size_t own = etr_doc_count(r, m->producer_counts.data[i]);
    if (own > m->producers.count - used) fail_producers(r);
    items[i].producers = all + used;
    for (size_t k = 0; !r->problem && k < own; k++, used++) all[used] = producer_at(r, m, used, i);
    items[i].producer_count = r->problem ? 0 : own;
  }
  if (!r->problem && used != m->producers.count) fail_producers(r);
  return true;
}

/* What is on no operator. */
static void put_parts(etr_doc_reader *r, const etr_doc_method *m, etr_side_method *out) {
  const etr_doc_sums *from = &m->parts;
  if (from->p50.count != ETR_SIDE_PARTS || from->total.count != ETR_SIDE_PARTS || from->runs.count != ETR_SIDE_PARTS)
    etr_doc_fail(r, "its parts are not those of a method");
  if (r->problem || !check_variation(r, m, &from->vary, ETR_SIDE_PARTS)) return;
  for (size_t i = 0; i < ETR_SIDE_PARTS; i++) {
    etr_side_time *time = &out->parts[i];
    if (etr_doc_count(r, from->runs.data[i]) == 0) continue;
    *time = (etr_side_time){.total = etr_doc_ticks(r, from->total.data[i]),
                            .runs = m->method.run_count,
                            .p50 = etr_doc_ticks(r, from->p50.data[i]),
                            .step = 1};
    put_variation(r, m, time, &from->vary, i);
  }
}

/* Documents of earlier versions do not have them: then they are unknown. */
static void put_operator_weights(etr_doc_reader *r, const etr_doc_method *m, etr_side_item *items, size_t count) {
  if (m->operator_weights.count == 0) return;
  if (m->operator_weights.count != count) etr_doc_fail(r, "its columns differ in length");
  for (size_t i = 0; !r->problem && i < count; i++) items[i].weight = text_at(&r->texts, &m->operator_weights, i);
}

/* What the graph as a whole is. */
static bool put_likeness(etr_doc_reader *r, const etr_doc_method *m, etr_side_method *out) {
  etr_side_input *inputs = etr_arena_alloc_array(&r->box->arena, m->input_names.count, sizeof *inputs);
  const char **weights = etr_arena_alloc_array(&r->box->arena, m->weights.count, sizeof *weights);
  if (!inputs || !weights) return false;
  if (!m->dtypes || m->patterns.count != m->modules.count) etr_doc_fail(r, OLD);
  if (m->input_names.count != m->input_types.count) etr_doc_fail(r, "its columns differ in length");
  for (size_t i = 0; !r->problem && i < m->input_names.count; i++)
    inputs[i] = (etr_side_input){or_empty(m->input_names.data[i]), or_empty(m->input_types.data[i])};
  for (size_t i = 0; i < m->weights.count; i++) weights[i] = or_empty(text_at(&r->texts, &m->weights, i));
  out->inputs = inputs;
  out->input_count = m->input_names.count;
  out->weights = weights;
  out->weight_count = m->weights.count;
  out->dtypes = or_empty(m->dtypes);
  return true;
}

static bool make_items(etr_doc_reader *r, const etr_doc_method *m, etr_side_method *out) {
  size_t count = m->has_graph ? m->names.count : m->columns[ETR_DOC_NAME].count;
  etr_side_item *items = etr_arena_alloc_array(&r->box->arena, count, sizeof *items);
  if (!items) return false;
  if (!check_columns(r, m, count)) return true;
  for (size_t i = 0; i < count; i++) put_item(r, m, &items[i], i);
  out->items = items;
  out->item_count = count;
  if (m->has_graph && !is_older(m) && m->method.run_count > 0) put_parts(r, m, out);
  bool good = !m->has_graph || (put_producers(r, m, items, count) && put_likeness(r, m, out));
  if (m->has_graph) put_operator_weights(r, m, items, count);
  for (int by = 0; good && !r->problem && by < ETR_SIDE_BY; by++) good = make_sums(r, m, out, by);
  return good;
}

/* Method::execute, from its runs and how many of them each recording has. */
static bool time_execute(etr_doc_reader *r, const etr_doc_method *m, const uint64_t *ticks, etr_side_time *out) {
  size_t count = m->method.run_count, run = 0;
  uint32_t *recording_of = etr_arena_alloc_array(&r->scratch, count, sizeof *recording_of);
  if (!recording_of) return false;
  for (uint32_t i = 0; !r->problem && i < m->recordings.count; i++) {
    size_t of_recording = etr_doc_count(r, m->recordings.data[i]);
    if (of_recording > count - run || of_recording == 0) etr_doc_fail(r, "its recordings do not match its runs");
    for (size_t k = 0; !r->problem && k < of_recording; k++) recording_of[run++] = i;
  }
  if (m->recordings.count > 0 && run != count) etr_doc_fail(r, "its recordings do not match its runs");
  const etr_side_runs runs = {recording_of, count, ETR_MAX(m->recordings.count, (size_t)1)};
  return r->problem || etr_side_time_of_ticks(out, ticks, &runs, etr_noise_step_of(ticks, count), &r->scratch);
}

static bool make_runs(etr_doc_reader *r, const etr_doc_method *m, etr_method *out, etr_side_time *execute) {
  uint64_t *runs = etr_arena_alloc_array(&r->box->arena, m->execute_per_run.count, sizeof *runs);
  if (m->execute_per_run.count != m->method.run_count) etr_doc_fail(r, "it lacks the times of the runs");
  for (size_t i = 0; runs && i < m->execute_per_run.count; i++) {
    runs[i] = etr_doc_whole_ticks(r, m->execute_per_run.data[i]);
    out->execute_ticks = etr_add_up_to_most(out->execute_ticks, runs[i]);
  }
  out->execute_per_run = runs;
  return runs != NULL && (r->problem || time_execute(r, m, runs, execute));
}

static bool make_method(etr_doc_reader *r, const etr_doc_method *m, etr_method *method, etr_side_method *out) {
  *method = m->method;
  *out = (etr_side_method){.has_graph = m->has_graph, .dtypes = ""};
  if (!m->has_sums || (!m->has_items && m->has_graph)) etr_doc_fail(r, OLD);
  if (r->problem) return true;
  r->box->side.is_of_older_version |= is_older(m);
  if (!make_runs(r, m, method, &out->execute)) return false;
  if (!etr_method_adds_up(method)) etr_doc_fail(r, "its balance does not add up");
  return make_items(r, m, out);
}

static bool make_methods(etr_doc_reader *r) {
  etr_method *methods = etr_arena_alloc_array(&r->box->arena, r->methods.count, sizeof *methods);
  etr_side_method *sides = etr_arena_alloc_array(&r->box->arena, r->methods.count, sizeof *sides);
  bool good = methods && sides;
  for (size_t i = 0; good && i < r->methods.count; i++)
    good = make_method(r, &r->methods.data[i], &methods[i], &sides[i]);
  r->profile->methods = methods;
  r->profile->method_count = r->methods.count;
  r->box->side.methods = sides;
  return good;
}

static bool make_loads(etr_doc_reader *r) {
  etr_side_load *loads = etr_arena_alloc_array(&r->box->arena, r->loads.count, sizeof *loads);
  for (size_t i = 0; loads && i < r->loads.count; i++) {
    const etr_doc_load *load = &r->loads.data[i];
    loads[i].name = or_empty(load->name);
    loads[i].time = (etr_side_time){.total = etr_doc_ticks(r, load->total),
                                    .runs = etr_doc_count(r, load->runs),
                                    .p50 = etr_doc_ticks(r, load->p50),
                                    .low = etr_doc_ticks(r, load->low),
                                    .high = etr_doc_ticks(r, load->high),
                                    .offset = load->offset,
                                    .spread = load->spread,
                                    .step = 1};
    if (isnan(load->low))
      estimate_middle(&loads[i].time, etr_doc_ticks(r, load->deviation));
    else
      loads[i].time.recordings = etr_doc_count(r, load->recordings);
    if (loads[i].time.runs > 0) check_time(r, &loads[i].time, loads[i].time.runs);
  }
  r->box->side.loads = loads;
  r->box->side.load_count = r->loads.count;
  return loads != NULL;
}

/* ---- Together ---- */

static etr_status fail(const etr_doc_reader *r, const char *name, etr_error *error) {
  bool out_of_memory = etr_json_out_of_memory(r->json) || etr_arena_failed(&r->scratch) ||
                       etr_arena_failed(&r->box->arena);
  const char *file = name ? name : "the document";
  if (out_of_memory) return etr_fail_memory(error);
  if (etr_json_failed(r->json))
    return etr_fail(error, ETR_ERROR_FORMAT, file, NULL, etr_json_offset(r->json), "%s", etr_json_message(r->json));
  return etr_fail(error, ETR_ERROR_FORMAT, file, NULL, ETR_NO_OFFSET, "%s", r->problem);
}

static bool make_side(etr_doc_reader *r) { return make_methods(r) && make_loads(r); }

etr_status etr_side_read(etr_side **out, const char *document, size_t size, const char *name, etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  etr_doc_reader r = {.json = etr_json_open_memory((etr_slice){document, size}, NULL), .box = etr_side_box_new(error)};
  etr_status status = ETR_ERROR_MEMORY;
  if (r.json && r.box) {
    r.profile = etr_arena_alloc(&r.box->arena, sizeof *r.profile);
    r.box->side.profile = r.profile;
    if (r.profile) etr_doc_read(&r);
    bool good = r.profile && !etr_json_failed(r.json) && !r.problem && !etr_arena_failed(&r.scratch) &&
                !etr_arena_failed(&r.box->arena) && make_side(&r);
    good = good && !r.problem;
    status = good ? ETR_OK : fail(&r, name, error);
  } else if (r.box)
    (void)etr_fail_memory(error);
  etr_json_close(r.json);
  etr_arena_clear(&r.scratch);
  if (status == ETR_OK)
    *out = &r.box->side;
  else if (r.box)
    etr_side_close(&r.box->side);
  return status;
}
