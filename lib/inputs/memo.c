/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memo.c - numbers for texts.
 */
#include "memo.h"

enum { MOST_TEXTS = 4096, MOST_BYTES = 4096 };

void etr_memo_init(etr_memo *memo, etr_arena *arena) {
  *memo = (etr_memo){.arena = arena, .last = ETR_NONE};
  etr_map_init(&memo->by_text, arena);
}

static bool skip_text(const etr_memo *memo, etr_json *json, uint32_t number) {
  return number != ETR_NONE && etr_json_skip_same(json, memo->texts.data[number].text);
}

/* Models repeat their layers: a text mostly is the last one again, or the one that came behind that before. To compare is cheaper than to measure and
 * to hash. ETR_NONE: it is neither. */
static uint32_t skip_likely(const etr_memo *memo, etr_json *json) {
  if (etr_arena_failed(memo->arena) || memo->last == ETR_NONE) return ETR_NONE;
  uint32_t follower = memo->texts.data[memo->last].follower;
  return skip_text(memo, json, memo->last) ? memo->last : skip_text(memo, json, follower) ? follower : ETR_NONE;
}

static void note_last(etr_memo *memo, uint32_t number) {
  if (memo->last != ETR_NONE && memo->last != number) memo->texts.data[memo->last].follower = number;
  memo->last = number;
}

static uint32_t add(etr_memo *memo, etr_slice text) {
  if (memo->texts.count == MOST_TEXTS || text.size > MOST_BYTES) return ETR_NONE;
  etr_map_slot *slot = etr_map_at(&memo->by_text, text);
  etr_memo_text *added = slot ? etr_vec_push(memo->arena, &memo->texts) : NULL;
  if (!added) return ETR_NONE;
  *added = (etr_memo_text){{slot->key, slot->size}, ETR_NONE};
  return slot->value = (uint32_t)(memo->texts.count - 1);
}

/* The number of a text by all of it; whether it was known. */
static uint32_t look_up(etr_memo *memo, etr_json *json, bool *known) {
  etr_slice text;
  if (etr_arena_failed(memo->arena) || !etr_json_peek_whole(json, &text)) return ETR_NONE;
  uint32_t number = etr_map_get(&memo->by_text, text);
  *known = number != ETR_NONE;
  if (!*known) return add(memo, text);
  etr_json_skip(json);
  return number;
}

uint32_t etr_memo_next(etr_memo *memo, etr_json *json, bool *known) {
  uint32_t number = skip_likely(memo, json);
  *known = number != ETR_NONE;
  if (!*known) number = look_up(memo, json, known);
  if (number != ETR_NONE) note_last(memo, number);
  return number;
}
