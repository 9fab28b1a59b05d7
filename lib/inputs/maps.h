/* SPDX-License-Identifier: BSD-3-Clause
 *
 * maps.h - debug_handle_map, delegate_map and instruction_id_to_num_outs_map of a record, joined per instruction.
 * Layer 2.
 */
#ifndef ETR_MAPS_H
#define ETR_MAPS_H

#include "base/arena.h"
#include "formats/json.h"

/** What debug_handle_map and delegate_map say about one instruction. */
typedef struct etr_map_instruction {
  int32_t id;
  const uint32_t *handles; /* debug_handle_map: duplicates kept */
  size_t handle_count;
  bool is_delegate;    /* delegate_map has it */
  const char *backend; /* delegate_map's "name"; NULL if it is no delegate */
  const struct etr_map_delegate_id
      *ids; /* delegate_map's ids, ascending; of equal ones the file's first is the first */
  size_t id_count;
  uint32_t output_count; /* instruction_id_to_num_outs_map: what a delegate's call returns; 0: not told */
} etr_map_instruction;

typedef struct etr_map_delegate_id {
  const char *id;
  const uint32_t *handles;
  size_t handle_count;
  size_t place; /* in the file's list */
} etr_map_delegate_id;

typedef struct etr_map_method {
  const char *name;
  const etr_map_instruction *instructions; /* by ascending id */
  size_t instruction_count;
} etr_map_method;

/** Both maps while they are being read. */
typedef struct etr_maps etr_maps;

/** Empty maps in the arena of `strings`; NULL when out of memory. `only_method` is the record's one method, which its
 * handle map of 2023 does not name; NULL if it has several. Borrowed until etr_maps_finish(). */
etr_maps *etr_maps_new(etr_map *strings, const char *only_method);

/** Reads debug_handle_map: {METHOD: {"INSTRUCTION": handle or [handles]}}, or in 2023 {"INSTRUCTION": ...} of the only
 * method. Failures are the reader's and the arena's. */
void etr_maps_read_handles(etr_maps *maps, etr_json *json);

/** Reads delegate_map: {METHOD: {"INSTRUCTION": {"name": BACKEND, "delegate_map": {ID: [handles]}}}}. Likewise. */
void etr_maps_read_delegates(etr_maps *maps, etr_json *json);

/** Reads instruction_id_to_num_outs_map, of instructions that the other maps have: {METHOD: {"INSTRUCTION": count}}.
 * Likewise. */
void etr_maps_read_output_counts(etr_maps *maps, etr_json *json);

/** What the maps say about an instruction; NULL if nothing, or if map is NULL. */
const etr_map_instruction *etr_maps_find(const etr_map_method *map, int32_t id);

/** The first entry for an id in a delegate's own map; NULL if it has none. */
const etr_map_delegate_id *etr_maps_find_id(const etr_map_instruction *map, const char *id);

/** The methods of both maps in order of appearance, instructions by ascending id. */
const etr_map_method *etr_maps_finish(etr_maps *maps, size_t *count);

#endif
