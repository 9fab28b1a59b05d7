/* SPDX-License-Identifier: BSD-3-Clause
 *
 * order_problem.h - how much memory a method's instructions need in other orders. Layer 4.
 *
 * Lifetimes are those of the plan (memory/lifetimes.h): from the first use of a tensor to the last, inputs from the
 * start, outputs to the end, states all the time. An order is a list of the numbers of all instructions.
 */
#ifndef ETR_ORDER_PROBLEM_H
#define ETR_ORDER_PROBLEM_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** A method's instructions, prepared for trying orders. What is here lives in its arena. */
typedef struct etr_order_problem {
  const etr_memory_plan *plan;
  etr_arena *arena;
  uint32_t count;             /* instructions */
  const uint32_t *users;      /* per tensor: how many instructions use it */
  const uint32_t *then;       /* instructions that need another: those of i are then[then_start[i]] and on */
  const uint32_t *then_start; /* count + 1 entries */
  uint64_t start_bytes;       /* taken before the first instruction */
  uint64_t least_peak;        /* no order has a lower one: what one instruction alone needs */
  size_t size;                /* work of trying one order: instructions, uses and needs */
  uint32_t *users_left;       /* of etr_order_peak() */
} etr_order_problem;

/** Prepares a plan whose has_needs is set. False when out of memory, or if the plan's own order does not need what the
 * plan says, so that nothing is known for sure. */
bool etr_order_problem_init(etr_order_problem *problem, const etr_memory_plan *plan, etr_arena *arena);

/** Whether a tensor takes memory before the first instruction. */
bool etr_order_starts(const etr_planned_tensor *tensor);

/** Most bytes that are live at an instruction in this order; curve, unless NULL, gets those at each. */
uint64_t etr_order_peak(const etr_order_problem *problem, const uint32_t *order, uint64_t *curve);

/** Whether each instruction is in the order once, behind those that it needs; place, of so many entries, is
 * overwritten. */
bool etr_order_is_valid(const etr_order_problem *problem, const uint32_t *order, uint32_t *place);

#endif
