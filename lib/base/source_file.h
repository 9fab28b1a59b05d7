/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_file.h - the lines of a model's source file, where it is still on disk. Layer 0.
 */
#ifndef ETR_SOURCE_FILE_H
#define ETR_SOURCE_FILE_H

#include "base/arena.h"

typedef struct etr_source_file {
  const char *const *lines; /* without line ends, and with blanks for tabs; [0] is line 1 */
  size_t line_count;
} etr_source_file;

typedef enum etr_source_state {
  ETR_SOURCE_ABSENT,    /* the file does not exist, is too large, or cannot be read */
  ETR_SOURCE_DIFFERENT, /* the file exists, but does not contain the recorded code */
  ETR_SOURCE_FOUND,
} etr_source_state;

/** Reads a source file. `root` is the directory to which the files have moved: the path is looked
 * for there with fewer and fewer of its folders. If it is NULL, the file is read where it was
 * recorded. A record could name any file of the reader, so only regular files are read, and the
 * result is ETR_SOURCE_FOUND only if the file has the code of each of the `count` recorded lines at
 * that line. When out of memory, the arena has failed. */
etr_source_state etr_source_file_read(etr_source_file *out, etr_arena *arena, const char *path,
                                      const char *root, const etr_source *const *lines,
                                      size_t count);

#endif
