/* SPDX-License-Identifier: BSD-3-Clause
 *
 * place.h - which node each instruction of a method stands for, and which delegate each other node is in.
 * Layer 3.
 *
 * Whatever can tell is asked, the surest first:
 *   - the data flow of the .pte (data_flow.h);
 *   - handle and operator, where they name one node;
 *   - the order of the lowering, where it proves itself (lowering.h);
 *   - the order of the graph, which is an estimate.
 */
#ifndef ETR_PLACE_H
#define ETR_PLACE_H

#include "place/placement.h"

/** Fills a join's instructions from its sources and the method's blocks, then gives kernels and delegates their nodes.
 * False: out of memory. */
bool etr_place_method(etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_arena *arena);

#endif
