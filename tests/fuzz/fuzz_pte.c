/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_pte.c - lib/inputs/pte.c on any bytes: it ends soon, every index it returns is valid, and
 * payloads lie inside the file.
 */
#include "inputs/pte.h"

#include <stdlib.h>

static void check_indices(const int32_t *indices, size_t count, size_t limit) {
  for (size_t i = 0; i < count; i++)
    if (indices[i] < -1 || (indices[i] >= 0 && (size_t)indices[i] >= limit))
      abort();
}

static void check_instruction(const etr_instruction *instruction, const etr_pte_method *method) {
  check_indices(instruction->args, instruction->arg_count, method->value_count);
  check_indices(&instruction->delegate, 1, method->delegate_count);
  check_indices(&instruction->jump_target, 1, method->instruction_count + 1);
  if ((instruction->kind == ETR_INSTRUCTION_KERNEL) != (instruction->op && instruction->overload))
    abort();
}

static void check_value(const etr_pte_value *value, const etr_pte_method *method) {
  volatile int32_t last = value->rank > 0 ? value->sizes[value->rank - 1] : 0;
  (void)last;
  check_indices(value->items, value->item_count, method->value_count);
}

static void check_method(const etr_pte_method *method, const uint8_t *data, size_t size) {
  if (!method->name)
    abort();
  check_indices(method->inputs, method->input_count, method->value_count);
  check_indices(method->outputs, method->output_count, method->value_count);
  for (size_t i = 0; i < method->instruction_count; i++)
    check_instruction(&method->instructions[i], method);
  for (size_t i = 0; i < method->value_count; i++)
    check_value(&method->values[i], method);
  for (size_t i = 0; i < method->delegate_count; i++) {
    etr_slice payload = method->delegates[i].payload;
    if (!method->delegates[i].backend || payload.size > size)
      abort();
    if (payload.size && (size_t)(payload.data - (const char *)data) > size - payload.size)
      abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  etr_arena arena;
  etr_pte pte;
  etr_error error;
  etr_arena_init(&arena);
  etr_error_clear(&error);
  etr_pte_source source = {.path = "fuzz", .bytes = {(const char *)data, size}};
  etr_status status = etr_pte_read(&pte, &arena, &source, &(etr_pte_limits){0}, &error);
  if ((status == ETR_OK) != (error.message[0] == 0))
    abort();
  for (size_t i = 0; i < pte.method_count; i++)
    check_method(&pte.methods[i], data, size);
  etr_arena_clear(&arena);
  return 0;
}
