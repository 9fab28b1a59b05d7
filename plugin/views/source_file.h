/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_file.h - the lines of a model's source file, where it is still on disk. Layer 4.
 */
#ifndef ETR_SOURCE_FILE_H
#define ETR_SOURCE_FILE_H

#include "base/arena.h"

typedef struct etr_source_file {
  const char *const *lines; /* without line ends, tabs as blanks; [0] is line 1 */
  size_t line_count;
} etr_source_file;

typedef enum etr_source_state {
  ETR_SOURCE_ABSENT,    /* not there, too large, or nothing to read */
  ETR_SOURCE_DIFFERENT, /* there is a file, but it does not have the recorded code */
  ETR_SOURCE_FOUND,
} etr_source_state;

/**
 * Reads the file that lines were recorded from. root: the directory that the recorded paths moved to, where path is
 * looked for with ever fewer of its folders; NULL: where it was. What a record names is not read for its own sake: only
 * regular files, and only one that has each recorded line's code where it was recorded is ETR_SOURCE_FOUND. lines:
 * `count` frames of this file. Memory shows on the arena.
 */
etr_source_state etr_source_file_read(etr_source_file *out, etr_arena *arena, const char *path, const char *root,
                                      const etr_source *const *lines, size_t count);

#endif
