/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_side.h - what a comparison needs of a side, from a profile and from a document. Layer 3.
 */
#ifndef ETR_COMPARE_SIDE_H
#define ETR_COMPARE_SIDE_H

#include "base/arena.h"
#include "etrecord_compare.h"
#include "runs/typical.h"

/* ---- From ticks in runs to what a comparison needs of them ---- */

/** The runs of a method, and which of them are in its typical run. */
typedef struct etr_side_runs {
  const uint32_t
      *recording_of; /* per run: number of its recording, ascending from 0 without gaps */
  size_t run_count, recording_count;
  etr_typical_choice choice; /* without odd recordings */
  etr_typical_run each;      /* with all recordings, whose weights have equal sums */
  double *sums;              /* scratch: per recording */
} etr_side_runs;

/** Prepares sums over runs: counts their recordings, and chooses the runs whose mean is the typical
 * time by their ticks. Borrows recording_of. Returns false when out of memory. */
bool etr_side_runs_of(etr_side_runs *out, const uint64_t *ticks, const uint32_t *recording_of,
                      size_t run_count, etr_arena *arena);

/** Computes the time of the runs themselves, from the ticks that describe them, and leaves the
 * recordings' typical times in runs->sums. `step` is the step of the clock, in ticks. Takes
 * O(n log n) time. Returns false when out of memory. */
bool etr_side_time_of_ticks(etr_side_time *out, const uint64_t *ticks, const etr_side_runs *runs,
                            double step, etr_arena *scratch);

/** Sets etr_side_time.steady and .rounding of something that is no sum of items, from its median
 * and the step of its clock. */
void etr_side_time_set_steady(etr_side_time *time);

/** Sets all but the first runs, by the times that etr_side_time_of_ticks() left; `files` has the
 * file of each recording. Returns false when out of memory. */
bool etr_side_recordings_of(etr_side_recordings *out, const etr_side_runs *runs,
                            const char *const *files, size_t file_count, etr_arena *arena);

/** Sums the time of several things in each run of a method. One object computes one sum after
 * another; the effort depends only on what is added, not on the number of runs. */
typedef struct etr_run_sums {
  etr_arena *scratch;
  const etr_side_runs *of;
  uint64_t *ticks;                /* per run: the sum so far */
  uint32_t *rounds;               /* per run: number of the sum that `ticks` belongs to */
  uint32_t *rounds_of_recordings; /* per recording: number of the last sum with a run of it */
  uint32_t round;
  etr_vec(uint32_t) runs;   /* runs in which something was added */
  etr_vec(uint64_t) sorted; /* their sums */
} etr_run_sums;

/** Prepares sums over the runs of a method, which are borrowed. Returns false when out of memory.
 */
bool etr_run_sums_init(etr_run_sums *sums, const etr_side_runs *runs, etr_arena *scratch);

/** Starts a new sum. */
void etr_run_sums_begin(etr_run_sums *sums);

/** Adds ticks to the current sum. Returns false when out of memory. */
bool etr_run_sums_add(etr_run_sums *sums, const etr_run_ticks *each_run, size_t count);

/** Computes the time of the current sum. Its median is over the runs in which something was added,
 * or, if with_zeros is set and something was added at all, over all runs of the method. Returns
 * false when out of memory. */
bool etr_run_sums_end(etr_run_sums *sums, etr_side_time *out, bool with_zeros, double step);

/** A side and the arena that owns everything in it. */
typedef struct etr_side_box {
  etr_side side; /* first: an etr_side * is an etr_side_box * */
  etr_arena arena;
} etr_side_box;

/** Returns an empty side. NULL, with the error filled, when out of memory. */
etr_side_box *etr_side_box_new(etr_error *error);

/** What is listed of a method. */
typedef enum etr_side_items {
  ETR_SIDE_NODES,          /* operators of its graph; its events if it has none */
  ETR_SIDE_EVENTS,         /* its events */
  ETR_SIDE_UNNAMED_EVENTS, /* its events, all delegates as of ETR_UNKNOWN_BACKEND */
} etr_side_items;

/** Lists a method's operators or events with their times and sums. Returns false when out of
 * memory. */
bool etr_side_list(etr_side_method *out, const etr_profile *profile, uint32_t method,
                   etr_side_items items, etr_arena *arena);

/** Lists the clocks of a method alone. Returns false when out of memory. */
bool etr_side_list_clocks(etr_side_method *out, const etr_profile *profile, uint32_t method,
                          etr_arena *arena);

/** The key by which items are summed. */
typedef enum etr_side_by {
  ETR_SIDE_OP,
  ETR_SIDE_MODULE,
  ETR_SIDE_PATTERN,
  ETR_SIDE_BACKEND,
  ETR_SIDE_SOURCE,
  ETR_SIDE_PATTERN_OP,   /* an operator in the modules of a pattern */
  ETR_SIDE_MODULE_TREE,  /* a module with everything below it */
  ETR_SIDE_PATTERN_TREE, /* the same of patterns */
  ETR_SIDE_BY
} etr_side_by;

/** Returns true for keys that events do not have. */
static inline bool etr_side_by_is_of_graphs(etr_side_by by) {
  return by != ETR_SIDE_OP && by != ETR_SIDE_BACKEND;
}

/** Items grouped by a key. A profile and a document sum the groups in different ways. */
typedef struct etr_side_groups {
  etr_side_sum *rows; /* their keys, numbers of timed items, and the totals, typical times and steps
                         of their times */
  size_t count;
  uint32_t *first, *items; /* the items of group g are items[first[g]] to items[first[g + 1] - 1],
                              ascending */
} etr_side_groups;

/** Groups items by a key, in the order in which the keys first appear. Returns false when out of
 * memory. */
bool etr_side_group(etr_side_groups *out, const etr_side_item *items, size_t count, etr_side_by by,
                    etr_arena *arena, etr_arena *scratch);

/** Returns the sums of a method by this key. */
etr_side_sums *etr_side_sums_of(etr_side_method *method, etr_side_by by);

#endif
