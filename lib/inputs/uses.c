/* SPDX-License-Identifier: BSD-3-Clause
 *
 * uses.c - distinguishes the arguments that an instruction reads from those that it writes.
 */
#include "inputs/uses.h"

#include "backends/backends.h"
#include "backends/operator.h"
#include "base/stats.h"

/* Tensors and numbers in all lists of a method together. Lists may be in many arguments, so that a
 * small file could ask for very many uses. */
enum { MOST_ITEMS_IN_ALL = 1 << 22 };

/* Takes items of a list from u->items_left, the limit for the lists of all instructions together,
 * because a small file can refer to one long list often. Returns false, and sets is_cut, if there
 * are not enough left. */
static bool spend_items(etr_uses *u, size_t items) {
  bool enough = etr_spend(&u->items_left, items);
  u->is_cut |= !enough;
  return enough;
}

/* Appends a use to the list of the instruction's uses. When out of memory, the arena has failed. */
static void add_use(etr_uses *u, etr_use use) {
  etr_use *added = etr_vec_push(u->arena, &u->list);
  if (added)
    *added = use;
}

static bool is_scalar(const etr_pte_value *value) {
  return value->kind == ETR_PTE_VALUE_INT || value->kind == ETR_PTE_VALUE_BOOL ||
         value->kind == ETR_PTE_VALUE_DOUBLE;
}

/* Adds uses of a number, or of each number of a list. `use` says how it is used. Does nothing for
 * other values, or if the limit of items is reached. */
static void add_uses_of_numbers(etr_uses *u, const etr_pte_value *value, etr_use use) {
  const etr_pte_method *program = u->method->program;
  if (is_scalar(value))
    add_use(u, use);
  if (value->kind != ETR_PTE_VALUE_INT_LIST || !spend_items(u, value->item_count))
    return;
  for (size_t i = 0; i < value->item_count; i++) {
    use.value = value->items[i];
    bool is_known = use.value >= 0 && (size_t)use.value < program->value_count;
    if (is_known && is_scalar(&program->values[use.value]))
      add_use(u, use);
  }
}

/* Adds the uses of an instruction's argument: of a tensor, or of a list of tensors and then of each
 * of its tensors. Uses of numbers are added only if lists_numbers is set, and not for a delegate
 * call. `use` says how the argument is used. A list for which the limit of items leaves no room is
 * added without its tensors. */
static void add_uses_of_argument(etr_uses *u, const etr_instruction *instruction, size_t index,
                                 etr_use use) {
  const etr_pte_method *program = u->method->program;
  use.value = instruction->args[index];
  use.argument = (uint32_t)index;
  if (use.value < 0 || (size_t)use.value >= program->value_count)
    return;
  const etr_pte_value *value = &program->values[use.value];
  if (u->lists_numbers && instruction->kind != ETR_INSTRUCTION_DELEGATE)
    add_uses_of_numbers(u, value, use);
  use.is_list = value->kind == ETR_PTE_VALUE_TENSOR_LIST;
  if (use.is_list || value->kind == ETR_PTE_VALUE_TENSOR)
    add_use(u, use);
  if (!use.is_list || !spend_items(u, value->item_count))
    return;
  use.is_list = false;
  for (size_t i = 0; i < value->item_count; i++) {
    use.value = value->items[i];
    if (etr_tensor_at(program, use.value))
      add_use(u, use);
  }
}

/* ---- Kernels ---- */

static bool is_call_of_kernel(const etr_instruction *instruction, const char *name) {
  return instruction->kind == ETR_INSTRUCTION_KERNEL && instruction->op &&
         strcmp(instruction->op, name) == 0;
}

/* Returns whether a kernel changes its first argument: its name ends with an underscore
 * ("aten::index_put_"), or it collects the results of a loop piece by piece
 * (kernels/prim_ops/et_copy_index.cpp). */
static bool changes_first_argument(const etr_instruction *instruction) {
  return instruction->op && etr_operator_is_in_place(etr_operator_of_kernel(instruction->op));
}

/* Lists how a kernel call, the instruction with this id, uses its arguments. Those that it returns
 * are written and others read; one that it changes in place is both. et_copy_index writes into its
 * first argument, too, and only reads the others although its result may be the last. */
static void list_uses_of_kernel(etr_uses *u, const etr_instruction *instruction, int32_t id) {
  bool is_in_place = changes_first_argument(instruction);
  bool is_copy_index = is_call_of_kernel(instruction, "executorch_prim::et_copy_index");
  bool writes_first = is_in_place || is_copy_index;
  /* A kernel's result is also passed to it as an argument: it is listed twice, or in two lists. */
  u->results = etr_results_of(u->method->program, instruction, &u->result_count);
  if (spend_items(u, u->result_count)) {
    for (size_t i = 0; i < u->result_count; i++)
      if (etr_tensor_at(u->method->program, u->results[i]))
        u->returned_by[u->results[i]] = id;
  }
  for (size_t i = 0; i < instruction->arg_count; i++)
    add_uses_of_argument(u, instruction, i, (etr_use){.is_read = true});
  for (size_t i = 0; i < u->list.count; i++) {
    etr_use *use = &u->list.data[i];
    bool is_last = use->argument + 1 == instruction->arg_count &&
                   !(is_copy_index && use->argument > 0);
    bool is_first = use->argument == 0;
    const etr_pte_value *value = &u->method->program->values[use->value];
    bool is_result = use->is_list ? etr_is_list_of(value, u->results, u->result_count)
                                  : u->returned_by[use->value] == id;
    use->is_written = is_last || (is_first && writes_first) || is_result;
    use->is_read = !use->is_written || (is_in_place && use->value == instruction->args[0]);
  }
  /* The result of et_view, its last argument, refers to the data of its first. */
  bool is_view = is_call_of_kernel(instruction, "executorch_prim::et_view") &&
                 instruction->arg_count > 1;
  if (is_view)
    u->handed_on = instruction->args[0];
}

/* ---- Delegates ---- */

enum { IS_READ = 1, IS_WRITTEN = 2 };

/* Marks an argument of a call, which has `count`, as read or written. An index of -1 or of a
 * damaged payload is ignored. */
static void mark_argument(etr_uses *u, size_t count, int32_t argument, uint8_t use) {
  if (argument >= 0 && (size_t)argument < count)
    u->marks[argument] |= use;
}

/* Clears the marks of a call's `count` arguments, which say whether the delegate reads or writes
 * each, and allocates more if it has more than any call before. Returns false when out of memory.
 */
static bool clear_marks(etr_uses *u, size_t count) {
  if (count > u->mark_capacity) {
    u->mark_capacity = ETR_MAX(count, 2 * u->mark_capacity);
    u->marks = etr_arena_alloc_array(u->arena, u->mark_capacity, 1);
  }
  if (u->marks && count)
    memset(u->marks, 0, count);
  return u->marks || count == 0;
}

/* Marks how each of a call's `count` arguments is used, by the operators of its payload. Arguments
 * that no operator uses get no mark. */
static void mark_by_payload(etr_uses *u, const etr_payload *payload, size_t count) {
  for (size_t i = 0; i < payload->count; i++) {
    const etr_payload_operator *operator_ = &payload->operators[i];
    for (uint8_t k = 0; k < operator_->input_count; k++)
      if (operator_->inputs[k] != ETR_NONE)
        mark_argument(u, count, payload->values[operator_->inputs[k]].argument, IS_READ);
    if (operator_->output != ETR_NONE)
      mark_argument(u, count, payload->values[operator_->output].argument, IS_WRITTEN);
  }
}

/* Marks the arguments that the backend graph writes, and the others of `count` as read. */
static void mark_by_graph(etr_uses *u, const etr_own_graph *graph, size_t count) {
  for (size_t i = 0; i < count; i++)
    u->marks[i] = IS_READ;
  for (size_t i = 0; i < graph->written_count; i++)
    if (graph->written[i] < count)
      u->marks[graph->written[i]] = IS_WRITTEN;
}

/* Marks the last of a call's `count` arguments, as many as it has results, as written, and the
 * others as read. */
static void mark_by_result_count(etr_uses *u, size_t results, size_t count) {
  for (size_t i = 0; i < count; i++)
    u->marks[i] = i + results >= count ? IS_WRITTEN : IS_READ;
}

/* Lists how a delegate call uses its arguments: by the operators of its payload, or else by the
 * graph that is shown for it, or else by its number of results. If nothing of these is known, the
 * uses are unsure. */
static void list_uses_of_call(etr_uses *u, const etr_instruction *instruction, int32_t id) {
  size_t count = instruction->arg_count;
  if (!clear_marks(u, count))
    return;
  etr_payloads *payloads = u->method->payloads;
  const etr_pte_delegate *delegate = etr_delegate_of(u->method->program, instruction);
  const etr_backend *backend = delegate && payloads ? etr_backend_of(delegate->backend) : NULL;
  const etr_payload *payload = NULL;
  if (backend)
    payload = etr_payloads_read(payloads, backend, delegate->payload);
  const etr_own_graph *graph = NULL;
  if (!payload && u->opens_graphs)
    graph = etr_method_own_graph(u->method, id);
  size_t results = u->results_of ? u->results_of[id] : 0;
  if (payload && spend_items(u, payload->count))
    mark_by_payload(u, payload, count);
  else if (graph)
    mark_by_graph(u, graph, count);
  else if (results && results < count)
    mark_by_result_count(u, results, count);
  for (size_t i = 0; i < count; i++) {
    bool is_written = u->marks[i] & IS_WRITTEN;
    bool is_unsure = u->marks[i] == 0;
    etr_use use = {
        .is_read = !is_written,
        .is_written = is_written,
        .is_unsure = is_unsure,
    };
    add_uses_of_argument(u, instruction, i, use);
  }
}

/* ---- All ---- */

bool etr_uses_init(etr_uses *uses, const etr_method_inputs *method, const uint32_t *results_of,
                   etr_arena *arena) {
  *uses = (etr_uses){
      .method = method,
      .results_of = results_of,
      .arena = arena,
      .items_left = MOST_ITEMS_IN_ALL,
  };
  uses->returned_by = etr_arena_alloc_array(arena, method->program->value_count,
                                            sizeof *uses->returned_by);
  for (size_t i = 0; uses->returned_by && i < method->program->value_count; i++)
    uses->returned_by[i] = -1;
  return uses->returned_by != NULL;
}

/* The list, `results` and handed_on are those of this instruction only. A jump reads its condition,
 * and an instruction that frees a value counts as reading it. */
void etr_uses_list(etr_uses *u, int32_t id) {
  const etr_instruction *instruction = &u->method->program->instructions[id];
  u->list.count = 0;
  u->results = NULL;
  u->result_count = 0;
  u->handed_on = -1;
  switch (instruction->kind) {
  case ETR_INSTRUCTION_KERNEL:
    list_uses_of_kernel(u, instruction, id);
    break;
  case ETR_INSTRUCTION_DELEGATE:
    list_uses_of_call(u, instruction, id);
    break;
  case ETR_INSTRUCTION_MOVE:
    for (size_t i = 0; i < instruction->arg_count; i++)
      add_uses_of_argument(u, instruction, i, (etr_use){.is_read = i == 0, .is_written = i > 0});
    if (instruction->arg_count == 2)
      u->handed_on = instruction->args[0];
    break;
  case ETR_INSTRUCTION_JUMP_FALSE:
  case ETR_INSTRUCTION_FREE:
    for (size_t i = 0; i < instruction->arg_count; i++)
      add_uses_of_argument(u, instruction, i, (etr_use){.is_read = true});
    break;
  case ETR_INSTRUCTION_UNKNOWN:
    break;
  }
}

/* ---- Which writes reach a read ---- */

enum { MOST_STEPS_IN_ALL = 1 << 20 }; /* borders between parts that all searches cross together */

/* Compares writes for sorting: by value, then by instruction. Jumps are sorted by it, too; their
 * `value` is the part that they go to. */
static int compare_writes(const void *a, const void *b) {
  const etr_write *x = a, *y = b;
  if (x->value != y->value)
    return x->value < y->value ? -1 : 1;
  return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

/* The limit of steps is for all searches together. */
void etr_reaching_init(etr_reaching *r, const etr_pte_method *program, etr_arena *arena) {
  *r = (etr_reaching){
      .program = program,
      .arena = arena,
      .steps_left = MOST_STEPS_IN_ALL,
  };
  etr_map_init(&r->single_write_at, arena);
}

bool etr_reaching_add(etr_reaching *r, int32_t value, int32_t instruction) {
  etr_write *added = etr_vec_push(r->arena, &r->writes);
  if (added)
    *added = (etr_write){value, instruction};
  return added != NULL;
}

/* Returns the index of the first write, in their order, that is not before this value and
 * instruction; the number of writes if all are. */
static size_t first_write_from(const etr_reaching *r, int32_t value, int32_t instruction) {
  const etr_write wanted = {value, instruction};
  return etr_lower_bound(&wanted, r->writes.data, r->writes.count, sizeof wanted, compare_writes);
}

uint32_t etr_reaching_last(const etr_reaching *r, int32_t value, int32_t instruction) {
  size_t next = first_write_from(r, value, instruction);
  bool is_of_value = next > 0 && r->writes.data[next - 1].value == value;
  return is_of_value ? (uint32_t)(next - 1) : ETR_NONE;
}

/* Where control may go after an instruction: to the next one, to the target of its jump, or to
 * either. ExecuTorch jumps over a branch unconditionally by a condition that is the constant false.
 */
typedef struct jump_ways {
  bool falls_through, to_target;
} jump_ways;

/* Returns where control may go after an instruction. A jump is taken if its condition is false. The
 * condition is a constant, so that only one way is possible, if it is a bool of the program that no
 * instruction writes, and no input. */
static jump_ways ways_after(const etr_reaching *r, size_t id) {
  const etr_instruction *jump = &r->program->instructions[id];
  if (jump->kind != ETR_INSTRUCTION_JUMP_FALSE)
    return (jump_ways){.falls_through = true};
  int32_t condition = jump->arg_count ? jump->args[0] : -1;
  bool is_known = condition >= 0 && (size_t)condition < r->program->value_count &&
                  r->program->values[condition].kind == ETR_PTE_VALUE_BOOL &&
                  etr_reaching_last(r, condition, INT32_MAX) == ETR_NONE;
  for (size_t i = 0; is_known && i < r->program->input_count; i++)
    is_known = r->program->inputs[i] != condition;
  bool is_true = is_known && r->program->values[condition].scalar.integer;
  return (jump_ways){.falls_through = !is_known || is_true,
                     .to_target = jump->jump_target >= 0 && !is_true};
}

/* Splits the instructions into parts (basic blocks): a part starts at the first instruction, at the
 * target of a jump, and behind a jump that is always taken. Sets part_of and part_starts, and
 * r->jumps to pairs of a part and a jump that goes to it, sorted by part. Returns false when out of
 * memory. */
static bool split_into_parts(etr_reaching *r) {
  size_t count = r->program->instruction_count;
  bool *starts_part = etr_arena_alloc_array(r->arena, count + 1, sizeof *starts_part);
  r->part_of = etr_arena_alloc_array(r->arena, count + 1, sizeof *r->part_of);
  if (etr_arena_failed(r->arena))
    return false;
  for (size_t i = 0; i < count; i++) {
    jump_ways go = ways_after(r, i);
    if (go.to_target)
      starts_part[r->program->instructions[i].jump_target] = true;
    starts_part[i + 1] |= !go.falls_through;
  }
  for (size_t i = 0; i <= count; i++) {
    uint32_t *start = i == 0 || starts_part[i] ? etr_vec_push(r->arena, &r->part_starts) : NULL;
    if (start)
      *start = (uint32_t)i;
    r->part_of[i] = (uint32_t)(r->part_starts.count - 1);
  }
  for (size_t i = 0; i < count; i++) {
    if (!ways_after(r, i).to_target)
      continue;
    etr_write *jump = etr_vec_push(r->arena, &r->jumps);
    if (!jump)
      return false;
    int32_t target = r->program->instructions[i].jump_target;
    *jump = (etr_write){(int32_t)r->part_of[target], (int32_t)i};
  }
  etr_sort(r->jumps.data, r->jumps.count, sizeof *r->jumps.data, compare_writes);
  r->last_search_of = etr_arena_alloc_array(r->arena, r->part_starts.count,
                                            sizeof *r->last_search_of);
  r->is_reachable = etr_arena_alloc_array(r->arena, r->part_starts.count, sizeof *r->is_reachable);
  return r->last_search_of && r->is_reachable && !etr_arena_failed(r->arena);
}

/* Marks a part as reachable. If it was not, it waits until the ways out of it are followed. Returns
 * false when out of memory. */
static bool reach_part(etr_reaching *r, uint32_t part) {
  if (r->is_reachable[part])
    return true;
  r->is_reachable[part] = true;
  uint32_t *added = etr_vec_push(r->arena, &r->waiting);
  if (added)
    *added = part;
  return added != NULL;
}

/* Marks the parts that control can get to from the first instruction. Writes in the others reach
 * nothing. Returns false when out of memory. */
static bool mark_reachable_parts(etr_reaching *r) {
  bool good = reach_part(r, 0);
  while (good && r->waiting.count) {
    uint32_t part = r->waiting.data[--r->waiting.count];
    bool is_last = part + 1 == r->part_starts.count;
    bool goes_on = !is_last;
    size_t end = is_last ? r->program->instruction_count : r->part_starts.data[part + 1];
    for (size_t i = r->part_starts.data[part]; good && i < end; i++) {
      jump_ways go = ways_after(r, i);
      if (go.to_target)
        good = reach_part(r, r->part_of[r->program->instructions[i].jump_target]);
      goes_on = goes_on && go.falls_through;
    }
    good = good && (!goes_on || reach_part(r, part + 1));
  }
  return good;
}

bool etr_reaching_finish(etr_reaching *r) {
  size_t kept = 0;
  etr_sort(r->writes.data, r->writes.count, sizeof *r->writes.data, compare_writes);
  for (size_t i = 0; i < r->writes.count; i++)
    if (i == 0 || compare_writes(&r->writes.data[kept - 1], &r->writes.data[i]) != 0)
      r->writes.data[kept++] = r->writes.data[i];
  r->writes.count = kept;
  return split_into_parts(r) && mark_reachable_parts(r);
}

/* Adds a write, by its index, to those that the search found. Returns false when out of memory. */
static bool add_found_write(etr_reaching *r, uint32_t write) {
  uint32_t *added = etr_vec_push(r->arena, &r->found);
  if (added)
    *added = write;
  return added != NULL;
}

/* Adds the end of an instruction to the points from which the search still has to go back, unless
 * the instruction can never run. Returns false if the search takes too long (is_cut is then set),
 * or when out of memory. */
static bool search_before_end_of(etr_reaching *r, size_t instruction) {
  if (!r->is_reachable[r->part_of[instruction]])
    return true;
  if (!etr_spend(&r->steps_left, 1)) {
    r->is_cut = true;
    return false;
  }
  uint32_t *added = etr_vec_push(r->arena, &r->waiting);
  if (added)
    *added = (uint32_t)instruction;
  return added != NULL;
}

/* Continues the search before the start of a part: at the end of the instruction before it, if
 * control can go on from there, and at each jump to it. Before the first part (0) is the start of
 * the method, so that what the value was then reaches the instruction, too (from_start). Each
 * search does that once for a part, so it ends in loops. Returns false if the search takes too
 * long, or when out of memory. */
static bool search_before_part(etr_reaching *r, uint32_t part) {
  const etr_write first = {(int32_t)part, 0};
  uint32_t start = r->part_starts.data[part];
  if (r->last_search_of[part] == r->search_number)
    return true;
  r->last_search_of[part] = r->search_number;
  uint32_t *passed_parts = etr_vec_push(r->arena, &r->passed_parts);
  bool good = passed_parts != NULL;
  if (passed_parts)
    *passed_parts = part;
  r->from_start |= part == 0;
  if (start > 0 && ways_after(r, start - 1).falls_through)
    good = good && search_before_end_of(r, start - 1);
  size_t i = etr_lower_bound(&first, r->jumps.data, r->jumps.count, sizeof first, compare_writes);
  for (; good && i < r->jumps.count && r->jumps.data[i].value == (int32_t)part; i++)
    good = search_before_end_of(r, (size_t)r->jumps.data[i].instruction);
  return good;
}

typedef struct value_in_part {
  int32_t value;
  uint32_t part;
} value_in_part;
ETR_NO_PADDING(value_in_part, 2 * sizeof(uint32_t));

/* Searches the last write of a value in a part, before the instruction `limit`. If there is none,
 * takes the single write that an earlier search found to reach the part's start, or else continues
 * before the part. Returns false if the search takes too long, or when out of memory. */
static bool search_back_in_part(etr_reaching *r, int32_t value, uint32_t part, size_t limit) {
  const value_in_part key = {value, part};
  uint32_t last = etr_reaching_last(r, value, (int32_t)limit);
  bool is_in_part = last != ETR_NONE &&
                    (uint32_t)r->writes.data[last].instruction >= r->part_starts.data[part];
  if (!is_in_part)
    last = etr_map_get(&r->single_write_at, ETR_BYTES(key));
  return last != ETR_NONE ? add_found_write(r, last) : search_before_part(r, part);
}

/* Remembers, for later searches of the value, the single write that the last search found as the
 * only one that reaches the parts it passed: any other would have reached its reader, too. Returns
 * false when out of memory. */
static bool remember_single_write(etr_reaching *r, int32_t value) {
  bool good = true;
  for (size_t i = 0; good && i < r->passed_parts.count; i++) {
    const value_in_part key = {value, r->passed_parts.data[i]};
    good = etr_map_set(&r->single_write_at, ETR_BYTES(key), r->found.data[0]);
  }
  return good;
}

/* Goes back from the instruction along all ways, and stops on each at the first write that it
 * meets. A search that takes too long finds only the last write before the instruction, in the
 * program's order. A value that nothing writes, and an instruction that never runs, need no search.
 * If a single write was found, it is remembered for the parts of the program that the search
 * passed, so that later searches of the value stop there. */
bool etr_reaching_find(etr_reaching *r, int32_t value, int32_t instruction) {
  uint32_t part = r->part_of[instruction];
  size_t kept = 0;
  r->found.count = r->waiting.count = r->passed_parts.count = 0;
  r->from_start = etr_reaching_last(r, value, INT32_MAX) == ETR_NONE;
  r->search_number++;
  bool is_trivial = r->from_start || !r->is_reachable[part];
  bool good = is_trivial || search_back_in_part(r, value, part, (size_t)instruction);
  while (good && r->waiting.count) {
    uint32_t end = r->waiting.data[--r->waiting.count];
    good = search_back_in_part(r, value, r->part_of[end], (size_t)end + 1);
  }
  if (!good && !etr_arena_failed(r->arena)) { /* takes too long */
    uint32_t last = etr_reaching_last(r, value, instruction);
    r->found.count = 0;
    r->passed_parts.count = 0;
    r->from_start = last == ETR_NONE;
    good = last == ETR_NONE || add_found_write(r, last);
  }
  etr_sort(r->found.data, r->found.count, sizeof *r->found.data, etr_by_number);
  for (size_t i = 0; i < r->found.count; i++)
    if (i == 0 || r->found.data[kept - 1] != r->found.data[i])
      r->found.data[kept++] = r->found.data[i];
  r->found.count = kept;
  bool is_only = kept == 1 && !r->from_start;
  return good && (!is_only || remember_single_write(r, value));
}
