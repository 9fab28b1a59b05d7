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

/* When a bench was begun stands in this file, of both sides the same: copies of ETDumps, and
 * TensorBoard's files, do not have the times of recordings. */
#define RECORD_JSON "record.json"

/* ---- Files of an unfinished bench ---- */

/* The bench whose files a signal handler removes; handlers get no context. */
static bench_folder *volatile unfinished;

/* Removes the listed files and folders that exist and, for folders, are empty, from the last to the
 * first, since folders are listed before what is in them. Async-signal-safe. */
static void remove_files(const bench_folder *folder) {
  for (size_t i = folder->file_count; i > 0; i--)
    if (unlink(folder->files[i - 1]) != 0)
      (void)rmdir(folder->files[i - 1]);
}

static void remove_unfinished(void) {
  if (unfinished != NULL)
    remove_files(unfinished);
}

/* Adds a copy of a path to the files and folders that are removed if the bench is not kept, for
 * which list_all_files() has made room. Returns false when out of memory. */
static bool list_path(bench_folder *folder, const char *path) {
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

/* Adds a file or folder in the run folder to what is removed if the bench is not kept. Returns
 * false when out of memory. */
static bool list_file(bench_folder *folder, const char *name) {
  char path[PATH_MAX];
  path_of(folder, name, path);
  return list_path(folder, path);
}

/* Adds the paths of the `count` ETDumps that will be in a subfolder of the run folder ("" or
 * "base/") to what is removed if the bench is not kept. Returns false when out of memory. */
static bool list_dumps(bench_folder *folder, const char *subfolder, size_t count) {
  char name[64];
  bool is_listed = true;
  for (size_t i = 0; is_listed && i < count; i++) {
    (void)snprintf(name, sizeof name, "%setdump-%zu.etdp", subfolder, i + 1);
    is_listed = list_file(folder, name);
  }
  return is_listed;
}

/* Lists the files and folders that this bench makes, so that a signal handler can remove them
 * without allocating memory: ETDumps of both sides, and at most seven others. Folders come first,
 * because files are removed from the last to the first. Returns false when out of memory. */
static bool list_all_files(bench_folder *folder, size_t dump_count, bool has_base) {
  char path[PATH_MAX];
  folder->files = calloc(2 * dump_count + 7, sizeof *folder->files);
  if (folder->files == NULL)
    return false;
  (void)snprintf(path, sizeof path, "%.*s", (int)(strrchr(folder->path, '/') - folder->path),
                 folder->path);
  bool is_listed = !folder->made_logdir || list_path(folder, path);
  is_listed = is_listed && (!folder->made_path || list_path(folder, folder->path));
  is_listed = is_listed && list_file(folder, "") && (!has_base || list_file(folder, "base"));
  folder->first_dump = folder->file_count;
  folder->dump_count = dump_count;
  is_listed = is_listed && list_dumps(folder, "", dump_count);
  is_listed = is_listed && (!has_base || list_dumps(folder, "base/", dump_count));
  is_listed = is_listed && list_file(folder, RECORD_JSON);
  is_listed = is_listed && (!has_base || list_file(folder, "base/" RECORD_JSON));
  return is_listed && list_file(folder, "warm-up.etdp");
}

const char *bench_folder_dump(const bench_folder *folder, size_t index) {
  return folder->files[folder->first_dump + index];
}

const char *bench_folder_base_dump(const bench_folder *folder, size_t index) {
  return bench_folder_dump(folder, folder->dump_count + index);
}

const char *bench_folder_spare_dump(const bench_folder *folder) {
  return folder->files[folder->file_count - 1];
}

/* ---- Opening ---- */

/* Makes LOGDIR/NAME and the folders above it. Sets made_logdir and made_path if the last two are
 * new, as these are removed if the bench is not kept. Fails with a message if the folder could not
 * be made. */
static exit_status make_parent_folders(bench_folder *folder) {
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

/* Writes a time in UTC, in a format of strftime(). */
static void put_time(char *text, size_t room, const char *format, time_t when) {
  struct tm parts;
  if (gmtime_r(&when, &parts) == NULL)
    parts = (struct tm){.tm_mday = 1};
  (void)strftime(text, room, format, &parts);
}

/* Makes the folder of this bench and sets folder->run to its name, the time in UTC such as
 * 2026-11-22_13-40-05. Two benches in one second get different folders (with ~2 behind the name).
 * On failure there is a message, and LOGDIR/NAME is removed if it is new. */
static exit_status make_run_folder(bench_folder *folder) {
  char path[PATH_MAX], stamp[BENCH_RUN_ROOM / 2 + 8];
  put_time(stamp, sizeof stamp, "%Y-%m-%d_%H-%M-%S", time(NULL));
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

/* When a bench ran, and how. */
typedef struct circumstances {
  time_t now;
  const char *instructions; /* of the processor; "" if they are not known */
  bool is_in_turns;         /* with the other side, which has the same record.json */
} circumstances;

/* Writes record.json into a subfolder of the run folder ("" or "base/"). Fails with a message. */
static exit_status write_record_json(const bench_folder *folder, const char *subfolder,
                                     const circumstances *how) {
  char path[PATH_MAX], name[64], stamp[32];
  put_time(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", how->now);
  (void)snprintf(name, sizeof name, "%s" RECORD_JSON, subfolder);
  path_of(folder, name, path);
  FILE *file = fopen(path, "w");
  bool is_good = file != NULL &&
                 fprintf(file,
                         "{\n  \"made_by\": \"etrecord-tb bench\",\n"
                         "  \"time\": \"%s\",\n"
                         "  \"in_turns\": %s,\n"
                         "  \"instructions\": \"%s\"\n}\n",
                         stamp, how->is_in_turns ? "true" : "false", how->instructions) > 0;
  if (file != NULL && fclose(file) != 0)
    is_good = false;
  return is_good ? EXIT_DONE
                 : message_failed("%s: cannot write this file: %s", path, strerror(errno));
}

exit_status bench_folder_open(bench_folder *folder, const char *logdir, const char *name,
                              const char *instructions, size_t dump_count, bool has_base) {
  *folder = (bench_folder){.keeps = false};
  int size = snprintf(folder->path, sizeof folder->path, "%s/%s", logdir, name);
  if (size < 0 || size >= PATH_MAX - 256)
    return message_failed("%s/%s: this path is too long", logdir, name);
  exit_status status = make_parent_folders(folder);
  if (status == EXIT_DONE)
    status = make_run_folder(folder);
  if (status == EXIT_DONE && !list_all_files(folder, dump_count, has_base))
    status = message_failed("out of memory");
  if (status != EXIT_DONE)
    return status;
  unfinished = folder;
  ending_set_cleanup(remove_unfinished);
  char path[PATH_MAX]; /* of the base, so that each folder has the recordings of one program */
  path_of(folder, "base", path);
  if (has_base && mkdir(path, 0777) != 0)
    return message_failed("%s: cannot make this folder: %s", path, strerror(errno));
  const circumstances how = {time(NULL), instructions, has_base};
  status = write_record_json(folder, "", &how);
  if (status == EXIT_DONE && has_base)
    status = write_record_json(folder, "base/", &how);
  return status;
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
