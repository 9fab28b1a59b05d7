/* SPDX-License-Identifier: BSD-3-Clause
 *
 * numeric_gap.c - MSE, L1 and SNR as ExecuTorch's comparators have them, and further measures.
 */
#include "accuracy/numeric_gap.h"

#include <math.h>
#include <stdlib.h>

/* Pairs that are not both finite are only counted: in left_out, in `unlike` if they differ, and in
 * `broken` if only the actual number is not finite. */
void etr_gap_add(etr_gap_sum *sum, const double *reference, const double *actual, size_t count) {
  etr_gap_sum sums = *sum; /* a copy, so that the sums stay in registers */
  for (size_t i = 0; i < count; i++) {
    double wanted = reference[i], got = actual[i], difference = got - wanted,
           distance = fabs(difference);
    if (!isfinite(wanted) || !isfinite(got)) {
      sums.left_out++;
      sums.unlike += !(isnan(wanted) ? isnan(got) : wanted == got);
      sums.broken += isfinite(wanted);
      continue;
    }
    sums.squares += distance * distance;
    sums.differences += distance;
    sums.signed_differences += difference;
    sums.reference_squares += wanted * wanted;
    sums.actual_squares += got * got;
    sums.products += wanted * got;
    if (fabs(wanted) > sums.largest_reference)
      sums.largest_reference = fabs(wanted);
    if (distance > sums.largest) {
      sums.largest = distance;
      sums.largest_at = sums.pairs + i;
    }
  }
  sums.pairs += count;
  *sum = sums;
}

/* Returns the cosine of the angle between both tensors; if one is zero, 1 if both are, else 0. */
static double cosine_of(const etr_gap_sum *sum) {
  double norms = sqrt(sum->reference_squares) * sqrt(sum->actual_squares);
  if (norms > 0)
    return sum->products / norms;
  return sum->reference_squares == sum->actual_squares ? 1 : 0;
}

/* All measures are NaN if no pair could be compared, unless there are pairs and all are equal NaN
 * or infinities: such tensors are equal. Equal tensors have an SNR and a PSNR of infinity, in dB,
 * and no error. l1 is the sum of the absolute differences, mse and bias are means. */
etr_numeric_gap etr_gap_of(const etr_gap_sum *sum) {
  uint64_t compared = sum->pairs - sum->left_out;
  etr_numeric_gap gap = {.element_count = sum->pairs,
                         .left_out = sum->left_out,
                         .unlike = sum->unlike,
                         .broken = sum->broken};
  bool all_alike = sum->pairs > 0 && sum->unlike == 0; /* equal NaN and infinities: no difference */
  if (compared == 0 && !all_alike) {
    gap.mse = gap.l1 = gap.max_abs_error = gap.snr_db = gap.psnr_db = gap.cosine = gap.rel_l2 =
        gap.bias = NAN;
    return gap;
  }
  bool is_equal = sum->largest == 0;
  gap.mse = is_equal ? 0 : sum->squares / (double)compared;
  gap.l1 = sum->differences;
  gap.max_abs_error = sum->largest;
  gap.max_at = sum->largest_at;
  gap.snr_db = is_equal ? INFINITY : 10 * log10(sum->reference_squares / sum->squares);
  gap.psnr_db = is_equal ? INFINITY
                         : 10 * log10(sum->largest_reference * sum->largest_reference / gap.mse);
  gap.cosine = cosine_of(sum);
  gap.rel_l2 = is_equal ? 0 : sqrt(sum->squares / sum->reference_squares);
  gap.bias = is_equal ? 0 : sum->signed_differences / (double)compared;
  return gap;
}

/* Returns 1 if the first gap is worse, -1 if it is better, and 0 if they are equally bad: numbers
 * that are not finite on one side count first, then the lower SNR. */
int etr_gap_worse(const etr_numeric_gap *a, const etr_numeric_gap *b) {
  if ((a->unlike > 0) != (b->unlike > 0))
    return a->unlike > 0 ? 1 : -1;
  if (a->snr_db != b->snr_db && !isnan(a->snr_db) && !isnan(b->snr_db))
    return a->snr_db < b->snr_db ? 1 : -1;
  return 0;
}

/* Returns true if two tensors have the same shape, or if they differ in rank, rows of equal length
 * and equally many: an addmm flattens the leading dimensions of the linear layer that it replaces.
 */
static bool have_same_rows(const etr_tensor_view *a, const etr_tensor_view *b) {
  if (a->rank == b->rank)
    return a->rank == 0 || memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof *a->sizes) == 0;
  uint64_t rows_a, rows_b;
  return a->rank > 1 && b->rank > 1 && a->sizes[a->rank - 1] == b->sizes[b->rank - 1] &&
         etr_tensor_count(a->sizes, a->rank - 1, 1, &rows_a) &&
         etr_tensor_count(b->sizes, b->rank - 1, 1, &rows_b) && rows_a == rows_b;
}

/* Dequantizes a piece of a tensor in place: (number - zero point) * scale, by channel if there are
 * several. Its first number is the tensor's element `first`, from which the channel follows. */
static void dequantize(double *numbers, size_t count, uint64_t first,
                       const etr_dequantization *dequantization) {
  if (dequantization->channel_count == 1)
    for (size_t i = 0; i < count; i++)
      numbers[i] = (numbers[i] - dequantization->zero_points[0]) * dequantization->scales[0];
  else
    for (size_t i = 0; i < count; i++) {
      size_t channel = (size_t)((first + i) / dequantization->channel_elements %
                                dequantization->channel_count);
      numbers[i] = (numbers[i] - dequantization->zero_points[channel]) *
                   dequantization->scales[channel];
    }
}

/* Adds to steps->differing the number of elements whose stored integers differ, and keeps in
 * steps->most the largest difference (1 is one quantization step). */
static void count_steps(etr_gap_steps *steps, const double *reference, const double *actual,
                        size_t count) {
  for (size_t i = 0; i < count; i++) {
    double distance = fabs(reference[i] - actual[i]);
    steps->differing += distance > 0;
    steps->most = fmax(steps->most, distance);
  }
}

static bool are_integers(const etr_tensor_view *view) {
  return strstr(view->element->dtype, "int") != NULL;
}

/* ---- Reading two tensors side by side ---- */

/* Reads the reference tensor (wanted) and the actual one (got), piece by piece. */
typedef struct pair_reader {
  etr_tensor_reader wanted, got;
  const etr_dequantization *of_wanted, *of_got;
  bool has_integers; /* both sides store integers */
} pair_reader;

/* Opens both sides for reading, or sets *problem if their shapes differ or one cannot be read,
 * which counts as success. Numbers of quantization steps are counted only if both sides store
 * integers (has_integers). Fails only when out of memory. The caller closes the reader in any case.
 */
static etr_status open_pair(pair_reader *r, const char **problem, const etr_gap_side *reference,
                            const etr_gap_side *actual) {
  *r = (pair_reader){.of_wanted = reference->dequantization,
                     .of_got = actual->dequantization,
                     .has_integers = are_integers(reference->view) && are_integers(actual->view)};
  *problem = "the shapes differ";
  if (!have_same_rows(reference->view, actual->view))
    return ETR_OK;
  etr_status status = etr_tensor_reader_open(&r->wanted, reference->view, problem);
  if (status == ETR_OK && !*problem)
    status = etr_tensor_reader_open(&r->got, actual->view, problem);
  return status;
}

static void close_pair(pair_reader *r) {
  etr_tensor_reader_close(&r->wanted);
  etr_tensor_reader_close(&r->got);
}

/* Reads the next pieces of both sides, dequantized, and returns their size in elements; 0 at the
 * end, and if a side cannot be read, which sets *problem. Unless `steps` is NULL, counts by how
 * many quantization steps integers differ. */
static size_t read_next_pair(pair_reader *r, double wanted[ETR_PIECE_ELEMENTS],
                             double got[ETR_PIECE_ELEMENTS], etr_gap_steps *steps,
                             const char **problem) {
  uint64_t first = r->wanted.at;
  if (first >= r->wanted.count)
    return 0;
  size_t count = etr_tensor_reader_next(&r->wanted, wanted);
  if (count == 0 || etr_tensor_reader_next(&r->got, got) != count) {
    *problem = "it cannot be read";
    return 0;
  }
  if (steps && r->has_integers)
    count_steps(steps, wanted, got, count);
  if (r->of_wanted->channel_count)
    dequantize(wanted, count, first, r->of_wanted);
  if (r->of_got->channel_count)
    dequantize(got, count, first, r->of_got);
  return count;
}

/* ---- Measuring ---- */

/* Fails only when out of memory. If *problem is set, *out is of the pairs that were read. */
etr_status etr_gap_measure_quantized(etr_numeric_gap *out, etr_gap_steps *steps,
                                     const char **problem, const etr_gap_side *reference,
                                     const etr_gap_side *actual) {
  double wanted[ETR_PIECE_ELEMENTS], got[ETR_PIECE_ELEMENTS];
  pair_reader reader;
  etr_gap_sum sum = {0};
  *steps = (etr_gap_steps){0};
  etr_status status = open_pair(&reader, problem, reference, actual);
  if (status == ETR_OK && !*problem)
    for (size_t count; (count = read_next_pair(&reader, wanted, got, steps, problem)) > 0;)
      etr_gap_add(&sum, wanted, got, count);
  close_pair(&reader);
  *out = etr_gap_of(&sum);
  return status;
}

/* ---- Distributions ---- */

/* Extends the range from *least to *most so that it contains a number. */
static void extend_range(double *least, double *most, double number) {
  if (number < *least)
    *least = number;
  if (number > *most)
    *most = number;
}

/* Counts a number in its bucket of a histogram from `least` to `most`; all are in the first bucket
 * if these are equal, and the largest number is in the last. */
static void count_in_histogram(uint64_t *buckets, double least, double most, double number) {
  double width = most - least, at = width > 0 ? (number - least) / width * ETR_SPREAD_BUCKETS : 0;
  buckets[at < ETR_SPREAD_BUCKETS ? (size_t)at : ETR_SPREAD_BUCKETS - 1]++;
}

/* Adds pairs of finite numbers to a spread. The first pass only extends the ranges of the numbers
 * and of their errors (got - wanted). The second counts them in the buckets of the histograms, for
 * which the ranges of all numbers must be known. */
static void add_pairs_to_spread(etr_value_spread *out, bool is_second, const double *wanted,
                                const double *got, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(wanted[i]) || !isfinite(got[i]))
      continue;
    if (is_second) {
      count_in_histogram(out->reference, out->least, out->most, wanted[i]);
      count_in_histogram(out->value, out->least, out->most, got[i]);
      count_in_histogram(out->errors, out->least_error, out->most_error, got[i] - wanted[i]);
    } else {
      extend_range(&out->least, &out->most, wanted[i]);
      extend_range(&out->least, &out->most, got[i]);
      extend_range(&out->least_error, &out->most_error, got[i] - wanted[i]);
    }
  }
}

/* Two passes, because buckets need the ranges of all numbers: the first finds least and most of the
 * numbers and of the errors, the second counts. NULL, because steps of quantization are not
 * counted. Fails only when out of memory. */
etr_status etr_gap_spread(etr_value_spread *out, const char **problem,
                          const etr_gap_side *reference, const etr_gap_side *actual) {
  double wanted[ETR_PIECE_ELEMENTS], got[ETR_PIECE_ELEMENTS];
  etr_status status = ETR_OK;
  *problem = NULL;
  *out = (etr_value_spread){
      .least = INFINITY, .most = -INFINITY, .least_error = INFINITY, .most_error = -INFINITY};
  for (int pass = 0; pass < 2 && status == ETR_OK && !*problem; pass++) {
    pair_reader reader;
    status = open_pair(&reader, problem, reference, actual);
    if (status == ETR_OK && !*problem)
      for (size_t count; (count = read_next_pair(&reader, wanted, got, NULL, problem)) > 0;)
        add_pairs_to_spread(out, pass == 1, wanted, got, count);
    close_pair(&reader);
    if (!*problem && !isfinite(out->most - out->least))
      *problem = "no finite numbers, or too large ones";
  }
  return status;
}

etr_status etr_gap_measure(etr_numeric_gap *out, const char **problem,
                           const etr_tensor_view *reference, const etr_tensor_view *actual) {
  static const etr_dequantization as_stored = {0};
  etr_gap_steps steps;
  return etr_gap_measure_quantized(out, &steps, problem, &(etr_gap_side){reference, &as_stored},
                                   &(etr_gap_side){actual, &as_stored});
}
