/* SPDX-License-Identifier: BSD-3-Clause
 *
 * phases.h - what delegates spent their own time on, and what computed in them. Layer 4.
 */
#ifndef ETR_PHASES_H
#define ETR_PHASES_H

#include "base/arena.h"
#include "etrecord_tb.h"

#include <math.h>

enum { ETR_PHASES = ETR_PHASE_OTHER + 1, ETR_COMPUTE_UNITS = ETR_COMPUTE_UNIT_CPU + 1 };

/** Time of a backend's delegates. */
typedef struct etr_delegate_part {
  const char *backend; /* NULL: not known */
  const char *name;    /* the part, as the JSON has it; NULL: none */
  const char *text;    /* what people read: "copying in", "NPU (planned)" */
  uint64_t ticks;      /* over all runs */
  bool is_planned;     /* of a compute unit: it is what the backend planned */
} etr_delegate_part;

/** Parts that took time. */
typedef struct etr_delegate_parts {
  etr_vec(etr_delegate_part) list; /* by backend, in the order of their calls; then in the order of the enum */
  bool tells;                      /* some backend says more than that it is its own */
} etr_delegate_parts;

/** By phase: together the method's delegate_only_ticks. False when out of memory. */
bool etr_delegate_phases_make(etr_delegate_parts *out, etr_arena *arena, const etr_method *method);

/** By compute unit: together all time of delegates, on nodes or not. What is of no unit comes last. False when out of
 * memory. */
bool etr_compute_units_make(etr_delegate_parts *out, etr_arena *arena, const etr_method *method);

/** Whether a time slice is time of a delegate's call. */
static inline bool etr_time_slice_is_in_delegate(const etr_time_slice *time_slice) {
  return time_slice->event->kind >= ETR_EVENT_DELEGATE_CALL;
}

/** "copying in": what people read. Static. */
const char *etr_phase_text(etr_phase phase);

/** Cycles of a node per inference; NaN if its backend counted none. method: whose times the node has; NULL: of none. */
static inline double etr_cycles_of(const etr_method *method, const etr_node_time *time) {
  bool is_known = method && method->run_count && time->has_cycles;
  return is_known ? (double)time->total_cycles / (double)method->run_count : NAN;
}

/** "NPU, CPU": the compute units of a node; NULL if it has none. */
const char *etr_compute_units_text(etr_arena *arena, unsigned compute_units);

#endif
