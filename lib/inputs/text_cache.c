/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text_cache.c - numbers for texts.
 */
#include "inputs/text_cache.h"

enum { MOST_TEXTS = 4096, MOST_BYTES = 4096 };

static uint32_t remember(etr_map *cache, etr_slice text) {
  if (cache->count == MOST_TEXTS || text.size > MOST_BYTES) return ETR_NONE;
  uint32_t number = (uint32_t)cache->count;
  return etr_map_set(cache, text, number) ? number : ETR_NONE;
}

uint32_t etr_text_cache_next(etr_map *cache, etr_json *json, bool *known) {
  etr_slice text;
  *known = false;
  if (etr_arena_failed(cache->arena) || !etr_json_peek_whole(json, &text)) return ETR_NONE;
  uint32_t number = etr_map_get(cache, text);
  if (number == ETR_NONE) return remember(cache, text);
  *known = true;
  etr_json_skip(json);
  return number;
}
