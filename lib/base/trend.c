/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trend.c - slopes between any two samples of a segment.
 */
#include "base/trend.h"

#include "base/noise_verdict.h"

#include <math.h>

enum { MOST_SEGMENTS = 128, MOST_PLACES = 512 }; /* at most MOST_PLACES^2 / 2 pairs */

/* Several samples in a row, or one. */
typedef struct place {
  double at, value;
  uint32_t segment;
} place;

typedef struct fitting {
  etr_arena *scratch;
  etr_vec(place) places;
  etr_vec(double) slopes;
  double rises, variance; /* pairs that rise, less those that fall; how much that varies without a trend */
} fitting;

static size_t end_of_segment(const etr_trend_sample *samples, size_t count, size_t first) {
  size_t end = first;
  while (end < count && samples[end].segment == samples[first].segment) end++;
  return end;
}

/* Adds samples [first, end) of a segment that starts at `start` as one place. */
static bool add_place(fitting *f, const etr_trend_sample *samples, size_t start, size_t first, size_t end,
                      double *sorted) {
  place *added = etr_vec_push(f->scratch, &f->places);
  if (!added) return false;
  for (size_t i = first; i < end; i++) sorted[i - first] = samples[i].value;
  etr_sort(sorted, end - first, sizeof *sorted, etr_by_double);
  *added = (place){.at = (double)(first - start) + (double)(end - first - 1) / 2,
                   .value = etr_median_of_sorted(sorted, end - first),
                   .segment = samples[first].segment};
  return true;
}

static bool add_segment(fitting *f, const etr_trend_sample *samples, size_t start, size_t first, size_t end,
                        size_t most, double *sorted) {
  size_t count = ETR_MIN(end - first, most);
  for (size_t i = 0; i < count; i++)
    if (!add_place(f, samples, start, first + i * (end - first) / count, first + (i + 1) * (end - first) / count,
                   sorted))
      return false;
  return true;
}

static size_t count_segments(const etr_trend_sample *samples, size_t count, size_t *longest) {
  size_t segments = 0;
  for (size_t i = 0, end; i < count; i = end, segments++) {
    end = end_of_segment(samples, count, i);
    *longest = ETR_MAX(*longest, end - i);
  }
  return segments;
}

/* Evenly chosen segments, each with as many places as the pairs allow. */
static bool add_places(fitting *f, const etr_trend_sample *samples, size_t count, size_t segments, double from) {
  size_t chosen = ETR_MIN(segments, (size_t)MOST_SEGMENTS), number = 0;
  size_t most = (size_t)((double)MOST_PLACES / sqrt((double)ETR_MAX(chosen, (size_t)1)));
  double *sorted = etr_arena_alloc_array(f->scratch, count, sizeof *sorted);
  if (!sorted) return false;
  for (size_t i = 0, end; i < count; i = end, number++) {
    end = end_of_segment(samples, count, i);
    size_t first = i + (size_t)(from * (double)(end - i));
    bool is_chosen = number * chosen / segments != (number + 1) * chosen / segments;
    if (is_chosen && first < end && !add_segment(f, samples, i, first, end, most, sorted)) return false;
  }
  return true;
}

/* Pairs of places [first, end), of one segment. */
static bool add_pairs(fitting *f, size_t first, size_t end) {
  const place *places = f->places.data;
  double n = (double)(end - first);
  for (size_t i = first; i < end; i++)
    for (size_t k = i + 1; k < end; k++) {
      double rise = places[k].value - places[i].value, *slope = etr_vec_push(f->scratch, &f->slopes);
      if (!slope) return false;
      *slope = rise / (places[k].at - places[i].at);
      f->rises += (rise > 0) - (rise < 0);
    }
  f->variance += n * (n - 1) * (2 * n + 5) / 18;
  return true;
}

/* One step towards zero: what it counts is discrete. */
static double z_of(const fitting *f) {
  double least = f->rises - copysign(1, f->rises);
  return f->variance > 0 && fabs(f->rises) > 1 ? least / sqrt(f->variance) : 0;
}

static bool fit_line(fitting *f, etr_trend *out) {
  size_t count = f->places.count;
  double *rest = etr_arena_alloc_array(f->scratch, count, sizeof *rest);
  if (!rest) return false;
  etr_sort(f->slopes.data, f->slopes.count, sizeof(double), etr_by_double);
  out->slope = etr_median_of_sorted(f->slopes.data, f->slopes.count);
  for (size_t i = 0; i < count; i++) rest[i] = f->places.data[i].value - out->slope * f->places.data[i].at;
  etr_sort(rest, count, sizeof *rest, etr_by_double);
  out->level = etr_median_of_sorted(rest, count);
  out->spread = etr_robust_deviation(rest, count, out->level);
  return true;
}

bool etr_trend_of(etr_trend *out, etr_arena *scratch, const etr_trend_sample *samples, size_t count, double from) {
  fitting f = {.scratch = scratch};
  *out = (etr_trend){0};
  size_t segments = count_segments(samples, count, &out->longest);
  if (!add_places(&f, samples, count, segments, from)) return false;
  for (size_t i = 0, end; i < f.places.count; i = end) {
    for (end = i; end < f.places.count && f.places.data[end].segment == f.places.data[i].segment;) end++;
    if (!add_pairs(&f, i, end)) return false;
  }
  out->z = z_of(&f);
  return fit_line(&f, out);
}
