/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise_verdict.c - looks for two modes, sets outliers aside, looks again, then for a step or a
 * drift in what is left.
 */
#include "runs/noise_verdict.h"

#include "base/base.h"
#include "base/stats.h"

#include <math.h>

/* ---- Three models of a series: a constant, a constant with one step, a line ----
 *
 * A model counts if it leaves so much less of the squares than the constant does that chance would
 * seldom do it. What neighboring samples have in common makes every model look better than it is,
 * so that the evidence is divided by the factor by which such a correlation makes samples fewer. */

/* With these penalties, a step or a drift is found in less than 1 % of series of independent
 * samples that have none. The penalty of a step is higher, because it is chosen among many
 * positions. */
static const double STEP_PENALTY = 4, DRIFT_PENALTY = 3; /* times ln n */
static const double LEAST_CHANGE = .03;        /* a smaller change is not worth reporting */
static const double LEAST_OF_RESIDUALS = 1.5;  /* change in standard deviations of the residuals */
static const double BIAS_OF_CORRELATION = 1.5; /* the correlation of neighbors is estimated about
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

/* A line by least squares whose slope all segments share: sums of the products of the distances of
 * positions (x) and values (y) from the means of their segment. */
typedef struct fit {
  double xx, xy, yy;
  size_t segments, span; /* span: the last position of the longest segment */
} fit;

/* The residuals of a model: distances of samples from it. */
typedef struct residuals {
  double squares, products; /* products: sum over neighbors in a segment */
  double before;            /* the residual added last */
} residuals;

/* Returns the end of the samples from `first` on that are in its segment. */
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

/* Returns the mean position and the mean value of the samples [first, end). */
static means means_of(const etr_trend_sample *samples, size_t first, size_t end) {
  means m = {0};
  for (size_t i = first; i < end; i++) {
    m.x += (double)samples[i].position / (double)(end - first);
    m.y += samples[i].value / (double)(end - first);
  }
  return m;
}

/* Sums the squares (xx, yy) and products (xy) of the distances of positions and values from the
 * means of their own segment, for a line whose slope all segments share. Sets also the number of
 * segments, and the last position of the longest one (span). */
static fit fit_line(const etr_trend_sample *samples, size_t count) {
  fit line = {0};
  for (size_t i = 0, end; i < count; i = end, line.segments++) {
    end = end_of_segment(samples, count, i);
    const means m = means_of(samples, i, end);
    line.span = ETR_MAX(line.span, (size_t)samples[end - 1].position);
    for (size_t k = i; k < end; k++) {
      double x = (double)samples[k].position - m.x, y = samples[k].value - m.y;
      line.xx += x * x;
      line.xy += x * y;
      line.yy += y * y;
    }
  }
  return line;
}

/* Returns the slope of a line, in change of value per position; 0 if it has one position only. */
static double slope_of(const fit *f) {
  return f->xx > 0 ? f->xy / f->xx : 0;
}

/* Adds a residual to the sums; `has_before` says that the one before it is of the same segment. */
static void add_residual(residuals *r, double residual, bool has_before) {
  r->squares += residual * residual;
  if (has_before)
    r->products += residual * r->before;
  r->before = residual;
}

/* Returns the residuals of lines with this slope through the means of the segments, and sets *level
 * to their value at position 0, averaged over all samples. */
static residuals residuals_of_line(const etr_trend_sample *samples, size_t count, double slope,
                                   double *level) {
  residuals sums = {0};
  *level = 0;
  for (size_t i = 0, end; i < count; i = end) {
    end = end_of_segment(samples, count, i);
    const means m = means_of(samples, i, end);
    for (size_t k = i; k < end; k++)
      add_residual(&sums, samples[k].value - m.y - slope * ((double)samples[k].position - m.x),
                   k > i);
    *level += (m.y - slope * m.x) * (double)(end - i) / (double)count;
  }
  return sums;
}

/* ---- One step ---- */

/* Returns the index of the first sample after the step that reduces the sum of squares most; 0 if
 * no step does. Each side keeps at least LEAST_SIDE samples and a tenth of all. `mean` is the mean
 * of all values. */
static size_t best_step(const etr_trend_sample *samples, size_t count, double mean) {
  size_t least_side = ETR_MAX((size_t)LEAST_SIDE, count / PARTS_OF_SIDE), position = 0;
  double sum = 0, reduction = 0;
  for (size_t i = 1; i + least_side <= count; i++) {
    sum += samples[i - 1].value - mean;
    double reduction_here = sum * sum * (double)count / ((double)i * (double)(count - i));
    if (i < least_side || reduction_here <= reduction)
      continue;
    reduction = reduction_here;
    position = i;
  }
  return position;
}

/* ---- The choice ---- */

/* Returns how many correlated samples contain as much information as one independent sample, by the
 * correlation of neighboring residuals. The levels of segments hide a part of the correlation,
 * which is added again. */
static double samples_per_independent(const residuals *r, size_t count, size_t segments) {
  double correlation = r->products / ETR_MAX(r->squares, TINY) +
                       BIAS_OF_CORRELATION * (double)segments / (double)count;
  correlation = ETR_MIN(ETR_MAX(correlation, 0), MOST_CORRELATION);
  return (1 + correlation) / (1 - correlation);
}

/* Returns the evidence for a model, to be compared with a penalty times ln n: the logarithm of the
 * factor by which it reduces the squares of the constant model, per independent sample. */
static double evidence_of(double squares, const residuals *r, size_t count, size_t segments) {
  double free_count = (double)(count - segments + 1);
  return free_count * log(squares / (r->squares + TINY)) /
         samples_per_independent(r, count, segments);
}

/* Returns the standard deviation of residuals. */
static double deviation_of(const residuals *r, size_t count) {
  return sqrt((r->squares + TINY) / (double)count);
}

/* Returns true if a change (a logarithm) is worth reporting and exceeds the noise. */
static bool is_large(double change, double deviation) {
  return fabs(change) > ETR_MAX(LEAST_CHANGE, LEAST_OF_RESIDUALS * deviation);
}

/* Returns true if the trend continues in the later half of each segment. Samples that get faster
 * only at first are warming up, which is no drift; samples that get slower always count. */
static bool continues_in_later_half(const etr_trend_sample *samples, size_t count, const fit *f) {
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

/* Returns true if samples that wander slowly would look the same. */
static bool is_unsure(double change, double deviation, size_t count) {
  return count < SURE_SAMPLES && fabs(change) < SURE_DEVIATIONS * deviation;
}

/* Returns the residuals of two levels, before the sample at `step` and from it on, and sets *size
 * to the difference of the levels. */
static residuals residuals_of_step(const etr_trend_sample *samples, size_t count, size_t step,
                                   double *size) {
  const means before = means_of(samples, 0, step), behind = means_of(samples, step, count);
  residuals sums = {0};
  for (size_t i = 0; i < count; i++) {
    double level = i < step ? before.y : behind.y;
    add_residual(&sums, samples[i].value - level, i > 0);
  }
  *size = behind.y - before.y;
  return sums;
}

/* Compares three models: a constant, a line (drift) and two levels (step). A drift or a step must
 * have evidence beyond chance and be large enough; a step is only sought in a single segment. If
 * both are, the step counts only if its squares are so much less that it is worth its additional
 * parameter, its position. Change and level have the unit of the samples' values. */
etr_trend etr_trend_of(const etr_trend_sample *samples, size_t count) {
  fit f = fit_line(samples, count);
  double size = 0, level, penalty = log((double)ETR_MAX(count, (size_t)1)), squares = f.yy + TINY;
  if (count < f.segments + LEAST_SIDE)
    return (etr_trend){0};
  residuals line = residuals_of_line(samples, count, slope_of(&f), &level),
            step = {.squares = f.yy};
  double change = slope_of(&f) * (double)f.span, around = deviation_of(&line, count);
  bool drifts = evidence_of(squares, &line, count, f.segments) > DRIFT_PENALTY * penalty &&
                is_large(change, around) && continues_in_later_half(samples, count, &f);
  size_t step_position = 0;
  if (f.segments == 1)
    step_position = best_step(samples, count, means_of(samples, 0, count).y);
  if (step_position > 0)
    step = residuals_of_step(samples, count, step_position, &size);
  bool steps = step_position > 0 &&
               evidence_of(squares, &step, count, 1) > STEP_PENALTY * penalty &&
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
                     .at = step_position,
                     .is_unsure = is_unsure(size, deviation_of(&step, count), count)};
}

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
static const double MOST_DEVIATION = .5; /* of the slow mode, however far away it is: wider ones are
                                            a tail of interruptions */
enum { LEAST_RUNS = 3, PARTS_OF_MODE = 10 };

/* Returns the standard deviation of what was added. */
static double deviation_of_moments(const etr_moments *m) {
  return sqrt(ETR_MAX(m->squares, 0) / (double)ETR_MAX(m->count, (size_t)1));
}

/* Returns the number of sorted times in the fast mode: the split into two groups that leaves the
 * least sum of squares of logarithms around their means. Times are moved one by one from the high
 * to the low group, whose moments are updated. */
static size_t find_split_of_modes(const double *sorted, size_t count) {
  etr_moments low = {0}, high = {0};
  double least = INFINITY;
  size_t split = 1;
  for (size_t i = 0; i < count; i++)
    etr_moments_add(&high, log(sorted[i]));
  for (size_t i = 0; i + 1 < count; i++) {
    etr_moments_add(&low, log(sorted[i]));
    /* Removes what was added; the mean of no values is 0. */
    double value = log(sorted[i]);
    double difference = value - high.mean;
    high.count--;
    high.mean = high.count > 0 ? high.mean - difference / (double)high.count : 0;
    high.squares -= difference * (value - high.mean);
    if (!(sorted[i + 1] > sorted[i]) || low.squares + high.squares >= least)
      continue;
    least = low.squares + high.squares;
    split = i + 1;
  }
  return split;
}

/* Returns the moments of the times' logarithms. */
static etr_moments moments_of(const double *times, size_t count) {
  etr_moments m = {0};
  for (size_t i = 0; i < count; i++)
    etr_moments_add(&m, log(times[i]));
  return m;
}

/* Finds whether times have two modes: two groups, each with a tenth of the runs or more, that are
 * far apart and compact, and between which the runs change more than once. The times are above 0
 * and in the order of their runs, and `sorted` has the same times, ascending. Times that are one
 * `step` of their clock apart are no modes. */
static etr_modes modes_of(const double *times, const double *sorted, size_t count, double step) {
  etr_modes modes = {0};
  if (count < ETR_MODES_LEAST_SAMPLES)
    return modes;
  size_t split = find_split_of_modes(sorted, count), smaller = ETR_MIN(split, count - split);
  if (smaller < ETR_MAX((size_t)LEAST_RUNS, (count + PARTS_OF_MODE - 1) / PARTS_OF_MODE))
    return modes;
  const etr_moments low = moments_of(sorted, split),
                    high = moments_of(sorted + split, count - split);
  double distance = high.mean - low.mean,
         pooled = sqrt((low.squares + high.squares) / (double)(count - 2));
  bool is_far = distance >= LEAST_GAP &&
                distance >= LEAST_DEVIATIONS * ETR_MAX(pooled, LEAST_DEVIATION);
  double widest = ETR_MAX(deviation_of_moments(&low), deviation_of_moments(&high));
  bool is_compact = widest <= MOST_WIDTH * distance &&
                    deviation_of_moments(&high) <= MOST_DEVIATION;
  if (!(is_far && is_compact && exp(high.mean) - exp(low.mean) > 1.5 * step))
    return modes;
  for (size_t i = 1; i < count; i++)
    modes.switches += (times[i] < sorted[split]) != (times[i - 1] < sorted[split]);
  modes.are_two = modes.switches > 1;
  modes.fast_count = split;
  modes.slow_count = count - split;
  modes.fast_median = etr_median_of_sorted(sorted, split);
  modes.slow_median = etr_median_of_sorted(sorted + split, count - split);
  /* Independent runs would switch 2 * fast * slow / count times. Half of that shows stretches. */
  modes.in_stretches = (double)modes.switches * (double)count <=
                       (double)modes.fast_count * (double)modes.slow_count;
  return modes;
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

/* The runs that are judged: those with a time. Outliers that are set aside are removed from
 * `samples` and `times`. */
typedef struct judged {
  etr_noise_sample *samples;
  double *times, *sorted;
  etr_trend_sample *series;
  size_t count, all;
  double step; /* of the clock, in ticks */
} judged;

/* ---- Spread and outliers ---- */

/* Returns the robust standard deviation of the logarithms of sorted times, 1.4826 times the median
 * distance from their median; NaN for fewer than two. The distances are walked in ascending order
 * without sorting: they grow to both sides of the median, so the next one is at one of two ends. */
static double robust_deviation(const double *sorted, size_t count) {
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

/* Returns true if a time is an outlier: by its logarithm, and by more than a step of the clock. */
static bool is_far(double time, double median, double limit, double step) {
  return fabs(log(time / median)) > limit && fabs(time - median) > step;
}

/* Returns the standard deviation of the times' logarithms. */
static double deviation_of_times(const double *times, size_t count) {
  double mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++)
    mean += log(times[i]) / (double)count;
  for (size_t i = 0; i < count; i++)
    squares += (log(times[i]) - mean) * (log(times[i]) - mean);
  return sqrt(squares / (double)(count - 1));
}

/* Counts the outliers, and sets how many times the median the least and the most of them take. If
 * they are more than a fifth of the runs, they are noise, which the median distance does not show:
 * then none are outliers, and cv becomes the plain standard deviation. */
static void find_outliers(etr_noise *noise, const double *sorted, size_t count, double step) {
  double median = etr_median_of_sorted(sorted, count), limit = limit_of(noise->cv);
  size_t low = 0, high = 0;
  while (low < count && is_far(sorted[low], median, limit, step))
    low++;
  while (low + high < count && is_far(sorted[count - 1 - high], median, limit, step))
    high++;
  bool are_too_many = low + high > ETR_MAX((size_t)1, count / PARTS_OF_OUTLIERS);
  if (are_too_many)
    noise->cv = deviation_of_times(sorted, count);
  if (low + high == 0 || are_too_many)
    return;
  noise->outliers = low + high;
  noise->least_outlier = (low ? sorted[0] : sorted[count - high]) / median;
  noise->most_outlier = (high ? sorted[count - 1] : sorted[low - 1]) / median;
}

static etr_noise_verdict verdict_of(double variation) {
  return variation <= ETR_NOISE_MOST_STEADY ? ETR_NOISE_STEADY : ETR_NOISE_NOISY;
}

/* ---- Modes and trends ---- */

/* Records the verdict that there are two modes, if the times fall into two groups, with the number
 * of runs and the median in ticks of the fast one, then of the slow one. Returns true if they do.
 */
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

/* Lists the logarithms of the times in j->series with their segment, a series or with `by_stretch`
 * also a stretch of it, and their position from 0 in it. Returns the number of segments. */
static size_t list_segments(const judged *j, bool by_stretch) {
  size_t segments = 0;
  for (size_t i = 0; i < j->count; i++) {
    const etr_noise_sample *sample = &j->samples[i], *before = i ? sample - 1 : sample;
    bool starts = i == 0 || sample->series != before->series ||
                  (by_stretch && sample->stretch != before->stretch);
    segments += starts;
    j->series[i] = (etr_trend_sample){.value = log(j->times[i]), .segment = (uint32_t)segments};
    if (!starts)
      j->series[i].position = j->series[i - 1].position + 1;
  }
  return segments;
}

/* Records the verdict that there is a step or a drift over the listed segments, if the clock can
 * resolve it: its size (a relative change), for a step the first run after it, and for a drift the
 * time at its start in ticks. Returns true if there is one. Too few runs show none. */
static bool find_trend(etr_noise *noise, const judged *j, size_t segments) {
  if (j->all < LEAST_FOR_TREND + segments - 1)
    return false;
  etr_trend trend = etr_trend_of(j->series, j->count);
  double level = exp(trend.level), median = etr_median_of_sorted(j->sorted, j->count);
  double reference = trend.kind == ETR_TREND_DRIFT ? level : median;
  if (trend.kind == ETR_TREND_NONE || fabs(expm1(trend.change)) * reference <= j->step)
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

/* Returns true if the outliers are the first runs or the last ones, and enough for a step:
 * LEAST_RUNS and one in PARTS_OF_MODE. `median` and `limit` say what an outlier is, as for
 * is_far(). */
static bool are_at_one_end(const judged *j, size_t outliers, double median, double limit) {
  size_t first = 0, last = 0;
  if (outliers < ETR_MAX((size_t)LEAST_RUNS, (j->count + PARTS_OF_MODE - 1) / PARTS_OF_MODE))
    return false;
  while (first < j->count && is_far(j->times[first], median, limit, j->step))
    first++;
  while (last < j->count && is_far(j->times[j->count - 1 - last], median, limit, j->step))
    last++;
  return first == outliers || last == outliers;
}

/* Removes the outliers from the runs that are judged: from `samples`, `times` and `sorted`.
 * `median` and `limit` say what an outlier is, as for is_far(). */
static void remove_outliers(judged *j, double median, double limit) {
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
}

/* Judges the runs of a method: looks for trends in stretches and for modes in all runs, then again
 * without outliers. Then the spread decides between steady and noisy, unless there is a trend over
 * all runs, whose segments are series (false), which replaces that verdict. Outliers that are all
 * at one end may be a step, which is looked for with them. */
static void judge_runs(etr_noise *noise, judged *j) {
  double variation = robust_deviation(j->sorted, j->count),
         median = etr_median_of_sorted(j->sorted, j->count);
  noise->cv = variation;
  noise->run_count = j->count;
  if (j->count < ETR_NOISE_LEAST_TO_JUDGE)
    return;
  if (find_trend_in_stretches(noise, j) || find_modes(noise, j))
    return;
  const etr_noise plain = *noise;
  find_outliers(noise, j->sorted, j->count, j->step);
  if (noise->outliers) {
    double limit = limit_of(variation);
    etr_noise whole = plain;
    if (are_at_one_end(j, noise->outliers, median, limit) &&
        find_trend(&whole, j, list_segments(j, false)) && whole.verdict == ETR_NOISE_STEP) {
      *noise = whole;
      return;
    }
    remove_outliers(j, median, limit);
    noise->cv = robust_deviation(j->sorted, j->count);
    if (find_trend_in_stretches(noise, j) || find_modes(noise, j))
      return;
  }
  noise->verdict = verdict_of(noise->cv);
  (void)find_trend(noise, j, list_segments(j, false));
}

/* ---- All ---- */

/* Rounds results, relative ones to a billionth and `start` to a quarter of a tick, because
 * logarithms differ in their last bits between C libraries, and outputs must not. */
static void round_off(etr_noise *noise) {
  double *values[] = {&noise->cv, &noise->least_outlier, &noise->most_outlier, &noise->change};
  for (size_t i = 0; i < ETR_COUNT(values); i++)
    *values[i] = round(*values[i] * 1e9) / 1e9;
  noise->start = round(noise->start * 4) / 4;
}

/* Returns the greatest common divisor of all times, which is the clock's step if the clock is
 * coarse. */
static uint64_t common_divisor_of(const etr_noise_sample *samples, size_t count) {
  uint64_t divisor = 0;
  for (size_t i = 0; i < count && divisor != 1; i++)
    divisor = etr_common_divisor(samples[i].ticks, divisor);
  return divisor;
}

/* Judges the runs that took time; without any, the verdict stays that of few runs. Returns false
 * when out of memory. */
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
  double step = (double)common_divisor_of(samples, count),
         median = etr_median_of_sorted(j.sorted, j.count);
  j.step = step >= CLOCK_SHOWS * median ? step : 0;
  judge_runs(out, &j);
  round_off(out);
  return true;
}

/* Judges only the spread of times that are relative to the median of their phase; a trend of such
 * times would say nothing. Relative times have no step of a clock (0). */
etr_noise etr_noise_of_parts(double *times, size_t count) {
  etr_noise noise = {.cv = NAN, .from_run = ETR_NONE};
  for (size_t i = 0; i < count; i++)
    if (times[i] > 0)
      times[noise.run_count++] = times[i];
  if (noise.run_count == 0)
    return noise;
  etr_sort(times, noise.run_count, sizeof *times, etr_by_double);
  noise.cv = robust_deviation(times, noise.run_count);
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
