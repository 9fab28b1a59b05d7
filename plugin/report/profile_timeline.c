/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_timeline.c - writes the events of a method's runs. Runs with the same events in the same
 * order share a structure, which says what the events are; a run has only their times.
 */
#include "report/profile_doc.h"
#include "views/delegation.h"

/* An event of a structure. */
typedef struct structure_event {
  uint32_t event, lane, level; /* event: index in its block */
  uint32_t is_synthetic;
} structure_event;

/* The sequence of events that some runs have. */
typedef struct structure {
  uint32_t block;
  const structure_event *events;
  size_t count;
  etr_tracks lanes;
} structure;

typedef struct timeline {
  etr_profile_doc *doc;
  const etr_method *method;
  const etr_profile_operators *ops;
  etr_map index_of_structure; /* block and events -> index in structures */
  etr_vec(structure) structures;
} timeline;

/* ---- Structures ---- */

/* Returns the index of the structure of the run that was placed last: its events and where they are
 * drawn, without their times, which many runs share. A new one is added, with its lanes. Returns
 * ETR_NONE when out of memory. */
static uint32_t number_structure(timeline *t, uint32_t block, const etr_tracks *lanes) {
  size_t count = t->doc->placer.spans.count;
  structure_event *events = etr_arena_alloc_array(&t->doc->arena, count + 1, sizeof *events);
  if (!events)
    return ETR_NONE;
  for (size_t i = 0; i < count; i++) {
    const etr_span *span = &t->doc->placer.spans.data[i]; /* sorted by start */
    events[i] = (structure_event){span->event, span->track, span->level, span->is_synthetic};
  }
  events[count] = (structure_event){.event = block}; /* a part of the key */
  etr_map_slot *slot = etr_map_at(&t->index_of_structure,
                                  (etr_slice){(const char *)events, (count + 1) * sizeof *events});
  if (!slot)
    return ETR_NONE;
  if (slot->value != ETR_NONE)
    return slot->value;
  structure *added = etr_vec_push(&t->doc->arena, &t->structures);
  if (!added)
    return ETR_NONE;
  *added = (structure){block, events, count, *lanes};
  slot->value = (uint32_t)(t->structures.count - 1);
  return slot->value;
}

/* An event of a structure, as it is written. */
typedef struct shown_event {
  const structure_event *at;
  const etr_event *event;
  uint32_t operator, delegate;
} shown_event;

static etr_cell match(const void *row) {
  return etr_cell_text(etr_match_name(((const shown_event *)row)->event->match));
}

/* Returns the cell with the word for an event's kind. */
static etr_cell event_kind_cell(const void *row) {
  static const char *const names[] = {[ETR_EVENT_FRAMEWORK] = "framework",
                                      [ETR_EVENT_KERNEL] = "kernel",
                                      [ETR_EVENT_DELEGATE_CALL] = "delegate_call",
                                      [ETR_EVENT_DELEGATE_OPERATOR] = "delegate_operator"};
  return etr_cell_text(names[((const shown_event *)row)->event->kind]);
}

static etr_cell phase(const void *row) {
  return etr_cell_text(etr_phase_name(((const shown_event *)row)->event->phase));
}

static etr_cell measured(const void *row) {
  return etr_cell_number(!((const shown_event *)row)->at->is_synthetic);
}

static etr_cell estimated(const void *row) {
  const etr_event *event = ((const shown_event *)row)->event;
  return etr_cell_number(event->is_estimated || event->match == ETR_MATCH_ALIGNED);
}

#define EVENT(event_kind_cell, member)                                                             \
  NULL, event_kind_cell, ETR_IN_DOCUMENT, ETR_VIA(shown_event, event, etr_event, member)
#define PLACE(event_kind_cell, member)                                                             \
  NULL, event_kind_cell, ETR_IN_DOCUMENT, ETR_VIA(shown_event, at, structure_event, member)

static const etr_field event_fields[] = {
    {"name", EVENT(ETR_CELL_WORD, label), .says = ETR_SAYS("event, as it was recorded")},
    {"kind", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, .get = event_kind_cell,
     .says = ETR_SAYS("framework, kernel, delegate_call, delegate_operator")},
    {"phase", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, .get = phase,
     .says = ETR_SAYS("of a delegate's own time: copy_in, compute, wait, copy_out, other")},
    {"instruction_step", EVENT(ETR_CELL_STEP, instruction_id),
     .says = ETR_SAYS("instruction, as the distance from that of the event before that has one")},
    {"backend", EVENT(ETR_CELL_WORD, backend), .says = ETR_SAYS("delegate's backend")},
    {"delegate", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(shown_event, delegate),
     .says = ETR_SAYS("of a delegate's call and of what is in it: index into delegates")},
    {"match", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, .get = match,
     .says = ETR_SAYS("how it was matched")},
    {"estimated", NULL, ETR_CELL_FLAG, ETR_IN_DOCUMENT, .get = estimated,
     .says = ETR_SAYS("its match or its time is an estimate")},
    {"lane", PLACE(ETR_CELL_COUNT, lane), .says = ETR_SAYS("index into lanes")},
    {"level", PLACE(ETR_CELL_COUNT, level),
     .says = ETR_SAYS("level in the lane; events of one level do not overlap")},
    {"measured", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, .get = measured,
     .says = ETR_SAYS("0: only its duration and order were measured, not its start")},
    {"operator_step", NULL, ETR_CELL_STEP, ETR_IN_DOCUMENT, ETR_AT(shown_event, operator),
     .says = ETR_SAYS(
         "operator that has the time, as the distance from that of the event before that has "
         "one")},
};
ETR_ROW_TYPE(timeline_event, event_fields);

static const etr_field lane_fields[] = {
    {"delegated", NULL, ETR_CELL_FLAG, ETR_IN_JSON, ETR_AT(etr_track, in_delegate),
     .says = ETR_SAYS("events recorded inside delegates")},
    {"backend", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_track, backend),
     .says = ETR_SAYS("the backend"), .nullable = true},
    {"levels", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_track, levels),
     .says = ETR_SAYS("number of levels that its events occupy")},
};
ETR_ROW_TYPE(lane, lane_fields);

/* Writes the lanes and events that runs of one structure share. Returns false when out of memory.
 * */
static bool put_structure(timeline *t, const structure *s) {
  const etr_fields *f = &t->doc->fields;
  shown_event *rows = etr_arena_alloc_array(&t->doc->arena, s->count, sizeof *rows);
  if (!rows)
    return false;
  for (size_t i = 0; i < s->count; i++) {
    const etr_event *event = &f->profile->blocks[s->block].events[s->events[i].event];
    rows[i] = (shown_event){&s->events[i], event, ETR_NONE, ETR_NONE};
    if (t->ops->row_of && event->node_count > 0)
      rows[i].operator = t->ops->row_of[event->nodes[0]];
    if (event->kind == ETR_EVENT_DELEGATE_CALL || event->kind == ETR_EVENT_DELEGATE_OPERATOR)
      rows[i].delegate = etr_delegate_at(t->method, event->instruction_id);
  }
  etr_jw_object(f->json);
  etr_field_put_rows(f, "lanes", &etr_lane_fields, ETR_ROWS(s->lanes.data, s->lanes.count));
  etr_profile_put_columns(t->doc, NULL, &etr_timeline_event_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(rows, s->count));
  etr_jw_end(f->json);
  return true;
}

/* ---- Runs ---- */

/* The times of an event in a run, in nanoseconds. */
typedef struct run_event {
  double gap, time;
  double scale;    /* NAN: 1 */
  double duration; /* as it is written for an event with nothing inside */
  uint32_t around; /* the event that it is inside of; ETR_NONE */
} run_event;

static const etr_field run_fields[] = {
    {"gap", NULL, ETR_CELL_NUMBER, ETR_IN_DOCUMENT, ETR_AT(run_event, gap),
     .says = ETR_SAYS(
         "start of an event: after the start of the event before it if it is inside that event "
         "(its lane is below, "
         "or is the same and its level is deeper), else after that event's start plus its "
         "duration in whole "
         "nanoseconds")},
    {"time", NULL, ETR_CELL_NUMBER, ETR_IN_DOCUMENT, ETR_AT(run_event, time),
     .says = ETR_SAYS(
         "duration of an event; if others are inside it, what is left of it after the last of "
         "these that are "
         "directly inside: its own start plus its duration, minus that one's start plus duration")},
    {"scale", NULL, ETR_CELL_NUMBER, ETR_IN_DOCUMENT, ETR_AT(run_event, scale),
     .says = ETR_SAYS("drawn length / duration, if it was scaled to fit into its call; null: 1")},
};
ETR_ROW_TYPE(timeline_run, run_fields);

static bool is_inside(const etr_span *span, const etr_span *other) {
  return span->track != other->track ? span->track > other->track : span->level > other->level;
}

/* Sets the numbers that are written for each event, in nanoseconds: the gap before it, and its
 * duration or, if events are inside it, what is left of it after the last one directly inside.
 * These are small or repeat, so they compress well; the page adds them up again. An event is in the
 * last event before it that it can be inside of. */
static void set_event_times(const etr_profile_doc *doc, run_event *rows) {
  const etr_span *spans = doc->placer.spans.data;
  for (size_t i = 0; i < doc->placer.spans.count; i++) {
    const double duration = etr_profile_ns(doc, (double)spans[i].ticks);
    rows[i] = (run_event){0, duration, spans[i].scale == 1 ? NAN : spans[i].scale, duration,
                          ETR_NONE};
    if (i == 0)
      continue;
    uint32_t enclosing = (uint32_t)i - 1;
    bool is_first_inside = is_inside(&spans[i], &spans[enclosing]);
    rows[i].gap = (double)spans[i].start - (double)spans[enclosing].start -
                  (is_first_inside ? 0 : floor(rows[enclosing].duration));
    while (enclosing != ETR_NONE && !is_inside(&spans[i], &spans[enclosing]))
      enclosing = rows[enclosing].around;
    rows[i].around = enclosing;
    if (enclosing != ETR_NONE)
      rows[enclosing].time = (double)spans[enclosing].start + rows[enclosing].duration -
                             (double)spans[i].start - duration;
  }
}

/* Writes the times of the events of the run that was placed last, rounded to thousandths of a
 * nanosecond. Returns false when out of memory. */
static bool put_run_events(etr_profile_doc *doc) {
  size_t count = doc->placer.spans.count;
  run_event *rows = etr_arena_alloc_array(&doc->arena, count, sizeof *rows);
  if (!rows)
    return false;
  set_event_times(doc, rows);
  for (size_t i = 0; i < count; i++)
    rows[i].time = round(rows[i].time * 1e3) / 1e3;
  etr_profile_put_columns(doc, NULL, &etr_timeline_run_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(rows, count));
  return true;
}

/* Writes one run of the method: its index among the method's runs, the index of its structure, and
 * the times of its events. Each run is drawn by itself, so it does not matter whether placing moved
 * it behind the one before. Returns false when out of memory. */
static bool put_run(timeline *t, uint32_t run_index) {
  const etr_fields *f = &t->doc->fields;
  uint32_t profile_run = t->method->runs[run_index];
  etr_tracks lanes = {0};
  (void)etr_place_run(&t->doc->placer, profile_run);
  if (!etr_place_levels(&t->doc->placer, profile_run, &lanes, &t->doc->arena))
    return false;
  uint32_t number = number_structure(t, f->profile->runs[profile_run].block, &lanes);
  if (number == ETR_NONE)
    return false;
  etr_jw_object(f->json);
  etr_field_count(f, "run", run_index);
  etr_field_count(f, "structure", number);
  bool good = put_run_events(t->doc);
  etr_jw_end(f->json);
  return good;
}

bool etr_profile_put_timeline(etr_profile_doc *doc, const etr_method *method,
                              const etr_profile_operators *ops) {
  const etr_fields *f = &doc->fields;
  timeline t = {.doc = doc, .method = method, .ops = ops};
  etr_profile_runs shown;
  etr_map_init(&t.index_of_structure, &doc->arena);
  bool good = etr_profile_choose_runs(&shown, &doc->arena, f->profile, method);
  if (!good)
    return false;
  etr_jw_object(f->json);
  etr_field_count(f, "runs_left_out", method->run_count - shown.count);
  etr_field_begin_list(f, "runs");
  for (size_t i = 0; good && i < shown.count; i++)
    good = put_run(&t, shown.run_indices[i]);
  etr_jw_end(f->json);
  etr_field_begin_list(f, "structures");
  for (size_t i = 0; good && i < t.structures.count; i++)
    good = put_structure(&t, &t.structures.data[i]);
  etr_jw_end(f->json);
  etr_jw_end(f->json);
  return good;
}
