/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unfinished.h - files that a call has made and not yet moved into place: removed if it fails, or if a signal ends the
 * process. Layer 4.
 *
 * A signal handler gets no context, so the lists of all running calls are global; etr_remove_unfinished() in
 * etrecord_tb.h goes through them.
 */
#ifndef ETR_UNFINISHED_H
#define ETR_UNFINISHED_H

#include "base/arena.h"

#include <stdatomic.h>

typedef struct etr_unfinished_item {
  const struct etr_unfinished_item *older;
  const char *path;
  int root; /* the open folder that the path is below, as in below.h; -1: an ordinary path */
  bool is_folder;
} etr_unfinished_item;

/** Zeroed: empty. */
typedef struct etr_unfinished {
  _Atomic(const etr_unfinished_item *) newest;
} etr_unfinished;

/** Makes the list known to signal handlers until etr_unfinished_end(). With too many calls at once, some stay unknown.
 */
void etr_unfinished_begin(etr_unfinished *list);

/** Adds a file about to be made, or a folder just made. path is borrowed. False when out of memory. */
bool etr_unfinished_add(etr_unfinished *list, etr_arena *arena, int root, const char *path, bool is_folder);

/** Removes what is in the list, newest first; folders only if empty. Safe in a signal handler. */
void etr_unfinished_remove(etr_unfinished *list);

/** Forgets the list: everything is in place. */
void etr_unfinished_end(etr_unfinished *list);

#endif
