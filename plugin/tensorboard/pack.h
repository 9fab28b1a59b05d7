/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pack.h - packs the messages of proto/tensorboard.proto. Layer 5.
 *
 * protobuf_c_message_pack() needs the size beforehand, which is a second walk over the message, and
 * moves every nested message once its length is known. This one walks once, from the last field to
 * the first: when a header is due, the length is known. Field numbers and types are those of the
 * generated descriptors; the bytes are protobuf-c's.
 */
#ifndef ETR_PACK_H
#define ETR_PACK_H

#include "base/arena.h"
#include "tensorboard.pb-c.h"

/** Packed messages at the end of memory that grows. Zeroed except for the arena: empty. */
typedef struct etr_packer {
  etr_arena *arena;
  char *memory, *start, *end; /* packed data are between start and end */
} etr_packer;

/**
 * Packs a message in front of the data that are already packed, so a sequence of messages is packed
 * from the last to the first. Supports proto3's int32, int64, bool, enum, float, double, string,
 * bytes and message, repeated and in a oneof. When out of memory, the arena fails.
 */
void etr_pack(etr_packer *packer, const ProtobufCMessage *message);

/** Drops the packed data and reuses the memory. */
static inline void etr_packer_reset(etr_packer *packer) {
  packer->start = packer->end;
}

/** Returns the number of bytes packed so far. */
static inline size_t etr_packed_size(const etr_packer *packer) {
  return (size_t)(packer->end - packer->start);
}

/** Returns the packed data, borrowed until the next call; empty when out of memory. */
static inline etr_slice etr_packed(const etr_packer *packer) {
  if (packer->start == packer->end || etr_arena_failed(packer->arena))
    return (etr_slice){0};
  return (etr_slice){packer->start, etr_packed_size(packer)};
}

/* The following functions pack a message field by field, each in front of the packed data. They
 * serve for large messages, and for messages of which there are too many to fill a struct for each.
 */

/** Returns a field of a message of the .proto by its name, which is looked up each time. */
#define etr_pack_field(message, name)                                                              \
  protobuf_c_message_descriptor_get_field_by_name(&message##__descriptor, (name))

/** Packs a text or bytes, also an empty one. */
void etr_pack_bytes(etr_packer *packer, const ProtobufCFieldDescriptor *field, etr_slice bytes);

/** Packs an int32, int64, bool or enum, except 0, which is the default. */
void etr_pack_int(etr_packer *packer, const ProtobufCFieldDescriptor *field, int64_t value);

/** Writes a copy of data that were packed before in front. */
void etr_pack_copy(etr_packer *packer, etr_slice packed);

/** Turns the data that were packed since the packer had `behind` bytes (etr_packed_size()) into a
 * nested message, or bytes, by writing its header in front of them. */
void etr_pack_nested(etr_packer *packer, const ProtobufCFieldDescriptor *field, size_t behind);

/** Turns the data that were packed since the packer had `behind` bytes into the value of a map's
 * entry with this key, by writing the entry's headers and its key in front of them. */
void etr_pack_entry(etr_packer *packer, const ProtobufCFieldDescriptor *map, etr_slice key,
                    size_t behind);

/** Packs an entry of a map whose value has only this field, a text or bytes. */
void etr_pack_text_entry(etr_packer *packer, const ProtobufCFieldDescriptor *map, etr_slice key,
                         const ProtobufCFieldDescriptor *field, etr_slice text);

#endif
