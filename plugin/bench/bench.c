/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench.c - `etrecord-tb bench`: reads the dumps of the recordings, and writes what they say.
 */
#include "bench/base.h"
#include "bench/hud.h"
#include "bench/observer.h"
#include "bench/shared.h"
#include "bench/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is said of a bench. */
typedef struct benching {
  const cli_settings *settings;
  cli_settings text; /* the same, to print on standard output */
  bench_job *job;
  etr_profile *profile, *base; /* base: of the program that was recorded in turns; NULL: none */
  bench_measures measures;
  const bench_measure *wall; /* of the recordings */
  bench_document document;   /* of the profile */
  char link[BENCH_NAME_ROOM + PATH_MAX];
  bool prints; /* text on standard output: not where lines for another system go there */
} benching;

/* ---- Reading ---- */

/* A dump alone, since a damaged one among others would take them along. */
static bool is_readable(const benching *b, const char *dump) {
  etr_error error;
  etr_profile *profile;
  const etr_inputs inputs = {.etdumps = &dump, .etdump_count = 1};
  const etr_options reading = {.ticks_per_second = b->settings->ticks_per_second,
                               .max_bytes = command_bytes(b->settings->max_bytes),
                               .max_events = (uint32_t)b->settings->max_events};
  etr_status status = etr_profile_open(&profile, &inputs, &reading, &error);
  if (status == ETR_OK && profile->run_count == 0)
    status = message_fail(&error, ETR_ERROR_FORMAT, "%s: this ETDump holds no run", dump);
  etr_profile_close(profile);
  if (status != ETR_OK) (void)message_error(&error);
  return status == ETR_OK;
}

/* Drops recordings whose dumps cannot be read; the files stay. False, with a message: there are none left. */
static bool keep_readable(const benching *b, bench_side *side) {
  size_t kept = 0;
  for (size_t i = 0; i < side->count; i++) {
    bench_recording *recording = &side->recordings[i];
    if (is_readable(b, recording->dump)) {
      side->recordings[kept++] = *recording;
      continue;
    }
    free(recording->output);
    side->failed++;
  }
  side->count = kept;
  if (kept > 0 || side->arguments == NULL) return true;
  (void)message_failed("no %srecording left an ETDump that can be read: see %s/%s%s", side->label,
                       b->job->history.folder, b->job->history.run, side == &b->job->base ? "/base" : "");
  return false;
}

static bool add_wall_times(benching *b) {
  const bench_side *side = &b->job->newer;
  double *seconds = calloc(side->count + 1, sizeof *seconds);
  for (size_t i = 0; seconds != NULL && i < side->count; i++) seconds[i] = side->recordings[i].seconds;
  bool added = seconds != NULL &&
               bench_measures_add(&b->measures, MEASURE_WALL, "wall time", "s", seconds, side->count);
  if (added) b->wall = &b->measures.list[b->measures.count - 1];
  free(seconds);
  return added;
}

static exit_status read_recordings(benching *b) {
  bool has_base = keep_readable(b, &b->job->base);
  if (!keep_readable(b, &b->job->newer) || !has_base) return EXIT_BAD_INPUT;
  exit_status status = base_open(&b->base, b->settings, b->job);
  if (status == EXIT_DONE) status = bench_open_side(&b->profile, b->settings, &b->job->newer);
  if (status != EXIT_DONE) return status;
  bool added = bench_measures_add_methods(&b->measures, b->profile) && observer_add_measures(&b->measures, b->job) &&
               add_wall_times(b);
  return added ? EXIT_DONE : message_failed("out of memory");
}

/* ---- The run folder ---- */

static double cost_of_tracing(const benching *b) {
  double untraced = b->job->facts.untraced_seconds;
  return untraced > 0 ? 100 * (b->wall->p50 / untraced - 1) : (double)NAN;
}

enum { OWN_HPARAMS = 16 };

/* Medians of what the runner printed. */
static size_t fill_figures(const benching *b, etr_tag *out, char texts[OWN_HPARAMS][32]) {
  size_t count = 0;
  for (size_t i = 0; i < b->measures.count; i++) {
    const bench_measure *measure = &b->measures.list[i];
    if (measure->kind != MEASURE_RUNNER || count == OWN_HPARAMS) continue;
    (void)snprintf(texts[count], sizeof *texts, "%.9g", measure->p50);
    out[count] = (etr_tag){measure->name, texts[count]};
    count++;
  }
  return count;
}

/* The user's own come last, and so count where they are called alike. */
static size_t fill_hparams(const benching *b, etr_tag *out, char numbers[3][32]) {
  const bench_facts *facts = &b->job->facts;
  size_t count = 0;
  (void)snprintf(numbers[0], 32, "%zu", facts->repeat);
  (void)snprintf(numbers[1], 32, "%zu", facts->warmup);
  (void)snprintf(numbers[2], 32, "%.2f", cost_of_tracing(b));
  out[count++] = (etr_tag){"host", facts->host};
  out[count++] = (etr_tag){"device", facts->device};
  if (facts->commit[0] != '\0') out[count++] = (etr_tag){"commit", facts->commit};
  out[count++] = (etr_tag){"command", facts->command};
  out[count++] = (etr_tag){"repeat", numbers[0]};
  out[count++] = (etr_tag){"warmup", numbers[1]};
  if (isfinite(cost_of_tracing(b))) out[count++] = (etr_tag){"tracing_percent", numbers[2]};
  for (size_t i = 0; i < b->settings->hparam_count; i++) out[count++] = b->settings->hparams[i];
  return count;
}

static exit_status write_runs(const benching *b) {
  char host[256] = "localhost", numbers[3][32], texts[OWN_HPARAMS][32];
  etr_tag hparams[2 * OWN_HPARAMS + MAX_LIST];
  etr_logdir_options options;
  etr_error error;
  if (b->profile->graph_count == 0) {
    message_warning("nothing for TensorBoard: " MESSAGE_NO_GRAPH);
    return EXIT_DONE;
  }
  bench_logdir_options(&options, b->settings, host);
  options.logdir = b->job->history.folder;
  options.name = b->job->history.run;
  options.hparams = hparams;
  options.hparam_count = fill_figures(b, hparams, texts);
  options.hparam_count += fill_hparams(b, hparams + options.hparam_count, numbers);
  return etr_write_logdir(b->profile, &options, &error) == ETR_OK ? EXIT_DONE : message_error(&error);
}

/* ---- Text ---- */

static etr_status emit_summary(void *context, const etr_sink *sink, etr_error *error) {
  const benching *b = context;
  const etr_table_options options = command_table_options(&b->text);
  return etr_emit_summary_tables(b->profile, NULL, &options, sink, error);
}

static void print_tracing(const benching *b) {
  double cost = cost_of_tracing(b), untraced = b->job->facts.untraced_seconds;
  if (isfinite(cost))
    printf("\ntracing: the process takes %.3f s with an ETDump (median), %.3f s without (once): %+.1f %%%s\n",
           b->wall->p50, untraced, cost,
           untraced >= b->wall->min && untraced <= b->wall->max ? "\n  that is no more than recordings differ" : "");
  else
    printf("\ntracing: what it costs cannot be told: %s\n", b->job->facts.untraced_why);
}

static void print_note(const char *before, const char *name, const char *behind) {
  fputs(before, stdout);
  message_put_plain(stdout, name);
  fputs(behind, stdout);
}

/* ---- The document ---- */

static exit_status keep_document(benching *b) {
  char path[PATH_MAX];
  etr_error error;
  history_path(&b->job->history, b->job->history.run, "profile.json", path);
  etr_status status = etr_emit_profile_json(b->profile, &(etr_sink){bench_document_add, &b->document}, &error);
  if (status == ETR_OK) status = bench_document_write(&b->document, path, &error);
  return status == ETR_OK ? EXIT_DONE : message_error(&error);
}

/* ---- Other systems ---- */

/* The first method's backends. */
static const char *backend_of(const etr_profile *profile) {
  for (size_t i = 0; i < profile->method_count; i++)
    if (profile->methods[i].delegate_count > 0 && profile->methods[i].delegates[0].backend != NULL)
      return profile->methods[i].delegates[0].backend;
  return "portable";
}

static etr_status emit_target(void *context, const etr_sink *sink, etr_error *error) {
  const benching *b = context;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return message_fail(error, ETR_ERROR_MEMORY, "out of memory");
  if (b->settings->bench_target == BENCH_TARGET_HUD)
    hud_write(out, b->job, &b->measures, backend_of(b->profile), b->link);
  else
    observer_write(out, &b->measures, b->link);
  bool written = fclose(out) == 0 && sink->write(sink->context, text, size);
  free(text);
  return written ? ETR_OK : message_fail(error, ETR_ERROR_IO, "cannot write the output");
}

/* TensorBoard's page of these runs. */
static void set_link(benching *b) {
  const char *served = b->settings->tensorboard != NULL ? b->settings->tensorboard : "http://localhost:6006";
  size_t size = strlen(served);
  while (size > 0 && served[size - 1] == '/') size--;
  (void)snprintf(b->link, sizeof b->link, "%.*s/?runFilter=%s#timeseries", (int)size, served, b->job->history.run);
}

/* ---- The whole ---- */

/* The history comes last: what it names is there. */
static exit_status remember(benching *b, char **lines) {
  size_t size = 0;
  FILE *out = open_memstream(lines, &size);
  if (out == NULL) return message_failed("out of memory");
  trend_write_lines(out, b->job, &b->measures);
  if (fclose(out) != 0 || *lines == NULL) return message_failed("out of memory");
  return history_append(&b->job->history, *lines);
}

static exit_status print_trend(const benching *b, const char *lines) {
  char *text = NULL;
  size_t size = 0;
  FILE *all = open_memstream(&text, &size);
  if (all == NULL) return message_failed("out of memory");
  fprintf(all, "%s%s", b->job->history.text, lines);
  if (fclose(all) != 0) return message_failed("out of memory");
  trend_print(stdout, text, &b->measures, command_table_options(b->settings).ascii);
  free(text);
  return EXIT_DONE;
}

static exit_status say(benching *b, const char *lines) {
  if (b->settings->has_bench_target) {
    exit_status status = command_put(b->settings, emit_target, b);
    if (status != EXIT_DONE) return status;
  }
  if (!b->prints) return EXIT_DONE;
  exit_status status = print_trend(b, lines);
  print_tracing(b);
  print_note("\ntensorboard --logdir ", command_logdir(b->settings), "\n");
  return status == EXIT_DONE ? message_written(ETR_OK, NULL) : status;
}

/* Warns of recordings of a side that failed; true if there are any. */
static bool warn_of_failed(const benching *b, const bench_side *side) {
  if (side->failed > 0)
    message_warning("%zu of %zu %srecordings failed and do not count", side->failed, b->job->facts.repeat, side->label);
  return side->failed > 0;
}

/* What --fail-above makes of the comparison goes before recordings that failed. */
static exit_status conclude(benching *b, exit_status compared, char **lines) {
  exit_status status = remember(b, lines);
  if (status == EXIT_DONE) status = say(b, *lines);
  if (status == EXIT_DONE) status = compared;
  bool base_failed = warn_of_failed(b, &b->job->base), failed = warn_of_failed(b, &b->job->newer);
  return status == EXIT_DONE && (failed || base_failed) ? EXIT_SOME_FAILED : status;
}

static exit_status compare(const benching *b) {
  const bench_newer newer = {b->settings, &b->text, b->job, b->profile, &b->document, b->prints};
  return base_compare(&newer, b->base);
}

static exit_status run(benching *b) {
  char *lines = NULL;
  exit_status compared = EXIT_DONE;
  history_warn(&b->job->history);
  exit_status status = read_recordings(b);
  if (status == EXIT_DONE) status = keep_document(b);
  if (status == EXIT_DONE) status = write_runs(b);
  if (status == EXIT_DONE && b->prints) status = command_put(&b->text, emit_summary, b);
  if (status == EXIT_DONE) compared = compare(b);
  if (status == EXIT_DONE) status = conclude(b, compared, &lines);
  free(lines);
  return status;
}

exit_status command_bench(const cli_settings *settings) {
  benching b = {.settings = settings, .text = *settings, .job = settings->job};
  b.text.output = NULL;
  b.prints = !settings->has_bench_target || command_has_file(settings);
  set_link(&b);
  exit_status status = run(&b);
  bench_document_clear(&b.document);
  bench_measures_clear(&b.measures);
  etr_profile_close(b.profile);
  etr_profile_close(b.base);
  bench_job_end(settings->job);
  return status;
}
