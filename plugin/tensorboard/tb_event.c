/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_event.c - writes the event file of one entry point.
 */
#include "output/writer.h"
#include "report/profile_doc.h"
#include "tensorboard/logdir.h"
#include "tensorboard/tb_curves.h"
#include "tensorboard/tb_stats.h"
#include "tensorboard/tb_view.h"
#include "tensorboard/tfrecord.h"

#include <math.h>

/* With fewer inferences a distribution is not written. */
enum { LEAST_FOR_HISTOGRAM = 5 };

typedef struct emitter {
  etr_arena arena;
  etr_arena part; /* memory of the events that are being written; end_part() frees it */
  etr_tb_view view;
  etr_tfrecord records;
  const etr_events_options *options;
  const etr_method *method; /* the method that is being written */
  double wall_time;
  etr_packer packer; /* packs one event after the other, in `part` */
} emitter;

/* Frees the memory of the events that were written. */
static void end_part(emitter *e) {
  if (etr_arena_failed(&e->part)) etr_arena_fail(&e->arena);
  etr_arena_clear(&e->part);
  e->packer = (etr_packer){.arena = &e->part};
}

/* Packs an event in front of the data that are packed for it, and writes it. */
static void write_event(emitter *e, const Tensorboard__Event *event) {
  etr_pack(&e->packer, &event->base);
  if (!etr_arena_failed(&e->arena) && !etr_arena_failed(&e->part))
    etr_tfrecord_write(&e->records, etr_packed(&e->packer));
  etr_packer_reset(&e->packer);
}

/* Writes the version, and marks a new start of the run, because TensorBoard's slower loader would otherwise also show
 * the points of an earlier file. The first start that it sees in a run has no effect, so two are written. */
static void write_start(emitter *e) {
  Tensorboard__SessionLog log = TENSORBOARD__SESSION_LOG__INIT;
  log.status = TENSORBOARD__SESSION_LOG__SESSION_STATUS__START;
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  event.wall_time = e->wall_time;
  event.what_case = TENSORBOARD__EVENT__WHAT_FILE_VERSION;
  event.file_version = etr_for_foreign("brain.Event:2");
  write_event(e, &event);
  event.what_case = TENSORBOARD__EVENT__WHAT_SESSION_LOG;
  event.session_log = &log;
  for (int i = 0; i < 2; i++) write_event(e, &event);
}

/* Writes the graph and its times. The large messages are packed in place, because they come last in their events. */
static void write_graph(emitter *e) {
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  event.wall_time = e->wall_time;
  etr_tb_graph_pack(&e->packer, &e->view);
  etr_pack_nested(&e->packer, etr_pack_field(tensorboard__event, "graph_def"), 0);
  write_event(e, &event);
  end_part(e);
}

static void write_statistics(emitter *e) {
  etr_tb_stats stats;
  etr_tb_stats_build(&stats, &e->view);
  for (int i = 0; i < ETR_TB_STATISTIC_COUNT && stats.count > 0; i++) {
    Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
    Tensorboard__TaggedRunMetadata tagged;
    tensorboard__tagged_run_metadata__init(&tagged);
    event.wall_time = e->wall_time;
    tagged.tag = etr_for_foreign(etr_tb_statistic_tag((etr_tb_statistic)i));
    etr_tb_stats_pack(&e->packer, &stats, (etr_tb_statistic)i);
    etr_pack_nested(&e->packer, etr_pack_field(tensorboard__tagged_run_metadata, "run_metadata"), 0);
    etr_pack(&e->packer, &tagged.base);
    etr_pack_nested(&e->packer, etr_pack_field(tensorboard__event, "tagged_run_metadata"), 0);
    write_event(e, &event);
  }
  end_part(e);
}

/* ---- Data about a method ---- */

static void write_point(emitter *e, etr_tb_point *point, int64_t step, double value) {
  point->summary.event.step = step;
  point->point = (float)value;
  write_event(e, &point->summary.event);
}

static void write_histogram(emitter *e, const char *tag, const double *values, size_t count) {
  etr_tb_histogram histogram;
  if (!tag || count < LEAST_FOR_HISTOGRAM) return;
  etr_tb_histogram_init(&histogram, e->wall_time, tag, values, count);
  write_event(e, &histogram.summary.event);
}

static void write_latencies(emitter *e) {
  const char *tag = etr_arena_format(&e->part, "latency_ms/%s", e->method->name);
  etr_tb_point point;
  if (!tag) return;
  etr_tb_point_init(&point, e->wall_time, tag);
  for (size_t i = 0; i < e->method->run_count && !e->records.failed; i++)
    write_point(e, &point, (int64_t)i, etr_ticks_to_ns(e->view.profile, (double)e->method->execute_per_run[i]) / 1e6);
}

static void write_curves(emitter *e, const etr_tb_curves *curves) {
  for (size_t i = 0; i < curves->count && !e->records.failed; i++) {
    const etr_tb_curve *curve = &curves->list[i];
    etr_tb_point point;
    etr_tb_point_init(&point, e->wall_time, curve->tag);
    for (size_t k = 0; k < curve->count && !e->records.failed; k++)
      write_point(e, &point, curve->steps ? curve->steps[k] : (int64_t)k * curve->stride, curve->values[k]);
  }
}

static void write_histograms(emitter *e, const etr_tb_curves *curves) {
  size_t runs = e->method->run_count;
  double *micros = etr_arena_alloc_array(&e->part, runs, sizeof *micros);
  for (size_t i = 0; i < runs && micros; i++)
    micros[i] = etr_ticks_to_ns(e->view.profile, (double)e->method->execute_per_run[i]) / 1e3;
  if (micros) write_histogram(e, etr_arena_format(&e->part, "iteration_us/%s", e->method->name), micros, runs);
  for (size_t i = 0; i < curves->count && !e->records.failed; i++)
    if (curves->list[i].is_distribution)
      write_histogram(e, etr_arena_format(&e->part, "iteration_%s", curves->list[i].tag), curves->list[i].values,
                      curves->list[i].count);
}

static void write_page(emitter *e, etr_tb_page_kind kind) {
  etr_tb_page page;
  if (!e->records.failed && etr_tb_page_make(&page, &e->part, e->wall_time, e->view.profile, e->method, kind))
    write_event(e, &page.summary.event);
}

/* Writes the times of a method, if it ran, and its memory, which a program also plans for methods that never ran. */
static void write_method(emitter *e, bool ran) {
  etr_tb_curves curves;
  if (ran) write_latencies(e);
  if (ran && etr_tb_curves_build(&curves, &e->part, e->view.profile, e->method)) {
    write_curves(e, &curves);
    write_histograms(e, &curves);
  }
  for (etr_tb_page_kind kind = ETR_TB_SUMMARY; ran && kind <= ETR_TB_DELEGATION; kind++) write_page(e, kind);
  end_part(e);
  if (etr_tb_memory_curves_build(&curves, &e->part, e->view.profile, e->method)) write_curves(e, &curves);
  write_page(e, ETR_TB_MEMORY);
  end_part(e);
}

/* ---- Data about the record ---- */

static void write_document(emitter *e, const char *tag, const char *content, etr_status status, const etr_text *json) {
  etr_tb_document document;
  if (status != ETR_OK) etr_arena_fail(&e->arena); /* the error is of another arena, or of the document */
  etr_tb_document_init(&document, e->wall_time, tag, content, (etr_slice){json->data, json->size});
  write_event(e, &document.summary.event);
  end_part(e);
}

/* Writes the data about the record into one run. In every run, all curves would be drawn once for each run, and pages
 * would be filled with runs. The record also gets one row of the HParams table, where TensorBoard has one for each run.
 */
static void write_record(emitter *e) {
  const etr_profile *profile = e->view.profile;
  const etr_events_options *o = e->options;
  bool any = false;
  for (uint32_t i = 0; i < profile->method_count; i++) {
    e->method = &profile->methods[i];
    any |= etr_tb_shows_method(profile, i);
    write_method(e, etr_tb_shows_method(profile, i));
  }
  if (any) {
    etr_tb_summary session;
    etr_tb_session_start(&session, &e->part, e->wall_time, profile, o->hparams, o->hparam_count);
    write_event(e, &session.event);
    etr_tb_session_end(&session, &e->part, e->wall_time);
    write_event(e, &session.event);
    end_part(e);
  }
  etr_text json = {.arena = &e->part};
  etr_status status = etr_head_write(profile, o->hparams, o->hparam_count, &(etr_sink){etr_text_write, &json}, NULL);
  write_document(e, ETR_TB_DASHBOARD_HEAD, "{\"schema\":\"etrecord-tb/head/1\"}", status, &json);
  json = (etr_text){.arena = &e->part};
  status = etr_emit_profile_json(profile, &(etr_sink){etr_text_write, &json}, NULL);
  write_document(e, ETR_TB_DASHBOARD, "{\"schema\":\"etrecord-tb/profile/1\"}", status, &json);
}

etr_status etr_tb_events_write(const etr_profile *profile, const etr_tb_entry *entry, const etr_events_options *options,
                               const etr_sink *sink, etr_error *error) {
  static const etr_events_options defaults = {0};
  emitter e = {.records = {.sink = sink}, .options = options ? options : &defaults};
  e.wall_time = isfinite(e.options->wall_time) ? e.options->wall_time : 0;
  etr_arena_init(&e.arena);
  e.packer.arena = &e.part;
  if (etr_tb_view_build(&e.view, &e.arena, profile, &profile->graphs[entry->graph], entry->scopes) == ETR_OK) {
    write_start(&e);
    write_graph(&e);
    write_statistics(&e);
    if (entry->has_record) write_record(&e);
  }
  bool out_of_memory = etr_arena_failed(&e.arena);
  etr_arena_clear(&e.arena);
  if (out_of_memory) return etr_fail_memory(error);
  if (e.records.failed)
    return etr_fail(error, ETR_ERROR_IO, NULL, NULL, ETR_NO_OFFSET, "the output could not be written");
  return ETR_OK;
}

etr_status etr_emit_events(const etr_profile *profile, size_t graph, const etr_events_options *options,
                           const etr_sink *sink, etr_error *error) {
  etr_arena arena = {0};
  etr_scopes scopes;
  const etr_tb_entry entry = {.graph = graph, .scopes = &scopes, .has_record = graph == 0};
  etr_status status = etr_scopes_build(&scopes, &arena, &profile->graphs[graph]) == ETR_OK
                          ? etr_tb_events_write(profile, &entry, options, sink, error)
                          : etr_fail_memory(error);
  etr_arena_clear(&arena);
  return status;
}
