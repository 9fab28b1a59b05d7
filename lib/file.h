/* SPDX-License-Identifier: BSD-3-Clause
 *
 * file.h - whole files in memory. Layer 0.
 */
#ifndef ETR_FILE_H
#define ETR_FILE_H

#include "base.h"

/** The bytes of a file; free with etr_file_clear(). Read, not mapped: a file that shrinks meanwhile must not kill the process. */
typedef struct etr_file {
  uint8_t *data;
  size_t size;
} etr_file;

/**
 * Reads a whole file; "-" is standard input. Directories and files larger than max_bytes are refused.
 * Errors: ETR_ERROR_IO, ETR_ERROR_FORMAT (too large), ETR_ERROR_MEMORY.
 */
etr_status etr_file_read(etr_file *out, const char *path, uint64_t max_bytes, etr_error *error);

/** Reads up to `size` first bytes of a file into `into`; *got tells how many there were. Errors: ETR_ERROR_IO. */
etr_status etr_file_peek(const char *path, void *into, size_t size, size_t *got, etr_error *error);

void etr_file_clear(etr_file *file);

#endif
