/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decoder_output.h - members of documents, and rows, about language models. Layer 5.
 */
#ifndef ETR_DECODER_OUTPUT_H
#define ETR_DECODER_OUTPUT_H

#include "output/table.h"

/** Writes the keys layer_kinds and kv_cache of a method: where the time of a decoder goes, and its
 * caches of keys and values. Returns false when out of memory. */
bool etr_decoder_put_method(const etr_fields *fields, etr_arena *arena, const etr_method *method);

/** Writes the key kv_cache: the buffers that a method's inferences write by position; null if it
 * has none. Returns false when out of memory. */
bool etr_decoder_put_cache(const etr_fields *fields, etr_arena *arena, const etr_method *method);

/** Writes the keys first_token and cache_growth of a profile; null where they are unknown. Returns
 * false when out of memory. */
bool etr_decoder_put_profile(const etr_fields *fields, etr_arena *arena);

/** Adds the kinds of layers of a decoder to a table of etr_layer_kind_fields; none if the method is
 * no decoder. Returns false when out of memory. */
bool etr_layer_kinds_add_rows(etr_table *table, const etr_method *method);

/** Returns what part of the typical run is of no kind, in ticks: calls of delegates, copies, the
 * runtime. The table's rows are not written yet; they have interruptions in their time, as they
 * were recorded. */
double etr_layer_kinds_rest(const etr_table *table, const etr_method *method);

#endif
