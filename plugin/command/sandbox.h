/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sandbox.h - gives up rights that the command does not need, before it reads any input. Layer 6.
 */
#ifndef ETR_SANDBOX_H
#define ETR_SANDBOX_H

#include "command/settings.h"

/* ---- Gives up rights that the command does not need, before it reads any input ---- */

/**
 * Permanently limits this process to what the settings require: it may read the inputs (`source`: any file, because the
 * record names the model's), write into the folder of --logdir or --output, start no program (except Graphviz, for a
 * picture) and make no connection. What `bench` runs has run before. Creates the folder of --logdir, since only an
 * existing folder can be allowed. Does less, without a warning, if the kernel or the build lacks the means.
 */
void sandbox_enter(const cli_settings *settings);

/** Removes the folders that sandbox_enter() created, unless they are in use or about to be. Async-signal-safe. */
void sandbox_leave(void);

/* ---- Restricts the system calls of this process ---- */

/**
 * Makes the kernel refuse, with EPERM, what a reader of files never does: start programs and processes, connect,
 * inspect or signal other processes, mount, change owners and permissions, type into the terminal. Does nothing without
 * seccomp.
 */
void seccomp_enforce(void);

/* ---- Restricts the files that this process may open ---- */

/* Needs Linux 5.13 or newer with Landlock enabled; elsewhere these functions do nothing. */

/** Rights to a file, or to a folder and everything below it; a bit set. */
typedef enum landlock_right {
  RIGHT_READ = 1,          /* files and folders */
  RIGHT_RUN = 2,           /* programs */
  RIGHT_WRITE = 4,         /* existing files */
  RIGHT_REPLACE = 8,       /* make files, rename them in their folder, remove them */
  RIGHT_MAKE_FOLDERS = 16, /* and move files between them */
  RIGHT_LIST = 32,         /* names in folders */
  RIGHT_EMPTY = 64,        /* remove empty folders */
} landlock_right;

/** A set of rules in the making. */
typedef struct landlock_rules {
  int descriptor;              /* -1: no Landlock */
  unsigned long long accesses; /* to files, as far as this kernel knows them */
} landlock_rules;

/** Begins with nothing allowed. */
landlock_rules landlock_begin(void);

/** Allows `rights` on a path; follows links. Ignores a path that does not exist. */
void landlock_allow(const landlock_rules *rules, const char *path, unsigned rights);

/** Forbids everything else, for programs that this process starts, too; open files stay open. Ends the rules. */
void landlock_enforce(landlock_rules *rules);

#endif
