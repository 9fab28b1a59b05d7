/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench.c - `etrecord-tb bench`: reads the ETDumps of the recordings, writes their TensorBoard run
 * and prints the results.
 */
#include "bench/job.h"
#include "command/flat_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Figures: what is measured once for each recording ---- */

/** The statistics of a figure over the recordings that have it. */
typedef struct statistics {
  size_t count; /* number of recordings; 0: the others are 0, too */
  double p50, min, max;
} statistics;

static int by_size(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

/* Returns the statistics of some values, which it sorts. Values that are not finite do not count.
 */
static statistics statistics_of(double *values, size_t count) {
  size_t known_count = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(values[i]))
      values[known_count++] = values[i];
  if (known_count == 0)
    return (statistics){0};
  qsort(values, known_count, sizeof *values, by_size);
  return (statistics){.count = known_count,
                      .p50 = (values[(known_count - 1) / 2] + values[known_count / 2]) / 2,
                      .min = values[0],
                      .max = values[known_count - 1]};
}

/* A figure in the lines "PyTorchObserver {...}" that ExecuTorch's LLM runner prints: a time between
 * two time stamps, or a count per second in that time. */
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

enum { FIGURES = sizeof figures / sizeof *figures };

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

/* ---- The command `bench` ---- */

/* The results of a bench. */
typedef struct benching {
  const cli_settings *settings;
  bench_job *job;
  etr_profile *profile,
      *base; /* base: the program that was recorded in turns; NULL: there is none */
  statistics printed[FIGURES]; /* by the runner */
  statistics wall;             /* duration of the recordings' processes, in seconds */
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
                       b->job->folder.path, b->job->folder.run,
                       side == &b->job->base ? "/base" : "");
  return false;
}

/* Opens the base's ETDumps, if the bench has a base, and prints warnings. */
static exit_status open_base(benching *b) {
  cli_settings own = *b->settings;
  if (b->job->base.arguments == NULL)
    return EXIT_DONE;
  /* A record of its own replaces the files of the new side. */
  if (own.against_record != NULL) {
    own.record = own.against_record;
    own.etrecord = own.pte = NULL;
  }
  return bench_open_side(&b->base, &own, &b->job->base);
}

/* Computes the statistics of what the runner printed, and of how long it took. */
static exit_status measure_output(benching *b) {
  const bench_side *side = &b->job->newer;
  double *values = calloc(side->count, sizeof *values);
  if (values == NULL)
    return message_failed("out of memory");
  for (size_t i = 0; i < FIGURES; i++) {
    for (size_t k = 0; k < side->count; k++)
      values[k] = value_of(&figures[i], side->recordings[k].report);
    b->printed[i] = statistics_of(values, side->count);
  }
  for (size_t k = 0; k < side->count; k++)
    values[k] = side->recordings[k].seconds;
  b->wall = statistics_of(values, side->count);
  free(values);
  return EXIT_DONE;
}

/* Reads the ETDumps of both sides. */
static exit_status read_recordings(benching *b) {
  bool has_base = keep_readable(b, &b->job->base);
  if (!keep_readable(b, &b->job->newer) || !has_base)
    return EXIT_BAD_INPUT;
  exit_status status = open_base(b);
  if (status == EXIT_DONE)
    status = bench_open_side(&b->profile, b->settings, &b->job->newer);
  return status == EXIT_DONE ? measure_output(b) : status;
}

/* ---- The run folder ---- */

static double cost_of_tracing(const benching *b) {
  double untraced = b->job->facts.untraced_seconds;
  return untraced > 0 ? 100 * (b->wall.p50 / untraced - 1) : (double)NAN;
}

enum { OWN_HPARAMS = FIGURES + 7 };

/* Fills the hparams: facts about the bench, and medians of the figures that the runner printed. The
 * user's own come last, and so replace others of the same name. */
static size_t fill_hparams(const benching *b, etr_tag *out, char texts[FIGURES][32],
                           char numbers[3][32]) {
  const bench_facts *facts = &b->job->facts;
  size_t count = 0;
  for (size_t i = 0; i < FIGURES; i++) {
    if (b->printed[i].count == 0)
      continue;
    (void)snprintf(texts[i], sizeof *texts, "%.9g", b->printed[i].p50);
    out[count++] = (etr_tag){figures[i].name, texts[i]};
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

/* Writes the recordings as runs for TensorBoard, if the record has a graph. */
static exit_status write_runs(const benching *b) {
  char host[256] = "localhost", numbers[3][32], texts[FIGURES][32];
  etr_tag hparams[OWN_HPARAMS + MAX_LIST];
  etr_logdir_options options;
  etr_error error;
  if (b->profile->graph_count == 0) {
    message_warning("nothing was written for TensorBoard: " MESSAGE_NO_GRAPH);
    return EXIT_DONE;
  }
  bench_logdir_options(&options, b->settings, host);
  options.logdir = b->job->folder.path;
  options.name = b->job->folder.run;
  options.hparams = hparams;
  options.hparam_count = fill_hparams(b, hparams, texts, numbers);
  return etr_write_logdir(b->profile, &options, &error) == ETR_OK ? EXIT_DONE
                                                                  : message_error(&error);
}

/* ---- Printing ---- */

static etr_status emit_summary(void *context, const etr_sink *sink, etr_error *error) {
  const benching *b = context;
  const etr_table_options options = command_table_options(b->settings);
  return etr_emit_summary_tables(b->profile, NULL, &options, sink, error);
}

enum { FORMAT_BENCHMARK_OF_BENCH = 1 }; /* of the option's words */

/* Returns true if the output is for github-action-benchmark, which takes no other text. */
static bool is_for_action(const benching *b) {
  return b->settings->format == FORMAT_BENCHMARK_OF_BENCH;
}

/* Prints what became slower or faster, as `diff` does. Returns the exit status by --fail-above. */
static exit_status compare_with_base(const benching *b) {
  etr_error error;
  etr_comparison *comparison;
  etr_compare_options options = command_compare_options(b->settings);
  if (b->base == NULL)
    return EXIT_DONE;
  options.is_in_turns = true;
  if (etr_compare(&comparison, b->base, b->profile, &options, &error) != ETR_OK)
    return message_error(&error);
  exit_status status = EXIT_DONE;
  if (!is_for_action(b)) {
    fputs("\nrecorded in turns with ", stdout);
    message_put_plain(stdout, b->job->facts.against);
    fputs(":\n\n", stdout);
    status = command_print_diff(comparison, b->settings);
  }
  if (status == EXIT_DONE)
    status = command_check_limits(comparison, b->settings);
  etr_comparison_close(comparison);
  return status;
}

/* Returns the throughput of the runs that read the fewest tokens, which generate; NULL if it is not
 * known. */
static const etr_throughput *generation_of(const etr_profile *profile) {
  const etr_throughput *found = NULL;
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    bool has_phases = method->mixed_phase_count > 1;
    for (size_t k = 0; k < (has_phases ? method->run_phase_count : 1); k++) {
      const etr_throughput *at = has_phases ? method->run_phases[k].throughput : method->throughput;
      if (at && at->tokens_per_second > 0 && (!found || at->tokens_per_run < found->tokens_per_run))
        found = at;
    }
  }
  return found;
}

/* Returns the throughput of the run that reads the prompt; NULL if it is not known. */
static const etr_throughput *prefill_of(const etr_profile *profile) {
  const etr_first_token *first = profile->first_token;
  if (!first)
    return NULL;
  const etr_method *method = &profile->methods[first->method];
  bool is_phase = first->phase < method->run_phase_count;
  return is_phase ? method->run_phases[first->phase].throughput : method->throughput;
}

/* Returns the figure of the runner as the ETDumps have it, of Method::execute alone; NaN: they do
 * not have it. */
static double recorded_of(const benching *b, const figure *f) {
  const etr_throughput *prefill = prefill_of(b->profile), *steps = generation_of(b->profile);
  if (!prefill || !steps)
    return NAN;
  if (strcmp(f->name, "prefill") == 0 || strcmp(f->name, "time to first token") == 0)
    return etr_ticks_to_ns(b->profile, b->profile->first_token->ticks) / 1e6;
  if (strcmp(f->name, "prefill rate") == 0)
    return prefill->tokens_per_second;
  return strcmp(f->name, "generation rate") == 0 ? steps->tokens_per_second : (double)NAN;
}

/* Prints a line for each figure of the runner, beside that of the ETDumps. */
static void print_figures(const benching *b) {
  bool has_figures = false, is_recorded = false;
  for (size_t i = 0; i < FIGURES; i++)
    is_recorded |= b->printed[i].count > 0 && isfinite(recorded_of(b, &figures[i]));
  for (size_t i = 0; i < FIGURES; i++) {
    double recorded = recorded_of(b, &figures[i]);
    if (b->printed[i].count == 0)
      continue;
    if (!has_figures)
      printf("\n%-19s  %10s%s\n", "printed by runner", "median",
             is_recorded ? "            in Method::execute" : "");
    has_figures = true;
    printf("%-19s  %10.2f %s", figures[i].name, b->printed[i].p50, figures[i].unit);
    if (isfinite(recorded))
      printf("%*s%20.2f %s", 12 - (int)strlen(figures[i].unit), "", recorded, figures[i].unit);
    putchar('\n');
  }
  if (is_recorded)
    puts("  the runner's times contain sampling, the tokenizer and what is between runs, too");
}

/* Prints how much longer the process takes with an ETDump than without. */
static void print_cost_of_tracing(const benching *b) {
  double cost = cost_of_tracing(b), untraced = b->job->facts.untraced_seconds;
  if (isfinite(cost))
    printf("\ntracing: the process takes %.3f s with an ETDump (median), %.3f s without (once): "
           "%+.1f %%%s\n",
           b->wall.p50, untraced, cost,
           untraced >= b->wall.min && untraced <= b->wall.max
               ? "\n  recordings differ by at least that much"
               : "");
  else
    printf("\ntracing: its cost is unknown: %s\n", b->job->facts.untraced_why);
}

/* Prints how to see the run in TensorBoard: the command, and the page's address there. */
static void print_links(const benching *b) {
  fputs("\ntensorboard --logdir ", stdout);
  message_put_plain(stdout, command_logdir(b->settings));
  char link[PATH_MAX];
  (void)snprintf(link, sizeof link, "http://localhost:6006/?runFilter=%s#timeseries",
                 b->job->folder.run);
  putchar('\n');
  message_put_plain(stdout, link);
  putchar('\n');
}

/* Warns if recordings of a side failed. Returns true if any did. */
static bool warn_of_failed(const benching *b, const bench_side *side) {
  if (side->failed > 0)
    message_warning("%zu of %zu %srecordings failed and do not count", side->failed,
                    b->job->facts.repeat, side->label);
  return side->failed > 0;
}

/* Writes the run folder and prints the results. An exit status of --fail-above takes precedence
 * over failed recordings. */
static exit_status write_and_print(benching *b) {
  exit_status status = write_runs(b);
  if (status == EXIT_DONE)
    status = is_for_action(b) ? command_print_benchmark(b->profile, b->settings)
                              : command_put(b->settings, emit_summary, b);
  if (status != EXIT_DONE)
    return status;
  exit_status compared = compare_with_base(b);
  if (!is_for_action(b)) {
    print_figures(b);
    print_cost_of_tracing(b);
    print_links(b);
  }
  status = message_written(ETR_OK, NULL);
  if (status == EXIT_DONE)
    status = compared;
  bool base_failed = warn_of_failed(b, &b->job->base), failed = warn_of_failed(b, &b->job->newer);
  return status == EXIT_DONE && (failed || base_failed) ? EXIT_SOME_FAILED : status;
}

exit_status command_bench(const cli_settings *settings) {
  benching b = {.settings = settings, .job = settings->job};
  exit_status status = read_recordings(&b);
  if (status == EXIT_DONE)
    status = write_and_print(&b);
  etr_profile_close(b.profile);
  etr_profile_close(b.base);
  bench_job_end(settings->job);
  return status;
}
