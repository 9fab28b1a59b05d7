/* SPDX-License-Identifier: BSD-3-Clause
 *
 * maps.c - reading what a record's maps say about instructions.
 */
#include "inputs/maps.h"

#include <stdlib.h>

typedef struct method {
  const char *name;
  etr_vec(etr_map_instruction) instructions;
  etr_map by_id;
} method;

struct etr_maps {
  etr_map *strings;
  etr_arena *arena;
  const char *only_method;
  etr_vec(method) methods;
  etr_map by_name;
};

etr_maps *etr_maps_new(etr_map *strings, const char *only_method) {
  etr_maps *maps = etr_arena_alloc(strings->arena, sizeof *maps);
  if (!maps)
    return NULL;
  *maps = (etr_maps){
      .strings = strings,
      .arena = strings->arena,
      .only_method = only_method,
  };
  etr_map_init(&maps->by_name, maps->arena);
  return maps;
}

/* Returns what the maps say about a method, which is added if it is new; NULL when out of memory.
 * The pointer is valid until the next new method. */
static method *find_or_add_method(etr_maps *maps, etr_slice name) {
  uint32_t found = etr_map_get(&maps->by_name, name);
  if (found != ETR_NONE)
    return &maps->methods.data[found];
  method *added = etr_vec_push(maps->arena, &maps->methods);
  if (!added || !etr_map_set(&maps->by_name, name, (uint32_t)(maps->methods.count - 1)))
    return NULL;
  *added = (method){.name = etr_intern(maps->strings, name)};
  etr_map_init(&added->by_id, maps->arena);
  return added;
}

/* Returns the instruction whose id is a key such as "17", which is added to the method if it is
 * new. Returns NULL if the key is no instruction id, which fails the JSON reader, or when out of
 * memory. */
static etr_map_instruction *find_or_add_instruction(etr_maps *maps, method *m, etr_json *json,
                                                    etr_slice key) {
  int64_t id;
  if (!etr_slice_to_int(key, &id) || id < 0 || id > INT32_MAX) {
    etr_json_fail(json, "a key is not an instruction id");
    return NULL;
  }
  for (; key.size > 1 && (key.data[0] == '0' || key.data[0] == '-'); key.size--)
    key.data++; /* "03" is the same key as "3", and "-0" as "0" */
  etr_map_slot *slot = etr_map_at(&m->by_id, key);
  if (!slot)
    return NULL;
  if (slot->value != ETR_NONE)
    return &m->instructions.data[slot->value];
  etr_map_instruction *added = etr_vec_push(maps->arena, &m->instructions);
  if (!added)
    return NULL;
  slot->value = (uint32_t)(m->instructions.count - 1);
  *added = (etr_map_instruction){.id = (int32_t)id};
  return added;
}

/* Reads a debug handle, a list of them, or null, and returns them as an array of *count in the
 * arena; null gives none. A handle that is out of range fails the JSON reader. When out of memory,
 * the arena has failed. */
static const uint32_t *read_handles(etr_maps *maps, etr_json *json, size_t *count) {
  etr_vec(uint32_t) handles = {0};
  bool is_list = etr_json_peek(json) == ETR_JSON_ARRAY;
  if (is_list)
    etr_json_array(json);
  for (bool is_first = true; is_list ? etr_json_element(json) : is_first; is_first = false) {
    if (etr_json_null(json))
      continue;
    int64_t handle = etr_json_int(json);
    if (handle < 0 || handle >= UINT32_MAX) {
      etr_json_fail(json, "a debug handle is out of range");
      break;
    }
    uint32_t *slot = etr_vec_push(maps->arena, &handles);
    if (!slot)
      break;
    *slot = (uint32_t)handle;
  }
  *count = handles.count;
  return handles.data;
}

/* Compares the ids of a delegate's map; equal ids, by their order in the file. */
static int compare_delegate_ids(const void *a, const void *b) {
  const etr_map_delegate_id *x = a, *y = b;
  int compared = strcmp(x->id, y->id);
  return compared ? compared : (x->file_index > y->file_index) - (x->file_index < y->file_index);
}

/* Reads the debug handles of each delegate id of an instruction, and sorts them by id. When out of
 * memory, the instruction stays without ids. */
static void read_delegate_ids(etr_maps *maps, etr_json *json, etr_map_instruction *instruction) {
  etr_vec(etr_map_delegate_id) ids = {0};
  etr_slice key;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    etr_map_delegate_id *id = etr_vec_push(maps->arena, &ids);
    if (!id)
      return;
    *id = (etr_map_delegate_id){.id = etr_intern(maps->strings, key), .file_index = ids.count - 1};
    if (!id->id)
      return;
    id->handles = read_handles(maps, json, &id->handle_count);
  }
  etr_sort(ids.data, ids.count, sizeof *ids.data, compare_delegate_ids);
  instruction->ids = ids.data;
  instruction->id_count = ids.count;
}

/* Reads what delegate_map says of an instruction: {name: BACKEND, delegate_map: {ID: [handles]}}.
 */
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

typedef void instruction_value_reader(etr_maps *maps, etr_json *json,
                                      etr_map_instruction *instruction);

static void read_instruction_handles(etr_maps *maps, etr_json *json,
                                     etr_map_instruction *instruction) {
  instruction->handles = read_handles(maps, json, &instruction->handle_count);
}

/* Reads the value of an entry of a map, whose key is an instruction id, with `read`. Nothing is
 * read if the method is NULL, if the key is no id, or when out of memory; the JSON reader or the
 * arena has then failed. */
static void read_instruction_entry(etr_maps *maps, etr_json *json, method *m, etr_slice key,
                                   instruction_value_reader *read) {
  etr_map_instruction *instruction = m ? find_or_add_instruction(maps, m, json, key) : NULL;
  if (instruction)
    read(maps, json, instruction);
}

/* Reads the part of a map for the method with this name: {INSTRUCTION: value}, or null. The caller
 * gives the function that reads a value, because those of the handle map and the delegate map
 * differ. */
static void read_map_of_method(etr_maps *maps, etr_json *json, etr_slice name,
                               instruction_value_reader *read_instruction_value) {
  etr_slice key;
  method *m = find_or_add_method(maps, name);
  if (!m || etr_json_null(json))
    return;
  etr_json_object(json);
  while (etr_json_key(json, &key))
    read_instruction_entry(maps, json, m, key, read_instruction_value);
}

/* Returns whether a key of debug_handle_map is an instruction and the next value its handles, as
 * files of 2023 have it; later, the key is a method and the value an object. A null stands for no
 * handles if the key is a number, and else for a method without a map. */
static bool is_entry_of_instruction(etr_json *json, etr_slice key) {
  int64_t id;
  bool is_number = etr_slice_to_int(key, &id);
  etr_json_type next = etr_json_peek(json);
  return next != ETR_JSON_OBJECT && (next != ETR_JSON_NULL || is_number);
}

/* Reads the handles of an instruction from a map that names no methods, for the record's only
 * method. If the record has several, the JSON reader fails. */
static void read_entry_of_only_method(etr_maps *maps, etr_json *json, etr_slice key) {
  if (maps->only_method)
    read_instruction_entry(maps, json, find_or_add_method(maps, etr_slice_of(maps->only_method)),
                           key, read_instruction_handles);
  else
    etr_json_fail(json, "the map does not say of which method it is, and the record has several");
}

void etr_maps_read_handles(etr_maps *maps, etr_json *json) {
  etr_slice key;
  if (etr_json_null(json))
    return;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    /* A copy, because peeking at the value ends the life of the key. */
    const char *name = etr_intern(maps->strings, key);
    if (!name)
      return;
    if (is_entry_of_instruction(json, etr_slice_of(name)))
      read_entry_of_only_method(maps, json, etr_slice_of(name));
    else
      read_map_of_method(maps, json, etr_slice_of(name), read_instruction_handles);
  }
}

void etr_maps_read_delegates(etr_maps *maps, etr_json *json) {
  etr_slice key;
  if (etr_json_null(json))
    return;
  etr_json_object(json);
  while (etr_json_key(json, &key))
    read_map_of_method(maps, json, key, read_delegate);
}

/* Reads {"INSTRUCTION": count}, the number of outputs of a method's instructions, into output_count
 * of the instructions of `m`. Counts of instructions that no other map contains are skipped, and
 * all of them if m is NULL (no other map has the method). A count that is not a positive number of
 * 32 bits is ignored. */
static void read_output_counts_of_method(const method *m, etr_json *json) {
  etr_slice key;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    uint32_t instruction = m ? etr_map_get(&m->by_id, key) : ETR_NONE;
    int64_t count = 0;
    if (etr_json_peek(json) == ETR_JSON_NUMBER)
      count = etr_json_int(json);
    else
      etr_json_skip(json);
    if (instruction != ETR_NONE && count > 0 && count < UINT32_MAX)
      m->instructions.data[instruction].output_count = (uint32_t)count;
  }
}

void etr_maps_read_output_counts(etr_maps *maps, etr_json *json) {
  etr_slice key;
  if (etr_json_null(json))
    return;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    uint32_t found = etr_map_get(&maps->by_name, key);
    if (etr_json_peek(json) == ETR_JSON_OBJECT)
      read_output_counts_of_method(found == ETR_NONE ? NULL : &maps->methods.data[found], json);
    else
      etr_json_skip(json);
  }
}

/* Orders instructions by their ids. */
static int compare_ids(const void *a, const void *b) {
  int32_t x = ((const etr_map_instruction *)a)->id;
  int32_t y = ((const etr_map_instruction *)b)->id;
  return (x > y) - (x < y);
}

/* Returns NULL, with *count 0, when out of memory. */
const etr_map_method *etr_maps_finish(etr_maps *maps, size_t *count) {
  etr_map_method *methods = etr_arena_alloc_array(maps->arena, maps->methods.count,
                                                  sizeof *methods);
  *count = methods ? maps->methods.count : 0;
  for (size_t i = 0; i < *count; i++) {
    method *m = &maps->methods.data[i];
    etr_sort(m->instructions.data, m->instructions.count, sizeof *m->instructions.data,
             compare_ids);
    methods[i] = (etr_map_method){m->name, m->instructions.data, m->instructions.count};
  }
  return methods;
}

const etr_map_delegate_id *etr_maps_find_id(const etr_map_instruction *map, const char *id) {
  etr_map_delegate_id wanted = {.id = id};
  size_t at = etr_lower_bound(&wanted, map->ids, map->id_count, sizeof wanted,
                              compare_delegate_ids);
  bool is_there = at < map->id_count && strcmp(map->ids[at].id, id) == 0;
  return is_there ? &map->ids[at] : NULL;
}

const etr_map_instruction *etr_maps_find(const etr_map_method *map, int32_t id) {
  etr_map_instruction wanted = {.id = id};
  return map && map->instruction_count ? bsearch(&wanted, map->instructions, map->instruction_count,
                                                 sizeof wanted, compare_ids)
                                       : NULL;
}
