/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_change.h - changes, judged alone or in families. Layer 3.
 */
#ifndef ETR_COMPARE_CHANGE_H
#define ETR_COMPARE_CHANGE_H

#include "compare/noise.h"
#include "etrecord_compare.h"

/** One side of a change. */
typedef struct etr_measure {
  bool exists; /* timed or not */
  double avg;  /* per inference, in ticks of its own profile */
  const etr_side_time *time;
} etr_measure;

/** Changes of one kind: all are judged alone, or all together. */
typedef struct etr_family {
  etr_arena *scratch;
  double base_scale; /* as in etr_comparison */
  const etr_compare_options *options;
  etr_vec(etr_noise_test) tests;
} etr_family;

/** Fills a change but for what is judged of it; it must stay where it is until then. False: out of memory. */
bool etr_family_add(etr_family *family, etr_change *change, const etr_measure *base, const etr_measure *newer);

/** Judges all changes together. False: out of memory. */
bool etr_family_judge(const etr_family *family);

/** Judges each change by itself. history: of all of them; NULL. */
void etr_family_judge_each(const etr_family *family, const etr_bench_history *history);

#endif
