/* SPDX-License-Identifier: BSD-3-Clause
 *
 * maps.c - reading debug_handle_map and delegate_map.
 */
#include "maps.h"

#include <stdlib.h>

typedef struct method {
  const char *name;
  etr_vec(etr_map_instruction) instructions;
  etr_map by_id;
} method;

struct etr_maps {
  etr_map *strings;
  etr_arena *arena;
  etr_vec(method) methods;
  etr_map by_name;
};

etr_maps *etr_maps_new(etr_map *strings) {
  etr_maps *maps = etr_arena_alloc(strings->arena, sizeof *maps);
  if (!maps) return NULL;
  *maps = (etr_maps){.strings = strings, .arena = strings->arena};
  etr_map_init(&maps->by_name, maps->arena);
  return maps;
}

static method *find_method(etr_maps *maps, etr_slice name) {
  uint32_t known = etr_map_get(&maps->by_name, name);
  if (known != ETR_NONE) return &maps->methods.data[known];
  method *added = etr_vec_push(maps->arena, &maps->methods);
  if (!added || !etr_map_set(&maps->by_name, name, (uint32_t)(maps->methods.count - 1))) return NULL;
  *added = (method){.name = etr_intern(maps->strings, name)};
  etr_map_init(&added->by_id, maps->arena);
  return added;
}

/* The instruction of a key such as "17"; NULL, and the reader failed, if the key is no instruction id. */
static etr_map_instruction *find_instruction(etr_maps *maps, method *m, etr_json *json, etr_slice key) {
  int64_t id;
  if (!etr_slice_to_int(key, &id) || id < 0 || id > INT32_MAX) {
    etr_json_fail(json, "a key that is no instruction id");
    return NULL;
  }
  for (; key.size > 1 && (key.data[0] == '0' || key.data[0] == '-'); key.size--) key.data++; /* "03" is 3 as well */
  etr_map_slot *slot = etr_map_at(&m->by_id, key);
  if (!slot) return NULL;
  if (slot->value != ETR_NONE) return &m->instructions.data[slot->value];
  etr_map_instruction *added = etr_vec_push(maps->arena, &m->instructions);
  if (!added) return NULL;
  slot->value = (uint32_t)(m->instructions.count - 1);
  *added = (etr_map_instruction){.id = (int32_t)id};
  return added;
}

/* A handle, a list of handles, or null. */
static const uint32_t *read_handles(etr_maps *maps, etr_json *json, size_t *count) {
  etr_vec(uint32_t) handles = {0};
  bool is_list = etr_json_peek(json) == ETR_JSON_ARRAY;
  if (is_list) etr_json_array(json);
  for (bool once = true; is_list ? etr_json_element(json) : once; once = false) {
    if (etr_json_null(json)) continue;
    int64_t handle = etr_json_int(json);
    if (handle < 0 || handle >= UINT32_MAX) {
      etr_json_fail(json, "a debug handle out of range");
      break;
    }
    uint32_t *slot = etr_vec_push(maps->arena, &handles);
    if (!slot) break;
    *slot = (uint32_t)handle;
  }
  *count = handles.count;
  return handles.data;
}

static void read_delegate_ids(etr_maps *maps, etr_json *json, etr_map_instruction *instruction) {
  etr_vec(etr_map_delegate_id) ids = {0};
  etr_slice key;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    etr_map_delegate_id *id = etr_vec_push(maps->arena, &ids);
    if (!id) return;
    id->id = etr_intern(maps->strings, key);
    id->handles = read_handles(maps, json, &id->handle_count);
  }
  instruction->ids = ids.data;
  instruction->id_count = ids.count;
}

static void read_delegate(etr_maps *maps, etr_json *json, etr_map_instruction *instruction) {
  etr_slice key;
  instruction->is_delegate = true;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    if (etr_slice_is(key, "name") && etr_json_peek(json) == ETR_JSON_STRING)
      instruction->backend = etr_intern(maps->strings, etr_json_string(json));
    else if (etr_slice_is(key, "delegate_map") && etr_json_peek(json) == ETR_JSON_OBJECT)
      read_delegate_ids(maps, json, instruction);
    else
      etr_json_skip(json);
  }
}

/* Both maps are {METHOD: {INSTRUCTION: ...}}; a method may be null. */
static void read_methods(etr_maps *maps, etr_json *json, bool delegates) {
  etr_slice key;
  if (etr_json_null(json)) return;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    method *m = find_method(maps, key);
    if (!m) return;
    if (etr_json_null(json)) continue;
    etr_json_object(json);
    while (etr_json_key(json, &key)) {
      etr_map_instruction *instruction = find_instruction(maps, m, json, key);
      if (!instruction) return;
      if (delegates)
        read_delegate(maps, json, instruction);
      else
        instruction->handles = read_handles(maps, json, &instruction->handle_count);
    }
  }
}

void etr_maps_read_handles(etr_maps *maps, etr_json *json) { read_methods(maps, json, false); }

void etr_maps_read_delegates(etr_maps *maps, etr_json *json) { read_methods(maps, json, true); }

static int by_id(const void *a, const void *b) {
  int32_t x = ((const etr_map_instruction *)a)->id, y = ((const etr_map_instruction *)b)->id;
  return (x > y) - (x < y);
}

const etr_map_method *etr_maps_finish(etr_maps *maps, size_t *count) {
  etr_map_method *methods = etr_arena_alloc_array(maps->arena, maps->methods.count, sizeof *methods);
  *count = methods ? maps->methods.count : 0;
  for (size_t i = 0; i < *count; i++) {
    method *m = &maps->methods.data[i];
    etr_sort(m->instructions.data, m->instructions.count, sizeof *m->instructions.data, by_id);
    methods[i] = (etr_map_method){m->name, m->instructions.data, m->instructions.count};
  }
  return methods;
}

const etr_map_instruction *etr_maps_find(const etr_map_method *map, int32_t id) {
  etr_map_instruction wanted = {.id = id};
  return map && map->instruction_count ? bsearch(&wanted, map->instructions, map->instruction_count, sizeof wanted, by_id) : NULL;
}
