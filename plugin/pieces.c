/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pieces.c - protobuf bytes that grow in an arena.
 */
#include "pieces.h"

enum { PIECE_BYTES = 256 * 1024, LENGTH_DELIMITED = 2 };

/* So many bytes more, in a row; NULL when out of memory. */
static uint8_t *grow(etr_pieces *pieces, size_t size) {
  if (pieces->list.count == 0 || size > pieces->room) {
    /* Small messages get a small first piece; scalars are a few dozen bytes each. */
    size_t room = ETR_MAX(size, pieces->list.count == 0 ? 256 : (size_t)PIECE_BYTES);
    char *data = etr_arena_alloc(pieces->arena, room);
    etr_slice *piece = data ? etr_vec_push(pieces->arena, &pieces->list) : NULL;
    if (!piece) return NULL;
    *piece = (etr_slice){data, 0};
    pieces->room = room;
  }
  etr_slice *last = &pieces->list.data[pieces->list.count - 1];
  uint8_t *at = (uint8_t *)(uintptr_t)(last->data + last->size);
  last->size += size;
  pieces->room -= size;
  pieces->size += size;
  return at;
}

static size_t put_varint(uint8_t *to, uint64_t value) {
  size_t used = 0;
  for (; value > 0x7f; value >>= 7) to[used++] = (uint8_t)(value | 0x80);
  to[used++] = (uint8_t)value;
  return used;
}

void etr_pieces_field(etr_pieces *pieces, uint32_t field, size_t size) {
  uint8_t header[20];
  size_t used = put_varint(header, (uint64_t)field << 3 | LENGTH_DELIMITED);
  used += put_varint(header + used, size);
  uint8_t *at = grow(pieces, used);
  if (at) memcpy(at, header, used);
}

void etr_pieces_message(etr_pieces *pieces, const ProtobufCMessage *message) {
  uint8_t *at = grow(pieces, protobuf_c_message_get_packed_size(message));
  if (at) (void)protobuf_c_message_pack(message, at);
}

void etr_pieces_append(etr_pieces *pieces, const etr_pieces *more) {
  for (size_t i = 0; i < more->list.count; i++) {
    etr_slice *piece = etr_vec_push(pieces->arena, &pieces->list);
    if (!piece) return;
    *piece = more->list.data[i];
  }
  pieces->size += more->size;
  pieces->room = 0; /* what follows the last piece is not ours */
}
