/* SPDX-License-Identifier: BSD-3-Clause
 *
 * head_json.h - what a list of many records shows of each (schema/head.schema.json), so that nobody reads their whole
 * documents for it. Layer 5.
 */
#ifndef ETR_HEAD_JSON_H
#define ETR_HEAD_JSON_H

#include "etrecord_tb.h"

/** Writes the document. hparams: what the user said of the record; the last of a name counts. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY. */
etr_status etr_head_write(const etr_profile *profile, const etr_tag *hparams, size_t hparam_count, const etr_sink *sink,
                          etr_error *error);

#endif
