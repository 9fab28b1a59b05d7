/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_values.h - what the instructions of a .pte write, and which values are the same data. Layer 3.
 */
#ifndef ETR_PROGRAM_VALUES_H
#define ETR_PROGRAM_VALUES_H

#include "base/arena.h"
#include "inputs/pte.h"

/** The instruction with this id; NULL if the program, which may be NULL, has none. */
const etr_instruction *etr_instruction_at(const etr_pte_method *program, int32_t id);

/** The delegate that an instruction calls; NULL if it calls none of the program's. */
const etr_pte_delegate *etr_delegate_of(const etr_pte_method *program, const etr_instruction *instruction);

/** The tensors that a kernel returns: its last argument is one, or a list of them. Indices of values, lent. */
const int32_t *etr_results_of(const etr_pte_method *program, const etr_instruction *instruction, size_t *count);

/** Whether a list holds just these values, as the list that a kernel returns and the one that it was given for it do.
 */
bool etr_is_list_of(const etr_pte_value *list, const int32_t *values, size_t count);

/** The value with this index if it is a tensor; else NULL. */
const etr_pte_value *etr_tensor_at(const etr_pte_method *program, int32_t index);

/**
 * Whether a tensor may be a node's first result: neither shape nor number type contradicts. What is symbolic on either
 * side, or not known, does not. tensor may be NULL.
 */
bool etr_tensor_agrees(const etr_pte_value *tensor, const etr_node *node);

/** Likewise the first result of the instruction with this id, which a program may not have. program may be NULL. */
bool etr_instruction_agrees(const etr_pte_method *program, int32_t id, const etr_node *node);

/** What lies in which place of memory while a program runs. */
typedef struct etr_storages {
  const etr_pte_method *program;
  etr_map last; /* place -> the tensor written there last */
} etr_storages;

/** Nothing is written yet. */
void etr_storages_init(etr_storages *storages, const etr_pte_method *program, etr_arena *arena);

/** Notes that a tensor is written. Out of memory shows on the arena. */
void etr_storages_write(etr_storages *storages, int32_t index);

/**
 * The value that a tensor which nothing wrote is a view of: the last one written in its place, if that has as many
 * elements; -1 if there is none. Memory planning makes a static view and what it views one
 * (exir/passes/replace_view_copy_with_view_pass.py).
 */
int32_t etr_storages_viewed(const etr_storages *storages, int32_t index);

#endif
