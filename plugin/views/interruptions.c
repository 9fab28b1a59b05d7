/* SPDX-License-Identifier: BSD-3-Clause
 *
 * interruptions.c - compares each operator's time in each run with its median.
 */
#include "views/interruptions.h"

#include "base/stats.h"
#include "base/writer.h"
#include "output/label.h"
#include "views/run_sums.h"

#include <math.h>

/** An interrupted operator takes at least this many times its median. */
static const double LEAST_FACTOR = 2;
/** It loses at least so many ns: what a scheduler takes away is longer, and what is shorter may be
 * the step of a clock. */
static const double LEAST_NS = 1e4;
/** Interruptions that are less than this part of the typical time are not told from it. */
static const double LEAST_OF_ALL = 0.1;
/** An operator that takes this many times its median is slow in that run, interrupted or not. */
static const double SLOW_FACTOR = 1.5;
/** Operators whose median is at least this part of the sum of all medians show whether a whole run
 * is slow: the clock's step is most of the time of smaller ones. */
static const double LEAST_WITNESS = 0.005;
/** Runs that a median needs so that one interruption does not move it. */
enum { LEAST_RUNS = 3 };

/* The series that are large enough to show whether a run is slow, and those of them that are slow
 * in it. */
typedef struct witnesses {
  size_t count, slow_count;
  double time, slow_time; /* ticks that they take in the median */
} witnesses;

/* Looks for interruptions. A series is all time slices of one node, or of one event on no node, in
 * one part of the time. */
typedef struct search {
  etr_arena *scratch;
  double least;             /* ticks that an interruption takes at least */
  const etr_method *method; /* its time slices are followed by those of the runtime */
  uint32_t *series_of;      /* per time slice: the node or event that it is of */
  size_t series_count;
  double *medians;      /* per series: of its ticks in the runs in which it ran */
  etr_run_sums sums;    /* of the series */
  uint64_t *sorted;     /* a copy of the sums of one series, which the median sorts */
  witnesses *witnesses; /* per run */
} search;

/* What a series is of: a node, or an event; and the part of its time. */
typedef struct series_key {
  const etr_event *event;
  uint32_t node, part;
} series_key;

/* Sets s->series_of of each time slice, and the number of series. Returns false when out of memory.
 */
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

/* Sets the median of each series. Returns their sum, which is what a run takes that nothing
 * interrupts: the typical time is no measure where most of it are interruptions. */
static double find_medians(search *s) {
  double sum = 0;
  for (size_t series = 0; series < s->series_count; series++) {
    size_t count = etr_run_sums_of(&s->sums, series);
    for (size_t i = 0; i < count; i++)
      s->sorted[i] = s->sums.ticks[i];
    s->medians[series] = etr_stats_of(s->sorted, count).p50;
    sum += s->medians[series] * (double)count / (double)s->method->run_count;
  }
  return sum;
}

/* Counts, for each run, the series (nodes or events) whose median time is large enough to show
 * whether the whole run is slow, and those of them that took SLOW_FACTOR times their median or more
 * in it. */
static void count_witnesses(search *s) {
  double least = LEAST_WITNESS * find_medians(s);
  for (size_t series = 0; series < s->series_count; series++) {
    size_t count = etr_run_sums_of(&s->sums, series);
    double median = s->medians[series];
    for (size_t i = 0; i < count && median >= least; i++) {
      witnesses *of_run = &s->witnesses[s->sums.runs[i]];
      bool is_slow = (double)s->sums.ticks[i] >= SLOW_FACTOR * median;
      of_run->count++;
      of_run->time += median;
      of_run->slow_count += is_slow;
      of_run->slow_time += is_slow ? median : 0;
    }
  }
}

/* Returns true if a whole run is slow: most of its series are, and they have most of the time. One
 * long operator that is not slow shows that the others were interrupted, and so do many short ones.
 */
static bool is_slow_run(const witnesses *of_run) {
  return of_run->slow_count * 2 > of_run->count && of_run->slow_time * 2 > of_run->time;
}

/* Returns the part of a series' time in a run that is an interruption, 0 to 1: what is above the
 * median. 0 if the whole run is slow. */
static double interrupted_part(const search *s, uint32_t run, double median) {
  double ticks = (double)s->sums.ticks[s->sums.sum_of[run]], excess = ticks - median;
  bool is_long = ticks >= LEAST_FACTOR * median && excess >= s->least;
  return is_long && !is_slow_run(&s->witnesses[run]) ? excess / ticks : 0;
}

/* Sets, for each time slice, how many of its ticks are an interruption (`ticks`), and how many
 * ticks that adds to the typical run (`typical_of_slice`), which is a weighted mean of runs. Slices
 * share the interruption of their series in that run in proportion to their ticks. Series that ran
 * in fewer than LEAST_RUNS runs have none. */
static void measure_interruptions(search *s, double *typical_of_slice, double *ticks) {
  const etr_typical_run *typical = &s->method->typical;
  for (size_t series = 0; series < s->series_count; series++) {
    size_t slice_count, count = etr_run_sums_of(&s->sums, series);
    if (count < LEAST_RUNS)
      continue;
    double median = s->medians[series];
    const etr_run_slice *slices = etr_run_sums_slices(&s->sums, series, &slice_count);
    for (size_t i = 0; i < slice_count; i++) {
      double lost_share = interrupted_part(s, slices[i].run, median);
      double lost_ticks = lost_share * (double)slices[i].ticks;
      ticks[slices[i].slice] = lost_ticks;
      typical_of_slice[slices[i].slice] = lost_ticks * typical->weights[slices[i].run] /
                                          typical->divisor;
    }
  }
}

/* Finds the interruptions of a method by the series of its time slices, and sets the ticks of each
 * slice as measure_interruptions() does. Returns false when out of memory. */
static bool search_slices(search *s, double *typical_of_slice, double *ticks) {
  const etr_method *method = s->method;
  size_t runs = method->run_count;
  s->series_of = etr_arena_alloc_raw_array(s->scratch, method->time_slice_count,
                                           sizeof *s->series_of);
  s->sorted = etr_arena_alloc_array(s->scratch, runs, sizeof *s->sorted);
  s->witnesses = etr_arena_alloc_array(s->scratch, runs, sizeof *s->witnesses);
  if (etr_arena_failed(s->scratch) || !number_series(s))
    return false;
  s->medians = etr_arena_alloc_array(s->scratch, s->series_count, sizeof *s->medians);
  if (etr_arena_failed(s->scratch) ||
      !etr_run_sums_make(&s->sums, s->scratch, method, s->series_of, s->series_count))
    return false;
  count_witnesses(s);
  measure_interruptions(s, typical_of_slice, ticks);
  return true;
}

/* ---- The runtime's time, of which a method has no slices ---- */

typedef etr_vec(etr_time_slice) slice_list;

/* What the runtime took in the runs of a method. */
typedef struct runtime_ticks {
  uint32_t *index_of_run; /* of each run of the profile, among those of the method */
  uint64_t *rest;         /* per run of the method: ticks that are in no slice */
} runtime_ticks;

/* Lists, for each run, what the runtime took to call the kernel of one instruction, which has the
 * rows [first, end) of a block, at most what is left of the run. Does nothing if an instruction has
 * not both, since then it is not known what calling takes. */
static bool list_calls(slice_list *list, etr_arena *arena, const etr_block *block, size_t first,
                       size_t end, const runtime_ticks *runtime) {
  const etr_event *call = NULL, *kernel = NULL;
  size_t kernels = 0;
  for (size_t i = first; i < end; i++) {
    const etr_event *event = &block->events[i];
    bool is_call = event->kind == ETR_EVENT_FRAMEWORK && strcmp(event->name, "OPERATOR_CALL") == 0;
    bool is_kernel = event->kind == ETR_EVENT_KERNEL;
    call = is_call ? event : call;
    kernel = is_kernel ? event : kernel;
    kernels += is_kernel;
  }
  if (!call || kernels != 1 || call->sample_count != kernel->sample_count)
    return true;
  for (size_t i = 0; i < call->sample_count; i++) {
    uint32_t run = runtime->index_of_run[call->sample_runs[i]];
    uint64_t around = call->durations[i] - ETR_MIN(call->durations[i], kernel->durations[i]);
    uint64_t ticks = ETR_MIN(around, runtime->rest[run]);
    etr_time_slice *added = etr_vec_push(arena, list);
    if (!added)
      return false;
    runtime->rest[run] -= ticks;
    *added = (etr_time_slice){.ticks = ticks,
                              .event = call,
                              .run = run,
                              .node = kernel->node_count ? kernel->nodes[0] : ETR_NONE,
                              .part = ETR_TIME_RUNTIME};
  }
  return true;
}

/* Lists the time slices of the runtime: of its calls of kernels, and what else it took in each run,
 * without an event. A method of a document has none. Returns false when out of memory. */
static bool list_runtime(slice_list *list, etr_arena *arena, etr_arena *scratch,
                         const etr_profile *profile, const etr_method *method) {
  const runtime_ticks runtime = {
      etr_arena_alloc_array(scratch, profile->run_count, sizeof *runtime.index_of_run),
      etr_arena_alloc_array(scratch, method->run_count, sizeof *runtime.rest)};
  if (!runtime.index_of_run || !runtime.rest)
    return false;
  if (!method->runs)
    return true;
  for (uint32_t i = 0; i < method->run_count; i++) {
    runtime.index_of_run[method->runs[i]] = i;
    runtime.rest[i] = method->execute_per_run[i];
  }
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    runtime.rest[slice->run] -= ETR_MIN(runtime.rest[slice->run], slice->ticks);
  }
  for (size_t k = 0; k < method->block_count; k++) {
    const etr_block *block = &profile->blocks[method->blocks[k]];
    for (size_t i = 0, end; i < block->event_count; i = end) {
      end = etr_block_instruction_end(block, i);
      if (!list_calls(list, arena, block, i, end, &runtime))
        return false;
    }
  }
  for (uint32_t i = 0; i < method->run_count; i++) {
    etr_time_slice *added = etr_vec_push(arena, list);
    if (!added)
      return false;
    *added = (etr_time_slice){
        .ticks = runtime.rest[i], .run = i, .node = ETR_NONE, .part = ETR_TIME_RUNTIME};
  }
  return true;
}

bool etr_interruptions_find(etr_interruptions *out, etr_arena *arena, const etr_profile *profile,
                            const etr_method *method) {
  etr_arena scratch = {0};
  slice_list runtime = {0};
  etr_method all = *method; /* with the slices of the runtime */
  bool good = list_runtime(&runtime, arena, &scratch, profile, method);
  size_t count = method->time_slice_count + runtime.count;
  etr_time_slice *slices = etr_arena_alloc_raw_array(&scratch, count, sizeof *slices);
  double *of_slice = etr_arena_alloc_array(arena, count, sizeof *of_slice);
  double *ticks = etr_arena_alloc_array(arena, count, sizeof *ticks);
  for (size_t i = 0; slices && i < count; i++)
    slices[i] = *etr_slice_at(method, runtime.data, i);
  all.time_slices = slices;
  all.time_slice_count = count;
  search s = {.scratch = &scratch, .method = &all, .least = LEAST_NS / etr_ticks_to_ns(profile, 1)};
  bool is_judged = method->run_count >= LEAST_RUNS && method->mixed_phase_count < 2 &&
                   method->typical.divisor > 0;
  *out = (etr_interruptions){
      .of_slice = of_slice, .ticks = ticks, .runtime = runtime.data, .count = count};
  good = good && slices && of_slice && ticks && (!is_judged || search_slices(&s, of_slice, ticks));
  if (!good)
    etr_arena_fail(arena);
  etr_arena_clear(&scratch);
  for (size_t i = 0; good && i < out->count; i++)
    out->whole += of_slice[i];
  if (good && out->whole < LEAST_OF_ALL * method->execute.typical) {
    memset(of_slice, 0, out->count * sizeof *of_slice);
    memset(ticks, 0, out->count * sizeof *ticks);
    out->whole = 0;
  }
  return good;
}

const char *etr_interruptions_note(etr_arena *arena, const etr_profile *profile,
                                   const etr_method *method, etr_medians medians) {
  etr_interruptions found;
  etr_text text;
  etr_writer writer;
  if (profile->statistic == ETR_STATISTIC_AVG ||
      !etr_interruptions_find(&found, arena, profile, method) || !(found.whole > 0))
    return NULL;
  bool are_medians_without = medians == ETR_MEDIANS_OF_NODES;
  if (medians == ETR_MEDIANS_OF_SUMS)
    are_medians_without = etr_interruptions_count_runs(&found, arena, method) * 2 <
                          method->run_count;
  if (are_medians_without && profile->statistic == ETR_STATISTIC_P50)
    return NULL;
  etr_text_begin(&text, arena, &writer);
  etr_putf(&writer,
           "these times contain interruptions, %.0f %% of the typical run: measure again%s",
           100 * found.whole / method->execute.typical,
           are_medians_without ? ", or choose --stat p50" : "");
  return etr_text_end(&text, &writer);
}

size_t etr_interruptions_count_runs(const etr_interruptions *found, etr_arena *arena,
                                    const etr_method *method) {
  bool *is_interrupted = etr_arena_alloc_array(arena, method->run_count, sizeof *is_interrupted);
  size_t count = 0;
  for (size_t i = 0; is_interrupted && i < found->count; i++) {
    bool *run = &is_interrupted[etr_slice_at(method, found->runtime, i)->run];
    bool is_new = found->ticks[i] > 0 && !*run;
    *run |= is_new;
    count += is_new;
  }
  return count;
}

/* Returns etr_interrupted_share(); 0 also when out of memory, which has failed the arena. */
static double interrupted_share(etr_arena *arena, const etr_profile *profile,
                                const etr_method *method) {
  etr_interruptions found;
  double share = method->interrupted;
  if (!share && etr_interruptions_find(&found, arena, profile, method) && found.whole > 0)
    share = found.whole / method->execute.typical;
  return share;
}

double etr_interrupted_share(const etr_profile *profile, const etr_method *method) {
  etr_arena scratch = {0};
  double share = interrupted_share(&scratch, profile, method);
  etr_arena_clear(&scratch);
  return share;
}

const char *etr_interrupted_text(etr_arena *arena, const etr_profile *profile,
                                 const etr_method *method) {
  double share = interrupted_share(arena, profile, method);
  double ticks = method->execute.typical * (1 - share);
  const char *time = share > 0 ? etr_label_ticks(arena, profile, ticks) : NULL;
  return time ? etr_arena_format(arena, "%.0f %% is interruptions: %s per inference without",
                                 100 * share, time)
              : NULL;
}
