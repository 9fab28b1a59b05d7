/* SPDX-License-Identifier: BSD-3-Clause
 *
 * order_problem.c - counts uses of tensors, and computes the memory of orders.
 */
#include "order/order_problem.h"

bool etr_order_starts(const etr_planned_tensor *tensor) {
  return tensor->role == ETR_TENSOR_INPUT || tensor->role == ETR_TENSOR_STATE;
}

/* ---- Trying an order ---- */

/* Returns true if no instruction has used the tensor yet, by the counts. */
static bool is_new(const etr_order_problem *p, uint32_t tensor) {
  return p->users_left[tensor] == p->users[tensor] && !etr_order_starts(&p->plan->tensors[tensor]);
}

static uint64_t sum_memory(const etr_order_problem *p, const etr_memory_step *step) {
  uint64_t bytes = 0;
  for (size_t k = 0; k < step->tensor_count; k++)
    if (is_new(p, step->tensors[k]))
      bytes += p->plan->tensors[step->tensors[k]].size_bytes;
  return bytes;
}

static uint64_t give_back(const etr_order_problem *p, const etr_memory_step *step) {
  uint64_t bytes = 0;
  for (size_t k = 0; k < step->tensor_count; k++) {
    const etr_planned_tensor *tensor = &p->plan->tensors[step->tensors[k]];
    if (--p->users_left[step->tensors[k]] == 0 && !tensor->is_kept)
      bytes += tensor->size_bytes;
  }
  return bytes;
}

uint64_t etr_order_peak(const etr_order_problem *p, const uint32_t *order, uint64_t *curve) {
  uint64_t live = p->start_bytes, peak = 0;
  if (p->plan->tensor_count)
    memcpy(p->users_left, p->users, p->plan->tensor_count * sizeof *p->users);
  for (uint32_t i = 0; i < p->count; i++) {
    const etr_memory_step *step = &p->plan->steps[order[i]];
    live += sum_memory(p, step);
    peak = ETR_MAX(peak, live);
    if (curve)
      curve[i] = live;
    live -= give_back(p, step);
  }
  return peak;
}

bool etr_order_is_valid(const etr_order_problem *p, const uint32_t *order, uint32_t *place) {
  for (uint32_t i = 0; i < p->count; i++)
    place[i] = ETR_NONE;
  for (uint32_t i = 0; i < p->count; i++) {
    if (order[i] >= p->count || place[order[i]] != ETR_NONE)
      return false;
    place[order[i]] = i;
  }
  for (uint32_t i = 0; i < p->count; i++)
    for (size_t k = 0; k < p->plan->steps[i].need_count; k++)
      if (place[p->plan->steps[i].needs[k]] > place[i])
        return false;
  return true;
}

/* ---- Preparing a problem ---- */

static void count_uses(etr_order_problem *p, uint32_t *users, uint32_t *then_start) {
  for (uint32_t i = 0; i < p->count; i++) {
    const etr_memory_step *step = &p->plan->steps[i];
    p->size += 1 + step->tensor_count + step->need_count;
    for (size_t k = 0; k < step->tensor_count; k++)
      users[step->tensors[k]]++;
    for (size_t k = 0; k < step->need_count; k++)
      then_start[step->needs[k] + 1]++;
  }
  for (uint32_t i = 0; i < p->count; i++)
    then_start[i + 1] += then_start[i];
}

static bool list_then(etr_order_problem *p) {
  uint32_t *then = etr_arena_alloc_array(p->arena, p->then_start[p->count], sizeof *then),
           *end = etr_arena_alloc_array(p->arena, p->count, sizeof *end);
  if (!then || !end)
    return false;
  for (uint32_t i = 0; i < p->count; i++)
    end[i] = p->then_start[i];
  for (uint32_t i = 0; i < p->count; i++)
    for (size_t k = 0; k < p->plan->steps[i].need_count; k++)
      then[end[p->plan->steps[i].needs[k]]++] = i;
  p->then = then;
  return true;
}

/* Finds the bytes that are taken before the first instruction, and the peak that no order can be
 * below. */
static void find_bounds(etr_order_problem *p) {
  uint64_t always = 0;
  for (uint32_t i = 0; i < p->plan->tensor_count; i++) {
    const etr_planned_tensor *tensor = &p->plan->tensors[i];
    if (tensor->view_of != ETR_NONE || !etr_order_starts(tensor))
      continue;
    if (tensor->is_kept || p->users[i] > 0)
      p->start_bytes += tensor->size_bytes;
    always += tensor->is_kept ? tensor->size_bytes : 0;
  }
  for (uint32_t i = 0; i < p->count; i++) {
    const etr_memory_step *step = &p->plan->steps[i];
    uint64_t bytes = always;
    for (size_t k = 0; k < step->tensor_count; k++) {
      const etr_planned_tensor *tensor = &p->plan->tensors[step->tensors[k]];
      if (!etr_order_starts(tensor) || !tensor->is_kept)
        bytes += tensor->size_bytes;
    }
    p->least_peak = ETR_MAX(p->least_peak, bytes);
  }
  p->least_peak = ETR_MAX(p->least_peak, p->start_bytes);
}

/* Returns true if the plan's own order needs the bytes that the plan says. */
static bool agrees(const etr_order_problem *p) {
  uint32_t *order = etr_arena_alloc_array(p->arena, p->count, sizeof *order);
  uint64_t *curve = etr_arena_alloc_array(p->arena, p->count, sizeof *curve);
  if (!order || !curve)
    return false;
  for (uint32_t i = 0; i < p->count; i++)
    order[i] = i;
  (void)etr_order_peak(p, order, curve);
  return p->count == 0 || memcmp(curve, p->plan->live_bytes, p->count * sizeof *curve) == 0;
}

bool etr_order_problem_init(etr_order_problem *p, const etr_memory_plan *plan, etr_arena *arena) {
  *p = (etr_order_problem){
      .plan = plan, .arena = arena, .count = (uint32_t)plan->instruction_count};
  uint32_t *users = etr_arena_alloc_array(arena, plan->tensor_count, sizeof *users),
           *then_start = etr_arena_alloc_array(arena, (size_t)p->count + 1, sizeof *then_start);
  p->users_left = etr_arena_alloc_array(arena, plan->tensor_count, sizeof *p->users_left);
  if (!users || !then_start || !p->users_left)
    return false;
  count_uses(p, users, then_start);
  p->users = users;
  p->then_start = then_start;
  if (!list_then(p))
    return false;
  find_bounds(p);
  return agrees(p);
}
