/* SPDX-License-Identifier: BSD-3-Clause
 *
 * locks.c - locks as those of flock(): advisory, of folders as well, gone with their process. A
 * named object of the kernel is one, called by what it locks: it is there as long as somebody has
 * it open. The locks of files that Windows has keep others from writing, and folders have none.
 */
#include "windows/handle.h"

enum { MOST_LOCKS = 64 };

static SRWLOCK guard = SRWLOCK_INIT;
static struct {
  int file;
  HANDLE object;
} locks[MOST_LOCKS];

/* Takes the lock of a file, which is a named object of Windows that only one process can make; its
 * name has the volume and number of the file. Returns NULL, with errno: EWOULDBLOCK if another
 * process has it. */
static HANDLE take_lock(const struct stat *about) {
  wchar_t name[64];
  (void)swprintf(name, sizeof name / sizeof name[0], L"Global\\etrecord-tb-%08x-%016llx",
                 (unsigned)about->st_dev, (unsigned long long)about->st_ino);
  HANDLE object = CreateEventW(NULL, TRUE, FALSE, name);
  DWORD error = GetLastError();
  errno = EWOULDBLOCK; /* access is denied: it is somebody else's */
  if (object == NULL && error != ERROR_ACCESS_DENIED)
    (void)etr_win_fail(error);
  if (object == NULL || error != ERROR_ALREADY_EXISTS)
    return object;
  (void)CloseHandle(object);
  return NULL;
}

/* Remembers that a descriptor holds a lock, so that close() gives it up. Returns false if too many
 * do.
 */
static bool add_lock(int file, HANDLE object) {
  bool is_kept = false;
  AcquireSRWLockExclusive(&guard);
  for (size_t i = 0; i < MOST_LOCKS && !is_kept; i++) {
    is_kept = locks[i].object == NULL;
    if (!is_kept)
      continue;
    locks[i].file = file;
    locks[i].object = object;
  }
  ReleaseSRWLockExclusive(&guard);
  return is_kept;
}

/* Returns true if the descriptor holds a lock. */
static bool holds_lock(int file) {
  bool found = false;
  AcquireSRWLockShared(&guard);
  for (size_t i = 0; i < MOST_LOCKS; i++)
    found |= locks[i].object != NULL && locks[i].file == file;
  ReleaseSRWLockShared(&guard);
  return found;
}

/* Locks a file as POSIX's function does: waits until no other process has its lock or, with
 * LOCK_NB, fails with EWOULDBLOCK. Does nothing if the descriptor holds it already. Returns 0; -1,
 * with errno, on failure. */
int flock(int file, int operation) {
  enum { A_MOMENT = 10 /* ms */ };
  struct stat about;
  HANDLE object;
  if (fstat(file, &about) != 0)
    return -1;
  if (holds_lock(file))
    return 0;
  while ((object = take_lock(&about)) == NULL) {
    if (errno != EWOULDBLOCK || (operation & LOCK_NB))
      return -1;
    Sleep(A_MOMENT);
  }
  if (add_lock(file, object))
    return 0;
  (void)CloseHandle(object);
  errno = ENOLCK;
  return -1;
}

/* Closes a descriptor as POSIX's function does, and gives up its lock. */
int close(int file) {
  AcquireSRWLockExclusive(&guard);
  for (size_t i = 0; i < MOST_LOCKS; i++) {
    if (locks[i].object == NULL || locks[i].file != file)
      continue;
    (void)CloseHandle(locks[i].object);
    locks[i].object = NULL;
  }
  ReleaseSRWLockExclusive(&guard);
  return _close(file);
}
