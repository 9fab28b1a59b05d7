/* SPDX-License-Identifier: BSD-3-Clause
 *
 * throughput.c - puts tokens, their times and their positions into words.
 */
#include "views/throughput.h"

#include "base/method_parts.h"
#include "base/stats.h"
#include "base/writer.h"
#include "output/label.h"
#include "views/interruptions.h"

#include <math.h>

/* ---- Numbers ---- */

/* Returns a number with so many significant digits; 0 and less as they are. */
static double rounded_to(double value, int digits) {
  if (!(value > 0))
    return value;
  double step = pow(10, floor(log10(value)) + 1 - digits);
  return round(value / step) * step;
}

/* Writes a number with three significant digits, or in whole: "0.472", "2,120". */
static void put_number(etr_writer *writer, etr_arena *arena, double value) {
  double magnitude = fabs(value);
  if (magnitude >= 1000) {
    const char *whole = etr_count_text(arena, (uint64_t)round(magnitude));
    etr_putf(writer, "%s%s", value < 0 ? "-" : "", whole ? whole : "");
    return;
  }
  bool is_small = magnitude > 0 && magnitude < 100 && fabs(magnitude - round(magnitude)) > 0;
  int digits = is_small ? 2 - (int)floor(log10(magnitude)) : 0;
  etr_put_fixed(writer, value, ETR_MIN(digits, 9));
}

/* ---- Tokens of a run ---- */

bool etr_are_few_far_apart(size_t runs, double least, double most) {
  return runs < ETR_NOISE_LEAST_TO_JUDGE && least > 0 && most >= 2 * least;
}

/* Writes the rates of the slowest and the fastest run, " (28,000 – 91,000 by run)", where runs
 * are few and far apart. */
static void put_rates_of_runs(etr_writer *writer, etr_arena *arena,
                              const etr_throughput *throughput, const etr_stats *execute) {
  double least = throughput->slowest_per_second, most = throughput->fastest_per_second;
  if (!etr_are_few_far_apart(execute->count, least, most))
    return;
  etr_puts(writer, " (");
  put_number(writer, arena, rounded_to(least, 2));
  etr_puts(writer, " \xE2\x80\x93 ");
  put_number(writer, arena, rounded_to(most, 2));
  etr_puts(writer, " by run)");
}

/* Writes what the interruptions of a method change in its rate: ", with interruptions; 420 – 640
 * without". rate: with them, in tokens per second. */
static void put_rate_without(etr_writer *writer, etr_arena *arena, const etr_method *method,
                             double rate) {
  double least = rate * method->execute.typical / etr_uninterrupted_most(method),
         most = rate * method->execute.typical / etr_uninterrupted_least(method);
  etr_puts(writer, ETR_WITH_INTERRUPTIONS);
  if (!isfinite(least) || !isfinite(most))
    return;
  etr_puts(writer, etr_is_uninterrupted_bound(method) ? "; at least " : "; ");
  put_number(writer, arena, rounded_to(least, 2));
  if (most > least) {
    etr_puts(writer, " \xE2\x80\x93 ");
    put_number(writer, arena, rounded_to(most, 2));
  }
  etr_puts(writer, " without");
}

const char *etr_throughput_rate_text(etr_arena *arena, const etr_throughput *throughput,
                                     const etr_stats *execute, const etr_method *of) {
  const double much = 0.05; /* of the time that the runs differ: it has no third digit then */
  int digits = etr_stats_spread(execute, 0) > much * execute->typical ? 2 : 3;
  etr_text text;
  etr_writer writer;
  if (!throughput || throughput->why)
    return NULL;
  etr_text_begin(&text, arena, &writer);
  put_number(&writer, arena, rounded_to(throughput->tokens_per_second, digits));
  etr_puts(&writer, " tokens/s");
  put_rates_of_runs(&writer, arena, throughput, execute);
  if (of && of->interrupted > 0)
    put_rate_without(&writer, arena, of, throughput->tokens_per_second);
  return etr_text_end(&text, &writer);
}

const char *etr_throughput_text(etr_arena *arena, const etr_throughput *throughput,
                                const etr_stats *execute, const etr_method *of) {
  etr_text text;
  etr_writer writer;
  if (!throughput)
    return NULL;
  if (throughput->why)
    return etr_arena_format(arena, "tokens per second: not known, %s", throughput->why);
  etr_text_begin(&text, arena, &writer);
  double tokens = throughput->tokens_per_run;
  etr_put_fixed(&writer, tokens, fabs(tokens - floor(tokens)) > 0 ? 1 : 0);
  etr_putf(&writer, " token%s a run: ", fabs(tokens - 1) > 0 ? "s" : "");
  put_number(&writer, arena, throughput->ms_per_token);
  etr_putf(&writer, " ms per token, %s",
           etr_or_empty(etr_throughput_rate_text(arena, throughput, execute, of)));
  return etr_text_end(&text, &writer);
}

/* ---- Both sides of a comparison ---- */

/* Returns how many tokens each run of a side's method reads; NaN if that is not known, or without a
 * method. */
static double tokens_of(const etr_profile *profile, uint32_t method) {
  const etr_throughput *throughput = method == ETR_NONE ? NULL
                                                        : profile->methods[method].throughput;
  return throughput ? throughput->tokens_per_run : NAN;
}

/* Returns the milliseconds of one token, if a run of so many ticks has so many tokens; NaN if the
 * run took no time. */
static double milliseconds_per_token(const etr_profile *profile, double ticks, double tokens) {
  return ticks > 0 ? ticks / profile->ticks_per_second * 1e3 / tokens : NAN;
}

/* Writes the numbers of both sides, "0.472 → 0.301"; only one of them if the other is NAN. */
static void put_both_sides(etr_writer *writer, etr_arena *arena, double base, double newer) {
  if (!isnan(base))
    put_number(writer, arena, base);
  if (!isnan(base) && !isnan(newer))
    etr_puts(writer, " \xE2\x86\x92 ");
  if (!isnan(newer))
    put_number(writer, arena, newer);
}

bool etr_throughput_change_of(etr_throughput_change *out, etr_arena *arena,
                              const etr_comparison *comparison, const etr_method_pair *method) {
  const etr_change *execute = &method->execute;
  double base = tokens_of(comparison->base, method->base_method),
         newer = tokens_of(comparison->newer, method->new_method);
  *out = (etr_throughput_change){.base_tokens_per_run = base, .new_tokens_per_run = newer};
  out->base_ms_per_token = milliseconds_per_token(comparison->base, execute->base_typical, base);
  out->new_ms_per_token = milliseconds_per_token(comparison->newer, execute->new_typical, newer);
  out->base_tokens_per_second = 1e3 / out->base_ms_per_token;
  out->new_tokens_per_second = 1e3 / out->new_ms_per_token;
  if (isnan(out->base_ms_per_token) && isnan(out->new_ms_per_token))
    return false;
  bool is_one = (base <= newer && newer <= base) || isnan(base) || isnan(newer);
  double tokens = isnan(newer) ? base : newer;
  if (is_one && !isnan(base) && !isnan(newer))
    out->verdict = etr_verdict_name(execute->verdict);
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  put_both_sides(&writer, arena, is_one ? NAN : base, is_one ? tokens : newer);
  etr_putf(&writer, " token%s a run: ", fabs(tokens - 1) > 0 ? "s" : "");
  put_both_sides(&writer, arena, out->base_ms_per_token, out->new_ms_per_token);
  etr_puts(&writer, " ms per token, ");
  put_both_sides(&writer, arena, out->base_tokens_per_second, out->new_tokens_per_second);
  etr_puts(&writer, " tokens/s");
  out->text = etr_text_end(&text, &writer);
  return out->text != NULL;
}

/* ---- Positions in the cache ---- */

const char *etr_cache_growth_text(etr_arena *arena, const etr_cache_growth *growth) {
  etr_text text;
  etr_writer writer;
  if (!growth)
    return NULL;
  if (growth->is_noisy)
    return "the runs differ too much to tell whether later tokens take longer";
  if (!(growth->low > 0)) /* nothing makes later tokens cheaper */
    return "a token does not take longer at later positions in the cache";
  etr_text_begin(&text, arena, &writer);
  etr_puts(&writer, "a token takes ");
  put_number(&writer, arena, growth->ms_per_1000);
  etr_puts(&writer, " ms longer for each 1,000 positions in the cache (between ");
  put_number(&writer, arena, growth->low);
  etr_puts(&writer, " and ");
  put_number(&writer, arena, growth->high);
  etr_puts(&writer, ")");
  if (growth->sequence_count == 1)
    etr_puts(&writer, ", or the device got slower: one prompt does not distinguish them");
  else if (growth->has_drift)
    etr_puts(&writer, ", or the device got slower, as a step or a drift of the runs suggests");
  return etr_text_end(&text, &writer);
}

const char *etr_cache_growth_line(etr_arena *arena, const etr_cache_growth *growth) {
  static const char *const heights[] = {"\xE2\x96\x81", "\xE2\x96\x82", "\xE2\x96\x83",
                                        "\xE2\x96\x84", "\xE2\x96\x85", "\xE2\x96\x86",
                                        "\xE2\x96\x87", "\xE2\x96\x88"};
  enum { LEAST_POINTS = 3 };
  etr_text text;
  etr_writer writer;
  double most = 0;
  if (!growth || growth->curve_count < LEAST_POINTS)
    return NULL;
  for (size_t i = 0; i < growth->curve_count; i++)
    most = fmax(most, growth->curve[i].ms);
  etr_text_begin(&text, arena, &writer);
  etr_puts(&writer, "from ");
  put_number(&writer, arena, growth->curve[0].position);
  etr_puts(&writer, " to ");
  put_number(&writer, arena, growth->curve[growth->curve_count - 1].position);
  etr_puts(&writer, ": ");
  for (size_t i = 0; i < growth->curve_count; i++) {
    double height = most > 0 ? ceil(growth->curve[i].ms / most * ETR_COUNT(heights)) : 1;
    etr_puts(&writer, heights[(size_t)fmax(height, 1) - 1]);
  }
  return etr_text_end(&text, &writer);
}
