/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trace_stacks.c - runs as stacks, for flame graphs: speedscope's own format, with the stacks in
 * the order of time, and folded stacks, which Brendan Gregg's FlameGraph and speedscope read: one
 * line "method;module;operator nanoseconds" for each stack, with the time of all runs.
 *
 * A stack is the method, the modules around the operator from the outermost on, and the operator.
 * Equal operators of equal modules have one name, so viewers add them up. In folded stacks an event
 * counts without the events inside_ns it, so the sum of all lines is the time of the runs.
 */
#include "trace/trace_format.h"

#include "base/module_path.h"
#include "base/utf8.h"
#include "base/writer.h"
#include "output/fields.h"
#include "output/label.h"

/* What speedscope looks for. */
#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* An event that is drawn. */
typedef struct bar {
  uint64_t start, end; /* nanoseconds */
  uint64_t inside_ns;  /* nanoseconds of the bars directly inside_ns it */
  uint32_t process;
  uint32_t lane;  /* lane of its process, for events that overlap without being nested */
  uint32_t frame; /* index of its name */
  uint32_t stack; /* index of its folded stack */
} bar;

/* What a bar is called, with the line of the model. */
typedef struct frame {
  const char *name;
  const etr_source *source; /* NULL: not known */
} frame;

/* The bars that are open in a lane, innermost last. */
typedef struct open_lane {
  etr_vec(size_t) bars;
} open_lane;

/* Names and stacks of an event, which are made once. */
typedef struct event_names {
  uint32_t frame, stack; /* plus 1; 0: not made yet */
} event_names;

typedef struct stacks {
  const etr_profile *profile;
  const etr_trace_options *options;
  etr_arena arena;
  etr_arena scratch; /* memory of one run */
  etr_placer placer;
  etr_map frame_numbers, stack_numbers;
  event_names *names;     /* per event of all blocks */
  const char **processes; /* per process: its name; NULL: it has no bars */
  uint32_t *lane_counts;  /* per process */
  etr_vec(bar) bars;
  etr_vec(frame) frames;
  etr_vec(const char *) folded;
  etr_vec(open_lane) lanes; /* of the run that is placed */
} stacks;

/* ---- Names ---- */

/* Returns the number of an event's frame, which is added if its name is new: module and operator,
 * or the event's label. When out of memory it returns 0, and the arena has failed. */
static uint32_t number_frame(stacks *s, const etr_block *block, const etr_event *event) {
  const etr_node *node = etr_trace_node(s->profile, block, event);
  const char *name = event->label;
  if (node != NULL) {
    const char *module = etr_trace_module(s->profile, block, event);
    etr_slice op = etr_label_op(node->target);
    name = etr_arena_format(&s->arena, "%s%s%.*s", module, module[0] ? " \xC2\xB7 " : "",
                            (int)op.size, op.data);
  }
  if (name == NULL)
    return 0;
  uint32_t number = etr_map_number(&s->frame_numbers, etr_slice_of(name));
  bool is_new = number == s->frames.count;
  frame *added = is_new ? etr_vec_push(&s->arena, &s->frames) : NULL;
  if (number == ETR_NONE || (is_new && added == NULL))
    return 0;
  if (added != NULL)
    *added = (frame){name, node != NULL ? node->source : NULL};
  return number;
}

/* Writes a name as one frame of a folded stack. A ';', which would end it, becomes ':', and a
 * control character, which might end the line, a blank. */
static void put_frame_name(etr_writer *writer, etr_slice name) {
  for (size_t offset = 0, size; offset < name.size; offset += size) {
    uint32_t code = etr_character_at(name.data + offset, &size);
    if (code == ';')
      etr_puts(writer, ":");
    else if (etr_is_control(code))
      etr_puts(writer, " ");
    else
      etr_put(writer, (etr_slice){name.data + offset, size});
  }
}

/* Writes the modules that contain a node as frames of a folded stack, from the outermost on, each
 * with its whole path. The model itself is left out. */
static void put_modules(etr_writer *writer, const char *path) {
  size_t level = 0, end = 0;
  while (etr_next_module_around(path, &level, &end)) {
    if (end == 0) /* the model */
      continue;
    put_frame_name(writer, (etr_slice){path, end});
    etr_puts(writer, ";");
  }
}

/* Returns the number of an event's folded stack, "method;module;...;operator", which is added to
 * s->folded if it is new. When out of memory it returns 0, and the arena has failed. */
static uint32_t number_stack(stacks *s, const etr_block *block, const etr_event *event) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &s->arena, &writer);
  put_frame_name(&writer, etr_slice_of(etr_trace_method_name(s->profile, block)));
  etr_puts(&writer, ";");
  put_modules(&writer, etr_trace_module(s->profile, block, event));
  const etr_node *node = etr_trace_node(s->profile, block, event);
  put_frame_name(&writer, node != NULL ? etr_label_op(node->target) : etr_slice_of(event->label));
  const char *stack = etr_text_end(&text, &writer);
  if (stack == NULL)
    return 0;
  uint32_t number = etr_map_number(&s->stack_numbers, etr_slice_of(stack));
  bool is_new = number == s->folded.count;
  const char **added = is_new ? etr_vec_push(&s->arena, &s->folded) : NULL;
  if (number == ETR_NONE || (is_new && added == NULL))
    return 0;
  if (added != NULL)
    *added = stack;
  return number;
}

/* Names the process of a run in s->processes, unless it has a name: by the method, and by the path
 * of the ETDump if there are several. NULL when out of memory. */
static void name_process(stacks *s, size_t process, uint32_t run) {
  const etr_run *recorded_run = &s->profile->runs[run];
  const char *name = etr_trace_method_name(s->profile, &s->profile->blocks[recorded_run->block]);
  if (s->processes[process] != NULL)
    return;
  bool is_one_of_several = s->profile->etdump_count > 1 &&
                           recorded_run->dump < s->profile->etdump_count;
  s->processes[process] = is_one_of_several
                              ? etr_arena_format(&s->arena, "%s, %s", name,
                                                 s->profile->etdumps[recorded_run->dump])
                              : name;
}

/* ---- Collecting ---- */

/* Puts a bar into the first lane where it is inside the innermost bar that is still open, or behind
 * all bars, since a stack cannot overlap. Adds its time to the inside time of the bar that encloses
 * it. Sets the bar's lane, and s->lane_counts to the number of lanes of its process. */
static void assign_lane(stacks *s, size_t index) {
  bar *placed = &s->bars.data[index];
  for (placed->lane = 0;; placed->lane++) {
    if (placed->lane == s->lanes.count) {
      open_lane *added = etr_vec_push(&s->scratch, &s->lanes);
      if (added == NULL)
        return;
      *added = (open_lane){0};
    }
    open_lane *lane = &s->lanes.data[placed->lane];
    while (lane->bars.count > 0 &&
           s->bars.data[lane->bars.data[lane->bars.count - 1]].end <= placed->start)
      lane->bars.count--;
    bar *around = lane->bars.count > 0 ? &s->bars.data[lane->bars.data[lane->bars.count - 1]]
                                       : NULL;
    if (around != NULL && around->end < placed->end)
      continue;
    if (around != NULL)
      around->inside_ns += placed->end - placed->start;
    size_t *opened = etr_vec_push(&s->scratch, &lane->bars);
    if (opened != NULL)
      *opened = index;
    break;
  }
  s->lane_counts[placed->process] = ETR_MAX(s->lane_counts[placed->process], placed->lane + 1);
}

/* Adds the bars of a run, one for each of its spans, with their frames, stacks and lanes. The names
 * of an event are made once; 0 says that they are not known, so their numbers are stored plus 1.
 * Whether the run was moved behind another one does not matter here. */
static void add_run_bars(stacks *s, uint32_t run) {
  const etr_block *block = &s->profile->blocks[s->profile->runs[run].block];
  size_t process = etr_placer_process(&s->placer, run);
  (void)etr_place_run(&s->placer, run);
  name_process(s, process, run);
  etr_arena_init(&s->scratch);
  memset(&s->lanes, 0, sizeof s->lanes);
  for (size_t i = 0; i < s->placer.spans.count; i++) {
    const etr_span *span = &s->placer.spans.data[i];
    const etr_event *event = &block->events[span->event];
    event_names
        *names = &s->names[s->placer.first_event[s->profile->runs[run].block] + span->event];
    if (names->frame == 0)
      *names = (event_names){number_frame(s, block, event) + 1, number_stack(s, block, event) + 1};
    bar *added = etr_vec_push(&s->arena, &s->bars);
    if (added == NULL)
      break;
    *added = (bar){.start = span->start,
                   .end = span->end,
                   .process = (uint32_t)process,
                   .frame = names->frame - 1,
                   .stack = names->stack - 1};
    assign_lane(s, s->bars.count - 1);
  }
  s->placer.failed |= etr_arena_failed(&s->scratch);
  etr_arena_clear(&s->scratch);
}

/* ---- Folded stacks ---- */

/* Writes the stacks in the folded format of flame graphs: each with its own time in nanoseconds,
 * without that of events inside it. Stacks without time of their own are left out. */
static void put_folded(stacks *s, etr_writer *writer) {
  uint64_t *own_times = etr_arena_alloc_array(&s->arena, s->folded.count, sizeof *own_times);
  for (size_t i = 0; own_times != NULL && i < s->bars.count; i++) {
    const bar *stack_bar = &s->bars.data[i];
    own_times[stack_bar->stack] += stack_bar->end - stack_bar->start - stack_bar->inside_ns;
  }
  for (size_t i = 0; own_times != NULL && i < s->folded.count; i++) {
    if (own_times[i] == 0)
      continue;
    etr_puts(writer, s->folded.data[i]);
    etr_puts(writer, " ");
    etr_put_uint(writer, own_times[i]);
    etr_puts(writer, "\n");
  }
}

/* ---- speedscope ---- */

/* Writes the opening ("O") or the closing ("C") of a frame as an event of speedscope, at a time in
 * nanoseconds. */
static void put_event(etr_fields *fields, const char *type, uint32_t frame_number, uint64_t ns) {
  etr_jw_object(fields->json);
  etr_field_text(fields, "type", type);
  etr_field_count(fields, "frame", frame_number);
  etr_field_count(fields, "at", ns);
  etr_jw_end(fields->json);
}

/* The bars that are open, each inside the one before it. */
typedef etr_vec(const bar *) bar_stack;

/* Writes the closing of those open bars that end at this time or before, from the innermost on. */
static void close_bars(etr_fields *fields, bar_stack *open_bars, uint64_t time_ns) {
  for (; open_bars->count > 0; open_bars->count--) {
    const bar *innermost = open_bars->data[open_bars->count - 1];
    if (innermost->end > time_ns)
      return;
    put_event(fields, "C", innermost->frame, innermost->end);
  }
}

/* Writes the bars of one lane of a process as a profile of speedscope: the opening and closing of
 * frames in the order of time. All profiles of a process end with its last bar, so that they can be
 * compared. */
static void put_profile(stacks *s, etr_fields *fields, size_t process, uint32_t lane) {
  bar_stack open_bars = {0};
  uint64_t end = 0;
  for (size_t i = 0; i < s->bars.count; i++)
    if (s->bars.data[i].process == process)
      end = ETR_MAX(end, s->bars.data[i].end);
  etr_jw_object(fields->json);
  etr_field_text(fields, "type", "evented");
  const char *name = s->processes[process];
  if (lane > 0)
    name = etr_arena_format(&s->arena, "%s, overlap %u", name, (unsigned)lane);
  etr_field_text(fields, "name", name);
  etr_field_text(fields, "unit", "nanoseconds");
  etr_field_count(fields, "startValue", 0);
  etr_field_count(fields, "endValue", end);
  etr_field_begin_list(fields, "events");
  for (size_t i = 0; i < s->bars.count; i++) {
    const bar *drawn = &s->bars.data[i];
    if (drawn->process != process || drawn->lane != lane)
      continue;
    close_bars(fields, &open_bars, drawn->start);
    put_event(fields, "O", drawn->frame, drawn->start);
    const bar **opened = etr_vec_push(&s->arena, &open_bars);
    if (opened == NULL)
      break;
    *opened = drawn;
  }
  close_bars(fields, &open_bars, UINT64_MAX);
  etr_jw_end(fields->json);
  etr_jw_end(fields->json);
}

/* Writes "shared", the frames that all profiles refer to by their index, with their source lines.
 */
static void put_frames(stacks *s, etr_fields *fields) {
  etr_jw_key(fields->json, "shared");
  etr_jw_object(fields->json);
  etr_field_begin_list(fields, "frames");
  for (size_t i = 0; i < s->frames.count; i++) {
    const frame *shared_frame = &s->frames.data[i];
    etr_jw_object(fields->json);
    etr_field_text(fields, "name", shared_frame->name);
    if (shared_frame->source != NULL) {
      etr_field_text(fields, "file", shared_frame->source->file);
      etr_jw_key(fields->json, "line");
      etr_jw_int(fields->json, shared_frame->source->line);
    }
    etr_jw_end(fields->json);
  }
  etr_jw_end(fields->json);
  etr_jw_end(fields->json);
}

/* Writes the document that speedscope reads: the frames, and a profile for each lane of each
 * process. */
static void put_speedscope(stacks *s, etr_writer *writer) {
  etr_jw json;
  etr_jw_init(&json, writer, ETR_JW_DOCUMENT);
  etr_fields fields = {s->profile, ETR_UNIT_US, &json};
  etr_jw_object(&json);
  etr_field_text(&fields, "$schema", SCHEMA);
  etr_field_text(&fields, "exporter", "etrecord-tb");
  etr_field_count(&fields, "activeProfileIndex", 0);
  put_frames(s, &fields);
  etr_field_begin_list(&fields, "profiles");
  for (size_t process = 0; process < s->placer.process_count; process++)
    for (uint32_t lane = 0; lane < s->lane_counts[process]; lane++)
      put_profile(s, &fields, process, lane);
  etr_jw_end(&json);
  etr_jw_end(&json);
}

etr_status etr_trace_write_stacks(const etr_profile *profile, const etr_trace_options *options,
                                  const etr_sink *sink, etr_error *error) {
  stacks s = {.profile = profile, .options = options};
  etr_arena_init(&s.arena);
  etr_map_init(&s.frame_numbers, &s.arena);
  etr_map_init(&s.stack_numbers, &s.arena);
  etr_placer_init(&s.placer, &s.arena, profile);
  s.names = etr_arena_alloc_array(&s.arena, s.placer.event_count, sizeof *s.names);
  s.processes = etr_arena_alloc_array(&s.arena, s.placer.process_count, sizeof *s.processes);
  s.lane_counts = etr_arena_alloc_array(&s.arena, s.placer.process_count, sizeof *s.lane_counts);
  etr_writer writer;
  etr_writer_init(&writer, sink);
  for (uint32_t run = 0; run < profile->run_count && !etr_arena_failed(&s.arena); run++)
    if (etr_trace_shows(profile, options, run))
      add_run_bars(&s, run);
  if (!etr_arena_failed(&s.arena) && options->format == ETR_TRACE_FOLDED)
    put_folded(&s, &writer);
  else if (!etr_arena_failed(&s.arena))
    put_speedscope(&s, &writer);
  if (etr_arena_failed(&s.arena) || s.placer.failed)
    writer.status = ETR_ERROR_MEMORY;
  etr_arena_clear(&s.arena);
  return etr_writer_finish(&writer, error);
}
