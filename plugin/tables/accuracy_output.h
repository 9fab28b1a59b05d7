/* SPDX-License-Identifier: BSD-3-Clause
 *
 * accuracy_output.h - parts of documents about accuracy that other documents contain too. Layer 5.
 */
#ifndef ETR_ACCURACY_OUTPUT_H
#define ETR_ACCURACY_OUTPUT_H

#include "output/answer.h"

/** Writes into an open object what was compared with what: the members of schema/accuracy.schema.json from "reference"
 * to "text". */
void etr_accuracy_put_head(const etr_fields *fields, etr_arena *arena, const etr_accuracy *accuracy);

#endif
