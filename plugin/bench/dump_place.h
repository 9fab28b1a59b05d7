/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump_place.h - where a runner leaves its ETDump, and taking it from there. Layer 6.
 *
 * A dump that was there before a recording is never taken: what is there is remembered, and on a device removed. The
 * dump is moved, so that the next recording starts without one.
 */
#ifndef ETR_DUMP_PLACE_H
#define ETR_DUMP_PLACE_H

#include "etrecord.h"

#include <sys/stat.h>

/** What tells a file from a later one of the same name. */
typedef struct file_mark {
  bool is_there;
  dev_t device;
  ino_t inode;
  off_t size;
  struct timespec changed;
} file_mark;

/** A file of a folder that was there before the recording. */
typedef struct seen_file {
  char *path;
  file_mark mark;
} seen_file;

typedef struct dump_place {
  const char *const *arguments; /* of the runner */
  const char *path;             /* on this machine, or on adb's device; NULL: any new ETDump in the folders */
  bool is_on_device;
  const char *folders[2]; /* NULL: none */
  file_mark before;       /* of path */
  seen_file *seen;        /* in the folders */
  size_t seen_count;
} dump_place;

/** Borrows all. pull: where the dump is; NULL: as the runner's arguments say. record: another folder to look in. */
void dump_place_init(dump_place *place, const char *const *arguments, const char *pull, const char *record);

/** Remembers what is there, before a recording. Errors: ETR_ERROR_MEMORY. */
etr_status dump_place_remember(dump_place *place, etr_error *error);

/** Moves the recording's dump to a file. Errors: ETR_ERROR_IO: there is none, or it is the one of before, or it cannot
 * be moved; the message says what was looked for. */
etr_status dump_place_take(dump_place *place, const char *to, etr_error *error);

void dump_place_clear(dump_place *place);

/** True if a file begins like an ETDump. */
bool dump_place_is_dump(const char *path);

#endif
