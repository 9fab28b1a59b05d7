/* SPDX-License-Identifier: BSD-3-Clause
 *
 * packed.h - protobuf fields packed by hand, one behind the other, into memory that grows. Layer 4.
 *
 * For the messages that there are thousands of: protobuf-c measures a nested message at every level, and wants a tree of structs. Fields have to be
 * added in the order of their numbers, and those that say nothing (0, "") left out, so that the bytes are those that protobuf-c would write.
 */
#ifndef ETR_PACKED_H
#define ETR_PACKED_H

#include "arena.h"

/** Zeroed but for the arena: nothing. `size` may be set back, to use the memory again. A failed allocation is the arena's sticky failure. */
typedef struct etr_packed {
  etr_arena *arena;
  uint8_t *data;
  size_t size, capacity;
} etr_packed;

enum { ETR_PACKED_HEADER_ROOM = 20 }; /* bytes of a tag and a length, or a tag and an integer, at most */

/** Writes tag and length of a length-delimited field, or an integer field, to memory with ETR_PACKED_HEADER_ROOM; the end of what was written. */
uint8_t *etr_packed_put_header(uint8_t *to, uint32_t field, size_t size);
uint8_t *etr_packed_put_int(uint8_t *to, uint32_t field, int64_t value);

/** Size of a length-delimited field, header and all. */
size_t etr_packed_field_size(uint32_t field, size_t size);

/** Appends an integer field; one of 0 is appended, too. */
void etr_packed_int(etr_packed *packed, uint32_t field, int64_t value);

/** Appends a double; 0 is appended, too. */
void etr_packed_double(etr_packed *packed, uint32_t field, double value);

/** Appends a repeated field of floats, packed, that has one. */
void etr_packed_float(etr_packed *packed, uint32_t field, float value);

/** Writes over a float that was appended, at a place in the bytes; not beyond them, where memory was short. */
void etr_packed_set_float(etr_packed *packed, size_t at, float value);

/** Appends tag and length of a field whose `size` bytes are appended next. */
void etr_packed_header(etr_packed *packed, uint32_t field, size_t size);

/** Appends a length-delimited field: a text, or a message that is packed already. */
void etr_packed_field(etr_packed *packed, uint32_t field, etr_slice bytes);

/** Appends fields that are packed already. */
void etr_packed_bytes(etr_packed *packed, etr_slice bytes);

/** Appends the entry {key: text} of a map field from strings to a message whose field `value_field` is the text. */
void etr_packed_entry(etr_packed *packed, uint32_t map_field, uint32_t value_field, etr_slice key, etr_slice text);

/** What was appended from `start` on: borrowed, or copied into the arena. */
etr_slice etr_packed_since(const etr_packed *packed, size_t start);
etr_slice etr_packed_copy(const etr_packed *packed, size_t start);

#endif
