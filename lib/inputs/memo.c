/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memo.c - numbers for texts.
 */
#include "inputs/memo.h"

enum { MOST_TEXTS = 4096, MOST_BYTES = 4096 };

static uint32_t remember(etr_map *memo, etr_slice text) {
  if (memo->count == MOST_TEXTS || text.size > MOST_BYTES) return ETR_NONE;
  uint32_t number = (uint32_t)memo->count;
  return etr_map_set(memo, text, number) ? number : ETR_NONE;
}

uint32_t etr_memo_next(etr_map *memo, etr_json *json, bool *known) {
  etr_slice text;
  *known = false;
  if (etr_arena_failed(memo->arena) || !etr_json_peek_whole(json, &text)) return ETR_NONE;
  uint32_t number = etr_map_get(memo, text);
  if (number == ETR_NONE) return remember(memo, text);
  *known = true;
  etr_json_skip(json);
  return number;
}
