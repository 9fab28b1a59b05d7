/* SPDX-License-Identifier: BSD-3-Clause
 *
 * event_nodes.h - which node each event of a method is. Layer 3.
 */
#ifndef ETR_EVENT_NODES_H
#define ETR_EVENT_NODES_H

#include "place/placement.h"

/**
 * Fills match, confidence, handles, nodes and backend of the events of the method's blocks that count, from what the
 * join knows of their instructions. What they lend lives in the arena. False: out of memory.
 */
bool etr_find_event_nodes(const etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_arena *arena,
                          etr_warnings *warnings);

#endif
