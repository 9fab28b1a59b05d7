/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backends.h - the backends there are. Layer 2.
 */
#ifndef ETR_BACKENDS_H
#define ETR_BACKENDS_H

#include "backends/backend.h"

/* ---- The backends there are ---- */

/** The backend with this id; NULL if it is unknown, or id is NULL. */
const etr_backend *etr_backend_of(const char *id);

/** The backend whose operators an event's delegate id names, where no record tells whose it is; NULL if none's. */
const etr_backend *etr_backend_of_event(const char *delegate_id);

/** The step of the clock that times a backend's operators, in ticks; 0 if it is as fine as the dump's, or backend is
 * NULL. */
double etr_backend_clock_step(const etr_backend *backend, double ticks_per_second);

/**
 * What a backend's clock can hide of the time of `operators` operators, in ticks: half a step each, which is what
 * counting whole steps falls short by on average. backend may be NULL.
 */
uint64_t etr_backend_clock_hides(const etr_backend *backend, uint64_t operators, double ticks_per_second);

/** What reads the graphs in payloads of the backend with this id; NULL if nothing does, or id is NULL. */
etr_own_graph_reader etr_own_graph_reader_of(const char *id);

/** payload_needed() of whichever backend knows the payload; 0 if none does. */
uint64_t etr_backend_payload_needed(etr_slice head, uint64_t size);

/* ---- The payloads of a .pte, each read once ---- */

/* Delegates with the same operators may share one payload. */

/** What was read so far. */
typedef struct etr_payloads {
  etr_arena *arena; /* of the profile: payloads live as long */
  etr_map by_place; /* the bytes' address and size, and the backend -> place in `list` */
  etr_vec(const etr_payload *) list;
  etr_map graph_by_place; /* likewise, and the backend's name -> place in `graphs` */
  etr_vec(const etr_own_graph *) graphs;
  etr_vec(const char *) unread; /* backends of which some payload is not what they write */
  etr_map shown;                /* address of a graph -> anything */
  size_t repeated;              /* operators of payloads that were shown before */
  size_t hidden;                /* delegates whose operators are not shown */
} etr_payloads;

/** Starts with none. */
void etr_payloads_init(etr_payloads *payloads, etr_arena *arena);

/** What a backend reads in these bytes: the same payload for the same bytes. NULL if it can read nothing there, or when
 * out of memory (the arena failed). */
const etr_payload *etr_payloads_read(etr_payloads *payloads, const etr_backend *backend, etr_slice bytes);

/** The graph that the backend with this id (interned, may be NULL) has in these bytes: the same for the same bytes.
 * NULL if nothing reads its payloads, if there is nothing to read, which is noted in `unread`, or when out of memory
 * (the arena failed). */
const etr_own_graph *etr_payloads_graph(etr_payloads *payloads, const char *backend, etr_slice bytes);

/** Whether a delegate's graph is to be shown: the first time always; again, where delegates share a payload, up to some
 * 16,000 operators and values. */
bool etr_payloads_show(etr_payloads *payloads, const etr_own_graph *graph);

#endif
