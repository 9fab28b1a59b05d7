/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench.c - `etrecord-tb bench`: reads the ETDumps of the recordings and writes the results.
 */
#include "bench/base.h"
#include "bench/job.h"
#include "command/flat_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The lines of a history ---- */

enum { MOST_POINTS = 10, SHORT_COMMIT = 10 };

static bool put_line(FILE *out, const bench_job *job, const etr_profile *profile,
                     const bench_measure *measure) {
  const bench_facts *facts = &job->facts;
  flat_json line;
  flat_json_begin(&line, out);
  flat_json_add_text(&line, "name", job->history.name);
  flat_json_add_text(&line, "run", job->history.run);
  flat_json_add_text(&line, "host", facts->host);
  flat_json_add_text(&line, "device", facts->device);
  flat_json_add_text(&line, "commit", facts->commit);
  flat_json_add_text(&line, "command", facts->command);
  if (facts->against != NULL)
    flat_json_add_text(&line, "against", facts->against);
  flat_json_add_number(&line, "repeat", (double)facts->repeat);
  flat_json_add_number(&line, "warmup", (double)facts->warmup);
  flat_json_add_number(&line, "failed", (double)job->newer.failed);
  flat_json_add_number(&line, "untraced_s", facts->untraced_seconds);
  flat_json_add_text(&line, "kind", bench_kind_name(measure->kind));
  flat_json_add_text(&line, "measure", measure->name);
  flat_json_add_text(&line, "unit", measure->unit);
  flat_json_add_number(&line, "count", (double)measure->count);
  flat_json_add_number(&line, "p50", measure->p50);
  flat_json_add_number(&line, "avg", measure->avg);
  flat_json_add_number(&line, "min", measure->min);
  flat_json_add_number(&line, "max", measure->max);
  bool is_whole = measure->kind != MEASURE_METHOD || bench_curves_put(out, profile, measure);
  flat_json_end(&line);
  fputc('\n', out);
  return is_whole;
}

/* ---- The trend ---- */

typedef struct point {
  const char *line; /* line of the history */
  char run[BENCH_RUN_ROOM], commit[FACT_ROOM];
  double p50;
} point;

typedef struct points {
  point list[MOST_POINTS + 1]; /* the oldest one is only used for the step to the next */
  size_t count, all;
} points;

static bool has_text(const char *line, const char *key, const char *text) {
  char value[1024];
  return flat_json_text(line, key, value, sizeof value) && strcmp(value, text) == 0;
}

static points find_points(const char *history, const bench_measure *measure) {
  points found = {.count = 0};
  for (const char *line; (line = history_line(&history)) != NULL;) {
    point p = {.line = line, .run = "", .commit = ""};
    if (!has_text(line, "measure", measure->name) || !has_text(line, "unit", measure->unit))
      continue;
    if (!flat_json_number(line, "p50", &p.p50))
      continue;
    (void)flat_json_text(line, "run", p.run, sizeof p.run);
    (void)flat_json_text(line, "commit", p.commit, sizeof p.commit);
    if (found.count == MOST_POINTS + 1) { /* the oldest one is dropped */
      memmove(found.list, found.list + 1, MOST_POINTS * sizeof *found.list);
      found.count--;
    }
    found.list[found.count++] = p;
    found.all++;
  }
  return found;
}

/* Writes a curve of one character per point, in eighths of a line's height or in ASCII, from the
 * least to the largest.
 */
static void put_curve(FILE *out, const points *p, size_t first, bool ascii) {
  static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static const char letters[] = "_.,-=+*#";
  double least = INFINITY, most = -INFINITY;
  for (size_t i = first; i < p->count; i++) {
    if (p->list[i].p50 < least)
      least = p->list[i].p50;
    if (p->list[i].p50 > most)
      most = p->list[i].p50;
  }
  for (size_t i = first; i < p->count; i++) {
    size_t height = most > least ? (size_t)(7 * (p->list[i].p50 - least) / (most - least) + 0.5)
                                 : 3;
    if (ascii)
      fputc(letters[height], out);
    else
      fputs(blocks[height], out);
  }
}

/* Returns the key in which a bench differs from the one before, so that their times are not
 * comparable. Returns NULL if they do not differ, or if there is no bench before. */
static const char *find_difference(const points *p, size_t i) {
  static const char *const keys[] = {"host", "device", "command"};
  char before[4096], now[sizeof before];
  for (size_t k = 0; i > 0 && k < sizeof keys / sizeof *keys; k++)
    if (flat_json_text(p->list[i - 1].line, keys[k], before, sizeof before) &&
        flat_json_text(p->list[i].line, keys[k], now, sizeof now) && strcmp(before, now) != 0)
      return keys[k];
  return NULL;
}

/* Returns the change of a median from the one before, in percent; NaN if there is no comparable one
 * before. Whether the change is real is not judged here, because sessions differ. */
static double step_to(const points *p, size_t i) {
  if (find_difference(p, i) != NULL)
    return (double)NAN;
  return i > 0 && p->list[i - 1].p50 > 0 ? 100 * (p->list[i].p50 / p->list[i - 1].p50 - 1)
                                         : (double)NAN;
}

static void put_point(FILE *out, const points *p, size_t i) {
  const point *at = &p->list[i];
  char names[BENCH_RUN_ROOM + FACT_ROOM];
  (void)snprintf(names, sizeof names, "  %-21s  %-*.*s", at->run, SHORT_COMMIT, SHORT_COMMIT,
                 at->commit);
  message_put_plain(out, names);
  fprintf(out, "  %12.4f", at->p50);
  double step = step_to(p, i);
  if (step > -0.05 && step < 0.05)
    step = 0; /* instead of -0.0 */
  if (isfinite(step))
    fprintf(out, "  %+8.1f %%", step);
  if (find_difference(p, i) != NULL)
    fprintf(out, "  other %s", find_difference(p, i));
  fputc('\n', out);
}

static void print_method(FILE *out, const char *history, const bench_measure *measure, bool ascii) {
  const points p = find_points(history, measure);
  size_t first = p.count > MOST_POINTS ? 1 : 0;
  if (p.count < 2)
    return;
  fputs("\ntrend of ", out);
  message_put_plain(out, measure->name);
  fprintf(out, ", median in %s, last %zu of %zu benches: ", measure->unit, p.count - first, p.all);
  put_curve(out, &p, first, ascii);
  fputc('\n', out);
  for (size_t i = first; i < p.count; i++)
    put_point(out, &p, i);
}

/* Prints one line for a figure of the runner, since an LLM runner prints several figures. */
static void print_figure(FILE *out, const char *history, const bench_measure *measure, bool ascii) {
  const points p = find_points(history, measure);
  double step = p.count > 0 ? step_to(&p, p.count - 1) : (double)NAN;
  fprintf(out, "%-19s  %10.2f %-8s", measure->name, measure->p50, measure->unit);
  if (isfinite(step))
    fprintf(out, "  %+8.1f %%  ", step);
  if (isfinite(step))
    put_curve(out, &p, p.count > MOST_POINTS ? 1 : 0, ascii);
  fputc('\n', out);
}

/* ---- Lines "PyTorchObserver {...}": read from what ExecuTorch's LLM runner prints, and written
 * for FAI-PEP (AIBench)
 * ---- */

/* A time between two time stamps, or a count per second in that time. */
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

/* Returns a figure from a line "PyTorchObserver {...}", NaN if the line does not have the figure.
 * report: NULL if there is no line. */
static double value_of(const figure *f, const char *report) {
  double from, to, scale, count;
  if (report == NULL || !flat_json_number(report, f->from, &from) ||
      !flat_json_number(report, f->to, &to))
    return NAN;
  if (!flat_json_number(report, "SCALING_FACTOR_UNITS_PER_SECOND", &scale) || scale <= 0)
    scale = 1000;
  double seconds = (to - from) / scale;
  if (f->counted == NULL)
    return seconds >= 0 ? seconds * 1000 : (double)NAN;
  return seconds > 0 && flat_json_number(report, f->counted, &count) ? count / seconds
                                                                     : (double)NAN;
}

/* Adds the figures that the runner printed in each recording, if any: load, prefill, time to first
 * token, rates. Returns false when out of memory. */
static bool observer_add_measures(bench_measures *measures, const bench_job *job) {
  double *values = calloc(job->newer.count + 1, sizeof *values);
  bool added = values != NULL;
  for (size_t i = 0; added && i < sizeof figures / sizeof *figures; i++) {
    for (size_t k = 0; k < job->newer.count; k++)
      values[k] = value_of(&figures[i], job->newer.recordings[k].report);
    added = bench_measures_add(measures, MEASURE_RUNNER, figures[i].name, figures[i].unit, values,
                               job->newer.count);
  }
  free(values);
  return added;
}

/* ---- Writing ---- */

/* Writes a line for each value, as FAI-PEP's json_with_identifier_converter reads them (identifier
 * "PyTorchObserver "). The converter keeps values as "NET latency"; names of methods are included
 * if there are several. link: address of TensorBoard's page of these runs. */
static void observer_write(FILE *out, const bench_measures *measures, const char *link) {
  size_t methods = 0;
  for (size_t i = 0; i < measures->count; i++)
    methods += measures->list[i].kind == MEASURE_METHOD;
  for (size_t i = 0; i < measures->count; i++) {
    const bench_measure *measure = &measures->list[i];
    bool is_method = measure->kind == MEASURE_METHOD;
    char metric[256] = "latency", value[32];
    if (!is_method || methods > 1)
      (void)snprintf(metric, sizeof metric, "%s%s", measure->name, is_method ? " latency" : "");
    for (size_t k = 0; k < measure->count; k++) {
      flat_json object;
      (void)snprintf(value, sizeof value, "%.9g", measure->values[k]);
      fputs(BENCH_OBSERVER, out);
      flat_json_begin(&object, out);
      flat_json_add_text(&object, "type", is_method ? "NET" : "RUNNER");
      flat_json_add_text(&object, "metric", metric);
      flat_json_add_text(&object, "unit", measure->unit);
      flat_json_add_text(&object, "value", value);
      flat_json_add_text(&object, "info_string", link);
      flat_json_end(&object);
      fputc('\n', out);
    }
  }
}

/* ---- The records that PyTorch's benchmark database takes (hud.pytorch.org) ---- */

/* Names of measures here, and in the database. */
static const char *const metrics[][2] = {
    {"load", "model_load_time(ms)"},
    {"prefill", "prefill_time(ms)"},
    {"time to first token", "time_to_first_token(ms)"},
    {"generation", "generate_time(ms)"},
    {"prefill rate", "prefill_token_per_sec"},
    {"generation rate", "token_per_sec"},
    {"wall time", "runner_wall_time(s)"},
};

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

static void put_metric(FILE *out, const bench_measure *measure) {
  flat_json metric, extra;
  const char *name = measure->kind == MEASURE_METHOD ? "avg_inference_latency(ms)" : measure->name;
  for (size_t i = 0; measure->kind != MEASURE_METHOD && i < sizeof metrics / sizeof *metrics; i++)
    if (strcmp(metrics[i][0], measure->name) == 0)
      name = metrics[i][1];
  flat_json_begin(&metric, out);
  flat_json_add_text(&metric, "name", name);
  flat_json_add_key(&metric, "benchmark_values");
  fputc('[', out);
  for (size_t i = 0; i < measure->count; i++)
    fprintf(out, "%s%.9g", i > 0 ? ", " : "", measure->values[i]);
  fputc(']', out);
  flat_json_add_number(&metric, "target_value", 0);
  flat_json_add_key(&metric, "extra_info");
  flat_json_begin(&extra, out);
  flat_json_add_text(&extra, "method", measure->kind == MEASURE_METHOD ? measure->name : "");
  flat_json_end(&extra);
  flat_json_end(&metric);
}

/* Writes a JSON array with a record of schema v3 for each measure. link: address of TensorBoard's
 * page of these runs.
 */
static void hud_write(FILE *out, const bench_job *job, const bench_measures *measures,
                      const etr_profile *profile, const char *link) {
  const char *backend = NULL; /* backend of the first method that has a delegate */
  for (size_t i = 0; backend == NULL && i < profile->method_count; i++)
    if (profile->methods[i].delegate_count > 0)
      backend = profile->methods[i].delegates[0].backend;
  fputs("[", out);
  for (size_t i = 0; i < measures->count; i++) {
    flat_json record, part, extra;
    fputs(i > 0 ? ",\n" : "\n", out);
    flat_json_begin(&record, out);
    flat_json_add_key(&record, "benchmark");
    put_benchmark(out, job, link);
    flat_json_add_key(&record, "model");
    flat_json_begin(&part, out);
    flat_json_add_text(&part, "name", job->history.name);
    flat_json_add_text(&part, "type", "OSS model");
    flat_json_add_text(&part, "backend", backend != NULL ? backend : "portable");
    flat_json_end(&part);
    flat_json_add_key(&record, "metric");
    put_metric(out, &measures->list[i]);
    flat_json_add_key(&record, "runners");
    fputc('[', out);
    flat_json_begin(&part, out);
    flat_json_add_text(&part, "name", job->facts.device);
    flat_json_add_text(&part, "type", job->facts.os);
    flat_json_add_key(&part, "extra_info");
    flat_json_begin(&extra, out);
    flat_json_add_text(&extra, "host", job->facts.host);
    flat_json_end(&extra);
    flat_json_end(&part);
    fputc(']', out);
    flat_json_end(&record);
  }
  fputs("\n]\n", out);
}

/* ---- The command `bench` ---- */

/* The results of a bench. */
typedef struct benching {
  const cli_settings *settings;
  cli_settings text; /* settings for text on standard output */
  bench_job *job;
  etr_profile *profile,
      *base; /* base: the program that was recorded in turns; NULL: there is none */
  bench_measures measures;
  const bench_measure *wall;             /* duration of the recordings' processes */
  bench_document document;               /* the dashboard's document of the profile */
  char link[BENCH_NAME_ROOM + PATH_MAX]; /* address of TensorBoard's page of these runs */
  bool prints; /* standard output takes text, not lines for another system */
} benching;

/* ---- Reading ---- */

/* Drops recordings whose ETDumps cannot be read; the files remain. Each ETDump is opened alone,
 * because together with others a damaged one would make all unreadable. Returns false, with a
 * message, if no recording is left. */
static bool keep_readable(const benching *b, bench_side *side) {
  const etr_options reading = {.ticks_per_second = b->settings->ticks_per_second,
                               .max_bytes = command_bytes(b->settings->max_bytes),
                               .max_events = (uint32_t)b->settings->max_events};
  size_t kept = 0;
  for (size_t i = 0; i < side->count; i++) {
    bench_recording *recording = &side->recordings[i];
    etr_error error;
    etr_profile *profile;
    const etr_inputs inputs = {.etdumps = &recording->dump, .etdump_count = 1};
    etr_status status = etr_profile_open(&profile, &inputs, &reading, &error);
    if (status == ETR_OK && profile->run_count == 0)
      status = message_fail(&error, ETR_ERROR_FORMAT, "%s: this ETDump contains no run",
                            recording->dump);
    etr_profile_close(profile);
    if (status == ETR_OK) {
      side->recordings[kept++] = *recording;
      continue;
    }
    (void)message_error(&error);
    free(recording->report);
    side->failed++;
  }
  side->count = kept;
  if (kept > 0 || side->arguments == NULL)
    return true;
  (void)message_failed("no %srecording left an ETDump that can be read: see %s/%s%s", side->label,
                       b->job->history.folder, b->job->history.run,
                       side == &b->job->base ? "/base" : "");
  return false;
}

static exit_status read_recordings(benching *b) {
  const bench_side *side = &b->job->newer;
  bool has_base = keep_readable(b, &b->job->base);
  if (!keep_readable(b, &b->job->newer) || !has_base)
    return EXIT_BAD_INPUT;
  exit_status status = base_open(&b->base, b->settings, b->job);
  if (status == EXIT_DONE)
    status = bench_open_side(&b->profile, b->settings, side);
  if (status != EXIT_DONE)
    return status;
  double *seconds = calloc(side->count, sizeof *seconds);
  for (size_t i = 0; seconds != NULL && i < side->count; i++)
    seconds[i] = side->recordings[i].seconds;
  bool added = seconds != NULL && bench_measures_add_methods(&b->measures, b->profile) &&
               observer_add_measures(&b->measures, b->job) &&
               bench_measures_add(&b->measures, MEASURE_WALL, "wall time", "s", seconds,
                                  side->count);
  if (added)
    b->wall = &b->measures.list[b->measures.count - 1];
  free(seconds);
  return added ? EXIT_DONE : message_failed("out of memory");
}

/* ---- The run folder ---- */

static double cost_of_tracing(const benching *b) {
  double untraced = b->job->facts.untraced_seconds;
  return untraced > 0 ? 100 * (b->wall->p50 / untraced - 1) : (double)NAN;
}

enum { OWN_HPARAMS = 16 };

/* Fills the hparams: facts about the bench, and medians of the figures that the runner printed. The
 * user's own come last, and so replace others of the same name. */
static size_t fill_hparams(const benching *b, etr_tag *out, char texts[OWN_HPARAMS][32],
                           char numbers[3][32]) {
  const bench_facts *facts = &b->job->facts;
  size_t count = 0;
  for (size_t i = 0; i < b->measures.count && count < OWN_HPARAMS; i++) {
    const bench_measure *measure = &b->measures.list[i];
    if (measure->kind != MEASURE_RUNNER)
      continue;
    (void)snprintf(texts[count], sizeof *texts, "%.9g", measure->p50);
    out[count] = (etr_tag){measure->name, texts[count]};
    count++;
  }
  (void)snprintf(numbers[0], 32, "%zu", facts->repeat);
  (void)snprintf(numbers[1], 32, "%zu", facts->warmup);
  (void)snprintf(numbers[2], 32, "%.2f", cost_of_tracing(b));
  out[count++] = (etr_tag){"host", facts->host};
  out[count++] = (etr_tag){"device", facts->device};
  if (facts->commit[0] != '\0')
    out[count++] = (etr_tag){"commit", facts->commit};
  out[count++] = (etr_tag){"command", facts->command};
  out[count++] = (etr_tag){"repeat", numbers[0]};
  out[count++] = (etr_tag){"warmup", numbers[1]};
  if (isfinite(cost_of_tracing(b)))
    out[count++] = (etr_tag){"tracing_percent", numbers[2]};
  for (size_t i = 0; i < b->settings->hparam_count; i++)
    out[count++] = b->settings->hparams[i];
  return count;
}

/* Keeps one run of each earlier bench, because TensorBoard selects no run by itself if there are
 * more than 40. */
static exit_status trim_earlier(const benching *b, const etr_logdir_options *options) {
  char run[BENCH_RUN_ROOM], before[BENCH_RUN_ROOM] = "", path[PATH_MAX];
  etr_logdir_options trimmed = *options;
  etr_error error;
  const char *history = b->job->history.text;
  trimmed.name = run;
  for (const char *line; (line = history_line(&history)) != NULL;) {
    bool is_new = flat_json_text(line, "run", run, sizeof run) && strcmp(run, before) != 0;
    if (!is_new || run[0] == '\0' || run[0] == '.' || strchr(run, '/') != NULL)
      continue;
    memcpy(before, run, sizeof before);
    history_path(&b->job->history, run, "", path);
    if (command_is_folder(path) && etr_trim_logdir(&trimmed, &error) != ETR_OK)
      return message_error(&error);
  }
  return EXIT_DONE;
}

static exit_status write_runs(const benching *b) {
  char host[256] = "localhost", numbers[3][32], texts[OWN_HPARAMS][32];
  etr_tag hparams[2 * OWN_HPARAMS + MAX_LIST];
  etr_logdir_options options;
  etr_error error;
  if (b->profile->graph_count == 0) {
    message_warning("nothing was written for TensorBoard: " MESSAGE_NO_GRAPH);
    return EXIT_DONE;
  }
  bench_logdir_options(&options, b->settings, host);
  options.logdir = b->job->history.folder;
  options.name = b->job->history.run;
  options.hparams = hparams;
  options.hparam_count = fill_hparams(b, hparams, texts, numbers);
  if (etr_write_logdir(b->profile, &options, &error) != ETR_OK)
    return message_error(&error);
  return trim_earlier(b, &options);
}

static etr_status emit_summary(void *context, const etr_sink *sink, etr_error *error) {
  const benching *b = context;
  const etr_table_options options = command_table_options(&b->text);
  return etr_emit_summary_tables(b->profile, NULL, &options, sink, error);
}

/* ---- Other systems ---- */

static etr_status emit_target(void *context, const etr_sink *sink, etr_error *error) {
  const benching *b = context;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL)
    return message_fail(error, ETR_ERROR_MEMORY, "out of memory");
  if (b->settings->bench_target == BENCH_TARGET_HUD)
    hud_write(out, b->job, &b->measures, b->profile, b->link);
  else
    observer_write(out, &b->measures, b->link);
  bool written = fclose(out) == 0 && sink->write(sink->context, text, size);
  free(text);
  return written ? ETR_OK : message_fail(error, ETR_ERROR_IO, "cannot write the output");
}

/* ---- Running the command ---- */

/* Prints for each method the medians of the last benches, this one last, with the steps between
 * them and a small curve. Then prints a line for each figure of the runner. lines: the lines of
 * this bench for the history. */
static exit_status print_trend(const benching *b, const char *lines) {
  bool ascii = command_table_options(b->settings).ascii, has_figures = false;
  const bench_measures *measures = &b->measures;
  char *text = NULL;
  size_t size = 0;
  FILE *all = open_memstream(&text, &size);
  if (all == NULL)
    return message_failed("out of memory");
  fprintf(all, "%s%s", b->job->history.text, lines);
  if (fclose(all) != 0)
    return message_failed("out of memory");
  for (size_t i = 0; i < measures->count; i++)
    if (measures->list[i].kind == MEASURE_METHOD)
      print_method(stdout, text, &measures->list[i], ascii);
  for (size_t i = 0; i < measures->count; i++) {
    if (measures->list[i].kind != MEASURE_RUNNER)
      continue;
    if (!has_figures)
      printf("\n%-19s  %10s %8s  %10s\n", "printed by runner", "median", "", "last step");
    has_figures = true;
    print_figure(stdout, text, &measures->list[i], ascii);
  }
  free(text);
  return EXIT_DONE;
}

static exit_status print_results(benching *b, const char *lines) {
  double cost = cost_of_tracing(b), untraced = b->job->facts.untraced_seconds;
  exit_status status = b->settings->has_bench_target ? command_put(b->settings, emit_target, b)
                                                     : EXIT_DONE;
  if (status != EXIT_DONE || !b->prints)
    return status;
  status = print_trend(b, lines);
  if (isfinite(cost))
    printf("\ntracing: the process takes %.3f s with an ETDump (median), %.3f s without (once): "
           "%+.1f %%%s\n",
           b->wall->p50, untraced, cost,
           untraced >= b->wall->min && untraced <= b->wall->max
               ? "\n  recordings differ by at least that much"
               : "");
  else
    printf("\ntracing: its cost is unknown: %s\n", b->job->facts.untraced_why);
  fputs("\ntensorboard --logdir ", stdout);
  message_put_plain(stdout, command_logdir(b->settings));
  fputs("\n", stdout);
  return status == EXIT_DONE ? message_written(ETR_OK, NULL) : status;
}

/* Warns if recordings of a side failed. Returns true if any did. */
static bool warn_of_failed(const benching *b, const bench_side *side) {
  if (side->failed > 0)
    message_warning("%zu of %zu %srecordings failed and do not count", side->failed,
                    b->job->facts.repeat, side->label);
  return side->failed > 0;
}

/* Appends the lines of this bench to the history. This is done last, when the files that it names
 * exist. */
static exit_status append_lines(benching *b, char **lines) {
  size_t size = 0;
  FILE *out = open_memstream(lines, &size);
  if (out == NULL)
    return message_failed("out of memory");
  bool is_whole = true;
  for (size_t i = 0; i < b->measures.count; i++)
    is_whole = put_line(out, b->job, b->profile, &b->measures.list[i]) && is_whole;
  if (fclose(out) != 0 || *lines == NULL || !is_whole)
    return message_failed("out of memory");
  return history_append(&b->job->history, *lines);
}

/* Writes the profile's document, with which the next bench is compared, and the run folder; prints
 * the comparison. An exit status of --fail-above takes precedence over failed recordings. */
static exit_status write_and_compare(benching *b) {
  char path[PATH_MAX], *lines = NULL;
  etr_error error;
  const bench_newer newer = {b->settings, &b->text, b->job, b->profile, &b->document, b->prints};
  history_path(&b->job->history, b->job->history.run, "profile.json", path);
  if (etr_emit_profile_json(b->profile, &(etr_sink){bench_document_add, &b->document}, &error) !=
          ETR_OK ||
      bench_document_write(&b->document, path, &error) != ETR_OK)
    return message_error(&error);
  exit_status status = write_runs(b);
  if (status == EXIT_DONE && b->prints)
    status = command_put(&b->text, emit_summary, b);
  if (status != EXIT_DONE)
    return status;
  exit_status compared = base_compare(&newer, b->base);
  status = append_lines(b, &lines);
  if (status == EXIT_DONE)
    status = bench_curves_write(b->job, b->settings, &b->measures, lines);
  if (status == EXIT_DONE)
    status = print_results(b, lines);
  if (status == EXIT_DONE)
    status = compared;
  free(lines);
  bool base_failed = warn_of_failed(b, &b->job->base), failed = warn_of_failed(b, &b->job->newer);
  return status == EXIT_DONE && (failed || base_failed) ? EXIT_SOME_FAILED : status;
}

exit_status command_bench(const cli_settings *settings) {
  benching b = {.settings = settings, .text = *settings, .job = settings->job};
  b.text.output = NULL;
  b.prints = !settings->has_bench_target || command_has_file(settings);
  const char *served = settings->tensorboard != NULL ? settings->tensorboard
                                                     : "http://localhost:6006";
  size_t size = strlen(served);
  while (size > 0 && served[size - 1] == '/')
    size--;
  (void)snprintf(b.link, sizeof b.link, "%.*s/?runFilter=%s#timeseries", (int)size, served,
                 b.job->history.run);
  history_warn(&b.job->history);
  exit_status status = read_recordings(&b);
  if (status == EXIT_DONE)
    status = write_and_compare(&b);
  bench_document_clear(&b.document);
  bench_measures_clear(&b.measures);
  etr_profile_close(b.profile);
  etr_profile_close(b.base);
  bench_job_end(settings->job);
  return status;
}
