/* SPDX-License-Identifier: BSD-3-Clause
 *
 * out_file.c - writes files through a buffer, as a whole or not at all.
 */
#include "base/arena.h"
#include "base/file.h"
#include "base/system.h"
#include "output/temporary.h"
#include "output/unfinished.h"
#include "tensorboard/logdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(etr_out_file *file, const char *data, size_t size) {
  while (size > 0) {
    ssize_t wrote = write(file->descriptor, data, size);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote < 0) {
      file->reason = errno;
      return false;
    }
    data += wrote;
    size -= (size_t)wrote;
  }
  return true;
}

static bool flush(etr_out_file *file) {
  size_t size = file->used;
  file->used = 0;
  return write_all(file, file->buffer, size);
}

/* The function of the sink. Data that would fill the buffer alone are not copied into it. */
static bool write_to_file(void *context, const void *data, size_t size) {
  etr_out_file *file = context;
  if (size > sizeof file->buffer - file->used && !flush(file))
    return false;
  if (size >= sizeof file->buffer)
    return write_all(file, data, size);
  memcpy(file->buffer + file->used, data, size);
  file->used += size;
  return true;
}

static bool begin(etr_out_file *file, int descriptor, bool is_new) {
  file->descriptor = descriptor;
  file->reason = 0;
  file->is_new = is_new;
  file->used = 0;
  return descriptor >= 0;
}

static bool make(etr_out_file *file, int folder, const char *name, mode_t mode) {
  return begin(file, openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode), true);
}

bool etr_out_file_make(etr_out_file *file, int folder, const char *name) {
  return make(file, folder, name, 0666);
}

etr_status etr_out_file_fill(etr_out_file *file, const char *shown, etr_emitter emit, void *context,
                             etr_error *error) {
  etr_status status = emit(context, &(etr_sink){write_to_file, file}, error);
  bool goes_to_disk = status == ETR_OK && flush(file) && file->is_new;
  if (goes_to_disk && fsync(file->descriptor) != 0 && errno != EINVAL && errno != ENOSYS)
    file->reason = errno; /* EINVAL and ENOSYS: the file system cannot flush, which is no error */
  if (close(file->descriptor) != 0 && status == ETR_OK && file->reason == 0)
    file->reason = errno;
  return file->reason != 0 ? etr_fail_io(error, shown, NULL, "cannot write this file", file->reason)
                           : status;
}

/* ---- One file, all or nothing ---- */

/* A file that is written next to the one that it replaces. */
typedef struct replacement {
  etr_out_file file;
  etr_arena arena;
  etr_unfinished made;
  const char *temporary;
  int lock; /* descriptor of the lock until the file is in place; a sweep removes unlocked ones */
} replacement;

enum { PERMISSIONS = 0777 };

/* Makes a temporary file and opens it a second time, for its lock. Tries again if a sweep removed
 * it before it was locked. It has no more permissions than `mode` from the start, so that only
 * permitted users can read the data. folder: with its slash, or "". Returns false on failure and
 * sets errno. */
static bool make_temporary(replacement *r, const char *folder, mode_t mode) {
  for (char name[ETR_TEMPORARY_ROOM];;) {
    if (!etr_temporary_name(name, ETR_TEMPORARY_OF_FILE))
      return false;
    r->temporary = etr_arena_format(&r->arena, "%s%s", folder, name);
    errno = ENOMEM;
    if (r->temporary == NULL || !etr_unfinished_add(&r->made, &r->arena, -1, r->temporary, false))
      return false;
    if (!make(&r->file, AT_FDCWD, r->temporary, mode))
      return false;
    r->lock = open(r->temporary,
                   O_WRONLY | O_NOFOLLOW | O_CLOEXEC); /* the folder may not be readable */
    if (r->lock < 0 ? errno != ENOENT : etr_temporary_lock(r->lock))
      return true;
    if (r->lock >= 0)
      (void)close(r->lock);
    (void)close(r->file.descriptor);
  }
}

/* Gives a new file permissions that the umask took from it. A process that must not change
 * permissions leaves the file with fewer, which is no failure. */
static bool keep_permissions(int file, mode_t mode) {
  struct stat made;
  if (fstat(file, &made) != 0)
    return false;
  if ((made.st_mode & PERMISSIONS) == mode || fchmod(file, mode) == 0)
    return true;
  return errno == EPERM && (made.st_mode & PERMISSIONS & ~mode) == 0;
}

/* Writes the new file and renames it. replaced: status of the existing file; NULL: there is none.
 */
static etr_status replace(replacement *r, const char *path, const struct stat *replaced,
                          etr_emitter emit, void *context, etr_error *error) {
  mode_t mode = replaced != NULL ? replaced->st_mode & PERMISSIONS : 0666;
  const char *folder = etr_arena_copy(&r->arena,
                                      (etr_slice){path, (size_t)(etr_last_part(path) - path)});
  if (folder == NULL)
    return etr_fail_memory(error);
  const char *swept = etr_arena_format(&r->arena, "%s.", folder);
  int descriptor = swept != NULL ? open(swept, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (descriptor >= 0)
    etr_temporary_sweep(descriptor, ETR_TEMPORARY_OF_FILE);
  if (descriptor >= 0)
    (void)close(descriptor);
  if (!make_temporary(r, folder, mode))
    return etr_fail_io(error, path, NULL, "cannot write this file", errno);
  if (replaced != NULL && !keep_permissions(r->file.descriptor, mode)) {
    etr_status status = etr_fail_io(error, path, NULL, "cannot keep this file's permissions",
                                    errno);
    (void)close(r->file.descriptor);
    return status;
  }
  ETR_TRY(etr_out_file_fill(&r->file, path, emit, context, error));
  return rename(r->temporary, path) == 0
             ? ETR_OK
             : etr_fail_io(error, path, NULL, "cannot put this file in place", errno);
}

/* Writes to a terminal, a pipe or /dev/null directly; replaces a file, or the target of a symbolic
 * link. */
static etr_status write_file(replacement *r, const char *path, etr_emitter emit, void *context,
                             etr_error *error) {
  struct stat status;
  if (stat(path, &status) != 0)
    return replace(r, path, NULL, emit, context, error);
  if (S_ISDIR(status.st_mode))
    return etr_fail_io(error, path, NULL, "cannot write this file", EISDIR);
  if (S_ISREG(status.st_mode)) {
    char *target = realpath(path, NULL);
    if (target == NULL)
      return etr_fail_io(error, path, NULL, "cannot write this file", errno);
    etr_status replaced = replace(r, target, &status, emit, context, error);
    free(target);
    return replaced;
  }
  if (!begin(&r->file, open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY), false))
    return etr_fail_io(error, path, NULL, "cannot write to this", errno);
  return etr_out_file_fill(&r->file, path, emit, context, error);
}

etr_status etr_write_file(const char *path, etr_emitter emit, void *context, etr_error *error) {
  etr_error_clear(error);
  replacement *r = calloc(1, sizeof *r);
  if (r == NULL)
    return etr_fail_memory(error);
  r->lock = -1;
  etr_unfinished_begin(&r->made);
  etr_status status = write_file(r, path, emit, context, error);
  if (status != ETR_OK)
    etr_unfinished_remove(&r->made);
  etr_unfinished_end(&r->made);
  if (r->lock >= 0)
    (void)close(r->lock);
  etr_arena_clear(&r->arena);
  free(r);
  return status;
}
