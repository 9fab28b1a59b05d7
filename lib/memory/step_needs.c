/* SPDX-License-Identifier: BSD-3-Clause
 *
 * step_needs.c - keeps for each resource the last writer and its readers since then, from which
 * needs follow.
 */
#include "join/delegate_outputs.h"
#include "memory/lifetimes.h"

typedef struct reader {
  uint32_t instruction;
  uint32_t next; /* index into readers; ETR_NONE: the last */
} reader;

/* A resource that instructions use in order: a value, memory, a delegate, ... */
typedef struct resource {
  uint32_t writer;  /* the last writer; ETR_NONE: none */
  uint32_t readers; /* list of the readers after it */
} resource;

typedef etr_vec(uint32_t) numbers;

typedef struct finder {
  etr_memory_plan *plan;
  const etr_placement *placement;
  const etr_pte_method *program;
  const etr_lifetimes *lives;
  etr_arena *scratch;
  etr_uses uses;
  resource *values, *places, *delegates; /* per value, tensor, delegate */
  resource effects; /* side effects of operators besides writing their results */
  resource outside; /* memory that is not planned */
  etr_vec(reader) readers;
  numbers needs, tensors; /* lists of all instructions, one after the other */
  uint32_t *needed_by;    /* per instruction: the last instruction that was found to need it */
  uint32_t *used_by;      /* per tensor: the last instruction that was found to use it */
  uint32_t barrier;       /* the last instruction that no other may pass; ETR_NONE: none */
  uint32_t now;
} finder;

/* ---- Needs ---- */

static void add_need(finder *f, uint32_t earlier) {
  if (earlier == ETR_NONE || earlier == f->now || f->needed_by[earlier] == f->now)
    return;
  f->needed_by[earlier] = f->now;
  uint32_t *added = etr_vec_push(f->scratch, &f->needs);
  if (added)
    *added = earlier;
}

static void record_read(finder *f, resource *used) {
  add_need(f, used->writer);
  reader *added = etr_vec_push(f->scratch, &f->readers);
  if (!added)
    return;
  *added = (reader){f->now, used->readers};
  used->readers = (uint32_t)(f->readers.count - 1);
}

static void record_write(finder *f, resource *used) {
  add_need(f, used->writer);
  for (uint32_t i = used->readers; i != ETR_NONE; i = f->readers.data[i].next)
    add_need(f, f->readers.data[i].instruction);
  *used = (resource){.writer = f->now, .readers = ETR_NONE};
}

static void touch(finder *f, resource *used, bool writes) {
  (writes ? record_write : record_read)(f, used);
}

/* ---- What operators do ---- */

typedef struct behaviour {
  bool changes_all; /* it may write any of its arguments, constants included */
  bool has_effects; /* it keeps its order relative to other operators with effects */
  bool is_barrier;  /* it keeps its place among all operators */
  bool is_view;     /* its result is a view of what it reads */
} behaviour;

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/* Operators of other namespaces are unknown: llama::update_cache changes its arguments, although
 * its name does not say so. */
static bool is_known(const char *op) {
  static const char *const spaces[] = {
      "aten::", "dim_order_ops::", "executorch_prim::", "quantized_decomposed::"};
  for (size_t i = 0; i < ETR_COUNT(spaces); i++)
    if (starts_with(op, spaces[i]))
      return true;
  return false;
}

static bool is_random(const char *op) {
  static const char *const names[] = {
      "aten::bernoulli",        "aten::binomial",          "aten::cauchy",
      "aten::exponential",      "aten::_fused_dropout",    "aten::geometric",
      "aten::log_normal",       "aten::multinomial",       "aten::native_dropout",
      "aten::normal",           "aten::poisson",           "aten::rand",
      "aten::rrelu_with_noise", "aten::_sample_dirichlet", "aten::_standard_gamma",
      "aten::uniform"};
  for (size_t i = 0; i < ETR_COUNT(names); i++)
    if (starts_with(op, names[i]))
      return true;
  return false;
}

/* The number of results of an opaque delegate is a guess. */
static behaviour behaviour_of_delegate(const finder *f) {
  const etr_placed *known = etr_placed_instruction(f->placement, (int32_t)f->now);
  return (behaviour){.changes_all = !known || !known->payload};
}

/* Operators that ExecuTorch inserts when it makes the program, such as the copies that write a new
 * value back to its buffer, are no nodes of the Edge graph: whoever writes the model or moves its
 * nodes cannot move them. */
static bool is_inserted(const finder *f, const etr_instruction *instruction) {
  if (f->placement->method->graph)
    return f->plan->steps[f->now].node == ETR_NONE;
  return starts_with(instruction->op, "aten::copy_");
}

static behaviour behaviour_of(const finder *f, const etr_instruction *instruction) {
  if (instruction->kind == ETR_INSTRUCTION_DELEGATE)
    return behaviour_of_delegate(f);
  return (behaviour){.changes_all = f->uses.changes_arguments || !is_known(instruction->op),
                     .has_effects = is_random(instruction->op) || !is_known(instruction->op),
                     .is_barrier = f->uses.result_count == 0 || is_inserted(f, instruction),
                     .is_view = f->uses.handed_on >= 0};
}

/* ---- Arguments ---- */

static uint32_t owner_of(const finder *f, int32_t value) {
  uint32_t index = f->lives->tensor_of_value[value];
  if (index == ETR_NONE || f->plan->tensors[index].view_of == ETR_NONE)
    return index;
  return f->plan->tensors[index].view_of;
}

static void record_tensor(finder *f, uint32_t index) {
  if (f->used_by[index] == f->now)
    return;
  f->used_by[index] = f->now;
  uint32_t *added = etr_vec_push(f->scratch, &f->tensors);
  if (added)
    *added = index;
}

/* Returns false if an argument may change a constant, because readers of constants are not
 * recorded. */
static bool record_use(finder *f, const etr_use *arg, const behaviour *does) {
  if (f->program->values[arg->value].constant)
    return !etr_use_defines(arg) && !does->changes_all;
  uint32_t owner = owner_of(f, arg->value);
  bool is_state = owner != ETR_NONE && f->plan->tensors[owner].role == ETR_TENSOR_STATE;
  bool writes = etr_use_defines(arg) || arg->is_unsure || does->changes_all || is_state;
  if (owner == ETR_NONE) {
    /* A result gets memory that no other value has yet; values changed later may share memory with
     * others. */
    const resource *value = &f->values[arg->value];
    bool is_new = value->writer == ETR_NONE && value->readers == ETR_NONE;
    touch(f, &f->outside, writes && !(etr_use_defines(arg) && (is_new || value->writer == f->now)));
  } else
    touch(f, &f->places[owner], writes && (is_state || !does->is_view));
  touch(f, &f->values[arg->value], writes);
  if (owner != ETR_NONE)
    record_tensor(f, owner);
  return true;
}

/* ---- Instructions ---- */

static void make_barrier(finder *f) {
  for (uint32_t i = f->barrier == ETR_NONE ? 0 : f->barrier; i < f->now; i++)
    add_need(f, i);
  f->barrier = f->now;
}

static const uint32_t *copy(const numbers *list, etr_arena *arena) {
  uint32_t *made = etr_arena_alloc_array(arena, list->count, sizeof *made);
  if (made && list->count)
    memcpy(made, list->data, list->count * sizeof *made);
  return made;
}

/* Visits one instruction after the other, and stores the end of each of its lists. */
static bool visit_instructions(finder *f, etr_memory_step *steps, etr_arena *arena) {
  size_t tensors = 0, needs = 0;
  for (f->now = 0; f->now < f->plan->instruction_count; f->now++) {
    tensors = f->tensors.count;
    needs = f->needs.count;
    const etr_instruction *instruction = &f->program->instructions[f->now];
    /* The instruction must be a call whose operator and arguments are all known. */
    bool is_kernel = instruction->kind == ETR_INSTRUCTION_KERNEL && instruction->op &&
                     instruction->op[0];
    if (!is_kernel && (instruction->kind != ETR_INSTRUCTION_DELEGATE || instruction->delegate < 0))
      return false;
    for (size_t i = 0; i < instruction->arg_count; i++)
      if (instruction->args[i] < 0)
        return false;
    etr_uses_list(&f->uses, (int32_t)f->now);
    behaviour does = behaviour_of(f, instruction);
    add_need(f, f->barrier);
    for (size_t i = 0; i < f->uses.list.count; i++)
      if (!f->uses.list.data[i].is_list && !record_use(f, &f->uses.list.data[i], &does))
        return false;
    const etr_pte_delegate *delegate = etr_delegate_of(f->program, instruction);
    if (delegate)
      touch(f, &f->delegates[delegate - f->program->delegates], true);
    if (does.has_effects)
      touch(f, &f->effects, true);
    if (does.is_barrier)
      make_barrier(f);
    if (f->uses.is_cut || (!delegate && instruction->kind != ETR_INSTRUCTION_KERNEL))
      return false;
    steps[f->now].tensor_count = f->tensors.count - tensors;
    steps[f->now].need_count = f->needs.count - needs;
  }
  const uint32_t *tensor = copy(&f->tensors, arena), *needed = copy(&f->needs, arena);
  if (etr_arena_failed(arena) || etr_arena_failed(f->scratch))
    return false;
  for (size_t i = 0; i < f->plan->instruction_count; i++) {
    steps[i].tensors = tensor;
    steps[i].needs = needed;
    tensor += steps[i].tensor_count;
    needed += steps[i].need_count;
  }
  return true;
}

/* ---- All ---- */

static resource *new_resources(size_t count, etr_arena *arena) {
  resource *list = etr_arena_alloc_array(arena, count, sizeof *list);
  for (size_t i = 0; list && i < count; i++)
    list[i] = (resource){ETR_NONE, ETR_NONE};
  return list;
}

static uint32_t *new_marks(size_t count, etr_arena *arena) {
  uint32_t *list = etr_arena_alloc_array(arena, count, sizeof *list);
  for (size_t i = 0; list && i < count; i++)
    list[i] = ETR_NONE;
  return list;
}

bool etr_step_needs_find(etr_memory_plan *plan, etr_memory_step *steps,
                         const etr_placement *placement, const etr_lifetimes *lives,
                         etr_arena *arena, etr_arena *scratch) {
  finder f = {.plan = plan,
              .placement = placement,
              .program = placement->method->program,
              .lives = lives,
              .scratch = scratch};
  for (size_t i = 0; i < plan->tensor_count; i++)
    plan->has_needs &= !plan->tensors[i].is_misplaced;
  if (!plan->has_needs)
    return true;
  f.values = new_resources(f.program->value_count, f.scratch);
  f.places = new_resources(f.plan->tensor_count, f.scratch);
  f.delegates = new_resources(f.program->delegate_count, f.scratch);
  f.needed_by = new_marks(f.plan->instruction_count, f.scratch);
  f.used_by = new_marks(f.plan->tensor_count, f.scratch);
  f.effects = f.outside = (resource){ETR_NONE, ETR_NONE};
  f.barrier = ETR_NONE;
  if (etr_arena_failed(f.scratch) || !etr_uses_of_placement(&f.uses, placement, f.scratch))
    return false;
  plan->has_needs = visit_instructions(&f, steps, arena);
  for (size_t i = 0; i < plan->instruction_count && !plan->has_needs; i++)
    steps[i].tensor_count = steps[i].need_count = 0;
  return !etr_arena_failed(arena) && !etr_arena_failed(scratch);
}
