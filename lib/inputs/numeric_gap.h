/* SPDX-License-Identifier: BSD-3-Clause
 *
 * numeric_gap.h - how far the numbers of one tensor are from another's. Layer 2.
 */
#ifndef ETR_NUMERIC_GAP_H
#define ETR_NUMERIC_GAP_H

#include "inputs/tensor_data.h"

/** Adds up a gap, piece by piece. */
typedef struct etr_gap_sum {
  uint64_t pairs, left_out, unlike;
  double squares, differences, reference_squares, largest;
} etr_gap_sum;

/** Adds pairs of a reference and what came out. */
void etr_gap_add(etr_gap_sum *sum, const double *reference, const double *actual, size_t count);

/** The gap of all pairs that were added. */
etr_numeric_gap etr_gap_of(const etr_gap_sum *sum);

/**
 * The gap of two tensors without fault. *problem is NULL, or why they cannot be compared, a static text: the shapes
 * differ, one is unreadable, or too large. Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_gap_measure(etr_numeric_gap *out, const char **problem, const etr_tensor_view *reference,
                           const etr_tensor_view *actual);

#endif
