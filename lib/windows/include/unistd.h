/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unistd.h - files and the process. Descriptors are those of the C library.
 */
#ifndef ETR_WINDOWS_UNISTD_H
#define ETR_WINDOWS_UNISTD_H

#include "posix_name.h"

#include <process.h> /* getpid() */
#include <stdio.h>   /* STDIN_FILENO */
#include <sys/types.h>

enum { F_OK = 0, W_OK = 2, R_OK = 4 };

ssize_t read(int file, void *into, size_t size) ETR_POSIX_NAME(read);
ssize_t write(int file, const void *from, size_t size) ETR_POSIX_NAME(write);
/** Moves the place where read() goes on. */
ssize_t pread(int file, void *into, size_t size, off_t at) ETR_POSIX_NAME(pread);
int fsync(int file) ETR_POSIX_NAME(fsync);
/** Gives up the file's lock, too. */
int close(int file) ETR_POSIX_NAME(close);
int unlink(const char *path) ETR_POSIX_NAME(unlink);
int unlinkat(int folder, const char *path, int flags) ETR_POSIX_NAME(unlinkat);
int rmdir(const char *path) ETR_POSIX_NAME(rmdir);
int access(const char *path, int mode) ETR_POSIX_NAME(access);
int dup2(int from, int to);
int pipe(int ends[2]) ETR_POSIX_NAME(pipe);
/** Unlike the C library's, false for NUL. */
int isatty(int file) ETR_POSIX_NAME(isatty);
int gethostname(char *room, size_t size) ETR_POSIX_NAME(gethostname);
/** 0: all files are one's own. */
unsigned geteuid(void) ETR_POSIX_NAME(geteuid);

#endif
