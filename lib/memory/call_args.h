/* SPDX-License-Identifier: BSD-3-Clause
 *
 * call_args.h - which tensors an instruction of a .pte reads, and which it writes. Layer 3.
 */
#ifndef ETR_CALL_ARGS_H
#define ETR_CALL_ARGS_H

#include "method/program_values.h"
#include "place/delegate_outputs.h"

/** A tensor that an instruction uses. */
typedef struct etr_call_arg {
  int32_t value;
  bool is_written;
  bool is_unsure; /* a delegate's: written if nothing wrote it before */
} etr_call_arg;

/** What looks at one instruction after the other. Zeroed but for what the caller sets. */
typedef struct etr_call_args {
  const etr_placement *placement;
  etr_arena *arena; /* of the lists */
  etr_delegate_outputs leaving;
  int32_t *returned_by; /* per value: the kernel call that returned it last */
  size_t items_left;    /* of lists of tensors: instructions may share a long one */
  uint8_t *marks;       /* of the arguments of one call of a delegate */
  size_t mark_room;
  bool is_cut; /* lists were left out, as they were too long in all */
  etr_vec(etr_call_arg) list;
} etr_call_args;

/** Starts with a method that has a program. False: out of memory. */
bool etr_call_args_init(etr_call_args *args, const etr_placement *placement, etr_arena *arena);

/** Lists the tensors that an instruction uses, in the order of its arguments: `list`. Out of memory shows on the arena.
 */
void etr_call_args_list(etr_call_args *args, int32_t instruction_id);

#endif
