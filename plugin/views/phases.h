/* SPDX-License-Identifier: BSD-3-Clause
 *
 * phases.h - how delegates spent the time that is not on nodes, and which compute units worked in
 * them. Layer 4.
 */
#ifndef ETR_PHASES_H
#define ETR_PHASES_H

#include "base/arena.h"
#include "etrecord_tb.h"

#include <math.h>

enum { ETR_PHASES = ETR_PHASE_OTHER + 1, ETR_COMPUTE_UNITS = ETR_COMPUTE_UNIT_CPU + 1 };

/** A part of the time of a backend's delegates. */
typedef struct etr_delegate_part {
  const char *backend; /* NULL if not known */
  const char *name;    /* name of the part in JSON; NULL if it has none */
  const char *text;    /* what people read: "copying in", "NPU (planned)" */
  uint64_t ticks;      /* over all runs */
  double typical;      /* per inference, in the typical run */
  bool is_planned;     /* the compute unit is the one that the backend planned for */
} etr_delegate_part;

/** The parts that took time. */
typedef struct etr_delegate_parts {
  etr_vec(etr_delegate_part) list; /* sorted by backend, in the order of their calls, then by the
                                      enumeration of parts */
  bool is_informative; /* some backend recorded phases or units, so that the list says more than the
                 balance */
} etr_delegate_parts;

/** Lists the time of delegates on no node, by phase. A phase other than ETR_PHASE_OTHER makes the
 * list informative. Returns false when out of memory. */
bool etr_delegate_phases_make(etr_delegate_parts *out, etr_arena *arena, const etr_method *method);

/** Lists all time of delegates, on nodes or not, by compute unit. Time of an unknown unit comes
 * last. Returns false when out of memory. */
bool etr_compute_units_make(etr_delegate_parts *out, etr_arena *arena, const etr_method *method);

/** Returns true if a time slice belongs to a delegate's call. */
static inline bool etr_time_slice_is_in_delegate(const etr_time_slice *time_slice) {
  return time_slice->event->kind >= ETR_EVENT_DELEGATE_CALL;
}

/** Returns the cycles of a node per inference; NaN if its backend counted none. `method` is the
 * method that the node was timed in; it may be NULL. */
static inline double etr_cycles_of(const etr_method *method, const etr_node_time *time) {
  bool is_known = method && method->run_count && time->has_cycles;
  return is_known ? (double)time->total_cycles / (double)method->run_count : NAN;
}

/** Returns the compute units of a node, "NPU, CPU"; NULL if it has none. compute_units: a bit for
 * each etr_compute_unit. */
const char *etr_compute_units_text(etr_arena *arena, unsigned compute_units);

#endif
