/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pieces.h - protobuf bytes that grow in an arena without ever being copied: a list of blocks. Layer 4.
 *
 * A message with many parts is packed part by part; its length is known in the end and its header goes in front as pieces of their own. A failed
 * allocation is the arena's sticky failure.
 */
#ifndef ETR_PIECES_H
#define ETR_PIECES_H

#include "arena.h"

#include <protobuf-c/protobuf-c.h>

typedef struct etr_pieces {
  etr_arena *arena;
  etr_vec(etr_slice) list;
  size_t size; /* of all pieces */
  size_t room; /* left behind the last piece */
} etr_pieces;

/** Appends the tag and length of a length-delimited field whose `size` bytes are appended next. */
void etr_pieces_field(etr_pieces *pieces, uint32_t field, size_t size);

/** Appends a length-delimited field that has several parts, which are copied. */
void etr_pieces_parts(etr_pieces *pieces, uint32_t field, const etr_slice *parts, size_t count);

/** Appends a packed message. */
void etr_pieces_message(etr_pieces *pieces, const ProtobufCMessage *message);

/** Appends bytes that are packed already, copied. */
void etr_pieces_bytes(etr_pieces *pieces, etr_slice bytes);

/** As what a sink writes with: `pieces` is its context. */
bool etr_pieces_write(void *pieces, const void *data, size_t size);

/** All bytes in a row, in the arena; empty when out of memory. */
etr_slice etr_pieces_join(const etr_pieces *pieces);

/** Appends other pieces, which are borrowed and must not grow any more. */
void etr_pieces_append(etr_pieces *pieces, const etr_pieces *more);

#endif
