/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegation_output.h - what is delegated of one method, as a part of a JSON document. Layer 5.
 */
#ifndef ETR_DELEGATION_OUTPUT_H
#define ETR_DELEGATION_OUTPUT_H

#include "fields.h"

/** An object of `methods` in schema/delegation.schema.json. filter may be NULL. False when out of memory. */
bool etr_delegation_put(const etr_fields *fields, etr_arena *arena, const etr_method *method, const etr_node_filter *filter);

#endif
