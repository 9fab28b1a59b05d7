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

/* Returns the file with this path; NULL if there is none. The caller holds the lock. */
static etr_memory_file *find_file_by_path(const char *path) {
  for (etr_memory_file *file = files; file; file = file->next)
    if (strcmp(file->path, path) == 0)
      return file;
  return NULL;
}

/* Returns the file with the bytes (at the same address) and the name of `wanted`; NULL if there is
 * none. The caller holds the lock. */
static etr_memory_file *find_equal_file(const etr_memory_file *wanted) {
  for (etr_memory_file *file = files; file; file = file->next)
    if (file->bytes.data == wanted->bytes.data && file->bytes.size == wanted->bytes.size &&
        strcmp(file->name, wanted->name) == 0)
      return file;
  return NULL;
}

enum { DIGITS = 24 }; /* of a number, with the slash behind it and the end of the text */

etr_memory_file *etr_memory_file_hold(const char *name, etr_slice bytes) {
  size_t name_size = strlen(name) + 1;
  size_t path_size = sizeof prefix + DIGITS + name_size;
  etr_memory_file *new_file = calloc(1, sizeof *new_file + name_size + path_size);
  if (!new_file)
    return NULL;
  memcpy(new_file->name, name, name_size);
  new_file->bytes = bytes;
  new_file->holders = 1;
  new_file->path = new_file->name + name_size;
  snprintf(new_file->path, path_size, "%s/%s", prefix, name);
  lock();
  etr_memory_file *known_file = find_equal_file(new_file);
  if (known_file) {
    known_file->holders++;
  } else {
    for (size_t number = 2; find_file_by_path(new_file->path); number++)
      snprintf(new_file->path, path_size, "%s%zu/%s", prefix, number, name);
    new_file->next = files;
    files = new_file;
  }
  unlock();
  if (known_file)
    free(new_file);
  return known_file ? known_file : new_file;
}

void etr_memory_file_share(etr_memory_file *file) {
  lock();
  file->holders++;
  unlock();
}

const char *etr_memory_file_path(const etr_memory_file *file) {
  return file->path;
}

/* The last holder removes the file, but not the bytes, which are the caller's. */
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

bool etr_memory_file_find(const char *path, etr_slice *bytes) {
  if (strncmp(path, prefix, sizeof prefix - 1) != 0)
    return false;
  lock();
  const etr_memory_file *file = find_file_by_path(path);
  if (file)
    *bytes = file->bytes;
  unlock();
  return file != NULL;
}
