/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_event.c - the event file of one entry point.
 */
#include "tb_event.h"

#include "pieces.h"
#include "tb_blob.h"
#include "tb_curves.h"
#include "tb_graph.h"
#include "tb_histogram.h"
#include "tb_hparams.h"
#include "tb_page.h"
#include "tb_scalars.h"
#include "tb_stats.h"
#include "tensorboard.pb-c.h"
#include "tfrecord.h"
#include "writer.h"

#include <math.h>

/* Field numbers of tensorflow.Event and TaggedRunMetadata: their large payloads are put behind the packed rest, not into it. */
enum { EVENT_GRAPH_DEF = 4, EVENT_RUN_METADATA = 8, TAGGED_RUN_METADATA = 2 };

/* Fewer inferences make no distribution. */
enum { LEAST_FOR_HISTOGRAM = 5 };

typedef struct emitter {
  etr_arena arena;
  etr_arena part; /* of the event, or the events, being written: end_part() */
  etr_tb_view view;
  etr_tfrecord records;
  const etr_events_options *options;
  const etr_method *method; /* that ran on the graph; NULL if none did */
  double wall_time;
  etr_tb_points points; /* of one curve after the other */
} emitter;

static void write_pieces(emitter *e, const etr_pieces *event) {
  if (!etr_arena_failed(&e->arena) && !etr_arena_failed(event->arena)) etr_tfrecord_write(&e->records, event->list.data, event->list.count);
}

static void write_event(emitter *e, const Tensorboard__Event *event) {
  etr_pieces pieces = {.arena = &e->part};
  etr_pieces_message(&pieces, &event->base);
  write_pieces(e, &pieces);
}

/* An event with a large payload. */
static void write_payload(emitter *e, uint32_t field, const etr_pieces *payload) {
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  event.wall_time = e->wall_time;
  etr_pieces pieces = {.arena = payload->arena};
  etr_pieces_message(&pieces, &event.base);
  etr_pieces_field(&pieces, field, payload->size);
  etr_pieces_append(&pieces, payload);
  write_pieces(e, &pieces);
}

/* What is written is not kept: its memory serves for what comes next. */
static void end_part(emitter *e) {
  if (etr_arena_failed(&e->part)) e->arena.failed = true;
  etr_arena_clear(&e->part);
}

static void write_version(emitter *e) {
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  event.wall_time = e->wall_time;
  event.what_case = TENSORBOARD__EVENT__WHAT_FILE_VERSION;
  event.file_version = (char *)(uintptr_t) "brain.Event:2";
  write_event(e, &event);
}

static void write_graph(emitter *e) {
  etr_pieces graph = {.arena = &e->part};
  etr_tb_graph_pack(&graph, &e->view);
  write_payload(e, EVENT_GRAPH_DEF, &graph);
  end_part(e);
}

static void write_statistic(emitter *e, etr_tb_stats *stats, etr_tb_statistic statistic) {
  etr_pieces metadata = {.arena = &e->part}, tagged = {.arena = &e->part};
  etr_tb_stats_pack(&metadata, stats, statistic);
  Tensorboard__TaggedRunMetadata tag = TENSORBOARD__TAGGED_RUN_METADATA__INIT;
  tag.tag = (char *)(uintptr_t)etr_tb_statistic_tag(statistic);
  etr_pieces_message(&tagged, &tag.base);
  etr_pieces_field(&tagged, TAGGED_RUN_METADATA, metadata.size);
  etr_pieces_append(&tagged, &metadata);
  write_payload(e, EVENT_RUN_METADATA, &tagged);
  end_part(e);
}

static void write_statistics(emitter *e) {
  etr_tb_stats stats;
  etr_tb_stats_build(&stats, &e->view);
  for (int i = 0; i < ETR_TB_STATISTIC_COUNT && stats.count > 0; i++) write_statistic(e, &stats, (etr_tb_statistic)i);
}

/* ---- What is told of a method ---- */

static void write_point(emitter *e, int64_t step, double value) {
  etr_slice bytes = etr_tb_point(&e->points, e->wall_time, step, value);
  if (!etr_arena_failed(&e->arena)) etr_tfrecord_write(&e->records, &bytes, 1);
}

static void write_histogram(emitter *e, const char *tag, const double *values, size_t count) {
  etr_tb_histogram histogram;
  if (!tag || count < LEAST_FOR_HISTOGRAM) return;
  etr_tb_histogram_init(&histogram, e->wall_time, tag, values, count);
  write_event(e, &histogram.summary.event);
}

static void write_latencies(emitter *e) {
  const char *tag = etr_arena_format(&e->part, "latency_ms/%s", e->method->name);
  if (!tag) return;
  etr_tb_points_begin(&e->points, tag);
  for (size_t i = 0; i < e->method->run_count && !e->records.failed; i++)
    write_point(e, (int64_t)i, etr_ticks_to_ns(e->view.profile, (double)e->method->execute_per_run[i]) / 1e6);
}

static void write_curves(emitter *e, const etr_tb_curves *curves) {
  for (size_t i = 0; i < curves->count && !e->records.failed; i++) {
    const etr_tb_curve *curve = &curves->list[i];
    etr_tb_points_begin(&e->points, curve->tag);
    for (size_t k = 0; k < curve->count && !e->records.failed; k++)
      write_point(e, curve->steps ? curve->steps[k] : (int64_t)k * curve->stride, curve->values[k]);
  }
}

static void write_histograms(emitter *e, const etr_tb_curves *curves) {
  size_t runs = e->method->run_count;
  double *micros = etr_arena_alloc_array(&e->part, runs, sizeof *micros);
  for (size_t i = 0; i < runs && micros; i++) micros[i] = etr_ticks_to_ns(e->view.profile, (double)e->method->execute_per_run[i]) / 1e3;
  if (micros) write_histogram(e, etr_arena_format(&e->part, "iteration_us/%s", e->method->name), micros, runs);
  for (size_t i = 0; i < curves->count && !e->records.failed; i++)
    if (curves->list[i].is_distribution)
      write_histogram(e, etr_arena_format(&e->part, "iteration_%s", curves->list[i].tag), curves->list[i].values, curves->list[i].count);
}

static void write_session(emitter *e) {
  etr_tb_session session;
  etr_tb_session_start(&session, &e->part, e->wall_time, e->view.profile, e->method, e->options->hparams, e->options->hparam_count);
  write_event(e, &session.summary.event);
  etr_tb_session_end(&session, &e->part, e->wall_time);
  write_event(e, &session.summary.event);
}

static void write_page(emitter *e, const char *title, const char *markdown) {
  const char *tag = etr_arena_format(&e->part, "text/%s/%s", title, e->method->name);
  etr_tb_page page;
  if (!tag || !markdown || e->records.failed) return;
  etr_tb_page_init(&page, e->wall_time, tag, markdown);
  write_event(e, &page.summary.event);
}

static void write_pages(emitter *e) {
  write_page(e, "summary", etr_tb_summary_page(&e->part, e->view.profile, e->method));
  write_page(e, "operators", etr_tb_operators_page(&e->part, e->view.profile, e->method));
  write_page(e, "findings", etr_tb_findings_page(&e->part, e->view.profile, e->method));
  write_page(e, "delegation", etr_tb_delegation_page(&e->part, e->view.profile, e->method));
}

/* Of the graphs that have a method's times, the first tells the rest: said in each, everything would be drawn once for each. */
static bool is_first_of_method(const emitter *e) {
  const etr_graph *graph = e->view.profile->graphs;
  while (graph != e->view.graph && graph->profile_method != e->view.graph->profile_method) graph++;
  return graph == e->view.graph;
}

static void write_curves_of_method(emitter *e) {
  etr_tb_curves curves;
  if (!etr_tb_curves_build(&curves, &e->part, e->view.profile, e->method)) return;
  write_curves(e, &curves);
  write_histograms(e, &curves);
}

static void write_method(emitter *e) {
  write_latencies(e);
  if (is_first_of_method(e)) {
    write_curves_of_method(e);
    write_session(e);
    write_pages(e);
  }
  end_part(e);
}

/* What the dashboard shows of the whole record: once, beside the graph that comes first. */
static void write_dashboard(emitter *e) {
  etr_pieces document = {.arena = &e->part}, event = {.arena = &e->part};
  if (e->view.graph != e->view.profile->graphs) return;
  etr_status status = etr_emit_profile_json(e->view.profile, &(etr_sink){etr_pieces_write, &document}, NULL);
  if (status != ETR_OK) e->arena.failed = true; /* of an arena of its own, or the document's */
  etr_tb_blob_pack(&event, e->wall_time, &document);
  if (status == ETR_OK) write_pieces(e, &event);
  end_part(e);
}

static void write_all(emitter *e) {
  uint32_t index = e->view.graph->profile_method;
  if (index < e->view.profile->method_count && e->view.profile->methods[index].run_count > 0) e->method = &e->view.profile->methods[index];
  write_version(e);
  write_graph(e);
  write_statistics(e);
  if (e->method) write_method(e);
  write_dashboard(e);
}

etr_status etr_tb_events_write(const etr_profile *profile, size_t graph, const etr_scopes *scopes, const etr_events_options *options,
                               const etr_sink *sink, etr_error *error) {
  static const etr_events_options defaults = {0};
  emitter e = {.records = {.sink = sink}, .options = options ? options : &defaults};
  e.wall_time = isfinite(e.options->wall_time) ? e.options->wall_time : 0;
  etr_arena_init(&e.arena);
  e.points.summary.arena = e.points.event.arena = &e.arena;
  if (etr_tb_view_build(&e.view, &e.arena, profile, &profile->graphs[graph], scopes) == ETR_OK) write_all(&e);
  bool out_of_memory = etr_arena_failed(&e.arena);
  etr_arena_clear(&e.arena);
  if (out_of_memory) return etr_fail(error, ETR_ERROR_MEMORY, NULL, NULL, ETR_NO_OFFSET, "out of memory");
  if (e.records.failed) return etr_fail(error, ETR_ERROR_IO, NULL, NULL, ETR_NO_OFFSET, "the output could not be written");
  return ETR_OK;
}

etr_status etr_emit_events(const etr_profile *profile, size_t graph, const etr_events_options *options, const etr_sink *sink, etr_error *error) {
  etr_arena arena = {0};
  etr_scopes scopes;
  etr_status status = etr_scopes_build(&scopes, &arena, &profile->graphs[graph]) == ETR_OK
                          ? etr_tb_events_write(profile, graph, &scopes, options, sink, error)
                          : etr_fail(error, ETR_ERROR_MEMORY, NULL, NULL, ETR_NO_OFFSET, "out of memory");
  etr_arena_clear(&arena);
  return status;
}
