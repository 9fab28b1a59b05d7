/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collect.c - makes the recordings of a bench: first warm-up, then one process without an ETDump,
 * then the recordings that count. With a base, the two programs take turns, the base first. The
 * ETDumps are not read here.
 */
#include "bench/dump_place.h"
#include "bench/job.h"
#include "bench/program.h"
#include "command/flat_json.h"
#include "command/runner.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
  USUAL_REPEAT = 5,
  USUAL_WARMUP = 1,
  USUAL_TIMEOUT = 600,
  PATIENCE = 10,
  MOST_SHOWN_LINES = 20
};

/* The purpose for which a program is run. */
typedef enum recording_kind { KIND_WARM_UP, KIND_UNTRACED, KIND_COUNTS } recording_kind;

/* A program that takes its turns, and the location of its ETDumps. */
typedef struct collected_side {
  bench_side *side;
  dump_place place;
  const char *(*dump)(const bench_folder *folder, size_t index); /* path of an ETDump that counts */
} collected_side;

typedef struct collecting {
  double timeout;
  bench_job *job;
  collected_side sides[2]; /* in the order of their turns; the new side comes last */
  size_t side_count;
  bool cannot_start;   /* a program could not be started, so no other recording is tried */
  bool has_cut_output; /* a warning said that a program printed too much */
} collecting;

enum { WHAT_ROOM = 64 };

/* ---- Facts ---- */

/* Runs a program, for at most PATIENCE seconds, and copies the first line that it prints; copies ""
 * if the program fails. */
static void read_first_line(const char *const *arguments, char line[FACT_ROOM]) {
  runner_outcome outcome;
  runner_run(&outcome, &(runner_program){.arguments = arguments, .seconds = PATIENCE});
  line[0] = '\0';
  if (runner_succeeded(&outcome))
    (void)snprintf(line, FACT_ROOM, "%.*s", (int)strcspn(outcome.output, "\r\n"), outcome.output);
  runner_clear(&outcome);
}

/* Returns the arguments separated by blanks, for people, in memory that the caller frees. Returns
 * NULL when out of memory. */
static char *join_arguments(const char *const *arguments) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL)
    return NULL;
  for (size_t i = 0; arguments[i] != NULL; i++)
    fprintf(out, "%s%s", i > 0 ? " " : "", arguments[i]);
  return fclose(out) == 0 ? text : NULL;
}

/* Finds the facts about a bench: host, device, commit and command lines. The device is that of
 * --hparam device=..., or else the model that adb reports ("" if it reports none), or without adb
 * the type of this machine.
 * against: the base's arguments, NULL if there is no base. */
static exit_status find_facts(bench_facts *facts, const cli_settings *settings,
                              const char *const *against) {
  const char *const *arguments = settings->program;
  struct utsname system;
  *facts = (bench_facts){.repeat = settings->has_repeat ? (size_t)settings->repeat : USUAL_REPEAT,
                         .warmup = settings->has_warmup ? (size_t)settings->warmup : USUAL_WARMUP,
                         .untraced_seconds = NAN,
                         .command = join_arguments(arguments),
                         .against = against != NULL ? join_arguments(against) : NULL};
  if (facts->command == NULL || (against != NULL && facts->against == NULL))
    return message_failed("out of memory");
  (void)gethostname(facts->host, sizeof facts->host - 1);
  if (uname(&system) == 0)
    (void)snprintf(facts->device, sizeof facts->device, "%s", system.machine);
  if (program_is_adb(arguments)) {
    const char *adb_call[MOST_ADB_ARGUMENTS + 1];
    program_adb(adb_call, arguments,
                (const char *const[]){"shell", "getprop ro.product.model", NULL});
    read_first_line(adb_call, facts->device);
  }
  for (size_t i = 0; i < settings->hparam_count; i++)
    if (strcmp(settings->hparams[i].name, "device") == 0)
      (void)snprintf(facts->device, sizeof facts->device, "%s", settings->hparams[i].value);
  read_first_line((const char *const[]){"git", "rev-parse", "HEAD", NULL}, facts->commit);
  return EXIT_DONE;
}

/* ---- Progress and failures ---- */

/* Writes "base recording 3 of 5", "warm-up 1 of 1" or "process without ETDump". */
static void describe_recording(char what[WHAT_ROOM], const collecting *c, const bench_side *side,
                               recording_kind kind, size_t index) {
  const bench_facts *facts = &c->job->facts;
  if (kind == KIND_UNTRACED)
    (void)snprintf(what, WHAT_ROOM, "%sprocess without ETDump", side->label);
  else
    (void)snprintf(what, WHAT_ROOM, "%s%s %zu of %zu", side->label,
                   kind == KIND_WARM_UP ? "warm-up" : "recording", index + 1,
                   kind == KIND_WARM_UP ? facts->warmup : facts->repeat);
}

/* Prints, to stderr, at most the last MOST_SHOWN_LINES lines of what a program printed, each after
 * "  | ", or that it printed nothing. */
static void print_output(const char *output) {
  const char *line = output + strlen(output);
  if (line > output && line[-1] == '\n')
    line--;
  for (size_t line_count = 0; line > output; line--)
    if (line[-1] == '\n' && ++line_count == MOST_SHOWN_LINES)
      break;
  if (*line == '\0')
    (void)message_failed("  it printed nothing");
  while (*line != '\0') {
    int size = (int)strcspn(line, "\r\n");
    (void)message_failed("  | %.*s", size, line);
    line += size;
    line += *line == '\r';
    line += *line == '\n';
  }
}

/* Prints why a recording failed and, if `output` is not NULL, the last lines that its program
 * printed. */
static void print_failure(const bench_side *side, const char *what, const char *reason,
                          const char *output) {
  (void)message_failed("%s (%s): %s", what, side->arguments[0], reason);
  if (output != NULL)
    print_output(output);
}

/* ---- Recordings ---- */

/* Runs a side's program once and moves its ETDump to `path`. Returns false, with a message, if the
 * program or the move failed; sets c->cannot_start if the program could not even be started. Output
 * that was cut is warned of once. The caller clears *outcome in either case. */
static bool record_once(collecting *c, collected_side *collected, recording_kind kind, size_t index,
                        const char *path, runner_outcome *outcome) {
  char reason[RUNNER_REASON_ROOM], what[WHAT_ROOM];
  etr_error error;
  describe_recording(what, c, collected->side, kind, index);
  /* A warm-up is announced as that of both sides, since a log has no line about the first one. */
  message_progress("%s", what + (kind == KIND_WARM_UP ? strlen(collected->side->label) : 0));
  bool remembers = dump_place_remember(&collected->place, &error) == ETR_OK;
  runner_run(outcome,
             &(runner_program){.arguments = collected->side->arguments, .seconds = c->timeout});
  if (outcome->is_cut && !c->has_cut_output) {
    message_warning("%s: the program printed more than %d MiB, of which only the end is kept", what,
                    RUNNER_MOST_OUTPUT >> 20);
  }
  c->has_cut_output |= outcome->is_cut;
  if (!runner_succeeded(outcome)) {
    runner_reason(outcome, c->timeout, reason);
    c->cannot_start = outcome->start_error != 0;
    print_failure(collected->side, what, reason, c->cannot_start ? NULL : outcome->output);
    return false;
  }
  if (remembers && dump_place_take(&collected->place, path, &error) == ETR_OK)
    return true;
  print_failure(collected->side, what, error.message, outcome->output);
  return false;
}

/* Returns a copy of the last line "PyTorchObserver {...}" that a runner printed, from '{' on:
 * earlier lines are those of its own warm-up. Returns NULL if there is none, or when out of memory.
 */
static char *copy_last_report(const char *output) {
  const char *report = NULL;
  for (const char *start = output; (start = strstr(start, BENCH_OBSERVER "{")) != NULL;) {
    start += sizeof BENCH_OBSERVER - 1;
    if (flat_json_is_object(start))
      report = start;
  }
  return report != NULL ? strndup(report, strcspn(report, "\n")) : NULL;
}

/* Records a side once, as number `index`, and adds the recording to the side or counts it as
 * failed. A warm-up (another kind than KIND_COUNTS) leaves nothing: its ETDump is removed, and its
 * failure does not count. */
static void record_in_turn(collecting *c, collected_side *collected, recording_kind kind,
                           size_t index) {
  bench_side *side = collected->side;
  runner_outcome outcome;
  const char *file = kind == KIND_COUNTS ? collected->dump(&c->job->folder, index)
                                         : bench_folder_spare_dump(&c->job->folder);
  bool is_recorded = record_once(c, collected, kind, index, file, &outcome);
  if (is_recorded && kind == KIND_COUNTS) {
    side->recordings[side->count++] = (bench_recording){outcome.seconds,
                                                        copy_last_report(outcome.output), file};
    runner_clear(&outcome);
    return;
  }
  if (kind == KIND_COUNTS)
    side->failed++;
  else
    (void)unlink(file);
  runner_clear(&outcome);
}

/* Records each side `turns` times, in turns: base, new, base, new. Machines change by the hour, and
 * in turns this affects both sides. Ends early if a program cannot be started. */
static void take_turns(collecting *c, size_t turns, recording_kind kind) {
  for (size_t i = 0; i < turns; i++)
    for (size_t k = 0; k < c->side_count && !c->cannot_start; k++)
      record_in_turn(c, &c->sides[k], kind, i);
}

/* ---- The cost of tracing ---- */

/* Runs the program without the option that names its ETDump, and sets how many seconds that took,
 * or why that says nothing: a runner that was built for tracing may still trace, into a file of its
 * own choice. That is also assumed if the files before the run could not be remembered. */
static void run_untraced(const collecting *c, const char *const *arguments) {
  static const char default_dump[] = "model.etdump"; /* the default of executor_runner */
  bench_job *job = c->job;
  runner_outcome outcome;
  dump_place place;
  etr_error error;
  char what[WHAT_ROOM];
  dump_place_init(&place, arguments, NULL, NULL); /* looks in the working directory */
  if (access(default_dump, F_OK) == 0) {
    static const char why[] = "model.etdump is in the working directory, which the runner might "
                              "replace";
    job->facts.untraced_why = why;
    return;
  }
  describe_recording(what, c, &job->newer, KIND_UNTRACED, 0);
  message_progress("%s", what);
  bool is_remembered = dump_place_remember(&place, &error) == ETR_OK;
  runner_run(&outcome, &(runner_program){.arguments = arguments, .seconds = c->timeout});
  if (!runner_succeeded(&outcome))
    job->facts.untraced_why = "the runner fails without the option that names its ETDump";
  else if (!is_remembered ||
           dump_place_take(&place, bench_folder_spare_dump(&job->folder), &error) == ETR_OK)
    job->facts.untraced_why = "the runner leaves an ETDump even without the option that names it";
  else
    job->facts.untraced_seconds = outcome.seconds;
  (void)unlink(bench_folder_spare_dump(&job->folder));
  runner_clear(&outcome);
  dump_place_clear(&place);
}

/* Measures how long the new side takes without an ETDump (facts.untraced_seconds), or sets why that
 * failed (untraced_why). Nothing is set if no option names the ETDump, so that none can be left
 * out, nor on a device, where an ETDump in another place would remain unnoticed. */
static void measure_tracing(const collecting *c) {
  const char *const *arguments = c->job->newer.arguments;
  const char **untraced = program_is_adb(arguments) ? NULL : program_without_dump(arguments);
  if (untraced != NULL)
    run_untraced(c, untraced);
  free(untraced);
}

/* ---- Running a job ---- */

/* Returns true for a folder in which all names begin with a dot, or that has none; false if it
 * cannot be opened. No file in it is opened, because this runs before rights are given up. */
static bool is_empty_folder(const char *path) {
  DIR *folder = opendir(path);
  bool is_empty = folder != NULL;
  for (const struct dirent *entry; is_empty && (entry = readdir(folder)) != NULL;)
    is_empty = entry->d_name[0] == '.';
  if (folder != NULL)
    closedir(folder);
  return is_empty;
}

/* Returns true for the name of a folder, or of one in a folder, "a/b", that is below the folder in
 * which it is made and not hidden. */
static bool is_folder_name(const char *name) {
  return name[0] != '\0' && name[0] != '.' && name[0] != '/' && name[strlen(name) - 1] != '/' &&
         strstr(name, "/.") == NULL && strstr(name, "//") == NULL;
}

/* Refuses options of `bench` that are wrong or contradict each other, with a message, before
 * anything is run. */
static exit_status check_settings(const cli_settings *settings) {
  exit_status checked = command_check_noise(settings, "bench");
  if (checked != EXIT_DONE)
    return checked;
  if (settings->has_repeat && settings->repeat == 0)
    return message_usage("bench", "--repeat takes at least 1");
  if (settings->name != NULL && !is_folder_name(settings->name))
    return message_usage("bench", "--name is the name of a folder, not \"%s\"", settings->name);
  if (settings->against_record != NULL && settings->against == NULL)
    return message_usage("bench", "--against-record needs --against: give the base's command line");
  if (settings->has_fail_above && settings->against == NULL)
    return message_usage("bench",
                         "--fail-above needs a base: name a base with --against, or compare "
                         "folders with diff");
  if (settings->record != NULL && is_empty_folder(settings->record))
    return message_usage("bench",
                         "%s is an empty folder: name one with the ETRecord or the .pte of what "
                         "the runner runs",
                         settings->record);
  return EXIT_DONE;
}

/* Splits the base's command line, --against, into job->base.arguments. Fails with a message if it
 * cannot be split or is empty; does nothing if the option is not given. */
static exit_status split_base(bench_job *job, const cli_settings *settings) {
  const char *problem;
  if (settings->against == NULL)
    return EXIT_DONE;
  job->base_words = program_words(settings->against, &problem);
  if (job->base_words == NULL)
    return message_usage("bench", "--against \"%s\": %s", settings->against, problem);
  if (job->base_words[0] == NULL || job->base_words[0][0] == '\0')
    return message_usage("bench", "--against \"%s\": there is no command in it", settings->against);
  job->base.arguments = job->base_words;
  return EXIT_DONE;
}

/* Prepares a job: the facts, the run folder, and room for the recordings of both sides. Fails with
 * a message. */
static exit_status prepare_job(bench_job *job, const cli_settings *settings) {
  char name[BENCH_NAME_ROOM];
  bool has_base = job->base.arguments != NULL;
  bench_default_name(settings, name);
  exit_status status = find_facts(&job->facts, settings, job->base.arguments);
  if (status == EXIT_DONE)
    status = bench_folder_open(&job->folder, command_logdir(settings), name, settings->instructions,
                               job->facts.repeat, has_base);
  if (status != EXIT_DONE)
    return status;
  job->newer.recordings = calloc(job->facts.repeat, sizeof *job->newer.recordings);
  job->base.recordings = calloc(job->facts.repeat, sizeof *job->base.recordings);
  job->base.label = "base ";
  job->newer.label = has_base ? "new " : "";
  return job->newer.recordings != NULL && job->base.recordings != NULL
             ? EXIT_DONE
             : message_failed("out of memory");
}

/* Adds a side to those that are recorded in turns, and finds where its program will leave its
 * ETDumps: at --pull or the path in its arguments, or else in the working directory or `record`,
 * the folder of its record, which may be NULL. */
static void begin_side(collecting *c, bench_side *side, const cli_settings *settings,
                       const char *record) {
  collected_side *added = &c->sides[c->side_count++];
  *added = (collected_side){
      .side = side, .dump = side == &c->job->base ? bench_folder_base_dump : bench_folder_dump};
  dump_place_init(&added->place, side->arguments, settings->pull, record);
}

/* Runs the programs of both sides in turns: warm-up, the new side once without an ETDump, then the
 * recordings that count. Keeps the folder, or fails, with a message, if a side left no ETDump. */
static exit_status record_job(bench_job *job, const cli_settings *settings) {
  collecting c = {.timeout = settings->timeout > 0 ? settings->timeout : (double)USUAL_TIMEOUT,
                  .job = job};
  if (job->base.arguments != NULL) {
    const char *own = settings->against_record;
    /* This warning comes before anything is recorded, because the recorded times would be useless.
     */
    if (own == NULL && !program_has_same_model(job->newer.arguments, job->base.arguments))
      message_warning("%s: base and new run different models (%s and %s), so the base's times may "
                      "be on wrong nodes: "
                      "name the base's record with --against-record",
                      settings->record != NULL ? settings->record : settings->etrecord,
                      program_model_path(job->base.arguments),
                      program_model_path(job->newer.arguments));
    begin_side(&c, &job->base, settings, own != NULL ? own : settings->record);
  }
  begin_side(&c, &job->newer, settings, settings->record);
  take_turns(&c, job->facts.warmup, KIND_WARM_UP);
  if (!c.cannot_start)
    measure_tracing(&c);
  take_turns(&c, job->facts.repeat, KIND_COUNTS);
  message_end_progress();
  for (size_t i = 0; i < c.side_count; i++)
    dump_place_clear(&c.sides[i].place);
  for (size_t i = 0; i < c.side_count; i++) {
    const bench_side *side = c.sides[i].side;
    if (side->count > 0)
      continue;
    if (!c.cannot_start)
      (void)message_failed("no %srecording left an ETDump: nothing was written", side->label);
    return EXIT_BAD_INPUT;
  }
  bench_folder_keep(&job->folder);
  return EXIT_DONE;
}

exit_status bench_collect(cli_settings *settings) {
  exit_status status = check_settings(settings);
  if (status != EXIT_DONE)
    return status;
  bench_job *job = calloc(1, sizeof *job);
  if (job == NULL)
    return message_failed("out of memory");
  job->newer.arguments = settings->program;
  status = split_base(job, settings);
  if (status == EXIT_DONE)
    status = prepare_job(job, settings);
  if (status == EXIT_DONE)
    status = record_job(job, settings);
  if (status == EXIT_DONE)
    settings->job = job;
  else
    bench_job_end(job);
  return status;
}

/* Frees the recordings of a side; their ETDumps stay. */
static void free_side(bench_side *side) {
  for (size_t i = 0; i < side->count; i++)
    free(side->recordings[i].report);
  free(side->recordings);
}

void bench_job_end(bench_job *job) {
  if (job == NULL)
    return;
  free_side(&job->newer);
  free_side(&job->base);
  free(job->base_words);
  free(job->facts.command);
  free(job->facts.against);
  bench_folder_close(&job->folder);
  free(job);
}
