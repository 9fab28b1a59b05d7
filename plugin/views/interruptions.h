/* SPDX-License-Identifier: BSD-3-Clause
 *
 * interruptions.h - what is said of times that contain interruptions: see etr_method.interruptions.
 * Layer 4.
 */
#ifndef ETR_INTERRUPTIONS_H
#define ETR_INTERRUPTIONS_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** Follows a number that interruptions made worse. */
#define ETR_WITH_INTERRUPTIONS ", with interruptions"

/** Returns the number of a method's runs in which something was interrupted; 0 when out of memory.
 */
size_t etr_interruptions_count_runs(etr_arena *arena, const etr_method *method);

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

/** Returns for comparisons, whose times contain interruptions, "33 % is interruptions: 21.3 ms per
 * inference without", or "16.1 – 21.3 ms" if the fastest run took less, also of a method of a
 * document; NULL if the typical run has none, or when out of memory. */
const char *etr_interrupted_text(etr_arena *arena, const etr_profile *profile,
                                 const etr_method *method);

#endif
