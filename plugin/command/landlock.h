/* SPDX-License-Identifier: BSD-3-Clause
 *
 * landlock.h - restricts the files that this process may open. Layer 6.
 *
 * Needs Linux 5.13 or newer with Landlock enabled; elsewhere these functions do nothing.
 */
#ifndef ETR_LANDLOCK_H
#define ETR_LANDLOCK_H

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
