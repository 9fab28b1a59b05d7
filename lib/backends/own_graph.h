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

#endif
