/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise.h - decides whether a change of times is real, by the rules of etrecord_compare.h ("When a
 * change counts"). Layer 3.
 */
#ifndef ETR_NOISE_H
#define ETR_NOISE_H

#include "base/arena.h"
#include "etrecord_compare.h"

/** A change and the times that it is computed from. */
typedef struct etr_noise_test {
  etr_side_time base, newer; /* in the same ticks */
  etr_change *change;        /* the caller's; its times are filled before the call */
  const etr_side_recordings *base_recordings, *new_recordings; /* of a method; NULL of others */
  double base_scale; /* ticks of `newer` in a tick of base_recordings */
  /* The logarithm of newer / base without interruptions: the least and the most that it may be,
   * which the interval contains, too. Both are 0 if neither side has interruptions. */
  double uninterrupted_low, uninterrupted_high;
} etr_noise_test;

/** How changes are judged. */
typedef struct etr_noise_rules {
  const etr_compare_options *options;
  etr_turns turns;
  etr_arena *scratch;
  double level;        /* of a change that is judged by itself: 0.05 for 5 % */
  bool is_one_program; /* see etr_comparison */
} etr_noise_rules;

/** Returns the assumed standard deviation of the logarithms of times between recordings of one
 * program. */
double etr_noise_between_recordings(const etr_compare_options *options);

/** The level of a change that is judged without others. */
#define ETR_NOISE_LEVEL 0.05

/** Judges one change by itself, at the level of the rules. Returns false when out of memory. */
bool etr_noise_judge(etr_noise_test *test, const etr_noise_rules *rules);

/** Judges a family of changes. Returns false when out of memory. */
bool etr_noise_judge_family(etr_noise_test *tests, size_t count, const etr_noise_rules *rules);

/**
 * Decides by the options, or else by the times of the files. These count only if they can be times
 * of recordings: none is in the future, and in their order each is later than the one before by at
 * least the length of its own recording. Copies and checkouts are closer together. Sides with fewer
 * than ETR_LEAST_RECORDINGS are not asked. Returns false when out of memory.
 */
bool etr_turns_find(etr_turns *out, const etr_side *base, const etr_side *newer,
                    const etr_compare_options *options, etr_arena *scratch);

/** What a verdict on Method::execute was made from. */
typedef struct etr_execute_case {
  etr_noise_test test; /* test.change is NULL if it was not timed on both sides */
  etr_cause seen;      /* what explains why nothing is sure, where nothing is */
} etr_execute_case;

/** Returns the cases of a comparison, one for each of its methods, in their order. */
const etr_execute_case *etr_execute_cases(const etr_comparison *comparison);

/** Returns the cause that a change names: the one that was seen in the runs, if the change is not
 * sure for a reason that such a cause can explain; else ETR_CAUSE_NONE. */
etr_cause etr_cause_named(etr_cause seen, etr_reason reason);

/** Returns true if by the times of the files one side was recorded before the other. A drift of
 * the device then looks like a change. */
static inline bool etr_is_one_side_first(etr_turns turns) {
  return turns == ETR_TURNS_BASE_FIRST || turns == ETR_TURNS_NEW_FIRST;
}

/** Returns whether a change is surely above or below a limit, which is a relative change (0.05: 5 %
 * slower), or whether that is open. */
etr_limit_answer etr_limit_answer_of(double limit, etr_turns turns, const etr_change *change);

/** Returns the step of a clock, in ticks: the largest power of ten, up to a million, that divides
 * `divisor`, the greatest common divisor of durations that it measured; 1 if that is 0. */
double etr_noise_step(uint64_t divisor);

/** Returns the step of the clock that measured these ticks: the largest power of ten, up to a
 * million, that divides all of them. */
double etr_noise_step_of(const uint64_t *ticks, size_t count);

#endif
