/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump_place.h - finds the ETDump that a runner leaves, and moves it. Layer 6.
 *
 * An ETDump from before a recording is never taken: existing files are remembered, and on a device
 * the file is removed. The ETDump is moved, so that the next recording starts without one.
 */
#ifndef ETR_DUMP_PLACE_H
#define ETR_DUMP_PLACE_H

#include "etrecord.h"

#include <sys/stat.h>

/** The state of a file, by which a later file of the same name is distinguished from it. */
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
  const char *const *arguments; /* arguments of the runner */
  const char
      *path; /* path on this machine or on adb's device; NULL: any new ETDump in the folders */
  bool is_on_device;
  const char *folders[2]; /* folders in which new ETDumps are looked for; NULL: none */
  file_mark before;       /* state of the file `path` before the recording */
  seen_file *seen;        /* files in the folders before the recording */
  size_t seen_count;
} dump_place;

/** Initializes a place and borrows all arguments. pull: path of the ETDump; NULL: the path in the
 * runner's arguments. record: another folder in which ETDumps are looked for. */
void dump_place_init(dump_place *place, const char *const *arguments, const char *pull,
                     const char *record);

/** Remembers the files that exist before a recording, so that dump_place_take() finds what it
 * wrote. On a device removes the earlier ETDump instead. Errors: ETR_ERROR_MEMORY. */
etr_status dump_place_remember(dump_place *place, etr_error *error);

/** Moves the recording's ETDump to a file. Errors: ETR_ERROR_IO if there is none, if it is from
 * before the recording, or if it cannot be moved; the message names the file. */
etr_status dump_place_take(dump_place *place, const char *to, etr_error *error);

/** Frees what dump_place_remember() remembered. */
void dump_place_clear(dump_place *place);

/** Returns true if a file begins like an ETDump: it has the FlatBuffers identifier "ED00" at
 * byte 8. */
bool dump_place_is_dump(const char *path);

#endif
