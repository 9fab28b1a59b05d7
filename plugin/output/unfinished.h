/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unfinished.h - lists the files that a call has made and not yet moved into place. They are
 * removed if the call fails or if a signal ends the process. Layer 4.
 *
 * A signal handler gets no context, so the lists of all running calls are global.
 * etr_remove_unfinished() in etrecord_tb.h removes the files of all lists.
 */
#ifndef ETR_UNFINISHED_H
#define ETR_UNFINISHED_H

#include "base/arena.h"

#include <stdatomic.h>

typedef struct etr_unfinished_item {
  const struct etr_unfinished_item *older;
  const char *path;
  int root; /* descriptor of the folder that the path is relative to, as in below.h; -1: an ordinary
               path */
  bool is_folder;
} etr_unfinished_item;

/** A list of unfinished files. Zeroed: empty. */
typedef struct etr_unfinished {
  _Atomic(const etr_unfinished_item *) newest;
} etr_unfinished;

/** Makes the list known to signal handlers until etr_unfinished_end(). If more than 64 calls run at
 * once, the lists of the others remain unknown. */
void etr_unfinished_begin(etr_unfinished *list);

/** Adds a file that is about to be made, or a folder that was just made: a path below the open
 * folder `root`, or with -1 a path as it is. path is borrowed. The item is complete before the list
 * leads to it, as a signal handler may read the list at any time. Returns false when out of memory.
 */
bool etr_unfinished_add(etr_unfinished *list, etr_arena *arena, int root, const char *path,
                        bool is_folder);

/** Removes the files and folders in the list, newest first, so that a folder is empty before its
 * turn; folders with other contents stay. What cannot be removed is skipped. Safe in a signal
 * handler. */
void etr_unfinished_remove(etr_unfinished *list);

/** Makes signal handlers forget the list, because everything is in place. */
void etr_unfinished_end(etr_unfinished *list);

#endif
