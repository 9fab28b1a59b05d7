/* SPDX-License-Identifier: BSD-3-Clause
 *
 * out_file.h - an emitter's bytes into a file, with the operating system's reason where that fails. Layer 4.
 */
#ifndef ETR_OUT_FILE_H
#define ETR_OUT_FILE_H

#include "etrecord_tb.h"

/** A file that is being written. Large: keep it on the heap. */
typedef struct etr_out_file {
  int descriptor, reason; /* reason: errno of the failure; 0: none */
  size_t used;
  char buffer[32768];
} etr_out_file;

/** Makes the file `path`, or empties it; follows no symbolic link. False: errno says why not. */
bool etr_out_file_make(etr_out_file *file, const char *path);

/**
 * Writes what `emit` gives and closes the file, whatever happens. `shown` is the path to name in messages.
 * Errors: ETR_ERROR_IO where the file could not be written, else the emitter's.
 */
etr_status etr_out_file_fill(etr_out_file *file, const char *shown, etr_emitter emit, void *context, etr_error *error);

#endif
