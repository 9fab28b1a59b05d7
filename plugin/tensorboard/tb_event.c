/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_event.c - writes the event file of one entry point.
 */
#include "base/writer.h"
#include "output/file_name.h"
#include "report/profile_doc.h"
#include "tensorboard/logdir.h"
#include "tensorboard/tb_curves.h"
#include "tensorboard/tb_stats.h"
#include "tensorboard/tb_summary.h"
#include "tensorboard/tb_tags.h"
#include "tensorboard/tb_view.h"
#include "tensorboard/tfrecord.h"
#include "views/headline.h"

#include <math.h>

typedef struct emitter {
  etr_arena arena;
  etr_arena part; /* memory of the events that are being written; end_part() frees it */
  etr_tb_view view;
  etr_tfrecord records;
  const etr_events_options *options;
  double wall_time;
  etr_packer packer; /* packs one event after the other, in `part` */
} emitter;

/* Frees the memory of the events that were written. */
static void end_part(emitter *e) {
  if (etr_arena_failed(&e->part))
    etr_arena_fail(&e->arena);
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

/* Writes the version, and marks a new start of the run, because TensorBoard's slower loader would
 * otherwise also show the points of an earlier file. The first start that it sees in a run has no
 * effect, so two are written. */
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
  for (int i = 0; i < 2; i++)
    write_event(e, &event);
}

/* Writes the graph and its times. The large messages are packed in place, because they come last in
 * their events. */
static void write_graph(emitter *e) {
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  event.wall_time = e->wall_time;
  etr_tb_graph_pack(&e->packer, &e->view);
  etr_pack_nested(&e->packer, etr_pack_field(tensorboard__event, "graph_def"), 0);
  write_event(e, &event);
  end_part(e);
}

/* Writes the times for the graph tab, once for each statistic. */
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
    etr_pack_nested(&e->packer, etr_pack_field(tensorboard__tagged_run_metadata, "run_metadata"),
                    0);
    etr_pack(&e->packer, &tagged.base);
    etr_pack_nested(&e->packer, etr_pack_field(tensorboard__event, "tagged_run_metadata"), 0);
    write_event(e, &event);
  }
  end_part(e);
}

/* ---- Data about a method ---- */

static void write_point(emitter *e, etr_tb_point *point, int64_t step, double value) {
  if (!e->records.failed && etr_tb_point_set(point, step, value))
    write_event(e, &point->summary.event);
}

/* Writes the curves of a method. */
static void write_curves(emitter *e, const etr_method *method) {
  etr_tb_curves curves;
  if (!etr_tb_curves_build(&curves, &e->part, e->view.profile, method))
    return;
  for (size_t i = 0; i < curves.count; i++) {
    const etr_tb_curve *curve = &curves.list[i];
    etr_tb_point point;
    etr_tb_point_init(&point, e->wall_time, curve->tag);
    for (size_t k = 0; k < curve->count; k++)
      write_point(e, &point, curve->steps[k], curve->values[k]);
  }
}

/* Writes how the inference times are distributed, in blocks of runs. */
static void write_histograms(emitter *e, const etr_method *method) {
  etr_tb_blocks blocks;
  double tick = etr_tb_clock_tick(e->view.profile, method);
  if (!etr_tb_blocks_build(&blocks, &e->part, e->view.profile, method))
    return;
  for (size_t i = 0; i < blocks.blocks && !e->records.failed; i++) {
    size_t first = etr_tb_block_start(&blocks, i),
           count = etr_tb_block_start(&blocks, i + 1) - first;
    etr_tb_histogram histogram;
    etr_tb_spread spread;
    etr_tb_spread_of(&spread, blocks.values + first, count, tick);
    etr_tb_histogram_init(&histogram, e->wall_time, blocks.tag, blocks.steps[first], &spread);
    write_event(e, &histogram.summary.event);
  }
}

/* Writes how the errors of suspicious values are distributed. */
static void write_errors(emitter *e, const etr_method *method) {
  etr_tb_error errors[ETR_TB_MOST_ERRORS];
  size_t count = etr_tb_errors_build(errors, &e->part, e->view.profile, method);
  for (size_t i = 0; i < count && !e->records.failed; i++) {
    etr_tb_histogram histogram;
    etr_tb_histogram_init(&histogram, e->wall_time, errors[i].tag, 0, &errors[i].spread);
    write_event(e, &histogram.summary.event);
  }
}

/* ---- Data about the record ---- */

/* Writes a document for the dashboard. */
static void write_document(emitter *e, const char *tag, const char *content, etr_status status,
                           const etr_text *json) {
  etr_tb_document document;
  if (status != ETR_OK)
    etr_arena_fail(&e->arena); /* the error is of another arena, or of the document */
  etr_tb_document_init(&document, e->wall_time, tag, content, (etr_slice){json->data, json->size});
  write_event(e, &document.summary.event);
  end_part(e);
}

/* Writes the metrics of the HParams table. */
static void write_metrics(emitter *e) {
  double metrics[ETR_TB_METRIC_COUNT];
  if (!etr_tb_metrics_make(metrics, &e->part, e->view.profile))
    return;
  for (size_t i = 0; i < ETR_TB_METRIC_COUNT; i++) {
    etr_tb_point point;
    etr_tb_point_init(&point, e->wall_time, etr_tb_metric_tag(i));
    write_point(e, &point, 0, metrics[i]);
  }
}

/* Writes the record's row of the HParams table. */
static void write_session(emitter *e) {
  const etr_profile *profile = e->view.profile;
  const etr_events_options *o = e->options;
  etr_tb_summary event;
  write_metrics(e);
  etr_tb_experiment(&event, &e->part, e->wall_time, profile, o->hparams, o->hparam_count);
  write_event(e, &event.event);
  etr_tb_session_start(&event, &e->part, e->wall_time, profile, o->hparams, o->hparam_count);
  write_event(e, &event.event);
  etr_tb_session_end(&event, &e->part, e->wall_time);
  write_event(e, &event.event);
  end_part(e);
}

static void write_text(emitter *e, const etr_method_findings *found) {
  etr_tb_page page;
  if (etr_tb_page_make(&page, &e->part, e->wall_time, e->view.profile, found, e->options->name))
    write_event(e, &page.summary.event);
  end_part(e);
}

static void write_layout(emitter *e, const etr_packer *packed) {
  etr_tb_layout layout;
  etr_tb_layout_init(&layout, e->wall_time, etr_packed(packed));
  write_event(e, &layout.summary.event);
  end_part(e);
}

/* Writes the data about the record into one run. In every run, all curves would be drawn once for
 * each run, and pages would be filled with runs. */
static void write_record(emitter *e) {
  const etr_profile *profile = e->view.profile;
  const etr_events_options *o = e->options;
  for (uint32_t i = 0; i < profile->method_count; i++) {
    if (profile->methods[i].computes_nothing)
      continue;
    write_curves(e, &profile->methods[i]);
    if (etr_tb_shows_method(profile, i))
      write_histograms(e, &profile->methods[i]);
    write_errors(e, &profile->methods[i]);
    end_part(e);
  }
  etr_method_findings found = {.method = etr_tb_main_method(profile)};
  if (found.method && etr_findings_make(&found.findings, &e->arena, profile, found.method,
                                        etr_unit_of_method(profile, found.method))) {
    etr_packer layout = {.arena = &e->part};
    etr_tb_layout_pack(&layout);
    write_layout(e, &layout);
    write_text(e, &found);
    write_session(e);
  }
  etr_text json = {.arena = &e->part};
  etr_status status = etr_head_write(profile, o->hparams, o->hparam_count,
                                     &(etr_sink){etr_text_write, &json}, NULL);
  write_document(e, ETR_TB_DASHBOARD_HEAD, "{\"schema\":\"etrecord-tb/head/1\"}", status, &json);
  json = (etr_text){.arena = &e->part};
  status = etr_profile_write(profile, ETR_PROFILE_ALL, &found, &(etr_sink){etr_text_write, &json},
                             NULL);
  write_document(e, ETR_TB_DASHBOARD, "{\"schema\":\"etrecord-tb/profile/1\"}", status, &json);
}

/* ---- The event file of a run ---- */

/* Frees everything and returns the status of the file. */
static etr_status end_file(emitter *e, etr_error *error) {
  bool out_of_memory = etr_arena_failed(&e->arena);
  etr_arena_clear(&e->part);
  etr_arena_clear(&e->arena);
  if (out_of_memory)
    return etr_fail_memory(error);
  if (e->records.failed)
    return etr_fail(error, ETR_ERROR_IO, NULL, NULL, ETR_NO_OFFSET,
                    "the output could not be written");
  return ETR_OK;
}

etr_status etr_tb_events_write(const etr_profile *profile, const etr_tb_entry *entry,
                               const etr_events_options *options, const etr_sink *sink,
                               etr_error *error) {
  static const etr_events_options defaults = {0};
  emitter e = {.records = {.sink = sink}, .options = options ? options : &defaults};
  e.wall_time = isfinite(e.options->wall_time) ? e.options->wall_time : 0;
  etr_arena_init(&e.arena);
  e.packer.arena = &e.part;
  if (entry->graph == ETR_NONE) {
    e.view.profile = profile;
    write_start(&e);
    write_record(&e);
  } else if (etr_tb_view_build(&e.view, &e.arena, profile, &profile->graphs[entry->graph],
                               entry->scopes) == ETR_OK) {
    write_start(&e);
    write_graph(&e);
    write_statistics(&e);
    if (entry->has_record)
      write_record(&e);
  }
  return end_file(&e, error);
}

etr_status etr_emit_events(const etr_profile *profile, size_t graph,
                           const etr_events_options *options, const etr_sink *sink,
                           etr_error *error) {
  etr_arena arena = {0};
  etr_scopes scopes;
  const etr_tb_entry entry = {.graph = graph, .scopes = &scopes, .has_record = graph == 0};
  etr_status status = etr_scopes_build(&scopes, &arena, &profile->graphs[graph]) == ETR_OK
                          ? etr_tb_events_write(profile, &entry, options, sink, error)
                          : etr_fail_memory(error);
  etr_arena_clear(&arena);
  return status;
}
