/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dirent.h - what lies in a folder.
 */
#ifndef ETR_WINDOWS_DIRENT_H
#define ETR_WINDOWS_DIRENT_H

#include "posix_name.h"

#include <limits.h>

enum { DT_UNKNOWN = 0, DT_LNK = 10 };

struct dirent {
  unsigned char d_type;
  char d_name[NAME_MAX + 1];
};

typedef struct etr_win_dir DIR;

DIR *opendir(const char *path) ETR_POSIX_NAME(opendir);
DIR *fdopendir(int folder) ETR_POSIX_NAME(fdopendir);
struct dirent *readdir(DIR *directory) ETR_POSIX_NAME(readdir);
int closedir(DIR *directory) ETR_POSIX_NAME(closedir);
int alphasort(const struct dirent **a, const struct dirent **b) ETR_POSIX_NAME(alphasort);
/** filter: NULL. */
int scandir(const char *path, struct dirent ***entries, int (*filter)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **)) ETR_POSIX_NAME(scandir);

#endif
