/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_change.h - changes, and families of them that are judged together. Layer 3.
 */
#ifndef ETR_COMPARE_CHANGE_H
#define ETR_COMPARE_CHANGE_H

#include "compare/noise.h"
#include "etrecord_compare.h"

/** One side of a change. */
typedef struct etr_measure {
  bool exists; /* timed or not */
  double avg;
  etr_median median;
} etr_measure;

/** Changes that are judged together. */
typedef struct etr_family {
  etr_arena *scratch;
  double base_scale; /* as in etr_comparison */
  etr_vec(etr_noise_test) tests;
} etr_family;

/** Fills a change but for its noise, which comes when the family is complete; it must stay where it is until then.
 * False: out of memory. */
bool etr_family_add(etr_family *family, etr_change *change, const etr_measure *base, const etr_measure *newer);

/** Fills noise and verdict of all changes. False: out of memory. */
bool etr_family_decide(const etr_family *family);

#endif
