/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_write.c - `etrecord-tb write`: TensorBoard run folders and DOT files.
 */
#include "base/system.h"
#include "command/command.h"
#include "command/runner.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- Short names of ETDumps: "pixel8" of "out/pixel8.etdp" and of "pixel8/etdump.etdp" ---- */

enum { DUMP_NAME_ROOM = 256 };

typedef struct dump_name {
  const char *path; /* borrowed */
  size_t left;      /* bytes of the path without the last parts that all paths have in common */
  size_t stem;      /* bytes of the text without its number */
  unsigned number;  /* number among names with the same stem: 2 for the second one */
  char text[DUMP_NAME_ROOM];
} dump_name;

/* Returns the start of the last part of a path of *size bytes, ignoring slashes at its end, and
 * sets *size to the size of the part. */
static const char *find_last_part(const char *path, size_t *size) {
  while (*size > 0 && etr_is_slash(path[*size - 1]))
    (*size)--;
  size_t start = *size;
  while (start > 0 && !etr_is_slash(path[start - 1]))
    start--;
  *size -= start;
  return path + start;
}

/* Returns true if what is left of all paths, their first `left` bytes, ends in the same folder or
 * file, and none is empty without that part. The part then distinguishes nothing and can be left
 * out of names. */
static bool have_same_last_part(const dump_name *names, size_t count) {
  size_t size = names[0].left;
  const char *first_part = find_last_part(names[0].path, &size);
  for (size_t i = 0; i < count; i++) {
    size_t part_size = names[i].left;
    const char *part = find_last_part(names[i].path, &part_size);
    if (part == names[i].path || part_size != size || memcmp(part, first_part, size) != 0)
      return false;
  }
  return true;
}

/* Makes the name of the runs of an ETDump from the last part that is left of its path, without an
 * extension. Leaves room for the number that make_unique() may append. A name of dots alone, or an
 * empty one, would be no folder of its own and becomes "etdump". */
static void set_run_name(dump_name *name) {
  enum { ROOM_FOR_NUMBER = 16 };
  size_t size = name->left;
  const char *part = find_last_part(name->path, &size);
  if (size >= sizeof name->text)
    size = sizeof name->text - 1;
  snprintf(name->text, sizeof name->text, "%.*s", (int)size, part);
  size = etr_dump_name_stem(name->text);
  if (size > DUMP_NAME_ROOM - ROOM_FOR_NUMBER)
    size = DUMP_NAME_ROOM - ROOM_FOR_NUMBER;
  name->text[size] = '\0';
  if (strcmp(name->path, "-") == 0)
    snprintf(name->text, sizeof name->text, "stdin");
  if (name->text[strspn(name->text, ".")] == '\0')
    snprintf(name->text, sizeof name->text, "etdump");
}

/* Returns true if a name cannot be used for runs: it is that of one of the first `count` ETDumps,
 * or has another meaning in a logdir. */
static bool is_taken(const dump_name *names, size_t count, const char *text) {
  if (strcmp(text, "dot") == 0)
    return true; /* the folder of DOT files */
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i].text, text) == 0)
      return true;
  return false;
}

/* Makes a name unique among those before it: the second of a name gets "~2", and so on. Numbers
 * that another name already ends in are skipped. */
static void make_unique(dump_name *names, size_t index) {
  dump_name *name = &names[index];
  name->stem = strlen(name->text);
  name->number = 1;
  for (size_t i = index;
       i-- > 0 && name->number == 1;) /* one more than the last name with this stem */
    if (names[i].stem == name->stem && memcmp(names[i].text, name->text, name->stem) == 0)
      name->number = names[i].number + 1;
  if (name->number == 1 && !is_taken(names, index, name->text))
    return;
  if (name->number == 1)
    name->number = 2;
  do
    snprintf(name->text + name->stem, sizeof name->text - name->stem, "~%u", name->number);
  while (is_taken(names, index, name->text) && name->number++);
}

/* Names the ETDumps by their files or, if the files of all are named alike, by the folders in which
 * they are. The same paths always give the same names. */
static void name_dumps(dump_name *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    names[i].left = strlen(names[i].path);
  while (count > 1 && have_same_last_part(names, count))
    for (size_t i = 0; i < count; i++) {
      size_t size = names[i].left;
      names[i].left = (size_t)(find_last_part(names[i].path, &size) - names[i].path);
    }
  for (size_t i = 0; i < count; i++) {
    set_run_name(&names[i]);
    make_unique(names, i);
  }
}

/* ---- Writing ---- */

/* Prints the line of a file that was written: its kind, its entry point and its path. */
static void print_file(void *context, const char *path, const char *entry_point, const char *kind) {
  (void)context;
  printf("%-6s  ", kind);
  message_put_plain(stdout, entry_point);
  fputs("  ", stdout);
  message_put_plain(stdout, path);
  putchar('\n');
}

double command_seconds_since_1970(void) {
  struct timeval time;
  gettimeofday(&time, NULL);
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* The state of writing one profile after the other, one per ETDump. */
typedef struct writing {
  const cli_settings *settings;
  const etr_inputs *inputs;
  etr_logdir *logdir;
  dump_name *names;                    /* one per ETDump; NULL if there are fewer than two */
  etr_method_choice choices[MAX_LIST]; /* choices for the runs of the current ETDump */
  size_t first_run; /* number of the current ETDump's first run among the runs of all */
} writing;

/* Limits a range of runs, which are numbered over all ETDumps, to the runs from `begin` to before
 * `end` of one ETDump, and numbers them within it. Returns false, and changes nothing, if the range
 * has none of them. */
static bool limit_to_dump(size_t *first, size_t *last, size_t begin, size_t end) {
  if (*first >= end || *last < begin)
    return false;
  *first = *first < begin ? 0 : *first - begin;
  *last = (*last >= end ? end - 1 : *last) - begin;
  return true;
}

/* Sets which runs of ETDump `dump` are read, and as which methods. Options number the runs of all
 * ETDumps together, as `info` does; w->first_run is the number of the first run of this one, so
 * ETDumps must come in order. */
static void set_own_runs(writing *w, etr_options *reading, const etr_profile *all, size_t dump) {
  size_t begin = w->first_run, end = begin;
  for (size_t i = 0; i < all->run_count; i++)
    end += all->runs[i].dump == dump;
  reading->choices = w->choices;
  reading->choice_count = 0;
  for (size_t i = 0; i < w->settings->map_count; i++) {
    etr_method_choice choice = w->settings->choices[i];
    if (limit_to_dump(&choice.run, &choice.last, begin, end))
      w->choices[reading->choice_count++] = choice;
  }
  if (end == begin) /* a range of no runs would be refused */
    reading->skip = ETR_SKIP_NONE;
  bool has_range = reading->skip == ETR_SKIP_RANGE;
  if (has_range && !limit_to_dump(&reading->first_run, &reading->last_run, begin, end)) {
    reading->skip = ETR_SKIP_FIRST; /* none of its runs counts */
    reading->skip_count = UINT32_MAX;
  }
}

/* Opens the record with the ETDump of index `dump`, or with all ETDumps if w->names is NULL, and
 * adds its runs to the logdir. all: a profile of all ETDumps, needed if options number the runs of
 * all of them; else NULL. */
static exit_status write_one(writing *w, const etr_profile *all, size_t dump) {
  etr_error error;
  etr_profile *profile;
  etr_inputs inputs = *w->inputs;
  if (w->names) {
    inputs.etdumps += dump;
    inputs.etdump_count = 1;
    inputs.debug_buffer = NULL; /* it is unknown which ETDump it belongs to */
  }
  etr_options reading = command_reading_options(w->settings);
  reading.run_offset = w->first_run;
  if (all)
    set_own_runs(w, &reading, all, dump);
  if (etr_profile_open(&profile, &inputs, &reading, &error) != ETR_OK)
    return message_error(&error);
  w->first_run += profile->run_count;
  exit_status result = command_check_dump(profile, w->settings);
  if (result == EXIT_DONE)
    message_warnings(profile, w->names ? inputs.etdumps[0] : NULL);
  bool is_first = dump == 0; /* one warning about the clock is enough */
  if (result == EXIT_DONE && is_first)
    message_clock(profile);
  if (result == EXIT_DONE)
    result = command_compare_values(profile, w->settings, &inputs);
  if (result == EXIT_DONE &&
      etr_logdir_add(w->logdir, profile, w->names ? w->names[dump].text : NULL, &error) != ETR_OK)
    result = message_error(&error);
  command_close(profile);
  return result;
}

/* Adds the runs of each ETDump by itself, under its own name; those of a single one without a name.
 */
static exit_status write_each(writing *w) {
  etr_error error;
  size_t count = w->inputs->etdump_count;
  etr_profile *all = NULL;
  exit_status result = EXIT_DONE;
  if (count <= 1)
    return write_one(w, NULL, 0);
  w->names = calloc(count, sizeof *w->names);
  if (!w->names)
    return message_failed("out of memory");
  for (size_t i = 0; i < count; i++)
    w->names[i].path = w->inputs->etdumps[i];
  name_dumps(w->names, count);
  bool numbers_runs = w->settings->map_count > 0 || w->settings->skip == ETR_SKIP_RANGE;
  if (numbers_runs) { /* checks these options, and counts the runs of each ETDump */
    const etr_options reading = command_reading_options(w->settings);
    if (etr_profile_open(&all, w->inputs, &reading, &error) != ETR_OK)
      result = message_error(&error);
  }
  for (size_t i = 0; result == EXIT_DONE && i < count; i++)
    result = write_one(w, all, i);
  etr_profile_close(all);
  free(w->names);
  return result;
}

/* ---- Builds ---- */

enum { STEP_FROM_GIT, STEP_FROM_TIME, MOST_STEP_DIGITS = 15, GIT_SECONDS = 60 };

/* Runs git and copies the first line that it prints into `line`, of `room` bytes. Fails with a
 * message if git fails. */
static exit_status ask_git(char *line, size_t room, const char *const *arguments) {
  runner_outcome outcome;
  char reason[RUNNER_REASON_ROOM];
  exit_status status = EXIT_DONE;
  runner_run(&outcome, &(runner_program){.arguments = arguments, .seconds = GIT_SECONDS});
  int size = (int)strcspn(outcome.output, "\r\n");
  (void)snprintf(line, room, "%.*s", size, outcome.output);
  runner_reason(&outcome, GIT_SECONDS, reason);
  if (!runner_succeeded(&outcome))
    status = message_failed(
        "--step-from git: git %s: %s%s%.200s: run it in a clone of the model, or "
        "give --step N",
        arguments[1], reason, line[0] ? ": " : "", line);
  runner_clear(&outcome);
  return status;
}

/* Reads a step: at most 15 digits, which JavaScript's numbers, and so TensorBoard's page, hold
 * exactly. Returns false for any other text. */
static bool read_step(int64_t *out, const char *text) {
  size_t digits = strspn(text, "0123456789");
  *out = digits > 0 && digits <= MOST_STEP_DIGITS ? strtoll(text, NULL, 10) : 0;
  return digits > 0 && digits <= MOST_STEP_DIGITS && text[digits] == '\0';
}

/* Sets the step to the number of commits. Fails in a clone without its history, which would give
 * each build the same number. */
static exit_status count_commits(cli_settings *settings) {
  char line[256];
  exit_status status = ask_git(
      line, sizeof line,
      (const char *const[]){"git", "rev-parse", "--is-shallow-repository", NULL});
  if (status != EXIT_DONE)
    return status;
  if (strcmp(line, "true") == 0)
    return message_failed(
        "--step-from git: this clone is shallow, so that its commits cannot be "
        "counted: fetch all of them (fetch-depth: 0 of actions/checkout), or give "
        "--step N");
  status = ask_git(line, sizeof line,
                   (const char *const[]){"git", "rev-list", "--count", "HEAD", NULL});
  if (status == EXIT_DONE && !read_step(&settings->step, line))
    status = message_failed("--step-from git: git printed no number: give --step N");
  return status;
}

exit_status command_choose_step(cli_settings *settings) {
  bool is_build = settings->step_text || settings->has_step_from;
  if (settings->step_text && settings->has_step_from)
    return message_usage("write", "--step and --step-from exclude each other");
  if (settings->against_record && !is_build)
    return message_usage("write",
                         "--against needs --step or --step-from: it marks a curve of builds");
  if (is_build && settings->graphs && strcmp(settings->graphs, "all") == 0)
    return message_usage("write", "--graphs all has a run for each graph, and builds are one run");
  settings->has_step = is_build;
  if (settings->step_text && !read_step(&settings->step, settings->step_text))
    return message_usage("write", "--step: \"%.40s\" is not a whole number of at most %d digits",
                         settings->step_text, MOST_STEP_DIGITS);
  return settings->has_step_from && settings->step_from == STEP_FROM_GIT ? count_commits(settings)
                                                                         : EXIT_DONE;
}

/* Writes a build of a model as one point of the curves over builds: all its ETDumps together, at
 * the step (x coordinate) of --step, or at the time for --step-from time. With --against, the point
 * says whether it became slower than that record, which is opened alone: the files that other
 * options name are those of the new build. */
static exit_status write_build(writing *w, etr_logdir_options *options) {
  const cli_settings *settings = w->settings;
  cli_settings base_settings = *settings;
  etr_profile *base = NULL;
  exit_status status = EXIT_DONE;
  options->has_step = true;
  bool is_by_time = settings->has_step_from && settings->step_from == STEP_FROM_TIME;
  options->step = is_by_time ? ETR_STEP_OF_TIME : settings->step;
  base_settings.record = settings->against_record;
  base_settings.more_count = base_settings.etdump_count = 0;
  base_settings.etrecord = base_settings.pte = base_settings.debug_buffer = NULL;
  base_settings.reference = NULL;
  if (settings->against_record)
    status = command_open(&base, &base_settings);
  options->before = base;
  if (status == EXIT_DONE)
    status = write_one(w, NULL, 0);
  command_close(base);
  return status;
}

/* ---- Runs of the log directory ---- */

enum { MOST_SELECTED = 40, DEEPEST_RUN = 6, MOST_LOOKED_AT = 20000 };

/* The search for run folders, which ends when there are more than TensorBoard selects by itself. */
typedef struct run_search {
  size_t runs, looked_at;
} run_search;

/* Counts the folders with event files, from this folder down, until there are more than TensorBoard
 * selects, or the search looked at too many files or too deep. */
static void count_runs(run_search *search, const char *folder, int depth) {
  DIR *directory = depth < DEEPEST_RUN ? opendir(folder) : NULL;
  bool is_run = false;
  if (directory == NULL)
    return;
  for (const struct dirent *entry;
       search->runs <= MOST_SELECTED && (entry = readdir(directory)) != NULL;) {
    char path[PATH_MAX];
    if (search->looked_at++ > MOST_LOOKED_AT)
      break;
    bool is_events = strstr(entry->d_name, "tfevents") != NULL;
    search->runs += is_events && !is_run;
    is_run |= is_events;
    if (is_events || entry->d_name[0] == '.')
      continue;
    int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (size > 0 && (size_t)size < sizeof path && command_is_folder(path))
      count_runs(search, path, depth + 1);
  }
  (void)closedir(directory);
}

/* Warns if the logdir has more runs than TensorBoard selects by itself: it then selects none. */
static void warn_of_many_runs(const cli_settings *settings) {
  run_search search = {0};
  count_runs(&search, command_logdir(settings), 0);
  if (search.runs > MOST_SELECTED)
    message_warning(
        "%s: more than %d runs, of which TensorBoard selects none by itself: select runs "
        "at the left of the page, or write builds of one model as one run with --step",
        command_logdir(settings), MOST_SELECTED);
}

exit_status command_write(const cli_settings *settings) {
  etr_inputs inputs;
  char host[256] = "localhost";
  bool replaced = false;
  exit_status result = command_find_inputs(&inputs, settings);
  if (result != EXIT_DONE)
    return result;
  gethostname(host, sizeof host - 1);
  writing w = {.settings = settings, .inputs = &inputs};
  etr_logdir_options options = {.logdir = command_logdir(settings),
                                .name = settings->name,
                                .wall_time = command_seconds_since_1970(),
                                .host = host,
                                .pid = (long)getpid(),
                                .dot_depth = (int)settings->depth,
                                .hparams = settings->hparams,
                                .hparam_count = settings->hparam_count,
                                .on_file = print_file,
                                .graphs = settings->graphs,
                                .max_bytes = command_bytes(settings->max_output),
                                .replaced = &replaced};
  etr_error error;
  bool begun = etr_logdir_begin(&w.logdir, &options, &error) == ETR_OK;
  if (!begun)
    result = message_error(&error);
  else
    result = settings->has_step ? write_build(&w, &options) : write_each(&w);
  if (begun && result != EXIT_DONE)
    etr_logdir_discard(w.logdir);
  else if (begun && etr_logdir_finish(w.logdir, &error) != ETR_OK)
    result = message_error(&error);
  bool has_graph = inputs.etrecord || inputs.pte;
  if (settings->record)
    etr_inputs_clear(&inputs);
  if (result != EXIT_DONE)
    return result;
  warn_of_many_runs(settings);
  if (!has_graph)
    puts("GRAPHS will not show it: an ETDump alone has no graph; its .pte or ETRecord has one");
  if (replaced && (!settings->has_step || settings->hparam_count > 0))
    printf("written before: a TensorBoard that is running shows the old hparams%s until it is "
           "restarted\n",
           settings->has_step ? "" : ", and old points,");
  printf("tensorboard --logdir %s\n", command_logdir(settings));
  return message_written(ETR_OK, NULL);
}
