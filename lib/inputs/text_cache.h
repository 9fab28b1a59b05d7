/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text_cache.h - reads each text once that a document repeats. Layer 2.
 *
 * Tensors of one shape, and nodes of one source line or module, have the same text. The cache
 * numbers such texts as they are written in the document. Its owner keeps the results in an array,
 * by that number. Both must live in one arena: once it is out of memory, every text counts as new.
 */
#ifndef ETR_TEXT_CACHE_H
#define ETR_TEXT_CACHE_H

#include "base/arena.h"
#include "formats/json.h"

enum { ETR_TEXT_FOLLOWERS = 4 };

/** A text that was read, and the numbers of the texts that followed it last, the latest one first.
 */
typedef struct etr_cached_text {
  etr_slice text;
  uint32_t followers[ETR_TEXT_FOLLOWERS];
} etr_cached_text;

typedef struct etr_text_cache {
  etr_map numbers; /* numbers the texts */
  etr_vec(etr_cached_text) texts;
  uint32_t last; /* number of the text that was read last, or ETR_NONE */
} etr_text_cache;

void etr_text_cache_init(etr_text_cache *cache, etr_arena *arena);

/**
 * Returns the number of the next string, array or object. Numbers count from 0 in the order in
 * which texts first appear. If *is_known is true, the text was read before and is now skipped;
 * otherwise the caller must read it. Returns ETR_NONE, with *is_known false, for a text that is too
 * long, or if the cache is full.
 */
uint32_t etr_text_cache_next(etr_text_cache *cache, etr_json *json, bool *is_known);

#endif
