/* SPDX-License-Identifier: BSD-3-Clause
 *
 * own_graph.h - the backend graph: a delegate's operators and values, as its payload in the .pte
 * has them. Layer 2.
 *
 * This is the graph that users see. backend.h and decoder.h have what the join compares with events
 * and nodes.
 */
#ifndef ETR_OWN_GRAPH_H
#define ETR_OWN_GRAPH_H

#include "base/arena.h"
#include "formats/flatbuf.h"

/** Where the data of a constant is. */
typedef struct etr_own_data {
  uint64_t bytes;  /* 0: there is none, or its size is not known */
  uint64_t offset; /* in the payload; ETR_UNKNOWN: it is elsewhere, or not known */
  const char *key; /* key of the program's named data that contains it; NULL: none */
} etr_own_data;

/** A value of a backend graph. */
typedef struct etr_own_value {
  etr_value value;  /* its name is NULL */
  int32_t argument; /* index of the argument of the delegate's call that it is; -1: none */
  bool is_constant;
  etr_own_data data;   /* of a constant */
  etr_own_data scales; /* scales by which a constant was quantized, if they are stored apart from
                          the graph */
} etr_own_value;

/** An operator of a backend graph. Its reads and writes are valid indices of values. */
typedef struct etr_own_operator {
  const char *name; /* "Conv2d", "aten.convolution.default" */
  int64_t id;       /* number that the backend gives it; not always unique */
  const uint32_t *reads, *writes;
  size_t read_count, write_count;
  etr_work work;
  const etr_argument *arguments; /* with ATen's names */
  size_t argument_count;
} etr_own_operator;

typedef struct etr_own_graph {
  const etr_own_operator *operators; /* in the order in which they run */
  size_t count;
  const etr_own_value *values;
  size_t value_count;
  const uint32_t *written; /* indices of the call's arguments that operators write, ascending;
                              etr_payloads_graph() fills it, not the reader */
  size_t written_count;
  const char *const *titles; /* of each operator its name and id, "Conv2d #3";
                                etr_payloads_graph() fills it, not the reader */
  bool is_numbered;          /* as in etr_subgraph */
} etr_own_graph;

/** Reads the backend graph of a payload and copies what it keeps into the arena. Returns false,
 * with *out empty, if the payload is damaged or not this backend's. */
typedef bool (*etr_own_graph_reader)(etr_own_graph *out, etr_arena *arena, etr_slice payload);

/* ---- The header that several backends put before the FlatBuffer of their graph ---- */

/* Its magic is at byte 4, where a FlatBuffer has its identifier. The length of the header (u16),
 * then the offset and the size of the FlatBuffer (u32 each) follow without alignment. */

/** How many bytes of a payload are read first, to find out how many are needed. */
#define ETR_PAYLOAD_HEAD_BYTES 30

/** The bytes of a payload behind its head, which are read only where a version is written there. */
typedef struct etr_payload_source {
  /** Reads `size` bytes of the payload from `offset`, which the caller keeps inside it. Returns
   * false if they cannot be read. */
  bool (*read)(void *context, uint64_t offset, char *to, size_t size);
  void *context;
  uint64_t size; /* of the payload, in bytes */
} etr_payload_source;

/** Returns true if the payload starts with the header that several backends put before the
 * FlatBuffer of their graph, with this magic number. */
bool etr_payload_has_header(etr_slice payload, const char magic[4]);

/** Returns the FlatBuffer with the graph of a payload, after its header. Older versions wrote no
 * header: the whole payload is returned then. Empty if the FlatBuffer would be outside of the
 * payload. */
etr_slice etr_payload_graph(etr_slice payload, const char magic[4]);

/** Returns the identifier of the FlatBuffer in a payload, such as "XN01", in the arena; NULL if
 * there is none. */
const char *etr_payload_identifier(etr_arena *arena, etr_slice payload, const char magic[4]);

/** Returns the offset of the constants' data in the payload, which the header has, too; ETR_UNKNOWN
 * without a header.
 */
uint64_t etr_payload_data_at(etr_slice payload, const char magic[4]);

/** Reads size and place of a constant from the table {offset, size, key} of a graph. Offsets are
 * relative to `data_at`, the result of etr_payload_data_at(). The key is copied into the arena. */
etr_own_data etr_own_data_read(etr_fb *fb, etr_fb_at table, uint64_t data_at, etr_arena *arena);

/** Returns how many bytes the header and the FlatBuffer take of a payload with `size` bytes. `head`
 * must have a header. */
uint64_t etr_payload_graph_end(etr_slice head, uint64_t size);

#endif
