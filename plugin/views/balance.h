/* SPDX-License-Identifier: BSD-3-Clause
 *
 * balance.h - the parts of a method's time, which are the same in every output. Layer 4.
 */
#ifndef ETR_BALANCE_H
#define ETR_BALANCE_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** A part of a method's time. */
typedef struct etr_balance_part {
  const etr_part_time *time;
  const char *text; /* what people read: "graph operators", "calling 3 delegates" */
} etr_balance_part;

typedef struct etr_balance {
  const etr_balance_part *list;
  size_t count;
} etr_balance;

/** Lists the parts in the order in which they are shown, as etr_times_of_method() has them. They
 * add up to execute_ticks, and their typical times to execute.typical. Returns false when out of
 * memory. */
bool etr_balance_make(etr_balance *out, etr_arena *arena, const etr_profile *profile,
                      const etr_method *method);

/** Returns what people read instead of a part's name. `call_count` is etr_part_time.call_count.
 * With `names_backend` the text names the backend where it does not anyway. NULL when out of
 * memory. */
const char *etr_balance_text(etr_arena *arena, etr_time_part part, const char *backend,
                             size_t call_count, bool names_backend);

/** The parts that scripts read: several parts of etr_time_part in one. */
typedef enum etr_broad_part {
  ETR_BROAD_NODES,
  ETR_BROAD_DELEGATES, /* everything of delegates that is on no node */
  ETR_BROAD_FRAMEWORK,
  ETR_BROAD_UNEXPLAINED, /* with kernels on no node */
  ETR_BROAD_PARTS,
} etr_broad_part;

/** Returns the broad part to which a part belongs. Operators on no node are of delegates if they
 * have a backend; kernels, which have none, are unexplained. */
etr_broad_part etr_broad_part_of(const etr_part_time *part);

/** Returns the time of a broad part, in ticks over all runs. */
uint64_t etr_broad_part_ticks(const etr_method *method, etr_broad_part part);

/** Returns the name of a broad part as written in JSON: "nodes", "delegate_only", "framework",
 * "unexplained". Static. */
const char *etr_broad_part_name(etr_broad_part part);

enum { ETR_BALANCE_MOST_NOTES = 7 };

enum { ETR_BALANCE_MOST_CAUTIONS = 2 };

/** Lists the notes that change what the times mean: that they are those of a cold run, or of runs
 * that logged values. Returns their number. Static. */
size_t etr_balance_cautions(const char *out[ETR_BALANCE_MOST_CAUTIONS], const etr_profile *profile,
                            const etr_method *method);

/** Lists notes: first the cautions, on what the runs did besides an inference, on how far the times
 * on nodes can be trusted ("88 % of the time on nodes is ..."), on compute units, and on which file
 * is missing for layers, modules or source lines. Returns the number of notes, which is smaller
 * when out of memory. */
size_t etr_balance_notes(const char *out[ETR_BALANCE_MOST_NOTES], etr_arena *arena,
                         const etr_profile *profile, const etr_method *method);

/** Returns a note on the time that the clocks of delegates hide, "up to 0.0120 ms of calling
 * delegates may be ..."; NULL if they hide none, or if the calls contain logging. */
const char *etr_balance_note(etr_arena *arena, const etr_profile *profile, const etr_method *method,
                             etr_unit unit);

#endif
