/* SPDX-License-Identifier: BSD-3-Clause
 *
 * uses.h - lists what each instruction of a .pte reads and writes: the definitions and uses of a program. Layer 3.
 *
 * Only this file knows which operators work in place, which data moves and views pass on, and which arguments a
 * delegate writes.
 */
#ifndef ETR_USES_H
#define ETR_USES_H

#include "method/method.h"
#include "method/program_values.h"

/** A tensor that an instruction uses, or a list of tensors, which is followed by its tensors. */
typedef struct etr_use {
  int32_t value;
  uint32_t argument; /* index in the instruction's arguments */
  bool is_read, is_written;
  bool is_unsure; /* an argument of a delegate, of which it is unknown whether it is read or written: it is written if
                     nothing wrote it before */
  bool is_list;
} etr_use;

/** Returns true for a tensor that is only written. An operator that works in place reads it too. */
static inline bool etr_use_defines(const etr_use *use) { return use->is_written && !use->is_read; }

/** The state of visiting one instruction after the other. */
typedef struct etr_uses {
  etr_vec(etr_use) list;  /* uses of the instruction listed last, in the order of its arguments */
  const int32_t *results; /* values that the instruction listed last returns, if it is a kernel, owned by the
                             program; else NULL */
  size_t result_count;
  int32_t handed_on;      /* value whose data the last argument of that instruction refers to from now on; -1: none */
  bool changes_arguments; /* that instruction may write its inputs, constants included */
  bool is_cut;            /* some lists were left out, because all lists together have more than 4 Mi tensors */
  bool opens_graphs; /* set by the caller: for a delegate without a payload that can be compared, use the graph that is
                        shown for it */
  /* private members */
  const etr_method_inputs *method;
  const uint32_t *results_of;
  etr_arena *arena;
  int32_t *returned_by;
  size_t items_left;
  uint8_t *marks;
  size_t mark_room;
} etr_uses;

/**
 * Initialises the state for a method that has a program. results_of may be NULL, or has for each instruction the known
 * number of results of its delegate, 0 if unknown. Both are borrowed. Returns false when out of memory.
 */
bool etr_uses_init(etr_uses *uses, const etr_method_inputs *method, const uint32_t *results_of, etr_arena *arena);

/**
 * Lists what an instruction uses. A kernel reads its arguments and writes what it returns; a kernel that works in place
 * also writes its first argument. For a delegate the payload says what it reads and writes; without a payload its
 * results are the last arguments, if their number is known. A move passes the data of its first argument to its second
 * (exir/emit/_emitter.py, MoveCall), and et_view that of the tensor that it views (kernels/prim_ops/et_view.cpp). When
 * out of memory, the arena has failed.
 */
void etr_uses_list(etr_uses *uses, int32_t instruction_id);

#endif
