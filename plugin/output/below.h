/* SPDX-License-Identifier: BSD-3-Clause
 *
 * below.h - opens, moves and removes files below an open folder without following symbolic links.
 * Layer 4.
 *
 * A path is relative, and no part of it is "", "." or "..". On failure errno says why: ELOOP or
 * ENOTDIR for a link. All functions are safe in a signal handler.
 */
#ifndef ETR_BELOW_H
#define ETR_BELOW_H

#include "base/base.h"

#include <sys/stat.h>

/** Returns true if a text is a path as all functions here take it: relative, and without parts that
 * are "", "." or "..". */
bool etr_below_is_path(etr_slice text);

/** Opens the folder that holds the last part of a path, and points *name at that part. Returns a
 * descriptor to close, or -1. */
int etr_below_open(int root, const char *path, const char **name);

/** Reads the status of a file, or of a link itself. Returns false on failure. */
bool etr_below_stat(int root, const char *path, struct stat *status);

/** Moves `from`, a file directly in root, to a path. Returns false on failure. */
bool etr_below_move(int root, const char *from, const char *path);

/** Removes a file, or an empty folder. Returns false on failure. */
bool etr_below_remove(int root, const char *path, bool is_folder);

#endif
