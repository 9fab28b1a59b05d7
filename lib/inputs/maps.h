/* SPDX-License-Identifier: BSD-3-Clause
 *
 * maps.h - debug_handle_map and delegate_map of a record, joined per instruction. Layer 2.
 */
#ifndef ETR_MAPS_H
#define ETR_MAPS_H

#include "json.h"
#include "record.h"

/** Both maps while they are being read. */
typedef struct etr_maps etr_maps;

/** Empty maps in the arena of `strings`; NULL when out of memory. */
etr_maps *etr_maps_new(etr_map *strings);

/** Reads debug_handle_map: {METHOD: {"INSTRUCTION": handle or [handles]}}. Failures are the reader's and the arena's. */
void etr_maps_read_handles(etr_maps *maps, etr_json *json);

/** Reads delegate_map: {METHOD: {"INSTRUCTION": {"name": BACKEND, "delegate_map": {ID: [handles]}}}}. Likewise. */
void etr_maps_read_delegates(etr_maps *maps, etr_json *json);

/** What the maps say about an instruction; NULL if nothing, or if map is NULL. */
const etr_map_instruction *etr_maps_find(const etr_map_method *map, int32_t id);

/** The methods of both maps in order of appearance, instructions by ascending id. */
const etr_map_method *etr_maps_finish(etr_maps *maps, size_t *count);

#endif
