/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump_files.h - the ETDumps of a profile, from their files and from the logs that hold them. Layer 3.
 */
#ifndef ETR_DUMP_FILES_H
#define ETR_DUMP_FILES_H

#include "base/budget.h"
#include "inputs/dump.h"
#include "inputs/record.h"

typedef struct etr_dump_files {
  /* Set by the caller. */
  etr_arena *arena, *runs; /* of the profile; of runs and events */
  etr_map *names;          /* of events, over all dumps */
  etr_budget *budget;
  uint64_t max_file_bytes;
  etr_warnings *warnings;
  /* Filled. */
  etr_vec(etr_dump) dumps;
  etr_vec(const char *) paths; /* of each dump: LOG#2 is the second of a log that holds several */
  etr_slice debug_buffer;      /* of the first dump with tensors that a log has one for, in the arena; empty: none */
  const char *debug_buffer_path;
  uint64_t ticks; /* of all dumps */
} etr_dump_files;

/**
 * Reads the ETDumps of each path: an ETDump, "-", a log with ETDumps in it as base64, or one of these, LOG#NUMBER.
 * Errors: those of etr_file_read() and etr_dump_read(); ETR_ERROR_FORMAT where a log holds no whole ETDump, or too many
 * ticks to count.
 */
etr_status etr_dump_files_read(etr_dump_files *files, const char *const *paths, size_t count, etr_error *error);

#endif
