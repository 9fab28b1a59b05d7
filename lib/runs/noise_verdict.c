/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise_verdict.c - looks for two modes, sets outliers aside, looks again, then for a step or a
 * drift in what is left.
 */
#include "runs/noise_verdict.h"

#include "base/base.h"
#include "base/stats.h"
#include "runs/trend.h"

#include <math.h>

/* ---- Whether times are of two modes, as of a clock that switches between two speeds ---- */

typedef struct etr_modes {
  bool are_two;
  size_t fast_count, slow_count;
  double fast_median, slow_median;
  size_t switches; /**< how often a run is of another mode than the one before it; 1 is a step, and
                      no modes */
  bool in_stretches; /**< switches are at most half as many as chance would make: modes last for
                        several runs */
} etr_modes;

/* The fewest times that show two modes. */
enum { ETR_MODES_LEAST_SAMPLES = 20 };

static const double LEAST_GAP =
    .03; /* between means of logarithms; a smaller gap is not worth reporting */
static const double LEAST_DEVIATIONS = 5; /* distance in pooled deviations; the halves of one normal
                                             distribution are 2.7 apart */
static const double LEAST_DEVIATION = .003; /* deviation that the clock's resolution may hide */
static const double MOST_WIDTH = .2; /* deviation of a mode, in distances between the modes; a few
                                        scattered runs are no mode */
enum { LEAST_RUNS = 3, PARTS_OF_MODE = 10 };

static double spread_of(const etr_moments *m) {
  return sqrt(ETR_MAX(m->squares, 0) / (double)ETR_MAX(m->count, (size_t)1));
}

/* Returns the number of sorted times in the fast mode, by the split that leaves the least squares
 * on both sides. */
static size_t split_of(const double *sorted, size_t count) {
  etr_moments low = {0}, high = {0};
  double least = INFINITY;
  size_t at = 1;
  for (size_t i = 0; i < count; i++)
    etr_moments_add(&high, log(sorted[i]));
  for (size_t i = 0; i + 1 < count; i++) {
    etr_moments_add(&low, log(sorted[i]));
    /* Removes what was added; the mean of no values is 0. */
    double value = log(sorted[i]);
    double behind = value - high.mean;
    high.count--;
    high.mean = high.count > 0 ? high.mean - behind / (double)high.count : 0;
    high.squares -= behind * (value - high.mean);
    if (!(sorted[i + 1] > sorted[i]) || low.squares + high.squares >= least)
      continue;
    least = low.squares + high.squares;
    at = i + 1;
  }
  return at;
}

static etr_moments moments_of(const double *times, size_t count) {
  etr_moments m = {0};
  for (size_t i = 0; i < count; i++)
    etr_moments_add(&m, log(times[i]));
  return m;
}

/* Decides whether times have two modes. The times are above 0 and in the order of their runs;
 * `sorted` has the same times, ascending. Times that are one `step` of their clock apart are no
 * modes. */
static etr_modes modes_of(const double *times, const double *sorted, size_t count, double step) {
  etr_modes m = {0};
  if (count < ETR_MODES_LEAST_SAMPLES)
    return m;
  size_t at = split_of(sorted, count), smaller = ETR_MIN(at, count - at);
  if (smaller < ETR_MAX((size_t)LEAST_RUNS, (count + PARTS_OF_MODE - 1) / PARTS_OF_MODE))
    return m;
  const etr_moments low = moments_of(sorted, at), high = moments_of(sorted + at, count - at);
  double distance = high.mean - low.mean,
         pooled = sqrt((low.squares + high.squares) / (double)(count - 2));
  bool is_far = distance >= LEAST_GAP &&
                distance >= LEAST_DEVIATIONS * ETR_MAX(pooled, LEAST_DEVIATION);
  bool is_compact = ETR_MAX(spread_of(&low), spread_of(&high)) <= MOST_WIDTH * distance;
  if (!(is_far && is_compact && exp(high.mean) - exp(low.mean) > 1.5 * step))
    return m;
  for (size_t i = 1; i < count; i++)
    m.switches += (times[i] < sorted[at]) != (times[i - 1] < sorted[at]);
  m.are_two = m.switches > 1;
  m.fast_count = at;
  m.slow_count = count - at;
  m.fast_median = etr_median_of_sorted(sorted, at);
  m.slow_median = etr_median_of_sorted(sorted + at, count - at);
  m.in_stretches = (double)m.switches * (double)count <=
                   (double)m.fast_count * (double)m.slow_count;
  return m;
}

/* ---- Looks for two modes, sets outliers aside, looks again, then for a step or a drift in what is
 * left ---- */

static const double NORMAL =
    1.4826; /* of a normal distribution: standard deviation per median deviation */
static const double OUTLIER = 5; /* deviations; of a million normal samples one is farther out */
static const double LEAST_DISTANCE =
    .18; /* of an outlier's logarithm: a coarse clock makes most samples the same */
static const double CLOCK_SHOWS =
    .01; /* of the median: a clock that steps by less is not looked at */
enum {
  PARTS_OF_OUTLIERS = 5, /* more than a fifth of the runs are no outliers, but noise */
  LEAST_FOR_TREND =
      20, /* runs: fewer that are steady but wander slowly look like a step too often */
};

/* The runs that are judged: those with a time. What is set aside leaves `samples` and `times`. */
typedef struct judged {
  etr_noise_sample *samples;
  double *times, *sorted;
  etr_trend_sample *series;
  size_t count, all;
  double step; /* of the clock, in ticks */
} judged;

/* ---- Spread and outliers ---- */

/* Returns the robust standard deviation of the times' logarithms. Distances from the median grow to
 * both sides of it, so the next larger distance is at one of two ends. */
static double variation_of(const double *sorted, size_t count) {
  double median = log(etr_median_of_sorted(sorted, count)), distance = 0, before = 0;
  size_t low = count / 2, high = count / 2; /* sorted[low] to sorted[high - 1] are passed */
  if (count < 2)
    return NAN;
  for (size_t passed = 0; passed <= count / 2; passed++) {
    double below = low > 0 ? median - log(sorted[low - 1]) : INFINITY;
    double above = high < count ? log(sorted[high]) - median : INFINITY;
    before = distance;
    distance = fabs(ETR_MIN(below, above));
    below <= above ? low-- : high++;
  }
  return NORMAL * (count % 2 ? distance : (before + distance) / 2);
}

/* Returns the distance from the logarithm of the median beyond which a time is an outlier. */
static double limit_of(double variation) {
  return ETR_MAX(OUTLIER * variation, LEAST_DISTANCE);
}

static bool is_far(double time, double median, double limit, double step) {
  return fabs(log(time / median)) > limit && fabs(time - median) > step;
}

/* Counts the outliers, and computes how many times the median they take. If there are too many,
 * they are noise, which the median distance does not show. */
static void find_outliers(etr_noise *noise, const double *sorted, size_t count, double step) {
  double median = etr_median_of_sorted(sorted, count), limit = limit_of(noise->cv);
  size_t low = 0, high = 0;
  while (low < count && is_far(sorted[low], median, limit, step))
    low++;
  while (low + high < count && is_far(sorted[count - 1 - high], median, limit, step))
    high++;
  if (low + high > ETR_MAX((size_t)1, count / PARTS_OF_OUTLIERS)) {
    /* Standard deviation of the times' logarithms. */
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
      mean += log(sorted[i]) / (double)count;
    for (size_t i = 0; i < count; i++)
      squares += (log(sorted[i]) - mean) * (log(sorted[i]) - mean);
    noise->cv = sqrt(squares / (double)(count - 1));
  }
  if (low + high == 0 || low + high > ETR_MAX((size_t)1, count / PARTS_OF_OUTLIERS))
    return;
  noise->outliers = low + high;
  noise->least_outlier = (low ? sorted[0] : sorted[count - high]) / median;
  noise->most_outlier = (high ? sorted[count - 1] : sorted[low - 1]) / median;
}

static etr_noise_verdict verdict_of(double variation) {
  return variation <= ETR_NOISE_MOST_STEADY ? ETR_NOISE_STEADY : ETR_NOISE_NOISY;
}

/* ---- Modes and trends ---- */

static bool find_modes(etr_noise *noise, const judged *j) {
  etr_modes modes = modes_of(j->times, j->sorted, j->count, j->step);
  if (!modes.are_two)
    return false;
  noise->verdict = ETR_NOISE_TWO_MODES;
  noise->modes[0] = (etr_noise_mode){modes.fast_count, modes.fast_median};
  noise->modes[1] = (etr_noise_mode){modes.slow_count, modes.slow_median};
  noise->in_stretches = modes.in_stretches;
  return true;
}

/* Segments are stretches or series; positions count from 0 in each. */
static size_t list_segments(const judged *j, bool by_stretch) {
  size_t segments = 0;
  for (size_t i = 0; i < j->count; i++) {
    const etr_noise_sample *sample = &j->samples[i], *before = i ? sample - 1 : sample;
    bool starts = i == 0 || sample->series != before->series ||
                  (by_stretch && sample->stretch != before->stretch);
    segments += starts;
    j->series[i] = (etr_trend_sample){.value = log(j->times[i]), .segment = (uint32_t)segments};
    if (!starts)
      j->series[i].place = j->series[i - 1].place + 1;
  }
  return segments;
}

static bool find_trend(etr_noise *noise, const judged *j, size_t segments) {
  if (j->all < LEAST_FOR_TREND + segments - 1)
    return false;
  etr_trend trend = etr_trend_of(j->series, j->count);
  double level = exp(trend.level), median = etr_median_of_sorted(j->sorted, j->count);
  double from = trend.kind == ETR_TREND_DRIFT ? level : median;
  if (trend.kind == ETR_TREND_NONE || fabs(expm1(trend.change)) * from <= j->step)
    return false;
  noise->verdict = trend.kind == ETR_TREND_STEP ? ETR_NOISE_STEP : ETR_NOISE_DRIFT;
  noise->change = expm1(trend.change);
  noise->is_unsure = trend.is_unsure;
  if (trend.kind == ETR_TREND_STEP) {
    noise->from_run = j->samples[trend.at].run;
    noise->over_runs = j->count - trend.at;
    return true;
  }
  noise->over_runs = trend.span + 1;
  noise->stretches = segments;
  noise->start = level;
  return true;
}

/* Looks for a trend inside stretches, before one over all runs: times that start anew after each
 * run of another kind do not change over all runs. */
static bool find_trend_in_stretches(etr_noise *noise, const judged *j) {
  size_t series = list_segments(j, false), stretches = list_segments(j, true);
  return stretches > series && find_trend(noise, j, stretches);
}

static void judge_runs(etr_noise *noise, judged *j) {
  double variation = variation_of(j->sorted, j->count),
         median = etr_median_of_sorted(j->sorted, j->count);
  noise->cv = variation;
  noise->run_count = j->count;
  if (j->count < ETR_NOISE_LEAST_TO_JUDGE)
    return;
  if (find_trend_in_stretches(noise, j) || find_modes(noise, j))
    return;
  find_outliers(noise, j->sorted, j->count, j->step);
  if (noise->outliers) {
    double limit = limit_of(variation);
    size_t kept = 0;
    for (size_t i = 0; i < j->count; i++) {
      if (is_far(j->times[i], median, limit, j->step))
        continue;
      j->samples[kept] = j->samples[i];
      j->times[kept++] = j->times[i];
    }
    j->count = kept;
    if (kept)
      memcpy(j->sorted, j->times, kept * sizeof *j->sorted);
    etr_sort(j->sorted, kept, sizeof *j->sorted, etr_by_double);
    noise->cv = variation_of(j->sorted, j->count);
    if (find_trend_in_stretches(noise, j) || find_modes(noise, j))
      return;
  }
  noise->verdict = verdict_of(noise->cv);
  (void)find_trend(noise, j, list_segments(j, false));
}

/* ---- All ---- */

/* Rounds results, because logarithms differ in their last bits between C libraries, and outputs
 * must not. */
static void round_off(etr_noise *noise) {
  double *values[] = {&noise->cv, &noise->least_outlier, &noise->most_outlier, &noise->change};
  for (size_t i = 0; i < ETR_COUNT(values); i++)
    *values[i] = round(*values[i] * 1e9) / 1e9;
  noise->start = round(noise->start * 4) / 4;
}

/* Returns the largest divisor of all times, which is the clock's step if the clock is coarse. */
static uint64_t divisor_of(const etr_noise_sample *samples, size_t count) {
  uint64_t divisor = 0;
  for (size_t i = 0; i < count && divisor != 1; i++)
    divisor = etr_common_divisor(samples[i].ticks, divisor);
  return divisor;
}

bool etr_noise_of(etr_noise *out, etr_arena *scratch, const etr_noise_sample *samples,
                  const uint64_t *sorted, size_t count) {
  judged j = {.samples = etr_arena_alloc_array(scratch, count, sizeof *j.samples),
              .times = etr_arena_alloc_array(scratch, count, sizeof *j.times),
              .sorted = etr_arena_alloc_array(scratch, count, sizeof *j.sorted),
              .series = etr_arena_alloc_array(scratch, count, sizeof *j.series)};
  *out = (etr_noise){.cv = NAN, .from_run = ETR_NONE};
  if (etr_arena_failed(scratch))
    return false;
  for (size_t i = 0; i < count; i++) {
    if (samples[i].ticks == 0)
      continue;
    j.samples[j.count] = samples[i];
    j.times[j.count++] = (double)samples[i].ticks;
  }
  for (size_t i = 0; i < j.count; i++)
    j.sorted[i] = (double)sorted[count - j.count + i]; /* after the samples without a time */
  j.all = j.count;
  if (j.count == 0)
    return true;
  /* Equal times are multiples of themselves whatever the clock, so the divisor says nothing about
   * the clock then. */
  double step = (double)divisor_of(samples, count),
         median = etr_median_of_sorted(j.sorted, j.count);
  j.step = step >= CLOCK_SHOWS * median ? step : 0;
  judge_runs(out, &j);
  round_off(out);
  return true;
}

etr_noise etr_noise_of_parts(double *times, size_t count) {
  etr_noise noise = {.cv = NAN, .from_run = ETR_NONE};
  for (size_t i = 0; i < count; i++)
    if (times[i] > 0)
      times[noise.run_count++] = times[i];
  if (noise.run_count == 0)
    return noise;
  etr_sort(times, noise.run_count, sizeof *times, etr_by_double);
  noise.cv = variation_of(times, noise.run_count);
  if (noise.run_count >= ETR_NOISE_LEAST_TO_JUDGE) {
    find_outliers(&noise, times, noise.run_count, 0);
    noise.verdict = verdict_of(noise.cv);
  }
  round_off(&noise);
  return noise;
}

const char *etr_noise_verdict_name(etr_noise_verdict verdict) {
  static const char *const names[] = {"few_runs", "steady", "noisy", "two_modes", "step", "drift"};
  return (size_t)verdict < ETR_COUNT(names) ? names[verdict] : "";
}
