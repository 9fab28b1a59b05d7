/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_timeline.c - writes the events of one run of a method, column by column.
 */
#include "report/profile_doc.h"

#include <stdlib.h>

typedef struct run_time {
  uint64_t ticks;
  uint32_t run;
} run_time;

static int by_time(const void *a, const void *b) {
  const run_time *x = a, *y = b;
  if (x->ticks != y->ticks) return x->ticks < y->ticks ? -1 : 1;
  return (x->run > y->run) - (x->run < y->run);
}

/* Returns the run of a method whose time is the median (the faster one of two); ETR_NONE if there is none. */
static uint32_t median_run(etr_profile_doc *e, const etr_method *method) {
  const etr_profile *profile = e->fields.profile;
  size_t count = 0, all = 0;
  for (size_t b = 0; b < method->block_count; b++) all += profile->blocks[method->blocks[b]].run_count;
  run_time *runs = etr_arena_alloc_array(&e->arena, all, sizeof *runs);
  for (size_t b = 0; runs && b < method->block_count; b++) {
    const etr_block *block = &profile->blocks[method->blocks[b]];
    for (size_t i = 0; i < block->run_count; i++)
      runs[count++] = (run_time){profile->runs[block->runs[i]].execute_ticks, block->runs[i]};
  }
  if (count == 0) return ETR_NONE;
  etr_sort(runs, count, sizeof *runs, by_time);
  return runs[(count - 1) / 2].run;
}

/* An event of the run, and its position in the picture. */
typedef struct shown_event {
  const etr_event *event;
  const etr_span *span;
  uint64_t start;    /* nanoseconds since the first one */
  uint32_t operator; /* row of its operator; ETR_NONE */
} shown_event;

static etr_cell match(const void *row) {
  return etr_cell_text(etr_match_name(((const shown_event *)row)->event->match));
}

static etr_cell measured(const void *row) { return etr_cell_number(!((const shown_event *)row)->span->is_synthetic); }

#define EVENT(kind, member) NULL, kind, ETR_IN_DOCUMENT, ETR_VIA(shown_event, event, etr_event, member)
#define SPAN(kind, member) NULL, kind, ETR_IN_DOCUMENT, ETR_VIA(shown_event, span, etr_span, member)

static const etr_field event_fields[] = {
    {"name", EVENT(ETR_CELL_WORD, label), .says = "event"},
    {"duration", SPAN(ETR_CELL_TIME, ticks)},
    {"instruction", EVENT(ETR_CELL_COUNT, instruction_id)},
    {"backend", EVENT(ETR_CELL_WORD, backend), .says = "delegate's backend"},
    {"match", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, .get = match, .says = "how it was matched"},
    {"start", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(shown_event, start),
     .says = "drawn start, relative to the earliest event of the run; ascending"},
    {"scale", SPAN(ETR_CELL_NUMBER, scale),
     .says = "drawn length / duration: below 1 if it was scaled to fit into its call"},
    {"lane", SPAN(ETR_CELL_COUNT, track), .says = "index into lanes"},
    {"level", SPAN(ETR_CELL_COUNT, level), .says = "level in the lane; events of one level do not overlap"},
    {"measured", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, .get = measured,
     .says = "0: only its duration and order were measured, not its start"},
    {"operator", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(shown_event, operator),
     .says = "operator that has the time"},
};
ETR_ROW_TYPE(timeline_event, event_fields);

/* Returns false when out of memory. */
static bool put_events(etr_profile_doc *e, const etr_block *block, const etr_profile_operators *ops) {
  size_t count = e->placer.spans.count;
  shown_event *rows = etr_arena_alloc_array(&e->arena, count, sizeof *rows);
  for (size_t i = 0; rows && i < count; i++) {
    const etr_span *span = &e->placer.spans.data[i]; /* sorted by start */
    const etr_event *event = &block->events[span->event];
    rows[i] = (shown_event){event, span, span->start - e->placer.spans.data[0].start, ETR_NONE};
    if (ops->row_of && event->node_count > 0) rows[i].operator= ops->row_of[event->nodes[0]];
  }
  etr_profile_put_columns(e, NULL, &etr_timeline_event_fields, ETR_IN_DOCUMENT, ETR_ROWS(rows, rows ? count : 0));
  return rows != NULL;
}

static const etr_field lane_fields[] = {
    {"delegated", NULL, ETR_CELL_FLAG, ETR_IN_JSON, ETR_AT(etr_track, in_delegate),
     .says = "events recorded inside delegates"},
    {"backend", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_track, backend), .says = "the backend", .nullable = true},
    {"levels", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_track, levels),
     .says = "number of levels that its events occupy"},
};
ETR_ROW_TYPE(lane, lane_fields);

bool etr_profile_put_timeline(etr_profile_doc *e, const etr_method *method, const etr_profile_operators *ops) {
  const etr_fields *f = &e->fields;
  uint32_t index = median_run(e, method);
  if (index == ETR_NONE) {
    etr_jw_null(f->json);
    return true;
  }
  const etr_run *run = &f->profile->runs[index];
  etr_tracks tracks = {0};
  etr_arena scratch = {0};
  (void)etr_place_run(&e->placer, index);
  bool good = etr_place_levels(&e->placer, index, &tracks, &scratch);
  etr_jw_object(f->json);
  etr_field_count(f, "run", index);
  etr_field_ticks(f, "execute", (double)run->execute_ticks);
  etr_field_put_rows(f, "lanes", &etr_lane_fields, ETR_ROWS(tracks.data, tracks.count));
  good = put_events(e, &f->profile->blocks[run->block], ops) && good;
  etr_jw_end(f->json);
  etr_arena_clear(&scratch);
  return good;
}
