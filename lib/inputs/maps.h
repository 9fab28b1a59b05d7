/* SPDX-License-Identifier: BSD-3-Clause
 *
 * maps.h - debug_handle_map, delegate_map and instruction_id_to_num_outs_map of a record, joined
 * per instruction. Layer 2.
 */
#ifndef ETR_MAPS_H
#define ETR_MAPS_H

#include "base/arena.h"
#include "formats/json.h"

/** What the maps say about one instruction. */
typedef struct etr_map_instruction {
  int32_t id;
  const uint32_t *handles; /* from debug_handle_map; duplicates are kept */
  size_t handle_count;
  bool is_delegate;    /* delegate_map contains the instruction */
  const char *backend; /* the "name" in delegate_map; NULL if it is not a delegate */
  const struct etr_map_delegate_id
      *ids; /* ids in delegate_map, ascending; equal ids are in the order of the file */
  size_t id_count;
  uint32_t output_count; /* number of outputs of a delegate's call, from
                            instruction_id_to_num_outs_map; 0: not known */
} etr_map_instruction;

typedef struct etr_map_delegate_id {
  const char *id;
  const uint32_t *handles;
  size_t handle_count;
  size_t file_index; /* index in the file's list */
} etr_map_delegate_id;

typedef struct etr_map_method {
  const char *name;
  const etr_map_instruction *instructions; /* by ascending id */
  size_t instruction_count;
} etr_map_method;

/** The maps while they are read. */
typedef struct etr_maps etr_maps;

/** Returns empty maps in the arena of `strings`; NULL when out of memory. `only_method` is the only
 * method of the record, which handle maps of 2023 do not name; NULL if the record has several. It
 * is borrowed until etr_maps_finish(). */
etr_maps *etr_maps_new(etr_map *strings, const char *only_method);

/** Reads debug_handle_map: {METHOD: {"INSTRUCTION": handle or [handles]}}, or in 2023
 * {"INSTRUCTION": ...} for the only method. Failures show on the reader or on the arena. */
void etr_maps_read_handles(etr_maps *maps, etr_json *json);

/** Reads delegate_map: {METHOD: {"INSTRUCTION": {"name": BACKEND, "delegate_map": {ID:
 * [handles]}}}}. Failures show on the reader or on the arena. */
void etr_maps_read_delegates(etr_maps *maps, etr_json *json);

/** Reads instruction_id_to_num_outs_map, for instructions that the other maps contain: {METHOD:
 * {"INSTRUCTION": count}}. Failures show on the reader or on the arena. */
void etr_maps_read_output_counts(etr_maps *maps, etr_json *json);

/** Returns what the maps say about an instruction; NULL if they do not contain it, or if map is
 * NULL. */
const etr_map_instruction *etr_maps_find(const etr_map_method *map, int32_t id);

/** Returns the first entry for an id in the map of a delegate; NULL if there is none. */
const etr_map_delegate_id *etr_maps_find_id(const etr_map_instruction *map, const char *id);

/** Returns what the maps say about each method, in the order in which methods appear, with
 * instructions by ascending id. */
const etr_map_method *etr_maps_finish(etr_maps *maps, size_t *count);

#endif
