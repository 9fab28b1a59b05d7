/* SPDX-License-Identifier: BSD-3-Clause
 *
 * interruptions.c - compares each operator's time in each run with its median.
 */
#include "views/interruptions.h"

#include "base/stats.h"

/** An interrupted operator takes at least this many times its median. */
static const double LEAST_FACTOR = 2;
/** It loses at least this part of the typical time: less is within the variation of measurements.
 */
static const double LEAST_SHARE = 0.01;
/** It loses at least so many ns: what a scheduler takes away is longer, and what is shorter may be
 * the step of a clock. */
static const double LEAST_NS = 1e4;
/** Interruptions that are less than this part of the typical time are not told from it. */
static const double LEAST_OF_ALL = 0.1;
/** An operator that takes this many times its median is slow in that run, interrupted or not. */
static const double SLOW_FACTOR = 1.5;
/** Operators with at least this part of the typical time show whether a whole run is slow: the
 * clock's step is most of the time of smaller ones. */
static const double LEAST_WITNESS = 0.005;
/** Runs that a median needs so that one interruption does not move it. */
enum { LEAST_RUNS = 3 };

/* The time of one node, or of one event on no node, in one run. */
typedef struct run_sum {
  uint64_t ticks;
  uint32_t run;
} run_sum;

typedef struct search {
  etr_arena *scratch;
  double least; /* ticks that an interruption takes at least */
  const etr_method *method;
  uint32_t *series_of; /* per time slice: the node or event that it is of */
  size_t series_count;
  size_t *end;       /* per series: where its slices end in `sorted` */
  uint32_t *sorted;  /* indices of time slices, by series */
  run_sum *sums;     /* of one series, in the runs in which it ran */
  uint32_t *place;   /* per run: index into `sums`, if `owner` is the series */
  uint32_t *owner;   /* per run: the last series that has a sum of it, plus one */
  uint64_t *ticks;   /* a copy of the sums, which the median sorts */
  size_t *witnesses; /* per run: series that are large enough to show whether it is slow */
  size_t *slow;      /* per run: those of them that are slow */
} search;

/* What a series is of: a node, or an event and the part of it. */
typedef struct series_key {
  const etr_event *event;
  uint32_t node, part;
} series_key;

/* Numbers the series: slices of a node, and of an event of which one part is on no node. */
static bool number_series(search *s) {
  etr_map numbers;
  series_key last;
  memset(&last, 0, sizeof last);
  etr_map_init(&numbers, s->scratch);
  for (size_t i = 0; i < s->method->time_slice_count; i++) {
    const etr_time_slice *slice = &s->method->time_slices[i];
    series_key key;
    memset(&key, 0, sizeof key); /* the bytes of the key count, also those between its members */
    key.node = slice->node;
    key.part = (uint32_t)slice->part;
    key.event = slice->node == ETR_NONE ? slice->event : NULL;
    bool is_same = i && memcmp(&key, &last, sizeof key) == 0; /* slices of one follow each other */
    last = key;
    if (is_same) {
      s->series_of[i] = s->series_of[i - 1];
      continue;
    }
    etr_map_slot *slot = etr_map_at(&numbers, ETR_BYTES(key));
    if (!slot)
      return false;
    if (slot->value == ETR_NONE)
      slot->value = (uint32_t)s->series_count++;
    s->series_of[i] = slot->value;
  }
  return true;
}

/* Sorts the time slices by series. */
static bool sort_slices(search *s) {
  size_t count = s->method->time_slice_count;
  s->end = etr_arena_alloc_array(s->scratch, s->series_count + 1, sizeof *s->end);
  s->sorted = etr_arena_alloc_raw_array(s->scratch, count, sizeof *s->sorted);
  if (!s->end || !s->sorted)
    return false;
  for (size_t i = 0; i < count; i++)
    s->end[s->series_of[i] + 1]++;
  for (size_t i = 1; i <= s->series_count; i++)
    s->end[i] += s->end[i - 1];
  for (size_t i = 0; i < count; i++)
    s->sorted[s->end[s->series_of[i]]++] = (uint32_t)i;
  return true;
}

/* Returns the index of a series' first slice in `sorted`. */
static size_t first_of(const search *s, size_t series) {
  return series ? s->end[series - 1] : 0;
}

/* Sums the slices of a series in each run. Returns in how many runs it ran. */
static size_t sum_runs(search *s, size_t series) {
  size_t count = 0;
  for (size_t i = first_of(s, series); i < s->end[series]; i++) {
    const etr_time_slice *slice = &s->method->time_slices[s->sorted[i]];
    if (s->owner[slice->run] != series + 1) {
      s->owner[slice->run] = (uint32_t)series + 1;
      s->place[slice->run] = (uint32_t)count;
      s->sums[count++] = (run_sum){0, slice->run};
    }
    s->sums[s->place[slice->run]].ticks += slice->ticks;
  }
  return count;
}

/* Returns the median of the first sums. */
static double median_of(search *s, size_t count) {
  for (size_t i = 0; i < count; i++)
    s->ticks[i] = s->sums[i].ticks;
  return etr_stats_of(s->ticks, count).p50;
}

/* Counts in each run the operators that show whether it is slow. */
static void count_witnesses(search *s) {
  double least = LEAST_WITNESS * s->method->execute.typical;
  memset(s->owner, 0, s->method->run_count * sizeof *s->owner);
  for (size_t series = 0; series < s->series_count; series++) {
    size_t count = sum_runs(s, series);
    double median = median_of(s, count);
    for (size_t i = 0; i < count && median >= least; i++) {
      s->witnesses[s->sums[i].run]++;
      s->slow[s->sums[i].run] += (double)s->sums[i].ticks >= SLOW_FACTOR * median;
    }
  }
}

/* Returns the part of a series' time in a run that is an interruption, 0 to 1. */
static double interrupted_part(const search *s, const run_sum *sum, double median) {
  double ticks = (double)sum->ticks, excess = ticks - median;
  bool is_long = ticks >= LEAST_FACTOR * median && excess >= s->least;
  bool is_slow_run = s->slow[sum->run] * 2 > s->witnesses[sum->run];
  return is_long && !is_slow_run ? excess / ticks : 0;
}

/* Finds what is an interruption in the time slices of each series. */
static void find_parts(search *s, double *of_slice) {
  const etr_typical_run *typical = &s->method->typical;
  memset(s->owner, 0, s->method->run_count * sizeof *s->owner);
  for (size_t series = 0; series < s->series_count; series++) {
    size_t count = sum_runs(s, series);
    if (count < LEAST_RUNS)
      continue;
    double median = median_of(s, count);
    for (size_t i = first_of(s, series); i < s->end[series]; i++) {
      const etr_time_slice *slice = &s->method->time_slices[s->sorted[i]];
      double part = interrupted_part(s, &s->sums[s->place[slice->run]], median);
      of_slice[s->sorted[i]] = part * (double)slice->ticks * typical->weights[slice->run] /
                               typical->divisor;
    }
  }
}

static bool search_slices(search *s, double *of_slice) {
  const etr_method *method = s->method;
  size_t runs = method->run_count;
  s->series_of = etr_arena_alloc_raw_array(s->scratch, method->time_slice_count,
                                           sizeof *s->series_of);
  s->sums = etr_arena_alloc_array(s->scratch, runs, sizeof *s->sums);
  s->place = etr_arena_alloc_array(s->scratch, runs, sizeof *s->place);
  s->owner = etr_arena_alloc_array(s->scratch, runs, sizeof *s->owner);
  s->ticks = etr_arena_alloc_array(s->scratch, runs, sizeof *s->ticks);
  s->witnesses = etr_arena_alloc_array(s->scratch, runs, sizeof *s->witnesses);
  s->slow = etr_arena_alloc_array(s->scratch, runs, sizeof *s->slow);
  if (!s->series_of || !s->sums || !s->place || !s->owner || !s->ticks || !s->witnesses || !s->slow)
    return false;
  if (!number_series(s) || !sort_slices(s))
    return false;
  count_witnesses(s);
  find_parts(s, of_slice);
  return true;
}

bool etr_interruptions_find(etr_interruptions *out, etr_arena *arena, const etr_profile *profile,
                            const etr_method *method) {
  etr_arena scratch = {0};
  double *of_slice = etr_arena_alloc_array(arena, method->time_slice_count, sizeof *of_slice);
  double least = LEAST_NS / etr_ticks_to_ns(profile, 1);
  search s = {.scratch = &scratch,
              .method = method,
              .least = ETR_MAX(least, LEAST_SHARE * method->execute.typical)};
  bool is_judged = method->run_count >= LEAST_RUNS && method->mixed_phase_count < 2 &&
                   method->typical.divisor > 0;
  *out = (etr_interruptions){.of_slice = of_slice};
  bool good = of_slice && (!is_judged || search_slices(&s, of_slice));
  if (!good)
    etr_arena_fail(arena);
  etr_arena_clear(&scratch);
  for (size_t i = 0; good && i < method->time_slice_count; i++)
    out->whole += of_slice[i];
  if (good && out->whole < LEAST_OF_ALL * method->execute.typical) {
    memset(of_slice, 0, method->time_slice_count * sizeof *of_slice);
    out->whole = 0;
  }
  return good;
}
