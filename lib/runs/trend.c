/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trend.c - three models of a series: a constant, a constant with one step, a line.
 *
 * A model counts if it leaves so much less of the squares than the constant does that chance would
 * seldom do it. What neighbouring samples have in common makes every model look better than it is,
 * so that the evidence is divided by the factor by which such a correlation makes samples fewer.
 */
#include "runs/trend.h"

#include <math.h>

/* With these penalties, a step or a drift is found in less than 1 % of series of independent
 * samples that have none. The penalty of a step is higher, because it is chosen among many
 * positions. */
static const double STEP_PENALTY = 4, DRIFT_PENALTY = 3; /* times ln n */
static const double LEAST_CHANGE = .03;        /* a smaller change is not worth reporting */
static const double LEAST_DEVIATIONS = 1.5;    /* change in standard deviations of the residuals */
static const double BIAS_OF_CORRELATION = 1.5; /* the correlation of neighbours is estimated about
                                                  this much / n too small */
static const double MOST_CORRELATION = .9;
static const double TINY =
    1e-12; /* added to sums of squares, so that equal samples cause no division by 0 */
static const double LATER_PART = .25; /* the later half of samples that get faster has at least this
                                         part of the slope */
static const double SURE_DEVIATIONS = 4; /* in nine of ten series of times that drift slowly at
                                            random, steps are at most 4 deviations */
/* From 50 samples on, a drift can be distinguished from a step. */
enum { LEAST_SIDE = 3, PARTS_OF_SIDE = 10, SURE_SAMPLES = 50 };

/* Sums over segments, of distances from the mean of their segment. */
typedef struct fit {
  double xx, xy, yy;
  size_t segments, span;
} fit;

/* The residuals of a model. */
typedef struct rest {
  double squares, products; /* products: sum over neighbours in a segment */
  double before;
} rest;

static size_t end_of_segment(const etr_trend_sample *samples, size_t count, size_t first) {
  size_t end = first;
  while (end < count && samples[end].segment == samples[first].segment)
    end++;
  return end;
}

/* ---- A line, with a level for each segment ---- */

typedef struct means {
  double x, y;
} means;

static means means_of(const etr_trend_sample *samples, size_t first, size_t end) {
  means m = {0};
  for (size_t i = first; i < end; i++) {
    m.x += (double)samples[i].place / (double)(end - first);
    m.y += samples[i].value / (double)(end - first);
  }
  return m;
}

static fit fit_line(const etr_trend_sample *samples, size_t count) {
  fit f = {0};
  for (size_t i = 0, end; i < count; i = end, f.segments++) {
    end = end_of_segment(samples, count, i);
    const means m = means_of(samples, i, end);
    f.span = ETR_MAX(f.span, (size_t)samples[end - 1].place);
    for (size_t k = i; k < end; k++) {
      double x = (double)samples[k].place - m.x, y = samples[k].value - m.y;
      f.xx += x * x;
      f.xy += x * y;
      f.yy += y * y;
    }
  }
  return f;
}

static double slope_of(const fit *f) {
  return f->xx > 0 ? f->xy / f->xx : 0;
}

static void add_rest(rest *r, double residual, bool has_before) {
  r->squares += residual * residual;
  if (has_before)
    r->products += residual * r->before;
  r->before = residual;
}

static rest rest_of_line(const etr_trend_sample *samples, size_t count, double slope,
                         double *level) {
  rest r = {0};
  *level = 0;
  for (size_t i = 0, end; i < count; i = end) {
    end = end_of_segment(samples, count, i);
    const means m = means_of(samples, i, end);
    for (size_t k = i; k < end; k++)
      add_rest(&r, samples[k].value - m.y - slope * ((double)samples[k].place - m.x), k > i);
    *level += (m.y - slope * m.x) * (double)(end - i) / (double)count;
  }
  return r;
}

/* ---- One step ---- */

/* Returns the position of the step that reduces the squares most, and sets *taken to the reduction.
 * Each side keeps at least LEAST_SIDE samples and a tenth of all. */
static size_t best_step(const etr_trend_sample *samples, size_t count, double mean, double *taken) {
  size_t least = ETR_MAX((size_t)LEAST_SIDE, count / PARTS_OF_SIDE), at = 0;
  double sum = 0;
  *taken = 0;
  for (size_t i = 1; i + least <= count; i++) {
    sum += samples[i - 1].value - mean;
    double gain = sum * sum * (double)count / ((double)i * (double)(count - i));
    if (i < least || gain <= *taken)
      continue;
    *taken = gain;
    at = i;
  }
  return at;
}

/* ---- The choice ---- */

/* Returns how many correlated samples contain as much information as one independent sample. The
 * levels of segments hide a part of the correlation. */
static double samples_per_independent(const rest *r, size_t count, size_t segments) {
  double correlation = r->products / ETR_MAX(r->squares, TINY) +
                       BIAS_OF_CORRELATION * (double)segments / (double)count;
  correlation = ETR_MIN(ETR_MAX(correlation, 0), MOST_CORRELATION);
  return (1 + correlation) / (1 - correlation);
}

static double evidence_of(double squares, const rest *r, size_t count, size_t segments) {
  double free_count = (double)(count - segments + 1);
  return free_count * log(squares / (r->squares + TINY)) /
         samples_per_independent(r, count, segments);
}

static double deviation_of(const rest *r, size_t count) {
  return sqrt((r->squares + TINY) / (double)count);
}

static bool is_large(double change, double deviation) {
  return fabs(change) > ETR_MAX(LEAST_CHANGE, LEAST_DEVIATIONS * deviation);
}

/* Returns true if the trend continues in the later half. Samples that get faster only at first are
 * warming up. */
static bool goes_on(const etr_trend_sample *samples, size_t count, const fit *f) {
  fit later = {0};
  if (slope_of(f) >= 0)
    return true;
  for (size_t i = 0, end; i < count; i = end) {
    end = end_of_segment(samples, count, i);
    fit half = fit_line(samples + (i + end) / 2, end - (i + end) / 2);
    later.xx += half.xx;
    later.xy += half.xy;
  }
  return slope_of(&later) <= LATER_PART * slope_of(f);
}

static bool is_unsure(double change, double deviation, size_t count) {
  return count < SURE_SAMPLES && fabs(change) < SURE_DEVIATIONS * deviation;
}

etr_trend etr_trend_of(const etr_trend_sample *samples, size_t count) {
  fit f = fit_line(samples, count);
  double size = 0, taken = 0, level, penalty = log((double)ETR_MAX(count, (size_t)1)),
         squares = f.yy + TINY;
  if (count < f.segments + LEAST_SIDE)
    return (etr_trend){0};
  rest line = rest_of_line(samples, count, slope_of(&f), &level), step = {.squares = f.yy};
  double change = slope_of(&f) * (double)f.span, around = deviation_of(&line, count);
  bool drifts = evidence_of(squares, &line, count, f.segments) > DRIFT_PENALTY * penalty &&
                is_large(change, around) && goes_on(samples, count, &f);
  size_t at = f.segments == 1 ? best_step(samples, count, means_of(samples, 0, count).y, &taken)
                              : 0;
  if (at > 0) {
    const means before = means_of(samples, 0, at), behind = means_of(samples, at, count);
    rest r = {0};
    size = behind.y - before.y;
    for (size_t i = 0; i < count; i++)
      add_rest(&r, samples[i].value - (i < at ? before.y : behind.y), i > 0);
    step = r;
  }
  bool steps = at > 0 && evidence_of(squares, &step, count, 1) > STEP_PENALTY * penalty &&
               is_large(size, deviation_of(&step, count));
  if (steps && drifts)
    drifts = (double)count * log((line.squares + TINY) / (step.squares + TINY)) <= penalty;
  if (drifts)
    return (etr_trend){.kind = ETR_TREND_DRIFT,
                       .change = change,
                       .span = f.span,
                       .level = level,
                       .is_unsure = is_unsure(change, around, count)};
  if (!steps)
    return (etr_trend){0};
  return (etr_trend){.kind = ETR_TREND_STEP,
                     .change = size,
                     .at = at,
                     .is_unsure = is_unsure(size, deviation_of(&step, count), count)};
}
