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

/* Makes the named object that is the lock of a file. Returns NULL if another process has it
 * (errno is EWOULDBLOCK), or if that failed for another reason. */
static HANDLE take(const struct stat *about) {
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

/* Keeps a lock with its descriptor. Returns false if there are too many. */
static bool keep(int file, HANDLE object) {
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

/* Locks a file as POSIX's function does: others wait, or fail with LOCK_NB. */
int flock(int file, int operation) {
  enum { A_MOMENT = 10 /* ms */ };
  struct stat about;
  HANDLE object;
  if (fstat(file, &about) != 0)
    return -1;
  if (holds_lock(file))
    return 0;
  while ((object = take(&about)) == NULL) {
    if (errno != EWOULDBLOCK || (operation & LOCK_NB))
      return -1;
    Sleep(A_MOMENT);
  }
  if (keep(file, object))
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
