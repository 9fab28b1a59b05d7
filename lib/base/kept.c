/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kept.c - a list of results, which only grows while threads use it.
 */
#include "base/kept.h"

#include <stdlib.h>
#include <string.h>

/* Most results: as many as a record has delegates and methods, and some variants of each. Beyond
 * them a search would take longer than to compute again. */
enum { MOST_KEPT = 512 };

void etr_kept_drop(etr_kept_entry *entry) {
  if (entry)
    etr_arena_clear(&entry->arena);
  free(entry);
}

void etr_kept_clear(etr_kept *kept) {
  etr_kept_entry *entry = atomic_load(&kept->first);
  while (entry) {
    etr_kept_entry *next = entry->next;
    etr_kept_drop(entry);
    entry = next;
  }
  atomic_store(&kept->first, NULL);
}

/* Returns the entry of a key; NULL if there is none, and the number of entries. */
static const etr_kept_entry *find_entry(const etr_kept *kept, etr_slice key, size_t *count) {
  *count = 0;
  for (const etr_kept_entry *entry = atomic_load(&kept->first); entry; entry = entry->next) {
    if (etr_slice_equal(entry->key, key))
      return entry;
    ++*count;
  }
  return NULL;
}

const void *etr_kept_find(const etr_kept *kept, etr_slice key) {
  size_t count;
  const etr_kept_entry *entry = find_entry(kept, key, &count);
  return entry ? entry->result : NULL;
}

etr_kept_entry *etr_kept_start(const etr_kept *kept, etr_slice key) {
  size_t count;
  find_entry(kept, key, &count);
  etr_kept_entry *entry = count < MOST_KEPT ? calloc(1, sizeof *entry) : NULL;
  if (!entry)
    return NULL;
  etr_arena_init(&entry->arena);
  entry->key = (etr_slice){etr_arena_copy(&entry->arena, key), key.size};
  return entry;
}

bool etr_kept_add(etr_kept *kept, etr_kept_entry *entry, const void *result) {
  if (etr_arena_failed(&entry->arena)) {
    etr_kept_drop(entry);
    return false;
  }
  entry->result = result;
  entry->next = atomic_load(&kept->first);
  while (!atomic_compare_exchange_weak(&kept->first, &entry->next, entry)) {
  }
  return true;
}
