/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shell_words.h - splits a command line into words as a POSIX shell does. Layer 6.
 *
 * Blanks, tabs and line breaks separate words. '...' is taken literally; in "..." a backslash escapes only $ ` " \ and
 * a line break; outside of quotes it escapes any character. Nothing is expanded and nothing is executed: $ ` ~ * ? [
 * and the shell's operators | & ; < > ( ) # are characters like any other. `sh -c '...'` is for whoever needs a shell.
 *
 * wordexp() does more and less: it expands variables, home folders and patterns of file names, refuses operators, runs
 * /bin/sh in musl's C library, and is missing on Windows.
 */
#ifndef ETR_SHELL_WORDS_H
#define ETR_SHELL_WORDS_H

/**
 * Returns the words, ended by NULL, as one block to be freed with free(). NULL on failure; *problem is a static text
 * then: "a quote is not closed", "it ends with a backslash", "out of memory". A line of blanks has no words.
 */
const char **shell_words_split(const char *line, const char **problem);

#endif
