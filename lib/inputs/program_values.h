/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_values.h - finds what the instructions of a .pte write, and which values are the same
 * data. Layer 2.
 */
#ifndef ETR_PROGRAM_VALUES_H
#define ETR_PROGRAM_VALUES_H

#include "base/arena.h"
#include "inputs/pte.h"

/** Returns the instruction with this id; NULL if the program, which may be NULL, has none. */
const etr_instruction *etr_instruction_at(const etr_pte_method *program, int32_t id);

/** Returns the delegate that an instruction calls; NULL if it is no delegate call, or NULL, or
 * calls a delegate that the program does not have. */
const etr_pte_delegate *etr_delegate_of(const etr_pte_method *program,
                                        const etr_instruction *instruction);

/** Returns the tensors that a kernel returns, as indices of values, and sets *count. They are the
 * kernel's last argument, a tensor or a list of tensors. The program owns the list. */
const int32_t *etr_results_of(const etr_pte_method *program, const etr_instruction *instruction,
                              size_t *count);

/** Returns whether the items of a list are exactly these values, as indices, in this order. A
 * kernel's list of results and the list that is passed to it for them are equal in this way, but
 * two values. */
bool etr_is_list_of(const etr_pte_value *list, const int32_t *values, size_t count);

/** Returns the value with this index if it is a tensor; else NULL. */
const etr_pte_value *etr_tensor_at(const etr_pte_method *program, int32_t index);

/**
 * Returns whether a tensor can be a node's first result: shape and number type agree. Symbolic or
 * unknown sizes agree with any. tensor may be NULL.
 */
bool etr_tensor_agrees(const etr_pte_value *tensor, const etr_node *node);

/** Returns whether the first result of the instruction with this id can be the node's first result.
 * The program may be NULL or may lack the instruction. */
bool etr_instruction_agrees(const etr_pte_method *program, int32_t id, const etr_node *node);

/** The tensors that were written to each location in memory while a program runs. */
typedef struct etr_storages {
  const etr_pte_method *program;
  etr_map last; /* location -> the tensor that was written there last */
} etr_storages;

/** Starts to follow which tensors are written to the planned memory of a program: none so far. */
void etr_storages_init(etr_storages *storages, const etr_pte_method *program, etr_arena *arena);

/** Records that a tensor is written: until the next write it is the last one written to its
 * location in planned memory. A tensor without planned memory is ignored. When out of memory, the
 * arena has failed. */
void etr_storages_write(etr_storages *storages, int32_t index);

/**
 * Returns the value that an unwritten tensor is a view of: the last tensor written to its location,
 * if both have the same number of elements; -1 if there is none. Memory planning gives a static
 * view the location of the tensor that it views (exir/passes/replace_view_copy_with_view_pass.py).
 */
int32_t etr_storages_viewed(const etr_storages *storages, int32_t index);

#endif
