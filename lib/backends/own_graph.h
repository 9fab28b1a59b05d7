/* SPDX-License-Identifier: BSD-3-Clause
 *
 * own_graph.h - a delegate's own graph, as its payload in the .pte has it. Layer 2.
 *
 * What people see of it. How the join compares operators with events and nodes is in backend.h and decoder.h.
 */
#ifndef ETR_OWN_GRAPH_H
#define ETR_OWN_GRAPH_H

#include "base/arena.h"

/** A value that operators read or write. */
typedef struct etr_own_value {
  etr_value value;  /* its name is NULL: it has none */
  int32_t argument; /* which argument of the delegate's call it is; -1: none */
  bool is_constant;
  uint64_t bytes; /* of a constant's data; 0: not known */
} etr_own_value;

/** An operator. Reads and writes are indices of values, all of them valid. */
typedef struct etr_own_operator {
  const char *name; /* "Conv2d", "aten.convolution.default" */
  int64_t id;       /* what the backend itself numbers it by; it need not be unique */
  const uint32_t *reads, *writes;
  size_t read_count, write_count;
  etr_work work;
} etr_own_operator;

typedef struct etr_own_graph {
  const etr_own_operator *operators; /* in the order in which they run */
  size_t count;
  const etr_own_value *values;
  size_t value_count;
  const uint32_t *written; /* arguments of the call that operators write, ascending; not the reader's to fill */
  size_t written_count;
} etr_own_graph;

/** Reads a payload. It copies what it keeps into the arena. False, *out empty, if the payload is not this backend's, or
 * is damaged. */
typedef bool (*etr_own_graph_reader)(etr_own_graph *out, etr_arena *arena, etr_slice payload);

/* ---- The header that several backends put before the FlatBuffer of their graph ---- */

/* Its magic is at byte 4, where a FlatBuffer has its identifier. Behind it are, unaligned, the header's length (u16),
 * then offset and size of the FlatBuffer (u32). */

/** So many first bytes of a payload tell how much of it is of use. */
#define ETR_PAYLOAD_HEAD_BYTES 30

/** True if there is such a header. */
bool etr_payload_has_header(etr_slice payload, const char magic[4]);

/** The FlatBuffer behind the header; without one the payload, as older versions wrote it. Empty if it would lie outside
 * of the payload. */
etr_slice etr_payload_graph(etr_slice payload, const char magic[4]);

/** How many bytes of a payload of this size hold header and FlatBuffer. head has a header. */
uint64_t etr_payload_graph_end(etr_slice head, uint64_t size);

#endif
