/* SPDX-License-Identifier: BSD-3-Clause
 *
 * place.h - which node each instruction of a method is, and which delegate each other node is in. Layer 3.
 *
 * The lowering is repeated first (lowering.h): where its order proves itself, an instruction's place tells its node.
 * With the .pte data flow checks that, and decides which views memory planning removed (data_flow.h). Where neither
 * tells, a kernel whose handle and operator one node alone has is that node; of several it is one by the order of the
 * graph, which is an estimate.
 */
#ifndef ETR_PLACE_H
#define ETR_PLACE_H

#include "place/placement.h"

/** Fills a placement's instructions from its inputs and the method's blocks, then gives kernels and delegates their
 * nodes. What stopped early warns. False: out of memory. */
bool etr_place_method(etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_arena *arena,
                      etr_warnings *warnings);

#endif
