/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kept.c - a list of results, which only grows while threads use it.
 */
#include "base/kept.h"

#include <stdlib.h>
#include <string.h>

/* Most results in a list: beyond them a search would take longer than to compute again. */
enum { MOST_IN_LIST = 16 };

void etr_kept_drop(etr_kept_entry *entry) {
  if (entry)
    etr_arena_clear(&entry->arena);
  free(entry);
}

void etr_kept_clear(etr_kept *kept) {
  for (size_t i = 0; i < ETR_KEPT_LISTS; i++) {
    etr_kept_entry *entry = atomic_load(&kept->lists[i]);
    while (entry) {
      etr_kept_entry *next = entry->next;
      etr_kept_drop(entry);
      entry = next;
    }
    atomic_store(&kept->lists[i], NULL);
  }
}

static size_t list_index_of(etr_slice key) {
  return etr_hash(key) % ETR_KEPT_LISTS;
}

const void *etr_kept_find(const etr_kept *kept, etr_slice key) {
  const etr_kept_entry *entry = atomic_load(&kept->lists[list_index_of(key)]);
  while (entry && !etr_slice_equal(entry->key, key))
    entry = entry->next;
  return entry ? entry->result : NULL;
}

/* "Enough" is a full list of the key's hash: a longer search would cost more than the result. If
 * the key cannot be copied, the entry's arena has failed, and etr_kept_add() drops the entry. */
etr_kept_entry *etr_kept_start(const etr_kept *kept, etr_slice key) {
  size_t count = 0;
  const etr_kept_entry *first = atomic_load(&kept->lists[list_index_of(key)]);
  for (const etr_kept_entry *entry = first; entry; entry = entry->next)
    count++;
  etr_kept_entry *entry = count < MOST_IN_LIST ? calloc(1, sizeof *entry) : NULL;
  if (!entry)
    return NULL;
  etr_arena_init(&entry->arena);
  entry->key = (etr_slice){etr_arena_copy(&entry->arena, key), key.size};
  return entry;
}

/* Puts the entry in front of its list without a lock: tries again whenever another thread was
 * faster. Two threads may so keep a result of one key each, which does no harm. */
bool etr_kept_add(etr_kept *kept, etr_kept_entry *entry, const void *result) {
  if (etr_arena_failed(&entry->arena)) {
    etr_kept_drop(entry);
    return false;
  }
  _Atomic(etr_kept_entry *) *list = &kept->lists[list_index_of(entry->key)];
  entry->result = result;
  entry->next = atomic_load(list);
  while (!atomic_compare_exchange_weak(list, &entry->next, entry)) {
  }
  return true;
}
