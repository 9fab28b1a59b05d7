/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method_join.h - which node each instruction of a method stands for, and which delegate each other node is in.
 * Layer 3.
 *
 * Whatever can tell is asked, the surest first:
 *   - the data flow of the .pte (data_flow.h);
 *   - handle and operator, where they name one node;
 *   - the order of the lowering, where it proves itself (lowering.h);
 *   - the order of the graph, which is an estimate.
 */
#ifndef ETR_METHOD_JOIN_H
#define ETR_METHOD_JOIN_H

#include "join/join.h"

/** Fills a join's instructions from its sources and the method's blocks, then gives kernels and delegates their nodes.
 * False: out of memory. */
bool etr_join_method(etr_method_join *join, uint32_t method, const etr_blocks *blocks, etr_arena *arena);

#endif
