/* SPDX-License-Identifier: BSD-3-Clause
 *
 * input_bounds.h - the bounds of inputs whose shapes are dynamic. Layer 4.
 *
 * A program plans memory for the largest sizes. It does not say which dimensions are dynamic; an
 * ETRecord does, with the least size of each.
 */
#ifndef ETR_INPUT_BOUNDS_H
#define ETR_INPUT_BOUNDS_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** Returns for each input and output of a method's memory plan which sizes it may have: "dimension
 * 0: 2 to 16 (s77)"; NULL if its shape is static, or if no Edge graph says which dimensions are
 * dynamic. The list is NULL when out of memory. */
const char *const *etr_boundary_bounds(etr_arena *arena, const etr_profile *profile,
                                       const etr_method *method);

/** Returns which inputs make sizes upper bounds: "dimension 1 of input 0 ≤ 5000" if the Edge
 * graph is there, else "input 0 ≤ i64[1,5000]"; of several the first three. "" if no input has a
 * dynamic shape; NULL when out of memory. */
const char *etr_input_bounds(etr_arena *arena, const etr_profile *profile,
                             const etr_method *method);

#endif
