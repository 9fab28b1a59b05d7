/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_memory.h - what a program holds besides methods: constants and segments. Layer 3.
 */
#ifndef ETR_PROGRAM_MEMORY_H
#define ETR_PROGRAM_MEMORY_H

#include "inputs/pte.h"
#include "place/placement.h"

/* ---- What the graph calls the values of a program ---- */

/** What is known of one value. */
typedef struct etr_value_name {
  const char *name; /* of the result, or of the weight; NULL: not known */
  uint32_t node;    /* of the Edge graph: what computes it; of inputs and weights, theirs; ETR_NONE: not known */
  bool is_computed; /* by that node */
} etr_value_name;

/** Names a program's values: results of kernels and delegates whose nodes are known, inputs, and the weights that those
 * kernels read. One entry for each value, in the arena; NULL when out of memory. */
const etr_value_name *etr_value_names_make(const etr_placement *placement, etr_arena *arena, etr_arena *scratch);

/** The constants of a program, method by method. */
typedef struct etr_program_constants {
  const etr_pte_data *data;
  etr_arena *arena;
  etr_map places; /* of data -> index in the list */
  etr_vec(etr_constant) list;
} etr_program_constants;

/** Starts with none. The list lives in the arena. */
void etr_program_constants_init(etr_program_constants *constants, const etr_pte_data *data, etr_arena *arena);

/** Adds those of a method; names has one entry for each of its values. Out of memory shows on the arena. */
void etr_program_constants_add(etr_program_constants *constants, const etr_pte_method *program, uint32_t method,
                               const etr_value_name *names);

/** All of it. Lent by the arena, NULL when out of memory. */
const etr_program_memory *etr_program_memory_make(const etr_program_constants *constants);

/** Describes a tensor by its name, or as PREFIX_INDEX. Out of memory shows on the arena. */
etr_value etr_describe_tensor(const etr_pte_value *value, const etr_value_name *name, const char *prefix, size_t index,
                              etr_arena *arena);

/** What the plans of one program are made from. */
typedef struct etr_memory_source {
  const char *file, *entry; /* of the program, for warnings */
  etr_warnings *warnings;
  etr_program_constants *constants; /* gets those of the method */
  etr_arena *arena;
} etr_memory_source;

#endif
