/* SPDX-License-Identifier: BSD-3-Clause
 *
 * paths.c - from UTF-8 to what the system's kernel calls a file. Done here and not by the C
 * library, whose functions take the machine's code page and refuse paths of more than 260
 * characters.
 */
#include "windows/handle.h"

ULONG NTAPI RtlNtStatusToDosError(NTSTATUS status);

/* ---- Errors ---- */

static const struct {
  DWORD error;
  int reason;
} reasons[] = {
    {ERROR_FILE_NOT_FOUND, ENOENT},
    {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_BAD_PATHNAME, ENOENT},
    {ERROR_INVALID_NAME, ENOENT},
    {ERROR_BAD_NETPATH, ENOENT},
    {ERROR_BAD_NET_NAME, ENOENT},
    {ERROR_INVALID_DRIVE, ENOENT},
    {ERROR_ACCESS_DENIED, EACCES},
    {ERROR_SHARING_VIOLATION, EACCES},
    {ERROR_LOCK_VIOLATION, EACCES},
    {ERROR_DELETE_PENDING, EACCES},
    {ERROR_USER_MAPPED_FILE, EACCES},
    {ERROR_FILE_EXISTS, EEXIST},
    {ERROR_ALREADY_EXISTS, EEXIST},
    {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
    {ERROR_DIRECTORY, ENOTDIR},
    {ERROR_NOT_SAME_DEVICE, EXDEV},
    {ERROR_DISK_FULL, ENOSPC},
    {ERROR_HANDLE_DISK_FULL, ENOSPC},
    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
    {ERROR_OUTOFMEMORY, ENOMEM},
    {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
    {ERROR_INVALID_HANDLE, EBADF},
    {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    {ERROR_WRITE_PROTECT, EROFS},
    {ERROR_BROKEN_PIPE, EPIPE},
    {ERROR_NO_DATA, EPIPE},
    {ERROR_CANT_RESOLVE_FILENAME, ELOOP},
    {ERROR_STOPPED_ON_SYMLINK, ELOOP},
    {ERROR_INVALID_PARAMETER, EINVAL},
    {ERROR_NO_UNICODE_TRANSLATION, EILSEQ},
};

/* EIO stands for errors that POSIX has no name for. */
int etr_win_fail(DWORD error) {
  errno = EIO;
  for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
    if (reasons[i].error == error)
      errno = reasons[i].reason;
  return -1;
}

int etr_win_fail_last(void) {
  return etr_win_fail(GetLastError());
}

/* Sets errno to what an error status of the kernel (NTSTATUS) is called in POSIX, and returns it.
 */
static int errno_of_status(NTSTATUS status) {
  enum { IS_DIRECTORY = 0xBA };
  if ((status & 0xFFFF) == IS_DIRECTORY)
    errno = EISDIR;
  else
    (void)etr_win_fail(RtlNtStatusToDosError(status));
  return errno;
}

/* ---- Texts ---- */

bool etr_win_wide(wchar_t *out, int room, const char *text) {
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out, room) > 0)
    return true;
  errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EILSEQ;
  return false;
}

bool etr_win_narrow(char *out, int room, const wchar_t *text) {
  if (WideCharToMultiByte(CP_UTF8, 0, text, -1, out, room, NULL, NULL) > 0)
    return true;
  errno = ENAMETOOLONG;
  return false;
}

/* ---- Paths ---- */

/* Writes a path as NtCreateFile() expects it: absolute, without "." and "..", and with the prefix
 * of the kernel, so that it is not limited to 260 characters. Returns false, with errno, if it is
 * too long or empty. */
static bool make_absolute(wchar_t out[ETR_WIN_ROOM], const wchar_t *path) {
  static const wchar_t kernel[] = L"\\??\\", share[] = L"\\??\\UNC\\";
  enum { KERNEL = 4, SHARE = 8 };
  wchar_t *full = out + SHARE;
  DWORD size = GetFullPathNameW(path, ETR_WIN_ROOM - SHARE, full, NULL);
  if (size == 0 || size >= ETR_WIN_ROOM - SHARE) {
    errno = size == 0 ? ENOENT : ENAMETOOLONG;
    return false;
  }
  bool is_raw = wcsncmp(full, L"\\\\?\\", KERNEL) == 0 || wcsncmp(full, L"\\\\.\\", KERNEL) == 0;
  bool is_share = !is_raw && wcsncmp(full, L"\\\\", 2) == 0;
  size_t head = is_share ? SHARE : KERNEL, left_out = is_share ? 2 : 0;
  const wchar_t *rest = full + (is_raw ? (size_t)KERNEL : left_out);
  memmove(out + head, rest, (wcslen(rest) + 1) * sizeof *rest);
  memcpy(out, is_share ? share : kernel, head * sizeof *out);
  return true;
}

/* Returns true for a name that stays in its folder: it leads neither to another folder nor to a
 * stream of a file. */
static bool is_name(const wchar_t *text) {
  errno = text[0] == L'\0' ? ENOENT : EINVAL;
  return text[0] != L'\0' && wcspbrk(text, L"\\/:") == NULL && wcscmp(text, L"..") != 0;
}

/* Splits a path into the open directory that it is relative to (NULL: none) and the
 * rest; "/dev/null" is NUL. In a directory only a single name is allowed. */
bool etr_win_find_place(etr_win_place *out, int folder, const char *path) {
  wchar_t wide[ETR_WIN_ROOM];
  out->root = NULL;
  if (!etr_win_wide(wide, ETR_WIN_ROOM, strcmp(path, "/dev/null") == 0 ? "NUL" : path))
    return false;
  errno = ENOENT;
  if (wide[0] == L'\0')
    return false;
  if (folder == AT_FDCWD)
    return make_absolute(out->path, wide);
  out->root = etr_win_handle(folder);
  if (out->root == INVALID_HANDLE_VALUE || !is_name(wide))
    return false;
  memcpy(out->path, wide, (wcslen(wide) + 1) * sizeof *wide);
  return true;
}

/* ---- Opening ---- */

/* The C library gives -2 for a standard stream that this process was started without. */
HANDLE etr_win_handle(int file) {
  intptr_t handle = file >= 0 ? _get_osfhandle(file) : -1;
  if (handle == -1 || handle == -2)
    errno = EBADF;
  return handle == -2 ? INVALID_HANDLE_VALUE : (HANDLE)handle;
}

/* Returns a copy of a handle, which the caller closes; NULL, with errno, on failure. */
static HANDLE duplicate(HANDLE handle) {
  HANDLE copy = NULL, process = GetCurrentProcess();
  if (!DuplicateHandle(process, handle, process, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS))
    (void)etr_win_fail_last();
  return copy;
}

/* Uses NtCreateFile(), which unlike CreateFile() takes an open directory. */
HANDLE etr_win_open_handle(int folder, const char *path, const etr_win_opening *how) {
  etr_win_place place;
  if (!etr_win_find_place(&place, folder, path))
    return NULL;
  if (place.root != NULL && wcscmp(place.path, L".") == 0)
    return duplicate(place.root);
  size_t bytes = wcslen(place.path) * sizeof *place.path;
  UNICODE_STRING name = {(USHORT)bytes, (USHORT)bytes, place.path};
  OBJECT_ATTRIBUTES object = {.Length = sizeof object,
                              .RootDirectory = place.root,
                              .ObjectName = &name,
                              .Attributes = OBJ_CASE_INSENSITIVE};
  IO_STATUS_BLOCK done;
  HANDLE handle = NULL;
  NTSTATUS status = NtCreateFile(
      &handle, how->access | SYNCHRONIZE, &object, &done, NULL, how->attributes,
      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, how->disposition,
      how->options | FILE_SYNCHRONOUS_IO_NONALERT, NULL, 0);
  if (status >= 0)
    return handle;
  (void)errno_of_status(status);
  return NULL;
}
