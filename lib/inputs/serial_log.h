/* SPDX-License-Identifier: BSD-3-Clause
 *
 * serial_log.h - finds ETDumps that a device without a file system printed as base64 into a log.
 * Layer 2.
 *
 * Arm's runner prints `echo "BASE64" | base64 -d >debug_buffer.bin`, if there is one, and `echo
 * "BASE64" | base64 -d >etdump.bin`: examples/arm/executor_runner/arm_executor_runner.cpp. Other
 * programs print base64 alone, in one line or in lines of equal length. Text in front of it, such
 * as a logger's time, terminal colors and carriage returns are ignored. An ETDump is recognized by
 * its decoded bytes, not by the words around it. A debug buffer has no such mark, so it is
 * recognized by its name; it belongs to the ETDump that follows it.
 */
#ifndef ETR_SERIAL_LOG_H
#define ETR_SERIAL_LOG_H

#include "base/arena.h"

typedef struct etr_log_dump {
  size_t number; /* number among the log's ETDumps, from 1; incomplete ones count */
  size_t line;   /* line on which it starts, from 1 */
  etr_slice bytes;
  etr_slice debug_buffer; /* empty if it has none */
} etr_log_dump;

typedef struct etr_serial_log {
  const etr_log_dump *dumps; /* the complete ETDumps, in the log's order */
  size_t dump_count;
  size_t found;        /* number of ETDumps, including incomplete ones */
  const char *problem; /* what is wrong with the first incomplete ETDump, with its line and what to
                          do; NULL: all are complete */
  const char *lost_buffer; /* what is wrong with the first debug buffer that cannot be read; NULL:
                              nothing */
} etr_serial_log;

/** Reads a log and decodes its ETDumps into the arena, which takes about as much memory as the log.
 * Returns false when out of memory. */
bool etr_serial_log_read(etr_serial_log *out, etr_arena *arena, etr_slice bytes);

/* ---- Logs that were read once, for everyone who opens a profile of their ETDumps ---- */

/** A log of etr_decoded_logs. */
typedef struct etr_decoded_log {
  uint64_t file_bytes;
  etr_serial_log log;
} etr_decoded_log;

/** Reads a log of at most 1 GiB and keeps what was decoded. *logs is made if it is NULL. *out is
 * NULL if the file cannot be read. Returns false when out of memory. */
bool etr_decoded_logs_read(etr_decoded_logs **logs, const char *path, const etr_decoded_log **out);

/** Returns the log of a path, or NULL. `logs` may be NULL. */
const etr_decoded_log *etr_decoded_logs_find(const etr_decoded_logs *logs, etr_slice path);

/** Frees the logs; NULL is allowed. */
void etr_decoded_logs_free(etr_decoded_logs *logs);

/**
 * Returns true if a file contains the start of an ETDump, or the line with which Arm's runner
 * announces one. Reads the file in pieces; a file that looks binary is not read to its end.
 */
bool etr_serial_log_is(const char *path);

#endif
