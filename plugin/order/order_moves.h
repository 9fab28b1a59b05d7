/* SPDX-License-Identifier: BSD-3-Clause
 *
 * order_moves.h - finds an order that needs less memory, and how it differs from that of the
 * program. Layer 4.
 */
#ifndef ETR_ORDER_MOVES_H
#define ETR_ORDER_MOVES_H

#include "order/order_problem.h"

/** Consecutive instructions that the new order moves together. */
typedef struct etr_order_move {
  int32_t first, last; /* numbers in the program, both included */
  int32_t after; /* the instruction that comes directly before the first one in the new order; -1:
                    it is at the start */
} etr_order_move;

/** An order that needs less memory than the program's. */
typedef struct etr_memory_order {
  const uint32_t *steps;
  size_t step_count;      /* number of steps, as in the plan */
  uint64_t peak_bytes;    /* most bytes that are live at once */
  uint64_t planned_bytes; /* size of the buffers that memory planning will give this order;
                             ETR_UNKNOWN */
  const etr_order_move
      *moves; /* moves, in the new order; all other instructions keep their order */
  size_t move_count;
} etr_memory_order;

/** Fills *order with an order that has a lower peak than the plan and few moves: moves that save
 * almost nothing are not made, unless memory planning needs them. Returns false if none is found,
 * or when out of memory; the arena has failed then. */
bool etr_memory_order_find(etr_memory_order *order, const etr_memory_plan *plan, etr_arena *arena);

#endif
