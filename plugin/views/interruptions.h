/* SPDX-License-Identifier: BSD-3-Clause
 *
 * interruptions.h - the part of a method's typical run in which something else ran. Layer 4.
 */
#ifndef ETR_INTERRUPTIONS_H
#define ETR_INTERRUPTIONS_H

#include "base/arena.h"
#include "etrecord_tb.h"

/**
 * What interruptions add to a method's typical run. The typical run leaves out whole runs that are
 * slow, but where each run is interrupted somewhere it contains a part of it: one operator that
 * waits for 30 ms in one of four runs seems to take 7.5 ms.
 *
 * An operator was interrupted in a run if it takes at least twice its median over the runs and
 * loses at least 10 us, while most others in that run take about their median: a slow clock, or
 * more work, stretches all of them. What it takes beyond its
 * median is counted, if that is a tenth of the typical time or more in all: else times are as they
 * are shown. A method whose runs are of several phases has none that are known, and fewer than
 * three runs have no median that an interruption would not move.
 */
typedef struct etr_interruptions {
  const etr_time_slice *runtime; /* time slices of the runtime, which a method has none of: of the
                                    call around each kernel, on its node, and of the rest */
  size_t count;           /* of the slices of the method and then of the runtime: etr_slice_at() */
  const double *of_slice; /* per slice: its ticks in the typical run, like etr_stats.typical, that
                             are interruptions */
  const double *ticks;    /* per slice: the same in its own run */
  double whole;           /* the sum of of_slice */
} etr_interruptions;

/** Returns a slice of the method, or behind these of the runtime. */
static inline const etr_time_slice *etr_slice_at(const etr_method *method,
                                                 const etr_time_slice *runtime, size_t i) {
  size_t own = method->time_slice_count;
  return i < own ? &method->time_slices[i] : &runtime[i - own];
}

/** Returns what a time slice takes of the method's typical run, in ticks. */
static inline double etr_slice_typical(const etr_method *method, const etr_time_slice *slice) {
  const etr_typical_run *typical = &method->typical;
  double weight = typical->divisor > 0 ? typical->weights[slice->run] / typical->divisor : 0;
  return weight * (double)slice->ticks;
}

/** Finds the interruptions of a method's operators. There are none if all of them are less than a
 * tenth of the typical time, or if the runs are too few or of several phases. Returns false when
 * out of memory. */
bool etr_interruptions_find(etr_interruptions *out, etr_arena *arena, const etr_profile *profile,
                            const etr_method *method);

/** Follows a number that interruptions made worse. */
#define ETR_WITH_INTERRUPTIONS ", with interruptions"

/** Returns the number of a method's runs in which something was interrupted; 0 when out of memory.
 */
size_t etr_interruptions_count_runs(const etr_interruptions *found, etr_arena *arena,
                                    const etr_method *method);

/** Of what a list has medians. That of a node is without interruptions; that of a sum is so only if
 * less than half of the runs have any, wherever in the sum. */
typedef enum etr_medians {
  ETR_MEDIANS_OF_NOTHING,
  ETR_MEDIANS_OF_SUMS,
  ETR_MEDIANS_OF_NODES
} etr_medians;

/** Returns a note for lists whose times contain interruptions, "these times contain interruptions,
 * 62 % of the typical run: measure again, or choose --stat p50", the latter if medians of the list
 * are without; NULL if there are none, if the profile's statistic chooses averages, or such
 * medians, or when out of memory. */
const char *etr_interruptions_note(etr_arena *arena, const etr_profile *profile,
                                   const etr_method *method, etr_medians medians);

/** Returns the part of a method's typical run, 0 to 1, that interruptions take, also of a method of
 * a document; 0 if there are none, or when out of memory. */
double etr_interrupted_share(const etr_profile *profile, const etr_method *method);

/** Returns for comparisons, whose times contain interruptions, "33 % is interruptions: 21.3 ms per
 * inference without", also of a method of a document; NULL if the typical run has none, or when out
 * of memory. */
const char *etr_interrupted_text(etr_arena *arena, const etr_profile *profile,
                                 const etr_method *method);

#endif
