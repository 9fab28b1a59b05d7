/* SPDX-License-Identifier: BSD-3-Clause
 *
 * numeric_gap.h - measures how far the numbers of one tensor are from those of another. Layer 2.
 */
#ifndef ETR_NUMERIC_GAP_H
#define ETR_NUMERIC_GAP_H

#include "inputs/tensor_data.h"

/** The sums from which a gap is computed, piece by piece. Zeroed: no pairs. */
typedef struct etr_gap_sum {
  uint64_t pairs, left_out, unlike;
  double squares, differences, reference_squares, largest;
} etr_gap_sum;

/** Adds pairs of a reference number and an actual number. */
void etr_gap_add(etr_gap_sum *sum, const double *reference, const double *actual, size_t count);

/** Returns the gap of all pairs that were added. */
etr_numeric_gap etr_gap_of(const etr_gap_sum *sum);

/**
 * Measures the gap of two tensors that have no fault (etr_tensor_fault()). *problem becomes NULL, or a static text that
 * says why they cannot be compared: the shapes differ, or one is unreadable or too large. Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_gap_measure(etr_numeric_gap *out, const char **problem, const etr_tensor_view *reference,
                           const etr_tensor_view *actual);

#endif
