/* SPDX-License-Identifier: BSD-3-Clause
 *
 * temporary.c - a temporary file outside of a run folder is locked by its writer, so another
 * process that gets the lock knows that the writer is dead.
 */
#define _DEFAULT_SOURCE /* flock() */
#include "output/temporary.h"

#include "base/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX ".etrecord-tb."

static const char *const suffixes[] = {[ETR_TEMPORARY_OF_RUN_FOLDER] = ".part",
                                       [ETR_TEMPORARY_OF_FILE] = ".tmp"};

bool etr_temporary_name(char name[ETR_TEMPORARY_ROOM], etr_temporary_kind kind) {
  uint64_t random[2];
  if (!etr_random(random, sizeof random))
    return false;
  (void)snprintf(name, ETR_TEMPORARY_ROOM, PREFIX "%016" PRIx64 "%016" PRIx64 "%s", random[0],
                 random[1], suffixes[kind]);
  return true;
}

/* Returns true if etr_temporary_name() may have made a name: prefix, hexadecimal digits, suffix. */
static bool is_temporary_name(const char *name, etr_temporary_kind kind) {
  size_t prefix = sizeof PREFIX - 1;
  if (strncmp(name, PREFIX, prefix) != 0)
    return false;
  size_t digits = strspn(name + prefix, "0123456789abcdef");
  return digits > 0 && strcmp(name + prefix + digits, suffixes[kind]) == 0;
}

/* Removes a temporary file whose writer is dead: a living writer holds the file's lock. The file is
 * removed while this process holds the lock, which etr_temporary_lock() detects. Files of other
 * users stay, and on a file system without locks all files do. */
static void remove_if_dead(int folder, const char *name) {
  struct stat status;
  /* For writing, because its mode may not let it be read; and not to wait for a fifo's reader. */
  int file = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return;
  bool is_own = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
  if (is_own && flock(file, LOCK_EX | LOCK_NB) == 0)
    (void)unlinkat(folder, name, 0);
  (void)close(file);
}

void etr_temporary_sweep(int folder, etr_temporary_kind kind) {
  int descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = descriptor >= 0 ? fdopendir(descriptor) : NULL;
  if (directory == NULL) {
    if (descriptor >= 0)
      (void)close(descriptor);
    return;
  }
  for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (!is_temporary_name(entry->d_name, kind))
      continue;
    if (kind == ETR_TEMPORARY_OF_FILE)
      remove_if_dead(folder, entry->d_name);
    else
      (void)unlinkat(folder, entry->d_name, 0);
  }
  (void)closedir(directory);
}

bool etr_temporary_lock(int file) {
  struct stat status;
  while (flock(file, LOCK_EX) != 0 && errno == EINTR)
    continue;
  bool is_removed = fstat(file, &status) == 0 && status.st_nlink == 0;
  return !is_removed;
}
