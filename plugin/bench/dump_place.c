/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump_place.c - compares files before and after a recording, moves a file, and runs adb's rm and
 * pull.
 */
#include "bench/dump_place.h"

#include "base/system.h"
#include "bench/program.h"
#include "command/message.h"
#include "command/runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE = 60 }; /* seconds after which a call of adb is killed */

/* ---- Marks ---- */

/* Returns what tells a file's versions apart: its device and inode, size in bytes, and time of the
 * last change. is_there is false if there is no regular file. */
static file_mark mark_of(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
    return (file_mark){0};
  return (file_mark){true, about.st_dev, about.st_ino, about.st_size, etr_touched_at(&about)};
}

/* Returns true if both marks are of the same version of a file, or of no file. */
static bool is_same_mark(const file_mark *a, const file_mark *b) {
  return a->is_there == b->is_there && a->device == b->device && a->inode == b->inode &&
         a->size == b->size && a->changed.tv_sec == b->changed.tv_sec &&
         a->changed.tv_nsec == b->changed.tv_nsec;
}

bool dump_place_is_dump(const char *path) {
  char head[12];
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool is_dump = file >= 0 && read(file, head, sizeof head) == (ssize_t)sizeof head &&
                 memcmp(head + 8, "ED00", 4) == 0;
  if (file >= 0)
    (void)close(file);
  return is_dump;
}

/* ---- Folders ---- */

/* A function that is called for each file of a folder; it returns false to end the walk. */
typedef bool (*file_visitor)(dump_place *place, const char *path, const file_mark *mark,
                             void *context);

/* Calls `visit` for each regular file of a folder until it returns false; then this returns false,
 * too. A folder that is NULL or cannot be opened has no files. */
static bool visit_folder(dump_place *place, const char *folder, file_visitor visit, void *context) {
  DIR *directory = folder != NULL ? opendir(folder) : NULL;
  bool continues = true;
  if (directory == NULL)
    return true;
  for (const struct dirent *entry; continues && (entry = readdir(directory)) != NULL;) {
    char path[PATH_MAX];
    int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    file_mark mark = size > 0 && (size_t)size < sizeof path ? mark_of(path) : (file_mark){0};
    if (mark.is_there)
      continues = visit(place, path, &mark, context);
  }
  (void)closedir(directory);
  return continues;
}

static bool visit_files(dump_place *place, file_visitor visit, void *context) {
  return visit_folder(place, place->folders[0], visit, context) &&
         visit_folder(place, place->folders[1], visit, context);
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const seen_file *)a)->path, ((const seen_file *)b)->path);
}

/* A file_visitor: adds a file and its mark, from before the program runs, to place->seen, which has
 * room for 2^n - 1 files. Returns false when out of memory. */
static bool remember_file(dump_place *place, const char *path, const file_mark *mark,
                          void *context) {
  (void)context;
  bool is_full = (place->seen_count & (place->seen_count + 1)) == 0; /* there is room for 2^n - 1 */
  seen_file *files = is_full ? realloc(place->seen, (2 * place->seen_count + 1) * sizeof *files)
                             : place->seen;
  if (files == NULL)
    return false;
  place->seen = files;
  files[place->seen_count] = (seen_file){strdup(path), *mark};
  bool is_copied = files[place->seen_count].path != NULL;
  place->seen_count += is_copied;
  return is_copied;
}

typedef struct newest_dump {
  char path[PATH_MAX];
  file_mark mark;
} newest_dump;

/* A file_visitor: keeps a file in *newest (the context) if it is an ETDump that is new or changed
 * since it was remembered, and was changed later than the newest so far. place->seen is sorted by
 * path. Returns true, so that all files are visited. */
static bool keep_if_newest(dump_place *place, const char *path, const file_mark *mark,
                           void *context) {
  newest_dump *newest = context;
  const seen_file key = {.path = (char *)(uintptr_t)path};
  const seen_file *remembered = place->seen_count > 0
                                    ? bsearch(&key, place->seen, place->seen_count, sizeof key,
                                              by_path)
                                    : NULL;
  if (remembered != NULL && is_same_mark(&remembered->mark, mark))
    return true;
  const file_mark *newest_mark = &newest->mark;
  bool is_newer = !newest_mark->is_there || mark->changed.tv_sec > newest_mark->changed.tv_sec ||
                  (mark->changed.tv_sec == newest_mark->changed.tv_sec &&
                   mark->changed.tv_nsec > newest_mark->changed.tv_nsec);
  if (!is_newer || !dump_place_is_dump(path))
    return true;
  newest->mark = *mark;
  (void)snprintf(newest->path, sizeof newest->path, "%s", path);
  return true;
}

void dump_place_clear(dump_place *place) {
  for (size_t i = 0; i < place->seen_count; i++)
    free(place->seen[i].path);
  free(place->seen);
  place->seen = NULL;
  place->seen_count = 0;
}

/* ---- Moving ---- */

/* Copies the bytes of a file into a new or emptied one. Returns false, with errno set, on failure.
 * */
static bool copy_file(const char *from, const char *to) {
  char piece[65536];
  int source = open(from, O_RDONLY | O_CLOEXEC);
  int target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool copied = source >= 0 && target >= 0;
  for (ssize_t read_size; copied && (read_size = read(source, piece, sizeof piece)) != 0;) {
    copied = read_size >= 0 || errno == EINTR;
    for (ssize_t written = 0, step; copied && written < read_size; written += step)
      copied = (step = write(target, piece + written, (size_t)(read_size - written))) >= 0;
  }
  int reason = errno;
  if (source >= 0)
    (void)close(source);
  if (target >= 0 && close(target) != 0 && copied) {
    reason = errno;
    copied = false;
  }
  errno = reason;
  return copied;
}

/* Moves an ETDump to `target`, by copying it if it cannot be renamed, as on another file system. If
 * it is a link, its file is copied, and both are left to the runner, which does no harm because
 * they are remembered before the next recording. Fails if it cannot be copied. */
static etr_status move_dump(const char *source, const char *target, etr_error *error) {
  struct stat about;
  bool is_link = lstat(source, &about) == 0 && S_ISLNK(about.st_mode);
  if (!is_link && rename(source, target) == 0)
    return ETR_OK;
  if (!copy_file(source, target))
    return message_fail(error, ETR_ERROR_IO, "cannot move the ETDump %s to %s: %s", source, target,
                        strerror(errno));
  if (!is_link)
    (void)unlink(source);
  return ETR_OK;
}

/* ---- The device ---- */

static bool is_plain(const char *path) {
  return strchr(path, '\'') == NULL && path[0] != '-';
}

/* Removes the ETDump on adb's device, so that an earlier run's is not taken for this run's. A path
 * that a shell would not take literally is left alone. Whether adb fails does not matter: there may
 * be no file. */
static void remove_on_device(const dump_place *place) {
  char command[PATH_MAX + 16];
  const char *arguments[MOST_ADB_ARGUMENTS + 1];
  runner_outcome outcome;
  if (!is_plain(place->path))
    return;
  (void)snprintf(command, sizeof command, "rm -f '%s'", place->path);
  program_adb(arguments, place->arguments, (const char *const[]){"shell", command, NULL});
  runner_run(&outcome, &(runner_program){.arguments = arguments, .seconds = PATIENCE});
  runner_clear(&outcome);
}

/* Copies the ETDump from the device to the local file `to` with adb pull. Fails if adb fails,
 * leaves no file or takes more than PATIENCE seconds, or if the path has a quote. */
static etr_status pull_dump(const dump_place *place, const char *to, etr_error *error) {
  char reason[RUNNER_REASON_ROOM];
  const char *arguments[MOST_ADB_ARGUMENTS + 1];
  runner_outcome outcome;
  etr_status status = ETR_OK;
  if (!is_plain(place->path))
    return message_fail(error, ETR_ERROR_IO, "cannot pull %s: choose a path without a quote",
                        place->path);
  program_adb(arguments, place->arguments, (const char *const[]){"pull", place->path, to, NULL});
  runner_run(&outcome, &(runner_program){.arguments = arguments, .seconds = PATIENCE});
  runner_reason(&outcome, PATIENCE, reason);
  if (!runner_succeeded(&outcome) || access(to, F_OK) != 0)
    status = message_fail(error, ETR_ERROR_IO, "no ETDump: adb pull %s failed (%s): %.*s",
                          place->path, reason, (int)strcspn(outcome.output, "\n"), outcome.output);
  runner_clear(&outcome);
  return status;
}

/* ---- Taking an ETDump ---- */

void dump_place_init(dump_place *place, const char *const *arguments, const char *pull_path,
                     const char *record) {
  struct stat about;
  *place = (dump_place){
      .arguments = arguments, .path = pull_path, .is_on_device = program_is_adb(arguments)};
  if (place->path == NULL)
    place->path = program_dump_path(arguments);
  if (place->path != NULL)
    return;
  place->is_on_device = false;
  place->folders[0] = ".";
  if (record != NULL && stat(record, &about) == 0 && S_ISDIR(about.st_mode))
    place->folders[1] = record;
}

etr_status dump_place_remember(dump_place *place, etr_error *error) {
  if (place->is_on_device)
    remove_on_device(place);
  else if (place->path != NULL)
    place->before = mark_of(place->path);
  dump_place_clear(place);
  if (!visit_files(place, remember_file, NULL))
    return message_fail(error, ETR_ERROR_MEMORY, "out of memory");
  if (place->seen_count > 0)
    qsort(place->seen, place->seen_count, sizeof *place->seen, by_path);
  return ETR_OK;
}

etr_status dump_place_take(dump_place *place, const char *to, etr_error *error) {
  if (place->is_on_device)
    return pull_dump(place, to, error);
  if (place->path == NULL) {
    newest_dump newest = {.path = ""};
    (void)visit_files(place, keep_if_newest, &newest);
    if (newest.mark.is_there)
      return move_dump(newest.path, to, error);
    return message_fail(
        error, ETR_ERROR_IO,
        "no new ETDump in %s%s%s: name the runner's file with --pull, or give it --etdump_path",
        "the working directory", place->folders[1] != NULL ? " or " : "",
        place->folders[1] != NULL ? place->folders[1] : "");
  }
  file_mark after = mark_of(place->path);
  if (!after.is_there)
    return message_fail(error, ETR_ERROR_IO, "no ETDump: there is no file %s after the recording",
                        place->path);
  if (is_same_mark(&after, &place->before))
    return message_fail(error, ETR_ERROR_IO,
                        "no ETDump: %s is from before the recording, which did not write it",
                        place->path);
  return move_dump(place->path, to, error);
}
