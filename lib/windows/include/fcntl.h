/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fcntl.h - opening files. As bytes; they are not inherited, and may be renamed or removed while
 * they are open.
 */
#ifndef ETR_WINDOWS_FCNTL_H
#define ETR_WINDOWS_FCNTL_H

#include "posix_name.h"

#include <sys/types.h>

enum {
  O_RDONLY = 0,
  O_WRONLY = 1,
  O_RDWR = 2,
  O_CREAT = 0x100,
  O_TRUNC = 0x200,
  O_EXCL = 0x400,
  O_CLOEXEC = 0,
  O_NOCTTY = 0,
  O_NONBLOCK = 0, /* nothing that is opened waits for another process */
  O_DIRECTORY = 0x1000000,
  O_NOFOLLOW = 0x2000000,
};
enum { AT_FDCWD = -100, AT_REMOVEDIR = 1, AT_SYMLINK_NOFOLLOW = 2 };

/** Below an open folder a path is a single name, or ".". */
int openat(int folder, const char *path, int flags, ...) ETR_POSIX_NAME(openat);
int open(const char *path, int flags, ...) ETR_POSIX_NAME(open);

#endif
