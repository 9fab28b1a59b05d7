/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_runs.c - chooses the runs that the dashboard's document has in full, and writes the time
 * of each operator in each of them.
 */
#include "report/profile_doc.h"

#include <stdlib.h>

/* ---- Which runs ---- */

typedef struct run_time {
  uint64_t ticks;
  uint32_t run_index;
} run_time;

static int by_time(const void *a, const void *b) {
  const run_time *x = a, *y = b;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? -1 : 1;
  return (x->run_index > y->run_index) - (x->run_index < y->run_index);
}

/* Returns the method's runs, the fastest one first; NULL when out of memory. */
static const run_time *sort_runs(etr_arena *arena, const etr_method *method) {
  run_time *runs = etr_arena_alloc_array(arena, method->run_count, sizeof *runs);
  for (uint32_t i = 0; runs && i < method->run_count; i++)
    runs[i] = (run_time){method->execute_per_run[i], i};
  if (runs)
    etr_sort(runs, method->run_count, sizeof *runs, by_time);
  return runs;
}

/* Returns the index of a run among the method's included runs; run_count if it is none of them. */
static size_t place_of(const etr_method *method, uint32_t run) {
  return etr_find_int((int32_t)run, method->runs, method->run_count, sizeof *method->runs);
}

/* Returns how many events each run has at most. */
static size_t most_events(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  size_t *counts = etr_arena_alloc_array(arena, method->run_count + 1, sizeof *counts), most = 1;
  for (size_t b = 0; counts && b < method->block_count; b++) {
    const etr_block *block = &profile->blocks[method->blocks[b]];
    for (size_t i = 0; i < block->event_count; i++)
      for (size_t k = 0; k < block->events[i].sample_count; k++)
        counts[place_of(method, block->events[i].sample_runs[k])]++;
  }
  for (size_t i = 0; counts && i < method->run_count; i++)
    most = ETR_MAX(most, counts[i]);
  return most;
}

static size_t index_of(const etr_profile_runs *runs, uint32_t run_index) {
  size_t at = 0;
  while (at < runs->count && runs->places[at] != run_index)
    at++;
  return at;
}

bool etr_profile_choose_runs(etr_profile_runs *out, etr_arena *arena, const etr_profile *profile,
                             const etr_method *method) {
  const run_time *runs = sort_runs(arena, method);
  uint32_t *places = etr_arena_alloc_array(arena, method->run_count, sizeof *places);
  bool *is_chosen = etr_arena_alloc_array(arena, method->run_count, sizeof *is_chosen);
  *out = (etr_profile_runs){.places = places};
  if (!runs || !places || !is_chosen)
    return false;
  size_t count = method->run_count,
         room = ETR_PROFILE_MOST_EVENTS / most_events(arena, profile, method);
  const uint32_t first[] = {runs[(count - 1) / 2].run_index, runs[count - 1].run_index,
                            runs[0].run_index, 0};
  for (size_t i = 0; i < ETR_COUNT(first) && i < ETR_MAX(room, (size_t)1); i++)
    is_chosen[first[i]] = true;
  size_t left = count, others,
         seen = 0; /* runs that are not chosen yet, those that will be, those that were looked at */
  for (size_t i = 0; i < count; i++)
    left -= is_chosen[i];
  others = ETR_MIN(left, room - ETR_MIN(room, count - left));
  for (uint32_t i = 0; i < count; i++) {
    bool is_other = !is_chosen[i] && seen * others / left < (seen + 1) * others / left;
    seen += !is_chosen[i];
    if (is_chosen[i] || is_other)
      places[out->count++] = i;
  }
  out->median = index_of(out, first[0]);
  out->slowest = index_of(out, first[1]);
  out->fastest = index_of(out, first[2]);
  return !etr_arena_failed(arena);
}

/* ---- Times of operators that the events of the timeline do not give ---- */

/* An event of a node. */
typedef struct node_event {
  const etr_event *event;
  uint32_t next;
} node_event;

typedef struct run_list {
  etr_profile_doc *e;
  const etr_method *method;
  const etr_profile_operators *ops;
  etr_profile_runs shown;
  uint32_t
      *first_event; /* per node: its first event in `events`, where others are linked; ETR_NONE */
  etr_vec(node_event) events;
  uint64_t *ticks; /* per run of the method: what the events of a node take; zeroed between nodes */
} run_list;

/* Links the events that the timeline has to the nodes that have their time there. */
static bool list_events(run_list *l) {
  const etr_profile *profile = l->e->fields.profile;
  for (size_t b = 0; b < l->method->block_count; b++) {
    const etr_block *block = &profile->blocks[l->method->blocks[b]];
    for (size_t i = 0; i < block->event_count; i++) {
      const etr_event *event = &block->events[i];
      if (event->node_count == 0 || !etr_is_placed(event))
        continue;
      node_event *added = etr_vec_push(&l->e->arena, &l->events);
      if (!added)
        return false;
      *added = (node_event){event, l->first_event[event->nodes[0]]};
      l->first_event[event->nodes[0]] = (uint32_t)(l->events.count - 1);
    }
  }
  return true;
}

/* Prepares the list of runs. Returns false when out of memory. */
static bool open_list(run_list *l) {
  etr_arena *arena = &l->e->arena;
  size_t nodes = l->ops->graph ? l->ops->graph->node_count : 0;
  l->first_event = etr_arena_alloc_array(arena, nodes, sizeof *l->first_event);
  l->ticks = etr_arena_alloc_array(arena, l->method->run_count + 1, sizeof *l->ticks);
  if (etr_arena_failed(arena))
    return false;
  memset(l->first_event, 0xff, nodes * sizeof *l->first_event);
  return etr_profile_choose_runs(&l->shown, arena, l->e->fields.profile, l->method) &&
         list_events(l);
}

/* Adds the times of a node's events to `ticks`, or, if they are cleared, returns false if one of
 * these is left there.
 */
static bool go_through_events(run_list *l, uint32_t node, bool is_cleared) {
  bool is_same = true;
  for (uint32_t i = l->first_event[node]; i != ETR_NONE; i = l->events.data[i].next) {
    const etr_event *event = l->events.data[i].event;
    for (size_t k = 0; k < event->sample_count; k++) {
      size_t run_index = place_of(l->method, event->sample_runs[k]);
      if (run_index == l->method->run_count)
        continue;
      is_same = is_same && (!is_cleared || l->ticks[run_index] == 0);
      l->ticks[run_index] = is_cleared
                                ? 0
                                : etr_add_up_to_most(l->ticks[run_index], event->durations[k]);
    }
    is_same = is_same && event->unit == ETR_EVENT_UNIT_TIME;
  }
  return is_same;
}

/* Returns true if the events of a node give its time in each run. */
static bool follows_from_events(run_list *l, uint32_t node) {
  const etr_node_time *time = &l->ops->graph->times[node];
  bool is_same = go_through_events(l, node, false);
  for (size_t i = 0; i < time->runs; i++) {
    is_same = is_same && l->ticks[time->each_run[i].run] == time->each_run[i].ticks;
    l->ticks[time->each_run[i].run] = 0;
  }
  return go_through_events(l, node, true) && is_same;
}

/* Writes the times of a node in the runs that are shown; null where it did not run. */
static void put_times(const run_list *l, const etr_node_time *time) {
  for (size_t shown = 0, i = 0; shown < l->shown.count; shown++) {
    while (i < time->runs && time->each_run[i].run < l->shown.places[shown])
      i++;
    bool has_run = i < time->runs && time->each_run[i].run == l->shown.places[shown];
    etr_profile_put_ns(l->e, has_run ? (double)time->each_run[i].ticks : NAN);
  }
}

/* Writes the times of operators that do not follow from events. */
static bool put_other_times(run_list *l) {
  const etr_fields *f = &l->e->fields;
  uint32_t *rows = etr_arena_alloc_array(&l->e->arena, l->ops->count, sizeof *rows);
  size_t count = 0;
  if (!rows)
    return false;
  for (uint32_t row = 0; l->ops->graph->times && row < l->ops->count; row++) {
    const etr_node_time *time = &l->ops->graph->times[l->ops->nodes[row]];
    if (time->each_run && !follows_from_events(l, l->ops->nodes[row]))
      rows[count++] = row;
  }
  etr_field_list(f, "operators");
  for (size_t i = 0; i < count; i++)
    etr_jw_uint(f->json, rows[i]);
  etr_jw_end(f->json);
  etr_field_list(f, "times");
  for (size_t i = 0; i < count; i++)
    put_times(l, &l->ops->graph->times[l->ops->nodes[rows[i]]]);
  etr_jw_end(f->json);
  return true;
}

/* ---- What makes slow runs slow ---- */

enum { MOST_BLAMED = 3 };

/* A run, and the operators that take longest in it beyond their medians, the worst first. */
typedef struct slow_run {
  uint32_t run_index;
  bool is_outlier;
  struct {
    uint32_t operator;
    double excess; /* in ticks */
  } blamed[MOST_BLAMED];
} slow_run;

#define BLAMED(number)                                                                             \
  {"operator_" #number, NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT,                                     \
   ETR_AT(slow_run, blamed[number - 1].operator)},                                                 \
  {                                                                                                \
    "excess_" #number, NULL, ETR_CELL_TIME, ETR_IN_DOCUMENT,                                       \
        ETR_AT(slow_run, blamed[number - 1].excess)                                                \
  }

static const etr_field slow_run_fields[] = {
    {"run", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(slow_run, run_index),
     .says = "index into execute_per_run"},
    {"outlier", NULL, ETR_CELL_FLAG, ETR_IN_DOCUMENT, ETR_AT(slow_run, is_outlier),
     .says = "it is far slower than the others; otherwise it is slower than the median"},
    BLAMED(1),
    BLAMED(2),
    BLAMED(3),
};
ETR_ROW_TYPE(slow_run, slow_run_fields);

/* Inserts an operator into the list of a run, if it belongs there. */
static void blame(slow_run *run, uint32_t operator, double excess) {
  size_t at = MOST_BLAMED;
  while (at > 0 && excess > run->blamed[at - 1].excess) {
    if (at < MOST_BLAMED)
      run->blamed[at] = run->blamed[at - 1];
    at--;
  }
  if (at == MOST_BLAMED)
    return;
  run->blamed[at].operator = operator;
  run->blamed[at].excess = excess;
}

/* Marks the slow runs of the method. Its outliers are known by their distance from the median, if
 * all are slow. */
static void mark_outliers(const run_list *l, slow_run *runs) {
  const etr_method *method = l->method;
  bool has_outliers = method->noise.least_outlier > 1 && method->mixed_phase_count <= 1;
  double least = has_outliers ? method->noise.least_outlier * method->execute.p50 : INFINITY;
  for (size_t i = 0; i < method->run_count; i++)
    runs[i].is_outlier = (double)method->execute_per_run[i] >= least * (1 - 1e-9);
  for (size_t i = 0; i < method->slow_runs.run_count; i++)
    runs[place_of(method, method->slow_runs.runs[i])].is_outlier = true;
}

/* Writes the runs that took longer than the median, with the operators to blame. */
static bool put_slow_runs(run_list *l) {
  const etr_method *method = l->method;
  slow_run *runs = etr_arena_alloc_array(&l->e->arena, method->run_count + 1, sizeof *runs);
  size_t count = 0;
  if (!runs)
    return false;
  for (uint32_t i = 0; i < method->run_count; i++) {
    runs[i].run_index = i;
    for (size_t k = 0; k < MOST_BLAMED; k++)
      runs[i].blamed[k].operator = ETR_NONE;
  }
  mark_outliers(l, runs);
  for (uint32_t row = 0; l->ops->graph->times && row < l->ops->count; row++) {
    const etr_node_time *time = &l->ops->graph->times[l->ops->nodes[row]];
    for (size_t i = 0; time->each_run && i < time->runs; i++)
      blame(&runs[time->each_run[i].run], row, (double)time->each_run[i].ticks - time->per_run.p50);
  }
  for (size_t i = 0; i < method->run_count; i++)
    if ((double)method->execute_per_run[i] > method->execute.p50)
      runs[count++] = runs[i];
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < MOST_BLAMED; k++)
      if (runs[i].blamed[k].operator == ETR_NONE)
        runs[i].blamed[k].excess = NAN;
  etr_profile_put_columns(l->e, "slow", &etr_slow_run_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(runs, count));
  return true;
}

bool etr_profile_put_runs(etr_profile_doc *e, const etr_method *method,
                          const etr_profile_operators *ops) {
  run_list l = {.e = e, .method = method, .ops = ops};
  if (!open_list(&l))
    return false;
  etr_jw_object(e->fields.json);
  bool good = put_other_times(&l) && put_slow_runs(&l);
  etr_jw_end(e->fields.json);
  return good;
}
