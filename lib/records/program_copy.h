/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_copy.h - writes a serialized program again, in one pass and in constant memory: without the weights of its
 * lowered modules, and with other names where some are to be hidden. Layer 3.
 */
#ifndef ETR_PROGRAM_COPY_H
#define ETR_PROGRAM_COPY_H

#include "formats/json.h"
#include "formats/json_out.h"
#include "records/hiding.h"

/**
 * Copies a document. hiding may be NULL. What it does not change comes out as Python's json.dumps() writes it. What is
 * wrong with the document is the reader's: etr_json_failed(). False when out of memory.
 */
bool etr_program_copy(etr_json *json, etr_json_out *out, etr_hiding *hiding);

#endif
