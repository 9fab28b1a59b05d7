/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text_cache.h - reads each text once that a document repeats. Layer 2.
 *
 * Tensors of one shape, and nodes of one source line or module, have the same text. The cache is a map that numbers
 * such texts as they are written in the document. Its owner keeps the results in an array, by that number. Both must
 * live in one arena: once it is out of memory, every text counts as new.
 */
#ifndef ETR_TEXT_CACHE_H
#define ETR_TEXT_CACHE_H

#include "base/arena.h"
#include "formats/json.h"

/**
 * Returns the number of the next string, array or object. Numbers count from 0 in the order in which texts first
 * appear. If *known is true, the text was read before and is now skipped; otherwise the caller must read it. Returns
 * ETR_NONE, with *known false, for a text that is too long, or if the cache is full.
 */
uint32_t etr_text_cache_next(etr_map *cache, etr_json *json, bool *known);

#endif
