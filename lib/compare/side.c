/* SPDX-License-Identifier: BSD-3-Clause
 *
 * side.c - one side of a comparison, from a profile.
 */
#include "compare/compare_side.h"

#include "base/system.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

etr_side_box *etr_side_box_new(etr_error *error) {
  etr_side_box *box = calloc(1, sizeof *box);
  if (!box)
    (void)etr_fail_memory(error);
  return box;
}

/* Frees a side; NULL is allowed. */
void etr_side_close(etr_side *side) {
  if (!side)
    return;
  etr_side_box *box = (etr_side_box *)side;
  etr_arena_clear(&box->arena);
  free(box);
}

/* ---- Loads ---- */

/* A load event, such as Program::load_method, with the ticks and the ETDump of each occurrence. */
typedef struct load {
  const char *name;
  etr_vec(uint64_t) ticks;
  etr_vec(uint32_t) dumps; /* ascending within a block */
} load;

/* The load events that were found so far. */
typedef struct loads {
  etr_vec(load) list;
  etr_map index;
  etr_arena scratch;
} loads;

/* Returns the load of an event's name, which is added if it is new; NULL when out of memory. */
static load *find_or_add_load(loads *found, const etr_event *event) {
  uint32_t index = etr_map_get(&found->index, etr_slice_of(event->name));
  if (index != ETR_NONE)
    return &found->list.data[index];
  load *added = etr_vec_push(&found->scratch, &found->list);
  index = (uint32_t)(found->list.count - 1);
  if (!added || !etr_map_set(&found->index, etr_slice_of(event->name), index))
    return NULL;
  added->name = event->name;
  return added;
}

/* Collects the durations of all events in blocks in which no method ran, by event name. Returns
 * false when out of memory. */
static bool collect_loads(loads *out, const etr_profile *profile) {
  for (size_t i = 0; i < profile->block_count; i++) {
    const etr_block *block = &profile->blocks[i];
    for (size_t k = 0; block->method == ETR_NONE && k < block->event_count; k++) {
      const etr_event *event = &block->events[k];
      load *found = find_or_add_load(out, event);
      for (size_t j = 0; found && j < event->sample_count; j++) {
        uint64_t *ticks = etr_vec_push(&out->scratch, &found->ticks);
        uint32_t *dump = etr_vec_push(&out->scratch, &found->dumps);
        if (etr_arena_failed(&out->scratch))
          return false;
        *ticks = event->durations[j];
        *dump = profile->runs[event->sample_runs[j]].dump;
      }
      if (!found)
        return false;
    }
  }
  return true;
}

/* One occurrence of a load. */
typedef struct occurrence {
  uint32_t dump;
  uint64_t ticks;
} occurrence;

/* Orders occurrences by ETDump, then by ticks. */
static int by_dump_and_ticks(const void *a, const void *b) {
  const occurrence *x = a, *y = b;
  if (x->dump != y->dump)
    return x->dump < y->dump ? -1 : 1;
  return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

/* Computes the time of a load from its occurrences, which may be of several blocks, as if each were
 * a run and each ETDump a recording; the typical one is the median of theirs. The step of the clock
 * is taken as one tick. Returns false when out of memory. */
static bool time_load(etr_side_time *out, const load *timed_load, etr_arena *scratch) {
  size_t count = timed_load->ticks.count;
  occurrence *list = etr_arena_alloc_array(scratch, count, sizeof *list);
  uint64_t *ticks = etr_arena_alloc_array(scratch, count, sizeof *ticks);
  uint32_t *recording_of = etr_arena_alloc_array(scratch, count, sizeof *recording_of);
  etr_side_runs runs;
  if (etr_arena_failed(scratch))
    return false;
  for (size_t i = 0; i < count; i++)
    list[i] = (occurrence){timed_load->dumps.data[i], timed_load->ticks.data[i]};
  etr_sort(list, count, sizeof *list, by_dump_and_ticks);
  for (size_t i = 0; i < count; i++) {
    ticks[i] = list[i].ticks;
    if (i > 0)
      recording_of[i] = recording_of[i - 1] + (list[i].dump != list[i - 1].dump);
  }
  const etr_typical_runs all = {ticks, recording_of, NULL, count, count};
  return etr_side_runs_of(&runs, ticks, recording_of, count, scratch) &&
         etr_typical_choose(&runs.choice, &all, ETR_TYPICAL_MEDIAN, scratch) &&
         etr_side_time_of_ticks(out, ticks, &runs, 1, scratch);
}

/* Lists the loads of a side with their times. Returns false when out of memory. */
static bool list_loads(etr_side_box *box) {
  loads found = {0};
  etr_map_init(&found.index, &found.scratch);
  bool good = collect_loads(&found, box->side.profile);
  etr_side_load *list = etr_arena_alloc_array(&box->arena, found.list.count, sizeof *list);
  good = good && list;
  for (size_t i = 0; good && i < found.list.count; i++) {
    const load *timed = &found.list.data[i];
    if (timed->ticks.count == 0)
      continue; /* its times are invalid */
    list[box->side.load_count].name = timed->name;
    good = time_load(&list[box->side.load_count++].time, timed, &found.scratch);
  }
  box->side.loads = list;
  etr_arena_clear(&found.scratch);
  return good;
}

/* ---- When the ETDumps were recorded ---- */

/* Returns when a file was last changed, in seconds since 1970; NaN if that is unknown, as for
 * standard input ("-") and for an ETDump in a log, whose path is not that of a file. */
static double time_of_writing(const char *path) {
  struct stat status;
  if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return NAN;
  struct timespec changed = etr_changed_at(&status);
  return (double)changed.tv_sec + (double)changed.tv_nsec / 1e9;
}

/* The first and the last moment of an ETDump, in ticks. */
typedef struct span {
  uint64_t first, last;
} span;

/* Extends the span of each ETDump so that it contains the samples of an event, unless the event has
 * no place in time, because another clock than the host's timed it. */
static void widen_spans(span *spans, const etr_profile *profile, const etr_event *event) {
  for (size_t i = 0; !event->has_no_place && i < event->sample_count; i++) {
    span *dump_span = &spans[profile->runs[event->sample_runs[i]].dump];
    uint64_t end = etr_add_up_to_most(event->starts[i], event->durations[i]);
    dump_span->first = ETR_MIN(dump_span->first, event->starts[i]);
    dump_span->last = ETR_MAX(dump_span->last, end);
  }
}

/* Lists for each ETDump when it was written and how long its recording lasted, both in seconds,
 * from which etr_turns_find() finds the order of the recordings. Returns false when out of memory.
 */
static bool list_clockings(etr_side_box *box) {
  const etr_profile *profile = box->side.profile;
  etr_arena scratch = {0};
  etr_side_clocking *list = etr_arena_alloc_array(&box->arena, profile->etdump_count, sizeof *list);
  span *spans = etr_arena_alloc_array(&scratch, profile->etdump_count, sizeof *spans);
  for (size_t i = 0; spans && i < profile->etdump_count; i++)
    spans[i] = (span){UINT64_MAX, 0};
  for (size_t i = 0; spans && i < profile->block_count; i++)
    for (size_t k = 0; k < profile->blocks[i].event_count; k++)
      widen_spans(spans, profile, &profile->blocks[i].events[k]);
  for (size_t i = 0; list && spans && i < profile->etdump_count; i++) {
    double ticks = spans[i].last > spans[i].first ? (double)(spans[i].last - spans[i].first) : 0;
    list[i] = (etr_side_clocking){time_of_writing(profile->etdumps[i]),
                                  ticks / profile->ticks_per_second};
  }
  box->side.clockings = list;
  box->side.clocking_count = profile->etdump_count;
  bool good = list && spans;
  etr_arena_clear(&scratch);
  return good;
}

/* ---- Together ---- */

/* Lists the methods of a side, or only their clocks. Returns false when out of memory. */
static bool list_methods(etr_side_box *box, bool only_clocks) {
  const etr_profile *profile = box->side.profile;
  etr_side_method *methods = etr_arena_alloc_array(&box->arena, profile->method_count,
                                                   sizeof *methods);
  bool good = methods != NULL;
  for (uint32_t i = 0; good && i < profile->method_count; i++)
    good = only_clocks ? etr_side_list_clocks(&methods[i], profile, i, &box->arena)
                       : etr_side_list(&methods[i], profile, i, ETR_SIDE_NODES, &box->arena);
  box->side.methods = methods;
  return good;
}

/* Makes a side of a profile. With `only_clocks` it has nothing but the steps of its clocks, which
 * takes much less time. Fails when out of memory. */
static etr_status open_side(etr_side **out, const etr_profile *profile, bool only_clocks,
                            etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  etr_side_box *box = etr_side_box_new(error);
  if (!box)
    return ETR_ERROR_MEMORY;
  box->side.profile = profile;
  box->side.first_dump = profile->etdump_count ? profile->etdumps[0] : NULL;
  if (!list_methods(box, only_clocks) ||
      (!only_clocks && (!list_loads(box) || !list_clockings(box)))) {
    etr_side_close(&box->side);
    return etr_fail_memory(error);
  }
  *out = &box->side;
  return ETR_OK;
}

etr_status etr_side_open(etr_side **out, const etr_profile *profile, etr_error *error) {
  return open_side(out, profile, false, error);
}

etr_status etr_side_open_clocks(etr_side **out, const etr_profile *profile, etr_error *error) {
  return open_side(out, profile, true, error);
}
