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
  bool is_call = instruction && instruction->kind == ETR_INSTRUCTION_DELEGATE;
  int32_t index = is_call ? instruction->delegate : -1;
  return index >= 0 && (size_t)index < program->delegate_count ? &program->delegates[index] : NULL;
}

const etr_pte_value *etr_tensor_at(const etr_pte_method *program, int32_t index) {
  if (index < 0 || (size_t)index >= program->value_count)
    return NULL;
  const etr_pte_value *value = &program->values[index];
  return value->kind == ETR_PTE_VALUE_TENSOR ? value : NULL;
}

/* ExecuTorch's kernels are out variants: the last argument is the tensor, or the list of tensors,
 * into which they write their results. NULL and 0 if it is neither. */
const int32_t *etr_results_of(const etr_pte_method *program, const etr_instruction *instruction,
                              size_t *count) {
  const int32_t *last = instruction->arg_count ? &instruction->args[instruction->arg_count - 1]
                                               : NULL;
  *count = 0;
  if (!last || *last < 0 || (size_t)*last >= program->value_count)
    return NULL;
  const etr_pte_value *value = &program->values[*last];
  if (value->kind == ETR_PTE_VALUE_TENSOR_LIST) {
    *count = value->item_count;
    return value->items;
  }
  *count = value->kind == ETR_PTE_VALUE_TENSOR;
  return last;
}

bool etr_is_list_of(const etr_pte_value *list, const int32_t *values, size_t count) {
  return list->item_count == count &&
         (count == 0 || memcmp(list->items, values, count * sizeof *values) == 0);
}

/* A type, rank or size that is unknown or dynamic on either side is taken to agree, as is a tensor
 * or output that is missing. */
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

/* True where nothing is known of the instruction or of the node. */
bool etr_instruction_agrees(const etr_pte_method *program, int32_t id, const etr_node *node) {
  size_t count = 0;
  const etr_instruction *instruction = etr_instruction_at(program, id);
  if (!instruction)
    return true;
  const int32_t *results = etr_results_of(program, instruction, &count);
  return etr_tensor_agrees(count ? etr_tensor_at(program, results[0]) : NULL, node);
}

/* Returns the key of a tensor's location in planned memory, for the map of last writes. */
static etr_slice storage_key(const etr_pte_value *tensor) {
  return ETR_BYTES(tensor->storage);
}

/* Returns the number of elements of a tensor, modulo 2^64, which is enough to compare two tensors.
 */
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
    etr_map_set(&storages->last, storage_key(tensor), (uint32_t)index);
}

/* A tensor of another size at the same location is no view: memory planning reused the location. */
int32_t etr_storages_viewed(const etr_storages *storages, int32_t index) {
  const etr_pte_value *tensor = etr_tensor_at(storages->program, index);
  if (!tensor || !tensor->storage)
    return -1;
  uint32_t last = etr_map_get(&storages->last, storage_key(tensor));
  if (last == ETR_NONE || last == (uint32_t)index)
    return -1;
  const etr_pte_value *last_tensor = &storages->program->values[last];
  return elements_of(last_tensor) == elements_of(tensor) ? (int32_t)last : -1;
}
