/* SPDX-License-Identifier: BSD-3-Clause
 *
 * files.c - opening, and what is known of files.
 */
#include "windows/handle.h"

/* ---- Status ---- */

/* Converts a time of Windows, in units of 100 ns since 1601, to one of POSIX, since 1970. */
static struct timespec time_of(LARGE_INTEGER ticks) {
  enum { A_SECOND = 10 * 1000 * 1000 };
  static const int64_t to_1970 = 11644473600; /* seconds since 1601 */
  return (struct timespec){.tv_sec = ticks.QuadPart / A_SECOND - to_1970,
                           .tv_nsec = (long)(ticks.QuadPart % A_SECOND) * 100};
}

/* Returns true if an open file is a symbolic link or a mount point. */
static bool is_link(HANDLE handle) {
  FILE_ATTRIBUTE_TAG_INFO about;
  return GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &about, sizeof about) &&
         (about.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
         (about.ReparseTag == IO_REPARSE_TAG_SYMLINK ||
          about.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

/* Returns the kind and the permissions of an open file, from its attributes: everybody may read,
 * and write unless it is marked as read-only. */
static mode_t mode_of(HANDLE handle, DWORD attributes) {
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) && is_link(handle))
    return S_IFLNK | 0777;
  mode_t rights = attributes & FILE_ATTRIBUTE_READONLY ? 0444 : 0666;
  return attributes & FILE_ATTRIBUTE_DIRECTORY ? S_IFDIR | 0777 : S_IFREG | rights;
}

/* Fills a struct stat from an open handle: of a console or a pipe only the kind, and a size only of
 * a regular file. Returns 0; -1, with errno, on failure. */
static int stat_handle(HANDLE handle, struct stat *out) {
  BY_HANDLE_FILE_INFORMATION about;
  FILE_BASIC_INFO times;
  DWORD kind = GetFileType(handle);
  *out = (struct stat){.st_nlink = 1};
  if (kind == FILE_TYPE_CHAR || kind == FILE_TYPE_PIPE) {
    out->st_mode = kind == FILE_TYPE_CHAR ? S_IFCHR : S_IFIFO;
    return 0;
  }
  if (!GetFileInformationByHandle(handle, &about) ||
      !GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof times))
    return etr_win_fail_last();
  out->st_dev = about.dwVolumeSerialNumber;
  out->st_ino = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
  out->st_nlink = about.nNumberOfLinks;
  out->st_mode = mode_of(handle, about.dwFileAttributes);
  out->st_size = S_ISREG(out->st_mode)
                     ? (off_t)((uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow)
                     : 0;
  out->st_mtim = time_of(times.LastWriteTime);
  out->st_ctim = time_of(times.ChangeTime);
  return 0;
}

int fstat(int file, struct stat *out) {
  HANDLE handle = etr_win_handle(file);
  return handle != INVALID_HANDLE_VALUE ? stat_handle(handle, out) : -1;
}

/* Fills *out with what is known of a file, as POSIX's function does; of `flags` only
 * AT_SYMLINK_NOFOLLOW matters. Returns 0; -1, with errno, on failure. */
int fstatat(int folder, const char *path, struct stat *out, int flags) {
  const etr_win_opening how = {.access = FILE_READ_ATTRIBUTES,
                               .disposition = FILE_OPEN,
                               .options = flags & AT_SYMLINK_NOFOLLOW ? FILE_OPEN_REPARSE_POINT
                                                                      : 0};
  HANDLE handle = etr_win_open_handle(folder, path, &how);
  if (handle == NULL)
    return -1;
  int result = stat_handle(handle, out);
  (void)CloseHandle(handle);
  return result;
}

int stat(const char *path, struct stat *out) {
  return fstatat(AT_FDCWD, path, out, 0);
}

int lstat(const char *path, struct stat *out) {
  return fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

/* Returns 0 if the file exists; -1, with errno, if not. Whether it can be read or written (`mode`)
 * is not looked at: opening it shows that. */
int access(const char *path, int mode) {
  struct stat about;
  (void)mode;
  return stat(path, &about);
}

/* ---- Opening ---- */

/* Returns what NtCreateFile() shall do if the file exists, or does not, by the flags of open(). */
static ULONG disposition_of(int flags) {
  if (flags & O_CREAT) {
    if (flags & O_EXCL)
      return FILE_CREATE;
    return flags & O_TRUNC ? FILE_OVERWRITE_IF : FILE_OPEN_IF;
  }
  return flags & O_TRUNC ? FILE_OVERWRITE : FILE_OPEN;
}

/* Returns a descriptor for a handle, in binary mode, which programs that are started do not
 * inherit. On failure closes the handle and returns -1. */
static int descriptor_of(HANDLE handle, int flags) {
  int file = _open_osfhandle((intptr_t)handle,
                             (flags & (O_WRONLY | O_RDWR)) | _O_BINARY | _O_NOINHERIT);
  if (file < 0)
    (void)CloseHandle(handle);
  return file;
}

/* Returns the errno with which POSIX's open() fails for a file that Windows has opened: a link with
 * O_NOFOLLOW, no directory with O_DIRECTORY, a directory to be written. 0 if it does not fail. */
static int errno_of_opened(HANDLE handle, int flags) {
  struct stat about;
  if (stat_handle(handle, &about) != 0)
    return errno;
  if ((flags & O_NOFOLLOW) && S_ISLNK(about.st_mode))
    return ELOOP;
  if ((flags & O_DIRECTORY) && !S_ISDIR(about.st_mode))
    return ENOTDIR;
  return S_ISDIR(about.st_mode) && (flags & (O_WRONLY | O_RDWR)) ? EISDIR : 0;
}

/* Returns the access rights to ask NtCreateFile() for, by the flags of open(). Deleting on close
 * needs the right to delete. */
static ACCESS_MASK access_of(int flags, ULONG options) {
  ACCESS_MASK access = FILE_READ_ATTRIBUTES;
  if (!(flags & O_WRONLY))
    access |= GENERIC_READ;
  if (flags & (O_WRONLY | O_RDWR))
    access |= GENERIC_WRITE;
  if (options & FILE_DELETE_ON_CLOSE)
    access |= DELETE;
  return access;
}

/* Opens a file as POSIX's openat() does, with additional options of NtCreateFile(), and returns its
 * descriptor; -1, with errno, on failure. */
static int open_with(int folder, const char *path, int flags, ULONG options) {
  const etr_win_opening how = {.access = access_of(flags, options),
                               .disposition = disposition_of(flags),
                               .options = options |
                                          (flags & O_NOFOLLOW ? FILE_OPEN_REPARSE_POINT : 0),
                               .attributes = FILE_ATTRIBUTE_NORMAL};
  HANDLE handle = etr_win_open_handle(folder, path, &how);
  if (handle == NULL)
    return -1;
  int fault = errno_of_opened(handle, flags);
  if (fault == 0)
    return descriptor_of(handle, flags);
  (void)CloseHandle(handle);
  errno = fault;
  return -1;
}

int openat(int folder, const char *path, int flags, ...) {
  return open_with(folder, path, flags, 0);
}

int open(const char *path, int flags, ...) {
  return open_with(AT_FDCWD, path, flags, 0);
}

/* Opens a file for writing (mode "w") or reading (any other) as POSIX's function does, always in
 * binary mode. NULL, with errno, on failure. */
FILE *fopen(const char *path, const char *mode) {
  bool is_written = mode[0] == 'w';
  const char *bytes = is_written ? "wb" : "rb";
  int file = open(path, is_written ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY);
  FILE *stream = file >= 0 ? _fdopen(file, bytes) : NULL;
  if (stream == NULL && file >= 0)
    (void)_close(file);
  return stream;
}

/* Opens a temporary file, with a random name that nobody can guess, which disappears when it is
 * closed. NULL on failure. */
FILE *tmpfile(void) {
  wchar_t folder[MAX_PATH + 1];
  char path[PATH_MAX];
  uint64_t random;
  if (GetTempPathW(MAX_PATH + 1, folder) == 0 || getentropy(&random, sizeof random) != 0 ||
      !etr_win_narrow(path, PATH_MAX - 64, folder))
    return NULL;
  size_t size = strlen(path);
  (void)snprintf(path + size, sizeof path - size, "etrecord-tb-%016llx.tmp",
                 (unsigned long long)random);
  int file = open_with(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL, FILE_DELETE_ON_CLOSE);
  return file >= 0 ? _fdopen(file, "w+b") : NULL;
}

/* ---- Reading and writing ---- */

enum { MOST_AT_ONCE = 1 << 30 };

static unsigned at_once(size_t size) {
  return size < MOST_AT_ONCE ? (unsigned)size : MOST_AT_ONCE;
}

ssize_t read(int file, void *into, size_t size) {
  return _read(file, into, at_once(size));
}

ssize_t write(int file, const void *from, size_t size) {
  return _write(file, from, at_once(size));
}

/* Reads up to `size` bytes at an offset as POSIX's function does; 0 at the end of the file. Unlike
 * that, it moves the position at which read() continues, which no caller that reads like this uses.
 */
ssize_t pread(int file, void *into, size_t size, off_t at) {
  HANDLE handle = etr_win_handle(file);
  OVERLAPPED place = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)((uint64_t)at >> 32)};
  DWORD got = 0;
  if (handle == INVALID_HANDLE_VALUE)
    return -1;
  if (ReadFile(handle, into, at_once(size), &got, &place))
    return got;
  return GetLastError() == ERROR_HANDLE_EOF ? 0 : etr_win_fail_last();
}

/* Writes what is buffered of a file to the disk. Returns 0; -1, with errno, on failure. */
int fsync(int file) {
  HANDLE handle = etr_win_handle(file);
  if (handle == INVALID_HANDLE_VALUE)
    return -1;
  return FlushFileBuffers(handle) ? 0 : etr_win_fail_last();
}

int fchmod(int file, mode_t mode) {
  (void)file;
  (void)mode;
  return 0;
}
