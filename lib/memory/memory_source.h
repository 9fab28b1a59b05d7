/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_source.h - what makes memory plans. Layer 3.
 */
#ifndef ETR_MEMORY_SOURCE_H
#define ETR_MEMORY_SOURCE_H

#include "inputs/record.h"
#include "memory/program_memory.h"

/** What the plans of one program are made from. */
typedef struct etr_memory_source {
  const char *file, *entry; /* of the program, for warnings */
  etr_warnings *warnings;
  etr_program_constants *constants; /* gets those of the method */
  etr_arena *arena;
} etr_memory_source;

#endif
