/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegation_output.h - which operators of a method are delegated, for other outputs. Layer 5.
 */
#ifndef ETR_DELEGATION_OUTPUT_H
#define ETR_DELEGATION_OUTPUT_H

#include "output/fields.h"

/** Writes an element of `methods` in schema/delegation.schema.json without its delegates. Returns false when out of
 * memory. */
bool etr_delegation_put(const etr_fields *fields, etr_arena *arena, const etr_method *method);

/** Writes "delegates" into an open object, as in schema/delegation.schema.json: the delegates that the filter selects;
 * NULL selects all. Times are divided by `runs`, which is 1 for totals. Returns false when out of memory. */
bool etr_delegates_put(const etr_fields *fields, etr_arena *arena, const etr_method *method,
                       const etr_node_filter *filter, double runs);

/** Writes a page for TensorBoard about a timed method. Writes nothing if it has no operators. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY. */
etr_status etr_delegation_page(const etr_profile *profile, const etr_method *method, const etr_table_options *options,
                               const etr_sink *sink, etr_error *error);

#endif
