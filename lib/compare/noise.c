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

/* Returns the mean of the logarithms of the recordings' typical times; NaN if one is 0. */
static double center_of(const etr_side_time *time) {
  return log(time->typical) + time->offset;
}

static bool by_recordings(const etr_side_time *base, const etr_side_time *newer) {
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
  double least;        /* distance to the bounds, at least */
} estimate;

static double square(double x) {
  return x * x;
}

static double clock_variance(const etr_side_time *time) {
  return square(time->step / time->typical) / 12;
}

double etr_noise_between_recordings(const etr_compare_options *options) {
  return options->recording_noise > 0 ? options->recording_noise : RECORDING_NOISE;
}

/* Estimates the distances from a change to its bounds, below and above, from the spread of single
 * runs, where recordings are too few to compare. */
static void set_bounds_by_runs(estimate *e, const etr_side_time *base, const etr_side_time *newer,
                               const etr_compare_options *options) {
  double clock = square(QUANTILE) * (clock_variance(base) + clock_variance(newer));
  double between = square(QUANTILE * etr_noise_between_recordings(options)) *
                   (1 / (double)base->recordings + 1 / (double)newer->recordings);
  double common = clock + between;
  double base_up = log(base->high / base->typical), new_up = log(newer->high / newer->typical);
  double base_down = log(base->typical / base->low), new_down = log(newer->typical / newer->low);
  e->below = sqrt(square(new_down) + square(base_up) + common);
  e->above = sqrt(square(new_up) + square(base_down) + common);
}

/* Half a step of the clock, or none, is a time below the clock's. Sums have the larger steps of
 * their clocks' errors, added in quadrature. */
static bool is_resolved(const etr_side_time *time) {
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
  /* counts[b * (most + 1) + u]: of how many orders of `a` and b recordings U is u. */
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
 * one; too few recordings give none. Returns false when out of memory. */
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

/* ---- The obvious ---- */

static const double OBVIOUS = 4; /* times as long */

/* The shortest and the longest run of a side that count for the obvious. */
typedef struct ends {
  double low, high;
} ends;

/* Returns the lowest and the highest time of a side. If the other side has so few runs that it
 * may be nothing but warm-up, as many first runs of this side are among them. */
static ends range_of_times(const etr_side_time *time, const etr_side_recordings *own,
                           const etr_side_recordings *other, double scale) {
  enum { FEW = ETR_COUNT(own->first) };
  ends e = {time->low, time->high};
  for (size_t i = 0; other->first_count <= FEW && i < ETR_MIN(other->first_count, own->first_count);
       i++) {
    if (i >= FEW)
      break;
    e.low = ETR_MIN(e.low, own->first[i] * scale);
    e.high = ETR_MAX(e.high, own->first[i] * scale);
  }
  return e;
}

/* Returns the typical times of the fastest and the slowest recording of a side. One recording is as
 * far from others as two standard deviations of the assumed noise between recordings. */
static ends range_of_recordings(const etr_side_time *time, const etr_side_recordings *own,
                                double scale, const etr_compare_options *options) {
  double apart = exp(2 * etr_noise_between_recordings(options));
  if (own->count < 2)
    return (ends){time->typical / apart, time->typical * apart};
  ends result = {INFINITY, 0};
  for (size_t i = 0; i < own->count; i++) {
    result.low = ETR_MIN(result.low, own->typical[i] * scale);
    result.high = ETR_MAX(result.high, own->typical[i] * scale);
  }
  return result;
}

/* Judges a change by the obvious: all times of one side are far from all of the other. Returns
 * whether it did. With a limit, what became slower must be obviously above it. */
static bool judge_obvious(const etr_noise_test *test, const etr_compare_options *options) {
  const etr_side_recordings *base = test->base_recordings, *newer = test->new_recordings;
  double step = ETR_MAX(test->base.step, test->newer.step);
  if (!base || !newer || test->base.runs < 2 || test->newer.runs < 2)
    return false;
  ends base_ends = range_of_times(&test->base, base, newer, test->base_scale),
       new_ends = range_of_times(&test->newer, newer, base, 1);
  if (!(base_ends.low > 0) || !(new_ends.low > 0))
    return false;
  double slower = new_ends.low / base_ends.high, faster = base_ends.low / new_ends.high;
  if (ETR_MAX(slower, faster) < OBVIOUS ||
      ETR_MAX(new_ends.low - base_ends.high, base_ends.low - new_ends.high) <= step ||
      (slower >= OBVIOUS && options->limit > 0 && slower - 1 <= options->limit))
    return false;
  test->change->is_obvious = true;
  base_ends = range_of_recordings(&test->base, base, test->base_scale, options);
  new_ends = range_of_recordings(&test->newer, newer, 1, options);
  test->change->least = new_ends.low / base_ends.high - 1;
  test->change->most = new_ends.high / base_ends.low - 1;
  test->change->verdict = slower >= OBVIOUS ? ETR_VERDICT_SLOWER : ETR_VERDICT_FASTER;
  test->change->reason = ETR_REASON_NONE;
  return true;
}

/* ---- The estimate ---- */

/* Estimates a change and its variance: by recordings if both sides have enough, else by runs.
 * Where that is impossible, the estimate's reason says what is missing. */
static estimate estimate_change(const etr_noise_test *test, const etr_compare_options *options) {
  const etr_side_time *base = &test->base, *newer = &test->newer;
  double step = ETR_MAX(base->step, newer->step);
  bool is_by_recordings = by_recordings(base, newer);
  estimate result = {.reason = ETR_REASON_CLOCK};
  if (!base->runs || !newer->runs || !is_resolved(base) || !is_resolved(newer))
    return result;
  if (is_by_recordings && (!isfinite(center_of(base)) || !isfinite(center_of(newer))))
    return result;
  result.change = is_by_recordings ? center_of(newer) - center_of(base)
                                   : log(newer->typical / base->typical);
  /* At least |change| where both are one step apart. */
  result.least = step / ETR_MIN(base->typical, newer->typical);
  result.reason = ETR_REASON_FEW_RUNS;
  if (!is_by_recordings && ETR_MIN(base->runs, newer->runs) < ETR_LEAST_RUNS)
    return result;
  result.is_known = true;
  result.reason = is_by_recordings ? ETR_REASON_SPREAD : ETR_REASON_ONE_RECORDING;
  if (is_by_recordings) {
    double d_base = (double)base->recordings, d_new = (double)newer->recordings;
    double v_base = ETR_MAX(square(base->spread), clock_variance(base)) / d_base,
           v_new = ETR_MAX(square(newer->spread), clock_variance(newer)) / d_new;
    double freedom = floor(square(v_base + v_new) /
                           (square(v_base) / (d_base - 1) + square(v_new) / (d_new - 1)));
    result.is_by_recordings = true;
    result.variance = v_base + v_new;
    result.freedom = ETR_MAX(1, ETR_MIN(freedom, (double)MOST_FREEDOM));
    result.recordings = 1 / d_base + 1 / d_new;
    result.pooled_freedom = d_base + d_new - 2;
    result.row_variance = ((d_base - 1) * square(base->spread) +
                           (d_new - 1) * square(newer->spread)) /
                          result.pooled_freedom;
    result.row_variance = ETR_MAX(result.row_variance,
                                  (clock_variance(base) + clock_variance(newer)) / 2);
  } else
    set_bounds_by_runs(&result, base, newer, options);
  return result;
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

/* Returns the distance from the change to its lower bound (`below`) or upper bound, as it follows
 * from runs and recordings; infinite where it cannot be computed. */
static double own_distance(const estimate *e, quantiles *q, bool below) {
  double distance = q->normal / QUANTILE * (below ? e->below : e->above);
  if (e->is_by_ranks)
    return below ? e->change - e->low : e->high - e->change;
  if (e->is_by_recordings)
    distance = t_of(q, e->freedom) * sqrt(e->variance);
  return isnan(distance) ? INFINITY : distance;
}

static double distance(const estimate *e, quantiles *q, bool below) {
  return ETR_MAX(own_distance(e, q, below), e->least);
}

/* Returns true if by the times of the files one side is older than the other. */
static bool is_blocked(etr_turns turns) {
  return turns == ETR_TURNS_BASE_FIRST || turns == ETR_TURNS_NEW_FIRST;
}

/* Returns what an interval assumes. */
static unsigned assumed_by(const estimate *e, etr_turns turns) {
  if (!e->is_by_recordings)
    return ETR_ASSUMES_RECORDING_NOISE;
  return turns == ETR_TURNS_UNKNOWN ? ETR_ASSUMES_IN_TURNS : 0;
}

/* Returns the verdict that claims less, where the runs alone decide: likely slower for slower,
 * and so on. */
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

/* Sets the verdict, its reason and the interval of a change from its estimate. */
static void set_verdict(const estimate *e, quantiles *q, etr_change *change,
                        const etr_noise_rules *rules) {
  double limit = limit_of(rules->options);
  change->verdict = ETR_VERDICT_CANNOT_TELL;
  change->reason = e->reason;
  change->low = change->high = NAN;
  if (!e->is_known)
    return;
  double low = e->change - distance(e, q, true), high = e->change + distance(e, q, false);
  change->low = expm1(low);
  change->high = expm1(high);
  change->assumes = assumed_by(e, rules->turns);
  if (low > 0)
    change->verdict = ETR_VERDICT_SLOWER;
  else if (high < 0)
    change->verdict = ETR_VERDICT_FASTER;
  else if (limit > 0 && -limit < low && high < limit)
    change->verdict = ETR_VERDICT_EQUAL;
  else if (is_open_by_clock(e, q, open_question(change, rules->options)))
    change->reason = ETR_REASON_CLOCK;
  if (change->verdict == ETR_VERDICT_CANNOT_TELL)
    return;
  bool is_not_in_turns = e->is_by_recordings && is_blocked(rules->turns);
  change->reason = is_not_in_turns ? ETR_REASON_NOT_IN_TURNS : e->reason;
  if (e->is_by_recordings && !is_not_in_turns)
    change->reason = ETR_REASON_NONE;
  else
    change->verdict = weaker_verdict(change->verdict);
}

/* ---- Changes that are judged alone ---- */

/* Returns the smallest number of recordings on each side, above the present one, that excludes
 * the change `question` in four of five cases; 0 if it is more than ETR_MOST_RECORDINGS, or if
 * the clock cannot resolve it. */
static size_t recordings_needed(const estimate *e, const etr_noise_test *test, double question,
                                double level) {
  static const double MISSED = 0.4; /* of either tail together: one of five on one side */
  size_t has = ETR_MIN(test->base.recordings, test->newer.recordings);
  double away = fabs(e->change - question), deviation = sqrt(e->row_variance);
  if (has < ETR_LEAST_RECORDINGS)
    return ETR_LEAST_RECORDINGS; /* the change itself is noise */
  if (away <= e->least)
    return 0; /* the clock cannot resolve it */
  for (size_t n = has + 1; n <= ETR_MOST_RECORDINGS; n++)
    if ((etr_t_quantile(level, 2 * n - 2) + etr_t_quantile(MISSED, 2 * n - 2)) * deviation *
            sqrt(2 / (double)n) <
        away)
      return n;
  return 0;
}

/* Returns true if the bounds are near the change, so that only the change itself is too small. */
static bool is_narrow(const etr_change *change) {
  static const double NARROW = 0.10;
  return (log1p(change->high) - log1p(change->low)) / 2 < NARROW;
}

/* Judges one change on its own: by the obvious, by ranks or by its interval, and says how many
 * recordings would answer what stays open. Returns false when out of memory. */
bool etr_noise_judge(etr_noise_test *test, const etr_noise_rules *rules) {
  quantiles q = quantiles_of(rules->level);
  etr_change *change = test->change;
  if (judge_obvious(test, rules->options))
    return true;
  estimate e = estimate_change(test, rules->options);
  if (e.is_by_recordings && !set_bounds_by_ranks(&e, test, rules))
    return false;
  set_verdict(&e, &q, change, rules);
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

/* Applies Smyth's moderation: moves the variance of each row towards the variance of all rows, as
 * far as the rows agree. */
static void moderate_variances(estimate *rows, size_t count) {
  double n = 0, mean = 0, squares = 0, expected = 0;
  for (size_t i = 0; i < count; i++) {
    if (!rows[i].is_known || !rows[i].is_by_recordings)
      continue;
    double half = rows[i].pooled_freedom / 2,
           log_variance = log(rows[i].row_variance) - etr_digamma(half) + log(half),
           distance = log_variance - mean;
    n++;
    mean += distance / n;
    squares += distance * (log_variance - mean);
    expected += etr_trigamma(half);
  }
  if (n < LEAST_ROWS)
    return; /* each keeps its own variance, and Welch's freedom */
  double excess = squares / (n - 1) -
                  expected / n; /* how much more variances differ than by chance */
  double prior = excess > 0 ? 2 * etr_trigamma_inverse(excess) : INFINITY;
  double common = exp(mean + (isfinite(prior) ? etr_digamma(prior / 2) - log(prior / 2) : 0));
  for (size_t i = 0; i < count; i++) {
    estimate *row = &rows[i];
    if (!row->is_known || !row->is_by_recordings)
      continue;
    double own = row->pooled_freedom, variance = row->row_variance;
    variance = isfinite(prior) ? (prior * common + own * variance) / (prior + own) : common;
    row->variance = variance * row->recordings;
    row->freedom = ETR_MIN(floor(prior + own), (double)MOST_FREEDOM);
  }
}

/* Returns the probability that a row which did not change shows such a change. */
static double chance_without_change(const estimate *e, quantiles *q) {
  double change = fabs(e->change);
  if (change <= e->least)
    return 1;
  if (e->is_by_recordings)
    return etr_t_chance(change / sqrt(e->variance), (size_t)e->freedom);
  return etr_normal_chance(QUANTILE * change / own_distance(e, q, e->change > 0));
}

/* Returns the level for single rows by Benjamini and Hochberg: k/count of the level, for the
 * greatest k such that k probabilities are at most that. */
static double level_of_single_rows(double *chances, size_t count) {
  if (count == 0)
    return LEVEL;
  etr_sort(chances, count, sizeof *chances, etr_by_double);
  size_t believed_count = count;
  while (believed_count > 1 &&
         chances[believed_count - 1] > LEVEL * (double)believed_count / (double)count)
    believed_count--;
  return LEVEL * (double)believed_count / (double)count;
}

/* Extends the interval of a row to the change that is printed, from which odd recordings are left
 * out. If it contains 0 then, the change is not known. */
static void include_printed_change(etr_change *change) {
  bool was_open = change->low <= 0 && change->high >= 0;
  if (isnan(change->relative) || isnan(change->low))
    return;
  change->low = ETR_MIN(change->low, change->relative);
  change->high = ETR_MAX(change->high, change->relative);
  if (was_open || change->low > 0 || change->high < 0)
    return;
  change->verdict = ETR_VERDICT_CANNOT_TELL;
  change->reason = ETR_REASON_SPREAD;
}

/* Judges all rows together: their variances are moderated, and the level of each follows from how
 * many are believed. Returns false when out of memory. */
bool etr_noise_judge_family(etr_noise_test *tests, size_t count, const etr_noise_rules *rules) {
  estimate *rows = etr_arena_alloc_array(rules->scratch, count, sizeof *rows);
  double *chances = etr_arena_alloc_array(rules->scratch, count, sizeof *chances);
  quantiles q = quantiles_of(LEVEL);
  size_t known_count = 0;
  if (etr_arena_failed(rules->scratch))
    return false;
  for (size_t i = 0; i < count; i++)
    rows[i] = estimate_change(&tests[i], rules->options);
  moderate_variances(rows, count);
  for (size_t i = 0; i < count; i++)
    if (rows[i].is_known)
      chances[known_count++] = chance_without_change(&rows[i], &q);
  q = quantiles_of(level_of_single_rows(chances, known_count));
  for (size_t i = 0; i < count; i++) {
    set_verdict(&rows[i], &q, tests[i].change, rules);
    include_printed_change(tests[i].change);
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
  double written, length; /* seconds */
  int side;
} recorded;

static int by_time(const void *a, const void *b) {
  const recorded *x = a, *y = b;
  return (x->written > y->written) - (x->written < y->written);
}

/* Returns true if sorted times can be times of recordings: one after the other, each as long as
 * it lasted, and none in the future. */
static bool are_plausible(const recorded *list, size_t count) {
  for (size_t i = 1; i < count; i++) {
    double passed = list[i].written - list[i - 1].written;
    if (!(passed > 0) || passed < list[i].length)
      return false;
  }
  return count == 0 || list[count - 1].written <= (double)time(NULL);
}

/* Returns how often two recordings of one side follow each other. */
static size_t count_repeats(const recorded *list, size_t count) {
  size_t repeats = 0;
  for (size_t i = 1; i < count; i++)
    repeats += list[i].side == list[i - 1].side;
  return repeats;
}

/* Returns true if sorted recordings alternate: each pair of them has one of either side. */
static bool alternate(const recorded *list, size_t count) {
  for (size_t i = 0; i + 1 < count; i += 2)
    if (list[i].side == list[i + 1].side)
      return false;
  return true;
}

/* Says in which order the sorted recordings of both sides were made: one side first, in turns, or
 * neither. */
static etr_turns order_of_recordings(const recorded *list, size_t count) {
  if (!are_plausible(list, count))
    return ETR_TURNS_UNKNOWN;
  if (count_repeats(list, count) == count - 2)
    return list[0].side == 0 ? ETR_TURNS_BASE_FIRST : ETR_TURNS_NEW_FIRST;
  return alternate(list, count) ? ETR_TURNS_YES : ETR_TURNS_UNKNOWN;
}

/* Finds the order from when the files were written, unless the caller says that they were made
 * in turns. It stays unknown for few recordings, or without times. Returns false when out of
 * memory. */
bool etr_turns_find(etr_turns *out, const etr_side *base, const etr_side *newer,
                    const etr_compare_options *options, etr_arena *scratch) {
  const etr_side *const sides[] = {base, newer};
  size_t count = base->clocking_count + newer->clocking_count, listed = 0;
  *out = options->is_in_turns ? ETR_TURNS_YES : ETR_TURNS_UNKNOWN;
  if (options->is_in_turns || base->clocking_count < ETR_LEAST_RECORDINGS ||
      newer->clocking_count < ETR_LEAST_RECORDINGS)
    return true;
  recorded *list = etr_arena_alloc_array(scratch, count, sizeof *list);
  if (!list)
    return false;
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < sides[side]->clocking_count; i++) {
      const etr_side_clocking *clocking = &sides[side]->clockings[i];
      if (!isfinite(clocking->written) || !isfinite(clocking->length))
        return true;
      list[listed++] = (recorded){clocking->written, clocking->length, side};
    }
  etr_sort(list, listed, sizeof *list, by_time);
  *out = order_of_recordings(list, listed);
  return true;
}
