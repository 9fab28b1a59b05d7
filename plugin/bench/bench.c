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

/* Returns the count, median, least and greatest of the values that are finite; all are 0 if there
 * is none. The array is sorted, and values that are not finite are overwritten. */
static statistics compute_statistics(double *values, size_t count) {
  size_t finite_count = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(values[i]))
      values[finite_count++] = values[i];
  if (finite_count == 0)
    return (statistics){0};
  qsort(values, finite_count, sizeof *values, by_size);
  return (statistics){.count = finite_count,
                      .p50 = (values[(finite_count - 1) / 2] + values[finite_count / 2]) / 2,
                      .min = values[0],
                      .max = values[finite_count - 1]};
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

/* Returns a figure from a line "PyTorchObserver {...}": milliseconds from the time `from` to the
 * time `to`, or for a figure that counts something, the count per second. The line says its units
 * of time per second (SCALING_FACTOR_UNITS_PER_SECOND); without that they are milliseconds. Returns
 * NAN if there is no line (`report` is NULL) or it does not have the figure. */
static double printed_value(const figure *f, const char *report) {
  double start_time, end_time, scale, count;
  if (report == NULL || !flat_json_number(report, f->from, &start_time) ||
      !flat_json_number(report, f->to, &end_time))
    return NAN;
  if (!flat_json_number(report, "SCALING_FACTOR_UNITS_PER_SECOND", &scale) || scale <= 0)
    scale = 1000;
  double seconds = (end_time - start_time) / scale;
  if (f->counted == NULL)
    return seconds >= 0 ? seconds * 1000 : (double)NAN;
  return seconds > 0 && flat_json_number(report, f->counted, &count) ? count / seconds
                                                                     : (double)NAN;
}

/* ---- The command `bench` ---- */

/* The results of a bench. */
typedef struct bench_run {
  const cli_settings *settings;
  bench_job *job;
  etr_profile *profile;        /* of the new side */
  etr_profile *base;           /* of the program that was recorded in turns; NULL: there is none */
  statistics printed[FIGURES]; /* by the runner */
  statistics wall;             /* duration of the recordings' processes, in seconds */
} bench_run;

/* ---- Reading ---- */

/* Drops recordings whose ETDumps cannot be read from the list; their files remain. Each ETDump is
 * opened alone, because together with others a damaged one would make all unreadable. Returns
 * false, with a message, if no recording is left; a side without a program needs none. */
static bool drop_unreadable_recordings(const bench_run *b, bench_side *side) {
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

/* Opens b->base, the profile of the base's ETDumps, if the bench has a base, and prints its
 * warnings. The base's record is that of --against-record, or else that of the new side. Fails with
 * a message. */
static exit_status open_base(bench_run *b) {
  cli_settings base_settings = *b->settings;
  if (b->job->base.arguments == NULL)
    return EXIT_DONE;
  /* With a record of its own, the base does not get the files of the new side. */
  if (base_settings.against_record != NULL) {
    base_settings.record = base_settings.against_record;
    base_settings.etrecord = base_settings.pte = NULL;
  }
  return bench_open_side(&b->base, &base_settings, &b->job->base);
}

/* Computes statistics over the recordings of the new side: of each figure that the runner printed
 * (b->printed), and of the seconds that the process took (b->wall). Recordings without a figure do
 * not count for it. */
static exit_status measure_output(bench_run *b) {
  const bench_side *side = &b->job->newer;
  double *values = calloc(side->count, sizeof *values);
  if (values == NULL)
    return message_failed("out of memory");
  for (size_t figure_index = 0; figure_index < FIGURES; figure_index++) {
    for (size_t recording = 0; recording < side->count; recording++)
      values[recording] = printed_value(&figures[figure_index], side->recordings[recording].report);
    b->printed[figure_index] = compute_statistics(values, side->count);
  }
  for (size_t recording = 0; recording < side->count; recording++)
    values[recording] = side->recordings[recording].seconds;
  b->wall = compute_statistics(values, side->count);
  free(values);
  return EXIT_DONE;
}

/* Opens the readable ETDumps of each side as one profile, then computes what the runner printed.
 * Fails with a message if a side has none, or a profile cannot be opened. */
static exit_status read_recordings(bench_run *b) {
  bool has_base = drop_unreadable_recordings(b, &b->job->base);
  if (!drop_unreadable_recordings(b, &b->job->newer) || !has_base)
    return EXIT_BAD_INPUT;
  exit_status status = open_base(b);
  if (status == EXIT_DONE)
    status = bench_open_side(&b->profile, b->settings, &b->job->newer);
  return status == EXIT_DONE ? measure_output(b) : status;
}

/* ---- The run folder ---- */

static double cost_of_tracing(const bench_run *b) {
  double untraced = b->job->facts.untraced_seconds;
  return untraced > 0 ? 100 * (b->wall.p50 / untraced - 1) : (double)NAN;
}

enum { OWN_HPARAMS = FIGURES + 8 };

/* Fills the hyperparameters of the run: medians of the figures that the runner printed (in their
 * units), facts about the bench, and the user's own, which come last and so replace others of the
 * same name. The texts of numbers are in the other two arrays, which must live as long as
 * `hparams`. Returns how many hyperparameters there are. */
static size_t fill_hparams(const bench_run *b, etr_tag *hparams, char figure_texts[FIGURES][32],
                           char fact_texts[3][32]) {
  const bench_facts *facts = &b->job->facts;
  size_t count = 0;
  for (size_t i = 0; i < FIGURES; i++) {
    if (b->printed[i].count == 0)
      continue;
    (void)snprintf(figure_texts[i], sizeof *figure_texts, "%.9g", b->printed[i].p50);
    hparams[count++] = (etr_tag){figures[i].name, figure_texts[i]};
  }
  (void)snprintf(fact_texts[0], 32, "%zu", facts->repeat);
  (void)snprintf(fact_texts[1], 32, "%zu", facts->warmup);
  (void)snprintf(fact_texts[2], 32, "%.2f", cost_of_tracing(b));
  hparams[count++] = (etr_tag){"host", facts->host};
  hparams[count++] = (etr_tag){"device", facts->device};
  if (facts->commit[0] != '\0')
    hparams[count++] = (etr_tag){"commit", facts->commit};
  if (b->base != NULL)
    hparams[count++] = (etr_tag){"side", "new"};
  hparams[count++] = (etr_tag){"command", facts->command};
  hparams[count++] = (etr_tag){"repeat", fact_texts[0]};
  hparams[count++] = (etr_tag){"warmup", fact_texts[1]};
  if (isfinite(cost_of_tracing(b)))
    hparams[count++] = (etr_tag){"tracing_percent", fact_texts[2]};
  for (size_t i = 0; i < b->settings->hparam_count; i++)
    hparams[count++] = b->settings->hparams[i];
  return count;
}

/* Writes the recordings of the base as a run of its own, `base` in that of the new side, so that
 * the dashboard compares the two. It has the hyperparameters that both sides have, and no commit,
 * since that of the base is unknown. Does nothing without a base that has a graph. Fails with a
 * message. */
static exit_status write_base_run(const bench_run *b, etr_logdir_options options) {
  const bench_facts *facts = &b->job->facts;
  enum { OF_BASE = 6 };
  char name[BENCH_RUN_ROOM + sizeof "/base"], repeat[32], warmup[32];
  etr_tag hparams[OF_BASE + MAX_LIST] = {{"host", facts->host}, {"device", facts->device},
                                         {"side", "base"},      {"command", facts->against},
                                         {"repeat", repeat},    {"warmup", warmup}};
  etr_error error;
  if (b->base == NULL || b->base->graph_count == 0)
    return EXIT_DONE;
  (void)snprintf(name, sizeof name, "%s/base", b->job->folder.run);
  (void)snprintf(repeat, sizeof repeat, "%zu", facts->repeat);
  (void)snprintf(warmup, sizeof warmup, "%zu", facts->warmup);
  options.name = name;
  options.hparams = hparams;
  options.hparam_count = OF_BASE;
  for (size_t i = 0; i < b->settings->hparam_count; i++)
    if (strcmp(b->settings->hparams[i].name, "commit") != 0)
      hparams[options.hparam_count++] = b->settings->hparams[i];
  return etr_write_logdir(b->base, &options, &error) == ETR_OK ? EXIT_DONE : message_error(&error);
}

/* Writes the recordings of each side as runs for TensorBoard into the bench's run folder, those of
 * the new side last, so that it is the newest. A record without a graph only gets a warning, and
 * that counts as success. Otherwise fails with a message. */
static exit_status write_runs(const bench_run *b) {
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
  exit_status status = write_base_run(b, options);
  if (status != EXIT_DONE)
    return status;
  options.name = b->job->folder.run;
  options.hparams = hparams;
  options.hparam_count = fill_hparams(b, hparams, texts, numbers);
  return etr_write_logdir(b->profile, &options, &error) == ETR_OK ? EXIT_DONE
                                                                  : message_error(&error);
}

/* ---- Printing ---- */

/* Writes what `summary` says about the recordings of the new side. */
static etr_status emit_summary(void *context, const etr_sink *sink, etr_error *error) {
  const bench_run *b = context;
  const etr_table_options options = command_table_options(b->settings);
  return etr_emit_summary_tables(b->profile, NULL, &options, sink, error);
}

enum { FORMAT_BENCHMARK_OF_BENCH = 1 }; /* of the option's words */

/* Returns true if the output is for github-action-benchmark, which takes no other text. */
static bool is_for_action(const bench_run *b) {
  return b->settings->format == FORMAT_BENCHMARK_OF_BENCH;
}

/* Prints what became slower or faster than the base, as `diff` does, unless the output is for a CI
 * action. is_in_turns: the recordings alternated, so that slow drifts of the machine count on both
 * sides. Returns the exit status that --fail-above asks for, and EXIT_DONE without a base. */
static exit_status compare_with_base(const bench_run *b) {
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

/* Returns the throughput of the method or phase that reads the fewest tokens per run, which is the
 * one that generates; NULL if no token rate is known. */
static const etr_throughput *generation_throughput(const etr_profile *profile) {
  const etr_throughput *found = NULL;
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    bool has_phases = method->mixed_phase_count > 1;
    for (size_t phase = 0; phase < (has_phases ? method->run_phase_count : 1); phase++) {
      const etr_throughput *throughput = has_phases ? method->run_phases[phase].throughput
                                                    : method->throughput;
      if (throughput && throughput->tokens_per_second > 0 &&
          (!found || throughput->tokens_per_run < found->tokens_per_run))
        found = throughput;
    }
  }
  return found;
}

/* Returns the throughput of the method or phase that reads the prompt, which is that of the first
 * token; NULL if it is not known. */
static const etr_throughput *prefill_throughput(const etr_profile *profile) {
  const etr_first_token *first = profile->first_token;
  if (!first)
    return NULL;
  const etr_method *method = &profile->methods[first->method];
  bool is_phase = first->phase < method->run_phase_count;
  return is_phase ? method->run_phases[first->phase].throughput : method->throughput;
}

/* Returns a figure of the runner as the ETDumps have it, from the time of Method::execute alone:
 * milliseconds, or tokens per second. NAN if they do not have it. Where the prefill is known, the
 * profile has a first token. */
static double recorded_figure(const bench_run *b, const figure *f) {
  const etr_throughput *prefill = prefill_throughput(b->profile);
  const etr_throughput *generation = generation_throughput(b->profile);
  if (!prefill || !generation)
    return NAN;
  if (strcmp(f->name, "prefill") == 0 || strcmp(f->name, "time to first token") == 0)
    return etr_ticks_to_ns(b->profile, b->profile->first_token->ticks) / 1e6;
  if (strcmp(f->name, "prefill rate") == 0)
    return prefill->tokens_per_second;
  return strcmp(f->name, "generation rate") == 0 ? generation->tokens_per_second : (double)NAN;
}

/* Prints a line for each figure that the runner printed (ExecuTorch's LLM runner prints some),
 * beside the figure from the ETDumps where there is one. */
static void print_figures(const bench_run *b) {
  bool has_figures = false, is_recorded = false;
  for (size_t i = 0; i < FIGURES; i++)
    is_recorded |= b->printed[i].count > 0 && isfinite(recorded_figure(b, &figures[i]));
  for (size_t i = 0; i < FIGURES; i++) {
    double recorded = recorded_figure(b, &figures[i]);
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

/* Prints how much longer the process takes with an ETDump than without one, in percent, also if the
 * recordings among themselves differ by as much; or why that could not be measured. */
static void print_cost_of_tracing(const bench_run *b) {
  double cost = cost_of_tracing(b);
  double untraced = b->job->facts.untraced_seconds;
  if (isfinite(cost))
    printf("\ntracing: the process takes %.3f s with an ETDump (median), %.3f s without (once): "
           "%+.1f %%%s\n",
           b->wall.p50, untraced, cost,
           untraced >= b->wall.min && untraced <= b->wall.max
               ? "\n  recordings differ by at least that much"
               : "");
  else if (b->job->facts.untraced_why)
    printf("\ntracing: its cost is unknown: %s\n", b->job->facts.untraced_why);
}

/* Prints a blank and a path, as a person types it. */
static void put_path(const char *path) {
  char quoted[4 * PATH_MAX];
  (void)command_quote(quoted, sizeof quoted, path);
  putchar(' ');
  message_put_plain(stdout, quoted);
}

/* Prints the paths of the ETRecord and of the program, each behind a word; a program in the
 * ETRecord has no path of its own. */
static void put_record(const etr_profile *profile, const char *etrecord, const char *pte) {
  if (profile->etrecord) {
    fputs(etrecord, stdout);
    put_path(profile->etrecord);
  }
  if (profile->pte && !(profile->etrecord && strcmp(profile->pte, profile->etrecord) == 0)) {
    fputs(pte, stdout);
    put_path(profile->pte);
  }
}

/* Prints the commands that show the recordings again, with their graphs: the folders of the bench
 * have ETDumps alone. `diff` takes one record for both sides; if each has its own, their files are
 * copied first. */
static void print_later_commands(const bench_run *b) {
  char folder[PATH_MAX], base[PATH_MAX];
  bool has_two = b->base && b->settings->against_record;
  (void)snprintf(folder, sizeof folder, "%.*s/%s", PATH_MAX - 64, b->job->folder.path,
                 b->job->folder.run);
  (void)snprintf(base, sizeof base, "%.*s/base", PATH_MAX - 8, folder);
  fputs("\nagain, later:\n", stdout);
  if (has_two) {
    fputs("cp -r", stdout);
    put_record(b->base, "", "");
    put_path(base);
    fputs("\ncp -r", stdout);
    put_record(b->profile, "", "");
    put_path(folder);
    putchar('\n');
  }
  printf("etrecord-tb %s", b->base ? "diff" : "summary");
  if (b->base)
    put_path(base);
  put_path(folder);
  if (!has_two)
    put_record(b->profile, " --etrecord", " --pte");
  putchar('\n');
}

/* Prints how to see the run in TensorBoard: the command, and the page's address there. */
static void print_links(const bench_run *b) {
  fputs("\ntensorboard --logdir", stdout);
  put_path(command_logdir(b->settings));
  char link[PATH_MAX];
  (void)snprintf(link, sizeof link, "http://localhost:6006/?runFilter=%s#timeseries",
                 b->job->folder.run);
  putchar('\n');
  message_put_plain(stdout, link);
  putchar('\n');
}

/* Warns if recordings of a side failed, were without ETDump or unreadable. Returns true if any did.
 */
static bool warn_of_failed(const bench_run *b, const bench_side *side) {
  if (side->failed > 0)
    message_warning("%zu of %zu %srecordings failed and do not count", side->failed,
                    b->job->facts.repeat, side->label);
  return side->failed > 0;
}

/* Writes the run folder and prints the results, for a CI action (is_for_action()) only the summary
 * as that reads it. Returns the exit status of a failure or of --fail-above, or else
 * EXIT_SOME_FAILED if a recording of either side failed. */
static exit_status write_and_print(bench_run *b) {
  exit_status status = write_runs(b);
  if (status == EXIT_DONE)
    status = is_for_action(b) ? command_print_benchmark(b->profile, b->settings)
                              : command_emit(b->settings, emit_summary, b);
  if (status != EXIT_DONE)
    return status;
  exit_status compared = compare_with_base(b);
  if (!is_for_action(b)) {
    print_figures(b);
    print_cost_of_tracing(b);
    print_later_commands(b);
    print_links(b);
  }
  status = message_written(ETR_OK, NULL);
  if (status == EXIT_DONE)
    status = compared;
  bool base_failed = warn_of_failed(b, &b->job->base);
  bool failed = warn_of_failed(b, &b->job->newer);
  return status == EXIT_DONE && (failed || base_failed) ? EXIT_SOME_FAILED : status;
}

exit_status command_bench(const cli_settings *settings) {
  bench_run b = {.settings = settings, .job = settings->job};
  exit_status status = read_recordings(&b);
  if (status == EXIT_DONE)
    status = write_and_print(&b);
  etr_profile_close(b.profile);
  etr_profile_close(b.base);
  bench_job_end(settings->job);
  return status;
}
