/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_folder.c - makes the folder of a bench, and removes it if the bench does not get far.
 */
#include "base/system.h"
#include "bench/job.h"
#include "command/ending.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 100 };

/* ---- Files of an unfinished bench ---- */

/* The bench whose files a signal handler removes; handlers get no context. */
static bench_folder *volatile unfinished;

static void remove_files(const bench_folder *folder) {
  for (size_t i = folder->file_count; i > 0; i--)
    if (unlink(folder->files[i - 1]) != 0)
      (void)rmdir(folder->files[i - 1]);
}

static void remove_unfinished(void) {
  if (unfinished != NULL)
    remove_files(unfinished);
}

static bool add_file(bench_folder *folder, const char *path) {
  char *copy = strdup(path);
  if (copy != NULL)
    folder->files[folder->file_count++] = copy;
  return copy != NULL;
}

/* Writes the path of a file in the folder of the bench; of the folder itself if `file` is "". */
static void path_of(const bench_folder *folder, const char *file, char path[PATH_MAX]) {
  (void)snprintf(path, PATH_MAX, "%.*s/%s%s%s", PATH_MAX - 256, folder->path, folder->run,
                 file[0] != '\0' ? "/" : "", file);
}

static bool note_file(bench_folder *folder, const char *name) {
  char path[PATH_MAX];
  path_of(folder, name, path);
  return add_file(folder, path);
}

/* Notes the names of ETDumps that will be in the folder. */
static bool note_dumps(bench_folder *folder, const char *in, size_t count) {
  char name[64];
  bool noted = true;
  for (size_t i = 0; noted && i < count; i++) {
    (void)snprintf(name, sizeof name, "%setdump-%zu.etdp", in, i + 1);
    noted = note_file(folder, name);
  }
  return noted;
}

/* Lists the files of this bench. Folders come first, because files are removed from the last to the
 * first. */
static bool note_files(bench_folder *folder, size_t dump_count, bool has_base) {
  char path[PATH_MAX];
  folder->files = calloc(2 * dump_count + 5, sizeof *folder->files);
  if (folder->files == NULL)
    return false;
  (void)snprintf(path, sizeof path, "%.*s", (int)(strrchr(folder->path, '/') - folder->path),
                 folder->path);
  bool noted = !folder->made_logdir || add_file(folder, path);
  noted = noted && (!folder->made_path || add_file(folder, folder->path));
  noted = noted && note_file(folder, "") && (!has_base || note_file(folder, "base"));
  folder->first_dump = folder->file_count;
  folder->dump_count = dump_count;
  noted = noted && note_dumps(folder, "", dump_count);
  noted = noted && (!has_base || note_dumps(folder, "base/", dump_count));
  return noted && note_file(folder, "warm-up.etdp");
}

const char *bench_folder_dump(const bench_folder *folder, size_t index) {
  return folder->files[folder->first_dump + index];
}

const char *bench_folder_base_dump(const bench_folder *folder, size_t index) {
  return bench_folder_dump(folder, folder->dump_count + index);
}

const char *bench_folder_spare(const bench_folder *folder) {
  return folder->files[folder->file_count - 1];
}

/* ---- Opening ---- */

/* Makes LOGDIR/NAME and the folders above it. */
static exit_status make_path(bench_folder *folder) {
  bool is_new = false;
  for (char *at = folder->path + 1; *at != '\0'; at++) {
    char slash = *at;
    if (!etr_is_slash(slash))
      continue;
    *at = '\0';
    is_new = mkdir(folder->path, 0777) == 0;
    *at = slash;
  }
  folder->made_logdir = is_new;
  folder->made_path = mkdir(folder->path, 0777) == 0;
  if (folder->made_path || errno == EEXIST)
    return EXIT_DONE;
  return message_failed("%s: cannot make this folder: %s", folder->path, strerror(errno));
}

/* Makes the folder of this bench. Two benches in one second get different folders. */
static exit_status make_run_folder(bench_folder *folder) {
  char path[PATH_MAX], stamp[BENCH_RUN_ROOM / 2 + 8];
  time_t now = time(NULL);
  struct tm parts;
  if (gmtime_r(&now, &parts) == NULL)
    parts = (struct tm){.tm_mday = 1};
  (void)strftime(stamp, sizeof stamp, "%Y-%m-%d_%H-%M-%S", &parts);
  for (unsigned i = 1; i < ATTEMPTS; i++) {
    (void)snprintf(folder->run, sizeof folder->run, i > 1 ? "%s~%u" : "%s", stamp, i);
    path_of(folder, "", path);
    if (mkdir(path, 0777) == 0)
      return EXIT_DONE;
    if (errno != EEXIST)
      break;
  }
  exit_status status = message_failed("%s: cannot make this folder: %s", path, strerror(errno));
  if (folder->made_path)
    (void)rmdir(folder->path);
  return status;
}

exit_status bench_folder_open(bench_folder *folder, const char *logdir, const char *name,
                              size_t dump_count, bool has_base) {
  *folder = (bench_folder){.keeps = false};
  int size = snprintf(folder->path, sizeof folder->path, "%s/%s", logdir, name);
  if (size < 0 || size >= PATH_MAX - 256)
    return message_failed("%s/%s: this path is too long", logdir, name);
  exit_status status = make_path(folder);
  if (status == EXIT_DONE)
    status = make_run_folder(folder);
  if (status == EXIT_DONE && !note_files(folder, dump_count, has_base))
    status = message_failed("out of memory");
  if (status != EXIT_DONE)
    return status;
  unfinished = folder;
  ending_set_cleanup(remove_unfinished);
  char path[PATH_MAX]; /* of the base, so that each folder has the recordings of one program */
  path_of(folder, "base", path);
  return !has_base || mkdir(path, 0777) == 0
             ? EXIT_DONE
             : message_failed("%s: cannot make this folder: %s", path, strerror(errno));
}

void bench_folder_keep(bench_folder *folder) {
  ending_set_cleanup(NULL);
  unfinished = NULL;
  folder->keeps = true;
}

void bench_folder_close(bench_folder *folder) {
  ending_set_cleanup(NULL);
  unfinished = NULL;
  if (!folder->keeps)
    remove_files(folder);
  for (size_t i = 0; i < folder->file_count; i++)
    free(folder->files[i]);
  free(folder->files);
  *folder = (bench_folder){.keeps = false};
}
