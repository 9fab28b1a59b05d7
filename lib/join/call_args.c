/* SPDX-License-Identifier: BSD-3-Clause
 *
 * call_args.c - arguments, told apart.
 */
#include "join/call_args.h"

enum { MOST_ITEMS_IN_ALL = 1 << 22 };

/* What is known of the call being looked at. */
typedef struct call {
  etr_call_args *args;
  const etr_instruction *instruction;
} call;

static void add(etr_call_args *args, int32_t value, bool is_written, bool is_unsure) {
  if (!etr_tensor_at(args->join->program, value)) return;
  etr_call_arg *added = etr_vec_push(args->arena, &args->list);
  if (added) *added = (etr_call_arg){value, is_written, is_unsure};
}

/* A tensor, or those of a list. */
static void add_all(etr_call_args *args, int32_t value, bool is_written, bool is_unsure) {
  const etr_pte_method *program = args->join->program;
  if (value < 0 || (size_t)value >= program->value_count) return;
  const etr_pte_value *list = &program->values[value];
  add(args, value, is_written, is_unsure);
  if (list->item_count > args->items_left) args->is_cut = true;
  if (list->item_count > args->items_left) return;
  args->items_left -= list->item_count;
  for (size_t i = 0; i < list->item_count; i++) add(args, list->items[i], is_written, is_unsure);
}

/* ---- Kernels ---- */

/* An out argument is what a kernel returns, too: it stands there twice, or in two lists. */
static void note_results(const call *c, int32_t instruction_id) {
  size_t count;
  const int32_t *results = etr_results_of(c->args->join->program, c->instruction, &count);
  if (etr_changes_first(c->instruction)) return;
  if (count > c->args->items_left) c->args->is_cut = true;
  if (count > c->args->items_left) return;
  c->args->items_left -= count;
  for (size_t i = 0; i < count; i++)
    if (results[i] >= 0) c->args->returned_by[results[i]] = instruction_id;
}

static void list_kernel(const call *c, int32_t instruction_id) {
  note_results(c, instruction_id);
  for (size_t i = 0; i < c->instruction->arg_count; i++)
    add_all(c->args, c->instruction->args[i], i == 0 && etr_fills_first(c->instruction), false);
  for (size_t i = 0; i < c->args->list.count; i++) {
    etr_call_arg *arg = &c->args->list.data[i];
    arg->is_written |= c->args->returned_by[arg->value] == instruction_id;
  }
}

/* ---- Delegates ---- */

static bool is_argument(const etr_payload *payload, uint32_t value, size_t argument) {
  return value != ETR_NONE && payload->values[value].argument == (int32_t)argument;
}

static bool payload_writes(const etr_payload *payload, size_t argument) {
  for (size_t i = 0; i < payload->count; i++)
    if (is_argument(payload, payload->operators[i].output, argument)) return true;
  return false;
}

static bool payload_reads(const etr_payload *payload, size_t argument) {
  for (size_t i = 0; i < payload->count; i++)
    for (uint8_t k = 0; k < payload->operators[i].input_count; k++)
      if (is_argument(payload, payload->operators[i].inputs[k], argument)) return true;
  return false;
}

/* Inputs stand before outputs. The payload tells them apart, but for those of operators that are not known to us, or
 * the number of results that leave it in the graph. */
static void list_delegate(const call *c, int32_t instruction_id) {
  const etr_join_instruction *known = etr_join_find(c->args->join, instruction_id);
  const etr_payload *payload = known ? known->payload : NULL;
  size_t count = c->instruction->arg_count, leaving = 0;
  (void)etr_outputs_of_delegate(&c->args->leaving, instruction_id, &leaving, c->args->arena);
  bool is_told = payload || (leaving > 0 && leaving < count);
  for (size_t i = 0; i < count; i++) {
    bool writes = payload ? payload_writes(payload, i) : is_told && i + leaving >= count;
    bool is_unsure = payload ? !writes && !payload_reads(payload, i) : !is_told;
    add_all(c->args, c->instruction->args[i], writes, is_unsure);
  }
}

/* ---- All ---- */

bool etr_call_args_init(etr_call_args *args, const etr_method_join *join, etr_arena *arena) {
  *args = (etr_call_args){.join = join, .arena = arena, .items_left = MOST_ITEMS_IN_ALL};
  args->returned_by = etr_arena_alloc_array(arena, join->program->value_count, sizeof *args->returned_by);
  for (size_t i = 0; args->returned_by && i < join->program->value_count; i++) args->returned_by[i] = -1;
  return args->returned_by && etr_delegate_outputs_find(&args->leaving, join, arena);
}

void etr_call_args_list(etr_call_args *args, int32_t instruction_id) {
  const call c = {args, &args->join->program->instructions[instruction_id]};
  args->list.count = 0;
  switch (c.instruction->kind) {
  case ETR_INSTRUCTION_KERNEL: list_kernel(&c, instruction_id); break;
  case ETR_INSTRUCTION_DELEGATE: list_delegate(&c, instruction_id); break;
  case ETR_INSTRUCTION_MOVE:
    for (size_t i = 0; i < c.instruction->arg_count; i++) add_all(args, c.instruction->args[i], i > 0, false);
    break;
  case ETR_INSTRUCTION_JUMP_FALSE:
  case ETR_INSTRUCTION_FREE:
    for (size_t i = 0; i < c.instruction->arg_count; i++) add_all(args, c.instruction->args[i], false, false);
    break;
  case ETR_INSTRUCTION_UNKNOWN: break;
  }
}
