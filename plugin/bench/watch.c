/* SPDX-License-Identifier: BSD-3-Clause
 *
 * watch.c - `etrecord-tb watch`: each ETDump that arrives in a folder becomes runs of its own.
 */
#include "bench/dump_place.h"
#include "bench/folder_watch.h"
#include "bench/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct watching {
  const cli_settings *settings;
  char folder[PATH_MAX]; /* LOGDIR/NAME */
  folder_watch files;
  etr_inputs found; /* files of the record; they are found again if they may have changed */
  bool is_found;
} watching;

/* ---- The record ---- */

static bool is_same_path(const char *a, const char *b) {
  return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static bool is_there(const char *path) {
  return path == NULL || access(path, F_OK) == 0;
}

/* Frees the files of the record that were found, so that they are searched again for the next
 * ETDump. */
static void forget_record(watching *w) {
  if (w->is_found)
    bench_clear_record(&w->found, w->settings);
  w->is_found = false;
}

/* Forgets the paths of the record's files if the file that arrived, by its kind, may take the place
 * of one of them (another ETRecord or .pte) or adds weights. A file that arrived at a known path
 * need not be forgotten, because the files are read again for each ETDump. */
static void forget_replaced_record(watching *w, const char *path) {
  etr_inputs arrived;
  if (!w->is_found || etr_inputs_find(&arrived, path, NULL, NULL) != ETR_OK)
    return;
  bool is_replaced = arrived.weight_count > 0 ||
                     (arrived.etrecord != NULL &&
                      !is_same_path(arrived.etrecord, w->found.etrecord)) ||
                     (arrived.pte != NULL && !is_same_path(arrived.pte, w->found.pte));
  etr_inputs_clear(&arrived);
  if (is_replaced)
    forget_record(w);
}

/* Opens *profile, the record with this ETDump, or fails with a message and sets it to NULL. The
 * folder is searched only if the record's files are not known or one of them is gone, so that an
 * ETDump costs the same however many are there. */
static exit_status open_dump(watching *w, etr_profile **profile, const char *dump) {
  bool is_complete = is_there(w->found.etrecord) && is_there(w->found.pte);
  for (size_t i = 0; i < w->found.weight_count; i++)
    is_complete = is_complete && is_there(w->found.weights[i]);
  *profile = NULL;
  if (!is_complete)
    forget_record(w);
  if (!w->is_found) {
    exit_status status = bench_find_record(&w->found, w->settings, dump);
    if (status != EXIT_DONE)
      return status;
    w->is_found = true;
  }
  return bench_open_record(profile, w->settings, &w->found, &dump, 1);
}

/* ---- One dump ---- */

/* Writes the runs of an ETDump into the folder `stem` of LOGDIR/NAME, with the hyperparameter
 * "etdump" and the user's, and prints a line with the number of runs of each method and the median
 * of their times, in ms. A failure is only a message, since the watch continues. */
static void write_dump(const watching *w, const etr_profile *profile, const char *stem) {
  char host[256] = "localhost";
  etr_tag hparams[MAX_LIST + 1] = {{"etdump", stem}};
  etr_logdir_options options;
  etr_error error;
  memcpy(hparams + 1, w->settings->hparams, w->settings->hparam_count * sizeof *hparams);
  bench_logdir_options(&options, w->settings, host);
  options.logdir = w->folder;
  options.name = stem;
  options.hparams = hparams;
  options.hparam_count = 1 + w->settings->hparam_count;
  if (etr_write_logdir(profile, &options, &error) != ETR_OK) {
    (void)message_error(&error);
    return;
  }
  fputs("added  ", stdout);
  message_put_plain(stdout, w->folder);
  putchar('/');
  message_put_plain(stdout, stem);
  const char *separator = ": ";
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (method->run_count == 0)
      continue;
    fputs(separator, stdout);
    message_put_plain(stdout, method->name[0] != '\0' ? method->name : "unknown method");
    printf(" %zu %s, median %.4f ms", method->run_count, method->run_count > 1 ? "runs" : "run",
           etr_ticks_to_unit(profile, method->execute.p50, ETR_UNIT_MS));
    separator = ", ";
  }
  putchar('\n');
}

/* Writes the runs of a file that arrived in the folder if its content or name is that of an ETDump.
 * Any other file may be a new part of the record. A file that cannot be read is reported, and the
 * watch continues. The stem of the name (without its ending) is that of the run. */
static void add_dump(watching *w, const char *name) {
  char path[PATH_MAX], stem[NAME_MAX + 1];
  etr_profile *profile;
  (void)snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - NAME_MAX - 2, w->settings->record, name);
  const char *dot = strrchr(name, '.');
  bool ends_like_a_dump = dot != NULL && (strcmp(dot, ".etdp") == 0 || strcmp(dot, ".etdump") == 0);
  if (!dump_place_is_dump(path) && !ends_like_a_dump) {
    forget_replaced_record(w, path);
    return;
  }
  (void)snprintf(stem, sizeof stem, "%.*s", (int)etr_dump_name_stem(name), name);
  if (open_dump(w, &profile, path) == EXIT_DONE)
    write_dump(w, profile, stem);
  etr_profile_close(profile);
}

/* ---- All ETDumps ---- */

/* Adds each ETDump that appears in the folder until a signal ends it. Fails if the folder is
 * removed or stdout cannot be written. */
static exit_status watch_folder(watching *w) {
  char name[NAME_MAX + 1];
  for (;;) {
    if (fflush(stdout) != 0)
      return message_written(ETR_OK, NULL);
    switch (folder_watch_next(&w->files, name)) {
    case FOLDER_FILE:
      add_dump(w, name);
      break;
    case FOLDER_MISSED:
      message_warning("ETDumps came too fast, and some were missed: add them with `write`");
      break;
    case FOLDER_GONE:
      return message_failed("%s: this folder was removed or moved", w->settings->record);
    case FOLDER_ENDED:
      return message_written(ETR_OK, NULL);
    }
  }
}

exit_status command_watch(const cli_settings *settings) {
  static const double seconds_between_looks = 1;
  char name[BENCH_NAME_ROOM];
  exit_status status;
  watching *w = calloc(1, sizeof *w);
  if (w == NULL)
    return message_failed("out of memory");
  w->settings = settings;
  bench_default_name(settings, name);
  (void)snprintf(w->folder, sizeof w->folder, "%.*s/%s", PATH_MAX - BENCH_NAME_ROOM - 1,
                 command_logdir(settings), name);
  if (folder_watch_begin(&w->files, settings->record, true, seconds_between_looks)) {
    fputs("watching ", stdout);
    message_put_plain(stdout, settings->record);
    fputs("; Ctrl-C ends. tensorboard --logdir ", stdout);
    message_put_plain(stdout, command_logdir(settings));
    putchar('\n');
    status = watch_folder(w);
  } else {
    status = message_failed("%s: cannot watch this folder: %s", settings->record, strerror(errno));
  }
  folder_watch_end(&w->files);
  forget_record(w);
  free(w);
  return status;
}
