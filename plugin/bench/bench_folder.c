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

/* Adds the names of the ETDumps that will be in a subfolder of the run folder to its list of files.
 * Returns false when out of memory. */
static bool note_dumps(bench_folder *folder, const char *subfolder, size_t count) {
  char name[64];
  bool is_noted = true;
  for (size_t i = 0; is_noted && i < count; i++) {
    (void)snprintf(name, sizeof name, "%setdump-%zu.etdp", subfolder, i + 1);
    is_noted = note_file(folder, name);
  }
  return is_noted;
}

/* Lists the files and folders that this bench makes, so that they can be removed. Folders come
 * first, because files are removed from the last to the first. Returns false when out of memory. */
static bool note_files(bench_folder *folder, size_t dump_count, bool has_base) {
  char path[PATH_MAX];
  folder->files = calloc(2 * dump_count + 5, sizeof *folder->files);
  if (folder->files == NULL)
    return false;
  (void)snprintf(path, sizeof path, "%.*s", (int)(strrchr(folder->path, '/') - folder->path),
                 folder->path);
  bool is_noted = !folder->made_logdir || add_file(folder, path);
  is_noted = is_noted && (!folder->made_path || add_file(folder, folder->path));
  is_noted = is_noted && note_file(folder, "") && (!has_base || note_file(folder, "base"));
  folder->first_dump = folder->file_count;
  folder->dump_count = dump_count;
  is_noted = is_noted && note_dumps(folder, "", dump_count);
  is_noted = is_noted && (!has_base || note_dumps(folder, "base/", dump_count));
  return is_noted && note_file(folder, "warm-up.etdp");
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

/* Makes LOGDIR/NAME and the folders above it, and notes which of the last two are new. Fails with a
 * message if the folder could not be made. */
static exit_status make_path(bench_folder *folder) {
  bool is_new = false;
  for (char *end = folder->path + 1; *end != '\0'; end++) {
    char separator = *end;
    if (!etr_is_slash(separator))
      continue;
    *end = '\0';
    is_new = mkdir(folder->path, 0777) == 0;
    *end = separator;
  }
  folder->made_logdir = is_new;
  folder->made_path = mkdir(folder->path, 0777) == 0;
  if (folder->made_path || errno == EEXIST)
    return EXIT_DONE;
  return message_failed("%s: cannot make this folder: %s", folder->path, strerror(errno));
}

/* Makes the folder of this bench, which is named after the time in UTC. Two benches in one second
 * get different folders. On failure, a new folder above it is removed. */
static exit_status make_run_folder(bench_folder *folder) {
  char path[PATH_MAX], stamp[BENCH_RUN_ROOM / 2 + 8];
  time_t now = time(NULL);
  struct tm parts;
  if (gmtime_r(&now, &parts) == NULL)
    parts = (struct tm){.tm_mday = 1};
  (void)strftime(stamp, sizeof stamp, "%Y-%m-%d_%H-%M-%S", &parts);
  for (unsigned attempt = 1; attempt < ATTEMPTS; attempt++) {
    (void)snprintf(folder->run, sizeof folder->run, attempt > 1 ? "%s~%u" : "%s", stamp, attempt);
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
