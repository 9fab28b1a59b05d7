/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_words.c - words of a comparison.
 */
#include "tables/diff_output.h"

#include "base/method_parts.h"
#include "base/system.h"
#include "output/label.h"
#include "views/headline.h"
#include "views/interruptions.h"
#include "views/steadiness.h"

#include <math.h>
#include <stdio.h>

/* ---- Words ---- */

/* Returns a time with its sign, as "+0.0123", in the unit of the options; without a sign if all
 * digits are 0. */
static const char *signed_time(etr_diff_output *o, double ticks) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &o->answer.arena, &writer);
  etr_puts(&writer, ticks < 0 ? "-" : "+");
  etr_put_fixed(&writer,
                fabs(etr_ticks_to_unit(o->comparison->newer, ticks, o->answer.options->unit)),
                etr_time_decimals(o->comparison->newer, ticks, o->answer.options->unit,
                                  ETR_DIFF_TIME_DIGITS));
  const char *made = etr_or_empty(etr_text_end(&text, &writer));
  bool is_zero = made[0] && made[1 + strspn(made + 1, "0.")] == '\0';
  return is_zero ? made + 1 : made;
}

/* Returns a time of at least 0 ticks in the unit of the options, as "0.0123". */
static const char *time_text(etr_diff_output *o, double ticks) {
  const char *text = signed_time(o, ticks);
  return text[0] == '+' ? text + 1 : text;
}

/* Returns the number of decimals, at most four, that a value with this uncertainty supports: its
 * last digit is at least a tenth of half_width, the distance from the value to a bound of its
 * interval. It is negative if digits before the point are uncertain, too. */
static int supported_decimals(double half_width) {
  enum { MOST_DECIMALS = 4 }; /* of times in the usual unit */
  if (!(half_width > 0) || !isfinite(half_width))
    return half_width > 0 ? 0 : MOST_DECIMALS;
  return ETR_MIN((int)ceil(-log10(half_width / 10)), (int)MOST_DECIMALS);
}

/* Rounds a number to so many decimals; -1 rounds to tens. */
static double round_to_decimals(double number, int decimals) {
  double unit = pow(10, -decimals);
  return round(number / unit) * unit;
}

bool etr_diff_has_interval(const etr_change *change) {
  return !isnan(change->low) && !isnan(change->high);
}

/* Returns true if both bounds are known and say something: a relative change cannot be below -1,
 * and an open upper bound is infinite. */
static bool has_both_bounds(const etr_change *change) {
  return etr_diff_has_interval(change) && change->low > -1 && isfinite(change->high);
}

/* Returns true if people are shown a bound: it exists and, where the runs cannot tell, is of less
 * than ten times, either way; a larger one says nothing. The page has the same rule. */
static bool shows_bound(const etr_change *change, double bound) {
  return fabs(log10(1 + bound)) <
         (change->verdict == ETR_VERDICT_CANNOT_TELL ? 1 : (double)INFINITY);
}

/* Returns true if two different relative changes would be written as the same percentage. */
static bool round_to_same_digits(double a, double b, int decimals) {
  return a != b && round_to_decimals(100 * a, decimals) == round_to_decimals(100 * b, decimals);
}

/* Returns the power of ten of a percentage's first digit: 2 for 100 to 999 %; 0 for 0 and for what
 * is no number. */
static int magnitude_of(double percent) {
  return isfinite(percent) && percent != 0 ? (int)floor(log10(fabs(percent))) : 0;
}

/* Returns the decimals for a change and its bounds in percent: as many as the interval supports, at
 * most two, or up to four if it takes them to see on which side of 0 and of the limit the bounds
 * lie. It is negative for large changes, of which digits before the point are rounded to 0, but not
 * the first two. Without an interval there is one decimal below 100 %, else two digits in all. */
static int percent_decimals(const etr_diff_output *o, const etr_change *change) {
  enum { USUAL = 2, MOST = 4 };
  double limit = o->comparison->limit;
  int size = magnitude_of(100 * change->relative);
  if (!has_both_bounds(change))
    return fabs(change->relative) < 1 ? 1 : 2 - size;
  int decimals = ETR_MIN(supported_decimals(50 * (change->high - change->low)), USUAL);
  if (decimals < 0)
    decimals = ETR_MIN(0, ETR_MAX(decimals, 1 - size));
  while (decimals < MOST && (round_to_same_digits(change->low, 0, decimals) ||
                             round_to_same_digits(change->high, 0, decimals) ||
                             round_to_same_digits(change->low, limit, decimals) ||
                             round_to_same_digits(change->high, limit, decimals)))
    decimals++;
  return decimals;
}

/* Writes a number of per cent without its sign "%"; decimals below 0 round to tens, hundreds, ...
 */
static void put_percentage(etr_writer *writer, double percent, int decimals) {
  etr_put_fixed(writer, decimals < 0 ? round_to_decimals(percent, decimals) : percent,
                ETR_MAX(decimals, 0));
}

/* Writes a percentage with its sign, as "+4.1" or "-4.3"; one that rounds to 0 has none. */
static void put_signed_percentage(etr_writer *writer, double percent, int decimals) {
  double shown = round_to_decimals(percent, decimals);
  if (shown > 0)
    etr_puts(writer, "+");
  put_percentage(writer, shown == 0 ? 0 : percent, decimals);
}

const char *etr_diff_percent(etr_diff_output *o, const etr_change *change) {
  etr_text text;
  etr_writer writer;
  if (isnan(change->relative))
    return "";
  etr_text_begin(&text, &o->answer.arena, &writer);
  put_signed_percentage(&writer, 100 * change->relative, percent_decimals(o, change));
  etr_puts(&writer, " %");
  return etr_or_empty(etr_text_end(&text, &writer));
}

/* Writes "between -4.3 and +13.2 %", or "between 10.1 and 14.5 %" without signs, for bounds of how
 * much slower or faster something is. low and high are relative: 0.1 for 10 %. */
static void put_interval_bounds(etr_writer *writer, double low, double high, int decimals,
                                bool is_signed) {
  etr_puts(writer, "between ");
  if (is_signed)
    put_signed_percentage(writer, 100 * low, decimals);
  else
    put_percentage(writer, 100 * low, decimals);
  etr_puts(writer, " and ");
  if (is_signed)
    put_signed_percentage(writer, 100 * high, decimals);
  else
    put_percentage(writer, 100 * high, decimals);
  etr_puts(writer, " %");
}

/* Writes " (between -4.3 and +13.2 %)" with signs (true) or, with one bound, " (above -4.3 %)".
 * Writes nothing if there is no bound. */
static void put_interval_in_parentheses(const etr_diff_output *o, etr_writer *writer,
                                        const etr_change *change) {
  int decimals = percent_decimals(o, change);
  bool has_low = shows_bound(change, change->low), has_high = shows_bound(change, change->high);
  if (!has_low && !has_high)
    return;
  etr_puts(writer, " (");
  if (has_low && has_high) {
    put_interval_bounds(writer, change->low, change->high, decimals, true);
  } else {
    etr_puts(writer, has_low ? "above " : "below ");
    put_signed_percentage(writer, 100 * (has_low ? change->low : change->high), decimals);
    etr_puts(writer, " %");
  }
  etr_puts(writer, ")");
}

const char *etr_diff_interval_text(etr_diff_output *o, const etr_change *change) {
  etr_text text;
  etr_writer writer;
  int decimals = percent_decimals(o, change);
  bool has_low = shows_bound(change, change->low), has_high = shows_bound(change, change->high);
  if (!has_low && !has_high)
    return "";
  etr_text_begin(&text, &o->answer.arena, &writer);
  if (has_low)
    put_signed_percentage(&writer, 100 * change->low, decimals);
  etr_puts(&writer, has_high ? " \xE2\x80\xA6 " : " \xE2\x80\xA6");
  if (has_high)
    put_signed_percentage(&writer, 100 * change->high, decimals);
  etr_puts(&writer, " %");
  return etr_or_empty(etr_text_end(&text, &writer));
}

/* ---- By what factor ---- */

/* Returns how many times as long as the shorter side the longer one takes; relative: the change of
 * the newer side against the base, 0.5 for 50 % slower. */
static double factor_of(double relative, bool is_slower) {
  return is_slower ? 1 + relative : 1 / (1 + relative);
}

/* Returns the decimals with which a factor of at least 1 has two significant digits; from 9.95 on,
 * which would be rounded to "10.0", there are none, and from 100 on they are negative. If a side is
 * a single recording, the next one may differ by 30 %, which is one or more from 3 on: then whole
 * numbers are enough. */
static int decimals_of_factor(const etr_change *change, double factor) {
  enum { WHOLE_FROM = 3 };
  bool is_single = change->base_recordings < 2 || change->new_recordings < 2;
  if (factor < (is_single ? WHOLE_FROM : 9.95))
    return 1;
  return ETR_MIN(0, 1 - magnitude_of(factor));
}

/* Writes by how many times all runs of one side are longer than those of the other, with the digits
 * of decimals_of_factor(), but none below a tenth of half the distance of its bounds: "4.1", "7" of
 * single recordings, "970", "1000". If one bound is twice the other or more, so that the factor
 * says little, it writes the bounds instead: "170-1100". */
static void put_factor(etr_writer *writer, const etr_change *change) {
  bool is_slower = change->relative > 0;
  double factor_least = factor_of(is_slower ? change->least : change->most, is_slower),
         factor_most = factor_of(is_slower ? change->most : change->least, is_slower),
         factor = factor_of(change->relative, is_slower);
  int decimals = decimals_of_factor(change, factor);
  if (factor_most >= 2 * factor_least) {
    put_percentage(writer, factor_least, decimals_of_factor(change, factor_least));
    etr_puts(writer, "-");
    put_percentage(writer, factor_most, decimals_of_factor(change, factor_most));
    return;
  }
  if (factor_most > factor_least)
    decimals = ETR_MIN(decimals, (int)floor(-log10((factor_most - factor_least) / 2 / 10)));
  put_percentage(writer, factor, decimals);
}

/* ---- Verdicts ---- */

/* Writes "about 100 times slower" for a change that needs no statistics: all runs of one side are
 * several times as long as all of the other. */
static void put_obvious_change(etr_writer *writer, const etr_change *change, bool is_slower) {
  etr_puts(writer, "about ");
  put_factor(writer, change);
  etr_puts(writer, is_slower ? " times slower" : " times faster");
}

/* Writes the verdict that something became slower or faster, and by how much in per cent of the
 * base, without bounds: "12.3 % slower", "likely 12 % slower", "about 100 times slower". */
static void put_size_of_change(const etr_diff_output *o, etr_writer *writer,
                               const etr_change *change) {
  bool is_slower = change->relative > 0;
  if (change->is_obvious) {
    put_obvious_change(writer, change, is_slower);
    return;
  }
  if (etr_verdict_is_likely(change->verdict))
    etr_puts(writer, "likely ");
  put_percentage(writer, 100 * fabs(change->relative), percent_decimals(o, change));
  etr_putf(writer, " %% %s", is_slower ? "slower" : "faster");
}

const char *etr_diff_size_text(etr_diff_output *o, const etr_change *change) {
  etr_text text;
  etr_writer writer;
  if (change->verdict < ETR_VERDICT_LIKELY_FASTER)
    return "";
  etr_text_begin(&text, &o->answer.arena, &writer);
  put_size_of_change(o, &writer, change);
  return etr_or_empty(etr_text_end(&text, &writer));
}

/* Writes the verdict that something became slower or faster, with its bounds in per cent of the
 * base: "12.3 % slower (between 10.1 and 14.5 %)", "(at least 10 %)" if only one bound is known.
 * Bounds have no signs (false), and the smaller one comes first. */
static void put_decided_verdict(const etr_diff_output *o, etr_writer *writer,
                                const etr_change *change) {
  bool is_slower = change->verdict == ETR_VERDICT_SLOWER ||
                   change->verdict == ETR_VERDICT_LIKELY_SLOWER;
  int decimals = percent_decimals(o, change);
  double low = is_slower ? change->low : -change->high,
         high = is_slower ? change->high : -change->low;
  put_size_of_change(o, writer, change);
  if (change->is_obvious)
    return;
  etr_puts(writer, " (");
  if (has_both_bounds(change)) {
    put_interval_bounds(writer, low, high, decimals, false);
  } else {
    etr_puts(writer, "at least ");
    put_percentage(writer, 100 * low, decimals);
    etr_puts(writer, " %");
  }
  etr_puts(writer, ")");
}

/* Writes "+4.1 % (between -4.3 and +13.2 %)". */
static void put_change_and_interval(const etr_diff_output *o, etr_writer *writer,
                                    const etr_change *change) {
  put_signed_percentage(writer, 100 * change->relative, percent_decimals(o, change));
  etr_puts(writer, " %");
  put_interval_in_parentheses(o, writer, change);
}

bool etr_diff_is_of_one_program(const etr_diff_output *o, const etr_change *change) {
  return o->comparison->is_one_program && change->verdict == ETR_VERDICT_CANNOT_TELL &&
         change->assumes & ETR_ASSUMES_RECORDING_NOISE && (change->low > 0 || change->high < 0);
}

/* Writes the verdict that both sides are equal or that the data do not decide, with the change
 * relative to the base and its bounds: "cannot tell: +4.1 % (between -4.3 and +13.2 %)", "equal
 * within 5 %: ...", where 5 % is the comparison's limit. */
static void put_undecided_verdict(const etr_diff_output *o, etr_writer *writer,
                                  const etr_change *change) {
  if (change->verdict == ETR_VERDICT_EQUAL || change->verdict == ETR_VERDICT_LIKELY_EQUAL) {
    etr_puts(writer,
             change->verdict == ETR_VERDICT_EQUAL ? "equal within " : "likely equal within ");
    etr_put_general(writer, 100 * o->comparison->limit, 6);
    etr_puts(writer, " %");
  } else
    etr_puts(writer, etr_diff_is_of_one_program(o, change)
                         ? "recordings of one program differ, measure again"
                         : "cannot tell");
  if (isnan(change->relative))
    return;
  etr_puts(writer, ": ");
  put_change_and_interval(o, writer, change);
}

/* Returns the pair of nodes whose typical time changed most, among those whose verdict is a sure
 * "faster" or "slower", the last ones of etr_verdict, and that changed by a hundredth of the base's
 * time or more; NULL if there is none. */
static const etr_node_pair *largest_sure_change(const etr_method_pair *method) {
  double least = 0.01 * method->execute.base_typical;
  const etr_node_pair *surest = NULL;
  for (size_t i = 0; i < method->pair_count; i++) {
    const etr_change *change = &method->pairs[i].change;
    if (change->verdict < ETR_VERDICT_FASTER || fabs(etr_diff_typical(change)) < least)
      continue;
    if (!surest || fabs(etr_diff_typical(change)) > fabs(etr_diff_typical(&surest->change)))
      surest = &method->pairs[i];
  }
  return surest;
}

/* Returns how a sentence calls a pair: by module and operator, as tables do, "layers.0.mlp ·
 * linear"; by its name where it is an event, or in no module. */
static const char *pair_text(etr_diff_output *o, const etr_node_pair *pair) {
  const char *module = pair->new_module ? pair->new_module : pair->base_module;
  const char *name = pair->new_name ? pair->new_name : pair->base_name;
  if (!module || !module[0] || !pair->op)
    return name;
  const char *op = etr_arena_text(&o->answer.arena, etr_label_op(pair->op));
  return etr_arena_format(&o->answer.arena, "%s \xC2\xB7 %s", module, etr_or_empty(op));
}

const char *etr_diff_method_text(etr_diff_output *o, const etr_method_pair *method) {
  const char *text = etr_diff_verdict_text(o, &method->execute);
  const etr_node_pair *row = method->execute.verdict == ETR_VERDICT_CANNOT_TELL
                                 ? largest_sure_change(method)
                                 : NULL;
  if (!row)
    return text;
  return etr_or_empty(etr_arena_format(&o->answer.arena, "in all %s; %s is %s", text,
                                       etr_or_empty(pair_text(o, row)),
                                       etr_diff_verdict_text(o, &row->change)));
}

const char *etr_diff_verdict_text(etr_diff_output *o, const etr_change *change) {
  etr_text text;
  etr_writer writer;
  switch (change->verdict) {
  case ETR_VERDICT_GONE:
    return "only in the base";
  case ETR_VERDICT_NEW:
    return "new";
  case ETR_VERDICT_UNTIMED:
    if (change->base_runs)
      return "timed in the base only";
    return change->new_runs ? "not timed in the base" : "not timed";
  default:
    break;
  }
  etr_text_begin(&text, &o->answer.arena, &writer);
  if (change->verdict >= ETR_VERDICT_LIKELY_FASTER)
    put_decided_verdict(o, &writer, change);
  else
    put_undecided_verdict(o, &writer, change);
  return etr_or_empty(etr_text_end(&text, &writer));
}

/* Returns how many recordings on each side would decide, or, if their number is not known, that it
 * would take more than there are, or than the most that the forecast considers. Of fewer than
 * LEAST_OF_FORECAST recordings the spread is hardly known, and the number, which grows with its
 * square, may be off by ten times. */
static const char *needed_text(etr_arena *arena, const etr_change *change) {
  size_t recording_count = ETR_MIN(change->base_recordings, change->new_recordings),
         needed = change->recordings_needed;
  enum { LEAST_OF_FORECAST = 4 };
  if (needed == 0)
    return etr_or_empty(etr_arena_format(arena,
                                         "it would take more than %zu recordings on each side",
                                         ETR_MAX(recording_count, (size_t)ETR_MOST_RECORDINGS)));
  if (recording_count < LEAST_OF_FORECAST)
    return etr_or_empty(etr_arena_format(
        arena, "record more; from %d on each side on it is known how many would decide",
        (int)LEAST_OF_FORECAST));
  return etr_or_empty(etr_arena_format(
      arena, "about %zu recordings on each side, in all, would decide in 4 of 5 cases", needed));
}

/* Returns what in the times of the runs explains why nothing is sure, as a clause to append; "" if
 * nothing does. */
static const char *cause_text(const etr_change *change) {
  switch (change->cause) {
  case ETR_CAUSE_WARM_UP:
    return "; most first runs are warm-up: record more runs";
  case ETR_CAUSE_INTERRUPTIONS:
    return "; the times contain interruptions";
  case ETR_CAUSE_MODES:
    return "; the runs have two modes";
  case ETR_CAUSE_STEP:
    return "; the times of the runs change in a step";
  case ETR_CAUSE_DRIFT:
    return "; the times of the runs drift";
  default:
    return ""; /* odd recordings have a sentence of their own */
  }
}

/* Says that a change, or the times themselves, are no longer than a step of the clock. */
static const char *clock_text(const etr_change *change) {
  return isnan(change->low) ? "a time, or that of a recording, is 0 or below the clock's step"
                            : "the change is no larger than what the clock can resolve";
}

/* Returns true if a limit above 0 is inside the interval, so that it is not known whether the
 * change exceeds the limit. */
static bool interval_contains_limit(const etr_change *change, double limit) {
  return limit > 0 && change->low <= limit && change->high >= limit;
}

const char *etr_diff_reason_text(etr_diff_output *o, const etr_change *change) {
  etr_arena *arena = &o->answer.arena;
  const double limit = o->comparison->limit;
  const char *cause = cause_text(change);
  switch (change->reason) {
  case ETR_REASON_NONE:
    if (!interval_contains_limit(change, limit))
      return "";
    return etr_or_empty(etr_arena_format(arena,
                                         "the data do not decide whether that is above %.3g %%: %s",
                                         100 * limit, needed_text(arena, change)));
  case ETR_REASON_CLOCK:
    return clock_text(change);
  case ETR_REASON_FEW_RUNS:
    return etr_or_empty(etr_arena_format(
        arena,
        "a side has fewer than %d runs: record at least %d "
        "recordings on each side, or %d runs for a likely answer%s",
        (int)ETR_LEAST_RUNS, (int)ETR_LEAST_RECORDINGS, (int)ETR_LEAST_RUNS, cause));
  case ETR_REASON_ONE_RECORDING:
    if (etr_diff_is_of_one_program(o, change))
      return etr_or_empty(etr_arena_format(
          arena,
          "both sides are recordings of one program, which should not differ by more than %.3g %%, "
          "unless devices or runtimes do: measure again, %d or more on each side, in turns%s",
          100 * o->comparison->recording_noise, (int)ETR_LEAST_RECORDINGS, cause));
    return etr_or_empty(etr_arena_format(
        arena,
        "%s: the interval is right if recordings of one program differ by at most %.2g %%%s; %d or "
        "more on each side, in turns, would measure that%s",
        change->base_recordings == 1 && change->new_recordings == 1
            ? "one recording a side"
            : "fewer than 3 recordings on a side",
        100 * change->recording_noise,
        change->recording_noise > o->comparison->recording_noise ? ", as these do" : "",
        (int)ETR_LEAST_RECORDINGS, cause));
  case ETR_REASON_NOT_IN_TURNS:
    return etr_or_empty(etr_arena_format(
        arena,
        "the recordings were not taken in turns: all of %s are older than all of %s, so a change "
        "of the machine would look the same; record in turns (bench does), or say --in-turns%s",
        o->comparison->turns == ETR_TURNS_BASE_FIRST ? "the base" : "the new record",
        o->comparison->turns == ETR_TURNS_BASE_FIRST ? "the new record" : "the base", cause));
  case ETR_REASON_TOO_NEAR:
    return etr_or_empty(etr_arena_format(
        arena, "the change is too near %s: %s%s",
        interval_contains_limit(change, limit) ? "the limit" : "0", needed_text(arena, change),
        limit > 0 ? "" : "; a limit (--fail-above) would decide whether both are equal"));
  case ETR_REASON_SPREAD:
    return etr_or_empty(etr_arena_format(arena, "the recordings differ too much: %s%s",
                                         needed_text(arena, change), cause));
  }
  return "";
}

/* Returns whether both sides of a method are the same recording: all runs, and all that was timed
 * in them, took equally long, as no two recordings do. */
static bool is_same_recording(const etr_comparison *comparison, const etr_method_pair *pair) {
  if (pair->base_method == ETR_NONE || pair->new_method == ETR_NONE)
    return false;
  const etr_method *base = &comparison->base->methods[pair->base_method];
  const etr_method *newer = &comparison->newer->methods[pair->new_method];
  if (base->run_count == 0 || base->run_count != newer->run_count)
    return false;
  for (size_t i = 0; i < base->run_count; i++)
    if (base->execute_per_run[i] != newer->execute_per_run[i])
      return false;
  for (size_t i = 0; i < pair->pair_count; i++) {
    const etr_change *change = &pair->pairs[i].change;
    if (change->base_avg != change->new_avg && (change->base_runs > 0 || change->new_runs > 0))
      return false;
  }
  return pair->timed_paired > 0;
}

const char *etr_diff_method_reason_text(etr_diff_output *o, const etr_method_pair *method) {
  if (is_same_recording(o->comparison, method))
    return "both sides are the same recording, since all their times are equal";
  return etr_diff_reason_text(o, &method->execute);
}

/* Returns a text with the odd recordings of a side appended: the first three, each with how much
 * slower or faster it is than the recordings that are not odd, and how many more there are.
 * recording_count: all recordings of the side. */
static const char *append_odd_recordings(etr_arena *arena, const char *text,
                                         const etr_side_odd *odd_recordings, size_t count,
                                         size_t recording_count) {
  enum { MOST_SHOWN = 3 };
  for (size_t i = 0; i < ETR_MIN(count, (size_t)MOST_SHOWN); i++)
    text = etr_or_empty(etr_arena_format(
        arena, "%s%s%s is %.0f %% %s than the other %zu", text, text[0] ? "; " : "",
        etr_last_part(odd_recordings[i].file), 100 * fabs(odd_recordings[i].change),
        odd_recordings[i].change > 0 ? "slower" : "faster", recording_count - count));
  if (count > MOST_SHOWN)
    text = etr_or_empty(
        etr_arena_format(arena, "%s, and %zu more are odd", text, count - MOST_SHOWN));
  return text;
}

const char *etr_diff_odd_text(etr_diff_output *o, const etr_change *execute) {
  etr_arena *arena = &o->answer.arena;
  const char *base = append_odd_recordings(arena, "", execute->base_odd, execute->base_odd_count,
                                           execute->base_recordings),
             *newer = append_odd_recordings(arena, "", execute->new_odd, execute->new_odd_count,
                                            execute->new_recordings);
  if (!base[0] && !newer[0])
    return "";
  return etr_or_empty(
      etr_arena_format(arena, "odd: %s%s%s%s%s: left out of the times, not of the verdict",
                       base[0] ? "of the base, " : "", base, base[0] && newer[0] ? "; " : "",
                       newer[0] ? "of the new record, " : "", newer));
}

void etr_describe_change(char *room, size_t size, const etr_comparison *comparison,
                         const etr_change *change) {
  etr_diff_output o = {.comparison = comparison};
  bool is_told = change->verdict >= ETR_VERDICT_LIKELY_FASTER,
       has_size = is_told || !isnan(change->relative);
  const char *reason = etr_diff_reason_text(&o, change);
  etr_text text;
  etr_writer writer;
  if (change->reason == ETR_REASON_NONE && reason[0])
    reason = needed_text(&o.answer.arena, change);
  etr_text_begin(&text, &o.answer.arena, &writer);
  if (is_told)
    put_decided_verdict(&o, &writer, change);
  else if (has_size)
    put_change_and_interval(&o, &writer, change);
  else if (!reason[0])
    etr_puts(&writer, etr_diff_verdict_text(&o, change));
  const char *what = etr_or_empty(etr_text_end(&text, &writer));
  (void)snprintf(room, size, "%s%s%s", what, what[0] && reason[0] ? "; " : "", reason);
  etr_arena_clear(&o.answer.arena);
}

/* Returns a time in the unit of the options without its name, with this many decimals, but none
 * below 100 ns. */
static const char *rounded_time(etr_diff_output *o, double ticks, int decimals) {
  enum { ALL = 9 }; /* digits: as many as the unit has */
  const etr_profile *profile = o->comparison->newer;
  etr_unit unit = o->answer.options->unit;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &o->answer.arena, &writer);
  etr_put_fixed(&writer, etr_ticks_to_unit(profile, ticks, unit),
                ETR_MIN(decimals, etr_time_decimals(profile, ticks, unit, ALL)));
  return etr_or_empty(etr_text_end(&text, &writer));
}

const char *etr_diff_times_text(etr_diff_output *o, const etr_change *change) {
  const char *unit = etr_unit_name(o->answer.options->unit);
  if (!change->base_runs && !change->new_runs)
    return "";
  if (!change->base_runs || !change->new_runs)
    return etr_or_empty(etr_arena_format(
        &o->answer.arena, "%s %s",
        time_text(o, change->base_runs ? change->base_typical : change->new_typical), unit));
  /* The times have as many digits as the interval supports. The interval is relative to the
   * shorter time. */
  double half_width = has_both_bounds(change)
                          ? (change->high - change->low) / 2 / (1 + change->relative)
                          : 0;
  double shorter = ETR_MIN(change->base_typical, change->new_typical);
  etr_unit times = o->answer.options->unit;
  int decimals = half_width > 0
                     ? ETR_MAX(0, supported_decimals(
                                      half_width *
                                      etr_ticks_to_unit(o->comparison->newer, shorter, times)))
                     : etr_time_decimals(o->comparison->newer, shorter, times, ETR_TIME_DIGITS);
  return etr_or_empty(etr_arena_format(&o->answer.arena, "%s \xE2\x86\x92 %s %s",
                                       rounded_time(o, change->base_typical, decimals),
                                       rounded_time(o, change->new_typical, decimals), unit));
}

const char *etr_diff_runs_text(etr_diff_output *o, const etr_change *change) {
  etr_arena *arena = &o->answer.arena;
  size_t recordings = change->base_recordings, runs = change->base_runs;
  if (!change->base_runs && !change->new_runs)
    return "";
  if (!change->base_runs || !change->new_runs) {
    runs += change->new_runs;
    return etr_or_empty(etr_arena_format(arena, "%zu run%s", runs, etr_plural(runs)));
  }
  if (recordings == change->new_recordings && runs == change->new_runs)
    return etr_or_empty(etr_arena_format(arena, "%zu recording%s with %zu run%s on each side",
                                         recordings, etr_plural(recordings), runs,
                                         etr_plural(runs)));
  if (recordings == change->new_recordings)
    return etr_or_empty(
        etr_arena_format(arena, "%zu recording%s on each side, with %zu and %zu runs", recordings,
                         etr_plural(recordings), runs, change->new_runs));
  return etr_or_empty(etr_arena_format(arena, "%zu and %zu recordings with %zu and %zu runs",
                                       recordings, change->new_recordings, runs, change->new_runs));
}

const char *etr_diff_counts_text(etr_diff_output *o, const etr_diff_rows *rows) {
  static const struct {
    etr_verdict verdict;
    const char *text;
  } parts[] = {{ETR_VERDICT_SLOWER, "slower"},
               {ETR_VERDICT_FASTER, "faster"},
               {ETR_VERDICT_LIKELY_SLOWER, "likely slower"},
               {ETR_VERDICT_LIKELY_FASTER, "likely faster"},
               {ETR_VERDICT_EQUAL, "equal"},
               {ETR_VERDICT_LIKELY_EQUAL, "likely equal"},
               {ETR_VERDICT_CANNOT_TELL, "cannot tell"},
               {ETR_VERDICT_NEW, "new"},
               {ETR_VERDICT_GONE, "gone"},
               {ETR_VERDICT_UNTIMED, "not timed on both sides"}};
  const char *text = "";
  for (size_t i = 0; i < ETR_COUNT(parts); i++)
    if (rows->verdicts[parts[i].verdict])
      text = etr_or_empty(etr_arena_format(&o->answer.arena, "%s%s%zu %s", text,
                                           text[0] ? ", " : "", rows->verdicts[parts[i].verdict],
                                           parts[i].text));
  return text;
}

const char *etr_diff_paired_text(etr_diff_output *o, const etr_method_pair *method) {
  return etr_or_empty(etr_arena_format(
      &o->answer.arena, "%s%zu of the %zu timed %s of both sides %s a counterpart%s",
      method->may_differ ? "only " : "", method->timed_paired, method->timed_nodes,
      method->by_events ? "events" : "nodes", method->timed_paired == 1 ? "has" : "have",
      method->may_differ ? ": trust the sums more than single nodes" : ""));
}

/* Returns true if one median describes the runs: they are steady or noisy, or too few to say, but
 * have no two modes, step or drift. */
static bool has_one_median(const etr_noise *noise) {
  return noise->verdict <= ETR_NOISE_NOISY;
}

/* Returns a side's method; NULL if the side lacks it. */
static const etr_method *method_of(const etr_diff_output *o, const etr_method_pair *pair,
                                   bool is_newer) {
  const etr_profile *profile = is_newer ? o->comparison->newer : o->comparison->base;
  uint32_t index = is_newer ? pair->new_method : pair->base_method;
  return index == ETR_NONE ? NULL : &profile->methods[index];
}

double etr_diff_interrupted_share(const etr_diff_output *o, const etr_method_pair *pair,
                                  bool is_newer) {
  const etr_method *method = method_of(o, pair, is_newer);
  return method ? method->interrupted : 0;
}

/* Writes what a side takes without interruptions. */
static void put_uninterrupted(etr_writer *writer, const etr_diff_output *o,
                              const etr_method_pair *pair, bool is_newer) {
  etr_put_uninterrupted(writer, is_newer ? o->comparison->newer : o->comparison->base,
                        method_of(o, pair, is_newer), o->answer.options->unit, ETR_TIME_DIGITS);
}

/* Returns the relative change without interruptions; NaN if a side has a range, or only a bound. */
static double uninterrupted_change(const etr_diff_output *o, const etr_method_pair *pair) {
  const etr_method *base = method_of(o, pair, false), *newer = method_of(o, pair, true);
  double old = etr_uninterrupted_ticks(base), now = etr_uninterrupted_ticks(newer);
  bool is_range = etr_is_uninterrupted_range(base) || etr_is_uninterrupted_range(newer);
  bool is_bound = etr_is_uninterrupted_bound(base) || etr_is_uninterrupted_bound(newer);
  return is_range || is_bound ? NAN : now / (old * o->comparison->base_scale) - 1;
}

const char *etr_diff_uninterrupted_text(etr_diff_output *o, const etr_method_pair *method) {
  double base = etr_diff_interrupted_share(o, method, false),
         newer = etr_diff_interrupted_share(o, method, true);
  const etr_change *change = &method->execute;
  etr_text text;
  etr_writer writer;
  if ((base == 0 && newer == 0) || !change->base_runs || !change->new_runs)
    return "";
  etr_text_begin(&text, &o->answer.arena, &writer);
  etr_puts(&writer, "without interruptions ");
  put_uninterrupted(&writer, o, method, false);
  etr_puts(&writer, " \xE2\x86\x92 ");
  put_uninterrupted(&writer, o, method, true);
  etr_putf(&writer, " %s", etr_unit_name(o->answer.options->unit));
  double relative = uninterrupted_change(o, method);
  if (isfinite(relative) && relative < 9) /* ten times says enough by the times */
    etr_putf(&writer, ", %+.0f %%", 100 * relative);
  return etr_or_empty(etr_text_end(&text, &writer));
}

/* Returns what interruptions take of a side's typical run, or that none were found if the other
 * side has some; NULL if neither side has any. */
static const char *interruptions_text(etr_diff_output *o, const etr_method_pair *pair,
                                      bool is_newer) {
  const etr_profile *profile = is_newer ? o->comparison->newer : o->comparison->base;
  const etr_method *method = method_of(o, pair, is_newer);
  const char *text = etr_interrupted_text(&o->answer.arena, profile, method);
  bool is_other = !text && etr_diff_interrupted_share(o, pair, !is_newer) > 0;
  return is_other ? "no interruptions of 10 % or more found" : text;
}

const char *etr_diff_steadiness_text(etr_diff_output *o, const etr_method_pair *pair,
                                     bool is_newer) {
  const etr_profile *profile = is_newer ? o->comparison->newer : o->comparison->base;
  const etr_method *method = method_of(o, pair, is_newer);
  if (!method)
    return "";
  bool is_plain = has_one_median(&method->noise);
  for (size_t i = 0; is_plain && i < method->run_phase_count; i++)
    is_plain = has_one_median(&method->run_phases[i].noise);
  etr_arena *arena = &o->answer.arena;
  const char *steadiness = "", *interrupted = interruptions_text(o, pair, is_newer);
  const char *spread = is_plain ? etr_spread_text(arena, method) : "";
  if (!is_plain)
    steadiness = etr_or_empty(etr_steadiness_text(arena, profile, method, o->answer.options->unit));
  else if (spread[0])
    steadiness = etr_or_empty(
        etr_arena_format(arena, "%s: measure on an idle, cool device", spread));
  if (!interrupted)
    return steadiness;
  return etr_or_empty(
      etr_arena_format(arena, "%s%s%s", steadiness, steadiness[0] ? "; " : "", interrupted));
}

/* Returns one difference of the two sides, as "input x f32[1] → f32[2]"; a side that lacks it has
 * "none", or "cpu" for a backend. Each side may have several types. */
static const char *difference_text(etr_diff_output *o, const etr_difference *difference) {
  bool are_types = difference->kind == ETR_DIFFERS_DTYPE;
  const char *without = difference->kind == ETR_DIFFERS_BACKEND ? "cpu" : "none";
  return etr_or_empty(etr_arena_format(
      &o->answer.arena, "%s %s%s%s%s%s%s",
      are_types ? "types" : etr_difference_name(difference->kind),
      are_types ? "(before: " : etr_or_empty(difference->name), difference->name ? " " : "",
      difference->base && difference->base[0] ? difference->base : without,
      are_types ? "; now: " : " \xE2\x86\x92 ",
      difference->newer && difference->newer[0] ? difference->newer : without,
      are_types ? ")" : ""));
}

/* Returns true if the two sides differ in a backend. */
static bool has_other_backends(const etr_method_pair *method) {
  for (size_t i = 0; i < method->difference_count; i++)
    if (method->differences[i].kind == ETR_DIFFERS_BACKEND)
      return true;
  return false;
}

bool etr_diff_may_be_other_models(const etr_method_pair *method) {
  bool hardly_any_is_paired = method->timed_paired * 4 < method->timed_nodes;
  return method->may_differ || (method->by_events && hardly_any_is_paired);
}

/* Returns "2 of 1189 timed events pair, 101 are only in the base and 1086 only in the new record".
 */
static const char *pairs_text(etr_diff_output *o, const etr_method_pair *method) {
  size_t base = 0, newer = 0;
  for (size_t i = 0; i < method->pair_count; i++) {
    const etr_node_pair *pair = &method->pairs[i];
    base += !pair->new_name && pair->change.base_runs;
    newer += !pair->base_name && pair->change.new_runs;
  }
  return etr_or_empty(etr_arena_format(
      &o->answer.arena,
      "%zu of %zu timed %s pair, %zu %s only in the base and %zu only in the new record",
      method->timed_paired, method->timed_nodes, method->by_events ? "events" : "nodes", base,
      base == 1 ? "is" : "are", newer));
}

const char *etr_diff_unlike_text(etr_diff_output *o, const etr_method_pair *method) {
  enum { MOST_SHOWN = 6 };
  etr_arena *arena = &o->answer.arena;
  const char *text = "", *model = "";
  size_t shown = 0, others = 0;
  for (size_t i = 0; i < method->difference_count; i++) {
    if (method->differences[i].kind == ETR_DIFFERS_MODEL)
      model = etr_or_empty(etr_arena_format(
          arena, "warning: these look like two different models: %s", pairs_text(o, method)));
    else if (shown++ < MOST_SHOWN)
      text = etr_or_empty(etr_arena_format(arena, "%s%s%s", text,
                                           text[0] ? ", " : "The two sides differ in: ",
                                           difference_text(o, &method->differences[i])));
    else
      others++;
  }
  if (others)
    text = etr_or_empty(etr_arena_format(arena, "%s, and %zu more", text, others));
  if (method->by_events && has_other_backends(method))
    model = etr_or_empty(etr_arena_format(
        arena,
        "%s%s: kernels do not match a delegate's operators, so only their ETRecords can tell "
        "whether this is one model",
        etr_diff_may_be_other_models(method) ? "warning: these may be two different models: " : "",
        pairs_text(o, method)));
  if (method->unnamed_side != ETR_UNNAMED_NEITHER)
    model = etr_or_empty(etr_arena_format(
        arena,
        "%s has no names of backends and layers, which its .pte or ETRecord would add: both sides "
        "are compared by what they logged",
        method->unnamed_side == ETR_UNNAMED_BASE ? "the base" : "the new record"));
  return etr_or_empty(
      etr_arena_format(arena, "%s%s%s", model, model[0] && text[0] ? ". " : "", text));
}

/* Returns how many runs of a method were excluded; 0 if the side lacks the method. */
static size_t excluded_run_count(const etr_profile *profile, uint32_t method) {
  return method == ETR_NONE ? 0 : profile->methods[method].skipped_run_count;
}

static bool is_timed_on_both_sides(const etr_diff_output *o, const etr_method_pair *method) {
  return method->execute.base_runs && method->execute.new_runs &&
         etr_diff_takes_method(o->filter, method);
}

const char *etr_diff_left_out_text(etr_diff_output *o, const etr_method_pair *method) {
  const etr_comparison *c = o->comparison;
  size_t base = excluded_run_count(c->base, method->base_method),
         newer = excluded_run_count(c->newer, method->new_method);
  bool by_hand = c->base->skip != ETR_SKIP_AUTO || c->newer->skip != ETR_SKIP_AUTO;
  const char *kind = by_hand ? "" : "warm-up ";
  if (!base && !newer)
    return "";
  if (!is_timed_on_both_sides(o, method) || base == newer)
    return etr_or_empty(etr_arena_format(
        &o->answer.arena, "%zu %srun%s excluded%s", ETR_MAX(base, newer), kind,
        ETR_MAX(base, newer) == 1 ? "" : "s", base == newer ? " on each side" : ""));
  return etr_or_empty(etr_arena_format(&o->answer.arena,
                                       "%sruns excluded: %zu of the base, %zu of the new record",
                                       kind, base, newer));
}

const char *etr_diff_legend(etr_diff_output *o) {
  const etr_comparison *c = o->comparison;
  bool by_recordings = false, by_runs = false;
  for (size_t i = 0; i < c->method_count; i++) {
    const etr_change *execute = &c->methods[i].execute;
    if (!is_timed_on_both_sides(o, &c->methods[i]))
      continue;
    bool enough = ETR_MIN(execute->base_recordings, execute->new_recordings) >=
                  ETR_LEAST_RECORDINGS;
    by_recordings |= enough;
    by_runs |= !enough;
  }
  if (!by_recordings && !by_runs)
    return "";
  const char *few = etr_arena_format(
      &o->answer.arena,
      "With fewer than three recordings on a side nothing is sure: a "
      "change is likely if it exceeds what the middle 80 %% of the "
      "runs and an assumed %.3g %% between recordings can explain. ",
      100 * c->recording_noise);
  const char
      *many = "The recordings of one side are compared with those of the other by Welch's t, "
              "by Hodges and Lehmann's interval if one is odd: the true change lies between "
              "the bounds in 95 of 100 such comparisons. ";
  return etr_or_empty(etr_arena_format(
      &o->answer.arena,
      "Times are those of the typical run, the mean over the middle third of the runs; they add "
      "up. "
      "%s%s%s%sOf the rows called slower or faster, 5 %% at most are expected to be so by chance.",
      o->filter && o->filter->by == ETR_DIFF_BY_MODULE
          ? "A module's row leaves out the modules inside it, which have rows of their own, unless "
            "one side alone has some. "
          : "",
      by_recordings ? many : "",
      by_recordings && c->turns == ETR_TURNS_UNKNOWN
          ? "This assumes that the recordings were taken in turns. "
          : "",
      by_runs ? etr_or_empty(few) : ""));
}

const etr_diff_names etr_diff_section_names[ETR_DIFF_SECTIONS] = {
    {"node", "nodes", NULL},
    {"operator", "by_op", "op"},
    {"module", "by_module", "module"},
    {"module pattern", "by_pattern", "pattern"},
    {"backend", "by_backend", "backend"},
    {"source line", "by_source", "source"},
    {"kernel", "by_kernel", "kernel"},
    {"operator of a pattern", "by_pattern_op", "pattern"},
};

const char *etr_diff_group_text(etr_diff_output *o, const etr_node_group *group) {
  etr_arena *arena = &o->answer.arena;
  const char *backend = group->backend ? etr_label_backend(arena, group->backend) : NULL;
  if (backend && strcmp(group->backend, "unknown") != 0)
    return etr_or_empty(etr_arena_format(arena, "%s (%s)", group->key, backend));
  if (group->base_key && group->new_nodes)
    return etr_or_empty(etr_arena_format(arena, "%s (was %s)", group->key,
                                         group->base_key[0] ? group->base_key : "top level"));
  return group->key[0] ? group->key : "(top level)";
}

bool etr_diff_has_rows(const etr_diff_output *o, const etr_diff_rows *rows) {
  return (o->answer.options->top ? rows->news_count : rows->count) > 0;
}

const char *etr_diff_adds_up_text(etr_diff_output *o, const etr_method_pair *method,
                                  const etr_diff_rows *rows, size_t shown) {
  double whole = etr_diff_typical(&method->execute), listed = 0;
  for (size_t i = 0; i < shown; i++)
    listed += etr_diff_typical(rows->rows[i].change);
  const char *listed_text = signed_time(o, listed), *rest = signed_time(o, whole - listed),
             *sum = signed_time(o, whole);
  return etr_or_empty(
      etr_arena_format(&o->answer.arena, "change: these rows %s, rest %s, Method::execute %s %s",
                       listed_text, rest, sum, etr_unit_name(o->answer.options->unit)));
}

/* ---- What to do next ---- */

bool etr_diff_findings(etr_findings *out, etr_diff_output *o, const etr_method_pair *method,
                       etr_unit unit) {
  const etr_profile *newer = o->comparison->newer;
  *out = (etr_findings){0};
  if (method->new_method == ETR_NONE || newer->block_count == 0)
    return true;
  return etr_findings_make(out, &o->answer.arena, newer, &newer->methods[method->new_method], unit);
}
