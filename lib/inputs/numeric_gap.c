/* SPDX-License-Identifier: BSD-3-Clause
 *
 * numeric_gap.c - MSE, L1 and SNR as ExecuTorch's comparators have them.
 */
#include "inputs/numeric_gap.h"

#include <math.h>
#include <stdlib.h>

void etr_gap_add(etr_gap_sum *sum, const double *reference, const double *actual, size_t count) {
  sum->pairs += count;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(reference[i]) || !isfinite(actual[i])) {
      sum->left_out++;
      sum->unlike += !(isnan(reference[i]) ? isnan(actual[i]) : reference[i] == actual[i]);
      continue;
    }
    double difference = fabs(reference[i] - actual[i]);
    sum->squares += difference * difference;
    sum->differences += difference;
    sum->reference_squares += reference[i] * reference[i];
    if (difference > sum->largest) sum->largest = difference;
  }
}

etr_numeric_gap etr_gap_of(const etr_gap_sum *sum) {
  uint64_t compared = sum->pairs - sum->left_out;
  etr_numeric_gap gap = {.element_count = sum->pairs,
                         .left_out = sum->left_out,
                         .unlike = sum->unlike,
                         .mse = NAN,
                         .l1 = NAN,
                         .max_abs_error = NAN,
                         .snr_db = NAN};
  if (compared == 0) return gap;
  gap.mse = sum->squares / (double)compared;
  gap.l1 = sum->differences;
  gap.max_abs_error = sum->largest;
  gap.snr_db = sum->largest == 0 ? INFINITY : 10 * log10(sum->reference_squares / sum->squares);
  return gap;
}

int etr_gap_worse(const etr_numeric_gap *a, const etr_numeric_gap *b) {
  if ((a->unlike > 0) != (b->unlike > 0)) return a->unlike > 0 ? 1 : -1;
  if (a->snr_db != b->snr_db && !isnan(a->snr_db) && !isnan(b->snr_db)) return a->snr_db < b->snr_db ? 1 : -1;
  return 0;
}

/* Returns true if two tensors have the same shape or the same rows: an addmm flattens the leading dimensions of the
 * linear layer that it replaces. */
static bool same_shape(const etr_tensor_view *a, const etr_tensor_view *b) {
  if (a->rank == b->rank) return a->rank == 0 || memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof *a->sizes) == 0;
  uint64_t rows_a, rows_b;
  return a->rank > 1 && b->rank > 1 && a->sizes[a->rank - 1] == b->sizes[b->rank - 1] &&
         etr_tensor_count(a->sizes, a->rank - 1, 1, &rows_a) && etr_tensor_count(b->sizes, b->rank - 1, 1, &rows_b) &&
         rows_a == rows_b;
}

static const char *compare(etr_gap_sum *sum, etr_tensor_reader *reference, etr_tensor_reader *actual) {
  double wanted[ETR_PIECE_ELEMENTS], got[ETR_PIECE_ELEMENTS];
  while (reference->at < reference->count) {
    size_t count = etr_tensor_reader_next(reference, wanted);
    if (count == 0 || etr_tensor_reader_next(actual, got) != count) return "it cannot be read";
    etr_gap_add(sum, wanted, got, count);
  }
  return NULL;
}

etr_status etr_gap_measure(etr_numeric_gap *out, const char **problem, const etr_tensor_view *reference,
                           const etr_tensor_view *actual) {
  etr_tensor_reader wanted = {0}, got = {0};
  etr_gap_sum sum = {0};
  *problem = "the shapes differ";
  if (!same_shape(reference, actual)) return ETR_OK;
  etr_status status = etr_tensor_reader_open(&wanted, reference, problem);
  if (status == ETR_OK && !*problem) status = etr_tensor_reader_open(&got, actual, problem);
  if (status == ETR_OK && !*problem) *problem = compare(&sum, &wanted, &got);
  etr_tensor_reader_close(&wanted);
  etr_tensor_reader_close(&got);
  *out = etr_gap_of(&sum);
  return status;
}
