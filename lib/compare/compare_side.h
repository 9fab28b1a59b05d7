/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_side.h - what a comparison needs of a side, from a profile and from a document. Layer 3.
 */
#ifndef ETR_COMPARE_SIDE_H
#define ETR_COMPARE_SIDE_H

#include "base/arena.h"
#include "etrecord_compare.h"

/* ---- From ticks in runs to what a comparison needs of them ---- */

/** What something took in one run. */
typedef struct etr_side_sample {
  uint32_t recording; /* any number that is the same for all runs of an ETDump */
  uint64_t ticks;
} etr_side_sample;

/** The time of samples, which are sorted in place, in n log n. step: of the clock, in ticks. */
etr_side_time etr_side_time_of(etr_side_sample *samples, size_t count, double step);

/** The runs of a method. */
typedef struct etr_side_runs {
  const uint32_t *recording_of; /* per run, ascending from 0 without gaps */
  size_t run_count, recording_count;
} etr_side_runs;

/** Numbers the recordings of a method's runs. False: out of memory. */
bool etr_side_runs_of(etr_side_runs *out, const etr_profile *profile, const etr_method *method, etr_arena *arena);

/** The time of one number of ticks for each run of a method. False: out of memory. */
bool etr_side_time_of_ticks(etr_side_time *out, const uint64_t *ticks, const etr_side_runs *runs, double step,
                            etr_arena *scratch);

/** Adds up what several things took in each run of a method: one sum after the other, in time that depends on what is
 * added only. */
typedef struct etr_run_sums {
  etr_arena *scratch;
  const etr_side_runs *of;
  uint64_t *ticks;  /* per run: the sum so far */
  uint32_t *rounds; /* per run: the sum that this is of */
  uint32_t round;
  etr_vec(uint32_t) runs; /* in which anything was added */
  etr_vec(etr_side_sample) samples;
} etr_run_sums;

/** Starts with no sum, for the runs of a method, which must stay where they are. False: out of memory. */
bool etr_run_sums_init(etr_run_sums *sums, const etr_side_runs *of, etr_arena *scratch);

/** Starts a sum. */
void etr_run_sums_begin(etr_run_sums *sums);

/** Adds to it. False: out of memory. */
bool etr_run_sums_add(etr_run_sums *sums, const etr_run_ticks *each_run, size_t count);

/** Its time: over the runs in which anything was added, or with_zeros over all, unless nothing was. False: out of
 * memory. */
bool etr_run_sums_end(etr_run_sums *sums, etr_side_time *out, bool with_zeros, double step);

/** A side and what it lends from: one arena. */
typedef struct etr_side_box {
  etr_side side; /* first: an etr_side * is an etr_side_box * */
  etr_arena arena;
} etr_side_box;

/** An empty one. NULL, and the error filled, when out of memory. */
etr_side_box *etr_side_box_new(etr_error *error);

/** Lists a method's operators with times and sums; its events if it has no graph, or if by_events. False: out of
 * memory. */
bool etr_side_list(etr_side_method *out, const etr_profile *profile, uint32_t method, bool by_events, etr_arena *arena);

/** What items are added up by. */
typedef enum etr_side_by { ETR_SIDE_OP, ETR_SIDE_MODULE, ETR_SIDE_PATTERN, ETR_SIDE_BACKEND, ETR_SIDE_BY } etr_side_by;

/** True of what events have none of. */
static inline bool etr_side_by_is_of_modules(etr_side_by by) { return by == ETR_SIDE_MODULE || by == ETR_SIDE_PATTERN; }

/** Items in groups: what two ways to add them up have in common. */
typedef struct etr_side_groups {
  etr_side_sum *rows; /* keys, timed items; of their times total and step */
  size_t count;
  uint32_t *group_of; /* of each item; ETR_NONE */
} etr_side_groups;

/** Groups by what comes first. False: out of memory. */
bool etr_side_group(etr_side_groups *out, const etr_side_item *items, size_t count, etr_side_by by, etr_arena *arena,
                    etr_arena *scratch);

/** Where the sums of a method are. */
etr_side_sums *etr_side_sums_of(etr_side_method *method, etr_side_by by);

#endif
