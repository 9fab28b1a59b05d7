/* SPDX-License-Identifier: BSD-3-Clause
 *
 * out_file.h - writes an emitter's output into a file; errors carry the operating system's reason. Layer 4.
 */
#ifndef ETR_OUT_FILE_H
#define ETR_OUT_FILE_H

#include "etrecord_tb.h"

/** A file being written. Large: keep it on the heap. */
typedef struct etr_out_file {
  int descriptor;
  int reason;  /* errno of the first failure; 0: none */
  bool is_new; /* false: a terminal, pipe or other file that was there before */
  size_t used;
  char buffer[32768];
} etr_out_file;

/** Creates a file that must not exist yet, in an open folder. False on failure: see errno. */
bool etr_out_file_make(etr_out_file *file, int folder, const char *name);

/**
 * Writes what `emit` produces and closes the file in any case; a new file is flushed to disk. `shown` is the path to
 * name in messages. Errors: ETR_ERROR_IO if the file cannot be written; the emitter's.
 */
etr_status etr_out_file_fill(etr_out_file *file, const char *shown, etr_emitter emit, void *context, etr_error *error);

#endif
