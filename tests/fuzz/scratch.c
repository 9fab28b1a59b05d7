/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scratch.c - files of a process.
 */
#include "scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 16 };

static char folder[64];
static char paths[MAX_FILES][256];
static size_t path_count;

/* Files first, then the folders that they lay in, innermost first. */
static void remove_folder(void) {
  for (size_t i = 0; i < path_count; i++)
    unlink(paths[i]);
  for (size_t i = 0; i < path_count; i++)
    for (char *slash;
         (slash = strrchr(paths[i], '/')) && (size_t)(slash - paths[i]) >= strlen(folder);) {
      *slash = '\0';
      rmdir(paths[i]);
    }
}

static void make_folder(void) {
  static const char *const places[] = {"/dev/shm/fuzz-XXXXXX", "/tmp/fuzz-XXXXXX"};
  for (size_t i = 0; i < 2; i++) {
    snprintf(folder, sizeof folder, "%s", places[i]);
    if (!mkdtemp(folder))
      continue;
    atexit(remove_folder);
    return;
  }
  abort();
}

static const char *path_of(const char *name) {
  if (!folder[0])
    make_folder();
  size_t start = strlen(folder) + 1;
  for (size_t i = 0; i < path_count; i++)
    if (strcmp(paths[i] + start, name) == 0)
      return paths[i];
  if (path_count == MAX_FILES)
    abort();
  char *path = paths[path_count++];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  for (char *slash = path + start; (slash = strchr(slash, '/')); slash++) {
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
  }
  return path;
}

const char *scratch_file(const char *name, const void *data, size_t size) {
  const char *path = path_of(name);
  int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (descriptor < 0 || write(descriptor, data, size) != (ssize_t)size || close(descriptor) != 0)
    abort();
  return path;
}

void scratch_remove(const char *name) {
  unlink(path_of(name));
}
