/* SPDX-License-Identifier: BSD-3-Clause
 *
 * observer.c - figures as ExecuTorch's print_report() makes them of its time stamps (extension/llm/runner/stats.h), and
 * lines as FAI-PEP's JsonConverter takes them: type, metric, unit, value as text, info_string the same on all.
 */
#include "bench/observer.h"

#include "command/flat_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IDENTIFIER "PyTorchObserver "

/* A time between two stamps, or what was counted in it per second. */
typedef struct figure {
  const char *name, *unit, *counted, *from, *to;
} figure;

static const figure figures[] = {
    {"load", "ms", NULL, "model_load_start_ms", "model_load_end_ms"},
    {"prefill", "ms", NULL, "inference_start_ms", "prompt_eval_end_ms"},
    {"time to first token", "ms", NULL, "inference_start_ms", "first_token_ms"},
    {"generation", "ms", NULL, "inference_start_ms", "inference_end_ms"},
    {"prefill rate", "tokens/s", "prompt_tokens", "inference_start_ms", "prompt_eval_end_ms"},
    {"generation rate", "tokens/s", "generated_tokens", "prompt_eval_end_ms", "inference_end_ms"},
};

/* ---- Reading ---- */

/* The object of the last such line, NULL if there is none: a runner warms up before. */
static const char *last_report(const char *output) {
  const char *found = NULL;
  for (const char *at = output; (at = strstr(at, IDENTIFIER "{")) != NULL;) {
    at += sizeof IDENTIFIER - 1;
    if (flat_json_is_object(at)) found = at;
  }
  return found;
}

/* NaN: the report does not tell. */
static double value_of(const figure *f, const char *report) {
  double from, to, scale, count;
  if (report == NULL || !flat_json_number(report, f->from, &from) || !flat_json_number(report, f->to, &to)) return NAN;
  if (!flat_json_number(report, "SCALING_FACTOR_UNITS_PER_SECOND", &scale) || scale <= 0) scale = 1000;
  double seconds = (to - from) / scale;
  if (f->counted == NULL) return seconds >= 0 ? seconds * 1000 : (double)NAN;
  return seconds > 0 && flat_json_number(report, f->counted, &count) ? count / seconds : (double)NAN;
}

bool observer_add_measures(bench_measures *measures, const bench_job *job) {
  double *values = calloc(job->newer.count + 1, sizeof *values);
  bool added = values != NULL;
  for (size_t i = 0; added && i < sizeof figures / sizeof *figures; i++) {
    for (size_t k = 0; k < job->newer.count; k++)
      values[k] = value_of(&figures[i], last_report(job->newer.recordings[k].output));
    added = bench_measures_add(measures, MEASURE_RUNNER, figures[i].name, figures[i].unit, values, job->newer.count);
  }
  free(values);
  return added;
}

/* ---- Writing ---- */

static size_t count_methods(const bench_measures *measures) {
  size_t count = 0;
  for (size_t i = 0; i < measures->count; i++) count += measures->list[i].kind == MEASURE_METHOD;
  return count;
}

/* The converter calls what it keeps "NET latency"; methods are told apart where there are several. */
static void put_metric(flat_json *object, const bench_measure *measure, bool is_only) {
  char metric[256];
  (void)snprintf(metric, sizeof metric, "%s latency", measure->name);
  flat_json_add_text(object, "type", measure->kind == MEASURE_METHOD ? "NET" : "RUNNER");
  if (measure->kind != MEASURE_METHOD)
    flat_json_add_text(object, "metric", measure->name);
  else
    flat_json_add_text(object, "metric", is_only ? "latency" : metric);
}

void observer_write(FILE *out, const bench_measures *measures, const char *link) {
  bool is_only = count_methods(measures) == 1;
  for (size_t i = 0; i < measures->count; i++)
    for (size_t k = 0; k < measures->list[i].count; k++) {
      const bench_measure *measure = &measures->list[i];
      char value[32];
      flat_json object;
      (void)snprintf(value, sizeof value, "%.9g", measure->values[k]);
      fputs(IDENTIFIER, out);
      flat_json_begin(&object, out);
      put_metric(&object, measure, is_only);
      flat_json_add_text(&object, "unit", measure->unit);
      flat_json_add_text(&object, "value", value);
      flat_json_add_text(&object, "info_string", link);
      flat_json_end(&object);
      fputc('\n', out);
    }
}
