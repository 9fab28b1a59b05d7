/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choices.h - whether what a caller chose is possible with these inputs. Layer 3.
 */
#ifndef ETR_CHOICES_H
#define ETR_CHOICES_H

#include "method/method.h"
#include "runs/blocks.h"

/** Errors: ETR_ERROR_CHOICE: a clock outside of 1e-6 to 1e18 ticks per second, where times would become infinite. */
etr_status etr_choices_check_clock(const etr_options *options, etr_error *error);

/** Errors: ETR_ERROR_CHOICE: a run is mapped to a method that no input has, or a run is named that the dumps lack. */
etr_status etr_choices_check(const etr_options *options, const etr_blocks *blocks, const etr_method_inputs *inputs,
                             size_t method_count, etr_error *error);

#endif
