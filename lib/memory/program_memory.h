/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_memory.h - describes the constants and segments of a program, and names its values.
 * Layer 3.
 */
#ifndef ETR_PROGRAM_MEMORY_H
#define ETR_PROGRAM_MEMORY_H

#include "inputs/pte.h"
#include "join/placement.h"

/* ---- The names of a program's values, from the graph ---- */

/** The name and the node of one value. */
typedef struct etr_value_name {
  const char *name; /* name of the result, or of the weight; NULL: unknown */
  uint32_t node;    /* node of the Edge graph that computes it, or that is the input or weight;
                       ETR_NONE: unknown */
  bool is_computed; /* that node computes it */
} etr_value_name;

/** Finds the names of a program's values: results of kernels and delegates whose nodes are known,
 * inputs, and the weights that these kernels read. Returns one entry for each value, in the arena;
 * NULL when out of memory. */
const etr_value_name *etr_value_names_make(const etr_placement *placement, etr_arena *arena,
                                           etr_arena *scratch);

/** The constants of a program, method by method. */
typedef struct etr_program_constants {
  const etr_pte_data *data;
  etr_arena *arena;
  etr_map index_by_data; /* location of the data -> index in the list */
  etr_vec(etr_constant) list;
} etr_program_constants;

/** Starts with no constants. The list lives in the arena. */
void etr_program_constants_init(etr_program_constants *constants, const etr_pte_data *data,
                                etr_arena *arena);

/** Adds the constants of a method; `names` has one entry for each of its values. When out of
 * memory, the arena has failed. */
void etr_program_constants_add(etr_program_constants *constants, const etr_pte_method *program,
                               uint32_t method, const etr_value_name *names);

/** Returns the constants and segments of the program and the parts of its file, in the arena; NULL
 * when out of memory. There is one placement for each method. */
const etr_program_memory *etr_program_memory_make(const etr_program_constants *constants,
                                                  const etr_placement *placements,
                                                  size_t method_count);

/** Finds what each byte of the program's file holds: fills `parts`, `part_count` and `file_bytes`,
 * in the arena of the constants. Returns false when out of memory. */
bool etr_file_parts_find(etr_program_memory *out, const etr_program_constants *constants,
                         const etr_placement *placements, size_t method_count);

/** Describes a tensor, named by `name` or else PREFIX_INDEX. When out of memory, the arena has
 * failed. */
etr_value etr_describe_tensor(const etr_pte_value *value, const etr_value_name *name,
                              const char *prefix, size_t index, etr_arena *arena);

/** The sources of the memory plans of one program. */
typedef struct etr_memory_source {
  const char *file, *entry; /* file and entry of the program, for warnings */
  etr_warnings *warnings;
  etr_program_constants *constants; /* the constants of each method are added here */
  etr_arena *arena;
} etr_memory_source;

#endif
