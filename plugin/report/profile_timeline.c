/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_timeline.c - the events of one run of a method, column by column.
 */
#include "profile_doc.h"

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

/* The run of a method whose time is the median (of two, the faster one); ETR_NONE if there is none. */
static uint32_t median_run(etr_profile_doc *e, const etr_method *method) {
  const etr_profile *profile = e->fields.profile;
  run_time *runs = etr_arena_alloc_array(&e->arena, profile->run_count, sizeof *runs);
  size_t count = 0;
  for (uint32_t i = 0; runs && i < profile->run_count; i++) {
    uint32_t index = profile->blocks[profile->runs[i].block].method;
    if (index != ETR_NONE && &profile->methods[index] == method) runs[count++] = (run_time){profile->runs[i].execute_ticks, i};
  }
  if (count == 0) return ETR_NONE;
  qsort(runs, count, sizeof *runs, by_time);
  return runs[(count - 1) / 2].run;
}

/* One occurrence of an event in the run that is shown. */
typedef struct occurrence {
  const etr_event *event;
  uint64_t start, duration;
} occurrence;

typedef struct occurrences {
  occurrence *data;
  size_t count, capacity;
  uint64_t first; /* start of the earliest */
} occurrences;

static void find_occurrences(etr_profile_doc *e, occurrences *found, const etr_block *block, uint32_t run) {
  *found = (occurrences){.first = UINT64_MAX};
  for (size_t i = 0; i < block->event_count; i++) {
    const etr_event *event = &block->events[i];
    for (size_t k = 0; k < event->sample_count; k++) {
      occurrence *added = event->sample_runs[k] == run ? etr_vec_push(&e->arena, found) : NULL;
      if (!added) continue;
      *added = (occurrence){event, event->starts[k], event->durations[k]};
      found->first = ETR_MIN(found->first, event->starts[k]);
    }
  }
}

static void put_event_name(etr_profile_doc *e, const occurrence *o) { etr_profile_put_text(e, o->event->name); }
static void put_event_duration(etr_profile_doc *e, const occurrence *o) { etr_profile_put_ns(e, (double)o->duration); }
static void put_event_instruction(etr_profile_doc *e, const occurrence *o) { etr_jw_int(e->fields.json, o->event->instruction_id); }
static void put_event_backend(etr_profile_doc *e, const occurrence *o) { etr_profile_put_text(e, o->event->backend); }
static void put_event_delegated(etr_profile_doc *e, const occurrence *o) { etr_jw_int(e->fields.json, o->event->delegate_id != NULL); }
static void put_event_match(etr_profile_doc *e, const occurrence *o) { etr_profile_put_text(e, etr_match_name(o->event->match)); }

static void put_events(etr_profile_doc *e, const occurrences *found, const etr_profile_operators *ops) {
  static const struct {
    const char *key;
    void (*put)(etr_profile_doc *e, const occurrence *o);
  } columns[] = {{"name", put_event_name},       {"duration", put_event_duration},   {"instruction", put_event_instruction},
                 {"backend", put_event_backend}, {"delegated", put_event_delegated}, {"match", put_event_match}};
  const etr_fields *f = &e->fields;
  for (size_t i = 0; i < ETR_COUNT(columns); i++) {
    etr_field_list(f, columns[i].key);
    for (size_t k = 0; k < found->count; k++) columns[i].put(e, &found->data[k]);
    etr_jw_end(f->json);
  }
  etr_field_list(f, "start");
  for (size_t k = 0; k < found->count; k++) etr_profile_put_ns(e, (double)(found->data[k].start - found->first));
  etr_jw_end(f->json);
  etr_field_list(f, "operator");
  for (size_t k = 0; k < found->count; k++) {
    const etr_event *event = found->data[k].event;
    etr_profile_put_index(e, ops->row_of && event->node_count > 0 ? ops->row_of[event->nodes[0]] : ETR_NONE);
  }
  etr_jw_end(f->json);
}

void etr_profile_put_timeline(etr_profile_doc *e, const etr_method *method, const etr_profile_operators *ops) {
  const etr_fields *f = &e->fields;
  uint32_t index = median_run(e, method);
  etr_jw_key(f->json, "timeline");
  if (index == ETR_NONE) {
    etr_jw_null(f->json);
    return;
  }
  const etr_run *run = &f->profile->runs[index];
  occurrences found;
  find_occurrences(e, &found, &f->profile->blocks[run->block], index);
  etr_jw_object(f->json);
  etr_field_count(f, "run", index);
  etr_field_ticks(f, "execute", (double)run->execute_ticks);
  put_events(e, &found, ops);
  etr_jw_end(f->json);
}
