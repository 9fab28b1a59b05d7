/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernel_ratio.h - how much faster the known partitioner's backend is than the portable kernels.
 * Layer 4.
 */
#ifndef ETR_KERNEL_RATIO_H
#define ETR_KERNEL_RATIO_H

#include "base/base.h"

/** Returns how many times as fast XNNPACK computes an operator as the portable kernels do, measured
 * with ExecuTorch 1.5 on x86-64 with AVX-512; 1 for an operator of which nothing was measured. */
double etr_ratio_of_delegate(etr_slice op);

#endif
