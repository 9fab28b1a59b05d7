/* SPDX-License-Identifier: BSD-3-Clause
 *
 * payloads.h - the payloads of a .pte, each read once. Layer 2.
 *
 * Delegates with the same operators may share one payload.
 */
#ifndef ETR_PAYLOADS_H
#define ETR_PAYLOADS_H

#include "backends/backend.h"

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
