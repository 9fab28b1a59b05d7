/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_plan.c - describes planned tensors and buffers, and computes the bytes that are live at each instruction.
 */
#include "memory/memory_plan.h"

#include "memory/lifetimes.h"
#include "memory/program_memory.h"
#include "method/program_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Parts of a memory plan that follow from the program one by one: instructions, inputs and outputs, delegates'
 * blobs ---- */

/* Each function fills its part of the plan, in the arena, and returns false when out of memory. */

/* ---- Instructions ---- */

/* The texts of operators, shared by all instructions that run the same operator. */
typedef struct op_names {
  etr_map names; /* pointers to name and overload in the program -> index in texts */
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

/* Makes the steps of a plan. Returns NULL when out of memory. */
static etr_memory_step *memory_steps_make(etr_memory_plan *plan, const etr_placement *placement, etr_arena *arena) {
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
  return etr_arena_failed(arena) ? NULL : steps;
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

static bool memory_boundary_make(etr_memory_plan *plan, const etr_pte_method *program, const etr_value_name *names,
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

/* Returns the blob of a delegate, which delegates with the same bytes share; a delegate without bytes has a separate
 * one. */
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

static bool memory_blobs_make(etr_memory_plan *plan, const etr_pte_method *program, const etr_pte_data *data,
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
  size_t count = ETR_MIN(program->instruction_count, (size_t)INT32_MAX);
  for (size_t i = 0; i < count; i++) {
    const etr_pte_delegate *delegate = etr_delegate_of(program, &program->instructions[i]);
    etr_delegate_blob *blob = delegate ? &blobs[blob_of_delegate[delegate - program->delegates]] : NULL;
    if (blob && blob->instruction < 0) blob->instruction = (int32_t)i;
  }
  plan->blobs = blobs;
  return true;
}

/* ---- Contradictions in a memory plan ---- */

/* Warnings about one method. Of each kind only the first few are shown. */
typedef struct memory_check {
  const etr_memory_source *source;
  const char *method;
  const etr_pte_method *program;
  size_t warned;
  bool is_cut; /* not all tensors were compared with each other, because there are too many */
} memory_check;

enum { MOST_WARNINGS = 8 };

/* Returns a text such as "forward: tensor "x" (instruction 5)". */
enum { SUBJECT_BYTES = 256 };

static const char *subject_of(const memory_check *check, const etr_planned_tensor *tensor, char *room) {
  snprintf(room, SUBJECT_BYTES, "%.*s: tensor \"%.*s\" (instruction %d)", ETR_HEAD(check->method, 64),
           ETR_HEAD(tensor->tensor.name, 96), (int)tensor->first_instruction);
  return room;
}

/* Counts a warning. Returns true if it is to be shown. */
static bool takes_warning(memory_check *check) { return check->warned++ < MOST_WARNINGS; }

static void warn_of_plan(memory_check *check, const etr_planned_tensor *tensor, const char *what) {
  char room[SUBJECT_BYTES];
  if (takes_warning(check))
    etr_warn(check->source->warnings, check->source->file, check->source->entry, ETR_NO_OFFSET,
             "%s %s; it is in no sum of the memory plan. The .pte is damaged: export it again",
             subject_of(check, tensor, room), what);
}

/* ---- Locations ---- */

static void check_place(memory_check *check, etr_planned_tensor *tensor) {
  char what[SUBJECT_BYTES];
  const etr_pte_buffers *buffers = &check->program->buffers;
  uint64_t bytes;
  tensor->is_misplaced = true;
  if (!etr_pte_value_bytes(&check->program->values[tensor->value], &bytes)) {
    warn_of_plan(check, tensor, "has sizes or a number type that give no number of bytes");
    return;
  }
  if (tensor->buffer >= buffers->count) {
    snprintf(what, sizeof what, "is planned into buffer %" PRIu32 ", but there are %zu", tensor->buffer,
             buffers->count ? buffers->count - 1 : 0);
    warn_of_plan(check, tensor, what);
    return;
  }
  uint64_t size = buffers->sizes[tensor->buffer] > 0 ? (uint64_t)buffers->sizes[tensor->buffer] : 0;
  tensor->is_misplaced = tensor->offset_bytes > size || bytes > size - tensor->offset_bytes;
  if (!tensor->is_misplaced) return;
  snprintf(what, sizeof what,
           "takes %" PRIu64 " bytes from offset %" PRIu64 " on, beyond buffer %" PRIu32 " of %" PRId64, bytes,
           tensor->offset_bytes, tensor->buffer, buffers->sizes[tensor->buffer]);
  warn_of_plan(check, tensor, what);
}

/* ---- Overlaps ---- */

static bool overlap(const etr_planned_tensor *a, const etr_planned_tensor *b) {
  return a->buffer == b->buffer && a->offset_bytes < b->offset_bytes + b->size_bytes &&
         b->offset_bytes < a->offset_bytes + a->size_bytes;
}

static void warn_of_overlap(memory_check *check, const etr_planned_tensor *earlier, const etr_planned_tensor *later) {
  char room[SUBJECT_BYTES];
  if (takes_warning(check))
    etr_warn(check->source->warnings, check->source->file, check->source->entry, ETR_NO_OFFSET,
             "%s shares memory of buffer %" PRIu32 " with \"%.*s\", which is needed until instruction %d; both count",
             subject_of(check, later, room), later->buffer, ETR_HEAD(earlier->tensor.name, 96),
             (int)earlier->last_instruction);
}

static int by_first_use(const void *a, const void *b) {
  const etr_planned_tensor *const *x = a, *const *y = b;
  if ((*x)->first_instruction != (*y)->first_instruction)
    return (*x)->first_instruction < (*y)->first_instruction ? -1 : 1;
  return (*x > *y) - (*x < *y);
}

/* Warns about tensors that share memory while both are needed and are not views. Returns false when out of memory. */
static bool memory_check_overlaps(memory_check *check, const etr_planned_tensor *tensors, size_t count,
                                  etr_arena *scratch) {
  enum { MOST_COMPARISONS = 1 << 26 };
  const etr_planned_tensor **list = etr_arena_alloc_array(scratch, count, sizeof *list),
                           **live = etr_arena_alloc_array(scratch, count, sizeof *live);
  size_t listed = 0, live_count = 0, left = MOST_COMPARISONS;
  if (!list || !live) return false;
  for (size_t i = 0; i < count; i++)
    if (tensors[i].view_of == ETR_NONE && !tensors[i].is_misplaced && tensors[i].size_bytes > 0)
      list[listed++] = &tensors[i];
  etr_sort(list, listed, sizeof *list, by_first_use);
  for (size_t i = 0; i < listed; i++) {
    check->is_cut = left <= live_count;
    if (check->is_cut) break;
    left -= live_count;
    /* Compares a tensor with those that are live when its lifetime starts, and drops the others. Counts those that are
     * left. */
    const etr_planned_tensor *tensor = list[i];
    size_t kept = 0;
    for (size_t k = 0; k < live_count; k++) {
      if (live[k]->last_instruction < tensor->first_instruction) continue;
      if (overlap(live[k], tensor)) warn_of_overlap(check, live[k], tensor);
      live[kept++] = live[k];
    }
    live_count = kept;
    live[live_count++] = list[i];
  }
  return true;
}

/* ---- Planned tensors in their buffers, and the live bytes at each instruction ---- */

/* Limit on the numbers in all curves over instructions; real programs have fewer. */
enum { MOST_POINTS = 1 << 24 };

typedef struct builder {
  const etr_placement *placement;
  const etr_pte_method *program;
  const etr_memory_source *source;
  etr_arena *arena, *scratch;
  etr_lifetimes lives;
  const etr_value_name *names;
  uint32_t *buffer_of_id; /* per id of a buffer: index into the plan's buffers; ETR_NONE: it is not shown */
  etr_memory_plan *plan;
  etr_memory_step *steps;      /* steps of the plan */
  etr_planned_buffer *buffers; /* buffers of the plan */
  uint64_t **live;             /* per buffer of the plan: its live_bytes */
  size_t hidden_buffers;       /* buffers beyond MOST_POINTS, which the plan does not have */
} builder;

/* ---- Names ---- */

static const char *const role_names[] = {"activation", "input", "output", "state"};

const char *etr_tensor_role_name(etr_tensor_role role) {
  return (size_t)role < ETR_COUNT(role_names) ? role_names[role] : "";
}

const char *etr_segment_kind_name(etr_segment_kind kind) {
  static const char *const names[] = {"unused", "constants", "mutable", "delegate", "named"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "";
}

const char *etr_constant_place_name(etr_constant_place place) {
  static const char *const names[] = {"inline", "segment", "external"};
  return (size_t)place < ETR_COUNT(names) ? names[place] : "";
}

/* ---- Tensors ---- */

/* A view without a name has the name and the node of the tensor that it views. */
static const etr_value_name *name_of(const builder *b, const etr_planned_tensor *tensor) {
  const etr_value_name *own = &b->names[tensor->value];
  if (own->name || tensor->view_of == ETR_NONE) return own;
  return &b->names[b->lives.tensors.data[tensor->view_of].value];
}

/* ---- Buffers ---- */

static const char *device_of(const builder *b, uint32_t id) {
  static const char *const types[] = {"cpu", "cuda"};
  const etr_pte_buffers *buffers = &b->program->buffers;
  for (size_t i = 0; i < buffers->device_count; i++) {
    const etr_pte_device *device = &buffers->devices[i];
    if (device->buffer < 0 || (uint32_t)device->buffer != id) continue;
    if (device->type == 0) return "cpu";
    if (device->type >= ETR_COUNT(types))
      return etr_arena_format(b->arena, "device %u:%u", (unsigned)device->type, (unsigned)device->index);
    return etr_arena_format(b->arena, "%s:%u", types[device->type], (unsigned)device->index);
  }
  return "cpu";
}

static bool add_buffers(builder *b) {
  size_t count = b->program->buffers.count, points = b->plan->instruction_count;
  /* Counts the tensors of the method that are planned into each buffer. */
  size_t *tensors = etr_arena_alloc_array(b->scratch, b->program->buffers.count, sizeof *tensors);
  for (size_t i = 0; tensors && i < b->lives.tensors.count; i++) {
    const etr_planned_tensor *tensor = &b->lives.tensors.data[i];
    if (tensor->buffer < b->program->buffers.count) tensors[tensor->buffer]++;
  }
  etr_planned_buffer *buffers = etr_arena_alloc_array(b->arena, count, sizeof *buffers);
  b->buffer_of_id = etr_arena_alloc_array(b->scratch, count, sizeof *b->buffer_of_id);
  b->live = etr_arena_alloc_array(b->scratch, count, sizeof(uint64_t *));
  if (!tensors || !buffers || !b->buffer_of_id || !b->live) return false;
  for (uint32_t id = 0; id < count; id++) {
    int64_t size = b->program->buffers.sizes[id];
    bool is_used = tensors[id] > 0 || size > 0;
    bool is_shown = is_used && (b->plan->buffer_count + 1) * points <= MOST_POINTS;
    b->buffer_of_id[id] = is_shown ? (uint32_t)b->plan->buffer_count : ETR_NONE;
    b->hidden_buffers += is_used && !is_shown;
    if (!is_shown) continue;
    uint64_t *live = etr_arena_alloc_array(b->arena, points, sizeof *live);
    b->live[b->plan->buffer_count] = live;
    buffers[b->plan->buffer_count++] = (etr_planned_buffer){.id = id,
                                                            .device = device_of(b, id),
                                                            .size_bytes = size > 0 ? (uint64_t)size : 0,
                                                            .peak_instruction = -1,
                                                            .live_bytes = live,
                                                            .tensor_count = tensors[id]};
  }
  b->plan->buffers = b->buffers = buffers;
  return !etr_arena_failed(b->arena);
}

/* ---- Live bytes ---- */

/* Adds a tensor's bytes at its first instruction and subtracts them after its last one; running sums then give the live
 * bytes. */
static void add_tensor(const builder *b, etr_planned_tensor *tensor) {
  tensor->buffer = tensor->buffer < b->program->buffers.count ? b->buffer_of_id[tensor->buffer] : ETR_NONE;
  if (tensor->buffer == ETR_NONE) tensor->is_misplaced = true;
  if (tensor->is_misplaced) return;
  etr_planned_buffer *buffer = &b->buffers[tensor->buffer];
  uint64_t *live = b->live[tensor->buffer];
  buffer->top_bytes = ETR_MAX(buffer->top_bytes, tensor->offset_bytes + tensor->size_bytes);
  if (tensor->view_of != ETR_NONE || tensor->first_instruction < 0 || b->plan->instruction_count == 0) return;
  live[tensor->first_instruction] += tensor->size_bytes;
  size_t end = (size_t)tensor->last_instruction + 1;
  if (end < b->plan->instruction_count) live[end] -= tensor->size_bytes;
}

static void find_peak(const uint64_t *live, size_t count, uint64_t *peak, int32_t *instruction) {
  *instruction = -1;
  *peak = 0;
  for (size_t i = 0; i < count; i++) {
    if (live[i] <= *peak) continue;
    *peak = live[i];
    *instruction = (int32_t)i;
  }
}

static bool add_curves(builder *b) {
  size_t count = b->plan->instruction_count;
  uint64_t *all = etr_arena_alloc_array(b->arena, count, sizeof *all);
  if (!all) return false;
  for (size_t i = 0; i < b->lives.tensors.count; i++) add_tensor(b, &b->lives.tensors.data[i]);
  for (size_t k = 0; k < b->plan->buffer_count; k++) {
    etr_planned_buffer *buffer = &b->buffers[k];
    uint64_t *live = b->live[k];
    for (size_t i = 1; i < count; i++) live[i] += live[i - 1];
    for (size_t i = 0; i < count; i++) all[i] += live[i];
    find_peak(live, count, &buffer->peak_bytes, &buffer->peak_instruction);
    b->plan->planned_bytes = etr_add_up_to_most(b->plan->planned_bytes, buffer->size_bytes);
  }
  b->plan->live_bytes = all;
  find_peak(all, count, &b->plan->peak_bytes, &b->plan->peak_instruction);
  return true;
}

/* ---- All ---- */

static bool fill(builder *b, uint32_t method) {
  memory_check check = {.source = b->source, .method = b->placement->method->name, .program = b->program};
  b->names = etr_value_names_make(b->placement, b->scratch, b->scratch);
  b->steps = b->names ? memory_steps_make(b->plan, b->placement, b->arena) : NULL;
  if (!b->steps || !etr_lifetimes_find(&b->lives, b->placement, b->arena, b->scratch)) return false;
  for (size_t i = 0; i < b->lives.tensors.count; i++) {
    etr_planned_tensor *tensor = &b->lives.tensors.data[i];
    const etr_value_name *name = name_of(b, tensor);
    tensor->tensor = etr_describe_tensor(&b->program->values[tensor->value], name, "value", tensor->value, b->arena);
    /* The module is that of the node or instruction that computes the tensor, or else the root. */
    const etr_graph *graph = b->placement->method->graph;
    if (name->is_computed) tensor->node = name->node;
    if (graph && name->node != ETR_NONE)
      tensor->module = graph->nodes[name->node].module;
    else if (graph && tensor->made_by >= 0)
      tensor->module = b->plan->steps[tensor->made_by].module;
  }
  b->plan->tensors = b->lives.tensors.data;
  b->plan->tensor_count = b->lives.tensors.count;
  if (etr_arena_failed(b->arena)) return false;
  /* Marks tensors with an impossible location or size, with a warning for each. `buffer` is still the program's number
   * of the buffer. */
  for (size_t i = 0; i < b->lives.tensors.count; i++) check_place(&check, &b->lives.tensors.data[i]);
  if (!memory_check_overlaps(&check, b->lives.tensors.data, b->lives.tensors.count, b->scratch)) return false;
  /* Warns about the number of warnings that are not shown. */
  if (check.warned > MOST_WARNINGS)
    etr_warn(check.source->warnings, check.source->file, check.source->entry, ETR_NO_OFFSET,
             "%.*s: %zu more contradictions in the memory plan", ETR_HEAD(check.method, 64),
             check.warned - MOST_WARNINGS);
  etr_program_constants_add(b->source->constants, b->program, method, b->names);
  if (!add_buffers(b) || !add_curves(b) || !memory_boundary_make(b->plan, b->program, b->names, b->arena) ||
      !memory_blobs_make(b->plan, b->program, b->source->constants->data, b->arena, b->scratch))
    return false;
  if (b->lives.is_cut)
    etr_warn(b->source->warnings, b->source->file, b->source->entry, ETR_NO_OFFSET,
             "%s: too long lists of tensors, or too many loops, to follow: tensors may live longer than is shown",
             etr_method_label(b->placement->method));
  if (b->hidden_buffers)
    etr_warn(b->source->warnings, b->source->file, b->source->entry, ETR_NO_OFFSET,
             "%s: too many buffers for so many instructions: %zu are left out of the memory plan",
             etr_method_label(b->placement->method), b->hidden_buffers);
  b->plan->has_needs = check.warned == 0 && !check.is_cut && b->plan->unplanned_count == 0;
  return etr_step_needs_find(b->plan, b->steps, b->placement, &b->lives, b->arena, b->scratch);
}

static const etr_memory_plan *make_plan(const etr_placement *placement, uint32_t method,
                                        const etr_memory_source *source) {
  etr_arena scratch;
  etr_arena_init(&scratch);
  builder b = {.placement = placement,
               .program = placement->method->program,
               .source = source,
               .arena = source->arena,
               .scratch = &scratch};
  b.plan = etr_arena_alloc(source->arena, sizeof *b.plan);
  bool good = b.plan && fill(&b, method) && !etr_arena_failed(source->arena) && !etr_arena_failed(&scratch);
  etr_arena_clear(&scratch);
  return good ? b.plan : NULL;
}

bool etr_memory_plan_all(etr_profile *profile, etr_method *methods, const etr_placement *placements, const etr_pte *pte,
                         etr_warnings *warnings, etr_arena *arena) {
  etr_program_constants constants;
  const etr_memory_source source = {
      .file = profile->pte, .entry = profile->pte_entry, .warnings = warnings, .constants = &constants, .arena = arena};
  if (pte->method_count == 0) return true;
  etr_program_constants_init(&constants, &pte->data, arena);
  for (uint32_t i = 0; i < profile->method_count; i++) {
    if (!placements[i].method->program) continue;
    methods[i].memory = make_plan(&placements[i], i, &source);
    if (!methods[i].memory) return false;
  }
  profile->program_memory = etr_program_memory_make(&constants);
  return profile->program_memory != NULL;
}
