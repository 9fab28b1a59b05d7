/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_folder.c - makes folders and takes the lock. Until then the folder may disappear at any
 * moment, because the writer that made it may fail and remove it. Reads and replaces the manifest
 * as a whole.
 */
#define _DEFAULT_SOURCE /* flock() */
#include "tensorboard/logdir.h"

#include "base/file.h"
#include "base/system.h"
#include "base/writer.h"
#include "output/below.h"
#include "output/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define MANIFEST ".etrecord-tb"
#define HEADER "etrecord-tb wrote these files. It replaces and removes no others here."

enum { LONGEST_WAIT = 60, WAITS_A_SECOND = 100, MOST_MANIFEST_BYTES = 64 << 20 };

/* ---- Making ---- */

/* Makes each folder of a path below `root`, a descriptor, or below the working directory if root is
 * -1. Returns false, with errno set, if one can neither be made nor exists; *partial is the path
 * down to that one. What is made is added to `made`, as a folder (true). */
static bool make_parts(int root, const char *path, etr_arena *arena, etr_unfinished *made,
                       const char **partial) {
  size_t size = strlen(path);
  *partial = path;
  for (size_t part_end = 1; part_end <= size; part_end++) {
    if (!etr_is_slash(path[part_end]) && path[part_end] != '\0')
      continue;
    char *part = etr_arena_copy(arena, (etr_slice){path, part_end});
    const char *name = part;
    errno = ENOMEM;
    if (part == NULL)
      return false;
    *partial = part;
    int parent = root >= 0 ? etr_below_open(root, part, &name) : AT_FDCWD;
    if (root >= 0 && parent < 0)
      return false;
    bool is_new = mkdirat(parent, name, 0777) == 0;
    bool is_there = is_new || errno == EEXIST;
    int reason = errno;
    if (is_new && !etr_unfinished_add(made, arena, root, part, true)) {
      (void)unlinkat(parent, name, AT_REMOVEDIR);
      is_there = false;
      reason = ENOMEM;
    }
    if (parent >= 0)
      (void)close(parent);
    errno = reason;
    if (!is_there)
      return false;
  }
  return true;
}

etr_status etr_run_folder_make_parents(const etr_run_folder *folder, const char *path,
                                       etr_error *error) {
  const char *slash = strrchr(path, '/'), *partial;
  const char *above = etr_arena_copy(folder->arena,
                                     (etr_slice){path, slash != NULL ? (size_t)(slash - path) : 0});
  if (above == NULL)
    return etr_fail_memory(error);
  if (make_parts(folder->descriptor, above, folder->arena, folder->made, &partial))
    return ETR_OK;
  const char *shown = etr_arena_format(folder->arena, "%s/%s", folder->path, partial);
  return shown != NULL ? etr_fail_io(error, shown, NULL, "cannot make this folder", errno)
                       : etr_fail_memory(error);
}

void etr_run_folder_remove_empty_parents(const etr_run_folder *folder, const char *path) {
  char above[PATH_MAX];
  size_t size = strlen(path);
  if (size >= sizeof above)
    return;
  memcpy(above, path, size + 1);
  for (char *slash; (slash = strrchr(above, '/')) != NULL;) {
    *slash = '\0';
    /* true: it is a folder, which is only removed if it is empty. */
    if (!etr_below_remove(folder->descriptor, above, true))
      return;
  }
}

/* ---- The lock ---- */

/* Waits for the lock of the folder, and takes each wait from *waits_left. Returns false if none is
 * left. On a file system without locks it returns true, and the folder is not locked. */
static bool await_lock(etr_run_folder *folder, int *waits_left) {
  const struct timespec pause = {.tv_nsec = 1000000000 / WAITS_A_SECOND};
  for (; *waits_left > 0; --*waits_left) {
    folder->is_locked = flock(folder->descriptor, LOCK_EX | LOCK_NB) == 0;
    if (folder->is_locked || (errno != EWOULDBLOCK && errno != EINTR))
      return true;
    (void)nanosleep(&pause, NULL);
  }
  return false;
}

/* Fails, by errno, for a path that cannot be made or opened; `problem` is the message. If a part of
 * NAME is a symbolic link, which is never followed, the message says that instead. */
static etr_status fail_for_path(const etr_run_folder *folder, const char *path, const char *problem,
                                etr_error *error) {
  struct stat status;
  int reason = errno;
  if (reason == ENOMEM)
    return etr_fail_memory(error);
  for (const char *end = folder->path + strlen(folder->path) - strlen(folder->name); end != NULL;) {
    end = strchr(end + 1, '/');
    const char *part = end != NULL
                           ? etr_arena_copy(folder->arena,
                                            (etr_slice){folder->path, (size_t)(end - folder->path)})
                           : folder->path;
    if (part != NULL && lstat(part, &status) == 0 && S_ISLNK(status.st_mode))
      return etr_fail(error, ETR_ERROR_IO, part, NULL, ETR_NO_OFFSET,
                      "a symbolic link: give --logdir and --name of its target");
  }
  return etr_fail_io(error, path, NULL, problem, reason);
}

/* Opens LOGDIR/NAME without following links in NAME. Returns a descriptor, or -1 with errno set. */
static int open_below(const char *logdir, const char *name) {
  const char *last;
  int root = open(logdir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int parent = root >= 0 ? etr_below_open(root, name, &last) : -1;
  int folder = parent >= 0 ? openat(parent, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                           : -1;
  int reason = errno;
  if (root >= 0)
    (void)close(root);
  if (parent >= 0)
    (void)close(parent);
  errno = reason;
  return folder;
}

/* Makes, opens and locks the folder. On failure *is_worth_retrying says whether that is because
 * another process removed it meanwhile, as a writer does with a folder that became empty. */
static etr_status try_open(etr_run_folder *out, bool *is_worth_retrying, int *waits_left,
                           etr_error *error) {
  const char *partial;
  struct stat opened, named;
  *is_worth_retrying = false;
  if (!make_parts(-1, out->path, out->arena, out->made, &partial)) {
    *is_worth_retrying = errno == ENOENT;
    return fail_for_path(out, partial, "cannot make this folder", error);
  }
  out->descriptor = open_below(out->logdir, out->name);
  if (out->descriptor < 0) {
    *is_worth_retrying = errno == ENOENT;
    return fail_for_path(out, out->path, "cannot open this folder", error);
  }
  if (!await_lock(out, waits_left))
    return etr_fail(
        error, ETR_ERROR_IO, out->path, NULL, ETR_NO_OFFSET,
        "another process has been writing into this folder for %d seconds; try again later",
        LONGEST_WAIT);
  if (fstat(out->descriptor, &opened) == 0 && lstat(out->path, &named) == 0 &&
      opened.st_dev == named.st_dev && opened.st_ino == named.st_ino)
    return ETR_OK;
  *is_worth_retrying = true; /* the folder was removed, or moved away, before the lock was taken */
  etr_run_folder_close(out);
  return etr_fail(error, ETR_ERROR_IO, out->path, NULL, ETR_NO_OFFSET,
                  "other processes keep removing this folder");
}

/* ---- The manifest ---- */

bool etr_run_folder_has_listed(const etr_run_folder *folder, const char *path) {
  return etr_map_get(&folder->known, etr_slice_of(path)) == 1;
}

bool etr_run_folder_add_to_manifest(etr_run_folder *folder, const char *path) {
  bool is_new = etr_map_get(&folder->known, etr_slice_of(path)) == ETR_NONE;
  const char **slot = is_new ? etr_vec_push(folder->arena, &folder->paths) : NULL;
  if (slot != NULL)
    *slot = path;
  folder->is_changed = true;
  return (slot != NULL || !is_new) && etr_map_set(&folder->known, etr_slice_of(path), 1);
}

void etr_run_folder_remove_from_manifest(etr_run_folder *folder, const char *path) {
  folder->is_changed = true;
  (void)etr_map_set(&folder->known, etr_slice_of(path), 0);
}

/* Reads up to `size` bytes of a file into the arena. Returns false on failure, with errno set. */
static bool load_file(etr_slice *out, etr_arena *arena, int file, size_t size) {
  char *bytes = etr_arena_alloc_raw(arena, size + 1);
  size_t used = 0;
  errno = ENOMEM;
  if (bytes == NULL)
    return false;
  for (ssize_t read_size = 1; read_size != 0 && used < size; used += (size_t)read_size) {
    read_size = read(file, bytes + used, size - used);
    if (read_size < 0)
      return false;
  }
  *out = (etr_slice){bytes, used};
  return true;
}

/* Takes the next line off `rest` and copies it into *line. Returns false if there is none, if it
 * has no line end (the writer of the file was killed), or when out of memory. */
static bool cut_line(etr_slice *rest, etr_arena *arena, char **line) {
  const char *end = rest->size > 0 ? memchr(rest->data, '\n', rest->size) : NULL;
  if (end == NULL)
    return false;
  size_t size = (size_t)(end - rest->data);
  *line = etr_arena_copy(arena, (etr_slice){rest->data, size});
  *rest = (etr_slice){end + 1, rest->size - size - 1};
  return *line != NULL;
}

/* Reads the manifest, the list of files that this program wrote into a folder, from an open file.
 * Refuses any other file of that name. */
static etr_status read_file_list(etr_run_folder *out, const char *path, int file,
                                 etr_error *error) {
  struct stat status;
  etr_slice rest;
  char *line;
  if (fstat(file, &status) != 0)
    return etr_fail_io(error, path, NULL, "cannot read this file", errno);
  bool is_ours = S_ISREG(status.st_mode) && status.st_size <= MOST_MANIFEST_BYTES;
  if (is_ours && !load_file(&rest, out->arena, file, (size_t)status.st_size))
    return etr_fail_io(error, path, NULL, "cannot read this file", errno);
  is_ours = is_ours && cut_line(&rest, out->arena, &line) && strcmp(line, HEADER) == 0;
  while (is_ours && cut_line(&rest, out->arena, &line))
    is_ours = etr_below_is_path(etr_slice_of(line)) && etr_run_folder_add_to_manifest(out, line);
  out->is_changed = false;
  if (is_ours && rest.size == 0)
    return ETR_OK;
  if (etr_arena_failed(out->arena))
    return etr_fail_memory(error);
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
                  "not a list of files that etrecord-tb wrote: move it away");
}

/* Reads the manifest of the folder. Does nothing if there is none. Sets out->has_manifest. */
static etr_status read_manifest(etr_run_folder *out, etr_error *error) {
  const char *path = etr_arena_format(out->arena, "%s/" MANIFEST, out->path);
  int file = openat(out->descriptor, MANIFEST,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT)
    return ETR_OK;
  if (file < 0)
    return etr_fail_io(error, path, NULL, "cannot open this file", errno);
  out->has_manifest = true;
  etr_status status = read_file_list(out, path, file, error);
  (void)close(file);
  return status;
}

/* Writes the manifest: a header, then a line for each file that is still listed. */
static etr_status emit_manifest(void *context, const etr_sink *sink, etr_error *error) {
  const etr_run_folder *folder = context;
  etr_writer writer;
  etr_writer_init(&writer, sink);
  etr_puts(&writer, HEADER "\n");
  for (size_t i = 0; i < folder->paths.count; i++) {
    if (!etr_run_folder_has_listed(folder, folder->paths.data[i]))
      continue;
    etr_puts(&writer, folder->paths.data[i]);
    etr_put_byte(&writer, '\n');
  }
  return etr_writer_finish(&writer, error);
}

etr_status etr_run_folder_write_manifest(etr_run_folder *folder, etr_out_file *file,
                                         etr_error *error) {
  char name[ETR_TEMPORARY_ROOM];
  const char *path = etr_arena_format(folder->arena, "%s/" MANIFEST, folder->path);
  if (folder->has_manifest && !folder->is_changed)
    return ETR_OK;
  if (!etr_temporary_name(name, ETR_TEMPORARY_OF_RUN_FOLDER))
    return etr_fail_io(error, path, NULL, "cannot write this file", errno);
  const char *temporary = etr_arena_copy(folder->arena, etr_slice_of(name));
  /* false: what is noted are files. */
  bool is_noted = temporary != NULL && etr_unfinished_add(folder->made, folder->arena,
                                                          folder->descriptor, temporary, false);
  /* A manifest where there was none is removed, too, if a later step fails. */
  if (is_noted && !folder->has_manifest)
    is_noted = etr_unfinished_add(folder->made, folder->arena, folder->descriptor, MANIFEST, false);
  if (!is_noted)
    return etr_fail_memory(error);
  if (!etr_out_file_make(file, folder->descriptor, temporary))
    return etr_fail_io(error, path, NULL, "cannot write into this folder", errno);
  ETR_TRY(etr_out_file_fill(file, path, emit_manifest, folder, error));
  if (!etr_below_move(folder->descriptor, temporary, MANIFEST))
    return etr_fail_io(error, path, NULL, "cannot put this file in place", errno);
  folder->has_manifest = true;
  folder->is_changed = false;
  return ETR_OK;
}

/* ---- Opening and closing ---- */

etr_status etr_run_folder_open(etr_run_folder *out, const char *logdir, const char *name,
                               etr_arena *arena, etr_unfinished *made, etr_error *error) {
  etr_status status = ETR_ERROR_IO;
  bool again = true;
  int waits_left = LONGEST_WAIT * WAITS_A_SECOND; /* an attempt costs one, too, so that they end */
  *out = (etr_run_folder){
      .arena = arena, .made = made, .logdir = logdir, .name = name, .descriptor = -1};
  out->path = etr_arena_format(arena, "%s/%s", logdir, name);
  if (out->path == NULL)
    return etr_fail_memory(error);
  etr_map_init(&out->known, arena);
  for (; again && waits_left > 0; waits_left--)
    status = try_open(out, &again, &waits_left, error);
  if (status != ETR_OK)
    return status;
  etr_error_clear(error); /* of an earlier attempt */
  if (out->is_locked)
    etr_temporary_sweep(out->descriptor, ETR_TEMPORARY_OF_RUN_FOLDER);
  return read_manifest(out, error);
}

void etr_run_folder_close(etr_run_folder *folder) {
  if (folder->descriptor >= 0)
    (void)close(folder->descriptor);
  folder->descriptor = -1;
}
