/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trace.c - runs as Chrome trace events, the JSON that Perfetto and chrome://tracing open, or as
 * the stacks of trace_stacks.c.
 *
 * The format is the JSON Object Format of the "Trace Event Format": complete events (ph X) with ts
 * and dur in microseconds. Events of one thread must be nested or must not overlap. Metadata events
 * (ph M) name processes and threads. An event that overlaps too many others to be drawn is an
 * instant (ph i).
 */
#include "output/fields.h"
#include "output/gzip.h"
#include "output/label.h"
#include "trace/trace_format.h"

typedef struct tracer {
  const etr_profile *profile;
  const etr_trace_options *options;
  etr_arena arena;
  etr_placer placer;
  etr_map backends;      /* name -> its number */
  etr_map tracks;        /* process, backend, whether starts are synthetic, lane -> its number */
  uint32_t *next_thread; /* per process */
  /* Per event of all blocks: source line of its node; NULL until it is needed. */
  const char **sources;
  const char **nodes;  /* per event of all blocks: name of its node; NULL until it is needed */
  const char **titles; /* per event of all blocks: name of its bar; NULL until it is needed */
  etr_writer writer;
  etr_jw json;
  etr_fields fields;
} tracer;

/* ---- Processes and threads ---- */

typedef struct track_key {
  uint64_t process;
  uint32_t backend; /* ETR_NONE: the method's own track */
  uint32_t is_synthetic, lane, unused;
} track_key;
ETR_NO_PADDING(track_key, sizeof(uint64_t) + 4 * sizeof(uint32_t));

/* Writes the metadata event that names a process or a thread: `what` is "process_name" or
 * "thread_name". */
static void put_name_event(tracer *t, const char *what, size_t process, uint32_t thread,
                           const char *name) {
  etr_jw_object(&t->json);
  etr_field_text(&t->fields, "ph", "M");
  etr_field_text(&t->fields, "name", what);
  etr_field_count(&t->fields, "pid", process + 1);
  etr_field_count(&t->fields, "tid", thread);
  etr_jw_key(&t->json, "args");
  etr_jw_object(&t->json);
  etr_field_text(&t->fields, "name", name);
  etr_jw_end(&t->json);
  etr_jw_end(&t->json);
}

/* Returns the number of an event's backend, which is added if it is new. Events without a backend
 * share one number. */
static uint32_t number_backend(tracer *t, const etr_event *event) {
  etr_slice name = etr_slice_of(event->backend != NULL ? event->backend : "");
  uint32_t number = etr_map_get(&t->backends, name);
  if (number != ETR_NONE)
    return number;
  etr_map_set(&t->backends, name, (uint32_t)t->backends.count);
  return (uint32_t)t->backends.count - 1;
}

/* Names a process in the trace: by its method, and by its ETDump if there are several. dump: index
 * of the ETDump. */
static void name_process(tracer *t, size_t process, const char *method_name, uint32_t dump) {
  const etr_profile *profile = t->profile;
  const char *name = method_name;
  if (profile->etdump_count > 1 && dump < profile->etdump_count)
    name = etr_arena_format(&t->arena, "%s, %s", method_name, profile->etdumps[dump]);
  if (name != NULL)
    put_name_event(t, "process_name", process, 0, name);
}

/* Returns the thread, a row of the viewer, of an event: one for the method itself, and one for each
 * backend, kind of start (measured or synthetic) and lane. The thread and its process are named in
 * the trace when they are first needed. */
static uint32_t number_thread(tracer *t, uint32_t run, const etr_block *block,
                              const etr_span *span) {
  const etr_event *event = &block->events[span->event];
  size_t process = etr_placer_process(&t->placer, run);
  track_key key = {.process = process,
                   .backend = span->in_delegate ? number_backend(t, event) : ETR_NONE,
                   .is_synthetic = span->in_delegate && span->is_synthetic ? 1 : 0,
                   .lane = span->lane == ETR_NONE ? 0 : span->lane};
  etr_slice bytes = {(const char *)&key, sizeof key};
  uint32_t number = etr_map_get(&t->tracks, bytes);
  if (number != ETR_NONE)
    return number;
  const char *name = etr_trace_method_name(t->profile, block);
  if (t->next_thread[process] == 0)
    name_process(t, process, name, t->profile->runs[run].dump);
  uint32_t thread = ++t->next_thread[process];
  etr_map_set(&t->tracks, bytes, thread);
  if (key.backend != ETR_NONE)
    name = etr_arena_format(&t->arena, "%s%s", event->backend != NULL ? event->backend : "delegate",
                            key.is_synthetic ? ", synthetic starts" : "");
  if (key.lane > 0 && name != NULL)
    name = etr_arena_format(&t->arena, "%s, overlap %u", name, (unsigned)key.lane);
  if (name != NULL)
    put_name_event(t, "thread_name", process, thread, name);
  return thread;
}

/* ---- Events ---- */

/* Writes a member, unless the text is empty or NULL. */
static void put_text(tracer *t, const char *key, const char *text) {
  if (text != NULL && text[0] != '\0')
    etr_field_text(&t->fields, key, text);
}

/* Returns the number of an event among the events of all blocks. Its texts are made once, because
 * it occurs in every run. */
static size_t number_of(const tracer *t, const etr_block *block, const etr_event *event) {
  return t->placer.first_event[block - t->profile->blocks] + (size_t)(event - block->events);
}

/* Returns what an event is called in the trace: the module and the short operator of its first
 * node, as "features.0.0 \xC2\xB7 convolution", which a reader of the model looks for, or the
 * event's own label if it has no node. */
static const char *event_title(tracer *t, const etr_block *block, const etr_event *event) {
  const char **title = &t->titles[number_of(t, block, event)];
  if (*title != NULL || event->node_count == 0)
    return *title != NULL ? *title : event->label;
  const char *module = etr_trace_module(t->profile, block, event);
  etr_slice op = etr_label_op(etr_trace_node(t->profile, block, event)->target);
  *title = etr_arena_format(&t->arena, "%s%s%.*s", module, module[0] ? " \xC2\xB7 " : "",
                            (int)op.size, op.data);
  return *title;
}

/* Writes the first node that an event ran, its operator, module and source line; nothing if it has
 * no node. */
static void put_node(tracer *t, const etr_block *block, const etr_event *event) {
  if (event->node_count == 0)
    return;
  const etr_graph *graph = &t->profile->graphs[t->profile->methods[block->method].graph];
  const etr_node *node = &graph->nodes[event->nodes[0]];
  /* Labels are made once, since an event has a sample in each run. */
  size_t event_number = number_of(t, block, event);
  const char **label = &t->nodes[event_number];
  const char **source = &t->sources[event_number];
  if (*label == NULL)
    *label = etr_label_node(&t->arena, graph, event->nodes[0]);
  if (*source == NULL && node->source != NULL)
    *source = etr_label_source(&t->arena, node->source);
  etr_field_text(&t->fields, "node", *label);
  etr_field_text(&t->fields, "op", node->target);
  put_text(t, "module", graph->modules[node->module].path);
  put_text(t, "source", *source);
}

/* Writes the "args" of an event: its run, name and ticks, how sure its start and its duration are,
 * and what it ran. in_place: the run is where it was recorded, and was not moved behind another.
 * recorded_us and scale are there if the event was shortened, or has no bar that shows its
 * length. */
static void put_arguments(tracer *t, uint32_t run, const etr_block *block, const etr_span *span,
                          bool in_place) {
  const etr_event *event = &block->events[span->event];
  etr_jw_key(&t->json, "args");
  etr_jw_object(&t->json);
  etr_field_count(&t->fields, "run", run);
  etr_field_text(&t->fields, "event", event->name);
  const char *recorded = in_place ? "measured" : "moved";
  etr_field_text(&t->fields, "start", span->is_synthetic ? "synthetic" : recorded);
  etr_field_count(&t->fields, "ticks", span->ticks);
  if (event->unit == ETR_EVENT_UNIT_CYCLES)
    etr_field_count(&t->fields, "cycles", span->cycles);
  if (event->is_estimated || event->unit == ETR_EVENT_UNIT_CYCLES)
    etr_field_text(&t->fields, "duration", "estimated");
  if (span->scale < 1 || span->lane == ETR_NONE) {
    etr_field_number(&t->fields, "recorded_us",
                     etr_ticks_to_ns(t->profile, (double)span->ticks) / 1e3);
    etr_field_number(&t->fields, "scale", span->scale);
  }
  if (event->instruction_id >= 0)
    etr_field_count(&t->fields, "instruction", (uint64_t)event->instruction_id);
  put_text(t, "delegate_id", event->delegate_id);
  put_text(t, "backend", event->backend);
  etr_field_text(&t->fields, "match", etr_match_name(event->match));
  if (event->handle_count > 0) {
    etr_field_begin_list(&t->fields, "debug_handles");
    for (size_t i = 0; i < event->handle_count; i++)
      etr_jw_uint(&t->json, event->handles[i]);
    etr_jw_end(&t->json);
  }
  put_node(t, block, event);
  etr_jw_end(&t->json);
}

/* Writes nanoseconds as microseconds with three digits. Starts and ends are whole nanoseconds and a
 * duration is their difference, so that nested events stay nested. */
static void put_microseconds(tracer *t, const char *key, uint64_t ns) {
  char digits[32];
  size_t size = etr_format_uint(digits, ns / 1000);
  digits[size++] = '.';
  for (uint64_t digit = 100; digit > 0; digit /= 10)
    digits[size++] = (char)('0' + ns / digit % 10);
  etr_jw_key(&t->json, key);
  etr_jw_raw(&t->json, (etr_slice){digits, size});
}

/* Writes an event: a span ("X") or, if there was no lane for it, an instant ("i") of its thread
 * ("s": "t"). Numbers of processes begin with 1. */
static void put_event(tracer *t, uint32_t run, const etr_block *block, const etr_span *span,
                      bool in_place) {
  const etr_event *event = &block->events[span->event];
  uint32_t thread = number_thread(t, run, block, span);
  bool is_drawn = span->lane != ETR_NONE;
  const char *category = event->match == ETR_MATCH_DELEGATE ? "delegate_call" : "kernel";
  if (event->match == ETR_MATCH_FRAMEWORK)
    category = "framework";
  if (event->kind == ETR_EVENT_DELEGATE_OPERATOR)
    category = "delegate";
  etr_jw_object(&t->json);
  etr_field_text(&t->fields, "ph", is_drawn ? "X" : "i");
  etr_field_text(&t->fields, "name", event_title(t, block, event));
  etr_field_text(&t->fields, "cat", category);
  etr_field_count(&t->fields, "pid", etr_placer_process(&t->placer, run) + 1);
  etr_field_count(&t->fields, "tid", thread);
  put_microseconds(t, "ts", span->start);
  if (is_drawn)
    put_microseconds(t, "dur", span->end - span->start);
  else
    etr_field_text(&t->fields, "s", "t");
  put_arguments(t, run, block, span, in_place);
  etr_jw_end(&t->json);
}

/* Writes the trace of all runs that the options show, in ascending order, as etr_place_run() needs
 * it: an event for each span, in microseconds. Stops if the sink refuses. */
static void put_document(tracer *t) {
  etr_jw_object(&t->json);
  etr_field_text(&t->fields, "displayTimeUnit", "ns");
  etr_jw_key(&t->json, "otherData");
  etr_jw_object(&t->json);
  etr_field_text(&t->fields, "schema", "etrecord-tb/trace/1");
  etr_field_number(&t->fields, "ticks_per_second", t->profile->ticks_per_second);
  if (t->profile->takes_cycles_as_ns)
    etr_field_text(&t->fields, "clock_note", ETR_TICK_IS_TAKEN_AS_NS);
  etr_jw_end(&t->json);
  etr_field_begin_list(&t->fields, "traceEvents");
  for (uint32_t run = 0; run < t->profile->run_count && t->writer.status == ETR_OK; run++) {
    if (!etr_trace_shows(t->profile, t->options, run))
      continue;
    bool in_place = etr_place_run(&t->placer, run);
    const etr_block *block = &t->profile->blocks[t->profile->runs[run].block];
    for (size_t i = 0; i < t->placer.spans.count; i++)
      put_event(t, run, block, &t->placer.spans.data[i], in_place);
  }
  etr_jw_end(&t->json);
  etr_jw_end(&t->json);
}

/* Writes the trace in the format that the options choose: Chrome's events, or stacks. Texts of
 * events are made once and kept in arrays with an element for each event of the profile, as an
 * event occurs in many runs. */
static etr_status write_trace(const etr_profile *profile, const etr_trace_options *options,
                              const etr_sink *sink, etr_error *error) {
  if (options->format != ETR_TRACE_CHROME)
    return etr_trace_write_stacks(profile, options, sink, error);
  tracer t = {.profile = profile, .options = options};
  etr_arena_init(&t.arena);
  etr_map_init(&t.backends, &t.arena);
  etr_map_init(&t.tracks, &t.arena);
  etr_placer_init(&t.placer, &t.arena, profile);
  t.sources = etr_arena_alloc_array(&t.arena, t.placer.event_count, sizeof *t.sources);
  t.nodes = etr_arena_alloc_array(&t.arena, t.placer.event_count, sizeof *t.nodes);
  t.titles = etr_arena_alloc_array(&t.arena, t.placer.event_count, sizeof *t.titles);
  t.next_thread = etr_arena_alloc_array(&t.arena, t.placer.process_count, sizeof *t.next_thread);
  etr_writer_init(&t.writer, sink);
  etr_jw_init(&t.json, &t.writer, ETR_JW_DOCUMENT);
  t.fields = (etr_fields){profile, ETR_UNIT_US, &t.json};
  if (!etr_arena_failed(&t.arena))
    put_document(&t);
  if (etr_arena_failed(&t.arena) || t.placer.failed)
    t.writer.status = ETR_ERROR_MEMORY;
  etr_arena_clear(&t.arena);
  return etr_writer_finish(&t.writer, error);
}

/* Refuses a trace that would be empty, because no run that the options show was timed. */
static etr_status check_trace(const etr_profile *profile, const etr_trace_options *options,
                              etr_error *error) {
  for (uint32_t i = 0; i < profile->run_count; i++)
    if (etr_trace_shows(profile, options, i) && profile->runs[i].profile_events > 0)
      return ETR_OK;
  if (options->method != NULL)
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET, "no run of %.*s was timed",
                    ETR_HEAD(options->method, 80));
  return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                  "no times: a trace needs an ETDump");
}

etr_status etr_emit_trace(const etr_profile *profile, const etr_trace_options *options,
                          const etr_sink *sink, etr_error *error) {
  static const etr_trace_options all = {0};
  if (options == NULL)
    options = &all;
  ETR_TRY(check_trace(profile, options, error));
  if (!options->gzip)
    return write_trace(profile, options, sink, error);
  etr_gzip *gzip = etr_gzip_new(sink);
  if (gzip == NULL)
    return etr_fail_memory(error);
  etr_sink compressed = etr_gzip_sink(gzip);
  etr_status status = write_trace(profile, options, &compressed, error);
  bool complete = etr_gzip_end(gzip);
  if (status == ETR_OK && !complete)
    return etr_fail(error, ETR_ERROR_IO, NULL, NULL, ETR_NO_OFFSET,
                    "the output could not be written");
  return status;
}
