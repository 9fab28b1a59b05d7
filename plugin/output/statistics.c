/* SPDX-License-Identifier: BSD-3-Clause
 *
 * statistics.c - writes the members of documents about times and rates.
 */
#include "output/statistics.h"

#include "output/table.h"
#include "views/method_rule.h"
#include "views/steadiness.h"
#include "views/throughput.h"

static bool is_timed(const void *row) {
  return ((const etr_stats *)row)->count > 0;
}

#define TICKS(name) NULL, ETR_CELL_TIME, ETR_IN_JSON, ETR_AT(etr_stats, name), .has = is_timed

static const etr_field statistics[] = {
    {"typical", TICKS(typical)}, {"p10", TICKS(p10)}, {"p50", TICKS(p50)}, {"p90", TICKS(p90)},
    {"avg", TICKS(avg)},         {"min", TICKS(min)}, {"max", TICKS(max)},
};
ETR_ROW_TYPE(statistics, statistics);

void etr_field_stats(const etr_fields *fields, const etr_stats *stats) {
  etr_field_put_members(fields, &etr_statistics_fields, stats);
}

typedef struct noise_row {
  const etr_noise *noise;
  const char *text;
} noise_row;

static const etr_noise *noise_of(const void *row) {
  return ((const noise_row *)row)->noise;
}
static bool has_modes(const void *row) {
  return noise_of(row)->verdict == ETR_NOISE_TWO_MODES;
}
static bool is_step(const void *row) {
  return noise_of(row)->verdict == ETR_NOISE_STEP;
}
static bool is_drift(const void *row) {
  return noise_of(row)->verdict == ETR_NOISE_DRIFT;
}
static bool is_step_or_drift(const void *row) {
  return is_step(row) || is_drift(row);
}
static bool has_outliers(const void *row) {
  return noise_of(row)->outliers > 0;
}
static etr_cell verdict(const void *row) {
  return etr_cell_text(etr_noise_verdict_name(noise_of(row)->verdict));
}

/* Writes the number of runs in the faster mode, then in the slower one. */
static void put_mode_runs(const etr_fields *f, const void *row) {
  etr_field_begin_list(f, "mode_runs");
  for (size_t i = 0; has_modes(row) && i < ETR_COUNT(noise_of(row)->modes); i++)
    etr_jw_uint(f->json, noise_of(row)->modes[i].run_count);
  etr_jw_end(f->json);
}
/* Writes the median of the faster mode, then of the slower one, in the document's unit. */
static void put_mode_p50(const etr_fields *f, const void *row) {
  etr_field_begin_list(f, "mode_p50");
  for (size_t i = 0; has_modes(row) && i < ETR_COUNT(noise_of(row)->modes); i++)
    etr_jw_double(f->json, etr_ticks_to_unit(f->profile, noise_of(row)->modes[i].p50, f->unit));
  etr_jw_end(f->json);
}

#define NOISE(kind, name) NULL, kind, ETR_IN_JSON, ETR_VIA(noise_row, noise, etr_noise, name)

static const etr_field noise_fields[] = {
    {"cv", NOISE(ETR_CELL_NUMBER, cv),
     .says = ETR_SAYS(
         "coefficient of variation, robust: 1.4826 times the median distance of the times' "
         "logarithms from their "
         "median, without outliers; null with fewer than two runs"),
     .nullable = true},
    {"runs", NOISE(ETR_CELL_COUNT, run_count),
     .says = ETR_SAYS("runs that were judged: those with a time")},
    {"outliers", NOISE(ETR_CELL_COUNT, outliers),
     .says = ETR_SAYS(
         "runs far from the median: by five times cv and 18 %; 0 if they are more than a fifth")},
    {"least_outlier", NOISE(ETR_CELL_NUMBER, least_outlier), .has = has_outliers,
     .says = ETR_SAYS("the least of these, in medians; null without outliers")},
    {"most_outlier", NOISE(ETR_CELL_NUMBER, most_outlier), .has = has_outliers,
     .says = ETR_SAYS("the largest of these, in medians; null without outliers")},
    {"verdict", NULL, ETR_CELL_WORD, ETR_IN_JSON, .get = verdict,
     .says = ETR_SAYS("few_runs: fewer than 10; two_modes, step and drift take 20"),
     .type = "noise_verdict"},
    {"text", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(noise_row, text),
     .says = ETR_SAYS(
         "two modes, a step, a drift or outliers in a sentence, with a time in the document's "
         "unit; empty where "
         "steady, noisy or few_runs says it all")},
    {"mode_runs", .in = ETR_IN_JSON, .put = put_mode_runs,
     .says = ETR_SAYS("of two_modes: runs in the faster one, in the slower one; empty otherwise"),
     .type = "wholes"},
    {"mode_p50", .in = ETR_IN_JSON, .put = put_mode_p50,
     .says = ETR_SAYS("of two_modes: the medians of these; empty otherwise"), .type = "numbers"},
    {"in_stretches", NOISE(ETR_CELL_FLAG, in_stretches),
     .says = ETR_SAYS("of two_modes: a mode mostly lasts for several runs")},
    {"change", NOISE(ETR_CELL_NUMBER, change), .has = is_step_or_drift,
     .says = ETR_SAYS(
         "of step: the time after it divided by the time before it, minus 1; of drift: the "
         "time of the last run "
         "divided by that of the first, minus 1; null otherwise")},
    {"from_run", NOISE(ETR_CELL_COUNT, from_run), .has = is_step,
     .says = ETR_SAYS("of step: the first run after it, numbered as in info; null otherwise")},
    {"over_runs", NOISE(ETR_CELL_COUNT, over_runs), .has = is_step_or_drift,
     .says = ETR_SAYS(
         "of step: runs after it; of drift: runs in the longest stretch; null otherwise")},
    {"stretches", NOISE(ETR_CELL_COUNT, stretches), .has = is_drift,
     .says = ETR_SAYS(
         "of drift: how often it starts anew, at a load or after runs of another kind; null "
         "otherwise")},
    {"start", NOISE(ETR_CELL_TIME, start), .has = is_drift,
     .says = ETR_SAYS("of drift: time of the first run of a stretch, on the line; null otherwise")},
    {"unsure", NOISE(ETR_CELL_FLAG, is_unsure),
     .says = ETR_SAYS(
         "of step and drift: fewer than 50 runs whose times, wandering slowly, could look the "
         "same")},
};
ETR_ROW_TYPE(noise, noise_fields);

/* Writes "noise": how the times of runs vary; text: the same in a sentence. */
static void put_noise_object(const etr_fields *fields, const etr_noise *noise, const char *text) {
  etr_field_begin_object(fields, "noise");
  etr_field_put_members(fields, &etr_noise_fields, &(noise_row){noise, text});
  etr_jw_end(fields->json);
}

void etr_field_method_rule(const etr_fields *fields, const etr_method *method) {
  const etr_block *block = etr_block_of_rule(fields->profile, method);
  etr_field_text(fields, "method_rule", block ? block->method_rule : NULL);
  etr_field_text(fields, "method_evidence",
                 block && block->method_evidence[0] ? block->method_evidence : NULL);
  etr_field_begin_list(fields, "candidates");
  for (size_t i = 0; block && i < block->candidate_count; i++)
    etr_jw_string(fields->json, fields->profile->methods[block->candidates[i]].name);
  etr_jw_end(fields->json);
}

/* The tokens of runs, and their number in a second in words, NULL if that is not known. */
typedef struct throughput_row {
  const etr_throughput *of;
  const char *rate_text;
} throughput_row;

#define TOKENS(name)                                                                               \
  NULL, ETR_CELL_NUMBER, ETR_IN_JSON, ETR_VIA(throughput_row, of, etr_throughput, name)

static const etr_field throughput_fields[] = {
    {"tokens_per_run", TOKENS(tokens_per_run), .nullable = true,
     .says = ETR_SAYS(
         "elements of the token input, the mean over the typical run; null: not known")},
    {"tokens_per_second", TOKENS(tokens_per_second), .nullable = true},
    {"rate_text", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(throughput_row, rate_text),
     .nullable = true,
     .says = ETR_SAYS("tokens_per_second with its unit and as many digits as the runs support: "
                      "\"3,800 tokens/s\"; null: not known, or one for each of phases_of_runs")},
    {"ms_per_token", TOKENS(ms_per_token), .nullable = true,
     .says = ETR_SAYS("milliseconds, whatever time_unit is")},
    {"why", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_VIA(throughput_row, of, etr_throughput, why),
     .nullable = true, .says = ETR_SAYS("why it is not known; null if it is")},
};
ETR_ROW_TYPE(throughput, throughput_fields);

/* Writes "throughput": the tokens of runs whose Method::execute is given; null if there are none.
 * Without `execute`, the rate has no words. of: as of etr_throughput_rate_text(). */
static void put_throughput(const etr_fields *fields, etr_arena *arena,
                           const etr_throughput *throughput, const etr_stats *execute,
                           const etr_method *of) {
  const throughput_row row = {
      throughput, execute ? etr_throughput_rate_text(arena, throughput, execute, of) : NULL};
  etr_field_put_row_or_null(fields, "throughput", &etr_throughput_fields, throughput ? &row : NULL);
}

/* Writes a phase of a method's runs, such as prompts, as a JSON object: its name and how it was
 * identified, its runs, statistics, noise and throughput. shown: unit of times in sentences. */
static void put_run_phase(const etr_fields *fields, etr_arena *arena, const etr_run_phase *phase,
                          etr_unit shown) {
  etr_jw_object(fields->json);
  etr_field_text(fields, "phase", phase->name);
  etr_field_text(fields, "told_by", etr_phase_rule_name(phase->told_by));
  etr_field_flag(fields, "estimated", phase->told_by == ETR_PHASE_BY_TIMES);
  etr_field_begin_list(fields, "runs");
  for (size_t i = 0; i < phase->run_count; i++)
    etr_jw_int(fields->json, phase->runs[i]);
  etr_jw_end(fields->json);
  etr_field_stats(fields, &phase->execute);
  put_noise_object(fields, &phase->noise,
                   etr_noise_text(arena, fields->profile, &phase->noise, &phase->execute, shown));
  put_throughput(fields, arena, phase->throughput, &phase->execute, NULL);
  etr_jw_end(fields->json);
}

void etr_field_put_noise(const etr_fields *fields, etr_arena *arena, const etr_method *method,
                         etr_unit shown) {
  const char *steadiness = etr_steadiness_text(arena, fields->profile, method, shown);
  put_noise_object(fields, &method->noise, steadiness);
  bool has_phases = method->mixed_phase_count > 1; /* of which each has a rate of its own */
  put_throughput(fields, arena, method->throughput, has_phases ? NULL : &method->execute, method);
  etr_field_begin_list(fields, "phases_of_runs");
  for (size_t i = 0; i < method->run_phase_count && method->mixed_phase_count > 1; i++)
    if (method->run_phases[i].run_count)
      put_run_phase(fields, arena, &method->run_phases[i], shown);
  etr_jw_end(fields->json);
}

#define PEAKS(kind, name) NULL, kind, ETR_IN_JSON, ETR_AT(etr_effective_peaks, name)

static bool has_flops(const void *row) {
  return ((const etr_effective_peaks *)row)->gflops > 0;
}
static bool has_integers(const void *row) {
  return ((const etr_effective_peaks *)row)->integer_gops > 0;
}
static bool has_bandwidth(const void *row) {
  return ((const etr_effective_peaks *)row)->gbs > 0;
}

static const etr_field effective_peaks_fields[] = {
    {"gflops", PEAKS(ETR_CELL_NUMBER, gflops), .has = has_flops},
    {"integer_gops", PEAKS(ETR_CELL_NUMBER, integer_gops), .has = has_integers},
    {"gbs", PEAKS(ETR_CELL_NUMBER, gbs), .has = has_bandwidth},
    {"flops_given", PEAKS(ETR_CELL_FLAG, flops_given)},
    {"integer_given", PEAKS(ETR_CELL_FLAG, integer_given)},
    {"bandwidth_given", PEAKS(ETR_CELL_FLAG, bandwidth_given)},
    {"is_estimated", PEAKS(ETR_CELL_FLAG, is_estimated)},
};
ETR_ROW_TYPE(effective_peaks, effective_peaks_fields);

void etr_field_effective_peaks(const etr_fields *fields) {
  etr_field_begin_object(fields, "roofs");
  etr_field_put_members(fields, &etr_effective_peaks_fields, &fields->profile->effective_peaks);
  etr_jw_end(fields->json);
}
