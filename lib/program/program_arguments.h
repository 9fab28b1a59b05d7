/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_arguments.h - what the kernels of a .pte are given besides tensors. Layer 3.
 */
#ifndef ETR_PROGRAM_ARGUMENTS_H
#define ETR_PROGRAM_ARGUMENTS_H

#include "inputs/pte.h"

/** What is known of a method's values. */
typedef struct etr_program_arguments {
  const etr_pte_method *program;
  etr_arena *arena;
  bool *is_computed;  /* per value: an instruction writes it, or the caller gives it */
  const char **texts; /* per value: as JSON, as far as it was asked for */
} etr_program_arguments;

/** False: out of memory. */
bool etr_program_arguments_init(etr_program_arguments *arguments, const etr_pte_method *program, etr_arena *arena,
                                etr_arena *scratch);

/** Gives a node the arguments of its kernel call: numbers, texts and lists of integers. What the program computes is
 * left out, null in lists. False: out of memory. */
bool etr_program_arguments_give(etr_program_arguments *arguments, etr_node *node, const etr_instruction *instruction);

#endif
