/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fields.c - keys with values.
 */
#include "output/fields.h"

#include "views/steadiness.h"

#include <math.h>

void etr_field_text(const etr_fields *fields, const char *key, const char *text) {
  etr_jw_key(fields->json, key);
  etr_jw_string(fields->json, text);
}

void etr_field_count(const etr_fields *fields, const char *key, uint64_t count) {
  etr_jw_key(fields->json, key);
  etr_jw_uint(fields->json, count);
}

void etr_field_flag(const etr_fields *fields, const char *key, bool value) {
  etr_jw_key(fields->json, key);
  etr_jw_bool(fields->json, value);
}

void etr_field_number(const etr_fields *fields, const char *key, double value) {
  etr_jw_key(fields->json, key);
  etr_jw_double(fields->json, value);
}

void etr_field_ticks(const etr_fields *fields, const char *key, double ticks) {
  etr_field_number(fields, key, etr_ticks_to_unit(fields->profile, ticks, fields->unit));
}

void etr_field_stats(const etr_fields *fields, const etr_stats *stats) {
  const struct {
    const char *key;
    double ticks;
  } values[] = {{"p10", stats->p10}, {"p50", stats->p50}, {"p90", stats->p90},
                {"avg", stats->avg}, {"min", stats->min}, {"max", stats->max}};
  for (size_t i = 0; i < ETR_COUNT(values); i++)
    if (stats->count)
      etr_field_ticks(fields, values[i].key, values[i].ticks);
    else
      etr_field_text(fields, values[i].key, NULL);
}

void etr_field_runs(const etr_fields *f, const etr_method *method) {
  etr_field_count(f, "runs", method->run_count);
  etr_field_count(f, "skipped_runs", method->skipped_run_count);
}

void etr_field_source(const etr_fields *fields, const etr_source *source) {
  etr_field_text(fields, "file", source ? source->file : NULL);
  etr_jw_key(fields->json, "line");
  if (source)
    etr_jw_int(fields->json, source->line);
  else
    etr_jw_null(fields->json);
  etr_field_text(fields, "function", source ? source->function : NULL);
  etr_field_text(fields, "code", source ? source->code : NULL);
}

void etr_field_method(const etr_fields *fields, const etr_method *method) {
  etr_field_text(fields, "method", method->name[0] ? method->name : NULL);
  etr_field_runs(fields, method);
}

/* NaN of what a verdict does not have. */
static double if_any(bool any, double value) { return any ? value : NAN; }

/* "mode_runs" and "mode_p50": the faster mode, the slower one. */
static void put_modes(const etr_fields *fields, const etr_noise *noise) {
  bool any = noise->verdict == ETR_NOISE_TWO_MODES;
  etr_field_list(fields, "mode_runs");
  for (size_t i = 0; any && i < ETR_COUNT(noise->modes); i++)
    etr_jw_int(fields->json, (int64_t)noise->modes[i].run_count);
  etr_jw_end(fields->json);
  etr_field_list(fields, "mode_p50");
  for (size_t i = 0; any && i < ETR_COUNT(noise->modes); i++)
    etr_jw_double(fields->json, etr_ticks_to_unit(fields->profile, noise->modes[i].p50, fields->unit));
  etr_jw_end(fields->json);
}

static void put_noise(const etr_fields *fields, const etr_noise *noise, const char *text) {
  bool is_step = noise->verdict == ETR_NOISE_STEP, is_drift = noise->verdict == ETR_NOISE_DRIFT;
  etr_field_object(fields, "noise");
  etr_field_number(fields, "cv", noise->cv);
  etr_field_count(fields, "runs", noise->run_count);
  etr_field_count(fields, "outliers", noise->outliers);
  etr_field_number(fields, "least_outlier", if_any(noise->outliers > 0, noise->least_outlier));
  etr_field_number(fields, "most_outlier", if_any(noise->outliers > 0, noise->most_outlier));
  etr_field_text(fields, "verdict", etr_noise_verdict_name(noise->verdict));
  etr_field_text(fields, "text", text);
  put_modes(fields, noise);
  etr_field_flag(fields, "in_stretches", noise->in_stretches);
  etr_field_number(fields, "change", if_any(is_step || is_drift, noise->change));
  etr_field_number(fields, "from_run", if_any(is_step, (double)noise->from_run));
  etr_field_number(fields, "over_runs", if_any(is_step || is_drift, (double)noise->over_runs));
  etr_field_number(fields, "stretches", if_any(is_drift, (double)noise->stretches));
  etr_field_ticks(fields, "start", if_any(is_drift, noise->start));
  etr_field_flag(fields, "unsure", noise->is_unsure);
  etr_jw_end(fields->json);
}

static void put_phase(const etr_fields *fields, etr_arena *arena, const etr_run_phase *phase, etr_unit shown) {
  etr_jw_object(fields->json);
  etr_field_text(fields, "phase", phase->name);
  etr_field_text(fields, "told_by", etr_phase_rule_name(phase->told_by));
  etr_field_flag(fields, "estimated", phase->told_by == ETR_PHASE_BY_TIMES);
  etr_field_list(fields, "runs");
  for (size_t i = 0; i < phase->run_count; i++) etr_jw_int(fields->json, phase->runs[i]);
  etr_jw_end(fields->json);
  etr_field_stats(fields, &phase->execute);
  put_noise(fields, &phase->noise, etr_noise_text(arena, fields->profile, &phase->noise, shown));
  etr_jw_end(fields->json);
}

void etr_field_noise(const etr_fields *fields, etr_arena *arena, const etr_method *method, etr_unit shown) {
  put_noise(fields, &method->noise, etr_steadiness_text(arena, fields->profile, method, shown));
  etr_field_list(fields, "phases_of_runs");
  for (size_t i = 0; i < method->run_phase_count && method->mixed_phase_count > 1; i++)
    if (method->run_phases[i].run_count) put_phase(fields, arena, &method->run_phases[i], shown);
  etr_jw_end(fields->json);
}

void etr_field_list(const etr_fields *fields, const char *key) {
  etr_jw_key(fields->json, key);
  etr_jw_array(fields->json);
}

void etr_field_object(const etr_fields *fields, const char *key) {
  etr_jw_key(fields->json, key);
  etr_jw_object(fields->json);
}

void etr_field_texts(const etr_fields *fields, const char *key, const char *const *texts, size_t count) {
  etr_field_list(fields, key);
  for (size_t i = 0; i < count; i++) etr_jw_string(fields->json, texts[i]);
  etr_jw_end(fields->json);
}

void etr_field_shape(const etr_fields *f, const etr_value *value) {
  etr_jw_key(f->json, "shape");
  if (value->rank < 0) {
    etr_jw_null(f->json);
    return;
  }
  etr_jw_array(f->json);
  for (int32_t i = 0; i < value->rank; i++)
    if (value->dims[i].symbol)
      etr_jw_string(f->json, value->dims[i].symbol);
    else
      etr_jw_int(f->json, value->dims[i].size);
  etr_jw_end(f->json);
}

void etr_field_roofs(const etr_fields *fields) {
  const etr_roofs *roofs = &fields->profile->roofs;
  etr_field_object(fields, "roofs");
  etr_field_number(fields, "gflops", roofs->gflops > 0 ? roofs->gflops : NAN);
  etr_field_number(fields, "integer_gops", roofs->integer_gops > 0 ? roofs->integer_gops : NAN);
  etr_field_number(fields, "gbs", roofs->gbs > 0 ? roofs->gbs : NAN);
  etr_field_flag(fields, "flops_given", roofs->flops_given);
  etr_field_flag(fields, "integer_given", roofs->integer_given);
  etr_field_flag(fields, "bandwidth_given", roofs->bandwidth_given);
  etr_jw_end(fields->json);
}
