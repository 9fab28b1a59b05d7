/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_side.h - what a comparison needs of a side, from a profile and from a document. Layer 3.
 */
#ifndef ETR_COMPARE_SIDE_H
#define ETR_COMPARE_SIDE_H

#include "compare/side_time.h"

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
