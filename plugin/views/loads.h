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

/** A method's first run and all other runs, including excluded runs. If the method has several
 * phases, the others are the runs of the first run's phase. */
typedef struct etr_first_run {
  const char *phase; /* name of the phase; "" if the method has none */
  uint32_t run;      /* its index in etr_profile.runs */
  double ticks;      /* Method::execute of the first run, in ticks; 0 without runs */
  etr_stats
      rest; /* Method::execute of the other runs; count is 0 if there are fewer than two runs */
} etr_first_run;

/** Sets *out to the time of a method's first run and the statistics of all other runs of its phase,
 * in ticks; both include excluded runs. Without runs all is 0. Returns false when out of memory. */
bool etr_first_run_of(etr_first_run *out, etr_arena *arena, const etr_profile *profile,
                      const etr_method *method);

/** Returns how many times as long as the typical one of the others the first run takes; NaN if
 * there is none. */
double etr_first_run_factor(const etr_first_run *first);

/** Returns the number of runs that count, and of excluded runs: "9 runs", "9 runs; 1 warm-up run
 * excluded (51.8 ms)". Returns NULL when out of memory. */
char *etr_runs_text(etr_answer *answer, const etr_method *method);

/** Returns the number of excluded runs, with their time in the unit that fits it: "1 warm-up run
 * excluded (51.8 ms)"; "" if all runs count, NULL when out of memory. */
char *etr_excluded_runs_text(etr_answer *answer, const etr_method *method);

/** Writes etr_runs_text() as a line below a heading, if runs are excluded. */
void etr_put_left_out(etr_answer *answer, const etr_method *method);

#endif
