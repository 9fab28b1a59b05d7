/* SPDX-License-Identifier: BSD-3-Clause
 *
 * names.c - making, moving and removing files and folders, and what they are called. As POSIX has
 * it, a file that is replaced or removed while it is open lives on for those who have it open;
 * where the file system cannot do that, the older ways of Windows are taken.
 */
#include "windows/handle.h"

NTSTATUS NTAPI NtSetInformationFile(HANDLE file, PIO_STATUS_BLOCK done, PVOID value, ULONG size,
                                    FILE_INFORMATION_CLASS what);
ULONG NTAPI RtlNtStatusToDosError(NTSTATUS status);

/* Classes and flags that not all headers have. */
enum { RENAME = 10, DISPOSITION = 13, DISPOSITION_EX = 64, RENAME_EX = 65 };
enum { DISPOSE_DELETE = 1, DISPOSE_POSIX = 2, DISPOSE_READ_ONLY = 16 };
enum { RENAME_REPLACE = 1, RENAME_POSIX = 2, RENAME_READ_ONLY = 64 };

typedef struct renaming {
  ULONG flags; /* or a boolean, in the older way */
  HANDLE root;
  ULONG bytes;
  wchar_t path[ETR_WIN_ROOM];
} renaming;

static NTSTATUS set_information(HANDLE handle, void *value, size_t size, int what) {
  IO_STATUS_BLOCK done;
  return NtSetInformationFile(handle, &done, value, (ULONG)size, (FILE_INFORMATION_CLASS)what);
}

/* Closes the handle of a file that was made, moved or removed. Returns 0, or -1 with the errno of
 * the status if that failed. */
static int close_with_status(HANDLE handle, NTSTATUS status) {
  (void)CloseHandle(handle);
  return status >= 0 ? 0 : etr_win_fail(RtlNtStatusToDosError(status));
}

/* ---- Making ---- */

/* Returns true for "//server" and "//server/share", which mkdir() cannot make: they are taken to
 * exist. */
static bool is_share(const char *path) {
  size_t parts = 0;
  for (const char *at = path; *at != '\0'; at++)
    parts += (at[0] != '/' && at[0] != '\\') && (at[1] == '/' || at[1] == '\\' || at[1] == '\0');
  return (path[0] == '/' || path[0] == '\\') && (path[1] == '/' || path[1] == '\\') && parts <= 2;
}

/* Makes a directory as POSIX's function does. For a share or a drive, which Windows refuses with
 * other errors, it fails with EEXIST, too, because callers make all folders of a path. */
int mkdirat(int folder, const char *path, mode_t mode) {
  const etr_win_opening how = {.access = FILE_READ_ATTRIBUTES,
                               .disposition = FILE_CREATE,
                               .options = FILE_DIRECTORY_FILE,
                               .attributes = FILE_ATTRIBUTE_NORMAL};
  struct stat about;
  (void)mode;
  HANDLE handle = is_share(path) ? NULL : etr_win_open_handle(folder, path, &how);
  if (handle != NULL)
    return close_with_status(handle, 0);
  int reason = errno;
  bool is_there = is_share(path) || (reason != ENOENT && fstatat(folder, path, &about, 0) == 0);
  errno = is_there ? EEXIST : reason;
  return -1;
}

int mkdir(const char *path, mode_t mode) {
  return mkdirat(AT_FDCWD, path, mode);
}

/* ---- Removing ---- */

/* Removes a file or, with AT_REMOVEDIR, a directory as POSIX's function does, even while it is
 * open. If the file system cannot do that, it is removed in the older way of Windows. */
int unlinkat(int folder, const char *path, int flags) {
  const etr_win_opening how = {
      .access = DELETE | FILE_READ_ATTRIBUTES,
      .disposition = FILE_OPEN,
      .options = FILE_OPEN_REPARSE_POINT |
                 (flags & AT_REMOVEDIR ? FILE_DIRECTORY_FILE : FILE_NON_DIRECTORY_FILE)};
  ULONG ways = DISPOSE_DELETE | DISPOSE_POSIX | DISPOSE_READ_ONLY;
  BOOLEAN yes = TRUE;
  HANDLE handle = etr_win_open_handle(folder, path, &how);
  if (handle == NULL)
    return -1;
  NTSTATUS status = set_information(handle, &ways, sizeof ways, DISPOSITION_EX);
  if (status < 0)
    status = set_information(handle, &yes, sizeof yes, DISPOSITION);
  return close_with_status(handle, status);
}

int unlink(const char *path) {
  return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path) {
  return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

/* ---- Moving ---- */

/* Renames a file as POSIX's function does: an existing file is replaced, even while it is open. If
 * the file system cannot do that, it is replaced in the older way of Windows, whose flag is a
 * boolean (TRUE: replace). */
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  const etr_win_opening how = {.access = DELETE | FILE_READ_ATTRIBUTES,
                               .disposition = FILE_OPEN,
                               .options = FILE_OPEN_REPARSE_POINT};
  etr_win_place place;
  renaming move;
  if (!etr_win_find_place(&place, to_folder, to))
    return -1;
  HANDLE handle = etr_win_open_handle(from_folder, from, &how);
  if (handle == NULL)
    return -1;
  size_t bytes = wcslen(place.path) * sizeof *place.path;
  move = (renaming){.flags = RENAME_REPLACE | RENAME_POSIX | RENAME_READ_ONLY,
                    .root = place.root,
                    .bytes = (ULONG)bytes};
  memcpy(move.path, place.path, bytes + sizeof *place.path);
  size_t size = offsetof(renaming, path) + bytes + sizeof *place.path;
  NTSTATUS status = set_information(handle, &move, size, RENAME_EX);
  move.flags = TRUE;
  if (status < 0)
    status = set_information(handle, &move, size, RENAME);
  return close_with_status(handle, status);
}

int rename(const char *from, const char *to) {
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* ---- Names ---- */

/* Returns the absolute path of an existing file, without links and with slashes, as POSIX's
 * function does. It is in `room`, or, if that is NULL, in memory that the caller frees. NULL, with
 * errno, on failure. */
char *realpath(const char *path, char *room) {
  const etr_win_opening how = {.access = FILE_READ_ATTRIBUTES, .disposition = FILE_OPEN};
  wchar_t wide[ETR_WIN_ROOM];
  char *out = room == NULL ? malloc(PATH_MAX) : room;
  HANDLE handle = out != NULL ? etr_win_open_handle(AT_FDCWD, path, &how) : NULL;
  DWORD size = handle != NULL
                   ? GetFinalPathNameByHandleW(handle, wide, ETR_WIN_ROOM, FILE_NAME_NORMALIZED)
                   : 0;
  bool is_share = size > 0 && wcsncmp(wide, L"\\\\?\\UNC\\", 8) == 0;
  if (handle != NULL && size == 0)
    (void)etr_win_fail_last();
  if (handle != NULL)
    (void)CloseHandle(handle);
  if (is_share)
    wide[6] = L'\\';                               /* "\\server" of "\\?\UNC\server" */
  const wchar_t *rest = wide + (is_share ? 6 : 4); /* after "\\?\", with which it always starts */
  if (size == 0 || size >= ETR_WIN_ROOM || !etr_win_narrow(out, PATH_MAX, rest)) {
    if (room == NULL)
      free(out);
    return NULL;
  }
  for (char *at = out; *at != '\0'; at++)
    if (*at == '\\')
      *at = '/';
  return out;
}
