/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backend.c - what several backends need to read their events and payloads.
 */
#include "backends/backend.h"

#include "backends/decoder.h"

/* ---- Events whose names are known in advance ---- */

const etr_known_event *etr_known_event_find(const etr_known_event *list, size_t count,
                                            const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0)
      return &list[i];
  return NULL;
}

void etr_known_event_fill(etr_event_meaning *out, const etr_known_event *event) {
  out->role = event->role;
  out->phase = event->phase;
  out->compute_unit = event->compute_unit;
  out->is_in_sums = event->role == ETR_ROLE_PHASE;
}

/* ---- The header before the FlatBuffer of a graph ---- */

enum { MAGIC_AT = 4, GRAPH_OFFSET = 10, GRAPH_SIZE = 14, DATA_OFFSET = 18 };
enum { CONSTANT_OFFSET, CONSTANT_SIZE, CONSTANT_KEY };

bool etr_payload_has_header(etr_slice payload, const char magic[4]) {
  return payload.size >= ETR_PAYLOAD_HEAD_BYTES && memcmp(payload.data + MAGIC_AT, magic, 4) == 0;
}

etr_slice etr_payload_graph(etr_slice payload, const char magic[4]) {
  if (!etr_payload_has_header(payload, magic))
    return payload;
  uint64_t offset = etr_load_le(payload.data + GRAPH_OFFSET, 4);
  uint64_t size = etr_load_le(payload.data + GRAPH_SIZE, 4);
  if (offset > payload.size || size > payload.size - offset)
    return (etr_slice){0};
  return (etr_slice){payload.data + offset, (size_t)size};
}

/* Bytes that are not printable are no identifier. */
const char *etr_payload_identifier(etr_arena *arena, etr_slice payload, const char magic[4]) {
  enum { IDENTIFIER = 4 };
  etr_slice graph = etr_payload_graph(payload, magic);
  if (graph.size < 2 * IDENTIFIER)
    return NULL;
  for (size_t i = IDENTIFIER; i < 2 * IDENTIFIER; i++)
    if (graph.data[i] <= ' ' || graph.data[i] > '~')
      return NULL;
  return etr_arena_text(arena, (etr_slice){graph.data + IDENTIFIER, IDENTIFIER});
}

uint64_t etr_payload_data_at(etr_slice payload, const char magic[4]) {
  return etr_payload_has_header(payload, magic) ? etr_load_le(payload.data + DATA_OFFSET, 4)
                                                : ETR_UNKNOWN;
}

/* Data with a key are named data of the program, so that their offset in the payload is unknown. */
etr_own_data etr_own_data_read(etr_fb *fb, etr_fb_at table, uint64_t data_at, etr_arena *arena) {
  uint64_t offset = etr_fb_u64(fb, table, CONSTANT_OFFSET, 0);
  etr_slice key = etr_fb_string(fb, table, CONSTANT_KEY);
  bool is_inside = key.size == 0 && data_at != ETR_UNKNOWN && offset < ETR_UNKNOWN - data_at;
  return (etr_own_data){
      .bytes = etr_fb_u64(fb, table, CONSTANT_SIZE, 0),
      .offset = is_inside ? data_at + offset : ETR_UNKNOWN,
      .key = key.size > 0 ? etr_arena_text(arena, key) : NULL,
  };
}

uint64_t etr_payload_graph_end(etr_slice head, uint64_t size) {
  uint64_t graph_offset = etr_load_le(head.data + GRAPH_OFFSET, 4);
  uint64_t graph_size = etr_load_le(head.data + GRAPH_SIZE, 4);
  return ETR_MIN(size, graph_offset + graph_size);
}

/* ---- Shapes that a backend and the graph have in common, and who reads a node ---- */

/* Hashes of single sizes are added, so that their order does not matter. */
uint64_t etr_shape_hash(const int64_t *sizes, size_t count) {
  uint64_t hash = 1;
  for (size_t i = 0; i < count; i++)
    if (sizes[i] != 1)
      hash += etr_mixed((uint64_t)sizes[i]);
  return hash ? hash : 1;
}

enum { MOST_DIMS = 64 }; /* that PyTorch has */

/* The same hash as etr_shape_hash(). It is 0 also for more dimensions than PyTorch allows. */
uint64_t etr_value_shape_hash(const etr_value *value) {
  uint64_t hash = 1;
  if (value->rank < 0 || value->rank > MOST_DIMS)
    return 0;
  for (int32_t i = 0; i < value->rank; i++) {
    if (value->dims[i].size == ETR_DIM_SYMBOLIC)
      return 0;
    if (value->dims[i].size != 1)
      hash += etr_mixed((uint64_t)value->dims[i].size);
  }
  return hash ? hash : 1;
}

/* Counts the readers of each node in a first pass, which gives where its list starts, and lists
 * them in a second. A node that reads a producer twice counts once (last_reader). In the second
 * pass starts[i + 1] is where the next reader of node i goes, so that in the end it is where those
 * of node i + 1 start. */
bool etr_users_find(etr_users *out, const etr_graph *graph, etr_arena *arena) {
  size_t count = graph->node_count;
  size_t uses = 0;
  for (size_t i = 0; i < count; i++)
    uses += graph->nodes[i].input_count;
  uint32_t *starts = etr_arena_alloc_array(arena, count + 2, sizeof *starts);
  uint32_t *list = etr_arena_alloc_array(arena, uses + 1, sizeof *list);
  /* Per node: 1 + the reader that was noted last; 0: none. */
  uint32_t *last_reader = etr_arena_alloc_array(arena, count + 1, sizeof *last_reader);
  if (etr_arena_failed(arena))
    return false;
  for (int is_filling = 0; is_filling <= 1; is_filling++) {
    for (uint32_t i = 0; i < count; i++)
      for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
        uint32_t producer = graph->nodes[i].inputs[k].node;
        if (last_reader[producer] == i + 1)
          continue;
        last_reader[producer] = i + 1;
        if (is_filling)
          list[starts[producer + 1]++] = i;
        else
          starts[producer + 2]++;
      }
    for (size_t i = 0; !is_filling && i < count; i++)
      starts[i + 2] += starts[i + 1];
    memset(last_reader, 0, (count + 1) * sizeof *last_reader);
  }
  *out = (etr_users){starts, list};
  return true;
}
