/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_event.c - the event file of one entry point.
 */
#include "output/writer.h"
#include "report/profile_doc.h"
#include "tensorboard/logdir.h"
#include "tensorboard/tb_curves.h"
#include "tensorboard/tb_stats.h"
#include "tensorboard/tb_view.h"
#include "tensorboard/tfrecord.h"

#include <math.h>

/* Fewer inferences make no distribution. */
enum { LEAST_FOR_HISTOGRAM = 5 };

typedef struct emitter {
  etr_arena arena;
  etr_arena part; /* of the event, or the events, being written: end_part() */
  etr_tb_view view;
  etr_tfrecord records;
  const etr_events_options *options;
  const etr_method *method; /* being told of */
  double wall_time;
  etr_packer packer; /* of one event after the other; in part */
} emitter;

/* What is written is not kept: its memory serves for what comes next. */
static void end_part(emitter *e) {
  if (etr_arena_failed(&e->part)) etr_arena_fail(&e->arena);
  etr_arena_clear(&e->part);
  e->packer = (etr_packer){.arena = &e->part};
}

/* Packs an event in front of what is packed for it, and writes it. */
static void write_event(emitter *e, const Tensorboard__Event *event) {
  etr_pack(&e->packer, &event->base);
  if (!etr_arena_failed(&e->arena) && !etr_arena_failed(&e->part))
    etr_tfrecord_write(&e->records, etr_packed(&e->packer));
  etr_packer_reset(&e->packer);
}

static void write_version(emitter *e) {
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  event.wall_time = e->wall_time;
  event.what_case = TENSORBOARD__EVENT__WHAT_FILE_VERSION;
  event.file_version = etr_for_foreign("brain.Event:2");
  write_event(e, &event);
}

/* Ends what an earlier file of the run said: TensorBoard's slower loader would show its points beside those here. The
 * first start that it sees in a run ends nothing, so that there are two. */
static void write_starts(emitter *e) {
  Tensorboard__SessionLog log = TENSORBOARD__SESSION_LOG__INIT;
  log.status = TENSORBOARD__SESSION_LOG__SESSION_STATUS__START;
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  event.wall_time = e->wall_time;
  event.what_case = TENSORBOARD__EVENT__WHAT_SESSION_LOG;
  event.session_log = &log;
  for (int i = 0; i < 2; i++) write_event(e, &event);
}

/* The large messages are packed in place: they are behind all else in their events. */
static void write_graph(emitter *e) {
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  event.wall_time = e->wall_time;
  etr_tb_graph_pack(&e->packer, &e->view);
  etr_pack_nested(&e->packer, etr_pack_field(tensorboard__event, "graph_def"), 0);
  write_event(e, &event);
  end_part(e);
}

static void write_statistic(emitter *e, etr_tb_stats *stats, etr_tb_statistic statistic) {
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  Tensorboard__TaggedRunMetadata tagged;
  tensorboard__tagged_run_metadata__init(&tagged);
  event.wall_time = e->wall_time;
  tagged.tag = etr_for_foreign(etr_tb_statistic_tag(statistic));
  etr_tb_stats_pack(&e->packer, stats, statistic);
  etr_pack_nested(&e->packer, etr_pack_field(tensorboard__tagged_run_metadata, "run_metadata"), 0);
  etr_pack(&e->packer, &tagged.base);
  etr_pack_nested(&e->packer, etr_pack_field(tensorboard__event, "tagged_run_metadata"), 0);
  write_event(e, &event);
}

static void write_statistics(emitter *e) {
  etr_tb_stats stats;
  etr_tb_stats_build(&stats, &e->view);
  for (int i = 0; i < ETR_TB_STATISTIC_COUNT && stats.count > 0; i++) write_statistic(e, &stats, (etr_tb_statistic)i);
  end_part(e);
}

/* ---- What is told of a method ---- */

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

static void write_page(emitter *e, const char *title, const char *markdown) {
  const char *tag = etr_arena_format(&e->part, "text/%s/%s", title, e->method->name);
  etr_tb_page page;
  if (!tag || !markdown || e->records.failed) return;
  etr_tb_page_init(&page, e->wall_time, tag, markdown);
  write_event(e, &page.summary.event);
}

/* Numbered, as TensorBoard sorts pages by name. */
static void write_pages(emitter *e) {
  write_page(e, "1_summary", etr_tb_summary_page(&e->part, e->view.profile, e->method));
  write_page(e, "2_findings", etr_tb_findings_page(&e->part, e->view.profile, e->method));
  write_page(e, "3_operators", etr_tb_operators_page(&e->part, e->view.profile, e->method));
  write_page(e, "4_delegation", etr_tb_delegation_page(&e->part, e->view.profile, e->method));
}

static void write_curves_of_method(emitter *e) {
  etr_tb_curves curves;
  if (!etr_tb_curves_build(&curves, &e->part, e->view.profile, e->method)) return;
  write_curves(e, &curves);
  write_histograms(e, &curves);
}

/* A program tells of methods that never ran, too. */
static void write_memory(emitter *e) {
  etr_tb_curves curves;
  if (etr_tb_memory_curves_build(&curves, &e->part, e->view.profile, e->method)) write_curves(e, &curves);
  write_page(e, "5_memory", etr_tb_memory_page(&e->part, e->view.profile, e->method));
  end_part(e);
}

static void write_method(emitter *e) {
  write_latencies(e);
  write_curves_of_method(e);
  write_pages(e);
  end_part(e);
}

/* ---- What is told of the record ---- */

/* One row of the HParams table for the record: TensorBoard has one for each run. */
static void write_session(emitter *e) {
  etr_tb_summary session;
  etr_tb_session_start(&session, &e->part, e->wall_time, e->view.profile, e->options->hparams,
                       e->options->hparam_count);
  write_event(e, &session.event);
  etr_tb_session_end(&session, &e->part, e->wall_time);
  write_event(e, &session.event);
  end_part(e);
}

static void write_document(emitter *e, const char *tag, const char *content, etr_status status, const etr_text *json) {
  etr_tb_document document;
  if (status != ETR_OK) etr_arena_fail(&e->arena); /* of an arena of its own, or the document's */
  etr_tb_document_init(&document, e->wall_time, tag, content, (etr_slice){json->data, json->size});
  write_event(e, &document.summary.event);
  end_part(e);
}

static void write_head(emitter *e) {
  etr_text json = {.arena = &e->part};
  etr_status status = etr_head_write(e->view.profile, e->options->hparams, e->options->hparam_count,
                                     &(etr_sink){etr_text_write, &json}, NULL);
  write_document(e, ETR_TB_DASHBOARD_HEAD, "{\"schema\":\"etrecord-tb/head/1\"}", status, &json);
}

static void write_dashboard(emitter *e) {
  etr_text json = {.arena = &e->part};
  etr_status status = etr_emit_profile_json(e->view.profile, &(etr_sink){etr_text_write, &json}, NULL);
  write_document(e, ETR_TB_DASHBOARD, "{\"schema\":\"etrecord-tb/profile/1\"}", status, &json);
}

/* In one run: said in each, everything would be drawn once for each, and pages would fill with runs. */
static void write_record(emitter *e) {
  const etr_profile *profile = e->view.profile;
  bool any = false;
  for (uint32_t i = 0; i < profile->method_count; i++) {
    e->method = &profile->methods[i];
    if (etr_tb_tells_of(profile, i)) {
      write_method(e);
      any = true;
    }
    write_memory(e);
  }
  if (any) write_session(e);
  write_head(e);
  write_dashboard(e);
}

static void write_all(emitter *e, bool tells_record) {
  write_version(e);
  write_starts(e);
  write_graph(e);
  write_statistics(e);
  if (tells_record) write_record(e);
}

etr_status etr_tb_events_write(const etr_profile *profile, const etr_tb_entry *entry, const etr_events_options *options,
                               const etr_sink *sink, etr_error *error) {
  static const etr_events_options defaults = {0};
  emitter e = {.records = {.sink = sink}, .options = options ? options : &defaults};
  e.wall_time = isfinite(e.options->wall_time) ? e.options->wall_time : 0;
  etr_arena_init(&e.arena);
  e.packer.arena = &e.part;
  if (etr_tb_view_build(&e.view, &e.arena, profile, &profile->graphs[entry->graph], entry->scopes) == ETR_OK)
    write_all(&e, entry->tells_record);
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
  const etr_tb_entry entry = {.graph = graph, .scopes = &scopes, .tells_record = graph == 0};
  etr_status status = etr_scopes_build(&scopes, &arena, &profile->graphs[graph]) == ETR_OK
                          ? etr_tb_events_write(profile, &entry, options, sink, error)
                          : etr_fail_memory(error);
  etr_arena_clear(&arena);
  return status;
}
