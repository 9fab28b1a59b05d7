/* SPDX-License-Identifier: BSD-3-Clause
 *
 * order_placement.c - puts tensors into objects, and objects into buffers, as ExecuTorch does.
 */
#include "order/order_problem.h"

#include <stdlib.h>

enum {
  ALIGNMENT = 16, /* ExecutorchBackendConfig and the algorithm itself round sizes up to this */
  PADDING = 64,   /* apply_algo() adds this to each buffer of a method if a backend reads beyond its
                     inputs */
  SHORT = 64,     /* most steps between the first and the last use of a tensor that is found by its
                     first use */
  MOST_TENSORS = 4096 /* tensors that live longer are compared with all others */
};

/* A tensor that is put into an object. Times are positions in the order; inputs come before all of
 * them, each at its own time, and results after them. */
typedef struct placed {
  uint64_t size, offset; /* offset from the start of the object */
  int64_t first, last;
  uint32_t tensor, object; /* object: index into objects */
  uint32_t next;           /* the next one with the same first step; ETR_NONE: the last */
} placed;

typedef struct object {
  uint64_t size;
  uint32_t buffer;
} object;

typedef struct placement {
  const etr_order_problem *p;
  placed *list;
  object *objects;
  uint64_t *ends; /* per object: end of the tensors in it that are live with the one to be placed */
  uint32_t *starting; /* per step, and at the end: the first of the short-lived tensors that begin
                         there */
  uint32_t *long_lived;
  size_t count, object_count, long_count;
} placement;

static int largest_and_last_first(const void *a, const void *b) {
  const placed *x = a, *y = b;
  if (x->size != y->size)
    return x->size < y->size ? 1 : -1;
  if (x->first != y->first)
    return x->first < y->first ? 1 : -1;
  return x->tensor < y->tensor ? 1 : -1;
}

/* The graph returns the new value of a buffer as a result that nothing reads, and memory planning
 * gives it a place at the end, beside that of the buffer. */
static bool is_written_back(const etr_memory_plan *plan, const etr_memory_step *step,
                            uint32_t tensor) {
  static const char copy[] = "aten::copy_";
  return step->node == ETR_NONE && strncmp(step->op, copy, sizeof copy - 1) == 0 &&
         plan->tensors[tensor].role == ETR_TENSOR_STATE;
}

static void add_written_back(placement *g, const placed *state, int64_t end) {
  g->list[g->count++] = (placed){
      .size = state->size, .first = end, .last = end, .tensor = state->tensor};
}

/* Lists the tensors with memory of their own, with their lifetimes in an order. */
static void list_tensors(placement *g, const uint32_t *order, uint32_t *slot_of) {
  const etr_memory_plan *plan = g->p->plan;
  int64_t start = -(int64_t)plan->tensor_count - 1, end = (int64_t)g->p->count;
  for (uint32_t i = 0; i < plan->tensor_count; i++) {
    const etr_planned_tensor *tensor = &plan->tensors[i];
    slot_of[i] = ETR_NONE;
    if (tensor->view_of != ETR_NONE || tensor->size_bytes == 0)
      continue;
    placed *added = &g->list[slot_of[i] = (uint32_t)g->count++];
    *added = (placed){.size = (tensor->size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT,
                      .first = end, /* until a step uses it */
                      .last = start,
                      .tensor = i};
    if (tensor->role == ETR_TENSOR_STATE)
      added->first = start;
    if (tensor->role == ETR_TENSOR_INPUT)
      added->first = added->last = start + 1 + (int64_t)i;
    if (tensor->is_kept)
      added->last = end;
  }
  for (uint32_t at = 0; at < g->p->count; at++) {
    const etr_memory_step *step = &plan->steps[order[at]];
    for (size_t k = 0; k < step->tensor_count; k++) {
      uint32_t slot = slot_of[step->tensors[k]];
      if (slot == ETR_NONE)
        continue;
      g->list[slot].first = ETR_MIN(g->list[slot].first, (int64_t)at);
      g->list[slot].last = ETR_MAX(g->list[slot].last, (int64_t)at);
      if (is_written_back(plan, step, step->tensors[k]))
        add_written_back(g, &g->list[slot], end);
    }
  }
}

/* Raises the end of an object in which another tensor is live with this one. */
static void avoid(placement *g, const placed *tensor, const placed *other) {
  if (tensor->last < other->first || tensor->first > other->last)
    return;
  g->ends[other->object] = ETR_MAX(g->ends[other->object], other->offset + other->size);
}

static void avoid_all(placement *g, const placed *tensor) {
  memset(g->ends, 0, g->object_count * sizeof *g->ends);
  for (size_t i = 0; i < g->long_count; i++)
    avoid(g, tensor, &g->list[g->long_lived[i]]);
  for (int64_t at = ETR_MAX(tensor->first - SHORT, 0); at <= tensor->last; at++)
    for (uint32_t i = g->starting[at]; i != ETR_NONE; i = g->list[i].next)
      avoid(g, tensor, &g->list[i]);
}

static void add_placed(placement *g, uint32_t number) {
  placed *tensor = &g->list[number];
  if (tensor->first < 0 || tensor->last - tensor->first > SHORT) {
    g->long_lived[g->long_count++] = number;
    return;
  }
  tensor->next = g->starting[tensor->first];
  g->starting[tensor->first] = number;
}

/* Puts a tensor into an object. */
static void place_tensor(placement *g, uint32_t number) {
  placed *tensor = &g->list[number];
  uint32_t buffer = g->p->plan->tensors[tensor->tensor].buffer, found = ETR_NONE;
  avoid_all(g, tensor);
  for (uint32_t i = 0; i < g->object_count && (found == ETR_NONE || g->ends[found] > 0); i++) {
    bool fits = g->objects[i].buffer == buffer && g->ends[i] + tensor->size <= g->objects[i].size;
    if (fits && (found == ETR_NONE || g->ends[i] == 0))
      found = i;
  }
  if (found == ETR_NONE) {
    found = (uint32_t)g->object_count++;
    g->objects[found] = (object){tensor->size, buffer};
    g->ends[found] = 0;
  }
  tensor->object = found;
  tensor->offset = g->ends[found];
  add_placed(g, number);
}

/* Fills the sizes that the buffers get. */
static void place_all(placement *g, const uint32_t *order, uint32_t *slot_of, uint64_t *sizes) {
  g->count = g->object_count = g->long_count = 0;
  for (uint32_t i = 0; i <= g->p->count; i++)
    g->starting[i] = ETR_NONE;
  list_tensors(g, order, slot_of);
  qsort(g->list, g->count, sizeof *g->list, largest_and_last_first);
  for (uint32_t i = 0; i < g->count; i++)
    place_tensor(g, i);
  memset(sizes, 0, g->p->plan->buffer_count * sizeof *sizes);
  for (size_t i = 0; i < g->object_count; i++)
    sizes[g->objects[i].buffer] += g->objects[i].size;
}

uint64_t etr_order_planned_bytes(const etr_order_problem *p, const uint32_t *order) {
  const etr_memory_plan *plan = p->plan;
  size_t count = plan->tensor_count +
                 p->size; /* a step writes each of its tensors back at most once */
  if (plan->tensor_count == 0 || plan->tensor_count > MOST_TENSORS)
    return ETR_UNKNOWN;
  placement g = {
      .p = p,
      .list = etr_arena_alloc_array(p->arena, count, sizeof *g.list),
      .objects = etr_arena_alloc_array(p->arena, count, sizeof *g.objects),
      .ends = etr_arena_alloc_array(p->arena, count, sizeof *g.ends),
      .starting = etr_arena_alloc_array(p->arena, (size_t)p->count + 1, sizeof *g.starting),
      .long_lived = etr_arena_alloc_array(p->arena, count, sizeof *g.long_lived)};
  uint32_t *slot_of = etr_arena_alloc_array(p->arena, plan->tensor_count, sizeof *slot_of),
           *own_order = etr_arena_alloc_array(p->arena, p->count, sizeof *own_order);
  uint64_t *own = etr_arena_alloc_array(p->arena, plan->buffer_count, sizeof *own),
           *other = etr_arena_alloc_array(p->arena, plan->buffer_count, sizeof *other), sum = 0;
  if (etr_arena_failed(p->arena))
    return ETR_UNKNOWN;
  for (uint32_t i = 0; i < p->count; i++)
    own_order[i] = i;
  place_all(&g, own_order, slot_of, own);
  place_all(&g, order, slot_of, other);
  for (size_t i = 0; i < plan->buffer_count; i++) {
    uint64_t padding = plan->buffers[i].size_bytes - own[i]; /* wraps below 0 */
    if (padding != 0 && padding != PADDING)
      return ETR_UNKNOWN;
    sum += other[i] + padding;
  }
  return sum;
}
