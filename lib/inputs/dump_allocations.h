/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump_allocations.h - what the allocators of a run gave out, as its ETDump logged it. Layer 2.
 * Schema: executorch/devtools/etdump/etdump_schema_flatcc.fbs, AllocationEvent and Allocator.
 */
#ifndef ETR_DUMP_ALLOCATIONS_H
#define ETR_DUMP_ALLOCATIONS_H

#include "base/arena.h"
#include "formats/flatbuf.h"

/** The allocations of one run while it is read. */
typedef struct etr_allocation_reader {
  etr_map *names; /* of allocators; the list lives in its arena */
  etr_map places; /* id of an allocator -> place in the list */
  etr_vec(etr_allocations) list;
} etr_allocation_reader;

/** Starts a run. */
void etr_allocations_start(etr_allocation_reader *reader, etr_map *names);

/** Adds an AllocationEvent of RunData `run`. Out of memory shows on the arena of the names. */
void etr_allocations_add(etr_allocation_reader *reader, etr_fb *fb, etr_fb_at run, etr_fb_at event);

#endif
