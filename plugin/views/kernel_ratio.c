/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernel_ratio.c - ratios between kernels, measured in turns on two cores with AVX-512 and VNNI.
 */
#include "views/kernel_ratio.h"

/* How many times as fast XNNPACK is as the portable kernels, on x86-64 with AVX-512, measured with
 * ExecuTorch 1.5. */
double etr_ratio_of_delegate(etr_slice op) {
  static const struct {
    const char *op;
    double ratio;
  } ratios[] = {{"convolution", 66},
                {"linear", 37},
                {"addmm", 37},
                {"mm", 37},
                {"bmm", 4.4},
                {"gelu", 15},
                {"softmax", 12},
                {"sigmoid", 8},
                {"mean", 3.3},
                {"add", 2.7},
                {"mul", 1.9},
                {"permute_copy", 14},
                {"max_pool2d", 40},
                {"sub", 2.7},
                {"div", 1.9},
                {"cat", 0.9},
                {"max_pool2d_with_indices", 40}};
  for (size_t i = 0; i < ETR_COUNT(ratios); i++)
    if (etr_slice_equal(op, etr_slice_of(ratios[i].op)))
      return ratios[i].ratio;
  return 1;
}
