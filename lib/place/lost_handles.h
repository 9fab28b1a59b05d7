/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lost_handles.h - which node an operator is that has no handle in its payload. Layer 3.
 *
 * A lowering that makes a new node of others (a linear layer of `addmm`) forgets the debug handle. What is left: the
 * delegate lists the handles of all its nodes, the operator reads what the node reads, and its result has the node's
 * shape. Of several such nodes it is the next in the order of the lowering.
 */
#ifndef ETR_LOST_HANDLES_H
#define ETR_LOST_HANDLES_H

#include "place/candidates.h"
#include "place/lowering.h"

/** What is known of the method's operators without handle. */
typedef struct etr_lost_handles etr_lost_handles;

/** For the calls of a method; all are borrowed. NULL: out of memory. */
etr_lost_handles *etr_lost_handles_new(const etr_placement *placement, const etr_lowering *order,
                                       const etr_dealing *dealing, etr_arena *arena);

/** Turns to another call, which the record's maps list and whose payload is the backend's. Out of memory shows on the
 * arena. */
void etr_lost_handles_turn_to(etr_lost_handles *l, const etr_placed *call, const etr_backend *backend,
                              const etr_payload *payload);

/**
 * The node of the call's operator `index`, whose first input is the graph's value `read`, ETR_NONE: it is not known
 * which; ETR_NONE if there is none. *twins: others have the same claim, and order decided: dealing's rank, or the
 * graph's.
 */
uint32_t etr_lost_handles_choose(etr_lost_handles *l, uint32_t index, uint32_t read, bool *twins);

/** Whether operators were left without a node as there were too many to look at: beyond what real programs have. */
bool etr_lost_handles_are_cut(const etr_lost_handles *l);

#endif
