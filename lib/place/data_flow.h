/* SPDX-License-Identifier: BSD-3-Clause
 *
 * data_flow.h - with the .pte: which node each kernel and each operator of a delegate is, by what it reads. Layer 3.
 *
 * The program says which values each instruction reads and writes, a payload the same of each operator, and the Edge
 * graph has the same data flow. Walking the instructions in order, each takes, of the nodes with its handle and
 * operator and with no other shape, the one whose producers are the nodes found for what it reads. Only equally good
 * candidates are left, which read the same: those are assigned in order. Instructions may share lists and payloads, so
 * that few bytes say much: what is read of them is bounded, beyond what real programs have. What is not read stays
 * unknown.
 */
#ifndef ETR_DATA_FLOW_H
#define ETR_DATA_FLOW_H

#include "place/lowering.h"

/**
 * Gives kernels their node and match, and delegates whose payload can be read their payload and the node of each of its
 * operators. order: of the lowering; where it is not proven, equally good candidates are assigned in the graph's order,
 * and their match says so. taken: per node, filled. *is_cut: lists or payloads were so long that not all was followed.
 * False: out of memory.
 */
bool etr_data_flow_find(etr_placement *placement, const etr_lowering *order, bool *taken, bool *is_cut,
                        etr_arena *arena, etr_arena *scratch);

#endif
