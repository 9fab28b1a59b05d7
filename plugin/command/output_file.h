/* SPDX-License-Identifier: BSD-3-Clause
 *
 * output_file.h - the files of --output and --problems. They are opened before the command gives up
 * rights and reads any input, and a process that reads no input puts the file of --output in place
 * or removes it. So the process that reads needs no rights to their folders. Layer 6.
 */
#ifndef ETR_OUTPUT_FILE_H
#define ETR_OUTPUT_FILE_H

#include "command/message.h"

/**
 * Opens the files of --output and --problems, and on Linux starts the process that puts the former
 * in place. NULL: none. Returns EXIT_BAD_INPUT, with a message, if a file cannot be written, or if
 * the file of --problems has something else than problems.
 */
exit_status output_open(const char *output, const char *problems);

/** Makes the file of --output the standard output, into which answers are then printed one after
 * the other. Returns EXIT_BAD_INPUT, with a message, on failure. */
exit_status output_redirect_stdout(void);

/** Lets the file be put in place with the answers that are complete when this process is killed, or
 * ended by a signal. Otherwise it would be removed. */
void output_keep_partial(void);

/** Lets the next program that is started share the file: it is put in place when both processes
 * have ended. */
void output_share(void);

/** Returns the file of --problems, or NULL. */
FILE *output_problems(void);

/** Returns the descriptor of --output for the program that writes rows; -1: standard output. */
int output_descriptor(void);

/** Returns true if --output names a file that is replaced, false for standard output, pipes and
 * devices. */
bool output_is_file(void);

/** Writes the output of `emit` to the file of --output. Returns an exit status, after a message. */
exit_status output_write(etr_emitter emit, void *context);

/** Notes that an answer was printed into the file of --output, so that the file is worth keeping.
 * With output_keep_partial(), the keeper learns of the first one at once, as this process may be
 * killed. */
void output_note_answer(void);

/** Flushes a line of the file of --problems. output_finish() reports a failure. */
void output_flush_problems(void);

/** Returns EXIT_BAD_INPUT, with a message, if the output would replace this input. NULL is no
 * input.
 */
exit_status output_check_input(const char *path);

/** Returns EXIT_BAD_INPUT, with a message, if the output would replace a record or, if that is a
 * folder, would be in it: all files in it are inputs. */
exit_status output_check_record(const char *path);

/** Returns EXIT_BAD_INPUT, with a message, if the output would replace any of these files. */
exit_status output_check_inputs(const etr_inputs *inputs);

/**
 * Puts the file of --output in place, or removes it if the command failed with this status or
 * answered nothing. Returns `status`, or EXIT_BAD_INPUT with a message, also if the problems could
 * not be written.
 */
exit_status output_finish(exit_status status);

/** Removes the file of --output when a signal ends the command, or puts it in place if
 * output_keep_partial() was called and an answer is in it. Waits until that is done.
 * Async-signal-safe. */
void output_discard(void);

#endif
