/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_values.c - finds results of instructions, and what is at locations in memory.
 */
#include "inputs/program_values.h"

const etr_instruction *etr_instruction_at(const etr_pte_method *program, int32_t id) {
  return program && id >= 0 && (size_t)id < program->instruction_count ? &program->instructions[id]
                                                                       : NULL;
}

const etr_pte_delegate *etr_delegate_of(const etr_pte_method *program,
                                        const etr_instruction *instruction) {
  int32_t index = instruction->kind == ETR_INSTRUCTION_DELEGATE ? instruction->delegate : -1;
  return index >= 0 && (size_t)index < program->delegate_count ? &program->delegates[index] : NULL;
}

const etr_pte_value *etr_tensor_at(const etr_pte_method *program, int32_t index) {
  if (index < 0 || (size_t)index >= program->value_count)
    return NULL;
  const etr_pte_value *value = &program->values[index];
  return value->kind == ETR_PTE_VALUE_TENSOR ? value : NULL;
}

/* Returns the values that a kernel returns: its last argument, or the items of that list; NULL
 * and 0 if it is no tensor. */
const int32_t *etr_results_of(const etr_pte_method *program, const etr_instruction *instruction,
                              size_t *count) {
  const int32_t *last = instruction->arg_count ? &instruction->args[instruction->arg_count - 1]
                                               : NULL;
  *count = 0;
  if (!last || *last < 0 || (size_t)*last >= program->value_count)
    return NULL;
  const etr_pte_value *value = &program->values[*last];
  *count = value->kind == ETR_PTE_VALUE_TENSOR_LIST ? value->item_count
                                                    : value->kind == ETR_PTE_VALUE_TENSOR;
  return value->kind == ETR_PTE_VALUE_TENSOR_LIST ? value->items : last;
}

bool etr_is_list_of(const etr_pte_value *list, const int32_t *values, size_t count) {
  return list->item_count == count &&
         (count == 0 || memcmp(list->items, values, count * sizeof *values) == 0);
}

/* Returns whether type, rank and sizes, as far as both are known, are those of the node's first
 * output. */
bool etr_tensor_agrees(const etr_pte_value *tensor, const etr_node *node) {
  if (!tensor || node->output_count == 0)
    return true;
  const etr_value *value = &node->outputs[0];
  if (tensor->dtype && value->dtype && value->rank >= 0 && strcmp(tensor->dtype, value->dtype) != 0)
    return false;
  if (tensor->dynamic || value->rank < 0)
    return true;
  if (tensor->rank != value->rank)
    return false;
  for (int32_t i = 0; i < value->rank; i++)
    if (value->dims[i].size != ETR_DIM_SYMBOLIC && value->dims[i].size != tensor->sizes[i])
      return false;
  return true;
}

/* Returns whether the first result of an instruction may be the node's; true where nothing is
 * known of one of them. */
bool etr_instruction_agrees(const etr_pte_method *program, int32_t id, const etr_node *node) {
  size_t count = 0;
  const etr_instruction *instruction = etr_instruction_at(program, id);
  if (!instruction)
    return true;
  const int32_t *results = etr_results_of(program, instruction, &count);
  return etr_tensor_agrees(count ? etr_tensor_at(program, results[0]) : NULL, node);
}

static etr_slice place_of(const etr_pte_value *tensor) {
  return ETR_BYTES(tensor->storage);
}

static uint64_t elements_of(const etr_pte_value *tensor) {
  uint64_t elements = 1;
  for (int32_t i = 0; i < tensor->rank; i++)
    elements *= (uint64_t)(uint32_t)tensor->sizes[i];
  return elements;
}

void etr_storages_init(etr_storages *storages, const etr_pte_method *program, etr_arena *arena) {
  storages->program = program;
  etr_map_init(&storages->last, arena);
}

void etr_storages_write(etr_storages *storages, int32_t index) {
  const etr_pte_value *tensor = etr_tensor_at(storages->program, index);
  if (tensor && tensor->storage)
    etr_map_set(&storages->last, place_of(tensor), (uint32_t)index);
}

/* Returns the tensor that was last written at the same place with as many elements; -1 if there
 * is none other. */
int32_t etr_storages_viewed(const etr_storages *storages, int32_t index) {
  const etr_pte_value *tensor = etr_tensor_at(storages->program, index);
  uint32_t other = tensor && tensor->storage ? etr_map_get(&storages->last, place_of(tensor))
                                             : ETR_NONE;
  if (other == ETR_NONE || other == (uint32_t)index)
    return -1;
  return elements_of(&storages->program->values[other]) == elements_of(tensor) ? (int32_t)other
                                                                               : -1;
}
