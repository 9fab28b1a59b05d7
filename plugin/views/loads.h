/* SPDX-License-Identifier: BSD-3-Clause
 *
 * loads.h - what happens besides the inferences: loading, and a first run that warms up. Layer 4.
 */
#ifndef ETR_LOADS_H
#define ETR_LOADS_H

#include "arena.h"
#include "etrecord_tb.h"

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

/** A method's first run against the rest. */
typedef struct etr_first_run {
  double ticks;   /* Method::execute of the first run; 0 without runs */
  etr_stats rest; /* of the others; count is 0 with less than two runs */
} etr_first_run;

/** False when out of memory. */
bool etr_first_run_of(etr_first_run *out, etr_arena *arena, const etr_method *method);

#endif
