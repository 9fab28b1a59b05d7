/* SPDX-License-Identifier: BSD-3-Clause
 *
 * numeric_gap.h - measures how far the numbers of one tensor are from those of another. Layer 3.
 */
#ifndef ETR_NUMERIC_GAP_H
#define ETR_NUMERIC_GAP_H

#include "etrecord_accuracy.h"
#include "inputs/tensor_data.h"

/** The sums from which a gap is computed, piece by piece. Zeroed: no pairs. */
typedef struct etr_gap_sum {
  uint64_t pairs, left_out, unlike, broken, largest_at;
  double squares, differences, signed_differences, largest;
  double reference_squares, actual_squares, products, largest_reference;
} etr_gap_sum;

/** How stored integers stand for numbers: (integer - zero_point) * scale, with one pair of both for
 * each index of a dimension. Zeroed: the numbers are stored as they are. */
typedef struct etr_dequantization {
  const double *scales, *zero_points; /* channel_count entries each */
  uint64_t channel_count;             /* 1: the whole tensor has one scale; 0: nothing to do */
  uint64_t channel_elements; /* elements from one index of the dimension to the next; unused for one
                                channel */
} etr_dequantization;

/** A tensor that is compared. */
typedef struct etr_gap_side {
  const etr_tensor_view *view; /* without a fault (etr_tensor_fault()) */
  const etr_dequantization *dequantization;
} etr_gap_side;

/** By how many steps of their type integers differ. */
typedef struct etr_gap_steps {
  uint64_t differing; /* number of elements that differ */
  double most;        /* largest difference of the stored integers */
} etr_gap_steps;

/** Adds pairs of a reference number and an actual number. */
void etr_gap_add(etr_gap_sum *sum, const double *reference, const double *actual, size_t count);

/** Returns the gap of all pairs that were added. */
etr_numeric_gap etr_gap_of(const etr_gap_sum *sum);

/**
 * Measures the gap of two tensors that have no fault (etr_tensor_fault()). *problem becomes NULL,
 * or a static text that says why they cannot be compared: the shapes differ, or one is unreadable
 * or too large. Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_gap_measure(etr_numeric_gap *out, const char **problem,
                           const etr_tensor_view *reference, const etr_tensor_view *actual);

/** Measures as etr_gap_measure() does, piece by piece, after both sides were dequantized. Also
 * fills *steps, from the integers as they are stored; zeros if a side has no integers. */
etr_status etr_gap_measure_quantized(etr_numeric_gap *out, etr_gap_steps *steps,
                                     const char **problem, const etr_gap_side *reference,
                                     const etr_gap_side *actual);

/** Counts how the numbers of both sides, and their differences, are distributed. Reads them twice.
 * *problem as above; it is also set if no pair is finite. Errors: ETR_ERROR_MEMORY. */
etr_status etr_gap_spread(etr_value_spread *out, const char **problem,
                          const etr_gap_side *reference, const etr_gap_side *actual);

#endif
