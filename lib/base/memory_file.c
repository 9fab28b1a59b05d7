/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_file.c - the list of all bytes in memory that are read like files.
 *
 * Profiles share nothing else. A lock that spins is enough: it is held for a few comparisons, and
 * only where bytes are given instead of files.
 */
#include "base/memory_file.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static const char prefix[] = "memory:";

struct etr_memory_file {
  struct etr_memory_file *next;
  etr_slice bytes;
  size_t holders;
  char *path; /* "memory:/NAME", "memory:2/NAME", ... */
  char name[];
};

static atomic_flag is_locked = ATOMIC_FLAG_INIT;
static etr_memory_file *files; /* guarded by is_locked */

static void lock(void) {
  while (atomic_flag_test_and_set_explicit(&is_locked, memory_order_acquire))
    ;
}

static void unlock(void) {
  atomic_flag_clear_explicit(&is_locked, memory_order_release);
}

static etr_memory_file *find_path(const char *path) {
  for (etr_memory_file *file = files; file; file = file->next)
    if (strcmp(file->path, path) == 0)
      return file;
  return NULL;
}

/* Returns the file that has these bytes under this name; NULL if there is none. The caller holds
 * the lock. */
static etr_memory_file *find_equal_file(const etr_memory_file *wanted) {
  for (etr_memory_file *file = files; file; file = file->next)
    if (file->bytes.data == wanted->bytes.data && file->bytes.size == wanted->bytes.size &&
        strcmp(file->name, wanted->name) == 0)
      return file;
  return NULL;
}

enum { DIGITS = 24 }; /* of a number, with the slash behind it and the end of the text */

/* Returns a file of these bytes, which the caller keeps; one with the same name and bytes gets
 * another holder. Returns NULL when out of memory. */
etr_memory_file *etr_memory_file_hold(const char *name, etr_slice bytes) {
  size_t name_size = strlen(name) + 1, path_size = sizeof prefix + DIGITS + name_size;
  etr_memory_file *made = calloc(1, sizeof *made + name_size + path_size);
  if (!made)
    return NULL;
  memcpy(made->name, name, name_size);
  made->bytes = bytes;
  made->holders = 1;
  made->path = made->name + name_size;
  snprintf(made->path, path_size, "%s/%s", prefix, name);
  lock();
  etr_memory_file *held = find_equal_file(made);
  if (held) {
    held->holders++;
  } else {
    for (size_t number = 2; find_path(made->path); number++)
      snprintf(made->path, path_size, "%s%zu/%s", prefix, number, name);
    made->next = files;
    files = made;
  }
  unlock();
  if (held)
    free(made);
  return held ? held : made;
}

void etr_memory_file_share(etr_memory_file *file) {
  lock();
  file->holders++;
  unlock();
}

const char *etr_memory_file_path(const etr_memory_file *file) {
  return file->path;
}

/* Gives up a hold; the last one removes the file, but not the bytes. */
void etr_memory_file_release(etr_memory_file *file) {
  if (!file)
    return;
  lock();
  bool is_last = --file->holders == 0;
  for (etr_memory_file **link = &files; is_last && *link; link = &(*link)->next)
    if (*link == file) {
      *link = file->next;
      break;
    }
  unlock();
  if (is_last)
    free(file);
}

/* Returns whether the path is that of a file in memory, and sets its bytes. */
bool etr_memory_file_find(const char *path, etr_slice *bytes) {
  if (strncmp(path, prefix, sizeof prefix - 1) != 0)
    return false;
  lock();
  const etr_memory_file *file = find_path(path);
  if (file)
    *bytes = file->bytes;
  unlock();
  return file != NULL;
}
