/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memo.c - numbers for texts.
 */
#include "memo.h"

enum { MOST_TEXTS = 4096, MOST_BYTES = 4096 };

void etr_memo_init(etr_memo *memo, etr_arena *arena) {
  *memo = (etr_memo){.arena = arena};
  etr_map_init(&memo->by_text, arena);
}

/* Compares with what came last before anything is measured or hashed. */
static bool skip_recent(const etr_memo *memo, etr_json *json, uint32_t *number) {
  for (size_t i = 0; i < ETR_MIN((size_t)ETR_MEMO_RECENT, memo->texts.count); i++) {
    *number = memo->recent[i];
    if (etr_json_skip_same(json, memo->texts.data[*number])) return true;
  }
  return false;
}

static uint32_t add(etr_memo *memo, etr_slice text) {
  if (memo->texts.count == MOST_TEXTS || text.size > MOST_BYTES) return ETR_NONE;
  etr_map_slot *slot = etr_map_at(&memo->by_text, text);
  etr_slice *added = slot ? etr_vec_push(memo->arena, &memo->texts) : NULL;
  if (!added) return ETR_NONE;
  *added = (etr_slice){slot->key, slot->size};
  return slot->value = (uint32_t)(memo->texts.count - 1);
}

uint32_t etr_memo_next(etr_memo *memo, etr_json *json, bool *known) {
  uint32_t number;
  etr_slice text;
  *known = !etr_arena_failed(memo->arena) && skip_recent(memo, json, &number);
  if (*known) return number;
  if (etr_arena_failed(memo->arena) || !etr_json_peek_whole(json, &text)) return ETR_NONE;
  number = etr_map_get(&memo->by_text, text);
  *known = number != ETR_NONE;
  if (*known)
    etr_json_skip(json);
  else
    number = add(memo, text);
  if (number != ETR_NONE) memo->recent[memo->turn++ % ETR_MEMO_RECENT] = number;
  return number;
}
