/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_arguments.c - EValues as JSON.
 */
#include "backends/operator.h"
#include "base/number.h"
#include "formats/json_brief.h"
#include "inputs/argument.h"
#include "program/pte_builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef etr_program_arguments arguments;

/* ---- What is computed ---- */

static void mark(arguments *a, int32_t value) {
  if (value >= 0 && (size_t)value < a->program->value_count) a->is_computed[value] = true;
}

/* A kernel returns its last argument; a move writes its second. */
static void mark_written(arguments *a, const etr_instruction *instruction) {
  bool writes = instruction->kind == ETR_INSTRUCTION_KERNEL || instruction->kind == ETR_INSTRUCTION_MOVE;
  if (writes && instruction->arg_count) mark(a, instruction->args[instruction->arg_count - 1]);
  if (instruction->kind != ETR_INSTRUCTION_DELEGATE) return;
  for (size_t i = 0; i < instruction->arg_count; i++) mark(a, instruction->args[i]);
}

bool etr_program_arguments_init(arguments *a, const etr_pte_method *program, etr_arena *arena, etr_arena *scratch) {
  *a = (arguments){.program = program, .arena = arena};
  a->is_computed = etr_arena_alloc_array(scratch, program->value_count, sizeof *a->is_computed);
  a->texts = etr_arena_alloc_array(scratch, program->value_count, sizeof *a->texts);
  if (!a->is_computed || !a->texts) return false;
  for (size_t i = 0; i < program->input_count; i++) mark(a, program->inputs[i]);
  for (size_t i = 0; i < program->instruction_count; i++) mark_written(a, &program->instructions[i]);
  return true;
}

/* ---- As JSON ---- */

static const char *text_of_double(arguments *a, double value) {
  char text[ETR_DOUBLE_ROOM];
  if (isnan(value)) return "\"NaN\"";
  if (isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  int size = (int)etr_number_of_double(text, value);
  bool is_whole = strcspn(text, ".e") >= (size_t)size;
  return etr_arena_format(a->arena, "%.*s%s", size, text, is_whole ? ".0" : "");
}

static const char *text_of_string(arguments *a, const char *value) {
  etr_json_brief brief;
  etr_json_brief_init(&brief);
  etr_json_brief_string(&brief, etr_slice_of(value));
  return etr_arena_format(a->arena, "%.*s", (int)brief.size, brief.text);
}

/* An integer of a list; NULL: the program computes it. */
static const int64_t *item_of(const arguments *a, int32_t index) {
  if (index < 0 || a->is_computed[index] || a->program->values[index].kind != ETR_PTE_VALUE_INT) return NULL;
  return &a->program->values[index].scalar.integer;
}

/* Cut as json_brief.h cuts lists. */
static const char *text_of_list(arguments *a, const etr_pte_value *list) {
  char text[ETR_JSON_BRIEF_BYTES + 64];
  size_t size = 1;
  text[0] = '[';
  for (size_t i = 0; i < list->item_count; i++) {
    const int64_t *item = item_of(a, list->items[i]);
    const char *comma = i ? ", " : "";
    bool is_full = size > ETR_JSON_BRIEF_BYTES;
    if (is_full)
      size += (size_t)snprintf(text + size, sizeof text - size, "%s\"...\"", comma);
    else if (item)
      size += (size_t)snprintf(text + size, sizeof text - size, "%s%" PRId64, comma, *item);
    else
      size += (size_t)snprintf(text + size, sizeof text - size, "%snull", comma);
    if (is_full) break;
  }
  return etr_arena_format(a->arena, "%.*s]", (int)size, text);
}

static const char *make_text(arguments *a, const etr_pte_value *value) {
  switch (value->kind) {
  case ETR_PTE_VALUE_INT: return etr_arena_format(a->arena, "%" PRId64, value->scalar.integer);
  case ETR_PTE_VALUE_BOOL: return value->scalar.integer ? "true" : "false";
  case ETR_PTE_VALUE_DOUBLE: return text_of_double(a, value->scalar.real);
  case ETR_PTE_VALUE_STRING: return value->scalar.text ? text_of_string(a, value->scalar.text) : NULL;
  case ETR_PTE_VALUE_INT_LIST: return text_of_list(a, value);
  default: return NULL;
  }
}

/* Made once of each value: kernels share them. */
static const char *text_of(arguments *a, int32_t index) {
  if (index < 0 || (size_t)index >= a->program->value_count || a->is_computed[index]) return NULL;
  if (!a->texts[index]) a->texts[index] = make_text(a, &a->program->values[index]);
  return a->texts[index];
}

/* ---- All ---- */

bool etr_program_arguments_give(arguments *a, etr_node *node, const etr_instruction *instruction) {
  etr_vec(etr_argument) list = {0};
  etr_slice op = etr_operator_of_kernel(instruction->op);
  for (size_t i = 0; i < instruction->arg_count && list.count < ETR_MOST_ARGUMENTS; i++) {
    const char *text = text_of(a, instruction->args[i]), *name = etr_argument_name(op, i);
    etr_argument *added = text ? etr_vec_push(a->arena, &list) : NULL;
    if (text && !added) return false;
    if (added) *added = (etr_argument){name ? name : etr_arena_format(a->arena, "arg_%zu", i), text};
  }
  node->arguments = list.data;
  node->argument_count = list.count;
  return !etr_arena_failed(a->arena);
}
