/* SPDX-License-Identifier: BSD-3-Clause
 *
 * loads.h - time outside the inferences: loads (the runtime's events before any method runs, which load the program
 * and its methods), and runs that warm up. Layer 4.
 */
#ifndef ETR_LOADS_H
#define ETR_LOADS_H

#include "output/writer.h"

/** An event of a load: "Method::init", "Program::load_method". */
typedef struct etr_load {
  const char *block; /* name of the event block */
  const char *name;
  etr_stats stats;
} etr_load;

typedef struct etr_loads {
  const etr_load *list; /* as recorded; events of runs in which nothing was executed */
  size_t count;
  const etr_load *whole; /* the longest: Program::load_method contains Method::init. NULL if no load was recorded */
  size_t timed_methods;  /* methods with runs: with more than one it cannot be told whose load it was */
} etr_loads;

/** False when out of memory. */
bool etr_loads_make(etr_loads *out, etr_arena *arena, const etr_profile *profile);

/** Returns true if a load takes as long as the whole load that contains it, within 2 %: it says nothing new then.
 * Method::init is most of Program::load_method. */
static inline bool etr_load_is_whole(double time, double whole) { return time >= 0.98 * whole; }

/** A method's first run against the rest, also of those that do not count; of its phase where the method has several.
 */
typedef struct etr_first_run {
  const char *phase; /* of these; "" where the method has none */
  double ticks;      /* Method::execute of the first run; 0 without runs */
  etr_stats rest;    /* of the others; count is 0 with less than two runs */
} etr_first_run;

/** False when out of memory. */
bool etr_first_run_of(etr_first_run *out, etr_arena *arena, const etr_profile *profile, const etr_method *method);

/** Returns the runs of a method that count, and those that do not: "9 runs", "9 runs; 1 warm-up run excluded (51.8
 * ms)". NULL when out of memory. */
char *etr_runs_text(etr_arena *arena, const etr_profile *profile, const etr_method *method, etr_unit unit);

/** Returns the runs of a method that do not count: "1 warm-up run excluded (51.8 ms)"; "" if all count, NULL when out
 * of memory. */
char *etr_excluded_runs_text(etr_arena *arena, const etr_profile *profile, const etr_method *method, etr_unit unit);

/** Writes a line with it below a heading that does not tell the runs, if some are left out. */
void etr_put_left_out(etr_writer *writer, etr_arena *arena, const etr_profile *profile, const etr_method *method,
                      etr_unit unit);

#endif
