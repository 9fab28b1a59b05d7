/* SPDX-License-Identifier: BSD-3-Clause
 *
 * message.h - what the command says on standard error, and its exit status. Layer 6.
 */
#ifndef ETR_MESSAGE_H
#define ETR_MESSAGE_H

#include "etrecord_tb.h"

#include <stdio.h>

/** Exit status of the command. */
typedef enum exit_status {
  EXIT_DONE = 0,
  EXIT_BAD_INPUT = 1, /* bad input, or could not write */
  EXIT_USAGE = 2,
  EXIT_ABOVE_LIMIT = 3, /* a limit set with --fail-above was exceeded */
} exit_status;

/** Prints a text. Names come from files: control characters, which could steer a terminal or break a line, become '?'. */
void message_put_plain(FILE *out, const char *text);

/** `etrecord-tb: FILE: ENTRY@OFFSET: message`. Gives the exit status that goes with the error. */
exit_status message_error(const etr_error *error);

/** `etrecord-tb: warning: FILE: ENTRY@OFFSET: message` for each warning of a profile. */
void message_warnings(const etr_profile *profile);

/** `etrecord-tb: warning: text`. */
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** `etrecord-tb: text`, and a hint at --help. Gives EXIT_USAGE. */
exit_status message_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** A sink on standard output. A closed pipe fails it. */
etr_sink message_stdout(void);

/** What to return after writing to standard output: a closed pipe ends quietly. Also flushes. */
exit_status message_written(etr_status status, const etr_error *error);

#endif
