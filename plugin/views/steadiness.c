/* SPDX-License-Identifier: BSD-3-Clause
 *
 * steadiness.c - sentences about modes, steps, drifts and outliers.
 */
#include "views/steadiness.h"

#include "base/system.h"
#include "output/ranking.h"
#include "output/text_table.h"

#include <math.h>

#define TIMES "\xC3\x97"

void etr_put_change_of_time(etr_writer *writer, double change) {
  const char *how = change > 0 ? "slower" : "faster";
  double percent = 100 * fabs(change);
  if (change >= 1) {
    etr_put_fixed(writer, change + 1, change < 9 ? 1 : 0);
    etr_puts(writer, " times as slow");
    return;
  }
  etr_put_fixed(writer, percent, percent < 9.95 ? 1 : 0);
  etr_putf(writer, " %% %s", how);
}

/* Writes a number with one decimal, or with none from 10 on. */
static void put_factor(etr_writer *writer, double factor) {
  etr_put_fixed(writer, factor, factor < 9.95 ? 1 : 0);
}

void etr_put_factors(etr_writer *writer, double least, double most) {
  double shown = most < 9.95 ? 10 : 1;
  if (round(shown * least) < round(shown * most)) {
    put_factor(writer, least);
    etr_puts(writer, "-");
  }
  put_factor(writer, most);
}

/* Writes a mode: "41 runs at 1.0500 ms". runs: the word after the number, or "". */
static void put_mode(etr_writer *writer, const etr_profile *profile, const etr_noise_mode *mode,
                     const char *runs, etr_unit unit) {
  etr_putf(writer, "%zu %sat ", mode->run_count, runs);
  etr_put_time(writer, profile, mode->p50, unit);
  etr_putf(writer, " %s", etr_unit_name(unit));
}

/* Writes the two modes of runs, and whether the runs change between them in stretches. */
static void put_modes(etr_writer *writer, const etr_profile *profile, const etr_noise *noise,
                      etr_unit unit) {
  etr_puts(writer, "two modes: ");
  put_mode(writer, profile, &noise->modes[0], noise->modes[0].run_count == 1 ? "run " : "runs ",
           unit);
  etr_puts(writer, ", ");
  put_mode(writer, profile, &noise->modes[1], "", unit);
  if (noise->in_stretches)
    etr_puts(writer, ", in stretches");
}

/* Writes " but for 3 of 40 runs, 1.6-4.1× the typical run" after "steady", and ", with 3 outliers
 * in 40 runs, ..." after "noisy". The factors of `noise` are to the median, which is not shown. */
static void put_outliers(etr_writer *writer, const etr_noise *noise, const etr_stats *execute) {
  double scale = execute->typical > 0 ? execute->p50 / execute->typical : 1;
  if (noise->verdict == ETR_NOISE_NOISY)
    etr_putf(writer, ", with %zu outlier%s in %zu runs, ", noise->outliers,
             etr_plural(noise->outliers), noise->run_count);
  else
    etr_putf(writer, "%s but for %zu of %zu runs, ", noise->verdict == ETR_NOISE_STEADY ? "" : ",",
             noise->outliers, noise->run_count);
  etr_put_factors(writer, scale * noise->least_outlier, scale * noise->most_outlier);
  etr_puts(writer, TIMES " the typical run");
}

/* Returns true if there is more to say about runs than that they are steady or noisy. */
static bool is_more_than_steady(const etr_noise *noise) {
  return noise->verdict >= ETR_NOISE_TWO_MODES ||
         (noise->verdict != ETR_NOISE_FEW_RUNS && noise->outliers);
}

/* Writes what the noise says about the runs: steady, noisy, two modes, a step or a drift, and the
 * outliers; nothing for few runs. */
static void put_noise(etr_writer *writer, const etr_profile *profile, const etr_noise *noise,
                      const etr_stats *execute, etr_unit unit) {
  switch (noise->verdict) {
  case ETR_NOISE_FEW_RUNS:
    return;
  case ETR_NOISE_STEADY:
  case ETR_NOISE_NOISY:
    etr_puts(writer, etr_noise_verdict_name(noise->verdict));
    break;
  case ETR_NOISE_TWO_MODES:
    put_modes(writer, profile, noise, unit);
    break;
  case ETR_NOISE_STEP:
  case ETR_NOISE_DRIFT:
    if (noise->is_unsure)
      etr_puts(writer, "may be ");
    etr_put_change_of_time(writer, noise->change);
    if (noise->verdict == ETR_NOISE_STEP)
      etr_putf(writer, " from run %u on", (unsigned)noise->from_run);
    else {
      etr_putf(writer, " over %zu runs", noise->over_runs);
      if (noise->stretches > 1)
        etr_putf(writer, ", and anew in each of %zu stretches", noise->stretches);
    }
  }
  if (noise->outliers)
    put_outliers(writer, noise, execute);
}

bool etr_runs_differ_much(const etr_method *method) {
  const double much = 0.25; /* of the time */
  const etr_stats *execute = &method->execute;
  double spread = etr_stats_spread(execute, 0);
  if (isnan(spread))
    spread = (execute->max - execute->min) / 2;
  bool is_wide = spread > much * execute->typical;
  return method->mixed_phase_count < 2 && (method->noise.verdict == ETR_NOISE_TWO_MODES ||
                                           (is_wide && method->noise.verdict != ETR_NOISE_STEADY));
}

bool etr_is_unsure(const etr_groups *groups, const etr_method *method) {
  return groups->interrupted > 0 || etr_runs_differ_much(method);
}

double etr_spread_factor(const etr_method *method) {
  enum {
    WORTH_A_WORD = 3
  }; /* times the fastest; few runs of a busy machine often differ twofold */
  const etr_noise *noise = &method->noise;
  const etr_stats *execute = &method->execute;
  bool is_only_noisy = noise->verdict == ETR_NOISE_NOISY || noise->verdict == ETR_NOISE_FEW_RUNS;
  bool is_said_elsewhere = noise->outliers || method->slow_runs.run_count ||
                           method->mixed_phase_count > 1;
  bool is_worth = execute->max >= WORTH_A_WORD * execute->min || etr_runs_differ_much(method);
  return is_only_noisy && !is_said_elsewhere && is_worth && execute->min > 0
             ? execute->max / execute->min
             : 0;
}

const char *etr_spread_text(etr_arena *arena, const etr_method *method) {
  double factor = etr_spread_factor(method);
  if (factor == 0)
    return "";
  return etr_or_empty(etr_arena_format(arena, "the slowest of %zu runs took %.*f times the fastest",
                                       method->noise.run_count, factor < 9.95 ? 1 : 0, factor));
}

bool etr_is_of_mode(const etr_noise *noise, size_t mode, double ticks) {
  const double near = 0.1, near_of_gap = 0.25;
  double p50 = noise->modes[mode].p50, gap = noise->modes[1].p50 - noise->modes[0].p50;
  return fabs(ticks - p50) <= ETR_MAX(near * p50, near_of_gap * gap);
}

bool etr_is_between_modes(const etr_method *method) {
  const etr_noise *noise = &method->noise;
  double typical = method->execute.typical;
  return noise->verdict == ETR_NOISE_TWO_MODES && method->mixed_phase_count < 2 &&
         !etr_is_of_mode(noise, 0, typical) && !etr_is_of_mode(noise, 1, typical);
}

bool etr_put_modes(etr_writer *writer, const etr_profile *profile, const etr_method *method,
                   etr_unit unit) {
  if (!etr_is_between_modes(method))
    return false;
  etr_put_time(writer, profile, method->noise.modes[0].p50, unit);
  etr_puts(writer, " or ");
  etr_put_time(writer, profile, method->noise.modes[1].p50, unit);
  etr_putf(writer, " %s", etr_unit_name(unit));
  return true;
}

bool etr_has_spread(const etr_method *method) {
  double spread = etr_stats_spread(&method->execute, 0);
  return spread > 0 && spread < method->execute.typical && method->mixed_phase_count < 2 &&
         !etr_is_between_modes(method);
}

const char *etr_few_runs_text(const etr_method *method) {
  if (method->noise.verdict != ETR_NOISE_FEW_RUNS)
    return "";
  return etr_has_spread(method) ? "\xC2\xB1 is rough: few runs" : "too few runs to judge noise";
}

/* As physicists do (the rule of the Particle Data Group), the spread has two digits if it begins
 * with 1 to 3.5, else one, and the time has as many decimals. */
void etr_put_execute(etr_writer *writer, const etr_profile *profile, const etr_method *method,
                     etr_unit unit) {
  double time = etr_ranking_time(profile, etr_times_of(&method->execute)),
         spread = etr_stats_spread(&method->execute, 0);
  if (etr_put_modes(writer, profile, method, unit))
    return;
  if (!etr_has_spread(method)) {
    etr_put_time(writer, profile, time, unit);
    etr_putf(writer, " %s", etr_unit_name(unit));
    return;
  }
  double leading = etr_ticks_to_unit(profile, spread, unit);
  leading /= pow(10, floor(log10(leading)));
  int decimals = etr_time_decimals(profile, spread, unit, leading < 3.55 ? 2 : 1);
  etr_put_fixed(writer, etr_ticks_to_unit(profile, time, unit), decimals);
  etr_putf(writer, " %s \xC2\xB1 ", etr_unit_name(unit));
  etr_put_fixed(writer, etr_ticks_to_unit(profile, spread, unit), decimals);
}

const char *etr_noise_text(etr_arena *arena, const etr_profile *profile, const etr_noise *noise,
                           const etr_stats *execute, etr_unit unit) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  if (is_more_than_steady(noise))
    put_noise(&writer, profile, noise, execute, unit);
  return etr_text_end(&text, &writer);
}

const char *etr_steadiness_text(etr_arena *arena, const etr_profile *profile,
                                const etr_method *method, etr_unit unit) {
  etr_text text;
  etr_writer writer;
  bool any = false;
  if (method->mixed_phase_count < 2) {
    etr_noise noise = method->noise;
    /* A finding counts the slow runs by another rule: two numbers of one thing only confuse. */
    if (method->slow_runs.run_count && method->slow_runs.run_count != noise.outliers)
      noise.outliers = 0;
    const char *of_noise = etr_noise_text(arena, profile, &noise, &method->execute, unit);
    return of_noise && !of_noise[0] ? etr_spread_text(arena, method) : of_noise;
  }
  etr_text_begin(&text, arena, &writer);
  for (size_t i = 0; i < method->run_phase_count; i++) {
    const etr_run_phase *phase = &method->run_phases[i];
    if (!is_more_than_steady(&phase->noise))
      continue;
    etr_putf(&writer, "%s%s: ", any ? "; " : "", phase->name);
    put_noise(&writer, profile, &phase->noise, &phase->execute, unit);
    any = true;
  }
  return etr_text_end(&text, &writer);
}

const char *etr_variation_text(etr_arena *arena, const etr_profile *profile,
                               const etr_method *method, etr_unit unit) {
  const etr_noise *noise = &method->noise;
  if (noise->verdict == ETR_NOISE_FEW_RUNS)
    return etr_few_runs_text(method);
  const char *special = etr_steadiness_text(arena, profile, method, unit);
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  bool is_special = method->mixed_phase_count < 2 && is_more_than_steady(noise) && special &&
                    special[0];
  etr_puts(&writer, is_special ? special : etr_noise_verdict_name(noise->verdict));
  if (noise->verdict < ETR_NOISE_TWO_MODES) {
    etr_putf(&writer, " (cv %s", noise->cv > 1 ? "over " : "");
    etr_put_share(&writer, ETR_MIN(noise->cv, 1.0), 1);
    etr_puts(&writer, ")");
  }
  return etr_text_end(&text, &writer);
}

/* Writes the recordings that typical times leave out. */
static void put_odd_recordings(etr_writer *writer, const etr_profile *profile,
                               const etr_method *method) {
  enum { MOST_SHOWN = 3 };
  size_t count = method->odd_recording_count;
  for (size_t i = 0; i < ETR_MIN(count, (size_t)MOST_SHOWN); i++) {
    const etr_odd_recording *odd = &method->odd_recordings[i];
    etr_putf(writer, "%s%s, ",
             i ? "; " : "odd, left out: ", etr_last_part(profile->etdumps[odd->dump]));
    etr_put_change_of_time(writer, odd->change);
    etr_puts(writer, odd->change < 1 ? " than the others" : " as the others");
  }
  if (count > MOST_SHOWN)
    etr_putf(writer, "; and %zu more", count - MOST_SHOWN);
}

enum { MOST_RECORDINGS = 4 }; /* whose times are listed */

/* The typical times of recordings, in ticks. */
typedef struct recording_times {
  double first[MOST_RECORDINGS], least, most;
  size_t count;
} recording_times;

/* Returns the typical times of a method's recordings, each over those of its runs that the typical
 * run is made of. */
static recording_times times_of_recordings(const etr_profile *profile, const etr_method *method) {
  recording_times out = {.least = INFINITY};
  const double *weights = method->typical.weights;
  for (size_t i = 0, end; weights && i < method->run_count; i = end) {
    uint32_t dump = profile->runs[method->runs[i]].dump;
    double sum = 0, all = 0;
    for (end = i; end < method->run_count && profile->runs[method->runs[end]].dump == dump; end++) {
      sum += weights[end] * (double)method->execute_per_run[end];
      all += weights[end];
    }
    if (!(all > 0))
      continue;
    if (out.count < MOST_RECORDINGS)
      out.first[out.count] = sum / all;
    out.least = ETR_MIN(out.least, sum / all);
    out.most = ETR_MAX(out.most, sum / all);
    out.count++;
  }
  return out;
}

/* Writes the typical time of each recording if they differ much; not of runs of several phases,
 * which recordings may have in different numbers. */
static void put_recording_times(etr_writer *writer, const etr_profile *profile,
                                const etr_method *method, etr_unit unit) {
  const double much = 1.25;
  recording_times times = times_of_recordings(profile, method);
  if (method->mixed_phase_count > 1 || !(times.most > much * times.least))
    return;
  etr_puts(writer, "recordings: ");
  if (times.count > MOST_RECORDINGS) {
    etr_put_time(writer, profile, times.least, unit);
    etr_puts(writer, " \xE2\x80\x93 ");
    etr_put_time(writer, profile, times.most, unit);
  }
  for (size_t i = 0; times.count <= MOST_RECORDINGS && i < times.count; i++) {
    const char *between = i + 1 == times.count ? " and " : ", ";
    etr_puts(writer, i ? between : "");
    etr_put_time(writer, profile, times.first[i], unit);
  }
  etr_putf(writer, " %s", etr_unit_name(unit));
}

const char *etr_recordings_text(etr_arena *arena, const etr_profile *profile,
                                const etr_method *method, etr_unit unit) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  if (method->odd_recording_count)
    put_odd_recordings(&writer, profile, method);
  else
    put_recording_times(&writer, profile, method, unit);
  return etr_text_end(&text, &writer);
}
