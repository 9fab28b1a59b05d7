/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.h - splits a command line into words, and finds in a runner's arguments its model, its
 * ETDump and whether adb runs it. Layer 6.
 */
#ifndef ETR_PROGRAM_H
#define ETR_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/** Returns the value of --model_path among the arguments, the .pte, or NULL. */
const char *program_model_path(const char *const *arguments);

/** Returns true if both programs run the same model, as far as is known from their arguments: the
 * same path, or files with the same bytes; also if one does not name a model. False if a file
 * cannot be read. */
bool program_has_same_model(const char *const *arguments, const char *const *others);

/** Returns the value of --etdump_path, --etdump-path or --etdump among the arguments, or NULL. */
const char *program_dump_path(const char *const *arguments);

/** Returns the arguments without the option that names the ETDump, and its value, NULL-terminated.
 * Free the list; the texts are borrowed. Returns NULL if they do not have the option, or when out
 * of memory. */
const char **program_without_dump(const char *const *arguments);

/** Returns true if the program is adb. */
bool program_is_adb(const char *const *arguments);

enum { MOST_ADB_ARGUMENTS = 16 };

/**
 * Gives the arguments of another call of adb for the same device, NULL-terminated: the arguments
 * before `shell`, then `more`, which ends with NULL.
 */
void program_adb(const char *out[MOST_ADB_ARGUMENTS + 1], const char *const *arguments,
                 const char *const *more);

/**
 * Splits a command line into words as a POSIX shell does. Returns the words, ended by NULL, as one
 * block to be freed with free(). A line of blanks has no words. Returns NULL on failure and sets
 * *problem to a static text: "a quote is not closed", "it ends with a backslash" or "out of
 * memory".
 *
 * Blanks, tabs and line breaks separate words. '...' is taken literally; in "..." a backslash
 * escapes only $ ` " \ and a line break; outside of quotes it escapes any character. Nothing is
 * expanded and nothing is executed: $ ` ~ * ? [ and the shell's operators | & ; < > ( ) # are
 * ordinary characters. `sh -c '...'` runs a shell.
 *
 * wordexp() is not used, because it expands variables, home folders and patterns of file names,
 * refuses operators, runs /bin/sh in musl's C library, and is missing on Windows.
 */
const char **program_words(const char *line, const char **problem);

#endif
