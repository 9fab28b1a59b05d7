/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_steps.c - instructions, inputs and outputs, blobs.
 */
#include "memory/memory_steps.h"

#include "memory/value_size.h"
#include "method/program_values.h"

/* ---- Instructions ---- */

/* The texts of an operator: one for all instructions that run it. */
typedef struct op_names {
  etr_map names; /* name and overload, as the program lends them -> place in texts */
  etr_vec(const char *) texts;
} op_names;

typedef struct op_key {
  const char *op, *overload;
} op_key;
ETR_NO_PADDING(op_key, 2 * sizeof(char *));

static const char *kernel_name(op_names *known, const etr_instruction *instruction, etr_arena *arena) {
  const op_key key = {instruction->op, instruction->overload};
  etr_map_slot *slot = etr_map_at(&known->names, (etr_slice){(const char *)&key, sizeof key});
  if (!slot) return "";
  if (slot->value != ETR_NONE) return known->texts.data[slot->value];
  const char **text = etr_vec_push(arena, &known->texts);
  if (!text) return "";
  slot->value = (uint32_t)(known->texts.count - 1);
  return *text = etr_arena_format(arena, "%s%s%s", key.op, key.overload[0] ? "." : "", key.overload);
}

static const char *op_of(op_names *known, const etr_pte_method *program, const etr_instruction *instruction,
                         etr_arena *arena) {
  const etr_pte_delegate *delegate = etr_delegate_of(program, instruction);
  switch (instruction->kind) {
  case ETR_INSTRUCTION_KERNEL: return kernel_name(known, instruction, arena);
  case ETR_INSTRUCTION_DELEGATE: return delegate ? delegate->backend : "";
  case ETR_INSTRUCTION_MOVE: return "move";
  case ETR_INSTRUCTION_JUMP_FALSE: return "jump";
  case ETR_INSTRUCTION_FREE: return "free";
  default: return "";
  }
}

bool etr_memory_steps_make(etr_memory_plan *plan, const etr_placement *placement, etr_arena *arena) {
  size_t count = ETR_MIN(placement->method->program->instruction_count, (size_t)INT32_MAX);
  etr_memory_step *steps = etr_arena_alloc_array(arena, count, sizeof *steps);
  op_names ops = {0};
  etr_map_init(&ops.names, arena);
  for (size_t i = 0; steps && i < count; i++) {
    const etr_instruction *instruction = &placement->method->program->instructions[i];
    const etr_placed *known = etr_placed_instruction(placement, (int32_t)i);
    bool is_delegate = instruction->kind == ETR_INSTRUCTION_DELEGATE;
    uint32_t node = placement->method->graph && known && !is_delegate ? known->node : ETR_NONE;
    steps[i] = (etr_memory_step){
        .op = op_of(&ops, placement->method->program, instruction, arena), .is_delegate = is_delegate, .node = node};
    if (node != ETR_NONE) steps[i].module = placement->method->graph->nodes[node].module;
    if (placement->method->graph && is_delegate) steps[i].module = etr_module_of_delegate(placement, (int32_t)i);
  }
  plan->steps = steps;
  plan->instruction_count = steps ? count : 0;
  return !etr_arena_failed(arena);
}

/* ---- Inputs and outputs ---- */

static size_t add_boundary(etr_boundary_tensor *into, const etr_pte_method *program, const etr_value_name *names,
                           etr_tensor_role role, etr_arena *arena) {
  bool is_input = role == ETR_TENSOR_INPUT;
  const int32_t *list = is_input ? program->inputs : program->outputs;
  size_t count = is_input ? program->input_count : program->output_count, added = 0;
  for (size_t i = 0; i < count; i++) {
    const etr_pte_value *value = etr_tensor_at(program, list[i]);
    if (!value) continue;
    etr_boundary_tensor *tensor = &into[added++];
    *tensor = (etr_boundary_tensor){
        .role = role,
        .index = (uint32_t)i,
        .tensor = etr_describe_tensor(value, &names[list[i]], is_input ? "input" : "output", i, arena),
        .is_bound = value->dynamic,
        .is_planned = value->storage != 0};
    (void)etr_pte_value_bytes(value, &tensor->size_bytes);
  }
  return added;
}

bool etr_memory_boundary_make(etr_memory_plan *plan, const etr_pte_method *program, const etr_value_name *names,
                              etr_arena *arena) {
  etr_boundary_tensor *list = etr_arena_alloc_array(arena, program->input_count + program->output_count, sizeof *list);
  if (!list) return false;
  size_t inputs = add_boundary(list, program, names, ETR_TENSOR_INPUT, arena);
  plan->boundary = list;
  plan->boundary_count = inputs + add_boundary(list + inputs, program, names, ETR_TENSOR_OUTPUT, arena);
  for (size_t i = 0; i < program->value_count; i++) {
    const etr_pte_value *value = &program->values[i];
    plan->unplanned_count += value->kind == ETR_PTE_VALUE_TENSOR && value->unbound && !value->storage;
  }
  return !etr_arena_failed(arena);
}

/* ---- Blobs ---- */

/* Of delegates with the same bytes; a delegate without any has its own. */
static etr_delegate_blob *blob_of(etr_map *places, etr_delegate_blob *blobs, size_t *count,
                                  const etr_pte_delegate *delegate) {
  const uint64_t place[2] = {delegate->payload_at, delegate->payload_bytes};
  etr_map_slot *slot = etr_map_at(places, (etr_slice){(const char *)place, sizeof place});
  if (!slot) return NULL;
  if (slot->value == ETR_NONE || delegate->payload_bytes == 0) {
    slot->value = (uint32_t)(*count)++;
    blobs[slot->value] = (etr_delegate_blob){.backend = delegate->backend,
                                             .instruction = -1,
                                             .size_bytes = delegate->payload_bytes,
                                             .segment = delegate->payload_segment};
  }
  return &blobs[slot->value];
}

static void note_calls(const etr_pte_method *program, etr_delegate_blob *blobs, const uint32_t *blob_of_delegate) {
  size_t count = ETR_MIN(program->instruction_count, (size_t)INT32_MAX);
  for (size_t i = 0; i < count; i++) {
    const etr_pte_delegate *delegate = etr_delegate_of(program, &program->instructions[i]);
    etr_delegate_blob *blob = delegate ? &blobs[blob_of_delegate[delegate - program->delegates]] : NULL;
    if (blob && blob->instruction < 0) blob->instruction = (int32_t)i;
  }
}

bool etr_memory_blobs_make(etr_memory_plan *plan, const etr_pte_method *program, const etr_pte_data *data,
                           etr_arena *arena, etr_arena *scratch) {
  etr_delegate_blob *blobs = etr_arena_alloc_array(arena, program->delegate_count, sizeof *blobs);
  uint32_t *blob_of_delegate = etr_arena_alloc_array(scratch, program->delegate_count, sizeof *blob_of_delegate);
  etr_map places;
  etr_map_init(&places, scratch);
  if (!blobs || !blob_of_delegate) return false;
  for (size_t i = 0; i < program->delegate_count; i++) {
    etr_delegate_blob *blob = blob_of(&places, blobs, &plan->blob_count, &program->delegates[i]);
    if (!blob) return false;
    blob->delegate_count++;
    blob_of_delegate[i] = (uint32_t)(blob - blobs);
    if (blob->segment < data->segment_count) data->segments[blob->segment].kind = ETR_SEGMENT_DELEGATE;
  }
  note_calls(program, blobs, blob_of_delegate);
  plan->blobs = blobs;
  return true;
}
