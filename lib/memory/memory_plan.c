/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_plan.c - planned tensors in their buffers, and what is live at each instruction.
 */
#include "memory/memory_plan.h"

#include "memory/lifetimes.h"
#include "memory/memory_check.h"
#include "memory/memory_steps.h"
#include "memory/step_needs.h"

/* Numbers of curves over instructions: beyond what real programs have. */
enum { MOST_POINTS = 1 << 24 };

typedef struct builder {
  const etr_placement *placement;
  const etr_pte_method *program;
  const etr_memory_source *source;
  etr_arena *arena, *scratch;
  etr_lifetimes lives;
  const etr_value_name *names;
  uint32_t *buffer_of_id; /* per number of a buffer: index into the plan's; ETR_NONE: it is not shown */
  etr_memory_plan *plan;
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

/* A view has the name and the node of what it looks at, where it has none itself. */
static const etr_value_name *name_of(const builder *b, const etr_planned_tensor *tensor) {
  const etr_value_name *own = &b->names[tensor->value];
  if (own->name || tensor->view_of == ETR_NONE) return own;
  return &b->names[b->lives.tensors.data[tensor->view_of].value];
}

/* The module of what makes it; of what nothing makes, that of the model. */
static void place_in_graph(const builder *b, etr_planned_tensor *tensor, const etr_value_name *name) {
  const etr_graph *graph = b->placement->method->graph;
  if (name->is_computed) tensor->node = name->node;
  if (graph && name->node != ETR_NONE)
    tensor->module = graph->nodes[name->node].module;
  else if (graph && tensor->made_by >= 0)
    tensor->module = b->plan->steps[tensor->made_by].module;
}

static void describe_tensors(builder *b) {
  for (size_t i = 0; i < b->lives.tensors.count; i++) {
    etr_planned_tensor *tensor = &b->lives.tensors.data[i];
    const etr_value_name *name = name_of(b, tensor);
    tensor->tensor = etr_describe_tensor(&b->program->values[tensor->value], name, "value", tensor->value, b->arena);
    place_in_graph(b, tensor, name);
  }
  b->plan->tensors = b->lives.tensors.data;
  b->plan->tensor_count = b->lives.tensors.count;
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

/* How many of a method's tensors are planned into each buffer. */
static size_t *count_tensors(const builder *b) {
  size_t *counts = etr_arena_alloc_array(b->scratch, b->program->buffers.count, sizeof *counts);
  for (size_t i = 0; counts && i < b->lives.tensors.count; i++) {
    const etr_planned_tensor *tensor = &b->lives.tensors.data[i];
    if (tensor->buffer < b->program->buffers.count) counts[tensor->buffer]++;
  }
  return counts;
}

static bool add_buffers(builder *b) {
  size_t count = b->program->buffers.count, points = b->plan->instruction_count;
  const size_t *tensors = count_tensors(b);
  etr_planned_buffer *buffers = etr_arena_alloc_array(b->arena, count, sizeof *buffers);
  b->buffer_of_id = etr_arena_alloc_array(b->scratch, count, sizeof *b->buffer_of_id);
  if (!tensors || !buffers || !b->buffer_of_id) return false;
  for (uint32_t id = 0; id < count; id++) {
    int64_t size = b->program->buffers.sizes[id];
    bool is_shown = (tensors[id] > 0 || size > 0) && (b->plan->buffer_count + 1) * points <= MOST_POINTS;
    b->buffer_of_id[id] = is_shown ? (uint32_t)b->plan->buffer_count : ETR_NONE;
    if (!is_shown) continue;
    buffers[b->plan->buffer_count++] = (etr_planned_buffer){
        .id = id,
        .device = device_of(b, id),
        .size_bytes = size > 0 ? (uint64_t)size : 0,
        .peak_instruction = -1,
        .live_bytes = etr_arena_alloc_array(b->arena, points, sizeof(uint64_t)),
        .tensor_count = tensors[id]};
  }
  b->plan->buffers = buffers;
  return !etr_arena_failed(b->arena);
}

/* ---- What is live ---- */

/* Adds a tensor's bytes to where it starts, and takes them where it has ended: the sums follow. */
static void add_tensor(const builder *b, etr_planned_tensor *tensor) {
  tensor->buffer = tensor->buffer < b->program->buffers.count ? b->buffer_of_id[tensor->buffer] : ETR_NONE;
  if (tensor->buffer == ETR_NONE) tensor->is_misplaced = true;
  if (tensor->is_misplaced) return;
  etr_planned_buffer *buffer = etr_unconst(&b->plan->buffers[tensor->buffer]);
  uint64_t *live = etr_unconst(buffer->live_bytes);
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
    etr_planned_buffer *buffer = etr_unconst(&b->plan->buffers[k]);
    uint64_t *live = etr_unconst(buffer->live_bytes);
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
  etr_memory_check check = {.source = b->source, .method = b->placement->method->name, .program = b->program};
  b->names = etr_value_names_make(b->placement, b->scratch, b->scratch);
  if (!b->names || !etr_memory_steps_make(b->plan, b->placement, b->arena) ||
      !etr_lifetimes_find(&b->lives, b->placement, b->arena, b->scratch))
    return false;
  describe_tensors(b);
  if (etr_arena_failed(b->arena)) return false;
  etr_memory_check_places(&check, b->lives.tensors.data, b->lives.tensors.count);
  if (!etr_memory_check_overlaps(&check, b->lives.tensors.data, b->lives.tensors.count, b->scratch)) return false;
  etr_memory_check_end(&check);
  etr_program_constants_add(b->source->constants, b->program, method, b->names);
  if (!add_buffers(b) || !add_curves(b) || !etr_memory_boundary_make(b->plan, b->program, b->names, b->arena) ||
      !etr_memory_blobs_make(b->plan, b->program, b->source->constants->data, b->arena, b->scratch))
    return false;
  if (b->lives.is_cut)
    etr_warn(b->source->warnings, b->source->file, b->source->entry, ETR_NO_OFFSET,
             "%s: too long lists of tensors, or too many loops, to follow: tensors may live longer than is shown",
             etr_method_label(b->placement->method));
  b->plan->has_needs = check.warned == 0 && !check.is_cut && b->plan->unplanned_count == 0;
  return etr_step_needs_find(b->plan, b->placement, &b->lives, b->arena, b->scratch);
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

bool etr_memory_plan_all(etr_profile *profile, const etr_placement *placements, const etr_pte *pte,
                         etr_warnings *warnings, etr_arena *arena) {
  etr_program_constants constants;
  const etr_memory_source source = {
      .file = profile->pte, .entry = profile->pte_entry, .warnings = warnings, .constants = &constants, .arena = arena};
  etr_method *methods = etr_unconst(profile->methods);
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
