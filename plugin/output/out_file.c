/* SPDX-License-Identifier: BSD-3-Clause
 *
 * out_file.c - buffered writing of files, all or nothing.
 */
#include "out_file.h"

#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(etr_out_file *file, const char *data, size_t size) {
  while (size > 0) {
    ssize_t wrote = write(file->descriptor, data, size);
    if (wrote < 0 && errno == EINTR) continue;
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

/* What fills the buffer by itself is not copied into it. */
static bool write_to_file(void *context, const void *data, size_t size) {
  etr_out_file *file = context;
  if (size > sizeof file->buffer - file->used && !flush(file)) return false;
  if (size >= sizeof file->buffer) return write_all(file, data, size);
  memcpy(file->buffer + file->used, data, size);
  file->used += size;
  return true;
}

static bool begin(etr_out_file *file, int descriptor) {
  file->descriptor = descriptor;
  file->reason = 0;
  file->used = 0;
  return descriptor >= 0;
}

bool etr_out_file_make(etr_out_file *file, const char *path) {
  return begin(file, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
}

static etr_status fail_io(const char *path, const char *what, int reason, etr_error *error) {
  return etr_fail(error, ETR_ERROR_IO, path, NULL, ETR_NO_OFFSET, "%s: %s", what, strerror(reason));
}

etr_status etr_out_file_fill(etr_out_file *file, const char *shown, etr_emitter emit, void *context, etr_error *error) {
  etr_status status = emit(context, &(etr_sink){write_to_file, file}, error);
  if (status == ETR_OK) (void)flush(file);
  if (close(file->descriptor) != 0 && status == ETR_OK && file->reason == 0) file->reason = errno;
  return file->reason != 0 ? fail_io(shown, "cannot write this file", file->reason, error) : status;
}

/* ---- One file, all or nothing ---- */

/* A new file beside `path`, whose name nothing has. NULL: errno says why not. */
static char *make_temporary(etr_out_file *file, etr_arena *arena, const char *path) {
  enum { ATTEMPTS = 100 };
  const char *slash = strrchr(path, '/');
  int folder_size = slash != NULL ? (int)(slash - path) + 1 : 0;
  for (int i = 0; i < ATTEMPTS; i++) {
    char *name = etr_arena_format(arena, "%.*s.etrecord-tb.%ld.%d.tmp", folder_size, path, (long)getpid(), i);
    errno = ENOMEM;
    if (name == NULL || begin(file, open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666))) return name;
    if (errno != EEXIST) return NULL;
  }
  return NULL;
}

static etr_status replace(etr_out_file *file, etr_arena *arena, const char *path, etr_emitter emit, void *context, etr_error *error) {
  char *temporary = make_temporary(file, arena, path);
  if (temporary == NULL) return fail_io(path, "cannot write this file", errno, error);
  etr_status status = etr_out_file_fill(file, path, emit, context, error);
  if (status == ETR_OK && rename(temporary, path) != 0) status = fail_io(path, "cannot put this file in place", errno, error);
  if (status != ETR_OK) (void)unlink(temporary);
  return status;
}

/* A terminal, a pipe or /dev/null is written to, not replaced; of a symbolic link, what it points to is replaced. */
static etr_status write_file(etr_out_file *file, etr_arena *arena, const char *path, etr_emitter emit, void *context, etr_error *error) {
  struct stat status;
  if (stat(path, &status) != 0) return replace(file, arena, path, emit, context, error);
  if (S_ISDIR(status.st_mode)) return fail_io(path, "cannot write this file", EISDIR, error);
  if (S_ISREG(status.st_mode)) {
    char *target = realpath(path, NULL);
    if (target == NULL) return fail_io(path, "cannot write this file", errno, error);
    etr_status replaced = replace(file, arena, target, emit, context, error);
    free(target);
    return replaced;
  }
  if (!begin(file, open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY))) return fail_io(path, "cannot write to this", errno, error);
  return etr_out_file_fill(file, path, emit, context, error);
}

etr_status etr_write_file(const char *path, etr_emitter emit, void *context, etr_error *error) {
  etr_arena arena;
  etr_arena_init(&arena);
  etr_error_clear(error);
  etr_out_file *file = etr_arena_alloc(&arena, sizeof *file);
  etr_status status = file == NULL ? etr_fail(error, ETR_ERROR_MEMORY, NULL, NULL, ETR_NO_OFFSET, "out of memory")
                                   : write_file(file, &arena, path, emit, context, error);
  etr_arena_clear(&arena);
  return status;
}
