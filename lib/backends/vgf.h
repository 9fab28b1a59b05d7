/* SPDX-License-Identifier: BSD-3-Clause
 *
 * vgf.h - Arm VGF as a backend. Layer 2.
 *
 * Its runtime logs the steps of a call by fixed names, on the host's clock. None names an operator.
 */
#ifndef ETR_VGF_H
#define ETR_VGF_H

#include "backends/decoder.h"

extern const etr_decoder etr_vgf;

#endif
