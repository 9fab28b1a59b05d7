/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise.c - intervals of changes, by recordings (rule R) or by runs (rule S), of one change or of a
 * family.
 */
#include "compare/noise.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

static const double LEVEL = 0.05;
static const double QUANTILE = 1.959963984540054; /* of LEVEL */
static const double RECORDING_NOISE =
    0.03; /* unless the caller knows better: 1 to 1.4 % were measured on a quiet machine */

enum {
  MOST_FREEDOM =
      200,        /* from here on t is as good as normal; a smaller number widens the interval */
  LEAST_ROWS = 3, /* of a family whose variances say how much variances differ: two leave one degree
                     of freedom */
};

/* ---- The clock ---- */

double etr_noise_step(uint64_t divisor) {
  uint64_t step = 1;
  while (divisor && step < 1000000 && divisor % (step * 10) == 0)
    step *= 10;
  return (double)step;
}

double etr_noise_step_of(const uint64_t *ticks, size_t count) {
  uint64_t divisor = 0;
  for (size_t i = 0; i < count && divisor != 1; i++)
    divisor = etr_common_divisor(ticks[i], divisor);
  return etr_noise_step(divisor);
}

/* ---- One change ---- */

static double center_of(const etr_side_time *time) {
  return time->p50 * exp(time->offset);
}

/* Returns false if the median of a recording is 0. */
static bool has_center(const etr_side_time *time) {
  return isfinite(center_of(time));
}

/* Rounds to a thousandth of a tick, because C libraries differ in the last bit of exp(). */
static double shown_center(const etr_side_time *time) {
  return round(center_of(time) * 1000) / 1000;
}

static bool by_recordings(const etr_side_time *base, const etr_side_time *newer) {
  return (!base->runs || base->recordings >= ETR_LEAST_RECORDINGS) &&
         (!newer->runs || newer->recordings >= ETR_LEAST_RECORDINGS);
}

void etr_noise_set_medians(etr_change *change, const etr_side_time *base,
                           const etr_side_time *newer) {
  bool are_centers = by_recordings(base, newer) && has_center(base) && has_center(newer);
  change->base_p50 = are_centers ? shown_center(base) : base->p50;
  change->new_p50 = are_centers ? shown_center(newer) : newer->p50;
  change->relative = change->base_p50 > 0 && change->new_p50 > 0
                         ? change->new_p50 / change->base_p50 - 1
                         : (double)NAN;
}

/* The estimate of the logarithm of newer / base. */
typedef struct estimate {
  double change;
  bool is_known;         /* false: nothing can be said, for `reason` */
  bool is_by_recordings; /* rule R; false: rule S */
  etr_reason reason;     /* reason, if the change is undecided */
  double row_variance;   /* rule R: of one recording, pooled over both sides; rows use it */
  double pooled_freedom;
  double recordings;   /* rule R: 1 / D_base + 1 / D_new */
  double variance;     /* rule R: of the change */
  double freedom;      /* of Student's t: whole, 1 to MOST_FREEDOM */
  double below, above; /* rule S: distances to the bounds, at LEVEL */
  double least;        /* distance to the bounds, at least */
} estimate;

static double square(double x) {
  return x * x;
}

static double clock_variance(const etr_side_time *time) {
  return square(time->step / time->p50) / 12;
}

double etr_noise_between_recordings(const etr_compare_options *options) {
  return options->recording_noise > 0 ? options->recording_noise : RECORDING_NOISE;
}

static void use_runs(estimate *e, const etr_side_time *base, const etr_side_time *newer,
                     const etr_compare_options *options) {
  double clock = square(QUANTILE) * (clock_variance(base) + clock_variance(newer));
  double between = square(QUANTILE * etr_noise_between_recordings(options)) *
                   (1 / (double)base->recordings + 1 / (double)newer->recordings);
  double f = clock + between;
  double base_up = log(base->high / base->p50), new_up = log(newer->high / newer->p50);
  double base_down = log(base->p50 / base->low), new_down = log(newer->p50 / newer->low);
  e->below = sqrt(square(new_down) + square(base_up) + f);
  e->above = sqrt(square(new_up) + square(base_down) + f);
}

/* Medians of a clock's ticks are whole or half steps: half a step, or none, is a time below the
 * clock's. Sums have the larger steps of their clocks' errors, added in quadrature. */
static bool is_resolved(const etr_side_time *time) {
  return time->p50 > time->step / 2;
}

static estimate estimate_of(const etr_noise_test *test, const etr_compare_options *options) {
  const etr_side_time *base = &test->base, *newer = &test->newer;
  double step = ETR_MAX(base->step, newer->step);
  bool is_by_recordings = by_recordings(base, newer);
  estimate e = {.reason = ETR_REASON_CLOCK};
  if (!base->runs || !newer->runs || !is_resolved(base) || !is_resolved(newer))
    return e;
  if (is_by_recordings && (!has_center(base) || !has_center(newer)))
    return e;
  double old = is_by_recordings ? center_of(base) : base->p50,
         now = is_by_recordings ? center_of(newer) : newer->p50;
  e.change = log(now / old);
  e.least = step / ETR_MIN(old, now); /* at least |change| where old and now are one step apart */
  e.reason = ETR_REASON_FEW_RUNS;
  if (!is_by_recordings && ETR_MIN(base->runs, newer->runs) < ETR_LEAST_RUNS)
    return e;
  e.is_known = true;
  e.reason = is_by_recordings ? ETR_REASON_SPREAD : ETR_REASON_ONE_RECORDING;
  if (is_by_recordings) {
    double d_base = (double)base->recordings, d_new = (double)newer->recordings;
    double v_base = ETR_MAX(square(base->spread), clock_variance(base)) / d_base,
           v_new = ETR_MAX(square(newer->spread), clock_variance(newer)) / d_new;
    double freedom = floor(square(v_base + v_new) /
                           (square(v_base) / (d_base - 1) + square(v_new) / (d_new - 1)));
    e.is_by_recordings = true;
    e.variance = v_base + v_new;
    e.freedom = ETR_MAX(1, ETR_MIN(freedom, (double)MOST_FREEDOM));
    e.recordings = 1 / d_base + 1 / d_new;
    e.pooled_freedom = d_base + d_new - 2;
    e.row_variance = ((d_base - 1) * square(base->spread) + (d_new - 1) * square(newer->spread)) /
                     e.pooled_freedom;
    e.row_variance = ETR_MAX(e.row_variance, (clock_variance(base) + clock_variance(newer)) / 2);
  } else
    use_runs(&e, base, newer, options);
  return e;
}

/* ---- Its interval ---- */

/* The quantiles of a level, each computed once. */
typedef struct quantiles {
  double level, normal;
  double t[MOST_FREEDOM + 1]; /* by degrees of freedom; 0: not computed yet */
} quantiles;

static quantiles quantiles_of(double level) {
  return (quantiles){.level = level,
                     .normal = level < LEVEL ? etr_normal_quantile(level) : QUANTILE};
}

static double t_of(quantiles *q, double freedom) {
  size_t whole = (size_t)freedom;
  if (q->t[whole] <= 0)
    q->t[whole] = etr_t_quantile(q->level, whole);
  return q->t[whole];
}

/* Returns the distance from the change to a bound that follows from runs and recordings. below: the
 * lower bound. */
static double own_distance(const estimate *e, quantiles *q, bool below) {
  double distance = q->normal / QUANTILE * (below ? e->below : e->above);
  if (e->is_by_recordings)
    distance = t_of(q, e->freedom) * sqrt(e->variance);
  return isnan(distance) ? INFINITY : distance;
}

static double distance(const estimate *e, quantiles *q, bool below) {
  return ETR_MAX(own_distance(e, q, below), e->least);
}

static bool holds(double low, double high, double value) {
  return low <= value && value <= high;
}

static double limit_of(const etr_compare_options *options) {
  return options->limit > 0 ? log1p(options->limit) : 0;
}

/* Returns the change from which it is not distinguished: the limit if the interval contains it, or
 * else no change. */
static double open_question(const etr_change *change, const etr_compare_options *options) {
  return holds(change->low, change->high, options->limit) ? limit_of(options) : 0;
}

/* Returns true if only the step of the clock leaves the change undecided. */
static bool is_open_by_clock(const estimate *e, quantiles *q, double question) {
  return fabs(e->change - question) <= e->least &&
         own_distance(e, q, e->change > question) <= e->least;
}

static void set_verdict(const estimate *e, quantiles *q, etr_change *change,
                        const etr_compare_options *options) {
  double limit = limit_of(options);
  change->verdict = ETR_VERDICT_CANNOT_TELL;
  change->reason = e->reason;
  change->low = change->high = NAN;
  if (!e->is_known)
    return;
  double low = e->change - distance(e, q, true), high = e->change + distance(e, q, false);
  change->low = expm1(low);
  change->high = expm1(high);
  if (low > 0)
    change->verdict = ETR_VERDICT_SLOWER;
  else if (high < 0)
    change->verdict = ETR_VERDICT_FASTER;
  else if (limit > 0 && -limit < low && high < limit)
    change->verdict = ETR_VERDICT_EQUAL;
  else if (is_open_by_clock(e, q, open_question(change, options)))
    change->reason = ETR_REASON_CLOCK;
  if (change->verdict != ETR_VERDICT_CANNOT_TELL)
    change->reason = ETR_REASON_NONE;
}

/* ---- Changes that are judged alone ---- */

/* Returns the smallest number of recordings on each side, above the present one, whose interval
 * would exclude `question`; 0 if it is more than ETR_MOST_RECORDINGS. */
static size_t recordings_needed(const estimate *e, const etr_noise_test *test, double question,
                                const etr_compare_options *options) {
  double deviation = etr_noise_between_recordings(options), away = fabs(e->change - question);
  size_t has = ETR_MIN(test->base.recordings, test->newer.recordings);
  if (e->is_by_recordings)
    deviation = sqrt(e->row_variance);
  if (away <= e->least)
    return 0; /* the clock cannot resolve it */
  for (size_t n = ETR_MAX((size_t)ETR_LEAST_RECORDINGS, has + 1); n <= ETR_MOST_RECORDINGS; n++)
    if (etr_t_quantile(LEVEL, 2 * n - 2) * deviation * sqrt(2 / (double)n) < away)
      return n;
  return 0;
}

void etr_noise_judge(etr_noise_test *test, const etr_compare_options *options) {
  quantiles q = quantiles_of(LEVEL);
  estimate e = estimate_of(test, options);
  etr_change *change = test->change;
  set_verdict(&e, &q, change, options);
  double question = open_question(change, options);
  if (change->verdict != ETR_VERDICT_CANNOT_TELL && !(question > 0))
    return;
  if (change->reason == ETR_REASON_CLOCK)
    return;
  change->recordings_needed = recordings_needed(&e, test, question, options);
  if (change->reason == ETR_REASON_SPREAD && change->recordings_needed == 0)
    change->reason = ETR_REASON_TOO_NEAR;
}

/* ---- Families ---- */

/* Applies Smyth's moderation: moves the variance of each row towards the variance of all rows, as
 * far as the rows agree. */
static void moderate(estimate *rows, size_t count) {
  double n = 0, mean = 0, squares = 0, expected = 0;
  for (size_t i = 0; i < count; i++) {
    if (!rows[i].is_known || !rows[i].is_by_recordings)
      continue;
    double half = rows[i].pooled_freedom / 2,
           e = log(rows[i].row_variance) - etr_digamma(half) + log(half), apart = e - mean;
    n++;
    mean += apart / n;
    squares += apart * (e - mean);
    expected += etr_trigamma(half);
  }
  if (n < LEAST_ROWS)
    return; /* each keeps its own variance, and Welch's freedom */
  double beyond = squares / (n - 1) -
                  expected / n; /* how much more variances differ than by chance */
  double prior = beyond > 0 ? 2 * etr_trigamma_inverse(beyond) : INFINITY;
  double usual = exp(mean + (isfinite(prior) ? etr_digamma(prior / 2) - log(prior / 2) : 0));
  for (size_t i = 0; i < count; i++) {
    estimate *row = &rows[i];
    if (!row->is_known || !row->is_by_recordings)
      continue;
    double own = row->pooled_freedom, variance = row->row_variance;
    variance = isfinite(prior) ? (prior * usual + own * variance) / (prior + own) : usual;
    row->variance = variance * row->recordings;
    row->freedom = ETR_MIN(floor(prior + own), (double)MOST_FREEDOM);
  }
}

/* Returns the probability that a row which did not change shows such a change. */
static double chance_of(const estimate *e, quantiles *q) {
  double change = fabs(e->change);
  if (change <= e->least)
    return 1;
  if (e->is_by_recordings)
    return etr_t_chance(change / sqrt(e->variance), (size_t)e->freedom);
  return etr_normal_chance(QUANTILE * change / own_distance(e, q, e->change > 0));
}

/* Returns the level for single rows by Benjamini and Hochberg: k/count of the level, for the
 * greatest k such that k probabilities are at most that. */
static double believed_level(double *chances, size_t count) {
  if (count == 0)
    return LEVEL;
  etr_sort(chances, count, sizeof *chances, etr_by_double);
  size_t believed = count;
  while (believed > 1 && chances[believed - 1] > LEVEL * (double)believed / (double)count)
    believed--;
  return LEVEL * (double)believed / (double)count;
}

bool etr_noise_judge_family(etr_noise_test *tests, size_t count, const etr_compare_options *options,
                            etr_arena *scratch) {
  estimate *rows = etr_arena_alloc_array(scratch, count, sizeof *rows);
  double *chances = etr_arena_alloc_array(scratch, count, sizeof *chances);
  quantiles q = quantiles_of(LEVEL);
  size_t known = 0;
  if (!rows || !chances)
    return false;
  for (size_t i = 0; i < count; i++)
    rows[i] = estimate_of(&tests[i], options);
  moderate(rows, count);
  for (size_t i = 0; i < count; i++)
    if (rows[i].is_known)
      chances[known++] = chance_of(&rows[i], &q);
  q = quantiles_of(believed_level(chances, known));
  for (size_t i = 0; i < count; i++)
    set_verdict(&rows[i], &q, tests[i].change, options);
  return true;
}
