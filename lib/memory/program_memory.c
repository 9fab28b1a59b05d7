/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_memory.c - lists each constant once.
 */
#include "memory/program_memory.h"

#include "formats/element.h"

/* Its rank is -1, unknown, when out of memory. */
etr_value etr_describe_tensor(const etr_pte_value *value, const etr_value_name *name,
                              const char *prefix, size_t index, etr_arena *arena) {
  etr_dim *dims = etr_arena_alloc_array(arena, value->rank > 0 ? (size_t)value->rank : 0,
                                        sizeof *dims);
  for (int32_t i = 0; dims && i < value->rank; i++)
    dims[i] = (etr_dim){.size = value->sizes[i], .hint = -1};
  return (etr_value){.name = name->name ? name->name
                                        : etr_arena_format(arena, "%s_%zu", prefix, index),
                     .dtype = value->dtype,
                     .dims = dims,
                     .rank = dims ? value->rank : -1};
}

void etr_program_constants_init(etr_program_constants *constants, const etr_pte_data *data,
                                etr_arena *arena) {
  *constants = (etr_program_constants){.data = data, .arena = arena};
  etr_map_init(&constants->index_by_data, arena);
}

/* Returns the key of a tensor's data, by which tensors that share it are found. For data in another
 * file it is the number 1 with the data's name; else two numbers, written to `own_number`: its
 * table in the program (0 for constants, else the mutable one + 1) and its number in the table. */
static etr_slice key_of_data(etr_program_constants *constants, const etr_pte_value *value,
                             uint64_t own_number[2]) {
  if (value->external)
    return etr_key_of(constants->arena, 1, etr_slice_of(value->weight ? value->weight : ""));
  own_number[0] = value->buffer ? value->mutable_table + 1 : 0;
  own_number[1] = value->data;
  return (etr_slice){(const char *)own_number, 2 * sizeof *own_number};
}

/* Returns the segment of the file that has a tensor's data; ETR_NONE if the data is in the program
 * itself, or in no segment of the file. */
static uint32_t segment_of(const etr_pte_data *data, const etr_pte_value *value) {
  if (!value->buffer)
    return data->constant_segment;
  bool has_table = value->mutable_table < data->mutable_count;
  return has_table ? data->mutable_segments[value->mutable_table] : ETR_NONE;
}

/* Returns the offset of a tensor's data from the start of the file, in bytes; ETR_UNKNOWN if it is
 * in another file or outside of this one. */
static uint64_t offset_of_data(const etr_pte_data *data, const etr_pte_value *value) {
  const etr_pte_ranges *ranges = &data->constants;
  if (value->buffer)
    ranges = value->mutable_table < data->mutable_count ? &data->mutables[value->mutable_table]
                                                        : NULL;
  bool is_here = !value->external && ranges && value->data < ranges->count;
  uint64_t offset = is_here ? ranges->list[value->data].at : ETR_UNKNOWN;
  return offset != ETR_UNKNOWN ? etr_add_up_to_most(data->program_at, offset) : ETR_UNKNOWN;
}

/* Returns the path of the module of a weight, which is its name up to the last dot; "" for the top
 * level, NULL without a name. */
static const char *module_of_weight(etr_arena *arena, const char *weight) {
  const char *dot = weight ? strrchr(weight, '.') : NULL;
  if (!weight)
    return NULL;
  return dot ? etr_arena_copy(arena, (etr_slice){weight, (size_t)(dot - weight)}) : "";
}

/* Adds the constant that a tensor's data is, or counts one more use if another value has the same
 * data. When out of memory, the arena has failed. */
static void add_constant(etr_program_constants *constants, const etr_pte_value *value,
                         uint32_t method, const etr_value_name *name) {
  uint64_t number[2];
  etr_map_slot *slot = etr_map_at(&constants->index_by_data, key_of_data(constants, value, number));
  if (!slot)
    return;
  if (slot->value != ETR_NONE) {
    constants->list.data[slot->value].uses++;
    return;
  }
  etr_constant *added = etr_vec_push(constants->arena, &constants->list);
  if (!added)
    return;
  slot->value = (uint32_t)(constants->list.count - 1);
  uint32_t segment = value->external ? ETR_NONE : segment_of(constants->data, value);
  etr_constant_place inside = segment == ETR_NONE ? ETR_CONSTANT_INLINE : ETR_CONSTANT_SEGMENT;
  *added = (etr_constant){
      .tensor = etr_describe_tensor(value, name, "constant", slot->value, constants->arena),
      .place = value->external ? ETR_CONSTANT_EXTERNAL : inside,
      .segment = segment,
      .offset_bytes = offset_of_data(constants->data, value),
      .module = module_of_weight(constants->arena, name->name),
      .is_mutable = value->buffer > 0,
      .method = method,
      .uses = 1};
  (void)etr_pte_value_bytes(value, &added->size_bytes);
}

/* Constants are the tensors whose data the program or another file has. */
void etr_program_constants_add(etr_program_constants *constants, const etr_pte_method *program,
                               uint32_t method, const etr_value_name *names) {
  for (size_t i = 0; i < program->value_count; i++) {
    const etr_pte_value *value = &program->values[i];
    if (value->kind == ETR_PTE_VALUE_TENSOR && (value->data > 0 || value->external))
      add_constant(constants, value, method, &names[i]);
  }
}

/* The constants must have been added. */
const etr_program_memory *etr_program_memory_make(const etr_program_constants *constants,
                                                  const etr_placement *placements,
                                                  size_t method_count) {
  const etr_pte_data *data = constants->data;
  etr_program_memory *made = etr_arena_alloc(constants->arena, sizeof *made);
  if (!made)
    return NULL;
  *made = (etr_program_memory){.program_bytes = data->program_bytes,
                               .segments = data->segments,
                               .segment_count = data->segment_count,
                               .constants = constants->list.data,
                               .constant_count = constants->list.count};
  return etr_file_parts_find(made, constants, placements, method_count) ? made : NULL;
}
