/* SPDX-License-Identifier: BSD-3-Clause
 *
 * file.h - whole files in memory, and pieces of files that are too large for that. Layer 0.
 */
#ifndef ETR_FILE_H
#define ETR_FILE_H

#include "base/arena.h"

#include <stdio.h>

/** Fills *error for a system call that failed, and returns ETR_ERROR_IO. `what` says what could not
 * be done ("cannot open"), and `reason` is an errno. `entry` is NULL for a file without entries. */
etr_status etr_fail_io(etr_error *error, const char *path, const char *entry, const char *what,
                       int reason);

/** The bytes of a file; free with etr_file_clear(). Read, not mapped: a file that shrinks meanwhile
 * must not kill the process. */
typedef struct etr_file {
  uint8_t *data;
  size_t size;
  bool is_borrowed; /* the bytes are the caller's (memory_file.h), and only read */
} etr_file;

static inline etr_slice etr_file_bytes(const etr_file *file) {
  return (etr_slice){(const char *)file->data, file->size};
}

/**
 * Reads a whole file; "-" is standard input. Directories and files larger than max_bytes are
 * refused. Errors: ETR_ERROR_IO, ETR_ERROR_FORMAT (too large), ETR_ERROR_MEMORY.
 */
etr_status etr_file_read(etr_file *out, const char *path, uint64_t max_bytes, etr_error *error);

/** Opens a regular file, or the one that a link leads to, but none in memory. Returns NULL on
 * failure, with the reason in errno. A pipe or a device is not opened, because that could wait
 * forever. */
FILE *etr_file_open_regular(const char *path);

/** Returns true if two regular files have the same bytes, or are one file. False if either cannot
 * be read. */
bool etr_files_are_equal(const char *a, const char *b);

/** Reads up to `size` first bytes of a regular file, and sets *got to their number. Returns false
 * if it is none, or cannot be read. */
bool etr_file_read_head(const char *path, char *into, size_t size, size_t *got);

/** Returns true for what etr_seekable_open() accepts: neither a folder nor a pipe nor "-". */
bool etr_file_is_regular(const char *path);

/** Returns when the newest of some files was changed last, in seconds since 1970; 0: none of them
 * is a file. */
double etr_newest_change(const char *const *paths, size_t count);

void etr_file_clear(etr_file *file);

/** A file that is read in pieces, from any offset. Close it with etr_seekable_close(). */
typedef struct etr_seekable {
  int descriptor;
  uint64_t size;     /* size when it was opened; it may be shorter now */
  const char *bytes; /* if not NULL, these borrowed bytes are read instead of a file */
} etr_seekable;

/** Makes a seekable file of bytes, which must outlive it. */
static inline etr_seekable etr_seekable_of(etr_slice bytes) {
  return (etr_seekable){.descriptor = -1, .size = bytes.size, .bytes = bytes.data};
}

/** Opens a regular file. Errors: ETR_ERROR_IO (also for a pipe or a directory). On failure there is
 * nothing to close.
 */
etr_status etr_seekable_open(etr_seekable *out, const char *path, etr_error *error);

/** Reads exactly `size` bytes at an offset. Returns false if the file ends before, or if it cannot
 * be read. */
bool etr_seekable_read(const etr_seekable *file, uint64_t offset, void *into, size_t size);

/** Reads `size` bytes at an offset into new memory; free it with etr_file_clear(). Errors:
 * ETR_ERROR_IO (the file is shorter than when it was opened), ETR_ERROR_MEMORY. */
etr_status etr_seekable_load(etr_file *out, const etr_seekable *file, uint64_t offset, size_t size,
                             const char *path, etr_error *error);

void etr_seekable_close(etr_seekable *file);

/* ---- The lines of a model's source file, where it is still on disk ---- */

typedef struct etr_source_file {
  const char *const *lines; /* without line ends, and with blanks for tabs; [0] is line 1 */
  size_t line_count;
} etr_source_file;

typedef enum etr_source_state {
  ETR_SOURCE_ABSENT,    /* the file does not exist, is too large, or cannot be read */
  ETR_SOURCE_DIFFERENT, /* the file exists, but does not contain the recorded code */
  ETR_SOURCE_FOUND,
} etr_source_state;

/** Reads a source file. `root` is the directory to which the files have moved: the path is looked
 * for there with fewer and fewer of its folders. If it is NULL, the file is read where it was
 * recorded. A record could name any file of the reader, so only regular files are read, and the
 * result is ETR_SOURCE_FOUND only if the file has the code of each of the `count` recorded lines at
 * that line. When out of memory, the arena has failed. */
etr_source_state etr_source_file_read(etr_source_file *out, etr_arena *arena, const char *path,
                                      const char *root, const etr_source *const *lines,
                                      size_t count);

#endif
