/* SPDX-License-Identifier: BSD-3-Clause
 *
 * message.h - prints messages on standard error; exit statuses. Layer 6.
 */
#ifndef ETR_MESSAGE_H
#define ETR_MESSAGE_H

#include "etrecord_tb.h"

#include <stdio.h>

/** Exit statuses of the command. */
typedef enum exit_status {
  EXIT_DONE = 0,
  EXIT_BAD_INPUT = 1, /* an input cannot be read, or an output cannot be written */
  EXIT_USAGE = 2,
  EXIT_ABOVE_LIMIT = 3, /* a limit set with --fail-above was exceeded */
  EXIT_CANNOT_TELL = 4, /* the data do not decide whether the limit was exceeded, or nothing
                          was timed on both sides */
  EXIT_SOME_FAILED = 5, /* some recordings failed; the others were written */
} exit_status;

/** The message about inputs without a graph. */
#define MESSAGE_NO_GRAPH                                                                           \
  "an ETDump has no graph: add its ETRecord or .pte (summary and events have its times)"

/** The same, of sums over operators, modules, patterns, source lines or kinds of layers. */
#define MESSAGE_NO_LAYERS                                                                          \
  "an ETDump has no graph, and so no operators, modules or lines: add its ETRecord or .pte "       \
  "(`summary --by kernel` has the times)"

/** The same, of an answer about nodes in delegates. */
#define MESSAGE_NO_DELEGATED_NODES                                                                 \
  "an ETDump has no graph: add its ETRecord or .pte (`delegation --by delegate` has its "          \
  "delegates)"

/** Prints a text from a file safely: see etr_write_plain(). */
void message_put_plain(FILE *out, const char *text);

/** Prints `etrecord-tb: FILE: ENTRY@OFFSET: message`, and keeps the message for message_last().
 * Returns EXIT_BAD_INPUT. */
exit_status message_error(const etr_error *error);

/** Returns the text of the last error that was printed, without the file; "" if none was. Static.
 */
const char *message_last(void);

/** Prints an error like message_error(). Returns EXIT_USAGE for ETR_ERROR_OPTION, otherwise
 * EXIT_BAD_INPUT. */
exit_status message_refused(etr_status status, const etr_error *error);

/** Prints `etrecord-tb: text`, and keeps the text for message_last(). Returns EXIT_BAD_INPUT. */
exit_status message_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Fills an error that names no location in a file. Returns the status. */
etr_status message_fail(etr_error *error, etr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Prints `etrecord-tb: warning: FILE: ENTRY@OFFSET: message` for each warning of a profile.
 * record: stands for the file in warnings that name none; may be NULL. */
void message_warnings(const etr_profile *profile, const char *record);

/** How many warnings were printed, and how many more there were. */
typedef struct message_count {
  size_t shown, hidden;
} message_count;

/** Prints the warnings of a profile, except those that `other`, a profile of the same record, also
 * has: they were printed before. Prints at most 50 in all and counts the others in *count. other:
 * may be NULL. record: as in message_warnings(). */
void message_new_warnings(message_count *count, const etr_profile *profile,
                          const etr_profile *other, const char *record);

/** Warns if the times of a profile may be no times: see etr_profile.takes_cycles_as_ns. */
void message_clock(const etr_profile *profile);

/** Prints how many more warnings there were, if there were any. */
void message_hidden_warnings(const message_count *count);

/** Prints `etrecord-tb: warning: text`. */
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Prints the warnings of a comparison with a reference. */
void message_accuracy_warnings(const etr_accuracy *accuracy);

/** Prints a note (see etr_notes) as `etrecord-tb: warning: ENTRY: text`. */
void message_note(void *context, const char *entry, const char *text);

/** Prints `etrecord-tb: text` and how to see the help of the command, or of the program if
 * `command` is NULL. Returns EXIT_USAGE. */
exit_status message_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/**
 * Shows on standard error how far a command is: on a terminal as one line, which the next call
 * replaces and the next message removes; else, as in a log, as a line of its own if the one before,
 * or the first call, is 5 seconds ago.
 */
void message_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Removes the line of message_progress(), if it is shown. */
void message_end_progress(void);

/** Returns a sink that writes to a file. */
etr_sink message_sink(FILE *file);

/** Writes the output of `emit` to standard output, 64 KiB at a time and only whole lines, so that
 * lines stay whole if other processes append to the same file. Longer lines are written in parts.
 * Errors: those of `emit`; ETR_ERROR_IO if standard output cannot be written, without a message. */
etr_status message_print(etr_emitter emit, void *context, etr_error *error);

/** Returns true if standard output is a pipe that its reader closed. */
bool message_nobody_reads(void);

/** Flushes standard output after an emitter returned `status`. Returns the exit status. It is not
 * an error if the reader closed the pipe. */
exit_status message_written(etr_status status, const etr_error *error);

#endif
