/* SPDX-License-Identifier: BSD-3-Clause
 *
 * below.c - opens one folder of a path after the other, so that a folder that is replaced by a link
 * meanwhile cannot lead out of the root.
 */
#include "output/below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

bool etr_below_is_path(etr_slice text) {
  for (size_t at = 0, size; at <= text.size; at += size + 1) {
    const char *part = text.data + at; /* up to the next '/' */
    for (size = 0; at + size < text.size && part[size] != '/';)
      size++;
    bool is_dot = size == 1 && part[0] == '.';
    bool is_parent = size == 2 && part[0] == '.' && part[1] == '.';
    if (size == 0 || is_dot || is_parent)
      return false;
  }
  return true;
}

/* Opens the folder whose name is the first `size` bytes of `part` in `folder`, without following a
 * link; closes `folder` unless it is the root. Returns the opened descriptor, or -1 with errno set.
 */
static int step_into(int root, int folder, const char *part, size_t size) {
  char name[NAME_MAX + 1];
  int opened = -1, reason = ENAMETOOLONG;
  if (size <= NAME_MAX) {
    memcpy(name, part, size);
    name[size] = '\0';
    opened = openat(folder, name, FOLDER);
    reason = errno;
  }
  if (folder != root)
    (void)close(folder);
  errno = reason;
  return opened;
}

int etr_below_open(int root, const char *path, const char **name) {
  int folder = root;
  for (const char *slash; folder >= 0 && (slash = strchr(path, '/')) != NULL; path = slash + 1)
    folder = step_into(root, folder, path, (size_t)(slash - path));
  *name = path;
  return folder == root ? openat(root, ".", FOLDER) : folder;
}

/* Closes a folder, keeping errno, and returns true if the call before succeeded: result is 0. */
static bool close_folder(int folder, int result) {
  int reason = errno;
  (void)close(folder);
  errno = reason;
  return result == 0;
}

bool etr_below_stat(int root, const char *path, struct stat *status) {
  const char *name;
  int folder = etr_below_open(root, path, &name);
  return folder >= 0 && close_folder(folder, fstatat(folder, name, status, AT_SYMLINK_NOFOLLOW));
}

bool etr_below_move(int root, const char *from, const char *path) {
  const char *name;
  int folder = etr_below_open(root, path, &name);
  return folder >= 0 && close_folder(folder, renameat(root, from, folder, name));
}

bool etr_below_remove(int root, const char *path, bool is_folder) {
  const char *name;
  int folder = etr_below_open(root, path, &name);
  return folder >= 0 && close_folder(folder, unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0));
}
