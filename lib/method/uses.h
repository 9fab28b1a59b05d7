/* SPDX-License-Identifier: BSD-3-Clause
 *
 * uses.h - what each instruction of a .pte does with its arguments: the definitions and uses of a program. Layer 3.
 *
 * Nothing else knows which operators work in place, what a move or a view hands on, and which arguments a delegate
 * writes.
 */
#ifndef ETR_USES_H
#define ETR_USES_H

#include "method/method.h"
#include "method/program_values.h"

/** A tensor that an instruction uses; or a list of tensors itself, whose tensors stand behind it. */
typedef struct etr_use {
  int32_t value;
  uint32_t argument; /* index in the instruction's arguments */
  bool is_read, is_written;
  bool is_unsure; /* a delegate's, not known which of both: it is written if nothing wrote it before */
  bool is_list;
} etr_use;

/** True of a tensor that is only written: what works in place reads it before. */
static inline bool etr_use_defines(const etr_use *use) { return use->is_written && !use->is_read; }

/** What looks at one instruction after the other. */
typedef struct etr_uses {
  etr_vec(etr_use) list;  /* of the instruction listed last, in the order of its arguments */
  const int32_t *results; /* likewise: the values that a kernel returns, lent; NULL */
  size_t result_count;
  int32_t handed_on;      /* likewise: the value whose data its last argument is from now on; -1: none */
  bool changes_arguments; /* likewise: it may write what it is given to read, constants included */
  bool is_cut;            /* some lists were left out, as they are too long in all: more than 4 Mi tensors */
  bool opens_graphs; /* the caller's: of a delegate without a payload that is compared, its graph for people tells */
  /* its own */
  const etr_method_inputs *method;
  const uint32_t *results_of;
  etr_arena *arena;
  int32_t *returned_by;
  size_t items_left;
  uint8_t *marks;
  size_t mark_room;
} etr_uses;

/**
 * Starts with a method that has a program. results_of: per instruction, how many results a delegate is known to have,
 * 0: not known; NULL. Both are borrowed. False: out of memory.
 */
bool etr_uses_init(etr_uses *uses, const etr_method_inputs *method, const uint32_t *results_of, etr_arena *arena);

/**
 * Lists what an instruction uses. A kernel reads its arguments and writes what it returns; one that works in place also
 * writes the first. Of a delegate its payload tells; without one the results stand last, if it is known how many there
 * are. A move hands its first argument on to its second (exir/emit/_emitter.py, MoveCall), et_view the tensor that it
 * looks at (kernels/prim_ops/et_view.cpp). Out of memory shows on the arena.
 */
void etr_uses_list(etr_uses *uses, int32_t instruction_id);

#endif
