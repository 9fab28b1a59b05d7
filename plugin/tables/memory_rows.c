/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_rows.c - rows of memory_fields.h.
 */
#include "tables/memory_fields.h"

/* ---- Tensors ---- */

static etr_memory_row planned_row(etr_arena *arena, const etr_profile *profile, const etr_method *method, size_t i) {
  const etr_planned_tensor *planned = &method->memory->tensors[i];
  return (etr_memory_row){.arena = arena,
                          .profile = profile,
                          .method = method,
                          .tensor = &planned->tensor,
                          .role = etr_tensor_role_name(planned->role),
                          .bytes = planned->size_bytes,
                          .planned = planned};
}

etr_rows etr_memory_live_rows(etr_arena *arena, const etr_profile *profile, const etr_method *method,
                              int32_t instruction) {
  size_t count;
  const uint32_t *live = etr_live_tensors_make(&count, arena, method->memory, instruction);
  etr_memory_row *rows = live ? etr_arena_alloc_array(arena, count, sizeof *rows) : NULL;
  for (size_t i = 0; rows && i < count; i++) {
    rows[i] = planned_row(arena, profile, method, live[i]);
    rows[i].whole = method->memory->live_bytes[instruction]; /* there is one where something is live */
  }
  return ETR_ROWS(rows, rows ? count : 0);
}

etr_rows etr_memory_planned_rows(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  size_t count = method->memory->tensor_count;
  etr_memory_row *rows = etr_arena_alloc_array(arena, count, sizeof *rows);
  for (size_t i = 0; rows && i < count; i++) rows[i] = planned_row(arena, profile, method, i);
  return ETR_ROWS(rows, rows ? count : 0);
}

etr_rows etr_memory_constant_rows(etr_arena *arena, const etr_profile *profile) {
  size_t count = profile->program_memory->constant_count;
  etr_memory_row *rows = etr_arena_alloc_array(arena, count, sizeof *rows);
  for (size_t i = 0; rows && i < count; i++) {
    const etr_constant *constant = &profile->program_memory->constants[i];
    rows[i] = (etr_memory_row){.arena = arena,
                               .profile = profile,
                               .tensor = &constant->tensor,
                               .role = "constant",
                               .bytes = constant->size_bytes,
                               .constant = constant};
  }
  return ETR_ROWS(rows, rows ? count : 0);
}

etr_rows etr_memory_boundary_rows(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  size_t count = method->memory->boundary_count;
  etr_memory_row *rows = etr_arena_alloc_array(arena, count, sizeof *rows);
  for (size_t i = 0; rows && i < count; i++) {
    const etr_boundary_tensor *boundary = &method->memory->boundary[i];
    rows[i] = (etr_memory_row){.arena = arena,
                               .profile = profile,
                               .method = method,
                               .tensor = &boundary->tensor,
                               .role = etr_tensor_role_name(boundary->role),
                               .bytes = boundary->size_bytes,
                               .boundary = boundary};
  }
  return ETR_ROWS(rows, rows ? count : 0);
}

/* ---- Parts ---- */

static etr_memory_part *new_parts(etr_arena *arena, size_t *count) {
  etr_memory_part *parts = etr_arena_alloc_array(arena, *count, sizeof *parts);
  if (!parts) *count = 0;
  for (size_t i = 0; i < *count; i++) parts[i].arena = arena;
  return parts;
}

etr_rows etr_memory_buffer_parts(etr_arena *arena, const etr_memory_plan *plan) {
  size_t count = plan->buffer_count;
  etr_memory_part *parts = new_parts(arena, &count);
  for (size_t i = 0; i < count; i++) parts[i].buffer = &plan->buffers[i];
  return ETR_ROWS(parts, count);
}

etr_rows etr_memory_sum_parts(etr_arena *arena, const etr_weight_sum *sums, size_t count) {
  etr_memory_part *parts = new_parts(arena, &count);
  uint64_t whole = 0;
  for (size_t i = 0; i < count; i++) whole = etr_add_up_to_most(whole, sums[i].bytes);
  for (size_t i = 0; i < count; i++) {
    parts[i].sum = &sums[i];
    parts[i].whole = whole;
  }
  return ETR_ROWS(parts, count);
}

etr_rows etr_memory_blob_parts(etr_arena *arena, const etr_memory_plan *plan) {
  size_t count = plan->blob_count;
  etr_memory_part *parts = new_parts(arena, &count);
  for (size_t i = 0; i < count; i++) parts[i].blob = &plan->blobs[i];
  return ETR_ROWS(parts, count);
}

etr_rows etr_memory_blob_sum_parts(etr_arena *arena, const etr_memory_plan *plan) {
  size_t count = 0;
  const etr_blob_sum *sums = etr_blob_sums_make(&count, arena, plan);
  if (!sums) count = 0;
  etr_memory_part *parts = new_parts(arena, &count);
  for (size_t i = 0; i < count; i++) parts[i].blobs = &sums[i];
  return ETR_ROWS(parts, count);
}

/* ---- Logged allocations ---- */

typedef etr_vec(etr_memory_part) etr_memory_parts;

static bool is_same(const etr_allocations *a, const etr_allocations *b) {
  return strcmp(a->allocator, b->allocator) == 0 && a->count == b->count && a->total_bytes == b->total_bytes &&
         a->largest_bytes == b->largest_bytes;
}

/* Counts a run's allocations with those before that were the same: most are, so that few rows are looked at. */
static void add_allocations(etr_arena *arena, etr_memory_parts *parts, const etr_method *method,
                            const etr_allocations *allocations) {
  enum { MOST_ROWS = 64 };
  const char *name = method ? method->name : NULL; /* of one method always the same pointer */
  for (size_t i = 0; i < parts->count; i++) {
    if (parts->data[i].method != name || !is_same(parts->data[i].allocations, allocations)) continue;
    parts->data[i].runs++;
    return;
  }
  etr_memory_part *added = parts->count < MOST_ROWS ? etr_vec_push(arena, parts) : NULL;
  if (added) *added = (etr_memory_part){.arena = arena, .allocations = allocations, .method = name, .runs = 1};
}

/* Of every run, or only of those whose method it is. */
static etr_rows list_allocations(etr_arena *arena, const etr_profile *profile, bool all, uint32_t wanted) {
  etr_memory_parts parts = {0};
  for (size_t i = 0; i < profile->run_count; i++) {
    const etr_run *run = &profile->runs[i];
    uint32_t method = profile->blocks[run->block].method;
    if (!all && method != wanted) continue;
    for (size_t k = 0; k < run->allocation_count; k++)
      add_allocations(arena, &parts, method == ETR_NONE ? NULL : &profile->methods[method], &run->allocations[k]);
  }
  return (etr_rows){parts.data, parts.count, sizeof *parts.data};
}

etr_rows etr_memory_allocation_parts(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  return list_allocations(arena, profile, false, method ? (uint32_t)(method - profile->methods) : ETR_NONE);
}

etr_rows etr_memory_all_allocation_parts(etr_arena *arena, const etr_profile *profile) {
  return list_allocations(arena, profile, true, ETR_NONE);
}
