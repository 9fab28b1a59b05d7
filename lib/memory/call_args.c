/* SPDX-License-Identifier: BSD-3-Clause
 *
 * call_args.c - arguments, told apart.
 */
#include "memory/call_args.h"

enum { MOST_ITEMS_IN_ALL = 1 << 22 };

/* What is known of the call being looked at. */
typedef struct call {
  etr_call_args *args;
  const etr_instruction *instruction;
} call;

static void add(etr_call_args *args, int32_t value, bool is_written, bool is_unsure) {
  if (!etr_tensor_at(args->placement->method->program, value)) return;
  etr_call_arg *added = etr_vec_push(args->arena, &args->list);
  if (added) *added = (etr_call_arg){value, is_written, is_unsure};
}

/* A tensor, or those of a list. */
static void add_all(etr_call_args *args, int32_t value, bool is_written, bool is_unsure) {
  const etr_pte_method *program = args->placement->method->program;
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
  const int32_t *results = etr_results_of(c->args->placement->method->program, c->instruction, &count);
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

enum { IS_READ = 1, IS_WRITTEN = 2 };

static void mark(uint8_t *marks, size_t count, const etr_payload *payload, uint32_t value, uint8_t how) {
  int32_t argument = value == ETR_NONE ? -1 : payload->values[value].argument;
  if (argument >= 0 && (size_t)argument < count) marks[argument] |= how;
}

/* What the payload's operators do with each argument of a call. NULL when out of memory. */
static const uint8_t *mark_arguments(etr_call_args *args, const etr_payload *payload, size_t count) {
  if (count > args->mark_room) {
    args->mark_room = ETR_MAX(count, 2 * args->mark_room);
    args->marks = etr_arena_alloc_array(args->arena, args->mark_room, 1);
  }
  if (!args->marks) return NULL;
  memset(args->marks, 0, count);
  for (size_t i = 0; i < payload->count; i++) {
    const etr_payload_operator *o = &payload->operators[i];
    for (uint8_t k = 0; k < o->input_count; k++) mark(args->marks, count, payload, o->inputs[k], IS_READ);
    mark(args->marks, count, payload, o->output, IS_WRITTEN);
  }
  return args->marks;
}

/* Inputs stand before outputs. The payload tells them apart, but for those of operators that are not known to us, or
 * the number of results that leave it in the graph. */
static void list_delegate(const call *c, int32_t instruction_id) {
  const etr_placed *known = etr_placed_instruction(c->args->placement, instruction_id);
  const etr_payload *payload = known ? known->payload : NULL;
  size_t count = c->instruction->arg_count, leaving = 0;
  (void)etr_outputs_of_delegate(&c->args->leaving, instruction_id, &leaving, c->args->arena);
  const uint8_t *marks = payload && count ? mark_arguments(c->args, payload, count) : NULL;
  bool is_told = leaving > 0 && leaving < count;
  if (payload && !marks) return;
  for (size_t i = 0; i < count; i++) {
    bool writes = marks ? marks[i] & IS_WRITTEN : is_told && i + leaving >= count;
    bool is_unsure = marks ? marks[i] == 0 : !is_told;
    add_all(c->args, c->instruction->args[i], writes, is_unsure);
  }
}

/* ---- All ---- */

bool etr_call_args_init(etr_call_args *args, const etr_placement *placement, etr_arena *arena) {
  *args = (etr_call_args){.placement = placement, .arena = arena, .items_left = MOST_ITEMS_IN_ALL};
  args->returned_by = etr_arena_alloc_array(arena, placement->method->program->value_count, sizeof *args->returned_by);
  for (size_t i = 0; args->returned_by && i < placement->method->program->value_count; i++) args->returned_by[i] = -1;
  return args->returned_by && etr_delegate_outputs_find(&args->leaving, placement, arena);
}

void etr_call_args_list(etr_call_args *args, int32_t instruction_id) {
  const call c = {args, &args->placement->method->program->instructions[instruction_id]};
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
