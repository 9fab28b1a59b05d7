/* SPDX-License-Identifier: BSD-3-Clause
 *
 * order_problem.h - computes how much memory a method's instructions need in other orders. Layer 4.
 *
 * Lifetimes are those of the plan (memory/lifetimes.h): from the first use of a tensor to the last,
 * inputs from the start, outputs to the end, states all the time. An order is a list of the numbers
 * of all instructions.
 */
#ifndef ETR_ORDER_PROBLEM_H
#define ETR_ORDER_PROBLEM_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** A method's instructions, prepared for trying orders. All arrays are in its arena. */
typedef struct etr_order_problem {
  const etr_memory_plan *plan;
  etr_arena *arena;
  uint32_t count;        /* number of instructions */
  const uint32_t *users; /* per tensor: number of instructions that use it */
  const uint32_t *then;  /* instructions that need instruction i begin at then[then_start[i]] */
  const uint32_t *then_start; /* count + 1 entries */
  uint64_t start_bytes;       /* bytes taken before the first instruction */
  uint64_t least_peak;  /* bytes that one instruction alone needs; no order has a lower peak */
  size_t size;          /* work of trying one order: number of instructions, uses and needs */
  uint32_t *users_left; /* scratch of etr_order_peak() */
} etr_order_problem;

/** Prepares a plan whose has_needs is set. Returns false when out of memory, or if the plan's own
 * order does not need the bytes that the plan says, so that nothing is certain. */
bool etr_order_problem_init(etr_order_problem *problem, const etr_memory_plan *plan,
                            etr_arena *arena);

/** Returns true if a tensor takes memory before the first instruction. */
bool etr_order_starts(const etr_planned_tensor *tensor);

/** Returns the most bytes that are live at an instruction in this order. curve, unless NULL, gets
 * the bytes at each. */
uint64_t etr_order_peak(const etr_order_problem *problem, const uint32_t *order, uint64_t *curve);

/** Returns true if each instruction is in the order once, after the instructions that it needs.
 * `place` is scratch with `count` entries. */
bool etr_order_is_valid(const etr_order_problem *problem, const uint32_t *order, uint32_t *place);

/* ---- Searching an order that needs less memory ---- */

/**
 * Returns the order with the lowest peak that is found within a number of steps that depends on the
 * size of the method. A better order may exist; even in small methods one that is lower by a
 * thousandth may be missed. *peak is the peak of the order, in bytes. The order is in the problem's
 * arena. Returns NULL if no order needs less than the plan's own, or when out of memory; the arena
 * has failed then.
 */
const uint32_t *etr_order_find(const etr_order_problem *problem, uint64_t *peak);

/* ---- The buffers that memory planning makes for an order ---- */

/* Tensors that are never live at once may share memory, but how much is planned depends on where
 * each is put. The function greedy() of exir/memory_planning.py decides that, and this repeats it:
 * the largest tensor first, of tensors with the same size the one that appears last. A tensor goes
 * into the first object none of whose tensors is live with it, else behind those that are, else
 * into an object of its own. */

/** Returns the size of all buffers together, in bytes, if instructions run in this order.
 * ETR_UNKNOWN if the program's own order would not get the buffers that the program has, because
 * another algorithm planned it; if there are too many tensors to try; or when out of memory. */
uint64_t etr_order_planned_bytes(const etr_order_problem *problem, const uint32_t *order);

#endif
