/* SPDX-License-Identifier: BSD-3-Clause
 *
 * loads.h - time outside the inferences that count: loads, which are the runtime's events before
 * any method runs, and runs that warm up. Layer 4.
 */
#ifndef ETR_LOADS_H
#define ETR_LOADS_H

#include "output/answer.h"

/** An event of a load, such as "Method::init" or "Program::load_method". */
typedef struct etr_load {
  const char *block; /* name of the event block */
  const char *name;
  etr_stats stats;
  bool is_whole; /* it is etr_profile.load, which contains the others */
} etr_load;

typedef struct etr_loads {
  const etr_load *list; /* the events of runs in which no method was executed, as recorded */
  size_t count;
  const etr_load *whole; /* the longest event, which contains the others: Program::load_method. NULL
                            if no load was recorded */
  size_t timed_methods;  /* number of methods that ran; if it is more than one, it is not known
                            which method a load belongs to */
} etr_loads;

/** Lists the events of blocks in which no method ran, which are those of loads, and finds the
 * one among them that contains the others. Returns false when out of memory. */
bool etr_loads_make(etr_loads *out, etr_arena *arena, const etr_profile *profile);

/** Returns the typical time of the load of a method's program, in ticks; NaN if none was recorded,
 * or if it is not known which method was loaded. */
double etr_load_of(const etr_loads *loads, const etr_method *method);

/** Returns true if a load takes as long as the load that contains it, within 2 %, and so says
 * nothing new: Method::init usually takes nearly all of Program::load_method. */
static inline bool etr_load_is_whole(double time, double whole) {
  return time >= 0.98 * whole;
}

/** The first runs of a method's ETDumps and all other runs, including excluded runs. If the method
 * has several phases, only runs of the phase of its very first run are in it. */
typedef struct etr_first_run {
  const char *phase;             /* name of the phase; "" if the method has none */
  const etr_run *const *of_dump; /* per ETDump: its first run, if it is among `firsts`; or NULL */
  etr_stats firsts; /* Method::execute of the first runs, in ticks; count is 0 without runs */
  etr_stats rest;   /* of the other runs of the same ETDumps; count is 0 if there is none */
  /* A first run is compared with the typical one of the others of its own ETDump, because ETDumps
   * differ: these are medians over the ETDumps. */
  double factor; /* how many times as long it takes; NaN if no ETDump has others */
  double excess; /* how much longer, in ticks; 0 if no ETDump has others */
} etr_first_run;

/** Compares the first runs of a method's ETDumps with the others of their ETDumps; both include
 * excluded runs. Returns false when out of memory. */
bool etr_first_run_of(etr_first_run *out, etr_arena *arena, const etr_profile *profile,
                      const etr_method *method);

/** Returns the number of runs that count, and of excluded runs: "9 runs", "9 runs; 1 warm-up run
 * excluded (51.8 ms)". Returns NULL when out of memory. */
char *etr_runs_text(etr_answer *answer, const etr_method *method);

/** Returns the number of excluded runs, with their time in the unit that fits it: "1 warm-up run
 * excluded (51.8 ms)"; "" if all runs count, NULL when out of memory. */
char *etr_excluded_runs_text(etr_answer *answer, const etr_method *method);

/** Writes etr_runs_text() as a line below a heading, if runs are excluded. */
void etr_put_left_out(etr_answer *answer, const etr_method *method);

#endif
