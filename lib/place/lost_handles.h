/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lost_handles.h - which node an operator is that has no handle in its payload. Layer 3.
 *
 * A lowering that makes a new node of others (a linear layer of `addmm`) forgets the debug handle. What is left: the
 * delegate lists the handles of all its nodes, the operator reads what the node reads, its result has the node's shape,
 * and what reads the result may have a handle.
 */
#ifndef ETR_LOST_HANDLES_H
#define ETR_LOST_HANDLES_H

#include "place/candidates.h"
#include "place/placement.h"

/** What is known of the method's operators without handle. */
typedef struct etr_lost_handles etr_lost_handles;

/** For the calls of a method; both are borrowed. What it looks at is limited, beyond what real programs have. NULL: out
 * of memory. */
etr_lost_handles *etr_lost_handles_new(const etr_placement *placement, const etr_dealing *dealing, etr_arena *arena);

/** Turns to another call, which the record's maps list and whose payload is the backend's. */
void etr_lost_handles_turn_to(etr_lost_handles *l, const etr_placed *call, const etr_backend *backend,
                              const etr_payload *payload);

/**
 * The node of the call's operator `index`, whose first input is the graph's value `read`; ETR_NONE if there is none, or
 * no steps are left, or no memory (the arena failed). *twins: others have the same claim, and order decided: dealing's
 * rank, or the graph's.
 */
uint32_t etr_lost_handles_choose(etr_lost_handles *l, uint32_t index, uint32_t read, bool *twins);

#endif
