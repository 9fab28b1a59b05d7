/* SPDX-License-Identifier: BSD-3-Clause
 *
 * file.h - whole files in memory, and pieces of files that are too large for that. Layer 0.
 */
#ifndef ETR_FILE_H
#define ETR_FILE_H

#include "base/base.h"

#include <stdio.h>

/** Fills *error for a call of the system that failed: what could not be done ("cannot open"), and why (an errno).
 * entry: of a file with entries, else NULL. Returns ETR_ERROR_IO. */
etr_status etr_fail_io(etr_error *error, const char *path, const char *entry, const char *what, int reason);

/** The bytes of a file; free with etr_file_clear(). Read, not mapped: a file that shrinks meanwhile must not kill the
 * process. */
typedef struct etr_file {
  uint8_t *data;
  size_t size;
} etr_file;

static inline etr_slice etr_file_bytes(const etr_file *file) {
  return (etr_slice){(const char *)file->data, file->size};
}

/**
 * Reads a whole file; "-" is standard input. Directories and files larger than max_bytes are refused.
 * Errors: ETR_ERROR_IO, ETR_ERROR_FORMAT (too large), ETR_ERROR_MEMORY.
 */
etr_status etr_file_read(etr_file *out, const char *path, uint64_t max_bytes, etr_error *error);

/** Opens a file, or what a link leads to. NULL: errno says why not. Whatever else it is, a pipe or a device, is not
 * even opened: that could wait for ever. */
FILE *etr_file_open_regular(const char *path);

/** True for what etr_seekable_open() takes: neither a folder nor a pipe nor "-". */
bool etr_file_is_regular(const char *path);

void etr_file_clear(etr_file *file);

/** A file that is read in pieces, from any place. Close with etr_seekable_close(). */
typedef struct etr_seekable {
  int descriptor;
  uint64_t size;     /* when it was opened: it may be shorter now */
  const char *bytes; /* it is no file, but these, lent; NULL: it is a file */
} etr_seekable;

/** Bytes, which outlive it, as such a file. */
static inline etr_seekable etr_seekable_of(etr_slice bytes) {
  return (etr_seekable){.descriptor = -1, .size = bytes.size, .bytes = bytes.data};
}

/** Opens a regular file. Errors: ETR_ERROR_IO (also for a pipe or a directory). On failure there is nothing to close.
 */
etr_status etr_seekable_open(etr_seekable *out, const char *path, etr_error *error);

/** Reads `size` bytes at a place, all or none: false if the file ends before, or cannot be read. */
bool etr_seekable_read(const etr_seekable *file, uint64_t at, void *into, size_t size);

/** The same into memory of its own: free with etr_file_clear(). Errors: ETR_ERROR_IO (shorter than it was),
 * ETR_ERROR_MEMORY. */
etr_status etr_seekable_load(etr_file *out, const etr_seekable *file, uint64_t at, size_t size, const char *path,
                             etr_error *error);

void etr_seekable_close(etr_seekable *file);

#endif
