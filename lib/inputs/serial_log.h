/* SPDX-License-Identifier: BSD-3-Clause
 *
 * serial_log.h - ETDumps as base64 between the other lines of a log, as a device without a file system prints them.
 * Layer 2.
 *
 * Arm's runner prints `echo "BASE64" | base64 -d >debug_buffer.bin`, if there is one, and `echo "BASE64" | base64 -d
 * >etdump.bin`: examples/arm/executor_runner/arm_executor_runner.cpp. Other programs print base64 alone, in one line or
 * in lines of one length. What stands in front, such as a logger's time, sequences that colour a terminal, and carriage
 * returns do not matter. An ETDump is told by what it decodes to, not by the words around it; a debug buffer, which
 * looks like nothing, by its name. It belongs to the ETDump behind it.
 */
#ifndef ETR_SERIAL_LOG_H
#define ETR_SERIAL_LOG_H

#include "base/arena.h"

typedef struct etr_log_dump {
  size_t number; /* from 1: which of the log's ETDumps it is; those that are cut off count as well */
  size_t line;   /* where it starts, from 1 */
  etr_slice bytes;
  etr_slice debug_buffer; /* empty if it has none */
} etr_log_dump;

typedef struct etr_serial_log {
  const etr_log_dump *dumps; /* the whole ones, in the log's order */
  size_t dump_count;
  size_t found;        /* with those that are cut off */
  const char *problem; /* what is wrong with the first that is not whole, with its line and what to do; NULL: none */
  const char *lost_buffer; /* likewise of the first debug buffer that cannot be read */
} etr_serial_log;

/** Reads a log; ETDumps are decoded into the arena, which takes about as much as the log. False: out of memory. */
bool etr_serial_log_read(etr_serial_log *out, etr_arena *arena, etr_slice bytes);

/**
 * True if an ETDump starts in a file, be it whole or not, or is announced as Arm's runner does. Reads pieces of it;
 * what looks binary is not read to its end.
 */
bool etr_serial_log_is(const char *path);

#endif
