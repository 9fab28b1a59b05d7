/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise.c - intervals of changes, by recordings (rule R) or by runs (rule S), of one change or of a
 * family; whether recordings were taken in turns.
 */
#include "compare/noise.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const double LEVEL = ETR_NOISE_LEVEL;
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

/* Returns the mean of the logarithms of the recordings' typical times, which are in ticks; NaN if
 * one is 0. Differences of logarithms are relative changes, whatever the time. */
static double mean_log_of_recordings(const etr_side_time *time) {
  return log(time->typical) + time->offset;
}

/* Returns true if both sides have enough recordings to judge by how much these differ (rule
 * R); otherwise their single runs are all there is (rule S). */
static bool has_enough_recordings(const etr_side_time *base, const etr_side_time *newer) {
  return base->recordings >= ETR_LEAST_RECORDINGS && newer->recordings >= ETR_LEAST_RECORDINGS;
}

/* The estimate of the logarithm of newer / base. */
typedef struct estimate {
  double change;
  bool is_known;         /* false: nothing can be said, for `reason` */
  bool is_by_recordings; /* rule R; false: rule S */
  bool is_by_ranks;      /* rule R with an odd recording: the bounds are `low` and `high` */
  double low, high;
  etr_reason reason;   /* reason, if the change is undecided */
  double row_variance; /* rule R: of one recording, pooled over both sides; rows use it */
  double pooled_freedom;
  double recordings;   /* rule R: 1 / D_base + 1 / D_new */
  double variance;     /* rule R: of the change */
  double freedom;      /* of Student's t: whole, 1 to MOST_FREEDOM */
  double below, above; /* rule S: distances to the bounds, at LEVEL */
  double noise;        /* rule S: between recordings */
  double least;        /* distance to the bounds, at least */
} estimate;

static double square(double x) {
  return x * x;
}

/* Returns the variance of a time that is due to the step of the clock, relative to the time: the
 * error is uniform over one step, and the variance of that is a twelfth of its square. */
static double clock_variance(const etr_side_time *time) {
  return square(time->step / time->typical) / 12;
}

double etr_noise_between_recordings(const etr_compare_options *options) {
  return options->recording_noise > 0 ? options->recording_noise : RECORDING_NOISE;
}

/* Returns the standard deviation between recordings that an interval by runs counts with: what the
 * caller gave, or what is assumed, or more if the recordings of a side differ by more. */
static double noise_seen(const etr_side_time *base, const etr_side_time *newer,
                         const etr_compare_options *options) {
  double assumed = etr_noise_between_recordings(options);
  bool is_given = options->recording_noise > 0;
  return is_given ? assumed : fmax(assumed, fmax(base->spread, newer->spread));
}

/* Estimates the distances from a change to its bounds, below and above, in logarithms and for
 * QUANTILE, from the spread of single runs, where recordings are too few to compare. The newer side
 * being slower than measured and the base being faster both raise the change, so their distances
 * are added in quadrature; so are the error of the clock and the noise between recordings. */
static void set_bounds_by_runs(estimate *e, const etr_side_time *base, const etr_side_time *newer,
                               const etr_compare_options *options) {
  double clock = square(QUANTILE) * (clock_variance(base) + clock_variance(newer));
  e->noise = noise_seen(base, newer, options);
  double between = square(QUANTILE * e->noise) *
                   (1 / (double)base->recordings + 1 / (double)newer->recordings);
  double common = clock + between;
  double base_up = log(base->high / base->typical), new_up = log(newer->high / newer->typical);
  double base_down = log(base->typical / base->low), new_down = log(newer->typical / newer->low);
  e->below = sqrt(square(new_down) + square(base_up) + common);
  e->above = sqrt(square(new_up) + square(base_down) + common);
}

/* Returns true if a time is more than half a step of its clock: a clock cannot tell a shorter time
 * from none. The step of a sum is that of the clocks of all its parts, added in quadrature. */
static bool is_above_clock_step(const etr_side_time *time) {
  return time->typical > time->step / 2;
}

/* ---- Odd recordings: the interval of Hodges and Lehmann ---- */

/* Returns the largest k with P(U <= k) <= level / 2 under the exact distribution of Mann and
 * Whitney's U for this many recordings; -1 if there is none, or when out of memory. Beyond
 * MOST_EXACT recordings in all it is the normal approximation, with a correction for continuity. */
static double greatest_unlikely_u(size_t base, size_t newer, double level, etr_arena *scratch) {
  enum { MOST_EXACT = 100 };
  size_t largest_u = base * newer, k = 0;
  if (base + newer > MOST_EXACT) {
    double deviation = sqrt((double)largest_u * (double)(base + newer + 1) / 12);
    return floor((double)largest_u / 2 - etr_normal_quantile(level) * deviation - 0.5);
  }
  /* counts[b * (largest_u + 1) + u] is the number of orders of `a` recordings of the base and b of
   * the newer side in which U is u. The last of them all is either of the base, which adds b to U,
   * or of the newer side, which adds nothing. The row of b becomes that of the next `a` in place,
   * from the largest u down, so that row[u - b] still is of the previous `a`. */
  double *counts = etr_arena_alloc_array(scratch, (newer + 1) * (largest_u + 1), sizeof *counts);
  if (!counts)
    return -1;
  for (size_t b = 0; b <= newer; b++)
    counts[b * (largest_u + 1)] = 1;
  for (size_t a = 1; a <= base; a++)
    for (size_t b = 1; b <= newer; b++) {
      double *row = &counts[b * (largest_u + 1)], *previous = row - (largest_u + 1);
      for (size_t u = a * b + 1; u-- > 0;)
        row[u] = (u >= b ? row[u - b] : 0) + previous[u];
    }
  const double *of_all_orders = &counts[newer * (largest_u + 1)];
  double total = 0, below = 0;
  for (size_t u = 0; u <= largest_u; u++)
    total += of_all_orders[u];
  while (k <= largest_u && (below + of_all_orders[k]) / total <= level / 2)
    below += of_all_orders[k++];
  return (double)k - 1;
}

/* Sets change and bounds by the differences of all pairs of recordings, if either side has an odd
 * one, which would widen an interval by variances too much. The change is their median, and the
 * bounds are what remains without the k least and the k largest. Leaves the estimate as it is if no
 * recording is odd, or if there are too few for the level. Returns false when out of memory. */
static bool set_bounds_by_ranks(estimate *e, const etr_noise_test *test,
                                const etr_noise_rules *rules) {
  const etr_side_recordings *base = test->base_recordings, *newer = test->new_recordings;
  if (!base || !newer || (base->odd_count == 0 && newer->odd_count == 0))
    return true;
  size_t count = base->count * newer->count;
  double k = greatest_unlikely_u(base->count, newer->count, rules->level, rules->scratch);
  double *differences = etr_arena_alloc_array(rules->scratch, count, sizeof *differences);
  if (!differences)
    return false;
  if (k < 0)
    return true;
  for (size_t i = 0; i < count; i++)
    differences[i] = log(newer->typical[i % newer->count] /
                         (base->typical[i / newer->count] * test->base_scale));
  etr_sort(differences, count, sizeof *differences, etr_by_double);
  e->is_by_ranks = true;
  e->change = etr_median_of_sorted(differences, count);
  e->low = differences[(size_t)k];
  e->high = differences[count - 1 - (size_t)k];
  return true;
}

/* ---- Interruptions ---- */

/* Extends an interval of logarithms to the change of the times without interruptions. */
static void include_uninterrupted(double *low, double *high, const etr_noise_test *test) {
  if (test->uninterrupted_low == 0 && test->uninterrupted_high == 0)
    return;
  *low = fmin(*low, test->uninterrupted_low);
  *high = fmax(*high, test->uninterrupted_high);
}

/* ---- The obvious ---- */

static const double OBVIOUS = 4; /* times as long */

/* The lowest and the highest of some times, in ticks of the newer side. */
typedef struct time_range {
  double low, high;
} time_range;

/* Returns the range of the middle 80 % of a side's runs, in ticks of the newer side, in which
 * `time` is already and which `scale` makes of ticks of `own`. If the other side has so few runs
 * (at most FEW) that it may be nothing but warm-up, the range is widened to as many first runs of
 * this side, warm-up included: then warm-up is compared with warm-up, too. */
static time_range range_of_times(const etr_side_time *time, const etr_side_recordings *own,
                                 const etr_side_recordings *other, double scale) {
  enum { FEW = ETR_COUNT(own->first) };
  time_range range = {time->low, time->high};
  if (other->first_count > FEW)
    return range;
  size_t compared = ETR_MIN(other->first_count, own->first_count);
  for (size_t i = 0; i < compared; i++) {
    range.low = ETR_MIN(range.low, own->first[i] * scale);
    range.high = ETR_MAX(range.high, own->first[i] * scale);
  }
  return range;
}

/* Returns the typical times of the fastest and the slowest recording of a side, in ticks of the
 * newer side, in which `time` is already and which `scale` makes of ticks of `own`. One recording
 * is as far from others as two standard deviations of the noise between recordings. */
static time_range range_of_recordings(const etr_side_time *time, const etr_side_recordings *own,
                                      double scale, double noise) {
  double apart = exp(2 * noise);
  if (own->count < 2)
    return (time_range){time->typical / apart, time->typical * apart};
  time_range result = {INFINITY, 0};
  for (size_t i = 0; i < own->count; i++) {
    result.low = ETR_MIN(result.low, own->typical[i] * scale);
    result.high = ETR_MAX(result.high, own->typical[i] * scale);
  }
  return result;
}

/* Judges a change of a method that is obvious: any time of one side is at least OBVIOUS times as
 * long as any of the other, and more than a step of the clock longer. Then no statistics are
 * needed. `least` and `most` become the lowest and the highest relative change from a recording of
 * the base to one of the newer side. Returns false, with nothing set, if it is not obvious; so does
 * a method that became slower but perhaps not above the limit of the options. */
static bool judge_obvious(const etr_noise_test *test, const etr_compare_options *options) {
  const etr_side_recordings *base = test->base_recordings, *newer = test->new_recordings;
  double step = ETR_MAX(test->base.step, test->newer.step);
  if (!base || !newer || test->base.runs < 2 || test->newer.runs < 2)
    return false;
  time_range old = range_of_times(&test->base, base, newer, test->base_scale),
             now = range_of_times(&test->newer, newer, base, 1);
  if (!(old.low > 0) || !(now.low > 0))
    return false;
  double times_slower = now.low / old.high, times_faster = old.low / now.high;
  double gap = ETR_MAX(now.low - old.high, old.low - now.high);
  bool is_slower = times_slower >= OBVIOUS;
  bool may_be_within_limit = options->limit > 0 && times_slower - 1 <= options->limit;
  if (ETR_MAX(times_slower, times_faster) < OBVIOUS || gap <= step ||
      (is_slower && may_be_within_limit))
    return false;
  double noise = noise_seen(&test->base, &test->newer, options);
  old = range_of_recordings(&test->base, base, test->base_scale, noise);
  now = range_of_recordings(&test->newer, newer, 1, noise);
  test->change->is_obvious = true;
  double least = log(now.low / old.high), most = log(now.high / old.low);
  include_uninterrupted(&least, &most, test);
  test->change->least = expm1(least);
  test->change->most = expm1(most);
  test->change->verdict = is_slower ? ETR_VERDICT_SLOWER : ETR_VERDICT_FASTER;
  test->change->reason = ETR_REASON_NONE;
  return true;
}

/* ---- The estimate ---- */

/* Sets the variance of a change and its degrees of freedom by Welch, from how much the recordings
 * of each side differ. Sets also the variance of one recording, pooled over both sides, which
 * moderate_variances() compares with those of other rows. No recording is more precise than the
 * clock. */
static void set_variance_by_recordings(estimate *e, const etr_side_time *base,
                                       const etr_side_time *newer) {
  double d_base = (double)base->recordings, d_new = (double)newer->recordings;
  double v_base = ETR_MAX(square(base->spread), clock_variance(base)) / d_base,
         v_new = ETR_MAX(square(newer->spread), clock_variance(newer)) / d_new;
  double freedom = floor(square(v_base + v_new) /
                         (square(v_base) / (d_base - 1) + square(v_new) / (d_new - 1)));
  e->variance = v_base + v_new;
  e->freedom = ETR_MAX(1, ETR_MIN(freedom, (double)MOST_FREEDOM));
  e->recordings = 1 / d_base + 1 / d_new;
  e->pooled_freedom = d_base + d_new - 2;
  double pooled = ((d_base - 1) * square(base->spread) + (d_new - 1) * square(newer->spread)) /
                  e->pooled_freedom;
  e->row_variance = ETR_MAX(pooled, (clock_variance(base) + clock_variance(newer)) / 2);
}

/* Returns a time; one that the clock cannot tell from none is a step of it. */
static etr_side_time as_clock_tells(const etr_side_time *time) {
  etr_side_time result = *time;
  if (!is_above_clock_step(time)) {
    result.typical = time->step;
    result.high = ETR_MAX(time->high, time->step);
  }
  return result;
}

/* Estimates a change, which is the logarithm of newer / base, and its variance: by recordings if
 * both sides have enough, else by runs. Where that is impossible, `is_known` stays false and the
 * estimate's reason says what is missing. Where the clock cannot tell the time of one side from
 * none, the change is at least that to a step of the clock, and is judged by runs. */
static estimate estimate_change(const etr_noise_test *test, const etr_compare_options *options) {
  etr_side_time told_base = as_clock_tells(&test->base), told_new = as_clock_tells(&test->newer);
  const etr_side_time *base = &told_base, *newer = &told_new;
  bool is_base_told = is_above_clock_step(&test->base),
       is_new_told = is_above_clock_step(&test->newer), are_told = is_base_told && is_new_told;
  double step = ETR_MAX(base->step, newer->step);
  bool is_by_recordings = are_told && has_enough_recordings(base, newer);
  estimate result = {.reason = ETR_REASON_CLOCK};
  if (!base->runs || !newer->runs || !(is_base_told || is_new_told) || !(base->typical > 0) ||
      !(newer->typical > 0))
    return result;
  double log_base = mean_log_of_recordings(base), log_newer = mean_log_of_recordings(newer);
  if (is_by_recordings && (!isfinite(log_base) || !isfinite(log_newer)))
    return result;
  result.change = is_by_recordings ? log_newer - log_base : log(newer->typical / base->typical);
  /* Times that are one step of the clock apart may be equal. Their change is at most this. */
  result.least = are_told ? step / ETR_MIN(base->typical, newer->typical) : 1;
  result.reason = ETR_REASON_FEW_RUNS;
  if (!is_by_recordings && ETR_MIN(base->runs, newer->runs) < ETR_LEAST_RUNS)
    return result;
  result.is_known = true;
  if (are_told)
    result.reason = is_by_recordings ? ETR_REASON_SPREAD : ETR_REASON_ONE_RECORDING;
  else
    result.reason = ETR_REASON_CLOCK;
  result.is_by_recordings = is_by_recordings;
  if (is_by_recordings)
    set_variance_by_recordings(&result, base, newer);
  else
    set_bounds_by_runs(&result, base, newer, options);
  return result;
}

/* ---- Its interval ---- */

/* The quantiles of a level, each computed once. */
typedef struct quantiles {
  double level, normal;
  double t[MOST_FREEDOM + 1]; /* by degrees of freedom; 0: not computed yet */
} quantiles;

/* Returns the two-sided quantiles of a level, at most LEVEL: the normal one now, those of Student's
 * t as they are needed. */
static quantiles quantiles_of(double level) {
  return (quantiles){.level = level,
                     .normal = level < LEVEL ? etr_normal_quantile(level) : QUANTILE};
}

/* Returns the two-sided quantile of Student's t at the level of `q` for whole degrees of freedom, 1
 * to MOST_FREEDOM. Each is computed once and kept in q->t. */
static double t_quantile_of(quantiles *q, double freedom) {
  size_t whole = (size_t)freedom;
  if (q->t[whole] <= 0)
    q->t[whole] = etr_t_quantile(q->level, whole);
  return q->t[whole];
}

/* Returns the distance from the change to its lower bound (`below`) or upper bound, as it follows
 * from runs and recordings alone; infinite where it cannot be computed. The distances by runs are
 * for QUANTILE, and are scaled to the level of `q`. */
static double distance_by_spread(const estimate *e, quantiles *q, bool below) {
  double distance = q->normal / QUANTILE * (below ? e->below : e->above);
  if (e->is_by_ranks)
    return below ? e->change - e->low : e->high - e->change;
  if (e->is_by_recordings)
    distance = t_quantile_of(q, e->freedom) * sqrt(e->variance);
  return isnan(distance) ? INFINITY : distance;
}

/* Returns the distance from the change to its lower or upper bound, which is never less than the
 * clock resolves. */
static double distance_to_bound(const estimate *e, quantiles *q, bool below) {
  return ETR_MAX(distance_by_spread(e, q, below), e->least);
}

/* Returns what an interval takes for granted, as ETR_ASSUMES_... flags: a noise between recordings
 * if there are too few to measure it, or that they were made in turns if that is unknown. */
static unsigned assumptions_of(const estimate *e, etr_turns turns) {
  if (!e->is_by_recordings)
    return ETR_ASSUMES_RECORDING_NOISE;
  return turns == ETR_TURNS_UNKNOWN ? ETR_ASSUMES_IN_TURNS : 0;
}

/* Returns the weaker form of a verdict, "likely slower" for "slower" and so on, for changes that
 * enough recordings in turns do not confirm. */
static etr_verdict weaker_verdict(etr_verdict verdict) {
  switch (verdict) {
  case ETR_VERDICT_SLOWER:
    return ETR_VERDICT_LIKELY_SLOWER;
  case ETR_VERDICT_FASTER:
    return ETR_VERDICT_LIKELY_FASTER;
  case ETR_VERDICT_EQUAL:
    return ETR_VERDICT_LIKELY_EQUAL;
  default:
    return verdict;
  }
}

/* Returns the limit of the options, a relative change, as a logarithm; 0 without a limit. */
static double log_limit(const etr_compare_options *options) {
  return options->limit > 0 ? log1p(options->limit) : 0;
}

/* Returns what the change must be told apart from, as a logarithm: the limit if the interval
 * contains it, or else 0, no change. */
static double open_question(const etr_change *change, const etr_compare_options *options) {
  bool contains_limit = change->low <= options->limit && options->limit <= change->high;
  return contains_limit ? log_limit(options) : 0;
}

/* Returns true if only the step of the clock leaves the change undecided: by the spread alone, the
 * bound towards `question` would be nearer than a step. */
static bool is_open_by_clock(const estimate *e, quantiles *q, double question) {
  return fabs(e->change - question) <= e->least &&
         distance_by_spread(e, q, e->change > question) <= e->least;
}

/* Returns the verdict that an interval of logarithms gives: "equal" needs a limit, which is a
 * logarithm, too, and an interval within it on both sides. */
static etr_verdict verdict_of_interval(double low, double high, double limit) {
  if (low > 0)
    return ETR_VERDICT_SLOWER;
  if (high < 0)
    return ETR_VERDICT_FASTER;
  bool is_within_limit = limit > 0 && -limit < low && high < limit;
  return is_within_limit ? ETR_VERDICT_EQUAL : ETR_VERDICT_CANNOT_TELL;
}

/* Sets the verdict, its reason and the interval of a change from its estimate. A verdict is sure,
 * without a reason, only by recordings that one side did not make before the other. */
static void set_verdict(const estimate *e, quantiles *q, const etr_noise_test *test,
                        const etr_noise_rules *rules) {
  etr_change *change = test->change;
  change->verdict = ETR_VERDICT_CANNOT_TELL;
  change->reason = e->reason;
  change->low = change->high = NAN;
  change->recording_noise = e->noise;
  if (!e->is_known)
    return;
  double low = e->change - distance_to_bound(e, q, true),
         high = e->change + distance_to_bound(e, q, false);
  include_uninterrupted(&low, &high, test);
  change->low = expm1(low);
  change->high = expm1(high);
  change->assumes = assumptions_of(e, rules->turns);
  change->verdict = verdict_of_interval(low, high, log_limit(rules->options));
  if (change->verdict == ETR_VERDICT_CANNOT_TELL) {
    if (is_open_by_clock(e, q, open_question(change, rules->options)))
      change->reason = ETR_REASON_CLOCK;
    return;
  }
  bool is_not_in_turns = e->is_by_recordings && etr_is_one_side_first(rules->turns);
  if (is_not_in_turns)
    change->reason = ETR_REASON_NOT_IN_TURNS;
  if (e->is_by_recordings && !is_not_in_turns)
    change->reason = ETR_REASON_NONE;
  else
    change->verdict = weaker_verdict(change->verdict);
  bool refutes_noise = change->assumes & ETR_ASSUMES_RECORDING_NOISE &&
                       change->verdict >= ETR_VERDICT_LIKELY_FASTER;
  if (rules->is_one_program && refutes_noise)
    change->verdict = ETR_VERDICT_CANNOT_TELL;
}

/* ---- Changes that are judged alone ---- */

/* Returns the smallest number of recordings on each side, above the present one, that would
 * distinguish the change from `question`, a logarithm, in four of five cases (a power of 80 %); 0
 * if it is more than ETR_MOST_RECORDINGS, or if the clock cannot resolve the difference. */
static size_t recordings_needed(const estimate *e, const etr_noise_test *test, double question,
                                double level) {
  static const double MISSED = 0.4; /* of either tail together: one of five on one side */
  size_t has = ETR_MIN(test->base.recordings, test->newer.recordings);
  double away = fabs(e->change - question), deviation = sqrt(e->row_variance);
  if (has < ETR_LEAST_RECORDINGS)
    return ETR_LEAST_RECORDINGS; /* the change itself is noise */
  if (away <= e->least)
    return 0; /* the clock cannot resolve it */
  for (size_t n = has + 1; n <= ETR_MOST_RECORDINGS; n++) {
    size_t freedom = 2 * n - 2;
    double standard_error = deviation * sqrt(2 / (double)n);
    double quantiles_sum = etr_t_quantile(level, freedom) + etr_t_quantile(MISSED, freedom);
    if (quantiles_sum * standard_error < away)
      return n;
  }
  return 0;
}

/* Returns true if the interval is so narrow (10 % at most to either side) that more recordings
 * would not help: only the change itself is too small. */
static bool is_narrow(const etr_change *change) {
  static const double NARROW = 0.10;
  return (log1p(change->high) - log1p(change->low)) / 2 < NARROW;
}

/* Judges one change on its own: as obvious, by ranks or by its interval. If that leaves a question
 * that more recordings could answer, it sets how many. Returns false when out of memory. */
bool etr_noise_judge(etr_noise_test *test, const etr_noise_rules *rules) {
  quantiles q = quantiles_of(rules->level);
  etr_change *change = test->change;
  if (judge_obvious(test, rules->options))
    return true;
  estimate e = estimate_change(test, rules->options);
  if (e.is_by_recordings && !set_bounds_by_ranks(&e, test, rules))
    return false;
  set_verdict(&e, &q, test, rules);
  double question = open_question(change, rules->options);
  bool is_sure = change->reason == ETR_REASON_NONE && !(question > 0);
  if (is_sure || change->reason == ETR_REASON_CLOCK || change->reason == ETR_REASON_NOT_IN_TURNS)
    return true;
  change->recordings_needed = recordings_needed(&e, test, question, rules->level);
  if (change->reason == ETR_REASON_SPREAD && change->recordings_needed == 0 && is_narrow(change))
    change->reason = ETR_REASON_TOO_NEAR;
  return true;
}

/* ---- Families ---- */

/* Replaces the variance and the degrees of freedom of each row that has recordings by Smyth's
 * moderated ones (empirical Bayes, as in limma): the variance moves towards that of all rows, the
 * further the less the rows' variances differ beyond chance. Few recordings alone estimate a
 * variance badly. With fewer than LEAST_ROWS rows nothing changes. */
static void moderate_variances(estimate *rows, size_t count) {
  double n = 0, mean = 0, squares = 0, by_chance = 0;
  for (size_t i = 0; i < count; i++) {
    if (!rows[i].is_known || !rows[i].is_by_recordings)
      continue;
    /* The expectation of log_variance is that of the true variance's logarithm. */
    double half = rows[i].pooled_freedom / 2,
           log_variance = log(rows[i].row_variance) - etr_digamma(half) + log(half),
           distance = log_variance - mean;
    n++;
    mean += distance / n;
    squares += distance * (log_variance - mean);
    by_chance += etr_trigamma(half);
  }
  if (n < LEAST_ROWS)
    return; /* each keeps its own variance, and Welch's freedom */
  double excess = squares / (n - 1) -
                  by_chance / n; /* how much more the variances differ than by chance */
  double prior_freedom = excess > 0 ? 2 * etr_trigamma_inverse(excess) : INFINITY;
  bool is_finite = isfinite(prior_freedom);
  double bias = is_finite ? etr_digamma(prior_freedom / 2) - log(prior_freedom / 2) : 0;
  double common = exp(mean + bias);
  for (size_t i = 0; i < count; i++) {
    estimate *row = &rows[i];
    if (!row->is_known || !row->is_by_recordings)
      continue;
    double own = row->pooled_freedom, total_freedom = prior_freedom + own;
    double weighted = prior_freedom * common + own * row->row_variance;
    double variance = is_finite ? weighted / total_freedom : common;
    row->variance = variance * row->recordings;
    row->freedom = ETR_MIN(floor(total_freedom), (double)MOST_FREEDOM);
  }
}

/* Returns the p-value of a row: the probability that a row which did not change shows such a
 * change, or a larger one. It is that of Student's t for a change by recordings. For a change by
 * runs it is that of a normal distribution, of which the distance from the change to the bound
 * nearer to 0 is QUANTILE standard deviations. It is 1 for changes that the clock cannot resolve.
 */
static double p_value_of(const estimate *e, quantiles *q) {
  double change = fabs(e->change);
  if (change <= e->least)
    return 1;
  if (e->is_by_recordings)
    return etr_t_chance(change / sqrt(e->variance), (size_t)e->freedom);
  double bound = distance_by_spread(e, q, e->change > 0);
  return etr_normal_chance(QUANTILE * change / bound);
}

/* Returns the level at which single rows are judged, by Benjamini and Hochberg: k / count of the
 * level, for the greatest k such that k p-values are at most that; for k = 1 if there is none. So
 * about 5 % of the changes that are reported are due to chance. Sorts the p-values. */
static double level_of_single_rows(double *p_values, size_t count) {
  if (count == 0)
    return LEVEL;
  etr_sort(p_values, count, sizeof *p_values, etr_by_double);
  size_t k = count;
  while (k > 1 && p_values[k - 1] > LEVEL * (double)k / (double)count)
    k--;
  return LEVEL * (double)k / (double)count;
}

/* Extends the interval of a row to the change that is printed (`relative`), which is that of the
 * typical times without odd recordings. If only that makes the interval contain 0, the verdict is
 * withdrawn. */
static void include_printed_change(etr_change *change) {
  bool contained_zero = change->low <= 0 && change->high >= 0;
  if (isnan(change->relative) || isnan(change->low))
    return;
  change->low = ETR_MIN(change->low, change->relative);
  change->high = ETR_MAX(change->high, change->relative);
  if (contained_zero || change->low > 0 || change->high < 0)
    return;
  change->verdict = ETR_VERDICT_CANNOT_TELL;
  change->reason = ETR_REASON_SPREAD;
}

/* Returns true if a change of the medians, of which `most` is what it may be with the clock's
 * rounding, explains enough of the change that is claimed: a quarter, or half with rounding. So it
 * does if that is not known (NaN). */
static bool explains(double medians, double most, double claimed) {
  const double enough = 0.25, enough_with_rounding = 0.5;
  double share = medians / claimed, most_share = most / claimed;
  return isnan(share) || isnan(most_share) || share >= enough || most_share >= enough_with_rounding;
}

/* Withdraws a verdict that operators' medians do not bear out: if they changed the other way, or by
 * little of the change, as logarithms or as times. Interruptions in several runs make a sum longer
 * without moving the median of any of its operators. */
static void require_steady_change(const etr_noise_test *test, etr_change *change) {
  const etr_side_time *base = &test->base, *newer = &test->newer;
  bool is_slower = change->low > 0, is_faster = change->high < 0;
  double sign = is_slower ? 1 : -1;
  double most = fmax(newer->steady + sign * newer->rounding, 0),
         least = fmax(base->steady - sign * base->rounding, 0);
  double ratio = log(newer->steady / base->steady); /* NaN if there are no medians */
  bool is_ratio_borne_out = explains(ratio, log(most / least), log(newer->typical / base->typical));
  bool is_time_borne_out = explains(newer->steady - base->steady, most - least,
                                    newer->typical - base->typical);
  bool is_borne_out = is_ratio_borne_out && is_time_borne_out;
  if (!(is_slower || is_faster) || isnan(ratio) || is_borne_out)
    return;
  change->verdict = ETR_VERDICT_CANNOT_TELL;
  change->reason = change->reason == ETR_REASON_NONE ? ETR_REASON_SPREAD : change->reason;
}

/* Judges all changes of a family together: moderates their variances, and lowers the level of each
 * so that few are reported by chance. Returns false when out of memory. */
bool etr_noise_judge_family(etr_noise_test *tests, size_t count, const etr_noise_rules *rules) {
  estimate *rows = etr_arena_alloc_array(rules->scratch, count, sizeof *rows);
  double *p_values = etr_arena_alloc_array(rules->scratch, count, sizeof *p_values);
  quantiles q = quantiles_of(LEVEL);
  size_t known_count = 0;
  if (etr_arena_failed(rules->scratch))
    return false;
  for (size_t i = 0; i < count; i++)
    rows[i] = estimate_change(&tests[i], rules->options);
  moderate_variances(rows, count);
  for (size_t i = 0; i < count; i++)
    if (rows[i].is_known)
      p_values[known_count++] = p_value_of(&rows[i], &q);
  q = quantiles_of(level_of_single_rows(p_values, known_count));
  for (size_t i = 0; i < count; i++) {
    set_verdict(&rows[i], &q, &tests[i], rules);
    include_printed_change(tests[i].change);
    require_steady_change(&tests[i], tests[i].change);
  }
  return true;
}

/* ---- In turns ---- */

const char *etr_turns_name(etr_turns turns) {
  static const char *const names[] = {"unknown", "yes", "base_first", "new_first"};
  return (size_t)turns < ETR_COUNT(names) ? names[turns] : "unknown";
}

/* A recording of either side. */
typedef struct recorded {
  double written; /* when its file was written, in seconds since 1970 */
  double length;  /* how long it lasted, in seconds */
  int side;       /* 0: base, 1: newer */
} recorded;

static int by_time_of_writing(const void *a, const void *b) {
  const recorded *x = a, *y = b;
  return (x->written > y->written) - (x->written < y->written);
}

/* Returns true if sorted times of files can be times of recordings: each file was written after
 * the one before by at least the length of its recording, and none in the future. Copies and
 * checkouts are closer together. */
static bool are_plausible(const recorded *list, size_t count) {
  for (size_t i = 1; i < count; i++) {
    double passed = list[i].written - list[i - 1].written;
    if (!(passed > 0) || passed < list[i].length)
      return false;
  }
  return count == 0 || list[count - 1].written <= (double)time(NULL);
}

/* Counts the recordings that directly follow another one of the same side. */
static size_t count_repeats(const recorded *list, size_t count) {
  size_t repeats = 0;
  for (size_t i = 1; i < count; i++)
    repeats += list[i].side == list[i - 1].side;
  return repeats;
}

/* Returns true if sorted recordings alternate: the first two are one of either side, so are the
 * next two, and so on. Which of the two comes first does not matter. */
static bool do_alternate(const recorded *list, size_t count) {
  for (size_t i = 0; i + 1 < count; i += 2)
    if (list[i].side == list[i + 1].side)
      return false;
  return true;
}

/* Returns in which order the sorted recordings of both sides were made: one side first, in turns,
 * or unknown if neither, or if their times cannot be times of recordings. */
static etr_turns order_of_recordings(const recorded *list, size_t count) {
  if (!are_plausible(list, count))
    return ETR_TURNS_UNKNOWN;
  /* One side is first if it changes once: each but the first of either side repeats its side. */
  bool is_one_side_first = count_repeats(list, count) == count - 2;
  if (is_one_side_first)
    return list[0].side == 0 ? ETR_TURNS_BASE_FIRST : ETR_TURNS_NEW_FIRST;
  return do_alternate(list, count) ? ETR_TURNS_YES : ETR_TURNS_UNKNOWN;
}

/* When the recordings of a side were made, in seconds since 1970. */
typedef struct period {
  double first, last; /* NaN: not known */
} period;

/* Returns when a side was recorded: as record.json beside it says of all, or else as its files do.
 * list: its recordings whose times are known, sorted. */
static period period_of_side(const etr_side *side, const recorded *list, size_t count) {
  double at = side->profile->recorded_at;
  bool is_by_files = isnan(at) && count == side->clocking_count && are_plausible(list, count);
  return is_by_files ? (period){list[0].written, list[count - 1].written} : (period){at, at};
}

/* Returns which side was recorded before the other began; unknown if neither was. */
static etr_turns order_of_periods(period base, period newer) {
  if (base.last < newer.first)
    return ETR_TURNS_BASE_FIRST;
  return newer.last < base.first ? ETR_TURNS_NEW_FIRST : ETR_TURNS_UNKNOWN;
}

/* Returns true if both sides are of one bench, which recorded them in turns. */
static bool are_of_one_bench(const etr_profile *base, const etr_profile *newer) {
  return base->is_in_turns && newer->is_in_turns && base->recorded_at == newer->recorded_at;
}

/* Finds the order from when the files were written or, where that cannot be of both sides, with
 * record.json, unless the caller or record.json says that they were made in turns. It stays unknown
 * if a side has few recordings. Returns false when out of memory. */
bool etr_turns_find(etr_turns *out, const etr_side *base, const etr_side *newer,
                    const etr_compare_options *options, etr_arena *scratch) {
  const etr_side *const sides[] = {base, newer};
  size_t count = base->clocking_count + newer->clocking_count, listed = 0;
  bool is_known = options->is_in_turns || are_of_one_bench(base->profile, newer->profile);
  *out = is_known ? ETR_TURNS_YES : ETR_TURNS_UNKNOWN;
  if (is_known || base->clocking_count < ETR_LEAST_RECORDINGS ||
      newer->clocking_count < ETR_LEAST_RECORDINGS)
    return true;
  recorded *list = etr_arena_alloc_array(scratch, count, sizeof *list);
  if (!list)
    return false;
  period periods[2];
  for (int side = 0; side < 2; side++) {
    size_t first = listed;
    for (size_t i = 0; i < sides[side]->clocking_count; i++) {
      const etr_side_clocking *clocking = &sides[side]->clockings[i];
      if (isfinite(clocking->written) && isfinite(clocking->length))
        list[listed++] = (recorded){clocking->written, clocking->length, side};
    }
    etr_sort(list + first, listed - first, sizeof *list, by_time_of_writing);
    periods[side] = period_of_side(sides[side], list + first, listed - first);
  }
  etr_sort(list, listed, sizeof *list, by_time_of_writing);
  if (listed == count)
    *out = order_of_recordings(list, listed);
  if (*out == ETR_TURNS_UNKNOWN)
    *out = order_of_periods(periods[0], periods[1]);
  return true;
}
