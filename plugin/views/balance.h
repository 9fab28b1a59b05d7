/* SPDX-License-Identifier: BSD-3-Clause
 *
 * balance.h - the parts of a method's time, which are the same in every output. Layer 4.
 */
#ifndef ETR_BALANCE_H
#define ETR_BALANCE_H

#include "base/arena.h"
#include "etrecord_tb.h"

typedef struct etr_balance_part {
  const char *name;         /* key in JSON: "nodes" */
  const char *text;         /* what people read: "graph operators" */
  uint64_t ticks;           /* over all runs */
  bool is_part_of_previous; /* it is contained in the last part before it for which this is false:
                               "estimated" is contained in "nodes" */
} etr_balance_part;

enum { ETR_BALANCE_PARTS = 7 };

/** Lists the parts in the order in which they are shown. Parts that are not contained in another
 * add up to execute_ticks. */
void etr_balance_list(const etr_method *method, etr_balance_part parts[ETR_BALANCE_PARTS]);

/** Returns false for a part that people need not see, because it took no time, or because it is all
 * of the part that contains it. If no part took time, the first one is shown. */
bool etr_balance_tells(const etr_balance_part parts[ETR_BALANCE_PARTS], size_t index);

/** Returns true for a part of Method::execute that is not listed in other parts: these add up, too.
 * The others are "delegate_only", which is "inserted" and "rest_of_calls", and "estimated". */
bool etr_balance_is_whole(const etr_balance_part parts[ETR_BALANCE_PARTS], size_t index);

enum { ETR_BALANCE_MOST_NOTES = 4 };

/** Lists notes on how far the times on nodes can be trusted, and on compute units: "88 % of the
 * time on nodes is ...". Returns the number of notes, which is smaller when out of memory. */
size_t etr_balance_notes(const char *out[ETR_BALANCE_MOST_NOTES], etr_arena *arena,
                         const etr_profile *profile, const etr_method *method);

/** Returns a note on the time that the clocks of delegates hide, "up to 0.0120 ms of the call
 * overhead may be ..."; NULL if they hide none. */
const char *etr_balance_note(etr_arena *arena, const etr_profile *profile, const etr_method *method,
                             etr_unit unit);

#endif
