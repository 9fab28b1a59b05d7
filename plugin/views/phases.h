/* SPDX-License-Identifier: BSD-3-Clause
 *
 * phases.h - what delegates spent their own time on. Layer 4.
 */
#ifndef ETR_PHASES_H
#define ETR_PHASES_H

#include "base/arena.h"
#include "etrecord_tb.h"

typedef struct etr_phase_time {
  const char *backend; /* NULL: not known */
  etr_phase phase;
  uint64_t ticks; /* over all runs */
} etr_phase_time;

typedef struct etr_phase_times {
  etr_vec(etr_phase_time) list; /* by backend, in the order of their calls; then by phase */
  bool tells;                   /* some backend says more than that it is its own */
} etr_phase_times;

/** The phases that took time: together the method's delegate_only_ticks. False when out of memory. */
bool etr_phase_times_make(etr_phase_times *out, etr_arena *arena, const etr_method *method);

/** "copying in": what people read. Static. */
const char *etr_phase_text(etr_phase phase);

#endif
