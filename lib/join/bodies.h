/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bodies.h - finds the nodes of kernels in bodies of cond, map or scan. Layer 3.
 *
 * The maps do not name instructions in bodies. However, instructions are numbered in the order in
 * which they are emitted (exir/emit/_emitter.py): a cond is a jump, its first body, a move for each
 * result, a jump, its second body and the moves again; a map is an instruction that takes a slice,
 * its body, and instructions that count; a scan also copies what it carries from round to round.
 * Only views may lack an instruction. The numbers of the
 * instructions that ran therefore identify their body, although the other body left no events.
 */
#ifndef ETR_BODIES_H
#define ETR_BODIES_H

#include "join/placement.h"

/**
 * Assigns nodes of bodies to the kernels that the maps do not name; if the record has no handle
 * map, nodes of the whole graph. The match is ETR_MATCH_HANDLE if only one numbering is possible,
 * else ETR_MATCH_ALIGNED. Long methods are not examined, and a warning says so. Updates `taken`,
 * which has an entry for each node. Returns false when out of memory.
 */
bool etr_place_bodies(etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                      bool *taken, etr_warnings *warnings, etr_arena *scratch);

#endif
