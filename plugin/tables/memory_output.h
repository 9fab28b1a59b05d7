/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_output.h - parts of documents and pages about memory. Layer 5.
 */
#ifndef ETR_MEMORY_OUTPUT_H
#define ETR_MEMORY_OUTPUT_H

#include "output/answer.h"

/** Writes the keys "allocations", of all runs, and "program": what it holds besides methods; null
 * without one. */
void etr_memory_put_program(const etr_fields *fields, etr_arena *arena);

/** Writes the members of a method's memory into an open object. False: out of memory. */
bool etr_memory_put_method(const etr_fields *fields, etr_arena *arena, const etr_method *method);

/** Writes what the dashboard shows of a method's memory, as a value; null where no program tells. False: out of memory.
 */
bool etr_memory_put_shown(const etr_fields *fields, etr_arena *arena, const etr_method *method);

/** Writes a method's memory as a page of Markdown for TensorBoard; nothing where no program tells. An etr_emitter's
 * errors. */
etr_status etr_memory_page(const etr_profile *profile, const etr_method *method, const etr_table_options *options,
                           const etr_sink *sink, etr_error *error);

#endif
