/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tiny_plan.h - programs for tests of memory, each a few texts.
 *
 * The values are joined by ';' and numbered from 0: "4 in 1 at 16" are four float32 at byte 16 of
 * buffer 1, "4" is not planned; then "data" for one with data in the file, "wide" for sizes whose
 * product is beyond 64 bits; "(1,2)" is a list, "none" no tensor.
 *
 * The instructions are joined by ' ': "add(0,1)" is aten::add of these values, "delegate(0,1)"
 * calls the first delegate, "delegate_1(0,1)" the second, "jump(0,3)" goes to instruction 3,
 * "move(0,1)" is a move, "unnamed(0)" a kernel without a name.
 *
 * Inputs and outputs are numbers of values, sizes those of the buffers 0, 1, ..., joined by ','.
 */
#ifndef TINY_PLAN_H
#define TINY_PLAN_H

#include "memory/memory_plan.h"
#include "tiny_graph.h"

typedef struct tiny_plan {
  const char *values, *instructions, *inputs, *outputs, *sizes;
} tiny_plan;

static inline void tiny_plan_value(etr_arena *arena, etr_pte_value *value, char *text) {
  int32_t *sizes = etr_arena_alloc_array(arena, 3, sizeof *sizes);
  if (strcmp(text, "none") == 0)
    return;
  if (*text == '(') {
    text[strlen(text) - 1] = '\0';
    value->kind = ETR_PTE_VALUE_TENSOR_LIST;
    value->items = (const int32_t *)tiny_numbers(arena, text + 1, &value->item_count);
    return;
  }
  *value = (etr_pte_value){
      .kind = ETR_PTE_VALUE_TENSOR, .dtype = "float32", .sizes = sizes, .rank = 1};
  sizes[0] = (int32_t)strtol(text, &text, 10);
  if (strncmp(text, " in ", 4) == 0) {
    value->buffer = (uint32_t)strtoul(text + strlen(" in "), &text, 10);
    value->offset = strtoull(text + strlen(" at "), &text, 10);
    value->storage = (uint64_t)value->buffer << 48 | (value->offset & 0xffffffff);
  }
  value->data = strcmp(text, " data") == 0;
  if (strcmp(text, " wide") != 0)
    return;
  for (int i = 0; i < 3; i++)
    sizes[i] = INT32_MAX;
  value->rank = 3;
}

static inline void tiny_plan_instruction(etr_arena *arena, etr_instruction *out, char *text) {
  char *arguments = strchr(text, '(');
  size_t count;
  *arguments++ = '\0';
  arguments[strlen(arguments) - 1] = '\0';
  const int32_t *args = (const int32_t *)tiny_numbers(arena, arguments, &count);
  *out = (etr_instruction){.kind = ETR_INSTRUCTION_KERNEL, .delegate = -1, .jump_target = -1};
  out->args = args;
  out->arg_count = count;
  if (strncmp(text, "delegate", strlen("delegate")) == 0) {
    const char *number = strchr(text, '_');
    out->kind = ETR_INSTRUCTION_DELEGATE;
    out->delegate = number ? atoi(number + 1) : 0;
  } else if (strcmp(text, "move") == 0) {
    out->kind = ETR_INSTRUCTION_MOVE;
  } else if (strcmp(text, "jump") == 0) {
    out->kind = ETR_INSTRUCTION_JUMP_FALSE;
    out->jump_target = args[1];
    out->arg_count = 1;
  } else {
    out->op = strchr(text, ':') ? text : etr_arena_format(arena, "aten::%s", text);
    if (strcmp(text, "unnamed") == 0)
      out->op = "";
    out->overload = "";
  }
}

/** Parses the program into the arena. */
static inline void tiny_plan_parse(etr_arena *arena, etr_pte_method *method, const tiny_plan *c) {
  static const etr_pte_delegate delegates[] = {{.backend = "B"}, {.backend = "B"}};
  char *values = etr_arena_copy(arena, etr_slice_of(c->values)),
       *instructions = etr_arena_copy(arena, etr_slice_of(c->instructions));
  etr_pte_value *list = etr_arena_alloc_array(arena, 16, sizeof *list);
  etr_instruction *run = etr_arena_alloc_array(arena, 16, sizeof *run);
  int64_t *sizes = etr_arena_alloc_array(arena, 16, sizeof *sizes);
  *method = (etr_pte_method){.name = "m", .values = list, .instructions = run};
  method->delegates = delegates;
  method->delegate_count = ETR_COUNT(delegates);
  for (char *token; (token = tiny_piece(&values, ";"));)
    tiny_plan_value(arena, &list[method->value_count++], token);
  for (char *token; (token = tiny_piece(&instructions, " "));)
    tiny_plan_instruction(arena, &run[method->instruction_count++], token);
  method->inputs = (const int32_t *)tiny_numbers(
      arena, etr_arena_copy(arena, etr_slice_of(c->inputs)), &method->input_count);
  method->outputs = (const int32_t *)tiny_numbers(
      arena, etr_arena_copy(arena, etr_slice_of(c->outputs)), &method->output_count);
  char *numbers = etr_arena_copy(arena, etr_slice_of(c->sizes));
  for (char *token; (token = tiny_piece(&numbers, ","));)
    sizes[method->buffers.count++] = strtoll(token, NULL, 10);
  method->buffers.sizes = sizes;
}

/** Returns the plan of the program; NULL when out of memory. */
static inline const etr_memory_plan *tiny_plan_make(etr_arena *arena, const etr_pte_method *program,
                                                    etr_warnings *warnings) {
  etr_method *method = etr_arena_alloc(arena, sizeof *method);
  const etr_method_inputs inputs = {.name = "m", .program = program};
  const etr_placement placement = {.method = &inputs};
  const etr_pte pte = {
      .methods = program, .method_count = 1, .data = {.constant_segment = ETR_NONE}};
  etr_profile profile = {.pte = "m.pte", .methods = method, .method_count = 1};
  if (!method)
    return NULL;
  *method = (etr_method){.name = "m", .graph = ETR_NONE};
  return etr_memory_plan_all(&profile, method, &placement, &pte, warnings, arena) ? method->memory
                                                                                  : NULL;
}

#endif
