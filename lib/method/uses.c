/* SPDX-License-Identifier: BSD-3-Clause
 *
 * uses.c - distinguishes the arguments that an instruction reads from those that it writes.
 */
#include "method/uses.h"

#include "backends/backends.h"
#include "backends/operator.h"

enum { MOST_ITEMS_IN_ALL = 1 << 22 };

static bool spend(etr_uses *u, size_t items) {
  bool enough = etr_spend(&u->items_left, items);
  u->is_cut |= !enough;
  return enough;
}

static void add_use(etr_uses *u, etr_use use) {
  etr_use *added = etr_vec_push(u->arena, &u->list);
  if (added) *added = use;
}

/* Adds a tensor, or a list and its tensors. */
static void add_argument(etr_uses *u, const etr_instruction *instruction, size_t index, etr_use use) {
  const etr_pte_method *program = u->method->program;
  use.value = instruction->args[index];
  use.argument = (uint32_t)index;
  if (use.value < 0 || (size_t)use.value >= program->value_count) return;
  const etr_pte_value *value = &program->values[use.value];
  use.is_list = value->kind == ETR_PTE_VALUE_TENSOR_LIST;
  if (use.is_list || value->kind == ETR_PTE_VALUE_TENSOR) add_use(u, use);
  if (!use.is_list || !spend(u, value->item_count)) return;
  use.is_list = false;
  for (size_t i = 0; i < value->item_count; i++) {
    use.value = value->items[i];
    if (etr_tensor_at(program, use.value)) add_use(u, use);
  }
}

/* ---- Kernels ---- */

static bool is_kernel(const etr_instruction *instruction, const char *name) {
  return instruction->kind == ETR_INSTRUCTION_KERNEL && instruction->op && strcmp(instruction->op, name) == 0;
}

/* Returns whether a kernel changes its first argument: its name ends with an underscore ("aten::index_put_"), or it
 * collects the results of a loop piece by piece (kernels/prim_ops/et_copy_index.cpp). */
static bool changes_first(const etr_instruction *instruction) {
  return instruction->op && etr_operator_is_in_place(etr_operator_of_kernel(instruction->op));
}

/* Returns true for a kernel that changes other arguments: ATen's batch norms change the running statistics passed to
 * them, except for the variants that do not train. */
static bool changes_others(const etr_instruction *instruction) {
  const char *op = instruction->op ? instruction->op : "";
  return strncmp(op, "aten::rrelu_with_noise", 22) == 0 || (strstr(op, "batch_norm") && !strstr(op, "no_training"));
}

static void list_kernel(etr_uses *u, const etr_instruction *instruction, int32_t id) {
  bool is_in_place = changes_first(instruction);
  bool writes_first = is_in_place || is_kernel(instruction, "executorch_prim::et_copy_index");
  /* A kernel's result is also passed to it as an argument: it is listed twice, or in two lists. */
  u->results = etr_results_of(u->method->program, instruction, &u->result_count);
  if (spend(u, u->result_count)) {
    for (size_t i = 0; i < u->result_count; i++)
      if (etr_tensor_at(u->method->program, u->results[i])) u->returned_by[u->results[i]] = id;
  }
  u->changes_arguments = is_in_place || changes_others(instruction);
  for (size_t i = 0; i < instruction->arg_count; i++) add_argument(u, instruction, i, (etr_use){.is_read = true});
  for (size_t i = 0; i < u->list.count; i++) {
    etr_use *use = &u->list.data[i];
    bool is_last = use->argument + 1 == instruction->arg_count, is_first = use->argument == 0;
    bool is_list_of_results = use->is_list &&
                              etr_is_list_of(&u->method->program->values[use->value], u->results, u->result_count);
    use->is_written = is_last || (is_first && writes_first) || is_list_of_results ||
                      (!use->is_list && u->returned_by[use->value] == id);
    use->is_read = !use->is_written || (is_in_place && use->value == instruction->args[0]);
  }
  bool is_view = is_kernel(instruction, "executorch_prim::et_view") && instruction->arg_count > 1;
  if (is_view) u->handed_on = instruction->args[0];
}

/* ---- Delegates ---- */

enum { IS_READ = 1, IS_WRITTEN = 2 };

static void mark_uses(etr_uses *u, size_t count, int32_t argument, uint8_t how) {
  if (argument >= 0 && (size_t)argument < count) u->marks[argument] |= how;
}

static bool make_room(etr_uses *u, size_t count) {
  if (count > u->mark_room) {
    u->mark_room = ETR_MAX(count, 2 * u->mark_room);
    u->marks = etr_arena_alloc_array(u->arena, u->mark_room, 1);
  }
  if (u->marks && count) memset(u->marks, 0, count);
  return u->marks || count == 0;
}

static void list_delegate(etr_uses *u, const etr_instruction *instruction, int32_t id) {
  if (!make_room(u, instruction->arg_count)) return;
  /* Marks how each argument is used; arguments that no operator of the payload uses get no mark. */
  const etr_pte_delegate *delegate = etr_delegate_of(u->method->program, instruction);
  const etr_backend *backend = delegate && u->method->payloads ? etr_backend_of(delegate->backend) : NULL;
  const etr_payload *payload = backend ? etr_payloads_read(u->method->payloads, backend, delegate->payload) : NULL;
  const etr_own_graph *own = payload || !u->opens_graphs ? NULL : etr_method_own_graph(u->method, id);
  size_t count = instruction->arg_count, results = u->results_of ? u->results_of[id] : 0;
  if (payload && spend(u, payload->count)) {
    for (size_t i = 0; i < payload->count; i++) {
      const etr_payload_operator *o = &payload->operators[i];
      for (uint8_t k = 0; k < o->input_count; k++)
        if (o->inputs[k] != ETR_NONE) mark_uses(u, count, payload->values[o->inputs[k]].argument, IS_READ);
      if (o->output != ETR_NONE) mark_uses(u, count, payload->values[o->output].argument, IS_WRITTEN);
    }
  } else if (own) {
    for (size_t i = 0; i < count; i++) u->marks[i] = IS_READ;
    for (size_t i = 0; i < own->written_count; i++)
      if (own->written[i] < count) u->marks[own->written[i]] = IS_WRITTEN;
  } else if (results && results < count) {
    for (size_t i = 0; i < count; i++) u->marks[i] = i + results >= count ? IS_WRITTEN : IS_READ;
  }
  for (size_t i = 0; i < instruction->arg_count; i++) {
    bool is_written = u->marks[i] & IS_WRITTEN, is_unsure = u->marks[i] == 0;
    add_argument(u, instruction, i,
                 (etr_use){.is_read = !is_written, .is_written = is_written, .is_unsure = is_unsure});
  }
}

/* ---- All ---- */

bool etr_uses_init(etr_uses *uses, const etr_method_inputs *method, const uint32_t *results_of, etr_arena *arena) {
  *uses = (etr_uses){.method = method, .results_of = results_of, .arena = arena, .items_left = MOST_ITEMS_IN_ALL};
  uses->returned_by = etr_arena_alloc_array(arena, method->program->value_count, sizeof *uses->returned_by);
  for (size_t i = 0; uses->returned_by && i < method->program->value_count; i++) uses->returned_by[i] = -1;
  return uses->returned_by != NULL;
}

void etr_uses_list(etr_uses *u, int32_t id) {
  const etr_instruction *instruction = &u->method->program->instructions[id];
  u->list.count = 0;
  u->results = NULL;
  u->result_count = 0;
  u->handed_on = -1;
  u->changes_arguments = false;
  switch (instruction->kind) {
  case ETR_INSTRUCTION_KERNEL: list_kernel(u, instruction, id); break;
  case ETR_INSTRUCTION_DELEGATE: list_delegate(u, instruction, id); break;
  case ETR_INSTRUCTION_MOVE:
    for (size_t i = 0; i < instruction->arg_count; i++)
      add_argument(u, instruction, i, (etr_use){.is_read = i == 0, .is_written = i > 0});
    if (instruction->arg_count == 2) u->handed_on = instruction->args[0];
    break;
  case ETR_INSTRUCTION_JUMP_FALSE:
  case ETR_INSTRUCTION_FREE:
    for (size_t i = 0; i < instruction->arg_count; i++) add_argument(u, instruction, i, (etr_use){.is_read = true});
    break;
  case ETR_INSTRUCTION_UNKNOWN: break;
  }
}
