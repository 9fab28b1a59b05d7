/* SPDX-License-Identifier: BSD-3-Clause
 *
 * hud.c - benchmark, model, metric and runners of a record; metrics have the names that ExecuTorch's own benchmark apps
 * use, so that they share a page.
 */
#include "bench/hud.h"

#include "command/flat_json.h"

#include <string.h>

/* Ours, and what the database calls them. */
static const char *const metrics[][2] = {
    {"load", "model_load_time(ms)"},
    {"prefill", "prefill_time(ms)"},
    {"time to first token", "time_to_first_token(ms)"},
    {"generation", "generate_time(ms)"},
    {"prefill rate", "prefill_token_per_sec"},
    {"generation rate", "token_per_sec"},
    {"wall time", "runner_wall_time(s)"},
};

static const char *metric_of(const bench_measure *measure) {
  if (measure->kind == MEASURE_METHOD) return "avg_inference_latency(ms)";
  for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
    if (strcmp(metrics[i][0], measure->name) == 0) return metrics[i][1];
  return measure->name;
}

static void put_benchmark(FILE *out, const bench_job *job, const char *link) {
  flat_json benchmark, extra;
  flat_json_begin(&benchmark, out);
  flat_json_add_text(&benchmark, "name", "ExecuTorch");
  flat_json_add_text(&benchmark, "mode", "inference");
  flat_json_add_key(&benchmark, "extra_info");
  flat_json_begin(&extra, out);
  flat_json_add_text(&extra, "app_type", "etrecord-tb bench");
  flat_json_add_text(&extra, "commit", job->facts.commit);
  flat_json_add_text(&extra, "command", job->facts.command);
  flat_json_add_text(&extra, "tensorboard", link);
  flat_json_end(&extra);
  flat_json_end(&benchmark);
}

static void put_model(FILE *out, const bench_job *job, const char *backend) {
  flat_json model;
  flat_json_begin(&model, out);
  flat_json_add_text(&model, "name", job->history.name);
  flat_json_add_text(&model, "type", "OSS model");
  flat_json_add_text(&model, "backend", backend);
  flat_json_end(&model);
}

static void put_metric(FILE *out, const bench_measure *measure) {
  flat_json metric, extra;
  flat_json_begin(&metric, out);
  flat_json_add_text(&metric, "name", metric_of(measure));
  flat_json_add_key(&metric, "benchmark_values");
  fputc('[', out);
  for (size_t i = 0; i < measure->count; i++) fprintf(out, "%s%.9g", i > 0 ? ", " : "", measure->values[i]);
  fputc(']', out);
  flat_json_add_number(&metric, "target_value", 0);
  flat_json_add_key(&metric, "extra_info");
  flat_json_begin(&extra, out);
  flat_json_add_text(&extra, "method", measure->kind == MEASURE_METHOD ? measure->name : "");
  flat_json_end(&extra);
  flat_json_end(&metric);
}

static void put_runners(FILE *out, const bench_facts *facts) {
  flat_json runner, extra;
  fputc('[', out);
  flat_json_begin(&runner, out);
  flat_json_add_text(&runner, "name", facts->device);
  flat_json_add_text(&runner, "type", facts->os);
  flat_json_add_key(&runner, "extra_info");
  flat_json_begin(&extra, out);
  flat_json_add_text(&extra, "host", facts->host);
  flat_json_end(&extra);
  flat_json_end(&runner);
  fputc(']', out);
}

void hud_write(FILE *out, const bench_job *job, const bench_measures *measures, const char *backend, const char *link) {
  fputs("[", out);
  for (size_t i = 0; i < measures->count; i++) {
    flat_json record;
    fputs(i > 0 ? ",\n" : "\n", out);
    flat_json_begin(&record, out);
    flat_json_add_key(&record, "benchmark");
    put_benchmark(out, job, link);
    flat_json_add_key(&record, "model");
    put_model(out, job, backend);
    flat_json_add_key(&record, "metric");
    put_metric(out, &measures->list[i]);
    flat_json_add_key(&record, "runners");
    put_runners(out, &job->facts);
    flat_json_end(&record);
  }
  fputs("\n]\n", out);
}
