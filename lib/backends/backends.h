/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backends.h - the backends there are. Layer 2.
 */
#ifndef ETR_BACKENDS_H
#define ETR_BACKENDS_H

#include "backends/backend.h"

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

#endif
