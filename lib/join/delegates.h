/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegates.h - which node each operator inside a delegate is. Layer 3.
 */
#ifndef ETR_DELEGATES_H
#define ETR_DELEGATES_H

#include "join.h"

/**
 * Gives the rows of one delegate in one block their nodes: rows [0, count) all have the instruction's id, in order; the call itself may be among
 * them. In this order, whatever can tell:
 *   - the record's delegate map, ids looked up exactly: ETR_MATCH_DELEGATE_MAP;
 *   - the payload in the .pte (XNNPACK): the k-th event of a class is the k-th operator of that class: ETR_MATCH_PAYLOAD. Of several nodes with
 *     its handle, class and number of elements, the k-th operator is the k-th;
 *   - classes alone (XNNPACK without .pte): the k-th where there are as many of each, else an order-preserving alignment: ETR_MATCH_ALIGNED.
 * Rows that nothing can tell keep their match. Sets handles, nodes and match. False: out of memory.
 */
bool etr_delegate_rows(const etr_method_join *join, const etr_join_instruction *instruction, etr_event *rows, size_t count, etr_arena *arena);

#endif
