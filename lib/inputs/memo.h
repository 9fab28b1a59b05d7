/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memo.h - what a document writes again and again in the same words, to be read once. Layer 2.
 *
 * Tensors of one shape, and nodes of one source line or module, have the same text. A memo numbers such texts as they stand in the document; its
 * owner keeps what it read of each by that number, in an array of the same arena: once that is out of memory, nothing is known any more.
 */
#ifndef ETR_MEMO_H
#define ETR_MEMO_H

#include "arena.h"
#include "json.h"

typedef struct etr_memo_text {
  etr_slice text;
  uint32_t follower; /* number of the other text that came behind it last */
} etr_memo_text;

typedef struct etr_memo {
  etr_arena *arena;
  etr_map by_text; /* -> number */
  etr_vec(etr_memo_text) texts;
  uint32_t last; /* number of the text that came last */
} etr_memo;

void etr_memo_init(etr_memo *memo, etr_arena *arena);

/**
 * The number of the string, array or object that is next, counting from 0 in the order in which texts were new. *known: it was read before, and is
 * now passed over; otherwise it is still to be read. ETR_NONE, and not known, if it is too long, or one too many, to be remembered.
 */
uint32_t etr_memo_next(etr_memo *memo, etr_json *json, bool *known);

#endif
