/* SPDX-License-Identifier: BSD-3-Clause
 *
 * each.c - reads a record once and prints the answer about one ETDump after the other.
 */
#include "command/command.h"
#include "command/ending.h"
#include "command/output_file.h"

#include "base/json_writer.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEEPEST_FOLDER = 64 }; /* folders in folders that are searched */

typedef struct each {
  const cli_settings *settings;
  cli_settings own; /* the settings for one ETDump */
  etr_opened_record *record;
  etr_profile *bare; /* the record without ETDumps: its warnings are those of the record */
  etr_tag *tags;     /* `etdump`, those of --tag, and the columns of the list */
  char *head; /* the first line of a list that is a table: it holds the names of the columns */
  size_t column_count, path_column, line_number;
  size_t done, failed;
  message_count warnings;
  bool shows_progress; /* no rows are printed to a terminal, which the progress would cut */
  time_t shown_at;     /* the second in which progress was last shown */
  bool is_unread;      /* the reader closed the pipe */
  exit_status
      stop; /* why no further ETDump is read: the output cannot be written, or an option is wrong */
} each;

bool each_is_wanted(const cli_settings *settings) {
  return settings->each || settings->each_from;
}

exit_status each_check(const cli_settings *settings) {
  if (settings->problems && !each_is_wanted(settings))
    return message_usage(settings->command->name, "--problems needs --each or --each-from");
  return EXIT_DONE;
}

static bool is_over(const each *e) {
  return e->stop != EXIT_DONE || e->is_unread || ending_signal() != 0;
}

/* ---- One ETDump ---- */

static bool write_problems(void *file, const void *data, size_t size) {
  return fwrite(data, 1, size, file) == size;
}

/* Counts an ETDump that could not be used, and adds it as a line of JSON to the file of problems,
 * if the user wants one. */
static void note_problem(each *e, const char *path, const char *problem) {
  etr_writer writer;
  etr_jw line;
  e->failed++;
  if (!output_problems())
    return;
  etr_writer_init(&writer, &(etr_sink){write_problems, output_problems()});
  etr_jw_init(&line, &writer, ETR_JW_DOCUMENT);
  etr_jw_object(&line);
  etr_jw_key(&line, "etdump");
  etr_jw_string(&line, path);
  etr_jw_key(&line, "problem");
  etr_jw_string(&line, problem);
  etr_jw_end(&line);
  (void)etr_writer_finish(&writer, NULL); /* the file remembers that it failed */
  output_flush_problems();
}

static void report_problem(each *e, const char *path, const char *problem) {
  (void)message_failed("%s: %s", path, problem);
  note_problem(e, path, problem);
}

/* Prints the answer about one ETDump, whose path is the first tag, and in formats for people also a
 * heading. Sets e->stop if it cannot be written, and e->is_unread if the reader of a pipe has gone.
 */
static void print_answer(each *e, const etr_profile *profile, const char *path) {
  output_format format = e->settings->format;
  if (format == FORMAT_TEXT || format == FORMAT_MARKDOWN) {
    fputs(format == FORMAT_TEXT ? "==> " : "## ", stdout);
    message_put_plain(stdout, path);
    fputs(format == FORMAT_TEXT ? " <==\n" : "\n\n", stdout);
  }
  e->tags[0].value = path;
  e->stop = command_emit_answer(profile, &e->own);
  if (format == FORMAT_TEXT || format == FORMAT_MARKDOWN || format == FORMAT_JSON)
    puts("");
  e->own.stack = ETR_STACK_NEXT; /* the titles of a table are only above its first part */
  e->is_unread = message_nobody_reads();
  e->done++;
}

/* Shows how many ETDumps were read so far, at most once a second, and only if the answers do not go
 * to a terminal, where this line would cut them. */
static void show_progress(each *e) {
  time_t now = time(NULL);
  size_t count = e->done + e->failed;
  if (!e->shows_progress || now == e->shown_at)
    return;
  e->shown_at = now;
  if (e->failed)
    message_progress("%zu ETDump%s, %zu could not be used", count, count == 1 ? "" : "s",
                     e->failed);
  else
    message_progress("%zu ETDump%s", count, count == 1 ? "" : "s");
}

/* Reads an ETDump, joins it to the record and prints the answer about it. One that cannot be used
 * is noted as a problem, unless a signal interrupted the reading. */
static void answer_dump(each *e, const char *path) {
  etr_error error;
  etr_profile *profile;
  const etr_inputs dump = {.etdumps = &path, .etdump_count = 1};
  const etr_options reading = command_reading_options(e->settings);
  if (is_over(e))
    return;
  e->stop = output_check_input(path);
  if (e->stop != EXIT_DONE)
    return;
  if (etr_join_dumps(&profile, e->record, &dump, &reading, &error) != ETR_OK) {
    if (ending_signal())
      return; /* it may have interrupted the reading */
    (void)message_error(&error);
    note_problem(e, path, error.message);
    return;
  }
  if (command_check_dump(profile, e->settings) == EXIT_DONE) {
    message_new_warnings(&e->warnings, profile, e->bare, path);
    e->stop = command_compare_values(profile, e->settings, &dump);
    if (e->stop == EXIT_DONE)
      print_answer(e, profile, path);
  } else {
    note_problem(e, path, "this ETDump is of another model or export");
  }
  command_close(profile);
  show_progress(e);
}

/* ---- Files and folders ---- */

/* A folder that is being searched, in the folder that it was found in. */
typedef struct open_folder {
  const char *path;
  struct stat about;
  const struct open_folder *above;
  int depth;
} open_folder;

static void answer_folder(each *e, const char *path, const open_folder *above);

static bool is_called_dump(const char *path) {
  const char *extension = strrchr(path, '.');
  return extension && (strcmp(extension, ".etdp") == 0 || strcmp(extension, ".etdump") == 0);
}

/* Answers about a file in a folder, if it is an ETDump, or about each ETDump of a log; other files
 * are passed over. A file that is named like an ETDump but cannot be read is a problem. */
static void answer_file(each *e, const char *path) {
  etr_error error;
  etr_inputs found;
  etr_status status = etr_inputs_find(&found, path, NULL, &error);
  bool is_damaged_dump = status == ETR_ERROR_FORMAT && is_called_dump(path);
  if (status == ETR_ERROR_IO || is_damaged_dump) {
    (void)message_error(&error);
    note_problem(e, path, error.message);
  }
  for (size_t i = 0; status == ETR_OK && i < found.etdump_count; i++)
    answer_dump(e, found.etdumps[i]);
  if (status == ETR_OK)
    etr_inputs_clear(&found);
}

/* Answers about what a folder (`above`) or a list (NULL) names: a file, or all files of a folder.
 * Nothing else is opened: a pipe could wait forever. */
static void answer_path(each *e, const char *path, const open_folder *above) {
  struct stat about;
  if (is_over(e))
    return;
  if (stat(path, &about) != 0 || access(path, R_OK) != 0)
    report_problem(e, path, strerror(errno));
  else if (S_ISDIR(about.st_mode))
    answer_folder(e, path, above);
  else if (!S_ISREG(about.st_mode))
    report_problem(e, path,
                   "a pipe, socket or device: not opened; name it as an argument to read it");
  else if (above)
    answer_file(e, path);
  else
    answer_dump(e, path);
}

/* Returns the folder among those above that is the same as this one, so that a link leads back to
 * it; NULL if there is none. */
static const open_folder *find_same(const open_folder *folder) {
  const open_folder *above = folder->above;
  while (above && (above->about.st_dev != folder->about.st_dev ||
                   above->about.st_ino != folder->about.st_ino))
    above = above->above;
  return above;
}

/* Answers about the ETDumps of a folder and of the folders in it, in the order of their names. A
 * link back to a folder above is left out, and so is what is nested too deep. */
static void answer_folder(each *e, const char *path, const open_folder *above) {
  struct dirent **entries;
  open_folder folder = {.path = path, .above = above, .depth = above ? above->depth + 1 : 0};
  int count = stat(path, &folder.about) == 0 ? scandir(path, &entries, NULL, alphasort) : -1;
  const open_folder *same_above = find_same(&folder);
  if (count < 0)
    report_problem(e, path, strerror(errno));
  else if (folder.depth == DEEPEST_FOLDER)
    report_problem(e, path, "too many folders in each other: give the inner one");
  else if (same_above)
    message_warning("%s: a link to %s, which is searched already: left out", path,
                    same_above->path);
  bool is_searched = folder.depth < DEEPEST_FOLDER && !same_above;
  for (int i = 0; i < count; i++) {
    char inner[PATH_MAX];
    const char *name = entries[i]->d_name;
    const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
    int size = snprintf(inner, sizeof inner, "%s%s%s", path, slash, name);
    if (is_searched && name[0] != '.' && size > 0 && (size_t)size < sizeof inner)
      answer_path(e, inner, &folder);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
}

/* Answers about an argument that the user named: all ETDumps of a folder, or this file, even if it
 * is a pipe or not named like an ETDump. */
static void answer_argument(each *e, const char *path) {
  if (command_is_folder(path))
    answer_folder(e, path, NULL);
  else
    answer_dump(e, path);
}

/* ---- Lists ---- */

/* Cuts the next cell off a line of a table, in place, and returns it; NULL after the last one. */
static char *cut_cell(char **line) {
  char *cell = *line, *tab = cell ? strchr(cell, '\t') : NULL;
  if (tab)
    *tab = '\0';
  *line = tab ? tab + 1 : NULL;
  return cell;
}

/* Reads the first line of a table, with the names of its columns, and makes room for their tags.
 * The column named `etdump` has the paths; the others become tags of each answer. Sets e->stop,
 * with a message, on failure. */
static void read_head(each *e, const char *line) {
  size_t column_limit = 1;
  for (const char *tab = line; (tab = strchr(tab, '\t')); tab++)
    column_limit++;
  char *rest = e->head = strdup(line);
  etr_tag *tags = realloc(e->tags, (e->own.tag_count + column_limit) * sizeof *tags);
  if (tags)
    e->own.tags = e->tags = tags;
  if (!tags || !rest) {
    e->stop = message_failed("out of memory");
    return;
  }
  e->path_column = column_limit;
  for (char *name; (name = cut_cell(&rest));) {
    if (strcmp(name, "etdump") == 0)
      e->path_column = e->column_count;
    else
      e->tags[e->own.tag_count++] = (etr_tag){.name = name};
    e->column_count++;
  }
  if (e->path_column == column_limit)
    e->stop = message_failed("%s: the first line has tabs, but names no column etdump",
                             e->settings->each_from);
}

/* Answers about the ETDump of a table's line. The other cells are the values of the last tags,
 * those that read_head() added after `etdump` and the tags of --tag. An empty cell is no tag; a
 * line without a path, or with too many cells, is a problem. */
static void answer_row(each *e, char *line) {
  size_t column = 0;
  etr_tag *next_tag = e->tags + 1 + e->settings->tag_count;
  const char *path = "";
  char location[PATH_MAX];
  for (size_t i = 0; i + 1 < e->column_count; i++)
    next_tag[i].value = NULL;
  for (char *cell; (cell = cut_cell(&line)) && column <= e->column_count; column++) {
    if (column == e->path_column)
      path = cell;
    else if (column < e->column_count)
      (next_tag++)->value = cell[0] ? cell : NULL;
  }
  if (!path[0])
    (void)snprintf(location, sizeof location, "%s:%zu", e->settings->each_from, e->line_number);
  if (!path[0])
    report_problem(e, location, "this line has no path");
  else if (column > e->column_count)
    report_problem(e, path, "its line has more cells than the first line");
  else
    answer_path(e, path, NULL);
}

/* Answers about a list with a path on each line, or about a table: lines with tabs between their
 * cells. Empty lines are ignored. */
static void answer_list(each *e) {
  const char *name = e->settings->each_from;
  bool is_input = strcmp(name, "-") == 0;
  FILE *list = is_input ? stdin : fopen(name, "r");
  char *line = NULL;
  size_t room = 0;
  if (!list)
    e->stop = message_failed("%s: %s", name, strerror(errno));
  for (ssize_t size; list && !is_over(e) && (size = getline(&line, &room, list)) >= 0;) {
    while (size > 0 && strchr("\r\n", line[size - 1]))
      line[--size] = '\0';
    if (++e->line_number == 1 && strchr(line, '\t'))
      read_head(e, line);
    else if (size > 0 && e->column_count)
      answer_row(e, line);
    else if (size > 0)
      answer_path(e, line, NULL);
  }
  if (list && ferror(list) && !is_over(e))
    e->stop = message_failed("%s: %s", name, strerror(errno));
  free(line);
  if (list && !is_input)
    (void)fclose(list);
}

/* Answers about the ETDumps in the record's own directory. Sets e->stop, with a message, if there
 * are none. */
static void answer_record_dumps(each *e, const etr_inputs *inputs) {
  if (inputs->etdump_count == 0)
    e->stop = message_failed(
        "%s: there are no ETDumps: name them after the record, or with --each-from",
        e->settings->record ? e->settings->record : "");
  for (size_t i = 0; i < inputs->etdump_count; i++)
    answer_dump(e, inputs->etdumps[i]);
}

/* ---- All ---- */

/* Opens the record to which all ETDumps belong, once. e->bare becomes its profile without ETDumps,
 * with which the names of options are checked before the first answer; without a graph there are no
 * names yet. */
static exit_status open_record(each *e, const etr_inputs *inputs) {
  etr_error error;
  const etr_options reading = command_reading_options(e->settings);
  if (etr_open_record(&e->record, inputs, &reading, &error) != ETR_OK ||
      etr_join_dumps(&e->bare, e->record, &(etr_inputs){0}, &(etr_options){0}, &error) != ETR_OK)
    return message_error(&error);
  message_warnings(e->bare, NULL);
  return e->bare->graph_count ? command_check_names(e->bare, e->settings) : EXIT_DONE;
}

/* Prepares the answers about each ETDump: its own settings, the tag with its path, and the record.
 * Finds the record's files, which the caller frees. */
static exit_status begin_each(each *e, etr_inputs *inputs) {
  const cli_settings *settings = e->settings;
  if (settings->etdump_count)
    return message_usage(settings->command->name, "give --each or --etdump, not both");
  e->own.more_count = 0;
  e->own.stack = ETR_STACK_FIRST;
  e->own.tag_count = 1 + settings->tag_count;
  e->own.tags = e->tags = calloc(e->own.tag_count, sizeof *e->tags);
  if (!e->tags)
    return message_failed("out of memory");
  e->tags[0].name = "etdump";
  for (size_t i = 0; i < settings->tag_count; i++)
    e->tags[1 + i] = settings->tags[i];
  exit_status found = command_find_inputs(inputs, &e->own);
  return found == EXIT_DONE ? open_record(e, inputs) : found;
}

/* Frees everything and returns the exit status: that of what stopped the answers, or
 * EXIT_SOME_FAILED or EXIT_BAD_INPUT if some or all ETDumps could not be used. */
static exit_status end_each(each *e) {
  message_end_progress();
  etr_profile_close(e->bare);
  etr_close_record(e->record);
  free(e->tags);
  free(e->head);
  message_hidden_warnings(&e->warnings);
  if (e->stop != EXIT_DONE)
    return e->stop;
  if (ending_signal())
    (void)message_failed("stopped by a signal; %zu answer%s complete", e->done,
                         e->done == 1 ? " is" : "s are");
  if (e->done + e->failed == 0)
    return ending_signal() ? EXIT_BAD_INPUT : message_failed("no ETDump was found");
  if (e->failed == 0)
    return EXIT_DONE;
  (void)message_failed("%zu of %zu ETDumps could not be used", e->failed, e->done + e->failed);
  return e->done ? EXIT_SOME_FAILED : EXIT_BAD_INPUT;
}

exit_status each_run(const cli_settings *settings) {
  each e = {.settings = settings, .own = *settings};
  etr_inputs inputs = {0};
  e.stop = begin_each(&e, &inputs);
  e.shows_progress = !isatty(STDOUT_FILENO);
  if (e.stop == EXIT_DONE)
    ending_defer();
  for (size_t i = 0; i < settings->more_count && !is_over(&e); i++)
    answer_argument(&e, settings->more[i]);
  if (settings->each_from && !is_over(&e))
    answer_list(&e);
  if (!settings->each_from && !settings->more_count && !is_over(&e))
    answer_record_dumps(&e, &inputs);
  exit_status status = end_each(&e);
  if (settings->record)
    etr_inputs_clear(&inputs);
  return status;
}
