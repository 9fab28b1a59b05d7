/* SPDX-License-Identifier: BSD-3-Clause
 *
 * balance.h - the parts that a method's time consists of, the same in every output. Layer 4.
 */
#ifndef ETR_BALANCE_H
#define ETR_BALANCE_H

#include "base/arena.h"
#include "etrecord_tb.h"

typedef struct etr_balance_part {
  const char *name;         /* "nodes": the key in JSON */
  const char *text;         /* "graph operators" */
  uint64_t ticks;           /* over all runs */
  bool is_part_of_previous; /* of the last one before that is no part of another: "estimated" is contained in "nodes" */
} etr_balance_part;

enum { ETR_BALANCE_PARTS = 7 };

/** The parts, in the order in which they are shown. Those that are no part of another add up to execute_ticks. */
void etr_balance_list(const etr_method *method, etr_balance_part parts[ETR_BALANCE_PARTS]);

/** Returns false for a part that people need not see: it took no time, or is all of the part that it belongs to. If no
 * part took time, the first is shown. */
bool etr_balance_tells(const etr_balance_part parts[ETR_BALANCE_PARTS], size_t index);

enum { ETR_BALANCE_MOST_NOTES = 4 };

/** How far the times on nodes can be trusted, and compute units: "88 % of the time on nodes is ...". Returns how many
 * notes there are; fewer when out of memory. */
size_t etr_balance_notes(const char *out[ETR_BALANCE_MOST_NOTES], etr_arena *arena, const etr_profile *profile,
                         const etr_method *method);

/** What the clocks of delegates hide: "up to 0.0120 ms of the rest of the calls can be ..."; NULL if that is nothing.
 */
const char *etr_balance_note(etr_arena *arena, const etr_profile *profile, const etr_method *method, etr_unit unit);

#endif
