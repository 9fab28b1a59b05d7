/* SPDX-License-Identifier: BSD-3-Clause
 *
 * handle.h - what the files of this folder share: handles, paths as the system has them, its errors
 * as errno. Layer 0.
 */
#ifndef ETR_WINDOWS_HANDLE_H
#define ETR_WINDOWS_HANDLE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

/* The C library's own, which all begin with an underscore. */
#define NO_OLDNAMES
#define _O_BINARY 0x8000
#define _O_NOINHERIT 0x80
#include <io.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <winternl.h>

enum { ETR_WIN_ROOM = 4200 }; /* characters of a path, the last a NUL */

/** Converts UTF-8 to UTF-16. Returns false on failure, with errno. */
bool etr_win_wide(wchar_t *out, int room, const char *text);

/** Converts UTF-16 to UTF-8; invalid units become U+FFFD. Returns false if it does not fit. */
bool etr_win_narrow(char *out, int room, const wchar_t *text);

/** Sets errno to what the error of a Windows function, or the last one, is called in POSIX. Returns
 * -1. */
int etr_win_fail(DWORD error);
int etr_win_fail_last(void);

/** Returns the handle of a descriptor, which is closed with the descriptor. INVALID_HANDLE_VALUE,
 * with errno, if there is none. */
HANDLE etr_win_handle(int file);

/** How NtCreateFile() opens a file. */
typedef struct etr_win_opening {
  ACCESS_MASK access;
  ULONG disposition, options, attributes;
} etr_win_opening;

/**
 * Opens the file or directory at a path. folder: AT_FDCWD, or the descriptor of a directory; then
 * the path is a single name in it, or ".". Returns NULL, with errno, on failure.
 */
HANDLE etr_win_open_handle(int folder, const char *path, const etr_win_opening *how);

/** Where a path leads: to a name in an open folder, or to an absolute path. */
typedef struct etr_win_place {
  HANDLE root; /* NULL: none */
  wchar_t path[ETR_WIN_ROOM];
} etr_win_place;

/** Finds where a path leads, with the same parameters as etr_win_open_handle(). Returns false, with
 * errno, if it cannot be a path. */
bool etr_win_find_place(etr_win_place *out, int folder, const char *path);

#endif
