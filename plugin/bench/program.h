/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.h - the words of a command line, and what those of a runner say: its model, where it leaves its ETDump,
 * whether adb runs it. Layer 6.
 */
#ifndef ETR_PROGRAM_H
#define ETR_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/** What --model_path names among the arguments, the .pte; NULL: nothing. */
const char *program_model_path(const char *const *arguments);

/** True if both run the same model as far as is known: the same path, or files with the same bytes. */
bool program_has_same_model(const char *const *arguments, const char *const *others);

/** What --etdump_path and the like name among the arguments; NULL: nothing. */
const char *program_dump_path(const char *const *arguments);

/** The arguments without that option, NULL-terminated; NULL when they have none, or out of memory. Free it. */
const char **program_without_dump(const char *const *arguments);

/** True if the program is adb. */
bool program_is_adb(const char *const *arguments);

enum { MOST_ADB_ARGUMENTS = 16 };

/**
 * The arguments of another call of adb for the same device, NULL-terminated: those in front of `shell`, then `more`,
 * which ends with NULL.
 */
void program_adb(const char *out[MOST_ADB_ARGUMENTS + 1], const char *const *arguments, const char *const *more);

/**
 * Splits a command line into words as a POSIX shell does: the words, ended by NULL, as one block to be freed with
 * free(). A line of blanks has no words. NULL on failure; *problem is a static text then: "a quote is not closed", "it
 * ends with a backslash", "out of memory".
 *
 * Blanks, tabs and line breaks separate words. '...' is taken literally; in "..." a backslash escapes only $ ` " \ and
 * a line break; outside of quotes it escapes any character. Nothing is expanded and nothing is executed: $ ` ~ * ? [
 * and the shell's operators | & ; < > ( ) # are characters like any other. `sh -c '...'` is for whoever needs a shell.
 *
 * wordexp() does more and less: it expands variables, home folders and patterns of file names, refuses operators, runs
 * /bin/sh in musl's C library, and is missing on Windows.
 */
const char **program_words(const char *line, const char **problem);

#endif
