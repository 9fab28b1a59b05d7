/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lifetimes.c - visits the instructions in order and extends the lifetimes of the tensors that they
 * use.
 */
#include "memory/memory_plan.h"

#include "formats/element.h"
#include "join/delegate_outputs.h"
#include "memory/program_memory.h"

/* An instruction that uses a tensor. */
typedef struct tensor_use {
  uint32_t tensor, instruction;
} tensor_use;

typedef struct builder {
  etr_lifetimes *out;
  const etr_pte_method *program;
  etr_arena *arena, *scratch;
  etr_map last; /* location -> the tensor that was written there last */
  int32_t now;  /* the current instruction */
  etr_uses uses;
  etr_vec(tensor_use) used; /* in the order of the instructions, each pair once */
  uint32_t *used_by;        /* per tensor: the last instruction in `used`; ETR_NONE: none yet */
} builder;

/* ---- Locations in memory ---- */

typedef struct location {
  uint64_t buffer, offset;
} location;
ETR_NO_PADDING(location, 2 * sizeof(uint64_t));

static etr_planned_tensor *tensor_at(const builder *b, uint32_t index) {
  return &b->out->tensors.data[index];
}

static uint64_t end_of(const etr_planned_tensor *tensor) {
  return etr_add_up_to_most(tensor->offset_bytes, tensor->size_bytes);
}

/* Returns whether one tensor may be a view of another: memory planning gives a view the type, the
 * offset and all bytes of the tensor that it views (`base`). */
static bool may_be_view(const builder *b, const etr_planned_tensor *view,
                        const etr_planned_tensor *base) {
  const etr_pte_value *values = b->program->values;
  const char *left = values[view->value].dtype, *right = values[base->value].dtype;
  return view->size_bytes > 0 && view->size_bytes == base->size_bytes &&
         view->offset_bytes == base->offset_bytes && left && right && strcmp(left, right) == 0;
}

/* Returns whether one tensor is inside another. A tensor of no or unknown size is inside none. */
static bool is_inside(const etr_planned_tensor *inner, const etr_planned_tensor *outer) {
  return inner->size_bytes > 0 && inner->buffer == outer->buffer &&
         inner->offset_bytes >= outer->offset_bytes && end_of(inner) <= end_of(outer);
}

static etr_map_slot *slot_of(builder *b, const etr_planned_tensor *tensor) {
  const location key = {tensor->buffer, tensor->offset_bytes};
  return etr_map_at(&b->last, ETR_BYTES(key));
}

/* Returns the tensor whose memory another one shares through views. */
static uint32_t owner_of(const builder *b, uint32_t index) {
  uint32_t base = tensor_at(b, index)->view_of;
  return base == ETR_NONE ? index : base;
}

/* Returns the tensor that an unwritten tensor is a view of: the one that was last written to its
 * location, or which that one views. ETR_NONE if none was, or if its type or size is another.
 * Memory planning makes such views without an instruction. */
static uint32_t find_viewed_tensor(builder *b, const etr_planned_tensor *tensor) {
  const etr_map_slot *slot = slot_of(b, tensor);
  if (!slot || slot->value == ETR_NONE || !may_be_view(b, tensor, tensor_at(b, slot->value)))
    return ETR_NONE;
  return owner_of(b, slot->value);
}

/* If the current instruction writes a tensor inside the memory of one that it reads, returns the
 * owner of that memory: the written tensor is the read one, changed in place, or a view of it.
 * ETR_NONE if there is none. */
static uint32_t find_changed_tensor(const builder *b, const etr_planned_tensor *tensor) {
  enum { MOST_ARGUMENTS = 64 }; /* limit on the arguments that are examined */
  for (size_t i = 0; i < b->uses.list.count && i < MOST_ARGUMENTS; i++) {
    const etr_use *arg = &b->uses.list.data[i];
    if (etr_use_defines(arg) || arg->is_list)
      continue;
    uint32_t read = b->out->tensor_of_value[arg->value];
    if (read == ETR_NONE || tensor_at(b, read) == tensor)
      continue;
    if (is_inside(tensor, tensor_at(b, read)))
      return owner_of(b, read);
  }
  return ETR_NONE;
}

/* ---- Uses ---- */

/* Adds the tensor of a planned value, which lives from the current instruction on. Its size stays 0
 * bytes if its sizes or type give none. Returns its index in out->tensors; ETR_NONE when out of
 * memory. */
static uint32_t add_planned_tensor(builder *b, int32_t index) {
  const etr_pte_value *value = &b->program->values[index];
  etr_planned_tensor *added = etr_vec_push(b->arena, &b->out->tensors);
  if (!added)
    return ETR_NONE;
  *added = (etr_planned_tensor){.value = (uint32_t)index,
                                .is_bound = value->dynamic,
                                .buffer = value->buffer,
                                .offset_bytes = value->offset,
                                .first_instruction = b->now,
                                .last_instruction = b->now,
                                .made_by = -1,
                                .view_of = ETR_NONE,
                                .node = ETR_NONE};
  (void)etr_pte_value_bytes(value, &added->size_bytes);
  b->out->tensor_of_value[index] = (uint32_t)(b->out->tensors.count - 1);
  return b->out->tensor_of_value[index];
}

/* Records that a tensor is the one last written to its location in memory. */
static void record_as_last_written(builder *b, uint32_t index) {
  etr_map_slot *slot = slot_of(b, tensor_at(b, index));
  if (slot)
    slot->value = index;
}

/* Sets the role of a tensor that is used for the first time and is not an input, and the tensor
 * that it views, if any. It is state, which outlives an inference, if the program fills it at the
 * start, or if it is read before anything wrote it. */
static void set_role_at_first_use(builder *b, uint32_t index, bool is_written) {
  etr_planned_tensor *tensor = tensor_at(b, index);
  bool starts_filled = b->program->values[tensor->value].data > 0;
  if (starts_filled)
    tensor->role = ETR_TENSOR_STATE;
  else
    tensor->view_of = is_written ? find_changed_tensor(b, tensor) : find_viewed_tensor(b, tensor);
  if (!is_written && tensor->view_of == ETR_NONE)
    tensor->role = ETR_TENSOR_STATE;
  record_as_last_written(b, index);
}

/* Records that the current instruction uses a tensor, once per instruction. Of a view it records
 * the tensor whose memory the view shares. */
static void record_user(builder *b, uint32_t index) {
  uint32_t owner = owner_of(b, index);
  uint32_t instruction = (uint32_t)b->now;
  if (b->used_by[owner] == instruction)
    return;
  b->used_by[owner] = instruction;
  tensor_use *added = etr_vec_push(b->scratch, &b->used);
  if (added)
    *added = (tensor_use){owner, instruction};
}

/* Records how an argument uses a tensor, which is added if it is new. Returns the tensor; ETR_NONE
 * if it is not planned, or when out of memory. */
static uint32_t record_use(builder *b, const etr_use *arg) {
  uint32_t index = b->out->tensor_of_value[arg->value];
  if (!b->program->values[arg->value].storage)
    return ETR_NONE;
  bool is_new = index == ETR_NONE;
  /* An argument of an opaque delegate is a result if nothing used it before. */
  bool is_written = etr_use_defines(arg) || (is_new && arg->is_unsure);
  if (is_new)
    index = add_planned_tensor(b, arg->value);
  if (index == ETR_NONE)
    return ETR_NONE;
  if (is_new)
    set_role_at_first_use(b, index, is_written);
  etr_planned_tensor *tensor = tensor_at(b, index);
  tensor->last_instruction = b->now;
  if (!is_written)
    return index;
  if (tensor->made_by < 0)
    tensor->made_by = b->now;
  record_as_last_written(b, index);
  return index;
}

/* Records either the uses of the current instruction that only write a tensor (`written`), or all
 * others. Call it for the others first, so that views are found by the tensors that they view. */
static void record_uses(builder *b, bool written) {
  for (size_t i = 0; i < b->uses.list.count; i++) {
    const etr_use *use = &b->uses.list.data[i];
    if (use->is_list || etr_use_defines(use) != written)
      continue;
    uint32_t index = record_use(b, use);
    if (index != ETR_NONE)
      record_user(b, index);
  }
}

/* Gives each tensor the list of the instructions that use it, ascending, in the arena. Returns
 * false when out of memory. */
static bool list_users(builder *b) {
  uint32_t *users = etr_arena_alloc_array(b->arena, b->used.count, sizeof *users);
  if (!users)
    return false;
  for (size_t i = 0; i < b->used.count; i++)
    tensor_at(b, b->used.data[i].tensor)->user_count++;
  for (size_t i = 0, start = 0; i < b->out->tensors.count; i++) {
    etr_planned_tensor *tensor = tensor_at(b, (uint32_t)i);
    tensor->users = users + start;
    start += tensor->user_count;
    tensor->user_count = 0;
  }
  for (size_t i = 0; i < b->used.count; i++) {
    etr_planned_tensor *tensor = tensor_at(b, b->used.data[i].tensor);
    users[(size_t)(tensor->users - users) + tensor->user_count++] = b->used.data[i].instruction;
  }
  return true;
}

/* ---- Inputs and outputs ---- */

/* Adds the inputs of the method that the program plans memory for; they live from the first
 * instruction on. */
static void add_planned_inputs(builder *b) {
  b->now = 0;
  for (size_t i = 0; i < b->program->input_count; i++) {
    const etr_pte_value *value = etr_tensor_at(b->program, b->program->inputs[i]);
    if (!value || !value->storage || b->out->tensor_of_value[b->program->inputs[i]] != ETR_NONE)
      continue;
    uint32_t index = add_planned_tensor(b, b->program->inputs[i]);
    if (index == ETR_NONE)
      return;
    tensor_at(b, index)->role = ETR_TENSOR_INPUT;
    tensor_at(b, index)->last_instruction = -1; /* until an instruction uses it */
    record_as_last_written(b, index);
  }
}

/* ---- Lifetimes beyond the uses ---- */

/* Extends the lifetime of each tensor that has views to all of their lifetimes. One pass is enough,
 * because the tensor that is viewed is never a view itself. */
static void extend_for_views(builder *b) {
  for (size_t i = 0; i < b->out->tensors.count; i++) {
    const etr_planned_tensor *view = tensor_at(b, (uint32_t)i);
    if (view->view_of == ETR_NONE)
      continue;
    etr_planned_tensor *owner = tensor_at(b, view->view_of);
    owner->first_instruction = ETR_MIN(owner->first_instruction, view->first_instruction);
    owner->last_instruction = ETR_MAX(owner->last_instruction, view->last_instruction);
  }
}

/* Returns whether a tensor that looks like state is scratch: working memory of one kernel, the only
 * instruction that uses it. Nothing writes it and the program does not fill it, so that reading it
 * would make no sense. */
static bool is_scratch(const builder *b, uint32_t index) {
  const etr_planned_tensor *tensor = tensor_at(b, index);
  bool is_filled = b->program->values[tensor->value].data > 0 || tensor->made_by >= 0;
  bool is_used = b->used_by[index] != ETR_NONE;
  bool is_used_once = is_used && tensor->first_instruction == tensor->last_instruction;
  return tensor->role == ETR_TENSOR_STATE && !is_filled && is_used_once;
}

/* Extends the lifetimes of state to the whole program, because the next inference reads it. Scratch
 * becomes an activation of its kernel instead, and lives only there. */
static void extend_lifetimes_of_state(builder *b) {
  for (size_t i = 0; i < b->out->tensors.count; i++) {
    etr_planned_tensor *tensor = tensor_at(b, (uint32_t)i);
    if (tensor->role != ETR_TENSOR_STATE)
      continue;
    if (is_scratch(b, (uint32_t)i)) {
      tensor->role = ETR_TENSOR_ACTIVATION;
      tensor->made_by = tensor->first_instruction;
      continue;
    }
    tensor->first_instruction = 0;
    tensor->last_instruction = b->now;
  }
}

/* ---- Loops ---- */

/* An instruction that jumps back, and the instruction to which it jumps. */
typedef struct loop {
  int32_t first, last;
} loop;

typedef etr_vec(loop) loops;

/* Orders loops by their first instruction, then the longest first: outer loops come before those in
 * them. */
static int by_start(const void *a, const void *b) {
  const loop *x = a, *y = b;
  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return (x->last < y->last) - (x->last > y->last);
}

int etr_by_last_instruction(const void *a, const void *b) {
  const etr_planned_tensor *const *x = a, *const *y = b;
  return ((*x)->last_instruction > (*y)->last_instruction) -
         ((*x)->last_instruction < (*y)->last_instruction);
}

/* Lists the loops of the program, outer ones first: each jump back is one, from its target to the
 * jump. When out of memory, the scratch arena has failed. */
static loops list_loops(const builder *b) {
  loops found = {0};
  int32_t count = (int32_t)ETR_MIN(b->program->instruction_count, (size_t)INT32_MAX);
  for (int32_t i = 0; i < count; i++) {
    int32_t target = b->program->instructions[i].jump_target;
    loop *added = target >= 0 && target <= i ? etr_vec_push(b->scratch, &found) : NULL;
    if (added)
      *added = (loop){target, i};
  }
  if (found.count)
    etr_sort(found.data, found.count, sizeof *found.data, by_start);
  return found;
}

/* Updates `open`, the loops around an instruction that do not end with it, outer ones first.
 * Instructions only ascend from call to call, and *next_loop is the first loop that has not begun.
 * Loops that overlap without nesting are left out, which is_cut says. */
static void update_open_loops(builder *b, const loops *loops_of_program, size_t *next_loop,
                              loops *open, int32_t instruction) {
  for (; *next_loop < loops_of_program->count &&
         loops_of_program->data[*next_loop].first <= instruction;
       ++*next_loop) {
    const loop *began = &loops_of_program->data[*next_loop];
    while (open->count && open->data[open->count - 1].last < began->first)
      open->count--;
    bool is_nested = !open->count || open->data[open->count - 1].last >= began->last;
    if (is_nested)
      open->data[open->count++] = *began;
    b->out->is_cut |= !is_nested;
  }
  while (open->count && open->data[open->count - 1].last <= instruction)
    open->count--;
}

/* Extends lifetimes to the ends of loops: a tensor that exists before a loop and is used in it is
 * needed again in the next round, so until the end of the outermost such loop around its last use.
 * Visits the tensors by their last use, so that one pass opens and closes the loops. Returns false
 * when out of memory. */
static bool extend_for_loops(builder *b) {
  const loops loops_of_program = list_loops(b);
  size_t count = b->out->tensors.count, next_loop = 0;
  if (loops_of_program.count == 0)
    return true;
  loops open = {
      .data = etr_arena_alloc_array(b->scratch, loops_of_program.count, sizeof *open.data)};
  etr_planned_tensor **ending = etr_arena_alloc_array(b->scratch, count, sizeof *ending);
  if (!open.data || !ending)
    return false;
  for (size_t i = 0; i < count; i++)
    ending[i] = tensor_at(b, (uint32_t)i);
  etr_sort(ending, count, sizeof *ending, etr_by_last_instruction);
  for (size_t i = 0; i < count; i++) {
    etr_planned_tensor *tensor = ending[i];
    if (tensor->last_instruction < 0)
      continue;
    update_open_loops(b, &loops_of_program, &next_loop, &open, tensor->last_instruction);
    /* Searches the outermost loop that begins after the tensor exists. */
    size_t low = 0, high = open.count;
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (open.data[middle].first > tensor->first_instruction)
        high = middle;
      else
        low = middle + 1;
    }
    if (low < open.count)
      tensor->last_instruction = open.data[low].last;
  }
  return true;
}

/* ---- All ---- */

/* Allocates what is known per value: at first no value has a planned tensor. Returns false when out
 * of memory. */
static bool init_builder(builder *b, const etr_placement *placement) {
  size_t count = b->program->value_count;
  etr_map_init(&b->last, b->scratch);
  uint32_t *tensor_of_value = etr_arena_alloc_array(b->arena, count, sizeof *tensor_of_value);
  b->used_by = etr_arena_alloc_array(b->scratch, count, sizeof *b->used_by);
  if (!tensor_of_value || !b->used_by)
    return false;
  for (size_t i = 0; i < count; i++)
    tensor_of_value[i] = b->used_by[i] = ETR_NONE;
  b->out->tensor_of_value = tensor_of_value;
  return etr_uses_of_placement(&b->uses, placement, b->scratch);
}

/* Follows the tensors through inputs, instructions and outputs, then extends lifetimes for state,
 * views and loops, and again for views, because loops extend those. If lists of tensors were too
 * long to follow (is_cut), tensors get no lists of users, which would lack some. */
bool etr_lifetimes_find(etr_lifetimes *out, const etr_placement *placement, etr_arena *arena,
                        etr_arena *scratch) {
  builder b = {
      .out = out, .program = placement->method->program, .arena = arena, .scratch = scratch};
  int32_t count = (int32_t)ETR_MIN(placement->method->program->instruction_count,
                                   (size_t)INT32_MAX);
  *out = (etr_lifetimes){0};
  if (!init_builder(&b, placement))
    return false;
  add_planned_inputs(&b);
  for (b.now = 0; b.now < count && !etr_arena_failed(arena); b.now++) {
    etr_uses_list(&b.uses, b.now);
    record_uses(&b, false);
    record_uses(&b, true);
  }
  out->is_cut = b.uses.is_cut;
  if (!out->is_cut && !list_users(&b))
    return false;
  b.now = count - 1;
  /* Outputs are needed until the last instruction. */
  for (size_t i = 0; i < b.program->output_count; i++) {
    const etr_pte_value *value = etr_tensor_at(b.program, b.program->outputs[i]);
    if (!value || !value->storage)
      continue;
    b.uses.list.count = 0;
    uint32_t index = record_use(&b, &(etr_use){.value = b.program->outputs[i]});
    if (index == ETR_NONE)
      continue;
    if (tensor_at(&b, index)->role == ETR_TENSOR_ACTIVATION)
      tensor_at(&b, index)->role = ETR_TENSOR_OUTPUT;
  }
  extend_lifetimes_of_state(&b);
  extend_for_views(&b);
  if (!extend_for_loops(&b))
    return false;
  extend_for_views(&b);
  /* A tensor that nothing uses is needed at no instruction. */
  for (size_t i = 0; i < out->tensors.count; i++)
    if (out->tensors.data[i].last_instruction < 0)
      out->tensors.data[i].first_instruction = -1;
  return !etr_arena_failed(arena) && !etr_arena_failed(scratch);
}
