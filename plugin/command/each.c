/* SPDX-License-Identifier: BSD-3-Clause
 *
 * each.c - reads a record once and prints the answer about one ETDump after the other.
 */
#include "command/command.h"
#include "command/flat_json.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST_FOLDER = 64 }; /* folders in folders that are searched: links could lead in a circle */

typedef struct each {
  const cli_settings *settings;
  cli_settings own; /* the settings for one ETDump */
  etr_opened_record *record;
  etr_profile *bare; /* the record without ETDumps: its warnings are those of the record */
  size_t done, failed;
  exit_status stop; /* why no further ETDump is read: the output cannot be written, or an option is wrong */
} each;

bool each_is_wanted(const cli_settings *settings) { return settings->each || settings->each_from; }

exit_status each_prepare(cli_settings *settings) {
  if (!settings->problems) return EXIT_DONE;
  if (!each_is_wanted(settings))
    return message_usage(settings->command->name, "--problems needs --each or --each-from");
  settings->problem_file = fopen(settings->problems, "w");
  return settings->problem_file ? EXIT_DONE : message_failed("%s: %s", settings->problems, strerror(errno));
}

/* ---- One ETDump ---- */

static void note_problem(each *e, const char *path, const char *problem) {
  flat_json line;
  e->failed++;
  if (!e->settings->problem_file) return;
  flat_json_begin(&line, e->settings->problem_file);
  flat_json_add_text(&line, "etdump", path);
  flat_json_add_text(&line, "problem", problem);
  flat_json_end(&line);
  fputs("\n", e->settings->problem_file);
  (void)fflush(e->settings->problem_file);
}

static void print_answer(each *e, const etr_profile *profile, const char *path) {
  output_format format = e->settings->format;
  if (format == FORMAT_TEXT || format == FORMAT_MARKDOWN) {
    fputs(format == FORMAT_TEXT ? "==> " : "## ", stdout);
    message_put_plain(stdout, path);
    fputs(format == FORMAT_TEXT ? " <==\n" : "\n\n", stdout);
  }
  e->stop = command_put_answer(profile, &e->own);
  if (format == FORMAT_TEXT || format == FORMAT_MARKDOWN || format == FORMAT_JSON) puts("");
  e->own.stack = ETR_STACK_NEXT;
  e->done++;
}

static void take_dump(each *e, const char *path) {
  etr_error error;
  etr_profile *profile;
  const etr_inputs dump = {.etdumps = &path, .etdump_count = 1};
  const etr_options reading = command_reading_options(e->settings);
  if (e->stop != EXIT_DONE) return;
  if (etr_join_dumps(&profile, e->record, &dump, &reading, &error) != ETR_OK) {
    (void)message_error(&error);
    note_problem(e, path, error.message);
    return;
  }
  if (command_check_dump(profile, e->settings) == EXIT_DONE) {
    message_new_warnings(profile, e->bare);
    e->stop = command_compare_values(profile, e->settings, &dump);
    if (e->stop == EXIT_DONE) print_answer(e, profile, path);
  } else {
    note_problem(e, path, "this ETDump is of another model");
  }
  command_close(profile);
}

/* ---- Files, folders and lists ---- */

/* Takes a file in a folder, if it is an ETDump, or each ETDump of a log. */
static void take_found(each *e, const char *path) {
  etr_inputs found;
  if (etr_inputs_find(&found, path, NULL, NULL) != ETR_OK) return;
  for (size_t i = 0; i < found.etdump_count; i++) take_dump(e, found.etdumps[i]);
  etr_inputs_clear(&found);
}

static void take_folder(each *e, const char *folder, int depth) {
  struct dirent **entries;
  int count = scandir(folder, &entries, NULL, alphasort);
  if (count < 0 || depth == DEEPEST_FOLDER) {
    const char *problem = count < 0 ? strerror(errno) : "too many folders in each other: give the inner one";
    (void)message_failed("%s: %s", folder, problem);
    note_problem(e, folder, problem);
  }
  for (int i = 0; i < count; i++) {
    char path[PATH_MAX];
    struct stat about;
    const char *name = entries[i]->d_name;
    int size = snprintf(path, sizeof path, "%s/%s", folder, name);
    bool is_there = name[0] != '.' && size > 0 && (size_t)size < sizeof path && stat(path, &about) == 0;
    if (is_there && S_ISDIR(about.st_mode) && depth < DEEPEST_FOLDER) take_folder(e, path, depth + 1);
    if (is_there && S_ISREG(about.st_mode) && e->stop == EXIT_DONE) take_found(e, path);
    free(entries[i]);
  }
  if (count >= 0) free(entries);
}

static void take_path(each *e, const char *path) {
  if (command_is_folder(path))
    take_folder(e, path, 0);
  else
    take_dump(e, path);
}

/* Takes the paths of a list, one on each line. Empty lines are ignored. */
static void take_list(each *e) {
  const char *name = e->settings->each_from;
  bool is_input = strcmp(name, "-") == 0;
  FILE *list = is_input ? stdin : fopen(name, "r");
  char *line = NULL;
  size_t room = 0;
  if (!list) e->stop = message_failed("%s: %s", name, strerror(errno));
  for (ssize_t size; list && e->stop == EXIT_DONE && (size = getline(&line, &room, list)) >= 0;) {
    while (size > 0 && strchr("\r\n", line[size - 1])) line[--size] = '\0';
    if (size > 0) take_path(e, line);
  }
  free(line);
  if (list && !is_input) (void)fclose(list);
}

/* Takes the ETDumps in the record's directory. */
static void take_own(each *e, const etr_inputs *inputs) {
  if (inputs->etdump_count == 0)
    e->stop = message_failed("%s: there are no ETDumps: name them after the record, or with --each-from",
                             e->settings->record ? e->settings->record : "");
  for (size_t i = 0; i < inputs->etdump_count; i++) take_dump(e, inputs->etdumps[i]);
}

/* ---- All ---- */

static exit_status open_record(each *e, const etr_inputs *inputs) {
  etr_error error;
  const etr_options reading = command_reading_options(e->settings);
  if (etr_open_record(&e->record, inputs, &reading, &error) != ETR_OK ||
      etr_join_dumps(&e->bare, e->record, &(etr_inputs){0}, &(etr_options){0}, &error) != ETR_OK)
    return message_error(&error);
  message_warnings(e->bare);
  return e->bare->graph_count ? command_check_names(e->bare, e->settings) : EXIT_DONE;
}

exit_status each_run(const cli_settings *settings) {
  each e = {.settings = settings, .own = *settings};
  etr_inputs inputs = {0};
  if (settings->etdump_count) return message_usage(settings->command->name, "give --each or --etdump, not both");
  e.own.more_count = 0;
  e.own.stack = ETR_STACK_FIRST;
  e.stop = command_find(&inputs, &e.own);
  if (e.stop == EXIT_DONE) e.stop = open_record(&e, &inputs);
  for (size_t i = 0; i < settings->more_count && e.stop == EXIT_DONE; i++) take_path(&e, settings->more[i]);
  if (settings->each_from && e.stop == EXIT_DONE) take_list(&e);
  if (!settings->each_from && !settings->more_count && e.stop == EXIT_DONE) take_own(&e, &inputs);
  if (settings->problem_file && fclose(settings->problem_file) != 0 && e.stop == EXIT_DONE)
    e.stop = message_failed("%s: %s", settings->problems, strerror(errno));
  etr_profile_close(e.bare);
  etr_close_record(e.record);
  if (settings->record) etr_inputs_clear(&inputs);
  if (e.stop != EXIT_DONE) return e.stop;
  if (e.done + e.failed == 0) return message_failed("no ETDump was found");
  if (e.failed == 0) return EXIT_DONE;
  (void)message_failed("%zu of %zu ETDumps could not be used", e.failed, e.done + e.failed);
  return e.done ? EXIT_SOME_FAILED : EXIT_BAD_INPUT;
}
