/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text_cache.c - numbers for texts.
 */
#include "inputs/text_cache.h"

enum { MOST_TEXTS = 4096, MOST_TEXT_BYTES = 4096 };

void etr_text_cache_init(etr_text_cache *cache, etr_arena *arena) {
  *cache = (etr_text_cache){.last = ETR_NONE};
  etr_map_init(&cache->numbers, arena);
}

/* Skips the next text and returns its number, if it is the same as the last one, or as one that
 * followed the last one earlier; else returns ETR_NONE. Models repeat their layers, so it mostly
 * is, and comparing is cheaper than finding the end of the text and hashing it. */
static uint32_t skip_expected_text(const etr_text_cache *cache, etr_json *json) {
  if (cache->last == ETR_NONE)
    return ETR_NONE;
  const etr_cached_text *texts = cache->texts.data;
  const etr_cached_text *last = &texts[cache->last];
  if (etr_json_skip_same(json, last->text))
    return cache->last;
  for (size_t i = 0; i < ETR_TEXT_FOLLOWERS && last->followers[i] != ETR_NONE; i++)
    if (etr_json_skip_same(json, texts[last->followers[i]].text))
      return last->followers[i];
  return ETR_NONE;
}

/* Moves the text with this number to the front of the followers of the last text, or inserts it
 * there, so that the follower that was not used for the longest time drops out. */
static void move_follower_to_front(etr_text_cache *cache, uint32_t number) {
  if (cache->last == ETR_NONE || cache->last == number)
    return;
  uint32_t *followers = cache->texts.data[cache->last].followers;
  uint32_t moved = number;
  for (size_t i = 0; i < ETR_TEXT_FOLLOWERS && (i == 0 || moved != number); i++) {
    uint32_t next = followers[i];
    followers[i] = moved;
    moved = next;
  }
}

/* Adds a text to the cache and returns its number; ETR_NONE if the cache is full, if the text is
 * too long, or when out of memory. */
static uint32_t add_text(etr_text_cache *cache, etr_slice text) {
  if (cache->texts.count == MOST_TEXTS || text.size > MOST_TEXT_BYTES)
    return ETR_NONE;
  etr_map_slot *slot = etr_map_at(&cache->numbers, text);
  etr_cached_text *added = slot ? etr_vec_push(cache->numbers.arena, &cache->texts) : NULL;
  if (!added)
    return ETR_NONE;
  *added = (etr_cached_text){{slot->key, slot->size}, {ETR_NONE, ETR_NONE, ETR_NONE, ETR_NONE}};
  slot->value = (uint32_t)(cache->texts.count - 1);
  return slot->value;
}

/* Returns the number of the next text, which is added if it is new; ETR_NONE if the cache is full,
 * the text is too long, or memory is out. A known text is skipped (*is_known), and a new one left
 * for the caller to read. */
static uint32_t find_or_add_text(etr_text_cache *cache, etr_json *json, bool *is_known) {
  etr_slice text;
  if (!etr_json_peek_whole(json, &text))
    return ETR_NONE;
  uint32_t number = etr_map_get(&cache->numbers, text);
  *is_known = number != ETR_NONE;
  if (!*is_known)
    return add_text(cache, text);
  etr_json_skip(json);
  return number;
}

/* Models repeat their layers, so the text is first compared with the last one and those that
 * followed that earlier. Then the text becomes the newest follower of the last one. */
uint32_t etr_text_cache_next(etr_text_cache *cache, etr_json *json, bool *is_known) {
  *is_known = false;
  if (etr_arena_failed(cache->numbers.arena))
    return ETR_NONE;
  uint32_t number = skip_expected_text(cache, json);
  *is_known = number != ETR_NONE;
  if (!*is_known)
    number = find_or_add_text(cache, json, is_known);
  if (number == ETR_NONE)
    return ETR_NONE;
  move_follower_to_front(cache, number);
  cache->last = number;
  return cache->last;
}
