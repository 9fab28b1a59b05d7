/* SPDX-License-Identifier: BSD-3-Clause
 *
 * order_moves.h - how an order differs from that of the program. Layer 4.
 */
#ifndef ETR_ORDER_MOVES_H
#define ETR_ORDER_MOVES_H

#include "order/order_problem.h"

/** Instructions that stand together in both orders, and run elsewhere in the new one. */
typedef struct etr_order_move {
  int32_t first, last; /* numbers in the program, both included */
  int32_t after;       /* the instruction that the first is right behind in the new order; -1: it is at the start */
} etr_order_move;

/** An order that needs less memory than the program's. */
typedef struct etr_memory_order {
  const uint32_t *steps;
  size_t step_count; /* as many as the plan has */
  uint64_t peak_bytes;
  const etr_order_move *moves; /* what is moved, in the new order; all else keeps its order */
  size_t move_count;
} etr_memory_order;

/** Fills *order with one that has a lower peak than the plan, and few moves: those that spare next to nothing are not
 * made. False if none is found, or when out of memory, which shows on the arena. */
bool etr_memory_order_find(etr_memory_order *order, const etr_memory_plan *plan, etr_arena *arena);

#endif
