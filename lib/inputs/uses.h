/* SPDX-License-Identifier: BSD-3-Clause
 *
 * uses.h - lists what each instruction of a .pte reads and writes, and which writes reach which
 * reads: the definitions and uses of a program. Layer 2.
 *
 * Only this file knows which operators work in place, which data moves and views pass on, which
 * arguments a delegate writes, and which way a jump can go.
 */
#ifndef ETR_USES_H
#define ETR_USES_H

#include "inputs/method.h"
#include "inputs/program_values.h"

/** A tensor that an instruction uses, or a list of tensors, which is followed by its tensors; or a
 * number. */
typedef struct etr_use {
  int32_t value;
  uint32_t argument; /* index in the instruction's arguments */
  bool is_read, is_written;
  bool is_unsure; /* an argument of a delegate, of which it is unknown whether it is read or
                     written: it is written if nothing wrote it before */
  bool is_list;
} etr_use;

/** Returns true for a tensor that is only written. An operator that works in place reads it too. */
static inline bool etr_use_defines(const etr_use *use) {
  return use->is_written && !use->is_read;
}

/** The state of visiting one instruction after the other. */
typedef struct etr_uses {
  etr_vec(etr_use) list;  /* uses of the instruction listed last, in the order of its arguments */
  const int32_t *results; /* values that the instruction listed last returns, if it is a kernel,
                             owned by the program; else NULL */
  size_t result_count;
  int32_t handed_on; /* value whose data the last argument of that instruction refers to from now
                        on; -1: none */
  bool
      is_cut; /* some lists were left out, because all lists together have more than 4 Mi tensors */
  bool opens_graphs;  /* set by the caller: for a delegate without a payload that can be compared,
                         use the graph that is shown for it */
  bool lists_numbers; /* set by the caller: kernels, moves and jumps also use numbers, such as the
                         counter of a loop; a list of numbers is listed as its numbers */
  /* private members */
  const etr_method_inputs *method;
  const uint32_t *results_of;
  etr_arena *arena;
  int32_t *returned_by;
  size_t items_left;
  uint8_t *marks;
  size_t mark_capacity;
} etr_uses;

/**
 * Initializes the state for a method that has a program. results_of may be NULL, or has for each
 * instruction the known number of results of its delegate, 0 if unknown. method and results_of are
 * borrowed. Returns false when out of memory.
 */
bool etr_uses_init(etr_uses *uses, const etr_method_inputs *method, const uint32_t *results_of,
                   etr_arena *arena);

/**
 * Lists what an instruction uses. A kernel reads its arguments and writes what it returns; a kernel
 * that works in place also writes its first argument. For a delegate the payload says what it reads
 * and writes; without a payload its results are the last arguments, if their number is known. A
 * move passes the data of its first argument to its second (exir/emit/_emitter.py, MoveCall), and
 * et_view that of the tensor that it views (kernels/prim_ops/et_view.cpp). When out of memory, the
 * arena has failed.
 */
void etr_uses_list(etr_uses *uses, int32_t instruction_id);

/* ---- Which writes reach a read ---- */

/** An instruction that writes a value. */
typedef struct etr_write {
  int32_t value, instruction;
} etr_write;

/**
 * The reaching definitions of a method: the writes of a value after which a given instruction may
 * run before another write of that value. A jump goes to its target or on; one whose condition is a
 * constant goes only one way. With jumps a value may have several: one for each branch that ends
 * before the reader, or one before a loop and one in it.
 */
typedef struct etr_reaching {
  etr_vec(etr_write) writes; /* sorted by value, then by instruction, each once */
  etr_vec(uint32_t) found;   /* result of the last search: indices in writes, ascending */
  bool from_start; /* result of the last search: what the value was before the method ran also
                      reaches */
  bool is_cut; /* searches took too long; later ones found only the last write before the reader */
  /* private members */
  const etr_pte_method *program;
  etr_arena *arena;
  size_t steps_left;
  uint32_t *part_of; /* per instruction, and for the end: its part, which starts at a jump's target
                        or behind a jump that is always taken, and which nothing enters elsewhere */
  etr_vec(uint32_t) part_starts; /* per part: its first instruction */
  etr_vec(etr_write) jumps;      /* the part that a jump goes to, and the jump; sorted */
  bool *is_reachable;            /* per part: control can get there from the start */
  uint32_t *last_search_of; /* per part: number of the last search that went on before its start */
  uint32_t search_number;   /* number of the last search */
  etr_vec(uint32_t) passed_parts; /* parts before whose start the last search went on */
  etr_vec(uint32_t) waiting;      /* instructions up to which a search still has to look back */
  etr_map single_write_at; /* value and part -> the only write that reaches the start of the part */
} etr_reaching;

/** Starts with no write. The program and the arena are borrowed. */
void etr_reaching_init(etr_reaching *reaching, const etr_pte_method *program, etr_arena *arena);

/** Adds a write of a value. Returns false when out of memory. */
bool etr_reaching_add(etr_reaching *reaching, int32_t value, int32_t instruction);

/** Sorts the writes and follows the jumps. Call it when all writes are added. Returns false when
 * out of memory. */
bool etr_reaching_finish(etr_reaching *reaching);

/** Searches the writes of a value that reach an instruction, or, if it is the number of
 * instructions, the end of the method. The result is in reaching->found, and in from_start whether
 * what the value was before the method ran reaches it, too. Returns false when out of memory. */
bool etr_reaching_find(etr_reaching *reaching, int32_t value, int32_t instruction);

/** Returns the index in `writes` of the last write of a value before an instruction, by their
 * numbers; ETR_NONE if there is none. */
uint32_t etr_reaching_last(const etr_reaching *reaching, int32_t value, int32_t instruction);

#endif
