/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stat.h - what is known of a file.
 */
#ifndef ETR_WINDOWS_SYS_STAT_H
#define ETR_WINDOWS_SYS_STAT_H

#include "../posix_name.h"

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum {
  S_IFMT = 0xF000,
  S_IFIFO = 0x1000,
  S_IFCHR = 0x2000,
  S_IFDIR = 0x4000,
  S_IFREG = 0x8000,
  S_IFLNK = 0xA000
};
#define S_ISREG(mode) (((mode) & S_IFMT) == S_IFREG)
#define S_ISDIR(mode) (((mode) & S_IFMT) == S_IFDIR)
#define S_ISLNK(mode) (((mode) & S_IFMT) == S_IFLNK)
#define S_ISFIFO(mode) (((mode) & S_IFMT) == S_IFIFO)

typedef uint64_t etr_win_ino_t;
#define ino_t etr_win_ino_t

/** st_ctim: when anything about the file was changed. */
struct stat {
  dev_t st_dev;
  ino_t st_ino;
  mode_t st_mode;
  unsigned st_nlink, st_uid;
  off_t st_size;
  struct timespec st_mtim, st_ctim;
};
#undef st_mtime
#undef st_ctime

int stat(const char *path, struct stat *out) ETR_POSIX_NAME(stat);
int lstat(const char *path, struct stat *out) ETR_POSIX_NAME(lstat);
int fstat(int file, struct stat *out) ETR_POSIX_NAME(fstat);
int fstatat(int folder, const char *path, struct stat *out, int flags) ETR_POSIX_NAME(fstatat);
int mkdir(const char *path, mode_t mode) ETR_POSIX_NAME(mkdir);
int mkdirat(int folder, const char *path, mode_t mode) ETR_POSIX_NAME(mkdirat);
/** Does nothing: there are no such permissions. */
int fchmod(int file, mode_t mode) ETR_POSIX_NAME(fchmod);

#endif
