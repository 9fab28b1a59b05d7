/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_event.c - the event file of one entry point.
 */
#include "pieces.h"
#include "tb_graph.h"
#include "tb_page.h"
#include "tb_scalars.h"
#include "tb_stats.h"
#include "tensorboard.pb-c.h"
#include "tfrecord.h"

#include <math.h>

/* Field numbers of tensorflow.Event and TaggedRunMetadata: their large payloads are put behind the packed rest, not into it. */
enum { EVENT_GRAPH_DEF = 4, EVENT_RUN_METADATA = 8, TAGGED_RUN_METADATA = 2 };

typedef struct emitter {
  etr_arena arena;
  etr_tb_view view;
  etr_tfrecord records;
  double wall_time;
  uint8_t *buffer; /* for small events */
  size_t buffer_size;
} emitter;

/* A small event, whole. */
static void write_event(emitter *e, const Tensorboard__Event *event) {
  size_t size = tensorboard__event__get_packed_size(event);
  if (size > e->buffer_size) {
    e->buffer = etr_arena_alloc(&e->arena, size);
    if (!e->buffer) return;
    e->buffer_size = size;
  }
  (void)tensorboard__event__pack(event, e->buffer);
  etr_tfrecord_write(&e->records, &(etr_slice){(const char *)e->buffer, size}, 1);
}

/* An event with a large payload. */
static void write_payload(emitter *e, uint32_t field, const etr_pieces *payload) {
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  event.wall_time = e->wall_time;
  etr_pieces pieces = {.arena = &e->arena};
  etr_pieces_message(&pieces, &event.base);
  etr_pieces_field(&pieces, field, payload->size);
  etr_pieces_append(&pieces, payload);
  if (!etr_arena_failed(&e->arena)) etr_tfrecord_write(&e->records, pieces.list.data, pieces.list.count);
}

static void write_version(emitter *e) {
  Tensorboard__Event event = TENSORBOARD__EVENT__INIT;
  event.wall_time = e->wall_time;
  event.what_case = TENSORBOARD__EVENT__WHAT_FILE_VERSION;
  event.file_version = (char *)(uintptr_t) "brain.Event:2";
  write_event(e, &event);
}

static void write_graph(emitter *e) {
  etr_pieces graph = {.arena = &e->arena};
  etr_tb_graph_pack(&graph, &e->view);
  write_payload(e, EVENT_GRAPH_DEF, &graph);
}

static void write_statistic(emitter *e, etr_tb_stats *stats, etr_tb_statistic statistic) {
  etr_pieces metadata = {.arena = &e->arena}, tagged = {.arena = &e->arena};
  etr_tb_stats_pack(&metadata, stats, statistic);
  Tensorboard__TaggedRunMetadata tag = TENSORBOARD__TAGGED_RUN_METADATA__INIT;
  tag.tag = (char *)(uintptr_t)etr_tb_statistic_tag(statistic);
  etr_pieces_message(&tagged, &tag.base);
  etr_pieces_field(&tagged, TAGGED_RUN_METADATA, metadata.size);
  etr_pieces_append(&tagged, &metadata);
  write_payload(e, EVENT_RUN_METADATA, &tagged);
}

static void write_statistics(emitter *e) {
  etr_tb_stats stats;
  etr_tb_stats_build(&stats, &e->view);
  for (int i = 0; i < ETR_TB_STATISTIC_COUNT && stats.count > 0; i++) write_statistic(e, &stats, (etr_tb_statistic)i);
}

static void write_latencies(emitter *e) {
  uint32_t index = e->view.graph->profile_method;
  if (index >= e->view.profile->method_count) return;
  const etr_method *method = &e->view.profile->methods[index];
  const char *tag = etr_arena_format(&e->arena, "latency_ms/%s", method->name);
  for (size_t i = 0; i < method->run_count && tag && !e->records.failed; i++) {
    etr_tb_point point;
    double ms = etr_ticks_to_ns(e->view.profile, (double)method->execute_per_run[i]) / 1e6;
    etr_tb_point_init(&point, e->wall_time, tag, (int64_t)i, ms);
    write_event(e, &point.summary.event);
  }
}

/* The balance of the method, in words and to the nanosecond. */
static void write_summary(emitter *e) {
  uint32_t index = e->view.graph->profile_method;
  if (index >= e->view.profile->method_count || e->view.profile->methods[index].run_count == 0) return;
  const etr_method *method = &e->view.profile->methods[index];
  const char *tag = etr_arena_format(&e->arena, "text/summary/%s", method->name);
  const char *markdown = etr_tb_summary_page(&e->arena, e->view.profile, method);
  if (!tag || !markdown) return;
  etr_tb_page page;
  etr_tb_page_init(&page, e->wall_time, tag, markdown);
  write_event(e, &page.summary.event);
}

etr_status etr_emit_events(const etr_profile *profile, size_t graph, const etr_events_options *options, const etr_sink *sink, etr_error *error) {
  emitter e = {.records = {.sink = sink}};
  e.wall_time = options && isfinite(options->wall_time) ? options->wall_time : 0;
  etr_arena_init(&e.arena);
  if (etr_tb_view_build(&e.view, &e.arena, profile, &profile->graphs[graph]) == ETR_OK) {
    write_version(&e);
    write_graph(&e);
    write_statistics(&e);
    write_latencies(&e);
    write_summary(&e);
  }
  bool out_of_memory = etr_arena_failed(&e.arena);
  etr_arena_clear(&e.arena);
  if (out_of_memory) return etr_fail(error, ETR_ERROR_MEMORY, NULL, NULL, ETR_NO_OFFSET, "out of memory");
  if (e.records.failed) return etr_fail(error, ETR_ERROR_IO, NULL, NULL, ETR_NO_OFFSET, "the output could not be written");
  return ETR_OK;
}
