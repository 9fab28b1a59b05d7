/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kept.h - results that are kept with what they depend on, so that they are not computed again.
 * Layer 0.
 */
#ifndef ETR_KEPT_H
#define ETR_KEPT_H

#include "base/arena.h"

#include <stdatomic.h>

enum { ETR_KEPT_LISTS = 256 };

/** A result, its key and the memory of both. */
typedef struct etr_kept_entry {
  struct etr_kept_entry *next;
  etr_arena arena;
  etr_slice key;
  const void *result;
} etr_kept_entry;

/** Results by their keys. Zeroed: there are none. Several threads may look up and keep. */
typedef struct etr_kept {
  _Atomic(etr_kept_entry *) lists[ETR_KEPT_LISTS]; /* by the hashes of the keys */
} etr_kept;

/** Frees all results. No other thread may use them meanwhile. */
void etr_kept_clear(etr_kept *kept);

/** Returns the result of a key, which begins with a word for its kind; NULL if none is kept. It
 * lives as long as `kept`. */
const void *etr_kept_find(const etr_kept *kept, etr_slice key);

/** Starts a result for a key that was not found. The caller makes the result in the entry's arena,
 * then keeps or drops the entry. Returns NULL when out of memory, or if enough is kept: then
 * nothing more is. */
etr_kept_entry *etr_kept_start(const etr_kept *kept, etr_slice key);

/** Keeps a result, or drops it when its arena is out of memory. Returns whether it is kept. */
bool etr_kept_add(etr_kept *kept, etr_kept_entry *entry, const void *result);

/** Frees an entry that is not kept. NULL is allowed. */
void etr_kept_drop(etr_kept_entry *entry);

#endif
