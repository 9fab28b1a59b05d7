/* SPDX-License-Identifier: BSD-3-Clause
 *
 * measure.h - what a bench measured: the runs of each method, and what an LLM runner printed of itself. History,
 * trend and the outputs for other systems all read these. Layer 6.
 */
#ifndef ETR_MEASURE_H
#define ETR_MEASURE_H

#include "etrecord.h"

typedef enum measure_kind {
  MEASURE_METHOD, /* Method::execute, one value for each run (inference) that counts */
  MEASURE_RUNNER, /* a figure of the runner's own, one value for each recording */
  MEASURE_WALL,   /* how long the runner's process took, start and load included */
} measure_kind;

/** "method", "runner", "wall". Static. */
const char *bench_kind_name(measure_kind kind);

/** What a measure of a method is called: the method's name, or "unknown method" if that is "". */
const char *bench_method_name(const char *method);

/** Values with their statistics. */
typedef struct bench_measure {
  measure_kind kind;
  const char *name; /* of a method as the profile has it, or "load", "prefill", ... Borrowed */
  const char *unit; /* "ms", "tokens/s", "s" */
  double *values;
  size_t count;
  double p50, avg, min, max;
} bench_measure;

/** Zeroed: none. */
typedef struct bench_measures {
  bench_measure *list;
  size_t count;
} bench_measures;

/** Adds the methods of a profile that ran, in ms, with the profile's own statistics. False when out of memory. */
bool bench_measures_add_methods(bench_measures *measures, const etr_profile *profile);

/** Adds values, if there are any; what is not a number counts for none. False when out of memory. */
bool bench_measures_add(bench_measures *measures, measure_kind kind, const char *name, const char *unit,
                        const double *values, size_t count);

void bench_measures_clear(bench_measures *measures);

#endif
