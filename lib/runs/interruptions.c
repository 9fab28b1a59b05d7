/* SPDX-License-Identifier: BSD-3-Clause
 *
 * interruptions.c - compares each operator's time in each run with that of its fast runs.
 */
#include "base/method_parts.h"
#include "base/slice_sums.h"
#include "base/stats.h"
#include "runs/runs.h"

#include <math.h>

/** An interrupted operator takes at least this many times its fast time. */
static const double LEAST_FACTOR = 2;
/** It loses at least so many ns: what a scheduler takes away is longer, and what is shorter may be
 * the step of a clock. */
static const double LEAST_NS = 1e4;
/** Interruptions that are less than this part of the typical time are not told from it. */
static const double LEAST_OF_ALL = 0.1;
/** An operator that takes this many times its usual time is slow in that run, interrupted or not.
 */
static const double SLOW_FACTOR = 1.5;
/** Operators with at least this part of the fast times of all show whether a whole run is slow: the
 * clock's step is most of the time of smaller ones. */
static const double LEAST_WITNESS = 0.005;
/** Runs that a median needs so that one interruption does not move it, and that show that an
 * operator can be faster than its median. */
enum { LEAST_RUNS = 3 };

/* The series that are large enough to show whether a run is slow, and those of them that are slow
 * in it. */
typedef struct witnesses {
  size_t count, slow_count;
  double time, slow_time; /* ticks that they usually take */
} witnesses;

/* Looks for interruptions. A series is all time slices of one node, or of one event on no node, in
 * one part of the time. */
typedef struct search {
  etr_arena *scratch;
  double least;             /* ticks that an interruption takes at least */
  const etr_method *method; /* those of the runtime are among its time slices */
  uint32_t *series_of;      /* per time slice: the node or event that it is of */
  size_t series_count;
  etr_slice_sums sums;     /* of the series */
  uint64_t *sorted;        /* a copy of the sums of one series, which are sorted */
  double *usual;           /* per series: its median, or its fast quarter if that is long */
  double *fast;            /* per series: what it takes if nothing interrupts it */
  double *longest;         /* per series: the most that it took in a run; 0 if it ran in too few */
  bool is_any_median_long; /* beside its fast time */
  witnesses *witnesses;    /* per run */
} search;

/* What a series is of: a node, or an event; and the part of its time. */
typedef struct series_key {
  const etr_event *event;
  uint32_t node, part;
} series_key;

ETR_NO_PADDING(series_key, sizeof(etr_event *) + 2 * sizeof(uint32_t));

/* Sets s->series_of of each time slice, and the number of series. Slices of one series mostly
 * follow each other. Returns false when out of memory. */
static bool number_series(search *s) {
  etr_map numbers;
  series_key last = {NULL, ETR_NONE, ETR_TIME_PARTS};
  uint32_t number = 0;
  etr_map_init(&numbers, s->scratch);
  for (size_t i = 0; i < s->method->time_slice_count; i++) {
    const etr_time_slice *slice = &s->method->time_slices[i];
    series_key key = {slice->node == ETR_NONE ? slice->event : NULL, slice->node, slice->part};
    if (memcmp(&key, &last, sizeof key) != 0)
      number = etr_map_number(&numbers, ETR_BYTES(key));
    if (number == ETR_NONE)
      return false;
    last = key;
    s->series_of[i] = number;
    s->series_count = ETR_MAX(s->series_count, (size_t)number + 1);
  }
  return true;
}

/* Returns true if a series whose fast time is `fast` is long in a run in which it took `ticks`. */
static bool is_long(const search *s, double ticks, double fast) {
  return ticks >= LEAST_FACTOR * fast && ticks - fast >= s->least;
}

/* Returns what a series takes, in ticks, in the slowest of its fastest runs, one of `part` or at
 * least LEAST_RUNS; at most its median. count: runs in which it ran, whose times are sorted. */
static double fast_time(const search *s, double median, size_t count, size_t part) {
  size_t runs = ETR_MAX(count / part, (size_t)LEAST_RUNS);
  return runs <= count ? fmin((double)s->sorted[runs - 1], median) : median;
}

/* Returns the number of a series' runs, whose times are sorted, that took less than `ticks`. */
static size_t rank_of(const search *s, uint64_t ticks, size_t count) {
  size_t low = 0;
  for (size_t high = count; low < high;) {
    size_t middle = low + (high - low) / 2;
    if (s->sorted[middle] < ticks)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Returns true if the time of a series changes smoothly from run to run, as it does where it grows
 * with the position in a cache: its work differs then. By ranks, the mean square of the differences
 * of successive runs is twice the variance if their order is random (Bartels 1982, "The rank
 * version of von Neumann's ratio test"). count: runs in which it ran, whose times are sorted. */
static bool is_smooth(const search *s, size_t count) {
  const double MOST_RATIO = 0.25;
  etr_moments ranks = {0};
  double squares = 0, before = 0;
  for (size_t i = 0; i < count; i++) {
    double rank = (double)rank_of(s, s->sums.ticks[i], count);
    squares += i ? (rank - before) * (rank - before) : 0;
    before = rank;
    etr_moments_add(&ranks, rank);
  }
  return squares < MOST_RATIO * ranks.squares;
}

/* Sets the times of each series: a busy machine interrupts a long one in nearly all runs, so that
 * only its fastest twentieth tells what it takes alone, unless its work differs. Few runs of all
 * are so fast, so that its usual time tells which runs are slow. Returns the sum of the fast times:
 * the typical time is no measure where interruptions are most of it. */
static double find_times(search *s) {
  double sum = 0;
  for (size_t series = 0; series < s->series_count; series++) {
    size_t count = etr_slice_sums_of(&s->sums, series);
    for (size_t i = 0; i < count; i++)
      s->sorted[i] = s->sums.ticks[i];
    etr_stats stats = etr_stats_of(s->sorted, count);
    double quarter = fast_time(s, stats.p50, count, 4);
    s->usual[series] = is_long(s, stats.p50, quarter) ? quarter : stats.p50;
    s->fast[series] = fast_time(s, stats.p50, count, 20);
    if (is_long(s, stats.max, s->fast[series]) && is_smooth(s, count))
      s->fast[series] = s->usual[series];
    s->longest[series] = count >= LEAST_RUNS ? stats.max : 0;
    s->is_any_median_long |= is_long(s, stats.p50, s->fast[series]);
    sum += s->fast[series] * (double)count / (double)s->method->run_count;
  }
  return sum;
}

/* Returns true if any series is long in one of its runs. */
static bool is_any_long(const search *s) {
  bool any = false;
  for (size_t series = 0; series < s->series_count && !any; series++)
    any = is_long(s, s->longest[series], s->fast[series]);
  return any;
}

/* Counts, for each run, the series (nodes or events) whose usual time, of at least `least` ticks,
 * is large enough to show whether the whole run is slow, and those of them that took SLOW_FACTOR
 * times that or more in it. */
static void count_witnesses(search *s, double least) {
  for (size_t series = 0; series < s->series_count; series++) {
    double usual = s->usual[series];
    size_t count = usual >= least ? etr_slice_sums_of(&s->sums, series) : 0;
    for (size_t i = 0; i < count; i++) {
      witnesses *of_run = &s->witnesses[s->sums.runs[i]];
      bool is_slow = (double)s->sums.ticks[i] >= SLOW_FACTOR * usual;
      of_run->count++;
      of_run->time += usual;
      of_run->slow_count += is_slow;
      of_run->slow_time += is_slow ? usual : 0;
    }
  }
}

/* Returns true if a whole run is slow: most of its series are, and they have most of the time. One
 * long operator that is not slow shows that the others were interrupted, and so do many short ones.
 */
static bool is_slow_run(const witnesses *of_run) {
  return of_run->slow_count * 2 > of_run->count && of_run->slow_time * 2 > of_run->time;
}

/* Sets, for each time slice, how many of its ticks are an interruption: of what a series took in a
 * run what is above its fast time, unless the whole run is slow. Slices share the interruption of
 * their series in that run in proportion to their ticks. */
static void measure_interruptions(search *s, double *interruptions) {
  for (size_t series = 0; series < s->series_count; series++) {
    double fast = s->fast[series];
    if (!is_long(s, s->longest[series], fast))
      continue;
    size_t slice_count;
    etr_slice_sums_of(&s->sums, series);
    const etr_run_slice *slices = etr_slice_sums_slices(&s->sums, series, &slice_count);
    for (size_t i = 0; i < slice_count; i++) {
      double ticks = (double)s->sums.ticks[s->sums.sum_of[slices[i].run]];
      if (is_long(s, ticks, fast) && !is_slow_run(&s->witnesses[slices[i].run]))
        interruptions[slices[i].slice] = (ticks - fast) / ticks * (double)slices[i].ticks;
    }
  }
}

/* Finds the interruptions of a method by the series of its time slices. Returns false when out of
 * memory. */
static bool search_slices(search *s, const double **out, etr_arena *arena) {
  const etr_method *method = s->method;
  s->series_of = etr_arena_alloc_raw_array(s->scratch, method->time_slice_count,
                                           sizeof *s->series_of);
  s->sorted = etr_arena_alloc_array(s->scratch, method->run_count, sizeof *s->sorted);
  s->witnesses = etr_arena_alloc_array(s->scratch, method->run_count, sizeof *s->witnesses);
  if (etr_arena_failed(s->scratch) || !number_series(s))
    return false;
  s->usual = etr_arena_alloc_raw_array(s->scratch, s->series_count, sizeof *s->usual);
  s->fast = etr_arena_alloc_raw_array(s->scratch, s->series_count, sizeof *s->fast);
  s->longest = etr_arena_alloc_raw_array(s->scratch, s->series_count, sizeof *s->longest);
  if (etr_arena_failed(s->scratch) ||
      !etr_slice_sums_make(&s->sums, s->scratch, method, s->series_of, s->series_count))
    return false;
  double least = LEAST_WITNESS * find_times(s);
  if (!is_any_long(s))
    return true;
  count_witnesses(s, least);
  double *interruptions = etr_arena_alloc_array(arena, method->time_slice_count,
                                                sizeof *interruptions);
  if (interruptions)
    measure_interruptions(s, interruptions);
  *out = interruptions;
  return interruptions != NULL;
}

bool etr_interruptions_find(etr_method *method, double ticks_per_second, etr_arena *arena) {
  etr_arena scratch = {0};
  etr_method all = *method;
  all.time_slice_count = etr_slice_count(method);
  double whole = 0;
  search s = {.scratch = &scratch, .method = &all, .least = LEAST_NS / (1e9 / ticks_per_second)};
  if (method->run_count < LEAST_RUNS || method->mixed_phase_count > 1 ||
      !(method->typical.divisor > 0))
    return true;
  bool good = search_slices(&s, &method->interruptions, arena);
  etr_arena_clear(&scratch);
  for (size_t i = 0; method->interruptions && i < all.time_slice_count; i++)
    whole += etr_slice_interrupted(method, i);
  if (whole > 0 && whole >= LEAST_OF_ALL * method->execute.typical)
    method->interrupted = whole / method->execute.typical;
  else
    method->interruptions = NULL;
  method->are_medians_interrupted = method->interruptions && s.is_any_median_long;
  return good;
}
