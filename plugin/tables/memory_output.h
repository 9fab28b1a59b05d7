/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_output.h - a method's memory in other outputs. Layer 5.
 */
#ifndef ETR_MEMORY_OUTPUT_H
#define ETR_MEMORY_OUTPUT_H

#include "output/answer.h"

/** Writes what the dashboard shows of a method's memory, as a value; null where no program tells. The arena fails when
 * out of memory. */
void etr_memory_put_shown(const etr_fields *fields, etr_arena *arena, const etr_method *method);

/** Writes a method's memory as a page of Markdown for TensorBoard; nothing where no program tells. An etr_emitter's
 * errors. */
etr_status etr_memory_page(const etr_profile *profile, const etr_method *method, const etr_table_options *options,
                           const etr_sink *sink, etr_error *error);

#endif
