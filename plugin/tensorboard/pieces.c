/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pieces.c - protobuf bytes that grow in an arena.
 */
#include "pieces.h"

#include "packed.h"

/* Pieces start small: many a message is a few dozen bytes. */
enum { FIRST_PIECE_BYTES = 256, PIECE_BYTES = 64 * 1024 };

/* So many bytes more, in a row; NULL when out of memory. */
static uint8_t *grow(etr_pieces *pieces, size_t size) {
  if (pieces->list.count == 0 || size > pieces->room) {
    size_t room = ETR_MAX(size, pieces->list.count == 0 ? FIRST_PIECE_BYTES : ETR_MIN((size_t)PIECE_BYTES, pieces->size * 2));
    char *data = etr_arena_alloc_raw(pieces->arena, room);
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

void etr_pieces_field(etr_pieces *pieces, uint32_t field, size_t size) {
  uint8_t header[ETR_PACKED_HEADER_ROOM];
  size_t used = (size_t)(etr_packed_put_header(header, field, size) - header);
  uint8_t *at = grow(pieces, used);
  if (at) memcpy(at, header, used);
}

void etr_pieces_parts(etr_pieces *pieces, uint32_t field, const etr_slice *parts, size_t count) {
  uint8_t header[ETR_PACKED_HEADER_ROOM];
  size_t size = 0;
  for (size_t i = 0; i < count; i++) size += parts[i].size;
  size_t used = (size_t)(etr_packed_put_header(header, field, size) - header);
  uint8_t *at = grow(pieces, used + size);
  if (!at) return;
  memcpy(at, header, used);
  at += used;
  for (size_t i = 0; i < count; at += parts[i++].size)
    if (parts[i].size) memcpy(at, parts[i].data, parts[i].size);
}

void etr_pieces_message(etr_pieces *pieces, const ProtobufCMessage *message) {
  uint8_t *at = grow(pieces, protobuf_c_message_get_packed_size(message));
  if (at) (void)protobuf_c_message_pack(message, at);
}

void etr_pieces_bytes(etr_pieces *pieces, etr_slice bytes) {
  uint8_t *at = grow(pieces, bytes.size);
  if (at && bytes.size) memcpy(at, bytes.data, bytes.size);
}

bool etr_pieces_write(void *pieces, const void *data, size_t size) {
  uint8_t *at = grow(pieces, size);
  if (at) memcpy(at, data, size);
  return at != NULL;
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

etr_slice etr_pieces_join(const etr_pieces *pieces) {
  if (pieces->list.count == 1) return pieces->list.data[0];
  char *bytes = etr_arena_alloc_raw(pieces->arena, pieces->size);
  etr_slice whole = {bytes, 0};
  for (size_t i = 0; bytes && i < pieces->list.count; i++) {
    memcpy(bytes + whole.size, pieces->list.data[i].data, pieces->list.data[i].size);
    whole.size += pieces->list.data[i].size;
  }
  return whole;
}
