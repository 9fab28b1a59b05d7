/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bodies.h - which node each kernel in a body of cond or map is. Layer 3.
 *
 * The maps do not name instructions in bodies. But instructions are numbered one after the other as they are emitted
 * (exir/emit/_emitter.py): a cond is a jump, its first body, a move for each result, a jump, its second body and the
 * moves again; a map is what takes a slice, its body, and what counts. Only views may have no instruction of their own.
 * So the numbers of the instructions that ran tell which body they are of, although the other left no event.
 */
#ifndef ETR_BODIES_H
#define ETR_BODIES_H

#include "place/placement.h"

/**
 * Gives kernels that the maps do not name the nodes of bodies; where the record has no handle map, of the whole graph.
 * Their match is ETR_MATCH_HANDLE if no other numbering is possible, else ETR_MATCH_ALIGNED. Long methods are not
 * looked at: a warning says so. taken: per node, filled. False: out of memory.
 */
bool etr_place_bodies(etr_placement *placement, uint32_t method, const etr_blocks *blocks, bool *taken,
                      etr_warnings *warnings, etr_arena *scratch);

#endif
