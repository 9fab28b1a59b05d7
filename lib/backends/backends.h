/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backends.h - the list of backends and decoders, and the payloads that they read. Layer 2.
 */
#ifndef ETR_BACKENDS_H
#define ETR_BACKENDS_H

#include "backends/backend.h"

/* ---- The backends there are ---- */

/** Returns the backend with this id; NULL if it is unknown, or if id is NULL. */
const etr_backend *etr_backend_of(const char *id);

/** Returns the backend whose operators have delegate ids like this one, for events whose backend no
 * record states; NULL if there is none. */
const etr_backend *etr_backend_of_event(const char *delegate_id);

/** Returns true if an event of `count` blocks was timed by a clock that counts cycles. */
bool etr_events_count_cycles(const etr_block *blocks, size_t count);

/**
 * Returns how much time of `operators` operators a backend's clock can hide, in ticks: half a step
 * for each operator, because counting whole steps loses half a step on average. backend may be
 * NULL.
 */
uint64_t etr_backend_clock_hides(const etr_backend *backend, uint64_t operators,
                                 double ticks_per_second);

/** Returns the function that reads the graph in a payload of the backend with this id; NULL if
 * there is none, or if id is NULL. */
etr_own_graph_reader etr_own_graph_reader_of(const char *id);

/** Returns the result of payload_needed() of the backend that knows the payload with these first
 * bytes (`head`): how many of its `size` bytes reading the graph takes. 0 if no backend knows it.
 */
uint64_t etr_backend_payload_needed(etr_slice head, uint64_t size);

/** A setting with which a delegate was compiled. Its value may be any bytes. */
typedef struct etr_compile_spec {
  etr_slice key, value;
} etr_compile_spec;

/** How many of a payload's first bytes are read if its backend's format is not known here. */
#define ETR_PAYLOAD_FORMAT_BYTES 1024

/** Returns what a payload and the delegate's compile specs say about its format, version and
 * target, in the arena: "XN01", "VGF 0.5.0, TOSA-1.0+FP", "SoC model 57, HTP v75", "mlpackage
 * 1.0.0, specification 6". `head` are the payload's first bytes. NULL if they say nothing, or when
 * out of memory (the arena failed). */
const char *etr_payload_format(etr_arena *arena, const char *backend, etr_slice head,
                               const etr_payload_source *source, const etr_compile_spec *specs,
                               size_t count);

/* ---- The payloads of a .pte, each read once ---- */

/* Delegates with the same operators may share one payload. */

/** The payloads that were read so far. */
typedef struct etr_payloads {
  const struct etr_payloads *known; /* those that were read before, for another profile of the same
                                       program: they are only looked up. NULL: none */
  etr_arena *arena;                 /* arena in which the payloads live */
  etr_map by_place; /* address and size of the bytes, and the backend -> index in `list` */
  etr_vec(const etr_payload *) list;
  etr_map graph_by_place; /* address and size of the bytes, and the backend's name -> index in
                             `graphs` */
  etr_vec(const etr_own_graph *) graphs;
  etr_vec(const char *) unread; /* backends with a payload that their reader does not accept */
  etr_map shown;   /* addresses of the graphs that were shown; the values mean nothing */
  size_t repeated; /* number of operators and values of payloads that were shown again */
  size_t hidden;   /* number of delegates whose operators are not shown */
} etr_payloads;

/** Makes an empty list of payloads. Those in `known` (NULL: none), which must live as long, need
 * not be read again. */
void etr_payloads_init(etr_payloads *payloads, const etr_payloads *known, etr_arena *arena);

/** Returns the payload that a backend reads from these bytes; the same bytes give the same pointer.
 * NULL if it cannot read them, or when out of memory (the arena failed). */
const etr_payload *etr_payloads_read(etr_payloads *payloads, const etr_backend *backend,
                                     etr_slice bytes);

/** Returns the backend graph that these bytes contain; the same bytes give the same pointer.
 * `backend` is the backend's id, interned; it may be NULL. NULL if the backend has no reader, if
 * its reader does not accept the bytes, which is noted in `unread`, or when out of memory (the
 * arena failed). */
const etr_own_graph *etr_payloads_graph(etr_payloads *payloads, const char *backend,
                                        etr_slice bytes);

/** Returns true if the graph of a delegate is to be shown. A graph is always shown the first time.
 * Delegates that share a payload show it again, up to about 16,000 operators and values in all. */
bool etr_payloads_show(etr_payloads *payloads, const etr_own_graph *graph);

#endif
