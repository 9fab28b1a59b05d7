/* SPDX-License-Identifier: BSD-3-Clause
 *
 * message.h - messages on standard error, and exit statuses. Layer 6.
 */
#ifndef ETR_MESSAGE_H
#define ETR_MESSAGE_H

#include "etrecord_tb.h"

#include <stdio.h>

/** Exit statuses of the command. */
typedef enum exit_status {
  EXIT_DONE = 0,
  EXIT_BAD_INPUT = 1, /* or output that could not be written */
  EXIT_USAGE = 2,
  EXIT_ABOVE_LIMIT = 3, /* a limit set with --fail-above was exceeded */
  EXIT_CANNOT_TELL = 4, /* it cannot be told whether it was */
  EXIT_SOME_FAILED = 5, /* some recordings failed; the others were written */
} exit_status;

/** What is said of inputs without a graph. */
#define MESSAGE_NO_GRAPH "an ETDump has no graph: add its ETRecord"

/** Prints a text from a file safely: see etr_write_plain(). */
void message_put_plain(FILE *out, const char *text);

/** Prints `etrecord-tb: FILE: ENTRY@OFFSET: message`. Returns EXIT_BAD_INPUT. */
exit_status message_error(const etr_error *error);

/** The same, where an option may be wrong. Returns EXIT_USAGE for ETR_ERROR_OPTION, otherwise EXIT_BAD_INPUT. */
exit_status message_refused(etr_status status, const etr_error *error);

/** Prints `etrecord-tb: text`. Returns EXIT_BAD_INPUT. */
exit_status message_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Fills an error that has no place in a file. Returns the status. */
etr_status message_fail(etr_error *error, etr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Prints `etrecord-tb: warning: FILE: ENTRY@OFFSET: message` for each warning of a profile. */
void message_warnings(const etr_profile *profile);

/** Prints `etrecord-tb: warning: text`. */
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Takes notes (see etr_notes), and prints each as `etrecord-tb: warning: ENTRY: text`. */
void message_note(void *context, const char *entry, const char *text);

/** Prints `etrecord-tb: text`, and points to --help. Returns EXIT_USAGE. */
exit_status message_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** A sink that writes to a file. */
etr_sink message_sink(FILE *file);

/** Flushes standard output after writing. Returns the exit status; a reader that closed the pipe is no error. */
exit_status message_written(etr_status status, const etr_error *error);

#endif
