/* SPDX-License-Identifier: BSD-3-Clause
 *
 * python.h - finds a Python for the package etrecord_tb, and how to start it so that it runs no
 * code from the working directory, which may be a stranger's record. Layer 6.
 */
#ifndef ETR_PYTHON_H
#define ETR_PYTHON_H

#include "command/message.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

enum { PYTHON_ARGUMENTS = 5, PYTHON_SCRIPT_ROOM = 2048 };

/** How Python is started. */
typedef struct python_start {
  const char *arguments[PYTHON_ARGUMENTS]; /* the first ones, which borrow the other members */
  char interpreter[PATH_MAX];              /* a path, or a name that is looked up in PATH */
  char packages[PATH_MAX]; /* folder of the package to which this command belongs; "": none */
  char script[PYTHON_SCRIPT_ROOM];
} python_start;

/**
 * Fills the arguments that run main() of a module of the package with the arguments that the caller
 * adds. `what` needs it ("`reference` needs"), and `extra` is the extra of the package that has
 * what the module imports.
 *
 * The interpreter is ETRECORD_TB_PYTHON; otherwise that of the environment in which the command
 * lies; otherwise python3. It is isolated: neither the working directory nor PYTHONPATH is
 * searched. The package is the one that the command belongs to, if there is one. The user's own
 * packages are searched last.
 */
void python_prepare(python_start *out, const char *module, const char *what, const char *extra);

/** Appends an option with its value to a list of arguments, unless the value is NULL. */
void python_add_option(const char **arguments, size_t *count, const char *name, const char *value);

/** Runs Python with arguments that python_prepare() began, ended by NULL, and waits for it without
 * a limit of time. Its standard error is that of this process, and its standard output is `output`,
 * or is dropped (NULL). Returns EXIT_DONE, or EXIT_BAD_INPUT after it, or this function, said what
 * is wrong. `extra` is as in python_prepare(). */
exit_status python_run(const char *const *arguments, const char *extra, FILE *output);

#endif
