/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_fields.h - rows and columns about memory. Layer 5.
 */
#ifndef ETR_MEMORY_FIELDS_H
#define ETR_MEMORY_FIELDS_H

#include "output/sheet.h"
#include "views/memory_findings.h"

/** A row of etr_tensor_fields, etr_constant_fields or etr_boundary_fields: a tensor that is planned, constant, or at
 * the method's boundary. */
typedef struct etr_memory_row {
  etr_arena *arena;
  const etr_profile *profile;
  const etr_method *method; /* NULL of constants */
  const etr_value *tensor;
  const char *role;
  uint64_t bytes;
  uint64_t whole;                      /* bytes of all tensors that it is listed with; 0: no share */
  const etr_planned_tensor *planned;   /* or NULL */
  const etr_constant *constant;        /* or NULL */
  const etr_boundary_tensor *boundary; /* or NULL */
} etr_memory_row;

/** A row of etr_buffer_fields, etr_*_sum_fields, etr_blob_fields or etr_allocation_fields. */
typedef struct etr_memory_part {
  etr_arena *arena;
  const etr_planned_buffer *buffer;
  const etr_weight_sum *sum;
  const etr_delegate_blob *blob;
  const etr_blob_sum *blobs;
  const etr_allocations *allocations;
  const char *method; /* of allocations; NULL: of none */
  size_t runs;        /* of allocations: that logged just these */
  uint64_t whole;
} etr_memory_part;

/** Rows for a list of tensors, in the arena; each NULL when out of memory. */
etr_rows etr_memory_live_rows(etr_arena *arena, const etr_profile *profile, const etr_method *method,
                              int32_t instruction);
etr_rows etr_memory_planned_rows(etr_arena *arena, const etr_profile *profile, const etr_method *method);
etr_rows etr_memory_constant_rows(etr_arena *arena, const etr_profile *profile);
etr_rows etr_memory_boundary_rows(etr_arena *arena, const etr_profile *profile, const etr_method *method);

/** Rows of parts, likewise. */
etr_rows etr_memory_buffer_parts(etr_arena *arena, const etr_memory_plan *plan);
etr_rows etr_memory_sum_parts(etr_arena *arena, const etr_weight_sum *sums, size_t count);
etr_rows etr_memory_blob_parts(etr_arena *arena, const etr_memory_plan *plan);
etr_rows etr_memory_blob_sum_parts(etr_arena *arena, const etr_memory_plan *plan);
/** Of the runs of a method, or, with NULL, of loads and runs that are of none; equal ones once. */
etr_rows etr_memory_allocation_parts(etr_arena *arena, const etr_profile *profile, const etr_method *method);
/** Of all runs, likewise. */
etr_rows etr_memory_all_allocation_parts(etr_arena *arena, const etr_profile *profile);

#endif
