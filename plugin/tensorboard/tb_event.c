/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_event.c - writes the event file of one entry point.
 */
#include "base/writer.h"
#include "output/file_name.h"
#include "report/profile_doc.h"
#include "tensorboard/logdir.h"
#include "tensorboard/tb_curves.h"
#include "tensorboard/tb_run.h"
#include "tensorboard/tb_stats.h"
#include "tensorboard/tb_summary.h"
#include "tensorboard/tb_tags.h"
#include "tensorboard/tb_view.h"
#include "tensorboard/tfrecord.h"
#include "views/headline.h"

#include <math.h>

typedef struct emitter {
  etr_arena arena;
  etr_arena scratch; /* memory of the events that are being written; clear_scratch() frees it */
  etr_tb_view view;
  etr_tfrecord records;
  const etr_events_options *options;
  const etr_tb_entry *entry;
  double wall_time;
  int64_t step;      /* of everything but the points of curves: that of a build, else 0 */
  etr_packer packer; /* packs one event after the other, in `scratch` */
} emitter;

/* Frees the memory of the events that were written. If it ran out, the arena of the file fails
 * instead, because a cleared arena no longer tells. */
static void clear_scratch(emitter *e) {
  if (etr_arena_failed(&e->scratch))
    etr_arena_fail(&e->arena);
  etr_arena_clear(&e->scratch);
  e->packer = (etr_packer){.arena = &e->scratch};
}

/* Packs an event in front of its fields that are packed already, writes all of it as one record,
 * and empties the packer. Writes nothing if memory ran out. */
static void write_event(emitter *e, const Tensorboard__Event *event) {
  etr_pack(&e->packer, &event->base);
  if (!etr_arena_failed(&e->arena) && !etr_arena_failed(&e->scratch))
    etr_tfrecord_write(&e->records, etr_packed(&e->packer));
  etr_packer_reset(&e->packer);
}

/* Writes a value at the step of the file. */
static void write_value(emitter *e, etr_tb_summary *summary) {
  summary->event.step = e->step;
  write_event(e, &summary->event);
}

/* Writes the version, and marks a new start of the run, because TensorBoard's slower loader would
 * otherwise also show the points of an earlier file: it drops those from the step of the mark on.
 * The first start that it sees in a run has no effect, so two are written. The second file of a
 * build has none, since its points are in the first. */
static void write_start(emitter *e) {
  Tensorboard__SessionLog log = TENSORBOARD__SESSION_LOG__INIT;
  log.status = TENSORBOARD__SESSION_LOG__SESSION_STATUS__START;
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  bool is_second_file = e->entry->is_build && !e->entry->has_points_only;
  event.wall_time = e->wall_time;
  event.step = e->step;
  event.what_case = TENSORBOARD__EVENT__WHAT_FILE_VERSION;
  event.file_version = etr_for_foreign("brain.Event:2");
  write_event(e, &event);
  event.what_case = TENSORBOARD__EVENT__WHAT_SESSION_LOG;
  event.session_log = &log;
  for (int i = 0; i < 2 && !is_second_file; i++)
    write_event(e, &event);
}

/* Writes the event with the graph. Its large message is packed in place, in front of nothing,
 * because it is the last field of the event. */
static void write_graph(emitter *e) {
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  event.wall_time = e->wall_time;
  event.step = e->step;
  etr_tb_graph_pack(&e->packer, &e->view);
  etr_pack_nested(&e->packer, etr_pack_field(tensorboard__event, "graph_def"), 0);
  write_event(e, &event);
  clear_scratch(e);
}

/* Writes the times for the graph tab, one event for each statistic; none if no node was timed. */
static void write_statistics(emitter *e) {
  etr_tb_stats stats;
  etr_tb_stats_build(&stats, &e->view);
  for (int i = 0; i < ETR_TB_STATISTIC_COUNT && stats.count > 0; i++) {
    Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
    Tensorboard__TaggedRunMetadata tagged;
    tensorboard__tagged_run_metadata__init(&tagged);
    event.wall_time = e->wall_time;
    event.step = e->step;
    tagged.tag = etr_for_foreign(etr_tb_statistic_tag((etr_tb_statistic)i));
    etr_tb_stats_pack(&e->packer, &stats, (etr_tb_statistic)i);
    etr_pack_nested(&e->packer, etr_pack_field(tensorboard__tagged_run_metadata, "run_metadata"),
                    0);
    etr_pack(&e->packer, &tagged.base);
    etr_pack_nested(&e->packer, etr_pack_field(tensorboard__event, "tagged_run_metadata"), 0);
    write_event(e, &event);
  }
  clear_scratch(e);
}

/* Writes the graph of another entry point as a value of the run, with its typical times: a
 * tagged_run_metadata would be shown on the run's own graph. The content "1" is the version of that
 * plugin's format. */
static void write_other_graph(emitter *e, etr_tb_tags *tags, size_t index) {
  const etr_profile *profile = e->view.profile;
  const etr_graph *graph = &profile->graphs[index];
  const char *tag = etr_tb_graph_tag(tags, graph->module, graph->method);
  etr_packer packer = {.arena = &e->scratch};
  etr_tb_summary summary;
  etr_tb_stats stats;
  etr_tb_view view;
  if (!tag ||
      etr_tb_view_build(&view, &e->scratch, profile, graph, &e->entry->scopes[index]) != ETR_OK)
    return; /* the scratch arena, or that of the tags, is out of memory */
  etr_tb_graph_pack(&packer, &view);
  etr_pack_nested(&packer, etr_pack_field(tensorboard__function_graphs, "pre_optimization_graph"),
                  0);
  etr_pack_nested(&packer, etr_pack_field(tensorboard__run_metadata, "function_graphs"), 0);
  etr_tb_stats_build(&stats, &view);
  if (stats.count > 0)
    etr_tb_stats_pack(&packer, &stats, ETR_TB_TYPICAL);
  etr_slice packed = etr_packed(&packer);
  ProtobufCBinaryData bytes = {packed.size, etr_for_foreign(packed.data)};
  etr_tb_summary_init(&summary, e->wall_time, tag, e->step, "graph_run_metadata",
                      TENSORBOARD__DATA_CLASS__DATA_CLASS_UNKNOWN);
  summary.plugin.content = (ProtobufCBinaryData){1, etr_for_foreign("1")};
  summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_STRING;
  summary.tensor.n_string_val = 1;
  summary.tensor.string_val = &bytes;
  write_event(e, &summary.event);
  clear_scratch(e);
}

/* Writes the graphs of the run's other entry points. When out of memory, the arena has failed. */
static void write_other_graphs(emitter *e) {
  etr_tb_tags tags;
  etr_tb_tags_init(&tags, &e->arena);
  for (size_t i = 0; i < e->entry->other_count && !e->records.failed; i++)
    write_other_graph(e, &tags, e->entry->others[i]);
}

/* ---- Data about a method ---- */

static void write_point(emitter *e, etr_tb_point *point, int64_t step, double value) {
  if (!e->records.failed && etr_tb_point_set(point, step, value))
    write_event(e, &point->summary.event);
}

/* Writes the curves of a method, each as one event per point. When out of memory, the arena of the
 * events has failed. */
static void write_curves(emitter *e, const etr_method *method) {
  etr_tb_curves curves;
  if (!etr_tb_curves_build(&curves, &e->scratch, e->view.profile, method))
    return;
  for (size_t i = 0; i < curves.count; i++) {
    const etr_tb_curve *curve = &curves.list[i];
    etr_tb_point point;
    etr_tb_point_init(&point, e->wall_time, curve->tag);
    for (size_t k = 0; k < curve->count; k++)
      write_point(e, &point, curve->steps[k], curve->values[k]);
  }
}

/* Writes how the inference times of a method are distributed: a histogram for each block of runs,
 * at the step of its first run. */
static void write_histograms(emitter *e, const etr_method *method) {
  etr_tb_blocks blocks;
  double tick = etr_tb_clock_tick(e->view.profile, method);
  if (!etr_tb_blocks_build(&blocks, &e->scratch, e->view.profile, method))
    return;
  for (size_t i = 0; i < blocks.blocks && !e->records.failed; i++) {
    size_t first_run = etr_tb_block_start(&blocks, i);
    size_t run_count = etr_tb_block_start(&blocks, i + 1) - first_run;
    etr_tb_histogram histogram;
    etr_tb_spread spread;
    etr_tb_spread_of(&spread, blocks.values + first_run, run_count, tick);
    etr_tb_histogram_init(&histogram, e->wall_time, blocks.tag, blocks.steps[first_run], &spread);
    write_event(e, &histogram.summary.event);
  }
}

/* Writes a histogram of the errors of each suspicious value of a method, at step 0, as errors are
 * of no inference. */
static void write_errors(emitter *e, const etr_method *method) {
  etr_tb_error errors[ETR_TB_MOST_ERRORS];
  size_t count = etr_tb_errors_build(errors, &e->scratch, e->view.profile, method);
  for (size_t i = 0; i < count && !e->records.failed; i++) {
    etr_tb_histogram histogram;
    etr_tb_histogram_init(&histogram, e->wall_time, errors[i].tag, 0, &errors[i].spread);
    write_event(e, &histogram.summary.event);
  }
}

/* ---- Data about the record ---- */

/* Writes a document for the dashboard. A status other than ETR_OK says that it could not be made,
 * which fails the file. */
static void write_dashboard_document(emitter *e, const char *tag, const char *plugin_content,
                                     etr_status status, const etr_text *json) {
  etr_tb_document document;
  if (status != ETR_OK)
    etr_arena_fail(&e->arena); /* the error is of another arena, or of the document */
  etr_tb_document_init(&document, e->wall_time, tag, plugin_content,
                       (etr_slice){json->data, json->size});
  write_value(e, &document.summary);
  clear_scratch(e);
}

/* Writes the metrics of the HParams table as points of curves, from which TensorBoard takes them.
 * Unknown ones (NaN) have no point. */
static void write_metric_points(emitter *e) {
  double metrics[ETR_TB_METRIC_COUNT];
  if (!etr_tb_metrics_make(metrics, &e->scratch, e->view.profile))
    return;
  for (size_t i = 0; i < ETR_TB_METRIC_COUNT; i++) {
    etr_tb_point point;
    etr_tb_point_init(&point, e->wall_time, etr_tb_metric_tag(i));
    write_point(e, &point, e->step, metrics[i]);
  }
}

/* Writes the record's row of the HParams table: its metrics as points of curves, the experiment
 * with the columns, the session's start with the hyperparameters, and its end. */
static void write_session(emitter *e) {
  const etr_profile *profile = e->view.profile;
  const etr_events_options *o = e->options;
  etr_tb_summary event;
  write_metric_points(e);
  etr_tb_experiment(&event, &e->scratch, e->wall_time, profile, o->hparams, o->hparam_count);
  write_value(e, &event);
  etr_tb_session_start(&event, &e->scratch, e->wall_time, profile, o->hparams, o->hparam_count);
  write_value(e, &event);
  etr_tb_session_end(&event, &e->scratch, e->wall_time);
  write_value(e, &event);
  clear_scratch(e);
}

/* Writes the text page about the record, or nothing when out of memory. */
static void write_page(emitter *e, const etr_method_findings *found) {
  etr_tb_page page;
  if (etr_tb_page_make(&page, &e->scratch, e->wall_time, e->view.profile, found, e->options->name))
    write_value(e, &page.summary);
  clear_scratch(e);
}

/* Writes the layout of the charts for CUSTOM SCALARS, which is packed already. */
static void write_layout(emitter *e, const etr_packer *packed) {
  etr_tb_layout layout;
  etr_tb_layout_init(&layout, e->wall_time, etr_packed(packed));
  write_value(e, &layout.summary);
  clear_scratch(e);
}

/* Writes the curves and histograms of all methods. A build has none: its only points are those of
 * curves over builds. */
static void write_method_curves(emitter *e) {
  const etr_profile *profile = e->view.profile;
  for (uint32_t i = 0; i < profile->method_count && !e->entry->is_build; i++) {
    const etr_method *method = &profile->methods[i];
    if (method->computes_nothing)
      continue;
    write_curves(e, method);
    if (etr_tb_shows_method(profile, i))
      write_histograms(e, method);
    write_errors(e, method);
    clear_scratch(e);
  }
}

/* Writes the documents of the dashboard: a short one for its list of records, and the whole one.
 * found: the findings of the main method, which are not made again. Errors need no message (NULL),
 * because the file fails as out of memory. */
static void write_documents(emitter *e, const etr_method_findings *found) {
  const etr_events_options *o = e->options;
  const etr_head_facts facts = {.hparams = o->hparams,
                                .hparam_count = o->hparam_count,
                                .recorded = o->recorded,
                                .has_step = e->entry->is_build,
                                .step = e->step};
  etr_text json = {.arena = &e->scratch};
  const etr_sink sink = {etr_text_write, &json};
  etr_status status = etr_head_write(e->view.profile, &facts, &sink, NULL);
  write_dashboard_document(e, ETR_TB_DASHBOARD_HEAD, "{\"schema\":\"etrecord-tb/head/1\"}", status,
                           &json);
  json = (etr_text){.arena = &e->scratch};
  status = etr_profile_write(e->view.profile, ETR_PROFILE_ALL, found, &sink, NULL);
  write_dashboard_document(e, ETR_TB_DASHBOARD, "{\"schema\":\"etrecord-tb/profile/1\"}", status,
                           &json);
}

/* Writes the data about the record: curves, histograms, page, table row and documents. They go into
 * one run only: in every run, all curves would be drawn once for each run, and pages would be
 * filled with runs. */
static void write_record(emitter *e) {
  const etr_profile *profile = e->view.profile;
  etr_method_findings found = {.method = etr_tb_main_method(profile)};
  write_method_curves(e);
  if (found.method && etr_findings_make(&found.findings, &e->arena, profile, found.method,
                                        etr_unit_of_method(profile, found.method))) {
    etr_packer layout = {.arena = &e->scratch};
    etr_tb_layout_pack(&layout, e->entry->is_build);
    write_layout(e, &layout);
    write_page(e, &found);
    write_session(e);
  }
  write_documents(e, &found);
}

/* ---- Builds ---- */

/* Writes the points of a build. Their time is that of the recording, if it is known, so that a
 * horizontal axis of time means something. Errors need no message (NULL), because the file fails as
 * out of memory. */
static void write_build(emitter *e) {
  etr_tb_build_points points;
  double recorded = e->options->recorded > 0 ? e->options->recorded : e->wall_time;
  if (etr_tb_build_points_make(&points, &e->scratch, e->view.profile, e->entry->before, NULL) !=
      ETR_OK) {
    etr_arena_fail(&e->arena);
    return;
  }
  for (size_t i = 0; i < points.list.count; i++) {
    const etr_tb_build_point *made = &points.list.data[i];
    if (made->text) {
      etr_tb_page page;
      etr_tb_text_init(&page, recorded, made->tag, e->step, made->text);
      write_value(e, &page.summary);
    } else {
      etr_tb_point point;
      etr_tb_point_init(&point, recorded, made->tag);
      write_point(e, &point, e->step, made->value);
    }
  }
  clear_scratch(e);
}

/* ---- The event file of a run ---- */

/* Frees everything, and returns the status of the file: whether memory ran out or the sink refused.
 * */
static etr_status end_emitter(emitter *e, etr_error *error) {
  bool out_of_memory = etr_arena_failed(&e->arena) || etr_arena_failed(&e->scratch);
  etr_arena_clear(&e->scratch);
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
  emitter e = {.records = {.sink = sink},
               .options = options ? options : &defaults,
               .entry = entry,
               .step = entry->is_build ? entry->step : 0};
  e.wall_time = isfinite(e.options->wall_time) ? e.options->wall_time : 0;
  etr_arena_init(&e.arena);
  e.packer.arena = &e.scratch;
  e.view.profile = profile;
  if (entry->has_points_only) {
    write_start(&e);
    write_build(&e);
  } else if (entry->graph == ETR_NONE) {
    write_start(&e);
    write_record(&e);
  } else if (etr_tb_view_build(&e.view, &e.arena, profile, &profile->graphs[entry->graph],
                               &entry->scopes[entry->graph]) == ETR_OK) {
    write_start(&e);
    write_graph(&e);
    write_statistics(&e);
    write_other_graphs(&e);
    if (entry->has_record)
      write_record(&e);
  }
  return end_emitter(&e, error);
}

/* Makes a run that shows only the graph of this index. */
static etr_status make_graph_run(etr_tb_run *out, etr_arena *arena, const etr_profile *profile,
                                 size_t graph) {
  etr_scopes *scopes = etr_arena_alloc_array(arena, profile->graph_count, sizeof *scopes);
  *out = (etr_tb_run){.graph = graph, .scopes = scopes};
  return scopes ? etr_scopes_build(&scopes[graph], arena, &profile->graphs[graph])
                : ETR_ERROR_MEMORY;
}

etr_status etr_emit_events(const etr_profile *profile, size_t graph,
                           const etr_events_options *options, const etr_sink *sink,
                           etr_error *error) {
  etr_arena arena = {0};
  etr_tb_run run;
  bool is_whole = graph == ETR_WHOLE_RECORD;
  etr_status status = is_whole ? etr_tb_run_make(&run, &arena, profile, NULL)
                               : make_graph_run(&run, &arena, profile, graph);
  const etr_tb_entry entry = {.graph = run.graph,
                              .scopes = run.scopes,
                              .others = run.others,
                              .other_count = run.other_count,
                              .has_record = is_whole || graph == 0};
  status = status == ETR_OK ? etr_tb_events_write(profile, &entry, options, sink, error)
                            : etr_fail_memory(error);
  etr_arena_clear(&arena);
  return status;
}
