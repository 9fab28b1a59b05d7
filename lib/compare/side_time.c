/* SPDX-License-Identifier: BSD-3-Clause
 *
 * side_time.c - medians over the runs of a side and over those of each recording, and sums of items
 * by what they have in common.
 */
#include "compare/compare_side.h"

#include "base/stats.h"

#include <math.h>

enum { MIDDLE_FROM = 10 }; /* the middle 80 % leave out one tenth of the runs at either end */

/* ---- Samples in order ---- */

static int by_ticks(const void *a, const void *b) {
  const etr_side_sample *x = a, *y = b;
  return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

static int by_recording(const void *a, const void *b) {
  const etr_side_sample *x = a, *y = b;
  if (x->recording != y->recording)
    return x->recording < y->recording ? -1 : 1;
  return by_ticks(a, b);
}

/* Sorted samples, preceded by a number of runs that took no time. */
typedef struct ordered {
  const etr_side_sample *samples;
  size_t zeros, count; /* count: with the zeros */
} ordered;

static double tick_at(const ordered *o, size_t at) {
  return at < o->zeros ? 0 : (double)o->samples[at - o->zeros].ticks;
}

static double median_of(const ordered *o) {
  return (tick_at(o, (o->count - 1) / 2) + tick_at(o, o->count / 2)) / 2;
}

/* ---- Recordings ---- */

static double total_of(const etr_side_sample *samples, size_t count) {
  double total = 0;
  for (size_t i = 0; i < count; i++)
    total += (double)samples[i].ticks;
  return total;
}

/* Computes the time of samples. If `of` is not NULL, runs without a sample count as 0. */
static etr_side_time time_of_samples(etr_side_sample *samples, size_t count,
                                     const etr_side_runs *of, double step) {
  ordered all = {samples, of ? of->run_count - count : 0, of ? of->run_count : count};
  etr_moments medians = {0};
  if (count == 0)
    return (etr_side_time){0};
  etr_sort(samples, count, sizeof *samples, by_recording);
  size_t recordings = of ? of->recording_count : 0;
  for (size_t i = 0; !of && i < count; i++)
    recordings += i == 0 || samples[i].recording != samples[i - 1].recording;
  if (recordings > 1) {
    /* Computes the logarithms of the recordings' medians. The samples are sorted by recording. If
     * `of` is not NULL, runs without a sample count as 0; otherwise each recording has as many runs
     * as samples. */
    etr_moments found = {0};
    size_t run = 0;
    for (size_t first = 0, end; first < count; first = end) {
      for (end = first; end < count && samples[end].recording == samples[first].recording;)
        end++;
      ordered recording = {samples + first, 0, end - first};
      if (of) {
        while (of->recording_of[run] != samples[first].recording)
          run++;
        size_t begin = run;
        while (run < of->run_count && of->recording_of[run] == samples[first].recording)
          run++;
        recording.count = run - begin;
        recording.zeros = recording.count - (end - first);
      }
      etr_moments_add(&found, log(median_of(&recording)));
    }
    medians = found;
    etr_sort(samples, count, sizeof *samples, by_ticks);
  }
  /* Times are sorted; the recordings' medians are known. */
  size_t left_out = all.count / MIDDLE_FROM;
  etr_side_time time = {.total = total_of(all.samples, all.count - all.zeros),
                        .runs = all.count,
                        .p50 = median_of(&all),
                        .low = tick_at(&all, left_out),
                        .high = tick_at(&all, all.count - 1 - left_out),
                        .recordings = recordings,
                        .step = step};
  if (recordings < 2)
    return time;
  bool has_zero = medians.count < recordings || !isfinite(medians.mean) || !(time.p50 > 0);
  time.offset = has_zero ? NAN : medians.mean - log(time.p50);
  time.spread = has_zero ? NAN : sqrt(medians.squares / (double)(recordings - 1));
  return time;
}

etr_side_time etr_side_time_of(etr_side_sample *samples, size_t count, double step) {
  return time_of_samples(samples, count, NULL, step);
}

/* ---- The runs of a method ---- */

bool etr_side_runs_of(etr_side_runs *out, const etr_profile *profile, const etr_method *method,
                      etr_arena *arena) {
  uint32_t *recording_of = etr_arena_alloc_array(arena, method->run_count, sizeof *recording_of);
  *out = (etr_side_runs){.recording_of = recording_of, .run_count = method->run_count};
  for (size_t i = 0; recording_of && i < method->run_count; i++) {
    uint32_t dump = profile->runs[method->runs[i]].dump;
    out->recording_count += i == 0 || dump != profile->runs[method->runs[i - 1]].dump;
    recording_of[i] = (uint32_t)out->recording_count - 1;
  }
  return recording_of != NULL;
}

bool etr_side_time_of_ticks(etr_side_time *out, const uint64_t *ticks, const etr_side_runs *runs,
                            double step, etr_arena *scratch) {
  etr_side_sample *samples = etr_arena_alloc_array(scratch, runs->run_count, sizeof *samples);
  *out = (etr_side_time){0};
  if (!samples)
    return false;
  for (size_t i = 0; i < runs->run_count; i++)
    samples[i] = (etr_side_sample){runs->recording_of[i], ticks[i]};
  *out = etr_side_time_of(samples, runs->run_count, step);
  return true;
}

/* ---- Sums ---- */

bool etr_run_sums_init(etr_run_sums *s, const etr_side_runs *of, etr_arena *scratch) {
  *s = (etr_run_sums){.scratch = scratch, .of = of};
  s->ticks = etr_arena_alloc_array(scratch, of->run_count, sizeof *s->ticks);
  s->rounds = etr_arena_alloc_array(scratch, of->run_count, sizeof *s->rounds);
  return s->ticks && s->rounds;
}

void etr_run_sums_begin(etr_run_sums *s) {
  s->round++;
  s->runs.count = s->samples.count = 0;
}

static bool add_run(etr_run_sums *s, uint32_t run) {
  uint32_t *added = etr_vec_push(s->scratch, &s->runs);
  if (!added)
    return false;
  *added = run;
  s->rounds[run] = s->round;
  s->ticks[run] = 0;
  return true;
}

bool etr_run_sums_add(etr_run_sums *s, const etr_run_ticks *each_run, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t run = each_run[i].run;
    if (s->rounds[run] != s->round && !add_run(s, run))
      return false;
    s->ticks[run] += each_run[i].ticks;
  }
  return true;
}

bool etr_run_sums_end(etr_run_sums *s, etr_side_time *out, bool with_zeros, double step) {
  *out = (etr_side_time){0};
  for (size_t i = 0; i < s->runs.count; i++) {
    etr_side_sample *sample = etr_vec_push(s->scratch, &s->samples);
    if (!sample)
      return false;
    *sample = (etr_side_sample){s->of->recording_of[s->runs.data[i]], s->ticks[s->runs.data[i]]};
  }
  *out = time_of_samples(s->samples.data, s->samples.count, with_zeros ? s->of : NULL, step);
  return true;
}

/* ---- Items of a side by what they have in common ---- */

/* Returns the key under which an item is added up; NULL for an item without time by backend,
 * because it is not known where it runs. */
static const char *key_of(const etr_side_item *item, etr_side_by by) {
  if (by == ETR_SIDE_OP)
    return item->op;
  if (by == ETR_SIDE_MODULE)
    return item->module;
  if (by == ETR_SIDE_PATTERN)
    return item->pattern;
  if (item->time.runs == 0)
    return NULL;
  return item->backend ? item->backend : "cpu";
}

etr_side_sums *etr_side_sums_of(etr_side_method *method, etr_side_by by) {
  etr_side_sums *const sums[ETR_SIDE_BY] = {&method->ops, &method->modules, &method->patterns,
                                            &method->backends};
  return sums[by];
}

typedef etr_vec(etr_side_sum) sum_rows;

/* Returns the number of a group, which is added if it is new; ETR_NONE when out of memory. */
static uint32_t group_of_key(sum_rows *rows, etr_map *index, const char *key, etr_arena *arena) {
  uint32_t known = etr_map_get(index, etr_slice_of(key));
  if (known != ETR_NONE)
    return known;
  etr_side_sum *added = etr_vec_push(arena, rows);
  known = (uint32_t)(rows->count - 1);
  if (!added || !etr_map_set(index, etr_slice_of(key), known))
    return ETR_NONE;
  added->key = key;
  return known;
}

static void add_item(etr_side_sum *to, const etr_side_item *item) {
  if (item->time.runs == 0)
    return;
  to->timed++;
  to->time.total += item->time.total;
  to->time.step += item->time.step * item->time.step;
}

bool etr_side_group(etr_side_groups *out, const etr_side_item *items, size_t count, etr_side_by by,
                    etr_arena *arena, etr_arena *scratch) {
  sum_rows rows = {0};
  etr_map index;
  *out = (etr_side_groups){
      .group_of = etr_arena_alloc_array(scratch, count, sizeof *out->group_of)};
  if (!out->group_of)
    return false;
  etr_map_init(&index, scratch);
  for (size_t i = 0; i < count; i++) {
    const char *key = key_of(&items[i], by);
    out->group_of[i] = key ? group_of_key(&rows, &index, key, arena) : ETR_NONE;
    if (key && out->group_of[i] == ETR_NONE)
      return false;
    if (key)
      add_item(&rows.data[out->group_of[i]], &items[i]);
  }
  for (size_t i = 0; i < rows.count; i++)
    rows.data[i].time.step = sqrt(rows.data[i].time.step);
  out->rows = rows.data;
  out->count = rows.count;
  return true;
}
