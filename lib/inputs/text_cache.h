/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text_cache.h - texts that a document repeats, each read once. Layer 2.
 *
 * Tensors of one shape, and nodes of one source line or module, have the same text. A cache is a map that numbers such
 * texts as they stand in the document; its owner keeps what it read of each in an array, by that number. Both live in
 * one arena: once it is out of memory, no text is known.
 */
#ifndef ETR_TEXT_CACHE_H
#define ETR_TEXT_CACHE_H

#include "base/arena.h"
#include "formats/json.h"

/**
 * The number of the string, array or object that is next, counting from 0 in the order of their first appearance.
 * *known: it was read before and is now skipped; otherwise it is still to be read. ETR_NONE, and not known, for a text
 * that is too long, or one too many, to be remembered.
 */
uint32_t etr_text_cache_next(etr_map *cache, etr_json *json, bool *known);

#endif
