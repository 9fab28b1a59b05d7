/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_output.h - a method's memory, for other outputs. Layer 5.
 */
#ifndef ETR_MEMORY_OUTPUT_H
#define ETR_MEMORY_OUTPUT_H

#include "output/answer.h"

/** Writes a method's memory for the dashboard as a JSON value, which is null without a program. When out of memory, the
 * arena has failed. */
void etr_memory_put_shown(const etr_fields *fields, etr_arena *arena, const etr_method *method);

/** Writes a method's memory as a page of Markdown for TensorBoard. Writes nothing without a program. Errors: those of
 * an etr_emitter. */
etr_status etr_memory_page(const etr_profile *profile, const etr_method *method, const etr_table_options *options,
                           const etr_sink *sink, etr_error *error);

#endif
