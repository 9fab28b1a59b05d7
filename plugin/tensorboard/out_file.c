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

/* Writes all bytes to the file's descriptor. Returns false on failure, with errno in file->reason.
 * */
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

/* Writes the bytes that were gathered in the buffer. Returns false on failure, with errno in
 * file->reason. */
static bool flush_buffer(etr_out_file *file) {
  size_t size = file->used;
  file->used = 0;
  return write_all(file, file->buffer, size);
}

/* Writes bytes through the file's buffer, as the function of its sink; as much as the buffer holds
 * is written directly. Returns false on failure, with errno in file->reason. */
static bool write_to_file(void *context, const void *data, size_t size) {
  etr_out_file *file = context;
  if (size > sizeof file->buffer - file->used && !flush_buffer(file))
    return false;
  if (size >= sizeof file->buffer)
    return write_all(file, data, size);
  memcpy(file->buffer + file->used, data, size);
  file->used += size;
  return true;
}

/* Prepares a file that is written to this descriptor. is_new: it is a file of its own, whose data
 * is flushed to disk at the end, and no pipe or terminal. Returns false if the descriptor is -1,
 * because the file could not be opened. */
static bool init_out_file(etr_out_file *file, int descriptor, bool is_new) {
  file->descriptor = descriptor;
  file->reason = 0;
  file->is_new = is_new;
  file->used = 0;
  return descriptor >= 0;
}

static bool make(etr_out_file *file, int folder, const char *name, mode_t mode) {
  return init_out_file(file, openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode),
                       true);
}

bool etr_out_file_make(etr_out_file *file, int folder, const char *name) {
  return make(file, folder, name, 0666);
}

etr_status etr_out_file_fill(etr_out_file *file, const char *shown, etr_emitter emit, void *context,
                             etr_error *error) {
  etr_status status = emit(context, &(etr_sink){write_to_file, file}, error);
  bool goes_to_disk = status == ETR_OK && flush_buffer(file) && file->is_new;
  if (goes_to_disk && fsync(file->descriptor) != 0 && errno != EINVAL && errno != ENOSYS)
    file->reason = errno; /* EINVAL and ENOSYS: the file system cannot flush, which is no error */
  if (close(file->descriptor) != 0 && status == ETR_OK && file->reason == 0)
    file->reason = errno;
  return file->reason != 0 ? etr_fail_io(error, shown, NULL, "cannot write this file", file->reason)
                           : status;
}

/* ---- One file, all or nothing ---- */

struct etr_new_file {
  etr_out_file file; /* its descriptor is -1 once it is closed */
  etr_arena arena;
  etr_unfinished made;
  const char *path;      /* as errors name it */
  const char *target;    /* the path that the temporary file is renamed to */
  const char *temporary; /* NULL: a pipe or a device, which is written to directly */
  int lock; /* descriptor of the lock until the file is in place; a sweep removes unlocked ones */
};

enum { PERMISSIONS = 0777 };

/* Makes the temporary file next to the target and opens it a second time, for its lock. Tries again
 * if another process swept it, as the file of a killed writer, before it was locked. It has no more
 * permissions than `mode` from the start, so that nobody else can read the data. folder: with its
 * slash, or "". Returns false on failure, with errno set. */
static bool make_temporary(etr_new_file *n, const char *folder, mode_t mode) {
  for (char name[ETR_TEMPORARY_ROOM];;) {
    if (!etr_temporary_name(name, ETR_TEMPORARY_OF_FILE))
      return false;
    n->temporary = etr_arena_format(&n->arena, "%s%s", folder, name);
    errno = ENOMEM;
    if (n->temporary == NULL || !etr_unfinished_add(&n->made, &n->arena, -1, n->temporary, false))
      return false;
    if (!make(&n->file, AT_FDCWD, n->temporary, mode))
      return false;
    n->lock = open(n->temporary, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (n->lock >= 0 && etr_temporary_lock(n->lock))
      return true;
    /* A read-only file stays without a lock: a sweep cannot open it for writing, either. */
    if (n->lock < 0 && errno != ENOENT)
      return errno == EACCES;
    if (n->lock >= 0)
      (void)close(n->lock);
    (void)close(n->file.descriptor);
  }
}

/* Gives a new file those permissions of `mode` that the umask took from it. Returns false if that
 * failed, or if the file has others. A process that must not change permissions leaves the file
 * with fewer, which is no failure. */
static bool keep_permissions(int file, mode_t mode) {
  struct stat status;
  if (fstat(file, &status) != 0)
    return false;
  if ((status.st_mode & PERMISSIONS) == mode || fchmod(file, mode) == 0)
    return true;
  return errno == EPERM && (status.st_mode & PERMISSIONS & ~mode) == 0;
}

/* Removes abandoned temporary files from the target's folder and opens the new file there.
 * replaced: status of the file that it will replace, whose permissions it gets; NULL if there is
 * none. */
static etr_status open_temporary(etr_new_file *n, const struct stat *replaced, etr_error *error) {
  mode_t mode = replaced != NULL ? replaced->st_mode & PERMISSIONS : 0666;
  const etr_slice folder_part = {n->target, (size_t)(etr_last_part(n->target) - n->target)};
  const char *folder = etr_arena_copy(&n->arena, folder_part);
  if (folder == NULL)
    return etr_fail_memory(error);
  const char *swept_path = etr_arena_format(&n->arena, "%s.", folder);
  int descriptor = swept_path != NULL ? open(swept_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (descriptor >= 0)
    etr_temporary_sweep(descriptor, ETR_TEMPORARY_OF_FILE);
  if (descriptor >= 0)
    (void)close(descriptor);
  if (!make_temporary(n, folder, mode))
    return etr_fail_io(error, n->path, NULL, "cannot write this file", errno);
  if (replaced != NULL && !keep_permissions(n->file.descriptor, mode))
    return etr_fail_io(error, n->path, NULL, "cannot keep this file's permissions", errno);
  return ETR_OK;
}

/* Opens a terminal, a pipe or /dev/null itself. For any other path opens a temporary file, which
 * will replace the file of this path, or the one to which a symbolic link leads. Fails for a
 * folder, and for a link that leads nowhere. What is no regular file is not flushed to disk
 * (false), and a new file gets the usual permissions (NULL). */
static etr_status open_output(etr_new_file *n, etr_error *error) {
  struct stat status;
  n->target = n->path;
  if (stat(n->path, &status) != 0) {
    if (lstat(n->path, &status) == 0)
      return etr_fail(error, ETR_ERROR_IO, n->path, NULL, ETR_NO_OFFSET,
                      "cannot write this file: it is a link to a file that does not exist; remove "
                      "the link, or name the file");
    return open_temporary(n, NULL, error);
  }
  if (S_ISDIR(status.st_mode))
    return etr_fail_io(error, n->path, NULL, "cannot write this file", EISDIR);
  if (!S_ISREG(status.st_mode)) {
    return init_out_file(&n->file, open(n->path, O_WRONLY | O_CLOEXEC | O_NOCTTY), false)
               ? ETR_OK
               : etr_fail_io(error, n->path, NULL, "cannot write to this", errno);
  }
  char *target = realpath(n->path, NULL);
  if (target == NULL)
    return etr_fail_io(error, n->path, NULL, "cannot write this file", errno);
  n->target = etr_arena_copy(&n->arena, etr_slice_of(target));
  free(target);
  return n->target != NULL ? open_temporary(n, &status, error) : etr_fail_memory(error);
}

/* Closes and frees a file; removes its temporary file if that is not in place. */
static void free_new_file(etr_new_file *n, bool is_in_place) {
  if (n->file.descriptor >= 0)
    (void)close(n->file.descriptor);
  if (!is_in_place)
    etr_unfinished_remove(&n->made);
  etr_unfinished_end(&n->made);
  if (n->lock >= 0)
    (void)close(n->lock);
  etr_arena_clear(&n->arena);
  free(n);
}

etr_status etr_new_file_open(etr_new_file **out, const char *path, etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  etr_new_file *n = calloc(1, sizeof *n);
  if (n == NULL)
    return etr_fail_memory(error);
  n->lock = n->file.descriptor = -1;
  etr_unfinished_begin(&n->made);
  n->path = etr_arena_copy(&n->arena, etr_slice_of(path));
  etr_status status = n->path != NULL ? open_output(n, error) : etr_fail_memory(error);
  if (status == ETR_OK)
    *out = n;
  else
    /* false: the file is not in place. */
    free_new_file(n, false);
  return status;
}

int etr_new_file_descriptor(const etr_new_file *file) {
  return file->file.descriptor;
}

const char *etr_new_file_target(const etr_new_file *file) {
  return file->temporary != NULL ? file->target : NULL;
}

etr_status etr_new_file_fill(etr_new_file *file, etr_emitter emit, void *context,
                             etr_error *error) {
  etr_error_clear(error);
  etr_status status = etr_out_file_fill(&file->file, file->path, emit, context, error);
  file->file.descriptor = -1;
  return status;
}

etr_status etr_new_file_close(etr_new_file *file, bool keep, etr_error *error) {
  etr_error_clear(error);
  etr_status status = ETR_OK;
  bool renames = keep && file->temporary != NULL;
  if (renames && rename(file->temporary, file->target) != 0)
    status = etr_fail_io(error, file->path, NULL, "cannot put this file in place", errno);
  free_new_file(file, keep && status == ETR_OK);
  return status;
}

etr_status etr_write_file(const char *path, etr_emitter emit, void *context, etr_error *error) {
  etr_new_file *file;
  ETR_TRY(etr_new_file_open(&file, path, error));
  etr_status status = etr_new_file_fill(file, emit, context, error);
  etr_status closed = etr_new_file_close(file, status == ETR_OK, status == ETR_OK ? error : NULL);
  return status == ETR_OK ? closed : status;
}
