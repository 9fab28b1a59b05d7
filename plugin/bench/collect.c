/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collect.c - the passes of a bench: warm-up, untraced, those that count. Nothing that a runner leaves is read here.
 */
#include "bench/dump_place.h"
#include "bench/job.h"
#include "bench/program.h"
#include "bench/runner.h"
#include "bench/shared.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { USUAL_REPEAT = 5, USUAL_WARMUP = 1, USUAL_TIMEOUT = 600, PATIENCE = 10, MOST_SHOWN_LINES = 20 };

typedef struct collecting {
  const char *const *arguments;
  double timeout;
  bench_job *job;
  dump_place place;
  size_t done, all; /* passes, for the progress */
  bool cannot_start;
} collecting;

/* ---- Facts ---- */

/* The first line that a program prints; "" if it fails. */
static void ask(const char *const *arguments, char room[FACT_ROOM]) {
  runner_outcome outcome;
  runner_run(&outcome, arguments, PATIENCE);
  room[0] = '\0';
  if (runner_succeeded(&outcome))
    (void)snprintf(room, FACT_ROOM, "%.*s", (int)strcspn(outcome.output, "\r\n"), outcome.output);
  runner_clear(&outcome);
}

static void ask_device(bench_facts *facts, const char *const *arguments) {
  const char *call[MOST_ADB_ARGUMENTS + 1];
  program_adb(call, arguments, (const char *const[]){"shell", "getprop ro.product.model", NULL});
  ask(call, facts->device);
  (void)snprintf(facts->os, sizeof facts->os, "Android");
}

/* The arguments with blanks in between, as somebody would read them. */
static char *joined(const char *const *arguments) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return NULL;
  for (size_t i = 0; arguments[i] != NULL; i++) fprintf(out, "%s%s", i > 0 ? " " : "", arguments[i]);
  return fclose(out) == 0 ? text : NULL;
}

static exit_status find_facts(bench_facts *facts, const cli_settings *settings) {
  const char *const *arguments = settings->program;
  struct utsname system;
  *facts = (bench_facts){.repeat = settings->has_repeat ? (size_t)settings->repeat : USUAL_REPEAT,
                         .warmup = settings->has_warmup ? (size_t)settings->warmup : USUAL_WARMUP,
                         .untraced_seconds = NAN,
                         .command = joined(arguments)};
  if (facts->command == NULL) return message_failed("out of memory");
  (void)gethostname(facts->host, sizeof facts->host - 1);
  if (uname(&system) == 0) {
    (void)snprintf(facts->os, sizeof facts->os, "%s", system.sysname);
    (void)snprintf(facts->device, sizeof facts->device, "%s", system.machine);
  }
  if (program_is_adb(arguments)) ask_device(facts, arguments);
  for (size_t i = 0; i < settings->hparam_count; i++)
    if (strcmp(settings->hparams[i].name, "device") == 0)
      (void)snprintf(facts->device, sizeof facts->device, "%s", settings->hparams[i].value);
  ask((const char *const[]){"git", "rev-parse", "HEAD", NULL}, facts->commit);
  return EXIT_DONE;
}

/* ---- Progress and failures ---- */

static void show_progress(collecting *c, const char *what) {
  c->done++;
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[Krun %zu of %zu (%s)", c->done, c->all, what);
}

static void end_progress(void) {
  if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

static const char *last_lines(const char *text, size_t count) {
  const char *at = text + strlen(text);
  if (at > text && at[-1] == '\n') at--;
  for (; at > text; at--)
    if (at[-1] == '\n' && --count == 0) break;
  return at;
}

static void tell_output(const char *output) {
  const char *at = last_lines(output, MOST_SHOWN_LINES);
  if (*at == '\0') (void)message_failed("  it printed nothing");
  while (*at != '\0') {
    int size = (int)strcspn(at, "\n");
    (void)message_failed("  | %.*s", size, at);
    at += size;
    at += *at == '\n';
  }
}

static void tell_failure(const collecting *c, const char *what, const char *reason, const char *output) {
  end_progress();
  (void)message_failed("run %zu of %zu (%s) of %s: %s", c->done, c->all, what, c->arguments[0], reason);
  if (output != NULL) tell_output(output);
}

/* ---- Passes ---- */

/* Runs, and moves the dump to a file. False: it failed, which has been told. */
static bool run_traced(collecting *c, const char *what, const char *to, runner_outcome *outcome) {
  char reason[RUNNER_REASON_ROOM];
  etr_error error;
  show_progress(c, what);
  bool remembers = dump_place_remember(&c->place, &error) == ETR_OK;
  runner_run(outcome, c->arguments, c->timeout);
  if (!runner_succeeded(outcome)) {
    runner_reason(outcome, c->timeout, reason);
    c->cannot_start = outcome->start_error != 0;
    tell_failure(c, what, reason, c->cannot_start ? NULL : outcome->output);
    return false;
  }
  if (remembers && dump_place_take(&c->place, to, &error) == ETR_OK) return true;
  tell_failure(c, what, error.message, outcome->output);
  return false;
}

static void warm_up(collecting *c) {
  bench_job *job = c->job;
  const char *file = history_spare(&job->history);
  for (size_t i = 0; i < job->facts.warmup && !c->cannot_start; i++) {
    runner_outcome outcome;
    (void)run_traced(c, "warm-up", file, &outcome);
    (void)unlink(file);
    runner_clear(&outcome);
  }
}

/* A runner that was built for tracing traces without the option, too, into a file of its own choice. */
static bool left_a_dump(dump_place *place, const char *to) {
  etr_error error;
  bool left = dump_place_take(place, to, &error) == ETR_OK;
  (void)unlink(to);
  return left;
}

static void run_untraced(collecting *c, const char *const *arguments) {
  static const char default_dump[] = "model.etdump"; /* of executor_runner */
  bench_job *job = c->job;
  runner_outcome outcome;
  dump_place place;
  etr_error error;
  dump_place_init(&place, arguments, NULL, NULL);
  if (access(default_dump, F_OK) == 0) {
    job->facts.untraced_why = "model.etdump is in the working directory, which the runner might replace";
    return;
  }
  show_progress(c, "untraced");
  bool remembers = dump_place_remember(&place, &error) == ETR_OK;
  runner_run(&outcome, arguments, c->timeout);
  if (!runner_succeeded(&outcome))
    job->facts.untraced_why = "the runner fails without the option that names its ETDump";
  else if (!remembers || left_a_dump(&place, history_spare(&job->history)))
    job->facts.untraced_why = "the runner traces without the option that names its ETDump, too";
  else
    job->facts.untraced_seconds = outcome.seconds;
  runner_clear(&outcome);
  dump_place_clear(&place);
}

/* Without the dump's option, if that tells what tracing costs: on a device a dump elsewhere would not be seen. */
static const char **untraced_arguments(const collecting *c) {
  return program_is_adb(c->arguments) ? NULL : program_without_dump(c->arguments);
}

static void try_untraced(collecting *c) {
  const char **arguments = untraced_arguments(c);
  if (arguments != NULL)
    run_untraced(c, arguments);
  else
    c->job->facts.untraced_why = program_is_adb(c->arguments)
                                     ? "whether a run on a device traces cannot be seen"
                                     : "the runner has no option --etdump_path that could be left out";
  free(arguments);
}

static void run_those_that_count(collecting *c) {
  bench_job *job = c->job;
  for (size_t i = 0; i < job->facts.repeat && !c->cannot_start; i++) {
    runner_outcome outcome;
    const char *file = history_dump(&job->history, i);
    if (run_traced(c, "traced", file, &outcome)) {
      job->passes[job->pass_count++] = (bench_pass){outcome.seconds, outcome.output, file};
    } else {
      job->facts.failed++;
      runner_clear(&outcome);
    }
  }
}

/* ---- The whole ---- */

static exit_status run_all(collecting *c) {
  bench_job *job = c->job;
  const char **untraced = untraced_arguments(c);
  c->all = job->facts.warmup + job->facts.repeat + (untraced != NULL);
  free(untraced);
  warm_up(c);
  if (!c->cannot_start) try_untraced(c);
  if (!c->cannot_start) run_those_that_count(c);
  end_progress();
  dump_place_clear(&c->place);
  if (job->pass_count > 0) history_keep(&job->history);
  if (job->pass_count > 0) return EXIT_DONE;
  return c->cannot_start ? EXIT_BAD_INPUT : message_failed("no run left an ETDump: nothing was written");
}

static exit_status check_settings(const cli_settings *settings) {
  if (settings->has_repeat && settings->repeat == 0) return message_usage("bench", "--repeat takes at least 1");
  if (settings->name != NULL && (strchr(settings->name, '/') != NULL || settings->name[0] == '.'))
    return message_usage("bench", "--name is the name of a folder, not \"%s\"", settings->name);
  return EXIT_DONE;
}

static exit_status start_job(bench_job *job, const cli_settings *settings) {
  char name[BENCH_NAME_ROOM];
  bench_default_name(settings, name);
  exit_status status = find_facts(&job->facts, settings);
  if (status == EXIT_DONE) status = history_open(&job->history, command_logdir(settings), name, job->facts.repeat);
  if (status != EXIT_DONE) return status;
  job->passes = calloc(job->facts.repeat, sizeof *job->passes);
  return job->passes != NULL ? EXIT_DONE : message_failed("out of memory");
}

exit_status bench_collect(cli_settings *settings) {
  exit_status status = check_settings(settings);
  if (status != EXIT_DONE) return status;
  bench_job *job = calloc(1, sizeof *job);
  if (job == NULL) return message_failed("out of memory");
  job->history.lock = -1;
  status = start_job(job, settings);
  collecting c = {.arguments = settings->program,
                  .timeout = settings->timeout > 0 ? settings->timeout : (double)USUAL_TIMEOUT,
                  .job = job};
  dump_place_init(&c.place, c.arguments, settings->pull, settings->record);
  if (status == EXIT_DONE) status = run_all(&c);
  if (status == EXIT_DONE)
    settings->job = job;
  else
    bench_job_end(job);
  return status;
}

void bench_job_end(bench_job *job) {
  if (job == NULL) return;
  for (size_t i = 0; i < job->pass_count; i++) free(job->passes[i].output);
  free(job->passes);
  free(job->facts.command);
  history_close(&job->history);
  free(job);
}
