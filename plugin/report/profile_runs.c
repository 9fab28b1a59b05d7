/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_runs.c - chooses the runs that the dashboard's document has in full, and writes the time
 * of each operator in each of them.
 */
#include "report/profile_doc.h"
#include "views/run_stats.h"
#include "views/steadiness.h"

#include <math.h>
#include <stdlib.h>

/* ---- Which runs ---- */

typedef struct run_time {
  uint64_t ticks;
  uint32_t run_index;
} run_time;

/* Orders runs by time, the fastest first; runs of equal time by index, so that the order is always
 * the same. */
static int by_time(const void *a, const void *b) {
  const run_time *x = a, *y = b;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? -1 : 1;
  return (x->run_index > y->run_index) - (x->run_index < y->run_index);
}

/* Returns the times of the method's runs, the fastest run first; NULL when out of memory. */
static const run_time *sort_runs(etr_arena *arena, const etr_method *method) {
  run_time *runs = etr_arena_alloc_array(arena, method->run_count, sizeof *runs);
  for (uint32_t i = 0; runs && i < method->run_count; i++)
    runs[i] = (run_time){method->execute_per_run[i], i};
  if (runs)
    etr_sort(runs, method->run_count, sizeof *runs, by_time);
  return runs;
}

/* Returns the index of a run among the method's included runs; run_count if it is none of them. */
static size_t index_among_runs(const etr_method *method, uint32_t run) {
  return etr_find_int((int32_t)run, method->runs, method->run_count, sizeof *method->runs);
}

/* Returns how many events the run with most of them has, at least 1, so that it can be a divisor.
 * Events of excluded runs are counted in an entry of their own after those of the runs, which is
 * not looked at. When out of memory it returns 1, and the arena has failed. */
static size_t count_most_events(etr_arena *arena, const etr_profile *profile,
                                const etr_method *method) {
  size_t *counts = etr_arena_alloc_array(arena, method->run_count + 1, sizeof *counts);
  size_t most_events = 1;
  for (size_t block_index = 0; counts && block_index < method->block_count; block_index++) {
    const etr_block *block = &profile->blocks[method->blocks[block_index]];
    for (size_t i = 0; i < block->event_count; i++)
      for (size_t sample = 0; sample < block->events[i].sample_count; sample++)
        counts[index_among_runs(method, block->events[i].sample_runs[sample])]++;
  }
  for (size_t i = 0; counts && i < method->run_count; i++)
    most_events = ETR_MAX(most_events, counts[i]);
  return most_events;
}

/* Chooses further runs, evenly spaced among those that are not chosen yet, until `room` runs are
 * chosen or all are. */
static void choose_evenly(bool *is_chosen, size_t count, size_t room) {
  size_t left = count; /* runs that are not chosen yet */
  for (size_t i = 0; i < count; i++)
    left -= is_chosen[i];
  size_t chosen_count = count - left;
  size_t others = ETR_MIN(left, room - ETR_MIN(room, chosen_count)); /* how many to choose */
  size_t seen = 0; /* how many of those left were looked at */
  for (size_t i = 0; i < count; i++) {
    if (is_chosen[i])
      continue;
    is_chosen[i] = seen * others / left < (seen + 1) * others / left;
    seen++;
  }
}

bool etr_profile_is_first_run(const etr_profile *profile, const etr_method *method, size_t at) {
  uint32_t run = method->runs[at], series = profile->runs[run].series;
  bool is_first = at == 0 || profile->runs[method->runs[at - 1]].series != series;
  for (size_t i = 0; is_first && i < method->skipped_run_count; i++)
    is_first = method->skipped_runs[i] > run ||
               profile->runs[method->skipped_runs[i]].series != series;
  return is_first;
}

/* What a run should be like, in ticks. */
typedef struct wanted_run {
  const etr_noise *modes; /* only runs of this mode are wanted; NULL: all */
  size_t mode;
  double time, parts[ETR_TIME_PARTS];
} wanted_run;

static bool is_wanted(const wanted_run *wanted, const etr_method *method, size_t run) {
  return !wanted->modes ||
         etr_is_of_mode(wanted->modes, wanted->mode, (double)method->execute_per_run[run]);
}

/* Returns the typical run or, if that is between two modes, the mean of the runs of the larger one.
 * ticks: etr_run_parts(). */
static wanted_run make_wanted_run(const etr_method *method, const uint64_t *ticks) {
  const etr_noise_mode *modes = method->noise.modes;
  wanted_run out = {.time = method->execute.typical};
  size_t count = 0;
  if (!etr_is_between_modes(method)) {
    for (size_t i = 0; i < method->part_count; i++)
      out.parts[method->parts[i].part] += method->parts[i].typical;
    return out;
  }
  out.modes = &method->noise;
  out.mode = modes[1].run_count > modes[0].run_count;
  out.time = modes[out.mode].p50;
  for (size_t run = 0; run < method->run_count; run++)
    count += is_wanted(&out, method, run);
  for (size_t run = 0; run < method->run_count; run++)
    for (etr_time_part part = 0; is_wanted(&out, method, run) && part < ETR_TIME_PARTS; part++)
      out.parts[part] += (double)ticks[part * method->run_count + run] / (double)count;
  return out;
}

bool etr_profile_nearest_run(uint32_t *out, etr_arena *arena, const etr_profile *profile,
                             const etr_method *method) {
  const uint64_t *ticks = etr_run_parts(arena, method);
  double least[3] = {INFINITY, INFINITY, INFINITY};
  *out = 0;
  if (!ticks)
    return false;
  const wanted_run wanted = make_wanted_run(method, ticks);
  for (uint32_t run = 0; run < method->run_count; run++) {
    double away[3] = {etr_profile_is_first_run(profile, method, run), 0,
                      fabs((double)method->execute_per_run[run] - wanted.time)};
    if (!is_wanted(&wanted, method, run))
      continue;
    for (etr_time_part part = 0; part < ETR_TIME_PARTS; part++)
      away[1] += fabs((double)ticks[part * method->run_count + run] - wanted.parts[part]);
    size_t level = 0;
    while (level < 2 && away[level] == least[level])
      level++;
    if (away[level] < least[level]) {
      memcpy(least, away, sizeof least);
      *out = run;
    }
  }
  return true;
}

bool etr_profile_choose_runs(etr_profile_runs *out, etr_arena *arena, const etr_profile *profile,
                             const etr_method *method) {
  const run_time *runs = sort_runs(arena, method);
  uint32_t *run_indices = etr_arena_alloc_array(arena, method->run_count, sizeof *run_indices);
  bool *is_chosen = etr_arena_alloc_array(arena, method->run_count, sizeof *is_chosen);
  *out = (etr_profile_runs){.run_indices = run_indices};
  if (!runs || !run_indices || !is_chosen)
    return false;
  size_t count = method->run_count;
  size_t room = ETR_PROFILE_MOST_EVENTS / count_most_events(arena, profile, method);
  uint32_t nearest, slowest = runs[count - 1].run_index, fastest = runs[0].run_index;
  if (!etr_profile_nearest_run(&nearest, arena, profile, method))
    return false;
  const uint32_t first[] = {nearest, slowest, fastest, 0}; /* 0: the first run */
  for (size_t i = 0; i < ETR_COUNT(first) && i < ETR_MAX(room, (size_t)1); i++)
    is_chosen[first[i]] = true;
  choose_evenly(is_chosen, count, room);
  for (uint32_t i = 0; i < count; i++)
    if (is_chosen[i])
      run_indices[out->count++] = i;
  return !etr_arena_failed(arena);
}

/* ---- Times of operators that the events of the timeline do not give ---- */

/* An event of a node. */
typedef struct node_event {
  const etr_event *event;
  uint32_t next;
} node_event;

typedef struct run_list {
  etr_profile_doc *doc;
  const etr_method *method;
  const etr_profile_operators *ops;
  etr_profile_runs shown;
  uint32_t
      *first_event; /* per node: its first event in `events`, where others are linked; ETR_NONE */
  etr_vec(node_event) events;
  uint64_t *ticks; /* per run of the method: what the events of a node take; zeroed between nodes */
} run_list;

/* Chains to each node those events of the timeline that have it as their first node. The page
 * assigns the whole duration of an event to that node. Returns false when out of memory. */
static bool chain_events_by_node(run_list *l) {
  const etr_profile *profile = l->doc->fields.profile;
  for (size_t block_index = 0; block_index < l->method->block_count; block_index++) {
    const etr_block *block = &profile->blocks[l->method->blocks[block_index]];
    for (size_t i = 0; i < block->event_count; i++) {
      const etr_event *event = &block->events[i];
      if (event->node_count == 0 || !etr_is_placed(event))
        continue;
      node_event *added = etr_vec_push(&l->doc->arena, &l->events);
      if (!added)
        return false;
      *added = (node_event){event, l->first_event[event->nodes[0]]};
      l->first_event[event->nodes[0]] = (uint32_t)(l->events.count - 1);
    }
  }
  return true;
}

/* Chooses the runs that are written in full, and lists the events of each node; first_event is
 * ETR_NONE, all bits set, for nodes without any. Returns false when out of memory. */
static bool init_run_list(run_list *l) {
  etr_arena *arena = &l->doc->arena;
  size_t nodes = l->ops->graph ? l->ops->graph->node_count : 0;
  l->first_event = etr_arena_alloc_array(arena, nodes, sizeof *l->first_event);
  l->ticks = etr_arena_alloc_array(arena, l->method->run_count + 1, sizeof *l->ticks);
  if (etr_arena_failed(arena))
    return false;
  memset(l->first_event, 0xff, nodes * sizeof *l->first_event);
  return etr_profile_choose_runs(&l->shown, arena, l->doc->fields.profile, l->method) &&
         chain_events_by_node(l);
}

/* Adds the durations of a node's events to l->ticks, per run. Returns false if an event is not in a
 * unit of time. */
static bool add_event_times(run_list *l, uint32_t node) {
  bool are_times = true;
  for (uint32_t i = l->first_event[node]; i != ETR_NONE; i = l->events.data[i].next) {
    const etr_event *event = l->events.data[i].event;
    are_times = are_times && event->unit == ETR_EVENT_UNIT_TIME;
    for (size_t k = 0; k < event->sample_count; k++) {
      size_t run_index = index_among_runs(l->method, event->sample_runs[k]);
      if (run_index < l->method->run_count)
        l->ticks[run_index] = etr_add_up_to_most(l->ticks[run_index], event->durations[k]);
    }
  }
  return are_times;
}

/* Sets to 0 what add_event_times() added. Returns true if all of it was 0 already. */
static bool clear_event_times(run_list *l, uint32_t node) {
  bool was_clear = true;
  for (uint32_t i = l->first_event[node]; i != ETR_NONE; i = l->events.data[i].next) {
    const etr_event *event = l->events.data[i].event;
    for (size_t k = 0; k < event->sample_count; k++) {
      size_t run_index = index_among_runs(l->method, event->sample_runs[k]);
      if (run_index == l->method->run_count)
        continue;
      was_clear = was_clear && l->ticks[run_index] == 0;
      l->ticks[run_index] = 0;
    }
  }
  return was_clear;
}

/* Returns true if the durations of a node's events add up to its time in each of its runs, and in
 * no other run, so that the page can find the times itself. */
static bool follows_from_events(run_list *l, uint32_t node) {
  const etr_node_time *time = &l->ops->graph->times[node];
  bool is_match = add_event_times(l, node);
  for (size_t i = 0; i < time->runs; i++) {
    uint64_t *event_ticks = &l->ticks[time->each_run[i].run];
    is_match = is_match && *event_ticks == time->each_run[i].ticks;
    *event_ticks = 0;
  }
  bool is_clear = clear_event_times(l, node); /* otherwise events took time in other runs */
  return is_clear && is_match;
}

/* Writes the time of a node in each run that is shown; null where the node did not run. */
static void put_node_times(const run_list *l, const etr_node_time *time) {
  for (size_t shown_index = 0, sample = 0; shown_index < l->shown.count; shown_index++) {
    while (sample < time->runs && time->each_run[sample].run < l->shown.run_indices[shown_index])
      sample++;
    bool has_run = sample < time->runs &&
                   time->each_run[sample].run == l->shown.run_indices[shown_index];
    etr_profile_put_ns(l->doc, has_run ? (double)time->each_run[sample].ticks : NAN);
  }
}

/* Writes the operators whose times do not follow from events, and their times in each shown run, in
 * nanoseconds. The page computes all others itself. Returns false when out of memory. */
static bool put_other_times(run_list *l) {
  const etr_fields *f = &l->doc->fields;
  uint32_t *rows = etr_arena_alloc_array(&l->doc->arena, l->ops->count, sizeof *rows);
  size_t count = 0;
  if (!rows)
    return false;
  for (uint32_t row = 0; l->ops->graph->times && row < l->ops->count; row++) {
    const etr_node_time *time = &l->ops->graph->times[l->ops->nodes[row]];
    if (time->each_run && !follows_from_events(l, l->ops->nodes[row]))
      rows[count++] = row;
  }
  etr_field_begin_list(f, "operators");
  for (size_t i = 0; i < count; i++)
    etr_jw_uint(f->json, rows[i]);
  etr_jw_end(f->json);
  etr_field_begin_list(f, "times");
  for (size_t i = 0; i < count; i++)
    put_node_times(l, &l->ops->graph->times[l->ops->nodes[rows[i]]]);
  etr_jw_end(f->json);
  return true;
}

/* ---- What makes slow runs slow ---- */

enum { MOST_EXCESSES = 3 };

/* A run, and the operators that take longest in it beyond their medians, the worst first. */
typedef struct slow_run {
  uint32_t run_index;
  bool is_outlier;
  struct {
    uint32_t operator;
    double excess; /* in ticks */
  } largest_excesses[MOST_EXCESSES];
} slow_run;

#define BLAMED(number)                                                                             \
  {"operator_" #number, NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT,                                     \
   ETR_AT(slow_run, largest_excesses[number - 1].operator)},                                       \
  {                                                                                                \
    "excess_" #number, NULL, ETR_CELL_TIME, ETR_IN_DOCUMENT,                                       \
        ETR_AT(slow_run, largest_excesses[number - 1].excess)                                      \
  }

static const etr_field slow_run_fields[] = {
    {"run", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(slow_run, run_index),
     .says = ETR_SAYS("index into execute_per_run")},
    {"outlier", NULL, ETR_CELL_FLAG, ETR_IN_DOCUMENT, ETR_AT(slow_run, is_outlier),
     .says = ETR_SAYS("it is far slower than the others; otherwise it is slower than the median")},
    BLAMED(1),
    BLAMED(2),
    BLAMED(3),
};
ETR_ROW_TYPE(slow_run, slow_run_fields);

/* Adds an operator to the few whose times in a run exceed their own medians most, if its excess, in
 * ticks, is among the largest. They are sorted, the largest first. */
static void note_excess(slow_run *run, uint32_t operator, double excess) {
  size_t rank = MOST_EXCESSES;
  while (rank > 0 && excess > run->largest_excesses[rank - 1].excess) {
    if (rank < MOST_EXCESSES)
      run->largest_excesses[rank] = run->largest_excesses[rank - 1];
    rank--;
  }
  if (rank == MOST_EXCESSES)
    return;
  run->largest_excesses[rank].operator = operator;
  run->largest_excesses[rank].excess = excess;
}

/* Sets is_outlier in `runs`, which has each included run, for the slow runs of the method and, if
 * its runs are of one phase, for all runs of at least noise.least_outlier medians, if that is above
 * 1. The tolerance is for rounding, so that the run that gave this ratio is marked. */
static void mark_outliers(const run_list *l, slow_run *runs) {
  const etr_method *method = l->method;
  bool has_outliers = method->noise.least_outlier > 1 && method->mixed_phase_count <= 1;
  double least = has_outliers ? method->noise.least_outlier * method->execute.p50 : INFINITY;
  for (size_t i = 0; i < method->run_count; i++)
    runs[i].is_outlier = (double)method->execute_per_run[i] >= least * (1 - 1e-9);
  for (size_t i = 0; i < method->slow_runs.run_count; i++)
    runs[index_among_runs(method, method->slow_runs.runs[i])].is_outlier = true;
}

/* Writes the runs that took longer than the median, each with up to MOST_EXCESSES operators that
 * exceed their own medians most; unused entries have no operator and an excess of NAN. Returns
 * false when out of memory. */
static bool put_slow_runs(run_list *l) {
  const etr_method *method = l->method;
  slow_run *runs = etr_arena_alloc_array(&l->doc->arena, method->run_count + 1, sizeof *runs);
  size_t count = 0;
  if (!runs)
    return false;
  for (uint32_t i = 0; i < method->run_count; i++) {
    runs[i].run_index = i;
    for (size_t k = 0; k < MOST_EXCESSES; k++)
      runs[i].largest_excesses[k].operator = ETR_NONE;
  }
  mark_outliers(l, runs);
  for (uint32_t row = 0; l->ops->graph->times && row < l->ops->count; row++) {
    const etr_node_time *time = &l->ops->graph->times[l->ops->nodes[row]];
    for (size_t i = 0; time->each_run && i < time->runs; i++)
      note_excess(&runs[time->each_run[i].run], row,
                  (double)time->each_run[i].ticks - time->per_run.p50);
  }
  for (size_t i = 0; i < method->run_count; i++)
    if ((double)method->execute_per_run[i] > method->execute.p50)
      runs[count++] = runs[i];
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < MOST_EXCESSES; k++)
      if (runs[i].largest_excesses[k].operator == ETR_NONE)
        runs[i].largest_excesses[k].excess = NAN;
  etr_profile_put_columns(l->doc, "slow", &etr_slow_run_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(runs, count));
  return true;
}

bool etr_profile_put_runs(etr_profile_doc *doc, const etr_method *method,
                          const etr_profile_operators *ops) {
  run_list l = {.doc = doc, .method = method, .ops = ops};
  if (!init_run_list(&l))
    return false;
  etr_jw_object(doc->fields.json);
  bool good = put_other_times(&l) && put_slow_runs(&l);
  etr_jw_end(doc->fields.json);
  return good;
}
