/* SPDX-License-Identifier: BSD-3-Clause
 *
 * payload_header.c - the FlatBuffer behind a header.
 */
#include "backends/payload_header.h"

enum { MAGIC_AT = 4, GRAPH_OFFSET = 10, GRAPH_SIZE = 14 };

bool etr_payload_has_header(etr_slice payload, const char magic[4]) {
  return payload.size >= ETR_PAYLOAD_HEAD_BYTES && memcmp(payload.data + MAGIC_AT, magic, 4) == 0;
}

etr_slice etr_payload_graph(etr_slice payload, const char magic[4]) {
  if (!etr_payload_has_header(payload, magic)) return payload;
  uint64_t offset = etr_load_le(payload.data + GRAPH_OFFSET, 4), size = etr_load_le(payload.data + GRAPH_SIZE, 4);
  if (offset > payload.size || size > payload.size - offset) return (etr_slice){0};
  return (etr_slice){payload.data + offset, (size_t)size};
}

uint64_t etr_payload_graph_end(etr_slice head, uint64_t size) {
  return ETR_MIN(size, etr_load_le(head.data + GRAPH_OFFSET, 4) + etr_load_le(head.data + GRAPH_SIZE, 4));
}
