/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_numeric_gap.c - lib/accuracy/numeric_gap.c: MSE, L1 and SNR as ExecuTorch's comparators
 * compute them.
 */
#include "accuracy/numeric_gap.h"

#include <criterion/criterion.h>
#include <math.h>

static bool close_to(double a, double b) {
  return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-9 * fabs(b);
}

Test(numeric_gap, gaps_are_those_of_torch) {
  static const struct {
    double reference[4], actual[4];
    etr_numeric_gap expected;
  } rows[] = {
      /* elements, left out, unlike, torch.mean(torch.square(a - b)), torch.abs(a - b).sum(),
       * largest, SNR: 10 * torch.log10(torch.mean(a ** 2) / mse), PSNR, cosine, relative L2, bias,
       * where the largest is */
      {{1, 2, 3, 4},
       {1, 2, 3, 5},
       {4, 0, 0, 0.25, 1, 1, 14.771212547196624, 18.06179973983887, 0.9939990885479664,
        0.18257418583505536, 0.25, 3, 0}},
      {{1, -2, 3, -4},
       {1.5, -2, 3, -4},
       {4, 0, 0, 0.0625, 0.5, 0.5, 20.791812460476248, 24.082399653118497, 0.9961258287318258,
        0.09128709291752768, 0.125, 0, 0}},
      {{1, 2, 3, 4}, {1, 2, 3, 4}, {4, 0, 0, 0, 0, 0, INFINITY, INFINITY, 1, 0, 0, 0, 0}},
      {{0, 0, 0, 0}, {0, 0, 0, 0}, {4, 0, 0, 0, 0, 0, INFINITY, INFINITY, 1, 0, 0, 0, 0}},
      {{0, 0, 0, 0},
       {0, 0, 0, 2},
       {4, 0, 0, 1, 2, 2, -INFINITY, -INFINITY, 0, INFINITY, 0.5, 3, 0}},
      /* NaN and infinities are excluded; only differing ones count as errors */
      {{NAN, INFINITY, -INFINITY, 1},
       {NAN, INFINITY, -INFINITY, 3},
       {4, 3, 0, 4, 2, 2, -6.020599913279624, -6.020599913279624, 1, 2, 2, 3, 0}},
      {{NAN, INFINITY, 2, 1},
       {0, -INFINITY, NAN, 1},
       {4, 3, 3, 0, 0, 0, INFINITY, INFINITY, 1, 0, 0, 0, 1}},
      {{NAN, INFINITY, -INFINITY, -INFINITY},
       {NAN, INFINITY, -INFINITY, -INFINITY},
       {4, 4, 0, 0, 0, 0, INFINITY, INFINITY, 1, 0, 0, 0, 0}},
      {{NAN, NAN, NAN, NAN}, {0, 0, 0, 0}, {4, 4, 4, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0}},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_gap_sum sum = {0};
    etr_gap_add(&sum, rows[i].reference, rows[i].actual, 1);
    etr_gap_add(&sum, rows[i].reference + 1, rows[i].actual + 1, 3);
    etr_numeric_gap gap = etr_gap_of(&sum);
    const etr_numeric_gap *e = &rows[i].expected;
    cr_expect(gap.element_count == e->element_count && gap.left_out == e->left_out &&
                  gap.unlike == e->unlike && gap.broken == e->broken,
              "row %zu", i);
    cr_expect(close_to(gap.mse, e->mse) && close_to(gap.l1, e->l1) &&
                  close_to(gap.max_abs_error, e->max_abs_error) && close_to(gap.snr_db, e->snr_db),
              "row %zu: %.17g %.17g %.17g %.17g", i, gap.mse, gap.l1, gap.max_abs_error,
              gap.snr_db);
    cr_expect(close_to(gap.psnr_db, e->psnr_db) && close_to(gap.cosine, e->cosine) &&
                  close_to(gap.rel_l2, e->rel_l2) && close_to(gap.bias, e->bias) &&
                  gap.max_at == e->max_at,
              "row %zu: %.17g %.17g %.17g %.17g %d", i, gap.psnr_db, gap.cosine, gap.rel_l2,
              gap.bias, (int)gap.max_at);
  }
}

Test(numeric_gap, types_and_dimension_orders_may_differ) {
  const float reference[] = {1, 2, 3, 4, 5, 6};
  const int16_t actual[] = {1, 4, 2, 5, 3, 7}; /* the same values transposed, with one difference */
  const int64_t sizes[] = {2, 3}, rows[] = {3, 1}, columns[] = {1, 2}, other[] = {3, 2};
  etr_tensor_view a = {etr_element_of_dtype("float32"),
                       sizes,
                       rows,
                       2,
                       0,
                       NULL,
                       {(const char *)reference, sizeof reference}};
  etr_tensor_view b = {etr_element_of_dtype("int16"),        sizes, columns, 2, 0, NULL,
                       {(const char *)actual, sizeof actual}};
  etr_numeric_gap gap;
  const char *problem;
  cr_assert(etr_gap_measure(&gap, &problem, &a, &b) == ETR_OK && !problem);
  cr_expect(gap.element_count == 6 && gap.l1 == 1 && gap.max_abs_error == 1);
  b.sizes = other;
  cr_assert(etr_gap_measure(&gap, &problem, &a, &b) == ETR_OK && problem);
  cr_expect_str_eq(problem, "the shapes differ");
  b.rank = 1;
  cr_assert(etr_gap_measure(&gap, &problem, &a, &b) == ETR_OK && problem);
  cr_expect_str_eq(problem, "the shapes differ");
}

Test(numeric_gap, integers_are_dequantized_by_channel) {
  const float reference[] = {1, 2, 30, 40};
  const int8_t actual[] = {3, 5, 2, 4}, host[] = {3, 4, 2, 4};
  const int64_t sizes[] = {2, 2}, strides[] = {2, 1};
  const double scales[] = {0.5, 10}, zero_points[] = {1, -1};
  const etr_dequantization by = {scales, zero_points, 2, 2}, none = {0};
  etr_tensor_view a = {etr_element_of_dtype("float32"),
                       sizes,
                       strides,
                       2,
                       0,
                       NULL,
                       {(const char *)reference, sizeof reference}};
  etr_tensor_view b = {etr_element_of_dtype("int8"),         sizes, strides, 2, 0, NULL,
                       {(const char *)actual, sizeof actual}};
  etr_tensor_view c = {etr_element_of_dtype("int8"),     sizes, strides, 2, 0, NULL,
                       {(const char *)host, sizeof host}};
  etr_numeric_gap gap;
  etr_gap_steps steps;
  const char *problem;
  cr_assert_eq(etr_gap_measure_quantized(&gap, &steps, &problem, &(etr_gap_side){&a, &none},
                                         &(etr_gap_side){&b, &by}),
               ETR_OK);
  cr_expect(!problem && gap.l1 == 10 && gap.max_at == 3 && steps.differing == 0, "%g",
            gap.l1); /* 1, 2, 30, 50 */
  cr_assert_eq(etr_gap_measure_quantized(&gap, &steps, &problem, &(etr_gap_side){&c, &by},
                                         &(etr_gap_side){&b, &by}),
               ETR_OK);
  cr_expect(!problem && gap.l1 == 0.5 && steps.differing == 1 && steps.most == 1, "%g", gap.l1);
}
