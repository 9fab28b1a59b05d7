/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_scalars.h - points of curves, for TensorBoard's time series tab. Layer 5.
 */
#ifndef ETR_TB_SCALARS_H
#define ETR_TB_SCALARS_H

#include "packed.h"

/** Packs a point as a TensorFlow event into emptied `packed`. There are thousands of them. Steps of a tag must increase, or TensorBoard drops values.
 */
void etr_tb_point_pack(etr_packed *packed, double wall_time, const char *tag, int64_t step, double value);

#endif
