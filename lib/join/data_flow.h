/* SPDX-License-Identifier: BSD-3-Clause
 *
 * data_flow.h - finds the nodes of kernels and of delegates' operators by the values that the .pte
 * says they read. Layer 3.
 *
 * The program lists the values that each instruction reads and writes, a payload lists those of
 * each operator, and the Edge graph has the same data flow. Instructions are visited in order. Each
 * is assigned, among the nodes with its handle, operator and shape, the one whose producers are the
 * nodes already found for the values that it reads. Equal candidates, which read the same values,
 * remain and are assigned in order. Instructions may share lists and payloads, so that a small file
 * can describe a lot of work: the amount that is read is therefore limited, well above what real
 * programs have. The rest stays unknown.
 */
#ifndef ETR_DATA_FLOW_H
#define ETR_DATA_FLOW_H

#include "join/lowering.h"

/**
 * Sets node and match of kernels, and for delegates with a readable payload the payload and the
 * node of each of its operators. `lowering` is the order of the lowering; if it is not proven,
 * equal candidates are assigned in graph order, and their match says so. Updates `taken`, which has
 * an entry for each node. Sets *is_cut if lists or payloads were too long to be followed
 * completely. Returns false when out of memory.
 */
bool etr_data_flow_find(etr_placement *placement, const etr_lowering *lowering, bool *taken,
                        bool *is_cut, etr_arena *arena, etr_arena *scratch);

#endif
