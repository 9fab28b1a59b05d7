/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fault.h - makes the k-th call of a kind fail. The programs here are linked with --wrap for each
 * function in it.
 */
#ifndef ETR_TEST_FAULT_H
#define ETR_TEST_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef enum fault_kind {
  FAULT_NONE,
  FAULT_MEMORY, /* malloc, calloc, realloc of our own code */
  FAULT_WRITE,  /* write: the disk is full */
  FAULT_OPEN,   /* open for writing: no permission */
  FAULT_FSYNC,  /* fsync: the disk is broken */
  FAULT_CLOSE,  /* close: the disk was full after all */
  FAULT_RENAME,
  FAULT_MKDIR,
  FAULT_KILL, /* the process is killed in front of a write, fsync, close, rename, unlink or mkdir */
  FAULT_SHRINK, /* a file that is being read becomes shorter, in front of a read */
} fault_kind;

/** From now on the call of that kind with this number (from 0) fails; if lasting, all behind it as
 * well. FAULT_NONE ends it. */
void fault_plan(fault_kind kind, long number, bool is_lasting);

/** Lets all calls of that kind go well and looks where they come from, until fault_plan(): see
 * fault_places(). The name is that of what makes them. */
void fault_watch(fault_kind kind, const char *name);

/**
 * Numbers of calls that stand for all that were watched, ascending: of those with the same callers,
 * the first, second, fourth and so on, but for those that stood for all in an earlier watch of the
 * same name. Until the next fault_watch().
 */
const long *fault_places(size_t *count);

/** Which file FAULT_SHRINK cuts, and to how many bytes. The path is borrowed. */
void fault_shrink(const char *path, off_t size);

/** True once a call was made to fail. */
bool fault_happened(void);

#endif
